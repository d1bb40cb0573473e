# SPDX-License-Identifier: GPL-2.0-only
"""What a new mode makes of a rerun: the share of its boots is tested, not their mean.

A screen has seen some boots of the new kernel where none of the base's lay.  Their mean is that
of no boot, so a rerun whose boots all miss the mode would refute what the screen has seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from attrs import evolve

from vlag.model import Direction, Metric, Verdict, canonical_json
from vlag.stats import rare_modes
from vlag.stats.compare import Comparison, Question, clip, is_better
from vlag.stats.rare_modes import ModeDecision, ModeStand, RareMode
from vlag.stats.stages import Decision, Stand
from vlag.stats.summary import statistics
from vlag.store import comparisons, runs
from vlag.store.database import Connection
from vlag.store.suspicions import Suspicion

_SEEDS = 8  # named in a sentence


def suspicion(
    answer: Comparison, question: Question, deviations: Sequence[float], seeds: Sequence[int]
) -> Comparison:
    """Return the answer of a screen with what it shows of a mode that history never did.

    That is a suspicion, whatever the levels say.  `deviations` are log ratios of the history's
    boots to the levels of their kernels.
    """
    if answer.effect is None or not question.base or not question.new:
        return answer
    base, new = (clip(side, question.resolution) for side in (question.base, question.new))
    known = [*base, *_history(base, deviations)]
    mode = rare_modes.suspected(
        known,
        new,
        direction=question.direction,
        relevance=question.relevance,
        resolution=question.resolution,
    )
    if mode is None or len(known) < rare_modes.HISTORY_MINIMUM:
        return answer
    counts = (0, len(base)), (len(mode.places), len(new))
    words = rare_modes.shares(mode, *counts) + _seeds([seeds[place] for place in mode.places])
    if answer.suspect:
        agrees = _agrees(answer, question.direction, mode)
        return evolve(answer, reason=f"{answer.reason}; {words}", mode=words) if agrees else answer
    by_means = _of_means(answer, base, new)
    if not mode.worse or not _agrees(by_means, question.direction, mode):
        return answer
    return evolve(
        by_means,
        verdict=Verdict.INCONCLUSIVE,
        suspect=True,
        boots_needed=max(rare_modes.boots_to_see(mode.share), rare_modes.KNOWN_MINIMUM),
        reason=f"a suspicion of a new mode: {words}; run again",
        mode=words,
    )


def _of_means(comparison: Comparison, base: Sequence[float], new: Sequence[float]) -> Comparison:
    """Return a comparison by ranks with the means' change instead: ranks see no rare mode."""
    if comparison.levels is None:
        return comparison
    change = fmean(map(math.log, new)) - fmean(map(math.log, base))
    return evolve(comparison, effect=math.expm1(change), ci_low=None, ci_high=None, levels=None)


