# SPDX-License-Identifier: GPL-2.0-only
"""One verdict over many metrics, boards or kernels.

Changes form a lattice: MIXED is above REGRESSION and IMPROVEMENT, both are above NONE,
and a join is the least change that covers all.  MARGINAL, INCONCLUSIVE and NOT_COMPARABLE
are not part of it: they are counted separately, so that "nothing changed" never hides "nobody
knows".  A hint (a figure that its board cannot prove) makes no verdict either and is
listed separately.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from vlag.model import UNDECIDED, Verdict
from vlag.stats import severity


class Change(enum.Enum):
    """Element of the lattice."""

    NONE = "NONE"
    IMPROVEMENT = "IMPROVEMENT"
    REGRESSION = "REGRESSION"
    MIXED = "MIXED"


_OF_VERDICT = {
    Verdict.REGRESSION: Change.REGRESSION,
    Verdict.IMPROVEMENT: Change.IMPROVEMENT,
}
_UNDECIDED = tuple(map(Verdict, UNDECIDED))


def join(changes: Iterable[Change]) -> Change:
    """Return the least change that covers all; NONE for no change at all."""
    kinds = set(changes) - {Change.NONE}
    if len(kinds) > 1:
        return Change.MIXED
    return kinds.pop() if kinds else Change.NONE


@frozen(kw_only=True)
class Row:
    """The fields of a verdict that a summary needs."""

    name: str  # of the metric, for people
    verdict: Verdict
    effect: float | None = None  # relative, new / base - 1
    hint: bool = False  # the board, or an unproven benchmark, cannot prove it

    @property
    def change(self) -> Change:
        """Return the verdict's place in the lattice; NONE for verdicts without a change."""
        return _OF_VERDICT.get(self.verdict, Change.NONE)

    @property
    def size(self) -> float:
        """Return the size of the effect as a log ratio: halved weighs as much as doubled."""
        return severity.log_ratio(self.effect)


@frozen(kw_only=True)
class Summary:
    """Summary of the verdicts of one or more kernels on one or more boards."""

    change: Change  # of the rows that are proof
    hinted: Change  # of the hints alone
    counts: Mapping[Verdict, int]  # every verdict, without the hints
    hints: Mapping[Verdict, int]  # every verdict, of the hints alone
    worst: tuple[Row, ...]  # largest regression, and any that is as large; () without one
    sentence: str

    @property
    def total(self) -> int:
        """Return the number of rows that are not hints."""
        return sum(self.counts.values())

    @property
    def undecided(self) -> int:
        """Return the number of undecided rows that are not hints."""
        return sum(self.counts[v] for v in _UNDECIDED)

    @property
    def word(self) -> str:
        """Return the summary in one word, which is never UNCHANGED while a row is undecided.

        A change; else the hints' change with " (hint)"; else the first of MARGINAL,
        NOT_COMPARABLE, INCONCLUSIVE or UNCHANGED that any row has.  INCONCLUSIVE without rows.
        """
        if self.change is not Change.NONE:
            return str(self.change.value)
        if self.hinted is not Change.NONE:
            return f"{self.hinted.value} (hint)"
        present = (v for v in severity.VERDICTS if self.counts[v] or self.hints[v])
        return str(next(present, Verdict.INCONCLUSIVE).value)


def summary(rows: Iterable[Row]) -> Summary:
    """Return one verdict over the metrics of one kernel on one board."""
    rows = list(rows)
    proven = [r for r in rows if not r.hint]
    counts, hints = _count(proven), _count(r for r in rows if r.hint)
    worst = _worst(proven)
    return Summary(
        change=join(r.change for r in proven),
        hinted=join(r.change for r in rows if r.hint),
        counts=counts,
        hints=hints,
        worst=worst,
        sentence=_sentence(counts, hints, worst),
    )


def _count(rows: Iterable[Row]) -> dict[Verdict, int]:
    counts = Counter(r.verdict for r in rows)
    return {v: counts[v] for v in Verdict}


def _worst(rows: Sequence[Row]) -> tuple[Row, ...]:
    worse = [r for r in rows if r.change is Change.REGRESSION]
    most = max((r.size for r in worse), default=0.0)
    return tuple(r for r in worse if r.size == most)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _sentence(
    counts: Mapping[Verdict, int], hints: Mapping[Verdict, int], worst: Sequence[Row]
) -> str:
    total = sum(counts.values())
    parts = []
    if total:
        parts.append(_changed(counts, total, worst))
        if counts[Verdict.MARGINAL]:
            parts.append(f"{counts[Verdict.MARGINAL]} marginal")
        if 0 < sum(counts[v] for v in _UNDECIDED) < total:
            parts += _open(counts)
    if any(hints.values()):
        parts.append(_hinted(hints))
    return ", ".join(parts) or "nothing was compared"


def _changed(counts: Mapping[Verdict, int], total: int, worst: Sequence[Row]) -> str:
    metrics = f"{total} metric{'s' if total != 1 else ''}"
    worse, better = counts[Verdict.REGRESSION], counts[Verdict.IMPROVEMENT]
    if worse:
        named = _listed([r.name for r in worst])
        effect = worst[0].effect if worst else None
        size = "" if effect is None else f" by {100 * abs(effect):.1f} %"
        text = f"{worse} of {metrics} worse (most: {named}{size})"
        return f"{text}, {better} better" if better else text
    if better:
        return f"{better} of {metrics} better, none worse"
    if sum(counts[v] for v in _UNDECIDED) == total:
        return f"none of {metrics} could be decided ({', '.join(_open(counts))})"
    if counts[Verdict.MARGINAL]:
        return f"none of {metrics} changed by more than what matters"
    return f"none of {metrics} changed"


def _open(counts: Mapping[Verdict, int]) -> list[str]:
    words = {Verdict.INCONCLUSIVE: "undecided", Verdict.NOT_COMPARABLE: "not comparable"}
    return [f"{counts[v]} {word}" for v, word in words.items() if counts[v]]


def _hinted(hints: Mapping[Verdict, int]) -> str:
    words = {
        Verdict.REGRESSION: "worse",
        Verdict.IMPROVEMENT: "better",
        Verdict.UNCHANGED: "unchanged",
        Verdict.MARGINAL: "marginal",
    }
    phrases = [f"{hints[v]} {word}" for v, word in words.items() if hints[v]] + _open(hints)
    return f"hints that prove nothing: {', '.join(phrases)}"
