# SPDX-License-Identifier: GPL-2.0-only
"""What is news after a night: the figures that are worse, and were not, or not as much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import NamedTuple

from vlag.report.read_model.courses import REACH, past
from vlag.report.read_model.questions import (
    Compared,
    FigureRow,
    Key,
    Question,
    asked_of,
    is_worse,
    with_figures,
)
from vlag.store.database import Connection

#: Nights that are looked at before all of them: what was worse then is no news.
_FIRST = 1, 4


class NewFigure(NamedTuple):
    """A figure that is worse, and was not, or not as much."""

    comparison: int
    branch: str
    board_type: str
    key: Key


def newly_worse(conn: Connection, asked: Set[tuple[int, str | None]], last: int) -> list[NewFigure]:
    """Return what of branches' own comparisons is news after the nights up to `last` (an id).

    `asked` are comparisons, each with the branch of which it counts; None: of all of its branches.
    """
    if not asked:
        return []
    every = asked_of(conn, sorted({id_ for id_, _branch in asked}), False)
    own = [
        c
        for c in every
        if c.own and {(c.row["id"], c.row["branch_name"]), (c.row["id"], None)} & asked
    ]
    [own] = with_figures(conn, [own])
    now = _only(own, lambda _q, _key, v: is_worse(v))
    # Most losses stay as they were on the last nights, and need no others.
    for reach in (*_FIRST, REACH):
        if not now:
            return []
        known = past(conn, last, synthetic=False, now=now, reach=reach)
        now = _only(now, known.news_of if reach == REACH else known.may_be_news)
    return [
        NewFigure(c.row["id"], c.row["branch_name"], c.row["board_type"], key)
        for c in now
        for key in c.figures
    ]


def _only(
    every: Iterable[Compared], fits: Callable[[Question, Key, FigureRow], bool]
) -> list[Compared]:
    """Return comparisons with the figures that fit, those with none left out."""
    some = [
        Compared(
            row=c.row,
            commit=c.commit,
            figures={k: v for k, v in c.figures.items() if fits(c.question, k, v)},
        )
        for c in every
    ]
    return [c for c in some if c.figures]
