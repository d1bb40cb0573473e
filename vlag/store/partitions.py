"""The tables of raw samples cut by month: made of plain ones, and one month more later on.

`sample` and `histogram` are cut by the id of the run, which is in their key.  Ids rise as
runs enter, so a range of them is a time.  A month begins with the first run that ended in
it; what enters later belongs to it or to a later one, whenever it ended.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from datetime import date, timedelta

import psycopg
from attrs import frozen

from vlag.errors import InfrastructureError, UsageError
from vlag.store import views
from vlag.store.database import Connection

TABLES = ("sample", "histogram")

#: Seconds to wait for whoever reads or writes; longer than a reader's statement_timeout.
PATIENCE_S = 60.0

# Where the new table stands until it takes the place of the old one, and the old one then.
_STAGE, _BEFORE = "partitions_made", "partitions_before"
# A bit longer than PostgreSQL's deadlock_timeout: an autovacuum gives way only after that.
_FIRST_TRY = "1500ms"
# Shorter than it: of a session that waits for us and us it is always we who give way.
_SHORT_TRY = "200ms"
_NAME = re.compile(r"(sample|histogram)_(\d{4})_(\d{2})")
_BOUND = re.compile(r"FOR VALUES FROM \((?:MINVALUE|'?(\d+)'?)\) TO \((?:MAXVALUE|'?(\d+)'?)\)")

# Ends in the future come from a clock that was wrong.
_MONTHS = """
SELECT date_trunc('month', finished_at AT TIME ZONE 'UTC')::date, min(id) FROM public.run
WHERE id >= %s AND finished_at < %s GROUP BY 1
"""
_PARTITIONS = """
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = %s::regclass
"""
# What would be lost with the old table, or keep it.
_STANDS_ON = """
SELECT format('view %%I.%%I', n.nspname, c.relname) FROM pg_depend d
JOIN pg_rewrite w ON w.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = %(table)s::regclass
  AND n.nspname NOT IN (%(shown)s, %(old)s)
