# SPDX-License-Identifier: GPL-2.0-only
"""The scheduler's counters that a report prints, compared by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vlag.errors import blame
from vlag.scenario.view_data import Counters
from vlag.schedstat import interval_difference, perf

if TYPE_CHECKING:
    from vlag.scenario.scenario_verdicts import Answers


def view(answers: Answers, given: Mapping[str, Any]) -> Counters:
    """Return the diff of a `perf sched stats diff` that lies beside the scenario's file."""
    path = answers.scenario.folder / given["file"]
    try:
        data = path.read_bytes()
    except OSError as e:
        raise blame(e, f"{path}: cannot be read ({e.strerror})") from e
    first, second = given["versions"]
    both = perf.diff(data, (first, second), path=path.name)
    a, b = (
        interval_difference.Side(source=name, counts=counts, hz=None)
        for name, counts in zip(given["kernels"], both, strict=True)
    )
    return {"diff": interval_difference.diff(a, b)}
