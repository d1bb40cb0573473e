# SPDX-License-Identifier: GPL-2.0-only
"""Read and check the settings file."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vlag import ROOT
from vlag.config import build_lanes, checkout, included
from vlag.config.database_server import Database
from vlag.config.included import Document
from vlag.config.masters import masters_of
from vlag.config.settings import (
    DAYS,
    DEFAULT,
    FOLLOWED,
    INVENTORY,
    KINDS,
    PATHS,
    TAKEOVER_S,
    Alerts,
    Bisects,
    Branch,
    First,
    Gc,
    Host,
    Mail,
    Master,
    People,
    Profiles,
    Settings,
    Subscription,
    Toggles,
    Tree,
    Webhook,
    Weekly,
)
from vlag.config.settings_checks import check
from vlag.errors import UsageError
from vlag.kernel.refs import Files
from vlag.lava.lab_settings import Lab
from vlag.sandbox import Rules

#: Ports of the parts that only labs need.
_CALLBACK_PORT, _ARTIFACTS_PORT = 8021, 8020
#: Of Grafana, where it is installed.
_GRAFANA_PORT = 3000


def plain_path(path: Path, what: str) -> Path:
    """Return `path`, or raise UsageError if kernel builds or LAVA cannot work in it."""
    odd = sorted(set(re.sub(r"[A-Za-z0-9_./+@-]", "", str(path))))
    if odd:
        raise UsageError(
            f"{what}: {str(path)!r} has {' '.join(map(repr, odd))}, which the kernel's makefiles "
            "or LAVA's URLs cannot take; use a folder with letters, digits and _./+@- in its name"
        )
    return path


def load(path: Path | None = None) -> Settings:
    """Read the settings file: `path`, else `VLAG_SETTINGS`, else `vlag.toml` of the checkout.

    Raises UsageError with file and key for anything missing, unknown or wrong, and where there is
    no checkout.
    """
    checkout.need("reading settings")
    path = (path or Path(os.environ.get("VLAG_SETTINGS") or ROOT / "vlag.toml")).absolute()
    document = included.read(path)
    check(document)
    return _settings(path, document)


def _settings(path: Path, document: Document) -> Settings:
    """Return the settings that a checked document holds."""
    raw = document.raw

    def folder(key: str, part: str | None = None) -> Path:
        """Return the folder to which the paths of a key are relative."""
        return document.file(key, part).parent

    masters = masters_of(raw)
    workers = raw.get("workers", {})
    state = plain_path((folder("state") / raw["state"]).absolute(), document.where("state"))
    return Settings(
        path=path,
        state=state,
        postgresql_port=raw["ports"]["postgresql"],
        web_port=masters[0].web_port if masters else raw["ports"]["web"],
        worker_port=masters[0].worker_port if masters else raw["ports"]["worker"],
        grafana_port=raw["ports"].get("grafana", _GRAFANA_PORT),
        trees={name: _tree(name, t, folder("trees", name)) for name, t in raw["trees"].items()},
        branches=_branches(document, nightly=True),
        weekly_only=_branches(document, nightly=False),
        nightly_hour=raw["nightly"]["hour"],
        nightly_minute=raw["nightly"]["minute"],
        nightly_end=_nightly_end(raw["nightly"]),
        **{**raw["build"], "jobs": raw["build"]["jobs"] or os.cpu_count() or 1},
        check_hours=tuple(raw.get("checks", {}).get("hours", ())),
        labs={
            name: _lab(name, lab, folder("labs"), state)
            for name, lab in raw.get("labs", {}).items()
        },
        listen=raw.get("listen", "127.0.0.1"),
        callback_port=raw["ports"].get("callback", _CALLBACK_PORT),
        artifacts_port=raw["ports"].get("artifacts", _ARTIFACTS_PORT),
        mail=_mail(raw["mail"], folder("mail")) if "mail" in raw else None,
        webhook=_webhook(raw["webhook"], folder("webhook")) if "webhook" in raw else None,
        subscriptions=tuple(
            _subscription(name, entry, folder("subscriptions", name))
            for name, entry in raw.get("subscriptions", {}).items()
        ),
        people=_people(raw["people"], folder("people")) if "people" in raw else None,
        alerts=Alerts(**raw.get("alerts", {})),
        profile=_profiles(raw.get("profile", {})),
        toggles=Toggles(**raw.get("toggles", {})),
        bisect=Bisects(**raw.get("bisect", {})),
        gc=Gc(**raw["gc"]) if "gc" in raw else None,
        **raw.get("boots", {}),
        sandbox=Rules(**raw.get("sandbox", {})),
        first=_first(raw["first"], document) if "first" in raw else None,
        weekly=_weekly(raw["weekly"]) if "weekly" in raw else None,
        database=_database(raw["database"], document.file("database"))
        if "database" in raw
        else None,
        web_listen=raw.get("web", {}).get("listen", "127.0.0.1"),
        web_address=_with_slash(raw.get("web", {}).get("url")),
        grafana_address=_with_slash(raw.get("web", {}).get("grafana")),
        worker_listen=workers.get("listen", "127.0.0.1"),
        worker_password=_file(workers, "password_file", folder("workers")),
        named_hosts=tuple(_host(h, masters) for h in workers.get("hosts", ())),
        reported_by=raw.get("report", {}).get("reported_by"),
        inventory=_file(raw.get("inventory", {}), "boards", folder("inventory")) or INVENTORY,
        masters=masters,
        takeover_s=raw.get("takeover_s", TAKEOVER_S),
    )


def _tree(name: str, raw: Mapping[str, Any], folder: Path) -> Tree:
    return Tree(
        name=name,
        url=raw.get("url"),
        packages=raw.get("packages", {}),
        images={branch: _image(source, folder) for branch, source in raw.get("images", {}).items()},
        sources=_file(raw, "sources", folder),
        web=raw.get("web"),
    )


def _host(raw: Mapping[str, Any], masters: Sequence[Master]) -> Host:
    first = masters[0].name if masters else None
    master = raw.get("master", first)
    # The jobs of labs are the first master's: LAVA's callbacks come to it.
    takes = raw.get("takes", KINDS if master == first else KINDS[:2])
    return Host(
        name=raw["name"],
        slots=raw.get("slots"),
        takes=tuple(k for k in KINDS if k in takes),
        master=master,
    )


def _first(raw: Mapping[str, Any], document: Document) -> First:
    trees = document.raw["trees"]
    if raw["tree"] not in trees:
        raise UsageError(
            f"{document.where('first', 'tree')}: no tree {raw['tree']!r}; there are:"
            f" {', '.join(sorted(trees))}"
        )
    return First(**{**raw, "board_types": tuple(raw["board_types"])})


def _nightly_end(raw: Mapping[str, Any]) -> datetime.time | None:
    if "end_hour" not in raw:
        return None
    return datetime.time(raw["end_hour"], raw.get("end_minute", 0))


def _weekly(raw: Mapping[str, Any]) -> Weekly:
    return Weekly(day=DAYS.index(raw["day"]), hour=raw["hour"], minute=raw["minute"])


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


def _profiles(raw: Mapping[str, Any]) -> Profiles:
    named = {"history": tuple(raw["history"])} if "history" in raw else {}
    return Profiles(**{**raw, **named})


def _webhook(raw: Mapping[str, Any], folder: Path) -> Webhook:
    return Webhook(url=raw["url"], secret_file=(folder / raw["secret_file"]).absolute())


def _subscription(name: str, raw: Mapping[str, Any], folder: Path) -> Subscription:
    return Subscription(
        name=name,
        mail=raw.get("mail"),
        webhook=_webhook({**raw, "url": raw["webhook"]}, folder) if "webhook" in raw else None,
        weekly=raw["when"] == "weekly",
        **{kind: tuple(raw.get(kind, ())) for kind in FOLLOWED},
    )


def _people(raw: Mapping[str, Any], folder: Path) -> People:
    return People(
        password_file=(folder / raw["password_file"]).absolute(), triage=tuple(raw["triage"])
    )


def _lab(name: str, raw: Mapping[str, Any], folder: Path, state: Path) -> Lab:
    return Lab(
        name=name,
        url=raw["url"].rstrip("/"),
        token_file=(folder / raw["token_file"]).absolute(),
        ca=(folder / raw["ca"]).absolute() if "ca" in raw else None,
        artifacts=raw["artifacts"].rstrip("/"),
        callback=raw["callback"].rstrip("/") if "callback" in raw else None,
        answered=state / "labs" / name,
        **{k: raw[k] for k in ("poll_interval_s", "queue_limit_s") if k in raw},
    )


def _branches(document: Document, *, nightly: bool) -> tuple[Branch, ...]:
    """Return the branches that are in each night, or those that have weekly plans only."""
    return tuple(
        _branch(b, document.where("branches", i))
        for i, b in enumerate(document.raw["branches"])
        if ("plan" in b) is nightly
    )


def _branch(raw: Mapping[str, Any], where: str) -> Branch:
    series = raw.get("series")
    plan = raw["plan"] if "plan" in raw else raw["weekly_plans"][0]
    return Branch(
        tree=raw["tree"],
        branch=raw["branch"],
        baseline=raw["baseline"],
        board_types=tuple(raw["board_types"]),
        plan=plan,
        commit_plan=raw.get("commit_plan", plan),
        series=series,
        applications=tuple(raw.get("applications", () if series is None else ("full",))),
        variant=raw.get("variant", DEFAULT),
        paths=tuple(raw.get("paths", PATHS)),
        baseline_tree=raw.get("baseline_tree"),
        weekly_plans=tuple(raw.get("weekly_plans", ())),
        lanes=build_lanes.chosen(raw["lanes"]) if raw.get("lanes") else (),
        where=where,
    )
