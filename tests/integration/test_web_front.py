# SPDX-License-Identifier: GPL-2.0-only
"""The process in front: the pages without their master, and the way to its server."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from master import front
from tests.conftest import drop_database, fresh_database
from tests.integration.guarded import SOCKET
from tests.integration.masters import Master, master, signed_in
from tests.integration.websites import MAY, Template
from tests.waiting import until
from vlag.buildbot import PAGES
from vlag.store import database


@pytest.fixture
def own(
    cluster: str, branch_template: Template, tmp_path: Path, buildbot_database: Path
) -> Iterator[Master]:
    """A master that a test may kill."""
    dsn = fresh_database(cluster, branch_template.database)
    with master(dsn, tmp_path, buildbot_database) as found:
        yield found
    drop_database(dsn)


def get(master: Master, path: str, by: requests.Session | None = None) -> requests.Response:
    return (by or requests.Session()).get(f"{master.url}{path}", timeout=60)


def test_the_pages_answer_without_their_master(own: Master) -> None:
    mine = signed_in(own.url, MAY)
    assert get(own, "api/v2/masters").status_code == 200
    # It hangs.
    own.process.send_signal(signal.SIGSTOP)
    for path in (PAGES, f"{PAGES}alerts", f"buildbot/{PAGES}", "healthz"):
        assert get(own, path).status_code == 200, path
    own.process.send_signal(signal.SIGCONT)
    own.process.kill()
    own.process.wait()
    for path in (PAGES, f"{PAGES}alerts", f"buildbot/{PAGES}", "healthz", f"{PAGES}live"):
        assert get(own, path).status_code == 200, path
    # Who has signed in stays so.
    assert f"{MAY}," in get(own, PAGES, mine).text
    assert f"{MAY}," not in get(own, PAGES).text
    # What is the master's says so.
    for path in ("api/v2/masters", "buildbot/", "auth/login"):
        away = get(own, path)
        assert (away.status_code, away.headers["Retry-After"]) == (503, "5"), path
        assert away.text == (
            "Buildbot's master does not answer now: it starts, or the service starts it again."
            f" The pages of vlag do: {own.url}{PAGES}\n"
        )


def test_readers_take_turns_with_few_connections(own: Master) -> None:
    asks = (
        "SELECT array_agg(pid) FROM pg_stat_activity"
        " WHERE usename = 'vlag_reader' AND datname = current_database()"
    )

    def sessions() -> set[int]:
        for _ in range(5):
            assert get(own, f"{PAGES}alerts").status_code == 200
        with database.connect(own.dsn) as conn:
            row = conn.execute(asks.encode()).fetchone()
        assert row is not None
        return set(row[0] or ())

    first = sessions()
    assert 1 <= len(first) <= front.CONNECTIONS
    assert sessions() == first


def frame(text: str) -> bytes:
    """Return a masked frame of a web socket with a short text."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode()


def asked(url: str, path: str, *more: bytes) -> socket.socket:
    netloc = urlsplit(url).netloc
    lines = [f"GET /{path} HTTP/1.1", f"Host: {netloc}", *(f"{k}: {v}" for k, v in SOCKET.items())]
    line = socket.create_connection(("127.0.0.1", int(netloc.partition(":")[2])), timeout=60)
    line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return line


def heard(line: socket.socket, words: bytes) -> bytes:
    got = b""

    def more() -> bool:
        nonlocal got
        got += line.recv(4096)
        return words in got

    until(more, lambda: repr(got))
    return got


def test_a_socket_of_buildbots_pages_speaks_both_ways(open_master: Master) -> None:
    for path in ("ws", "buildbot/ws"):
        with asked(open_master.url, path) as line:
            assert b" 101 " in heard(line, b"\r\n\r\n").splitlines()[0]
            for number in (7, 8):
                line.sendall(frame(f'{{"cmd": "ping", "_id": {number}}}'))
                assert b"pong" in heard(line, f'"_id":{number}'.encode())


def test_what_is_no_socket_does_not_become_a_way_past_the_front(open_master: Master) -> None:
    """A further request on such a connection could name another address of its visitor."""
    with asked(open_master.url, "api/v2/masters") as line:
        said = heard(line, b"}")
        assert said.startswith(b"HTTP/1.1 200 ")
        line.sendall(b"GET /api/v2/builders HTTP/1.1\r\nHost: x\r\n\r\n")
        left = b""
        while more := line.recv(4096):
            left += more
        assert b"HTTP/1.1" not in left


def test_events_come_as_they_happen(open_master: Master) -> None:
    where = f"{open_master.url}sse/listen/builders/*/*"
    with requests.get(where, stream=True, timeout=60) as answer:
        assert answer.status_code == 200
        first = next(answer.iter_lines())
        assert first.startswith(b"event: handshake")
