"""Queries that only the pages need, with the views and the role of `vlag.report.read_model`."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.report.read_model import plain_kernels
from vlag.report.read_model.rows import Row, one, rows
from vlag.store.database import Connection

#: Most comparisons on a branch's page.
_COMPARISONS = 80
#: Newest comparisons to search for the other side of a run.
_SEARCHED = 20


def board_types(conn: Connection, tree: str, branch: str) -> list[str]:
    """Return the board types that kernels of a branch were booted or compared on."""
    found = rows(
        conn,
        "SELECT c.board_type FROM read_model.comparison c"
        " JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s"
        " UNION SELECT r.board_type FROM read_model.kernel_branch f JOIN"
        " read_model.run r ON r.kernel = f.kernel"
        " WHERE f.tree = %(tree)s AND f.branch = %(branch)s ORDER BY 1",
        {"tree": tree, "branch": branch},
    )
    return [r["board_type"] for r in found]


def comparisons(conn: Connection, tree: str, branch: str, board_type: str) -> list[Row]:
    """Return the current comparisons of a branch on a board type, newest first."""
    return rows(
        conn,
        "SELECT s.* FROM read_model.comparison_summary s WHERE s.id = ANY(ARRAY("
        "  SELECT c.id FROM read_model.comparison c JOIN read_model.kernel_branch f"
        "    ON f.kernel = c.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s"
        "    WHERE c.board_type = %(board_type)s AND c.current AND c.as_predicted IS NULL"
        "    ORDER BY c.id DESC LIMIT %(most)s))"
        " ORDER BY s.id DESC",
        {"tree": tree, "branch": branch, "board_type": board_type, "most": _COMPARISONS},
    )


def of_pair(conn: Connection, base: int, new: int) -> list[int]:
    """Return the current comparisons of two kernels, newest first."""
    found = rows(
        conn,
        "SELECT c.id FROM read_model.comparison c WHERE c.base_kernel = %(base)s"
        " AND c.new_kernel = %(new)s AND c.current ORDER BY c.id DESC",
        {"base": base, "new": new},
    )
    return [r["id"] for r in found]


def kernel(conn: Connection, id_: int) -> Row | None:
    """Return one kernel."""
    return one(conn, "SELECT k.* FROM read_model.kernel k WHERE k.id = %(id)s", {"id": id_})


def removal(
    conn: Connection, location: str | None, *, run: int | None, kernel: int | None
) -> Row | None:
    """Return when and why the bundle of a run or of a kernel's build was removed, or None."""
    return one(
        conn,
        "SELECT x.at, x.why FROM read_model.removal x"
        " WHERE (x.run = %(run)s OR x.kernel = %(kernel)s) AND x.location = %(location)s",
        {"run": run, "kernel": kernel, "location": location},
    )


def series(conn: Connection, id_: int) -> Row | None:
    """Return one series; of one that was joined to another, that."""
    return one(
        conn,
        "SELECT s.* FROM read_model.series s JOIN read_model.series x"
        " ON s.id = coalesce(x.joined_to, x.id) WHERE x.id = %(id)s",
        {"id": id_},
    )


def boots(conn: Connection, runs: Sequence[int], series: int | None, statistic: str) -> list[Row]:
    """Return runs with their values of a statistic, in the order of their seeds."""
    return rows(
        conn,
        "SELECT r.id, r.board, r.seed, r.outcome, r.marked, v.value FROM read_model.run r"
        " LEFT JOIN read_model.run_value v ON v.run = r.id AND v.series = %(series)s"
        "   AND v.statistic = %(statistic)s"
        " WHERE r.id = ANY(%(runs)s) ORDER BY r.seed, r.id",
        {"runs": list(runs), "series": series, "statistic": statistic},
    )


def places(conn: Connection, runs: Sequence[int]) -> dict[int, Row]:
    """Return seed and board of runs by number."""
    found = rows(
        conn,
        "SELECT r.id, r.board, r.seed FROM read_model.run r WHERE r.id = ANY(%(runs)s)",
        {"runs": list(runs)},
    )
    return {r["id"]: r for r in found}


