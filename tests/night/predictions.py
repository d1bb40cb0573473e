"""What the headers of kernel-patches/known-regressions/ predict, held against verdicts."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from vlag.kernel import series
from vlag.kernel.series import PATCHES, Patch

SERIES = "known-regressions"


def patch_of(comparison: Mapping[str, Any]) -> Patch:
    """Return the patch that a comparison's new kernel carries alone."""
    assert comparison["new"]["series"] == SERIES
    number = re.fullmatch(r"solo\((\d+)\)", comparison["new"]["application"])
    assert number, comparison["new"]["application"]
    return series.read(PATCHES, SERIES)[int(number[1]) - 1]


def flagged(comparison: Mapping[str, Any], verdict: str) -> set[tuple[str, str, str]]:
    """Return board type, benchmark and metric of what has a verdict."""
    return {
        (comparison["board_type"], row["benchmark"], row["metric"])
        for row in comparison["rows"]
        if row["verdict"] == verdict
    }


def is_active(comparison: Mapping[str, Any]) -> bool:
    """Tell whether the patch does anything: the knobs that it needs were set."""
    return dict(comparison["new"]["knobs"]) == dict(patch_of(comparison).trailers.knobs)


def faults(comparisons: Iterable[Mapping[str, Any]]) -> list[str]:
    """Say what a kernel's comparisons, one a board type, say otherwise than its header."""
    comparisons = list(comparisons)
    found = []
    hit = set()
    patch = patch_of(comparisons[0])
    assert patch.trailers.predicts is not None, f"{patch.name} predicts nothing, not even nothing"
    predictions = patch.trailers.predicts if is_active(comparisons[0]) else ()
    for comparison in comparisons:
        for board_type, benchmark, metric in flagged(comparison, "REGRESSION"):
            if any(p.covers(board_type, benchmark, metric, "worse") for p in predictions):
                hit.add((board_type, benchmark, metric))
            else:
                found.append(f"{patch.name}: {benchmark} {metric} on {board_type} is flagged")
        for board_type, benchmark, metric in flagged(comparison, "IMPROVEMENT"):
            found.append(f"{patch.name}: {benchmark} {metric} on {board_type} is better")
        for row in comparison["rows"]:
            if row["verdict"] == "NOT_COMPARABLE":
                found.append(f"{patch.name}: {row['benchmark']}: {row['reason']}")
    if predictions and not hit:
        found.append(f"{patch.name}: nothing that it predicts is flagged")
    return found
