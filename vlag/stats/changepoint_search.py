# SPDX-License-Identifier: GPL-2.0-only
"""Boundaries between the levels of one piece of a history: candidates, pruning, places."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

import numpy as np
import ruptures  # type: ignore[import-untyped]
from attrs import evolve, frozen

from vlag.stats.changepoint_tuning import PLACE_TOLERANCE, SIDE_MINIMUM, Tuning
from vlag.stats.levels import TAIL, Array, Fit, clipped, contrasts, fit, noise, slope, wander

#: Points [first, end) of a segment.
Span = tuple[int, int]


class Piece:
    """The levels and the noise of one piece of a history without breaks; fits are kept.

    `logs`: logarithms of the values, shape (points,).  `least`: smallest step, as a log ratio.
    """

    def __init__(self, logs: Array, least: float, tuning: Tuning):
        self.logs = logs
        self.least = least
        self.tuning = tuning
        self._fits: dict[tuple[int, int, int], Fit] = {}
        self._contrasts: dict[tuple[int, int], Array] = {}  # by window and points a side
        self._slopes: dict[tuple[int, ...], tuple[float, float]] = {}
        window, overlap = tuning.window, tuning.window // 4
        starts = range(0, max(1, len(logs) - overlap), window - overlap)
        self._windows = [(a, min(a + window, len(logs))) for a in starts]
        # One noise per window, so that a history of years may become quieter.
        self._noise = [noise(logs[a:b]) for a, b in self._windows]

    def without(self, trend: float) -> Piece:
        """Return the piece without a trend, a point, on logarithms."""
        return Piece(self.logs - trend * np.arange(len(self.logs)), self.least, self.tuning)

    @functools.cached_property
    def wander(self) -> float:
        """Return by which factor a boundary needs more evidence, as the level wanders; 1: none."""
        return 2.0 if wander(self.logs) > self.tuning.wander else 1.0

    @functools.cached_property
    def noise(self) -> float:
        """Return the noise of the whole piece."""
        return noise(self.logs)

    def noise_at(self, index: int) -> float:
        """Return the noise of the window around a point."""
        return self._noise[self._window_at(index)]

    def _window_at(self, index: int) -> int:
        window, overlap = self.tuning.window, self.tuning.window // 4
        return min(len(self._windows) - 1, max(0, index - overlap // 2) // (window - overlap))

    @functools.cached_property
    def candidates(self) -> list[int]:
        """Return the boundaries that kernel detection finds, too many of them."""
        boundaries: set[int] = set()
        windows, half = self._windows, self.tuning.window // 8
        for i, (a, b) in enumerate(windows):
            if b - a < 2 * SIDE_MINIMUM or np.ptp(self.logs[a:b]) < self.least:
                continue
            signal = (self.logs[a:b, None] - self.logs[a]) / self._noise[i]
            kernel = ruptures.KernelCPD(kernel="rbf", min_size=2).fit(signal)
            # The middle of an overlap belongs to the one window, the rest to the other.
            low = a + half if i else a
            high = b - half if i + 1 < len(windows) else b
            ends = kernel.predict(pen=self.tuning.candidate_penalty)[:-1]
            boundaries |= {a + int(end) for end in ends if low <= a + end < high}
        return sorted(boundaries)

    def fit(self, first: int, index: int, end: int) -> Fit:
        """Fit levels to [first, index) and [index, end), as far as a window reaches."""
        reach = self.tuning.window
        first, end = max(first, index - reach), min(end, index + reach)
        key = first, index, end
        if key not in self._fits:
            self._fits[key] = fit(
                self.logs[first:index], self.logs[index:end], self.noise_at(index)
            )
        return self._fits[key]

    def fit_without(self, edges: Sequence[int], j: int, excursions: Sequence[Span]) -> Fit:
        """Fit levels to both sides of edge `j` without the points of the excursions."""
        first, index, end = edges[j - 1 : j + 2]
        reach = self.tuning.window
        kept = np.ones(len(self.logs), dtype=bool)
        for a, b in excursions:
            kept[a:b] = False
        left, right = (
            self.logs[a:b][kept[a:b]]
            for a, b in ((max(first, index - reach), index), (index, min(end, index + reach)))
        )
        if min(len(left), len(right)) < SIDE_MINIMUM:
            return self.fit(first, index, end)
        return fit(left, right, self.noise_at(index))

    def slope(self, cuts: Sequence[int]) -> tuple[float, float]:
        """Return the slope that the segments between `cuts` share, and its standard error."""
        key = tuple(cuts)
        if key not in self._slopes:
            self._slopes[key] = slope(self.logs, cuts, self.noise)
        return self._slopes[key]

    def _sharpness_points(self, size: int) -> int:
        """Return the points on either side whose means make the sharpness in `size` points."""
        return min(self.tuning.sharpness_points, size // self.tuning.sharpness_share)

    def sharpness(self, index: int, step: float) -> float:
        """Return how far the means next to a place differ, in standard deviations of the window.

        It is at most `Tuning.sharpness` next to an end of the history, where there are too few
        points, and never below 0.
        """
        tuning = self.tuning
        window = self._window_at(index)
        first, end = self._windows[window]
        wanted = self._sharpness_points(end - first)
        width = min(wanted, index - first, end - index)
        if width < SIDE_MINIMUM:
            return tuning.sharpness
        if (window, width) not in self._contrasts:
            self._contrasts[window, width] = contrasts(self.logs[first:end], width)
        place = index - first - width
        near = slice(max(0, place - tuning.sharpness_near), place + tuning.sharpness_near + 1)
        contrast = self._contrasts[window, width][near] * math.copysign(1.0, step)
        highest = float(np.max(contrast))
        sharp = highest if width == wanted else min(highest, tuning.sharpness)
        return max(0.0, sharp)

    def sharpest(self) -> int | None:
        """Return the place that stands out the most from a drift, or None."""
        width = self._sharpness_points(len(self.logs))
        if width < SIDE_MINIMUM:
            return None
        sharpness = np.abs(contrasts(self.logs, width, steady=True))
        if sharpness.max() < 2 * self.tuning.drift_errors:
            return None
        return width + int(np.argmax(sharpness))

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

    def place(self, first: int, index: int, end: int) -> int:
        """Return the most likely place of the step between `first` and `end`.

        The levels and the noise are those around `index`.  It takes the place with most of
        the likelihood within `PLACE_TOLERANCE` points: with much noise the likeliest single
        point is often a lone odd night.
        """
        levels = self.fit(first, index, end)
        low, high = max(first, index - self.tuning.window), min(end, index + self.tuning.window)
        width = levels.scale * math.sqrt(1 - levels.correlation**2)
        old, new = self.logs[low:high] - levels.before, self.logs[low:high] - levels.after

        def cost(now: Array, before: Array) -> Array:
            innovation = (now[1:] - levels.correlation * before[:-1]) / width
            lone = now[:1] / width
            innovation = np.concatenate([lone, innovation])
            return (TAIL + 1) / 2 * np.log1p(innovation**2 / TAIL)

        same_old = np.concatenate([[0.0], np.cumsum(cost(old, old))])
        same_new = np.concatenate([np.cumsum(cost(new, new)[::-1])[::-1], [0.0]])
        places = np.arange(SIDE_MINIMUM, high - low - SIDE_MINIMUM + 1)
        total = same_old[places] + cost(new, old)[places] + same_new[places + 1]
        weight = np.exp(-self.tuning.place_power * (total - total.min()))
        padded = np.concatenate([[0.0], np.cumsum(np.pad(weight, PLACE_TOLERANCE))])
        near = padded[2 * PLACE_TOLERANCE + 1 :] - padded[: -2 * PLACE_TOLERANCE - 1]
        # Among equally good places, the likeliest.
        return low + int(places[np.argmax(near + 1e-3 * weight)])


@frozen(kw_only=True)
class Search:
    """The search for the steps of a piece."""

    piece: Piece
    excursion: int  # points within which a level that returns is an excursion
    factor: float  # of the evidence that a boundary needs

    @classmethod
    def with_all_evidence(cls, piece: Piece, excursion: int) -> Search:
        """Return the search that asks for all of the evidence."""
        return cls(piece=piece, excursion=excursion, factor=piece.wander)

    def without(self, trend: float) -> Search:
        """Return the same search in the piece without a trend, a point, on logarithms."""
        return Search.with_all_evidence(self.piece.without(trend), self.excursion)

    def lenient(self) -> Search:
        """Return the same search with less evidence, for a history that is not level."""
        return evolve(self, factor=self.factor * self.piece.tuning.unlevel_evidence)

    def solve(self) -> tuple[list[int], list[Span]]:
        """Return the boundaries between levels, and the excursions."""
        boundaries, excursions = self.prune(self.piece.candidates)
        edges = [0, *boundaries, len(self.piece.logs)]
        placed: list[int] = []
        for j in range(1, len(edges) - 1):
            first = placed[-1] if placed else 0
            enough = min(edges[j] - first, edges[j + 1] - edges[j]) >= SIDE_MINIMUM
            placed.append(self.piece.place(first, edges[j], edges[j + 1]) if enough else edges[j])
        placed, more = self.prune(placed)
        return placed, excursions + more

    def strength(self, edges: Sequence[int], j: int) -> float:
        """Return the evidence for edge `j` over its minimum; below 0 for an impossible edge."""
        piece, tuning = self.piece, self.piece.tuning
        first, index, end = edges[j - 1 : j + 2]
        side = min(index - first, end - index)
        if side < SIDE_MINIMUM:
            return side / SIDE_MINIMUM - 2
        levels = piece.fit(first, index, end)
        t = abs(levels.step) / levels.error
        if abs(levels.step) < piece.least:
            return -1 / (1 + t)
        needed = (tuning.evidence + tuning.evidence_short / side) * self.factor
        return t * math.cbrt(piece.sharpness(index, levels.step) / tuning.sharpness) / needed

    def prune(self, boundaries: Iterable[int]) -> tuple[list[int], list[Span]]:
        """Drop the weakest edges until all hold, and pairs that only mark an excursion.

        Of a pair, one edge stays where the levels around it differ: it may be a step.
        """
        edges = [0, *boundaries, len(self.piece.logs)]
        excursions: list[Span] = []
        strengths = [self.strength(edges, j) for j in range(1, len(edges) - 1)]
        while strengths:
            j = int(np.argmin(strengths))
            if strengths[j] < 1:
                drop = 1
            else:
                shortest = self._shortest_excursion(edges)
                if shortest is None:
                    break
                excursions.append((edges[shortest], edges[shortest + 1]))
                weaker = self._weaker_edge(edges, shortest)
                j, drop = (shortest - 1, 2) if weaker is None else (weaker - 1, 1)
            del edges[j + 1 : j + 1 + drop]
            del strengths[j : j + drop]
            for k in (j - 1, j):
                if 0 <= k < len(strengths):
                    strengths[k] = self.strength(edges, k + 1)
        return edges[1:-1], excursions

    def _shortest_excursion(self, edges: Sequence[int]) -> int | None:
        """Return the first edge of the shortest segment whose level returns, or None."""
        lengths = [
            (edges[j + 1] - edges[j], j)
            for j in range(1, len(edges) - 2)
            if edges[j + 1] - edges[j] <= self.excursion
        ]
        for _, j in sorted(lengths):
            there = self.piece.fit(edges[j - 1], edges[j], edges[j + 1])
            back = self.piece.fit(edges[j], edges[j + 1], edges[j + 2])
            if there.step * back.step > 0:
                continue
            left = abs(back.after - there.before)
            smaller = min(abs(there.step), abs(back.step))
            if left < max(self.piece.least, (1 - self.piece.tuning.returned_share) * smaller):
                return j
        return None

    def _weaker_edge(self, edges: Sequence[int], j: int) -> int | None:
        """Return the weaker of the edges `j` and `j` + 1, or None if their steps cancel out."""
        before = self.piece.fit(edges[j - 1], edges[j], edges[j + 1]).before
        after = self.piece.fit(edges[j], edges[j + 1], edges[j + 2]).after
        if abs(after - before) < self.piece.least:
            return None
        alone = [
            self.strength([edges[j - 1], place, edges[j + 2]], 1) for place in edges[j : j + 2]
        ]
        return j if alone[0] < alone[1] else j + 1
