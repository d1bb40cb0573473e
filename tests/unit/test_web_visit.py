# SPDX-License-Identifier: GPL-2.0-only
"""A visit of the door: it ends with a break, and a wrong cookie is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from flask import Response
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request as Plain

from vlag.web import visit
from vlag.web.visit import BREAK, COOKIE, Visit

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)
YESTERDAY = NOW - timedelta(days=1)


def seen(cookie: str | None, now: datetime = NOW) -> Visit:
    headers = [] if cookie is None else [("Cookie", f"{COOKIE}={cookie}")]
    environ = EnvironBuilder(headers=headers).get_environ()
    return visit.of(Plain(environ), now)  # type: ignore[arg-type]


def kept(here: Visit, *, secure: bool = False) -> str:
    response = Response()
    here.keep(response, "/", secure=secure)
    return response.headers["Set-Cookie"]


def value(here: Visit) -> str:
    return kept(here).split(";")[0].partition("=")[2]


def test_a_first_look_asks_for_yesterday() -> None:
    assert seen(None) == Visit(since=YESTERDAY, known=False, now=NOW)


def test_looks_of_one_visit_have_one_answer_and_the_next_visit_begins_at_its_end() -> None:
    first = seen(None)
    again = seen(value(first), NOW + BREAK)
    assert (again.since, again.known) == (first.since, False)
    later = seen(value(again), NOW + 2 * BREAK + timedelta(seconds=1))
    assert (later.since, later.known) == (NOW + BREAK, True)
    assert seen(value(later), NOW + 3 * BREAK).known
    # Negative control: a look a second earlier is of the visit before.
    assert seen(value(again), NOW + 2 * BREAK).since == first.since


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "x",
        "1",
        "1.x",
        "-1.5",
        "99999999999.99999999999",
        "5.1",
        f"1.{10**10}",
        "1.2",
        "1" * 99,
        "1.2.x",
    ],
)
def test_a_cookie_that_is_wrong_counts_as_none(cookie: str) -> None:
    assert seen(cookie) == seen(None)


def test_the_cookie_is_for_this_page_alone() -> None:
    words = kept(seen(None)).lower()
    assert "httponly" in words
    assert "samesite=lax" in words
    assert "; secure" not in words
    assert "; secure" in kept(seen(None), secure=True).lower()
