# SPDX-License-Identifier: GPL-2.0-only
"""The printer of each benchmark's raw text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vlag.scenario import raw, raw_workloads
from vlag.scenario.raw import Boot

PRINTERS: Mapping[str, Callable[[Boot], bytes]] = {
    "c2c-ffmpeg": raw_workloads.c2c,
    "cyclictest-hackbench": raw.cyclictest,
    "ffmpeg-fifo": raw_workloads.ffmpeg,
    "hackbench-pipe": raw.hackbench,
    "hackbench-socket": raw.hackbench,
    "kernel-cycles-ffmpeg": raw_workloads.kernel_cycles,
    "kworker-wakeup-vms": raw_workloads.wakeups,
    "mysql-tprocc": raw_workloads.hammerdb,
    "pi-stress": raw_workloads.pi_stress,
    "stress-ng-context": raw.context,
    "stress-ng-cyclic": raw.cyclic,
    "stress-ng-pipe": raw.pipe,
    "stress-ng-yield": raw.yield_,
    "uperf-vms": raw_workloads.uperf,
}
