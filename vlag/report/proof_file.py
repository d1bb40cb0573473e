# SPDX-License-Identifier: GPL-2.0-only
"""What the known regressions of a night prove, as JSON beside its report: for an exit status."""

from __future__ import annotations

import json
from pathlib import Path

from vlag import durable
from vlag.verdict_data import ProofData


def beside(report: Path) -> Path:
    """Return the path of the proof of a report."""
    return report.with_suffix(".proof.json")


def write(path: Path, proof: ProofData | None) -> None:
    """Write a proof; None: nothing was predicted.  Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with durable.replacing(path) as draft:
        draft.write_text(json.dumps(proof, sort_keys=True) + "\n", encoding="utf-8")


def has_failed(report: Path) -> bool:
    """Return whether a report's known regressions were not flagged as predicted.

    A report without a proof beside it predicted nothing.
    """
    try:
        proof = json.loads(beside(report).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return proof is not None and bool(proof["failed"])
