# SPDX-License-Identifier: GPL-2.0-only
"""The history of a metric along a branch."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.layout import Note, Row, build
from dashboards.links import page, to_compare, to_run
from dashboards.parts import WORDS, Column, Words, hidden, lines, moment, percent, rows, states
from dashboards.postgresql import Query, number, text
from dashboards.variables import choice
from vlag.report.colours import BASE, NEW, UNCHANGED, WORSE
from vlag.report.read_model import worst_first

_EMPTY = (
    "no boots of this branch in this time range: widen the range, or select another time series"
)
_LIMITS = (
    "  Each point is one boot; one boot alone proves nothing.  Runs on a suspect board are"
    " excluded.  The clock of a deterministic board counts instructions: it shows path length and"
    " decisions, not cache effects or contention."
)

#: Lines of the verdicts over time that fit in their panel.
_STATES = 15

# Build configuration and knobs: one history never mixes them.
_FACTORS = """concat_ws(' ',
    CASE WHEN {0}.patches IS NULL THEN 'unpatched' ELSE {0}.patches || ' ' || {0}.application END,
    nullif({0}.variant, 'default'), nullif({0}.{1}, ''))"""
_OF_COMPARISON = _FACTORS.format("c", "new_knobs")
_OF_HISTORY = _FACTORS.format("h", "knobs")


def _of_branch(kernel: str) -> str:
    """Return the condition that a kernel belongs to the selected branch, perhaps among others."""
    return f"""{kernel} IN (
    SELECT f.kernel FROM read_model.kernel_branch f WHERE f.branch_name = {text("branch")})"""


_WATCHED = f"{_of_branch('c.new_kernel')} AND c.board_type = {text('board')}"

#: The figures of the newest kernel against the baseline, with their places in "worst first".
_WORST = f"""newest AS MATERIALIZED (
  SELECT c.id FROM read_model.comparison c
  WHERE {_WATCHED} AND {_OF_COMPARISON} = {text("factors")}
    AND c.base_kernel = {number("baseline")} AND c.as_predicted IS NULL
  ORDER BY c.id DESC LIMIT 1
),
worst AS MATERIALIZED (
  SELECT v.series_new AS series, v.statistic,
    row_number() OVER (ORDER BY {worst_first.FIGURES}) AS place
  FROM newest n JOIN read_model.verdict v ON v.comparison = n.id
)"""

_SERIES = f"h.series = {number('series')} AND h.statistic = {text('statistic')}"

_POINTS = f"""
WITH points AS MATERIALIZED (
  SELECT h.at, h.value, h.run, h.kernel, h.commit, h.committed_at, h.marked, h.seed
  FROM read_model.history h
  WHERE {_SERIES} AND $__timeFilter(h.at)
    AND {_of_branch("h.kernel")}
    AND {_OF_HISTORY} = {text("factors")}
),
band AS (
  SELECT percentile_cont(0.05) WITHIN GROUP (ORDER BY h.value) AS low,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY h.value) AS middle,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY h.value) AS high
  FROM read_model.history h
  WHERE {_SERIES} AND h.kernel = {number("baseline")}
    AND h.knobs = (
      SELECT c.base_knobs FROM read_model.comparison c
      WHERE {_WATCHED} AND c.base_kernel = {number("baseline")}
        AND {_OF_COMPARISON} = {text("factors")}
      ORDER BY c.id DESC LIMIT 1)
),
middles AS (
  SELECT p.kernel, percentile_cont(0.5) WITHIN GROUP (ORDER BY p.value) AS middle
  FROM points p GROUP BY p.kernel
)
"""


#: The same figure on the page of the branch.
_PAGE = page(
    "The branch's page",
    "branch?branch=${branch:percentencode}&board=${board:percentencode}&series=${series}"
    "&statistic=${statistic:percentencode}",
)


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.BRANCH,
        title="Branch",
        description="History of a metric along a branch, with the band of the baseline",
        start="now-180d",
        variables=_variables(),
        content=[
            Row(height=12, panels=[(24, _history())]),
            Row(height=9, panels=[(24, _states())]),
            Row(height=10, panels=[(24, _kernels())]),
            Row(height=8, panels=[(12, _changes()), (12, _comparisons())]),
        ],
        notes=[
            Note(
                name="Change points",
                colour=WORSE,
                sql=f"""
