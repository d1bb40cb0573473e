# SPDX-License-Identifier: GPL-2.0-only
"""Pages about the sources of figures: runs, their files, boards, reports."""

from __future__ import annotations

import difflib
import io
from collections.abc import Mapping
from typing import TypedDict

from flask import Blueprint, Response, render_template, request, send_file

from vlag.errors import InfrastructureError, UsageError
from vlag.report import read_model
from vlag.web import raw
from vlag.web.installation import reading, site
from vlag.web.params import Params, missing, wrong

places = Blueprint("places", __name__)

#: Lines of one file's difference; the files themselves are linked.
_LINES = 200


@places.get("/run")
def run() -> str:
    """Everything about one run."""
    asked = Params(request.args, "id")
    number = asked.integer("id")
    with reading() as conn:
        whole = read_model.run(conn, number)
        if whole is None:
            missing(f"There is no run {number} on record; comparisons link to the existing ones.")
        other = read_model.counterpart(conn, whole)
        before = {} if other is None else read_model.environment(conn, other["id"])
        removed = read_model.removal(conn, whole["location"], run=number, kernel=None)
    here = {e["name"]: e["value"] for e in whole["environment"]}
    lab = site().labs.get(whole["lab"] or "")
    return render_template(
        "run.html",
        r=whole,
        other=other,
        changes=[] if other is None else _changes(before, here),
        files=raw.listed(whole["location"], site().state),
        removed=removed,
        job_url=f"{lab}/scheduler/job/{whole['job']}" if lab else None,
    )


class Change(TypedDict):
    """A file or section of the environment that differs."""

    name: str
    lines: list[str]  # of a unified diff
    left: int  # lines that are left out


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    """Return the differences between two environments, by file or section."""
    changes: list[Change] = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        lines = list(
            difflib.unified_diff(
                before.get(name, "").splitlines(), after.get(name, "").splitlines(),
                "base", "this run", lineterm="", n=1,
            )
        )[2:]  # fmt: skip
        changes.append({"name": name, "lines": lines[:_LINES], "left": max(0, len(lines) - _LINES)})
    return changes


@places.get("/raw")
def file() -> Response:
    """A file of a run's bundle, or of a kernel's build."""
    asked = Params(request.args, "run", "kernel", "file")
    if ("run" in asked) == ("kernel" in asked):
        wrong("Whose file? Write run=NUMBER or kernel=NUMBER.")
    name = asked.text("file")
    with reading() as conn:
        if "run" in asked:
            number = asked.integer("run")
            location = read_model.location(conn, number)
            if location is None:
                missing(f"There is no run {number} on record.")
            removed = read_model.removal(conn, location, run=number, kernel=None)
            return raw.answer(location, name, site().state, removed)
        number = asked.integer("kernel")
        kernel = read_model.kernel(conn, number)
        if kernel is None:
            missing(f"There is no kernel {number} on record.")
        location = kernel["build_location"]
        removed = read_model.removal(conn, location, run=None, kernel=number)
        return raw.answer(location, name, site().state, removed)


@places.get("/timeline")
def timeline() -> Response:
    """Both kernels around the first decision that differs, as a file of Perfetto."""
    asked = Params(request.args, "id")
    number = asked.integer("id")
    with reading() as conn:
        row = read_model.decision_timeline(conn, number)
    if row is None:
        missing(f"There is no timeline {number} on record; a comparison's page links to its own.")
    return send_file(
        io.BytesIO(row["timeline"]), mimetype="application/octet-stream", as_attachment=True,
        download_name=f"{row['benchmark']}-{number}.perfetto-trace",
    )  # fmt: skip


@places.get("/report")
def report() -> Response:
    """The text report of a night."""
    asked = Params(request.args, "night")
    number = asked.integer("night")
    with reading() as conn:
        night = read_model.night(conn, number)
    if night is None:
        missing(f"There is no night {number} on record.")
    if night["report"] is None:
        missing(f"Night {number} ended without a report; its page in Buildbot says why.")
    return raw.report(night["report"], site().state)


@places.get("/queue")
def queue() -> tuple[str, int]:
    """The queue of each board type, and when results are due."""
    Params(request.args)
    ask = site().queue
    try:
        queues, kernels = ask() if ask is not None else ([], 0)
    except (InfrastructureError, UsageError) as e:
        sentence = f"The queue is unknown now: {e}."
        return render_template("error.html", status=503, sentence=sentence), 503
    return render_template("queue.html", queues=queues, kernels=kernels, known=ask is not None), 200


@places.get("/boards")
def boards() -> str:
    """State, checks and noise of every board, and statistics of its boots."""
    Params(request.args)
    with reading() as conn:
        return render_template(
            "boards.html", boards=read_model.boards(conn), use=read_model.board_use(conn)
        )
