"""What a new mode makes of a rerun: the share of its boots is tested, not their mean.

A screen has seen some boots of the new kernel where none of the base's lay.  Their mean is that
of no boot, so a rerun whose boots all miss the mode would refute what the screen has seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from attrs import evolve

from vlag.model import Direction, Metric, Verdict, canonical_json
from vlag.stats import rare_modes
from vlag.stats.compare import Comparison, Question, clip, is_better
from vlag.stats.rare_modes import ModeStand, RareMode
from vlag.stats.stages import Decision, Stand
from vlag.stats.summary import statistics
from vlag.store import comparisons, runs
from vlag.store.database import Connection
from vlag.store.suspicions import Suspicion

_SEEDS = 8  # named in a sentence


def suspicion(
    answer: Comparison, question: Question, deviations: Sequence[float], seeds: Sequence[int]
) -> Comparison:
    """Return the answer of a screen, a suspicion where it shows a mode that history never did.

    `deviations` are log ratios of the history's boots to the levels of their kernels.
    """
    if answer.suspect or answer.effect is None or not question.base or not question.new:
        return answer
    base, new = (clip(side, question.resolution) for side in (question.base, question.new))
    known = [*base, *(median(base) * math.exp(d) for d in deviations)]
    if len(known) < rare_modes.HISTORY_MINIMUM:
        return answer
    mode = rare_modes.suspected(
        known,
        new,
        direction=question.direction,
        relevance=question.relevance,
        resolution=question.resolution,
    )
    if mode is None or not mode.worse or is_better(answer.effect, question.direction):
        return answer
    said = rare_modes.sentence(
        mode, (0, len(base)), (len(mode.places), len(new)), 1.0, ModeStand.CONFIRMED, None
    )
    named = _seeds([seeds[place] for place in mode.places])
    return evolve(
        answer,
        verdict=Verdict.INCONCLUSIVE,
        suspect=True,
        boots_needed=max(rare_modes.boots_to_see(mode.share), rare_modes.KNOWN_MINIMUM),
        reason=f"a suspicion of a new mode: {said}{named}; run again",
    )


def screened(
    conn: Connection, known: Sequence[Suspicion], metric: Metric, relevance: float
) -> dict[str, RareMode]:
    """Return the modes that screens have shown in a metric, by statistic.

    `known` are the suspicions on it, each with the screen that raised it.
    """
    found: dict[str, RareMode] = {}
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
            found[suspicion.statistic] = mode
    return found


def _row(conn: Connection, of: Suspicion) -> comparisons.VerdictRow | None:
    """Return the row of the screen that raised a suspicion."""
    figure = of.benchmark, canonical_json(dict(of.parameters)), of.metric, of.statistic
    for row in comparisons.verdicts(conn, of.raised_by or 0):
        if (row.benchmark, canonical_json(dict(row.parameters)), row.metric, row.statistic) == (
            figure
        ):
            return row
    return None


def _values(
    conn: Connection, metric: Metric, statistic: str, of: Sequence[int]
) -> Mapping[int, float]:
    """Return the value of each run that has one."""
    given = {
        f.run: statistics(f.figures).get(statistic)
        for f in runs.figures_of(conn, list(of))
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
) -> Decision:
    """Return the decision of a rerun on a suspicion whose screen has shown a mode.

    Confirmed is what the means confirm, and a share of the boots that only the new kernel has,
    over all rounds; on a board whose equal seeds are pairs one pair is proof.  Refuted is a mode
    whose bound is below `matters` alone, the smallest share that counts.  `seeds` are those of
    the new kernel's boots.
    """
    if decision.stand is Stand.CONFIRMED:
        return decision
    base, new = (clip(side, question.resolution) for side in (question.base, question.new))
    said = rare_modes.decide(mode, base, new, matters=matters, rounds=len(rounds))
    pairs = (
        rare_modes.paired(base, new, direction=question.direction, relevance=question.relevance)
        if question.paired
        else None
    )
    same = _agrees(decision, question.direction, mode)
    proof = pairs is not None and pairs.worse == mode.worse
    if same and (proof or said.stand is ModeStand.CONFIRMED):
        verdict = Verdict.REGRESSION if mode.worse else Verdict.IMPROVEMENT
        held = [s for s, v in zip(seeds, new, strict=True) if mode.holds(v)]
        if pairs is not None and proof:
            held = [seeds[place] for place in pairs.places]
        reason = said.reason + _seeds(held)
        p = 0.0 if proof else min(1.0, said.p * len(rounds))
        answer = evolve(decision.comparison, verdict=verdict, reason=reason)
        return Decision(
            stand=Stand.CONFIRMED, comparison=answer, next_boots=None, p=p, reason=reason
        )
    if decision.stand is not Stand.REFUTED or said.stand is ModeStand.REFUTED:
        return decision
    boots = min(len(base), len(new))
    later = next((r for r in rounds if r > boots), None)
    answer = evolve(
        decision.comparison,
        verdict=Verdict.INCONCLUSIVE,
        boots_needed=said.next_boots,
        reason=said.reason,
    )
    return Decision(
        stand=Stand.UNDECIDED if later is None else Stand.OPEN,
        comparison=answer,
        next_boots=later,
        p=decision.p,
        reason=said.reason,
    )


def _agrees(decision: Decision, direction: Direction, mode: RareMode) -> bool:
    """Return whether the mean of the boots moved the way of a mode."""
    effect = decision.comparison.effect
    return effect is not None and effect != 0 and is_better(effect, direction) is not mode.worse


def _seeds(seeds: Sequence[int]) -> str:
    named = ", ".join(map(str, sorted(seeds)[:_SEEDS]))
    more = f" and {len(seeds) - _SEEDS} more" if len(seeds) > _SEEDS else ""
    return f" (seed{'' if len(seeds) == 1 else 's'} {named}{more})" if seeds else ""
