"""The rows of one histogram: one family of tests.

A histogram has up to six rows, and each has its own chance to look like a change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from vlag.model import Verdict
from vlag.stats import sentences
from vlag.stats.compare import is_significant
from vlag.stats.multiple_testing import holm
from vlag.store.comparisons import VerdictRow
from vlag.store.shifts import ShiftRow

_FLAGS = (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value)


def judged(rows: Sequence[VerdictRow], moved: Callable[[], ShiftRow | None]) -> list[VerdictRow]:
    """Return the rows of one metric; withhold flags that one row of so many gets by chance.

    A flag needs a p that stays significant for all rows together: after Holm's correction over
    the rows with a p, or in the permutation test of the whole distribution (`moved`, made only
    where a flag needs it), which knows how the rows depend on each other.  A row without it is
    a suspicion.  Rows of a rerun are left alone: the screen named which of them are tested,
    each at a stricter level.
    """
    tested = [row for row in rows if row.p is not None]
    adjusted = iter(holm([row.p for row in tested if row.p is not None]))
    together = {row.statistic: next(adjusted) for row in tested}
    if any(_withheld(row, together) for row in rows):
        shift = moved()
        for quantile in shift.quantiles if shift is not None else ():
            name = quantile["name"]
            together[name] = min(together.get(name, 1.0), quantile["p"])
    return [
        evolve(
            row,
            verdict=Verdict.INCONCLUSIVE.value,
            suspect=True,
            reason=sentences.one_of(
                len(tested), row.effect or 0.0, together[row.statistic], better=not row.worse
            ),
        )
        if _withheld(row, together)
        else row
        for row in rows
    ]


def _withheld(row: VerdictRow, together: Mapping[str, float]) -> bool:
    flag = row.verdict in _FLAGS and row.stand is None
    return flag and row.p is not None and not is_significant(together[row.statistic])