SELECT p.at AS time,
  concat_ws(' ', 'step at', p.kernel_name, to_char(100 * p.effect, 'FMS990.0'), '%',
            CASE WHEN p.worsening > 0 THEN 'worse' ELSE 'better' END,
            CASE p.cause WHEN 'board' THEN '(the board, not the kernel)' END) AS text,
  'change point' AS tags
FROM read_model.change_point p
WHERE p.series = {number("series")} AND p.statistic = {text("statistic")}
  AND p.tree || '/' || p.branch = {text("branch")} AND p.withdrawn_at IS NULL
  AND $__timeFilter(p.at)
ORDER BY p.at
""",
            ),
            Note(
                name="Releases",
                colour=UNCHANGED,
                sql=f"""
WITH first AS MATERIALIZED (
  SELECT h.kernel, min(h.at) AS at
  FROM read_model.history h
  WHERE {_SERIES} AND $__timeFilter(h.at) AND {_of_branch("h.kernel")}
    AND h.patches IS NULL
  GROUP BY h.kernel
)
SELECT f.at AS time, 'first boot of ' || k.name AS text, 'release' AS tags
FROM first f JOIN read_model.kernel k ON k.id = f.kernel
WHERE k.describe !~ '-g[0-9a-f]+$'
ORDER BY f.at, k.id
""",
            ),
        ],
    )


def _variables() -> list[Any]:
    return [*_of_history(), *_of_figure()]


def _of_history() -> list[Any]:
    """Return the variables that select a history: branch, board, build and baseline."""
    return [
        choice(
            "branch",
            "Branch",
            """
SELECT f.branch_name FROM read_model.comparison c
JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel
GROUP BY f.branch_name
ORDER BY bool_and(c.synthetic), max(c.at) FILTER (WHERE c.as_predicted IS NULL) DESC NULLS LAST
""",
            description="the first is the one that was compared last",
        ),
        choice(
            "board",
            "Board type",
            f"""
SELECT c.board_type FROM read_model.comparison c WHERE {_of_branch("c.new_kernel")}
GROUP BY c.board_type ORDER BY max(c.at) DESC
""",
        ),
        choice(
            "factors",
            "Build and knobs",
            f"""
SELECT {_OF_COMPARISON} AS factors FROM read_model.comparison c WHERE {_WATCHED}
GROUP BY 1 ORDER BY bool_or(c.patches IS NULL AND c.new_knobs = '') DESC, max(c.at) DESC
""",
            description="patches, build-time variant and run-time knobs",
        ),
        choice(
            "baseline",
            "Baseline",
            f"""
SELECT DISTINCT ON (pick.rank, pick.id) k.name AS __text, k.id::text AS __value
FROM (
  SELECT c.base_kernel AS id, bool_or(c.role = 'baseline') IS NOT TRUE AS rank
  FROM read_model.comparison c WHERE {_WATCHED} AND {_OF_COMPARISON} = {text("factors")}
  GROUP BY c.base_kernel
) pick JOIN read_model.kernel k ON k.id = pick.id
ORDER BY pick.rank, pick.id DESC
""",
            description="its boots define the grey band",
        ),
    ]


def _of_figure() -> list[Any]:
    """Return the variables that select one figure of a history."""
    return [
        choice(
            "series",
            "Time series",
            f"""
WITH {_WORST}
SELECT concat_ws(' ', s.name, '[' || s.unit || '], ' || s.direction || ' is better', s.parameters,
                 s.tool, s.tool_version) AS __text,
  s.id::text AS __value
FROM read_model.series s
LEFT JOIN (SELECT w.series, min(w.place) AS place FROM worst w GROUP BY w.series) w
  ON w.series = s.id
WHERE s.board_type = {text("board")}
ORDER BY w.place, s.benchmark, s.latency, s.metric, s.parameters, s.tool_version
""",
            description="the first is the worst of the newest kernel against the baseline",
        ),
        choice(
            "statistic",
            "Statistic",
            f"""
