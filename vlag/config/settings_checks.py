# SPDX-License-Identifier: GPL-2.0-only
"""What the settings cannot mean, although each of their keys is well-formed."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vlag.config import build_lanes
from vlag.config.included import Document
from vlag.config.masters import check_masters
from vlag.config.settings import DEFAULT, EACH, KINDS, MERGE_BASE
from vlag.errors import UsageError
from vlag.kernel.series import Application

#: A name and an address on one line.
_PERSON = re.compile(r"[^<>@\s]([^<>@\r\n]*[^<>@\s])? <[^<>@\s]+@[^<>@\s]+>")


def check(document: Document) -> None:
    """Raise UsageError with what a schema cannot see: a line with file and key for each fault."""
    if faults := list(dict.fromkeys(_faults(document))):
        raise UsageError("\n".join(faults))


def _faults(document: Document) -> Iterator[str]:
    yield from _check_branches(document)
    yield from _check_lanes(document)
    yield from _check_nightly(document)
    yield from _check_weekly(document)
    yield from _check_images(document)
    yield from _check_baselines(document)
    yield from _check_mail(document)
    yield from _check_subscriptions(document)
    yield from _check_hosts(document)
    yield from _check_report(document)
    for key, value in document.raw.items():
        parts = value.items() if key == "trees" else [(None, value)]
        for name, part in parts:
            where = f"{key}." + (f"{name}." if name else "")
            yield from _check_urls(document.file(key, name), part, where)
    yield from check_masters(document)


def _check_nightly(document: Document) -> Iterator[str]:
    """Yield a sentence on an end of the night that is its beginning, or has no hour."""
    raw = document.raw["nightly"]
    if "end_minute" in raw and "end_hour" not in raw:
        yield f"{document.where('nightly', 'end_minute')}: of which hour? Add end_hour"
    if (raw.get("end_hour"), raw.get("end_minute", 0)) == (raw["hour"], raw["minute"]):
        yield (
            f"{document.where('nightly', 'end_hour')}: the night would end as it begins; give"
            " another time, or take it out"
        )


def _check_weekly(document: Document) -> Iterator[str]:
    """Yield a sentence on weekly plans that nothing starts, and for a day without plans."""
    raw = document.raw
    for i, b in enumerate(raw["branches"]):
        if "plan" not in b and not b.get("weekly_plans"):
            yield (
                f"{document.where('branches', i)}: 'plan' is a required property of a branch"
                " without weekly_plans"
            )
        if "plan" not in b and "commit_plan" in b:
            yield (
                f"{document.where('branches', i, 'commit_plan')}: a branch without a plan of its"
                " nights tests no pushes; add plan, or take this out"
            )
    if all("plan" not in b and b.get("weekly_plans") for b in raw["branches"]):
        yield (f"{document.where('branches')}: none has a plan of its nights; add plan to one")
    planned = [i for i, b in enumerate(raw["branches"]) if b.get("weekly_plans")]
    if planned and "weekly" not in raw:
        yield (
            f"{document.where('branches', planned[0], 'weekly_plans')}: nothing starts them; add"
            " [weekly] with day, hour and minute"
        )
    if "weekly" in raw and not planned:
        yield (
            f"{document.where('weekly')}: no branch has weekly_plans; add them to a branch, or take"
            " [weekly] out"
        )


def _check_branches(document: Document) -> Iterator[str]:
    """Yield a sentence on a branch of no tree, or applications of no series."""
    raw = document.raw
    for i, b in enumerate(raw["branches"]):
        if b["tree"] not in raw["trees"]:
            yield (
                f"{document.where('branches', i, 'tree')}: no tree {b['tree']!r}; "
                f"there are: {', '.join(raw['trees'])}"
            )
        else:
            yield from _check_baseline_tree(document, i, b)
        where = document.where("branches", i, "applications")
        if "applications" in b and "series" not in b:
            yield (f"{where}: of which series? Add the key 'series', a folder of kernel-patches/")
        for j, application in enumerate(b.get("applications", [])):
            try:
                _ = application == EACH or Application.parse(application)
            except UsageError as e:
                yield f"{where}.{j}: {e}, or {EACH}"


def _check_baseline_tree(document: Document, i: int, b: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on a baseline's tree that is not there or cannot be compared with."""
    trees, other = document.raw["trees"], b.get("baseline_tree", b["tree"])
    where = document.where("branches", i, "baseline_tree")
    if other not in trees:
        yield f"{where}: no tree {other!r}; there are: {', '.join(trees)}"
        return
    if ("images" in trees[other]) != ("images" in trees[b["tree"]]):
        yield (
            f"{where}: one of the trees {b['tree']} and {other} has prebuilt kernels, which are"
            " compared with each other only"
        )
    if other != b["tree"] and b["baseline"].startswith(MERGE_BASE):
        yield (
            f"{where}: a merge base needs one history, and {other} is another tree than"
            f" {b['tree']}; name a tag of {other}"
        )


