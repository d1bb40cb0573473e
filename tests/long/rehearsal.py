# SPDX-License-Identifier: GPL-2.0-only
"""A farm of one emulated board, which its boot loader boots from the network, in a real LAVA.

Needs the packages of workers/packages/lava-dispatcher.txt and long.txt.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from attrs import define, field

from tests.integration.installation import free_ports
from tests.integration.lava_lab import Lava, running
from tests.long import box
from tests.long.emulated import emulated
from tests.night.digests import figures
from vlag import ROOT
from vlag.model import Histogram, Sample
from vlag.store import database, runs

#: What LAVA's dispatcher puts its files into.
TFTP = Path("/srv/tftp")
_SETTINGS = """
[inventory]
boards = "boards.yml"

[labs.home]
url = "{url}"
token_file = "{token}"
artifacts = "{artifacts}"
poll_interval_s = 5

[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = ["{board_type}"]
plan = "rehearsal"
"""
#: A branch needs a plan for its boards.
_PLAN = """
plan: rehearsal
entries:
  - {{benchmark: cyclictest-idle, board_types: [{board_type}], seeds: 1, timeout_s: 240}}
"""
#: Folders of a checkout that its vlag reads.
_COPIED = ("vlag", "lava-jobs", "schemas", "workers", "ansible", "tests", "kernel-patches")


def _address() -> str:
    """Return the address of this machine under which both it and the emulated board reach it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


@define(kw_only=True)
class Rehearsal:
    """A farm of one emulated box."""

    kind: str  # its board type, qemu-KIND
    machine: str  # of box.MACHINES
    folder: Path
    lava: Lava
    kernel: Path
    checkout: Path  # a copy, whose board type a test may change
    box: Path
    file: str | None  # in the TFTP folder, that the firmware boots
    port: int | None = None  # of the serial line, where a BMC has it
    qemu: int = 0
    facts: Mapping[str, Any] = field(factory=dict)  # of the inventory, where not those of the box
    #: What was wrong, the step that failed, its sentence, seconds.
    seen: list[tuple[str, str, str, float]] = field(factory=list)

    @property
    def board(self) -> str:
        """Return the board's name."""
        return f"{self.kind}-1"

    @property
    def board_type(self) -> str:
        """Return its type."""
        return f"qemu-{self.kind}"

    def plug(self, cable: str | None = None) -> None:
        """Connect the box anew."""
        if self.qemu:
            box.unplug(self.qemu)
        for name in ("serial", "monitor"):
            (self.box / name).unlink(missing_ok=True)
        self.qemu = box.plug(
            self.box, self.machine, cable or box.network(TFTP, self.file), self.port
        )

    def command(self, word: str) -> str:
        """Return a command of the dispatcher."""
        return f"/usr/bin/python3 {self.checkout}/tests/long/box.py {word} {self.box}"

    def vlag(self, *words: object, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the copy's vlag; `more` is put into its environment."""
        return subprocess.run(
            [sys.executable, "-m", "vlag.cli.main", *map(str, words)],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=900,
            env={**self._environment(), **more},
        )  # fmt: skip

    def _environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self.checkout),
            "VLAG_SETTINGS": str(self.folder / "vlag.toml"),
        }

    def register(self, **facts: Any) -> None:
        """Describe the board in the inventory, with other facts where given, and in LAVA."""
        known = {
            "board_type": self.board_type,
            "lab": "home",
            "dispatcher": "dispatcher1",
            "console": self.command("console"),
            "power": {word: self.command(word) for word in ("on", "off", "reset")},
            "mac": "52:54:00:12:34:56",
            **self.facts,
            **facts,
        }
        listed = {"all": {"children": {"boards": {"hosts": {self.board: known}}}}}
        (self.folder / "boards.yml").write_text(yaml.safe_dump(listed))
        made = self.folder / "rendered"
        done = self.vlag("lava", "render", made)
        assert done.returncode == 0, done.stderr
        for template in (made / "device-types").iterdir():
            self.lava.write_template(template.stem, template.read_text())
        place = self.lava.folder / "etc" / "dispatcher-config" / "devices"
        name = f"{self.board}.jinja2"
        (place / name).write_text((made / "devices" / name).read_text())

    def check(self, what: str) -> dict[str, Any]:
        """Check the board; note what was said of it."""
        began = time.monotonic()
        done = self.vlag(
            "boards", "bring-up", self.board, "--build", self.kernel, "--format", "json"
        )
        assert done.stdout, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        assert done.returncode == (0 if answer["passed"] else 75), done.stderr
        wrong = next((s for s in answer["steps"] if s["state"] == "failed"), None)
        said = ("none", "ready") if wrong is None else (wrong["name"], wrong["sentence"])
        self.seen.append((what, *said, time.monotonic() - began))
        return answer

    def fault(self, what: str) -> tuple[str, str]:
        """Check the board; return the step that failed, and the sentence."""
        answer = self.check(what)
        assert not answer["passed"]
        reached = [s["state"] for s in answer["steps"]]
        assert reached.count("failed") == 1
        return self.seen[-1][1], self.seen[-1][2]

    def ingest(self, answer: Mapping[str, Any], dsn: str) -> None:
        """Store the board's first run; what its output gives must be in the database."""
        bundle = Path(answer["bundle"])
        run = json.loads((bundle / "run.json").read_text())
        assert (run["outcome"], run["board"]["name"]) == ("complete", self.board)
        done = self.vlag("ingest", self.kernel, bundle, VLAG_DATABASE=dsn)
        assert done.returncode == 0, done.stderr
        with database.connect(dsn) as conn:
            ids = [id_ for (id_,) in conn.execute("SELECT id FROM run").fetchall()]
            stored = [f.figures for f in runs.figures_of(conn, ids)]
        parsed = figures(bundle, run)
        assert parsed.samples or parsed.histograms
        assert {f.metric: f.values for f in stored if isinstance(f, Sample)} == {
            sample.metric: sample.values for sample in parsed.samples
        }
        assert {f.metric: f.counts.tolist() for f in stored if isinstance(f, Histogram)} == {
            histogram.metric: histogram.counts.tolist() for histogram in parsed.histograms
        }

    @contextmanager
    def _store(self, listen: str) -> Iterator[None]:
        """Run the artifact store."""
        store = subprocess.Popen(
            [sys.executable, "-m", "vlag.cli.main", "artifacts", "--listen", listen],
            cwd=self.folder, stdin=subprocess.DEVNULL, env=self._environment(),
        )  # fmt: skip
        try:
            yield
        finally:
            store.terminate()
            store.wait()
            if self.qemu:
                box.unplug(self.qemu)


