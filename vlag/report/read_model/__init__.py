"""The read model: views of schema `read_model` as plain data, the only source of reports and pages.

Rows are dictionaries with the views' own columns; times are `datetime`, absent values None.
"""

from vlag.report.read_model.branches import (
    alert,
    alerts,
    boards,
    branch,
    branch_history,
    branches,
    command,
    newest,
    overview,
    proof,
    run,
    series_of,
)
from vlag.report.read_model.comparisons import (
    boots,
    buckets,
    by_ids,
    comparison,
    matrix,
    night,
    row,
    screen,
    verdicts,
    words,
)
from vlag.report.read_model.heat import medians, nights, squares
from vlag.report.read_model.profiles import function_of, profiles

__all__ = [
    "alert",
    "alerts",
    "boards",
    "boots",
    "branch",
    "branch_history",
    "branches",
    "buckets",
    "by_ids",
    "command",
    "comparison",
    "function_of",
    "matrix",
    "medians",
    "newest",
    "night",
    "nights",
    "overview",
    "profiles",
    "proof",
    "row",
    "run",
    "screen",
    "series_of",
    "squares",
    "verdicts",
    "words",
]
