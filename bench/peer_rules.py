# SPDX-License-Identifier: GPL-2.0-only
"""Decision rules of other projects, written anew from their published descriptions.

They exist to be measured beside the project's own on the same numbers; nothing of the
service uses them.  A rule for pairs takes two arrays of shape (pairs, runs) in the
metric's unit and says which pairs it would flag, either way.  A rule for series takes
one array of points in order and gives the index of the first point after each step.

Sources, as documented in 2026: the projects' manuals; for E-divisive Matteson and James
(2014) and Daly et al. (2020); for Otava Fleming et al. (2023) and its page on the
mathematics; for rustc-perf its page on comparison analysis; for asv its page on step
detection, after Friedrich et al. (2008).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

# Historical builds behind rustc-perf's fence, and its width in interquartile ranges: its
# manual's formula says 3 where the sentence beside it says 1.5.
HISTORY = 30
FENCE = 3.0
# Permutations of an energy test at p .01: one more extreme than the data may be chance.
PERMUTATIONS = 199
# Perfherder's points on either side of a suspected step, and the t that makes an alert.
PERFHERDER_WINDOW = 12
PERFHERDER_ALERT = 7.0
# Otava's window, its level, and how much looser the first pass is that collects "weak"
# points for the second pass to judge.
OTAVA_WINDOW = 50
OTAVA_LEVEL = 0.001
OTAVA_WEAK = 10 * OTAVA_LEVEL
# LNT looks back at so many points; its rank test starts at four samples, so of one value
# a night it needs four nights on the new side.
LNT_BEFORE = 10
LNT_AFTER = 4
# LNT ignores anything smaller.
LNT_RELEVANCE = 0.01
# Pieces that asv's fit is offered: no window here has nearly as many.
ASV_PIECES = 12


def _fence(changes: Floats) -> Floats:
    """Return the upper fence of sizes of changes, over the last axis."""
    low, high = np.quantile(changes, (0.25, 0.75), axis=-1)
    return np.asarray(high + FENCE * (high - low))


def _welch_t(base: Floats, new: Floats) -> Floats:
    """Return |t| over the last axis; 0 where neither the means nor the values differ."""
    error = np.sqrt(
        np.var(base, axis=-1, ddof=1) / base.shape[-1]
        + np.var(new, axis=-1, ddof=1) / new.shape[-1]
    )
    gap = np.abs(new.mean(axis=-1) - base.mean(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap > 0, gap / error, 0.0)


# Rules for pairs.


def lkp(base: Floats, new: Floats) -> Flags:
    """LKP: each side's mean lies beyond the other side's range."""
    up = (new.min(axis=1) > base.mean(axis=1)) & (new.mean(axis=1) > base.max(axis=1))
    down = (new.max(axis=1) < base.mean(axis=1)) & (new.mean(axis=1) < base.min(axis=1))
    return np.asarray(up | down)


def lkp_strict(base: Floats, new: Floats) -> Flags:
    """LKP, read strictly: the two ranges do not touch."""
    return np.asarray((new.min(axis=1) > base.max(axis=1)) | (new.max(axis=1) < base.min(axis=1)))


def benchstat(base: Floats, new: Floats) -> Flags:
    """Go's benchstat: Mann-Whitney U, p < .05."""
    return np.asarray(stats.mannwhitneyu(base, new, axis=1).pvalue < 0.05)


def welch(base: Floats, new: Floats) -> Flags:
    """Welch's t, p < .05: the textbook's rule."""
    return np.asarray(stats.ttest_ind(base, new, axis=1, equal_var=False).pvalue < 0.05)


def perfherder_medium(base: Floats, new: Floats) -> Flags:
    """Perfherder's compare view: t of 3 or more, its medium confidence."""
    return np.asarray(_welch_t(base, new) >= 3)


def perfherder_high(base: Floats, new: Floats) -> Flags:
    """Perfherder's compare view: t of 5 or more, its high confidence."""
    return np.asarray(_welch_t(base, new) >= 5)


def squad(base: Floats, new: Floats) -> Flags:
    """SQUAD: any difference of the means."""
    return np.asarray(base.mean(axis=1) != new.mean(axis=1))


def mmtests(base: Floats, new: Floats) -> Flags:
    """Return which 95 % confidence intervals of the means do not overlap, as in mmtests."""
    runs = base.shape[1]
    reach = stats.t.ppf(0.975, runs - 1) / math.sqrt(runs)
    both = reach * (base.std(axis=1, ddof=1) + new.std(axis=1, ddof=1))
    return np.asarray(np.abs(new.mean(axis=1) - base.mean(axis=1)) > both)


