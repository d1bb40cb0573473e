# SPDX-License-Identifier: GPL-2.0-only
"""Files of tools in two folders, and how they compare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fuzz.properties import CAPTURES as DATA
from tests.unit.captures import replaced
from vlag.compare.files import compare
from vlag.config import catalogue as catalogues

CATALOGUE = catalogues.load()

# Five boots of one kernel: 0.5 % scatter.
SAME = (1.0, 1.004, 0.995, 1.006, 0.997)

OTHER = (1.002, 0.996, 1.005, 0.999, 1.003)


def hackbench(factor: float) -> bytes:
    data = (DATA / "hackbench" / "2.4-pipe.txt").read_bytes()
    return replaced(data, "0.142", f"{5 * factor:.3f}")


def stress_ng(capture: str, factor: float, figures: tuple[str, str, str, str]) -> bytes:
    """Return a capture whose operations, their rate and the time for one are `factor` times."""
    operations, seconds, rate, time = figures
    data = (DATA / "stress-ng" / capture).read_bytes()
    count = round(int(operations) * factor)
    data = replaced(data, f"bogo-ops: {operations}", f"bogo-ops: {count}")
    data = replaced(data, rate, f"{count / float(seconds):.6f}")
    return replaced(data, time, f"{float(time) / factor:.6f}")


def switch(factor: float, version: str = "0.15.06") -> bytes:
    figures = ("886409", "2.000360", "443124.787692", "2255.819508")
    data = stress_ng("0.15.06-switch-yaml.yaml", factor, figures)
    return replaced(data, "stress-ng-version: 0.15.06", f"stress-ng-version: {version}")


def cyclictest(later: int, boot: int = 0) -> bytes:
    """Return a capture whose samples above 20 us came `later`, with those beyond its end in it.

    Each `boot` is another file: so many samples of the fullest bucket are in the next one.
    """
    document = json.loads((DATA / "cyclictest" / "2.4-hist.json").read_text())
    document["cmdline:"] = document["cmdline:"].replace("-h 40", "-h 400")
    for thread in document["thread"].values():
        counts = {int(k): v for k, v in thread["histogram"].items()}
        counts[thread["max"]] = thread["cycles"] - sum(counts.values())
        full = max(counts, key=lambda k: counts[k])
        counts |= {full: counts[full] - boot, full + 1: counts.get(full + 1, 0) + boot}
        counts = {k + later * (k > 20): v for k, v in counts.items()}
        thread["max"] += later
        thread["histogram"] = {str(k): v for k, v in sorted(counts.items())}
    return json.dumps(document).encode()


def answer(base: Sequence[Path], new: Sequence[Path], **options: Any) -> Any:
    return compare(base, new, catalogue=CATALOGUE, **options)
