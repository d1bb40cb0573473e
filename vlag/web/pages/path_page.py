# SPDX-License-Identifier: GPL-2.0-only
"""What an operation executes, commit by commit of a branch, as it is on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import render_template, request

from vlag.errors import UsageError
from vlag.kernel.mirror import Commit
from vlag.report import read_model
from vlag.search import path_history_text as words
from vlag.search import path_points as histories
from vlag.search.path_history import Point
from vlag.store import path_points
from vlag.store.path_points import Kind, PointRow
from vlag.web import drawing
from vlag.web.installation import reading
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing, sentence, wrong

#: A change that is a step in the plot and may be the answer, 0.01 = 1 %.
_LEAST = 0.01


@pages.get("/path")
def path() -> str:
    """The path of an operation over the commits of a branch, on one board type."""
    asked = Params(request.args, "branch", "board", "benchmark", "metric")
    tree, name = asked.branch("branch")
    board, benchmark = asked.optional_text("board"), asked.optional_text("benchmark")
    metric = asked.optional_text("metric")
    with reading() as conn:
        if not read_model.boards_of_branch(conn, tree, name):
            missing(
                f"No boot of branch {tree}/{name} is on record; the list of branches shows those"
                " that were compared."
            )
        kinds = path_points.kinds(conn, tree, name)
        kind = _kind(kinds, board, benchmark)
        rows = [] if kind is None else path_points.of_branch(conn, tree, name, kind)
        points = histories.points(conn, rows, [_commit(row) for row in rows])
    told, plot = None, None
    if points:
        try:
            told = words.data(points, operation=rows[0].operation, metric=metric, least=_LEAST)
        except UsageError as e:
            wrong(sentence(e))
        plot = _plot(tree, rows, points, told)
    return render_template(
        "path.html",
        tree=tree, branch_name=f"{tree}/{name}", kinds=kinds, kind=kind, told=told, plot=plot,
        metrics=dict.fromkeys(m for p in points if p.executed for m in p.executed.metrics),
        lines=_lines(rows, points, told) if told else [],
        said=words.sentence(told) if told else "",
    )  # fmt: skip


def _kind(kinds: Sequence[Kind], board: str | None, benchmark: str | None) -> Kind | None:
    """Return what is shown: that with most commits of what was asked for; None: nothing is."""
    for kind in kinds:
        if board in (None, kind.board_type) and benchmark in (None, kind.benchmark):
            return kind
    if kinds:
        there = ", ".join(dict.fromkeys(f"{k.benchmark} on {k.board_type}" for k in kinds))
        missing(f"That was not counted for this branch; there are: {there}.")
    return None


def _commit(row: PointRow) -> Commit:
    return Commit(
        sha=row.commit, describe=row.describe, subject=row.subject,
        committed_at=row.committed_at.isoformat(),
    )  # fmt: skip


def _plot(
    tree: str, rows: Sequence[PointRow], points: Sequence[Point], told: dict[str, Any]
) -> Any:
    name = told["metric"]
    levels = [None if p.executed is None else p.executed.level(name) for p in points]
    steps = [
        {"kernel": row.kernel, "effect": line["change"], "worsening": line["change"]}
        for row, line in zip(rows[1:], told["commits"], strict=True)
        if line["change"] is not None and abs(line["change"]) >= _LEAST
    ]
    return drawing.path(
        tree, [(row, level) for row, level in zip(rows, levels, strict=True) if level], steps,
        title=name, unit=f"{_unit(name)} a {told['operation']}",
    )  # fmt: skip


def _unit(metric: str) -> str:
    return "calls" if metric.startswith("calls of ") else "instructions"


def _lines(
    rows: Sequence[PointRow], points: Sequence[Point], told: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the commits, the newest first, with their level and what they change in words."""
    lines: list[dict[str, Any]] = [
        {
            **line, "run": row.run, "committed_at": row.committed_at,
            "level": None if p.executed is None else p.executed.level(told["metric"]),
            "words": words.in_words(line), "between_": _between(before, row),
        }
        for before, row, p, line in zip(rows, rows[1:], points[1:], told["commits"], strict=False)
    ]  # fmt: skip
    return lines[::-1]


def _between(before: PointRow, row: PointRow) -> int:
    """Return how many commits of the branch are between two that were counted."""
    if not before.place or not row.place or before.place[0] != row.place[0]:
        return 0
    return max(0, row.place[1] - before.place[1] - 1)
