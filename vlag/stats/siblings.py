# SPDX-License-Identifier: GPL-2.0-only
"""A board that moves against the other boards of its type.

Boards of a type run the same kernels, in the same nights.  What a kernel does is the same on both
boards of a pair, so their difference is the boards' own, and it stays what it was, whatever
kernels come.  The median of the first `REFERENCE` nights of a pair is held against that of the
last `LATELY`; the pair has moved apart where they differ by more than its own nights scatter.

One pair does not say which of its boards has moved.  Of three boards or more it is the one
that has moved against most of its siblings, in one direction.  Of two, the kernels that ran in
both spans (a night's baseline) say which one is no longer what it was; where they do not, nobody
is named.

A board's own checks (`vlag.stats.band`) run one benchmark.  A board may keep it and lose another
one: memory that is slower, a cooler that is full of dust.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np
from attrs import frozen

from vlag.stats.levels import noise, spread

#: First nights of a pair, whose median difference it must keep to.
REFERENCE = 30
#: Last nights whose median is held against it.
LATELY = 20
#: Least relative distance of the two that is a move: twice what makes a kernel's change matter.
LEAST = 0.02
#: The same in standard deviations of one night's difference.
SCATTERS = 3.0
#: A board of two has moved if its own move is at least this share of the pair's.
OWN_SHARE = 0.75
# Lower bound of the scatter: rounding makes nights look equal.
_SCATTER_MINIMUM = 0.001


@frozen(kw_only=True)
class Seen:
    """What one board gave for one figure of one kernel in a night."""

    figure: Hashable
    kernel: Hashable  # with all else that two boards must share to be compared
    night: int  # a day
    board: str
    log: float  # natural logarithm, the mean of its boots
    boots: int = 1


#: What a board ran, by night and kernel.
_Ran = dict[tuple[int, Hashable], Seen]


@frozen(kw_only=True)
class Move:
    """A figure in which boards have moved apart."""

    figure: Hashable
    boards: tuple[str, ...]  # one: it is the one that moved; two: which of them is not known
    against: tuple[str, ...]  # its siblings
    size: float  # relative, of the first board by a sibling, where it is seen best
    reach: float  # the most that this pair moves while it is steady, relative
    night: int  # first of the last nights


@frozen(kw_only=True)
class _Apart:
    """How far a pair has moved."""

    away: float  # natural logarithm, of the first board by the second one
    reach: float
    first: tuple[int, ...]  # nights
    lately: tuple[int, ...]

    @property
    def moved(self) -> bool:
        return abs(self.away) > self.reach


def moves(seen: Iterable[Seen], since: Mapping[str, int] | None = None) -> list[Move]:
    """Return the figures in which boards have moved apart, the largest move first.

    Those that name a board come before those that name two.  `since` is the first day of each
    board that counts among the last nights: a person has said that it was good then.
    """
    by_figure: dict[Hashable, list[Seen]] = {}
    for s in seen:
        by_figure.setdefault(s.figure, []).append(s)
    listed = [
        move for figure, its in by_figure.items() for move in _of_figure(figure, its, since or {})
    ]
    return sorted(listed, key=lambda m: (len(m.boards), -abs(math.log1p(m.size)), str(m.figure)))


def _of_figure(figure: Hashable, seen: Sequence[Seen], since: Mapping[str, int]) -> list[Move]:
    ran: dict[str, _Ran] = {}
    for s in seen:
        ran.setdefault(s.board, {})[s.night, s.kernel] = s
    boards = sorted(ran)
    pairs: dict[tuple[str, str], _Apart] = {}
    for pair in combinations(boards, 2):
        known = _apart(ran, pair, max(since.get(b, 0) for b in pair))
        if known is not None:
            pairs[pair] = known
    moves_of_boards = []
    explained: set[tuple[str, str]] = set()
    for board in boards:
        its = {pair: p for pair, p in pairs.items() if board in pair}
        sign = {pair: p.away if pair[0] == board else -p.away for pair, p in its.items()}
        for way in (1.0, -1.0):
            mine = [pair for pair in its if its[pair].moved and way * sign[pair] > 0]
            if len(its) > 1 and 2 * len(mine) > len(its):
                moves_of_boards.append(_move(figure, board, mine, its, sign))
                explained.update(mine)
    for pair, p in pairs.items():
        if not p.moved or pair in explained:
            continue
        # With a third board that has not moved against either, chance has.
        if any(set(pair) & set(other) for other in pairs if other != pair):
            continue
        named = _of_two(ran, pair, p)
        size, others = math.expm1(p.away if named != pair[1] else -p.away), set(pair)
        moves_of_boards.append(
            Move(
                figure=figure,
                boards=pair if named is None else (named,),
                against=pair if named is None else tuple(others - {named}),
                size=size,
                reach=math.expm1(p.reach),
                night=p.lately[0],
            )
        )
    return moves_of_boards


def _move(
    figure: Hashable,
    board: str,
    mine: Sequence[tuple[str, str]],
    its: Mapping[tuple[str, str], _Apart],
    sign: Mapping[tuple[str, str], float],
) -> Move:
    plain = max(mine, key=lambda pair: abs(its[pair].away) - its[pair].reach)
    return Move(
        figure=figure,
        boards=(board,),
        against=tuple(sorted({b for pair in mine for b in pair} - {board})),
        size=math.expm1(sign[plain]),
        reach=math.expm1(its[plain].reach),
        night=max(its[pair].lately[0] for pair in mine),
    )


def _apart(ran: Mapping[str, _Ran], pair: tuple[str, str], since: int) -> _Apart | None:
    """Return how far a pair has moved apart; None: it has too few nights."""
    sums: dict[int, list[float]] = {}
    for key in ran[pair[0]].keys() & ran[pair[1]].keys():
        one, other = (ran[b][key] for b in pair)
        weight = one.boots * other.boots / (one.boots + other.boots)
        total = sums.setdefault(one.night, [0.0, 0.0])
        total[0] += weight * (one.log - other.log)
        total[1] += weight
    nights = sorted(sums)
    first = nights[:REFERENCE]
    lately = [n for n in nights[REFERENCE:] if n >= since][-LATELY:]
    if len(first) < REFERENCE or len(lately) < LATELY:
        return None
    apart = {night: distance / weight for night, (distance, weight) in sums.items()}
    logs, last = (np.asarray([apart[n] for n in span]) for span in (first, lately))
    centre = float(np.median(logs))
    # Of the last nights it would hide a drift: they are spread along it.
    scatter = max(spread(logs - centre), noise(logs), _SCATTER_MINIMUM)
    reach = max(math.log1p(LEAST), SCATTERS * scatter)
    away, newest = float(np.median(last)) - centre, float(np.median(last[LATELY // 2 :])) - centre
    # A board that came back is what it was.
    if away * newest < 0 or abs(newest) <= reach:
        away = 0.0
    return _Apart(away=away, reach=reach, first=tuple(first), lately=tuple(lately))


def _of_two(ran: Mapping[str, _Ran], pair: tuple[str, str], apart: _Apart) -> str | None:
    """Return which of two boards is no longer what it was with the kernels of both spans."""
    own = {board: _own(ran[board].values(), apart) for board in pair}
    for board, its in own.items():
        if its is None:
            return None
        toward = apart.away if board == pair[0] else -apart.away
        if its / toward >= OWN_SHARE:
            return board
    return None


def _own(seen: Iterable[Seen], apart: _Apart) -> float | None:
    """Return how far a board has moved by the kernels that it ran in both spans, or None."""
    by_kernel: dict[Hashable, tuple[list[float], list[float]]] = {}
    for s in seen:
        if s.night in apart.first or s.night in apart.lately:
            by_kernel.setdefault(s.kernel, ([], []))[s.night in apart.lately].append(s.log)
    moved = [
        (min(map(len, spans)), median(spans[1]) - median(spans[0]))
        for spans in by_kernel.values()
        if all(spans)
    ]
    return max(moved)[1] if moved else None
