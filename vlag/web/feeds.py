# SPDX-License-Identifier: GPL-2.0-only
"""What programs of other people follow: a feed of alerts, and a badge of a branch."""

from __future__ import annotations

import html
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

from flask import Blueprint, Response, request, url_for

from vlag import printable
from vlag.report import colours, read_model
from vlag.report.compared import share
from vlag.report.conclusion import conclusion
from vlag.web.installation import reading, site
from vlag.web.params import Params, missing

feeds = Blueprint("feeds", __name__)

Row = Mapping[str, Any]

_ATOM = "http://www.w3.org/2005/Atom"
#: Newest alerts in the feed; a reader asks again every hour or so.
_ENTRIES = 50
#: Of a badge: width of a character, and around each text, in pixels.
_CHARACTER, _MARGIN, _HEIGHT = 7, 8, 20


@feeds.get("/alerts.atom")
def alerts() -> Response:
    """The newest alerts as an Atom feed, of all branches or of one."""
    asked = Params(request.args, "branch")
    tree, branch = asked.branch("branch") if "branch" in asked else (None, None)
    with reading() as conn:
        listed = read_model.alerts(conn, tree=tree, branch=branch, closed=True)
        newest_of_all = read_model.overview(conn) if branch is None else None
    newest = sorted(listed, key=lambda a: (a["changed_at"], a["id"]), reverse=True)[:_ENTRIES]
    name = asked.optional_text("branch")
    feed = ET.Element(f"{{{_ATOM}}}feed")
    own = _absolute(url_for("feeds.alerts", branch=name))
    _add(feed, "id", own)
    _add(feed, "title", f"vlag: alerts of {name or 'all branches'}")
    if newest_of_all is not None:
        _add(feed, "subtitle", f"{conclusion(newest_of_all, datetime.now(UTC)).sentence}.")
    _add(feed, "updated", newest[0]["changed_at"].isoformat() if newest else _NEVER)
    _link(feed, own, "self")
    _link(feed, _absolute(url_for("triage.alerts", branch=name)))
    author = ET.SubElement(feed, f"{{{_ATOM}}}author")
    _add(author, "name", "vlag")
    for a in newest:
        _entry(feed, a)
    ET.register_namespace("", _ATOM)
    text = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(text, content_type="application/atom+xml; charset=utf-8")


#: When nothing has changed yet.
_NEVER = "1970-01-01T00:00:00+00:00"


def _entry(feed: ET.Element, a: Row) -> None:
    entry = ET.SubElement(feed, f"{{{_ATOM}}}entry")
    _add(entry, "id", _absolute(url_for("triage.alert", id=a["id"])))
    state = "withdrawn" if a["withdrawn_at"] else a["triage"].replace("_", " ")
    _add(entry, "title", printable.block(a["title"] if a["open"] else f"{a['title']} ({state})"))
    _add(entry, "published", a["opened_at"].isoformat())
    _add(entry, "updated", a["changed_at"].isoformat())
    # The entry's text, and not what the alert says when somebody follows the link.
    _link(entry, _absolute(url_for("triage.alert", id=a["id"], said=a["said"])))
    _add(entry, "content", printable.block(a["body"]))


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, f"{{{_ATOM}}}{name}").text = text


def _link(parent: ET.Element, href: str, rel: str = "alternate") -> None:
    ET.SubElement(parent, f"{{{_ATOM}}}link", {"href": href, "rel": rel})


def _absolute(path: str) -> str:
    return urljoin(site().url, path)


@feeds.get("/badge.svg")
def badge() -> Response:
    """The newest word of a branch as a picture, for pages elsewhere."""
    asked = Params(request.args, "branch", "board")
    tree, name = asked.branch("branch")
    board = asked.optional_text("board")
    with reading() as conn:
        comparisons = [
            c for c in read_model.overview(conn)["comparisons"]
            if c["branch_name"] == f"{tree}/{name}" and not c["patches"]
            and board in (None, c["board_type"])
        ]  # fmt: skip
    if not comparisons:
        missing(
            f"No comparison of branch {tree}/{name}{f' on {board}' if board else ''} is on record."
        )
    worst = min(comparisons, key=lambda c: (c["severity"], -c["size"]))
    word = worst["verdict"]
    if worst["worst"] is not None:
        word += f" {share(worst['worst'])}"
    svg = _badge(f"{tree}/{name}", word, colours.WORD_COLOURS[worst["verdict"]])
    return Response(svg, content_type="image/svg+xml")


def _badge(name: str, word: str, colour: str) -> str:
    """Return two fields side by side: a name, and a word on its colour."""
    left, right = (_CHARACTER * len(t) + 2 * _MARGIN for t in (name, word))
    name, word = html.escape(name), html.escape(word)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}"'
        f' role="img" aria-label="{name}: {word}"><title>{name}: {word}</title>'
        f'<rect width="{left}" height="{_HEIGHT}" fill="{colours.INK}"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{colour}"/>'
        '<g font-family="monospace" font-size="11.5" dominant-baseline="central">'
        f'<text x="{_MARGIN}" y="10" textLength="{left - 2 * _MARGIN}" fill="{colours.PAPER}">'
        f"{name}</text>"
        f'<text x="{left + _MARGIN}" y="10" textLength="{right - 2 * _MARGIN}"'
        f' fill="{colours.ink_on(colour)}">{word}</text></g></svg>\n'
    )
