# SPDX-License-Identifier: GPL-2.0-only
"""A service and a real LAVA whose emulated boards boot kernels of tests/long/loop_tree.

Nothing is a stand-in: the kernels are compiled in the sandbox, LAVA's dispatcher starts QEMU, and
what the kernel prints is parsed, stored and judged.  Only the kernel is small: it boots in a
second and measures itself, with a scatter that follows from its sources and the seed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import requests
import yaml
from attrs import define, field
from psycopg.rows import dict_row

from tests import processes, sandboxes, settings_files
from tests.integration import tiny_boots
from tests.integration.installation import Installation, copy_checkout, free_ports
from tests.integration.lava_lab import Lava, running
from tests.long.loop_history import History
from tests.waiting import until
from vlag import config
from vlag.config import catalogue
from vlag.pipeline.lab_boards import board_of
from vlag.store import database
from vlag.store.database import Connection

#: Of a wait for a part of the journey, on a machine with much other work.
WITHIN_S = 3600
#: Result of a build that ended with its master, and was begun again (Buildbot's number).
RETRY = 5

_TYPE = {
    "extends": "qemu-sim-2",
    "classes": ["virtual"],
    "deterministic": False,
    "options": [
        "-machine pc", "-accel tcg", "-cpu max", "-m 256M", "-nodefaults", "-no-user-config",
        "-nographic", "-serial stdio", "-monitor none", "-no-reboot",
    ],
    "boot_timeout_s": 30,
    "seconds_per_virtual_s": 1,
    "boot_s": 2,
}  # fmt: skip
_PLAN = """plan: loop
entries:
  - benchmark: stress-ng-switch
    board_types: [{types}]
    seeds: 5
    confirm: [5]
    timeout_s: 30
"""
#: Sections of the settings of what the service looks for by itself, and their other lines.  The
#: loop's kernel has no schedstats, which boards that scatter would count.
_AUTOMATIC = {"profile": "board_hours = 0\n", "toggles": "", "bisect": ""}


@define(kw_only=True)
class LoopFarm:
    """All of it."""

    folder: Path
    checkout: Path  # what the service reads
    made: Installation
    lava: Lava
    history: History
    service: subprocess.Popen[str] | None = None
    began: float = field(factory=time.monotonic)
    times: list[tuple[float, str]] = field(factory=list)  # seconds from the start, what was there

    def say(self, what: str) -> None:
        """Note what has been reached, for the page and for whoever waits."""
        self.times.append((time.monotonic() - self.began, what))
        print(f"journey: {self.times[-1][0]:5.0f} s: {what}", flush=True)

    def start(self) -> None:
        """Start the service, and wait until it is up."""
        self.service = self.made.start(once=False)
        self.wait(self.made.is_up)

    def wait(self, condition: Any, within_s: float = WITHIN_S) -> Any:
        """Return what `condition` returns as soon as that is true."""
        service = self.service
        assert service is not None
        return until(condition, self.state, within_s=within_s, alive=lambda: service.poll() is None)

    def state(self) -> str:
        """Return what there is, for whoever waited in vain: the last builds, and what was said."""
        builders = ("push", "profile", "kernel", "board")
        lines = [
            f"{builder} {b['number']}: {b['results']} {b['state_string']}"
            for builder in builders
            for b in self.builds(builder)[-6:]
        ]
        return "\n".join([*lines, self.made.said()[-2000:]])

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Return what vlag's database answers."""
        dsn = config.load(self.made.settings).dsn()
        with psycopg.connect(dsn, row_factory=dict_row) as conn:
            return conn.execute(query.encode(), values).fetchall()

    def connected(self) -> AbstractContextManager[Connection]:
        """Return a connection to vlag's database as the pages have it."""
        return database.connect(config.load(self.made.settings).reader_dsn())

    def builds(self, builder: str) -> list[dict[str, Any]]:
        """Return the builds of a builder in order, with their properties; none while it is down."""
        web = f"http://127.0.0.1:{self.made.ports['web']}/api/v2"
        try:
            answer = requests.get(
                f"{web}/builders/{builder}/builds?order=number&property=*", timeout=60
            )
            answer.raise_for_status()
        except requests.RequestException:
            return []
        found: list[dict[str, Any]] = answer.json()["builds"]
        for build in found:
            build["properties"] = {k: v[0] for k, v in build["properties"].items()}
        return found

    def ended(self, builder: str, revision: str | None = None) -> dict[str, Any] | None:
        """Return the last build of a builder that ended for good, of a revision."""
        there = [
            b
            for b in self.builds(builder)
            if b["complete"]
            and b["results"] not in (RETRY, None)
            and revision in (None, b["properties"].get("revision"))
        ]
        return there[-1] if there else None

    def last_job(self) -> int:
        """Return the newest job of LAVA."""
        listed = self.lava.rest("GET", "jobs/?limit=1&ordering=-id")["results"]
        return int(listed[0]["id"])

    def wait_for_boot(self) -> None:
        """Return as soon as a job of LAVA runs that is not there yet."""
        after = self.last_job()

        def runs() -> bool:
            listed = self.lava.rest("GET", f"jobs/?limit=20&ordering=-id&id__gt={after}")["results"]
            return any(j["id"] > after and j["state"] == "Running" for j in listed)

        self.wait(runs)

    def kill_master(self) -> None:
        """Kill Buildbot's master; wait until the service is up again."""
        self._kill(self.made.master())

    def kill_database(self) -> None:
        """Kill PostgreSQL; wait until the service is up again."""
        [server] = processes.running("-D", str(self.made.state / "postgres" / "data"))
        self._kill(server)

    def _kill(self, pid: int) -> None:
        before = self.made.said().count("the service is up")
        os.kill(pid, signal.SIGKILL)
        self.wait(lambda: self.made.said().count("the service is up") > before)

    def kill_dispatcher(self) -> None:
        """Kill LAVA's dispatcher with the boots that it has under way, and start it again."""
        self.lava.kill("worker", jobs=True)
        self.lava.start("worker")

    def of_seeds(self) -> dict[tuple[str, int], str | None]:
        """Return the board of each seed that a plan has booted on LAVA's boards, by board type."""
        settings, known = config.load(self.made.settings), catalogue.load(self.checkout)
        booted = self.rows(
            "SELECT DISTINCT board_type, seed, benchmark, parameters FROM run"
            " WHERE plan IS NOT NULL AND executor ->> 'program' = 'lava-server'"
        )
        return {
            (row["board_type"], row["seed"]): board_of(
                settings, known, row["board_type"], row["seed"],
                of={"benchmark": row["benchmark"], "parameters": row["parameters"]},
            )
            for row in booted
        }  # fmt: skip

    def vlag(self, *words: object) -> str:
        """Run `vlag` as a person would who looks; return what it prints."""
        done = subprocess.run(
            [Path(sys.executable).parent / "vlag", *map(str, words)], cwd=self.folder,
            env=self.made.environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


@contextmanager
def loop_farm(
    cluster: str,
    folder: Path,
    boards: Mapping[str, Sequence[str]],
    here: Mapping[str, Sequence[str]],
    automatic: Sequence[str],
) -> Iterator[LoopFarm]:
    """Make the farm, with boards of LAVA by type; the service is not started.

    `here` are boards of this host, of types that the catalogue has.  `automatic` are the sections
    of the settings whose searches the service begins by itself.
    """
    mine = copy_checkout(folder / "checkout")
    _write_catalogue(mine, boards, here)
    place = folder / "service"
    place.mkdir()
    lab = folder / "lava"
    lab.mkdir()
    for above in (folder, *folder.parents):  # builds run as another user
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o001)
    with running(cluster, lab) as lava:
        made = Installation(place, mine, new=True)
        (made.fake / "vlag").unlink()  # the real one is on the path
        history = History.of(folder / "loop", tiny_boots.options(catalogue.load()))
        _write_settings(made, lava, history, [*boards, *here], automatic)
        farm = LoopFarm(folder=folder, checkout=mine, made=made, lava=lava, history=history)
        _register(farm)
        farm.say("LAVA is up, and has the boards")
        try:
            yield farm
        finally:
            made.end()


