"""The service as a whole: real PostgreSQL, real Buildbot, a stand-in for the stages."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vlag import ROOT

#: Far beyond what a night of stand-ins takes on a busy machine.
DEADLINE_S = 240

STAND_IN = r'''#!{python}
"""Answers like the stages, measures nothing, and writes down who ran when."""
import json, os, signal, sys, time
from pathlib import Path
here = Path(__file__).parent
words = sys.argv[1:]
verb = words.pop(0)
flags, places = {}, []
while words:
    word = words.pop(0)
    if word in ("--reuse", "--exit-code"):
        continue
    if word.startswith("--"):
        key, equals, value = word.partition("=")
        flags.setdefault(key, []).append(value if equals else words.pop(0))
    else:
        places.append(word)
one = {key: values[-1] for key, values in flags.items()}
behaviour = json.loads((here / "behaviour.json").read_text())
def note(what):
    line = json.dumps({"at": time.monotonic(), "what": what, "verb": verb, "places": places, **one})
    with (here / "log").open("a") as f:
        f.write(line + "\n")
def end(code, **answer):
    note("end")
    print("progress goes here", file=sys.stderr)
    print(json.dumps(answer))
    sys.exit(code)
note("begin")
if behaviour.get("endless") == verb:
    pid = os.fork()
    if pid == 0:
        os.setsid()
    signal.pause()
if verb == "run":
    time.sleep(behaviour.get("run_s", 0))  # a run takes time; nothing waits for this
if verb == "build":
    ref = one["--ref"]
    if ref in behaviour.get("power_fails", []):
        print("vlag: the mirror went away", file=sys.stderr)
        note("end")
        sys.exit(75)
    if ref in behaviour.get("build_fails", []):
        end(20, outcome="build_failed", bundle=f"/b/{ref}", kernel=ref, reason="fair.c:1: error")
    end(0, outcome="complete", bundle=f"/b/{ref}", kernel=ref, release=ref)
if verb == "run":
    ref = places[0].removeprefix("/b/")
    if ref in behaviour.get("panics", []):
        end(20, outcome="panic", bundle="/r/x", reason="Kernel panic - not syncing: stand-in")
    end(0, outcome="complete", bundle="/r/x", reason=None, reused=False)
if verb == "compare":
    end(10, comparison="7")
if verb == "report":
    path = Path(one["--output"])
    path.with_suffix(".new").write_text("REPORT of " + ", ".join(flags["--comparison"]) + "\n")
    path.with_suffix(".new").rename(path)
    end(0)
end(0)
'''


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [int(s.getsockname()[1]) for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Installation:
    """A settings file of its own, a state folder of its own, the stand-in first on PATH."""

    def __init__(self, folder: Path):
        folder.chmod(0o700)
        self.folder = folder
        self.fake = folder / "bin"
        self.fake.mkdir()
        program = self.fake / "vlag"
        program.write_text(STAND_IN.replace("{python}", sys.executable))
        program.chmod(0o755)
        self.behave()
        database, web, worker = free_ports(3)
        self.settings = folder / "vlag.toml"
        text = (ROOT / "vlag.toml").read_text()
        for old, new in (("5442", database), ("8010", web), ("9989", worker)):
            text = text.replace(old, str(new))
        self.settings.write_text(text)
        self.ports = {"postgresql": database, "web": web, "worker": worker}
        self.state = folder / "var"
        self.running: list[subprocess.Popen[str]] = []

    def behave(self, **how: Any) -> None:
        (self.fake / "behaviour.json").write_text(json.dumps(how))

    def start(self, *, once: bool = True) -> subprocess.Popen[str]:
        own = str(Path(sys.executable).parent)
        code = (
            "import sys; from vlag.pipeline import service, settings;"
            f"sys.exit(service.serve(settings.load(), once={once}, out=sys.stdout))"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={
                **os.environ,
                "PATH": os.pathsep.join([str(self.fake), own, os.environ["PATH"]]),
                "VLAG_SETTINGS": str(self.settings),
            },
            stdout=(self.folder / f"out-{len(self.running)}").open("w"),
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.running.append(process)
        return process

    def finish(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        status = process.wait(DEADLINE_S)
        return status, self.said(self.running.index(process))

    def said(self, start: int = -1) -> str:
        """What a start (the last one) has said."""
        return (self.folder / f"out-{start % len(self.running)}").read_text()

    def log(self, what: str = "begin", verb: str = "") -> list[dict[str, Any]]:
        path = self.fake / "log"
        entries = (
            [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        )
        return [e for e in entries if e["what"] == what and verb in ("", e["verb"])]

    def left(self) -> list[str]:
        """Command lines of processes that name this installation's folder or carry its mark."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                argv = (folder / "cmdline").read_bytes()
                environ = (folder / "environ").read_bytes()
            except OSError:
                continue
            marked = f"VLAG_SERVICE_STATE={self.state}".encode() in environ.split(b"\0")
            if marked or os.fsencode(self.state) in argv:
                found.append(argv.replace(b"\0", b" ").decode(errors="replace"))
        return found


