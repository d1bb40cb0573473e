"""What a partition a month of raw samples costs, and who waits for it.

Part of `python -m bench scale`, on a copy of its database.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

import psycopg
from attrs import frozen

from bench.evidence import table
from vlag.store import database
from vlag.store.partition import partition
from vlag.store.views import READER

#: Seconds between two questions of a session that watches.
_PAUSE_S = 0.02
#: Seconds for which nothing happens, to compare with.
_QUIET_S = 10.0

_COPY = "by_month"
# What a page of a run asks, as Grafana's role; `run` is one that has a histogram.
_VIEW = "SELECT * FROM read_model.histogram_bucket WHERE run = {run}"
# What a comparison asks.
_SAMPLES = "SELECT values FROM public.sample WHERE run BETWEEN {run} - 50 AND {run}"
# What a run that enters needs first.
_ENTER = "LOCK TABLE public.run, public.sample, public.histogram IN ROW EXCLUSIVE MODE"
_ROOM = "SELECT pg_database_size(current_database()) + (SELECT sum(size) FROM pg_ls_waldir())"


class Watch(threading.Thread):
    """A session that asks the same again and again; keeps the longest answer and the largest."""

    def __init__(self, dsn: str, statement: str):
        super().__init__(daemon=True)
        # Nothing is kept between questions: tables take each other's place.
        self.conn = psycopg.connect(dsn, autocommit=True, prepare_threshold=None)
        self.statement = statement
        self.longest_s = 0.0
        self.largest = 0
        self.failed: Exception | None = None
        self._ended = threading.Event()

    def run(self) -> None:
        """Ask until told to end, or until there is no answer."""
        while not self._ended.wait(_PAUSE_S):
            began = time.monotonic()
            try:
                with self.conn.transaction():
                    found = self.conn.execute(self.statement.encode())
                    rows = found.fetchall() if found.description else []
            except psycopg.Error as e:
                self.failed = e
                return
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if self.statement is _ROOM:
                self.largest = max(self.largest, int(rows[0][0]))

    def end(self) -> None:
        """Raise what has gone wrong, if anything has."""
        self._ended.set()
        self.join()
        self.conn.close()
        if self.failed is not None:
            raise self.failed


@frozen(kw_only=True)
class Call:
    """A call of `vlag db partition`, and how long others have waited meanwhile."""

    what: str
    made: int  # partitions
    seconds: float
    view_s: float
    samples_s: float
    entering_s: float
    room: int  # bytes of the database and its log, at most


@contextmanager
def copied(server: str) -> Iterator[str]:
    """Yield the connection string of a copy of a server's database `postgres`."""
    other = server.replace("dbname=postgres", "dbname=template1")
    with psycopg.connect(other, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE IF EXISTS {_COPY}".encode())
        conn.execute(f"CREATE DATABASE {_COPY} TEMPLATE postgres STRATEGY file_copy".encode())
        conn.execute("CHECKPOINT")
    try:
        yield server.replace("dbname=postgres", f"dbname={_COPY}")
    finally:
        with psycopg.connect(other, autocommit=True) as conn:
            conn.execute(f"DROP DATABASE {_COPY} WITH (FORCE)".encode())


def calls(dsn: str, today: date) -> list[Call]:
    """Begin the month before, this month, and then the next one."""
    run = str(_one(dsn, "SELECT max(run) FROM histogram"))
    first = today.replace(day=1)
    following = (first + timedelta(days=31)).replace(day=1)

    def call(what: str, day: date | None) -> Call:
        watches = [
            Watch(database.as_user(dsn, READER), _VIEW.format(run=run)),
            Watch(dsn, _SAMPLES.format(run=run)),
            Watch(dsn, _ENTER),
            Watch(dsn, _ROOM),
        ]
        for watch in watches:
            watch.start()
        began = time.monotonic()
        if day is None:
            time.sleep(_QUIET_S)  # what is measured is the quiet
            made: list[str] = []
        else:
            made = partition(dsn, lambda text: print(f"  {text}", flush=True), today=day)
        took = time.monotonic() - began
        for watch in watches:
            watch.end()
        view, samples, entering, room = watches
        return Call(
            what=what, made=len(made), seconds=took, view_s=view.longest_s,
            samples_s=samples.longest_s, entering_s=entering.longest_s, room=room.largest,
        )  # fmt: skip

    found = [
        call("nothing, to compare with", None),
        call("the first", first - timedelta(days=1)),
        call("another one on the same day", first - timedelta(days=1)),
        call("that of the next month, in which no run came", today),
        call("that of the month after", following),
    ]
    wanted = [0, 4, 0, 2, 2]  # one a table, and the table that was there
    assert [w for w, f in zip(wanted, found, strict=True) if w != f.made] == [], found
    return found


def measure(server: str) -> list[str]:
    """Return a chapter of the page of figures."""
    with copied(server) as dsn:
        before = int(_one(dsn, "SELECT pg_database_size(current_database())"))
        tables = _one(
            dsn,
            "SELECT pg_total_relation_size('sample') + pg_total_relation_size('histogram')",
        )
        found = calls(dsn, datetime.now(UTC).date())
        after = int(_one(dsn, "SELECT pg_database_size(current_database())"))
    return [
        "## Partitions by time",
        "",
        f"`vlag db partition` on a copy: {tables / 1e6:,.0f} MB of raw samples and histograms in a"
        f" database of {before / 1e6:,.0f} MB ({after / 1e6:,.0f} MB at the end). During each"
        " call one session reads a view as Grafana's role, one reads samples as a comparison does,"
        " and one takes the locks of an ingest. `Room` is the peak size of the database and its"
        " write-ahead log.",
        "",
        *table(
            ["call", "partitions", "seconds", "longest read of a view, s",
             "longest read of samples, s", "longest wait to enter a run, s", "room, MB"],
            [
                (c.what, c.made or "", f"{c.seconds:.1f}", f"{c.view_s:.2f}", f"{c.samples_s:.2f}",
                 f"{c.entering_s:.2f}", f"{c.room / 1e6:,.0f}")
                for c in found
            ],
        ),
    ]  # fmt: skip


def _one(dsn: str, statement: str) -> int:
    with psycopg.connect(dsn) as conn:
        row = conn.execute(statement.encode()).fetchone()
    assert row is not None
    return int(row[0])
