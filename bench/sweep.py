# SPDX-License-Identifier: GPL-2.0-only
"""How small a change the deterministic board shows: instructions added where tasks are picked.

`VLAG_TEST_NIGHT` names the folder of a night that is kept; without it one is made first.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.evidence import table, write
from tests.night.clone import Night, shared_night
from tests.night.service import Change, edited, git, push
from vlag.compare import files
from vlag.config import catalogue as catalogues
from vlag.stats.compare import SIGNIFICANCE

BENCHMARK, METRIC, BOARDS = "stress-ng-switch", "bogo-ops-rate", ("sim2-1", "sim2-2")
SEEDS = range(1, 6)
#: Of one switch as stress-ng counts it; 144 more were seen to make it 4.1 % longer.
PATH_INSTRUCTIONS = 3500
SHARES = (0.001, 0.003, 0.01, 0.03)
PICK = "\tstruct sched_entity *se = pick_eevdf(cfs_rq);\n"
#: Called when a person writes a tunable: instructions here move all code behind them and
#: cost nothing.
IDLE = "int sched_update_scaling(void)\n{\n\tunsigned int factor = get_update_sysctl_factor();\n"


def nops(count: int) -> str:
    """Return a statement of so many instructions that do nothing."""
    return f'\tasm volatile(".rept {count}\\n\\tnop\\n\\t.endr");\n'


def added(before: str, counts: Sequence[int], subject: str) -> list[tuple[str, Change]]:
    """Return commits that add so many instructions behind `before`, each without the last ones."""
    changes, old = [], before
    for count in counts:
        new = before + nops(count)
        changes.append((subject.format(count), edited("kernel/sched/fair.c", old, new)))
        old = new
    return changes


def changes() -> list[tuple[str, Change]]:
    """Return the commits of the sweep, the control first."""
    counts = [round(share * PATH_INSTRUCTIONS) for share in SHARES]
    aside = added(IDLE, [16], "{} instructions that never run")
    return [*aside, *added(PICK, counts, "{} instructions a pick")]


def released(night: Night) -> str:
    """Return the tag of the 6.12 on which the branch stands, whatever was pushed to it since."""
    return git(night, "describe", "--tags", "--abbrev=0", "linux-6.12")


def built(night: Night, ref: str) -> Path:
    """Build a commit, or find its build."""
    words = ("build", "--tree", "debian", "--ref", ref, "--board-type", "qemu-sim-2")
    answer = night.vlag(*words, "--format", "json").stdout.splitlines()[-1]
    return Path(json.loads(answer)["bundle"])


def measured(night: Night, build: Path) -> list[Path]:
    """Boot each seed, two side by side; return the bundles."""
    free = list(BOARDS)

    def run(seed: int) -> Path:
        board = free.pop()
        try:
            done = night.vlag(
                "run", build, "--board", board, "--benchmark", BENCHMARK, "--seed", seed,
                "--timeout", 120, "--reuse", "--format", "json",
            )  # fmt: skip
        finally:
            free.append(board)
        return Path(json.loads(done.stdout.splitlines()[-1])["bundle"])

    with ThreadPoolExecutor(len(BOARDS)) as lanes:
        return list(lanes.map(run, SEEDS))


def row(base: list[Path], new: list[Path]) -> Any:
    """Return the comparison of the benchmark's rate."""
    compared = files.compare(base, new, catalogue=catalogues.load())
    return next(r for r in compared["rows"] if r["metric"] == METRIC)


def _from(shares: list[float]) -> str:
    return f"from {100 * min(shares):g} % on" if shares else "none of them"


def summary(significant: list[float], flagged: list[float], control: str) -> str:
    """Say which changes are significant; `control` is what the change of 0 measured."""
    addresses = (
        f" The addresses alone make {control}, and as much of the other lines can be theirs."
        if 0.0 in significant
        else ""
    )
    return (
        f"The first line is the control: the same code runs, at other addresses.{addresses}"
        f" Significant change (p < {SIGNIFICANCE:g}) with instructions added:"
        f" {_from([share for share in significant if share])}. REGRESSION, beyond the metric's"
        f" relevance: {_from(flagged)}."
    )


def main() -> None:
    """Build, boot, compare, and write the figures."""
    rows, significant, flagged = [], list[float](), list[float]()
    with shared_night() as night, tempfile.TemporaryDirectory() as folder:
        start = released(night)
        shas = push(night, "sweep", changes(), Path(folder), start)
        base = measured(night, built(night, start))
        shares = (0.0, *SHARES)
        for (subject, _change), sha, share in zip(changes(), shas, shares, strict=True):
            r = row(base, measured(night, built(night, sha)))
            ends = f"[{100 * r['ci_low']:+.2f}, {100 * r['ci_high']:+.2f}]"
            rows.append(
                (subject, f"{100 * r['effect']:+.2f} %", ends, f"{r['p_zero']:.1e}", r["verdict"])
            )
            print(*rows[-1])
            significant += [share] if r["p_zero"] < SIGNIFICANCE else []
            flagged += [share] if r["verdict"] == "REGRESSION" else []
    shares_words = ", ".join(f"{100 * s:g} %" for s in SHARES)
    write(
        "sweep",
        "How small a change the deterministic board shows",
        "python -m bench sweep",
        [
            f"6.12 with instructions added to each pick of a task: {shares_words} of the about"
            f" {PATH_INSTRUCTIONS} that a switch over a pipe takes",
            f"{BENCHMARK} {METRIC} on qemu-sim-2, seeds {SEEDS[0]} to {SEEDS[-1]} a side",
        ],
        [
            *table(["change", "measured", "95 % interval", "p of no change", "verdict"], rows),
            "",
            summary(significant, flagged, rows[0][1]),
        ],
    )
