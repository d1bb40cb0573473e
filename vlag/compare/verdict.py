# SPDX-License-Identifier: GPL-2.0-only
"""One verdict: two sides' boots of one statistic, whether they are on record or in files.

`vlag.stats` has the word of whatever is tested; here are only those of sides that no test can
compare.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from attrs import evolve, field, frozen

from vlag.compare import boards as board_levels
from vlag.compare import mode_verdict
from vlag.compare.boards import Levelled, Problem
from vlag.compare.history import Known
from vlag.model import Benchmark, BoardType, Direction, Histogram, Metric, Sample, Verdict
from vlag.stats import distribution, stages
from vlag.stats.blocks import Levels
from vlag.stats.compare import BOOTS_MINIMUM, Comparison, Question, judge, levels
from vlag.stats.permutation import QuantileShift
from vlag.stats.rare_modes import RareMode
from vlag.stats.sentences import Change
from vlag.stats.shift import shift
from vlag.stats.summary import STATISTICS, statistics
from vlag.store.comparisons import VerdictRow
from vlag.store.shifts import ShiftRow
from vlag.verdict_data import QuantileData

# What a histogram's row is called where neither side has one to say it.
_UNKNOWN_STATISTIC = "p99"


@frozen(kw_only=True)
class Subject:
    """What a set of verdicts is about."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: Metric
    relevance: float  # on the board, or the metric's own where no board is known
    hint: bool


@frozen(kw_only=True)
class Boots:
    """What the boots of one side say of one metric, in the order of the boots."""

    name: str  # "base" or "new"
    figures: Sequence[Sample | Histogram | None]  # one a boot; None: the metric is not there
    boards: Sequence[str] = ()  # as `figures`; none where boards are equal or unknown
    seeds: Sequence[int] = ()  # as `figures`; none where they are unknown

    def values(self, statistic: str) -> list[float]:
        """Return one value a boot, in the metric's unit, as far as the boots know it."""
        each = (statistics(f).get(statistic) for f in self.figures if f is not None)
        return [value for value in each if value is not None]

    def those(self, counts: Callable[[int], bool]) -> Boots:
        """Return the boots whose seeds count; all where the seeds are unknown."""
        if not self.seeds:
            return self
        kept = [i for i, seed in enumerate(self.seeds) if counts(seed)]
        return evolve(
            self,
            figures=[self.figures[i] for i in kept],
            boards=[self.boards[i] for i in kept] if self.boards else (),
            seeds=[self.seeds[i] for i in kept],
        )

    @property
    def histograms(self) -> list[Histogram]:
        """The boots' distributions."""
        return [f for f in self.figures if isinstance(f, Histogram)]


@frozen(kw_only=True)
class Confirmation:
    """What a rerun is asked for."""

    rounds: tuple[int, ...]
    suspected: Mapping[str, bool]  # statistic -> whether it is suspected to be worse
    modes: Mapping[str, RareMode] = field(factory=dict)  # statistic -> what a screen has shown
    mode_rounds: tuple[int, ...] = ()  # further rounds, whose boots count for modes alone
    asked: int | None = None  # boots a side that the rounds so far were to give; None: unknown
    last: int | None = None  # seed with which the rounds of all suspicions end; None: unknown

    def counts(self, statistic: str, seed: int) -> bool:
        """Return whether a boot with a seed counts for a statistic."""
        return self.last is None or seed <= self.last or statistic in self.modes


def hinted(metric: Metric, board: BoardType | None, *, unproven: bool) -> bool:
    """Return whether a verdict proves nothing: for the board's sake, or for the parser's."""
    return unproven or (metric.cross_cpu and board is not None and board.deterministic)


def subject(
    benchmark: Benchmark, parameters: Mapping[str, str | int], metric: Metric, board: BoardType
) -> Subject:
    """Return a metric of a benchmark on a type of board as a subject."""
    return Subject(
        benchmark=benchmark.name,
        parameters=parameters,
        metric=metric,
        relevance=metric.relevance_on(board),
        hint=hinted(metric, board, unproven=benchmark.unproven is not None),
    )


def known(metric: Metric, *sides: Boots) -> list[str]:
    """Return the statistics that any boot knows, in their order; of none the usual one."""
    names = {name for s in sides for f in s.figures if f is not None for name in statistics(f)}
    names = names or {_UNKNOWN_STATISTIC if metric.histogram else "median"}
    return sorted(names, key=STATISTICS.index)


def nothing_ran(failures: Mapping[str, Iterable[str]]) -> Problem:
    """Return the problem of sides without a complete run: name -> outcomes that failed."""
    phrases = []
    for name, outcomes in failures.items():
        words = ", ".join(sorted(set(outcomes)))
        phrases.append(f"the {name} has no complete run" + (f" (failed: {words})" if words else ""))
    return Verdict.INCONCLUSIVE, "; ".join(phrases)


