# SPDX-License-Identifier: GPL-2.0-only
"""Change points in the history of a series: steps that last.

A history is one value a night, in order.  All work is on logarithms.  Candidates come
from kernel change-point detection (`ruptures`), which is fast and finds too many; a
boundary then stays only while the robust levels on both sides differ by more than the
noise of this history allows, serial correlation included.  A level that returns after a
while is an `Excursion`: boards have days like that, a changed kernel has not.  If it returns
only in part, the difference stays a step.  A history whose level moves a little every night
has a `Drift`, and only the steps that the drift does not explain.

A new step alone is never reported: a verdict needs boots (`vlag.stats.compare`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import scipy
from attrs import frozen

from vlag.stats.changepoint_search import Piece, Search, Span
from vlag.stats.changepoint_tuning import (
    CONFIDENCE,
    EXCURSION,
    LEAST_EFFECT,
    PLACE_TOLERANCE,
    SHIPPED,
    Tuning,
)
from vlag.stats.levels import Array, log_values, misfit, parts
from vlag.stats.modes import Alternation, alternating


@frozen(kw_only=True)
class ChangePoint:
    """One lasting step; `effect` is after / before - 1, 0.05 = +5 %."""

    index: int  # first point of the new level, from 0
    effect: float
    low: float  # 95 % interval (`CONFIDENCE`) of the effect, given the place
    high: float
    before: float  # robust levels of the adjacent segments, in the history's unit
    after: float
    strength: float  # evidence divided by the required minimum, 1 or more


@frozen(kw_only=True)
class Excursion:
    """Points at another level that returned: shown, never a change point."""

    first: int
    last: int  # inclusive
    effect: float  # its level / that of the points before it - 1


@frozen(kw_only=True)
class Drift:
    """A level that moves a little every night; `slope` 0.001 = +0.1 % a point."""

    first: int
    last: int  # inclusive
    slope: float
    low: float  # 95 % interval (`CONFIDENCE`) of the slope
    high: float

    @property
    def effect(self) -> float:
        """Return the relative change from the first point to the last, steps left out."""
        return (1 + self.slope) ** (self.last - self.first) - 1


@frozen(kw_only=True)
class Bimodal:
    """Points that alternate between two levels; a level that stays is a step."""

    first: int
    last: int  # inclusive
    low: float  # levels, in the history's unit
    high: float
    share_high: float  # part of the points at the upper level
    switches: int  # from one level to the other


@frozen(kw_only=True)
class History:
    """Steps, excursions, drifts and alternating levels of one history, each in order."""

    points: list[ChangePoint]
    excursions: list[Excursion]
    drifts: list[Drift]  # at most one between two breaks
    bimodal: list[Bimodal]  # the same


@frozen(kw_only=True)
class _Solution:
    """A piece without its drift, and the steps that are left in it."""

    search: Search
    edges: list[int]  # of its segments, both ends included
    excursions: list[Span]
    trend: float = 0.0  # a point, on logarithms; 0: no drift
    error: float = 0.0  # standard error of the trend

    @property
    def piece(self) -> Piece:
        """Return the piece that was searched."""
        return self.search.piece

    @property
    def cuts(self) -> list[int]:
        """Return the edges with those of the excursions, which are segments too."""
        return sorted({*self.edges, *itertools.chain.from_iterable(self.excursions)})

    def cost(self, noise: float) -> float:
        """Return half the Bayesian information criterion, up to a constant; more for a drift."""
        drifts = self.trend != 0
        parameters = 2 * (len(self.cuts) - 2) + drifts
        gain = self.piece.tuning.drift_gain * drifts
        penalty = parameters / 2 * math.log(len(self.piece.logs)) + gain
        return misfit(self.piece.logs, self.cuts, noise) + penalty


def _with_steps(search: Search, trend: float = 0.0, error: float = 0.0) -> _Solution:
    """Find the steps of a piece; its trend has been taken out."""
    boundaries, excursions = search.solve()
    edges = [0, *boundaries, len(search.piece.logs)]
    return _Solution(search=search, edges=edges, excursions=excursions, trend=trend, error=error)


def _with_one_step(search: Search) -> _Solution | None:
    """Return a piece with the one step that explains the most, or None without the evidence."""
    if search.piece.largest is None:
        return None
    edges = [0, search.piece.largest, len(search.piece.logs)]
    if search.strength(edges, 1) < 1:
        return None
    return _Solution(search=search, edges=edges, excursions=[])


def _with_drift(plain: _Solution) -> _Solution:
    """Return a piece with a drift, if that and the steps left explain it better than steps."""
    search, best = plain.search, plain
    piece, tuning = search.piece, search.piece.tuning
    size = len(piece.logs)
    # The slope between the steps, that of all points in place of a staircase, and that on both
    # sides of the sharpest place: a step back hides a drift, and the drift hides the step.
    tried = [plain.cuts, *([[0, size]] if len(plain.cuts) >= 4 else [])]
    sharpest = piece.sharpest()
    if sharpest is not None and sharpest not in plain.cuts:
        tried.append([0, sharpest, size])
    for first in tried:
        cuts = first
        for _ in range(2):  # the slope is steeper without the steps that it explains
            trend, error = piece.slope(cuts)
            if abs(trend) < max(tuning.drift_errors * error, piece.least / size):
                break
            drifting = _with_steps(search.without(trend), trend, error)
            best = min(best, drifting, key=lambda s: s.cost(piece.noise))
            cuts = drifting.cuts
    return best


def _solve(search: Search) -> _Solution:
    """Solve a piece: with steps, with a drift, or with the one step that explains the most."""
    piece, tuning = search.piece, search.piece.tuning
    plain = _with_steps(search)
    best = _with_drift(plain)
    if piece.wander > 1:
        return best
    # The pruning may leave no step where there is one, between candidates that all are wrong.
    empty = max(len(plain.edges), len(best.edges)) == 2
    one = _with_one_step(search) if empty else None
    if one and one.cost(piece.noise) < best.cost(piece.noise):
        return one
    if not best.trend:
        trend, error = piece.slope([0, len(piece.logs)])
        if len(plain.edges) > 2 or abs(trend) <= tuning.drift_errors * error:
            return best
    lenient = search.lenient()
    solutions = [_with_steps(lenient), _with_one_step(lenient) if empty else None]
    other = min((s for s in solutions if s), key=lambda s: s.cost(piece.noise))
    better = other.cost(piece.noise) + tuning.drift_gain < best.cost(piece.noise)
    return other if better else best


def _points(solution: _Solution, start: int) -> Iterator[ChangePoint]:
    """Yield the steps of a piece whose first point is `start`."""
    piece, trend = solution.piece, solution.trend
    for j in range(1, len(solution.edges) - 1):
        levels = piece.fit_without(solution.edges, j, solution.excursions)
        quantile = float(scipy.special.stdtrit(levels.freedom, (1 + CONFIDENCE) / 2))
        half_width = levels.error * quantile
        index = solution.edges[j]
        yield ChangePoint(
            index=start + index,
            effect=math.expm1(levels.step),
            low=math.expm1(levels.step - half_width),
            high=math.expm1(levels.step + half_width),
            before=math.exp(levels.before + trend * index),
            after=math.exp(levels.after + trend * index),
            strength=solution.search.strength(solution.edges, j),
        )


def _excursions(solution: _Solution, start: int) -> Iterator[Excursion]:
    """Yield the excursions of a piece whose first point is `start`."""
    for first, end in sorted(solution.excursions):
        left = max((edge for edge in solution.edges if edge < first), default=0)
        step = solution.piece.fit(left, first, end).step
        yield Excursion(first=start + first, last=start + end - 1, effect=math.expm1(step))


def _drift(solution: _Solution, first: int, last: int) -> Drift:
    """Return the drift of a piece from its first point to its last."""
    half_width = solution.error * float(scipy.special.ndtri((1 + CONFIDENCE) / 2))
    low, middle, high = (math.expm1(solution.trend + r) for r in (-half_width, 0.0, half_width))
    return Drift(first=first, last=last, slope=middle, low=low, high=high)


def _alternation(logs: Array, start: int, most: int) -> tuple[Alternation, Bimodal] | None:
    """Return how a piece whose first point is `start` alternates between two levels, if it does."""
    alternation = alternating([float(v) for v in np.exp(logs)], most)
    if alternation is None:
        return None
    return alternation, Bimodal(
        first=start, last=start + len(logs) - 1,
        low=alternation.modes.low, high=alternation.modes.high,
        share_high=alternation.modes.share_high, switches=alternation.switches,
    )  # fmt: skip


def _supported(
    solution: _Solution,
    alternation: Alternation,
    excursion: int,
    points: list[ChangePoint],
    start: int,
) -> Iterator[ChangePoint]:
    """Yield the steps of a piece of two modes that no run of one mode explains.

    The share of the modes changes there, or the levels of both do.
    """
    piece, edges = solution.piece, solution.edges
    gap = math.log(alternation.modes.high / alternation.modes.low)
    one_level = Piece(piece.logs - gap * np.asarray(alternation.high), piece.least, piece.tuning)
    own = _solve(Search.with_all_evidence(one_level, excursion)).edges[1:-1]
    for j, point in enumerate(points, 1):
        near = any(abs(edge + start - point.index) <= PLACE_TOLERANCE for edge in own)
        if near or alternation.differs(edges[j - 1], edges[j], edges[j + 1]):
            yield point


def detect(
    values: Sequence[float] | npt.NDArray[np.float64],
    *,
    breaks: Sequence[int] = (),
    resolution: float | None = None,
    least_effect: float = LEAST_EFFECT,
    excursion: int = EXCURSION,
    tuning: Tuning = SHIPPED,
) -> History:
    """Find the steps, excursions, drifts and alternating levels of a history.

    `values`: a list or an array of shape (points,), oldest first, one value a night, in any
    unit.  They must be above 0, since changes are relative.
    `breaks`: indices, from 0, of the first points after a change of tool, firmware, config or
    board.  Nothing is compared across a break, and a break is not a change point.
    `resolution`: smallest value that the tool can print, in the unit of the values; smaller
    values, such as 0, count as this.  Without it a 0 is an error.
    `least_effect`: smallest relative change that is a step; 0.01 = 1 %.
    `excursion`: number of points within which a level that returns is an excursion; with 0,
    both its ends are change points.
    `tuning`: the constants of the search; verdicts have those as shipped.

    A piece with fewer than 2 * `SIDE_MINIMUM` points has no step.  Indices in the result count
    from 0, effects are relative and levels are in the unit of the values.  Beside a drift,
    the levels are those next to the step.  Where points alternate between two levels, a run of
    one of them is no step.

    Raises ValueError, with the index, for a value that is not finite or not above 0 and for
    a break outside the history, and for other arguments that make no sense.

    >>> history = detect([10.0, 10.1, 9.9, 10.0] * 10 + [11.0, 11.1, 10.9, 11.0] * 10)
    >>> [(point.index, round(point.effect, 2)) for point in history.points]
    [(40, 0.1)]
    >>> history.excursions, history.drifts
    ([], [])
    """
    if not (math.isfinite(least_effect) and least_effect > 0):
        raise ValueError(f"the least effect is {least_effect}, it must be above 0")
    if excursion < 0:
        raise ValueError(f"an excursion of {excursion} points: it must be 0 or more")
    logs = log_values(values, resolution)
    history = History(points=[], excursions=[], drifts=[], bimodal=[])
    for start, stop in parts(len(logs), breaks):
        piece = Piece(logs[start:stop], math.log1p(least_effect), tuning)
        solution = _solve(Search.with_all_evidence(piece, excursion))
        if solution.trend:
            history.drifts.append(_drift(solution, start, stop - 1))
        points = list(_points(solution, start))
        if alternation := _alternation(logs[start:stop], start, excursion):
            points = list(_supported(solution, alternation[0], excursion, points, start))
            history.bimodal.append(alternation[1])
        history.points.extend(points)
        history.excursions.extend(_excursions(solution, start))
    return history
