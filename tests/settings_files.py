# SPDX-License-Identifier: GPL-2.0-only
"""The smallest settings of a service, with what a test needs in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from vlag import ROOT, config

_SMALLEST = """state = "{state}"
[ports]
postgresql = {ports[0]}
web = {ports[1]}
worker = {ports[2]}
{trees}
{branches}
[nightly]
hour = {hour}
minute = 30
[build]
jobs = {jobs}
poll_interval_s = {poll_s}
"""
_BRANCH = """
[[branches]]
tree = "{tree}"
branch = "{branch}"
baseline = "{baseline}"
board_types = {board_types}
plan = "{plan}"
{keys}
"""
_SETTINGS: Mapping[str, object] = {
    "state": "state", "ports": (1, 2, 3), "trees": '[trees.debian]\nurl = "/nowhere"', "hour": 1,
    "jobs": 1, "poll_s": 30,
}  # fmt: skip
_WATCHED: Mapping[str, object] = {
    "tree": "debian", "branch": "linux-6.12", "baseline": "v6.1", "plan": "nightly",
    "keys": "",
}  # fmt: skip


def branch(board_types: Iterable[str] = ("qemu-sim-2",), **values: object) -> str:
    """Return the section of a watched branch; `keys` are more lines of it."""
    return _BRANCH.format(**{**_WATCHED, "board_types": json.dumps([*board_types]), **values})


def settings(board_types: Iterable[str] = ("qemu-sim-2",), **values: object) -> str:
    """Return settings with one branch, whose values may be given, or with other `branches`."""
    watched = {name: values.pop(name) for name in _WATCHED.keys() & values.keys()}
    given = {"branches": branch(board_types, **watched), **_SETTINGS, **values}
    return _SMALLEST.format(**given)


#: Those of a master.
MASTER = settings(
    state="var",
    ports=(5442, 8010, 9989),
    trees='[trees.debian.packages]\n"linux-6.1" = "linux-source-6.1"\n'
    '"linux-6.12" = "linux-source-6.12"',
    baseline="debian/6.1.*",
    jobs=0,
)


def with_branch(tmp_path: Path, keys: str) -> Path:
    """Write settings with one branch that has these keys as well."""
    path = tmp_path / "vlag.toml"
    tree = '[trees.debian]\nurl = "/a.git"'
    path.write_text(settings(state="var", trees=tree, keys=keys, jobs=0))
    return path


def shipped(tmp_path: Path, sections: str) -> config.Settings:
    """Return the settings of the checkout with more sections."""
    path = tmp_path / "vlag.toml"
    path.write_text((ROOT / "vlag.toml").read_text() + sections)
    return config.load(path)


def two_masters(keys: str = "") -> str:
    """Return sections of two masters with a worker host each; `keys` are of the second one."""
    return f"""
[[masters]]
name = "m1"
[[masters]]
name = "m2"
{keys}
[[workers.hosts]]
name = "one"
slots = 2
[[workers.hosts]]
name = "two"
slots = 2
master = "m2"
"""
