# SPDX-License-Identifier: GPL-2.0-only
"""The newest verdicts, branch by board type, and the self-proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypedDict

from flask import Response, make_response, render_template, request, url_for

from vlag.report import overview as report
from vlag.report import read_model
from vlag.report.conclusion import Conclusion, conclusion
from vlag.report.overview import BranchLine
from vlag.report.read_model.alert_rows import AlertRow
from vlag.report.read_model.branches import OfBranch, Overview
from vlag.report.read_model.night_rows import NightProof, NightRow
from vlag.store.nights import AtBaseline
from vlag.web import squares, visit
from vlag.web.installation import reading, site
from vlag.web.pages.blueprint import pages
from vlag.web.params import Params, missing, wrong


class ShownLine(BranchLine):
    """A branch with the worst of its newest comparisons."""

    worst: OfBranch


class Words(TypedDict):
    """What stands above and below the branches."""

    tried: list[OfBranch]  # some of what people tried on purpose
    tries: int  # all of it
    alerts: list[AlertRow]
    night: NightRow | None
    proof: NightProof | None
    at_baseline: Sequence[AtBaseline]  # heads of that night that are their own baseline
    roles: Mapping[str | None, str]
    undelivered: str | None


class SaidPart(TypedDict):
    """Words of the sentence, and the alert that it names after them."""

    words: str
    alert: int | None
    tree: str | None
    commit: str | None  # of the alert


#: Branches that stand in words before the table.
_NAMED = 5
#: What the sentence calls an alert.
_ALERT = re.compile(r"\balert (\d{1,18})(?: \(commit [0-9a-f]{12}\))?")


@pages.get("/")
def overview() -> Response:
    """Show the newest verdicts, branch by board type."""
    asked = Params(request.args, "filter", "board", "page")
    filter_, board = asked.optional_text("filter") or "", asked.optional_text("board") or ""
    page = asked.optional_integer("page") or 1
    whole = not (filter_ or board)
    here = visit.of(request, datetime.now(UTC))
    with reading() as conn:
        newest = read_model.overview(conn, filter_, board)
        news = read_model.since_then(conn, newest, here.since) if whole else None
        ranked, wide = report.ranked(newest["comparisons"]), _wide(newest)
        size, last = squares.lines_of_a_page(wide), squares.pages(len(ranked), wide)
        if page > last:
            wrong(f"There is no page {page}; the last is {last}.")
        lines = (report.line(*item) for item in ranked[(page - 1) * size : page * size])
        shown: list[ShownLine] = [{**line, "worst": report.worst_of(line)} for line in lines]
        columns = squares.fill(conn, shown)
    said = _said(newest) if whole else None
    response = make_response(render_template(
        "overview.html", **_words(newest), matrix=shown, boards=squares.boards(shown), **columns,
        count=len(ranked), page=page, pages=last, filter=filter_, board=board,
        looks=squares.LOOKS, few=squares.FEW,
        conclusion=said, said=list(_parts(said.sentence, newest)) if said else [],
        news=news, visit=here,
        worst=[line for line in shown if line["page"]][:_NAMED] if page == 1 else [],
    ))  # fmt: skip
    if whole:
        secure = site().url.startswith("https:")
        here.keep(response, url_for("pages.overview"), secure=secure)
    return response


@pages.get("/index.html")
def fragment() -> str:
    """Show the overview as a fragment for a page of Buildbot, without styles."""
    with reading() as conn:
        newest = read_model.overview(conn)
    ranked = report.ranked(newest["comparisons"])
    shown = [report.line(*item) for item in ranked[: squares.lines_of_a_page(_wide(newest))]]
    return render_template(
        "fragment.html", **_words(newest), matrix=shown, boards=squares.boards(shown),
        count=len(ranked), conclusion=_said(newest),
    )  # fmt: skip


def _said(newest: Overview) -> Conclusion:
    return conclusion(newest, datetime.now(UTC))


def _parts(sentence: str, newest: Overview) -> Iterator[SaidPart]:
    """Yield the parts of the door's sentence, so that what it names can be links."""
    alerts = {a["id"]: a for a in newest["alerts"] + newest["ended"]}
    at = 0
    for found in _ALERT.finditer(sentence):
        a = alerts.get(int(found[1]))
        if a is None:
            continue
        commit = a["commit"] if "(" in found[0] else None
        words = sentence[at : found.start()]
        yield {"words": words, "alert": a["id"], "tree": a["tree"], "commit": commit}
        at = found.end()
    yield {"words": sentence[at:], "alert": None, "tree": None, "commit": None}


def _wide(newest: Overview) -> int:
    """Return how many board types there are."""
    return len({c["board_type"] for c in newest["comparisons"]})


def _words(newest: Overview) -> Words:
    return {
        "tried": newest["tried"],
        "tries": newest["tries"],
        "alerts": newest["alerts"],
        "night": newest["night"],
        "proof": newest["proof"],
        "at_baseline": newest["at_baseline"],
        "roles": report.ROLES,
        "undelivered": report.undelivered(newest["undelivered"]),
    }


@pages.get("/proof")
def proof() -> str:
    """Show the self-proof of a night: patches that make it worse on purpose, and what was found."""
    asked = Params(request.args, "night")
    number = asked.optional_integer("night")
    with reading() as conn:
        night = read_model.night(conn, number)
        if night is None and number is not None:
            missing(f"There is no night {number} on record.")
        proven = read_model.proof(conn, night)
    return render_template("proof.html", night=night, proof=proven)
