# SPDX-License-Identifier: GPL-2.0-only
"""An installation for tests of the service: all of it real but the stages.

A copy of the checkout with small plans, a settings file and a state folder of its
own, and a stand-in for `vlag` first on PATH.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests import settings_files
from tests.processes import running
from tests.waiting import DEADLINE_S, until
from vlag import ROOT, config
from vlag.buildbot import Web
from vlag.operate.service import postgres
from vlag.operate.service.processes import environment_of

STAND_IN = r'''#!{python} -IS
"""Answers like the stages, measures nothing, and writes down who ran when."""
import json, os, signal, subprocess, sys, time
from pathlib import Path
here = Path(__file__).parent
words = sys.argv[1:]
verb = words.pop(0)
if verb == "artifacts":  # no stage
    os.execv(sys.executable, [sys.executable, "-m", "vlag.cli.main", *sys.argv[1:]])
flags, places = {}, []
while words:
    word = words.pop(0)
    if word in ("--reuse", "--exit-code", "--full", "--origins", "--store"):
        continue
    if word.startswith("--"):
        key, equals, value = word.partition("=")
        flags.setdefault(key, []).append(value if equals else words.pop(0))
    else:
        places.append(word)
one = {key: values[-1] for key, values in flags.items()}
behaviour = json.loads((here / "behaviour.json").read_text())
def note(what):
    at, host = time.monotonic(), os.environ.get("VLAG_WORKER_HOST")
    same = {"at": at, "host": host, "what": what, "verb": verb, "places": places}
    line = json.dumps({**same, **one})
    with (here / "log").open("a") as f:
        f.write(line + "\n")
def end(code, **answer):
    note("end")
    print("progress goes here", file=sys.stderr)
    print(json.dumps(answer))
    sys.exit(code)
note("begin")
if verb in behaviour.get("asks_database", []):
    argv = [sys.executable, "-m", "vlag.cli.main", "alerts", "list", "--format", "json"]
    asked = subprocess.run(argv, capture_output=True, text=True)
    if asked.returncode:
        sys.stderr.write(asked.stderr)
        sys.stdout.write(asked.stdout)
        sys.exit(asked.returncode)
if behaviour.get("endless") == verb:
    pid = os.fork()
    if pid == 0:
        os.setsid()
    signal.pause()
if verb == "run":
    time.sleep(behaviour.get("run_s", 0))  # a run takes time; nothing waits for this
if verb == "forecast":
    size = {"kernels_to_build": 2, "kernels_reused": 0, "runs_reused": 0}
    size["runs_to_do"] = behaviour.get("runs", 12)
    more = {"build_s": 60, "measured": False, "run_s": 600, "slots": 2}
    runs_of = behaviour.get("runs_of", {})
    text = "expected until 03:12 UTC (2 kernels to build, 12 runs, 2 side by side: 7 min)"
    end(0, **size, **more, runs_of=runs_of, seconds=420, text=text)
if verb == "build":
    ref = one["--ref"] + ("+" + one["--application"] if "--application" in one else "")
    time.sleep(behaviour.get("build_s", 0))
    if ref in behaviour.get("power_fails", []):
        print("vlag: the mirror went away", file=sys.stderr)
        note("end")
        sys.exit(75)
    bundle = here / "b" / ref.replace("/", "_")
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / "build.log").write_text(f"log of {ref}\n")
    (bundle / "ref").write_text(ref)
    same = {"bundle": str(bundle), "kernel": ref, "reused": False}
    if ref in behaviour.get("build_fails", []):
        end(20, outcome="build_failed", reason="fair.c:1: error", **same)
    end(0, outcome="complete", release=ref, **same)
if verb == "run":
    ref = (Path(places[0]) / "ref").read_text()
    what = {ref, one["--benchmark"], one["--board"]}
    while what & set(json.loads((here / "behaviour.json").read_text()).get("blocked", [])):
        time.sleep(0.05)
    bundle = here / "r" / f"{ref.replace('/', '_')}-{one['--benchmark']}-{one['--seed']}"
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / "run.json").write_text("{}\n")
    (bundle / "console.log").write_text("Linux version\n")
    same = {"bundle": str(bundle), "console": str(bundle / "console.log"), "reused": False}
    if ref in behaviour.get("panics", []):
        end(20, outcome="panic", output=None, reason="Kernel panic - not syncing: stand-in", **same)
    (bundle / "raw").write_text(f"numbers of {ref}\n")
    end(0, outcome="complete", output=str(bundle / "raw"), reason=None, **same)
if verb == "compare":
    new, stage = places[1], one["--stage"]
    # The same comparison again has the same number, as in the database.
    made = [json.loads(li) for li in (here / "log").open()]
    made = [{k: v for k, v in e.items() if k not in ("at", "host")} for e in made
            if e["verb"] == "compare" and e["what"] == "begin"]
    made = [e for i, e in enumerate(made) if e not in made[:i]]
    this = {"what": "begin", "verb": verb, "places": places, **one}
    number = 1 + made.index(this)
    found = behaviour.get("confirmed" if stage == "confirm" else "suspected", {}).get(new, {})
    print(f"TABLE of {places[0]} and {new}")
    # Rerun boots may leave it open for some rounds.
    left = stage == "confirm" and int(one["--round"]) <= behaviour.get("open", {}).get(new, 0)
    found = {} if left else found
    proofs, hints = found.get("regressions", 0), found.get("hints", 0)
    names = ["stress-ng-switch"] if found else []
    doubt = ["stress-ng-switch"] if left else []
    end(
        10 if found else 0,
        comparison=number, new=True, summary={"REGRESSION": proofs + hints, "UNCHANGED": 9},
        regressions=proofs, hints=hints, regressed=names, proof=names if proofs else [],
        suspects=names if stage == "screen" else [], open=doubt, unsettled=doubt,
    )
if verb == "profile-boots":
    same = {"kernel_name": "k", "kernel": "k", "knobs": {}, "parameters": {}, "observes": "profile"}
    same |= {"board_type": "qemu-sim-2", "benchmark": "stress-ng-switch", "timeout_s": 60}
    wanted = behaviour.get("profiled", [])
    boots = [same | {"build_bundle": str(here / "b" / ref), "seed": seed, "label": f"{ref} {seed}"}
             for ref in wanted for seed in (1, 2)]
    end(0, boots=boots, comparisons=[int(p) for p in places] if boots else [], skipped=[])
if verb == "path-boots":
    same = {"kernel_name": "k", "kernel": "k", "knobs": {}, "parameters": {}, "observes": "profile"}
    same |= {"board_type": "qemu-sim-2", "benchmark": "stress-ng-switch", "timeout_s": 60}
    boots = [same | {"build_bundle": str(here / "b" / ref), "seed": 9, "label": f"{ref} 9"}
             for ref in behaviour.get("counted", [])]
    end(0, boots=boots, comparisons=[int(p) for p in places] if boots else [], skipped=[])
if verb == "path-runs":
    end(0, counted=[f"{len(places)} runs"], skipped=[])
if verb == "toggle-boots":
    # Two boots of a toggle; once they are made, one more.
    same = {"kernel_name": "k", "kernel": "k", "knobs": {"sched_features": "NO_X"}}
    same |= {"board_type": "qemu-sim-2", "benchmark": "stress-ng-switch", "timeout_s": 60}
    same |= {"parameters": {}, "observes": None}
    asked = sum('"begin", "verb": "toggle-boots"' in li for li in (here / "log").open())
    seeds = {1: (1, 2), 2: (3,)}.get(asked, ())
    boots = [same | {"build_bundle": str(here / "b" / ref), "seed": seed, "label": f"{ref} {seed}"}
             for ref in behaviour.get("toggled", []) for seed in seeds]
    end(0, boots=boots, comparisons=[int(p) for p in places] if boots else [], skipped=[])
if verb == "bisect-steps":
    # A kernel, then its boots, then the answer.
    asked = sum('"begin", "verb": "bisect-steps"' in li for li in (here / "log").open())
    same = {"kernel_name": "k", "label": "k"}
    step = {1: "builds", 2: "boots"}.get(asked)
    found, builds, boots = {}, [], []
    for ref in behaviour.get("searched", []):
        builds = [same | {"tree": "debian", "ref": ref, "board_types": ["qemu-sim-2"]}]
        boots = [same | {"kernel": ref, "build_bundle": str(here / "b" / ref), "parameters": {},
                         "knobs": {}, "board_type": "qemu-sim-2", "benchmark": "stress-ng-switch",
                         "seed": seed, "observes": None, "timeout_s": 60} for seed in (1001, 1002)]
        found = {places[0]: {"commits": [ref], "subject": "s"}}
    end(0, builds=builds if step == "builds" else [], boots=boots if step == "boots" else [],
        found=found if step is None else {}, skipped=[])
if verb == "lanes":
    name, breaks = one["--lane"], [one["--ref"], one["--lane"]] in behaviour.get("lane_breaks", [])
    lane = {"lane": name, "outcome": "breaks" if breaks else "builds", "is_new": breaks}
    lane |= {"reason": "core.c:1: error" if breaks else None, "unjudged": None, "findings": []}
    end(20 if breaks else 0, lanes=[lane], lacking={})
if verb == "profile-runs":
    end(0, comparison=int(places[0]), sentences={"stress-ng-switch": "+2 %"}, skipped=[])
if verb == "watch":
    end(0, histories=4, found=[], standing=0, withdrawn=0, schedule=behaviour.get("schedule", []))
if verb == "report":
    path = Path(one["--output"])
    path.parent.mkdir(parents=True, exist_ok=True)
    notes = "".join(f"{text}\n" for text in flags.get("--note", []))
    text = "REPORT of " + ", ".join(flags["--comparison"]) + "\n"
    failed = behaviour.get("self_proof" if path.stem.endswith("-proof") else "proof")
    notes = f"PROOF FAILED: {failed}\n\n{notes}" if failed else notes
    proof = {"failed": bool(failed), "text": str(failed), "good": 0, "total": 1}
    Path(one["--proof-file"]).write_text(json.dumps(proof))
    # The short report, and the whole below it.
    whole = "\n\nWHOLE with" + " origins" * ("--origins" in sys.argv) + "\n"
    path.with_suffix(".new").write_text(notes + text + whole)
    path.with_suffix(".new").rename(path)
    end(30 if failed else 0)
end(0)
'''

BOARDS = """
all:
  children:
    boards:
      hosts:
        sim2-1: {board_type: qemu-sim-2}
        sim2-2: {board_type: qemu-sim-2}
        sim4-1: {board_type: qemu-sim-4}
