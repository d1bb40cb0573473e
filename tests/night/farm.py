# SPDX-License-Identifier: GPL-2.0-only
"""A night's clone whose boards are those of a real LAVA server, with a state of its own."""

import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import requests
import yaml
from attrs import field, frozen
from psycopg.rows import dict_row

from tests.integration.installation import free_ports
from tests.integration.lava_lab import Lava, running
from tests.integration.line import Line
from tests.night.clone import Night, branch, write_settings
from tests.night.service import WEB, Service
from vlag import config
from vlag.lava.server import Client

#: Of the farm's state folder and settings in the clone.
NAME = "farm"
#: Boards by name, with the keys of the inventory.
Hosts = Mapping[str, Mapping[str, Any]]

BOARDS = ("lab-sim2-1", "lab-sim2-2")
HOSTS: Hosts = {name: {"board_type": "qemu-sim-2", "lab": "home"} for name in BOARDS}
#: What the night has made, and the farm only reads.
_SHARED = ("builds", "mirrors", "userland", "ccache")

#: A short boot each: what a plan with another duration asks for is on no record.
PLAN = """
plan: {name}
entries:
  - benchmark: stress-ng-switch
    parameters: {{duration_s: {duration_s}}}
    board_types: [qemu-sim-2]
    seeds: {seeds}
    timeout_s: 120
"""


@frozen(kw_only=True)
class FarmNight(Night):
    """The clone with the state of the farm."""

    @property
    def state(self) -> Path:
        return self.clone / NAME


