# SPDX-License-Identifier: GPL-2.0-only
"""Alerts: their verdicts and their triage."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

from flask import Blueprint, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from vlag.alerts import parts
from vlag.alerts import triage as stage
from vlag.errors import UsageError
from vlag.report import read_model
from vlag.report.document import Side
from vlag.report.read_model.alert_rows import WholeAlert
from vlag.report.read_model.branch_figures import PointRow
from vlag.report.read_model.comparison_rows import ComparedRow
from vlag.report.read_model.view_rows import VerdictRow
from vlag.store import database
from vlag.store.database import Connection
from vlag.web import counters, drawing
from vlag.web.access import Visitor
from vlag.web.commit_links import commit_address
from vlag.web.installation import access, reading, site
from vlag.web.pages import elsewhere_page
from vlag.web.params import Params, missing, sentence

triage = Blueprint("triage", __name__)

#: Kernels on each side of a step.
_NEIGHBOURS = 12
# The paragraph of an alert's text about toggles, and its words where none was tried.
_TOGGLES = re.compile(r"^Toggles: (.*?)(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_NO_TOGGLE = "no toggle was run"
# A part of a series that is to blame, in the first paragraph.
_PART = re.compile(r"\S+ of \S+ shows it alone, on .+?(?=\.(?: |$))")
# The address of a commit, as a line of it.
_ADDRESS = re.compile(r"https?://\S+?([0-9a-f]{40})")
# In it a figure begins; what is indented more goes on with it.
_FIGURE = re.compile(r"\n  (?=\S)")

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
        listed = read_model.alerts(conn, tree=tree, branch=branch, closed=closed)
    return render_template(
        "alerts.html", alerts=listed, closed=closed, branch=asked.optional_text("branch")
    )


@triage.get("/alert")
def alert() -> str:
    """One alert: its verdicts and its history."""
    asked = Params(request.args, "id", "said")
    number, statement = asked.integer("id"), asked.optional_integer("said")
    with reading() as conn:
        try:
            whole = read_model.alert(conn, number, statement)
        except UsageError as e:
            missing(sentence(e))
        if whole is None:
            missing(f"There is no alert {number} on record.")
        picture = _picture(conn, whole)
        same = elsewhere_page.of(conn, whole["verdicts"])
        compared = read_model.of_cause(conn, [v["comparison"] for v in whole["verdicts"]])
        function = read_model.function_of(conn, compared)
        since = read_model.since_of(conn, compared)
        counted = _counters(conn, whole)
        course = read_model.regression_of_alert(conn, number)["course"]
        life = read_model.life_of(conn, number)
        joined = read_model.joined_into(conn, number)
    began = next((f["began"] for f in same if f["began"]), None)
    visitor = access().visitor(request)
    return render_template(
        "alert.html",
        a=whole,
        conclusion=_conclusion(whole["body"], whole["tree"]),
        said=statement,
        after=next((t for t in whole["texts"] if t["since"] > whole["text"]["said"]), None),
        picture=picture,
        causes={**_causes(whole, function, since), "began": began},
        course=course,
        life=life,
        elsewhere=same,
        joined=joined,
        **counted,
        states={state: MEANINGS[state] for state in stage.STATES},
        token=access().token(visitor) if visitor is not None else None,
        now=datetime.datetime.now(datetime.UTC),
    )


def _counters(conn: Connection, a: WholeAlert) -> counters.Counters:
    """Return the counters that explain the alert's worst figure, and others of its comparison."""
    worst = next((v["comparison"] for v in a["verdicts"]), None)
    compared = [] if worst is None else read_model.by_ids(conn, [worst])
    if not compared:
        return counters.NONE
    own = {v["id"] for v in a["verdicts"]}
    figures = read_model.verdicts(conn, [c["id"] for c in compared])
    return counters.of(conn, compared[0], (v for v in figures if v["id"] in own))


class Part(TypedDict):
    """Running text of the first paragraph of an alert, or a line of it that stands alone."""

    words: str
    alone: bool  # a command or an address


def _is_linked(line: str, tree: str | None) -> bool:
    """Return whether a line is the address of a commit that has a page here."""
    found = _ADDRESS.fullmatch(line)
    return found is not None and commit_address(tree, found[1]) is not None


def _conclusion(body: str, tree: str | None) -> list[Part]:
    """Return the first paragraph of an alert's text.

    Addresses of commits are left out where the sentences link to them.
    """
    lines = [
        line for line in body.partition("\n\n")[0].splitlines()
        if not _is_linked(line.strip(), tree)
    ]  # fmt: skip
    return [
        {"words": " ".join(line.strip() for line in part), "alone": alone}
        for alone, part in itertools.groupby(lines, key=lambda line: line.startswith("  "))
    ]


class Picture(TypedDict):
    """The plot of the worst figure of an alert."""

    plot: Markup
    verdict: VerdictRow