def _write_catalogue(
    checkout: Path, boards: Mapping[str, Sequence[str]], here: Mapping[str, Sequence[str]]
) -> None:
    jobs = checkout / "lava-jobs"
    for name in boards:
        document = {"board_type": name, **_TYPE}
        (jobs / "devices" / f"{name}.yaml").write_text(yaml.safe_dump(document))
    (jobs / "plans" / "loop.yaml").write_text(_PLAN.format(types=", ".join([*boards, *here])))
    hosts = {
        board: {"board_type": kind, **lab}
        for group, lab in ((boards, {"lab": "home"}), (here, {}))
        for kind, names in group.items()
        for board in names
    }
    listed = {"all": {"children": {"boards": {"hosts": hosts}}}}
    (checkout / "ansible" / "inventory" / "boards.yml").write_text(yaml.safe_dump(listed))


def _write_settings(
    made: Installation, lava: Lava, history: History, types: list[str], automatic: Sequence[str]
) -> None:
    callback, artifacts = free_ports(2)
    ports = (*made.ports.values(),)
    text = settings_files.settings(
        state="var", ports=ports, trees=f'[trees.loop]\nurl = "{history.folder}"', tree="loop",
        branch="main", baseline="before-*", board_types=types, plan="loop", keys="paths = []",
        hour=(time.gmtime().tm_hour + 12) % 24, jobs=1, poll_s=5,
    )  # fmt: skip
    text = text.replace("[ports]\n", f"[ports]\ncallback = {callback}\nartifacts = {artifacts}\n")
    text += f"""
[sandbox]
user = "{sandboxes.user()}"
[labs.home]
url = "{lava.url}"
token_file = "{lava.lab().token_file}"
artifacts = "http://127.0.0.1:{artifacts}"
callback = "http://127.0.0.1:{callback}"
poll_interval_s = 5
"""
    for name, more in _AUTOMATIC.items():
        text += f"[{name}]\nautomatic = {str(name in automatic).lower()}\n{more}"
    made.settings.write_text(text)
    reports = made.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started


def _register(farm: LoopFarm) -> None:
    """Make LAVA's device types and devices of the inventory's boards."""
    made, lava = farm.folder / "rendered", farm.lava
    farm.vlag("lava", "render", made)
    for template in sorted((made / "device-types").iterdir()):
        lava.write_template(template.stem, template.read_text())
    listed = json.loads((made / "boards.json").read_text())
    for name in sorted({board["device_type"] for board in listed}):
        lava.add_type(name)
    for board in listed:
        dictionary = (made / "devices" / f"{board['hostname']}.jinja2").read_text()
        lava.add_device(board["hostname"], board["device_type"], dictionary, board["tags"])
