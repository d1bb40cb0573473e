# SPDX-License-Identifier: GPL-2.0-only
"""arm64: a kernel built across, booted with pages of 4 and of 16 KiB, measured and stored."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from bench.evidence import table, write
from tests.long.emulated import Emulated, Ran, board_of, emulated, image_of
from tests.night.digests import figures
from vlag.errors import ParseError
from vlag.lava import initramfs
from vlag.parsers import parse

pytestmark = pytest.mark.long

#: Board type -> bytes in a page, and the kernel's setting of it.
PAGES = {
    "qemu-arm64": ("4096", "CONFIG_ARM64_4K_PAGES=y"),
    "qemu-arm64-16k": ("16384", "CONFIG_ARM64_16K_PAGES=y"),
}
#: Benchmark -> parameters: as short as their parsers allow.
BENCHMARKS: dict[str, dict[str, object]] = {
    "stress-ng-switch": {"duration_s": 2},
    "cyclictest-idle": {"duration_s": 5, "interval_us": 1000},
}


@pytest.fixture(scope="module")
def place() -> Iterator[Emulated]:
    with emulated() as made:
        yield made


@pytest.fixture(scope="module")
def kernels(place: Emulated) -> dict[str, Path]:
    return {board_type: place.build(board_type) for board_type in PAGES}


@pytest.fixture(scope="module")
def runs(place: Emulated, kernels: dict[str, Path]) -> dict[tuple[str, str], Ran]:
    """Board type and benchmark -> what came of it."""
    return {
        (board_type, name): place.run(kernels[board_type], board_of(board_type), name, 300, given)
        for board_type in PAGES
        for name, given in BENCHMARKS.items()
    }


def test_the_kernels_are_arm64s_own(kernels: dict[str, Path]) -> None:
    for board_type, kernel in kernels.items():
        document = json.loads((kernel / "build.json").read_text())
        config = (kernel / document["config"]["path"]).read_text().splitlines()
        assert document["kernel"]["arch"] == "arm64"
        assert document["toolchain"].startswith("aarch64-linux-gnu-gcc ")
        # Of all settings of a page's size, that of the board type alone.
        assert [s for _, s in PAGES.values() if s in config] == [PAGES[board_type][1]]
        # Magic number of an uncompressed image, at offset 56 of its header.
        image = (kernel / document["image"]["path"]).read_bytes()
        assert image[56:60] == b"ARM\x64"
    assert len({image_of(kernel) for kernel in kernels.values()}) == len(PAGES)


def test_the_page_size_is_on_record(runs: dict[tuple[str, str], Ran]) -> None:
    for (board_type, _), ran in runs.items():
        assert ran.environment["page_size"] == PAGES[board_type][0]
        assert " aarch64 " in ran.environment["uname"]
        assert ran.environment["/sys/devices/system/cpu/online"] == "0-1"


def test_the_page_size_is_what_the_kernel_has_not_what_the_board_is_called(
    place: Emulated, kernels: dict[str, Path]
) -> None:
    """Negative control: the other kernel on the same board."""
    board = board_of("qemu-arm64")
    other = place.run(kernels["qemu-arm64-16k"], board, "stress-ng-switch", 300, {})
    assert other.document["board"]["board_type"] == "qemu-arm64"
    assert other.environment["page_size"] == "16384"


def test_what_was_measured_is_read(runs: dict[tuple[str, str], Ran]) -> None:
    for (_, name), ran in runs.items():
        parsed = figures(ran.folder, ran.document)
        assert [s for s in parsed.samples if s.values] or parsed.histograms
        if name == "cyclictest-idle":
            [latency] = parsed.histograms
            assert latency.counts.shape[0] == 2  # a thread for each CPU


def test_what_was_measured_is_stored(
    place: Emulated, kernels: dict[str, Path], runs: dict[tuple[str, str], Ran], dsn: str
) -> None:
    own = evolve(place, database=dsn)
    bundles = [*kernels.values(), *(ran.folder for ran in runs.values())]
    stored = own.vlag("ingest", *bundles)
    assert [s["new"] for s in stored["stored"]] == [True] * len(bundles)
    assert not any(s["new"] for s in own.vlag("ingest", *bundles)["stored"])


def test_an_output_that_is_cut_off_is_refused(runs: dict[tuple[str, str], Ran]) -> None:
    """Negative control of the reading: the figures are not there."""
    ran = runs["qemu-arm64", "stress-ng-switch"]
    raw = ran.output.read_bytes()
    assert parse("stress-ng", raw, path="whole").samples
    with pytest.raises(ParseError):
        parse("stress-ng", raw[: raw.index(b"metrc")], path="cut")


def test_the_applets_are_those_that_busybox_lists(tmp_path: Path) -> None:
    """This machine can ask only its own busybox: the other's table is read the same way."""
    packages = ["busybox", "libc-bin"]
    for arch in ("x86_64", "arm64"):
        initramfs.build(tmp_path, packages, [], arch=arch)
    found = {}
    for program in tmp_path.glob("root-*/bin/busybox"):
        read = subprocess.run(
            ["readelf", "--file-header", program], capture_output=True, text=True, check=True
        )
        found["AArch64" in read.stdout] = program
    foreign, own = found[True], found[False]
    said = subprocess.run(
        ["chroot", own.parents[1], "/bin/busybox", "--list"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert initramfs.applets(own) == said
    assert initramfs.applets(foreign) == said


def test_the_evidence(kernels: dict[str, Path], runs: dict[tuple[str, str], Ran]) -> None:
    """Write the figures; they are those of this session."""
    emulator = next(iter(runs.values())).document["board"]["emulator"]
    builds = {
        board_type: json.loads((kernel / "build.json").read_text())
        for board_type, kernel in kernels.items()
    }
    rows = []
    for (board_type, name), ran in runs.items():
        parsed = figures(ran.folder, ran.document)
        metrics = [*(s.metric for s in parsed.samples), *(h.metric for h in parsed.histograms)]
        values = sum(len(s.values) for s in parsed.samples)
        values += sum(int(h.counts.sum()) for h in parsed.histograms)
        told = ran.environment["page_size"]
        rows.append([board_type, told, name, ", ".join(metrics), values, f"{ran.seconds:.0f}"])
    write(
        "arm64",
        "arm64 with pages of 4 and 16 KiB",
        "pytest -m long tests/long/test_arm64.py",
        [
            f"{emulator['program']} {emulator['version']}",
            f"compiler: {builds['qemu-arm64']['toolchain']}",
            *(
                f"kernel of {board_type}: {d['kernel']['describe']}, "
                f"image {d['image']['sha256'][:16]}, {d['image']['bytes']} bytes"
                for board_type, d in builds.items()
            ),
        ],
        [
            "Debian's 6.12, cross-built for arm64 and booted by lava-run on emulated boards, with",
            "the same benchmarks as on x86. The board itself reported the page size. The figures",
            "are the emulator's and prove nothing about a kernel. Seconds are from the start of",
            "the command to its end, including the boot.",
            "",
            *table(["board type", "page size", "benchmark", "figures", "values", "seconds"], rows),
        ],
    )
