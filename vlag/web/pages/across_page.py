# SPDX-License-Identifier: GPL-2.0-only
"""Several kernels side by side: rows are metrics, columns are kernels."""

from __future__ import annotations

from flask import render_template, request

from vlag.report.read_model import several_kernels as model
from vlag.web.installation import reading
from vlag.web.pages.blueprint import pages
from vlag.web.pages.choose_page import offered_boards, status
from vlag.web.params import Params


@pages.get("/across")
def across() -> str | tuple[str, int]:
    """Several kernels against the first, on one board type."""
    asked = Params(request.args, "kernels", "board")
    text, board = asked.optional_text("kernels"), asked.optional_text("board")
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    with reading() as conn:
        boards = offered_boards(conn, board)
        kernels = model.chosen(conn, names) if names else []
        whole = all(k.kernels for k in kernels)
        table = model.across(conn, kernels, board) if kernels and whole else None
    page = render_template(
        "across.html",
        names=names, text=text, board=board, boards=boards, kernels=kernels, table=table,
        rows=[] if table is None else table["rows"],
    )  # fmt: skip
    return page, status(kernels)
