# SPDX-License-Identifier: GPL-2.0-only
"""Boots: everything about one, and what many gave."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypedDict

from vlag.report.read_model.rows import column, one, rows
from vlag.report.read_model.view_rows import KernelRow
from vlag.store.database import Connection

#: Newest comparisons to search for the other side of a run.
_SEARCHED: Final = 20


class RunRow(TypedDict):
    """`run`: a boot of a kernel on a board."""

    id: int
    kernel: int
    board: str
    board_type: str
    deterministic: bool | None
    limits: str | None
    plan: str | None
    benchmark: str
    parameters: str
    seed: int
    knobs: str
    observes: str | None
    outcome: str
    reason: str | None
    started_at: datetime
    finished_at: datetime
    took_s: float
    estimate_s: float
    tool_version: str | None
    emulator: str | None
    emulator_version: str | None
    image_sha256: str | None
    config_sha256: str | None
    location: str
    executor: str | None
    lab: str | None
    job: str | None
    output: str | None
    reproduce: str | None
    synthetic: bool
    alarms: int
    left_out: str | None
    marked: bool
    digest: str


class HealthRow(TypedDict):
    """`run_health`: a kernel alarm on the console of a run."""

    run: int
    number: int
    kind: str
    text: str
    line: int | None
    phase: str | None


class ValueRow(TypedDict):
    """A value of a run, with its series."""

    metric: str
    unit: str
    direction: str
    tool: str
    tool_version: str
    run: int
    series: int
    statistic: str
    at: datetime
    value: float


class EnvironmentRow(TypedDict):
    """A file or section that the board printed."""

    name: str
    value: str


class RunEnvironmentRow(EnvironmentRow):
    """The same of one of several runs."""

    run: int


class UsedBy(TypedDict):
    """A comparison that uses a run."""

    id: int
    base: str
    new: str
    board_type: str
    at: datetime


class WholeRun(RunRow):
    """Everything about one run."""

    kernels: list[KernelRow]  # that it counts for
    values: list[ValueRow]
    health: list[HealthRow]
    environment: list[EnvironmentRow]
    comparisons: list[UsedBy]


class PlaceRow(TypedDict):
    """Where a boot ran."""

    id: int
    board: str
    seed: int


class BootRow(PlaceRow):
    """A boot with its value of a statistic."""

    outcome: str
    marked: bool
    value: float | None


class CounterpartRow(TypedDict):
    """The base's run to compare a new kernel's run with."""

    id: int
    comparison: int
    base: str


class BesideRow(TypedDict):
    """A single number of a run."""

    benchmark: str
    parameters: str
    metric: str
    unit: str
    run: int
    value: float


class RemovalRow(TypedDict):
    """When and why a bundle was removed."""

    at: datetime
    why: str


class _OutcomeRow(TypedDict):
    what: str
    outcome: str
    count: int


class _DurationRow(TypedDict):
    stage: str
    started_at: datetime
    finished_at: datetime


def run(conn: Connection, id_: int) -> WholeRun | None:
    """Return everything about one run, or None."""
    row = one(conn, RunRow, "SELECT r.* FROM read_model.run r WHERE r.id = %(id)s", {"id": id_})
    if row is None:
        return None
    values = {"id": id_}
    return {
        **row,
        "kernels": rows(
            conn,
            KernelRow,
            "SELECT k.* FROM read_model.kernel k WHERE k.id = %(kernel)s OR k.id IN"
            " (SELECT x.kernel FROM read_model.kernel_run x WHERE x.run = %(id)s) ORDER BY k.id",
            {**values, "kernel": row["kernel"]},
        ),
        "values": rows(
            conn,
            ValueRow,
            "SELECT s.metric, s.unit, s.direction, s.tool, s.tool_version, v.*"
            " FROM read_model.run_value v JOIN read_model.series s ON s.id = v.series"
            " WHERE v.run = %(id)s ORDER BY s.metric, v.statistic",
            values,
        ),
        "health": rows(
            conn,
            HealthRow,
            "SELECT h.* FROM read_model.run_health h WHERE h.run = %(id)s ORDER BY number",
            values,
        ),
        "environment": rows(
            conn,
            EnvironmentRow,
            "SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = %(id)s"
            " ORDER BY e.name",
            values,
        ),
        "comparisons": rows(
            conn,
            UsedBy,
            # One after the other: as one join, its plan takes longer than all the rest.
            "WITH mine AS MATERIALIZED (SELECT c.id, c.base, c.new, c.board_type, c.at"
            "   FROM read_model.comparison c, (SELECT ARRAY(SELECT x.kernel"
            "     FROM read_model.kernel_run x WHERE x.run = %(id)s) AS kernels) k"
            "   WHERE c.base_kernel = ANY(k.kernels) OR c.new_kernel = ANY(k.kernels))"
            " SELECT m.* FROM mine m WHERE m.id IN (SELECT v.comparison FROM read_model.verdict v"
            "   WHERE v.comparison = ANY(ARRAY(SELECT m.id FROM mine m))"
            "   AND %(id)s = ANY(v.base_runs || v.new_runs)) ORDER BY m.id DESC",
            values,
        ),
    }


def location(conn: Connection, run: int) -> str | None:
    """Return where a run's bundle is, or None for a run that is not on record."""
    sql: Final = "SELECT r.location FROM read_model.run r WHERE r.id = %(id)s"
    return next(iter(column(conn, sql, {"id": run})), None)


