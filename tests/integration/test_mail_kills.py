# SPDX-License-Identifier: GPL-2.0-only
"""The sender is killed at every point: a mail arrives, and a copy of it has the same id."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from os import environ
from pathlib import Path

import pytest
from attrs import define

from tests import settings_files
from tests.integration.mail_proxy import Killer, Proxy
from tests.integration.mail_senders import hasty, ours, start
from tests.integration.mail_server import MailServer
from vlag.notifications.outbox import send_due
from vlag.notifications.smtp import Smtp
from vlag.store import database, messages
from vlag.store.messages import Message, State

KILLED = -signal.SIGKILL

MAIL = """[mail]
smtp = "127.0.0.1:{port}"
from = "vlag@test"
tls = "none"
[mail.owners]
debian = ["kim@test"]
"""


@define
class Lab:
    """A database and a mail server behind a proxy; one message at a time."""

    dsn: str  # not through the proxy
    server: MailServer
    proxy: Proxy
    environment: Mapping[str, str]
    said: Path  # by the last sender
    queued: int = 0

    def queue(self) -> int:
        self.queued += 1
        mail = f"From: vlag@test\r\nMessage-ID: <{self.queued}@test>\r\n\r\nthe night\r\n"
        with database.connect(self.dsn) as conn:
            assert messages.queue(
                conn, key=str(self.queued), channel="mail", recipient="kim@test", subject="x",
                body=mail.encode(), night=None,
            )  # fmt: skip
            return messages.latest(conn, 1)[0].id

    def run(self, sender: Callable[[], None], killer: Killer) -> int:
        """Run a sender through the proxy; return its exit code."""
        self.proxy.hook = killer
        process = start(sender, self.environment, self.said)
        killer.watch(process)
        process.join(60)
        self.proxy.hook = lambda _server, _sent, _data: True
        assert process.exitcode in (0, KILLED), self.said.read_text()
        return process.exitcode

    def send(self) -> None:
        """Send what is due, undisturbed."""
        here = Smtp(host="127.0.0.1", port=self.server.port, sender="vlag@test")
        with database.connect(self.dsn) as conn:
            assert not send_due(conn, {"mail": here}, datetime.now(UTC)).busy

    def message(self, id_: int) -> Message:
        with database.connect(self.dsn) as conn:
            found = messages.by_id(conn, id_)
        assert found is not None
        return found

    def arrived(self, number: int) -> int:
        mine = f"<{number}@test>"
        return sum(taken.mail["Message-ID"] == mine for taken in self.server.taken())


@pytest.fixture
def lab(dsn: str, tmp_path: Path) -> Iterator[Lab]:
    server = MailServer(tmp_path / "server")
    target = int(database.parts(dsn)["port"])
    proxy = Proxy(smtp=server.port, postgresql=target)
    settings = tmp_path / "vlag.toml"
    text = settings_files.settings(state=tmp_path / "state")
    settings.write_text(text + MAIL.format(port=proxy.ports["smtp"]))
    yield Lab(
        dsn,
        server,
        proxy,
        {
            **environ,
            "VLAG_SETTINGS": str(settings),
            "VLAG_DATABASE": dsn.replace(f"port={target}", f"port={proxy.ports['postgresql']}"),
            "SMTP_PORT": str(proxy.ports["smtp"]),
        },
        tmp_path / "said",
    )
    proxy.close()
    server.stop()


def sweep(
    lab: Lab, sender: Callable[[], None], again: Callable[[Lab], object]
) -> tuple[list[str], list[tuple[str, int, str]]]:
    """Kill the sender at each point; then send `again`, twice.

    Return what it says when nobody kills it, and for each kill where that was, how often the
    mail arrived and the state of the message.
    """
    lab.queue()
    undisturbed = Killer()
    assert lab.run(sender, undisturbed) == 0
    assert lab.arrived(lab.queued) == 1
    chunks = undisturbed.chunks
    found = []
    for at, chunk in enumerate(chunks):
        for let_pass in (False, True) if chunk.sent else (False,):
            id_ = lab.queue()
            assert lab.run(sender, Killer(at=at, let_pass=let_pass)) in (KILLED, 0)
            for _ in range(2):
                again(lab)
            where = f"{'after' if let_pass else 'before'} {chunk}"
            found.append((where, lab.arrived(lab.queued), lab.message(id_).state))
    return [str(chunk) for chunk in chunks], found


def test_killed_anywhere_a_mail_arrives_and_a_copy_is_known_by_its_id(lab: Lab) -> None:
    chunks, found = sweep(lab, ours, Lab.send)
    text = [n for n, chunk in enumerate(chunks) if "the night" in chunk]
    assert len(text) == 1, chunks
    assert len(found) > len(chunks) > 10
    assert {state for _, _, state in found} == {State.SENT}, found
    times = [times for _, times, _ in found]
    assert set(times) == {1, 2}, found
    # Twice only where the server had all of it and the database did not know yet.
    twice = [where for where, times, _ in found if times == 2]
    assert twice[0] == f"after {chunks[text[0]]}", found
    assert times.index(2) > 1
    first, last = times.index(2), len(times) - times[::-1].index(2)
    assert set(times[first:last]) == {2}, found
    # The copies are the same, so whoever reads them knows the second by its Message-ID.
    copies = Counter(taken.raw for taken in lab.server.taken())
    assert set(copies.values()) == {1, 2}
    assert len(copies) == lab.queued


def test_a_sender_that_notes_it_before_loses_mails(lab: Lab) -> None:
    """The same test sees what it is there to see."""

    def again(lab: Lab) -> None:
        lab.run(hasty, Killer())

    _, found = sweep(lab, hasty, again)
    assert {times for _, times, _ in found} == {0, 1}


@pytest.mark.parametrize("left", ["handing over", "unconfirmed"])
def test_what_an_older_version_left_behind_is_not_lost(lab: Lab, left: str) -> None:
    id_ = lab.queue()
    with database.connect(lab.dsn) as conn:
        conn.execute("UPDATE message SET state = %s, said = 'killed'", (left,))
        assert messages.waiting(conn) is (left == "handing over")
    lab.send()
    if left == "unconfirmed":  # of that a person was told, who decides
        words = ["from vlag.cli.notify import notify; notify()"]
        told = subprocess.run(
            [sys.executable, "-c", *words, "list"], env=lab.environment, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        assert "said: killed" in told.stdout
        for status in (0, 2):
            done = subprocess.run(
                [sys.executable, "-c", *words, "resend", str(id_)], env=lab.environment,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == status, done.stderr
        assert "it is queued" in done.stderr
        lab.send()
    assert lab.message(id_).state == State.SENT
    assert lab.arrived(lab.queued) == 1
