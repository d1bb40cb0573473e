# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons as a KCIDB report: checkouts, builds, boots and verdicts.

The schema is that of the package `kcidb-io`, which also validates the report.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict, TypeVar
from urllib.parse import urlsplit

from vlag.errors import UsageError
from vlag.report.read_model import exports
from vlag.store.database import Connection

Row = Mapping[str, Any]

#: Length of an id of SHA-1; the schema has no place for another.
_SHA1_DIGITS = 40
_ORIGIN = re.compile(r"[a-z0-9_]+")
#: Outcome of a run -> status.  A benchmark that fails says nothing of the kernel.
_OUTCOMES = {"complete": "DONE", "panic": "FAIL", "hang": "FAIL", "benchmark_failed": "ERROR"}
#: Verdict -> status; others are measurements that decide nothing.
_VERDICTS = {
    "REGRESSION": "FAIL",
    "UNCHANGED": "PASS",
    "IMPROVEMENT": "PASS",
    "NOT_COMPARABLE": "SKIP",
}
#: Standings of a verdict that is no proof.
_OPEN = ("hint", "suspected", "refuted")


class _Checkout(TypedDict):
    id: str
    origin: str
    tree_name: str
    git_repository_url: NotRequired[str]
    git_repository_branch: NotRequired[str]
    git_commit_hash: NotRequired[str]
    git_commit_name: str
    patchset_hash: str
    comment: str
    valid: bool
    misc: Mapping[str, Any]


class _Build(TypedDict):
    id: str
    checkout_id: str
    origin: str
    architecture: str
    compiler: str
    config_name: str
    start_time: str
    duration: float  # s
    status: str
    log_excerpt: NotRequired[str]
    misc: Mapping[str, Any]


class _Number(TypedDict):
    value: float
    unit: str


class _Test(TypedDict):
    id: str
    build_id: str
    origin: str
    path: str
    environment: NotRequired[Mapping[str, Any]]
    comment: NotRequired[str]
    status: str
    log_excerpt: NotRequired[str]
    number: NotRequired[_Number]
    start_time: str
    duration: NotRequired[float]  # s
    misc: Mapping[str, Any]


_Object = TypeVar("_Object", _Checkout, _Build, _Test)


def report(
    conn: Connection, ids: Sequence[int], *, origin: str, repositories: Mapping[str, str]
) -> dict[str, Any]:
    """Return the report of comparisons.

    `repositories` has the address of each tree; only those by HTTPS go into the report.
    Raises UsageError for an origin that the schema does not allow, and without kcidb-io.
    """
    if not _ORIGIN.fullmatch(origin):
        raise UsageError(
            f"--origin {origin!r}: KCIDB allows lower-case letters, digits and _ in it"
        )
    current = schema()
    verdicts = exports.verdicts(conn, ids)
    runs = exports.runs(conn, ids)
    builds = exports.builds(conn, [r["kernel"] for r in runs], ids)
    by_kernel: dict[int, Row] = {}
    for b in builds:  # a later one counts, a complete one first
        known = by_kernel.get(b["kernel"])
        if known is None or b["outcome"] == "complete" or known["outcome"] != "complete":
            by_kernel[b["kernel"]] = b
    values = exports.values(conn, [r["id"] for r in runs])
    document = {
        "version": {"major": current.major, "minor": current.minor},
        "checkouts": _once(_checkout(b, origin, repositories) for b in builds),
        "builds": _once(_build(b, origin) for b in builds if b["outcome"] != "patch_failed"),
        "tests": _once([
            *(_run(r, by_kernel[r["kernel"]], values.get(r["id"], {}), origin)
              for r in runs if r["kernel"] in by_kernel),
            *(_verdict(v, by_kernel[v["new_kernel"]], origin)
              for v in verdicts if v["new_kernel"] in by_kernel),
        ]),
    }  # fmt: skip
    valid: dict[str, Any] = current.validate(document)
    return valid


def schema() -> Any:
    """Return the schema of a report; UsageError if kcidb-io is not installed."""
    try:
        import kcidb_io  # noqa: PLC0415 - optional
    except ImportError:
        raise UsageError("a KCIDB report needs kcidb-io: `pip install kcidb-io`") from None
    return kcidb_io.schema.V5_3


def _once(objects: Iterable[_Object]) -> list[_Object]:
    return list({o["id"]: o for o in objects}.values())


def _checkout_id(b: Row, origin: str) -> str:
    return f"{origin}:{b['tree']}:{b['commit']}:{_patchset(b)[:16] or 'plain'}"


def _patchset(b: Row) -> str:
    """Return the digest of the patches' digests as the schema has it, or ""."""
    lines = "".join(f"{p['sha256']}\n" for p in b["patches"])
    return hashlib.sha256(lines.encode()).hexdigest() if lines else ""


