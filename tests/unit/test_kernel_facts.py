# SPDX-License-Identifier: GPL-2.0-only
"""What the catalogue says of the kernel's structures, options and releases.

The layouts are those of Linux 6.1 and 6.12 on x86-64 with CONFIG_CPUMASK_OFFSTACK=y.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.boards import SHELLS
from vlag import ROOT
from vlag.config import kernel_needs
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.pipeline.build_stage import fragments_of

CATALOGUE = load()
BENCHMARKS = ROOT / "lava-jobs" / "benchmarks"
X86_480 = CATALOGUE.board_type("x86-480")

#: Member -> its offset in bytes, in root_domain, cpupri and cpupri_vec.
DOMAIN = {"refcount": 0, "rto_count": 4, "overloaded": 40, "rto_push_work": 120, "rto_lock": 152,
          "rto_loop_next": 164, "rto_loop_start": 168, "rto_mask": 176, "cpupri": 184}  # fmt: skip
#: As pahole prints it: name, declaration, offset and size; size of the whole.
PRINTED = {
    "root_domain": ([("struct cpupri", "cpupri", 184, 1624)], 1816),
    "cpupri": (
        [("struct cpupri_vec", "pri_to_cpu[101]", 0, 1616), ("int *", "cpu_to_pri", 1616, 8)],
        1624,
    ),
    "cpupri_vec": ([("atomic_t", "count", 0, 4), ("cpumask_var_t", "mask", 8, 8)], 16),
}
PLACE = 0xFF110001035EA800
MASK = 0xFF11000104C03210


def pahole(members: list[tuple[str, str, int, int]], size: int) -> str:
    rows = [f"\t{kind:<26} {name};{' ':<14}/* {at:>5} {n:>5} */" for kind, name, at, n in members]
    end = f"\t/* size: {size}, cachelines: {-(-size // 64)}, members: {len(members)} */"
    return "\n".join(["struct x {", *rows, "", end, "};"])


def watched(shell: list[str], root: Path, *, traced: bool = True) -> dict[str, int]:
    """Run c2c's script; return the address of each watched line, and check their size."""
    tracing = root / "sys/kernel/tracing"
    (tracing / "events/vlag/place").mkdir(parents=True)
    (root / "out").mkdir()
    tools = root / "tools"
    tools.mkdir()
    for name, (members, size) in PRINTED.items():
        (tools / f"{name}.txt").write_text(pahole(members, size))
    cpupri = PLACE + DOMAIN["cpupri"]
    line = f" true-1 [000] d..2. 1.0: place: (cpupri_set+0x0/0xf0) at=0x{cpupri:x} mask=0x{MASK:x}"
    programs = {
        "pahole": f'cat {tools}/"$2".txt',
        "mountpoint": "exit 0",
        "chrt": f"echo '{line}' > {tracing}/trace" if traced else f": > {tracing}/trace",
    }
    for name, text in programs.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    script = (BENCHMARKS / "c2c" / "run.sh").read_text()
    subprocess.run(
        [*shell, "-c", re.sub(r"(?<==)/sys/", f"{root}/sys/", script)],
        env={"PATH": f"{tools}:/usr/bin:/bin", "OUT": str(root / "out"), "MAIN_ARGV": "true",
             "REPORT_ARGV": "true"},
        check=True,
    )  # fmt: skip
    # The probe follows the pointer to the mask of priority 99.
    if traced:
        assert f"mask=+{99 * 16 + 8}($arg1):x64" in (tracing / "kprobe_events").read_text()
    found = re.findall(
        r"^watch (\S+) 0x([0-9a-f]+) (\d+)$", (root / "out/c2c.txt").read_text(), re.M
    )
    assert {size for *_, size in found} <= {"64"}
    return {label: int(address, 16) for label, address, _ in found}


@pytest.mark.parametrize("shell", SHELLS)
def test_c2c_counts_cache_lines_from_one(shell: list[str], tmp_path: Path) -> None:
    found = watched(shell, tmp_path)
    first, third = found["root_domain/line1"], found["root_domain/line3"]
    assert (first, third) == (PLACE, PLACE + 128)
    for member in ("rto_count", "overloaded"):
        assert first <= PLACE + DOMAIN[member] < first + 64
    for member in ("rto_lock", "rto_loop_next", "rto_loop_start", "rto_mask", "cpupri"):
        assert third <= PLACE + DOMAIN[member] < third + 64


@pytest.mark.parametrize("shell", SHELLS)
def test_c2c_watches_where_priority_99_counts(shell: list[str], tmp_path: Path) -> None:
    found = watched(shell, tmp_path)
    count = PLACE + DOMAIN["cpupri"] + 99 * 16
    assert found["cpupri/priority-99"] <= count < found["cpupri/priority-99"] + 64
    # The last line of cpupri is another one: vector 100 and the table of the CPUs.
    end = PLACE + DOMAIN["cpupri"] + 1624
    assert found["cpupri/priority-99"] + 64 < end
    assert found["cpupri_vec/mask"] == MASK & ~63


@pytest.mark.parametrize("shell", SHELLS)
def test_c2c_watches_nothing_where_the_probe_saw_nothing(shell: list[str], tmp_path: Path) -> None:
    assert watched(shell, tmp_path, traced=False) == {}


def test_the_offsets_of_the_catalogue_are_those_of_the_kernel() -> None:
    text = (BENCHMARKS / "c2c" / "benchmark.yaml").read_text()
    said = {name: int(at) for name, at in re.findall(r"(\w+)\s+(?:#\s+)?\((\d+)\)", text)}
    assert {k: v for k, v in said.items() if k in DOMAIN} == {
        k: DOMAIN[k]
        for k in (
            "rto_count",
            "overloaded",
            "rto_lock",
            "rto_loop_next",
            "rto_loop_start",
            "rto_mask",
        )
    }
    assert said["count"] == DOMAIN["cpupri"] + 99 * 16


