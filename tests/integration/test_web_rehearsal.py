# SPDX-License-Identifier: GPL-2.0-only
"""A rehearsal of alerts on its page: who may, what it says meanwhile and after, and its bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.integration import webpages
from tests.integration.webpages import text
from tests.integration.websites import CATALOGUE, MAY, MAY_NOT, Place, application, visitor
from vlag.alerts import rehearsal, rehearsal_text
from vlag.config import Alerts
from vlag.store.database import Connection
from vlag.web import rehearsal_pages

#: Seconds that a thread gets to end on a busy machine.
DEADLINE_S = 120


@pytest.fixture
def dsn(place: Place) -> str:
    """A database of the test's own, with an alert."""
    return place.dsn


@pytest.fixture
def app(dsn: str, tmp_path: Path) -> Flask:
    return application(dsn, tmp_path)


def send(app: Flask, name: str | None = MAY, **form: Any) -> TestResponse:
    """Send the form as a browser does; who may has the page's token."""
    client = visitor(app, name)
    token = webpages.token(client.get("/rehearsal").text) if name == MAY else "none"
    return client.post(
        "/rehearsal",
        data={"days": 28, "token": token, **form},
        headers={"Origin": "http://localhost"},
    )


def alerts(conn: Connection) -> list[Any]:
    return [
        conn.execute(f"SELECT * FROM public.{table} ORDER BY 1, 2").fetchall()  # noqa: S608
        for table in ("alert", "alert_verdict", "alert_event", "alert_text")
    ]


def free() -> bool:
    """Return whether the one rehearsal has ended."""
    ended = rehearsal_pages._ONE.acquire(timeout=DEADLINE_S)
    if ended:
        rehearsal_pages._ONE.release()
    return ended


def test_the_page_says_what_the_command_says(app: Flask, conn: Connection) -> None:
    before = alerts(conn)
    answer = send(app)
    page = text(answer.text)
    assert answer.status_code == 200
    now = datetime.now(UTC)
    done = rehearsal.rehearse(conn, CATALOGUE, Alerts(), since=now - timedelta(days=28), until=now)
    assert done.both
    for name, was, would in rehearsal_text.figures(done):
        assert f"{name.strip()} {was} {would}" in page
    for cause in done.both:
        assert f"alert {cause.alert} , {cause.judged}: {cause.title}" in page
    assert "with the present settings." in page
    assert alerts(conn) == before
    # Negative control: at another threshold another list.
    other = text(send(app, throughput="0.9", latency="9", deterministic="900").text)
    assert "with alerts.throughput = 0.9 (now" in other
    assert f"alerts opened {len(done.both)} 0" in other
    assert f"{len(done.both)} would not have opened, and did" in other
    assert alerts(conn) == before


def test_it_says_how_far_it_is_before_its_result(app: Flask) -> None:
    pieces = [piece.decode() for piece in send(app).iter_encoded()]
    said = [n for n, piece in enumerate(pieces) if "nights and pushes" in piece]
    result = [n for n, piece in enumerate(pieces) if "On record" in piece]
    assert said
    assert result
    assert max(said) < min(result)
    assert 1 <= "".join(pieces).count(" nights and pushes") <= 20


def test_only_who_may_change_alerts_rehearses(app: Flask) -> None:
    """Negative control: a stranger, a visitor without the right, a form of another page."""
    assert "<form" not in visitor(app).get("/rehearsal").text
    assert "may not rehearse alerts" in text(visitor(app, MAY_NOT).get("/rehearsal").text)
    for name in (None, MAY_NOT):
        assert send(app, name).status_code == 403
    assert send(app, token="0" * 64).status_code == 403
    assert free()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"days": "0"}, "is not a number above 0"),
        ({"days": "367"}, "366 days at most"),
        ({"throughput": "much"}, "must be a number above 0"),
        ({"latency": "-1"}, "must be a number above 0"),
        ({"colour": "1"}, "There is no parameter"),
    ],
)
def test_a_wrong_form_gets_one_sentence(app: Flask, form: dict[str, str], words: str) -> None:
    answer = send(app, **form)
    assert answer.status_code == 400
    assert words in text(answer.text)
    assert free()


def test_one_at_a_time(app: Flask) -> None:
    with rehearsal_pages._ONE:
        answer = send(app)
    assert answer.status_code == 429
    assert "Another rehearsal goes on" in text(answer.text)
    # Negative control: after it the next one is heard.
    assert "alerts opened 1 1" in text(send(app).text)


def test_its_time_is_bounded(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal_pages, "LIMIT_S", 0)
    page = text(send(app).text)
    assert "It was ended after 0 minutes; ask for fewer days." in page
    assert "alerts opened" not in page
    assert free()


def test_who_leaves_ends_it(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next night or push, whatever is left of it."""
    heard: list[rehearsal_pages.Work] = []
    start = rehearsal_pages.Work.start

    def kept(work: rehearsal_pages.Work) -> None:
        heard.append(work)
        work._left.set()  # before its first night
        start(work)

    monkeypatch.setattr(rehearsal_pages.Work, "start", kept)
    send(app).close()
    assert free()
    [work] = heard
    assert work.done is None
    # What a closed page leaves behind is that mark.
    monkeypatch.undo()
    listening = rehearsal_pages.Work(site=work.site, thresholds=work.thresholds, days=1)
    listening._said.put("1 of 2")
    words = listening.heard()
    assert next(words) == "1 of 2"
    assert not listening._left.is_set()
    words.close()  # type: ignore[attr-defined]
    assert listening._left.is_set()


def test_a_fault_is_told_and_frees_the_page(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret of the program")

    with monkeypatch.context() as m:
        m.setattr(rehearsal, "rehearse", broken)
        page = text(send(app).text)
    assert "It failed by a fault of the program" in page
    assert "secret" not in page
    assert "alerts opened 1 1" in text(send(app).text)
