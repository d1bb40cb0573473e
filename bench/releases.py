"""A history at once: the last ten point releases of 6.1 and of 6.12, prebuilt, in one command.

`VLAG_BENCH_WHOLE_NIGHT` names a folder that is kept, or that holds a whole night already: the
releases enter its database.  What is on record there is not booted again, so a second
measurement wants another folder.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.evidence import table, write
from tests.night.clone import SETTINGS, environment, shared_night
from tests.night.conftest import database
from tests.night.digests import figures
from vlag.model import Sample

LAST = 10
WORDS = ("releases", "--last", str(LAST), "--format", "json")


def medians(bundles: list[Path]) -> dict[str, float]:
    """Return the median over boots of each metric that has one number a boot, with its unit."""
    found: dict[str, list[float]] = {}
    for bundle in bundles:
        document = json.loads((bundle / "run.json").read_text(encoding="utf-8"))
        for figure in figures(bundle, document).samples:
            if isinstance(figure, Sample):
                found.setdefault(figure.metric, []).append(median(figure.values))
    return {name: median(values) for name, values in found.items()}


def row(release: dict[str, Any], metric: str) -> tuple[str, str, str, str]:
    """Return a release's line of the table."""
    bundles = [Path(b["bundle"]) for b in release["boots"]]
    complete = sum(b["outcome"] == "complete" for b in release["boots"])
    value = medians(bundles).get(metric)
    return (
        release["branch"],
        release["version"],
        f"{complete} of {len(bundles)}",
        "none" if value is None else f"{value:.6g}",
    )


def main() -> None:
    """Run `vlag releases` in a night's clone, and write the page."""
    with shared_night("VLAG_BENCH_WHOLE_NIGHT", branches=None) as night, database(night):
        began = time.monotonic()
        with subprocess.Popen(
            [night.clone / ".venv/bin/vlag", *WORDS], cwd=night.clone, text=True,
            env=environment(night.clone / SETTINGS), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            said = []
            for line in process.stderr or ():
                said.append(line.rstrip("\n"))
                print(line, end="", flush=True)
            answer = json.loads((process.stdout.read() if process.stdout else "") or "{}")
        assert process.returncode == 0, said[-3:]
        minutes = (time.monotonic() - began) / 60
        foreseen = next(m[0] for m in (re.search(r"\d+ releases, .*", x) for x in said) if m)
        found, metric = answer["releases"], "bogo-ops-rate"
        points = [
            f"- {p['benchmark']} {p['metric']} {p['statistic']}: {100 * p['effect']:+.1f} % from"
            f" {p['kernel']} on"
            for p in answer["change_points"]
        ]
        write(
            "releases",
            "A history at once: prebuilt point releases",
            "python -m bench releases",
            [
                f"the clone's commit: {night.commit[:12]}",
                f"foreseen: {foreseen}",
                f"it took: {minutes:.1f} minutes, packages fetched in it",
                f"boots: {sum(len(r['boots']) for r in found)}",
            ],
            [
                f"`vlag {' '.join(WORDS)}` in the clone of a first night, whose database ran. The"
                " figure is the median over the boots of stress-ng's switches a second.",
                "",
                *table(
                    ("branch", "release", "boots complete", metric), (row(r, metric) for r in found)
                ),
                "",
                "Change points along the branches:" if points else "No change point was found.",
                *([""] if points else []),
                *points,
            ],
        )


if __name__ == "__main__":
    main()