def rustc_perf(base: Floats, new: Floats, history: Floats) -> Flags:
    """rustc-perf: the least of the runs moved further than the fence over its history.

    `history` holds earlier builds, shape (pairs, builds, runs), in order.
    """
    builds = history.min(axis=2)
    fence = _fence(np.abs(np.diff(builds, axis=1) / builds[:, :-1]))
    return np.asarray(np.abs(new.min(axis=1) / base.min(axis=1) - 1) > fence)


# Rules for series.


def perfherder_alerts(values: Floats) -> list[int]:
    """Perfherder: t of the 12 points before and the 12 from here on above 7, at its peak."""
    windows = np.lib.stride_tricks.sliding_window_view(values, PERFHERDER_WINDOW)
    t = np.zeros(len(values) + 1)
    here = np.arange(PERFHERDER_WINDOW, len(values) - PERFHERDER_WINDOW + 1)
    t[here] = _welch_t(windows[here - PERFHERDER_WINDOW], windows[here])
    peak = (t[1:-1] > PERFHERDER_ALERT) & (t[1:-1] >= t[:-2]) & (t[1:-1] > t[2:])
    return [int(i) for i in np.flatnonzero(peak) + 1]


def rustc_perf_alerts(values: Floats) -> list[int]:
    """rustc-perf: a point moved further from its parent than the fence over the last ones."""
    changes = np.abs(np.diff(values) / values[:-1])
    before = np.lib.stride_tricks.sliding_window_view(changes, HISTORY - 1)[:-1]
    beyond = changes[HISTORY - 1 :] > _fence(before)
    return [int(i) for i in np.flatnonzero(beyond) + HISTORY]


def lnt_alerts(values: Floats) -> list[int]:
    """LNT: Mann-Whitney p < .05 of the previous 10 and these 4, medians 1 % apart.

    Points in a row are one alert, at the least p among them.
    """
    after = np.lib.stride_tricks.sliding_window_view(values, LNT_AFTER)[LNT_BEFORE:]
    before = np.lib.stride_tricks.sliding_window_view(values, LNT_BEFORE)[: len(after)]
    p = np.asarray(stats.mannwhitneyu(before, after, axis=1).pvalue)
    moved = np.abs(np.median(after, axis=1) / np.median(before, axis=1) - 1)
    flagged = np.flatnonzero((p < 0.05) & (moved >= LNT_RELEVANCE))
    rows = np.split(flagged, np.flatnonzero(np.diff(flagged) > 1) + 1)
    return [int(row[np.argmin(p[row])]) + LNT_BEFORE for row in rows if row.size]


def _divergence(within_left: Floats, within_right: Floats, between: Floats, left: Floats,
                right: Floats) -> Floats:  # fmt: skip
    """Return E-divisive's weighted energy distance from sums over pairs and from counts."""
    pairs_left = np.maximum(left * (left - 1) / 2, 1)  # a single point has no pair: sum 0
    pairs_right = np.maximum(right * (right - 1) / 2, 1)
    energy = 2 * between / (left * right) - within_left / pairs_left - within_right / pairs_right
    return left * right / (left + right) * energy


def _splits(values: Floats) -> Floats:
    """Return the divergence of the first i + 1 points from the rest, over the last axis.

    Shape (..., points) to (..., points - 1).
    """
    points = values.shape[-1]
    distance = np.abs(values[..., :, None] - values[..., None, :])
    earlier = np.einsum("...ij,ij->...j", distance, np.tri(points).T)
    left = np.cumsum(earlier, axis=-1)
    between = np.cumsum(distance.sum(axis=-1), axis=-1) - 2 * left
    right = left[..., -1:] - left - between
    count = np.arange(1.0, points)
    return _divergence(left[..., :-1], right[..., :-1], between[..., :-1], count, points - count)


def mongodb_steps(values: Floats, random: np.random.Generator, level: float = 0.01) -> list[int]:
    """MongoDB: E-divisive means, split while a permutation test gives p <= `level`.

    Each round takes the largest divergence over all segments, and compares it with the
    largest over all segments when the points are shuffled within each of them.
    """

    def measured(start: int, end: int) -> tuple[float, int, Floats]:
        part = values[start:end]
        if len(part) < 2:
            return -math.inf, start, np.full(PERMUTATIONS, -math.inf)
        observed = _splits(part)
        shuffled = random.permuted(np.tile(part, (PERMUTATIONS, 1)), axis=1)
        best = int(np.argmax(observed))
        return float(observed[best]), start + best + 1, _splits(shuffled).max(axis=-1)

    segments = {(0, len(values)): measured(0, len(values))}
    steps: list[int] = []
    while True:
        (start, end), (size, at, _) = max(segments.items(), key=lambda item: item[1][0])
        chance = np.max([shuffled for _, _, shuffled in segments.values()], axis=0)
        if (1 + np.count_nonzero(chance >= size)) / (PERMUTATIONS + 1) > level:
            return sorted(steps)
        steps.append(at)
        del segments[start, end]
        segments[start, at], segments[at, end] = measured(start, at), measured(at, end)


