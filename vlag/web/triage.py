"""Alerts: their verdicts and their triage."""

from __future__ import annotations

import datetime

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.alerts import triage as stage
from vlag.report import read_model
from vlag.store import database
from vlag.web.access import Visitor
from vlag.web.installation import access, reading, site
from vlag.web.pages import elsewhere
from vlag.web.params import Params, missing

triage = Blueprint("triage", __name__)

#: What each state of triage means.
MEANINGS = {
    "new": "nobody has looked yet",
    "acknowledged": "somebody has seen it",
    "investigating": "somebody is looking for the cause",
    "fixed": "a fix is in",
    "invalid": "it was not a regression",
    "wont_fix": "it will not be fixed",
}


@triage.get("/alerts")
def alerts() -> str:
    """Alerts, the open ones first."""
    asked = Params(request.args, "all", "branch")
    tree, branch = asked.branch("branch") if "branch" in asked else (None, None)
    closed = asked.flag("all")
    with reading() as conn:
        found = read_model.alerts(conn, tree=tree, branch=branch, closed=closed)
    return render_template(
        "alerts.html", alerts=found, closed=closed, branch=asked.optional_text("branch")
    )


@triage.get("/alert")
def alert() -> str:
    """One alert: its verdicts and its history."""
    asked = Params(request.args, "id")
    number = asked.integer("id")
    with reading() as conn:
        found = read_model.alert(conn, number)
        if found is None:
            missing(f"There is no alert {number} on record.")
        same = elsewhere.of(conn, found["verdicts"])
    visitor = access().visitor(request)
    return render_template(
        "alert.html",
        a=found,
        elsewhere=same,
        states={state: MEANINGS[state] for state in stage.STATES},
        token=access().token(visitor) if visitor is not None else None,
        now=datetime.datetime.now(datetime.UTC),
    )


@triage.post("/alert/state")
def set_state() -> Response:
    """Set the state of an alert."""
    visitor, form = _form("id", "state", "why", "token")
    number, state, why = form.integer("id"), form.text("state"), form.lines("why")
    with database.connect(_writer()) as conn:
        _must_exist(number)
        stage.set_state(conn, number, state, by=visitor.name, why=why)
    return redirect(url_for("triage.alert", id=number), 303)


@triage.post("/alert/mute")
def mute() -> Response:
    """Mute the notifications of an alert for a while."""
    visitor, form = _form("id", "until", "why", "token")
    number, until, why = form.integer("id"), form.moment("until"), form.lines("why")
    with database.connect(_writer()) as conn:
        _must_exist(number)
        stage.mute(conn, number, until, by=visitor.name, why=why)
    return redirect(url_for("triage.alert", id=number), 303)


@triage.post("/alert/unmute")
def unmute() -> Response:
    """Unmute an alert."""
    visitor, form = _form("id", "why", "token")
    number, why = form.integer("id"), form.lines("why")
    with database.connect(_writer()) as conn:
        _must_exist(number)
        stage.unmute(conn, number, by=visitor.name, why=why)
    return redirect(url_for("triage.alert", id=number), 303)


def _form(*names: str) -> tuple[Visitor, Params]:
    visitor = access().check(request)
    return visitor, Params(request.form, *names)


def _writer() -> str:
    dsn = site().writer_dsn
    assert dsn is not None, "without it nobody has the right"  # noqa: S101
    return dsn


def _must_exist(number: int) -> None:
    with reading() as conn:
        if read_model.alert(conn, number) is None:
            missing(f"There is no alert {number} on record.")
