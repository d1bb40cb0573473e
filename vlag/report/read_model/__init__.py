# SPDX-License-Identifier: GPL-2.0-only
"""The read model: views of schema `read_model` as plain data, the only source of reports and pages.

Rows are TypedDicts with the columns of their statement; times are `datetime`, absent values None.
"""

from vlag.report.read_model.alert_rows import alert, alerts, joined_into
from vlag.report.read_model.bisection_rows import bisections, searching, since, since_of
from vlag.report.read_model.board_rows import board_types, board_use, boards
from vlag.report.read_model.branch_figures import (
    branch_history,
    buckets_over_time,
    medians,
    plain_kernels,
    time_series,
)
from vlag.report.read_model.branches import (
    boards_of_branch,
    branch,
    branches,
    comparisons_of_branch,
    newest,
    overview,
    since_then,
    time_series_of,
)
from vlag.report.read_model.choose import kernel
from vlag.report.read_model.commit_rows import (
    comparisons_of_commit,
    functions_of_commit,
    kernels_of_commit,
)
from vlag.report.read_model.comparison_rows import (
    boots,
    buckets,
    by_ids,
    comparison,
    failed,
    matrix,
    of_pair,
    row,
    runs_of,
    screen,
    time_series_on,
    verdicts,
)
from vlag.report.read_model.heat import squares
from vlag.report.read_model.lane_states import lanes_of_branch, lanes_told
from vlag.report.read_model.lives import life_of
from vlag.report.read_model.named_function import function_of
from vlag.report.read_model.night_rows import night, nights, proof, undelivered, words
from vlag.report.read_model.onsets import Onset, onsets, place_along, subject_of
from vlag.report.read_model.profile_rows import (
    decided_differently,
    decision_of,
    decision_timeline,
    profiles,
    sampled,
)
from vlag.report.read_model.regressions import (
    of_cause,
    regression_of_alert,
    regression_of_suspicion,
)
from vlag.report.read_model.run_rows import (
    beside,
    boots_of,
    command,
    counterpart,
    environment,
    environments,
    last_durations,
    location,
    outcomes,
    places,
    removal,
    run,
)
from vlag.report.read_model.sayings import replaced_by, sayings, screen_of
from vlag.report.read_model.try_states import booted, tries, try_

__all__ = [
    "Onset",
    "alert",
    "alerts",
    "beside",
    "bisections",
    "board_types",
    "board_use",
    "boards",
    "boards_of_branch",
    "booted",
    "boots",
    "boots_of",
    "branch",
    "branch_history",
    "branches",
    "buckets",
    "buckets_over_time",
    "by_ids",
    "command",
    "comparison",
    "comparisons_of_branch",
    "comparisons_of_commit",
    "counterpart",
    "decided_differently",
    "decision_of",
    "decision_timeline",
    "environment",
    "environments",
    "failed",
    "function_of",
    "functions_of_commit",
    "joined_into",
    "kernel",
    "kernels_of_commit",
    "lanes_of_branch",
    "lanes_told",
    "last_durations",
    "life_of",
    "location",
    "matrix",
    "medians",
    "newest",
    "night",
    "nights",
    "of_cause",
    "of_pair",
    "onsets",
    "outcomes",
    "overview",
    "place_along",
    "places",
    "plain_kernels",
    "profiles",
    "proof",
    "regression_of_alert",
    "regression_of_suspicion",
    "removal",
    "replaced_by",
    "row",
    "run",
    "runs_of",
    "sampled",
    "sayings",
    "screen",
    "screen_of",
    "searching",
    "since",
    "since_of",
    "since_then",
    "squares",
    "subject_of",
    "time_series",
    "time_series_of",
    "time_series_on",
    "tries",
    "try_",
    "undelivered",
    "verdicts",
    "words",
]
