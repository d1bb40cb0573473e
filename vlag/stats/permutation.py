# SPDX-License-Identifier: GPL-2.0-only
"""Permutation test over runs: quantiles and slopes of a distribution tested together.

A run (boot) is one observation: it gives one value per quantile, and samples of several
runs are never pooled.  All work is on logarithms.  The parts tested together are the shift
of every quantile and its slope, that is, the distance to the quantile below it: if all
quantiles of a run go up and down together, a heavier tail shows in the slope first.  The
test permutes whole runs and keeps the largest |t| of all parts, so
its error rate holds for all of them at once (Westfall and Young's single step).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

# Confidence level of the reported simultaneous intervals.
CONFIDENCE = 0.95
# Above this number splits are sampled: p is then fine enough for any usual level.  Seven
# runs against seven have 1716 splits, all used.
SPLITS = 5000

# Least difference of logarithms that is more than floating-point rounding.
ROUNDING = 1e-9
# Beyond this an exponential overflows.
_LOG_MAXIMUM = 700.0

Array = npt.NDArray[np.float64]


@frozen(kw_only=True)
class QuantileShift:
    """Shift of one quantile; relative changes are new / base - 1, 0.1 = +10 %."""

    name: str  # "p99.9", "max"; of a slope "p99.9/p99"
    base: float  # geometric mean over the runs, in the metric's unit (of a slope: of the
    new: float  # ratios); a run's value below the tool's step counts as the step
    effect: float  # new / base - 1
    low: float | None  # simultaneous interval (`CONFIDENCE`) of the effect; None where
    high: float | None  # there are too few splits for one
    p: float  # adjusted for all parts that were tested with it
    moved: bool  # p within the level of the test, the effect relevant and beyond a step


@functools.lru_cache(maxsize=16)
def _splits(n_base: int, n_new: int, seed: int) -> Array:
    """Return splits as rows of 1 (base) and 0 (new), the real one first; [splits, runs]."""
    n = n_base + n_new
    # With sides of equal size a split and its mirror have one |t|: keep those with run 0 in base.
    count = math.comb(n - 1, n_base - 1) if n_base == n_new else math.comb(n, n_base)
    if count <= SPLITS:
        chosen = np.array(list(itertools.islice(itertools.combinations(range(n), n_base), count)))
    else:
        draws = np.random.default_rng(seed).random((SPLITS - 1, n))
        chosen = np.vstack([np.arange(n_base), np.argsort(draws, axis=1)[:, :n_base]])
    splits = np.zeros((len(chosen), n))
    np.put_along_axis(splits, chosen, 1.0, axis=1)
    splits.setflags(write=False)
    return splits


@functools.lru_cache(maxsize=16)
def _splits_within(boards: tuple[str, ...], n_base: int, seed: int) -> Array:
    """Return splits as `_splits`, of which each leaves a side its number of runs on each board.

    `boards` names the board of each run, base first.
    """
    names = sorted(set(boards))
    places = [[i for i, b in enumerate(boards) if b == name] for name in names]
    counts = [sum(i < n_base for i in own) for own in places]
    real = tuple(range(n_base))
    if math.prod(math.comb(len(own), k) for own, k in zip(places, counts, strict=True)) <= SPLITS:
        ways = [itertools.combinations(own, k) for own, k in zip(places, counts, strict=True)]
        each = {tuple(sorted(itertools.chain(*way))) for way in itertools.product(*ways)}
        chosen = np.array([real, *sorted(each - {real})])
    else:
        random = np.random.default_rng(seed)
        drawn = [
            np.concatenate(
                [random.permutation(own)[:k] for own, k in zip(places, counts, strict=True)]
            )
            for _ in range(SPLITS - 1)
        ]
        chosen = np.array([real, *drawn], dtype=np.int64)
    splits = np.zeros((len(chosen), len(boards)))
    np.put_along_axis(splits, chosen, 1.0, axis=1)
    splits.setflags(write=False)
    return splits


@frozen(kw_only=True)
class Parts:
    """Logarithms of quantiles and slopes, with the inputs of the test; K parts."""

    names: tuple[str, ...]  # quantiles, then slopes
    logs: Array  # [runs, K], base first
    n_base: int
    floor: Array  # [K], least variance: that of rounding to a step
    step: Array  # [K], a difference that rounding alone can make
    boards: tuple[str, ...] = ()  # of each run, whose levels are off the logarithms; none: one

    @property
    def _lost(self) -> int:
        """Degrees of freedom that the boards' levels cost."""
        return max(0, len(set(self.boards)) - 1)

    def _share(self) -> float:
        """Return the variance of the difference within boards, in variances of one run."""
        sides = self.boards[: self.n_base], self.boards[self.n_base :]
        counts = [[side.count(b) for side in sides] for b in set(self.boards)]
        return 1 / sum(a * b / (a + b) for a, b in counts)

    def _level(self, logs: Array) -> Array:
        """Return the logarithms about the mean of their board."""
        centred: Array = logs - logs.mean(axis=0)
        if self._lost:
            names = np.asarray(self.boards)
            for board in sorted(set(self.boards)):
                centred[names == board] -= centred[names == board].mean(axis=0)
        return centred

    def _variance(self, within: Array, runs: int) -> Array:
        """Return the variance of one run; `within`: squares."""
        variance: Array = np.maximum(within / max(runs - 2 - self._lost, 1), self.floor)
        return variance

    def t(self, logs: Array, seed: int) -> Array:
        """Return t of each part (new - base) for every split, [splits, K]."""
        n_new = len(logs) - self.n_base
        if self._lost:
            splits, share = _splits_within(self.boards, self.n_base, seed), self._share()
        else:
            splits, share = _splits(self.n_base, n_new, seed), 1 / self.n_base + 1 / n_new
        centred = self._level(logs)
        in_base = splits @ centred
        difference = -in_base * share  # the sum of the new side is -in_base
        within = np.maximum(np.sum(centred**2, axis=0) - difference**2 / share, 0.0)
        t: Array = difference / np.sqrt(self._variance(within, len(logs)) * share)
        return t

    def sides(self) -> tuple[Array, Array]:
        """Return the runs of base and of new."""
        return self.logs[: self.n_base], self.logs[self.n_base :]

    @property
    def effect(self) -> Array:
        """Return the difference of the means, new - base, [K]."""
        base, new = self.sides()
        effect: Array = new.mean(axis=0) - base.mean(axis=0)
        return effect

    def rounded(self) -> Array:
        """Return the effect that rounding alone can cause, [K]."""
        # Runs of one side that agree to less than a step were rounded alike: every one of them
        # reads 20.99 and 21.01 as 20 and 21.
        scatter = np.minimum(*(side.var(axis=0) for side in self.sides()))
        rounded: Array = np.where(scatter < self.floor, self.step, 0.0)
        return rounded

    def least(self, relevance: float) -> Array:
        """Return the smallest effect that matters and exceeds rounding, [K]."""
        least: Array = np.maximum(math.log1p(relevance), self.rounded()) + ROUNDING
        return least

    def reach(self, seed: int) -> Array | None:
        """Return the half-widths of the simultaneous intervals, or None: too few splits.

        The splits use the residuals, or a true shift would inflate its own error.
        """
        base, new = self.sides()
        residuals = np.vstack([base - base.mean(axis=0), new - new.mean(axis=0)])
        largest = np.sort(np.max(np.abs(self.t(residuals, seed)), axis=1))
        if len(largest) * (1 - CONFIDENCE) < 1:
            return None
        critical = largest[math.ceil(CONFIDENCE * len(largest)) - 1]
        share = self._share() if self._lost else 1 / len(base) + 1 / len(new)
        variance = self._variance(np.sum(residuals**2, axis=0), len(residuals))
        reach: Array = np.maximum(critical * np.sqrt(variance * share), self.rounded())
        return reach