@frozen(kw_only=True)
class Farm:
    """All of it."""

    night: Night
    lava: Lava
    line: Line
    service: Service
    #: What `boot_killed` has seen: a plan, its jobs, how the first ended, seconds from the harm on.
    survived: list[tuple[str, int, str, float]] = field(factory=list)

    def vlag(self, *words: object, status: int = 0) -> dict[str, Any]:
        """Run the clone's `vlag` with the farm's settings; return its answer."""
        env = {"VLAG_SETTINGS": str(self.service.toml)}
        done = self.night.vlag(*words, "--format", "json", status=status, env=env)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    @property
    def client(self) -> Client:
        """Ask the LAVA server, past the line."""
        return Client(self.lava.lab())

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Return what the farm's database, which must run, answers."""
        dsn = config.load(self.service.toml).dsn()
        with psycopg.connect(dsn, row_factory=dict_row) as conn:
            return conn.execute(query.encode(), values).fetchall()

    def jobs(self) -> list[dict[str, Any]]:
        """Return all jobs that the LAVA server has ever had."""
        return list(self.lava.rest("GET", "jobs/?limit=1000&ordering=id")["results"])

    def first_night(self) -> None:
        """Wait for the end of the night that the service begins by itself."""
        self.service.wait(lambda: any(b["complete"] for b in self.service.builds("nightly")))

    def check_boards(self) -> None:
        """Press the button that checks all boards, and wait."""
        force = {"id": 1, "jsonrpc": "2.0", "method": "force", "params": {}}
        url = f"{WEB}/forceschedulers/check-now"
        requests.post(url, json=force, timeout=30).raise_for_status()
        self.service.wait(lambda: any(b["complete"] for b in self.service.builds("check")))

    def force(self, plan: str, ref: str = "linux-6.12", board_type: str = "qemu-sim-2") -> int:
        """Ask for one kernel's runs of a plan, as a person does; return the request."""
        parameters = {
            "tree": "debian", "ref": ref, "plan": plan, "board_types": [board_type],
            "baseline": "", "series": "", "application": "", "reason": "test",
        }  # fmt: skip
        force = {"id": 1, "jsonrpc": "2.0", "method": "force", "params": parameters}
        answer = requests.post(f"{WEB}/forceschedulers/kernel-now", json=force, timeout=30)
        answer.raise_for_status()
        return int(next(iter(answer.json()["result"][1].values())))

    def wait_for_job(self, after: int, state: str) -> dict[str, Any]:
        """Return the first job that is newer than job `after`, as soon as it is in a state."""

        def there() -> dict[str, Any] | None:
            return next((j for j in self.jobs() if j["id"] > after and j["state"] == state), None)

        found: dict[str, Any] = self.service.wait(there)
        return found

    def wait_for_boot(self, after: int) -> dict[str, Any]:
        """Return the first job that is newer than job `after`, as soon as its kernel speaks.

        Before that a job fetches its files, which a service that is killed no longer serves.
        """
        job = self.wait_for_job(after, "Running")

        def speaks() -> bool:
            return any("Linux version" in line for line in self.client.log(job["id"]))

        self.service.wait(speaks)
        return job

    def build_of(self, run: Mapping[str, Any]) -> Path:
        """Return the build bundle of a run's kernel."""
        digest = run["document"]["kernel"]["digest"]
        [found] = {
            p.parent
            for p in (self.night.state / "builds").glob(f"{digest[:16]}/*/build.json")
            if json.loads(p.read_text())["image"]["sha256"] == run["document"]["image_sha256"]
        }
        return found

    @contextlib.contextmanager
    def local_board(self, name: str) -> Iterator[None]:
        """Have a board of this machine in the inventory; a master that runs does not see it."""
        inventory = self.night.clone / "ansible" / "inventory" / "boards.yml"
        before = inventory.read_text()
        listed = yaml.safe_load(before)
        listed["all"]["children"]["boards"]["hosts"][name] = {"board_type": "qemu-sim-2"}
        inventory.write_text(yaml.safe_dump(listed))
        yield
        inventory.write_text(before)

    def stop_board_builds(self) -> None:
        """Press stop on every run that goes on."""
        for build in self.service.builds("board"):
            if not build["complete"]:
                stop = {"id": 1, "jsonrpc": "2.0", "method": "stop", "params": {"reason": "test"}}
                url = f"{WEB}/builds/{build['buildid']}"
                requests.post(url, json=stop, timeout=30).raise_for_status()

    def wait_for_push(self, request: int) -> dict[str, Any]:
        """Return the build of a request that ended for good."""

        def done() -> dict[str, Any] | None:
            builds = [b for b in self.service.builds("push") if b["buildrequestid"] == request]
            ended = [b for b in builds if b["complete"] and b["results"] not in (5, None)]
            return ended[-1] if ended else None

        found: dict[str, Any] = self.service.wait(done)
        return found


@contextlib.contextmanager
def boot_killed(farm: Farm, plan: str, *, jobs: int = 1) -> Iterator[dict[str, Any]]:
    """Do harm while the only boot of a plan is on its board; nothing is lost, nothing twice.

    Gives the job, as it is when the push has ended.  `jobs` is how many it then took.
    """
    last = max((j["id"] for j in farm.jobs()), default=0)
    request = farm.force(plan)
    job = farm.wait_for_boot(last)
    began = time.monotonic()
    yield job
    build = farm.wait_for_push(request)
    assert "measured" in build["properties"]["verdict"], build["properties"]["verdict"]
    new = [j for j in farm.jobs() if j["id"] > last]
    assert len(new) == jobs, [(j["id"], j["health"], j["description"]) for j in new]
    [run] = farm.rows("SELECT * FROM run WHERE plan = %s", plan)
    assert run["outcome"] == "complete"
    assert run["executor"]["job"] == new[-1]["id"]
    job.update(next(j for j in new if j["id"] == job["id"]))
    farm.survived.append((plan, jobs, job["health"], time.monotonic() - began))


