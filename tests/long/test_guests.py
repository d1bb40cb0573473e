# SPDX-License-Identifier: GPL-2.0-only
"""S4 for real, on an emulated host: two guests under KVM, TCP over vhost, the host's kworkers.

The kernel under test is Debian's 6.12 with its modules, the guests have its 6.1; nothing is built.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

from bench.evidence import table, write
from tests.long.emulated import Emulated, Ran, emulated
from tests.night.clone import environment
from vlag import ROOT, config
from vlag.bundle import describe, sha256
from vlag.config.catalogue import load
from vlag.errors import ExitCode
from vlag.kernel.kconfig import options
from vlag.lava import render
from vlag.model import Benchmark, Histogram, ParsedOutput
from vlag.parsers import parse
from vlag.pipeline import guest as guests

pytestmark = pytest.mark.long

CATALOGUE = load()
BOARD = "vhost-1"
#: The least that two guests need.
SMALL = {"cpus": 1, "memory_mb": 192, "duration_s": 1}
#: Host seconds that a run may take.
ENDS_S = 3600
GUESTS = {"6.1": "guest.deb", "6.12": "other.deb"}


@frozen(kw_only=True)
class Place(Emulated):
    """A state folder whose one board is an emulated host of guests."""

    host: Path  # bundle of the kernel under test

    def guest(self, branch: str) -> None:
        """Let the board's guests boot the kernel of a branch."""
        inventory(self.folder, GUESTS[branch])

    def measured(self, benchmark: str, **given: object) -> Ran:
        """Boot and measure once, or return the run that is kept."""
        return self.run(self.host, BOARD, benchmark, ENDS_S, {**SMALL, **given})


def inventory(folder: Path, kernel: str) -> None:
    """Write the shipped list of boards with one more host at its end."""
    shipped = (ROOT / "ansible" / "inventory" / "boards.yml").read_text()
    (folder / "boards.yml").write_text(
        f"{shipped}        {BOARD}:\n          board_type: qemu-vhost-host\n"
        f"          guest_kernel: {folder / kernel}\n"
    )


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with emulated() as made:
        settings = made.folder / "vlag.toml"
        if "boards.yml" not in settings.read_text().partition("\n[inventory]\n")[2]:
            settings.write_text(f'{settings.read_text()}\n[inventory]\nboards = "boards.yml"\n')
        inventory(made.folder, GUESTS["6.1"])
        built = {}
        for branch, name in GUESTS.items():
            answer = made.vlag(
                "build", "--tree", "prebuilt", "--ref", branch, "--board-type", "qemu-vhost-host"
            )
            built[branch] = Path(answer["bundle"])
            document = json.loads((built[branch] / "build.json").read_text())
            [package] = document["kernel"]["prebuilt"]["sha256"]
            shutil.copy(made.folder / "var" / "images" / "prebuilt" / package, made.folder / name)
        yield Place(folder=made.folder, host=built["6.12"])


@pytest.fixture(scope="module")
def traffic(place: Place) -> Ran:
    place.guest("6.1")
    return place.measured("iperf3-vms")


@pytest.fixture(scope="module")
def wakeups(place: Place) -> Ran:
    place.guest("6.1")
    return place.measured("kworker-wakeup-vms")


@pytest.fixture(scope="module")
def other(place: Place) -> Ran:
    """Return a run whose guests have another kernel: that of the host."""
    place.guest("6.12")
    return place.measured("iperf3-vms")


def parsed(ran: Ran, tool: str) -> ParsedOutput:
    return parse(tool, ran.output.read_bytes(), path=str(ran.output))


