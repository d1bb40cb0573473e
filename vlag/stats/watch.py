# SPDX-License-Identifier: GPL-2.0-only
"""A watch on the last nights of a history, and the state of earlier change points.

The watch only *schedules* a comparison of fresh, interleaved boots: three points prove
nothing, so it sends no notifications.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from vlag.stats.changepoint import ChangePoint, detect
from vlag.stats.changepoint_tuning import PLACE_TOLERANCE, SIDE_MINIMUM
from vlag.stats.levels import level, log_values, noise, parts, spread

# Fewest points of the last segment before the ones in question: fewer do not show the
# scatter of this history.
SETTLED_MINIMUM = 2 * SIDE_MINIMUM
# Points of the last segment that the watch uses: enough for its level, and recent.
_SETTLED_MOST = 60
# Smallest relative distance that is worth machine time: ten boots a side do not decide on
# less, and `detect` finds it in some weeks.
LEAST_DISTANCE = 0.03
# The last k points are all at least this many standard deviations off, on one side.
# Chosen to detect a 5 % step within three nights; see docs/evidence/changepoints.md.
_DISTANCE = {1: 3.0, 2: 1.5, 3: 0.7}


class Cause(enum.Enum):
    """Cause of a step."""

    KERNEL = "kernel"
    BOARD = "board"  # the baseline kernel stepped too, on the same board


@frozen(kw_only=True)
class Watch:
    """The last points are off: a reason to boot old and new kernel again, not a finding."""

    first: int  # first point that is off
    effect: float  # their level / the segment's - 1
    before: float  # the segment's level, in the history's unit
    distance: float  # in standard deviations of one point


def watch(
    values: Sequence[float], *, breaks: Sequence[int] = (), resolution: float | None = None
) -> Watch | None:
    """Return how far the last one to three points are off the last segment, or None.

    Arguments and errors are those of `changepoint.detect`.  None as well if fewer than
    `SETTLED_MINIMUM` points of the last segment come before them.
    """
    logs = log_values(values, resolution)
    pieces = parts(len(logs), breaks)
    if not pieces:
        return None
    start = pieces[-1][0]
    steps = detect(values[start:], resolution=resolution).points
    if steps:
        start += steps[-1].index
    for count, needed in sorted(_DISTANCE.items(), reverse=True):
        end = len(logs) - count
        settled, recent = logs[start:end][-_SETTLED_MOST:], logs[end:]
        if len(settled) < SETTLED_MINIMUM:
            continue
        usual = noise(settled)
        centre = level(settled, usual)
        scale = max(usual, spread(settled - centre))
        away = recent - centre
        nearest = float(np.min(np.abs(away)))
        middle = float(np.median(away))
        one_side = bool(np.all(away > 0) or np.all(away < 0))
        if one_side and nearest >= needed * scale and abs(middle) >= math.log1p(LEAST_DISTANCE):
            return Watch(
                first=len(logs) - count,
                effect=math.expm1(middle),
                before=math.exp(centre),
                distance=nearest / scale,
            )
    return None


def _match(one: ChangePoint, other: ChangePoint) -> bool:
    near = abs(one.index - other.index) <= PLACE_TOLERANCE
    return near and (one.effect > 0) == (other.effect > 0)


def moved_with(baseline: Sequence[ChangePoint], points: Sequence[ChangePoint]) -> list[Cause]:
    """Return the cause of each of `points`, in their order.

    `baseline` are the steps of the baseline kernel on the same board, with the same nights
    for indices.  A step within `PLACE_TOLERANCE` points and in the same direction is the board's.
    """
    return [
        Cause.BOARD if any(_match(point, b) for b in baseline) else Cause.KERNEL for point in points
    ]


def withdrawn(earlier: Sequence[ChangePoint], now: Sequence[ChangePoint]) -> list[ChangePoint]:
    """Return the change points of an earlier analysis that later data removed.

    One that only moved by up to `PLACE_TOLERANCE` points, in the same direction, remains; a later
    one confirms only the nearest earlier one.
    """
    left = list(earlier)
    for point in now:
        matches = [e for e in left if _match(e, point)]
        if matches:
            left.remove(min(matches, key=lambda e: abs(e.index - point.index)))
    return left
