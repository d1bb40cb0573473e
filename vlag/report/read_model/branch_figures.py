# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a branch over its commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import TypedDict

from vlag.report.read_model.rows import column, one, rows
from vlag.report.read_model.view_rows import ChangePointRow, TimeSeriesRow
from vlag.store.database import Connection

# Most points of a plot: more are unreadable and too much for a page.
POINTS = 2000


class PointRow(TypedDict):
    """A boot of a history."""

    at: datetime
    value: float
    run: int
    kernel: int
    commit: str
    committed_at: datetime
    patches: str | None
    board: str
    seed: int
    marked: bool
    name: str
    subject: str
    describe: str


class MarkRow(TypedDict):
    """An alert about a figure of a history."""

    id: int
    title: str
    opened_at: datetime
    kernel: int


class Band(TypedDict):
    """The range of the last boots of a kernel, with their median."""

    name: str
    low: float
    high: float
    middle: float
    boots: int


class History(TypedDict):
    """A figure along a branch."""

    points: list[PointRow]  # by commit and then by time
    band: Band | None  # of the baseline
    changes: list[ChangePointRow]
    alerts: list[MarkRow]


class MedianRow(TypedDict):
    """The median of a kernel's boots, in the unit of the series."""

    series: int
    statistic: str
    kernel: int
    value: float


class RunBucketRow(TypedDict):
    """A bucket of the histogram of a boot."""

    run: int
    at: datetime
    committed_at: datetime
    kernel: int
    name: str
    lower_bound: int
    count: int


class _NamedValue(TypedDict):
    value: float
    name: str


def time_series(conn: Connection, id_: int) -> TimeSeriesRow | None:
    """Return one time series; of one that was joined to another, that."""
    return one(
        conn,
        TimeSeriesRow,
        "SELECT s.* FROM read_model.series s JOIN read_model.series x"
        " ON s.id = coalesce(x.joined_to, x.id) WHERE x.id = %(id)s",
        {"id": id_},
    )


def plain_kernels(conn: Connection, tree: str, branch: str, most: int | None = None) -> list[int]:
    """Return the kernels of a branch without patches or variant, the newest first.

    A query of `history` gets them as constants: PostgreSQL finds the boots by their kernels then,
    and does not read all boots of a series.
    """
    return column(
        conn,
        "SELECT k.id FROM read_model.kernel_branch f JOIN read_model.kernel k ON k.id = f.kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s AND k.application = 'none'"
        " AND k.variant = 'default' ORDER BY f.place DESC LIMIT %(most)s",
        {"tree": tree, "branch": branch, "most": most},
    )


def branch_history(
    conn: Connection,
    tree: str,
    branch: str,
    series: int,
    statistic: str,
    *,
    baseline: int | None = None,
    knobs: str = "",
    baseline_knobs: str | None = None,
) -> History:
    """Return a metric's history along a branch, as `vlag.report.plots.history_plot` takes it.

    `points` are boots, one after another in the order of their commits and then of time, at
    most `POINTS`, the newest; `band` is the range of the boots of the kernel `baseline` (with
    the same knobs unless `baseline_knobs` are given), None without any; `changes` are the
    active change points, each with the name of its kernel; `alerts` those about this metric
    whose kernel is one of the branch, without the withdrawn ones.
    """
    points = rows(
        conn,
        PointRow,
        "SELECT x.* FROM (SELECT h.at, h.value, h.run, h.kernel, h.commit, h.committed_at,"
        "   h.patches, h.board, h.seed, h.marked, k.name, k.subject, k.describe"
        " FROM read_model.history h JOIN read_model.kernel k ON k.id = h.kernel"
        " WHERE h.series = %(series)s AND h.statistic = %(statistic)s"
        "   AND h.kernel = ANY(%(kernels)s) AND h.knobs = %(knobs)s"
        " ORDER BY array_position(%(kernels)s::bigint[], h.kernel), h.at DESC, h.run DESC"
        " LIMIT %(most)s) x"
        " ORDER BY array_position(%(kernels)s::bigint[], x.kernel) DESC, x.at, x.run",
        {"series": series, "statistic": statistic, "kernels": plain_kernels(conn, tree, branch),
         "knobs": knobs, "most": POINTS},
    )  # fmt: skip
    changes = rows(
        conn,
        ChangePointRow,
        "SELECT p.* FROM read_model.change_point p WHERE p.series = %(series)s"
        " AND p.statistic = %(statistic)s AND p.tree = %(tree)s AND p.branch = %(branch)s"
        " AND p.withdrawn_at IS NULL ORDER BY p.committed_at, p.id",
        {"series": series, "statistic": statistic, "tree": tree, "branch": branch},
    )
    return {
        "points": points,
        "band": None
        if baseline is None
        else _band(
            conn, series, statistic, baseline, knobs if baseline_knobs is None else baseline_knobs
        ),
        "changes": changes,
        "alerts": rows(
            conn,
            MarkRow,
            "SELECT DISTINCT a.id, a.title, a.opened_at, a.new_kernel AS kernel"
            " FROM read_model.alert a JOIN read_model.alert_verdict v ON v.alert = a.id"
            " JOIN read_model.kernel_branch f ON f.kernel = a.new_kernel"
            "   AND f.tree = %(tree)s AND f.branch = %(branch)s"
            " WHERE a.withdrawn_at IS NULL AND v.series_new = %(series)s"
            "   AND v.statistic = %(statistic)s ORDER BY a.id",
            {"series": series, "statistic": statistic, "tree": tree, "branch": branch},
        ),
    }


