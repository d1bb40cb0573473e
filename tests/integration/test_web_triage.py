# SPDX-License-Identifier: GPL-2.0-only
"""What people say of alerts on the pages: only who may, only on purpose, always on record."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.integration import webpages
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SMALL, Record, head
from tests.integration.planted import places, planted
from tests.integration.webpages import text
from tests.integration.websites import (
    CATALOGUE,
    MAY,
    MAY_NOT,
    ODD,
    URL,
    Place,
    application,
    visitor,
)
from vlag.config import password_file as people
from vlag.errors import UsageError
from vlag.store.database import Connection

WHY = "it is <b>mine</b>"


@pytest.fixture
def state(place: Place) -> Path:
    return place.state


@pytest.fixture
def dsn(place: Place) -> str:
    """A database of the test's own, with an alert."""
    assert place.filled.alert == 1
    return place.dsn


@pytest.fixture
def app(dsn: str, state: Path) -> Flask:
    return application(dsn, state)


@pytest.fixture
def nothing_written(conn: Connection) -> Iterator[None]:
    """Compares alerts and their events from before the test with those after it."""
    before = everything(conn)
    yield
    assert everything(conn) == before


def everything(conn: Connection) -> list[Any]:
    return [
        *conn.execute("SELECT * FROM alert ORDER BY id").fetchall(),
        *conn.execute("SELECT * FROM alert_event ORDER BY id").fetchall(),
    ]


def token(app: Flask, name: str, session: str = "one", alert: int = 1) -> str:
    found = webpages.token(visitor(app, name, session).get(f"/alert?id={alert}").text)
    assert len(found) == 64
    return found


def send(
    app: Flask,
    path: str = "/alert/state",
    *,
    name: str | None = MAY,
    session: str = "one",
    origin: str | None = "http://localhost",
    **form: Any,
) -> TestResponse:
    form = {"id": 1, "state": "acknowledged", "why": WHY, **form}
    form = {k: v for k, v in form.items() if v is not None}
    headers = {} if origin is None else {"Origin": origin}
    return visitor(app, name, session).post(path, data=form, headers=headers)


def refused(answer: TestResponse, status: int, words: str) -> None:
    assert answer.status_code == status, text(answer.text)
    assert words in text(answer.text)


def test_who_may_says_what_becomes_of_an_alert(app: Flask, conn: Connection) -> None:
    answer = send(app, token=token(app, MAY))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/alert?id=1")
    assert conn.execute("SELECT triage::text, owner FROM alert").fetchall() == [
        ("acknowledged", MAY)
    ]
    last = conn.execute(
        "SELECT by, action, triage::text, why FROM alert_event ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert last == (MAY, "triaged", "acknowledged", WHY)
    said = visitor(app).get("/alert?id=1")
    assert f"{MAY} triaged: acknowledged {WHY}" in text(said.text)
    assert "<b>mine" not in said.text


def test_an_alert_is_muted_and_told_again(app: Flask, conn: Connection) -> None:
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)
    sent = f"{until:%Y-%m-%dT%H:%M}"
    mine = token(app, MAY)
    assert send(app, "/alert/mute", state=None, until=sent, token=mine).status_code == 303
    kept = conn.execute("SELECT muted_until FROM alert").fetchone()
    assert kept == (until.replace(second=0, microsecond=0),)
    page = visitor(app, MAY).get("/alert?id=1").text
    assert f"Muted until {until:%Y-%m-%d %H:%M}" in text(page)
    assert "new, muted" in text(visitor(app).get("/alerts").text)
    assert send(app, "/alert/unmute", state=None, token=mine).status_code == 303
    assert conn.execute("SELECT muted_until FROM alert").fetchone() == (None,)
    actions = conn.execute("SELECT action, by FROM alert_event ORDER BY id DESC LIMIT 2").fetchall()
    assert actions == [("unmuted", MAY), ("muted", MAY)]