def _logs(runs: Sequence[Mapping[str, float]], names: Sequence[str], resolution: float) -> Array:
    """Return logarithms of quantiles and slopes, [runs, parts].

    A value below one step of the tool counts as the step.
    """
    values = np.array([[run[name] for name in names] for run in runs]).reshape(len(runs), -1)
    logs = np.log(np.maximum(values, resolution))
    return np.hstack([logs, np.diff(logs, axis=1)])


def prepare(
    base: Sequence[Mapping[str, float]],
    new: Sequence[Mapping[str, float]],
    judged: Sequence[str],
    resolution: float,
    boards: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Parts:
    """Return the parts of two sides; `judged` are quantiles that every run knows.

    `resolution` is the tool's smallest step in the metric's unit.  `boards` names the board of each
    run where there are several, whose levels are off the quantiles; both sides have each of them.
    """
    # Sorted, so that the sampled splits do not depend on the given order.
    sides = [_logs(runs, judged, resolution) for runs in (base, new)]
    orders = [np.lexsort(side.T) for side in sides]
    sides = [side[order] for side, order in zip(sides, orders, strict=True)]
    several = len({*boards[0], *boards[1]}) > 1
    named = [ran[i] for ran, order in zip(boards, orders, strict=True) for i in order if several]
    logs = np.vstack(sides)
    k = len(judged)

    def with_slopes(values: Array) -> Array:
        return np.concatenate([values, values[:-1] + values[1:]])

    centre = logs[:, :k].mean(axis=0)
    lower = np.minimum(*(side[:, :k].mean(axis=0) for side in sides))
    return Parts(
        names=(*judged, *(f"{upper}/{lower}" for lower, upper in itertools.pairwise(judged))),
        logs=logs,
        n_base=len(base),
        # A uniform error of one step has this variance.
        floor=with_slopes(np.maximum(resolution / np.exp(centre), ROUNDING) ** 2 / 12),
        step=with_slopes(np.log1p(resolution / np.exp(lower))),
        boards=tuple(named),
    )


def _relative(log_ratio: float) -> float:
    return math.expm1(log_ratio) if log_ratio < _LOG_MAXIMUM else math.inf


def judge(parts: Parts, *, level: float, relevance: float, seed: int) -> list[QuantileShift]:
    """Return every part with its adjusted p and its interval."""
    t = np.abs(parts.t(parts.logs, seed))
    p = np.mean(np.max(t, axis=1)[:, None] >= t[0] * (1 - ROUNDING), axis=0)
    effect = parts.effect
    reach = parts.reach(seed)
    base, new = (np.exp(side.mean(axis=0)) for side in parts.sides())
    moved = (p <= level + ROUNDING) & (np.abs(effect) > parts.least(relevance))
    return [
        QuantileShift(
            name=name,
            base=float(base[i]),
            new=float(new[i]),
            effect=_relative(effect[i]),
            low=None if reach is None else _relative(effect[i] - reach[i]),
            high=None if reach is None else _relative(effect[i] + reach[i]),
            p=float(p[i]),
            moved=bool(moved[i]),
        )
        for i, name in enumerate(parts.names)
    ]