WITH {_WORST}
SELECT v.statistic FROM read_model.run_value v
LEFT JOIN worst w ON w.series = v.series AND w.statistic = v.statistic
WHERE v.series = {number("series")}
GROUP BY v.statistic ORDER BY min(w.place), (v.statistic = 'median') DESC, v.statistic
""",
        ),
    ]


def _history() -> Any:
    panel = lines(
        Words(
            title="${series}: ${statistic} per boot",
            question="When did this figure change, and is it outside the band of the baseline?",
            sentence="The rate left the grey band at the kernel of 3 March and has stayed below"
            " it.",
            description="Every boot of the branch, the median of each kernel, and the 5 % to 95 %"
            " band of the baseline's boots.  A point links to its run, and to the run's page"
            " with its commit and raw files; a median links to the branch's page.  Annotations"
            " mark change points and releases." + _LIMITS,
            empty=_EMPTY,
        ),
        Query(
            sql=f"""
{_POINTS}
SELECT p.at AS time, p.value AS "one boot", m.middle AS "median of the kernel",
  b.low AS "baseline, lowest 5 %", b.high AS "baseline, highest 5 %", b.middle AS "baseline",
  p.run::text AS run, k.name AS kernel
FROM points p JOIN middles m ON m.kernel = p.kernel JOIN read_model.kernel k ON k.id = p.kernel
CROSS JOIN band b
ORDER BY p.at, p.run
"""
        ),
    )
    links = [to_run(), page("The run's page", "run?id=${__data.fields.run}")]
    looks: dict[str, dict[str, object]] = {
        "one boot": {
            "custom.drawStyle": "points",
            "color": {"mode": "fixed", "fixedColor": NEW},
            "links": [link.json() for link in links],
        },
        "median of the kernel": {
            "links": [_PAGE.json()],
            "custom.lineInterpolation": "stepAfter",
            "custom.showPoints": "never",
            "custom.lineWidth": 2,
            "color": {"mode": "fixed", "fixedColor": NEW},
        },
        "baseline": {
            "custom.showPoints": "never",
            "custom.lineStyle": {"fill": "dash", "dash": [8, 6]},
            "color": {"mode": "fixed", "fixedColor": BASE},
        },
        "baseline, lowest 5 %": {
            "custom.showPoints": "never",
            "custom.lineWidth": 0,
            "color": {"mode": "fixed", "fixedColor": UNCHANGED},
        },
        "baseline, highest 5 %": {
            "custom.showPoints": "never",
            "custom.lineWidth": 0,
            "custom.fillBelowTo": "baseline, lowest 5 %",
            "custom.fillOpacity": 25,
            "color": {"mode": "fixed", "fixedColor": UNCHANGED},
        },
    }
    for name, look in looks.items():
        panel = panel.override_by_name(
            name, [model.DynamicConfigValue(k, v) for k, v in look.items()]
        )
    return panel


def _states() -> Any:
    return states(
        Words(
            title="Verdicts of this branch, benchmark by benchmark",
            question="Since when is which benchmark worse than the baseline?",
            sentence="pipe has been red since the comparison of 3 March; the others never were.",
            description="The worst verdict of each benchmark in each comparison with the baseline;"
            f" it holds until the next comparison.  The {_STATES} worst benchmarks." + _LIMITS,
            empty="no comparisons of this branch with this baseline in this time range: widen the"
            " range",
        ),
        f"""
