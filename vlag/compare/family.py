"""The rows of one histogram: one family of tests.

A histogram has up to six rows, and each has its own chance to look like a change.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from vlag.model import Verdict
from vlag.stats import sentences
from vlag.stats.compare import is_significant
from vlag.stats.multiple_testing import holm
from vlag.store.comparisons import VerdictRow

_FLAGS = (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value)


def judged(rows: Sequence[VerdictRow]) -> list[VerdictRow]:
    """Return the rows of one metric; withhold flags that one row of so many gets by chance.

    A flag needs a p that stays significant after Holm's correction over all rows with a p.
    A row without it is a suspicion.  Rows of fresh boots are left alone: the screen named
    which of them are tested, each at a stricter level.
    """
    tested = [row for row in rows if row.p is not None]
    adjusted = iter(holm([row.p for row in tested if row.p is not None]))
    found = []
    for row in rows:
        p = 0.0 if row.p is None else next(adjusted)
        if row.verdict in _FLAGS and row.stand is None and not is_significant(p):
            row = evolve(  # noqa: PLW2901
                row,
                verdict=Verdict.INCONCLUSIVE.value,
                suspect=True,
                reason=sentences.one_of(len(tested), row.effect or 0.0, p, better=not row.worse),
            )
        found.append(row)
    return found
