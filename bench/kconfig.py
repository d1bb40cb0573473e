"""What each part of the virtual board's kernel costs to build, from ccache's own log.

Builds 6.12 once with every object compiled anew, so it takes as long as that does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bench.evidence import table, write
from vlag import ROOT, config

#: Part of the config -> folders of the kernel it brings in, the most exact first.
PARTS = {
    "ACPI": r"drivers/(acpi|pnp)/",
    "PCI": r"(drivers|arch/x86)/pci/",
    "PERF_EVENTS": r"(kernel|arch/x86)/events/",
    "FTRACE, KPROBE_EVENTS": r"kernel/trace/|kernel/kprobes|fs/tracefs/|arch/x86/kernel/kprobes/",
    "INET": r"net/(ipv4|ipv6|ethernet)/",
    "NET, UNIX": r"net/",
    "SERIAL_8250, TTY": r"drivers/tty/",
    "CGROUPS, CPUSETS": r"kernel/cgroup/",
    "SYSVIPC, POSIX_MQUEUE": r"ipc/",
    "FUTEX, EPOLL": r"kernel/futex/|fs/eventpoll",
    "DEBUG_FS": r"fs/debugfs/",
    "scheduler, SCHEDSTATS": r"kernel/sched/",
    "HIGH_RES_TIMERS, time": r"kernel/time/",
    "SMP, NUMA and the rest of x86": r"arch/x86/",
    "memory management": r"mm/",
    "file systems, proc": r"fs/",
    "rest of kernel/": r"kernel/",
    "rest of drivers/": r"drivers/",
    "lib/": r"lib/",
}
_LINE = re.compile(r"^\[(\S+) (\d+)\s*\] (.*)$")


def compile_times(log: Path) -> dict[str, float]:
    """Return object -> seconds from ccache's start to its end, for each compiled object."""
    begun: dict[str, datetime] = {}
    objects: dict[str, str] = {}
    times: dict[str, float] = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        stamp, process, text = datetime.fromisoformat(match[1]), match[2], match[3]
        if "STARTED" in text:
            begun[process] = stamp
        elif text.startswith("Object file: "):
            objects[process] = text.removeprefix("Object file: ")
        if process in begun and process in objects:
            times[objects[process]] = (stamp - begun[process]).total_seconds()
    return times


@contextmanager
def logged(cache: Path) -> Iterator[Path]:
    """Let the cache log what it does and find nothing; the sandbox passes no such variables."""
    settings, log = cache / "ccache.conf", cache / "kconfig.log"
    cache.mkdir(parents=True, exist_ok=True)
    before = settings.read_bytes() if settings.exists() else None
    log.unlink(missing_ok=True)
    with settings.open("a", encoding="utf-8") as file:
        file.write(f"\nlog_file = {log}\nrecache = true\n")
    try:
        yield log
    finally:
        log.unlink(missing_ok=True)
        settings.unlink()
        if before is not None:
            settings.write_bytes(before)


def main() -> None:
    """Build, add up, and write the page."""
    with logged(config.load().state / "ccache") as log:
        words = ["vlag", "build", "--tree", "debian", "--ref", "linux-6.12",
                 "--board-type", "qemu-sim-2", "--fresh", "--format", "json"]  # fmt: skip
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        times = compile_times(log)
    answer = json.loads(done.stdout.splitlines()[-1])
    build = json.loads((Path(answer["bundle"]) / "build.json").read_text())
    seconds: dict[str, float] = defaultdict(float)
    objects: Counter[str] = Counter()
    for name, time in times.items():
        part = next(
            (p for p, pattern in PARTS.items() if re.match(pattern, name)), "other, host tools"
        )
        seconds[part] += time
        objects[part] += 1
    total = sum(seconds.values())
    wall = (
        datetime.fromisoformat(build["finished_at"]) - datetime.fromisoformat(build["started_at"])
    ).total_seconds()
    write(
        "kernel-config",
        "What each part of the virtual board's kernel costs to build",
        "python -m bench kconfig",
        [
            f"kernel: {build['kernel']['describe']}, image {build['image']['sha256'][:16]}",
            f"compiler: {build['toolchain']}",
            f"whole build: {wall:.0f} s wall, {total:.0f} s in compilers, {len(times)} objects",
        ],
        [
            "Every object was compiled without a cache. Compiler seconds are summed over parallel",
            "jobs. A config option includes the cost of the folders that it enables.",
            "",
            *table(
                ["part", "objects", "compiler s", "share"],
                (
                    (part, objects[part], f"{s:.1f}", f"{s / total:.1%}")
                    for part, s in sorted(seconds.items(), key=lambda item: -item[1])
                ),
            ),
        ],
    )


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
