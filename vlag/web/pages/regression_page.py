# SPDX-License-Identifier: GPL-2.0-only
"""A regression before it has an alert: its suspicions, and what became of them."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.report import read_model
from vlag.web.installation import reading
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing


@pages.get("/regression")
def regression() -> str | Response:
    """One regression, by any of its suspicions: once it has an alert, that is its page."""
    number = Params(request.args, "suspicion").integer("suspicion")
    with reading() as conn:
        whole = read_model.regression_of_suspicion(conn, number)
    if whole is None:
        missing(f"There is no suspicion {number} on record; the pages of branches link to them.")
    if len(whole["alerts"]) == 1:
        [alert] = whole["alerts"]
        return redirect(url_for("triage.alert", id=alert, _anchor="course"))
    first = next(s for s in whole["suspicions"] if s["id"] == number)
    return render_template("regression.html", first=first, r=whole)
