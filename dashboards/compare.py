# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of two kernels, per figure."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import Link, page, to_run
from dashboards.parts import (
    PERCENT,
    SIDES,
    WAYS,
    Column,
    Words,
    bars,
    coloured,
    counts,
    hidden,
    moment,
    one,
    over,
    percent,
    rows,
    spread,
)
from dashboards.postgresql import Query, number
from dashboards.sides import CHOSEN, variables
from dashboards.variables import choice
from dashboards.why import why
from vlag.compare.differences import SURROUNDINGS
from vlag.report.colours import NEW, UNCHANGED
from vlag.report.read_model import worst_first

_EMPTY = (
    "no figures: these two kernels were not compared on this board type; compare them with"
    " `vlag compare BASE NEW`"
)
_LIMITS = (
    "  Cross-CPU latencies of a deterministic board are hints, not proof.  Figures of field"
    " reports are synthetic: generated from the numbers in the report."
)

#: Figures whose intervals are drawn.
_INTERVALS = 40

# What a board cannot prove is no proven change of another colour.
_WORD = """v.verdict || CASE WHEN v.standing = 'hint' THEN ' (hint)' ELSE '' END"""

_SURROUNDINGS = ", ".join(f"'{name}'" for name in SURROUNDINGS)

_SUMMARY = f"FROM read_model.comparison_summary s WHERE s.id = {number('comparison')}"


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.COMPARE,
        title="Compare",
        description="Two kernels on one board type: effects with intervals and verdicts",
        start="now-180d",
        variables=[
            *variables(),
            choice(
                "figure",
                "Figure",
                f"""
SELECT concat_ws(' ', v.name, '[' || v.unit || ']', v.parameters) AS __text, v.id::text AS __value
FROM read_model.verdict v WHERE {CHOSEN}
ORDER BY {worst_first.FIGURES}
""",
                description="the figure of the distributions and boots below the table",
            ),
        ],
        content=[
            Row(height=4, panels=[(4, _word()), (20, _summary())]),
            Row(height=14, panels=[(24, _effects())]),
            Row(height=10, panels=[(8, _bars()), (8, _intervals()), (8, _distributions())]),
            why(),
            Row(height=9, panels=[(24, _boots())]),
            Row(height=8, panels=[(24, _failures())]),
            Row(height=8, panels=[(24, _apart())]),
        ],
    )


def _word() -> Any:
    panel = one(
        Words(
            title="Overall verdict",
            question="Is the new kernel worse?",
            sentence="It is a proven regression.",
            description="Verdict over all figures; MIXED: confirmed regressions and improvements."
            + _LIMITS,
            empty=_EMPTY,
        ),
        f"SELECT s.verdict {_SUMMARY}",
        alarm=True,
        link=page("The comparison's page", "compare?id=${comparison}"),
    )
    return panel


def _summary() -> Any:
    return rows(
        Words(
            title="${base} and ${new}",
            question="Which two kernels are compared, and how many figures are worse?",
            sentence="6.12.117 against 6.1.192: one figure is worse and three are better.",
            description="The two sides, their differences, and the number of figures per verdict.",
            empty=_EMPTY,
        ),
        f"""
SELECT s.base, s.new, s.regressions AS worse, s.improvements AS better, s.suspected, s.hints,
  s.marginal, s.inconclusive, s.not_comparable AS "not comparable", s.unchanged, s.failures,
  s.base_knobs AS "base knobs", s.new_knobs AS "new knobs", s.board_type, s.plan, s.role, s.at,
  s.factors::text AS differs, array_to_string(s.notes, '; ') AS notes,
  left(s.base_commit, 12) AS "base commit", left(s.new_commit, 12) AS "new commit"
{_SUMMARY}
""",
        Column(name="base", width=170),
        Column(name="new", width=170),
        Column(name="board_type", header="board type", width=110),
        moment("at", header="compared"),
        Column(name="differs", width=240),
        Column(name="notes", width=240),
        Column(name="role", width=90),
        Column(name="plan", width=140),
        *counts("unchanged"),
    )


