# SPDX-License-Identifier: GPL-2.0-only
"""The heat map of the overview: branches by board types, with a square for each night."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypedDict

from vlag.report import colours, overview, read_model
from vlag.report.overview import BranchLine, Square
from vlag.report.read_model.heat import SquareRow
from vlag.report.read_model.night_rows import NightSpan
from vlag.stats import severity
from vlag.store.database import Connection
from vlag.web.words import moment, tint

#: Most cells of a page: a browser draws so many in well under a second.
_CELLS = 200
#: Fewest and most lines of a page.
_LINES = (8, 25)

#: Board types that a reader overlooks at once.
FEW = 8

#: Words whose squares are pale: they are no news, or no proof.
_PALE = ("UNCHANGED", severity.HINTED)


class Columns(TypedDict):
    """What the squares of a page stand for."""

    nights: list[NightSpan]
    since: bool  # the last square is of what is newer than the last night


def _look(word: str, sign: str) -> dict[str, str]:
    name = colours.variable(word)
    if word in _PALE:
        return {"sign": sign, "ground": tint(word), "ink": colours.var("ink"), "dark": ""}
    light, dark = map(colours.ink_on, colours.PALETTE[name])
    return {"sign": sign, "ground": colours.var(name), "ink": light, "dark": dark}


#: Of each word: its sign, and as CSS the ground and the ink of its square; on a dark page the
#: ink is `dark`, if that differs.
LOOKS = {word: _look(word, sign) for word, sign in overview.SIGNS.items()}


def boards(lines: Iterable[BranchLine]) -> list[str]:
    """Return the board types of lines; of many, those with the worst news come first."""
    orders: dict[str, list[tuple[int, float]]] = {}
    for line in lines:
        for board, cell in line["cells"].items():
            orders.setdefault(board, []).append(cell["order"])
    if len(orders) <= FEW:
        return sorted(orders)
    return sorted(orders, key=lambda board: (min(orders[board]), board))


def lines_of_a_page(boards: int) -> int:
    """Return how many lines a page has for so many board types."""
    return min(max(_CELLS // max(1, boards), _LINES[0]), _LINES[1])


def pages(count: int, boards: int) -> int:
    """Return the number of pages for so many lines and board types; at least 1."""
    return max(1, math.ceil(count / lines_of_a_page(boards)))


def fill(conn: Connection, shown: Sequence[BranchLine]) -> Columns:
    """Add `squares` to each role of the cells, one a night.

    What is newer than the last night has a square of its own if there is any.
    """
    nights = read_model.nights(conn)
    listed = read_model.squares(
        conn, nights, sorted({line["branch"] for line in shown if line["page"]}), boards(shown)
    )
    columns: list[int | None] = [n["id"] for n in nights]
    if any(s["night"] is None for s in listed):
        columns.append(None)
    worst: dict[tuple[str, str, str, str | None, int | None], SquareRow] = {}
    for s in listed:
        key = s["branch_name"], s["patches"] or "", s["board_type"], s["role"], s["night"]
        if key not in worst or overview.badness(s) < overview.badness(worst[key]):
            worst[key] = s
    for line in shown:
        for board, cell in line["cells"].items():
            for r in cell["roles"]:
                place = line["branch"], line["patches"], board, r["role"]
                some = [worst.get((*place, night)) for night in columns]
                r["squares"] = [s and _square(s) for s in some] if any(some) else []
    return {"nights": nights, "since": columns[-1:] == [None]}


def _square(s: SquareRow) -> Square:
    return {
        "id": s["id"],
        "verdict": s["verdict"],
        "title": f"{moment(s['at'])[:10]} {overview.ROLES[s['role']]}: {overview.verdict_words(s)}",
    }


def over_boards(line: BranchLine) -> list[Square | None]:
    """Return a line's squares over all board types and roles, the worst of each night."""
    rows = [r["squares"] for c in line["cells"].values() for r in c["roles"] if r["squares"]]
    return [
        min((s for s in some if s), key=lambda s: severity.severity(s["verdict"]), default=None)
        for some in zip(*rows, strict=True)
    ]
