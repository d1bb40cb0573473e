# SPDX-License-Identifier: GPL-2.0-only
"""Which boots of the base belong to the new kernel's night, and which are earlier controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from attrs import evolve

from vlag.compare.conditions import Group
from vlag.store.runs import Figures, Run

# A longer pause between two boots of one series separates nights.
PAUSE = timedelta(hours=6)
# Most earlier nights that count: more say little more, and a board ages.
NIGHTS = 12

Measured = tuple[Run, Figures]


def split(
    base: Group, new: Group, more: Iterable[Measured] = ()
) -> tuple[Group, list[list[Measured]]]:
    """Return the base's boots of the new kernel's nights, and those of earlier nights.

    A boot of the new kernel takes the base's night that is nearest in time.  Earlier nights
    ended before the new kernel's first boot; they hold only boots of the boards that this
    comparison uses, and `more` boots under equal conditions that `base` leaves out.  The
    latest night is the last one.
    """
    groups = nights(base)
    mine = {_nearest(groups, run.finished_at) for run in new.runs}
    tonight = [pair for i in sorted(mine) for pair in groups[i]]
    boards = {run.board for run, _figures in tonight} | {run.board for run in new.runs}
    first = min(run.finished_at for run, _figures in tonight)
    first = min(first, *(run.finished_at for run in new.runs)) - PAUSE
    others = [pair for i, night in enumerate(groups) if i not in mine for pair in night]
    earlier = [
        pair for pair in (*others, *more) if pair[0].finished_at < first and pair[0].board in boards
    ]
    kept = evolve(
        base,
        runs=[run for run, _figures in tonight],
        figures=[figures for _run, figures in tonight],
    )
    return kept, _nights(earlier)[-NIGHTS:]


def nights(group: Group) -> list[list[Measured]]:
    """Return a group's boots by night, oldest first."""
    return _nights(zip(group.runs, group.figures, strict=True))


def _nights(pairs: Iterable[Measured]) -> list[list[Measured]]:
    ordered = sorted(pairs, key=lambda pair: (pair[0].finished_at, pair[0].id))
    groups = [ordered[:1]] if ordered else []
    for (before, _), pair in pairwise(ordered):
        if pair[0].finished_at - before.finished_at > PAUSE:
            groups.append([])
        groups[-1].append(pair)
    return groups


def _nearest(nights: Sequence[Sequence[Measured]], at: datetime) -> int:
    def distance(i: int) -> timedelta:
        ends = nights[i][0][0].finished_at, nights[i][-1][0].finished_at
        return max(ends[0] - at, at - ends[1], timedelta(0))

    return min(range(len(nights)), key=distance)
