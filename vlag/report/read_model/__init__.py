"""The read model: views of schema `read_model` as plain data, the only source of reports and pages.

Rows are dictionaries with the views' own columns; times are `datetime`, absent values None.
"""

from vlag.report.read_model.bisections import bisections, since_of
from vlag.report.read_model.branch_figures import branch_history, medians, plain_kernels
from vlag.report.read_model.branches import (
    alert,
    alerts,
    boards,
    branch,
    branches,
    command,
    location,
    newest,
    overview,
    proof,
    run,
    series_of,
    undelivered,
)
from vlag.report.read_model.comparison_rows import (
    boots,
    buckets,
    by_ids,
    comparison,
    failed,
    matrix,
    night,
    row,
    screen,
    verdicts,
    words,
)
from vlag.report.read_model.heat import nights, squares
from vlag.report.read_model.lane_states import lanes_of_branch, lanes_told
from vlag.report.read_model.onsets import Onset, onsets, place_along
from vlag.report.read_model.profiles import function_of, profiles, sampled
from vlag.report.read_model.sayings import replaced_by, sayings
from vlag.report.read_model.try_states import booted, tries, try_

__all__ = [
    "Onset",
    "alert",
    "alerts",
    "bisections",
    "boards",
    "booted",
    "boots",
    "branch",
    "branch_history",
    "branches",
    "buckets",
    "by_ids",
    "command",
    "comparison",
    "failed",
    "function_of",
    "lanes_of_branch",
    "lanes_told",
    "location",
    "matrix",
    "medians",
    "newest",
    "night",
    "nights",
    "onsets",
    "overview",
    "place_along",
    "plain_kernels",
    "profiles",
    "proof",
    "replaced_by",
    "row",
    "run",
    "sampled",
    "sayings",
    "screen",
    "series_of",
    "since_of",
    "squares",
    "tries",
    "try_",
    "undelivered",
    "verdicts",
    "words",
]
