"""What each switch of the runner and of the kernel costs a context switch.

Boots the baselines 6.1 and 6.12 of this checkout's state folder.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy import stats

from bench.evidence import table, write
from vlag import config, parsers

BENCHMARK, METRIC, BOARDS = "stress-ng-switch", "time-per-switch", ("sim2-1", "sim2-2")
#: How the tags of the baselines begin -> seeds.  On 6.1 equal seeds differ by some percent.
SEEDS = {"debian/6.1.": range(1, 7), "debian/6.12.": range(1, 4)}
#: How `git describe` ends for a commit after the tag.
BEYOND_TAG = re.compile(r"-\d+-g[0-9a-f]+$")
#: What is switched -> options of `vlag run`.  The first is a scored boot.
SWITCHES: dict[str, tuple[str, ...]] = {
    "scored boot": (),
    "a word on the command line (control)": ("--knob=cmdline=vlag_control=1",),
    "schedstats counted": ("--observe=schedstats",),
    "schedstats=enable, off again before the benchmark": ("--knob=cmdline=schedstats=enable",),
    "trace event sched_switch": ("--knob=cmdline=trace_event=sched:sched_switch",),
    "sched_verbose": ("--knob=cmdline=sched_verbose",),
    "no debugfs": ("--knob=cmdline=debugfs=off",),
    "no autogroup": ("--knob=cmdline=noautogroup",),
    "no soft lockup detector": ("--knob=cmdline=nosoftlockup",),
}


def newest(builds: Path, tag: str) -> tuple[Path, str]:
    """Return folder and release of the newest unpatched kernel that carries such a tag."""
    for path in sorted(builds.glob("*/*/build.json"), key=lambda p: p.parent.name, reverse=True):
        build = json.loads(path.read_text(encoding="utf-8"))
        kernel = build["kernel"]
        plain = not kernel["patches"] and kernel["variant"] == "default"
        described = kernel["describe"]
        tagged = described.startswith(tag) and not BEYOND_TAG.search(described)
        if build["outcome"] == "complete" and plain and tagged:
            return path.parent, build["release"]
    sys.exit(f"{builds}: no build of {tag}*; `make run ONCE=1` makes one")


def value(build: Path, options: Sequence[str], seed: int, board: str) -> float:
    """Return nanoseconds a switch in one boot, or in the run of record."""
    done = subprocess.run(
        ["vlag", "run", build, "--board", board, "--benchmark", BENCHMARK, "--seed", str(seed),
         "--timeout", "120", "--reuse", *options, "--format", "json"],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    output = Path(json.loads(done.stdout.splitlines()[-1])["output"])
    parsed = parsers.parse("stress-ng", output.read_bytes(), path=str(output))
    [sample] = [s for s in parsed.samples if s.metric == METRIC]
    return fmean(sample.values)


def measured(builds: Mapping[Path, Sequence[int]]) -> dict[tuple[Path, str, int], float]:
    """Return the value of each kernel, switch and seed; as many boots at once as boards."""
    free = list(BOARDS)
    work = [(b, name, seed) for b, seeds in builds.items() for name in SWITCHES for seed in seeds]

    def run(item: tuple[Path, str, int]) -> float:
        build, name, seed = item
        board = free.pop()
        try:
            return value(build, SWITCHES[name], seed, board)
        finally:
            free.append(board)

    with ThreadPoolExecutor(len(BOARDS)) as lanes:
        return dict(zip(work, lanes.map(run, work), strict=True))


def cost(base: Sequence[float], mine: Sequence[float]) -> str:
    """Return the mean change of equal seeds with its 95 % interval (Student's t)."""
    logs = np.log(mine) - np.log(base)
    half = stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
    effect, low, high = (100 * np.expm1(logs.mean() + x) for x in (0.0, -half, half))
    return f"{effect:+.2f} % [{low:+.2f}, {high:+.2f}]"


def main() -> None:
    """Boot, compare equal seeds, and write the page."""
    kernels = [(*newest(config.load().builds, tag), seeds) for tag, seeds in SEEDS.items()]
    values = measured({build: seeds for build, _release, seeds in kernels})
    plain = next(iter(SWITCHES))
    rows = []
    for name in SWITCHES:
        row: list[str] = [name]
        for build, _release, seeds in kernels:
            mine = [values[build, name, seed] for seed in seeds]
            base = [values[build, plain, seed] for seed in seeds]
            row += [f"{fmean(mine):.0f}", "" if name == plain else cost(base, mine)]
        rows.append(row)
    head = [word for _b, release, _s in kernels for word in (f"{release}, ns a switch", "cost")]
    write(
        "runner",
        "What the runner's switches cost a context switch",
        "python -m bench runner",
        [
            f"{BENCHMARK} {METRIC} on qemu-sim-2: "
            + ", ".join(f"{len(seeds)} seeds of {release}" for _b, release, seeds in kernels),
            "cost: against the scored boots of the same seeds, with the 95 % interval of the mean;"
            " an interval that holds 0 shows no cost",
        ],
        table(["boot", *head], rows),
    )


if __name__ == "__main__":
    main()
