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

import copy
import functools
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import ruptures  # type: ignore[import-untyped]
import scipy
from attrs import frozen

from vlag.stats.levels import (
    TAIL,
    Array,
    Fit,
    clipped,
    contrasts,
    fit,
    log_values,
    misfit,
    noise,
    parts,
    slope,
    wander,
)

# Smallest relative change that is a step: below it, boards drift that much by themselves.
LEAST_EFFECT = 0.0125
# Fewest points a side: fewer cannot separate a level from a series of bad nights.
SIDE_MINIMUM = 4
# A level that returns within this many points is an excursion: in nightly histories
# without any change, most significant steps are the ends of one, and most of them last
# days to weeks.
EXCURSION = 40
# The level has returned if this share of the step is undone.
_RETURNED = 0.3

# A boundary stays with |t| >= _EVIDENCE + _EVIDENCE_SHORT / (points of its shorter side).
# The first term pays for the choice among many places; the second allows for nightly noise
# that is not AR(1): it has runs of 5 to 20 odd points that a test for white or AR(1) noise
# calls impossible.  Both come from the trade-off in docs/evidence/changepoints.md.
_EVIDENCE = 2.0
_EVIDENCE_SHORT = 100.0
# A large step needs less of the first term, in inverse proportion to its size: few places
# have levels so far apart by themselves.  Large is more than _LARGE, and more than the
# long-run standard deviation of one point: in a noisy history many places have.
_LARGE = 0.025
# A step is sharp, a level that wanders is not: |t| is weighted with the cube root of the
# boundary's sharpness over _SHARP.  Sharpness is the difference of the means of the
# _SHARP_REACH points on either side, and of fewer in a history of less than _SHARP_SHARE
# times as many, in standard deviations of such differences in the history.
_SHARP = 2.0
_SHARP_REACH = 16
_SHARP_SHARE = 7
# A spike next to the place would blunt it: the sharpest place within so many points counts.
_SHARP_NEAR = 2
# Sharpness with which the sharpest place of a history is tried as a step in a drift.
_SHARPEST = 7.0
# Cost of a candidate in kernel detection; low, as the pruning decides.
_PENALTY = 3.0
# Tolerance of a step's place: a person who reads the commits around it still finds the
# cause.  The place is chosen to be right within this many points.
PLACE_TOLERANCE = 5
# Power of the likelihood of a place; below 1, since neighbouring nights repeat each other.
_TEMPERING = 0.6
# Points of a segment that count towards its level next to a boundary, and points that go
# into kernel detection at a time, with the overlap of two such windows: bounds the time
# for long histories, and lets the noise change slowly.
_REACH = 200
_WINDOW = 512
_OVERLAP = 128
# Rounds of placing boundaries and pruning again; two nearly always agree.
_ROUNDS = 2
# Confidence level of the reported intervals.
CONFIDENCE = 0.95
# Smallest slope between the steps, in standard errors, that is a drift, and what it has to
# add to the log-likelihood beyond the penalty of the information criterion: steps are much
# more common.
_DRIFT = 3.5
_DRIFT_GAIN = 4.0
# A history is not level with a drift, and with a slope of so many standard errors but no step:
# something moved.  To tell what, unless it wanders, this share of the evidence is enough for
# steps, if they explain it better than a drift or nothing by so much log-likelihood.
_UNLEVEL = 3.0
_UNLEVEL_EVIDENCE = 0.8
_UNLEVEL_GAIN = 3.0
# A history whose differences over some nights are more than `_WANDER` times those of
# neighbouring nights has hardly a level to step from: a boundary needs more evidence, with
# this power and up to this factor.
_WANDER = 1.6
_WANDER_POWER = 6.0
_WANDER_MAXIMUM = 2.0


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
class History:
    """Steps, excursions and drifts of one history, each in order."""

    points: list[ChangePoint]
    excursions: list[Excursion]
    drifts: list[Drift]  # at most one between two breaks


