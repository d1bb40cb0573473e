"""Settings: read once at the edge, then passed inward as values."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen
from jsonschema import Draft202012Validator

from vlag import ROOT
from vlag.errors import UsageError
from vlag.kernel.series import Application
from vlag.lava.server import Lab

#: In `applications`: solo(i) of every patch that applies to the branch.
EACH = "each"

_TEXT = {"type": "string", "minLength": 1}
_URL = {"type": "string", "pattern": "^https?://[^/?#]+/?[^?#]*$"}
_PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
#: Ports of what only labs need.
_CALLBACK_PORT, _ARTIFACTS_PORT = 8021, 8020

_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["state", "ports", "trees", "branches", "nightly", "build"],
    "properties": {
        "state": _TEXT,
        "ports": {
            "type": "object",
            "additionalProperties": False,
            "required": ["postgresql", "web", "worker"],
            "properties": {
                "postgresql": _PORT,
                "web": _PORT,
                "worker": _PORT,
                "callback": _PORT,
                "artifacts": _PORT,
            },
        },
        "trees": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-z0-9][a-z0-9-]*$"},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {
                    "url": _TEXT,
                    "packages": {
                        "type": "object",
                        "minProperties": 1,
                        "additionalProperties": {
                            "type": "string",
                            "pattern": "^linux-source-[0-9.]+$",
                        },
                    },
                },
            },
        },
        "branches": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tree", "branch", "baseline", "board_types", "plan"],
                "properties": {
                    "tree": _TEXT,
                    "branch": _TEXT,
                    "baseline": _TEXT,
                    "board_types": {"type": "array", "minItems": 1, "items": _TEXT},
                    "plan": _TEXT,
                    "commit_plan": _TEXT,
                    "series": {"type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*$"},
                    "applications": {"type": "array", "minItems": 1, "items": _TEXT},
                },
            },
        },
        "nightly": {
            "type": "object",
            "additionalProperties": False,
            "required": ["hour", "minute"],
            "properties": {
                "hour": {"type": "integer", "minimum": 0, "maximum": 23},
                "minute": {"type": "integer", "minimum": 0, "maximum": 59},
            },
        },
        "listen": _TEXT,
        "labs": {
            "type": "object",
            "propertyNames": {"pattern": "^[a-z0-9][a-z0-9-]*$"},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["url", "token_file", "artifacts"],
                "properties": {
                    "url": _URL,
                    "token_file": _TEXT,
                    "artifacts": _URL,
                    "callback": _URL,
                    "poll_interval_s": {"type": "integer", "minimum": 1},
                    "queue_limit_s": {"type": "integer", "minimum": 1},
                },
            },
        },
        "checks": {
            "type": "object",
            "additionalProperties": False,
            "required": ["hours"],
            "properties": {
                "hours": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"type": "integer", "minimum": 0, "maximum": 23},
                },
            },
        },
        "build": {
            "type": "object",
            "additionalProperties": False,
            "required": ["jobs", "poll_interval_s"],
            "properties": {
                "jobs": {"type": "integer", "minimum": 0},
                "poll_interval_s": {"type": "integer", "minimum": 1},
            },
        },
    },
}


@frozen(kw_only=True)
class Tree:
    """A git mirror: cloned from `url`, or filled from Debian's source packages."""

    name: str
    url: str | None
    packages: Mapping[str, str]  # branch -> Debian package


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
class Settings:
    """All settings of one installation."""

    path: Path  # the file they came from
    state: Path  # absolute
    postgresql_port: int
    web_port: int
    worker_port: int
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
    for fault in Draft202012Validator(_SCHEMA).iter_errors(raw):
        key = ".".join(map(str, fault.absolute_path)) or "the file"
        raise UsageError(f"{path}: {key}: {fault.message}")
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
    return Settings(
        path=path,
        state=plain_path((path.parent / raw["state"]).absolute(), f"{path}: state"),
        postgresql_port=raw["ports"]["postgresql"],
        web_port=raw["ports"]["web"],
        worker_port=raw["ports"]["worker"],
        trees={
            name: Tree(name=name, url=t.get("url"), packages=t.get("packages", {}))
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
