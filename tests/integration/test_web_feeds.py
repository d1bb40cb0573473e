# SPDX-License-Identifier: GPL-2.0-only
"""The feed of alerts and the badge of a branch."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from flask.testing import FlaskClient

from tests.conftest import drop_database, fresh_database
from tests.integration.planted import planted
from tests.integration.websites import URL, Filled, Template, application, visitor
from vlag.alerts import triage
from vlag.report import colours, read_model
from vlag.store.database import Connection

ATOM = {"a": "http://www.w3.org/2005/Atom"}
SVG = {"s": "http://www.w3.org/2000/svg"}


@pytest.fixture
def dsn(cluster: str, long_template: Template) -> Iterator[str]:
    """A filled database of the test's own."""
    made = fresh_database(cluster, long_template.database)
    yield made
    drop_database(made)


@pytest.fixture
def filled(long_template: Template) -> Filled:
    return long_template.filled


@pytest.fixture
def site(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path))


def parsed(site: FlaskClient, path: str, **query: str) -> ET.Element:
    answer = site.get(path, query_string=query)
    assert answer.status_code == 200, answer.text
    return ET.fromstring(answer.data)  # noqa: S314 - our own answer


def entries(feed: ET.Element) -> list[dict[str, Any]]:
    return [
        {child.tag.partition("}")[2]: child.text for child in entry}
        for entry in feed.findall("a:entry", ATOM)
    ]


def test_each_alert_is_an_entry(site: FlaskClient, filled: Filled, conn: Connection) -> None:
    feed = parsed(site, "/alerts.atom")
    found = entries(feed)
    known = {a["id"]: a for a in read_model.alerts(conn, closed=True)}
    assert {e["id"] for e in found} == {f"{URL}alert?id={i}" for i in known}
    a = known[filled.alert]
    [entry] = [e for e in found if e["id"].endswith(f"={filled.alert}")]
    assert (entry["title"], entry["content"]) == (a["title"], a["body"])
    assert datetime.datetime.fromisoformat(entry["updated"]) == a["changed_at"]
    assert feed.findtext("a:updated", namespaces=ATOM) == max(e["updated"] for e in found)
    for element in (feed, *feed.findall("a:entry", ATOM)):
        for name in ("id", "title", "updated"):
            assert element.findtext(f"a:{name}", namespaces=ATOM)


def test_a_change_is_news(site: FlaskClient, filled: Filled, conn: Connection) -> None:
    before = entries(parsed(site, "/alerts.atom"))
    triage.set_state(conn, filled.alert, "fixed", by="ada", why="reverted")
    [after] = [
        e for e in entries(parsed(site, "/alerts.atom")) if e["id"].endswith(f"={filled.alert}")
    ]
    [was] = [e for e in before if e["id"] == after["id"]]
    assert after["title"].endswith("(fixed)")
    assert after["updated"] > was["updated"]
    assert after["published"] == was["published"]


def test_the_feed_of_a_branch(site: FlaskClient, filled: Filled) -> None:
    assert entries(parsed(site, "/alerts.atom", branch=filled.branch))
    assert entries(parsed(site, "/alerts.atom", branch="debian/other")) == []


@pytest.mark.parametrize(
    ("pattern", "there"),
    [
        ({"branch": "debian/*"}, True),
        ({"branch": "*/other"}, False),
        ({"board": "qemu-sim-*"}, True),
        ({"board": "rpi5*"}, False),
        ({"benchmark": "stress-ng-*"}, True),
        ({"benchmark": "stress-ng-*", "board": "rpi5*"}, False),
        ({"function": "no_such_*"}, False),
        ({"author": "nobody*"}, False),
    ],
)
def test_the_feed_of_patterns(
    site: FlaskClient, filled: Filled, pattern: dict[str, str], there: bool
) -> None:
    feed = parsed(site, "/alerts.atom", **pattern)
    found = {e["id"].rpartition("=")[2] for e in entries(feed)}
    assert (str(filled.alert) in found) is there
    said = feed.findtext("a:title", namespaces=ATOM)
    assert said is not None
    assert all(text in said for text in pattern.values())


def test_an_empty_feed_is_valid(cluster: str, template: str, tmp_path: Path) -> None:
    empty = fresh_database(cluster, template)
    feed = parsed(visitor(application(empty, tmp_path)), "/alerts.atom")
    assert entries(feed) == []
    assert feed.findtext("a:updated", namespaces=ATOM)


def test_control_characters_break_no_feed(
    site: FlaskClient, filled: Filled, conn: Connection
) -> None:
    conn.execute("UPDATE alert SET title = %s, body = %s", ("a\x1b[31m<b>&\x0c", "x\x00y"[:1]))
    [title, *_] = [e["title"] for e in entries(parsed(site, "/alerts.atom"))]
    assert title.startswith("a [31m<b>&")


def badge(site: FlaskClient, branch: str, **query: str) -> tuple[str, str]:
    """Return what a badge says, and the colour beneath it."""
    found = parsed(site, "/badge.svg", branch=branch, **query)
    [_, ground] = found.findall("s:rect", SVG)
    return found.findtext("s:title", "", SVG).rpartition(": ")[2], ground.attrib["fill"]


def test_a_badge_says_the_word_of_the_overview(
    site: FlaskClient, filled: Filled, conn: Connection
) -> None:
    own = [
        c
        for c in read_model.overview(conn)["comparisons"]
        if c["branch_name"] == filled.branch and not c["patches"]
    ]
    worst = min(own, key=lambda c: (c["severity"], -c["size"]))
    said, colour = badge(site, filled.branch)
    assert said.startswith(worst["verdict"])
    assert colour == colours.WORD_COLOURS[worst["verdict"]]
    assert badge(site, filled.branch, board=worst["board_type"]) == (said, colour)
    with planted(conn):
        conn.execute("UPDATE verdict SET verdict = 'UNCHANGED', suspect = false")
        conn.execute("DELETE FROM suspicion")
    assert badge(site, filled.branch)[0] != said


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"branch": "debian/none"}, 404, "No comparison of branch debian/none is on record."),
        ({"branch": "none"}, 400, "is not TREE/BRANCH"),
        ({}, 400, "is missing"),
        ({"branch": "a/b", "x": "1"}, 400, "There is no parameter"),
    ],
)
def test_a_wrong_badge(site: FlaskClient, query: dict[str, str], status: int, said: str) -> None:
    answer = site.get("/badge.svg", query_string=query)
    assert answer.status_code == status
    assert said in answer.text.replace("&#39;", "'")
