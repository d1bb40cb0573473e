"""Patches, variants or knobs of a branch by metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import render_template, request

from vlag.report import read_model
from vlag.report.data import matrices
from vlag.web import queries
from vlag.web.installation import reading
from vlag.web.pages.blueprint import ROLES, Row, pages
from vlag.web.params import Params, missing


@pages.get("/matrix")
def matrix() -> str:
    """Patches, variants or knobs of a branch by metric."""
    asked = Params(request.args, "branch", "board")
    if "branch" not in asked:
        with reading() as conn:
            return render_template("branches.html", branches=read_model.branches(conn), matrix=True)
    tree, name = asked.branch("branch")
    board = asked.optional_text("board")
    with reading() as conn:
        boards = queries.board_types(conn, tree, name)
        if not boards:
            missing(f"No boot of branch {tree}/{name} is on record.")
        if board is not None and board not in boards:
            missing(f"{tree}/{name} was never booted on {board}; it was on: {', '.join(boards)}.")
        found = [c for c in read_model.matrix(conn, tree, name) if board in (None, c["board_type"])]
        verdicts = read_model.verdicts(conn, [c["id"] for c in found])
    return render_template(
        "matrix.html", branch_name=f"{tree}/{name}", boards=boards, board=board,
        tables=_tables(found, verdicts), roles=ROLES,
    )  # fmt: skip


def _tables(comparisons: Sequence[Row], verdicts: Sequence[Row]) -> list[dict[str, Any]]:
    """Return one table per board type and base: comparisons as rows, figures as columns."""
    of: dict[int, dict[tuple[str, str], Row]] = {}
    for v in verdicts:
        of.setdefault(v["comparison"], {})[v["name"], v["parameters"]] = v
    tables: dict[tuple[str, int, str], list[Row]] = {}
    for c in comparisons:
        tables.setdefault((c["board_type"], c["base_kernel"], c["base_knobs"]), []).append(c)
    found = []
    for (board_type, _, base_knobs), some in tables.items():
        columns = sorted({key for c in some for key in of.get(c["id"], {})})
        lines = [
            {"c": c, "cells": [of.get(c["id"], {}).get(column) for column in columns]} for c in some
        ]
        found.append({
            "board_type": board_type, "base": some[0]["base"], "base_knobs": base_knobs,
            "columns": columns, "rows": lines, "not_run": matrices.not_run(some),
        })  # fmt: skip
    return found
