# SPDX-License-Identifier: GPL-2.0-only
"""Why a figure changed: the functions and decisions of a comparison's profiles."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from dashboards.layout import Row
from dashboards.parts import AnyPanel, Column, Words, hidden, rows
from dashboards.postgresql import number

#: Functions of one benchmark; the report and the page have ten.
_FUNCTIONS = 20

_EMPTY = (
    "no profile: only confirmed changes on a deterministic board have one; make it with"
    " `vlag profile --comparison NUMBER`: the number is the one at the top"
)
_LIMITS = (
    "  Counted in boots that observe and are not scored.  Instructions are no time: caches, memory,"
    " mispredicted branches and parallelism are not in them.  `sure`: boots of one kernel do not"
    " differ by as much."
)
_SURE = "CASE WHEN x.certain THEN 'sure' ELSE 'not sure' END AS sure"
_CHOSEN = f"p.comparison = {number('comparison')}"


def why() -> Row:
    """Return the row with the functions and the decisions of the selected comparison."""
    return Row(height=12, panels=[(14, _functions()), (10, _decisions())])


def _functions() -> AnyPanel:
    return rows(
        Words(
            title="Why: functions by difference",
            question="In which kernel functions do the two kernels differ?",
            sentence="A switch takes 160 more instructions in pick_task_fair, called as often.",
            description="Instructions and calls of kernel functions for one operation of the"
            f" benchmark, the {_FUNCTIONS} largest differences of each; of a board with a PMU the"
            " cycles that perf has sampled, without calls." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT * FROM (
  SELECT x.name AS function, x.change, {_SURE}, 'instructions' AS what, p.operation AS a,
    x.base_calls AS "calls of base", x.new_calls AS "calls of new", x.base_instructions AS base,
    x.new_instructions AS new, p.benchmark, p.parameters, x.source, p.effect, x.number
  FROM read_model.profile p JOIN read_model.profile_function x ON x.profile = p.id
  WHERE {_CHOSEN} AND x.change <> 0 AND x.number < {_FUNCTIONS}
  UNION ALL
  SELECT x.name, x.change, {_SURE}, p.event, p.operation, NULL, NULL, x.base_value,
    x.new_value, p.benchmark, p.parameters, NULL, p.effect, x.number
  FROM read_model.sampled_profile p JOIN read_model.sampled_function x ON x.profile = p.id
  WHERE {_CHOSEN} AND x.number <= {_FUNCTIONS}
) AS functions
ORDER BY abs(effect) DESC NULLS LAST, benchmark, parameters, number
""",
        Column(name="benchmark", width=150),
        Column(name="parameters", width=150),
        Column(name="what", width=95),
        Column(name="a", width=60),
        Column(name="function", width=190),
        Column(name="change", decimals=2, width=80),
        Column(name="sure", width=75),
        Column(name="base", decimals=2, width=75),
        Column(name="new", decimals=2, width=75),
        Column(name="calls of base", decimals=3, width=105),
        Column(name="calls of new", decimals=3, width=100),
        Column(name="source", width=200),
        *hidden("effect", "number"),
    )


def _decisions() -> AnyPanel:
    return rows(
        Words(
            title="Why: decisions by rate",
            question="What does the scheduler decide more or less often?",
            sentence="Requests to reschedule went from 0.31 to 0.94 a switch, and that is sure.",
            description="Calls of the functions that decide, for one operation of the benchmark."
            "  Without a value: this kernel has no such function, or the compiler has put it into"
            " its callers." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT x.what AS decision, p.operation AS a, x.base_value AS base, x.new_value AS new,
  x.new_value - x.base_value AS change, {_SURE}, p.benchmark, p.parameters, p.effect
FROM read_model.profile p JOIN read_model.profile_decision x ON x.profile = p.id
WHERE {_CHOSEN}
ORDER BY abs(p.effect) DESC NULLS LAST, p.benchmark, p.parameters, x.certain DESC, x.number
""",
        Column(name="benchmark", width=150),
        Column(name="parameters", width=150),
        Column(name="a", width=70),
        Column(name="decision", width=210),
        Column(name="base", decimals=4, width=80),
        Column(name="new", decimals=4, width=80),
        Column(name="change", decimals=4, width=80),
        Column(name="sure", width=80),
        *hidden("effect"),
    )