@pytest.mark.parametrize("option", ["CONFIG_CPUMASK_OFFSTACK", "CONFIG_DEBUG_INFO_BTF"])
def test_c2c_is_refused_on_a_kernel_that_lacks_what_its_script_reads(
    tmp_path: Path, option: str
) -> None:
    needed = CATALOGUE.benchmark("c2c").needs.kconfig
    config = tmp_path / "config"
    config.write_text("".join(f"{name}=y\n" for name in needed))
    kernel_needs.check_boot(CATALOGUE.benchmark("c2c"), X86_480, config)
    config.write_text("".join(f"{name}=y\n" for name in needed if name != option))
    with pytest.raises(UsageError, match=f"c2c needs {option}"):
        kernel_needs.check_boot(CATALOGUE.benchmark("c2c"), X86_480, config)


def test_the_kernels_of_480_cpus_have_them() -> None:
    """x86's defconfig has 64 CPUs and no BTF; MAXSMP selects CPUMASK_OFFSTACK."""
    set_there = "".join(path.read_text() for path in fragments_of(X86_480)).splitlines()
    assert {"CONFIG_MAXSMP=y", "CONFIG_DEBUG_INFO_BTF=y", "CONFIG_BPF_SYSCALL=y"} <= set(set_there)
    # pahole writes the BTF.
    worker = (ROOT / "workers" / "packages" / "worker.txt").read_text().splitlines()
    assert "pahole" in worker


def test_cycles_in_user_space_have_no_verdict() -> None:
    compared = {m.name: m.compared for m in CATALOGUE.benchmark("kernel-cycles").metrics}
    assert compared == {"kernel-share": True, "cycles:k": True, "cycles:u": False}


@pytest.mark.parametrize("name", ["lag-adjustments/benchmark.yaml", "../../docs/benchmarks.md"])
def test_the_release_that_returns_the_lags_adjustment(name: str) -> None:
    """Merged into mainline after 7.0 and before 7.1-rc1."""
    text = " ".join((BENCHMARKS / name).read_text().replace("#", " ").split())
    assert re.search(r"059258b0d424\W+(first released in )?\(?Linux 7\.1", text)
    assert not re.search(r"7\.0 on\b|6\.12 and 7\.0", text)


@pytest.mark.parametrize("name", ["04-wakeup-preemption.patch", "05-placement.patch"])
def test_hardware_interrupts_activate_more_than_timers_tasks(name: str) -> None:
    patch = (ROOT / "kernel-patches" / "known-regressions" / name).read_text()
    assert "in_hardirq()" in patch
    assert "TTWU_QUEUE" in patch.partition("\n---\n")[0]


def test_the_latency_of_kworkers_begins_with_their_activation() -> None:
    folder = BENCHMARKS / "kworker-wakeup"
    assert "sched_waking" not in (folder / "run.sh").read_text()
    assert "TTWU_QUEUE" in (folder / "benchmark.yaml").read_text()


def loaded(shell: list[str], root: Path, name: str, *, fails: str = "") -> tuple[int, str]:
    """Run a benchmark that watches ffmpeg, with four CPUs in two cores; return status and log."""
    topology = root / "sys/devices/system/cpu"
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        (topology / f"cpu{cpu}/topology").mkdir(parents=True)
        (topology / f"cpu{cpu}/topology/thread_siblings_list").write_text(f"{siblings}\n")
    tracing = root / "sys/kernel/tracing"
    (tracing / "events/vlag/place").mkdir(parents=True)
    tools, out, log = root / "tools", root / "out", root / "log"
    for folder in (tools, out):
        folder.mkdir()
    for struct, (members, size) in PRINTED.items():
        (tools / f"{struct}.txt").write_text(pahole(members, size))
    programs = {
        "perf": 'while [ "$1" != -- ]; do shift; done; shift; "$@"',
        "taskset": f'echo "$2" >> {log}; [ "$2" != "{fails}" ] || exit 3',
        "pahole": f'cat {tools}/"$2".txt', "mountpoint": "exit 0",
        "chrt": f": > {tracing}/trace",
    }  # fmt: skip
    for program, text in programs.items():
        (tools / program).write_text(f"#!/bin/sh\n{text}\n")
        (tools / program).chmod(0o755)
    script = root / "benchmark.sh"
    text = (BENCHMARKS / name / "run.sh").read_text()
    script.write_text(re.sub(r"/sys/", f"{root}/sys/", text))
    done = subprocess.run(
        [*shell, str(script)], check=False,
        env={"PATH": f"{tools}:/usr/bin:/bin", "OUT": str(out), "MAIN_ARGV": "perf\nstat\n--",
             "LOAD_ARGV": "ffmpeg", "LAYOUT_ARGV": "echo\n2 1", "REPORT_ARGV": "true"},
    )  # fmt: skip
    return done.returncode, log.read_text()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ["kernel-cycles-ffmpeg", "c2c-ffmpeg"])
def test_perf_watches_ffmpeg_processes_that_are_pinned(
    shell: list[str], tmp_path: Path, name: str
) -> None:
    status, log = loaded(shell, tmp_path, name)
    assert status == 0
    assert sorted(log.split()) == ["0,2", "1,3"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_process_of_ffmpeg_that_fails_fails_the_run(shell: list[str], tmp_path: Path) -> None:
    status, _ = loaded(shell, tmp_path, "kernel-cycles-ffmpeg", fails="1,3")
    assert status != 0