def on_this_machine(place: Place, benchmark: Benchmark, folder: Path) -> int:
    """Run a benchmark's script in a network of its own; return its status.

    The guests run under TCG and without vhost, as the host under test is this machine's kernel.
    """
    settings = config.load(place.folder / "vlag.toml")
    guest = guests.prepare(settings, benchmark, str(place.folder / GUESTS["6.1"]), "x86_64")
    assert guest is not None
    root, out = folder / "root", folder / "out"
    for made in (root, out):
        made.mkdir()
    subprocess.run(["cpio", "-idm", "--quiet"], input=guest.archive, cwd=root, check=True)
    shutil.copy(guests.SCRIPT, root / "vlag" / "guests")
    changed = {
        "/out/": f"{out}/", "/vlag/guest/": f"{root}/vlag/guest/", "vhost=on,queues=1": "vhost=off",
    }  # fmt: skip
    argv = {}
    for role, words in render.argv(benchmark, {**benchmark.parameters, **SMALL}).items():
        text = "\n".join({"kvm": "tcg", "host": "max"}.get(word, word) for word in words)
        for old, new in changed.items():
            text = text.replace(old, new)
        argv[f"{role.upper()}_ARGV"] = text
    script = ROOT / "lava-jobs" / "benchmarks" / benchmark.name / "run.sh"
    return subprocess.run(
        ["unshare", "--net", "busybox", "sh", script], timeout=ENDS_S, check=False,
        env={**os.environ, **argv, "OUT": str(out), "VLAG_ROOT": str(root)},
    ).returncode  # fmt: skip


def test_the_scripts_carry_traffic_between_two_guests(place: Place, tmp_path: Path) -> None:
    """All but KVM and vhost, on any machine."""
    assert on_this_machine(place, CATALOGUE.benchmark("iperf3-vms"), tmp_path) == 0
    raw = tmp_path / "out" / "iperf3.json"
    found = {s.metric: s.values for s in parse("iperf3", raw.read_bytes(), path=str(raw)).samples}
    assert found["throughput"][0] > 0
    assert re.search(r'"system_info":\s*"Linux \S+ 6\.1\.', raw.read_text())


def test_a_guest_whose_load_fails_fails_the_run(place: Place, tmp_path: Path) -> None:
    """Negative control: iperf3 has no such option."""
    known = CATALOGUE.benchmark("iperf3-vms")
    words = [word.replace("--json", "--jsn") for word in known.argv["guest"]]
    assert words != list(known.argv["guest"])
    broken = evolve(known, argv={**known.argv, "guest": tuple(words)})
    assert on_this_machine(place, broken, tmp_path) == 1
    console = (tmp_path / "out" / "client.txt").read_text()
    assert re.search(r"^vlag: end [1-9]", console, re.M)


def throughput(ran: Ran) -> float:
    [found] = [s for s in parsed(ran, "iperf3").samples if s.metric == "throughput"]
    return found.values[0]


def latencies(ran: Ran) -> Histogram:
    [found] = parsed(ran, "wakeup-trace").histograms
    return found


def vhost_ticks(ran: Ran) -> dict[str, int]:
    """Return user and system time of each vhost thread, in the host's ticks."""
    lines = (ran.folder / "raw" / "vhost.txt").read_text().splitlines()
    found = {}
    for line in lines:
        name, _, rest = line.partition("(")[2].rpartition(")")
        found[name] = sum(map(int, rest.split()[11:13]))
    return found


def test_the_host_loads_what_its_guests_need(place: Place, traffic: Ran) -> None:
    built = options((place.host / "config").read_text())
    assert {built[f"CONFIG_{o}"] for o in ("KVM", "VHOST_NET", "TUN", "BRIDGE")} == {"m"}
    loaded = traffic.document["read_back"]["modules"].split()
    assert {"kvm", "kvm_amd", "vhost", "vhost_net", "tun", "bridge"} <= set(loaded)
    assert traffic.environment["uname"].split()[2] == traffic.document["release"]
    assert traffic.document["release"].startswith("6.12.")


def test_both_guests_run_another_kernel(traffic: Ran) -> None:
    raw = traffic.folder / "raw"
    assert re.search(r"^vlag: ready", (raw / "server.txt").read_text(), re.M)
    assert re.search(r"^vlag: end 0", (raw / "client.txt").read_text(), re.M)
    assert traffic.document["guest"]["release"].startswith("6.1.")
    # iperf3 says on which machine it ran.
    assert re.search(r'"system_info":\s*"Linux \S+ 6\.1\.', traffic.output.read_text())


def test_traffic_goes_over_vhost(traffic: Ran) -> None:
    assert throughput(traffic) > 0
    assert any(vhost_ticks(traffic).values())


def test_the_hosts_kworkers_are_measured(wakeups: Ran) -> None:
    found = latencies(wakeups)
    assert found.achieved > 10
    assert all(name.startswith("kworker/") for name in found.instances)