@contextmanager
def rehearsal(
    cluster: str,
    folder: Path,
    kind: str,
    *,
    machine: str | None = None,
    file: str | None = None,
    port: int | None = None,
) -> Iterator[Rehearsal]:
    """Yield a farm whose board is registered, and not yet plugged in.

    `machine` is that of box.MACHINES where another one than that of the kind.
    """
    checkout = folder / "checkout"
    (folder / "box").mkdir()
    ignored = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache")
    for name in _COPIED:
        shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    plan = checkout / "lava-jobs" / "plans" / "rehearsal.yaml"
    plan.write_text(_PLAN.format(board_type=f"qemu-{kind}"))
    listen = f"{_address()}:{free_ports(1)[0]}"
    with running(cluster, folder / "lava") as lava, emulated() as kernels:
        made = Rehearsal(
            kind=kind, machine=machine or kind, folder=folder, lava=lava,
            kernel=kernels.build(f"qemu-{kind}"), checkout=checkout,
            box=folder / "box", file=file, port=port,
        )  # fmt: skip
        _configure(made, listen)
        # Its emulator is the boards' TFTP server and is the dispatcher, as they see it.
        dispatcher = lava.folder / "etc" / "dispatcher.d" / "dispatcher1.yaml"
        dispatcher.write_text(f"dispatcher_ip: {box.HOST}\n")
        lava.add_type(made.board_type, "{% extends 'base.jinja2' %}")
        made.register()
        place = lava.folder / "etc" / "dispatcher-config" / "devices" / f"{made.board}.jinja2"
        lava.add_device(made.board, made.board_type, place.read_text())
        with made._store(listen):
            yield made


def _configure(made: Rehearsal, listen: str) -> None:
    """Write the settings: the shipped ones with the lab and the board's branch."""
    shipped = (ROOT / "vlag.toml").read_text()
    start, end = shipped.index("# Watched branches"), shipped.index("[nightly]")
    settings = shipped[:start] + shipped[end:]
    settings = settings.replace("[ports]\n", f"[ports]\nartifacts = {listen.split(':')[1]}\n")
    (made.folder / "vlag.toml").write_text(
        settings
        + _SETTINGS.format(
            url=made.lava.url,
            token=made.lava.lab().token_file,
            artifacts=f"http://{listen}",
            board_type=made.board_type,
        )
    )
