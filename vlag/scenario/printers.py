# SPDX-License-Identifier: GPL-2.0-only
"""The printer of each benchmark's raw text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vlag.scenario import raw_output, raw_workloads
from vlag.scenario.raw_output import Boot

PRINTERS: Mapping[str, Callable[[Boot], bytes]] = {
    "c2c-ffmpeg": raw_workloads.c2c,
    "cyclictest-hackbench": raw_output.cyclictest,
    "ffmpeg-fifo": raw_workloads.ffmpeg,
    "hackbench-pipe": raw_output.hackbench,
    "hackbench-socket": raw_output.hackbench,
    "kernel-cycles-ffmpeg": raw_workloads.kernel_cycles,
    "kworker-wakeup-vms": raw_workloads.wakeups,
    "mysql-tprocc": raw_workloads.hammerdb,
    "pi-stress": raw_workloads.pi_stress,
    "stress-ng-context": raw_output.context,
    "stress-ng-cyclic": raw_output.cyclic,
    "stress-ng-pipe": raw_output.pipe,
    "stress-ng-yield": raw_output.yield_,
    "uperf-vms": raw_workloads.uperf,
}