def test_the_bundle_names_the_guest(place: Place, traffic: Ran, wakeups: Ran) -> None:
    [built] = [
        p for p in (place.folder / "var" / "builds").glob("*/*/build.json")
        if json.loads(p.read_text())["release"] == traffic.document["guest"]["release"]
    ]  # fmt: skip
    assert traffic.document["guest"]["kernel_sha256"] == sha256(built.parent / "image")
    assert wakeups.document["guest"] == traffic.document["guest"]
    assert traffic.document["guest"]["packages"]["iperf3"].startswith("3.")


def test_another_guest_is_never_compared(place: Place, traffic: Ran, other: Ran) -> None:
    """Negative control: all else is equal."""
    assert other.document["guest"]["release"].startswith("6.12.")
    assert other.document["run_key"] != traffic.document["run_key"]
    assert other.document["entry_sha256"] == traffic.document["entry_sha256"]
    answer = place.vlag("compare", traffic.folder, other.folder)
    assert {row["verdict"] for row in answer["rows"]} == {"NOT_COMPARABLE"}
    assert all("setup" in row["reason"] for row in answer["rows"])


def test_a_kernel_without_vhost_is_refused(place: Place, tmp_path: Path) -> None:
    kernel = tmp_path / "kernel"
    shutil.copytree(place.host, kernel)
    config = kernel / "config"
    text = config.read_text()
    assert "CONFIG_VHOST_NET=m\n" in text
    config.write_text(text.replace("CONFIG_VHOST_NET=m\n", "# CONFIG_VHOST_NET is not set\n"))
    document = json.loads((kernel / "build.json").read_text())
    document["config"] = describe(kernel, "config")
    (kernel / "build.json").write_text(json.dumps(document))
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "run", kernel, "--board", BOARD,
         "--benchmark", "iperf3-vms"],
        capture_output=True, text=True, check=False, env=environment(place.folder / "vlag.toml"),
    )  # fmt: skip
    assert done.returncode == ExitCode.USAGE
    assert f"iperf3-vms needs CONFIG_VHOST_NET, which {config} lacks" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_evidence(place: Place, traffic: Ran, wakeups: Ran, other: Ran) -> None:
    """Write down what the emulated host gave."""
    rows = []
    for name, ran in (("iperf3-vms", traffic), ("kworker-wakeup-vms", wakeups),
                      ("iperf3-vms", other)):  # fmt: skip
        d = ran.document
        figure = (
            f"{throughput(ran):.1f} Mbit/s"
            if name == "iperf3-vms"
            else f"{latencies(ran).achieved} wake-ups of"
            f" {len(latencies(ran).instances)} kworkers, at most {max(latencies(ran).maximum):g} us"
        )
        rows.append(
            (name, d["release"], d["guest"]["release"], figure,
             sum(vhost_ticks(ran).values()), f"{ran.seconds:.0f}")
        )  # fmt: skip
    userland = place.folder / "var" / "userland"
    write(
        "guests",
        "Two guests of an emulated host",
        "pytest -m long tests/long/test_guests.py",
        [
            f"emulator: {traffic.document['board']['emulator']['version']}",
            f"guest kernel: {traffic.document['guest']['kernel_sha256'][:16]}",
            f"guest initramfs: {traffic.document['guest']['initramfs_sha256'][:16]}",
        ],
        [
            "Each run boots a Debian kernel with its modules on `qemu-vhost-host`; two guests boot",
            "under its KVM with one vhost queue each, and iperf3 sends for a second. The figures",
            "are the emulator's, on the clock of a machine that had other work too, and prove",
            "nothing about a kernel: the host and its guests take turns on one thread.",
            "",
            *table(
                ("benchmark", "host's kernel", "guests' kernel", "figure",
                 "ticks of the server's vhost threads", "seconds of the run"), rows,
            ),
            "",
            "The last run differs in the guests' kernel alone; it has another key and another",
            "setup, so that `vlag compare` calls the two NOT_COMPARABLE.",
            "",
            f"The userland of the host has {size_mb(userland, traffic):.0f} MB.",
        ],
    )  # fmt: skip


def size_mb(userlands: Path, ran: Ran) -> float:
    """Return the size of the userland that a run's host had."""
    for path in userlands.glob("*/userland.json"):
        if json.loads(path.read_text())["sha256"] == ran.document["userland"]["sha256"]:
            return path.with_name("userland.cpio.zst").stat().st_size / 1e6
    raise AssertionError(f"{userlands} has not the userland of {ran.folder}")
