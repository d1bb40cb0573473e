"""Comparisons, their verdicts and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vlag.compare import verdict_keys as rows_of_reports
from vlag.report.document import Decided, FirstBoots
from vlag.report.read_model import worst_first
from vlag.report.read_model.rows import Row, one, rows
from vlag.store.database import Connection


def by_ids(conn: Connection, ids: Sequence[int]) -> list[Row]:
    """Return summaries of comparisons in the order of `ids`, without missing ones."""
    return rows(
        conn,
        "SELECT c.*, b.application AS base_application, n.patch_names"
        " FROM read_model.comparison_summary c JOIN read_model.kernel b ON b.id = c.base_kernel"
        " JOIN read_model.kernel n ON n.id = c.new_kernel WHERE c.id = ANY(%(ids)s)"
        " ORDER BY array_position(%(ids)s::bigint[], c.id)",
        {"ids": list(ids)},
    )


def comparison(conn: Connection, id_: int) -> Row | None:
    """Return a comparison's summary with `verdicts`, `distributions` and `failed`, or None."""
    found = by_ids(conn, [id_])
    if not found:
        return None
    return {
        **found[0],
        "verdicts": verdicts(conn, [id_]),
        "distributions": rows(
            conn,
            "SELECT d.* FROM read_model.distribution d WHERE d.comparison = %(id)s"
            " ORDER BY d.benchmark, d.parameters, d.metric, d.number",
            {"id": id_},
        ),
        "failed": failed(conn, [id_]),
    }


def failed(conn: Connection, ids: Sequence[int]) -> list[Row]:
    """Return the builds and runs of comparisons that failed."""
    return rows(
        conn,
        "SELECT f.* FROM read_model.failure f WHERE f.comparison = ANY(%(ids)s)"
        " ORDER BY f.kind, f.benchmark, f.build, f.run",
        {"ids": list(ids)},
    )


def verdicts(conn: Connection, ids: Sequence[int]) -> list[Row]:
    """Return the verdicts of comparisons, worst first, each with the tool that measured it."""
    return rows(
        conn,
        "SELECT v.*, s.tool, s.tool_version FROM read_model.verdict v"  # noqa: S608 - constants
        " LEFT JOIN read_model.series s ON s.id = coalesce(v.series_new, v.series_base)"
        " WHERE v.comparison = ANY(%(ids)s) ORDER BY " + worst_first.FIGURES,
        {"ids": list(ids)},
    )


