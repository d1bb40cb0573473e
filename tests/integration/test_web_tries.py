# SPDX-License-Identifier: GPL-2.0-only
"""Patches sent on the pages: who may, what is refused, and what is shown of a try."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask
from werkzeug.test import TestResponse

from tests.integration.masters import Master, signed_in
from tests.integration.webpages import text, token
from tests.integration.websites import MAIL, MAY, MAY_NOT, application, visitor
from vlag.buildbot import PAGES
from vlag.model import TryState
from vlag.pipeline.try_series import MOST_BYTES
from vlag.store import database, tries
from vlag.store.database import Connection

BASE = "debian/linux-6.12"


@pytest.fixture
def app(dsn: str, tmp_path: Path) -> Flask:
    return application(dsn, tmp_path, try_bases=(BASE,))


def send(
    app: Flask, name: str | None = MAY, origin: str | None = "http://localhost", **changes: Any
) -> TestResponse:
    client = visitor(app, name)
    form = {
        "mail": MAIL, "base": BASE, "plan": "commit", "board_type": "qemu-sim-2",
        "token": token(client.get("/tries").text), **changes,
    }  # fmt: skip
    form = {k: v for k, v in form.items() if v is not None}
    headers = {} if origin is None else {"Origin": origin}
    return client.post("/tries", data=form, headers=headers, content_type="multipart/form-data")


def on_record(conn: Connection) -> int:
    row = conn.execute("SELECT count(*) FROM try").fetchone()
    assert row is not None
    return int(row[0])


def test_a_try_is_sent_and_shown(app: Flask, conn: Connection) -> None:
    answer = send(app)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/try?id=1")
    sent = tries.get(conn, 1)
    assert sent is not None
    assert (sent.by, sent.tree, sent.base, sent.patches) == (MAY, "debian", "linux-6.12", 1)
    # A subject is a stranger's.
    page = visitor(app).get("/try?id=1").text
    assert "<b>faster</b>" not in page
    assert "sched: <b>faster</b>" in text(page)
    assert "It waits" in text(page)
    assert 'data-from="/try/progress?id=1"' in page
    assert "sched: <b>faster</b>" in text(visitor(app).get("/tries").text)
    tries.begin(conn, 1)
    tries.plan(conn, 1, "1" * 40, 20)
    assert "0 of 20 boots" in text(visitor(app).get("/try/progress?id=1").text)
    tries.end(conn, 1, TryState.FAILED, "0001-x.patch does not apply on 6.12 (a.c:1)")
    tries.end(conn, 1, TryState.DONE)  # what has ended keeps its result
    page = visitor(app).get("/try?id=1").text
    assert "It failed: 0001-x.patch does not apply on 6.12 (a.c:1)" in text(page)
    assert 'data-from="/try' not in page
    assert visitor(app).get("/try?id=2").status_code == 404


def test_a_file_and_an_earlier_version(app: Flask, conn: Connection) -> None:
    earlier = MAIL.replace("+two", "+three").encode()
    files: dict[str, Any] = {"mbox": (io.BytesIO(MAIL.encode()), "a.mbox")}
    answer = send(app, mail=None, against=(io.BytesIO(earlier), "v1.mbox"), **files)
    assert answer.status_code == 303, text(answer.text)
    sent = tries.get(conn, 1)
    assert sent is not None
    assert (sent.mbox, sent.against) == (MAIL.encode(), earlier)


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"name": None}, 403, "sign in first"),
        ({"name": MAY_NOT}, 403, f"{MAY_NOT} may not send patches"),
        ({"token": "0" * 64}, 403, "the form is older"),
        ({"origin": None}, 403, "not sent from these pages"),
        ({"origin": "http://evil.example.org"}, 403, "not sent from these pages"),
        ({"mail": "hello\n"}, 400, "Nothing was sent: the series"),
        ({"mail": "From x\nSubject: a\n\nno diff\n"}, 400, "no mail has a patch"),
        ({"mail": " "}, 400, "as a file, or paste them"),
        ({"mail": "From x\n" * 300}, 400, "300 mails"),
        ({"mail": "x" * (MOST_BYTES + 1)}, 413, ""),
        ({"base": "debian/other"}, 400, "no watched branch"),
        ({"plan": "none"}, 400, "none"),
        ({"board_type": "none"}, 400, "none"),
        ({"more": "1"}, 400, "There is no parameter 'more'"),
    ],
)  # fmt: skip
def test_what_is_refused(
    app: Flask, conn: Connection, changes: dict[str, Any], status: int, words: str
) -> None:
    answer = send(app, **changes)
    assert answer.status_code == status, text(answer.text)
    assert words in text(answer.text)
    assert on_record(conn) == 0


def test_nobody_fills_the_queue(app: Flask, conn: Connection) -> None:
    assert [send(app).status_code for _ in range(6)] == [303] * 5 + [429]
    tries.end(conn, 1, TryState.DONE)
    assert send(app).status_code == 303


def test_without_people_or_sandbox_the_page_says_why(dsn: str, tmp_path: Path) -> None:
    nobody = application(dsn, tmp_path, try_bases=(BASE,), writer_dsn=None)
    page = visitor(nobody).get("/tries").text
    assert "<form" not in page
    assert "the settings have no [people]" in text(page)
    assert send(nobody).status_code == 403
    unboxed = application(dsn, tmp_path)
    page = visitor(unboxed, MAY).get("/tries").text
    assert "<form" not in page
    assert "have no sandbox" in text(page)


def test_a_real_master_takes_a_long_series_of_those_only_who_may(served_master: Master) -> None:
    url = served_master.url
    page = f"{url}{PAGES}tries"

    def post(by: requests.Session, size: int) -> int:
        form = {"base": BASE, "plan": "commit", "board_type": "qemu-sim-2"}
        form["token"] = token(by.get(page, timeout=60).text)
        mail = MAIL.replace("\n---\n", "\n" + "word " * (size // 5) + "\n---\n", 1)
        return by.post(
            page, data=form, files={"mbox": mail.encode()}, timeout=60,
            headers={"Origin": url.rstrip("/")}, allow_redirects=False,
        ).status_code  # fmt: skip

    with database.connect(served_master.dsn) as conn:
        assert post(requests.Session(), 0) == 403
        assert post(signed_in(url, MAY_NOT), 0) == 403
        mine = signed_in(url, MAY)
        assert post(mine, 5 << 20) == 413
        assert on_record(conn) == 0
        assert post(mine, 1 << 20) == 303
        assert on_record(conn) == 1
        conn.execute("DELETE FROM try")
    # Every other form stays short.
    long = mine.post(f"{url}{PAGES}alert/state", data={"why": "x" * 100_000}, timeout=60)
    assert long.status_code == 413
