# SPDX-License-Identifier: GPL-2.0-only
"""Matrix of patches, variants or knobs by metrics."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards import names, sides
from dashboards.layout import Row, build
from dashboards.links import page, to_compare
from dashboards.parts import Column, Words, counts, hidden, moment, percent, pivot, rows
from dashboards.postgresql import among, number, text
from dashboards.variables import choice, choices, figures, of_figures

_EMPTY = "no comparisons with this kernel: run `vlag compare BASE NEW` for each of its variants"
_LIMITS = (
    "  A cell shows the effect and the verdict of the newest comparison in the colour of the"
    " verdict: an improvement is never red.  Cells without a comparison show `not run`."
)

_BASE = f"c.board_type = {text('board')} AND c.base_kernel = {number('base')}"

# Changes relative to the base: patches or another kernel, and knobs.  Knobs common to both sides
# are part of the name, or two rows would have the same name.
_SIDE = """concat_ws(' ',
    CASE WHEN c.patches IS NULL THEN
      CASE WHEN c.new_kernel = c.base_kernel THEN NULL ELSE c.new END
      ELSE c.patches || ' ' || c.application END,
    CASE WHEN c.new_knobs = c.base_knobs THEN 'with ' || nullif(c.new_knobs, '')
         ELSE coalesce(nullif(c.new_knobs, ''), 'no knobs') || ' against '
              || coalesce(nullif(c.base_knobs, ''), 'no knobs') END)"""

# Of several comparisons of the same two sides, take the one with most boots.  Most pairs have one
# comparison; their boots need not be counted.
_NEWEST = f"""
WITH rivals AS MATERIALIZED (
  SELECT c.id, c.new_kernel, c.base_knobs, c.new_knobs, {_SIDE} AS side,
    count(*) OVER (PARTITION BY c.new_kernel, c.base_knobs, c.new_knobs) AS many
  FROM read_model.comparison c
  WHERE {_BASE} AND {of_figures("c.synthetic")} AND {among("coalesce(c.plan, 'none')", "plan")}
),
newest AS MATERIALIZED (
  SELECT DISTINCT ON (c.new_kernel, c.base_knobs, c.new_knobs) c.id, c.side
  FROM rivals c
  ORDER BY c.new_kernel, c.base_knobs, c.new_knobs,
    CASE WHEN c.many > 1 THEN
      (SELECT max(v.n_new) FROM read_model.verdict v WHERE v.comparison = c.id) END DESC NULLS LAST,
    c.id DESC
)
"""
# Materialized first: the view computes `parameters` again for every use.
_FIGURES = f"""
{_NEWEST.rstrip()},
figures AS MATERIALIZED (
  SELECT n.side, v.benchmark, v.metric, v.statistic, v.name, v.parameters, v.effect, v.verdict,
    v.standing
  FROM newest n JOIN read_model.verdict v ON v.comparison = n.id
  WHERE {among("v.benchmark", "benchmark")}
)
SELECT f.side,
  concat_ws(' ', f.name, f.parameters) AS metric,
  CASE WHEN f.effect IS NULL THEN ''
       ELSE regexp_replace(to_char(100 * f.effect, 'FMS9999990.0'), '^-0.0$', '+0.0')
      || ' % ' END || f.verdict
    || CASE WHEN f.standing = 'hint' THEN ' (hint)' ELSE '' END AS cell
FROM figures f
ORDER BY f.side, f.benchmark, f.metric, f.statistic, f.parameters
"""


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.MATRIX,
        title="Matrix",
        description="Patches, build-time variants or knobs by metrics",
        start="now-180d",
        variables=[
            sides.board_type(),
            choice(
                "base",
                "Base kernel",
                f"""
SELECT min(c.base) AS __text, c.base_kernel::text AS __value
FROM read_model.comparison c WHERE c.board_type = {text("board")}
GROUP BY c.base_kernel ORDER BY count(DISTINCT c.new_kernel) DESC, count(*) DESC, max(c.id) DESC
""",
            ),
            choices(
                "plan",
                "Plan",
                f"""
SELECT DISTINCT coalesce(c.plan, 'none') AS plan FROM read_model.comparison c WHERE {_BASE}
ORDER BY 1
""",
            ),
            choices(
                "benchmark",
                "Benchmark",
                f"""
SELECT DISTINCT v.benchmark
FROM read_model.comparison c JOIN read_model.verdict v ON v.comparison = c.id
WHERE {_BASE} ORDER BY 1
""",
            ),
            # Comparisons of the selected base kernel must not be hidden.
            figures(all_at_first=True),
        ],
        content=[
            Row(height=16, panels=[(24, _matrix())]),
            Row(height=12, panels=[(24, _sides())]),
        ],
    )


def _matrix() -> Any:
    return pivot(
        Words(
            title="Changes to ${base}, by metric",
            question="Which patch or knob changes which metric?",
            sentence="Patch 1 alone brings the 11 %, and the others bring 4 % each.",
            description="Rows: patches, build-time variants, knobs.  Columns: metrics." + _LIMITS,
            empty=_EMPTY,
        ),
        _FIGURES,
        row="side",
        column="metric",
        value="cell",
        names=320,
        cells=270,
    )


def _sides() -> Any:
    return rows(
        Words(
            title="Comparisons in the matrix",
            question="Which row is the worst overall?",
            sentence="preempt=lazy is the worst row, with five regressions.",
            description="Overall verdict of each row, with a link to its figures.  A failed build"
            " or run counts as a failure, not as a missing row." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
{_NEWEST}
SELECT n.side, s.verdict, s.worst, s.regressions AS worse, s.improvements AS better, s.suspected,
  s.hints, s.marginal, s.inconclusive, s.not_comparable AS "not comparable", s.unchanged,
  s.failures, s.plan, s.at, s.id AS comparison, s.base_kernel, s.new_kernel, s.board_type
FROM newest n JOIN read_model.comparison_summary s USING (id)
ORDER BY s.severity, s.size DESC, n.side
""",
        Column(name="side", width=320, link=to_compare()),
        Column(name="verdict", verdict=True, width=150),
        percent("worst", sign=True),
        *counts("unchanged"),
        Column(name="plan", width=140),
        moment("at", header="compared"),
        Column(
            name="comparison",
            link=page("The comparison's page", "compare?id=${__data.fields.comparison}"),
        ),
        *hidden("base_kernel", "new_kernel", "board_type"),
    )