def _check_lanes(document: Document) -> Iterator[str]:
    """Yield a sentence on an unknown build lane, and for lanes of a branch without pushes."""
    for i, b in enumerate(document.raw["branches"]):
        if not b.get("lanes"):
            continue
        where = document.where("branches", i, "lanes")
        odd = [key for key in ("series", "variant") if b.get(key, DEFAULT) != DEFAULT]
        if odd or "plan" not in b:
            why = f"with {odd[0]}" if odd else "without a plan of its nights"
            yield (
                f"{where}: lanes build what is pushed, and pushes to a branch {why} are not tested;"
                " name them at the plain branch"
            )
        if "images" in document.raw["trees"].get(b["tree"], {}):
            yield f"{where}: tree {b['tree']} has prebuilt kernels and no sources"
        try:
            build_lanes.chosen(b["lanes"])
        except UsageError as e:
            yield f"{where}: {e}"


def _check_images(document: Document) -> Iterator[str]:
    """Yield a sentence on what a tree of prebuilt kernels cannot have."""
    raw = document.raw
    for name, tree in raw["trees"].items():
        images = tree.get("images", {})
        archs = {source.rpartition("-")[2] for source in images.values() if isinstance(source, str)}
        if len(archs) > 1:
            yield (
                f"{document.where('trees', name, 'images')}:"
                f" packages of {' and '.join(sorted(archs))}; give"
                " each architecture a tree of its own"
            )
        if "sources" in tree and not archs:
            yield (
                f"{document.where('trees', name, 'sources')}:"
                " apt's sources of which packages? The tree has no"
                " `images` by the name of a package"
            )
    for i, b in enumerate(raw["branches"]):
        if "images" not in raw["trees"].get(b["tree"], {}):
            continue
        for key in ("series", "variant"):
            if key in b:
                yield (
                    f"{document.where('branches', i, key)}:"
                    f" tree {b['tree']} has prebuilt kernels, which"
                    " take no patches and no config fragments"
                )
        if b["baseline"].startswith(MERGE_BASE):
            yield (
                f"{document.where('branches', i, 'baseline')}:"
                f" the prebuilt kernels of tree {b['tree']} have no"
                " merge base; name a version or a pattern such as prebuilt/6.12.*"
            )


def _check_baselines(document: Document) -> Iterator[str]:
    """Yield a sentence on a merge base of no branch, or board checks without a fixed kernel."""
    raw = document.raw
    for i, b in enumerate(raw["branches"]):
        upstream = b["baseline"].removeprefix(MERGE_BASE)
        if upstream == b["baseline"]:
            continue
        if not upstream or ".." in upstream or any(c in upstream for c in " :~^*?["):
            yield (
                f"{document.where('branches', i, 'baseline')}:"
                f" {b['baseline']!r}: write {MERGE_BASE}UPSTREAM, a"
                f" branch of tree {b['tree']}"
            )
        if upstream == b["branch"]:
            yield (
                f"{document.where('branches', i, 'baseline')}:"
                f" {upstream} does not leave itself; name the"
                " branch that it is rebased on"
            )
    fixed = any(not b["baseline"].startswith(MERGE_BASE) for b in raw["branches"])
    if raw.get("checks", {}).get("hours") and not fixed:
        yield (
            f"{document.where('checks', 'hours')}:"
            " board checks boot the baseline of a branch, and those of all"
            f" branches move ({MERGE_BASE}…): give one branch a tag as its baseline"
        )


