# SPDX-License-Identifier: GPL-2.0-only
"""Rows for other programs: with identities that are the same in every database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import LiteralString, TypedDict

from vlag.report.document import PatchData
from vlag.report.read_model.rows import each, rows
from vlag.report.read_model.run_rows import RunRow
from vlag.report.read_model.view_rows import VerdictRow
from vlag.store.database import Connection

#: Rows that one answer of the server has.
_AT_ONCE = 5000


class BuildRow(TypedDict):
    """`kernel_build`: an attempt to build a kernel."""

    id: int
    kernel: int
    digest: str
    outcome: str
    reason: str | None
    release: str | None
    image_sha256: str | None
    config_sha256: str | None
    toolchain: str
    started_at: datetime
    finished_at: datetime
    patches: list[PatchData]


class NamedVerdict(VerdictRow):
    """A verdict with its comparison's kernels."""

    base: str
    new: str
    base_kernel: int
    new_kernel: int
    base_knobs: str
    new_knobs: str
    at: datetime
    digest: str


class NamedBuild(BuildRow):
    """A build with its kernel."""

    tree: str
    branch: str | None
    commit: str
    describe: str
    subject: str
    name: str
    variant: str
    arch: str
    kconfig: str


class NamedValue(TypedDict):
    """A value of a run; `name` is "METRIC STATISTIC"."""

    run: int
    name: str
    value: float
    unit: str


class SampleRow(TypedDict):
    """A sample or a bucket of a histogram, with its run, kernel and metric."""

    run: int
    kernel: str
    tree: str
    branch: str | None
    commit: str
    describe: str
    patches: str | None
    application: str
    variant: str
    release: str | None
    board: str
    board_type: str
    plan: str | None
    benchmark: str
    parameters: str
    seed: int
    knobs: str
    observes: str | None
    finished_at: datetime
    metric: str
    unit: str
    direction: str
    tool: str
    tool_version: str


def verdicts(conn: Connection, ids: Sequence[int]) -> list[NamedVerdict]:
    """Return the verdicts of comparisons with both kernels' names."""
    return rows(
        conn,
        NamedVerdict,
        "SELECT v.*, c.base, c.new, c.base_kernel, c.new_kernel, c.base_knobs, c.new_knobs, c.at,"
        " c.digest FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison"
        " WHERE v.comparison = ANY(%(ids)s) ORDER BY v.id",
        {"ids": list(ids)},
    )


def runs(conn: Connection, ids: Sequence[int]) -> list[RunRow]:
    """Return the runs behind the verdicts of comparisons, and those that failed."""
    return rows(
        conn,
        RunRow,
        "SELECT r.* FROM read_model.run r"
        " WHERE r.id IN ("
        "  SELECT unnest(v.base_runs || v.new_runs) FROM read_model.verdict v"
        "  WHERE v.comparison = ANY(%(ids)s)"
        "  UNION SELECT f.run FROM read_model.failure f WHERE f.comparison = ANY(%(ids)s)"
        ") ORDER BY r.id",
        {"ids": list(ids)},
    )


def builds(conn: Connection, kernels: Sequence[int], ids: Sequence[int]) -> list[NamedBuild]:
    """Return the builds of kernels and of both sides of comparisons, oldest first."""
    return rows(
        conn,
        NamedBuild,
        "SELECT b.*, k.tree, k.branch, k.commit, k.describe, k.subject, k.name, k.variant, k.arch,"
        " k.kconfig FROM read_model.kernel_build b JOIN read_model.kernel k ON k.id = b.kernel"
        " WHERE k.id = ANY(%(kernels)s) OR k.id IN (SELECT unnest(ARRAY[c.base_kernel,"
        " c.new_kernel]) FROM read_model.comparison c WHERE c.id = ANY(%(ids)s)) ORDER BY b.id",
        {"kernels": list(kernels), "ids": list(ids)},
    )


def values(conn: Connection, ids: Sequence[int]) -> dict[int, dict[str, NamedValue]]:
    """Return the values of runs by "METRIC STATISTIC"."""
    by_run: dict[int, dict[str, NamedValue]] = {}
    for r in rows(
        conn,
        NamedValue,
        "SELECT v.run, s.metric || ' ' || v.statistic AS name, v.value, s.unit"
        " FROM read_model.run_value v JOIN read_model.series s ON s.id = v.series"
        " WHERE v.run = ANY(%(ids)s) ORDER BY v.run, s.id, v.statistic",
        {"ids": list(ids)},
    ):
        by_run.setdefault(r["run"], {})[r["name"]] = r
    return by_run


#: Of each row: its run, kernel and metric.
_COLUMNS: LiteralString = (
    "r.id AS run, k.digest AS kernel, k.tree, k.branch, k.commit, k.describe, k.series AS patches,"
    " k.application, k.variant, k.release, r.board, r.board_type, r.plan, r.benchmark,"
    " r.parameters, r.seed, r.knobs, r.observes, r.finished_at, s.metric, s.unit, s.direction,"
    " s.tool, s.tool_version"
)
_JOINS: LiteralString = (
    "JOIN read_model.run r ON r.id = x.run"
    " JOIN read_model.kernel k ON k.id = r.kernel JOIN read_model.series s ON s.id = x.series"
)
_WHERE: LiteralString = (
    "WHERE (%(ids)s::bigint[] IS NULL OR r.id IN ("
    "   SELECT unnest(v.base_runs || v.new_runs) FROM read_model.verdict v"
    "   WHERE v.comparison = ANY(%(ids)s)))"
    " AND (%(branch)s::text IS NULL OR r.kernel IN (SELECT f.kernel FROM read_model.kernel_branch f"
    "   WHERE f.branch_name = %(branch)s))"
    " AND (%(benchmark)s::text IS NULL OR r.benchmark = %(benchmark)s)"
    " ORDER BY r.id, s.id"
)
#: Kind -> its columns, its rows, and their order within a run and series.
_KINDS: dict[str, tuple[LiteralString, LiteralString, LiteralString]] = {
    "samples": (", x.instance, x.place, x.value", "read_model.sample x", ", x.place"),
    "histograms": (
        ", x.lower_bound, x.beyond, x.count", "read_model.histogram_bucket x", ", x.lower_bound",
    ),
}  # fmt: skip
KINDS = tuple(_KINDS)


def samples(
    conn: Connection, kind: str, *, ids: Sequence[int] | None, branch: str | None,
    benchmark: str | None,
) -> Iterator[SampleRow]:  # fmt: skip
    """Return the samples of runs, or the buckets of their histograms, in the order of the runs.

    `kind` is one of `KINDS`; `ids` are comparisons, `branch` is TREE/BRANCH; None: all.  The
    server sends them piece by piece.
    """
    columns, table, order = _KINDS[kind]
    query = f"SELECT {_COLUMNS}{columns} FROM {table} {_JOINS} {_WHERE}{order}"  # noqa: S608 - constants
    asked = {"ids": None if ids is None else list(ids), "branch": branch, "benchmark": benchmark}
    return each(conn, SampleRow, query, asked, _AT_ONCE)
