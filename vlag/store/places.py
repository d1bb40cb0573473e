# SPDX-License-Identifier: GPL-2.0-only
"""Where bundles lie: tables name those in the state folder relative to it.

`Settings.dsn` says where the folder is now, and the functions `in_state` and `below_state` of the
database lead there and back.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vlag.store.database import Connection

log = logging.getLogger(__name__)

# Rows per transaction: a killed start loses at most these.
_BATCH = 5000

_HOMES = (
    "SELECT DISTINCT regexp_replace(location, '/[^/]+/[^/]+/[^/]+$', '') FROM {table}"
    " WHERE location LIKE '/%'"
)
_NEWEST = (
    "SELECT location FROM {table} WHERE location LIKE '/%%' AND starts_with(location, %s)"
    " ORDER BY id DESC LIMIT 100"
)
_SETTLE = (
    "UPDATE {table} SET location = substr(location, length(%(home)s) + 1),"
    " document = CASE WHEN strpos(document ->> 'reproduce', %(home)s) = 0 THEN document"
    "  ELSE jsonb_set(document, '{{reproduce}}',"
    "   to_jsonb(replace(document ->> 'reproduce', %(home)s, ''))) END"
    " WHERE id IN (SELECT id FROM {table} WHERE location LIKE '/%%'"
    "  AND starts_with(location, %(home)s) ORDER BY id LIMIT %(most)s)"
)

_LANES = (
    "UPDATE lane_build SET record = substr(record, length(%(home)s) + 1)"
    " WHERE starts_with(record, %(home)s)"
)


def settle(conn: Connection, was: Sequence[Path] = ()) -> int:
    """Make absolute places below the state folder relative; return how many.

    So those below a folder that was it: one of `was`, or one whose bundles are gone there and
    are in the state folder now, under the same names.  Idempotent; after a kill the next call
    goes on.  Does nothing on a connection that does not know the state folder.
    """
    row = conn.execute("SELECT nullif(current_setting('vlag.state', true), '')").fetchone()
    if row is None or row[0] is None:
        return 0
    state = Path(row[0])
    homes, count = {state, *was}, 0
    for table in ("build", "run"):
        named = {Path(r[0]) for r in conn.execute(_of(table, _HOMES)).fetchall()}
        homes |= {home for home in named - homes if _has_moved(conn, table, home, state)}
    for home in homes:
        count += _settled(conn, "build", home) + _settled(conn, "run", home)
        count += conn.execute(_LANES, {"home": f"{home}/"}).rowcount
    if count:
        log.info(f"{count} bundles are named relative to {state} now")
    return count


def _of(table: str, statement: str) -> bytes:
    return statement.format(table=table).encode()


def _has_moved(conn: Connection, table: str, home: Path, state: Path) -> bool:
    """Return whether a bundle that was below `home` is in the state folder in its place."""
    rows: list[tuple[Any, ...]] = conn.execute(_of(table, _NEWEST), (f"{home}/",)).fetchall()
    places = [Path(r[0]) for r in rows]
    return any(not p.exists() and (state / p.relative_to(home)).is_dir() for p in places)


def _settled(conn: Connection, table: str, home: Path) -> int:
    count = 0
    while done := conn.execute(_of(table, _SETTLE), {"home": f"{home}/", "most": _BATCH}).rowcount:
        count += done
    return count
