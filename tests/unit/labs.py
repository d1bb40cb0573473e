# SPDX-License-Identifier: GPL-2.0-only
"""A LAVA server that says what a test wants, and keeps what it was asked."""

import base64
import datetime
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from attrs import evolve, field, frozen

from tests import http_stand_in
from tests.settings_files import MASTER
from vlag import config
from vlag.bundle_records import CompleteBuild
from vlag.config.catalogue import Catalogue, load
from vlag.lava import lab, rest, server
from vlag.lava.initramfs import Userland
from vlag.lava.lab_settings import Lab
from vlag.model import Board
from vlag.pipeline import collect as collecting
from vlag.pipeline import lab_boot
from vlag.pipeline import submit as submitting
from vlag.pipeline.boot import Boot, boot_entry

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


def begun(ahead_h: float) -> Row:
    """Return the times of a job that begins now, by a lab's clock that is so many hours ahead."""
    now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=ahead_h)
    return {"submit_time": now.isoformat(), "start_time": now.isoformat()}


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """Serve a fake, to clients that wait for little."""
    monkeypatch.setattr(server, "_AFTER_LOST_S", (0, 0))
    monkeypatch.setattr(lab, "_FIRST_S", 0.01)
    monkeypatch.setattr(lab, "_LONGEST_S", 0.02)
    monkeypatch.setattr(rest, "_TIMEOUT_S", (5, 0.5))
    monkeypatch.setattr(rest, "_RETRY", rest._RETRY.new(backoff_factor=0))
    said = Fake()

    def answer(request: http_stand_in.Request) -> http_stand_in.Answer | None:
        url = urlsplit(request.path)
        known = said.answer(
            Request(
                verb=request.verb,
                path=url.path.removeprefix("/api/v0.2/"),
                query={k: v[0] for k, v in parse_qs(url.query).items()},
                body=json.loads(request.body) if request.body else None,
                token=request.headers["Authorization"],
            )
        )
        if known.status == 0:
            return None
        body = known.body if isinstance(known.body, str) else json.dumps(known.body)
        headers = {"Content-Type": known.type, **known.headers}
        return http_stand_in.Answer(status=known.status, headers=headers, body=body.encode())

    with http_stand_in.served(answer) as web:
        said.url = web.url
        yield said


LOADED = load()

RAW = (Path(__file__).parents[1] / "data/raw/stress-ng-switch-0.15.06.txt").read_bytes()

QEMU = "1:10.0.2+ds-2"

