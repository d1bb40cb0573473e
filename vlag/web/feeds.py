# SPDX-License-Identifier: GPL-2.0-only
"""What programs of other people follow: a feed of alerts, and a badge of a branch."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

from flask import Blueprint, Response, request, url_for

from vlag import printable
from vlag.alerts.surroundings import Surroundings
from vlag.config import Subscription
from vlag.notifications import following
from vlag.report import colours, read_model
from vlag.report.compared import share
from vlag.report.conclusion import conclusion
from vlag.report.read_model.alert_rows import AlertRow
from vlag.store import subscriptions
from vlag.store.database import Connection
from vlag.web.installation import reading, site
from vlag.web.params import Params, missing

feeds = Blueprint("feeds", __name__)

Row = Mapping[str, Any]

_ATOM = "http://www.w3.org/2005/Atom"
#: Newest alerts in the feed; a reader asks again every hour or so.
_ENTRIES = 50
#: Parameters of the feed, and what of `[subscriptions]` each is a pattern of.
_PATTERNS = {
    "branch": "branches", "board": "boards", "benchmark": "benchmarks", "function": "functions",
    "author": "authors",
}  # fmt: skip
#: Of a badge: width of a character, and around each text, in pixels.
_CHARACTER, _MARGIN, _HEIGHT = 7, 8, 20


@feeds.get("/alerts.atom")
def alerts() -> Response:
    """The newest alerts as an Atom feed: all, or those that patterns fit."""
    asked = Params(request.args, *_PATTERNS)
    if "branch" in asked:
        asked.branch("branch")
    given = {name: asked.text(name) for name in _PATTERNS if name in asked}
    with reading() as conn:
        listed = read_model.alerts(conn, closed=True)
        newest = sorted(listed, key=lambda a: (a["changed_at"], a["id"]), reverse=True)
        newest = list(islice(_followed(conn, newest, given) if given else newest, _ENTRIES))
        newest_of_all = None if given else read_model.overview(conn)
    feed = ET.Element(f"{{{_ATOM}}}feed")
    own = _absolute(url_for("feeds.alerts", _external=False, **given))
    _add(feed, "id", own)
    name = given.get("branch")
    of = ", ".join(v if k == "branch" else f"{k} {v}" for k, v in given.items())
    _add(feed, "title", f"vlag: alerts of {of or 'all branches'}")
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


def _followed(
    conn: Connection, newest: Sequence[AlertRow], given: Mapping[str, str]
) -> Iterator[AlertRow]:
    """Yield the alerts that patterns fit, in their order."""
    follower = Subscription(
        name="feed", mail=None, webhook=None, weekly=False,
        **{_PATTERNS[name]: (pattern,) for name, pattern in given.items()},
    )  # fmt: skip
    people = Surroundings(mirrors=site().mirrors).people
    for start in range(0, len(newest), _ENTRIES):
        some = newest[start : start + _ENTRIES]
        facts = subscriptions.facts(conn, [a["id"] for a in some])
        yield from (a for a in some if following.fits(follower, facts[a["id"]], people))


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
