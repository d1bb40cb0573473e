"""Figures of a branch over its commits."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from vlag.report.read_model.rows import Row, rows
from vlag.store.database import Connection

# Most points of a plot: more are unreadable and too much for a page.
POINTS = 2000


def plain_kernels(conn: Connection, tree: str, branch: str, most: int | None = None) -> list[int]:
    """Return the kernels of a branch without patches or variant, the newest first.

    A query of `history` gets them as constants: PostgreSQL finds the boots by their kernels then,
    and does not read all boots of a series.
    """
    found = rows(
        conn,
        "SELECT k.id FROM read_model.kernel_branch f JOIN read_model.kernel k ON k.id = f.kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s AND k.application = 'none'"
        " AND k.variant = 'default' ORDER BY f.place DESC LIMIT %(most)s",
        {"tree": tree, "branch": branch, "most": most},
    )
    return [k["id"] for k in found]


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
) -> Row:
    """Return a metric's history along a branch, as `vlag.report.plots.history_plot` takes it.

    `points` are boots, one after another in the order of their commits and then of time, at
    most `POINTS`, the newest; `band` is the range of the boots of the kernel `baseline` (with
    the same knobs unless `baseline_knobs` are given), None without any; `changes` are the
    active change points, each with the name of its kernel; `alerts` those about this metric
    whose kernel is one of the branch, without the withdrawn ones.
    """
    points = rows(
        conn,
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
            "SELECT DISTINCT a.id, a.title, a.opened_at, a.new_kernel AS kernel"
            " FROM read_model.alert a JOIN read_model.alert_verdict v ON v.alert = a.id"
            " JOIN read_model.kernel_branch f ON f.kernel = a.new_kernel"
            "   AND f.tree = %(tree)s AND f.branch = %(branch)s"
            " WHERE a.withdrawn_at IS NULL AND v.series_new = %(series)s"
            "   AND v.statistic = %(statistic)s ORDER BY a.id",
            {"series": series, "statistic": statistic, "tree": tree, "branch": branch},
        ),
    }


def _band(conn: Connection, series: int, statistic: str, kernel: int, knobs: str) -> Row | None:
    """Return the range of the last boots of a kernel, with their median."""
    found = rows(
        conn,
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
    if not found:
        return None
    values = [r["value"] for r in found]
    return {
        "name": found[0]["name"],
        "low": min(values),
        "high": max(values),
        "middle": median(values),
        "boots": len(values),
    }


def medians(
    conn: Connection, tree: str, branch: str, series: Sequence[int], *, knobs: str, most: int
) -> list[Row]:
    """Return the medians of the boots of a branch's newest plain kernels, the newest last.

    Each has `series`, `statistic`, `kernel` and `value`, in the unit of its series.
    """
    return rows(
        conn,
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