def row(
    figure: Subject,
    statistic: str,
    base: Boots,
    new: Boots,
    *,
    problem: Problem | None = None,
    shared: bool = False,
    history: Known | None = None,
    confirmation: Confirmation | None = None,
    earlier: Sequence[Boots] = (),
    known_levels: Levels | None = None,
) -> VerdictRow:
    """Return the verdict on one statistic, without runs and series on record.

    `problem` is a verdict that is known before any test.  `shared` says that both sides
    have the same boots.  With a `confirmation` the boots are those of a rerun that settle a
    suspicion.  `earlier` are the base's boots of earlier nights, which join as controls.  With
    `known_levels` of the boards the sides may have run on different ones.
    """
    metric = figure.metric
    if confirmation is not None:
        base, new = (b.those(partial(confirmation.counts, statistic)) for b in (base, new))
    values = base.values(statistic), new.values(statistic)
    problem = problem or _unknown(figure, statistic, base) or _unknown(figure, statistic, new)
    shared = shared and problem is None
    if shared:
        # One image: no test of the boots' scatter could say more than this.
        problem = Verdict.UNCHANGED, "base and new have the same image and share these boots"
    if problem is not None:
        judged = _Judged(verdict=problem[0], reason=problem[1])
    else:
        taken = board_levels.levelled(
            values,
            (base.boards, new.boards),
            resolution=metric.resolution,
            earlier=[(night.values(statistic), night.boards) for night in earlier],
            known=known_levels,
        )
        judged = _judged(figure, statistic, taken, history or Known(), confirmation, new.seeds)
    return _row(figure, statistic, base, new, judged, shared=shared)


@frozen(kw_only=True)
class _Judged:
    """A verdict with the test behind it; None: there was none."""

    verdict: Verdict
    reason: str
    answer: Comparison | None = None
    stand: stages.Stand | None = None  # of a rerun
    given: Change | None = None  # a confirmed change, given that it passed
    taken: Levelled | None = None  # the values that were tested


def _judged(
    figure: Subject,
    statistic: str,
    taken: Levelled,
    history: Known,
    confirmation: Confirmation | None,
    seeds: Sequence[int],
) -> _Judged:
    """Test the values of both sides, as a screen or as the rerun of a suspicion."""
    question = Question(
        base=taken.base,
        new=taken.new,
        direction=figure.metric.direction,
        relevance=figure.relevance,
        resolution=figure.metric.resolution,
        prior=history.prior,
        paired=history.paired,
        modes=history.modes,
        one_mode=history.one_mode,
        controls=taken.controls,
        blocks=taken.blocks,
    )
    stand = given = None
    if confirmation is None:
        [answer] = judge([question])
        if len(seeds) == len(taken.new) and taken.blocks is None:
            answer = mode_verdict.suspicion(answer, question, history.deviations, seeds)
    else:
        mode = confirmation.modes.get(statistic)
        # Of several boards the levels were taken off, which a mode's border has not.
        if taken.blocks is not None or len(seeds) != len(taken.new):
            mode = None
        worse = confirmation.suspected.get(statistic)
        decision = _confirmed(question, confirmation, worse, of_mode=mode is not None)
        if mode is not None:
            decision = mode_verdict.settled(
                decision,
                question,
                mode,
                matters=figure.metric.relevant_share,
                rounds=confirmation.rounds,
                mode_rounds=confirmation.mode_rounds,
                asked=confirmation.asked,
                seeds=seeds,
                deviations=history.deviations,
            )
        answer = evolve(decision.comparison, p_zero=decision.p)
        stand, given = decision.stand, decision.given
    return _Judged(
        verdict=answer.verdict,
        reason=answer.reason + _words(taken, answer),
        answer=answer,
        stand=stand,
        given=given,
        taken=taken,
    )


def _row(
    figure: Subject, statistic: str, base: Boots, new: Boots, judged: _Judged, *, shared: bool
) -> VerdictRow:
    """Return a verdict as a row; `shared`: both sides have the same boots."""
    metric = figure.metric
    values = base.values(statistic), new.values(statistic)
    tested, answer, given = judged.taken, judged.answer, judged.given
    level = (answer and answer.levels) or levels(
        *(values if tested is None else (tested.base, tested.new)),
        resolution=metric.resolution,
        controls=None if tested is None else tested.controls,
    )
    base_samples, new_samples = _taken(base.histograms), _taken(new.histograms)
    return VerdictRow(
        benchmark=figure.benchmark,
        parameters=dict(figure.parameters),
        metric=metric.name,
        statistic=statistic,
        series_base=None,
        series_new=None,
        unit=metric.unit,
        direction=metric.direction.value,
        base_value=level[0],
        new_value=level[1],
        n_base=len(values[0]),
        n_new=len(values[1]),
        verdict=judged.verdict.value,
        reason=judged.reason,
        hint=figure.hint,
        base_runs=[],
        new_runs=[],
        effect=0.0 if shared else _of(answer, "effect"),
        ci_low=_of(answer, "ci_low"),
        ci_high=_of(answer, "ci_high"),
        p=_of(answer, "p"),
        p_zero=_of(answer, "p_zero"),
        boots_needed=answer.boots_needed if answer else None,
        suspect=answer is not None and judged.stand is None and answer.suspect,
        stand=judged.stand.value if judged.stand else None,
        mode=answer.mode if answer else None,
        conditional_effect=given.effect if given else None,
        conditional_low=given.low if given else None,
        conditional_high=given.high if given else None,
        base_achieved=base_samples[0],
        base_expected=base_samples[1],
        new_achieved=new_samples[0],
        new_expected=new_samples[1],
    )


