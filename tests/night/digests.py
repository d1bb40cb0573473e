# SPDX-License-Identifier: GPL-2.0-only
"""What a run on a deterministic board gave, as one digest, and what it depends on."""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

from vlag.config.catalogue import load
from vlag.model import Histogram, ParsedOutput, Sample, canonical_json
from vlag.parsers import parse
from vlag.stats.summary import value_of

#: Key -> digest of the samples; `python -m bench golden --write` adds a night's.
RECORD = Path(__file__).parents[1] / "data" / "determinism.json"
CATALOGUE = load()


def figures(bundle: Path, document: dict[str, Any]) -> ParsedOutput:
    tool = CATALOGUE.benchmark(document["benchmark"]).tool
    raw = bundle / document["output"]
    return parse(tool, raw.read_bytes(), path=str(raw))


def samples_digest(bundle: Path, document: dict[str, Any]) -> str:
    parsed = figures(bundle, document)
    numbers = {
        "samples": {s.metric: s.values for s in parsed.samples},
        "histograms": {
            h.metric: [h.bounds, h.counts.tolist(), h.overflow, h.maximum]
            for h in parsed.histograms
        },
    }
    return hashlib.sha256(canonical_json(numbers)).hexdigest()


def led_back(report: dict[str, Any], state: Path) -> int:
    """Follow each number of a report to the raw output below `state`; return how many there are.

    Each must be what the output gives, and name the boot that gives it again.
    """
    seen = 0
    for origin in report["origins"]:
        for run in origin["runs"]:
            raw, job, config = (state / run[k] for k in ("raw", "job", "config"))
            assert "# Linux/x86" in config.read_text()
            document = json.loads((job.parent / "run.json").read_text())
            assert raw == job.parent / document["output"]
            parsed = figures(job.parent, document)
            both: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
            figure = next(f for f in both if f.metric == origin["metric"])
            for statistic, value in run["values"].items():
                assert value_of(figure, statistic) == value
                seen += 1
            words = shlex.split(run["reproduce"])
            assert words[:2] == ["vlag", "run"]
            assert words[words.index("--seed") + 1] == str(run["seed"])
    return seen


def record_key(document: dict[str, Any]) -> str:
    """Return digests of image, initramfs (userland and entry) and QEMU."""
    return " ".join(
        (
            document["image_sha256"][:16],
            document["userland"]["sha256"][:16],
            document["entry_sha256"][:16],
            document["board"]["emulator"]["sha256"][:16],
        )
    )


def read_record() -> dict[str, str]:
    """Return the record."""
    return dict(json.loads(RECORD.read_text()))
