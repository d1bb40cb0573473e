"""The heat map of the overview: branches by board types, with a square for each night."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vlag.report import colours, read_model
from vlag.report.compared import hinted
from vlag.stats import severity
from vlag.store.database import Connection
from vlag.web.words import moment, share, tint

Row = Mapping[str, Any]

#: Most cells of a page: a browser draws so many in well under a second.
_CELLS = 400
#: Fewest and most lines of a page.
_LINES = (8, 50)

#: Board types that a reader overlooks at once.
FEW = 8

#: The sign of each word: a square is never known by its colour alone.
SIGNS: Mapping[str, str] = {
    "REGRESSION": "R",
    "MIXED": "X",
    "FAILED": "F",
    "SUSPECTED": "S",
    severity.HINTED: "H",
    "MARGINAL": "M",
    "NOT_COMPARABLE": "N",
    "INCONCLUSIVE": "?",
    "IMPROVEMENT": "+",
    "UNCHANGED": "=",
}
#: Words whose squares are pale: they are no news, or no proof.
_PALE = ("UNCHANGED", severity.HINTED)


def _look(word: str, sign: str) -> dict[str, str]:
    name = colours.variable(word)
    if word in _PALE:
        return {"sign": sign, "ground": tint(word), "ink": colours.var("ink"), "dark": ""}
    light, dark = map(colours.ink_on, colours.PALETTE[name])
    return {"sign": sign, "ground": colours.var(name), "ink": light, "dark": dark}


#: Of each word: its sign, and as CSS the ground and the ink of its square; on a dark page the
#: ink is `dark`, if that differs.
LOOKS = {word: _look(word, sign) for word, sign in SIGNS.items()}

_ROLES = {"baseline": "against the baseline", "parent": "against the parent"}


def lines(comparisons: Iterable[Row]) -> list[dict[str, Any]]:
    """Return a line for each branch and patch series, worst first, with `cells` by board type.

    A cell has its `verdict` and, for each role, the worst of its comparisons.
    """
    of: dict[tuple[str, str, bool], dict[str, list[Row]]] = {}
    for c in comparisons:
        # A kernel that was only asked for by a tag or commit belongs to no branch.
        name = c["branch_name"] or f"{c['tree']} {c['ref']}"
        line = of.setdefault((name, c["patches"] or "", c["branch_name"] is not None), {})
        line.setdefault(c["board_type"], []).append(c)
    made: list[dict[str, Any]] = [
        {
            "branch": branch,
            "patches": patches,
            "page": page,
            "cells": {board: _cell(some) for board, some in sorted(cells.items())},
        }
        for (branch, patches, page), cells in of.items()
    ]
    made.sort(
        key=lambda r: (min(c["order"] for c in r["cells"].values()), r["branch"], r["patches"])
    )
    return made


def boards(of: Iterable[Row]) -> list[str]:
    """Return the board types of lines; of many, those with the worst news come first."""
    orders: dict[str, list[Any]] = {}
    for line in of:
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


def fill(conn: Connection, shown: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add `squares` to each role of the cells, one a night; return `nights` and whether `since`.

    A square is the worst comparison of its night, or None.  What is newer than the last night
    has a square of its own if there is any: then `since` is true.
    """
    nights = read_model.nights(conn)
    found = read_model.squares(
        conn, nights, sorted({line["branch"] for line in shown if line["page"]}), boards(shown)
    )
    columns: list[int | None] = [n["id"] for n in nights]
    if any(s["night"] is None for s in found):
        columns.append(None)
    worst: dict[tuple[Any, ...], Row] = {}
    for s in found:
        key = s["branch_name"], s["patches"] or "", s["board_type"], s["role"], s["night"]
        if key not in worst or _badness(s) < _badness(worst[key]):
            worst[key] = s
    for line in shown:
        for board, cell in line["cells"].items():
            for r in cell["roles"]:
                place = line["branch"], line["patches"], board, r["role"]
                some = [worst.get((*place, night)) for night in columns]
                r["squares"] = [s and _square(s) for s in some] if any(some) else []
    return {"nights": nights, "since": columns[-1:] == [None]}


def _square(s: Row) -> dict[str, Any]:
    return {
        "id": s["id"],
        "verdict": s["verdict"],
        "title": f"{moment(s['at'])[:10]} {_ROLES[s['role']]}: {said(s)}",
    }


def said(c: Row) -> str:
    """Return a comparison's word and number."""
    if c["worst"] is not None:
        return f"{c['verdict']} {share(c['worst'])} worse"
    if c["verdict"] == severity.HINTED:
        return f"{c['verdict']} {hinted(c['hints'], c['worst_hint'])}"
    return str(c["verdict"])


def worst_of(line: Row) -> Row:
    """Return the worst of a line's newest comparisons."""
    found: list[Row] = [r["worst"] for cell in line["cells"].values() for r in cell["roles"]]
    return min(found, key=_badness)


def over_boards(line: Row) -> list[dict[str, Any] | None]:
    """Return a line's squares over all board types and roles, the worst of each night."""
    rows = [r["squares"] for c in line["cells"].values() for r in c["roles"] if r["squares"]]
    return [
        min((s for s in some if s), key=lambda s: severity.severity(s["verdict"]), default=None)
        for some in zip(*rows, strict=True)
    ]


def _cell(comparisons: Sequence[Row]) -> dict[str, Any]:
    """Return a cell: for each role the worst comparison and the number of all."""
    by_role: dict[str | None, list[Row]] = {}
    for c in comparisons:
        by_role.setdefault(c["role"], []).append(c)
    roles: list[dict[str, Any]] = [
        {"role": role, "of": len(some), "worst": min(some, key=_badness), "squares": []}
        for role, some in sorted(by_role.items(), key=lambda item: item[0] or "z")
    ]
    worst = min(comparisons, key=lambda c: (severity.severity(c["verdict"]), -c["size"]))
    return {
        "roles": roles,
        "order": min(map(_badness, comparisons)),
        "verdict": worst["verdict"],
    }


def _badness(c: Row) -> tuple[int, float]:
    return c["severity"], -c["size"]