"""

#: Six runs of a kernel, on two board types.
NIGHTLY = """
plan: nightly
entries:
  - {benchmark: stress-ng-switch, board_types: [qemu-sim-2, qemu-sim-4], seeds: 2, timeout_s: 60}
  - {benchmark: cyclictest-hackbench, board_types: [qemu-sim-2], seeds: 2, timeout_s: 60}
"""

#: Three runs of a kernel, on two board types.
PARTS = """
plan: parts
entries:
  - {benchmark: stress-ng-switch, board_types: [qemu-sim-2, qemu-sim-4], seeds: 1, timeout_s: 60}
  - {benchmark: cyclictest-hackbench, board_types: [qemu-sim-2], seeds: 1, timeout_s: 60}
"""

#: Two runs of a kernel, one on each board type.
SHORT = """
plan: short
entries:
  - {benchmark: stress-ng-switch, board_types: [qemu-sim-2, qemu-sim-4], seeds: 1, timeout_s: 60}
"""

#: Two runs of a kernel.
FIRST_PLAN = """
plan: first
entries:
  - {benchmark: stress-ng-switch, board_types: [qemu-sim-2], seeds: 2, timeout_s: 60}
"""

#: One run of a kernel, one more to confirm, and another where that leaves it open.
COMMIT = """
plan: commit
entries:
  - benchmark: stress-ng-switch
    board_types: [qemu-sim-2]
    seeds: 1
    confirm: [1, 2]
    timeout_s: 60