def _picture(conn: Connection, a: WholeAlert) -> Picture | None:
    """Return the plot of the worst figure before and after the step; None without any boots.

    A commit has its branch's history around it; a head against a baseline has the boots of both.
    """
    v = next((v for v in a["verdicts"] if v["series_new"] is not None), None)
    if v is None:
        return None
    series = read_model.time_series(conn, v["series_new"] or 0)
    compared = read_model.by_ids(conn, [v["comparison"]])
    if series is None or not compared:
        return None
    [c] = compared
    levels = {c["base_kernel"]: v["base_value"], c["new_kernel"]: v["new_value"]}
    step = {
        "kernel": c["new_kernel"],
        "effect": v["effect"],
        "worsening": v["worsening"],
        "levels": {kernel: level for kernel, level in levels.items() if level is not None},
    }
    points: list[drawing.Boot] = []
    if a["role"] == "parent" and a["tree"] and a["branches"] and not c["patches"]:
        along = read_model.branch_history(
            conn, a["tree"], a["branches"][0], series["id"], v["statistic"], knobs=c["new_knobs"]
        )
        points = [*_around(along["points"], c["new_kernel"])]
    if {c["base_kernel"], c["new_kernel"]} - {p["kernel"] for p in points}:
        points = [*_side(conn, c, v, "base"), *_side(conn, c, v, "new")]
    mark: drawing.Mark = {"id": a["id"], "title": a["title"], "kernel": c["new_kernel"]}
    plot = drawing.history(points, None, [step], [mark], series, v["statistic"])
    return {"plot": plot, "verdict": v}


def _side(conn: Connection, c: ComparedRow, v: VerdictRow, side: Side) -> Iterator[drawing.Boot]:
    """Yield the boots of a side of a figure."""
    series, runs = read_model.time_series_on(v, side), read_model.runs_of(v, side)
    for b in read_model.boots_of(conn, runs, series, v["statistic"]):
        if b["value"] is not None:
            yield {
                "run": b["id"],
                "kernel": c["base_kernel"] if side == "base" else c["new_kernel"],
                "name": c[side],
                "value": b["value"],
                "board": b["board"],
                "seed": b["seed"],
                "marked": b["marked"],
            }


def _around(points: Sequence[PointRow], kernel: int) -> list[PointRow]:
    """Return the boots of a kernel, and of some kernels before and after it."""
    order = list(dict.fromkeys(p["kernel"] for p in points))
    if kernel not in order:
        return []
    at = order.index(kernel)
    kept = set(order[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1])
    return [p for p in points if p["kernel"] in kept]


class Causes(TypedDict):
    """What is known of an alert's cause; None or nothing: nobody has looked yet."""

    since: str | None
    parts: list[str]  # of a series, each a sentence
    toggles: list[str]  # the summary, and a sentence for each figure
    function: str | None


def _causes(a: WholeAlert, function: str | None, since: str | None) -> Causes:
    toggles = _TOGGLES.search(a["body"] or "")
    figures = [] if toggles is None else _FIGURE.split(toggles.group(1))
    lines = [" ".join(figure.split()) for figure in figures]
    return {
        "since": since,
        "parts": _PART.findall(" ".join((a["body"] or "").partition("\n\n")[0].split())),
        "toggles": [] if lines == [_NO_TOGGLE] else lines,
        "function": function,
    }


@triage.post("/alert/state")
def set_state() -> Response:
    """Set the state of an alert."""
    visitor, form = _form("id", "state", "why", "due", "token")
    number, state, why = form.integer("id"), form.text("state"), form.lines("why")
    due = form.moment("due").date() if "due" in form else None
    with database.connect(_writer()) as conn:
        _must_exist(number)
        stage.set_state(conn, number, state, by=visitor.name, why=why, due=due)
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


@triage.post("/alert/split")
def split() -> Response:
    """Give a part of an alert an alert of its own."""
    visitor, form = _form("id", "board_type", "benchmark", "joined", "why", "token")
    number, why = form.integer("id"), form.lines("why")
    board_type, benchmark = form.optional_text("board_type"), form.optional_text("benchmark")
    chosen = parts.Chosen(
        board_types=[board_type] if board_type else [],
        benchmarks=[benchmark] if benchmark else [],
        joined=form.optional_integer("joined"),
    )
    by = visitor.name
    with database.connect(_writer()) as conn:
        _must_exist(number)
        parts.split(conn, site().catalogue, site().derive, number, chosen, by=by, why=why)
    return redirect(url_for("triage.alert", id=number), 303)


@triage.post("/alert/join")
def join() -> Response:
    """Let an alert tell of all that another one tells."""
    visitor, form = _form("id", "other", "why", "token")
    number, other, why = form.integer("id"), form.integer("other"), form.lines("why")
    by = visitor.name
    with database.connect(_writer()) as conn:
        _must_exist(number)
        _must_exist(other)
        parts.join(conn, site().catalogue, site().derive, number, other, by=by, why=why)
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
