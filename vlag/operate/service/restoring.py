"""The mark of a restore in progress: a half-restored installation does not start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

#: File below the state folder during a restore: it names the backup.
MARK = "restoring"


@frozen(kw_only=True)
class Mark:
    """The content of the mark."""

    backup: str
    databases: Mapping[str, str]  # name -> connection string; they were empty before


def mark_of(state: Path) -> Mark | None:
    """Return the mark of an interrupted restore, or None."""
    try:
        said = json.loads((state / MARK).read_text(encoding="utf-8"))
        return Mark(backup=str(said["backup"]), databases=dict(said["databases"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):  # edited by hand
        return Mark(backup="BACKUP", databases={})


def mark(state: Path, backup: Path, databases: Mapping[str, str]) -> None:
    """Write the mark atomically."""
    draft = state / f"{MARK}.new"
    document = {"backup": str(backup), "databases": dict(databases)}
    draft.write_text(json.dumps(document) + "\n", encoding="utf-8")
    draft.replace(state / MARK)


def broken_off(state: Path) -> str | None:
    """Return a message about an interrupted restore, or None."""
    found = mark_of(state)
    if found is None:
        return None
    return f"a restore to {state} was broken off: run `vlag restore {found.backup}` again"