def _checkout(b: Row, origin: str, repositories: Mapping[str, str]) -> _Checkout:
    checkout: _Checkout = {
        "id": _checkout_id(b, origin),
        "origin": origin,
        "tree_name": b["tree"],
        "git_commit_name": b["describe"],
        "patchset_hash": _patchset(b),
        "comment": b["name"],
        "valid": b["outcome"] != "patch_failed",
        "misc": {"subject": b["subject"], "patches": [p["name"] for p in b["patches"]]},
    }
    # KCIDB knows ids of SHA-1 only; the checkout's own id has the other ones.
    if len(b["commit"]) == _SHA1_DIGITS:
        checkout["git_commit_hash"] = b["commit"]
    if url := _public(repositories.get(b["tree"], "")):
        checkout["git_repository_url"] = url
    if b["branch"]:
        checkout["git_repository_branch"] = b["branch"]
    return checkout


def _public(url: str) -> str:
    """Return an HTTPS address without a name and password; "" for others."""
    parts = urlsplit(url)
    if parts.scheme != "https" or parts.hostname is None:
        return ""
    host = parts.hostname + (f":{parts.port}" if parts.port else "")
    return parts._replace(netloc=host).geturl()


def _build(b: Row, origin: str) -> _Build:
    build: _Build = {
        "id": f"{origin}:build:{b['digest'][:16]}",
        "checkout_id": _checkout_id(b, origin),
        "origin": origin,
        "architecture": b["arch"],
        "compiler": b["toolchain"],
        "config_name": b["variant"],
        "start_time": _time(b["started_at"]),
        "duration": (b["finished_at"] - b["started_at"]).total_seconds(),
        "status": "PASS" if b["outcome"] == "complete" else "FAIL",
        "misc": {
            key: b[key] for key in ("release", "image_sha256", "config_sha256", "kconfig")
            if b[key] is not None
        },
    }  # fmt: skip
    if b["reason"]:
        build["log_excerpt"] = b["reason"]
    return build


def _run(r: Row, build: Row, values: Mapping[str, Any], origin: str) -> _Test:
    test: _Test = {
        "id": f"{origin}:run:{r['digest'][:16]}",
        "build_id": f"{origin}:build:{build['digest'][:16]}",
        "origin": origin,
        "path": _path(r["benchmark"]),
        "environment": {
            "comment": r["board"],
            "misc": {"board_type": r["board_type"], "knobs": r["knobs"]},
        },
        "status": _OUTCOMES[r["outcome"]],
        "start_time": _time(r["started_at"]),
        "duration": (r["finished_at"] - r["started_at"]).total_seconds(),
        "misc": {
            "parameters": r["parameters"],
            "seed": r["seed"],
            "values": {name: v["value"] for name, v in values.items()},
        },
    }
    if r["reason"]:
        test["log_excerpt"] = r["reason"]
    if first := next(iter(values.values()), None):
        test["number"] = {"value": first["value"], "unit": first["unit"]}
    return test


def _verdict(v: Row, build: Row, origin: str) -> _Test:
    proven = v["standing"] not in _OPEN
    test: _Test = {
        "id": f"{origin}:verdict:{_key(v)}",
        "build_id": f"{origin}:build:{build['digest'][:16]}",
        "origin": origin,
        "path": _path("regression", v["benchmark"], v["metric"], v["statistic"]),
        "comment": f"{v['name']} against {v['base']} on {v['board_type']}: {v['verdict']}"
        + (f" ({v['standing']})" if v["standing"] else ""),
        "status": _VERDICTS.get(v["verdict"], "DONE") if proven else "DONE",
        "start_time": _time(v["at"]),
        "misc": {
            **{key: v[key] for key in (
                "base", "board_type", "parameters", "base_knobs", "new_knobs", "verdict",
                "standing", "effect", "ci_low", "ci_high", "p", "base_value", "n_base", "n_new",
                "reason",
            ) if v[key] is not None},
        },
    }  # fmt: skip
    if v["new_value"] is not None:
        test["number"] = {"value": v["new_value"], "unit": v["unit"]}
    return test


def _key(v: Row) -> str:
    """Return the identity of a verdict: the comparison's inputs and the figure."""
    figure = [v["digest"], v["benchmark"], v["parameters"], v["metric"], v["statistic"]]
    return hashlib.sha256(json.dumps(figure).encode()).hexdigest()[:16]


def _path(*names: str) -> str:
    """Return a path of the test tree; its names have letters, digits, _ and -."""
    return ".".join(re.sub(r"[^A-Za-z0-9_-]+", "_", name) for name in ("vlag", *names))


def _time(at: datetime.datetime) -> str:
    return at.astimezone(datetime.UTC).isoformat()
