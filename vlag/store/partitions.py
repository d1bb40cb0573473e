# SPDX-License-Identifier: GPL-2.0-only
"""The tables of raw samples, a partition a month.

`sample` and `histogram` are cut by the id of the run, which is in their key and rises as
runs enter.  The plain table becomes the first partition as it is: no row is copied.  The
last partition is open; a new month ends it at the newest run.
"""

from __future__ import annotations

import re
import time
from datetime import date

import psycopg

from vlag.errors import InfrastructureError, UsageError
from vlag.store import views
from vlag.store.database import Connection

TABLES = ("sample", "histogram")

#: Seconds to wait for whoever reads or writes; longer than a reader's statement_timeout.
PATIENCE_S = 60.0

# A bit longer than PostgreSQL's deadlock_timeout: an autovacuum gives way only after that.
_TRY = "1500ms"

_OPEN = """
SELECT c.relname, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM .(.*?). TO .MAXVALUE')
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = %s::regclass AND pg_get_expr(c.relpartbound, c.oid) LIKE '%%TO (MAXVALUE)'
"""
_STANDS_ON = """
SELECT format('view %%I.%%I', n.nspname, c.relname) FROM pg_depend d
JOIN pg_rewrite w ON w.oid = d.objid AND d.classid = 'pg_rewrite'::regclass
JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = %(table)s::regclass
  AND n.nspname NOT IN (%(schema)s, %(old)s)
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
# Keys and indexes: the statement that makes one again, and the name that has to be free for it.
_KEYS = """
SELECT format('ALTER TABLE public.%%I ADD CONSTRAINT %%I %%s', %(table)s::text, conname,
  pg_get_constraintdef(oid)), CASE WHEN contype <> 'f' THEN conname END
FROM pg_constraint WHERE conrelid = %(old)s::regclass AND contype IN ('p', 'u', 'f')
UNION ALL
SELECT pg_get_indexdef(indexrelid), c.relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid
WHERE indrelid = %(old)s::regclass
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""


def is_partitioned(conn: Connection, table: str) -> bool:
    """Tell whether a table is cut into partitions."""
    row = conn.execute(
        "SELECT relkind = 'p' FROM pg_class WHERE oid = %s::regclass", (f"public.{table}",)
    ).fetchone()
    return row is not None and bool(row[0])


def convert(conn: Connection, table: str, *, patience_s: float = PATIENCE_S) -> list[str]:
    """Put a partitioned table above a plain one, which becomes its first partition.

    One transaction, which reads and writes no row.  Returns the partition's name.  Raises
    UsageError where something of others depends on the table, and InfrastructureError where
    somebody holds it for longer than `patience_s`; then nothing has changed.
    """
    new, first = f"public.{table}", f"{table}_first"
    old = f"public.{first}"
    _refuse(conn, table)
    with conn.transaction():
        # Views first, as whoever reads through them does; then as a run enters.
        shown = _shown(conn, new)
        locked = ", ".join([*shown, "public.run", "public.series", new])
        _lock(conn, f"LOCK TABLE {locked} IN ACCESS EXCLUSIVE MODE", table, patience_s)
        keys = conn.execute(_KEYS, {"table": table, "old": new}).fetchall()
        _run(conn, f"ALTER TABLE {new} RENAME TO {first}")
        _run(
            conn,
            f"CREATE TABLE {new} (LIKE {old} INCLUDING ALL EXCLUDING INDEXES)"
            " PARTITION BY RANGE (run)",
        )
        for statement, name in keys:
            if name is not None:
                free = str(name).replace(table, first, 1)
                _run(conn, f'ALTER INDEX public."{name}" RENAME TO "{free}"')
            _run(conn, statement)
        for row in conn.execute(_RIGHTS, {"table": old, "onto": new}).fetchall():
            _run(conn, row[0])
        for row in conn.execute(
            "SELECT format('COMMENT ON TABLE %%s IS %%L', %s::text,"
            " obj_description(%s::regclass, 'pg_class'))",
            (new, old),
        ).fetchall():
            _run(conn, row[0])
        # The key says that no run is null, so nothing has to be read.
        bounds = "FOR VALUES FROM (MINVALUE) TO (MAXVALUE)"
        _run(conn, f"ALTER TABLE {new} ATTACH PARTITION {old} {bounds}")
        if shown:
            _renew_views(conn)
    return [first]


