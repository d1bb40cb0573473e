# SPDX-License-Identifier: GPL-2.0-only
"""Pages that compare kernels: overview, branch, comparison, pair, latency, matrix,
regression, commit, path."""

# Each module adds its pages to the blueprint.
from vlag.web.pages import (
    across_page,
    branch_page,
    choose_page,
    commit_page,
    compare_page,
    matrix_page,
    overview_page,
    path_page,
    regression_page,
)
from vlag.web.pages.blueprint import pages

__all__ = [
    "across_page",
    "branch_page",
    "choose_page",
    "commit_page",
    "compare_page",
    "matrix_page",
    "overview_page",
    "pages",
    "path_page",
    "regression_page",
]
