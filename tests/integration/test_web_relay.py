# SPDX-License-Identifier: GPL-2.0-only
"""What the process in front makes of a server behind it that says odd things, or nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.integration.installation import free_ports
from tests.waiting import until
from vlag import ROOT
from vlag.operate.service.master import SOCKET

#: Half a second for an answer to begin.
PROGRAM = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from master import front, relay, web_pages
from vlag import config
relay.ANSWER_S = 0.5
here = config.load(Path({settings!r}))
front.serve(here, here.url, web_pages.gate(here, here.url), web_pages.endpoint({port}, "127.0.0.1"))
"""


class Behind:
    """The server: it notes what it is asked, and answers as a test says."""

    def __init__(self, folder: Path, url: str):
        self.url = url
        self.answer: bytes | None = None  # None: it never does
        self.asked = b""
        self.over = threading.Event()
        # A path of 107 characters at most.
        before = Path.cwd()
        os.chdir(folder)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(SOCKET)
        os.chdir(before)
        self.server.listen()
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        while not self.over.is_set():
            line, _ = self.server.accept()
            with line:
                line.settimeout(60)
                self.asked = line.recv(65536)
                if self.answer is None:
                    while line.recv(65536):
                        pass
                elif self.answer:
                    line.sendall(self.answer)

    def get(self, **headers: str) -> requests.Response:
        return requests.get(f"{self.url}api/v2/x", headers=headers, timeout=60)

    def end(self) -> None:
        self.over.set()
        self.answer = b""
        with requests.Session() as session:
            session.get(f"{self.url}api/v2/x", timeout=60)
        self.thread.join()
        self.server.close()


@pytest.fixture
def behind(dsn: str, tmp_path: Path) -> Iterator[Behind]:
    [port] = free_ports(1)
    settings = tmp_path / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text().replace('state = "var"', 'state = "."')
    settings.write_text(text.replace("\nweb = 8010", f"\nweb = {port}"))
    program = PROGRAM.format(root=str(ROOT), settings=str(settings), port=port)
    environment = {**os.environ, "VLAG_DATABASE": dsn, "VLAG_READER_DATABASE": dsn}
    log = tmp_path / "log"
    with (
        log.open("w") as out,
        subprocess.Popen(
            [sys.executable, "-c", program], env=environment, cwd=tmp_path, stdout=out, stderr=out
        ) as process,
    ):
        url = f"http://127.0.0.1:{port}/"

        def up() -> bool:
            assert process.poll() is None, log.read_text()
            try:
                return requests.get(f"{url}healthz", timeout=60).ok
            except requests.ConnectionError:
                return False

        until(up, log.read_text)
        made = Behind(tmp_path, url)
        try:
            yield made
        finally:
            made.end()
            process.kill()


def test_an_answer_is_passed_on_whole_or_not_at_all(behind: Behind) -> None:
    head = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nX-Own: a\r\nX-Own: b\r\n"
    behind.answer = head + b"Content-Length: 5\r\n\r\nhello"
    whole = behind.get()
    assert (whole.status_code, whole.text, whole.headers["X-Own"]) == (200, "hello", "a, b")
    behind.answer = head + b"\r\nas long as it likes"
    assert behind.get().text == "as long as it likes"
    behind.answer = head + b"Content-Length: 500\r\n\r\nhello"
    with pytest.raises(requests.RequestException):
        behind.get()


@pytest.mark.parametrize("answer", [b"", None], ids=["hangs up", "says nothing"])
def test_a_server_without_an_answer_is_away(behind: Behind, answer: bytes | None) -> None:
    behind.answer = answer
    said = behind.get()
    assert said.status_code == 503
    assert said.text.startswith("Buildbot's master does not answer now")


def test_nobody_says_that_the_visitor_is_somebody_else(behind: Behind) -> None:
    """By that address attempts to sign in are counted."""
    behind.answer = b"HTTP/1.0 200 OK\r\n\r\n"
    behind.get(**{"X-Vlag-Client": "192.0.2.1", "Connection": "X-Vlag-Client", "X-Other": "kept"})
    assert b"192.0.2.1" not in behind.asked
    assert behind.asked.lower().count(b"x-vlag-client: 127.0.0.1\r\n") == 1
    assert b"X-Other: kept" in behind.asked