def test_an_alert_is_split_and_joined(app: Flask, conn: Connection, tmp_path: Path) -> None:
    """Alert 1 of two board types, on the pages: a part of it, and back."""
    _of_two_boards(conn, tmp_path)
    page = text(visitor(app, MAY).get("/alert?id=1").text)
    assert "Split it: a part is another cause" in page
    mine = token(app, MAY)
    other: dict[str, Any] = {"state": None, "board_type": BIG}
    refused(send(app, "/alert/split", token=mine, state=None), 400, "name what is another cause")
    assert send(app, "/alert/split", token=mine, **other).status_code == 303
    [two] = [i for i in standing(conn) if i != 1]
    assert send(app, "/alert/join", token=mine, state=None, other=two).status_code == 303
    assert standing(conn) == [1]
    assert f"alert {two} before it was joined" in text(visitor(app, MAY).get("/alert?id=1").text)
    assert send(app, "/alert/split", token=mine, state=None, joined=two).status_code == 303
    assert standing(conn) == [1, two]
    acts = conn.execute(
        "SELECT action FROM alert_event WHERE by = %s ORDER BY id", (MAY,)
    ).fetchall()
    assert [a for (a,) in acts] == ["split"] * 2 + ["joined"] * 2 + ["split"] * 2
    said = visitor(app).get(f"/alert?id={two}").text
    assert 'href="/alert?id=1"' in said
    assert "<b>mine" not in said


def _of_two_boards(conn: Connection, folder: Path) -> None:
    """Let the head with alert 1 be worse on another board type too."""
    made = Record(conn=conn, catalogue=CATALOGUE, folder=folder)
    worse = head(4, subject=ODD)
    for of, factors in ((BASE, SAME), (worse, SLOW)):
        made.fill(of, factors, board_type=BIG)
    made.derive(made.compare(BASE, worse, "baseline", board_type=BIG))
    assert {board for board, _ in places(conn)[1]} == {SMALL, BIG}


def standing(conn: Connection) -> list[int]:
    rows = conn.execute("SELECT id FROM alert WHERE withdrawn_at IS NULL ORDER BY id").fetchall()
    return [row[0] for row in rows]


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": None}, "sign in first"),
        ({"name": MAY_NOT}, f"{MAY_NOT} may not change alerts"),
        ({"name": ""}, "sign in first"),
        ({"token": None}, "the form is older"),
        ({"token": ""}, "the form is older"),
        ({"token": "0" * 64}, "the form is older"),
        ({"token": "\u00e9"}, "the form is older"),
        ({"session": "another"}, "the form is older"),
        ({"origin": None}, "not sent from these pages"),
        ({"origin": "null"}, "not sent from these pages"),
        ({"origin": "http://evil.example.org"}, "not sent from these pages"),
        ({"origin": "https://localhost"}, "not sent from these pages"),
        ({"origin": "http://localhost.evil.example.org"}, "not sent from these pages"),
    ],
)
def test_nobody_else_can(app: Flask, changes: dict[str, Any], words: str) -> None:
    given = {"token": token(app, MAY), **changes}
    refused(send(app, **given), 403, words)
    later = {"until": "2099-01-01T00:00", "state": None}
    refused(send(app, "/alert/mute", **(later | given)), 403, words)
    refused(send(app, "/alert/unmute", **({"state": None} | given)), 403, words)
    part = {"board_type": SMALL, "state": None}
    refused(send(app, "/alert/split", **(part | given)), 403, words)
    refused(send(app, "/alert/join", **({"other": 2, "state": None} | given)), 403, words)


def test_buildbots_own_address_is_one_of_ours(app: Flask, conn: Connection) -> None:
    """Behind a proxy the request's own host is another than what the browser asked."""
    answer = send(app, token=token(app, MAY), origin=URL.rstrip("/"))
    assert answer.status_code == 303
    assert conn.execute("SELECT triage::text FROM alert").fetchone() == ("acknowledged",)


