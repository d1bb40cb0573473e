"""Several kernels side by side: rows are metrics, columns are kernels."""

from __future__ import annotations

from flask import render_template, request

from vlag.report.read_model import across as model
from vlag.report.read_model import choose
from vlag.report.read_model.choose import differing
from vlag.web.installation import reading
from vlag.web.pages.blueprint import pages
from vlag.web.pages.choose import status
from vlag.web.params import Params, wrong


@pages.get("/across")
def across() -> str | tuple[str, int]:
    """Several kernels against the first, on one board type."""
    asked = Params(request.args, "kernels", "board")
    text, board = asked.optional_text("kernels"), asked.optional_text("board")
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    with reading() as conn:
        known = {"names": choose.offered(conn), "boards": choose.board_types(conn)}
        if board is not None and board not in known["boards"]:
            there = ", ".join(known["boards"]) or "none yet"
            wrong(f"Nothing was measured on board type {board!r}; there are: {there}.")
        kernels = model.chosen(conn, names) if names else []
        whole = all(k.kernels for k in kernels)
        found = model.across(conn, kernels, board) if kernels and whole else None
    page = render_template(
        "across.html",
        names=names, text=text, board=board, known=known, kernels=kernels, found=found,
        rows=[] if found is None else differing(found["rows"], found["rows"]),
    )  # fmt: skip
    return page, status(kernels)