UNION SELECT format('foreign key %%I of %%s', conname, conrelid::regclass) FROM pg_constraint
WHERE contype = 'f' AND confrelid = %(table)s::regclass
UNION SELECT format('trigger %%I', tgname) FROM pg_trigger
WHERE tgrelid = %(table)s::regclass AND NOT tgisinternal
UNION SELECT format('policy %%I', polname) FROM pg_policy WHERE polrelid = %(table)s::regclass
"""
_RIGHTS = """
SELECT format('GRANT %%s%%s ON %%s TO %%s%%s', a.privilege_type, g.columns, %(onto)s::text,
  CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
  CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
FROM (
  SELECT '' AS columns, relacl AS acl, relowner AS owner FROM pg_class
  WHERE oid = %(table)s::regclass
  UNION ALL
  SELECT format(' (%%I)', attname), attacl, NULL FROM pg_attribute
  WHERE attrelid = %(table)s::regclass
) g, aclexplode(g.acl) a WHERE a.grantee IS DISTINCT FROM g.owner
"""


@frozen(kw_only=True)
class Part:
    """A partition: a month, and the first run id in it; None is open towards the past."""

    month: date
    start: int | None

    def name(self, table: str) -> str:
        """Return its table's name."""
        return f"{table}_{self.month:%Y_%m}"


def plan(
    first_ids: Iterable[tuple[date, int]], *, following: int, present: date, floor: date | None
) -> list[Part]:
    """Return the partitions of these runs, oldest first; the last one is the present month.

    `first_ids` has each month in which a run ended, and the lowest id of these;
    `following` is an id above all.  Months before `floor` are one with it.  A month whose
    runs all entered after a later month's first one gets none.
    """
    present = max(present.replace(day=1), floor or date.min)
    lowest: dict[date, int] = {present: following}
    for month, id_ in first_ids:
        at = max(month, floor or month)
        if at <= present:
            lowest[at] = min(id_, lowest.get(at, id_))
    parts: list[Part] = []
    start, end = following, None
    for month in sorted(lowest, reverse=True):
        start = min(start, lowest[month])
        if start != end:
            parts.insert(0, Part(month=month, start=start))
        end = start
    return [Part(month=parts[0].month, start=None), *parts[1:]]


def is_partitioned(conn: Connection, table: str) -> bool:
    """Tell whether a table is cut into partitions."""
    row = conn.execute(
        "SELECT relkind = 'p' FROM pg_class WHERE oid = %s::regclass", (f"public.{table}",)
    ).fetchone()
    return row is not None and bool(row[0])


def convert(
    conn: Connection,
    table: str,
    *,
    today: date,
    say: Callable[[str], None],
    patience_s: float = PATIENCE_S,
) -> list[str]:
    """Copy a plain table into partitions that take its place; return their names.

    One transaction: reads go on until the very end, writes wait from the start.  Raises
    UsageError where something of others stands on the table, InfrastructureError where
    somebody holds it for longer than `patience_s`, and where the copy is not equal; then
    nothing has changed.
    """
    old, new = f"public.{table}", f"{_STAGE}.{table}"
    _refuse(conn, table)
    with conn.transaction():
        # In the order in which a run enters; foreign keys need the first two.
        writers = f"LOCK TABLE public.run, public.series, {old} IN SHARE ROW EXCLUSIVE MODE"
        _lock(conn, writers, table, _FIRST_TRY, patience_s)
        parts = plan(
            conn.execute(_MONTHS, (0, today + timedelta(days=1))).fetchall(),
            following=_following(conn),
            present=today,
            floor=None,
        )
        size = _one(conn, "SELECT pg_size_pretty(pg_total_relation_size(%s::regclass))", old)
        say(f"{table}: {size} become {len(parts)} partitions")
        _run(conn, f"CREATE SCHEMA {_STAGE}", f"CREATE SCHEMA {_BEFORE}")
        _run(
            conn,
            f"CREATE TABLE {new} (LIKE {old} INCLUDING ALL EXCLUDING INDEXES)"
            " PARTITION BY RANGE (run)",
        )
        columns = _columns(conn, old)
        for part, after in zip(parts, [*parts[1:], None], strict=True):
            name = f"{_STAGE}.{part.name(table)}"
            _run(conn, f"CREATE TABLE {name} PARTITION OF {new} {_range(part, after)}")
            rows = conn.execute(
                f"INSERT INTO {name} ({columns}) SELECT {columns} FROM {old}"  # noqa: S608 - ours
                f" WHERE {_within(part, after)}".encode()
            ).rowcount
            say(f"{part.name(table)}: {rows} rows")
        say(f"{table}: keys and indexes")
        _dress(conn, old, new)
        say(f"{table}: comparing both")
        _equal(conn, old, new)
        # Views first, as whoever reads through them does.
        shown = _shown(conn, old)
        last = ", ".join([*shown, old])
        _lock(conn, f"LOCK TABLE {last} IN ACCESS EXCLUSIVE MODE", table, _SHORT_TRY, patience_s)
        _run(conn, f"ALTER TABLE {old} SET SCHEMA {_BEFORE}")
        for name in (table, *(part.name(table) for part in parts)):
            _run(conn, f"ALTER TABLE {_STAGE}.{name} SET SCHEMA public")
        if shown:
            _renew_views(conn)
        _run(conn, f"DROP SCHEMA {_STAGE}")
    sweep(conn, patience_s)
    # Autovacuum never looks at a partitioned table as a whole.
    _run(conn, f"ANALYZE {old}")
    return [part.name(table) for part in parts]


def split(
    conn: Connection, table: str, *, today: date, patience_s: float = PATIENCE_S
) -> list[str]:
    """End the open partition where a month has begun since; return the new ones' names.

    One transaction, in which reads and writes of the table wait.  Raises UsageError where
    the partitions are not those of this module, InfrastructureError where somebody holds
    the table for longer than `patience_s`; then nothing has changed.
    """
    parent = f"public.{table}"
    last = _open(conn, table)
    if last.month >= today.replace(day=1):
        return []
    with conn.transaction():
        # Attaching drops a foreign key of its own, which locks what it points to.
        everybody = f"LOCK TABLE public.run, public.series, {parent} IN ACCESS EXCLUSIVE MODE"
        _lock(conn, everybody, table, _FIRST_TRY, patience_s)
        first, *new = plan(
            conn.execute(_MONTHS, (last.start or 0, today + timedelta(days=1))).fetchall(),
            following=_following(conn),
            present=today,
            floor=last.month,
        )
        name = f"public.{first.name(table)}"
        if first.month != last.month:  # no run of its own month is in it
            _run(conn, f"ALTER TABLE public.{last.name(table)} RENAME TO {first.name(table)}")
        if new:
            first = Part(month=first.month, start=last.start)
            _run(conn, f"ALTER TABLE {parent} DETACH PARTITION {name}")
            for part, after in zip(new, [*new[1:], None], strict=True):
                made = f"public.{part.name(table)}"
                _run(conn, f"CREATE TABLE {made} PARTITION OF {parent} {_range(part, after)}")
            _move(conn, name, parent, new[0])
            # Found true once, here; attaching it then reads no row again.
            check = f"{first.name(table)}_bounds"
            _run(
                conn,
                f"ALTER TABLE {name} ADD CONSTRAINT {check} CHECK ({_within(first, new[0])})",
                f"ALTER TABLE {parent} ATTACH PARTITION {name} {_range(first, new[0])}",
                f"ALTER TABLE {name} DROP CONSTRAINT {check}",
            )
    _run(conn, f"ANALYZE {parent}")
    return [p.name(table) for p in (new or [first])]


def sweep(conn: Connection, patience_s: float = PATIENCE_S) -> None:
    """Drop the plain table that partitions have replaced, where it is still there.

    Not in the transaction that replaces it: its foreign keys lock `run` and `series`
    against everybody, and who enters a run has read them before it waits for us.  Raises
    InfrastructureError where somebody holds these for longer than `patience_s`; the next
    call goes on from there.
    """
    if _one(conn, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", _BEFORE):
        with conn.transaction():
            words = "LOCK TABLE public.run, public.series IN ACCESS EXCLUSIVE MODE"
            _lock(conn, words, "run", _FIRST_TRY, patience_s)
            _run(conn, f"DROP SCHEMA {_BEFORE} CASCADE")


def _open(conn: Connection, table: str) -> Part:
    """Return the partition that takes all later runs."""
    found = conn.execute(_PARTITIONS, (f"public.{table}",)).fetchall()
    for name, bound in found:
        named, bounds = _NAME.fullmatch(name), _BOUND.fullmatch(bound)
        if named is None or bounds is None:
            raise UsageError(
                f"partition {name} of table {table} ({bound}) was not made by `vlag db partition`:"
                " detach it first"
            )
        if bounds[2] is None:
            start = None if bounds[1] is None else int(bounds[1])
            return Part(month=date(int(named[2]), int(named[3]), 1), start=start)
    raise UsageError(
        f"table {table} has no partition that is open to later runs: attach one TO (MAXVALUE)"
    )


def _refuse(conn: Connection, table: str) -> None:
    row = conn.execute(
        "SELECT pg_get_userbyid(relowner), current_user FROM pg_class WHERE oid = %s::regclass",
        (f"public.{table}",),
    ).fetchone()
    if row is not None and row[0] != row[1]:
        raise UsageError(f"table {table} belongs to {row[0]}: run this as that user, not {row[1]}")
    values = {"table": f"public.{table}", "shown": views.SCHEMA, "old": views.OLD}
    found = conn.execute(_STANDS_ON, values).fetchone()
    if found is not None:
        raise UsageError(f"{found[0]} stands on table {table}: drop it first, make it again after")


def _lock(conn: Connection, words: str, table: str, once: str, patience_s: float) -> None:
    """Lock within a transaction, in short tries: nobody waits long behind ours."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with conn.transaction():
                _run(conn, f"SET LOCAL lock_timeout = '{once}'", *words.split("; "))
                _run(conn, "SET LOCAL lock_timeout = 0")
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if time.monotonic() > deadline:
                raise InfrastructureError(
                    f"somebody has been using table {table} for more than {patience_s:.0f} s, so"
                    " this step was left out; end that session (pg_stat_activity shows it) and run"
                    " `vlag db partition` again"
                ) from None
            time.sleep(0.1)


def _dress(conn: Connection, old: str, new: str) -> None:
    """Give the new table what LIKE leaves out: keys and indexes by name, rights, comment."""
    for row in conn.execute(
        "SELECT format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', %s::text, conname,"
        " pg_get_constraintdef(oid)) FROM pg_constraint"
        " WHERE conrelid = %s::regclass AND contype IN ('p', 'u', 'f') ORDER BY contype DESC",
        (new, old),
    ).fetchall():
        _run(conn, row[0])
    for row in conn.execute(
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass"
        " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
        (old,),
    ).fetchall():
        _run(conn, row[0].replace(f" ON {old} ", f" ON {new} ", 1))
    for row in conn.execute(_RIGHTS, {"table": old, "onto": new}).fetchall():
        _run(conn, row[0])
    comment = conn.execute(
        "SELECT format('COMMENT ON TABLE %%s IS %%L', %s::text,"
        " obj_description(%s::regclass, 'pg_class'))",
        (new, old),
    ).fetchone()
    if comment is not None:
        _run(conn, comment[0])


def _equal(conn: Connection, old: str, new: str) -> None:
    """Raise InfrastructureError unless both have the same rows: their number and a sum."""
    was, now = (
        conn.execute(
            f"SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM {table} t".encode()  # noqa: S608
        ).fetchone()
        for table in (old, new)
    )
    if was is None or was != now:
        raise InfrastructureError(
            f"the copy of table {old} is not equal to it ({was} rows and their sum, {now}), so"
            " nothing was changed",
            retry=False,
        )


def _move(conn: Connection, source: str, parent: str, first: Part) -> None:
    columns = _columns(conn, source)
    rows = conn.execute(
        f"INSERT INTO {parent} ({columns}) SELECT {columns} FROM {source}"  # noqa: S608 - ours
        f" WHERE run >= {first.start}".encode()
    ).rowcount
    gone = conn.execute(f"DELETE FROM {source} WHERE run >= {first.start}".encode()).rowcount  # noqa: S608
    if rows != gone:
        raise InfrastructureError(
            f"{gone} rows left {source} and {rows} came to {parent}, so nothing was changed"
        )


def _shown(conn: Connection, table: str) -> list[str]:
    """Return the views of ours that read a table."""
    found = conn.execute(
        "SELECT DISTINCT format('%%I.%%I', n.nspname, c.relname) FROM pg_depend d"
        " JOIN pg_rewrite w ON w.oid = d.objid AND d.classid = 'pg_rewrite'::regclass"
        " JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE d.refobjid = %s::regclass AND n.nspname = %s",
        (table, views.SCHEMA),
    )
    return [str(row[0]) for row in found]


def _renew_views(conn: Connection) -> None:
    """Let the views stand on the table that is there now."""
    if _one(conn, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", views.SCHEMA):
        _run(conn, f"COMMENT ON SCHEMA {views.SCHEMA} IS NULL")  # as if their files had changed
    views.apply(conn)
    _run(conn, "SET LOCAL search_path = public")


def _following(conn: Connection) -> int:
    return int(_one(conn, "SELECT coalesce(max(id), 0) + 1 FROM public.run"))


def _columns(conn: Connection, table: str) -> str:
    return str(
        _one(
            conn,
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
            " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            table,
        )
    )


def _range(part: Part, after: Part | None) -> str:
    start = "MINVALUE" if part.start is None else part.start
    end = "MAXVALUE" if after is None else after.start
    return f"FOR VALUES FROM ({start}) TO ({end})"


def _within(part: Part, after: Part | None) -> str:
    bounds = [f"run >= {part.start}"] if part.start is not None else []
    bounds += [f"run < {after.start}"] if after is not None else []
    return " AND ".join(bounds) or "true"


def _one(conn: Connection, words: str, *values: str) -> int | str:
    row = conn.execute(words.encode(), values).fetchone()
    assert row is not None  # noqa: S101 - an aggregate or a function always gives a row
    found: int | str = row[0]
    return found


def _run(conn: Connection, *statements: str) -> None:
    for statement in statements:
        conn.execute(statement.encode())