@pytest.mark.usefixtures("nothing_written")
def test_without_people_nobody_can(dsn: str, state: Path) -> None:
    for changes in ({"writer_dsn": None}, {"triage": ()}):
        app = application(dsn, state, **changes)
        page = visitor(app, MAY).get("/alert?id=1").text
        assert "<form" not in page
        refused(send(app, token="0" * 64), 403, "may not change alerts")


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize(
    ("path", "form", "status", "words"),
    [
        ("state", {"state": "lost"}, 400, "there is no state 'lost'"),
        ("state", {"state": None}, 400, "The parameter 'state' is missing"),
        ("state", {"why": " \r\n "}, 400, "give a reason"),
        ("state", {"why": None}, 400, "give a reason"),
        ("state", {"why": "a\0b"}, 400, "control characters"),
        ("state", {"why": "x" * 2001}, 400, "at most 2000 characters"),
        ("state", {"id": "one"}, 400, "id='one' is not a number"),
        ("state", {"id": 99}, 404, "There is no alert 99"),
        ("state", {"more": "1"}, 400, "There is no parameter 'more'"),
        ("state", {"why": "x" * 20000}, 413, ""),
        ("mute", {"state": None, "until": "soon"}, 400, "is not a date and time"),
        ("mute", {"state": None, "until": "2001-01-01T00:00"}, 400, "has passed"),
        ("mute", {"state": None, "until": "2999-01-01T00:00"}, 400, "more than a year"),
        ("mute", {"state": None}, 400, "The parameter 'until' is missing"),
        ("unmute", {"state": None}, 400, "is not muted"),
        ("split", {"state": None, "benchmark": "cyclictest"}, 400, "is nothing of alert 1"),
        ("split", {"state": None, "joined": "two"}, 400, "joined='two' is not a number"),
        ("split", {"state": None, "id": 99, "board_type": "x"}, 404, "There is no alert 99"),
        ("join", {"state": None, "other": 1}, 400, "cannot be joined with itself"),
        ("join", {"state": None, "other": 99}, 404, "There is no alert 99"),
        ("join", {"state": None}, 400, "The parameter 'other' is missing"),
    ],
)  # fmt: skip
def test_what_cannot_be_gets_a_sentence(
    app: Flask, path: str, form: dict[str, Any], status: int, words: str
) -> None:
    refused(send(app, f"/alert/{path}", token=token(app, MAY), **form), status, words)


@pytest.mark.usefixtures("nothing_written")
def test_looking_changes_nothing(app: Flask) -> None:
    client = visitor(app, MAY)
    form = {"id": 1, "state": "fixed", "why": WHY, "token": token(app, MAY)}
    assert client.get("/alert/state", query_string=form).status_code == 405
    assert client.post("/alert", data=form).status_code == 405


@pytest.mark.parametrize("flag", ["-6", "-5"])
def test_a_password_file_is_read_as_other_tools_write_it(tmp_path: Path, flag: str) -> None:
    made = subprocess.run(
        ["openssl", "passwd", flag, "se:cret"], capture_output=True, text=True, check=True
    ).stdout
    path = tmp_path / "people"
    # The second hash is what `htpasswd -B` makes of the word "password".
    path.write_text(
        f"# who may sign in\n\nada:{made}"
        "bob:$2y$05$abcdefghijklmnopqrstuuUG.GcF1Y5nGXSNVIgUYVfX1lFWZGQ0y\n"
    )
    known = people.read(path)
    assert people.fits(known, "ada", "se:cret")
    for name, password in (("ada", "se:cre"), ("ada", ""), ("bob", "se:cret"), ("eve", "se:cret"),
                           ("ada", "se:cret\0"), ("", "")):  # fmt: skip
        assert not people.fits(known, name, password)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ada", ":2: write NAME:HASH"),
        (":$6$x$y", ":2: write NAME:HASH"),
        ("ada:secret", ":2: the password of ada is plain or weakly hashed"),
        ("ada:$apr1$x$y", ":2: the password of ada is plain or weakly hashed"),
        ("ada:{SHA}x", ":2: the password of ada is plain or weakly hashed"),
        ("eve:$6$x$y", ":2: eve is there twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "people"
    path.write_text(f"eve:$6$a$b\n{line}\n")
    with pytest.raises(UsageError) as caught:
        people.read(path)
    assert f"{path}{words}" in str(caught.value)


def test_a_missing_password_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nobody: cannot read the password file \(No such file"):
        people.read(tmp_path / "nobody")


def test_an_alert_shows_its_step_and_its_evidence(app: Flask, conn: Connection) -> None:
    client = visitor(app)
    [(alert,)] = conn.execute("SELECT id FROM alert WHERE kind = 'regression'").fetchall()
    page = client.get(f"/alert?id={alert}").text
    plot, rest = page.split("<figure", 1)[1].split("</svg>", 1)
    assert "step worse: -12.0" in plot
    assert "level in the comparison" in plot
    assert plot.count('href="/run?id=') >= 10
    assert page.index("<figure") < page.index("<table")
    said = text(rest)
    for words in (
        "95 % interval -12", "Boots 5 before, 5 after of a rerun: it confirmed",
        "Suspect commit", "compared with its parent",
        "Toggle not looked for yet", "Function not looked for yet",
    ):  # fmt: skip
        assert words in said, (words, said)
    # Negative control: without its figures there is no picture.
    with planted(conn):
        conn.execute("UPDATE alert_text SET verdicts = '{}' WHERE alert = %s", (alert,))
    conn.commit()
    page = client.get(f"/alert?id={alert}").text
    assert "<figure" not in page
    assert "this alert is not about a metric" in page
