# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of a report held against the headers of the known regressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from vlag.compare import predictions
from vlag.compare.predictions import Judgement
from vlag.kernel import series
from vlag.kernel.series import PATCHES, Patch

SERIES = "known-regressions"


def patch_of(kernel: Mapping[str, Any]) -> Patch:
    """Return the patch that a kernel of a report carries alone."""
    assert kernel["series"] == SERIES
    number = re.fullmatch(r"solo\((\d+)\)", kernel["application"])
    assert number, kernel["application"]
    return series.read(PATCHES, SERIES)[int(number[1]) - 1]


def flagged(comparison: Mapping[str, Any], verdict: str) -> set[tuple[str, str, str]]:
    """Return board type, benchmark and metric of what has a verdict."""
    return {
        (comparison["board_type"], row["benchmark"], row["metric"])
        for row in comparison["rows"]
        if row["verdict"] == verdict
    }


def judged(comparison: Mapping[str, Any], kernel: Mapping[str, Any]) -> Judgement:
    """Hold a comparison's rows against the header of a kernel's patch, its own or another."""
    patch = patch_of(kernel)
    rows = [SimpleNamespace(**row) for row in comparison["rows"]]
    expected = predictions.active(patch, kernel["knobs"])
    return predictions.hold(expected, comparison["board_type"], rows, name=patch.title)
