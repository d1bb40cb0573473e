# SPDX-License-Identifier: GPL-2.0-only
"""480 CPUs: the kernel brings them up, and benchmarks with a thread for each are read."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attrs import evolve

from bench.evidence import table, write
from tests.long.emulated import Emulated, Ran, board_of, emulated, image_of
from tests.night.clone import environment
from tests.night.digests import figures
from vlag.errors import ExitCode

pytestmark = pytest.mark.long

CPUS = 480
BOARD_TYPES = ("qemu-arm64-480", "qemu-x86-480")
#: Benchmark -> parameters.  One host thread stands for all CPUs: few wake-ups a second, and a table
#: of few lines, as each has a number for every thread.  Of cyclictest's time the first minutes pass
#: while the threads are made, each of which locks 8 MB.
BENCHMARKS: dict[str, dict[str, object]] = {
    "pi-stress": {"groups": CPUS // 2},
    "cyclictest-idle": {"duration_s": 240, "interval_us": 4000000, "histogram_us": 500},
}
#: Seconds for a benchmark beyond the boot's, on a busy machine.
TIMEOUT_S = 1800


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        yield made


@pytest.fixture(scope="module")
def runs(place: Emulated) -> dict[tuple[str, str], Ran]:
    """Board type and benchmark -> what came of it."""
    kernels = {board_type: place.build(board_type) for board_type in BOARD_TYPES}

    def measure(board_type: str) -> dict[tuple[str, str], Ran]:
        return {
            (board_type, name): place.run(
                kernels[board_type], board_of(board_type), name, TIMEOUT_S, given
            )
            for name, given in BENCHMARKS.items()
        }

    # Each machine has one thread of the host.
    with ThreadPoolExecutor(len(BOARD_TYPES)) as pool:
        return {key: ran for of in pool.map(measure, BOARD_TYPES) for key, ran in of.items()}


def test_all_cpus_are_on(runs: dict[tuple[str, str], Ran]) -> None:
    for ran in runs.values():
        assert ran.environment["/sys/devices/system/cpu/online"] == f"0-{CPUS - 1}"
        assert ran.document["board"]["cpus"] == CPUS


def test_a_thread_for_each_cpu_is_read(runs: dict[tuple[str, str], Ran]) -> None:
    for board_type in BOARD_TYPES:
        ran = runs[board_type, "cyclictest-idle"]
        [latency] = figures(ran.folder, ran.document).histograms
        assert latency.counts.shape[0] == CPUS
        # Within the histogram or beyond it, each thread has samples.
        rows = zip(latency.counts, latency.overflow, strict=True)
        assert all(counts.sum() + over for counts, over in rows)


def test_a_group_for_each_two_cpus_is_read(runs: dict[tuple[str, str], Ran]) -> None:
    for board_type in BOARD_TYPES:
        ran = runs[board_type, "pi-stress"]
        assert ran.document["parameters"]["groups"] == CPUS // 2
        samples = {s.metric: s.values for s in figures(ran.folder, ran.document).samples}
        assert samples["inversions"][0] > 0


def test_what_was_measured_is_stored(
    place: Emulated, runs: dict[tuple[str, str], Ran], dsn: str
) -> None:
    own = evolve(place, database=dsn)
    bundles = [*{place.build(b) for b in BOARD_TYPES}, *(ran.folder for ran in runs.values())]
    stored = own.vlag("ingest", *bundles)
    assert [s["new"] for s in stored["stored"]] == [True] * len(bundles)


@pytest.fixture(scope="module")
def refused(place: Emulated) -> str:
    """What is said of a board of which one CPU stays off."""
    board_type = "qemu-x86-480"
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "run", place.build(board_type),
         "--board", board_of(board_type), "--benchmark", "stress-ng-switch",
         "--timeout", str(TIMEOUT_S), f"--knob=cmdline=nr_cpus={CPUS - 1}"],
        capture_output=True, text=True, check=False, env=environment(place.folder / "vlag.toml"),
    )  # fmt: skip
    assert done.returncode == ExitCode.INFRASTRUCTURE, done.stderr
    return done.stderr.splitlines()[-1]


def test_a_board_that_lacks_one_is_refused(refused: str) -> None:
    """Negative control: the same image, and one CPU less."""
    assert f"{CPUS - 1} CPUs are online (0-{CPUS - 2}), and boards of this type have" in refused


def test_the_evidence(place: Emulated, runs: dict[tuple[str, str], Ran], refused: str) -> None:
    """Write the figures; they are those of this session."""
    emulators = {
        board_type: runs[board_type, "pi-stress"].document["board"] for board_type in BOARD_TYPES
    }
    rows = []
    for (board_type, name), ran in runs.items():
        parsed = figures(ran.folder, ran.document)
        threads = [h.counts.shape[0] for h in parsed.histograms]
        rows.append(
            [
                board_type,
                ran.environment["/sys/devices/system/cpu/online"],
                name,
                ", ".join(f"{k}={v}" for k, v in ran.document["parameters"].items()),
                f"{threads[0]} threads" if threads else f"{CPUS // 2} groups",
                f"{ran.output.stat().st_size}",
                f"{ran.seconds:.0f}",
            ]
        )
    write(
        "cpus-480",
        "480 CPUs",
        "pytest -m long tests/long/test_cpus_480.py",
        [
            *(
                f"{board_type}: {board['emulator']['program']} {board['emulator']['version']}, "
                f"image {image_of(place.build(board_type))}"
                for board_type, board in emulators.items()
            ),
        ],
        [
            "Debian's 6.12 on emulated machines with 480 CPUs, booted by lava-run. The test shows",
            "that the kernel brings up all CPUs, and that vlag reads and stores benchmarks with",
            "one thread for each CPU. Seconds are from the start of the command to its end,",
            "including the boot.",
            "",
            *table(
                ["board type", "CPUs online", "benchmark", "parameters", "read", "bytes",
                 "seconds"],
                rows,
            ),
            "",
            f"With `nr_cpus={CPUS - 1}` on the command line of the x86 board the run is no result:",
            "",
            f"> {refused}",
        ],
    )  # fmt: skip
