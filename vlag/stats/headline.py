# SPDX-License-Identifier: GPL-2.0-only
"""A phrase that describes how a distribution moved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vlag.stats.numbers import plain
from vlag.stats.permutation import QuantileShift

# A headline is one line of a mail: the table has the rest.
LENGTH = 100
# A median whose interval lies within this much of 0 is called unchanged.
UNCHANGED = 0.03
# Below this share of its samples the headline mentions it: the missing ones may be the
# tail (coordinated omission).
ACHIEVED_LEAST = 0.95


def _called(name: str) -> str:
    return {"p50": "the median", "max": "the maximum"}.get(name, name.upper())


def _joined(names: Sequence[str]) -> str:
    called = [_called(name) for name in names]
    return " and ".join([", ".join(called[:-1]), called[-1]] if called[:-1] else called)


def _listed(names: Sequence[str], judged: Sequence[str]) -> str:
    """Return names in words; the upper end of the grid is "P99 and beyond"."""
    if len(names) > 1 and tuple(names) == tuple(judged[-len(names) :]):
        first = _called(names[0])
        far = names[0].startswith("p99.")
        return f"the tail beyond {first}" if far else f"{first} and beyond"
    return _joined(names)


def _number(effect: float) -> str:
    percent = 100 * abs(effect)
    return plain(percent, 2)


def _moved(effects: Sequence[float]) -> str:
    """Return as text how far quantiles moved that all moved in one direction."""
    low, high = sorted((min(effects, key=abs), max(effects, key=abs)), key=abs)
    logs = [math.log1p(effect) for effect in (low, high)]
    way = "higher" if high > 0 else "lower"
    # Figures that differ by less than this share are shown as one.
    if abs(logs[1]) > 1.5 * abs(logs[0]):
        return f"{_number(low)} % to {_number(high)} % {way}"
    ratio = math.exp(sum(logs) / 2)
    for word, factor in (("doubled", 2.0), ("halved", 0.5)):
        if abs(ratio / factor - 1) < 0.05:
            return word
    return f"{plain(ratio, 2)} times as high" if ratio > 2 else f"{_number(ratio - 1)} % {way}"


def _where(quantiles: Sequence[QuantileShift], slopes: Sequence[QuantileShift]) -> tuple[str, bool]:
    """Return as text what moved, and whether to mention the median."""
    judged = [q.name for q in quantiles]
    moved = [q for q in quantiles if q.moved]
    if not judged:
        return "no quantile is known in every run", False
    if not moved:
        slope = min((s for s in slopes if s.moved), key=lambda s: s.p, default=None)
        if slope is None:
            return "no quantile moved", False
        upper, lower = map(_called, slope.name.split("/"))
        way = "away from" if slope.effect > 0 else "towards"
        return f"{upper} moved {_number(slope.effect)} % {way} {lower}", True
    groups = [[q for q in moved if (q.effect > 0) is up] for up in (False, True)]
    groups = sorted((g for g in groups if g), key=lambda g: judged.index(g[0].name))
    if len(groups) == 1 and len(moved) == len(judged) > 1:
        size = _moved([q.effect for q in moved])
        for way, word in (("higher", "up"), ("lower", "down")):
            if size.endswith(way) and " to " not in size:
                size = f"moved {word} by {size.removesuffix(way).strip()}"
        return f"the whole distribution {size}", False
    parts = (
        f"{_listed([q.name for q in g], judged)} {_moved([q.effect for q in g])}" for g in groups
    )
    return ", ".join(parts), True


def headline(
    quantiles: Sequence[QuantileShift],
    slopes: Sequence[QuantileShift],
    unknown: Sequence[str],
    achieved: tuple[float | None, float | None],
    relevance: float,
) -> str:
    """Return how the distribution moved, in at most `LENGTH` characters.

    `achieved` are the shares of the expected samples that base and new took.
    """
    phrase, of_the_median = _where(quantiles, slopes)
    # In order of importance; each is added if it still fits.
    more = [
        f"; {side} took only {_number(share)} % of its samples"
        for side, share in zip(("base", "new"), achieved, strict=True)
        if share is not None and share < ACHIEVED_LEAST
    ]
    if unknown and quantiles:
        more.append(f"; {_joined(unknown)} {'is' if len(unknown) == 1 else 'are'} not known")
    median = next((q for q in quantiles if q.name == "p50" and not q.moved), None)
    about = ""
    if of_the_median and median is not None:
        ends = [abs(end) for end in (median.low, median.high) if end is not None]
        same = bool(ends) and max(ends) < max(relevance, UNCHANGED)
        about = f", {'the median is unchanged' if same else 'no shift of the median is seen'}"
    if len(phrase + about + "".join(more)) > LENGTH:
        about = ""
    phrase += about
    for part in more:
        if len(phrase + part) <= LENGTH:
            phrase += part
    return phrase