def moved(figure: Subject, base: Boots, new: Boots) -> ShiftRow | None:
    """Return how a distribution moved, a boot being one observation.

    None where the metric is no histogram or a side has fewer than `BOOTS_MINIMUM` boots:
    of fewer a screen could only say that nothing moved.
    """
    sides = [[distribution.observed(h) for h in side.histograms] for side in (base, new)]
    if min(map(len, sides)) < BOOTS_MINIMUM:
        return None
    boards = base.boards, new.boards
    if any(len(names) not in (0, len(side)) for names, side in zip(boards, sides, strict=True)):
        return None  # some boots have no histogram
    if len({*boards[0], *boards[1]}) > 1 and {*boards[0]} != {*boards[1]}:
        return None  # the sides ran on different boards
    sides = list(
        board_levels.distributions(
            (sides[0], sides[1]), boards, resolution=figure.metric.resolution
        )
    )
    shifted = shift(
        *sides,
        direction=figure.metric.direction,
        relevance=figure.relevance,
        resolution=figure.metric.resolution,
        boards=boards,
    )
    return ShiftRow(
        benchmark=figure.benchmark,
        parameters=dict(figure.parameters),
        metric=figure.metric.name,
        unit=figure.metric.unit,
        p=shifted.p,
        suspect=shifted.suspect,
        worse=shifted.worse,
        better=shifted.better,
        headline=shifted.headline,
        quantiles=[_quantile(q) for q in shifted.quantiles],
        unknown=list(shifted.unknown),
        base_achieved=shifted.achieved_base,
        new_achieved=shifted.achieved_new,
    )


def _quantile(quantile: QuantileShift) -> QuantileData:
    return {
        "name": quantile.name,
        "base": _finite(quantile.base),
        "new": _finite(quantile.new),
        "effect": _finite(quantile.effect),
        "low": _finite(quantile.low),
        "high": _finite(quantile.high),
        "p": float(quantile.p),
        "moved": quantile.moved,
    }


def _unknown(figure: Subject, statistic: str, side: Boots) -> Problem | None:
    """Say that some boots give no value of a statistic: the others alone would flatter a kernel."""
    boots = len(side.figures)
    missing = boots - len(side.values(statistic))
    if not missing:
        return None
    if figure.metric.histogram and all(f is not None for f in side.figures):
        return Verdict.INCONCLUSIVE, (
            f"too few samples for {statistic} in {missing} of {boots} boots of the {side.name}, or"
            " it lies beyond the histogram's end or among missing cycles"
        )
    what = f"give no number for {figure.metric.name}"
    return Verdict.INCONCLUSIVE, f"{missing} of {boots} boots of the {side.name} {what}"


def _confirmed(
    question: Question, confirmation: Confirmation, worse: bool | None, *, of_mode: bool
) -> stages.Decision:
    """Decide by the level of the boots, in all rounds that the suspicion may get."""
    down = question.direction is Direction.HIGHER
    sign = None if worse is None else -1.0 if worse == down else 1.0
    further = confirmation.mode_rounds if of_mode else ()
    rounds = (*confirmation.rounds, *further)
    asked = None if confirmation.asked is None else min(confirmation.asked, rounds[-1])
    return stages.confirm(question, rounds=rounds, suspicion=sign, asked=asked)


def _words(taken: Levelled, answer: Comparison | None) -> str:
    """Return what to say of controls and boards that a verdict takes into account."""
    words = ""
    if taken.controls is not None and (answer is None or answer.levels is None):
        words = (
            f"; {taken.controls.taken} earlier boots of the base count as"
            f" {taken.controls.boots:.1f} more of this night"
        )
    if taken.words and answer is not None and answer.freedom is not None:
        words += f"{taken.words} ({answer.freedom:.3g} degrees of freedom)"
    return words


def _of(answer: Comparison | None, name: str) -> float | None:
    return None if answer is None else _finite(getattr(answer, name))


def _finite(value: float | None) -> float | None:
    """Return None for what is no number, as the relative change of a 0 or an endless interval."""
    return None if value is None or not math.isfinite(value) else float(value)


def _taken(histograms: Sequence[Histogram]) -> tuple[int | None, int | None]:
    """Return the samples that histograms hold, and that they were to hold where all know it."""
    if not histograms:
        return None, None
    expected = [h.expected for h in histograms if h.expected is not None]
    return (
        sum(h.achieved for h in histograms),
        sum(expected) if len(expected) == len(histograms) else None,
    )