def row(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the view `verdict` in the words that tables of reports have."""
    parameters = dict(p.partition("=")[::2] for p in verdict["parameters"].split())
    return {
        **rows_of_reports.row(verdict, parameters),
        **{key: verdict[key] for key in ("id", "comparison", "standing")},
        **screen(verdict),
        "told": None,
        "confirmable": verdict["standing"] == "suspected",
        "suspicion": None
        if verdict["stand"] is None
        else {"stand": verdict["stand"], "boots": verdict["fresh_boots"]},
    }


def screen(verdict: Mapping[str, Any]) -> Decided:
    """Return `decided_by` and `screen` of a row of the view `verdict`.

    If a rerun decided, the row has its numbers: `decided_by` is its comparison and
    `screen` has the numbers of the first boots.  Otherwise both are None.
    """
    if verdict["decided_by"] is None:
        return {"decided_by": None, "screen": None}
    first: FirstBoots = {
        "verdict": verdict["screened"],
        "base": verdict["screened_base_value"],
        "new": verdict["screened_new_value"],
        "effect": verdict["screened_effect"],
        "ci_low": verdict["screened_ci_low"],
        "ci_high": verdict["screened_ci_high"],
        "n_base": verdict["screened_n_base"],
        "n_new": verdict["screened_n_new"],
    }
    return {"decided_by": verdict["decided_by"], "screen": first}


def night(conn: Connection, id_: int | None) -> Row | None:
    """Return a night on record, by default the last one; None if there is none."""
    return one(
        conn,
        "SELECT n.* FROM read_model.night n WHERE %(id)s::bigint IS NULL OR n.id = %(id)s"
        " ORDER BY n.id DESC LIMIT 1",
        {"id": id_},
    )


def words(conn: Connection, ids: Sequence[int]) -> dict[str, int]:
    """Return how many of some comparisons have each verdict, without those of the self-proof."""
    found = rows(
        conn,
        "SELECT s.verdict, count(*) AS count FROM read_model.comparison_summary s"
        " JOIN read_model.comparison c ON c.id = s.id"
        " WHERE s.id = ANY(%(ids)s) AND c.as_predicted IS NULL"
        " GROUP BY s.verdict, s.severity ORDER BY s.severity, s.verdict",
        {"ids": list(ids)},
    )
    return {r["verdict"]: r["count"] for r in found}


def matrix(
    conn: Connection, tree: str | None, branch: str | None, ids: Sequence[int] = ()
) -> list[Row]:
    """Return the summaries for the matrices of a branch, or of chosen comparisons.

    For a branch these are the current comparisons of its newest commit on each board type,
    against each base that any of them varies by patches, variant or knobs, without those of the
    self-proof.
    """
    found = rows(
        conn,
        "SELECT c.id, c.board_type, c.base_kernel, c.base_knobs, c.new_kernel, c.new_knobs,"
        " c.new_commit, c.at, c.patches IS NOT NULL OR c.variant <> 'default'"
        "   OR c.new_knobs <> c.base_knobs AS varied"
        " FROM read_model.comparison c"
        " WHERE CASE WHEN cardinality(%(ids)s::bigint[]) > 0 THEN c.id = ANY(%(ids)s)"
        "   ELSE c.current AND c.as_predicted IS NULL AND c.new_kernel IN"
        "     (SELECT f.kernel FROM read_model.kernel_branch f"
        "     WHERE f.tree = %(tree)s AND f.branch = %(branch)s) END"
        " ORDER BY (SELECT max(f.place) FROM read_model.kernel_branch f WHERE f.kernel ="
        "   c.new_kernel AND f.tree = %(tree)s AND f.branch = %(branch)s) DESC NULLS LAST,"
        " c.committed_at DESC, c.id DESC",
        {"tree": tree, "branch": branch, "ids": list(ids)},
    )
    if not ids:
        newest: dict[str, str] = {}
        for c in found:
            if c["varied"]:
                newest.setdefault(c["board_type"], c["new_commit"])
        found = [c for c in found if newest.get(c["board_type"]) == c["new_commit"]]
        varied = {_base(c) for c in found if c["varied"]}
        found = [c for c in found if _base(c) in varied]
    return by_ids(conn, sorted(c["id"] for c in found))


def _base(c: Mapping[str, Any]) -> tuple[Any, ...]:
    return c["board_type"], c["base_kernel"], c["base_knobs"]


def boots(
    conn: Connection, verdicts: Sequence[Mapping[str, Any]]
) -> dict[tuple[int, str], dict[int, float]]:
    """Return what the boots behind rows of the view `verdict` gave.

    By series and statistic, then by run, in the unit of the series.
    """
    sides = [(v[f"series_{side}"], v[f"{side}_runs"]) for v in verdicts for side in ("base", "new")]
    found = rows(
        conn,
        "SELECT v.series, v.statistic, v.run, v.value FROM read_model.run_value v"
        " WHERE v.series = ANY(%(series)s) AND v.run = ANY(%(runs)s)",
        {
            "series": sorted({series for series, _ in sides if series is not None}),
            "runs": sorted({run for _, runs in sides for run in runs}),
        },
    )
    of: dict[tuple[int, str], dict[int, float]] = {}
    for r in found:
        of.setdefault((r["series"], r["statistic"]), {})[r["run"]] = r["value"]
    return of


def buckets(conn: Connection, runs: Sequence[int], series: int) -> list[tuple[float, int]]:
    """Return the histogram of some runs together: (lower bound, samples), in order."""
    found = rows(
        conn,
        "SELECT h.lower_bound, sum(h.count)::bigint AS count FROM read_model.histogram_bucket h"
        " WHERE h.series = %(series)s AND h.run = ANY(%(runs)s)"
        " GROUP BY h.lower_bound HAVING sum(h.count) > 0 ORDER BY h.lower_bound",
        {"series": series, "runs": list(runs)},
    )
    return [(float(r["lower_bound"]), int(r["count"])) for r in found]
