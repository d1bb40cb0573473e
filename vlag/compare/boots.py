# SPDX-License-Identifier: GPL-2.0-only
"""What boots on record say of one figure of a kernel, by seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from vlag.compare import conditions, sides
from vlag.compare.conditions import Group
from vlag.compare.scope import Scope
from vlag.compare.toggle_attribution import Subject
from vlag.config.catalogue import Catalogue
from vlag.stats.summary import value_of
from vlag.store import kernels
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection

_EVERYTHING = Scope(plan=None, stage=None, entries=())


@frozen(kw_only=True)
class Booted:
    """The boots of one kernel that count, by seed."""

    values: Mapping[int, float]  # in the metric's unit; of equal seeds the newest
    failed: Mapping[int, str]  # outcome and reason of those without a value
    boards: Mapping[int, str]  # the board of each value


def reader(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, subject: Subject
) -> Callable[[int], Booted]:
    """Return what reads the boots of a kernel by its id, as a comparison has its own.

    They have its board type, the knobs of its new side and the conditions under which both
    sides were compared: boots with another version of the tool or the emulator are none of them.
    Those of a base that real boards have booted for years are near those of the new side.
    """
    benchmark, parameters, metric, statistic = subject
    board = catalogue.board_type(comparison.board_type)

    def booted(kernel: int, beside: sides.Side | None) -> sides.Side:
        return sides.side(
            conn, name="new", kernel=kernels.by_id(conn, kernel), knobs=comparison.new_knobs,
            board=board, synthetic=False, scope=_EVERYTHING, beside=beside,
        )  # fmt: skip

    new = None if board.deterministic else booted(comparison.new_kernel, None)

    def side(kernel: int) -> sides.Side:
        return booted(kernel, new if kernel == comparison.base_kernel else None)

    def measured(kernel: int) -> list[Group]:
        return side(kernel).measured(benchmark, parameters, metric)

    _, like = conditions.pair(measured(comparison.base_kernel), measured(comparison.new_kernel))

    def read(kernel: int) -> Booted:
        kernel_side = side(kernel)
        measured_runs = [
            (run, value)
            for group in kernel_side.measured(benchmark, parameters, metric)
            if like is None or group.conditions == like.conditions
            for run, figures in zip(group.runs, group.figures, strict=True)
            if (value := value_of(figures.figures, statistic)) is not None
        ]
        measured_runs.sort(key=lambda pair: pair[0].id)
        values = {run.seed: value for run, value in measured_runs}
        failed = {
            run.seed: f"{run.outcome}: {run.reason}"
            for run in kernel_side.failed
            if (run.benchmark, dict(run.parameters)) == (benchmark, dict(parameters))
            and run.seed not in values
        }
        boards = {run.seed: run.board for run, _ in measured_runs}
        return Booted(values=values, failed=failed, boards=boards)

    return read
