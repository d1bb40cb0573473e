# SPDX-License-Identifier: GPL-2.0-only
"""Five commits pushed at once: how long each takes to its screen and to its verdict.

The figures are those that tests/long/deep/test_per_commit.py leaves in the folder of
`VLAG_TEST_NIGHT`; the test is run where it has not been.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from bench.evidence import table, write
from tests.night.clone import shared_night
from vlag import ROOT
from vlag.config.catalogue import load


def main() -> None:
    """Run the test if it was not, and write the figures."""
    with shared_night() as night:
        left = night.clone / "pushed.json"
        if not left.exists():
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "tests/long/deep/test_per_commit.py"],
                cwd=ROOT, check=True, env={**os.environ, "VLAG_TEST_NIGHT": str(night.clone)},
            )  # fmt: skip
        document = json.loads(left.read_text())
        plan = load().plan("commit")
        [(seeds, rounds)] = {(e.seeds, e.rounds) for e in plan.entries}
        write(
            "per-commit",
            "Five commits pushed at once, a verdict for each",
            "python -m bench commits",
            [
                f"from the push to the fifth verdict: {document['seconds'] / 60:.1f} minutes",
            ],
            [
                "Each commit changes one file. The plan `commit` boots"
                f" {len(plan.entries)} benchmarks {seeds} times a kernel;",
                f"a suspicion is rerun with {', '.join(map(str, rounds))} boots a side, until it is"
                " decided. Screened: time from",
                "the start of the commit's build to its first comparison. Judged: time to its end,",
                "including rerun and report. The first commit's time includes only itself:",
                "parent and baseline are those of the previous night.",
                "",
                *table(
                    ["verdict", "screened", "judged"],
                    (
                        (c["verdict"], f"{c['screened_s']:.0f} s", f"{c['judged_s']:.0f} s")
                        for c in document["commits"]
                    ),
                ),
            ],
        )