def until(condition: Callable[[], object], what: Callable[[], str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.1)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    made = Installation(tmp_path)
    yield made
    for process in made.running:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    until(lambda: not made.left(), lambda: f"left: {made.left()}")


def overlap(entries: list[tuple[float, float]]) -> int:
    edges = sorted([(b, 1) for b, _ in entries] + [(e, -1) for _, e in entries])
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def spans(made: Installation, verb: str) -> list[tuple[float, float, str]]:
    """Begin, end and board (or ref) of each call, in the order of their ends."""
    begun: dict[str, float] = {}
    found = []
    for line in (made.fake / "log").read_text().splitlines():
        e = json.loads(line)
        if e["verb"] != verb:
            continue
        key = e.get("--board") or e["--ref"]
        if e["what"] == "begin":
            begun[key] = e["at"]
        else:
            found.append((begun.pop(key), e["at"], key))
    return found


def test_a_night_builds_runs_compares_and_reports(installation: Installation) -> None:
    installation.behave(run_s=1.0)
    status, said = installation.finish(installation.start())

    assert status == 0, said
    assert "REPORT of 7" in said
    assert "20 of 20 runs" in said
    assert [e["--ref"] for e in installation.log(verb="build")] == ["debian/6.1.*", "linux-6.12"]
    runs = installation.log(verb="run")
    assert len({(e["places"][0], e["--benchmark"], e["--seed"]) for e in runs}) == len(runs) == 20
    assert {e["--board"] for e in runs} == {"sim-1", "sim-2"}
    [compared] = installation.log(verb="compare")
    assert compared["places"] == ["debian/6.1.*", "linux-6.12"]
    assert len(installation.log(verb="ingest")) == 22

    ran, built = spans(installation, "run"), spans(installation, "build")
    assert overlap([(b, e) for b, e, _ in ran]) == min(2, os.cpu_count() or 1)
    for board in ("sim-1", "sim-2"):
        assert overlap([(b, e) for b, e, name in ran if name == board]) == 1
    for b, e, _ in built:
        assert not any(rb < e and b < re for rb, re, _ in ran), "a run beside a compile"

    # Once more: the night is there, nothing is started.
    status, said = installation.finish(installation.start())
    assert status == 0
    assert "the last night's report is" in said
    assert "REPORT of 7" in said
    assert "starting" not in said


def test_kernels_that_fail_do_not_stop_the_night(installation: Installation) -> None:
    installation.behave(panics=["linux-6.12"])
    status, said = installation.finish(installation.start())

    assert status == 0, said
    assert "first run: panic; the other 9 runs are not started" in said
    assert "panic: Kernel panic - not syncing: stand-in" in said
    assert "11 of 11 runs" in said
    assert "REPORT of 7" in said


def test_an_infrastructure_fault_is_tried_again_once(installation: Installation) -> None:
    installation.behave(power_fails=["linux-6.12"])
    status, said = installation.finish(installation.start())

    assert status == 75, said
    assert [e["--ref"] for e in installation.log(verb="build")].count("linux-6.12") == 2
    assert "the mirror went away (twice: given up)" in said
    assert "the night ended without a report" in said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stop_leaves_nothing_and_the_next_start_goes_on(
    installation: Installation, how: signal.Signals
) -> None:
    installation.behave(endless="run")
    process = installation.start(once=False)
    until(lambda: installation.log(verb="run"), installation.said)
    process.send_signal(how)
    process.wait(60)
    if how != signal.SIGKILL:
        assert process.returncode == 0, installation.said()
        assert installation.left() == []

    installation.behave()
    status, said = installation.finish(installation.start())
    assert status == 0, said
    assert "REPORT of 7" in said
    assert "20 of 20 runs" in said


def test_a_push_is_built_run_and_compared(installation: Installation) -> None:
    text = installation.settings.read_text()
    assert "poll_interval_s = 30" in text
    installation.settings.write_text(text.replace("poll_interval_s = 30", "poll_interval_s = 1"))
    reports = installation.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
    work, mirror = installation.folder / "work", installation.state / "mirrors" / "debian.git"

    def git(*words: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        done = subprocess.run(
            ["git", "-C", str(work), *identity, *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    subprocess.run(["git", "init", "--quiet", "--bare", str(mirror)], check=True)
    subprocess.run(["git", "init", "--quiet", str(work)], check=True)
    git("commit", "--quiet", "--allow-empty", "-m", "one")
    git("push", "--quiet", str(mirror), "HEAD:linux-6.12", "HEAD:unwatched")
    installation.start(once=False)
    # What is there at the first poll is not news.
    poller = installation.state / "master" / "poller-debian"
    until(lambda: list(poller.glob("refs/buildbot/**/linux-6.12")), installation.said)

    git("commit", "--quiet", "--allow-empty", "-m", "two")
    git("commit", "--quiet", "--allow-empty", "-m", "three")
    git("push", "--quiet", str(mirror), "HEAD:linux-6.12", "HEAD:unwatched")
    until(lambda: installation.log("end", "compare"), installation.said)
    head = git("rev-parse", "HEAD")
    builds = installation.log(verb="build")
    # One push, one build: of its newest commit.
    assert [e["--ref"] for e in builds] == [head, "debian/6.1.*"]
    assert [e.get("--branch") for e in builds] == ["linux-6.12", None]
    assert installation.log(verb="compare")[0]["places"] == ["debian/6.1.*", head]
    assert len(installation.log(verb="run")) == 20


def test_a_second_service_on_the_same_state_is_refused(installation: Installation) -> None:
    installation.behave(endless="build")
    installation.start(once=False)
    until(lambda: installation.log(verb="build"), installation.said)
    status, said = installation.finish(installation.start())
    assert status == 2
    assert said.strip() == (
        f"another service already runs on {installation.state}: stop it, or give this one another "
        "state folder in its settings"
    )


def test_a_part_that_dies_ends_the_service_in_one_sentence(installation: Installation) -> None:
    installation.behave(endless="build")
    process = installation.start(once=False)
    until(lambda: installation.log(verb="build"), installation.said)
    [server] = [
        int(p.parent.name)
        for p in Path("/proc").glob("[0-9]*/cmdline")
        if b"buildbot.tac" in (argv := p.read_bytes()) and os.fsencode(installation.state) in argv
    ]
    os.kill(server, signal.SIGKILL)
    status, said = installation.finish(process)
    assert status == 75
    assert "the master process ended unexpectedly (status -9); the end of" in said


def test_a_port_in_use_is_one_sentence(installation: Installation) -> None:
    for key, port in installation.ports.items():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            status, said = installation.finish(installation.start())
        assert status == 2
        assert said.strip() == (
            f"port {port} on 127.0.0.1 cannot be used (Address already in use): stop what uses it, "
            f"or change {key} under [ports] in {installation.settings}"
        )
