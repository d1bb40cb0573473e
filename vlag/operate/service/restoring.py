"""The mark of a restore in progress: an installation that is half restored does not start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

#: Below the state folder while a restore goes on: which backup it is of.
MARK = "restoring"


@frozen(kw_only=True)
class Mark:
    """What stands below the state folder while a restore goes on."""

    backup: str
    databases: Mapping[str, str]  # name -> where it is; they had no data before


def mark_of(state: Path) -> Mark | None:
    """Return what a restore that was broken off has left, or None."""
    try:
        said = json.loads((state / MARK).read_text(encoding="utf-8"))
        return Mark(backup=str(said["backup"]), databases=dict(said["databases"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):  # a person's touch
        return Mark(backup="BACKUP", databases={})


def mark(state: Path, backup: Path, databases: Mapping[str, str]) -> None:
    """Note that a restore goes on, in one piece."""
    draft = state / f"{MARK}.new"
    document = {"backup": str(backup), "databases": dict(databases)}
    draft.write_text(json.dumps(document) + "\n", encoding="utf-8")
    draft.replace(state / MARK)


def broken_off(state: Path) -> str | None:
    """Return what to say of a restore that was broken off, or None."""
    found = mark_of(state)
    if found is None:
        return None
    return f"a restore to {state} was broken off: run `vlag restore {found.backup}` again"