WITH compared AS MATERIALIZED (
  SELECT c.id, c.at FROM read_model.comparison c
  WHERE {_WATCHED} AND {_OF_COMPARISON} = {text("factors")}
    AND c.base_kernel = {number("baseline")} AND c.as_predicted IS NULL AND $__timeFilter(c.at)
  ORDER BY c.id DESC LIMIT 100
),
worst AS MATERIALIZED (
  SELECT DISTINCT ON (c.at, v.benchmark) c.at, v.benchmark,
    read_model.severity(v.verdict, v.standing) AS severity,
    array_position(ARRAY[{", ".join(repr(word) for word in WORDS)}],
      CASE WHEN v.standing = 'suspected' THEN 'SUSPECTED'
           WHEN v.standing = 'hint' THEN v.verdict || ' (hint)' ELSE v.verdict END) AS place
  FROM compared c JOIN read_model.verdict v ON v.comparison = c.id
  ORDER BY c.at, v.benchmark, read_model.severity(v.verdict, v.standing)
),
shown AS (
  SELECT w.benchmark FROM worst w GROUP BY w.benchmark
  ORDER BY min(w.severity), w.benchmark LIMIT {_STATES}
)
SELECT w.at AS time, w.benchmark AS metric, w.place::double precision AS value
FROM worst w JOIN shown s ON s.benchmark = w.benchmark
ORDER BY w.at, w.benchmark
""",
    )


def _kernels() -> Any:
    return rows(
        Words(
            title="Kernels, newest first",
            question="How far is each kernel from the baseline?",
            sentence="The newest three kernels are 2 % worse than the baseline, and the older"
            " ones are equal to it.",
            description="Boots of each kernel relative to the median of the baseline's boots.  A"
            " `worsening` above 0 is worse for every direction of the metric.  A verdict needs a"
            " comparison: see the table below." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
{_POINTS}
SELECT k.name AS kernel, k.short_commit, k.subject, k.committed_at AS committed,
  count(*) AS boots, count(*) FILTER (WHERE p.marked) AS "with alarms",
  min(p.value) AS lowest, max(m.middle) AS median, max(p.value) AS highest,
  max(m.middle) / nullif(max(b.middle), 0) - 1 AS change,
  (SELECT CASE s.direction WHEN 'lower' THEN 1 ELSE -1 END FROM read_model.series s
   WHERE s.id = {number("series")}) * (max(m.middle) / nullif(max(b.middle), 0) - 1) AS worsening
FROM points p JOIN middles m ON m.kernel = p.kernel JOIN read_model.kernel k ON k.id = p.kernel
CROSS JOIN band b
GROUP BY k.id, k.name, k.short_commit, k.subject, k.committed_at
ORDER BY (
  SELECT f.place FROM read_model.kernel_branch f
  WHERE f.kernel = k.id AND f.branch_name = {text("branch")}) DESC
LIMIT 500
""",
        Column(name="kernel", width=220),
        Column(name="short_commit", header="commit", width=125),
        Column(name="subject", width=320),
        moment("committed"),
        Column(name="boots", width=70),
        Column(name="with alarms", width=100),
        *(Column(name=name, width=100) for name in ("lowest", "median", "highest")),
        percent("change"),
        percent("worsening", sign=True),
    )


def _changes() -> Any:
    return rows(
        Words(
            title="Change points of this history",
            question="Where are the proven steps, and did the kernel or the board cause them?",
            sentence="One step of -2.3 % at 1b522e2, caused by the kernel.",
            description="Recorded change points, including those that were withdrawn after later"
            " data.  The cause is the board if the baseline kernel changed at the same point.",
            empty="no change points in this history",
        ),
        f"""
SELECT p.at, p.kernel_name AS kernel, p.cause, p.effect AS change,
  p.ci_low AS "at least", p.ci_high AS "at most", p.worsening, left(p.commit, 12) AS commit,
  p.found_at AS found, p.withdrawn_at AS withdrawn
FROM read_model.change_point p
WHERE p.series = {number("series")} AND p.statistic = {text("statistic")}
  AND p.tree || '/' || p.branch = {text("branch")}
ORDER BY p.withdrawn_at IS NOT NULL, p.at DESC
LIMIT 200
""",
        moment("at", header="since"),
        Column(name="kernel", width=190),
        Column(name="commit", width=125),
        percent("change", width=75),
        percent("at least", width=75),
        percent("at most", width=75),
        percent("worsening", width=90, sign=True),
        Column(name="cause", width=80),
        moment("found"),
        moment("withdrawn"),
    )


def _comparisons() -> Any:
    return rows(
        Words(
            title="Comparisons of this branch on this board type",
            question="What did each comparison of this branch find?",
            sentence="The last two comparisons are regressions, and the one before is unchanged.",
            description="Newest first; each links to its figures.",
            empty="no comparisons of this branch in this time range: widen the range",
        ),
        f"""
WITH newest AS MATERIALIZED (
  SELECT c.id FROM read_model.comparison c
  WHERE {_WATCHED} AND {_OF_COMPARISON} = {text("factors")} AND $__timeFilter(c.at)
  ORDER BY c.id DESC LIMIT 100
)
SELECT s.verdict, s.worst, s.base, s.new, s.role, s.at, s.id AS comparison, s.base_kernel,
  s.new_kernel, s.board_type
FROM newest JOIN read_model.comparison_summary s USING (id)
ORDER BY s.id DESC
""",
        Column(name="verdict", verdict=True, width=150, link=to_compare()),
        percent("worst", sign=True),
        Column(name="base", width=180),
        Column(name="new", width=200, link=to_compare()),
        Column(name="role", width=90),
        moment("at", header="compared"),
        *hidden("base_kernel", "new_kernel", "board_type"),
    )
