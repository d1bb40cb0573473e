# SPDX-License-Identifier: GPL-2.0-only
"""How old what is said of a figure is: silence is no good news.

A benchmark may fail, or its board may lack a program, while the rest of a night goes well.  Then
nothing new is said of it, and the pages show what was said last.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.store import nights
from vlag.store.database import Connection

#: Nights without a figure until it is said; one or two may have gone wrong.
ALLOWED = 3
# Nights that are searched for the last figure.
_REACH = 14

#: Tree, branch, board type, benchmark.
_Figure = tuple[str, str, str, str]


def stale(
    conn: Connection, settings: Settings, catalogue: Catalogue, comparisons: Sequence[int]
) -> list[str]:
    """Return a sentence for each planned benchmark without figures for `ALLOWED` nights.

    `comparisons` are those of the night that ends; the nights before it are on record.  A branch
    without any figure on a board type has an alert of its own.
    """
    tonight = _compared(conn, comparisons)
    places = {figure[:3] for figure in tonight}
    left = {f for f in _planned(settings, catalogue, places) if f not in tonight}
    last_seen: dict[_Figure, tuple[int, date]] = {}
    night, count = nights.newest(conn), 1
    while night is not None and count <= _REACH and left - last_seen.keys():
        for figure in left & _compared(conn, night.comparisons):
            last_seen.setdefault(figure, (count, night.finished_at.date()))
        night, count = nights.before(conn, night.id or 0), count + 1
    return [
        f"{benchmark} of {tree}/{branch} on {board_type} has had no figures for {number} nights:"
        f" what is shown of it is of {last:%Y-%m-%d}"
        for (tree, branch, board_type, benchmark), (number, last) in sorted(last_seen.items())
        if number >= ALLOWED
    ]


def _planned(
    settings: Settings, catalogue: Catalogue, places: set[tuple[str, str, str]]
) -> set[_Figure]:
    """Return what the nightly plans measure of branches and board types."""
    return {
        (tree, branch, board_type, entry.benchmark)
        for tree, branch, board_type in places
        for watched in settings.branches
        if watched.tree == tree and watched.fits(branch)
        for entry in catalogue.plan(watched.plan).entries
        if board_type in entry.board_types and board_type in catalogue.types_of(watched.board_types)
        if catalogue.runs_on(entry.benchmark, board_type)
    }


def _compared(conn: Connection, comparisons: Sequence[int]) -> set[_Figure]:
    """Return what comparisons have figures of on both sides."""
    rows = conn.execute(
        "SELECT DISTINCT f.tree, f.name, c.board_type, v.benchmark FROM comparison c"
        " JOIN kernel_ref f ON f.kernel = c.new_kernel AND f.is_branch"
        " JOIN verdict v ON v.comparison = c.id AND v.n_base > 0 AND v.n_new > 0"
        " WHERE c.id = ANY(%s) AND c.role IS NOT NULL AND NOT c.synthetic",
        (list(comparisons),),
    )
    return set(rows.fetchall())
