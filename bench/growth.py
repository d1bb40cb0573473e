# SPDX-License-Identifier: GPL-2.0-only
"""What a night's own work costs after months: seconds and memory of a command, by nights on record.

`python -m bench growth` puts nights of made-up boots into a database of its own and bundles into a
state folder, and runs the commands there after each of `--nights`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import define, field, frozen

from bench.pictures import installation, story
from bench.pictures.made_up_boots import Booted, Farm
from bench.scale import private_cluster
from tests.integration import bundles
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import PlanEntry
from vlag.store import database, runs
from vlag.store.database import Connection
from vlag.store.migrate import migrate

#: Nights after which the commands are run.
NIGHTS = (100, 350)
BOARD_TYPES = ("qemu-sim-2", "qemu-sim-4")
#: What the service runs each night, besides builds, boots and comparisons.
COMMANDS = (("watch",), ("forecast",))
# The memory that the kernel counts for a child begins with that of its parent; VmHWM does not.
_COMMAND = """
import atexit, os, re, sys
from pathlib import Path
out = int(sys.argv.pop(1))
peak = lambda: re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
atexit.register(lambda: os.write(out, peak().encode()))
from vlag.cli.main import main
main()
"""
_BEGINS = datetime.datetime(2026, 1, 1, 1, 30, tzinfo=datetime.UTC)


@frozen(kw_only=True)
class Cost:
    """What a command took."""

    nights: int
    command: str
    seconds: float
    cpu_s: float  # of its process, without the database's
    peak_mb: float  # of its process


@define(kw_only=True)
class Farmland:
    """An installation that lives through nights of new heads on three branches."""

    conn: Connection
    state: Path
    catalogue: Catalogue = field(factory=catalogues.load)
    farm: Farm = field(init=False)
    nights: int = 0

    def __attrs_post_init__(self) -> None:
        """Write the settings, and put the boards on record."""
        self.farm = Farm(conn=self.conn, catalogue=self.catalogue, state=self.state)
        self.state.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(installation.text(self.state, BOARD_TYPES), encoding="utf-8")
        for board_type in BOARD_TYPES:
            for name in story.BOARDS[board_type]:
                runs.add_board(
                    self.conn, name=name, board_type=self.catalogue.board_type(board_type)
                )

    @property
    def settings(self) -> Path:
        """Return the path of the settings."""
        return self.state / "vlag.toml"

    def night(self) -> None:
        """Boot a new head of each branch."""
        at = _BEGINS + datetime.timedelta(days=self.nights)
        for branch in story.BRANCHES:
            name = f"{branch} {self.nights}"
            identity = bundles.kernel(
                name, tree=story.TREE, branch=branch, describe=f"v6.12-{self.nights}",
                subject=name, committed_at=at.isoformat(),
            )  # fmt: skip
            subject = story.Subject(branch=branch, share=self.nights / 400, name=name)
            kernel = self.farm.kernel(identity, subject, at)
            for board_type, entry in self._entries():
                self._boot(kernel, board_type, entry, at)
        self.farm.flush()
        self.nights += 1

    def _boot(
        self, kernel: Booted, board_type: str, entry: PlanEntry, at: datetime.datetime
    ) -> datetime.datetime:
        return self.farm.boot(kernel, board_type, entry, range(1, entry.seeds + 1), at, 0.0)

    def _entries(self) -> Iterator[tuple[str, PlanEntry]]:
        """Yield what the shipped nightly plan boots, as far as the story has figures of it."""
        known = {name.split()[0] for name in story.LEVELS}
        for entry in self.catalogue.plan("nightly").entries:
            for board_type in BOARD_TYPES:
                if board_type in entry.board_types and entry.benchmark in known:
                    yield board_type, entry

    def bundles(self) -> None:
        """Write the bundles of runs that have none yet."""
        for id_, document in self.conn.execute(
            "SELECT id, document FROM run WHERE location NOT LIKE '%/run-%' ORDER BY id"
        ).fetchall():
            folder = self.state / "runs" / document["run_key"][:16] / f"run-{id_:08}"
            _write(folder, document)
            self.conn.execute("UPDATE run SET location = %s WHERE id = %s", (str(folder), id_))


def _write(folder: Path, document: dict[str, object]) -> None:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(document, indent=1), encoding="utf-8")


def cost(words: Sequence[str], environment: Mapping[str, str], nights: int) -> Cost:
    """Run `vlag`, and return what it took."""
    began = time.monotonic()
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, str(writing), *words],
        env={**os.environ, **environment}, stdout=subprocess.DEVNULL, pass_fds=[writing],
    )  # fmt: skip
    os.close(writing)
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"vlag {' '.join(words)} ended with {process.returncode}")
    with open(reading, encoding="ascii") as pipe:
        peak_kb = int(pipe.read())
    return Cost(
        nights=nights, command=f"vlag {' '.join(words)}",
        seconds=time.monotonic() - began, cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=peak_kb / 1024,
    )  # fmt: skip


def measure(dsn: str, state: Path, nights: Sequence[int]) -> Iterator[Cost]:
    """Live through nights in an empty database that has all tables; yield what commands take."""
    with database.connect(dsn) as conn:
        conn.execute("SET synchronous_commit = off")
        land = Farmland(conn=conn, state=state)
        environment = {"VLAG_SETTINGS": str(land.settings), "VLAG_DATABASE": dsn}
        for wanted in sorted(nights):
            while land.nights < wanted:
                land.night()
            land.bundles()
            conn.execute("ANALYZE")
            for words in COMMANDS:
                # The first call after months does once what a night does a part of.
                cost(words, environment, wanted)
                yield cost(words, environment, wanted)


def main(words: Sequence[str] = ()) -> None:
    """Print what each command takes after some nights."""
    parser = argparse.ArgumentParser(prog="python -m bench growth", description=__doc__)
    parser.add_argument("--nights", type=int, nargs="+", default=NIGHTS, help="when to look")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="vlag-growth-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with private_cluster(folder / "cluster", "-c fsync=off") as dsn:
            migrate(dsn)
            for point in measure(dsn, folder / "state", given.nights):
                print(
                    f"{point.nights:4} nights: {point.command}: {point.seconds:.1f} s,"
                    f" {point.cpu_s:.1f} s of CPU, {point.peak_mb:.0f} MB", flush=True,
                )  # fmt: skip