def split(
    conn: Connection, table: str, *, today: date, patience_s: float = PATIENCE_S
) -> list[str]:
    """End the open partition at the newest run and open this month's; return its name.

    Returns [] where this month's is open already.  One transaction, in which reads and
    writes of the table wait; it reads the partition that it ends once.  Raises UsageError
    where no partition is open, InfrastructureError where somebody holds the table for
    longer than `patience_s`; then nothing has changed.
    """
    parent, name = f"public.{table}", f"{table}_{today:%Y_%m}"
    with conn.transaction():
        row = conn.execute(_OPEN, (parent,)).fetchone()
        if row is None:
            raise UsageError(
                f"table {table} has no partition that is open to later runs: attach one"
                " TO (MAXVALUE)"
            )
        last, start = map(str, row)
        if re.fullmatch(rf"{table}_(first|\d{{4}}_\d{{2}})", last) is None:
            raise UsageError(
                f"partition {last} of table {table} is open to later runs and was not made by"
                " `vlag db partition`: detach it first"
            )
        if last >= name and last != f"{table}_first":  # the names sort as the months do
            return []
        # Attaching drops a foreign key of its own, which locks what it points to.
        locked = f"LOCK TABLE public.run, public.series, {parent} IN ACCESS EXCLUSIVE MODE"
        _lock(conn, locked, table, patience_s)
        bounds = conn.execute(
            f"SELECT max(id) + 1, EXISTS (SELECT FROM public.{last}) FROM public.run".encode()  # noqa: S608 - ours
        ).fetchone()
        end, used = bounds or (None, False)
        if not used:
            _run(conn, f"ALTER TABLE public.{last} RENAME TO {name}")
            return [name]
        _run(
            conn,
            f"ALTER TABLE {parent} DETACH PARTITION public.{last}",
            f"ALTER TABLE {parent} ATTACH PARTITION public.{last}"
            f" FOR VALUES FROM ({start}) TO ({end})",
            f"CREATE TABLE public.{name} PARTITION OF {parent}"
            f" FOR VALUES FROM ({end}) TO (MAXVALUE)",
        )
    # Autovacuum never looks at a partitioned table as a whole.
    _run(conn, f"ANALYZE {parent}")
    return [name]


def _refuse(conn: Connection, table: str) -> None:
    row = conn.execute(
        "SELECT pg_get_userbyid(relowner), current_user FROM pg_class WHERE oid = %s::regclass",
        (f"public.{table}",),
    ).fetchone()
    if row is not None and row[0] != row[1]:
        raise UsageError(f"table {table} belongs to {row[0]}: run this as that user, not {row[1]}")
    values = {"table": f"public.{table}", "schema": views.SCHEMA, "old": views.OLD}
    dependent = conn.execute(_STANDS_ON, values).fetchone()
    if dependent is not None:
        raise UsageError(
            f"{dependent[0]} depends on table {table}: drop it first, make it again after"
        )


def _lock(conn: Connection, words: str, table: str, patience_s: float) -> None:
    """Lock within a transaction, in short tries: nobody waits long behind ours."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with conn.transaction():
                _run(conn, f"SET LOCAL lock_timeout = '{_TRY}'", words)
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


def _shown(conn: Connection, table: str) -> list[str]:
    """Return the views of ours that read a table."""
    rows = conn.execute(
        "SELECT DISTINCT format('%%I.%%I', n.nspname, c.relname) FROM pg_depend d"
        " JOIN pg_rewrite w ON w.oid = d.objid AND d.classid = 'pg_rewrite'::regclass"
        " JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE d.refobjid = %s::regclass AND n.nspname = %s",
        (table, views.SCHEMA),
    )
    return [str(row[0]) for row in rows]


def _renew_views(conn: Connection) -> None:
    """Make the views again, of the table that is there now."""
    there = "SELECT FROM pg_namespace WHERE nspname = %s"
    if conn.execute(there, (views.SCHEMA,)).fetchone() is not None:
        _run(conn, f"COMMENT ON SCHEMA {views.SCHEMA} IS NULL")  # as if their files had changed
    views.apply(conn)
    _run(conn, "SET LOCAL search_path = public")


def _run(conn: Connection, *statements: str) -> None:
    for statement in statements:
        conn.execute(statement.encode())
