"""A history at once: the last ten point releases of 6.1 and of 6.12, prebuilt, in one command.

`VLAG_BENCH_WHOLE_NIGHT` names a folder that is kept, or that holds a whole night already: the
releases enter its database.  What is on record there is not booted again, so a second
measurement wants another folder.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.evidence import table, write
from tests.night.clone import shared_night
from tests.night.conftest import database
from tests.night.digests import figures
from vlag.cli.releases import line_of_point
from vlag.model import Outcome

LAST = 10
WORDS = ("releases", "--last", str(LAST), "--format", "json")


METRIC = "bogo-ops-rate"


def figure_of(bundle: Path) -> float:
    """Return a boot's median of the metric."""
    document = json.loads((bundle / "run.json").read_text(encoding="utf-8"))
    samples = figures(bundle, document).samples
    return median(next(s.values for s in samples if s.metric == METRIC))


def row(release: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return a release's line of the table; only complete boots have a figure."""
    boots = release["boots"]
    complete = [Path(b["bundle"]) for b in boots if b["outcome"] == Outcome.COMPLETE.value]
    return (
        release["branch"],
        release["version"],
        f"{len(complete)} of {len(boots)}",
        f"{median(map(figure_of, complete)):.6g}" if complete else "none",
    )


def main() -> None:
    """Run `vlag releases` in a night's clone, and write the page."""
    with shared_night("VLAG_BENCH_WHOLE_NIGHT", branches=None) as night, database(night):
        print("twenty releases, some minutes without a word", flush=True)
        began = time.monotonic()
        done = night.vlag(*WORDS)
        minutes = (time.monotonic() - began) / 60
        answer = json.loads(done.stdout)
        foreseen = re.search(r"\d+ releases, .*", done.stderr)
        assert foreseen, done.stderr
        found = answer["releases"]
        points = [f"- {line_of_point(p)}" for p in answer["change_points"]]
        write(
            "releases",
            "A history at once: prebuilt point releases",
            "python -m bench releases",
            [
                f"the clone's commit: {night.commit[:12]}",
                f"foreseen: {foreseen[0]}",
                f"it took: {minutes:.1f} minutes, packages fetched in it",
                f"boots: {sum(len(r['boots']) for r in found)}",
            ],
            [
                f"`vlag {' '.join(WORDS)}` in the clone of a first night, whose database ran. The"
                " figure is the median over the boots of stress-ng's switches a second.",
                "",
                *table(("branch", "release", "boots complete", METRIC), map(row, found)),
                "",
                "Change points along the branches:" if points else "No change point was found.",
                *([""] if points else []),
                *points,
            ],
        )


if __name__ == "__main__":
    main()