def _effects() -> Any:
    return rows(
        Words(
            title="Effects, worst first",
            question="Which figure is worst, by how much, and how sure is that?",
            sentence="The switch rate is 2.3 % worse, between 2.1 and 2.5 %, and confirmed.",
            description="Relative change of each figure with its 95 % interval.  `worsening` is the"
            " change with its sign adjusted: above 0 is worse for every direction of the metric."
            "  If a rerun decided, the numbers come from it; a column of its own has the"
            " change of the first boots.  NOT_COMPARABLE lists every factor that differs."
            + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT {_WORD} AS verdict, v.standing, v.name AS figure, v.parameters, v.unit, v.base_value AS base,
  v.new_value AS new, v.effect, v.ci_low AS "at least", v.ci_high AS "at most", v.worsening,
  v.n_base AS "boots of base", v.n_new AS "boots of new", v.p, v.direction || ' is better' AS good,
  v.screened_effect AS "screen of first boots", v.reason,
  v.base_marked + v.new_marked AS "boots with alarms", v.id AS number, v.comparison,
  c.base_kernel, c.new_kernel, c.board_type
FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison
WHERE {CHOSEN}
ORDER BY {worst_first.FIGURES}
""",
        Column(name="verdict", verdict=True, width=170),
        Column(name="standing", width=100),
        Column(
            name="figure",
            width=270,
            link=Link(
                title="Its distributions, below",
                url=f"/d/{names.COMPARE}?var-board=${{__data.fields.board_type:percentencode}}"
                "&var-new=${__data.fields.new_kernel}&var-base=${__data.fields.base_kernel}"
                "&var-comparison=${__data.fields.comparison}&var-figure=${__data.fields.number}",
            ),
        ),
        Column(name="parameters", width=270),
        Column(name="unit", width=70),
        Column(name="base", width=100),
        Column(name="new", width=100),
        percent("effect"),
        percent("at least"),
        percent("at most"),
        percent("worsening", sign=True),
        percent("screen of first boots", width=160),
        Column(name="boots of base", width=110),
        Column(name="boots of new", width=110),
        Column(name="p", decimals=4, width=80),
        Column(name="good", header="direction", width=130),
        Column(name="reason", width=420),
        Column(name="boots with alarms", width=130),
        *hidden("number", "comparison", "base_kernel", "new_kernel", "board_type"),
    )


def _bars() -> Any:
    panel = bars(
        Words(
            title="The largest changes, above 0 is worse",
            question="Do the changes go to one side?",
            sentence="Two bars are red, and the rest is not proved.",
            description="The twenty figures with the largest changes in either direction, without"
            " hints." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT x.figure, CASE WHEN x.proved AND x.worsening > 0 THEN x.worsening END AS worse,
  CASE WHEN x.proved AND x.worsening <= 0 THEN x.worsening END AS better,
  CASE WHEN NOT x.proved THEN x.worsening END AS "not proved"
FROM (
  -- The parameters where they tell two figures apart: the label of a bar is short.
  SELECT concat_ws(' ', v.name,
      CASE WHEN count(*) OVER (PARTITION BY v.name) > 1 THEN v.parameters END) AS figure,
    v.worsening,
    v.verdict IN ('REGRESSION', 'IMPROVEMENT') AND v.standing IN ('confirmed', 'told') AS proved
  FROM read_model.verdict v
  WHERE {CHOSEN} AND v.worsening IS NOT NULL AND NOT v.hint
  ORDER BY read_model.size(v.effect) DESC LIMIT 20
) x
ORDER BY x.worsening DESC
""",
        x="figure",
        unit="percentunit",
        lying=True,
    )
    return coloured(panel, {**WAYS, "not proved": UNCHANGED})


def _intervals() -> Any:
    panel = over(
        Words(
            title="Changes with their intervals, worst first, above 0 is worse",
            question="Which changes are surely not zero?",
            sentence="The first three intervals are above 0, and all others contain it.",
            description="Change, least and most of each figure's 95 % interval, with their sign"
            " adjusted: above 0 is worse.  The number is the figure's place by its change, 1 the"
            f" worst; the {_INTERVALS} largest in either direction.  The table has the names."
            + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT row_number() OVER (ORDER BY x.worsening DESC, x.id)::double precision AS place,
  x.worsening AS change, least(x.low, x.high) AS "at least", greatest(x.low, x.high) AS "at most"
FROM (
  SELECT v.id, v.worsening, v.ci_low * sign AS low, v.ci_high * sign AS high
  FROM read_model.verdict v
  CROSS JOIN LATERAL (SELECT CASE v.direction WHEN 'lower' THEN 1 ELSE -1 END AS sign) s
  WHERE {CHOSEN} AND v.worsening IS NOT NULL AND v.ci_low IS NOT NULL AND v.ci_high IS NOT NULL
  ORDER BY read_model.size(v.effect) DESC, v.id LIMIT {_INTERVALS}
) x
ORDER BY place
""",
        unit=PERCENT,
        points=True,
    )
    panel = panel.override_by_name("place", [model.DynamicConfigValue("unit", "none")])
    return coloured(panel, {"change": NEW, "at least": UNCHANGED, "at most": UNCHANGED})


def _boots_of(side: str) -> str:
    return f"""
SELECT x.value AS {side}
FROM read_model.verdict v
JOIN read_model.run_value x ON x.run = ANY(v.{side}_runs) AND x.series = v.series_{side}
  AND x.statistic = v.statistic
WHERE v.id = {number("figure")}
ORDER BY x.run
"""


def _distributions() -> Any:
    return coloured(
        spread(
            Words(
                title="Distribution over boots: ${figure}",
                question="Do the boots of the two kernels overlap?",
                sentence="The two groups of boots do not touch.",
                description="One value per boot on each side.  A verdict compares boots, not the"
                " samples of one boot.  The Latency dashboard shows sample distributions.",
                empty="no boots: select a figure that was measured on both sides",
            ),
            Query(sql=_boots_of("base"), ref="A"),
            Query(sql=_boots_of("new"), ref="B"),
        ),
        SIDES,
    )


def _boots() -> Any:
    return rows(
        Words(
            title="${figure}: boots",
            question="Which boots decided this figure, and how can I repeat one?",
            sentence="Boot 17 of the new kernel is the slowest, and its command is beside it.",
            description="Every boot of the figure, with its run, its raw output and the command"
            " that reproduces it.",
            empty="no boots: select a figure that was measured on both sides",
        ),
        f"""
WITH v AS MATERIALIZED (SELECT * FROM read_model.verdict WHERE id = {number("figure")}),
boots AS (
  SELECT 'base' AS side, x.run, x.value FROM v
  JOIN read_model.run_value x ON x.run = ANY(v.base_runs) AND x.series = v.series_base
    AND x.statistic = v.statistic
  UNION ALL
  SELECT 'new', x.run, x.value FROM v
  JOIN read_model.run_value x ON x.run = ANY(v.new_runs) AND x.series = v.series_new
    AND x.statistic = v.statistic
)
SELECT b.side, b.run, b.value, r.seed, r.board, r.outcome, r.alarms, r.reproduce, r.output,
  r.finished_at AS finished, r.knobs, r.tool_version, r.emulator, r.emulator_version
FROM boots b JOIN read_model.run r ON r.id = b.run
ORDER BY b.side, r.seed, b.run
""",
        Column(name="side", width=70, words=SIDES),
        Column(name="run", width=80, link=to_run()),
        Column(name="value", width=110),
        Column(name="seed", width=60),
        Column(name="board", width=140),
        Column(name="outcome", width=110),
        Column(name="alarms", width=70),
        Column(name="tool_version", header="tool version", width=120),
        Column(name="emulator", width=160),
        Column(name="emulator_version", header="emulator version", width=140),
        moment("finished"),
        Column(
            name="output",
            width=200,
            link=page(
                "The raw output",
                "raw?run=${__data.fields.run}&file=${__data.fields.output:percentencode}",
            ),
        ),
        Column(name="reproduce", width=420),
    )


def _failures() -> Any:
    return rows(
        Words(
            title="Failures",
            question="Did a build or a boot of these kernels fail?",
            sentence="The new kernel panicked in two boots.",
            description="Failed builds and runs of both sides.  A failure of the kernel itself is a"
            " result: it is listed here and not treated as a missing boot.",
            empty="no failures; or no comparison is selected",
        ),
        f"""
SELECT f.side, f.kind, f.outcome, f.reason, f.benchmark, f.parameters, f.seed, f.run, f.at,
  f.reproduce, coalesce('run?id=' || f.run, 'raw?file=build.log&kernel='
    || CASE f.side WHEN 'new' THEN c.new_kernel ELSE c.base_kernel END) AS page
FROM read_model.failure f JOIN read_model.comparison c ON c.id = f.comparison
WHERE f.comparison = {number("comparison")}
ORDER BY f.side, f.kind, f.at
LIMIT 200
""",
        Column(name="side", width=70),
        Column(name="kind", width=80),
        Column(name="seed", width=60),
        Column(name="run", width=70),
        Column(
            name="outcome", width=120, link=page("Its run or build log", "${__data.fields.page}")
        ),
        Column(name="reason", width=420),
        Column(name="benchmark", width=170),
        Column(name="parameters", width=250),
        Column(name="reproduce", width=420),
        moment("at", header="finished"),
        *hidden("page"),
    )


def _apart() -> Any:
    return rows(
        Words(
            title="Differences between the two sides",
            question="What differs between the two sides besides the kernel?",
            sentence="Only the kernel differs.",
            description="Kernel and knobs may differ: they are compared.  If figures are"
            " NOT_COMPARABLE, this table also lists the environment factors that differ.  The"
            " `reason` of a figure lists differing measurement conditions.",
            empty="no differences: these two sides were not compared, or are equal",
        ),
        f"""
SELECT f.key AS factor, f.value ->> 'base' AS base, f.value ->> 'new' AS new,
  'yes' AS "may it differ"
FROM read_model.comparison c, jsonb_each(c.factors) AS f
WHERE c.id = {number("comparison")}
UNION ALL
SELECT DISTINCT e.name, e.base, e.new, 'no, it must be equal'
FROM read_model.verdict v
CROSS JOIN LATERAL (
  SELECT n.name,
    (SELECT x.value FROM read_model.run_environment x
      WHERE x.run = v.base_runs[1] AND x.name = n.name) AS base,
    (SELECT x.value FROM read_model.run_environment x
      WHERE x.run = v.new_runs[1] AND x.name = n.name) AS new
  FROM unnest(ARRAY[{_SURROUNDINGS}]) AS n(name)
) e
WHERE {CHOSEN} AND v.verdict = 'NOT_COMPARABLE' AND e.base IS DISTINCT FROM e.new
ORDER BY 4 DESC, 1
""",
        Column(name="base", width=420),
        Column(name="new", width=420),
    )