def _band(conn: Connection, series: int, statistic: str, kernel: int, knobs: str) -> Band | None:
    """Return the range of the last boots of a kernel, with their median."""
    medians = rows(
        conn,
        _NamedValue,
        "SELECT h.value, k.name FROM read_model.history h JOIN"
        " read_model.kernel k ON k.id = h.kernel"
        " WHERE h.series = %(series)s AND h.statistic = %(statistic)s AND h.kernel = %(kernel)s"
        " AND h.knobs = %(knobs)s ORDER BY h.at DESC LIMIT %(most)s",
        {
            "series": series,
            "statistic": statistic,
            "kernel": kernel,
            "knobs": knobs,
            "most": POINTS,
        },
    )
    if not medians:
        return None
    values = [r["value"] for r in medians]
    return {
        "name": medians[0]["name"],
        "low": min(values),
        "high": max(values),
        "middle": median(values),
        "boots": len(values),
    }


def medians(
    conn: Connection, tree: str, branch: str, series: Sequence[int], *, knobs: str, most: int
) -> list[MedianRow]:
    """Return the medians of the boots of a branch's newest plain kernels, the newest last."""
    return rows(
        conn,
        MedianRow,
        "SELECT h.series, h.statistic, h.kernel,"
        "   percentile_cont(0.5) WITHIN GROUP (ORDER BY h.value) AS value"
        " FROM read_model.history h WHERE h.kernel = ANY(%(kernels)s)"
        "   AND h.series = ANY(%(series)s) AND h.knobs = %(knobs)s"
        " GROUP BY h.series, h.statistic, h.kernel"
        " ORDER BY h.series, h.statistic, array_position(%(kernels)s::bigint[], h.kernel) DESC",
        {
            "kernels": plain_kernels(conn, tree, branch, most),
            "series": list(series),
            "knobs": knobs,
        },
    )


def buckets_over_time(
    conn: Connection, *, tree: str, branch: str, series: int, most: int
) -> list[RunBucketRow]:
    """Return the histograms of the newest boots of a branch's plain kernels, in their order."""
    return rows(
        conn,
        RunBucketRow,
        "WITH newest AS ("
        "  SELECT DISTINCT array_position(%(kernels)s::bigint[], h.kernel) AS back, h.committed_at,"
        "    h.kernel, h.at, h.run FROM read_model.history h"
        "  WHERE h.series = %(series)s AND h.statistic = 'p50' AND h.kernel = ANY(%(kernels)s)"
        "  ORDER BY back, h.at DESC, h.run DESC LIMIT %(most)s)"
        " SELECT n.run, n.at, n.committed_at, n.kernel, k.name, b.lower_bound, b.count"
        " FROM newest n JOIN read_model.kernel k ON k.id = n.kernel"
        " JOIN read_model.histogram_bucket b ON b.run = n.run AND b.series = %(series)s"
        " WHERE b.count > 0 ORDER BY n.back DESC, n.at, n.run, b.lower_bound",
        {"series": series, "kernels": plain_kernels(conn, tree, branch), "most": most},
    )
