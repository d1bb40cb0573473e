"""What a run on a deterministic board gave, as one digest, and what it depends on."""

import hashlib
import json
from pathlib import Path
from typing import Any

from vlag.config.catalogue import load
from vlag.model import ParsedOutput, canonical_json
from vlag.parsers import parse

#: Key -> digest of the samples; `python -m bench determinism` adds a night's.
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
