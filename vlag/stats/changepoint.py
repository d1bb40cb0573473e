"""Change points in the history of a series: steps that last.

A history is one value a night, in order.  All work is on logarithms.  Candidates come
from kernel change-point detection (`ruptures`), which is fast and finds too many; a
boundary then stays only while the robust levels on both sides differ by more than the
noise of this history allows, serial correlation included.  A level that returns after a
while is an `Excursion`: boards have days like that, a changed kernel has not.

A new step alone is never reported: a verdict needs boots (`vlag.stats.compare`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import ruptures  # type: ignore[import-untyped]
from attrs import frozen
from scipy import stats

from vlag.stats.levels import TAIL, Array, Fit, fit, log_values, noise, parts

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
_EVIDENCE = 3.25
_EVIDENCE_SHORT = 45.0
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
# Confidence level of the reported interval.
CONFIDENCE = 0.95


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
class History:
    """Steps and excursions of one history."""

    points: list[ChangePoint]
    excursions: list[Excursion]


class _Piece:
    """One piece of a history without breaks, with fits remembered while it is pruned."""

    def __init__(self, logs: Array, least: float, excursion: int):
        self.logs = logs
        self.least = least
        self.excursion = excursion
        self._fits: dict[tuple[int, int, int], Fit] = {}
        # One noise per window, so that a history of years may become quieter.
        self._noise = [noise(logs[a:b]) for a, b in self._windows()]

    def _windows(self) -> list[tuple[int, int]]:
        size = len(self.logs)
        starts = range(0, max(1, size - _OVERLAP), _WINDOW - _OVERLAP)
        return [(a, min(a + _WINDOW, size)) for a in starts]

    def noise_at(self, index: int) -> float:
        last = len(self._noise) - 1
        return self._noise[min(last, max(0, index - _OVERLAP // 2) // (_WINDOW - _OVERLAP))]

    def candidates(self) -> list[int]:
        found: set[int] = set()
        windows = self._windows()
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
        return t / (_EVIDENCE + _EVIDENCE_SHORT / side)

    def prune(self, boundaries: Iterable[int]) -> tuple[list[int], list[tuple[int, int]]]:
        """Drop the weakest edges until all hold, and pairs that only mark an excursion."""
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
                j, drop = shortest - 1, 2
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
        boundaries, excursions = self.prune(self.candidates())
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


def analyse(
    values: Sequence[float],
    *,
    breaks: Sequence[int] = (),
    least_effect: float = LEAST_EFFECT,
    excursion: int = EXCURSION,
) -> History:
    """Find the steps and excursions of a history; see `changepoints`.

    `excursion` is the number of points within which a returning level is an excursion;
    0 makes change points of both its ends.
    """
    if not (math.isfinite(least_effect) and least_effect > 0):
        raise ValueError(f"the least effect is {least_effect}, it must be above 0")
    if excursion < 0:
        raise ValueError(f"an excursion of {excursion} points: it must be 0 or more")
    logs = log_values(values)
    points: list[ChangePoint] = []
    excursions: list[Excursion] = []
    for start, stop in parts(len(logs), breaks):
        piece = _Piece(logs[start:stop], math.log1p(least_effect), excursion)
        boundaries, gone = piece.solve()
        edges = [0, *boundaries, stop - start]
        for j in range(1, len(edges) - 1):
            here = piece.fit(edges[j - 1], edges[j], edges[j + 1])
            reach = here.error * float(stats.t.ppf((1 + CONFIDENCE) / 2, here.freedom))
            points.append(
                ChangePoint(
                    index=start + edges[j],
                    effect=math.expm1(here.step),
                    low=math.expm1(here.step - reach),
                    high=math.expm1(here.step + reach),
                    before=math.exp(here.before),
                    after=math.exp(here.after),
                    strength=piece.strength(edges, j),
                )
            )
        for first, end in gone:
            left = max((e for e in edges if e < first), default=0)
            here = piece.fit(left, first, end)
            excursions.append(
                Excursion(first=start + first, last=start + end - 1, effect=math.expm1(here.step))
            )
    excursions.sort(key=lambda e: e.first)
    return History(points=points, excursions=excursions)


def changepoints(
    values: Sequence[float],
    *,
    breaks: Sequence[int] = (),
    least_effect: float = LEAST_EFFECT,
) -> list[ChangePoint]:
    """Return the lasting steps of a history, in order.

    `values` are positive, in any unit, one a night; `breaks` are indices where the tool,
    firmware, config or board changed: nothing is compared across one, and it is not a change
    point.  Steps below `least_effect` (relative) are ignored.  A piece with fewer than
    2 * `SIDE_MINIMUM` points has no step.

    Raises ValueError, with the index, for a value that is not finite or not above 0 and for
    a break outside the history.
    """
    return analyse(values, breaks=breaks, least_effect=least_effect).points
