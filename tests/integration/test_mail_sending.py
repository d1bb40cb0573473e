# SPDX-License-Identifier: GPL-2.0-only
"""The outbox against a real mail server: what is taken, refused, put off, and in doubt."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.integration.mail_server import MailServer
from vlag.notifications.outbox import (
    FIRST_PAUSE,
    KEPT,
    LONGEST_PAUSE,
    Sent,
    pause_after,
    send_due,
    tried_for,
)
from vlag.notifications.smtp import Smtp
from vlag.store import database, messages
from vlag.store.database import Connection
from vlag.store.messages import Message, State

BODY = b"From: a@test\r\nSubject: x\r\n\r\n.one dot\r\n..two\r\nlast line without an end"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    made = MailServer(tmp_path / "server")
    yield made
    made.stop()


def smtp(server: MailServer, **changes: Any) -> Smtp:
    given = {"host": "127.0.0.1", "port": server.port, "sender": "vlag@test", **changes}
    return Smtp(**given)


@pytest.fixture
def queue(conn: Connection) -> Callable[..., int]:
    def work(to: str = "kim@test", body: bytes = BODY) -> int:
        key = f"{to} {datetime.now(UTC)}"
        assert messages.queue(
            conn, key=key, channel="mail", recipient=to, subject="x", body=body, night=None
        )
        conn.execute("UPDATE message SET next_at = %s WHERE key = %s", (NOW, key))
        row = conn.execute("SELECT id FROM message WHERE key = %s", (key,)).fetchone()
        assert row is not None
        return int(row[0])

    return work


def send(conn: Connection, transport: Smtp, now: datetime = NOW) -> Sent:
    return send_due(conn, {"mail": transport}, now)


def message(conn: Connection, id_: int) -> Message:
    found = messages.by_id(conn, id_)
    assert found is not None
    return found


def test_it_arrives_once_byte_for_byte(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    id_ = queue()
    assert send(conn, smtp(server)).taken == [id_]
    assert send(conn, smtp(server)).taken == []
    [taken] = server.taken()
    assert taken.raw == BODY + b"\r\n"
    assert taken.about == {"from": "vlag@test", "to": ["kim@test"], "tls": False, "user": None}
    m = message(conn, id_)
    assert (m.state, m.attempts, m.said) == (State.SENT, 0, "250 taken")


def test_a_key_is_queued_once(conn: Connection) -> None:
    given: dict[str, Any] = {
        "channel": "mail", "recipient": "a@test", "subject": "x", "body": b"x", "night": None,
    }  # fmt: skip
    assert messages.queue(conn, key="k", **given)
    assert not messages.queue(conn, key="k", **given)
    assert messages.queue(conn, key="another", **given)


@pytest.mark.parametrize("point", ["MAIL", "RCPT", "DATA", "END"])
def test_put_off_at_any_point_it_is_tried_again(
    conn: Connection, server: MailServer, queue: Callable[..., int], point: str
) -> None:
    server.script(**{point: ["451 4.7.1 greylisted", None]})
    id_ = queue()
    assert send(conn, smtp(server)).later == [id_]
    m = message(conn, id_)
    assert (m.state, m.attempts, m.next_at) == (State.QUEUED, 1, NOW + FIRST_PAUSE)
    assert m.said == "451 4.7.1 greylisted"
    early = NOW + FIRST_PAUSE - timedelta(seconds=1)
    assert not send(conn, smtp(server), early).news
    assert send(conn, smtp(server), NOW + FIRST_PAUSE).taken == [id_]
    assert len(server.taken()) == 1


def test_a_server_that_answers_before_the_text_has_taken_nothing(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    server.script(DATA=["250 taken", None])
    id_ = queue()
    assert send(conn, smtp(server)).later == [id_]
    assert send(conn, smtp(server), NOW + FIRST_PAUSE).taken == [id_]
    assert len(server.taken()) == 1


@pytest.mark.parametrize("point", ["RCPT", "DATA", "END"])
def test_refused_for_good_it_is_given_up_at_once(
    conn: Connection, server: MailServer, queue: Callable[..., int], point: str
) -> None:
    server.script(**{point: "550 5.1.1 no such user here"})
    id_ = queue()
    assert send(conn, smtp(server)).given_up == [id_]
    m = message(conn, id_)
    assert (m.state, m.said) == (State.GIVEN_UP, "550 5.1.1 no such user here")
    server.script()
    assert not send(conn, smtp(server), NOW + KEPT).news
    assert messages.again(conn, id_)
    assert send(conn, smtp(server), datetime.now(UTC)).taken == [id_]
    assert len(server.taken()) == 1


def test_one_that_is_refused_does_not_keep_the_others_back(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    server.script(RCPT={"bad@test": "550 no", "busy@test": "450 later"})
    bad, busy, good = queue("bad@test"), queue("busy@test"), queue("good@test")
    done = send(conn, smtp(server))
    assert (done.given_up, done.later, done.taken) == ([bad], [busy], [good])
    assert [t.about["to"] for t in server.taken()] == [["good@test"]]


def test_our_own_address_refused_is_for_a_person_to_mend(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    server.script(MAIL="550 5.7.1 sender not known")
    assert send(conn, smtp(server)).later == []
    id_ = queue()
    assert send(conn, smtp(server)).later == [id_]
    assert message(conn, id_).state == State.QUEUED


def test_a_server_that_is_away_costs_one_attempt_to_connect(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    ids = [queue(), queue()]
    port = server.port
    server.stop()
    done = send(conn, smtp(server))
    assert done.later == ids
    said = {message(conn, id_).said for id_ in ids}
    assert said == {f"127.0.0.1:{port}: Connection refused"}


@pytest.mark.parametrize("behaviour", ["drop", "hang"])
@pytest.mark.parametrize("point", ["MAIL", "RCPT", "DATA"])
def test_lost_before_the_end_it_was_surely_not_taken(
    conn: Connection, server: MailServer, queue: Callable[..., int], point: str, behaviour: str
) -> None:
    server.script(**{point: [behaviour, None]})
    id_ = queue()
    short = {"command_timeout_s": 0.5, "text_timeout_s": 0.5}
    assert send(conn, smtp(server, **short)).later == [id_]
    assert send(conn, smtp(server), NOW + FIRST_PAUSE).taken == [id_]
    assert len(server.taken()) == 1


@pytest.mark.parametrize(
    ("point", "behaviour"), [("TEXT", "drop"), ("END", "drop"), ("END", "hang")]
)
def test_without_an_answer_it_is_sent_again_with_the_same_id(
    conn: Connection, server: MailServer, queue: Callable[..., int], point: str, behaviour: str
) -> None:
    server.script(**{point: [behaviour, None]})
    id_ = queue()
    assert send(conn, smtp(server, text_timeout_s=0.5)).later == [id_]
    m = message(conn, id_)
    assert (m.state, m.next_at) == (State.QUEUED, NOW + FIRST_PAUSE)
    assert "it may have arrived" in (m.said or "")
    assert send(conn, smtp(server), NOW + FIRST_PAUSE).taken == [id_]
    copies = [taken.raw for taken in server.taken()]
    assert len(copies) == (2 if point == "END" else 1)
    assert len(set(copies)) == 1


def test_pauses_grow_from_a_minute_to_six_hours_and_end_after_a_week(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    pauses = [pause_after(n) for n in range(1, 40)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (FIRST_PAUSE, LONGEST_PAUSE)
    server.script(RCPT="450 4.2.1 mailbox busy")
    id_, now, attempts = queue(), NOW, 0
    while message(conn, id_).state == State.QUEUED:
        now = message(conn, id_).next_at
        send(conn, smtp(server), now)
        attempts += 1
        assert attempts < 100
    m = message(conn, id_)
    assert (m.state, m.said) == (State.GIVEN_UP, "450 4.2.1 mailbox busy")
    assert KEPT - LONGEST_PAUSE <= now - NOW <= KEPT
    assert now - NOW == tried_for(attempts)


def test_two_senders_never_work_at_once(
    conn: Connection,
    dsn: str,
    server: MailServer,
    queue: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "LOCK_WAIT_S", 1)
    id_ = queue()
    with database.connect(dsn) as other, messages.only_sender(other) as held:
        assert held
        assert send(conn, smtp(server)).busy
    assert server.taken() == []
    assert send(conn, smtp(server)).taken == [id_]


def test_a_channel_that_the_settings_do_not_name_waits(
    conn: Connection, queue: Callable[..., int]
) -> None:
    id_ = queue()
    assert send_due(conn, {}, NOW).no_channel == [id_]
    assert message(conn, id_).state == State.QUEUED


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("tls")
    made = {"certificate": str(folder / "cert.pem"), "key": str(folder / "key.pem")}
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=mail.test", "-addext",
         "subjectAltName=IP:127.0.0.1", "-out", made["certificate"], "-keyout", made["key"]],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


@pytest.mark.parametrize("tls", ["starttls", "tls"])
def test_encrypted_with_user_and_password(
    conn: Connection,
    queue: Callable[..., int],
    tmp_path: Path,
    certificate: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tls: str,
) -> None:
    password = tmp_path / "password"
    known = {"user": "robot", "password": "good one"}
    server = MailServer(tmp_path / "server", tls=tls, **known, **certificate)
    login: dict[str, Any] = {"tls": tls, "user": "robot", "password_file": password}
    try:
        id_ = queue()
        assert send(conn, smtp(server, **login)).later == [id_]
        assert "cannot read the mail server's password" in (message(conn, id_).said or "")
        password.write_text("good one\n")
        # Nobody vouches for the server: it could be anyone.
        send(conn, smtp(server, **login), message(conn, id_).next_at)
        assert "certificate verify failed" in (message(conn, id_).said or "")
        monkeypatch.setenv("SSL_CERT_FILE", certificate["certificate"])
        password.write_text("wrong\n")
        send(conn, smtp(server, **login), message(conn, id_).next_at)
        m = message(conn, id_)
        assert (m.state, (m.said or "").partition(": ")[2][:3]) == (State.QUEUED, "535")
        assert server.taken() == []
        password.write_text("good one\n")
        assert send(conn, smtp(server, **login), m.next_at).taken == [id_]
        [taken] = server.taken()
        assert (taken.about["tls"], taken.about["user"]) == (True, "robot")
    finally:
        server.stop()


def test_a_server_without_tls_gets_no_mail_in_clear(
    conn: Connection, server: MailServer, queue: Callable[..., int]
) -> None:
    id_ = queue()
    assert send(conn, smtp(server, tls="starttls")).later == [id_]
    assert "STARTTLS" in (message(conn, id_).said or "")
    assert server.taken() == []
