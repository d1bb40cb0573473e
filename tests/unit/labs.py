"""A LAVA server that says what a test wants, and keeps what it was asked."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from attrs import evolve, field, frozen

from vlag.lava import lab, rest, server
from vlag.lava.lab_settings import Lab

KEY = "boot-0123456789"
TOKEN = "s3cr3tT0k3n"  # noqa: S105 - of no server
JOB = "job_name: hackbench\ndevice_type: guest\nactions: []\n"
PAGE = "<!DOCTYPE html><html><title>Server Error (500)</title></html>"


@frozen(kw_only=True)
class Answer:
    """What the server says."""

    body: Any = None  # bytes and text are sent as they are
    status: int = 200
    type: str = "application/json"
    headers: dict[str, str] = field(factory=dict)


LOST = Answer(status=0)  # the line is cut

Row = dict[str, Any]
Answers = Answer | list[Answer] | Callable[[dict[str, str], Any], Answer]


@frozen(kw_only=True)
class Request:
    verb: str
    path: str
    query: dict[str, str]
    body: Any
    token: str | None


class Fake:
    """A server that says what a test has put into `says`, and keeps what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.says: dict[str, Answers] = {
            "GET tags/": listed({"id": 7, "name": "g1"}),
            "GET devices/": listed(board("g1")),
            "GET jobs/": listed(),
        }
        self.asked: list[Request] = []

    def answer(self, request: Request) -> Answer:
        self.asked.append(request)
        says = self.says.get(f"{request.verb} {request.path}", Answer(status=404, body={}))
        if callable(says):
            says = says(request.query, request.body)
        if isinstance(says, list):
            says = says.pop(0) if len(says) > 1 else says[0]
        return self._defined(says)

    def submitted(self, key: str) -> str:
        """Return the definition of the last job of a key that was submitted, or JOB with the key.

        Before the server is asked for a job, it may be one that an earlier start submitted.
        """
        given = [r.body["definition"] for r in self.asked if (r.verb, r.path) == ("POST", "jobs/")]
        own = [d for d in given if f"vlag.key: {key}\n" in d or f'vlag.key: "{key}"\n' in d]
        return own[-1] if own else f"{JOB}metadata:\n  vlag.key: {key}\n"

    def _defined(self, says: Answer) -> Answer:
        """Return an answer in which a job that has JOB has what was submitted for its key."""

        def defined(row: Row) -> Row:
            key = re.match(r"vlag (\S+): ", str(row.get("description")))
            if key is None or row.get("definition") != JOB:
                return row
            return row | {"definition": self.submitted(key[1])}

        body = says.body
        if isinstance(body, dict) and "description" in body:
            return evolve(says, body=defined(body))
        if isinstance(body, dict) and "results" in body:
            return evolve(says, body=body | {"results": [defined(r) for r in body["results"]]})
        return says

    def lab(self, folder: Path) -> Lab:
        """Return it as vlag knows it."""
        token = folder / "token"
        token.write_text(f"{TOKEN}\n")
        return Lab(name="home", url=self.url, token_file=token, artifacts="http://127.0.0.1:1")

    def count(self, what: str) -> int:
        return sum(f"{r.verb} {r.path}" == what for r in self.asked)


def listed(*rows: Row) -> Answer:
    return Answer(body={"count": len(rows), "next": None, "previous": None, "results": rows})


def board(
    name: str, *, health: str = "Good", kind: str = "guest", tags: Sequence[int] = (7,)
) -> Row:
    return {
        "hostname": name,
        "device_type": kind,
        "state": "Idle",
        "health": health,
        "worker_host": "d1",
        "tags": tags,
    }


def row(number: int = 5, state: str = "Running", health: str = "Unknown", **more: Any) -> Row:
    return {
        "id": number,
        "submitter": "vlag",
        "description": f"vlag {KEY}: hackbench",
        "requested_device_type": "guest",
        "tags": [],
        "actual_device": None if state == "Submitted" else "g1",
        "submit_time": "2026-11-21T17:45:00.723466Z",
        "start_time": None,
        "end_time": None,
        "state": state,
        "health": health,
        "priority": 50,
        "definition": JOB,
        "multinode_definition": "",
        "failure_comment": None,
        **more,
    }


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """Serve a fake, to clients that wait for little."""
    monkeypatch.setattr(server, "_AFTER_LOST_S", (0, 0))
    monkeypatch.setattr(lab, "_FIRST_S", 0.01)
    monkeypatch.setattr(lab, "_LONGEST_S", 0.02)
    monkeypatch.setattr(rest, "_TIMEOUT_S", (5, 0.5))
    monkeypatch.setattr(rest, "_RETRY", rest._RETRY.new(backoff_factor=0))
    said = Fake()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            url = urlsplit(self.path)
            request = Request(
                verb=self.command,
                path=url.path.removeprefix("/api/v0.2/"),
                query={k: v[0] for k, v in parse_qs(url.query).items()},
                body=json.loads(self.rfile.read(length)) if length else None,
                token=self.headers["Authorization"],
            )
            answer = said.answer(request)
            if answer.status == 0:
                self.close_connection = True
                return
            raw = isinstance(answer.body, str)
            body = (answer.body if raw else json.dumps(answer.body)).encode()
            self.send_response(answer.status)
            for name, value in {"Content-Type": answer.type, **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _serve  # noqa: N815 - the base class calls them so

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever, args=(0.01,))
        thread.start()
        said.url = f"http://127.0.0.1:{web.server_port}"
        yield said
        web.shutdown()
        thread.join()
