# SPDX-License-Identifier: GPL-2.0-only
"""The webhook against a real HTTP server, and the verbs that tell and send."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from click.testing import CliRunner, Result

from tests.http_stand_in import Answer, Request, served
from tests.integration.mail_proxy import Killer, Proxy
from tests.integration.mail_senders import FORKS
from tests.integration.mail_server import MailServer
from tests.integration.nights import MAIL, Nights, settings
from vlag.cli.notify import notify
from vlag.config import documents
from vlag.config.catalogue import Catalogue
from vlag.notifications.channels import transports
from vlag.notifications.outbox import FIRST_PAUSE, Sent, send_due
from vlag.notifications.webhook import IDEMPOTENCY, SIGNATURE, Webhook
from vlag.store import database, messages
from vlag.store.database import Connection
from vlag.store.messages import Message, State

SHARED = "what we two know"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@define
class Site:
    """A receiver that gives these answers, and 204 after them."""

    answers: list[Answer | None] = field(factory=list)
    posted: list[Request] = field(factory=list)
    url: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    here = Site()

    def answer(_: Request) -> Answer | None:
        return here.answers.pop(0) if here.answers else Answer(status=204)

    with served(answer) as there:
        here.url, here.posted = f"{there.url}/hooks/very-secret-path", there.requests
        yield here


@pytest.fixture
def hook(site: Site, tmp_path: Path) -> Webhook:
    path = tmp_path / "secret"
    path.write_text(f"{SHARED}\n")
    return Webhook(url=site.url, secret_file=path)


@pytest.fixture
def queued(conn: Connection) -> int:
    messages.queue(
        conn, key="webhook:k", channel="webhook", recipient="x", subject="s", body=b'{"a": 1}',
        night=None,
    )  # fmt: skip
    conn.execute("UPDATE message SET next_at = %s", (NOW,))
    return messages.latest(conn, 1)[0].id


def send(conn: Connection, hook: Webhook, now: datetime = NOW) -> Sent:
    return send_due(conn, {"webhook": hook}, now)


def message(conn: Connection, id_: int) -> Message:
    found = messages.by_id(conn, id_)
    assert found is not None
    return found


def test_a_post_is_signed_and_known_by_its_key(
    conn: Connection, site: Site, hook: Webhook, queued: int
) -> None:
    site.answers = [Answer(status=500, body=b"oops"), Answer(body=b"fine")]
    assert send(conn, hook).later == [queued]
    assert message(conn, queued).said == "500 Internal Server Error oops"
    assert send(conn, hook, NOW + FIRST_PAUSE).taken == [queued]
    first, second = site.posted
    assert first.body == second.body == b'{"a": 1}'
    expected = hmac.new(SHARED.encode(), first.body, hashlib.sha256).hexdigest()
    assert first.headers[SIGNATURE] == f"sha256={expected}"
    assert first.headers[IDEMPOTENCY] == second.headers[IDEMPOTENCY]
    assert first.headers["Content-Type"] == "application/json"
    # Another message has another key.
    messages.queue(
        conn, key="webhook:l", channel="webhook", recipient="x", subject="s", body=b"{}", night=None
    )
    send(conn, hook, datetime.now(UTC))
    assert site.posted[2].headers[IDEMPOTENCY] != first.headers[IDEMPOTENCY]
    assert site.posted[2].headers[SIGNATURE] != first.headers[SIGNATURE]


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (Answer(status=503), FIRST_PAUSE),
        (Answer(status=429, headers={"Retry-After": "600"}), timedelta(minutes=10)),
        (Answer(status=429, headers={"Retry-After": "9" * 30}), timedelta(hours=6)),
        (Answer(status=301, headers={"Location": "http://elsewhere.invalid/"}), FIRST_PAUSE),
        (None, FIRST_PAUSE),  # the line is cut
    ],
)
def test_what_may_work_later_is_tried_later(
    conn: Connection,
    site: Site,
    hook: Webhook,
    queued: int,
    answer: Answer | None,
    pause: timedelta,
) -> None:
    site.answers = [answer]
    assert send(conn, hook).later == [queued]
    assert message(conn, queued).next_at == NOW + pause
    assert send(conn, hook, NOW + pause).taken == [queued]


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_what_is_refused_is_given_up_with_the_reason(
    conn: Connection, site: Site, hook: Webhook, queued: int, status: int
) -> None:
    site.answers = [Answer(status=status, body="not\nlike this \u00e4".encode())]
    assert send(conn, hook).given_up == [queued]
    m = message(conn, queued)
    assert m.state == State.GIVEN_UP
    assert (m.said or "").startswith(f"{status} ")
    assert (m.said or "").endswith("not like this \u00e4")


def test_nobody_there_and_no_secret_file(conn: Connection, hook: Webhook, queued: int) -> None:
    away = Webhook(url="http://127.0.0.1:1/very-secret-path", secret_file=hook.secret_file)
    assert send(conn, away).later == [queued]
    said = message(conn, queued).said or ""
    assert said.startswith("http://127.0.0.1:1: cannot connect")
    assert "secret-path" not in said
    hook.secret_file.unlink()
    assert send(conn, hook, message(conn, queued).next_at).later == [queued]
    assert "cannot read the webhook's secret" in (message(conn, queued).said or "")


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path, site: Site) -> Nights:
    (tmp_path / "hook").write_text(SHARED)
    sections = MAIL + f'[webhook]\nurl = "{site.url}"\nsecret_file = "hook"\n'
    here = settings(tmp_path, sections)
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=here)


def test_a_night_fits_the_schema_and_says_what_the_mail_says(
    conn: Connection, nights: Nights, site: Site
) -> None:
    nights.tell([nights.compare("1")])
    told = nights.tell([nights.compare("2", 0.8)], missing=["linux-6.6: not compared"])
    assert told.queued == ("kim@test", site.url.rpartition("/hooks")[0])
    assert "very-secret" not in messages.latest(conn, 1)[0].recipient
    ways = {"webhook": transports(nights.settings)["webhook"]}
    assert len(send_due(conn, ways, datetime.now(UTC)).taken) == 2
    document = json.loads(site.posted[1].body)
    assert documents.fault(document, "webhook.schema.json") is None
    assert document["subject"].startswith("[vlag] debian/linux-6.12: 1 regression")
    assert "-20.00 % worse" in document["text"]
    [branch] = document["branches"]
    effects = sorted(round(f["effect"], 4) for f in branch["worse_since"])
    assert effects == [-0.2]
    assert [a["new"] for a in document["alerts"]] == [True]
    assert document["night"]["missing"] == ["linux-6.6: not compared"]
    # The schema can say no.
    del document["night"]["key"]
    assert documents.fault(document, "webhook.schema.json") is not None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    made = MailServer(tmp_path / "server")
    yield made
    made.stop()


def call(*words: object) -> Result:
    return CliRunner().invoke(notify, list(map(str, words)))


NIGHT = ("--key", "n 1", "--started", "2026-03-01T01:30:00Z")


def test_from_the_command_line_a_night_reaches_people_once(
    nights: Nights,
    dsn: str,
    tmp_path: Path,
    server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings(tmp_path, MAIL.replace("127.0.0.1:25", f"127.0.0.1:{server.port}"))
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    id_ = nights.compare("1", 0.9)
    assert call("list").output == "no messages\n"
    assert call("send").output == "nothing due\n"
    report = tmp_path / "state" / "reports" / "x.txt"
    words = (*NIGHT, "--comparison", id_, "--note", "a note", "--report", report)
    done = call("night", *words)
    assert (done.exit_code, done.output) == (0, "night 1: queued for kim@test\n")
    row = nights.conn.execute("SELECT report, multiple_testing FROM night").fetchone()
    assert row == ("reports/x.txt", 1)
    done = call("night", *words, "--format", "json")
    assert json.loads(done.output) == {"night": 1, "new": False, "queued": []}
    for expected in ("1 sent\n", "nothing due\n"):
        assert call("send").output == expected
    [taken] = server.taken()
    assert taken.about["to"] == ["kim@test"]
    assert "a note" in taken.raw.decode()
    [row] = json.loads(call("list", "--format", "json").output)["messages"]
    assert (row["state"], row["recipient"], row["said"]) == ("sent", "kim@test", "250 taken")
    done = call("resend", row["id"])
    assert done.exit_code == 2
    assert "is not sent again: it is sent" in done.output
    done = call("resend", 99)
    assert "is not sent again: there is none" in done.output


def send_in_process(environment: dict[str, str]) -> None:
    os.environ.update(environment)
    notify(args=["send", "--loop"])


def test_sending_for_ever_ends_cleanly_when_asked(
    nights: Nights, dsn: str, tmp_path: Path, server: MailServer
) -> None:
    settings(tmp_path, MAIL.replace("127.0.0.1:25", f"127.0.0.1:{server.port}"))
    nights.tell([nights.compare("1")])
    here = {"VLAG_SETTINGS": str(tmp_path / "vlag.toml"), "VLAG_DATABASE": dsn}
    process = FORKS.Process(target=send_in_process, args=(here,))
    process.start()
    try:
        server.wait_for("taken/0.eml")
        assert process.is_alive()
        process.terminate()
        process.join(30)
        assert process.exitcode == 0
        assert {m.channel: m.state for m in messages.latest(nights.conn, 9)}["mail"] == State.SENT
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--started", "yesterday"), "write 2026-11-21T01:30:00Z"),
        (("--started", "2026-03-01T01:30:00"), "has no offset"),
        (("--started", "9" * 30), "write 2026-11-21T01:30:00Z"),
        (("--started", "2226-03-01T01:30:00Z"), "has not come yet"),
        (("--comparison", "77"), "there is no comparison 77 on record"),
    ],
)
def test_mistakes_on_the_command_line_are_one_sentence(
    nights: Nights,
    dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: Any,
    sentence: str,
) -> None:
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    done = call("night", *NIGHT, *words)
    assert done.exit_code == 2
    assert sentence in done.output
    assert "Traceback" not in done.output
    assert nights.conn.execute("SELECT count(*) FROM night").fetchone() == (0,)


class AtCommit(Killer):
    """Kills when the night is to be committed."""

    def __call__(self, server: str, sent: bool, data: bytes) -> bool:
        if b"COMMIT" in data:
            self.at = len(self.chunks)  # the next
        return super().__call__(server, sent, data)


def report_in_process(environment: dict[str, str], words: list[str]) -> None:
    os.environ.update(environment)
    notify(args=["night", *words])


@pytest.mark.parametrize("let_pass", [False, True])
def test_killed_at_the_commit_a_night_is_told_once(
    nights: Nights, dsn: str, tmp_path: Path, let_pass: bool
) -> None:
    id_ = nights.compare("1", 0.8)
    port = database.parts(dsn)["port"]
    proxy = Proxy(postgresql=int(port))
    killer = AtCommit(let_pass=let_pass, start="postgresql")
    proxy.hook = killer
    here = {"VLAG_SETTINGS": str(tmp_path / "vlag.toml"), "VLAG_DATABASE": dsn}
    there = {
        **here,
        "VLAG_DATABASE": dsn.replace(f"port={port}", f"port={proxy.ports['postgresql']}"),
    }
    words = [*NIGHT, "--comparison", str(id_)]
    process = FORKS.Process(target=report_in_process, args=(there, words))
    process.start()
    killer.watch(process)
    process.join(60)
    assert process.exitcode == -9
    proxy.close()
    again = FORKS.Process(target=report_in_process, args=(here, words))
    again.start()
    again.join(60)
    assert again.exitcode == 0
    for table, count in (("night", 1), ("alert", 1), ("message", 2)):
        assert nights.conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,)  # noqa: S608