def counterpart(conn: Connection, run: Row) -> Row | None:
    """Return the base's run to compare a new kernel's run with: `id`, `comparison`, `base`.

    It belongs to the newest comparison that uses the run, and has the same seed if
    possible; None for a run that is always a base.
    """
    return one(
        conn,
        "WITH newest AS ("
        "  SELECT c.id, c.base FROM read_model.comparison c WHERE c.board_type = %(board_type)s"
        "    AND c.new_kernel IN (SELECT x.kernel FROM read_model.kernel_run x"
        " WHERE x.run = %(run)s)"
        "  ORDER BY c.id DESC LIMIT %(most)s)"
        " SELECT r.id, s.id AS comparison, s.base"
        " FROM newest s JOIN read_model.verdict v ON v.comparison = s.id"
        " JOIN read_model.run r ON r.id = ANY(v.base_runs)"
        " WHERE %(run)s = ANY(v.new_runs) AND r.id <> %(run)s"
        " ORDER BY s.id DESC, r.seed <> %(seed)s, r.id LIMIT 1",
        {"run": run["id"], "seed": run["seed"], "board_type": run["board_type"],
         "most": _SEARCHED},
    )  # fmt: skip


def beside(conn: Connection, series: Sequence[int], runs: Sequence[int]) -> list[Row]:
    """Return the single numbers that runs gave beside those of some series.

    A row has `benchmark`, `parameters`, `metric`, `unit`, `run` and `value`.
    """
    return rows(
        conn,
        "SELECT DISTINCT s.benchmark, s.parameters, s.metric, s.unit, v.run, v.value"
        " FROM read_model.series j JOIN read_model.series s ON s.benchmark = j.benchmark"
        "   AND s.parameters = j.parameters AND s.board_type = j.board_type"
        "   AND s.metric <> j.metric"
        " JOIN read_model.run_value v ON v.series = s.id AND v.statistic = 'median'"
        "   AND v.run = ANY(%(runs)s)"
        " WHERE j.id = ANY(%(series)s) ORDER BY s.benchmark, s.parameters, s.metric, v.run",
        {"series": list(series), "runs": list(runs)},
    )


def environment(conn: Connection, run: int) -> dict[str, str]:
    """Return the environment that the board printed in a run."""
    found = rows(
        conn,
        "SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = %(run)s",
        {"run": run},
    )
    return {r["name"]: r["value"] for r in found}


def buckets_over_time(
    conn: Connection, *, tree: str, branch: str, series: int, most: int
) -> list[Row]:
    """Return the histograms of the newest boots of a branch's plain kernels, in their order."""
    return rows(
        conn,
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


def board_use(conn: Connection) -> dict[str, Row]:
    """Return statistics of the boots of the last 30 days for every board."""
    found = rows(
        conn,
        "SELECT b.name AS board, count(r.id) AS boots,"
        " count(*) FILTER (WHERE r.outcome <> 'complete') AS failed, count(*) FILTER"
        " (WHERE r.marked) AS marked, count(r.left_out) AS left_out,"
        " sum(r.took_s) AS took_s, max(r.finished_at) AS last_at"
        " FROM read_model.board b LEFT JOIN read_model.run r ON r.board ="
        " b.name AND NOT r.synthetic"
        "   AND r.finished_at > now() - interval '30 days'"
        " GROUP BY b.name",
    )
    return {r["board"]: r for r in found}


def outcomes(conn: Connection) -> dict[str, dict[str, int]]:
    """Return how many builds and runs of boards had each outcome: "build" and "run" -> counts."""
    found = rows(
        conn,
        "SELECT 'build' AS what, b.outcome, count(*) AS count FROM read_model.kernel_build b"
        " GROUP BY b.outcome"
        " UNION ALL SELECT 'run', r.outcome, count(*) FROM read_model.run r"
        " WHERE NOT r.synthetic GROUP BY r.outcome",
    )
    of: dict[str, dict[str, int]] = {"build": {}, "run": {}}
    for r in found:
        of[r["what"]][r["outcome"]] = r["count"]
    return of


def last_durations(conn: Connection) -> dict[str, float]:
    """Return the seconds of the newest build and of the newest boot, without missing ones."""
    found = rows(
        conn,
        "(SELECT 'build' AS stage, b.started_at, b.finished_at FROM read_model.kernel_build b"
        " ORDER BY b.finished_at DESC LIMIT 1)"
        " UNION ALL (SELECT 'boot', r.started_at, r.finished_at FROM read_model.run r"
        " WHERE NOT r.synthetic ORDER BY r.finished_at DESC LIMIT 1)",
    )
    return {r["stage"]: (r["finished_at"] - r["started_at"]).total_seconds() for r in found}