LAB = """
[labs.home]
url = "{url}"
token_file = "token"
artifacts = "http://store:8020"
callback = "http://master:8021"
"""


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A LAVA that keeps the jobs it is given."""
    with served(monkeypatch) as fake:
        jobs: list[dict[str, Any]] = []

        def post(_query: dict[str, str], body: Any) -> Answer:
            name = yaml.safe_load(body["definition"])["job_name"]
            jobs.append(
                row(
                    len(jobs) + 1, "Running", description=name, definition=body["definition"],
                    requested_device_type="qemu-sim-2", actual_device="b1",
                )
            )  # fmt: skip
            return Answer(status=201, body={"message": "ok", "job_ids": [str(len(jobs))]})

        def get(query: dict[str, str], _body: Any) -> Answer:
            begins = query.get("description__startswith", "")
            return listed(*(j for j in jobs if j["description"].startswith(begins)))

        fake.says |= {
            "POST jobs/": post, "GET jobs/": get,
            "GET tags/": listed(), "GET devices/": listed(board("b1", kind="qemu-sim-2", tags=())),
        }  # fmt: skip
        yield fake


@pytest.fixture
def here(tmp_path: Path, said: Fake) -> config.Settings:
    (tmp_path / "vlag.toml").write_text(MASTER + LAB.format(url=said.url))
    (tmp_path / "token").write_text("a-token\n")
    (tmp_path / "var" / "secrets").mkdir(parents=True)
    (tmp_path / "var" / "secrets" / "callback").write_text("a secret\n")
    return config.load(tmp_path / "vlag.toml")


def farm(*boards: Board) -> Catalogue:
    return evolve(LOADED, boards=boards)


KNOWN = farm(Board(name="b1", board_type="qemu-sim-2", lab="home"))


@pytest.fixture
def boot(tmp_path: Path) -> Boot:
    (tmp_path / "image").write_bytes(b"a kernel")
    (tmp_path / "userland").write_bytes(b"an archive of")
    benchmark = LOADED.benchmark("stress-ng-switch")
    return Boot(
        build=tmp_path,
        document=cast("CompleteBuild", {
            "release": "6.12.1", "image": {"path": "image", "sha256": "1" * 64},
            "config": {"path": "config", "sha256": "2" * 64}, "kernel": {"digest": "3" * 64},
        }),
        board_type=LOADED.board_type("qemu-sim-2"),
        benchmark=benchmark,
        entry=boot_entry(benchmark, {}, 1, {}),
        userland=Userland(path=tmp_path / "userland", sha256="4" * 64, packages={}),
        emulator={
            "program": "qemu-system-x86_64", "version": f"Debian {QEMU}", "sha256": "5" * 64,
            "lockstep": "1",
        },
        seed=1, knobs={}, plan="commit", timeout_s=120, key="6" * 64,
    )  # fmt: skip


def submit(
    here: config.Settings, boot: Boot, occasion: str = "push 1", **more: Any
) -> lab_boot.Submitted:
    target = submitting.choose(here, KNOWN, "qemu-sim-2", None, occasion)
    values: dict[str, Any] = {"priority": 40, "reuse": False}
    return submitting.submit(
        settings=here, boot=boot, target=target, occasion=occasion, **(values | more)
    )


def collect(here: config.Settings, submitted: lab_boot.Submitted) -> Any:
    return collecting.collect(settings=here, catalogue=KNOWN, folder=submitted.folder)


def sent(name: str, data: bytes) -> list[str]:
    packed = base64.b64encode(gzip.compress(gzip.compress(data))).decode()
    digest = hashlib.sha256(data).hexdigest()
    return [
        f"@vlag:file {name} {len(data)} {digest} 2",
        f"@vlag:data {packed}",
        f"@vlag:eof {name}",
    ]


CONSOLE = [
    "lockstep 1", "Linux version 6.12.1", "@vlag:start", "@vlag:run", "@vlag:status 0",
    *sent("stress-ng.txt", RAW), "@vlag:case benchmark pass 0 status", "@vlag:done",
]  # fmt: skip


def ends(
    said: Fake, number: int, console: list[str] | None = None, health: str = "Complete",
    qemu: str = QEMU,
) -> None:  # fmt: skip
    """Let a job end."""
    given = [r.body["definition"] for r in said.asked if (r.verb, r.path) == ("POST", "jobs/")]
    definition = given[min(number, len(given)) - 1]
    fetched = re.findall(r"\S+[?]job=\w+", definition)
    records = [
        *({"lvl": "info", "msg": f"downloading {url}"} for url in fetched),
        {"lvl": "info", "msg": "lava-dispatcher, installed at version: 2023.01"},
        {"lvl": "info", "msg": f"qemu-system-x86, installed at version: {qemu}, host"},
        *({"lvl": "target", "msg": line} for line in (CONSOLE if console is None else console)),
    ]
    times = {"start_time": "2026-11-21T17:46:00Z", "end_time": "2026-11-21T17:47:00Z"}
    said.says[f"GET jobs/{number}/"] = Answer(
        body=row(number, "Finished", health, actual_device="b1", definition=definition, **times)
    )
    text = "".join(f"- {json.dumps(record)}\n" for record in records)
    said.says[f"GET jobs/{number}/logs/"] = Answer(body=text, type="application/yaml")
