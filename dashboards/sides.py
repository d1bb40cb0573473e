# SPDX-License-Identifier: GPL-2.0-only
"""Variables that select two kernels, shared by several dashboards."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards.postgresql import number, text
from dashboards.variables import choice

#: Condition that a verdict `v` belongs to the selected comparison.
CHOSEN = f"v.comparison = {number('comparison')}"

# The newest comparison of a branch with its baseline comes first: no patches, no self-proof and
# no field report.
_HEADS_FIRST = """max(c.id) FILTER (
  WHERE c.role = 'baseline' AND c.patches IS NULL AND c.branch IS NOT NULL
    AND c.as_predicted IS NULL AND NOT c.synthetic) DESC NULLS LAST"""


def board_type() -> Any:
    """Return the variable for a board type with comparisons."""
    return choice(
        "board",
        "Board type",
        f"""
SELECT c.board_type FROM read_model.comparison c
GROUP BY c.board_type ORDER BY {_HEADS_FIRST}, bool_and(c.synthetic), max(c.id) DESC
""",
    )


def variables(first: str = "") -> list[Any]:
    """Return the variables for board type, new kernel, base kernel and their comparison.

    `first` is SQL that sorts before the newest comparison of the two kernels.
    """
    board = f"c.board_type = {text('board')}"
    new = f"{board} AND c.new_kernel = {number('new')}"
    base = f"{new} AND c.base_kernel = {number('base')}"
    return [
        board_type(),
        choice(
            "new",
            "New kernel",
            f"""
SELECT concat(min(c.new), ' of ' || min(c.branch_name)) AS __text, c.new_kernel::text AS __value
FROM read_model.comparison c WHERE {board}
GROUP BY c.new_kernel ORDER BY {_HEADS_FIRST}, max(c.id) DESC LIMIT 500
""",
            description="the first is the newest head of a branch",
        ),
        choice(
            "base",
            "Base kernel",
            f"""
SELECT min(c.base) AS __text, c.base_kernel::text AS __value
FROM read_model.comparison c WHERE {new}
GROUP BY c.base_kernel ORDER BY bool_or(c.role = 'baseline') DESC NULLS LAST, max(c.id) DESC
""",
            description="the first is the baseline",
        ),
        choice(
            "comparison",
            "Comparison",
            f"""
SELECT concat_ws(' ', '#' || c.id, to_char(c.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), c.plan,
    CASE WHEN c.base_knobs = c.new_knobs THEN nullif(c.new_knobs, '')
         ELSE c.base_knobs || ' against ' || c.new_knobs END,
    CASE WHEN c.synthetic THEN '(field report)' END) AS __text,
  c.id::text AS __value
FROM read_model.comparison c WHERE {base}
ORDER BY {first}c.id DESC LIMIT 500
""",
            description="of these two kernels, the newest first",
        ),
    ]
