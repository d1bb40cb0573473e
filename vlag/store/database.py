# SPDX-License-Identifier: GPL-2.0-only
"""The connection to PostgreSQL, with actionable errors."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.json import set_json_loads

from vlag import ROOT
from vlag.errors import AwayError, InfrastructureError

MIGRATIONS = ROOT / "schemas" / "migrations"

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
_T = TypeVar("_T")

#: Settings for statements over the views, which use views themselves.
PLANNING = {
    # Compiling such a statement takes seconds, and running it some milliseconds.
    "jit": "off",
    # The most tables in one of our statements, so that the planner sees them all at once.
    "from_collapse_limit": "14",
    "join_collapse_limit": "14",
}

_OLDER = "its tables are older than this code: restart the service, or run `vlag db migrate`"
_START = "is the service running? start it with `make run`"
#: What a session says of its code, which each command asks first (`refuse_newer`).  The tables
#: refuse rows of older code, which set `PLANNING` alone.
_SAYS = {"vlag.refuses_newer": "on"}
#: What to do about a server that answers, by the beginning of SQLSTATE.
_ANSWERS = {
    "40": "others write the same rows: try again in a moment",
    "53100": "its disk is full: make room",
    "53200": "it is out of memory",
    "533": "it has no connection left: end others, or raise its max_connections",
    "57P": "it starts, recovers or stops: try again in a moment",
    "SSL": "renew its certificate, or name the authority that signed it ([database] sslrootcert)",
    "58": "its system failed to read or write: look at its disk and its log",
}
#: What is said of a session that does not begin, which has no SQLSTATE; and the answer's key.
_WORDS = {
    "certificate verify failed": "SSL",
    os.strerror(errno.ENOSPC): "53100",
    "could not write": "53100",
    "too many": "533",
    "starting up": "57P",
    "shutting down": "57P",
    "in recovery": "57P",
}
#: What it says of a name, password or right that a person can correct.
_NOT_LET_IN = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|pg_hba\.conf rejects"
    r"|does not exist|permission denied|is not permitted to log in"
)
#: How often a transaction is tried that loses against others.
_TRIES = 5


def parts(dsn: str) -> dict[str, Any]:
    """Return the keywords of a libpq connection string.

    Raises InfrastructureError without the text itself: it may hold a password.
    """
    try:
        return dict(conninfo_to_dict(dsn))
    except psycopg.Error:
        raise InfrastructureError(
            "the database's connection string is not valid; see VLAG_DATABASE or the settings",
            retry=False,
        ) from None


def url(dsn: str) -> str:
    """Return a libpq connection string as the URL that SQLAlchemy reads, for psycopg 3."""
    p = parts(dsn)
    name = quote(str(p.pop("dbname", "")), safe="")
    return f"postgresql+psycopg:///{name}?{urlencode(p)}"


def as_user(dsn: str, user: str) -> str:
    """Return a connection string for another user, who has a password of their own."""
    p = parts(dsn)
    p.pop("password", None)
    return make_conninfo(**{**p, "user": user})


def with_state(dsn: str, state: Path) -> str:
    """Return a connection string whose sessions know the state folder, `vlag.state`."""
    p = parts(dsn)
    # As libpq's options quote.
    named = re.sub(r"([\\\s])", r"\\\1", str(state))
    options = " ".join([*filter(None, [p.get("options")]), f"-c vlag.state={named}"])
    return make_conninfo(**{**p, "options": options})


def explain(error: Exception, dsn: str) -> InfrastructureError:
    """Return a database error as one sentence that names the database, never its password.

    AwayError: the server is not there, starts, stops, or lacks what its machine has too little of,
    or it let others write first.
    """
    p = parts(dsn)
    where = (
        f"{p.get('dbname', 'the database')} at {p.get('host', 'localhost')}:{p.get('port', 5432)}"
    )
    text = str(error).strip()
    message = text.splitlines()[0].rstrip(".") if text else type(error).__name__
    if p.get("password"):
        message = message.replace(str(p["password"]), "***")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        state = error.sqlstate or next(
            (code for words, code in _WORDS.items() if words in text), ""
        )
        answer = next((do for begin, do in _ANSWERS.items() if state.startswith(begin)), None)
        sentence = f"cannot use database {where} ({message}); {answer or _START}"
        lost = state.startswith("08") or (not state and not _NOT_LET_IN.search(text))
        return AwayError(sentence) if answer or lost else InfrastructureError(sentence)
    missing = (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn)
    hint = f"; {_OLDER}" if isinstance(error, missing) else ""
    return InfrastructureError(
        f"database {where} refused a statement ({message}){hint}", retry=False
    )


def migrations(folder: Path = MIGRATIONS) -> dict[str, Path]:
    """Return the file of each migration by its id, oldest first."""
    paths = sorted(folder.glob("*.sql"))
    return {p.stem: p for p in paths if not p.name.endswith(".rollback.sql")}


def refuse_newer(conn: Connection, folder: Path = MIGRATIONS) -> None:
    """Raise InfrastructureError if the database has a migration that this code does not know.

    Old code would write rows that lack what the new columns mean.  A database without our
    tables, Buildbot's for one, has none; a role that only reads views may not ask.
    """
    row = conn.execute(
        "SELECT has_table_privilege(to_regclass('public._yoyo_migration'), 'SELECT')"
    ).fetchone()
    if row is None or not row[0]:
        return
    rows = conn.execute("SELECT migration_id FROM public._yoyo_migration").fetchall()
    newer = sorted({str(r[0]) for r in rows} - set(migrations(folder)))
    if newer:
        raise InfrastructureError(
            f"the database is newer than this code (it has {', '.join(newer)}); "
            "update the checkout, or name another database",
            retry=False,
        )


def transact(conn: Connection, work: Callable[[], _T]) -> _T:
    """Return what `work` returns in a transaction; one that loses against others is tried again.

    PostgreSQL has undone all of one that was in a deadlock, or that it cannot put into an order
    with others.  Within a transaction of the caller, who has to repeat that, there is one try.
    """
    left = _TRIES if conn.info.transaction_status == TransactionStatus.IDLE else 1
    while True:
        left -= 1
        try:
            with conn.transaction():
                return work()
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            if not left:
                raise


def _json(text: str | bytes) -> Any:
    """Read JSON as PostgreSQL sends it; of bytes `json` would guess the encoding each time."""
    return json.loads(text if isinstance(text, str) else text.decode())


def begin(dsn: str) -> Connection:
    """Return a new connection in autocommit mode; the caller closes it.

    So each `conn.transaction()` is a transaction of its own and commits at its end.  Raises
    InfrastructureError.
    """
    parts(dsn)
    try:
        conn: Connection = psycopg.connect(dsn, autocommit=True)
        settle(conn)
    except psycopg.Error as e:
        raise explain(e, dsn) from None  # the traceback of libpq shows its arguments
    set_json_loads(_json, conn)
    return conn


def settle(conn: Connection) -> None:
    """Give a connection our settings, and no others that somebody has made."""
    options = PLANNING | _SAYS
    conn.execute("; ".join(["RESET ALL", *(f"SET {k} = '{v}'" for k, v in options.items())]))


@contextmanager
def explained(dsn: str) -> Iterator[None]:
    """Raise InfrastructureError for any error of PostgreSQL inside the block."""
    try:
        yield
    except psycopg.Error as e:
        raise explain(e, dsn) from e


@contextmanager
def connect(dsn: str, *, newer: bool = False) -> Iterator[Connection]:
    """Yield a connection to the database that a libpq connection string names, as `begin`.

    Raises InfrastructureError for any error of PostgreSQL here or inside the block, and unless
    `newer` for a database that `refuse_newer` refuses.
    """
    conn = begin(dsn)
    try:
        with explained(dsn):
            if not newer:
                refuse_newer(conn)
            yield conn
    finally:
        conn.close()
