"""Settings: read once at the edge, then passed inward as values."""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag import ROOT
from vlag.errors import UsageError
from vlag.kernel.series import Application
from vlag.lava.server import Lab
from vlag.pipeline.documents import fault

#: In `applications`: solo(i) of every patch that applies to the branch.
EACH = "each"

#: Ports of what only labs need.
_CALLBACK_PORT, _ARTIFACTS_PORT = 8021, 8020
#: Of Grafana, where it is installed.
_GRAFANA_PORT = 3000


@frozen(kw_only=True)
class Tree:
    """A git mirror: cloned from `url`, or filled from Debian's source packages."""

    name: str
    url: str | None
    packages: Mapping[str, str]  # branch -> Debian package
    web: str | None = None  # address of a commit's page, with {commit} in it


@frozen(kw_only=True)
class Branch:
    """A branch that is watched, and what it is compared with."""

    tree: str
    branch: str
    baseline: str  # tag or pattern of tags
    board_types: tuple[str, ...]
    plan: str  # of each night
    commit_plan: str  # of each push
    series: str | None  # folder of `kernel-patches/`
    applications: tuple[str, ...]  # applications of it, or `each`; empty without a series


@frozen(kw_only=True)
class Mail:
    """How mail goes out, and who owns what."""

    host: str
    port: int
    sender: str
    tls: str  # "none", "starttls" or "tls" from the first byte
    user: str | None
    password_file: Path | None
    owners: Mapping[str, tuple[str, ...]]  # TREE or TREE/BRANCH -> addresses

    def recipients(self, tree: str, branch: str) -> tuple[str, ...]:
        """Return who owns a branch: those of the branch and those of its tree, each once."""
        found = (*self.owners.get(f"{tree}/{branch}", ()), *self.owners.get(tree, ()))
        return tuple(dict.fromkeys(found))


@frozen(kw_only=True)
class Webhook:
    """Where the JSON of a night is posted."""

    url: str
    secret_file: Path  # signs what is posted


@frozen(kw_only=True)
class People:
    """Who may log in to the pages, and who of them may say what becomes of an alert."""

    password_file: Path  # as `htpasswd` writes it
    triage: tuple[str, ...]


@frozen(kw_only=True)
class Alerts:
    """When an alert is opened, and who tells of it."""

    throughput: float = 0.02  # confirmed loss, a share
    latency: float = 0.10  # confirmed rise, a share
    channel: str = "mail"  # or "grafana": its contact points tell, the mail only links


@frozen(kw_only=True)
class Settings:
    """All settings of one installation."""

    path: Path  # the file they came from
    state: Path  # absolute
    postgresql_port: int
    web_port: int
    worker_port: int
    grafana_port: int
    trees: Mapping[str, Tree]
    branches: tuple[Branch, ...]
    nightly_hour: int
    nightly_minute: int
    jobs: int
    poll_interval_s: int
    check_hours: tuple[int, ...]  # at which every board is checked
    labs: Mapping[str, Lab]
    listen: str  # address of the artifact store and of LAVA's callbacks
    callback_port: int
    artifacts_port: int
    mail: Mail | None
    webhook: Webhook | None
    people: People | None
    alerts: Alerts

    def mirror(self, tree: str) -> Path:
        """Return the local bare git repository of a tree."""
        return self.state / "mirrors" / f"{tree}.git"

    @property
    def builds(self) -> Path:
        """Folder of build bundles, one a kernel digest."""
        return self.state / "builds"

    @property
    def runs(self) -> Path:
        """Folder of run bundles."""
        return self.state / "runs"

    @property
    def lab_jobs(self) -> Path:
        """Folder of what was given to labs, one a boot."""
        return self.state / "lab"

    @property
    def artifacts(self) -> Path:
        """Folder of the artifact store."""
        return self.state / "artifacts"

    @property
    def passfile(self) -> Path:
        """libpq password file of the private cluster."""
        return self.state / "secrets" / "pgpass"

    def dsn(self, database: str = "vlag") -> str:
        """Return the libpq connection string; `VLAG_DATABASE` overrides that of vlag itself."""
        override = os.environ.get("VLAG_DATABASE")
        if database == "vlag" and override:
            return override
        return (
            f"host=127.0.0.1 port={self.postgresql_port} user=vlag dbname={database}"
            f" passfile='{self.passfile}' connect_timeout=10"
        )

    def reader_dsn(self) -> str:
        """Return the connection string of the role that may read the views and nothing else.

        `VLAG_READER_DATABASE` overrides it; else it is that of vlag itself as another user,
        whose password is in the same password file.
        """
        from vlag.store import database, views  # noqa: PLC0415 - few commands need the driver

        override = os.environ.get("VLAG_READER_DATABASE")
        return override or database.as_user(self.dsn(), views.READER)


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

    Raises UsageError with file and key for anything that is missing, unknown or wrong.
    """
    path = (path or Path(os.environ.get("VLAG_SETTINGS") or ROOT / "vlag.toml")).absolute()
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise UsageError(
            f"{path}: cannot read the settings ({e.strerror}); VLAG_SETTINGS names the file"
        ) from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise UsageError(f"{path}: not valid TOML: {e}") from e
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
    _check_mail(path, raw)
    return Settings(
        path=path,
        state=plain_path((path.parent / raw["state"]).absolute(), f"{path}: state"),
        postgresql_port=raw["ports"]["postgresql"],
        web_port=raw["ports"]["web"],
        worker_port=raw["ports"]["worker"],
        grafana_port=raw["ports"].get("grafana", _GRAFANA_PORT),
        trees={
            name: Tree(
                name=name,
                url=t.get("url"),
                packages=t.get("packages", {}),
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
    )


def _check_mail(path: Path, raw: Mapping[str, Any]) -> None:
    """Raise UsageError for mail that would betray a password, or reach nobody."""
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
    )