def _reach(size: int) -> int:
    """Return the points on either side by which the sharpness in `size` points is told."""
    return min(_SHARP_REACH, size // _SHARP_SHARE)


class _Piece:
    """One piece of a history without breaks, with fits remembered while it is pruned."""

    def __init__(self, logs: Array, least: float, excursion: int):
        self.logs = logs
        self.least = least
        self.excursion = excursion
        self._fits: dict[tuple[int, int, int], Fit] = {}
        self._contrasts: dict[tuple[int, int], Array] = {}  # by window and points a side
        self._slopes: dict[tuple[int, ...], tuple[float, float]] = {}
        needed = math.pow(max(1.0, wander(logs) / _WANDER), _WANDER_POWER)
        self.wanders = needed > 1
        self._needed: float = min(needed, _WANDER_MAXIMUM)
        starts = range(0, max(1, len(logs) - _OVERLAP), _WINDOW - _OVERLAP)
        self._windows = [(a, min(a + _WINDOW, len(logs))) for a in starts]
        # One noise per window, so that a history of years may become quieter.
        self._noise = [noise(logs[a:b]) for a, b in self._windows]

    def lenient(self, share: float) -> _Piece:
        """Return the same piece with only a share of the evidence asked of a boundary."""
        other = copy.copy(self)  # what is remembered does not depend on the evidence
        other._needed *= share
        return other

    def without(self, trend: float) -> _Piece:
        """Return the piece without a trend, a point, on logarithms."""
        return _Piece(self.logs - trend * np.arange(len(self.logs)), self.least, self.excursion)

    @functools.cached_property
    def usual(self) -> float:
        """Return the noise of the whole piece."""
        return noise(self.logs)

    def _window_at(self, index: int) -> int:
        last = len(self._windows) - 1
        return min(last, max(0, index - _OVERLAP // 2) // (_WINDOW - _OVERLAP))

    def noise_at(self, index: int) -> float:
        return self._noise[self._window_at(index)]

    @functools.cached_property
    def candidates(self) -> list[int]:
        found: set[int] = set()
        windows = self._windows
        for i, (a, b) in enumerate(windows):
            if b - a < 2 * SIDE_MINIMUM or np.ptp(self.logs[a:b]) < self.least:
                continue
            signal = (self.logs[a:b, None] - self.logs[a]) / self._noise[i]
            kernel = ruptures.KernelCPD(kernel="rbf", min_size=2).fit(signal)
            # The middle of an overlap belongs to the one window, the rest to the other.
            low = a + _OVERLAP // 2 if i else a
            high = b - _OVERLAP // 2 if i + 1 < len(windows) else b
            found |= {a + int(c) for c in kernel.predict(pen=_PENALTY)[:-1] if low <= a + c < high}
        return sorted(found)

    def fit(self, first: int, index: int, end: int) -> Fit:
        """Fit levels to [first, index) and [index, end), as far as they reach."""
        first, end = max(first, index - _REACH), min(end, index + _REACH)
        key = first, index, end
        if key not in self._fits:
            self._fits[key] = fit(
                self.logs[first:index], self.logs[index:end], self.noise_at(index)
            )
        return self._fits[key]

    def slope(self, cuts: Sequence[int]) -> tuple[float, float]:
        """Return the slope that the segments between `cuts` share, and its standard error."""
        key = tuple(cuts)
        if key not in self._slopes:
            self._slopes[key] = slope(self.logs, cuts, self.usual)
        return self._slopes[key]

    def fit_without(self, edges: Sequence[int], j: int, apart: Sequence[tuple[int, int]]) -> Fit:
        """Fit levels to both sides of edge `j` without the points of the excursions."""
        first, index, end = edges[j - 1 : j + 2]
        kept = np.ones(len(self.logs), dtype=bool)
        for a, b in apart:
            kept[a:b] = False
        left, right = (
            self.logs[a:b][kept[a:b]]
            for a, b in ((max(first, index - _REACH), index), (index, min(end, index + _REACH)))
        )
        if min(len(left), len(right)) < SIDE_MINIMUM:
            return self.fit(first, index, end)
        return fit(left, right, self.noise_at(index))

    def strength(self, edges: Sequence[int], j: int) -> float:
        """Return the evidence for edge `j` over its minimum; below 0 for an impossible edge."""
        first, index, end = edges[j - 1 : j + 2]
        side = min(index - first, end - index)
        if side < SIDE_MINIMUM:
            return side / SIDE_MINIMUM - 2
        here = self.fit(first, index, end)
        t = abs(here.step) / here.error
        if abs(here.step) < self.least:
            return -1 / (1 + t)
        share = min(1.0, max(_LARGE, here.long_run) / abs(here.step))
        needed = (_EVIDENCE * share + _EVIDENCE_SHORT / side) * self._needed
        return t * math.cbrt(self.sharpness(index, here.step) / _SHARP) / needed

    def sharpness(self, index: int, step: float) -> float:
        """Return how far the means next to a place differ, in units of what is usual here.

        It is at most `_SHARP` next to an end of the history, where there are too few points to
        tell, and never 0.
        """
        window = self._window_at(index)
        first, end = self._windows[window]
        usual = _reach(end - first)
        reach = min(usual, index - first, end - index)
        if reach < SIDE_MINIMUM:
            return _SHARP
        if (window, reach) not in self._contrasts:
            self._contrasts[window, reach] = contrasts(self.logs[first:end], reach)
        place = index - first - reach
        near = slice(max(0, place - _SHARP_NEAR), place + _SHARP_NEAR + 1)
        found = float(np.max(self._contrasts[window, reach][near] * math.copysign(1.0, step)))
        return max(0.05 * _SHARP, found if reach == usual else min(found, _SHARP))

    def sharpest(self) -> int | None:
        """Return the place that stands out the most from a drift, or None."""
        reach = _reach(len(self.logs))
        if reach < SIDE_MINIMUM:
            return None
        found = np.abs(contrasts(self.logs, reach, steady=True))
        return reach + int(np.argmax(found)) if found.max() >= _SHARPEST else None

    @functools.cached_property
    def largest(self) -> int | None:
        """Return the likely place of a step, given that there is one, or None in a short piece."""
        size = len(self.logs)
        places = np.arange(SIDE_MINIMUM, size - SIDE_MINIMUM + 1)
        if not places.size:
            return None
        calm = clipped(self.logs)
        sums = np.cumsum(calm)[places - 1] - places * calm.mean()
        step = np.abs(sums) / np.sqrt(places * (size - places))
        return self.place(0, int(places[np.argmax(step)]), size)

    def prune(self, boundaries: Iterable[int]) -> tuple[list[int], list[tuple[int, int]]]:
        """Drop the weakest edges until all hold, and pairs that only mark an excursion.

        Of a pair, one edge stays where the levels around it differ: it may be a step.
        """
        edges = [0, *boundaries, len(self.logs)]
        gone: list[tuple[int, int]] = []
        strengths = [self.strength(edges, j) for j in range(1, len(edges) - 1)]
        while strengths:
            j = int(np.argmin(strengths))
            if strengths[j] < 1:
                drop = 1
            else:
                shortest = self._shortest_excursion(edges)
                if shortest is None:
                    break
                gone.append((edges[shortest], edges[shortest + 1]))
                weaker = self._weaker_edge(edges, shortest)
                j, drop = (shortest - 1, 2) if weaker is None else (weaker - 1, 1)
            del edges[j + 1 : j + 1 + drop]
            del strengths[j : j + drop]
            for k in (j - 1, j):
                if 0 <= k < len(strengths):
                    strengths[k] = self.strength(edges, k + 1)
        return edges[1:-1], gone

    def _shortest_excursion(self, edges: Sequence[int]) -> int | None:
        lengths = [
            (edges[j + 1] - edges[j], j)
            for j in range(1, len(edges) - 2)
            if edges[j + 1] - edges[j] <= self.excursion
        ]
        for _, j in sorted(lengths):
            there = self.fit(edges[j - 1], edges[j], edges[j + 1])
            back = self.fit(edges[j], edges[j + 1], edges[j + 2])
            if there.step * back.step > 0:
                continue
            left = abs(back.after - there.before)
            smaller = min(abs(there.step), abs(back.step))
            if left < max(self.least, (1 - _RETURNED) * smaller):
                return j
        return None

    def _weaker_edge(self, edges: Sequence[int], j: int) -> int | None:
        """Return the weaker of the edges `j` and `j` + 1, or None if their steps cancel out."""
        before = self.fit(edges[j - 1], edges[j], edges[j + 1]).before
        after = self.fit(edges[j], edges[j + 1], edges[j + 2]).after
        if abs(after - before) < self.least:
            return None
        alone = [
            self.strength([edges[j - 1], place, edges[j + 2]], 1) for place in edges[j : j + 2]
        ]
        return j if alone[0] < alone[1] else j + 1

    def place(self, first: int, index: int, end: int) -> int:
        """Return the most likely place of the step between `first` and `end`.

        The levels and the noise are those around `index`.  It takes the place with most of
        the likelihood within `PLACE_TOLERANCE` points: with much noise the likeliest single
        point is often a lone odd night.
        """
        here = self.fit(first, index, end)
        low, high = max(first, index - _REACH), min(end, index + _REACH)
        width = here.scale * math.sqrt(1 - here.correlation**2)
        old, new = self.logs[low:high] - here.before, self.logs[low:high] - here.after

        def cost(now: Array, before: Array) -> Array:
            innovation = (now[1:] - here.correlation * before[:-1]) / width
            lone = now[:1] / width
            innovation = np.concatenate([lone, innovation])
            return (TAIL + 1) / 2 * np.log1p(innovation**2 / TAIL)

        same_old = np.concatenate([[0.0], np.cumsum(cost(old, old))])
        same_new = np.concatenate([np.cumsum(cost(new, new)[::-1])[::-1], [0.0]])
        places = np.arange(SIDE_MINIMUM, high - low - SIDE_MINIMUM + 1)
        total = same_old[places] + cost(new, old)[places] + same_new[places + 1]
        weight = np.exp(-_TEMPERING * (total - total.min()))
        padded = np.concatenate([[0.0], np.cumsum(np.pad(weight, PLACE_TOLERANCE))])
        near = padded[2 * PLACE_TOLERANCE + 1 :] - padded[: -2 * PLACE_TOLERANCE - 1]
        # Among equally good places, the likeliest.
        return low + int(places[np.argmax(near + 1e-3 * weight)])

    def solve(self) -> tuple[list[int], list[tuple[int, int]]]:
        boundaries, excursions = self.prune(self.candidates)
        for _ in range(_ROUNDS):
            edges = [0, *boundaries, len(self.logs)]
            placed: list[int] = []
            for j in range(1, len(edges) - 1):
                first = placed[-1] if placed else 0
                enough = min(edges[j] - first, edges[j + 1] - edges[j]) >= SIDE_MINIMUM
                placed.append(self.place(first, edges[j], edges[j + 1]) if enough else edges[j])
            placed, more = self.prune(placed)
            excursions += more
            if placed == boundaries:
                break
            boundaries = placed
        return boundaries, excursions


@frozen(kw_only=True)
class _Solved:
    """A piece without its drift, and what is left in it."""

    piece: _Piece
    edges: list[int]  # of its segments, both ends included
    apart: list[tuple[int, int]]  # excursions, [first, end)
    trend: float  # a point, on logarithms; 0: no drift
    error: float  # standard error of the trend

    @property
    def cuts(self) -> list[int]:
        """Return the edges with those of the excursions, which are segments too."""
        return sorted({*self.edges, *itertools.chain.from_iterable(self.apart)})

    def cost(self, usual: float) -> float:
        """Return half the Bayesian information criterion, up to a constant; more for a drift."""
        drifts = self.trend != 0
        parameters = 2 * (len(self.cuts) - 2) + drifts
        penalty = parameters / 2 * math.log(len(self.piece.logs)) + _DRIFT_GAIN * drifts
        return misfit(self.piece.logs, self.cuts, usual) + penalty


def _steps(piece: _Piece, trend: float = 0.0, error: float = 0.0) -> _Solved:
    """Find the steps of a piece; its trend has been taken out."""
    boundaries, apart = piece.solve()
    edges = [0, *boundaries, len(piece.logs)]
    return _Solved(piece=piece, edges=edges, apart=apart, trend=trend, error=error)


def _step(piece: _Piece) -> _Solved | None:
    """Return a piece with the one step that explains the most, or None without the evidence."""
    if piece.largest is None:
        return None
    edges = [0, piece.largest, len(piece.logs)]
    if piece.strength(edges, 1) < 1:
        return None
    return _Solved(piece=piece, edges=edges, apart=[], trend=0.0, error=0.0)


def _drifting(plain: _Solved) -> _Solved:
    """Return a piece with a drift, if that and the steps left explain it better than steps."""
    piece, best = plain.piece, plain
    size = len(piece.logs)
    # The slope between the steps, that of all points in place of a staircase, and that on both
    # sides of the sharpest place: a step back hides a drift, and the drift hides the step.
    tried = [plain.cuts, *([[0, size]] if len(plain.cuts) >= 4 else [])]
    sharpest = piece.sharpest()
    if sharpest is not None and sharpest not in plain.cuts:
        tried.append([0, sharpest, size])
    for cuts in tried:
        trend, error = piece.slope(cuts)
        for _ in range(_ROUNDS):
            if abs(trend) < _DRIFT * error or abs(trend) * size < piece.least:
                break
            other = _steps(piece.without(trend), trend, error)
            best = min(best, other, key=lambda s: s.cost(piece.usual))
            # The slope is steeper without the steps that it explains.
            trend, error = piece.slope(other.cuts)
    return best


def _solved(piece: _Piece) -> _Solved:
    """Solve a piece: with steps, with a drift, and where it is not level with less evidence."""
    plain = _steps(piece)
    best = _drifting(plain)
    if piece.wanders:
        return best
    # The pruning may leave no step where there is one, between candidates that all are wrong.
    empty = max(len(plain.edges), len(best.edges)) == 2
    one = _step(piece) if empty else None
    if one and one.cost(piece.usual) < best.cost(piece.usual):
        return one
    if not best.trend:
        trend, error = piece.slope([0, len(piece.logs)])
        if len(plain.edges) > 2 or abs(trend) <= _UNLEVEL * error:
            return best
    lenient = piece.lenient(_UNLEVEL_EVIDENCE)
    other = _steps(lenient)
    one = _step(lenient) if empty else None
    if one:
        other = min(other, one, key=lambda s: s.cost(piece.usual))
    return other if other.cost(piece.usual) + _UNLEVEL_GAIN < best.cost(piece.usual) else best


def detect(
    values: Sequence[float] | npt.NDArray[np.float64],
    *,
    breaks: Sequence[int] = (),
    resolution: float | None = None,
    least_effect: float = LEAST_EFFECT,
    excursion: int = EXCURSION,
) -> History:
    """Find the steps, excursions and drifts of a history.

    `values`: a list or an array of shape (points,), oldest first, one value a night, in any
    unit.  They must be above 0, since changes are relative.
    `breaks`: indices, from 0, of the first points after a change of tool, firmware, config or
    board.  Nothing is compared across a break, and a break is not a change point.
    `resolution`: smallest value that the tool can print, in the unit of the values; smaller
    values, such as 0, count as this.  Without it a 0 is an error.
    `least_effect`: smallest relative change that is a step; 0.01 = 1 %.
    `excursion`: number of points within which a level that returns is an excursion; with 0,
    both its ends are change points.

    A piece with fewer than 2 * `SIDE_MINIMUM` points has no step.  Indices in the result count
    from 0, effects are relative and levels are in the unit of the values.  Beside a drift,
    the levels are those next to the step.

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
    found = History(points=[], excursions=[], drifts=[])
    for start, stop in parts(len(logs), breaks):
        of = _solved(_Piece(logs[start:stop], math.log1p(least_effect), excursion))
        if of.trend:
            reach = of.error * float(scipy.stats.norm.ppf((1 + CONFIDENCE) / 2))
            low, middle, high = (math.expm1(of.trend + r) for r in (-reach, 0.0, reach))
            found.drifts.append(Drift(first=start, last=stop - 1, slope=middle, low=low, high=high))
        for j in range(1, len(of.edges) - 1):
            here = of.piece.fit_without(of.edges, j, of.apart)
            reach = here.error * float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, here.freedom))
            index = of.edges[j]
            found.points.append(
                ChangePoint(
                    index=start + index,
                    effect=math.expm1(here.step),
                    low=math.expm1(here.step - reach),
                    high=math.expm1(here.step + reach),
                    before=math.exp(here.before + of.trend * index),
                    after=math.exp(here.after + of.trend * index),
                    strength=of.piece.strength(of.edges, j),
                )
            )
        for first, end in sorted(of.apart):
            left = max((e for e in of.edges if e < first), default=0)
            here = of.piece.fit(left, first, end)
            found.excursions.append(
                Excursion(first=start + first, last=start + end - 1, effect=math.expm1(here.step))
            )
    return found
