# SPDX-License-Identifier: GPL-2.0-only
"""One answer of Buildbot's that is lost does not end the service; a dead master does."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from vlag import buildbot
from vlag.errors import InfrastructureError


class Flaky(BaseHTTPRequestHandler):
    """Answers with what `bad` first holds, then well."""

    bad: list[bytes]
    answered: int

    def do_GET(self) -> None:
        Flaky.answered += 1
        body = self.bad.pop(0) if self.bad else json.dumps({"builds": [{"buildid": 1}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    monkeypatch.setattr(buildbot, "_PAUSES_S", (0, 0))
    Flaky.bad, Flaky.answered = [], 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Flaky) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def test_an_answer_that_is_garbled_is_asked_for_again(server: ThreadingHTTPServer) -> None:
    Flaky.bad = [b"\x1f\x8b garbled", b"not JSON"]
    web = buildbot.Web(server.server_port)
    assert web.get("/builds") == [{"buildid": 1}]
    assert Flaky.answered == 3


def test_one_that_stays_garbled_is_told(server: ThreadingHTTPServer) -> None:
    """Negative control: patience has an end."""
    Flaky.bad = [b"garbled"] * 3
    with pytest.raises(InfrastructureError, match="GET /builds"):
        buildbot.Web(server.server_port).get("/builds")
