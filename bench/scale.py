# SPDX-License-Identifier: GPL-2.0-only
"""Years of a farm in a database: how long each query of a panel takes.

`VLAG_BENCH_SCALE` names a folder that is kept, or that holds such a database already.
"""

from __future__ import annotations

import datetime
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from attrs import frozen

from bench.evidence import table, write
from dashboards.interpolation import choices, interpolate
from dashboards.statements import documents, of_dashboard, rules
from vlag.operate.service import postgres as clusters
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.migrate import migrate
from vlag.store.views import READER

#: Commits of each of 24 branches; with them come ten million numbers.
COMMITS = 75
#: Within it a person who waits for a panel thinks of nothing else yet.
LIMIT_S = 1.0
#: Of a variable: panels wait for all of theirs.
CHOICE_LIMIT_S = 0.5

_STATEMENTS = Path(__file__).with_name("scale.sql")
_QUESTIONS = Path(__file__).with_name("scale_questions.sql")
# Loading: a crash costs a new start, no more.
_LOAD = (
    "-c fsync=off -c wal_level=minimal -c max_wal_senders=0 -c max_wal_size=4GB"
    " -c autovacuum=off -c maintenance_work_mem=256MB"
)


@frozen(kw_only=True)
class Question:
    """What a panel or page asks."""

    name: str
    sql: str
    limit_s: float = LIMIT_S


#: With a branch in the middle of its history, and what a person picks on it.
PLACES: dict[str, LiteralString] = {
    "comparison": "SELECT max(c.id) FROM comparison c JOIN kernel k ON k.id = c.new_kernel"
    " WHERE k.branch = 'linux-6.4.y' AND c.board_type = 'rpi5' AND c.stage = 'screen'",
    "throughput": "SELECT id FROM series WHERE board_type = 'rpi5' AND metric = 'bogo-ops-rate'",
    "latency": "SELECT id FROM series WHERE board_type = 'rpi5' AND metric = 'latency'",
    "simulated": "SELECT id FROM series WHERE board_type = 'qemu-sim-2'"
    " AND metric = 'bogo-ops-rate'",
    "run": "SELECT max(run) FROM histogram",
    "alert": "SELECT max(alert) FROM alert_verdict",
}

#: What a person chooses where a dashboard opens with what is newest: by dashboard and variable.
_CHOSEN: dict[str, dict[str, LiteralString]] = {
    "vlag-branch": {"branch": "SELECT 'stable/linux-6.4.y'", "board": "SELECT 'qemu-sim-2'"},
    "vlag-latency": {
        "board": "SELECT 'qemu-sim-2'",
        "new": "SELECT max(new_kernel) FROM read_model.comparison"
        " WHERE branch = 'linux-6.4.y' AND board_type = 'qemu-sim-2' AND patches IS NULL",
    },
    "vlag-matrix": {"board": "SELECT 'qemu-sim-2'"},
    "vlag-run": {"run": "SELECT max(id) FROM read_model.run WHERE plan = 'nightly'"},
}


