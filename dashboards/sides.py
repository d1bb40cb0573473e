"""Variables that select two kernels, shared by several dashboards."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards.postgresql import number, text
from dashboards.variables import choice

#: Condition that a verdict `v` belongs to the selected comparison.
CHOSEN = f"v.comparison = {number('comparison')}"


def board_type() -> Any:
    """Return the variable for a board type with comparisons."""
    return choice(
        "board",
        "Board type",
        """
SELECT c.board_type FROM read_model.comparison c
GROUP BY c.board_type ORDER BY bool_and(c.synthetic), max(c.id) DESC
""",
    )


def variables() -> list[Any]:
    """Return the variables for board type, new kernel, base kernel and their comparison."""
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
GROUP BY c.new_kernel ORDER BY max(c.id) DESC LIMIT 500
""",
        ),
        choice(
            "base",
            "Base kernel",
            f"""
SELECT min(c.base) AS __text, c.base_kernel::text AS __value
FROM read_model.comparison c WHERE {new}
GROUP BY c.base_kernel ORDER BY max(c.id) DESC
""",
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
ORDER BY c.id DESC LIMIT 500
""",
            description="of these two kernels; the default is the newest",
        ),
    ]
