# SPDX-License-Identifier: GPL-2.0-only
"""The state of all branches, worst first: for the overview page and `vlag status`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from vlag.printable import minute
from vlag.report.compared import confirmed_against_parent, hinted, share, unmeasured
from vlag.stats import severity

if TYPE_CHECKING:
    from vlag.report.read_model.branches import OfBranch

Row = Mapping[str, Any]

#: Why two kernels were compared; None: somebody asked, or a first look.
ROLES = {
    "baseline": "against the baseline",
    "parent": "against the parent",
    None: "outside a night",
}

#: The sign of each word: a state is never known by its colour alone.
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

#: What messages of a channel are called, and what became of them.
_MESSAGES = {"mail": "mail", "webhook": "notification of the webhook"}
_BECAME = {"given up": "not delivered", "waiting": "waiting to be sent"}


class Square(TypedDict):
    """The worst comparison of a night."""

    id: int
    verdict: str
    title: str


class RoleOfCell(TypedDict):
    """The comparisons of a cell with one role."""

    role: str | None
    of: int  # comparisons
    worst: OfBranch
    squares: list[Square | None]  # one a night, where a page shows them


class BoardCell(TypedDict):
    """A branch on a board type."""

    roles: list[RoleOfCell]
    order: tuple[int, float]  # its place, worst first
    verdict: str


class BranchLine(TypedDict):
    """A branch, or a patch series on it."""

    branch: str
    patches: str  # "": none
    page: bool  # it is a branch, which has a page
    cells: dict[str, BoardCell]  # by board type


class State(TypedDict):
    """A branch or patch series on a board type, with the worst of each role, worst first."""

    branch: str
    patches: str
    board_type: str
    comparisons: list[OfBranch]


def undelivered(rows: Iterable[Row]) -> str | None:
    """Return one sentence about messages that did not reach people; None: all did."""
    clauses = []
    for row in rows:
        many, what = row["messages"], _MESSAGES[row["channel"]]
        head, space, rest = what.partition(" ")
        name = what if many == 1 else f"{head}s{space}{rest}"
        clauses.append(f"{many:,} {name} {_BECAME[row['state']]} since {minute(row['since'])}")
    return None if not clauses else f"{'; '.join(clauses)}: `vlag notify list` says why"


def ranked(
    comparisons: Iterable[OfBranch],
) -> list[tuple[tuple[str, str, bool], list[OfBranch]]]:
    """Return comparisons by branch, patch series and whether it is a branch, the worst first.

    Of many branches a page shows few: `line` makes the lines of those.
    """
    by_branch: dict[tuple[str, str, bool], list[OfBranch]] = {}
    for c in comparisons:
        # A kernel that was only asked for by a tag or commit belongs to no branch.
        name = c["branch_name"] or f"{c['tree']} {c['ref']}"
        by_branch.setdefault((name, c["patches"] or "", c["branch_name"] is not None), []).append(c)
    return sorted(by_branch.items(), key=lambda item: (min(map(badness, item[1])), *item[0][:2]))


def line(key: tuple[str, str, bool], comparisons: Iterable[OfBranch]) -> BranchLine:
    """Return the line of an item of `ranked`."""
    cells: dict[str, list[OfBranch]] = {}
    for c in comparisons:
        cells.setdefault(c["board_type"], []).append(c)
    return {
        "branch": key[0],
        "patches": key[1],
        "page": key[2],
        "cells": {board: _cell(some) for board, some in sorted(cells.items())},
    }


def lines(comparisons: Iterable[OfBranch]) -> list[BranchLine]:
    """Return a line for each branch and patch series, worst first."""
    return [line(*item) for item in ranked(comparisons)]


def states(lines: Iterable[BranchLine]) -> list[State]:
    """Return the state of each branch, patch series and board type of lines, worst first."""
    by_board: list[State] = [
        {
            "branch": line["branch"],
            "patches": line["patches"],
            "board_type": board,
            "comparisons": sorted((r["worst"] for r in cell["roles"]), key=badness),
        }
        for line in lines
        for board, cell in line["cells"].items()
    ]
    # The order of lines and of their board types decides between equals.
    return sorted(by_board, key=lambda state: badness(state["comparisons"][0]))


def worst_alerts(open_: Iterable[Row]) -> list[Row]:
    """Return open alerts, worst first: those not muted, the larger worsening, the older."""

    def place(a: Row) -> tuple[Any, ...]:
        return not a["loud"], -max(a["throughput"] or 0, a["latency"] or 0), a["opened_at"]

    return sorted(open_, key=place)


def news(c: Row) -> str:
    """Return what a comparison's word leaves out; "" for nothing.

    That is "44 % worse", its hints, or in parentheses how many figures a side lacks.
    """
    if c["worst"] is not None:
        return f"{share(c['worst'])} worse"
    if c["verdict"] == severity.HINTED:
        return hinted(c["hints"], c["worst_hint"])
    lack = unmeasured(c)
    return f"({lack})" if lack else ""


def elsewhere(c: Row) -> str:
    """Return which comparison with the parent confirms what one suspects; "" for none."""
    return confirmed_against_parent(c["confirmed_by"] if c["verdict"] == "SUSPECTED" else None)


def verdict_words(c: Row) -> str:
    """Return a comparison's word and number."""
    return f"{c['verdict']} {news(c)}".rstrip()


def worst_of(line: BranchLine) -> OfBranch:
    """Return the worst of a line's newest comparisons."""
    comparisons = [r["worst"] for cell in line["cells"].values() for r in cell["roles"]]
    return min(comparisons, key=badness)


def badness(c: Row) -> tuple[int, float]:
    """Return the place of a comparison in the order "worst first"."""
    return c["severity"], -c["size"]


def _cell(comparisons: Sequence[OfBranch]) -> BoardCell:
    """Return a cell: for each role the worst comparison and the number of all."""
    by_role: dict[str | None, list[OfBranch]] = {}
    for c in comparisons:
        by_role.setdefault(c["role"], []).append(c)
    roles: list[RoleOfCell] = [
        {"role": role, "of": len(some), "worst": min(some, key=badness), "squares": []}
        for role, some in sorted(by_role.items(), key=lambda item: item[0] or "z")
    ]
    worst = min(comparisons, key=lambda c: (severity.severity(c["verdict"]), -c["size"]))
    return {
        "roles": roles,
        "order": min(map(badness, comparisons)),
        "verdict": worst["verdict"],
    }