@contextmanager
def private_cluster(folder: Path, options: str = "") -> Iterator[str]:
    """Yield the connection string of a server on a folder's cluster, which is made if missing."""
    programs = clusters.find_programs()
    data = folder / "data"
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    prefix = user if os.getuid() == 0 else []

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [*prefix, str(programs / program), "-D", str(data), *arguments],
            check=True, cwd="/", stdout=subprocess.DEVNULL,
        )  # fmt: skip

    if not data.exists():
        data.mkdir(parents=True)
        folder.chmod(0o755)
        if prefix:
            shutil.chown(data, "postgres", "postgres")
        call("initdb", "-U", "vlag", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    call("pg_ctl", "-w", "-l", str(data / "log"), "-o",
         f"-p {port} -h 127.0.0.1 -k '' {options}", "start")  # fmt: skip
    try:
        yield f"host=127.0.0.1 port={port} user=vlag dbname=postgres"
    finally:
        call("pg_ctl", "-w", "-m", "fast", "stop")


def generate(conn: Connection, commits: int) -> None:
    """Fill a database that has all tables and no rows; the user must be a superuser.

    The numbers grow with the commits of a branch: at `COMMITS` there are ten million.
    """
    conn.execute("SET session_replication_role = replica")  # foreign keys are right as made
    conn.execute("CREATE SCHEMA bench")
    conn.execute(
        "CREATE TABLE bench.size AS SELECT %s::integer AS commits, date_trunc('day', now()) AS day",
        (commits,),
    )
    for statement in _STATEMENTS.read_text(encoding="utf-8").split(";\n\n"):
        began = time.monotonic()
        conn.execute(statement)
        took = time.monotonic() - began
        if took > 1:
            words = [line for line in statement.strip().splitlines() if not line.startswith("--")]
            print(f"{took:6.1f} s  {words[0][:60]}", flush=True)
    conn.execute("SET session_replication_role = origin")
    conn.execute("VACUUM (ANALYZE)")


def questions(conn: Connection) -> list[Question]:
    """Return all questions with the place in the database that they ask about."""
    ids = {name: conn.execute(sql).fetchone() for name, sql in PLACES.items()}
    places = {name: row[0] for name, row in ids.items() if row is not None}
    listed = []
    for text in _QUESTIONS.read_text(encoding="utf-8").split("\n\n")[1:]:
        name, _end, sql = text.partition("\n")
        listed.append(Question(name=name.removeprefix("-- "), sql=sql.format(**places)))
    return listed


def of_dashboards(conn: Connection, *, whole: bool = False) -> list[Question]:
    """Return what Grafana asks for each dashboard and alert rule.

    As somebody opens it, and with what a person chooses; in the time range that it opens with,
    or in the `whole` of the data.
    """
    end = datetime.datetime.now(datetime.UTC)
    everything = end - datetime.timedelta(days=3653)
    panels = []
    for document in documents().values():
        days = int(document["time"]["from"].removeprefix("now-").removesuffix("d"))
        start = everything if whole else end - datetime.timedelta(days=days)
        ways: dict[str, dict[str, LiteralString]] = {"": {}}
        if document["uid"] in _CHOSEN:
            ways[", chosen"] = _CHOSEN[document["uid"]]
        for way, asked in ways.items():
            given = {name: str(_ask(conn, sql)[0][0]) for name, sql in asked.items()}
            values = choices(document, lambda sql: _ask(conn, sql), start, end, given)
            panels += [
                Question(
                    name=f"{document['title']}{way}: {s.place}",
                    sql=interpolate(s.sql, values, start, end),
                    limit_s=CHOICE_LIMIT_S if s.kind == "variable" else LIMIT_S,
                )
                for s in of_dashboard(document)
            ]
    start = everything if whole else end - datetime.timedelta(days=1)
    panels += [
        Question(name=f"Alerts: {s.place}", sql=interpolate(s.sql, {}, start, end)) for s in rules()
    ]
    return panels


def _ask(conn: Connection, sql: str) -> list[tuple[Any, ...]]:
    return conn.execute(sql.encode()).fetchall()


def seconds(conn: Connection, question: Question) -> tuple[float, int]:
    """Return how long an answer takes, with its transport, and its rows."""
    began = time.monotonic()
    rows = _ask(conn, question.sql)
    return time.monotonic() - began, len(rows)


def filled(folder: Path, commits: int) -> str:
    """Fill the database of a folder unless that is done; return how many minutes it took."""
    done = folder / "filled"
    if not done.exists():
        shutil.rmtree(folder / "data", ignore_errors=True)
        began = time.monotonic()
        with private_cluster(folder, _LOAD) as dsn:
            migrate(dsn)
            with database.connect(dsn) as conn:
                generate(conn, commits)
        done.write_text(f"{(time.monotonic() - began) / 60:.1f}\n")
    return done.read_text().strip()


@contextmanager
def place() -> Iterator[Path]:
    """Yield the folder of a database: that of `VLAG_BENCH_SCALE`, or one that goes."""
    kept = os.environ.get("VLAG_BENCH_SCALE")
    with tempfile.TemporaryDirectory(prefix="vlag-scale-") as scratch:
        yield Path(kept or scratch)


@contextmanager
def opened(commits: int) -> Iterator[tuple[str, Path]]:
    """Yield the connection string of a filled database, made if missing, and its folder."""
    with place() as folder:
        filled(folder, commits)
        with private_cluster(folder) as dsn:
            migrate(dsn)
            yield dsn, folder


def main() -> None:
    """Fill the database if it is not there, ask everything twice, write the figures."""
    with place() as folder:
        _measure(folder, filled(folder, COMMITS))


def _measure(folder: Path, minutes: str) -> None:
    # As Debian ships it, and started anew: what its own memory held is gone.
    with private_cluster(folder) as dsn:
        migrate(dsn)
        with database.connect(dsn) as conn:
            own, lines = questions(conn), facts(conn)
    with private_cluster(folder) as dsn, psycopg.connect(database.as_user(dsn, READER)) as conn:
        panels, whole = of_dashboards(conn), of_dashboards(conn, whole=True)
        measured = [(q, *seconds(conn, q), seconds(conn, q)[0]) for q in (*own, *panels)]
        years = {q.name: min(seconds(conn, q)[0] for _ in range(2)) for q in whole}
    # Others may use the machine as well: what is late is late each time.
    late = [
        q.name
        for q, first, _rows, again in measured
        if max(min(first, again), years.get(q.name, 0.0)) > q.limit_s
    ]
    write(
        "scale",
        "The views over ten million samples",
        "python -m bench scale",
        [*lines, f"filled in {minutes} minutes",
         f"1, 5 and 15 minutes' load: {', '.join(f'{x:.1f}' for x in os.getloadavg())}",
         f"slower than {LIMIT_S:g} s, a variable than {CHOICE_LIMIT_S:g} s, in both of two tries:"
         f" {', '.join(late) or 'none'}"],
        [
            "Generated by `bench/scale.sql`: 24 branches over three years on four types of"
            " board, five boots of six benchmarks a kernel, and what follows from them. The server"
            " has PostgreSQL's default settings and has just started; files may be in the page"
            " cache. The read-only role runs the queries, and the client fetches all rows. Each"
            " dashboard is queried as it opens, and again with a person's choices. The last column"
            " is the faster of two tries in a time range that covers everything.",
            "",
            *table(
                ["question", "rows", "first, ms", "again, ms", "all years, ms"],
                [
                    (q.name, rows, *(f"{x * 1000:.0f}" for x in (first, again)),
                     f"{years[q.name] * 1000:.0f}" if q.name in years else "")
                    for q, first, rows, again in measured
                ],
            ),
        ],
    )  # fmt: skip


def facts(conn: Connection) -> list[str]:
    """Return the server's version and what is in the database, a line each."""
    row = conn.execute(
        "SELECT current_setting('server_version'),"
        " pg_size_pretty(pg_database_size(current_database())),"
        " (SELECT sum(cardinality(values)) FROM sample), (SELECT count(*) FROM run),"
        " (SELECT count(*) FROM kernel), (SELECT count(*) FROM run_value),"
        " (SELECT count(*) FROM histogram), (SELECT count(*) FROM comparison),"
        " (SELECT count(*) FROM verdict)"
    ).fetchone()
    assert row is not None
    version, size, *counts = row
    what = ("samples", "runs", "kernels", "numbers a boot and statistic", "histograms",
            "comparisons", "verdicts")  # fmt: skip
    counts_ = ", ".join(f"{count:,} {name}" for count, name in zip(counts, what, strict=True))
    return [f"PostgreSQL {version}, {size}", counts_]
