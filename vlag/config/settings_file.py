"""Read and check the settings file."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vlag import ROOT, notation
from vlag.config.documents import fault, parsed
from vlag.config.masters import check_masters, masters_of
from vlag.config.server import Database
from vlag.config.settings import (
    DEFAULT,
    EACH,
    INVENTORY,
    KINDS,
    MERGE_BASE,
    TAKEOVER_S,
    Alerts,
    Branch,
    First,
    Host,
    Mail,
    Master,
    People,
    Profiles,
    Settings,
    Toggles,
    Tree,
    Webhook,
)
from vlag.errors import UsageError
from vlag.kernel.refs import Files
from vlag.kernel.series import Application
from vlag.lava.server import Lab
from vlag.sandbox import Rules

#: Ports of the parts that only labs need.
_CALLBACK_PORT, _ARTIFACTS_PORT = 8021, 8020
#: Of Grafana, where it is installed.
_GRAFANA_PORT = 3000
#: A name and an address on one line.
_PERSON = re.compile(r"[^<>@\s]([^<>@\r\n]*[^<>@\s])? <[^<>@\s]+@[^<>@\s]+>")


def plain_path(path: Path, what: str) -> Path:
    """Return `path`, or raise UsageError if kernel builds or LAVA cannot work in it."""
    odd = sorted(set(re.sub(r"[A-Za-z0-9_./+@,-]", "", str(path))))
    if odd:
        raise UsageError(
            f"{what}: {str(path)!r} has {' '.join(map(repr, odd))}, which the kernel's makefiles "
            "or LAVA's URLs cannot take; use a folder with letters, digits and _./+@,- in its name"
        )
    return path


def load(path: Path | None = None) -> Settings:
    """Read the settings file: `path`, else `VLAG_SETTINGS`, else `vlag.toml` of the checkout.

    Raises UsageError with file and key for anything missing, unknown or wrong.
    """
    path = (path or Path(os.environ.get("VLAG_SETTINGS") or ROOT / "vlag.toml")).absolute()
    try:
        data = path.read_bytes()
    except OSError as e:
        raise UsageError(
            f"{path}: cannot read the settings ({e.strerror}); VLAG_SETTINGS names the file"
        ) from e
    raw: dict[str, Any] = parsed(path, "TOML", notation.read_toml, data)
    wrong = fault(raw, "settings.schema.json")
    if wrong:
        raise UsageError(f"{path}: {wrong}")
    for i, b in enumerate(raw["branches"]):
        if b["tree"] not in raw["trees"]:
            raise UsageError(
                f"{path}: branches.{i}.tree: no tree {b['tree']!r}; "
                f"there are: {', '.join(raw['trees'])}"
            )
        if "applications" in b and "series" not in b:
            raise UsageError(
                f"{path}: branches.{i}.applications: of which series? Add the key 'series', a"
                " folder of kernel-patches/"
            )
        for j, application in enumerate(b.get("applications", [])):
            try:
                _ = application == EACH or Application.parse(application)
            except UsageError as e:
                raise UsageError(f"{path}: branches.{i}.applications.{j}: {e}, or {EACH}") from e
    _check_images(path, raw)
    _check_baselines(path, raw)
    _check_mail(path, raw)
    _check_hosts(path, raw)
    _check_report(path, raw)
    _check_urls(path, raw)
    check_masters(path, raw)
    masters = masters_of(raw)
    workers = raw.get("workers", {})
    return Settings(
        path=path,
        state=plain_path((path.parent / raw["state"]).absolute(), f"{path}: state"),
        postgresql_port=raw["ports"]["postgresql"],
        web_port=masters[0].web_port if masters else raw["ports"]["web"],
        worker_port=masters[0].worker_port if masters else raw["ports"]["worker"],
        grafana_port=raw["ports"].get("grafana", _GRAFANA_PORT),
        trees={
            name: Tree(
                name=name,
                url=t.get("url"),
                packages=t.get("packages", {}),
                images={b: _image(of, path.parent) for b, of in t.get("images", {}).items()},
                sources=_file(t, "sources", path.parent),
                web=t.get("web"),
            )
            for name, t in raw["trees"].items()
        },
        branches=tuple(map(_branch, raw["branches"])),
        nightly_hour=raw["nightly"]["hour"],
        nightly_minute=raw["nightly"]["minute"],
        jobs=raw["build"]["jobs"] or os.cpu_count() or 1,
        poll_interval_s=raw["build"]["poll_interval_s"],
        check_hours=tuple(raw.get("checks", {}).get("hours", ())),
        labs={name: _lab(name, lab, path.parent) for name, lab in raw.get("labs", {}).items()},
        listen=raw.get("listen", "127.0.0.1"),
        callback_port=raw["ports"].get("callback", _CALLBACK_PORT),
        artifacts_port=raw["ports"].get("artifacts", _ARTIFACTS_PORT),
        mail=_mail(raw["mail"], path.parent) if "mail" in raw else None,
        webhook=_webhook(raw["webhook"], path.parent) if "webhook" in raw else None,
        people=_people(raw["people"], path.parent) if "people" in raw else None,
        alerts=Alerts(**raw.get("alerts", {})),
        profile=Profiles(**raw.get("profile", {})),
        toggles=Toggles(**raw.get("toggles", {})),
        sandbox=Rules(**raw.get("sandbox", {})),
        first=_first(raw["first"], path, raw["trees"]) if "first" in raw else None,
        database=_database(raw["database"], path) if "database" in raw else None,
        web_listen=raw.get("web", {}).get("listen", "127.0.0.1"),
        web_address=_with_slash(raw.get("web", {}).get("url")),
        worker_listen=workers.get("listen", "127.0.0.1"),
        worker_password=_file(workers, "password_file", path.parent),
        named_hosts=tuple(_host(h, masters) for h in workers.get("hosts", ())),
        reported_by=raw.get("report", {}).get("reported_by"),
        inventory=_file(raw.get("inventory", {}), "boards", path.parent) or INVENTORY,
        masters=masters,
        takeover_s=raw.get("takeover_s", TAKEOVER_S),
    )


def _check_images(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError for what a tree of prebuilt kernels cannot have."""
    for name, tree in raw["trees"].items():
        images = tree.get("images", {})
        archs = {of.rpartition("-")[2] for of in images.values() if isinstance(of, str)}
        if len(archs) > 1:
            raise UsageError(
                f"{path}: trees.{name}.images: packages of {' and '.join(sorted(archs))}; give"
                " each architecture a tree of its own"
            )
        if "sources" in tree and not archs:
            raise UsageError(
                f"{path}: trees.{name}.sources: apt's sources of which packages? The tree has no"
                " `images` by the name of a package"
            )
    for i, b in enumerate(raw["branches"]):
        if "images" not in raw["trees"][b["tree"]]:
            continue
        for key in ("series", "variant"):
            if key in b:
                raise UsageError(
                    f"{path}: branches.{i}.{key}: tree {b['tree']} has prebuilt kernels, which"
                    " take no patches and no config fragments"
                )
        if b["baseline"].startswith(MERGE_BASE):
            raise UsageError(
                f"{path}: branches.{i}.baseline: the prebuilt kernels of tree {b['tree']} have no"
                " merge base; name a version or a pattern such as prebuilt/6.12.*"
            )


