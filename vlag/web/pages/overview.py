"""The newest verdicts, branch by board type, and the self-proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import render_template, request

from vlag.report import read_model
from vlag.stats import severity
from vlag.web.installation import reading
from vlag.web.pages.blueprint import ROLES, Row, pages
from vlag.web.params import Params, missing


@pages.get("/")
def overview() -> str:
    """Show the newest verdicts, branch by board type."""
    Params(request.args)
    with reading() as conn:
        found = read_model.overview(conn)
    return render_template("overview.html", **_overview(found))


@pages.get("/index.html")
def fragment() -> str:
    """Show the overview as a fragment for a page of Buildbot, without styles."""
    with reading() as conn:
        found = read_model.overview(conn)
    return render_template("fragment.html", **_overview(found))


def _overview(found: Row) -> dict[str, Any]:
    comparisons = found["comparisons"]
    boards = sorted({c["board_type"] for c in comparisons})
    lines: dict[tuple[str, str, bool], dict[str, list[Row]]] = {}
    for c in comparisons:
        # A kernel that was only asked for by a tag or commit belongs to no branch.
        name = c["branch_name"] or f"{c['tree']} {c['ref']}"
        line = lines.setdefault((name, c["patches"] or "", c["branch_name"] is not None), {})
        line.setdefault(c["board_type"], []).append(c)
    matrix: list[dict[str, Any]] = [
        {
            "branch": branch,
            "patches": patches,
            "page": page,
            "cells": [_cell(cells.get(board, [])) for board in boards],
        }
        for (branch, patches, page), cells in lines.items()
    ]
    matrix.sort(key=lambda r: (min(c["order"] for c in r["cells"]), r["branch"], r["patches"]))
    return {
        "boards": boards,
        "matrix": matrix,
        "alerts": found["alerts"],
        "night": found["night"],
        "proof": found["proof"],
        "roles": ROLES,
    }


def _cell(comparisons: Sequence[Row]) -> dict[str, Any]:
    """Return a cell: for each role the worst comparison and the number of all."""
    by_role: dict[str | None, list[Row]] = {}
    for c in comparisons:
        by_role.setdefault(c["role"], []).append(c)
    roles: list[dict[str, Any]] = [
        {"role": role, "of": len(some), "worst": min(some, key=_badness)}
        for role, some in sorted(by_role.items(), key=lambda item: item[0] or "z")
    ]
    worst = min(
        comparisons, key=lambda c: (severity.severity(c["verdict"]), -c["size"]), default=None
    )
    return {
        "roles": roles,
        "order": min(map(_badness, comparisons), default=(len(severity.RANKS), 0.0)),
        "verdict": None if worst is None else worst["verdict"],
    }


def _badness(c: Row) -> tuple[int, float]:
    return c["severity"], -c["size"]


@pages.get("/proof")
def proof() -> str:
    """Show the self-proof of a night: patches that make it worse on purpose, and what was found."""
    asked = Params(request.args, "night")
    number = asked.optional_integer("night")
    with reading() as conn:
        night = read_model.night(conn, number)
        if night is None and number is not None:
            missing(f"There is no night {number} on record.")
        found = read_model.proof(conn, night)
    return render_template("proof.html", night=night, proof=found)
