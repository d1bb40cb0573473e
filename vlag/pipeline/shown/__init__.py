"""The views of schema `shown` as plain data: what reports and pages read, and nothing else.

Rows are dictionaries with the views' own columns; times are `datetime`, absent values None.
"""

from vlag.pipeline.shown.comparisons import (
    boots,
    buckets,
    by_ids,
    comparison,
    matrix,
    night,
    row,
    verdicts,
)
from vlag.pipeline.shown.places import (
    alert,
    alerts,
    boards,
    branch,
    branch_history,
    branches,
    command,
    overview,
    run,
    series_of,
)

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
    "matrix",
    "night",
    "overview",
    "row",
    "run",
    "series_of",
    "verdicts",
]
