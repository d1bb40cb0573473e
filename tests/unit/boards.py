# SPDX-License-Identifier: GPL-2.0-only
"""Trees of files as boards have them in /sys and /proc, and the scripts that run on boards."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from vlag import ROOT

BOOT = ROOT / "lava-jobs" / "boot"
#: Shells of boards; where neither is installed, the strictest there is.
SHELLS = [argv for argv in (["dash"], ["busybox", "sh"]) if shutil.which(argv[0])] or [
    ["bash", "--posix"]
]
_CPU = "sys/devices/system/cpu"
_KERNEL = "proc/sys/kernel"


def plant(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below `root`, with the folders of a board's own."""
    for folder in ("tmp", "vlag", "out"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return root


def rpi5() -> dict[str, str]:
    """Raspberry Pi 5: one policy for four CPUs, a list of frequencies, no idle states."""
    policy = f"{_CPU}/cpufreq/policy0"
    return {
        f"{policy}/scaling_governor": "ondemand",
        f"{policy}/scaling_available_frequencies":
            "1500000 1600000 1700000 1800000 1900000 2000000 2100000 2200000 2300000 2400000 ",
        f"{policy}/scaling_min_freq": "1500000",
        f"{policy}/scaling_max_freq": "2400000",
        f"{policy}/scaling_cur_freq": "2400000",
        "sys/class/thermal/thermal_zone0/type": "cpu-thermal",
        "sys/class/thermal/thermal_zone0/temp": "51800",
        "sys/class/hwmon/hwmon0/name": "cpu_thermal",
        "sys/class/hwmon/hwmon1/name": "rpi_volt",
        "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0",
        "proc/irq/0/smp_affinity_list": "0-3",
        "proc/irq/13/smp_affinity_list": "0-3",
        "proc/irq/162/smp_affinity_list": "2",
        f"{_KERNEL}/sched_autogroup_enabled": "1",
        f"{_KERNEL}/sched_schedstats": "1",
    }  # fmt: skip


def altra() -> dict[str, str]:
    """Ampere Altra: a policy a CPU without a list, boost, idle states, no thermal zone."""
    files = {
        f"{_CPU}/cpufreq/boost": "1",
        "proc/irq/20/smp_affinity_list": "0-79",
        f"{_KERNEL}/numa_balancing": "1",
        f"{_KERNEL}/sched_autogroup_enabled": "0",
    }
    for cpu in range(80):
        files |= {
            f"{_CPU}/cpufreq/policy{cpu}/scaling_governor": "schedutil",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_min_freq": "1000000",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_max_freq": "3000000",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_cur_freq": "2990000",
            f"{_CPU}/cpu{cpu}/cpuidle/state0/latency": "0",
            f"{_CPU}/cpu{cpu}/cpuidle/state0/disable": "0",
            f"{_CPU}/cpu{cpu}/cpuidle/state1/latency": "1000",
            f"{_CPU}/cpu{cpu}/cpuidle/state1/disable": "0",
        }
    return files


def intel() -> dict[str, str]:
    """Two Intel CPUs under intel_pstate, with counters of thermal throttling."""
    files = {
        f"{_CPU}/intel_pstate/no_turbo": "0",
        "sys/class/thermal/thermal_zone0/type": "acpitz",
        "sys/class/thermal/thermal_zone0/temp": "27800",
        "sys/class/thermal/thermal_zone1/type": "x86_pkg_temp",
        "sys/class/thermal/thermal_zone1/temp": "44000",
        "proc/irq/9/smp_affinity_list": "0-1",
        f"{_KERNEL}/numa_balancing": "0",
        f"{_KERNEL}/sched_autogroup_enabled": "1",
        f"{_KERNEL}/sched_schedstats": "1",
    }
    for cpu in range(2):
        files |= {
            f"{_CPU}/cpufreq/policy{cpu}/scaling_governor": "powersave",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_min_freq": "800000",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_max_freq": "3900000",
            f"{_CPU}/cpufreq/policy{cpu}/scaling_cur_freq": "2100000",
            f"{_CPU}/cpu{cpu}/thermal_throttle/core_throttle_count": "3",
            f"{_CPU}/cpu{cpu}/thermal_throttle/package_throttle_count": "7",
        }
        for state, latency in enumerate([0, 2, 10, 133]):
            files[f"{_CPU}/cpu{cpu}/cpuidle/state{state}/latency"] = str(latency)
            files[f"{_CPU}/cpu{cpu}/cpuidle/state{state}/disable"] = "0"
    return files


def large(*, online: str) -> dict[str, str]:
    """A machine with four CPUs, booted with maxcpus=2; the first cannot be taken off."""
    off = {f"{_CPU}/cpu{cpu}/online": "0" for cpu in (2, 3)}
    return {f"{_CPU}/possible": "0-3", f"{_CPU}/online": online, f"{_CPU}/cpu1/online": "1"} | off


def contents(root: Path) -> dict[str, str]:
    """Return all files of the kernel's below `root`."""
    return {
        str(path.relative_to(root)): path.read_text().rstrip("\n")
        for folder in ("sys", "proc")
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


def program(root: Path, name: str, script: str) -> None:
    """Put a program before all others of that name."""
    path = root / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def on_board(
    shell: list[str], root: Path, script: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a script of `lava-jobs/boot/` on a tree."""
    return subprocess.run(
        [*shell, str(BOOT / script), *arguments],
        env={"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "VLAG_ROOT": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
