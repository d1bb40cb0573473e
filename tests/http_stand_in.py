# SPDX-License-Identifier: GPL-2.0-only
"""An HTTP server that answers as a test says, and keeps what it was asked."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from attrs import define, field, frozen


@frozen(kw_only=True)
class Answer:
    """What the server says."""

    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""


@frozen(kw_only=True)
class Request:
    """What the server was asked."""

    verb: str
    path: str  # with its query
    headers: Message
    body: bytes


#: Returns the answer to a request; None cuts the line.
Answers = Callable[[Request], Answer | None]


@define
class StandIn:
    """A server that runs."""

    answer: Answers
    url: str = ""
    port: int = 0
    requests: list[Request] = field(factory=list)


@contextmanager
def served(
    answer: Answers, certificate: tuple[Path, Path] | None = None, port: int = 0
) -> Iterator[StandIn]:
    """Serve answers on a free port of this machine; over TLS with a certificate and its key."""
    here = StandIn(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # with 1.0, curl waits a second for leave to go on

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(
                verb=self.command, path=self.path, headers=self.headers,
                body=self.rfile.read(length),
            )  # fmt: skip
            here.requests.append(request)
            self.close_connection = True  # one request a connection: none is cut between two
            said = here.answer(request)
            if said is None:
                return
            self.send_response(said.status)
            for name, value in {**said.headers, "Connection": "close"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(said.body)

        do_GET = do_HEAD = do_POST = do_PUT = _serve  # noqa: N815 - the base class calls them so

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        here.port = server.server_port
        here.url = f"{'http' if certificate is None else 'https'}://127.0.0.1:{here.port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield here
        finally:
            server.shutdown()
            thread.join()
