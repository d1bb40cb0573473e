# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of a branch by patches, variants or knobs."""

from __future__ import annotations

from collections.abc import Sequence

from flask import render_template, request

from vlag.report import read_model
from vlag.report.data import matrices
from vlag.web.installation import reading, site
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing


@pages.get("/matrix")
def matrix() -> str:
    """Metrics of a branch, or of chosen comparisons, by patches, variants or knobs."""
    asked = Params(request.args, "branch", "board", "comparisons")
    if "comparisons" in asked:
        return _chosen(asked.integers("comparisons"))
    if "branch" not in asked:
        with reading() as conn:
            return render_template("branches.html", branches=read_model.branches(conn), matrix=True)
    tree, name = asked.branch("branch")
    board = asked.optional_text("board")
    with reading() as conn:
        boards = read_model.boards_of_branch(conn, tree, name)
        if not boards:
            missing(f"No boot of branch {tree}/{name} is on record.")
        if board is not None and board not in boards:
            missing(f"{tree}/{name} was never booted on {board}; it was on: {', '.join(boards)}.")
        compared = [
            c for c in read_model.matrix(conn, tree, name) if board in (None, c["board_type"])
        ]
        tables = matrices.tables(conn, site().catalogue, compared)
    return render_template(
        "matrix.html", branch_name=f"{tree}/{name}", boards=boards, board=board, tables=tables
    )


def _chosen(ids: Sequence[int]) -> str:
    """Show comparisons as `vlag matrix` and `vlag try` do that have made them."""
    with reading() as conn:
        compared = read_model.matrix(conn, None, None, ids)
        if lacking := sorted(set(ids) - {c["id"] for c in compared}):
            missing(f"There is no comparison {lacking[0]} on record.")
        tables = matrices.tables(conn, site().catalogue, compared)
    branches = {f"{c['tree']}/{c['branch']}" for c in compared if c["branch_name"] is not None}
    return render_template(
        "matrix.html", branch_name=branches.pop() if len(branches) == 1 else None, boards=(),
        board=None, tables=tables,
    )  # fmt: skip