"""

#: Two kernels of the self-proof, beside their baseline.
PROOF = """
[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.12.*"
series = "known-regressions"
applications = ["solo(1)", "solo(4)"]
board_types = ["qemu-sim-2"]
plan = "commit"
"""

#: Kernels that need no build, before the night's.
FIRST = """
[trees.prebuilt.images]
"6.1" = "linux-image-6.1.*-cloud-amd64"
"6.12" = "linux-image-6.12.*-cloud-amd64"

[first]
tree = "prebuilt"
baseline = "6.1"
branch = "6.12"
board_types = ["qemu-sim-2"]
plan = "first"
"""

PACKAGES = """[trees.debian.packages]
"linux-6.12" = "linux-source-6.12"
"""


#: Beside a checkout: the state of an installation after its first start.
STARTED = "started"


def copy_checkout(folder: Path) -> Path:
    """Copy what the service reads, compiled, with small plans and three boards."""
    folder.mkdir(exist_ok=True)
    for name in ("vlag", "master", "schemas", "workers", "lava-jobs", "ansible", "kernel-patches"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    plans = folder / "lava-jobs" / "plans"
    for path in plans.iterdir():
        path.unlink()
    (plans / "nightly.yaml").write_text(NIGHTLY)
    (plans / "parts.yaml").write_text(PARTS)
    (plans / "short.yaml").write_text(SHORT)
    (plans / "commit.yaml").write_text(COMMIT)
    (plans / "first.yaml").write_text(FIRST_PLAN)
    (folder / "ansible" / "inventory" / "boards.yml").write_text(BOARDS)
    # Else each of a hundred processes compiles it for itself where Python may not write.
    for name in ("vlag", "master"):
        assert compileall.compile_dir(folder / name, quiet=1)
    return folder


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [int(s.getsockname()[1]) for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Installation:
    """A service that a test may start, stop and ask.

    Its state is that after a first start, if there is one beside the checkout; `new`: nothing.
    """

    def __init__(self, folder: Path, checkout: Path, *, new: bool = False):
        folder.chmod(0o700)
        self.folder = folder
        self.checkout = checkout
        self.python = sys.executable  # in which the service runs
        self.fake = folder / "bin"
        self.fake.mkdir()
        program = self.fake / "vlag"
        program.write_text(STAND_IN.replace("{python}", sys.executable))
        program.chmod(0o755)
        self.behave()
        self.ports = dict(zip(("postgresql", "web", "worker"), free_ports(3), strict=True))
        self.settings = folder / "vlag.toml"
        self.state = folder / "var"
        started = checkout.with_name(STARTED)
        if not new and started.exists():
            # The database belongs to a user of its own.
            subprocess.run(["cp", "--archive", str(started), str(self.state)], check=True)
        self.configure(PACKAGES)
        self.running: list[subprocess.Popen[str]] = []

    def configure(
        self, tree: str, commits: str = "nightly", nights: str = "nightly", poll_s: int = 60
    ) -> None:
        """Write the settings with the plans of pushes and nights.

        Each `poll_s` a tree is asked for commits, as it is at each start; where a test makes none,
        that takes a seventh of the master's time for nothing.
        """
        # No night begins by the clock while a test runs.
        hour = (time.gmtime().tm_hour + 12) % 24
        self.settings.write_text(
            settings_files.settings(
                state="var",
                ports=(*self.ports.values(),),
                trees=tree,
                baseline="debian/6.1.*",
                board_types=("qemu-sim-2", "qemu-sim-4"),
                plan=nights,
                keys=f'commit_plan = "{commits}"',
                hour=hour,
                jobs=0,
                poll_s=poll_s,
            )
        )

    def behave(self, **how: Any) -> None:
        new = self.fake / "behaviour.new"
        new.write_text(json.dumps(how))
        new.rename(self.fake / "behaviour.json")

    def start(
        self, *, once: bool = True, until: str = "proof", terminal: int | None = None
    ) -> subprocess.Popen[str]:
        """Start the service; its lines go to a file, or to the file descriptor of a terminal."""
        code = (
            "import sys; from vlag import config; from vlag.operate import service;"
            "from vlag.operate.service.follow import Until;"
            f"until = Until({until!r}) if {once} else None;"
            "sys.exit(service.serve(config.load(), until=until, out=sys.stdout))"
        )
        return self.spawn("-c", code, terminal=terminal)

    def spawn(self, *arguments: str, terminal: int | None = None) -> subprocess.Popen[str]:
        """Start Python in the installation's environment, with the checkout's code."""
        process = subprocess.Popen(
            [self.python, *arguments],
            env=self.environment(),
            cwd=self.folder,
            stdout=terminal or (self.folder / f"out-{len(self.running)}").open("w"),
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # without a terminal, as a unit
        )
        self.running.append(process)
        return process

    def environment(self) -> dict[str, str]:
        own = str(Path(sys.executable).parent)
        return {
            **os.environ,
            "TERM": "xterm",
            "PATH": os.pathsep.join([str(self.fake), own, os.environ["PATH"]]),
            "PYTHONPATH": str(self.checkout),
            "VLAG_SETTINGS": str(self.settings),
        }

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

    def web(self) -> Web:
        return Web(self.ports["web"], secret=self.state / "secrets" / "control")

    def is_up(self) -> bool:
        """Tell whether the last start has come to its end."""
        return "the service is up" in self.said()

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection]:
        """Give Buildbot's database while the service does not run."""
        here = config.load(self.settings)
        server = postgres.start(postgres.prepare(here), self.folder / "postgresql.log")
        try:
            with psycopg.connect(here.dsn("buildbot")) as conn:
                yield conn
        finally:
            postgres.stop(server)

    def master(self) -> int:
        """Process id of Buildbot's master."""
        [master] = running("buildbot.tac", str(self.state))
        return master

    def left(self) -> list[str]:
        """Command lines of processes that name this installation's folder or carry its mark."""
        found = []
        mark = f"VLAG_SERVICE_STATE={self.state}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environ = environment_of(int(folder.name))
                argv = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            marked = any(e == mark or e.startswith(mark + b"#") for e in environ)
            if marked or os.fsencode(self.state) in argv:
                found.append(argv.replace(b"\0", b" ").decode(errors="replace"))
        return found

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(DEADLINE_S)
        until(lambda: not self.left(), lambda: f"left: {self.left()}")
