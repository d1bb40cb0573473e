# SPDX-License-Identifier: GPL-2.0-only
"""Families of tests: the rows of one histogram, and those of one set of files.

A histogram has up to six rows, and files have as many figures as a tool prints: each has its own
chance to look like a change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from vlag.model import FLAGS, Verdict
from vlag.stats import sentences
from vlag.stats.compare import is_significant
from vlag.stats.multiple_testing import discoveries, holm
from vlag.store.comparisons import VerdictRow
from vlag.store.shifts import ShiftRow


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


def discovered(rows: Sequence[VerdictRow]) -> list[VerdictRow]:
    """Return the rows of one set of files; withhold changes that may be chance among all of them.

    As for a night's comparisons, each row with a p is a test, hints are none, and of the flags
    those stand that pass Benjamini and Hochberg's procedure.  The others are suspicions.
    """
    tests = sum(row.p is not None and not row.hint for row in rows)
    flags = [
        (i, row.p)
        for i, row in enumerate(rows)
        if row.verdict in FLAGS and row.p is not None and not row.hint
    ]
    passed = discoveries([p for _i, p in flags], tests=tests)
    chance = {i for (i, _p), stands in zip(flags, passed, strict=True) if not stands}
    return [
        evolve(
            row,
            verdict=Verdict.INCONCLUSIVE.value,
            suspect=True,
            reason=sentences.one_of_family(
                tests, row.effect or 0.0, row.p or 0.0, better=not row.worse
            ),
        )
        if i in chance
        else row
        for i, row in enumerate(rows)
    ]


def _withheld(row: VerdictRow, together: Mapping[str, float]) -> bool:
    flag = row.verdict in FLAGS and row.stand is None
    return flag and row.p is not None and not is_significant(together[row.statistic])
