# SPDX-License-Identifier: GPL-2.0-only
"""A made-up year of a farm: branches, boards, commits, and what each commit does.

Times are shares of the year, 0 to 1.  A factor of 1.06 makes a time 6 % longer and a rate
6 % lower.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from attrs import field, frozen

from vlag.model import Benchmark, Metric, Plan, PlanEntry

TREE = "linux"
PREVIOUS = "linux-6.1.y"  # its newest tag is every branch's baseline
#: Nights between two tags of `PREVIOUS`.
TAG_NIGHTS = 12
#: Branch -> nights between two heads, and the name of its releases.
BRANCHES = {
    "master": (1, "v7.{}"),
    "linux-6.18.y": (2, "v6.18.{}"),
    "linux-6.12.y": (4, "v6.12.{}"),
}
BOARDS = {"qemu-sim-2": ("sim2-1", "sim2-2"), "qemu-sim-4": ("sim4-1",), "rpi5": ("rpi5-1",),
          "altra": ("altra-1",)}  # fmt: skip
#: A board that boots nothing: it failed its check, with latencies so many times its usual ones.
AWAY = ("rpi5", "rpi5-2")
AWAY_FACTOR = 1.25
CPUS = {"qemu-sim-2": 2, "qemu-sim-4": 4, "rpi5": 4, "altra": 80}
TOOLS = {
    "stress-ng": "0.17.08",
    "hackbench": "2.5",
    "cyclictest": "2.5",
    "perf-bench": "6.12",
}

SUBJECTS = (
    "sched/fair: Tidy up update_curr()",
    "sched/core: Document try_to_wake_up() ordering",
    "sched/topology: Remove an unused parameter",
    "sched/fair: Use the cached clock in task_tick_fair()",
    "sched/debug: Print the slice of every entity",
    "sched/deadline: Fix a comment about the runtime",
    "sched/psi: Avoid a second lookup of the group",
    "sched/rt: Remove a stale forward declaration",
    "sched/fair: Fold two branches in place_entity()",
    "sched: Clean up the includes of sched.h",
)


@frozen(kw_only=True)
class Step:
    """A commit that changes figures, and perhaps the one that takes it back."""

    branch: str
    at: float
    until: float = math.inf
    subject: str
    fix: str = ""
    benchmark: str
    factor: float = 1.0
    tail: float = 1.0  # of a distribution: how much longer the latencies beyond P99 are
    board_types: tuple[str, ...] = tuple(BOARDS)


STEPS = (
    Step(branch="master", at=0.25, until=0.42, benchmark="stress-ng-switch", factor=1.07,
         subject="sched/fair: Rework pick_next_entity()",
         fix="Revert \"sched/fair: Rework pick_next_entity()\""),
    Step(branch="linux-6.18.y", at=0.33, until=0.42, benchmark="stress-ng-switch", factor=1.07,
         subject="sched/fair: Rework pick_next_entity()",
         fix="Revert \"sched/fair: Rework pick_next_entity()\""),
    Step(branch="master", at=0.6, benchmark="hackbench-pipe", factor=0.91,
         subject="sched/fair: Wake the waker's cache siblings first"),
    Step(branch="linux-6.18.y", at=0.55, benchmark="hackbench-pipe", factor=1.09,
         board_types=("altra",), subject="sched/numa: Scan more often after a fork"),
    Step(branch="linux-6.18.y", at=0.8, benchmark="perf-bench-pipe", factor=0.93,
         subject="sched/core: Skip the second clock read in a wake-up"),
    Step(branch="master", at=0.965, benchmark="cyclictest-hackbench", tail=1.7,
         subject="sched/eevdf: Keep the lag of a sleeper"),
    Step(branch="linux-6.18.y", at=0.985, benchmark="stress-ng-switch", factor=1.06,
         board_types=("qemu-sim-2", "qemu-sim-4"),
         subject="sched/core: Check the affinity mask on every switch"),
)  # fmt: skip

#: Branch, board type and benchmark that get slower a little each night: over all of the span.
DRIFT = ("linux-6.12.y", "altra", "perf-bench-pipe", 0.5, 0.09)
#: Board type whose boots spread widely from a time on.
NOISY = ("altra", "hackbench-pipe", 0.7, 0.035)

#: Patch series of a branch, with what each patch does to benchmarks.
SERIES = "eevdf-lag"
PATCHES: Mapping[str, Mapping[str, float]] = {
    "0001-sched-fair-Limit-the-lag-of-a-dequeued-task.patch": {"stress-ng-switch": 0.96},
    "0002-sched-fair-Do-not-place-a-task-beyond-the-queue.patch": {"hackbench-pipe": 1.05},
    "0003-sched-fair-Trace-the-lag.patch": {},
}
#: A knob that is tried on the newest head.
KNOBS = {"sched_features": "NO_DELAY_DEQUEUE"}
KNOB_EFFECT = {"hackbench-pipe": 0.94, "cyclictest-hackbench": 1.05}
#: What the known regressions do, by the beginning of the patch's name; the fifth fails its proof.
KNOWN = {
    "02": {"stress-ng-switch": 1.05, "cyclictest-hackbench": 1.08},
    "03": {"stress-ng-switch": 1.03, "cyclictest-hackbench": 1.04},
    "04": {"cyclictest-hackbench": 1.15},
    "06": {"stress-ng-switch": 1.08},
}

LEVELS = {
    "stress-ng-switch bogo-ops-rate": 2.2e5, "stress-ng-switch time-per-switch": 4545.0,
    "hackbench-pipe time": 11.0, "perf-bench-pipe time-per-op": 9.2,
    "perf-bench-pipe throughput": 1.087e5, "perf-bench-pipe time": 0.46,
    "cyclictest-hackbench latency": 55.0, "cyclictest-idle latency": 40.0,
}  # fmt: skip
_BOARD_LEVEL = {"qemu-sim-2": 1.0, "qemu-sim-4": 0.7, "rpi5": 1.3, "altra": 0.6}
#: Spread of a boot, relative: what seeds share on a deterministic board, else what each has.
_SPREAD = {"qemu-sim-2": 0.0012, "qemu-sim-4": 0.0015, "rpi5": 0.007, "altra": 0.004}
_NIGHT_SPREAD = 0.003
#: Microseconds; beyond the last one latencies overflow.
_BOUNDS = np.concatenate([np.arange(5, 400), np.arange(400, 2000, 8), np.arange(2000, 20000, 200)])
_LOG_BOUNDS = np.log(_BOUNDS)
LIMIT = 30000
_SAMPLES = 8000  # of each of two threads


@frozen(kw_only=True)
class Subject:
    """A kernel with knobs, as far as figures depend on it."""

    branch: str
    share: float  # when its head was the newest, 0 to 1
    name: str
    factors: Mapping[str, float] = field(factory=dict)  # of patches and knobs, by benchmark

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        factor, tail = self.factors.get(benchmark, 1.0), 1.0
        for s in STEPS:
            here = (s.branch, s.benchmark) == (self.branch, benchmark)
            if here and board_type in s.board_types and s.at <= self.share < s.until:
                factor, tail = factor * s.factor, tail * s.tail
        branch, where, what, since, whole = DRIFT
        if (branch, where, what) == (self.branch, board_type, benchmark):
            factor *= 1 + whole * max(0.0, self.share - since) / (1 - since)
        return factor, tail


def plan() -> Plan:
    """Return the nightly plan: five boots of each entry, ten more to confirm."""
    entries = []
    for board_type, cpus in CPUS.items():
        work: list[tuple[str, dict[str, str | int]]] = [
            ("stress-ng-switch", {"instances": cpus}),
            ("hackbench-pipe", {}),
            ("cyclictest-hackbench", {"groups": max(1, cpus // 2)}),
        ]
        if board_type == "qemu-sim-2":
            work.append(("hackbench-pipe", {"mode": "threads"}))
        if board_type in ("rpi5", "altra"):
            work.append(("perf-bench-pipe", {}))
        entries += [
            PlanEntry(benchmark=name, parameters=parameters, board_types=(board_type,), seeds=5,
                      rounds=(10,), timeout_s=240)
            for name, parameters in work
        ]  # fmt: skip
    return Plan(name="nightly", entries=tuple(entries))


def head(branch: str, night: int, nights: int) -> int:
    """Return the night on which the branch's head of a night came."""
    every, _ = BRANCHES[branch]
    # The newest head of each branch comes in the last night, and all branches begin in the first.
    offset = (nights - 1) % every
    return max(0, night - (night - offset) % every)


