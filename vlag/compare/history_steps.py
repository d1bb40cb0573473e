# SPDX-License-Identifier: GPL-2.0-only
"""The step in a history that explains a change between two kernels."""

from __future__ import annotations

from collections.abc import Sequence

from vlag.stats import severity
from vlag.stats.attribution import LEAST_SHARE
from vlag.store.changes import Change


def step_of(
    standing: Sequence[Change], series: int | None, statistic: str, effect: float | None
) -> Change | None:
    """Return the step in a history that accounts for a change in it: the largest, or None.

    `standing` are change points on record, `effect` the relative change.
    """
    steps = [
        c
        for c in standing
        if (c.series, c.statistic) == (series, statistic)
        and c.cause == "kernel"
        and (c.effect > 0) == ((effect or 0.0) > 0)
        and severity.log_ratio(c.effect) >= LEAST_SHARE * severity.log_ratio(effect)
    ]
    return max(steps, key=lambda c: severity.log_ratio(c.effect), default=None)