def _student_p(left: Floats, right: Floats) -> float:
    """Return p of Student's t, with deviations over n: as Otava feeds its test.

    A side of one point has no deviation, so that a single spike can be a step.
    """
    if len(left) + len(right) < 3:
        return 1.0
    test = stats.ttest_ind_from_stats(
        left.mean(), left.std(), len(left), right.mean(), right.std(), len(right)
    )
    return 1.0 if np.isnan(test.pvalue) else float(test.pvalue)


def _best_split(values: Floats) -> int:
    """Return where the divergence over all splits and all ends is largest.

    With an end before a second step, the points beyond it do not blur the first.
    """
    points = len(values)
    sums = np.zeros((points + 1, points + 1))
    distance = np.abs(values[:, None] - values[None, :])
    sums[1:, 1:] = distance.cumsum(axis=0).cumsum(axis=1)
    at, end = np.triu_indices(points + 1, 1)
    at, end = at[at > 0], end[at > 0]
    left, between = sums[at, at] / 2, sums[at, end] - sums[at, at]
    right = sums[end, end] / 2 - left - between
    count = at.astype(float)
    return int(at[np.argmax(_divergence(left, right, between, count, end - count))])


def otava_steps(values: Floats, min_magnitude: float = 0.0) -> list[int]:
    """Otava: E-divisive splits that pass Student's t, in windows of 50, then at p < .001.

    The first pass collects weak points in overlapping windows; the second drops the
    weakest until each one passes against its neighbours.
    """
    weak: set[int] = set()

    def split(start: int, end: int) -> None:
        if end - start < 3:
            return
        at = start + _best_split(values[start:end])
        if _student_p(values[start:at], values[at:end]) < OTAVA_WEAK:
            weak.add(at)
            split(start, at)
            split(at, end)

    for start in range(0, max(1, len(values) - OTAVA_WINDOW // 2), OTAVA_WINDOW // 2):
        split(start, min(start + OTAVA_WINDOW, len(values)))
    steps = sorted(weak)
    while steps:
        parts = np.split(values, steps)
        p = [_student_p(a, b) for a, b in itertools.pairwise(parts)]
        moved = [abs(b.mean() / a.mean() - 1) for a, b in itertools.pairwise(parts)]
        small = [i for i, size in enumerate(moved) if size < min_magnitude]
        worst = small[0] if small else int(np.argmax(p))
        if not small and p[worst] < OTAVA_LEVEL:
            break
        del steps[worst]
    return steps


def _median_costs(values: Floats) -> Floats:
    """Return the sum of |value - median| of every run of points [i, j), infinite elsewhere."""
    points = len(values)
    cost = np.full((points + 1, points + 1), np.inf)
    for length in range(1, points + 1):
        ordered = np.sort(np.lib.stride_tricks.sliding_window_view(values, length), axis=1)
        half = length // 2
        spread = ordered[:, length - half :].sum(axis=1) - ordered[:, :half].sum(axis=1)
        cost[np.arange(len(spread)), np.arange(len(spread)) + length] = spread
    return cost


def _innovations(residuals: Floats) -> float:
    """Return the least sum of |residual - a * the one before| over 0 <= a < 1."""
    kept = residuals[1:] - np.arange(0, 1, 0.05)[:, None] * residuals[:-1]
    return float(np.abs(kept).sum(axis=1).min())


def asv_steps(values: Floats) -> list[int]:
    """asv: piecewise constant fit of least absolute error, L1 Potts.

    The number of pieces is the one that makes ln(error) + 4 ln(n) / n a piece least, where
    the error is what is left once each residual is foretold from the one before it.
    """
    points = len(values)
    cost = _median_costs(values)
    # Values that are fitted exactly would make any further piece free.
    floor = 1e-12 * float(np.abs(values).sum())
    error, starts = cost[0], np.zeros((1, points + 1), dtype=int)
    best = math.inf
    answer: list[int] = []
    for pieces in range(1, ASV_PIECES + 1):
        steps = [points]
        for row in starts[::-1]:
            steps.append(int(row[steps[-1]]))
        parts = np.split(values, steps[-2:0:-1])
        left = _innovations(np.concatenate([part - np.median(part) for part in parts]))
        score = math.log(max(left, floor)) + pieces * 4 * math.log(points) / points
        if score < best:
            best, answer = score, steps[-2:0:-1]
        total = error[:, None] + cost
        error, starts = total.min(axis=0), np.vstack([starts, total.argmin(axis=0)])
    return answer
