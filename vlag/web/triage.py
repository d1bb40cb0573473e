"""Alerts: what they stand on, and what people say of them."""

from __future__ import annotations

import datetime

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from vlag.alerts import triage as stage
from vlag.report import read_model
from vlag.store import database
from vlag.web.access import Visitor
from vlag.web.installation import access, reading, site
from vlag.web.params import Params, missing

triage = Blueprint("triage", __name__)

#: What each state of triage means.
MEANINGS = {
    "new": "nobody has looked yet",
    "acknowledged": "somebody has seen it",
    "investigating": "somebody is looking for the cause",
    "fixed": "a fix is in",
    "invalid": "it was no regression",
    "wont_fix": "it stays as it is",
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
    """One alert: what it stands on and what became of it."""
    asked = Params(request.args, "id")
    number = asked.integer("id")
    with reading() as conn:
        found = read_model.alert(conn, number)
    if found is None:
        missing(f"There is no alert {number} on record.")
    visitor = access().visitor(request)
    return render_template(
        "alert.html",
        a=found,
        states={state: MEANINGS[state] for state in stage.STATES},
        token=access().token(visitor) if visitor is not None else None,
        now=datetime.datetime.now(datetime.UTC),
    )


@triage.post("/alert/state")
def set_state() -> Response:
    """Say where people are with an alert."""
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
    """Let an alert tell people again."""
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