def _history(base: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """Return where the history's boots lie about the level of the base's."""
    return [median(base) * math.exp(d) for d in deviations]


def screened(
    conn: Connection, known: Sequence[Suspicion], metric: Metric, relevance: float
) -> dict[str, RareMode]:
    """Return the modes that screens have shown in a metric, by statistic.

    `known` are the suspicions on it, each with the screen that raised it.
    """
    modes: dict[str, RareMode] = {}
    for suspicion in known:
        row = None if suspicion.raised_by is None else _row(conn, suspicion)
        if row is None:
            continue
        values = _values(conn, metric, suspicion.statistic, (*row.base_runs, *row.new_runs))
        base, new = (
            clip([values[r] for r in side if r in values], metric.resolution)
            for side in (row.base_runs, row.new_runs)
        )
        mode = rare_modes.suspected(
            base,
            new,
            direction=metric.direction,
            relevance=relevance,
            resolution=metric.resolution,
        )
        if mode is not None and mode.worse == suspicion.worse:
            modes[suspicion.statistic] = mode
    return modes


def _row(conn: Connection, suspicion: Suspicion) -> comparisons.VerdictRow | None:
    """Return the row of the screen that raised a suspicion."""
    figure = (
        suspicion.benchmark,
        canonical_json(dict(suspicion.parameters)),
        suspicion.metric,
        suspicion.statistic,
    )
    for row in comparisons.verdicts(conn, suspicion.raised_by or 0):
        if (row.benchmark, canonical_json(dict(row.parameters)), row.metric, row.statistic) == (
            figure
        ):
            return row
    return None


def _values(
    conn: Connection, metric: Metric, statistic: str, ids: Sequence[int]
) -> Mapping[int, float]:
    """Return the value of each run that has one."""
    given = {
        f.run: statistics(f.figures).get(statistic)
        for f in runs.figures_of(conn, list(ids))
        if f.series.metric == metric.name
    }
    return {run: value for run, value in given.items() if value is not None}


def settled(
    decision: Decision,
    question: Question,
    mode: RareMode,
    *,
    matters: float,
    rounds: Sequence[int],
    seeds: Sequence[int],
    mode_rounds: Sequence[int] = (),
    asked: int | None = None,
    deviations: Sequence[float] = (),
) -> Decision:
    """Return the decision of a rerun on a suspicion whose screen has shown a mode.

    `decision` is that of the levels, in the `rounds` of all suspicions and the `mode_rounds`
    after them.  Confirmed is what the levels confirm, and a share of the boots that only the new
    kernel has, over all rounds; on a board whose equal seeds are pairs one pair is proof, if the
    history's boots lie in the mode less often.  Refuted is a mode whose bound is below `matters`
    alone, the smallest share that counts.  The `mode_rounds` come where that is open, unless the
    base's boots lie in the mode as often, or pairs could have been proof.  `asked` are the boots
    a side that the rounds so far were to give, `seeds` those of the new kernel's boots, and
    `deviations` as in `suspicion`.
    """
    base, new = (clip(side, question.resolution) for side in (question.base, question.new))
    boots = min(len(base), len(new)) if asked is None else asked
    mode_decision = rare_modes.decide(
        mode, base, new, matters=matters, rounds=(*rounds, *mode_rounds), asked=boots
    )
    if decision.stand is Stand.CONFIRMED:
        return _with_mode(decision, mode, mode_decision, seeds, new)
    proof = _proof(question, mode, deviations, mode_decision.new)
    shown = _of_means(decision.comparison, base, new)
    if _agrees(shown, question.direction, mode) and (
        proof or mode_decision.stand is ModeStand.CONFIRMED
    ):
        return _confirmed(shown, mode, mode_decision, proof, [*zip(seeds, new, strict=True)])
    refuted = mode_decision.stand is ModeStand.REFUTED
    further = () if refuted or mode_decision.futile or question.paired else mode_rounds
    later = next((r for r in (*rounds, *further) if r > boots), None)
    if refuted and (decision.stand is Stand.REFUTED or later is not None):
        return decision
    return _left(decision, mode, mode_decision, later)


def _proof(
    question: Question, mode: RareMode, deviations: Sequence[float], new: tuple[int, int]
) -> RareMode | None:
    """Return the mode that pairs of equal seeds prove; None for none.

    Where the history's boots lie in it too, a pair says which seeds show the mode, not that
    there are more.  `new` are the boots in the mode and all boots.
    """
    if not question.paired:
        return None
    base, other = (clip(side, question.resolution) for side in (question.base, question.new))
    held = sum(map(mode.holds, _history(base, deviations)))
    if not rare_modes.more_than((held, len(deviations)), new):
        return None
    pairs = rare_modes.paired(
        base, other, direction=question.direction, relevance=question.relevance
    )
    return pairs if pairs is not None and pairs.worse == mode.worse else None


def _confirmed(
    comparison: Comparison,
    mode: RareMode,
    mode_decision: ModeDecision,
    proof: RareMode | None,
    new: Sequence[tuple[int, float]],
) -> Decision:
    """Return the decision that a mode is there; `new` are the seeds and values of its boots."""
    reason = mode_decision.reason + _seeds([seed for seed, value in new if mode.holds(value)])
    if proof is not None:
        counts = (0, mode_decision.base[1]), (len(proof.places), proof.boots)
        reason = rare_modes.shares(proof, *counts) + _seeds(
            [new[place][0] for place in proof.places]
        )
    return Decision(
        stand=Stand.CONFIRMED,
        comparison=evolve(
            comparison,
            verdict=Verdict.REGRESSION if mode.worse else Verdict.IMPROVEMENT,
            reason=reason,
            mode=reason,
        ),
        next_boots=None,
        p=mode_decision.p if proof is None else 0.0,
        reason=reason,
    )


def _with_mode(
    decision: Decision,
    mode: RareMode,
    mode_decision: ModeDecision,
    seeds: Sequence[int],
    new: Sequence[float],
) -> Decision:
    """Return what the levels confirm, led by the mode where it is one that is confirmed too."""
    if (
        mode_decision.stand is not ModeStand.CONFIRMED
        or mode_decision.new[0] == mode_decision.new[1]
    ):
        return decision
    words = mode_decision.reason
    words += _seeds([s for s, v in zip(seeds, new, strict=True) if mode.holds(v)])
    reason = f"{words}; {decision.reason}"
    comparison = evolve(decision.comparison, reason=reason, mode=words)
    return evolve(decision, comparison=comparison, reason=reason)


def _left(
    decision: Decision, mode: RareMode, mode_decision: ModeDecision, later: int | None
) -> Decision:
    """Return the decision that a mode is open while a round is left, and undecided after it."""
    reason, verdict = decision.reason, decision.comparison.verdict
    counts = mode_decision.base, mode_decision.new
    if mode_decision.new[0] or decision.stand is Stand.REFUTED or decision.next_boots != later:
        reason = rare_modes.sentence(mode, *counts, mode_decision.bound, mode_decision.stand, later)
    if decision.stand is Stand.REFUTED or verdict is Verdict.UNCHANGED:
        verdict = Verdict.INCONCLUSIVE
    return Decision(
        stand=Stand.UNDECIDED if later is None else Stand.OPEN,
        comparison=evolve(
            decision.comparison,
            verdict=verdict,
            boots_needed=mode_decision.next_boots,
            reason=reason,
            mode=rare_modes.shares(mode, *counts) if mode_decision.new[0] else None,
        ),
        next_boots=later,
        p=decision.p,
        reason=reason,
    )


def _agrees(comparison: Comparison, direction: Direction, mode: RareMode) -> bool:
    """Return whether the level of the boots moved the way of a mode."""
    effect = comparison.effect
    return effect is not None and effect != 0 and is_better(effect, direction) is not mode.worse


def _seeds(seeds: Sequence[int]) -> str:
    named = ", ".join(map(str, sorted(seeds)[:_SEEDS]))
    more = f" and {len(seeds) - _SEEDS} more" if len(seeds) > _SEEDS else ""
    return f" (seed{'' if len(seeds) == 1 else 's'} {named}{more})" if seeds else ""
