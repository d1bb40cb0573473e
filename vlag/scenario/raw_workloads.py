# SPDX-License-Identifier: GPL-2.0-only
"""Raw text of a tool for given figures, as that tool prints it: workloads and probes."""

from __future__ import annotations

import json

from vlag.errors import UsageError
from vlag.scenario.raw_output import Boot

_FRAMES = 7200  # of an ffmpeg process; reports have only the rate
_CYCLES = 10**13  # of all CPUs; reports have only the kernel's share
_WAKEUPS = 100
_LINE = 64  # bytes of a cache line


def pi_stress(boot: Boot) -> bytes:
    """Return the output of pi_stress --quiet."""
    _, rate = boot.one("inversion-rate")
    minutes, seconds = divmod(boot.number("duration_s"), 60)
    return (
        f"Total inversion performed: {round(rate * boot.number('duration_s'))}\n"
        f"Test Duration: 0 days, 0 hours, {minutes} minutes, {seconds} seconds\n"
    ).encode()


def ffmpeg(boot: Boot) -> bytes:
    """Return the progress of all processes, all equally fast."""
    _, total = boot.one("total-fps")
    instances, cores = boot.number("instances"), boot.number("cores")
    wall_s = _FRAMES * instances / total
    lines = [f"instances {instances}"]
    for k in range(instances):
        # The second half of the CPUs are the cores' second threads.
        spans = [(first, first + cores - 1) for first in (cores * k, boot.cpus // 2 + cores * k)]
        cpus = ",".join(f"{first}-{last}" for first, last in spans)
        lines += [
            f"instance {k} frames {_FRAMES} wall_s {wall_s:.6f} cpus {cpus}",
            f"frame={_FRAMES}",
            "progress=end",
        ]
    return ("\n".join(lines) + "\n").encode()


def kernel_cycles(boot: Boot) -> bytes:
    """Return the output of perf stat -j."""
    _, share = boot.one("kernel-share")
    kernel = round(_CYCLES * share / 100)
    counts = {"cycles:u": _CYCLES - kernel, "cycles:k": kernel}
    rows = [
        {"counter-value": f"{count}.000000", "unit": "", "event": event, "pcnt-running": 100.0}
        for event, count in counts.items()
    ]
    # perf sets off keys from values in its own way.
    return "".join(json.dumps(r, separators=(", ", " : ")) + "\n" for r in rows).encode()


_C2C_TOP = """\
  Load Operations                   :      23310
  Cacheline data grouping           : offset,iaddr

           Shared Data Cache Line Table
"""
_C2C_HEAD = """\
# Index             Address  Node  PA cnt     Hitm    Total  LclHitm  RmtHitm  records
"""
_C2C_PARETO = """\

      Shared Cache Line Distribution Pareto
#
"""
_C2C_COLUMNS = """\
#   Num  RmtHitm  LclHitm   L1 Hit  L1 Miss      N/A              Offset  Node  PA cnt\
        Code address  rmt hitm  lcl hitm      load  records       cnt\
                  Symbol             Object    Source:Line  Node
"""
_RULE = "  " + "-" * 70 + "\n"


def c2c(boot: Boot) -> bytes:
    """Return a report of perf c2c with the watched lines and what loads from them cost.

    The figure is label -> [low, high] in cycles, or a text for a missing line.
    """
    ranges = boot.values["cycles-per-load-high"]
    addresses = {label: 0xFF11000100000000 + 2 * _LINE * k for k, label in enumerate(ranges)}
    there = {label: ends for label, ends in ranges.items() if not isinstance(ends, str)}
    watch = "".join(f"watch {label} 0x{at:x} {_LINE}\n" for label, at in addresses.items())
    table, pareto = "", ""
    for index, (label, (low, high)) in enumerate(there.items()):
        at = addresses[label]
        table += (
            f"{index:7d}  0x{at:x}     0     211   50.00%     1224      830      394     2210\n"
        )
        pareto += (
            f"{_RULE}{index:7d}      394      830       30       10        0  0x{at:x}\n{_RULE}"
        )
        for offset, cycles in ((0, high), (8, low)):
            pareto += (
                f"          50.00%   50.00%    0.00%    0.00%    0.00%{f'0x{offset:x}':>20}     0"
                f"       1  0xffffffff81110a52  {round(cycles):8d}  {0:8d}  {0:8d}  {1101:7d}"
                f"  {2:8d}  [k] cpupri_set  [kernel.kallsyms]  cpupri.c:219    0\n"
            )
        pareto += "\n"
    table = _C2C_HEAD + table if there else ""
    pareto = _C2C_COLUMNS + "#\n" + pareto if there else ""
    return (watch + _C2C_TOP + table + _C2C_PARETO + pareto + "end of report\n").encode()


def uperf(boot: Boot) -> bytes:
    """Return the output of uperf -a; without TCP's counters if the report lacks them."""
    _, megabits = boot.one("throughput")
    duration = boot.number("duration_s")
    size = megabits * 1e6 / 8 * duration
    row = (
        f"{duration:9.2f}s {size / 2**30:8.2f}GB {megabits / 1000:8.2f}Gb/s"
        f" {round(size / 8192):12d} {0:11.2f}\n"
    )
    card = f"{1:12d}{1:12d} {megabits / 1000:8.2f}Gb/s {megabits / 1000:8.2f}Gb/s\n"
    rule = "-" * 79 + "\n"
    return (
        f"Starting {boot.number('threads')} threads running profile:{boot.parameters['profile']}"
        " ...   0.00 seconds\n"
        "Netstat statistics for this run\n"
        f"{rule}Nic       opkts/s     ipkts/s      obits/s      ibits/s\neth0{card}{rule}"
        "\nRun Statistics\n"
        "Hostname            Time       Data   Throughput   Operations      Errors\n"
        f"{rule}10.0.0.1 {row}master   {row}{rule}"
        "Difference(%)      0.00%      0.00%        0.00%        0.00%       0.00%\n"
    ).encode()


def hammerdb(boot: Boot) -> bytes:
    """Return HammerDB's log of a timed run, with a time profile where a latency is given."""
    nopm, tpm = (round(boot.values[name]) for name in ("nopm", "tpm"))
    users, minutes = boot.number("users"), boot.number("duration_min")
    lines = [
        f"Vuser 1:Timing test period of {minutes} in minutes",
        f"Vuser 1:{users} Active Virtual Users configured",
        f"Vuser 1:TEST RESULT : System achieved {nopm} NOPM from {tpm} MySQL TPM",
        "Vuser 1:FINISHED SUCCESS",
        "ALL VIRTUAL USERS COMPLETE",
    ]
    mean = boot.values["latency-mean"]
    calls = nopm * minutes
    lines = [
        "time profile follows",
        *lines,
        f">>>>> SUMMARY OF {users} ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : 1527146ms",
        ">>>>> PROC: NEWORD",
        f"CALLS: {calls}\tMIN: {mean:.3f}ms\tAVG: {mean:.3f}ms\tMAX: {mean:.3f}ms\t"
        f"TOTAL: {calls * mean:.3f}ms",
        f"P99: {mean:.3f}ms\tP95: {mean:.3f}ms\tP50: {mean:.3f}ms\tSD: 0.000\tRATIO: 100.000%",
        "+-+-+-+-+-+-+-+-+-+-+",
    ]
    return ("\n".join(lines) + "\n").encode()


def wakeups(boot: Boot) -> bytes:
    """Return a trace in which each wake-up waits as long as their mean, in us."""
    wait = round(float(boot.values["wakeup-latency"]["mean"]))
    if wait < 1:
        raise UsageError("the trace counts whole microseconds; the mean must be 1 or more")
    events = []
    now = 1_000_000
    for _ in range(_WAKEUPS):
        at = [f"{t // 1_000_000}.{t % 1_000_000:06d}" for t in (now, now + wait, now + wait + 5)]
        events += [
            f"           vhost-7123    [001] d..4. {at[0]}: sched_wakeup:"
            " comm=kworker/1:0 pid=22 prio=120 target_cpu=001",
            f"           vhost-7123    [001] d..2. {at[1]}: sched_switch: prev_comm=vhost"
            " prev_pid=7123 prev_prio=120 prev_state=R ==> next_comm=kworker/1:0 next_pid=22"
            " next_prio=120",
            f"     kworker/1:0-22      [001] d..2. {at[2]}: sched_switch: prev_comm=kworker/1:0"
            " prev_pid=22 prev_prio=120 prev_state=I ==> next_comm=vhost next_pid=7123"
            " next_prio=120",
        ]
        now += wait + 1000
    head = [
        "== threads",
        f"{boot.parameters['threads']}/*",
        "== trace",
        "# tracer: nop",
        "#",
        f"# entries-in-buffer/entries-written: {len(events)}/{len(events)}   #P:{boot.cpus}",
        "#",
    ]
    return ("\n".join([*head, *events]) + "\n").encode()
