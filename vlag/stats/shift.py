# SPDX-License-Identifier: GPL-2.0-only
"""Shifts of a distribution: the runs of one kernel against those of another.

Five runs against five have 126 splits, so no p is below 0.008: `shift` is a screen and
says where a distribution moved.  Verdicts come from the rows of its quantiles
(`vlag.stats.compare`), and a rerun confirms those (`vlag.stats.stages`).  The test
itself is in `vlag.stats.permutation`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Direction
from vlag.stats import permutation
from vlag.stats.distribution import ACHIEVED, EXPECTED
from vlag.stats.headline import headline
from vlag.stats.permutation import Parts, QuantileShift, judge
from vlag.stats.summary import QUANTILES

# Default quantiles, ascending.
GRID = (*QUANTILES, "max")
# Level of the screen: one pair in ten of the same kernel is measured again.  In return it
# misses few heavier tails with five runs a side.
SCREEN = 0.10


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
    shifts: Sequence[QuantileShift],
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    direction: Direction,
    relevance: float,
    unknown: tuple[str, ...],
) -> Shift:
    quantiles = tuple(f for f in shifts if "/" not in f.name)
    slopes = tuple(f for f in shifts if "/" in f.name)
    moved = [f for f in quantiles if f.moved] or [f for f in slopes if f.moved]
    up = any(f.effect > 0 for f in moved)
    down = any(f.effect < 0 for f in moved)
    worse, better = (up, down) if direction is Direction.LOWER else (down, up)
    achieved = _achieved(base), _achieved(new)
    return Shift(
        quantiles=quantiles,
        slopes=slopes,
        unknown=unknown,
        p=min((f.p for f in shifts), default=1.0),
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
    boards: tuple[Sequence[str], Sequence[str]],
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
    return permutation.prepare(base, new, judged, resolution, boards), unknown


def shift(
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    *,
    direction: Direction,
    relevance: float,
    resolution: float,
    seed: int = 0,
    grid: Sequence[str] = GRID,
    boards: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Shift:
    """Screen the runs of two kernels for a shift of any quantile of the distribution.

    Each mapping is one run's `distribution.observed`.  `grid` names the quantiles,
    ascending; one that is unknown in some run is listed but not judged.  `relevance` is
    the smallest relative change that matters, `resolution` the tool's smallest step in
    the metric's unit.

    It makes all splits of the runs if they are at most `SPLITS`, else it draws that many
    from `seed`.  The order of the runs does not matter.  `boards` names the board of each run where
    several are blocks, whose levels are off the values; runs then change sides within their board.

    Raises ValueError for a side without runs, for a value that is negative or not finite
    and for an invalid relevance or resolution.
    """
    parts, unknown = _prepare(
        base, new, grid=grid, relevance=relevance, resolution=resolution, boards=boards
    )
    quantiles = judge(parts, level=SCREEN, relevance=relevance, seed=seed) if parts else []
    return _answer(quantiles, base, new, direction=direction, relevance=relevance, unknown=unknown)
