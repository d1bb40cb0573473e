# SPDX-License-Identifier: GPL-2.0-only
"""How small a change of path length is told: instructions added where tasks are picked.

`VLAG_TEST_NIGHT` names the folder of a night that is kept; without it one is made first.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.evidence import table, write
from bench.sweep import BENCHMARK, BOARDS, IDLE, PICK, added, built, released
from tests.night.clone import Night, shared_night
from tests.night.service import push
from vlag.config import catalogue as catalogues

SEEDS = 3
#: Of each pick; a switch as stress-ng counts it has two, so that these are 2 to 40.
PICKED = (1, 2, 5, 10, 20)
#: Never executed: the same source path at other addresses, for false alarms.
ASIDE = (1, 7, 16, 48, 200)


def path_of(night: Night, base: Path, new: Path) -> list[Mapping[str, Any]]:
    """Return the metrics of `vlag path`."""
    done = night.vlag(
        "path", base, new, "--benchmark", BENCHMARK, "--board", BOARDS[0], "--seeds", SEEDS,
        "--format", "json",
    )  # fmt: skip
    return list(json.loads(done.stdout)["metrics"])


def _row(subject: str, m: Mapping[str, Any]) -> tuple[str, ...]:
    added = f"{m['new_level'] - m['base_level']:+.1f}"
    ends = f"[{100 * m['ci_low']:+.2f}, {100 * m['ci_high']:+.2f}]"
    return subject, m["metric"], added, f"{100 * m['effect']:+.2f} %", ends, m["verdict"]


def main() -> None:
    """Build, boot, judge, and write the figures."""
    rows, alarms, judged = [], 0, 0
    changes = list[int]()
    groups = (
        ("path-aside", added(IDLE, ASIDE, "{} instructions that never run")),
        ("path-sweep", added(PICK, PICKED, "{} instructions a pick")),
    )
    with shared_night() as night, tempfile.TemporaryDirectory() as folder:
        start = released(night)
        base = built(night, start)
        for branch, commits in groups:
            shas = push(night, branch, commits, Path(folder), start)
            counts = ASIDE if branch == "path-aside" else PICKED
            for (subject, _change), sha, count in zip(commits, shas, counts, strict=True):
                metrics = path_of(night, base, built(night, sha))
                rows += [_row(subject, m) for m in metrics if m["unit"] == "instructions"]
                print(*rows[-2:], sep="\n")
                flags = [m for m in metrics if m["verdict"] in ("REGRESSION", "IMPROVEMENT")]
                if branch == "path-aside":
                    judged, alarms = judged + len(metrics), alarms + len(flags)
                elif any(m["metric"] == "kernel/sched" for m in flags):
                    changes.append(count)
    relevances = {m.name: f"{100 * m.relevance:g} %" for m in catalogues.load().path_metrics}
    smallest = f"{2 * min(changes)} instructions a switch" if changes else "none of them"
    write(
        "path-sweep",
        "How small a change of path length is told",
        "python -m bench path_sweep",
        [
            f"6.12 with instructions added to each of the two picks of a switch: {PICKED}",
            f"{BENCHMARK} on qemu-sim-2, seeds 1 to {SEEDS} a side, relevance of kernel/sched"
            f" {relevances['kernel/sched']}",
        ],
        [
            *table(
                ["change", "metric", "instructions a switch", "measured", "95 % interval",
                 "verdict"],
                rows,
            ),
            "",
            f"Told in kernel/sched: from {smallest} on. False alarms where the same source lies at"
            f" other addresses: {alarms} of {judged} metrics.",
        ],
    )  # fmt: skip
