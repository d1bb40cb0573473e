# SPDX-License-Identifier: GPL-2.0-only
"""Settings of the scheduler that field reports have tried, from `lava-jobs/scenarios/`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from vlag import ROOT
from vlag.config.documents import read_yaml

#: The figures of field reports, a file each.
SCENARIOS = ROOT / "lava-jobs" / "scenarios"


@cache
def reported(folder: Path = SCENARIOS) -> tuple[tuple[str, str], ...]:
    """Return each knob and one value that a report has boots with, in the order of the files.

    A value of several words, as features are, is so many pairs.
    """
    pairs: dict[tuple[str, str], None] = {}
    for path in sorted(folder.glob("*.yaml")):
        for knob, value in _knobs(read_yaml(path, "scenario.schema.json")):
            pairs.update(dict.fromkeys((knob, word) for word in str(value).split()))
    return tuple(pairs)


def _knobs(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items of every mapping `knobs`, wherever it stands."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == "knobs" and isinstance(value, dict):
                yield from value.items()
            else:
                yield from _knobs(value)
    elif isinstance(document, list):
        for value in document:
            yield from _knobs(value)
