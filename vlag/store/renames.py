# SPDX-License-Identifier: GPL-2.0-only
"""Renamed metrics: what is on record under a former name goes on under the present one."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen
from psycopg.rows import dict_row

from vlag.errors import UsageError
from vlag.model import Benchmark, Metric, time_series_key
from vlag.store.database import Connection

# Any constant that nothing else in the database uses.
_ADVISORY_LOCK = 0x766C616D

# Tables that name a metric -> what makes their rows unique beside it.
_NAMED = {
    "verdict": ("comparison", "benchmark", "parameters", "statistic"),
    "shift": ("comparison", "benchmark", "parameters"),
    "suspicion": (
        *("base_kernel", "new_kernel", "base_knobs", "new_knobs", "board_type"),
        *("benchmark", "parameters", "statistic", "conditions"),
    ),
    "bisection": (
        *("tree", "good", "bad", "board_type", "benchmark", "parameters", "knobs", "statistic"),
    ),
}
# Columns that name a series.
_OF_SERIES = (
    *(("sample", "series"), ("histogram", "series"), ("run_value", "series")),
    *(("verdict", "series_base"), ("verdict", "series_new")),
)


@frozen(kw_only=True)
class Renamed:
    """A former name that was on record."""

    benchmark: str
    former: str
    metric: str
    series: int  # how many go on under the present name

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.benchmark}: {self.former} is {self.metric} now, {self.series} series"


def apply(conn: Connection, benchmarks: Iterable[Benchmark]) -> list[Renamed]:
    """Rename what is on record under former names of metrics; return what was renamed.

    Series, verdicts, suspicions, distributions and bisections keep their rows, so that histories,
    alerts and links go on.  A series that was measured under both names is joined to the present
    one, and its number still leads there.  Idempotent, and one transaction.  Raises UsageError
    where the catalogue is wrong about a name: another unit or direction, or a run with both.
    """
    formers = [(b, m, former) for b in benchmarks for m in b.metrics for former in m.formerly]
    if not formers or not _on_record(conn, formers):
        return []
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_ADVISORY_LOCK,))
        # Another process may have done it while this one waited.
        there = _on_record(conn, formers)
        return [
            _rename(conn, *triple) for triple in formers if (triple[0].name, triple[2]) in there
        ]


def _on_record(
    conn: Connection, formers: Iterable[tuple[Benchmark, Metric, str]]
) -> set[tuple[str, str]]:
    asked = [(b.name, former) for b, _metric, former in formers]
    rows = conn.execute(
        "SELECT DISTINCT benchmark, metric FROM series"
        " WHERE (benchmark, metric) IN (SELECT * FROM unnest(%s::text[], %s::text[]))",
        ([name for name, _ in asked], [former for _, former in asked]),
    )
    return {(str(benchmark), str(metric)) for benchmark, metric in rows}


def _rename(conn: Connection, benchmark: Benchmark, metric: Metric, former: str) -> Renamed:
    key = f"the catalogue says that {metric.name} of {benchmark.name} was formerly {former!r}"
    with conn.cursor(row_factory=dict_row) as cursor:
        series = cursor.execute(
            "SELECT id, parameters, unit, direction::text, tool, tool_version, defaults, board_type"
            " FROM series WHERE benchmark = %s AND metric = %s ORDER BY id",
            (benchmark.name, former),
        ).fetchall()
    for s in series:
        if (s["unit"], s["direction"]) != (metric.unit, metric.direction.value):
            raise UsageError(
                f"{key}, but that is on record in {s['unit']}, {s['direction']} is better, and"
                f" {metric.name} is in {metric.unit}, {metric.direction.value} is better; take the"
                " name out of metrics.formerly"
            )
    for s in series:
        now = time_series_key(
            benchmark=benchmark.name,
            metric=metric.name,
            **{name: s[name] for name in s if name not in ("id", "direction")},
        )
        row = conn.execute("SELECT id FROM series WHERE key = %s", (now,)).fetchone()
        if row is None:
            conn.execute(
                "UPDATE series SET metric = %s, key = %s WHERE id = %s", (metric.name, now, s["id"])
            )
        else:
            _join(conn, s["id"], row[0], key)
            conn.execute("UPDATE series SET metric = %s WHERE id = %s", (metric.name, s["id"]))
    for table, columns in _NAMED.items():
        same = " AND ".join(f"y.{c} = x.{c}" for c in columns)
        conn.execute(
            f"UPDATE {table} x SET metric = %(metric)s"  # noqa: S608 - constants
            " WHERE x.benchmark = %(benchmark)s AND x.metric = %(former)s"
            f" AND NOT EXISTS (SELECT FROM {table} y WHERE {same} AND y.metric = %(metric)s)",
            {"benchmark": benchmark.name, "former": former, "metric": metric.name},
        )
    return Renamed(benchmark=benchmark.name, former=former, metric=metric.name, series=len(series))


def _join(conn: Connection, old: int, into: int, key: str) -> None:
    """Move what a series has to another one, which has its key now."""
    both = conn.execute(
        "SELECT a.run FROM run_value a JOIN run_value b ON b.run = a.run AND b.series = %s"
        " WHERE a.series = %s LIMIT 1",
        (into, old),
    ).fetchone()
    if both is not None:
        raise UsageError(
            f"{key}, but run {both[0]} has measured both: they are two metrics; take the name out"
            " of metrics.formerly"
        )
    for table, column in _OF_SERIES:
        conn.execute(
            f"UPDATE {table} SET {column} = %s WHERE {column} = %s",  # noqa: S608 - constants
            (into, old),
        )
    # A step that both found is one: the other stays where it was.
    conn.execute(
        "UPDATE change_point x SET series = %s WHERE x.series = %s AND NOT EXISTS ("
        "   SELECT FROM change_point y WHERE y.series = %s AND (y.statistic, y.tree, y.branch,"
        "   y.kernel) = (x.statistic, x.tree, x.branch, x.kernel))",
        (into, old, into),
    )
    conn.execute("UPDATE series SET joined_to = %s WHERE id = %s", (into, old))
