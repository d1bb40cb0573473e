# SPDX-License-Identifier: GPL-2.0-only
"""Schema revisions: those of a database, and those that this code knows."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from vlag.errors import InfrastructureError
from vlag.store import database
from vlag.store.database import Connection

_REVISION, _EARLIER = (
    re.compile(rf"^{name}\s*(?::\s*\w+)?\s*=\s*[\"'](\w+)[\"']", re.MULTILINE)
    for name in ("revision", "down_revision")
)


def of(conn: Connection) -> list[str]:
    """Return the revisions of a database; [] if it has no tables."""
    for table, column in (("_yoyo_migration", "migration_id"), ("alembic_version", "version_num")):
        row = conn.execute("SELECT to_regclass(%s)", (f"public.{table}",)).fetchone()
        if row is not None and row[0] is not None:
            names = f"SELECT {column} FROM {table} ORDER BY 1"  # noqa: S608 - constant
            rows = conn.execute(names.encode()).fetchall()
            return [str(r[0]) for r in rows]
    return []


def known(name: str) -> frozenset[str] | None:
    """Return the revisions that this installation knows; None if unknown."""
    if name == "vlag":
        return frozenset(database.migrations())
    if name == "buildbot":
        return _buildbots()
    return None


def are_buildbots_newest(conn: Connection) -> bool:
    """Return whether Buildbot's database has the newest revision that this installation knows."""
    texts = _migrations()
    newest = _all(_REVISION, texts) - _all(_EARLIER, texts)
    return len(newest) == 1 and of(conn) == list(newest)


def newer(name: str, there: Sequence[str]) -> list[str]:
    """Return the revisions of a database that are unknown to this installation."""
    ours = known(name)
    return [] if ours is None else sorted(set(there) - ours)


def refuse_newer(dsns: Mapping[str, str]) -> None:
    """Raise InfrastructureError for a database whose tables are newer than this code.

    `dsns` maps the name of each database (vlag, buildbot) to its connection string.
    It changes nothing.
    """
    for name, dsn in dsns.items():
        with database.connect(dsn, newer=True) as conn:
            unknown = newer(name, of(conn))
        if unknown:
            raise InfrastructureError(f"{_sentence(name, unknown)}", retry=False)


def _sentence(name: str, unknown: Sequence[str]) -> str:
    what = "this code" if name == "vlag" else "the Buildbot that is installed"
    return (
        f"the database {name} is newer than {what} (it has {', '.join(unknown)}): update the"
        " checkout and run `make setup`, or restore a backup that is older"
    )


def _buildbots() -> frozenset[str] | None:
    return _all(_REVISION, _migrations()) or None


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> frozenset[str]:
    return frozenset(revision for text in texts for revision in pattern.findall(text))


def _migrations() -> list[str]:
    """Return the text of each of Buildbot's migrations."""
    # Read from its files: only master/ imports Buildbot, which takes a second.
    spec = importlib.util.find_spec("buildbot")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(spec.submodule_search_locations[0], "db", "migrations", "versions")
    return [p.read_text(encoding="utf-8") for p in folder.glob("*.py")]