def _check_mail(document: Document) -> Iterator[str]:
    """Yield a sentence on mail that would reveal a password or reach nobody."""
    raw = document.raw
    mail = raw.get("mail")
    if mail is None:
        return
    if "user" in mail and mail.get("tls") == "none":
        yield (
            f"{document.where('mail', 'user')}: the password would be sent in clear; set mail.tls"
            ' to "starttls" or "tls"'
        )
    if not 0 < int(mail["smtp"].rpartition(":")[2]) <= 65535:
        yield (f"{document.where('mail', 'smtp')}: {mail['smtp']!r} has no port from 1 to 65535")
    watched = [(b["tree"], b["branch"]) for b in raw["branches"]]
    for name in mail["owners"]:
        tree, slash, branch = name.partition("/")
        if not any(
            t == tree and (not slash or b == branch or fnmatch.fnmatch(branch, b))
            for t, b in watched
        ):
            there = ", ".join(sorted({f"{t}/{b}" for t, b in watched}))
            yield (
                f"{document.where('mail', 'owners')}:"
                f" {name!r} is no tree or branch that is watched;"
                f" there are: {there}"
            )


def _check_subscriptions(document: Document) -> Iterator[str]:
    """Yield a sentence on subscriptions that nothing could reach."""
    for name, entry in document.raw.get("subscriptions", {}).items():
        if "mail" in entry and "mail" not in document.raw:
            yield (
                f"{document.where('subscriptions', name, 'mail')}: no mail can be sent: give a"
                " server in [mail]"
            )


def _check_hosts(document: Document) -> Iterator[str]:
    """Yield a sentence on worker hosts with confusable names, or without a host for some work."""
    raw = document.raw
    hosts = raw.get("workers", {}).get("hosts", ())
    names = [h["name"] for h in hosts]
    for i, name in enumerate(names):
        # The workers of a host are NAME-1, NAME-2, ... and NAME-lab-1, ...
        alike = {name, f"{name}-lab", name.removesuffix("-lab")}
        twin = next((n for n in names[:i] if n in alike), None)
        if twin is not None:
            yield (
                f"{document.where('workers', 'hosts', i, 'name')}:"
                f" {name!r} conflicts with host {twin!r}; give"
                " it another name"
            )
    if hosts and not any("build" in h.get("takes", KINDS) for h in hosts):
        yield (
            f"{document.where('workers', 'hosts')}:"
            ' none takes "build": add it to `takes` of the host that builds'
            " kernels"
        )


def _check_report(document: Document) -> Iterator[str]:
    """Yield a sentence unless the reporter is a name and an address, as Git writes them."""
    raw = document.raw
    by = raw.get("report", {}).get("reported_by")
    if by is not None and not _PERSON.fullmatch(by):
        yield (
            f"{document.where('report', 'reported_by')}: {by!r} is no NAME <address>, such as"
            ' "Jane Doe <jane@example.org>"'
        )


def _check_urls(path: Path, part: Any, where: str = "") -> Iterator[str]:
    """Yield a sentence on an address whose host or port cannot be read."""
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(part, dict | list):
        parts = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in parts:
        yield from _check_urls(path, value, f"{where}{key}.")
    if isinstance(part, str) and re.match("https?://", part):
        try:
            _ = urlsplit(part).port
        except ValueError as e:
            yield f"{path}: {where.rstrip('.')}: {part!r} is no address: {e}"
