# SPDX-License-Identifier: GPL-2.0-only
"""Profiled boots, and by how much figures of two kernels' boots must differ to be told."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Protocol

import scipy
from attrs import frozen

from vlag.errors import UsageError
from vlag.profile.counts import Profile

#: Chance with which some figure of two equal kernels is told to differ.
_CHANCE = 0.05


@frozen(kw_only=True)
class Boot:
    """One profiled boot of a kernel."""

    seed: int
    operations: int  # that the benchmark did, above 0
    profile: Profile
    names: frozenset[str]  # functions that the kernel has, executed or not


class Divided(Protocol):
    """A boot whose figures are divided by the benchmark's operations."""

    @property
    def seed(self) -> int:
        """Return the boot's seed."""

    @property
    def operations(self) -> int:
        """Return how many operations the benchmark did."""


def check(
    base: Sequence[Divided], new: Sequence[Divided], operation: str, *, boot: str = "profiled boot"
) -> None:
    """Raise UsageError if a side has no boot, which is a `boot` in words, or one did nothing."""
    for side, boots in (("base", base), ("new", new)):
        if not boots:
            raise UsageError(f"the {side} kernel has no {boot}")
        for one in boots:
            if one.operations <= 0:
                raise UsageError(
                    f"the benchmark did no {operation} in the {side} kernel's boot with seed"
                    f" {one.seed}"
                )


def mean(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return statistics.fmean(values)


def limit(base: int, new: int, questions: int) -> float:
    """Return the standard errors that one of `questions` differences must exceed.

    `base` and `new` are boots a side.  The limit keeps the chance that any of the questions
    names a difference of two equal kernels at one in twenty.
    """
    freedom = base + new - 2
    if not questions or not freedom:
        return 1.0
    return -float(scipy.special.stdtrit(freedom, _CHANCE / 2 / questions))


def differ(before: Sequence[float], after: Sequence[float], limit: float) -> bool:
    """Return whether two means differ by more than `limit` standard errors."""
    if not before or not after:
        return False
    return abs(mean(after) - mean(before)) > limit * error(before, after)


def error(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the standard error of the difference of two means, by Student's pooled variance."""
    freedom = len(before) + len(after) - 2
    if not freedom:
        return math.inf  # one boot a side says nothing of others
    squares = sum(sum((v - mean(values)) ** 2 for v in values) for values in (before, after))
    return math.sqrt(squares / freedom * (1 / len(before) + 1 / len(after)))