def subject_of(branch: str, night: int, nights: int) -> str:
    """Return the subject of the head that came on a night."""
    every, _ = BRANCHES[branch]
    share, last = night / nights, (night - every) / nights
    for s in STEPS:
        for at, words in ((s.at, s.subject), (s.until, s.fix)):
            if s.branch == branch and last < at <= share:
                return words
    return SUBJECTS[(night * 7 + len(branch)) % len(SUBJECTS)]


def level(metric: Metric, benchmark: Benchmark, board_type: str) -> float:
    """Return a metric's usual figure on a board type, in its unit."""
    names = (f"{benchmark.name} {name}" for name in (metric.name, *metric.formerly))
    known = next(LEVELS[name] for name in names if name in LEVELS)
    times = _BOARD_LEVEL[board_type]
    return known * times if metric.direction.value == "lower" else known / times


def noise(
    rng: np.random.Generator, common: np.random.Generator, board_type: str, benchmark: str,
    share: float, night: np.random.Generator,
) -> float:  # fmt: skip
    """Return the factor by which one boot differs from the kernel's level.

    `common` is of the seed on the board type, `night` of the night.
    """
    spread = _SPREAD[board_type]
    if board_type.startswith("qemu-sim"):
        return math.exp(common.normal(0, spread) + rng.normal(0, spread / 3))
    where, what, since, wide = NOISY
    if (board_type, benchmark) == (where, what) and share >= since:
        spread = wide
    return math.exp(rng.normal(0, spread) + night.normal(0, _NIGHT_SPREAD))


def distribution(
    rng: np.random.Generator, base: float, tail: float
) -> tuple[list[int], list[list[int]], list[float]]:
    """Return bounds, counts of two threads, and the largest latency of each, in microseconds."""
    body = np.exp(-0.5 * ((_LOG_BOUNDS - math.log(base)) / 0.28) ** 2)
    body /= body.sum()
    far = np.exp(-0.5 * ((_LOG_BOUNDS - math.log(base * 5 * tail)) / 0.45) ** 2)
    far /= far.sum()
    share = 0.02
    counts = np.stack(
        [rng.multinomial(_SAMPLES, (1 - share) * body + share * far) for _ in range(2)]
    )
    hit = counts.sum(axis=0) > 0
    largest = [float(_BOUNDS[np.nonzero(row)[0][-1]]) for row in counts]
    return _BOUNDS[hit].tolist(), counts[:, hit].tolist(), largest
