# SPDX-License-Identifier: GPL-2.0-only
"""docker-compose.yml on a private engine: images, a night to its report, down and up again.

All of it twice: on root's engine, and on one that an ordinary user runs without root.

`VLAG_TEST_COMPOSE` names a folder to keep the engine's images in, for work on these tests; a
stack that still runs there is taken as it is, which the evidence says.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from attrs import define, field

from bench.evidence import table, write
from tests.integration.installation import free_ports
from tests.long.engine import Engine, images, own, rootless, running
from tests.waiting import until
from vlag import ROOT

pytestmark = pytest.mark.long

PROJECT = "vlagtest"
#: Of a start of all containers on a busy machine, and of a night that builds two kernels.
NIGHT_S = 5400
SERVICES = ("postgres", "master", "worker", "artifacts", "lava-server", "lava-dispatcher")
BUILT = ("VLAG_MASTER", "VLAG_WORKER", "VLAG_LAVA_SERVER", "VLAG_LAVA_DISPATCHER")

BRANCH = """[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.12.*"
series = "known-regressions"
applications = ["solo(4)"]
board_types = ["qemu-sim-2"]
plan = "small"

"""
PLAN = """
plan: small
entries:
  - benchmark: stress-ng-switch
    parameters: {duration_s: 2}
    board_types: [qemu-sim-2]
    seeds: 2
    timeout_s: 240
"""
#: All of this night is a proof.
REPORTED = "the report on the self-proof is "
#: One board that the worker boots, one of the LAVA server.
BOARDS = {
    "sim2-1": {"board_type": "qemu-sim-2"},
    "lab-sim2-1": {"board_type": "qemu-sim-2", "lab": "home", "dispatcher": "lava-dispatcher"},
}
#: What a page says of a stack that was found running.
EARLIER = "the images, the first `up` and the night: of an earlier call and its commit"
#: What must be the same after `down` and `up`, by table.
COUNTED = ("kernel", "run", "sample", "comparison")
ROWS = "SELECT md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM {} t"


@define
class Stack:
    """The containers, and what was measured of them."""

    engine: Engine
    folder: Path
    ports: tuple[int, int]
    found: bool  # it ran already: an earlier call has started it
    times: dict[str, float] = field(factory=dict)

    @property
    def settings(self) -> dict[str, str]:
        return {
            **images(),
            "COMPOSE_PROJECT_NAME": PROJECT,
            "COMPOSE_FILE": f"{self.engine.checkout}/docker-compose.yml:{self.folder}/override.yml",
            "VLAG_SETTINGS_FILE": str(self.folder / "compose.toml"),
            "VLAG_BOARDS": str(self.folder / "boards.yml"),
            "VLAG_SECRETS": str(self.folder / "secrets"),
            "VLAG_WEB_PORT": str(self.ports[0]),
            "VLAG_LAVA_PORT": str(self.ports[1]),
        }

    def compose(self, *words: str, status: int | None = 0, **env: str) -> str:
        """Run `docker compose` with all that runs here; return both streams."""
        done = self.engine.docker(
            "compose", "--profile", "lava", *words, status=status, env={**self.settings, **env}
        )
        return done.stdout + done.stderr

    def inside(self, service: str, *argv: str, status: int | None = 0) -> str:
        """Run a program in a container; return what it prints."""
        words = ("compose", "exec", "--no-TTY", service, *argv)
        return self.engine.docker(*words, status=status, env=self.settings).stdout

    def sql(self, statement: str, database: str = "vlag") -> str:
        """Ask the database as its administrator."""
        words = ("psql", "-XAt", "-U", "postgres", "-d", database, "-c", statement)
        return self.inside("postgres", *words).strip()

    def up(self) -> None:
        """Start everything as the README says; return when all is healthy."""
        self.engine.call("make", "up", "PROFILES=lava", env=self.settings)
        until(
            lambda: all(self.health(s) == "healthy" for s in SERVICES),
            lambda: self.compose("ps", "--all") + self.compose("logs", "--tail", "20"),
        )

    def health(self, service: str) -> str:
        """Return what the engine says of a service's first container."""
        container = self.compose("ps", "--all", "--quiet", service).split()[0]
        form = "{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}"
        return self.engine.docker("inspect", "--format", form, container).stdout.strip()

    def report(self) -> str | None:
        """Return the name of the newest report in the state, or None."""
        listed = self.inside("master", "sh", "-c", "ls /var/lib/vlag/reports/*.txt", status=None)
        return max(listed.split(), default=None)

    def counts(self) -> dict[str, Any]:
        """Return what a loss would show in."""
        count = "SELECT count(*) FROM "
        rows: dict[str, Any] = {table: int(self.sql(count + table)) for table in COUNTED}
        rows |= {f"md5 of {table}": self.sql(ROWS.format(table)) for table in COUNTED}
        rows["Buildbot's builds"] = int(
            self.sql("SELECT count(*) FROM builds WHERE complete_at IS NOT NULL", "buildbot")
        )
        rows["LAVA's jobs"] = int(
            self.sql("SELECT count(*) FROM lava_scheduler_app_testjob", "lavaserver")
        )
        found = "find /var/lib/vlag/{builds,runs,reports} -type f | sort | xargs sha256sum"
        files = self.inside("worker", "bash", "-c", found)
        rows["files"] = files.count("\n")
        rows["sha256 of all files"] = subprocess.run(
            ["sha256sum"], input=files, capture_output=True, text=True, check=True
        ).stdout.split()[0]
        return rows


def prepare(folder: Path) -> None:
    """Write the settings of a small night."""
    shipped = (ROOT / "master/compose.toml").read_text()
    head, tail = shipped[: shipped.index("[[branches]]")], shipped[shipped.index("[checks]") :]
    text = head.replace('"linux-6.1" = "linux-source-6.1"\n', "") + BRANCH + tail
    # No night and no check begins by the clock.
    hour = (time.gmtime().tm_hour + 12) % 24
    text = re.sub(r"(?m)^hour = \d+", f"hour = {hour}", text)
    text = re.sub(r"(?m)^hours = .*", f"hours = [{hour}]", text)
    (folder / "compose.toml").write_text(text)
    (folder / "small.yaml").write_text(PLAN)
    listed = {"all": {"children": {"boards": {"hosts": BOARDS}}}}
    (folder / "boards.yml").write_text(yaml.safe_dump(listed))
    plan = f"{folder}/small.yaml:/opt/vlag/lava-jobs/plans/small.yaml:ro"
    services = {name: {"volumes": [plan]} for name in ("master", "worker", "artifacts")}
    (folder / "override.yml").write_text(yaml.safe_dump({"services": services}))


@pytest.fixture(scope="module", params=[running, rootless], ids=["rootful", "rootless"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    kept = os.environ.get("VLAG_TEST_COMPOSE")
    # Not below pytest's own folder, which is root's: the path of a socket is limited as well.
    folder = Path(kept) / request.param.__name__ if kept else Path(tempfile.mkdtemp())
    with request.param(folder) as it:
        yield it
    if not kept:
        shutil.rmtree(folder)


def _port(engine: Engine, service: str) -> int | None:
    """Return the published port of a service that runs already."""
    done = engine.docker("port", f"{PROJECT}-{service}-1", status=None)
    found = re.findall(r"127\.0\.0\.1:(\d+)", done.stdout)
    return int(found[0]) if done.returncode == 0 and found else None


@pytest.fixture(scope="module")
def stack(engine: Engine) -> Iterator[Stack]:
    folder = engine.folder / "stack"
    folder.mkdir(exist_ok=True)
    prepare(folder)
    own(engine.user, folder)
    ports = [_port(engine, name) for name in ("master", "lava-server")]
    there = [port for port in ports if port is not None]
    first, second = there if len(there) == 2 else free_ports(2)
    stack = Stack(engine, folder, (first, second), len(there) == 2)
    if stack.found:
        yield stack
        return
    began = time.monotonic()
    engine.base()
    engine.stand_in()
    stack.times["base image and stand-in"] = time.monotonic() - began
    began = time.monotonic()
    engine.call("make", "secrets", env=stack.settings)
    stack.compose("build", "master")  # the worker's image begins with it
    stack.compose("build")
    stack.times["our images"] = time.monotonic() - began
    stack.compose("down", "--volumes", "--timeout", "20")
    began = time.monotonic()
    try:
        stack.up()
        stack.times["first `up` until all is healthy"] = time.monotonic() - began
        yield stack
    finally:
        (folder / "log").write_text(stack.compose("logs", "--no-color", status=None))
        stack.compose("down", "--volumes", "--timeout", "20", status=None)


@pytest.fixture(scope="module")
def night(stack: Stack) -> str:
    """The first night's report, as the master prints it."""
    began = time.monotonic()
    until(stack.report, lambda: stack.compose("logs", "--tail", "30"), within_s=NIGHT_S)
    if not stack.found:
        stack.times["from there to the first report"] = time.monotonic() - began

    def said() -> str:
        return stack.compose("logs", "--no-color", "--no-log-prefix", "master")

    # The file is there a moment before the master says so.
    until(lambda: REPORTED in said(), said)
    return said()


def test_config_is_clean(stack: Stack) -> None:
    assert stack.engine.docker("compose", "--profile", "*", "config", "--quiet").stderr == ""
    # Negative control: a key that compose does not know.
    wrong = stack.folder / "wrong.yml"
    wrong.write_text("services: {master: {helth: 1}}\n")
    files = f"{stack.settings['COMPOSE_FILE']}:{wrong}"
    said = stack.compose("config", "--quiet", status=None, COMPOSE_FILE=files)
    assert "helth" in said


def test_all_is_healthy(stack: Stack) -> None:
    assert {service: stack.health(service) for service in SERVICES} == dict.fromkeys(
        SERVICES, "healthy"
    )


def test_processes_are_who_they_should_be(stack: Stack) -> None:
    command = "cat /proc/[0-9]*/status | grep -E '^(Name|Uid|CapEff):'"
    for service, program in (("master", "twistd"), ("artifacts", "vlag"), ("lava-server", "gunic")):
        said = stack.inside(service, "sh", "-c", command)
        found = re.findall(r"Name:\s*(\S+)\nUid:\s*(\d+).*\nCapEff:\s*(\w+)", said)
        ours = [(int(uid), int(caps, 16)) for name, uid, caps in found if name.startswith(program)]
        assert ours, said
        assert all(uid > 0 and caps == 0 for uid, caps in ours), said
    # The worker is root, and may not do what it has no need of.
    said = stack.inside("worker", "sh", "-c", command)
    assert {int(c, 16) >> 21 & 1 for c in re.findall(r"CapEff:\s*(\w+)", said)} == {0}  # SYS_ADMIN
    # Negative control: the root file system cannot be written, the state can.
    write_it = "touch /opt/vlag/x"
    assert stack.engine.docker(
        "compose",
        "exec",
        "--no-TTY",
        "worker",
        "sh",
        "-c",
        write_it,
        status=None,
        env=stack.settings,
    ).returncode


def test_without_root_no_process_is_root(stack: Stack) -> None:
    """On the host; in its container, one that is root there is the user who started it."""
    pids = [
        stack.engine.docker("inspect", "--format", "{{.State.Pid}}", container).stdout.strip()
        for service in SERVICES
        for container in stack.compose("ps", "--quiet", service).split()
    ]
    # Whoever is in a container's PID namespace belongs to it.
    spaces = {os.readlink(f"/proc/{pid}/ns/pid") for pid in pids}
    users: set[int] = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "ns/pid") in spaces:
                status = (process / "status").read_text()
                users.add(int(re.findall(r"Uid:\s*(\d+)", status)[0]))
    if stack.engine.user is None:
        assert 0 in users  # negative control: the worker and the dispatcher
        return
    entry = pwd.getpwnam(stack.engine.user)
    line = next(
        line.split(":") for line in Path("/etc/subuid").read_text().splitlines()
        if line.startswith(f"{entry.pw_name}:")
    )  # fmt: skip
    first, many = int(line[1]), int(line[2])
    assert entry.pw_uid in users
    assert all(uid == entry.pw_uid or first <= uid < first + many for uid in users), users
    for secret in (stack.folder / "secrets").iterdir():
        assert (secret.stat().st_uid, secret.stat().st_mode & 0o777) == (entry.pw_uid, 0o600)


def test_ports_are_on_loopback(stack: Stack) -> None:
    published = stack.compose("ps", "--format", "json")
    hosts = {
        p["URL"] for line in published.splitlines() if line.startswith("{")
        for p in json.loads(line)["Publishers"] or () if p["PublishedPort"]
    }  # fmt: skip
    assert hosts == {"127.0.0.1"}


def test_the_first_start_ends_with_a_report(stack: Stack, night: str) -> None:
    assert REPORTED in night
    assert "stress-ng-switch" in night
    assert stack.sql("SELECT string_agg(DISTINCT outcome::text, ',') FROM run") == "complete"
    assert int(stack.sql("SELECT count(*) FROM run")) == 4
    assert requests.get(f"http://127.0.0.1:{stack.ports[0]}/", timeout=30).ok


@pytest.mark.usefixtures("night")
def test_a_boot_goes_through_lava(stack: Stack) -> None:
    """The night takes the worker's own board first; the lab's is asked for by name."""
    bundle = stack.sql("SELECT location FROM build ORDER BY id LIMIT 1")
    began = time.monotonic()
    said = stack.inside(
        "worker", "vlag", "run", bundle, "--board", "lab-sim2-1", "--benchmark",
        "stress-ng-switch", "--param", "duration_s=2", "--seed", "3", "--timeout", "240",
        "--format", "json",
    )  # fmt: skip
    stack.times["a boot through LAVA"] = time.monotonic() - began
    answer = json.loads(said.splitlines()[-1])
    assert answer["outcome"] == "complete", answer
    complete = "SELECT count(*) FROM lava_scheduler_app_testjob WHERE health = 1"
    assert int(stack.sql(complete, "lavaserver")) == 1
    stack.inside("worker", "vlag", "ingest", answer["bundle"])
    assert int(stack.sql("SELECT count(*) FROM run WHERE executor->>'lab' = 'home'")) == 1


@pytest.mark.usefixtures("night")
def test_down_and_up_lose_nothing(stack: Stack) -> None:
    before = stack.counts()
    began = time.monotonic()
    stack.compose("down")
    stack.times["`down`"] = time.monotonic() - began
    began = time.monotonic()
    stack.up()
    stack.times["`up` again until all is healthy"] = time.monotonic() - began
    after = stack.counts()
    assert after == before
    assert "the last night's report is" in stack.compose("logs", "--no-color", "master")
    whose = "an ordinary user's engine, without root" if stack.engine.user else "root's engine"
    write(
        "compose-rootless" if stack.engine.user else "compose",
        f"docker compose on {whose}",
        f"pytest -m long tests/long/test_compose.py -k {stack.engine.kind}",
        [
            *(
                f"{tag}: {stack.engine.size_mb(tag):.0f} MB, {stack.engine.digest(tag)}"
                for tag in (images()[name] for name in BUILT)
            ),
            *([EARLIER] if stack.found else []),
            "PostgreSQL: a stand-in built from Debian; Grafana: left out, its image cannot be had",
            "kernels: both built in the worker's container",
        ],
        [
            "The containers of `docker-compose.yml` on a private engine, from images that the test",
            "built, with one board of the worker and one of the LAVA server. The night has two",
            "kernels with two boots each.",
            "",
            *table(("step", "seconds"), ((k, f"{v:.0f}") for k, v in stack.times.items())),
            "",
            "Before `down` and after `up`:",
            "",
            *table(("what", "before", "after"), ((k, before[k], after[k]) for k in before)),
        ],
    )  # fmt: skip


def test_a_worker_that_is_killed_comes_back(stack: Stack) -> None:
    container = stack.compose("ps", "--quiet", "worker").split()[0]
    form = "{{.State.Pid}}"
    pid = stack.engine.docker("inspect", "--format", form, container).stdout.strip()
    os.kill(int(pid), 9)
    restarts = "{{.RestartCount}} {{.State.Health.Status}}"

    def back() -> bool:
        said = stack.engine.docker("inspect", "--format", restarts, container).stdout.split()
        return int(said[0]) >= 1 and said[1] == "healthy"

    until(back, lambda: stack.compose("logs", "--tail", "20", "worker"))


def test_a_second_worker_is_another_host(stack: Stack) -> None:
    stack.compose("up", "--detach", "--no-recreate", "--scale", "worker=2")

    def names() -> set[str]:
        said = stack.compose("logs", "--no-color", "worker")
        return set(re.findall(r"the worker of host (\S+) is up", said))

    until(lambda: names() == {"worker-1", "worker-2"}, lambda: str(names()))
    stack.compose("up", "--detach", "--no-recreate", "--scale", "worker=1")


def test_a_wrong_secret_is_said(stack: Stack) -> None:
    def said() -> str:
        return stack.compose("logs", "--tail", "20", "master")

    wrong = stack.folder / "wrong"
    shutil.rmtree(wrong, ignore_errors=True)
    shutil.copytree(stack.folder / "secrets", wrong)
    (wrong / "database").write_text("another\n")
    own(stack.engine.user, wrong)
    try:
        stack.compose("up", "--detach", "--no-deps", "master", VLAG_SECRETS=str(wrong))
        refused = "password authentication failed"
        until(lambda: refused in said(), said)
        assert stack.health("master") != "healthy"
    finally:
        stack.up()
    assert stack.health("master") == "healthy"


def test_a_port_in_use_is_said(stack: Stack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = stack.engine.docker(
            "compose", "up", "--detach", "--no-deps", "master", status=None,
            env={**stack.settings, "VLAG_WEB_PORT": port},
        )  # fmt: skip
    assert done.returncode
    assert port in done.stderr
    stack.up()
    assert stack.health("master") == "healthy"


@pytest.mark.usefixtures("night")
def test_down_with_its_volumes_loses_all(stack: Stack) -> None:
    """Negative control: what `down` keeps is in the volumes, and nowhere else."""
    assert stack.counts()["run"]
    volumes = ("volume", "ls", "--quiet", "--filter", f"label=com.docker.compose.project={PROJECT}")
    assert stack.engine.docker(*volumes).stdout
    stack.compose("down", "--volumes")
    assert stack.engine.docker(*volumes).stdout == ""
    stack.compose("up", "--detach", "postgres")
    until(lambda: stack.health("postgres") == "healthy", lambda: stack.compose("logs", "postgres"))
    assert stack.sql("SELECT to_regclass('run')") == ""