def _check_baselines(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError for a merge base of no branch, or board checks without a fixed kernel."""
    for i, b in enumerate(raw["branches"]):
        upstream = b["baseline"].removeprefix(MERGE_BASE)
        if upstream == b["baseline"]:
            continue
        if not upstream or ".." in upstream or any(c in upstream for c in " :~^*?["):
            raise UsageError(
                f"{path}: branches.{i}.baseline: {b['baseline']!r}: write {MERGE_BASE}UPSTREAM, a"
                f" branch of tree {b['tree']}"
            )
        if upstream == b["branch"]:
            raise UsageError(
                f"{path}: branches.{i}.baseline: {upstream} does not leave itself; name the"
                " branch that it is rebased on"
            )
    fixed = any(not b["baseline"].startswith(MERGE_BASE) for b in raw["branches"])
    if raw.get("checks", {}).get("hours") and not fixed:
        raise UsageError(
            f"{path}: checks.hours: board checks boot the baseline of a branch, and those of all"
            f" branches move ({MERGE_BASE}…): give one branch a tag as its baseline"
        )


def _check_mail(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError for mail that would reveal a password or reach nobody."""
    mail = raw.get("mail")
    if mail is None:
        return
    if "user" in mail and mail.get("tls") == "none":
        raise UsageError(
            f"{path}: mail.user: the password would be sent in clear; set mail.tls"
            ' to "starttls" or "tls"'
        )
    if not 0 < int(mail["smtp"].rpartition(":")[2]) <= 65535:
        raise UsageError(f"{path}: mail.smtp: {mail['smtp']!r} has no port from 1 to 65535")
    watched = [(b["tree"], b["branch"]) for b in raw["branches"]]
    for name in mail["owners"]:
        tree, slash, branch = name.partition("/")
        if not any(
            t == tree and (not slash or b == branch or fnmatch.fnmatch(branch, b))
            for t, b in watched
        ):
            there = ", ".join(sorted({f"{t}/{b}" for t, b in watched}))
            raise UsageError(
                f"{path}: mail.owners: {name!r} is no tree or branch that is watched;"
                f" there are: {there}"
            )


def _check_hosts(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError for worker hosts with confusable names, or without a host for some work."""
    hosts = raw.get("workers", {}).get("hosts", ())
    names = [h["name"] for h in hosts]
    for i, name in enumerate(names):
        # The workers of a host are NAME-1, NAME-2, ... and NAME-lab-1, ...
        alike = {name, f"{name}-lab", name.removesuffix("-lab")}
        twin = next((n for n in names[:i] if n in alike), None)
        if twin is not None:
            raise UsageError(
                f"{path}: workers.hosts.{i}.name: {name!r} conflicts with host {twin!r}; give"
                " it another name"
            )
    if hosts and not any("build" in h.get("takes", KINDS) for h in hosts):
        raise UsageError(
            f'{path}: workers.hosts: none takes "build": add it to `takes` of the host that builds'
            " kernels"
        )


def _check_report(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError unless the reporter is a name and an address, as Git writes them."""
    by = raw.get("report", {}).get("reported_by")
    if by is not None and not _PERSON.fullmatch(by):
        raise UsageError(
            f"{path}: report.reported_by: {by!r} is no NAME <address>, such as"
            ' "Jane Doe <jane@example.org>"'
        )


def _check_urls(path: Path, found: Any, where: str = "") -> None:
    """Raise UsageError for an address whose host or port cannot be read."""
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(found, dict | list):
        parts = found.items() if isinstance(found, dict) else enumerate(found)
    for key, value in parts:
        _check_urls(path, value, f"{where}{key}.")
    if isinstance(found, str) and re.match("https?://", found):
        try:
            _ = urlsplit(found).port
        except ValueError as e:
            raise UsageError(f"{path}: {where.rstrip('.')}: {found!r} is no address: {e}") from e


def _host(raw: Mapping[str, Any], masters: Sequence[Master]) -> Host:
    first = masters[0].name if masters else None
    master = raw.get("master", first)
    # The jobs of labs are the first master's: LAVA's callbacks come to it.
    takes = raw.get("takes", KINDS if master == first else KINDS[:2])
    return Host(
        name=raw["name"],
        lanes=raw.get("lanes"),
        takes=tuple(k for k in KINDS if k in takes),
        master=master,
    )


def _first(raw: Mapping[str, Any], path: Path, trees: Collection[str]) -> First:
    if raw["tree"] not in trees:
        raise UsageError(f"{path}: first.tree: no tree {raw['tree']!r}; there are: {_list(trees)}")
    return First(**{**raw, "board_types": tuple(raw["board_types"])})


def _list(names: Collection[str]) -> str:
    return ", ".join(sorted(names))


def _image(raw: str | Mapping[str, str], folder: Path) -> str | Files:
    if isinstance(raw, str):
        return raw
    return Files(**{
        key: value if value.startswith(("http://", "https://")) else str(folder / value)
        for key, value in raw.items()
    })  # fmt: skip


def _file(raw: Mapping[str, Any], key: str, folder: Path) -> Path | None:
    return (folder / raw[key]).absolute() if key in raw else None


def _with_slash(url: str | None) -> str | None:
    return None if url is None else f"{url.rstrip('/')}/"


def _database(raw: Mapping[str, Any], path: Path) -> Database:
    return Database(
        settings=path,
        host=raw["host"],
        port=raw.get("port", 5432),
        user=raw.get("user", "vlag"),
        password_file=_file(raw, "password_file", path.parent),
        reader_password_file=_file(raw, "reader_password_file", path.parent),
        sslmode=raw.get("sslmode"),
        sslrootcert=_file(raw, "sslrootcert", path.parent),
    )


def _mail(raw: Mapping[str, Any], folder: Path) -> Mail:
    host, _, port = raw["smtp"].rpartition(":")
    password = raw.get("password_file")
    return Mail(
        host=host.removeprefix("[").removesuffix("]"),  # of an IPv6 address
        port=int(port),
        sender=raw["from"],
        tls=raw.get("tls", "starttls"),
        user=raw.get("user"),
        password_file=None if password is None else (folder / password).absolute(),
        owners={name: tuple(addresses) for name, addresses in raw["owners"].items()},
    )


def _webhook(raw: Mapping[str, Any], folder: Path) -> Webhook:
    return Webhook(url=raw["url"], secret_file=(folder / raw["secret_file"]).absolute())


def _people(raw: Mapping[str, Any], folder: Path) -> People:
    return People(
        password_file=(folder / raw["password_file"]).absolute(), triage=tuple(raw["triage"])
    )


def _lab(name: str, raw: Mapping[str, Any], folder: Path) -> Lab:
    return Lab(
        name=name,
        url=raw["url"].rstrip("/"),
        token_file=(folder / raw["token_file"]).absolute(),
        artifacts=raw["artifacts"].rstrip("/"),
        callback=raw["callback"].rstrip("/") if "callback" in raw else None,
        **{k: raw[k] for k in ("poll_interval_s", "queue_limit_s") if k in raw},
    )


def _branch(raw: Mapping[str, Any]) -> Branch:
    series = raw.get("series")
    return Branch(
        tree=raw["tree"],
        branch=raw["branch"],
        baseline=raw["baseline"],
        board_types=tuple(raw["board_types"]),
        plan=raw["plan"],
        commit_plan=raw.get("commit_plan", raw["plan"]),
        series=series,
        applications=tuple(raw.get("applications", () if series is None else ("full",))),
        variant=raw.get("variant", DEFAULT),
    )
