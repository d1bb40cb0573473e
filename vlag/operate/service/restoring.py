# SPDX-License-Identifier: GPL-2.0-only
"""The mark of a restore in progress: an installation that is half restored does not start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import asdict, frozen

from vlag.ownership import write_private

#: Below the state folder while a restore goes on: which backup it is of.
MARK = "restoring"


@frozen(kw_only=True)
class Mark:
    """A restore that has begun to change databases and files."""

    repository: str
    snapshot: str
    databases: Mapping[str, str]  # name -> where it is; they had no data before


def mark_of(state: Path) -> Mark | None:
    """Return what a restore that was broken off has left, or None."""
    try:
        document = json.loads((state / MARK).read_text(encoding="utf-8"))
        return Mark(
            repository=str(document["repository"]),
            snapshot=str(document["snapshot"]),
            databases=dict(document["databases"]),
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):  # a person's touch
        return Mark(repository="REPO", snapshot="latest", databases={})


def mark(state: Path, begun: Mark) -> None:
    """Note that a restore goes on."""
    write_private(state / MARK, json.dumps(asdict(begun)) + "\n")


def broken_off(state: Path) -> str | None:
    """Return what to say of a restore that was broken off, or None."""
    begun = mark_of(state)
    if begun is None:
        return None
    again = f"vlag restore {begun.repository} --snapshot {begun.snapshot}"
    return f"a restore to {state} was broken off: run `{again}` again"