@contextlib.contextmanager
def farming(
    night: Night,
    cluster: str,
    folder: Path,
    plans: Sequence[str],
    *,
    hosts: Hosts = HOSTS,
    plan: str = PLAN.format(name="farm", duration_s=2, seeds=2),
) -> Iterator[Farm]:
    """Run LAVA and the service of a clone whose boards are in it.

    The first night runs `plan`, on boards of the first host's type; `plans` are more, of
    one boot each.
    """
    with (
        running(cluster, folder) as lava,
        Line(int(lava.url.rsplit(":", 1)[1])) as line,
        left_as_it_was(night),
    ):
        farm = prepare(night, lava, line, plans, hosts, plan)
        try:
            farm.service.start()
            yield farm
        finally:
            farm.service.stop()


@contextlib.contextmanager
def left_as_it_was(night: Night) -> Iterator[None]:
    """Take away what a farm adds to the clone, however far it came."""
    try:
        yield
    finally:
        shutil.rmtree(night.clone / NAME, ignore_errors=True)
        (night.clone / f"{NAME}.toml").unlink(missing_ok=True)
        subprocess.run(["git", "-C", night.clone, "checkout", "--quiet", "."], check=True)
        subprocess.run(["git", "-C", night.clone, "clean", "-fdq", "lava-jobs"], check=True)


def prepare(
    night: Night, lava: Lava, line: Line, single: Sequence[str], hosts: Hosts, plan: str
) -> Farm:
    """Make the clone a farm whose boards are in the lab `home`; nothing is started yet."""
    mine = FarmNight(clone=night.clone, output="", seconds=0, commit=night.commit)
    mine.state.mkdir()
    for name in _SHARED:
        if (night.state / name).exists():
            (mine.state / name).symlink_to(night.state / name)
    inventory = night.clone / "ansible" / "inventory" / "boards.yml"
    listed = {"all": {"children": {"boards": {"hosts": dict(hosts)}}}}
    inventory.write_text(yaml.safe_dump(listed))
    plans = night.clone / "lava-jobs" / "plans"
    (plans / "farm.yaml").write_text(plan)
    for i, name in enumerate(single, 11):
        (plans / f"{name}.yaml").write_text(PLAN.format(name=name, duration_s=i, seeds=1))
    toml = _settings(night, lava, line, str(next(iter(hosts.values()))["board_type"]))
    farm = Farm(night=mine, lava=lava, line=line, service=Service(mine, toml))
    register(farm)
    return farm


def register(farm: Farm) -> None:
    """Make LAVA's device types and devices of the inventory's boards."""
    made, lava = farm.night.state / "lava", farm.lava
    farm.night.vlag("lava", "render", made, env={"VLAG_SETTINGS": str(farm.service.toml)})
    for template in sorted((made / "device-types").iterdir()):
        lava.write_template(template.stem, template.read_text())
    boards_of = json.loads((made / "boards.json").read_text())
    for name in sorted({board["device_type"] for board in boards_of}):
        lava.add_type(name)
    for board in boards_of:
        dictionary = (made / "devices" / f"{board['hostname']}.jinja2").read_text()
        lava.add_device(board["hostname"], board["device_type"], dictionary, board["tags"])


def _settings(night: Night, lava: Lava, line: Line, board_type: str) -> Path:
    branches = branch(plan="farm", board_type=board_type)
    toml = write_settings(night.clone, f"{NAME}.toml", branches, poll_interval_s=300)
    text = toml.read_text().replace('state = "var"', f'state = "{NAME}"')
    toml.write_text(text)
    add_lab(toml, lava, line)
    return toml


def add_lab(toml: Path, lava: Lava, line: Line) -> None:
    """Add LAVA to a settings file as the lab `home`."""
    callback, artifacts = free_ports(2)
    text = toml.read_text()
    text = text.replace("[ports]\n", f"[ports]\ncallback = {callback}\nartifacts = {artifacts}\n")
    text += f"""
[labs.home]
url = "http://127.0.0.1:{line.port}"
token_file = "{lava.lab().token_file}"
artifacts = "http://127.0.0.1:{artifacts}"
callback = "http://127.0.0.1:{callback}"
poll_interval_s = 300
"""
    toml.write_text(text)
