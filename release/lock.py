# SPDX-License-Identifier: GPL-2.0-only
"""The entries of requirements.lock, and which of them the running service needs."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

from attrs import frozen

from vlag import ROOT
from vlag.errors import UsageError

LOCK = ROOT / "requirements.lock"
#: How an entry begins: `numpy==2.4.6 ; python_full_version < '3.12' \`.
_HEAD = re.compile(r"([a-z0-9][a-z0-9-]*)==([^\s;]+)(?: ; ([^\\\n]+?))?(?: \\)?\n")
_PROJECT = "vlag (pyproject.toml)"


@frozen(kw_only=True)
class Requirement:
    """One locked release of a Python package."""

    name: str  # as PyPI normalises it
    version: str
    marker: str | None  # where it is installed, None for everywhere
    hashes: tuple[str, ...]  # SHA-256 of each file that pip may take
    parents: frozenset[str]  # names of the packages that ask for it; "vlag" for the project
    runtime: bool  # not only for developers

    @property
    def ref(self) -> str:
        """Return name and version as pip writes them."""
        return f"{self.name}=={self.version}"


def project(root: Path = ROOT) -> dict[str, object]:
    """Return the table `project` of a checkout's pyproject.toml."""
    found: dict[str, object] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    return found


def read(path: Path = LOCK) -> list[Requirement]:
    """Return the entries of a lock file in its order.  Raises UsageError."""
    text = path.read_text(encoding="utf-8")
    service = runpy.run_path(str(ROOT / "workers" / "runtime-lock"))
    kept = service["runtime"](text, project()["dependencies"])
    found = []
    for entry in re.split(r"(?m)^(?=[^\s#])", text)[1:]:
        head = _HEAD.match(entry)
        hashes = tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
        if head is None or not hashes:
            line = text[: text.index(entry)].count("\n") + 1
            raise UsageError(f"{path}:{line}: no `NAME==VERSION` with hashes: run `make lock`")
        via = re.findall(r"(?m)^    # (?:via | {2})(.+)$", entry)
        found.append(
            Requirement(
                name=head[1],
                version=head[2],
                marker=head[3],
                hashes=hashes,
                parents=frozenset("vlag" if v == _PROJECT else v for v in via),
                runtime=entry in kept,
            )
        )
    if not found:
        raise UsageError(f"{path}: no requirement in it: run `make lock`")
    return found
