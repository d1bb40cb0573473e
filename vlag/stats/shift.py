"""Shifts of a distribution: the runs of one kernel against those of another.

Five runs against five have 126 splits, so no p is below 0.008: `shift` is a screen.
`confirm` decides on fresh runs.  The test itself is in `vlag.stats.permutation`.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from vlag.model import Direction
from vlag.stats import permutation
from vlag.stats.distribution import ACHIEVED, EXPECTED, QUANTILES
from vlag.stats.headline import headline
from vlag.stats.permutation import CONFIDENCE, ROUNDING, Parts, Priors, QuantileShift, judge

# Default quantiles, ascending.
GRID = (*QUANTILES, "max")
# Level of the screen: one pair in ten of the same kernel is measured again.  In return it
# misses few heavier tails with five runs a side.
SCREEN = 0.10
# Fresh runs a side at each look of a confirmation, and the level of the look: together
# 0.005, so that with the screen's 0.10 at most one same-build pair in 2000 is reported.
STAGES = {10: 0.001, 20: 0.002, 30: 0.002}
# A look that finds p above this is the last one: a change worth reporting is below it with
# ten runs already, and chance is above it in two cases of three.
FUTILE = 0.3


@frozen(kw_only=True)
class Shift:
    """Result of a screen of one distribution of two kernels."""

    quantiles: tuple[QuantileShift, ...]  # ascending
    slopes: tuple[QuantileShift, ...]  # of neighbouring quantiles
    unknown: tuple[str, ...]  # quantiles that are unknown in some run: not judged
    p: float  # of "the distribution is the same"
    suspect: bool  # a quantile or a slope moved
    worse: bool  # one of those moved that way; a distribution may do both
    better: bool
    headline: str  # where it moved, one phrase
    n_base: int  # runs
    n_new: int
    achieved_base: float | None  # share of the expected samples that all runs took
    achieved_new: float | None  # together; None if the tool does not report it


class Stage(enum.Enum):
    """State of a confirmation."""

    CONFIRMED = "confirmed"  # the fresh runs confirm the screen
    REFUTED = "refuted"  # they do not, and more are not worth it
    OPEN = "open"  # more fresh runs are needed


@frozen(kw_only=True)
class Confirmation:
    """Result of the fresh runs for a suspected shift."""

    stage: Stage
    p: float | None  # one-sided, of the parts that the screen named; None: too few runs
    wanted: int  # fresh runs a side, all in all, for the next look; 0 where it is decided
    shift: Shift | None  # of the fresh runs alone; None where they are too few


def _check(runs: Sequence[Mapping[str, float]], name: str) -> None:
    if not runs:
        raise ValueError(f"{name} has no run")
    for run in runs:
        for key, value in run.items():
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{name} holds {key} = {value}, not a finite number of 0 or more")


def _achieved(runs: Sequence[Mapping[str, float]]) -> float | None:
    if not all(ACHIEVED in run and run.get(EXPECTED) for run in runs):
        return None
    return sum(run[ACHIEVED] for run in runs) / sum(run[EXPECTED] for run in runs)


def _answer(
    found: Sequence[QuantileShift],
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    direction: Direction,
    relevance: float,
    unknown: tuple[str, ...],
) -> Shift:
    quantiles = tuple(f for f in found if "/" not in f.name)
    slopes = tuple(f for f in found if "/" in f.name)
    moved = [f for f in quantiles if f.moved] or [f for f in slopes if f.moved]
    up = any(f.effect > 0 for f in moved)
    down = any(f.effect < 0 for f in moved)
    worse, better = (up, down) if direction is Direction.LOWER else (down, up)
    achieved = _achieved(base), _achieved(new)
    return Shift(
        quantiles=quantiles,
        slopes=slopes,
        unknown=unknown,
        p=min((f.p for f in found), default=1.0),
        suspect=bool(moved),
        worse=worse,
        better=better,
        headline=headline(quantiles, slopes, unknown, achieved, relevance),
        n_base=len(base),
        n_new=len(new),
        achieved_base=achieved[0],
        achieved_new=achieved[1],
    )


def _prepare(
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    grid: Sequence[str],
    relevance: float,
    resolution: float,
    priors: Priors | None,
) -> tuple[Parts | None, tuple[str, ...]]:
    """Return what is tested (None: nothing can be) and what is not known."""
    _check(base, "base")
    _check(new, "new")
    if not math.isfinite(relevance) or relevance < 0:
        raise ValueError(f"the relevance is {relevance}, it must be a finite number of 0 or more")
    if not math.isfinite(resolution) or resolution <= 0:
        raise ValueError(f"the resolution is {resolution}, it must be a finite number above 0")
    judged = [name for name in grid if all(name in run for run in (*base, *new))]
    unknown = tuple(name for name in grid if name not in judged)
    if not judged:
        return None, unknown
    return permutation.prepare(base, new, judged, resolution, priors or {}), unknown


def shift(
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
    seed: int = 0,
    priors: Priors | None = None,
    grid: Sequence[str] = GRID,
) -> Shift:
    """Screen the runs of two kernels for a shift of any quantile of the distribution.

    Each mapping is one run's `distribution.observed`.  `grid` names the quantiles,
    ascending; one that is unknown in some run is listed but not judged.  `relevance` is
    the smallest relative change that matters, `resolution` the tool's smallest step in
    the metric's unit.  `priors` is the result of `history`; with it a quantile whose few
    runs agree by chance gets no undue weight.

    It makes all splits of the runs if they are at most `SPLITS`, else it draws that many
    from `seed`.  The order of the runs does not matter.

    Raises ValueError for a side without runs, for a value that is negative or not finite
    and for an invalid relevance or resolution.
    """
    parts, unknown = _prepare(
        base, new, grid=grid, relevance=relevance, resolution=resolution, priors=priors
    )
    found = judge(parts, level=SCREEN, relevance=relevance, seed=seed) if parts else []
    return _answer(found, base, new, direction=direction, relevance=relevance, unknown=unknown)


def confirm(
    suspected: Shift,
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
    seed: int = 0,
    priors: Priors | None = None,
    grid: Sequence[str] = GRID,
) -> Confirmation:
    """Test the suspicion of `suspected` on fresh runs, all made after the screen; as `shift`.

    Only the parts that moved there are tested, each only in its direction, at the level
    of the stage (`STAGES`) that the smaller side has reached.  Call it once per stage with
    all fresh runs so far: each further call at the same stage would be one more chance
    of a false alarm.

    Raises ValueError as `shift` does, and if `suspected` has no suspicion.
    """
    if not suspected.suspect:
        raise ValueError("nothing was suspected that fresh runs could confirm")
    reached = [stage for stage in STAGES if stage <= min(len(base), len(new))]
    if not reached:
        return Confirmation(stage=Stage.OPEN, p=None, wanted=min(STAGES), shift=None)
    parts, unknown = _prepare(
        base, new, grid=grid, relevance=relevance, resolution=resolution, priors=priors
    )
    found = judge(parts, level=1 - CONFIDENCE, relevance=relevance, seed=seed) if parts else []
    signs = {
        f.name: math.copysign(1.0, f.effect)
        for f in (*suspected.quantiles, *suspected.slopes)
        if f.moved
    }
    p, confirmed = 1.0, set[str]()
    if parts and not signs.keys().isdisjoint(parts.names):
        asked = [i for i, name in enumerate(parts.names) if name in signs]
        sign = np.array([signs[parts.names[i]] for i in asked])
        t = parts.t(parts.logs, seed)[:, asked] * sign
        each = np.mean(np.max(t, axis=1)[:, None] >= t[0] - ROUNDING, axis=0)
        p = float(np.min(each))
        passed = (each <= STAGES[reached[-1]] + ROUNDING) & (
            np.abs(parts.effect[asked]) > parts.least(relevance)[asked]
        )
        confirmed = {parts.names[i] for i, yes in zip(asked, passed, strict=True) if yes}
    later = [stage for stage in STAGES if stage > reached[-1]]
    if confirmed:
        stage = Stage.CONFIRMED
    elif not later or p > FUTILE:
        stage = Stage.REFUTED
    else:
        stage = Stage.OPEN
    found = [evolve(f, moved=f.moved or f.name in confirmed) for f in found]
    return Confirmation(
        stage=stage,
        p=p,
        wanted=later[0] if stage is Stage.OPEN else 0,
        shift=_answer(found, base, new, direction=direction, relevance=relevance, unknown=unknown),
    )