def command(conn: Connection, id_: int) -> str | None:
    """Return the command that repeats a run, or None."""
    sql: Final = "SELECT r.reproduce FROM read_model.run r WHERE r.id = %(id)s"
    return next(iter(column(conn, sql, {"id": id_})), None)


def removal(
    conn: Connection, location: str | None, *, run: int | None, kernel: int | None
) -> RemovalRow | None:
    """Return when and why the bundle of a run or of a kernel's build was removed, or None."""
    return one(
        conn,
        RemovalRow,
        "SELECT x.at, x.why FROM read_model.removal x"
        " WHERE (x.run = %(run)s OR x.kernel = %(kernel)s) AND x.location = %(location)s",
        {"run": run, "kernel": kernel, "location": location},
    )


def boots_of(
    conn: Connection, runs: Sequence[int], series: int | None, statistic: str
) -> list[BootRow]:
    """Return runs with their values of a statistic, in the order of their seeds."""
    return rows(
        conn,
        BootRow,
        "SELECT r.id, r.board, r.seed, r.outcome, r.marked, v.value FROM read_model.run r"
        " LEFT JOIN read_model.run_value v ON v.run = r.id AND v.series = %(series)s"
        "   AND v.statistic = %(statistic)s"
        " WHERE r.id = ANY(%(runs)s) ORDER BY r.seed, r.id",
        {"runs": list(runs), "series": series, "statistic": statistic},
    )


def places(conn: Connection, runs: Sequence[int]) -> dict[int, PlaceRow]:
    """Return seed and board of runs by number."""
    listed = rows(
        conn,
        PlaceRow,
        "SELECT r.id, r.board, r.seed FROM read_model.run r WHERE r.id = ANY(%(runs)s)",
        {"runs": list(runs)},
    )
    return {r["id"]: r for r in listed}


def counterpart(conn: Connection, run: RunRow) -> CounterpartRow | None:
    """Return the base's run to compare a new kernel's run with: `id`, `comparison`, `base`.

    It belongs to the newest comparison that uses the run, and has the same seed if
    possible; None for a run that is always a base.
    """
    return one(
        conn,
        CounterpartRow,
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


def beside(conn: Connection, series: Sequence[int], runs: Sequence[int]) -> list[BesideRow]:
    """Return the single numbers that runs gave beside those of some series."""
    return rows(
        conn,
        BesideRow,
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
    values = rows(
        conn,
        EnvironmentRow,
        "SELECT e.name, e.value FROM read_model.run_environment e WHERE e.run = %(run)s",
        {"run": run},
    )
    return {r["name"]: r["value"] for r in values}


def environments(
    conn: Connection, runs: Sequence[int], names: Sequence[str]
) -> list[RunEnvironmentRow]:
    """Return files and sections of the environments of runs."""
    return rows(
        conn,
        RunEnvironmentRow,
        "SELECT e.run, e.name, e.value FROM read_model.run_environment e"
        " WHERE e.run = ANY(%(runs)s) AND e.name = ANY(%(names)s)",
        {"runs": list(runs), "names": list(names)},
    )


def outcomes(conn: Connection) -> dict[str, dict[str, int]]:
    """Return how many builds and runs of boards had each outcome: "build" and "run" -> counts."""
    counts = rows(
        conn,
        _OutcomeRow,
        "SELECT 'build' AS what, b.outcome, count(*) AS count FROM read_model.kernel_build b"
        " GROUP BY b.outcome"
        " UNION ALL SELECT 'run', r.outcome, count(*) FROM read_model.run r"
        " WHERE NOT r.synthetic GROUP BY r.outcome",
    )
    by_kind: dict[str, dict[str, int]] = {"build": {}, "run": {}}
    for r in counts:
        by_kind[r["what"]][r["outcome"]] = r["count"]
    return by_kind


def last_durations(conn: Connection) -> dict[str, float]:
    """Return the seconds of the newest build and of the newest boot, without missing ones."""
    durations = rows(
        conn,
        _DurationRow,
        "(SELECT 'build' AS stage, b.started_at, b.finished_at FROM read_model.kernel_build b"
        " ORDER BY b.finished_at DESC LIMIT 1)"
        " UNION ALL (SELECT 'boot', r.started_at, r.finished_at FROM read_model.run r"
        " WHERE NOT r.synthetic ORDER BY r.finished_at DESC LIMIT 1)",
    )
    return {r["stage"]: (r["finished_at"] - r["started_at"]).total_seconds() for r in durations}
