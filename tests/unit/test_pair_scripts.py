# SPDX-License-Identifier: GPL-2.0-only
"""Both machines of a pair, played by two network namespaces with busybox and real iperf3."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests.pair_machines import ADDRESS, OTHER, cabled, fill
from vlag import ROOT
from vlag.config.catalogue import load
from vlag.errors import InfrastructureError
from vlag.lava import console
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge
from vlag.model import Outcome
from vlag.parsers import parse

pytestmark = pytest.mark.slow

CATALOGUE = load()
PAIR = CATALOGUE.benchmark("iperf3-pair")


@frozen(kw_only=True)
class Machine:
    """A root with busybox's programs and the entry that a board is given, in a namespace."""

    role: str
    root: Path
    namespace: str

    @property
    def out(self) -> Path:
        return self.root / "out"

    def start(self, limit_s: int = 20, **variables: str) -> subprocess.Popen[str]:
        """Run the benchmark's script as init would; it waits `limit_s` for the other machine."""
        lines = f". {self.root}/vlag/entry; {''.join(f'{k}={v};' for k, v in variables.items())}"
        return subprocess.Popen(
            [str(shutil.which("ip")), "netns", "exec", self.namespace,
             self.root / "bin" / "busybox", "sh", "-c",
             f"set -a; {lines} exec sh {self.root}/vlag/run.sh"],
            env={"PATH": f"{self.root}/bin", "VLAG_ROOT": str(self.root), "OUT": str(self.out),
                 "VLAG_PAIR_LIMIT_S": str(limit_s)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[dict[str, Machine]]:
    """Yield two machines that a cable joins; nobody has given them addresses."""
    lacking = [p for p in ("busybox", "iperf3", "ip") if shutil.which(p) is None]
    assert not lacking, f"missing: {lacking}; workers/packages/check.txt names their packages"
    with cabled() as names:
        yield {role: machine(tmp_path / role, role, name) for role, name in names.items()}


def machine(root: Path, role: str, namespace: str) -> Machine:
    fill(root, role, PAIR, {"duration_s": 1})
    (root / "bin" / "iperf3").symlink_to(str(shutil.which("iperf3")))
    return Machine(role=role, root=root, namespace=namespace)


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=30)
    return process.returncode, said


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for what a process does; fail with its words if it ends first."""
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)


def listening(machine: Machine, port: int) -> Callable[[], bool]:
    return lambda: f":{port:04X} " in sockets(machine)


def asked_in_vain(machine: Machine, address: str) -> Callable[[], bool]:
    """Tell whether it has looked for an address that nobody has."""
    return lambda: (
        re.search(rf"^{address} .* 00:00:00:00:00:00 ", seen(machine, "arp"), re.M) is not None
    )


def measuring(sut: Machine) -> Callable[[], bool]:
    return (sut.out / "stat-before.txt").exists


def seen(machine: Machine, *tables: str) -> str:
    """Return tables of /proc/net as they are in a machine's namespace."""
    paths = [f"/proc/net/{table}" for table in tables]
    return subprocess.run(
        ["ip", "netns", "exec", machine.namespace, "cat", *paths],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def sockets(machine: Machine) -> str:
    """Return the local ends of what listens."""
    text = seen(machine, "tcp", "tcp6")
    return " ".join(f"{m} " for m in re.findall(r"^ *\d+: (\S+) \S+ 0A ", text, re.M))


@pytest.mark.parametrize("first", ["sut", "loadgen"])
def test_a_pair_measures_in_whatever_order_it_starts(
    machines: dict[str, Machine], first: str
) -> None:
    started = {first: machines[first].start()}
    if first == "sut":
        until(listening(machines["sut"], 7676), started["sut"])
    else:
        until(asked_in_vain(machines["loadgen"], ADDRESS["sut"]), started["loadgen"])
    started[OTHER[first]] = machines[OTHER[first]].start()
    assert {role: end(process) for role, process in started.items()} == {
        "sut": (0, ""),
        "loadgen": (0, ""),
    }
    data = (machines["loadgen"].out / "iperf3.json").read_bytes()
    figures = {s.metric: s.values for s in parse("iperf3", data, path="iperf3.json").samples}
    assert set(figures) == {m.name for m in PAIR.metrics}
    assert figures["throughput"][0] > 0
    sut = machines["sut"].out
    assert sorted(p.name for p in sut.iterdir()) == [
        "iperf3-server.json", "stat-after.txt", "stat-before.txt",
    ]  # fmt: skip
    assert '"error"' not in (sut / "iperf3-server.json").read_text()
    # What it counts is the measured second, no waiting for the other machine.
    before, after = ((sut / f"stat-{t}.txt").read_text().split("\n")[0].split()[1:5]
                     for t in ("before", "after"))  # fmt: skip
    ticks = sum(map(int, after)) - sum(map(int, before))
    cpus, hz = os.cpu_count() or 1, os.sysconf("SC_CLK_TCK")
    assert 0.5 < ticks / cpus / hz < 10


def test_a_load_generator_without_a_sut_gives_up(machines: dict[str, Machine]) -> None:
    status, said = end(machines["loadgen"].start(limit_s=1))
    assert status == 1
    assert said == (
        'pair: the machine under test at 192.168.76.1 did not answer "ready" on port 7676 within'
        " 1 s\n"
    )
    assert not list(machines["loadgen"].out.iterdir())


def test_a_sut_without_a_load_generator_gives_up(machines: dict[str, Machine]) -> None:
    status, said = end(machines["sut"].start(limit_s=1))
    assert status == 1
    assert 'pair: no load generator at 192.168.76.2 said "ready" within 1 s\n' in said
    assert not sockets(machines["sut"])


def test_a_sut_outlives_a_load_generator_that_dies(machines: dict[str, Machine]) -> None:
    # It waits for the test's seconds and 60 more.
    sut = machines["sut"].start(SETTINGS_ARGV="'busybox\necho\n-59'")
    loadgen = machines["loadgen"].start()
    until(measuring(machines["sut"]), sut)
    os.killpg(loadgen.pid, signal.SIGKILL)
    end(loadgen)
    status, said = end(sut)
    assert status == 1
    assert 'said "done" within 1 s' in said


def test_a_load_generator_notices_a_sut_that_dies(machines: dict[str, Machine]) -> None:
    sut = machines["sut"].start()
    until(listening(machines["sut"], 7676), sut)
    loadgen = machines["loadgen"].start(limit_s=3, MAIN_ARGV="'iperf3\n--json\n--time\n20'")
    until(measuring(machines["sut"]), sut)
    os.killpg(sut.pid, signal.SIGKILL)
    end(sut)
    status, said = end(loadgen)
    assert status == 1
    assert "did not answer" in said


def test_a_client_that_fails_fails_both(machines: dict[str, Machine]) -> None:
    sut = machines["sut"].start()
    loadgen = machines["loadgen"].start(MAIN_ARGV="'iperf3\n--json\n--port\n9'")
    assert end(loadgen)[0] == 1
    status, said = end(sut)
    assert status == 1
    assert "pair: the load generator's program ended with status 1\n" in said
    # iperf3 3.12 itself ends with 0 then.
    assert '"error"' in (machines["loadgen"].out / "iperf3.json").read_text()


def test_a_server_that_ends_is_no_server(machines: dict[str, Machine]) -> None:
    status, said = end(machines["sut"].start(SUT_ARGV="false"))
    assert status == 1
    assert "pair: no server listens on port 5201" in said


def test_what_else_connects_is_not_taken_for_the_load_generator(
    machines: dict[str, Machine],
) -> None:
    sut = machines["sut"].start()
    enter = ["ip", "netns", "exec", machines["sut"].namespace, "busybox", "nc", "127.0.0.1", "7676"]
    for word in ("", "done 0\n", "GET / HTTP/1.0\n"):
        until(listening(machines["sut"], 7676), sut)
        subprocess.run(enter, input=word, text=True, capture_output=True, check=False)
    assert not (machines["sut"].out / "stat-before.txt").exists()
    assert end(machines["loadgen"].start()) == (0, "")
    assert end(sut) == (0, "")


def test_one_machine_alone_is_told_that_it_needs_another(machines: dict[str, Machine]) -> None:
    status, said = end(machines["sut"].start(ROLE="main"))
    assert status == 2
    assert "needs a pair of machines" in said


def databases(machines: dict[str, Machine]) -> None:
    """Give both machines the script of the database, in place of the pair's."""
    script = CATALOGUE.benchmark("mysql-tprocc").script
    for one in machines.values():
        (one.root / "vlag" / "run.sh").write_bytes(script)


SETTINGS = "'busybox\necho\n64\n0\n0\n24'"


def test_the_database_script_keeps_the_same_order(
    machines: dict[str, Machine], tmp_path: Path
) -> None:
    """MySQL and HammerDB are stood in for: by a listener, and by what one run printed."""
    databases(machines)
    for one in machines.values():
        # Its disk is attached.
        (one.root / "disk" / "proc" / "self").mkdir(parents=True)
        (one.root / "disk" / "tmp").mkdir()
        (one.root / "disk" / "tmp" / "hdbxtprofile.log").write_text("")
        data = one.root / "disk" / "var" / "lib"
        for name, content in (("mysql.pristine", "as built"), ("mysql", "of an earlier run")):
            (data / name).mkdir(parents=True)
            (data / name / "table").write_text(content)
    # HammerDB begins its lines with a carriage return, and its last one has nothing else.
    log = ROOT / "tests" / "data" / "parsers" / "hammerdb" / "4.12-mariadb-10.11.txt"
    printed = log.read_bytes().partition(b"\nstatus 0\n")[0]
    assert printed.endswith(b"\n\r")
    report = tmp_path / "printed.txt"
    report.write_bytes(printed.removeprefix(b"time profile follows\n"))
    sut = machines["sut"].start(SUT_ARGV="'nc\n-ll\n-p\n3306\n-e\ncat'", SETTINGS_ARGV=SETTINGS)
    loadgen = machines["loadgen"].start(MAIN_ARGV=f"'cat\n{report}'", SETTINGS_ARGV=SETTINGS)
    assert end(loadgen)[0] == 0
    assert end(sut)[0] == 0
    tcl = (machines["loadgen"].root / "disk" / "tmp" / "tprocc.tcl").read_text()
    assert "diset connection mysql_host 192.168.76.1\n" in tcl
    # It keeps what an earlier run told it, so that the script tells it all.
    assert "diset connection mysql_port 3306\n" in tcl
    text = (machines["loadgen"].out / "hammerdb.txt").read_text()
    assert text.startswith("time profile follows\n")
    assert "\nstatus 0\n" in text
    assert (machines["sut"].out / "stat-after.txt").exists()
    # The server had a copy of the database as it was built.
    assert (machines["sut"].root / "disk/var/lib/mysql/table").read_text() == "as built"


@pytest.mark.parametrize("role", ["sut", "loadgen"])
def test_a_machine_without_the_databases_disk_says_so(
    machines: dict[str, Machine], role: str
) -> None:
    databases(machines)
    status, said = end(machines[role].start(SETTINGS_ARGV=SETTINGS))
    assert status == 1
    assert said.startswith("@vlag:knob disk failed ")
    lines = [*said.splitlines(), "@vlag:status 1", "@vlag:done"]
    job = JobResult(console=tuple(lines), error_type=None, error=None, version="1")
    with pytest.raises(InfrastructureError, match=r"disk .* label vlag-mysql: make one"):
        judge(console.read(lines), job, 60)
    outcome, _ = judge(console.read(lines[1:]), job, 60)  # negative control
    assert outcome is Outcome.BENCHMARK_FAILED
