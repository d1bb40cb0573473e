# SPDX-License-Identifier: GPL-2.0-only
"""Overview: branches by boards, open alerts, last night."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import Link, page, to_compare
from dashboards.parts import (
    WAYS,
    WORDS,
    Column,
    Words,
    counts,
    hidden,
    moment,
    nights,
    one,
    percent,
    pivot,
    rows,
    sentence,
)
from dashboards.postgresql import text
from dashboards.variables import figures, of_figures
from vlag.buildbot import PAGES, UI
from vlag.report.colours import WORSE
from vlag.report.read_model import worst_first

_NO_NIGHT = (
    "no night has ended yet: start the service with `make run`, or a night: `make run ONCE=proof`"
)
_LIMITS = (
    " On deterministic boards, changes of cross-CPU latency are hints: they are shown but never"
    " counted as confirmed."
)

_LAST_NIGHT = "(SELECT n.* FROM read_model.night n ORDER BY n.id DESC LIMIT 1)"

#: Of a table whose rows are of comparisons: the page of each, and what `to_compare` needs.
_TO_ITS_PAGE = Column(
    name="comparison",
    link=page("The comparison's page", "compare?id=${__data.fields.comparison}"),
)
_BOTH_KERNELS = hidden("base_kernel", "new_kernel")
_BOARD_TYPE = Column(name="board_type", header="board type", width=120)

#: Of the heat map: rows that fit on a screen, and nights whose cells are wide enough for a mouse.
_ROWS, _NIGHTS = 20, 90
_NOON = "TIMESTAMPTZ '2000-01-01 12:00+00'"
_WORDS = f"ARRAY[{', '.join(repr(word) for word in WORDS)}]"
#: Name of a row of the heat map: {0} is a comparison, {1} its branch.
_ROW = """concat_ws(' ', coalesce({1}, {0}.tree || ' ' || {0}.ref), {0}.patches,
    nullif({0}.application, 'none'), nullif({0}.variant, 'default'), nullif({0}.new_knobs, ''),
    'on', {0}.board_type)"""

# The newest comparison of each branch and build configuration on each board type.
_LATEST = f"""
FROM read_model.latest s
WHERE $__timeFilter(s.at) AND {of_figures("s.synthetic")}
"""


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    numbers = [
        _ended(), _open_alerts(), _regressions(), _suspected(), _missing_count(), _boards_out(),
    ]  # fmt: skip
    return build(
        uid=names.OVERVIEW,
        title="Overview",
        description="State of the branches: night by night, open alerts, last night",
        start="now-7d",
        variables=[figures()],
        content=[
            Row(height=3, panels=[(24, _answer())]),
            Row(height=4, panels=[(4, panel) for panel in numbers]),
            Row(height=14, panels=[(24, _heat())]),
            Row(height=12, panels=[(24, _by_benchmark())]),
            Row(height=9, panels=[(24, _alerts())]),
            Row(height=10, panels=[(24, _comparisons())]),
            Row(height=8, panels=[(12, _missing()), (12, _nights())]),
            Row(height=9, panels=[(24, _suspicions())]),
            Row(height=9, panels=[(24, _proof())]),
        ],
    )


def _answer() -> Any:
    return sentence(
        Words(
            title="Are we regressing?",
            question="Are we regressing, and is the night to be trusted?",
            sentence="Yes: one of three branches is worse, since the commit that is named.",
            description="What the last night concluded, in the sentence of its mail.  The first"
            " page has it too, together with what pushes have said since.",
            empty=f"{_NO_NIGHT}; or the last one ended before its conclusion was kept",
        ),
        f"SELECT n.conclusion || '.' AS answer FROM {_LAST_NIGHT} n WHERE n.conclusion IS NOT NULL",
        alarm="/^(Yes|Do not trust)/",
        link=page("The first page", ""),
    )


def _ended() -> Any:
    return one(
        Words(
            title="Last night ended",
            question="Did last night's run end?",
            sentence="The last night ended three hours ago.",
            description="End of the newest recorded night, successful or not.",
            empty=_NO_NIGHT,
        ),
        "SELECT (extract(epoch FROM max(finished_at)) * 1000)::double precision AS ended"
        " FROM read_model.night HAVING max(finished_at) IS NOT NULL",
        unit="dateTimeFromNow",
    )


def _open_alerts() -> Any:
    return one(
        Words(
            title="Open alerts",
            question="How many causes need a person?",
            sentence="Two causes are open.",
            description="Causes that need attention; one alert covers all metrics of a cause.",
            empty="the database has no table of alerts: run `vlag db migrate`",
        ),
        f"SELECT count(*) AS open FROM read_model.alert WHERE open AND {of_figures()}",
        alarm=True,
        link=page("Alerts", "alerts"),
    )


def _regressions() -> Any:
    return one(
        Words(
            title="Regressions last night",
            question="Did the last night prove a regression?",
            sentence="One comparison of last night has a proven regression.",
            description="Comparisons of the last night with a regression that a rerun"
            " confirmed or that needed no rerun." + _LIMITS,
            empty=_NO_NIGHT,
        ),
        f"""
SELECT (SELECT count(*) FROM read_model.comparison_summary s
        WHERE s.id = ANY(n.comparisons) AND s.regressions > 0
          AND s.as_predicted IS NULL) AS worse
FROM {_LAST_NIGHT} n
""",
        alarm=True,
    )


def _suspected() -> Any:
    return one(
        Words(
            title="Suspected changes",
            question="How many changes wait for a rerun?",
            sentence="Four changes are neither confirmed nor refuted.",
            description="Changes in the first boots of this time range that a rerun has"
            " not yet confirmed or refuted.",
            empty="the database has no table of suspicions: run `vlag db migrate`",
        ),
        f"""
SELECT count(*) AS suspected
FROM read_model.suspicion x JOIN read_model.comparison c ON c.id = x.raised_by
WHERE x.stand = 'open' AND NOT x.predicted AND {of_figures("c.synthetic")}
  AND $__timeFilter(x.changed_at)
""",
    )


def _missing_count() -> Any:
    return one(
        Words(
            title="Missing results",
            question="Is the last night complete?",
            sentence="Three results of last night are missing.",
            description="Kernels and comparisons that the last night did not run or complete."
            "  The table below gives the reasons.",
            empty=_NO_NIGHT,
        ),
        f"SELECT cardinality(n.missing) AS missing FROM {_LAST_NIGHT} n",
        alarm=True,
    )


def _boards_out() -> Any:
    return one(
        Words(
            title="Boards out of service",
            question="Is every board at work?",
            sentence="No board is out of service.",
            description="Boards in maintenance: a board check was outside the band, or somebody"
            " took the board out of service.",
            empty="no boards are recorded yet: a board is recorded with its first run",
        ),
        "SELECT count(*) AS boards FROM read_model.board WHERE state <> 'good'",
        alarm=True,
        link=Link(title="Board checks", url=f"/d/{names.BOARDS}"),
    )


def _heat() -> Any:
    return nights(
        Words(
            title="Branches by boards, night by night",
            question="Which branch got worse on which board, and since which night?",
            sentence="linux-6.12 on rpi5 has been red since Tuesday, and all others are quiet.",
            description="Worst verdict of each night; a night is from noon to noon UTC.  One row"
            f" per branch, build configuration and board type: the {_ROWS} worst of those whose"
            " newest kernel was compared in the time range.  No cell: nothing was compared.  MIXED"
            " means both regressions and improvements." + _LIMITS,
            empty="no comparisons in this time range: widen the range, or start a night with"
            " `make run`",
        ),
        f"""
WITH heads AS MATERIALIZED (
  SELECT {_ROW.format("s", "s.head_of")} AS name, s.board_type
  {_LATEST.strip()}
  GROUP BY 1, 2
  ORDER BY min(s.severity), max(s.size) DESC, 1 LIMIT {_ROWS}
),
nights AS (
  SELECT generate_series(
    date_bin('1 day', greatest($__timeFrom()::timestamptz,
      $__timeTo()::timestamptz - interval '{_NIGHTS} days'), {_NOON}),
    $__timeTo()::timestamptz, '1 day') AS night
),
compared AS MATERIALIZED (
  SELECT c.id, h.name, date_bin('1 day', c.at, {_NOON}) AS night
  FROM read_model.comparison c
  LEFT JOIN read_model.kernel_branch f ON f.kernel = c.new_kernel
  JOIN heads h ON h.board_type = c.board_type AND h.name = {_ROW.format("c", "f.branch_name")}
  WHERE c.at >= (SELECT min(n.night) FROM nights n) AND $__timeFilter(c.at)
    AND c.as_predicted IS NULL AND {of_figures("c.synthetic")}
),
worst AS (
  SELECT c.name, c.night, min(array_position({_WORDS}, s.verdict)) AS place
  FROM compared c
  CROSS JOIN LATERAL (SELECT x.verdict FROM read_model.comparison_summary x WHERE x.id = c.id) s
  GROUP BY c.name, c.night
)
SELECT n.night AS time, h.name AS metric, w.place::double precision AS value
FROM nights n CROSS JOIN heads h
LEFT JOIN worst w ON w.night = n.night AND w.name = h.name
ORDER BY n.night, h.name
""",
    )


def _by_benchmark() -> Any:
    return pivot(
        Words(
            title="Branches by benchmarks",
            question="Which benchmark of which branch is worse now?",
            sentence="Only the pipe benchmark of linux-6.12 on rpi5 is red.",
            description="The worst figure of each benchmark in the newest comparison, with its"
            f" change: the {_ROWS} worst branches on a board type.  Not run: the comparison does"
            " not have the benchmark." + _LIMITS,
            empty="no comparisons in this time range: widen the range, or start a night with"
            " `make run`",
        ),
        f"""
WITH heads AS MATERIALIZED (
  SELECT s.id, {_ROW.format("s", "s.head_of")} AS name, s.severity, s.size
  {_LATEST.strip()}
),
shown AS MATERIALIZED (
  SELECT h.name, row_number() OVER (ORDER BY min(h.severity), max(h.size) DESC, h.name) AS place
  FROM heads h GROUP BY h.name ORDER BY place LIMIT {_ROWS}
),
cells AS (
  SELECT DISTINCT ON (x.place, v.benchmark) x.place, x.name, v.benchmark,
    CASE WHEN v.effect IS NULL THEN ''
         ELSE regexp_replace(to_char(100 * v.effect, 'FMS9999990.0'), '^-0.0$', '+0.0') || ' % ' END
      || CASE WHEN v.standing = 'suspected' THEN 'SUSPECTED'
              WHEN v.standing = 'hint' THEN v.verdict || ' (hint)' ELSE v.verdict END AS cell
  FROM shown x JOIN heads h ON h.name = x.name JOIN read_model.verdict v ON v.comparison = h.id
  ORDER BY x.place, v.benchmark, {worst_first.FIGURES}
)
SELECT c.name AS branch, c.benchmark, c.cell FROM cells c ORDER BY c.place, c.benchmark
""",
        row="branch",
        column="benchmark",
        value="cell",
        names=370,
        cells=190,
    )


def _alerts() -> Any:
    return rows(
        Words(
            title="Open alerts",
            question="Which causes need a person, and who has them?",
            sentence="The alert about linux-6.12 is new, and nobody owns it.",
            description="One alert per cause.  Triage an alert with `vlag alerts set ID --state ..."
            " --reason ...` or on its page.  Losses are the largest confirmed ones.",
            empty="no open alerts",
        ),
        f"""
SELECT a.id AS alert, a.title, a.kind, a.branch_name AS branch, a.board_type, a.board,
  a.throughput AS "throughput lost", a.latency AS "latency risen", a.triage, a.owner,
  a.opened_at AS opened, a.muted_until AS "muted until"
FROM read_model.alert a
WHERE a.open AND {of_figures("a.synthetic")}
ORDER BY a.loud DESC, a.opened_at DESC
LIMIT 200
""",
        Column(name="alert", width=70, link=page("The alert", "alert?id=${__data.fields.alert}")),
        Column(name="title", width=400, link=page("The alert", "alert?id=${__data.fields.alert}")),
        Column(name="kind", width=100),
        Column(name="branch", width=180),
        _BOARD_TYPE,
        Column(name="board", width=120),
        percent("throughput lost", width=130, sign=True),
        percent("latency risen", width=120, sign=True),
        Column(name="triage", width=110),
        Column(name="owner", width=130),
        moment("opened"),
        moment("muted until"),
    )


def _comparisons() -> Any:
    return rows(
        Words(
            title="Newest comparisons, worst first",
            question="Which newest kernel is the worst, and by how much?",
            sentence="linux-6.12 is 2.3 % worse than its baseline on qemu-sim-2.",
            description="Comparisons with the number of figures per verdict; `worst` is the largest"
            " confirmed worsening, above 0 for every direction of the metric." + _LIMITS,
            empty="no comparisons in this time range: widen the range, or start a night with"
            " `make run`",
        ),
        f"""
SELECT s.verdict, s.worst, s.head_of AS branch, s.base, s.new, s.new_knobs AS knobs,
  s.board_type, s.role, s.regressions AS worse, s.improvements AS better, s.suspected, s.hints,
  s.marginal, s.inconclusive, s.not_comparable AS "not comparable", s.failures, s.at,
  s.id AS comparison, s.base_kernel, s.new_kernel
{_LATEST.strip()}
ORDER BY {worst_first.COMPARISONS}
LIMIT 500
""",
        Column(name="verdict", verdict=True, width=150, link=to_compare()),
        percent("worst", sign=True),
        Column(
            name="branch",
            width=200,
            link=Link(
                title="The branch",
                url=f"/d/{names.BRANCH}?var-branch=${{__data.fields.branch:percentencode}}"
                "&var-board=${__data.fields.board_type:percentencode}",
            ),
        ),
        Column(name="base", width=200),
        Column(name="new", width=280, link=to_compare()),
        Column(name="knobs", width=140),
        _BOARD_TYPE,
        Column(name="role", width=90),
        *counts(),
        moment("at", header="compared"),
        _TO_ITS_PAGE,
        *_BOTH_KERNELS,
    )


def _missing() -> Any:
    return rows(
        Words(
            title="Missing results of the last night, with reasons",
            question="Why is a result of last night missing?",
            sentence="fault-build is missing because its build failed.",
            description="Kernels and comparisons that the newest night did not run or complete.",
            empty=f"nothing is missing; or {_NO_NIGHT}",
        ),
        f"""
SELECT m.sentence AS "did not run"
FROM {_LAST_NIGHT} n, unnest(n.missing) WITH ORDINALITY AS m(sentence, place)
ORDER BY m.place
""",
    )


def _nights() -> Any:
    return rows(
        Words(
            title="Nights",
            question="Do the nights end, and where is the build of one?",
            sentence="The last five nights ended, and Tuesday's lacks two results.",
            description="The newest nights.  Each links to its build in Buildbot with the report"
            " and the log.",
            empty=_NO_NIGHT,
        ),
        f"""
SELECT n.finished_at AS ended, n.compared, cardinality(n.missing) AS missing,
  array_to_string(n.notes, '; ') AS notes, n.key AS build,
  -- The address may have been another one then.
  coalesce(
    replace({text("web")}, '{PAGES}', '{UI}')
      || substring(n.url FROM '#/builders/[0-9]+/builds/[0-9]+$'),
    n.url, {text("web")}
  ) AS url
FROM read_model.night n
ORDER BY n.id DESC
LIMIT 30
""",
        moment("ended", link=Link(title="Its build", url="${__data.fields.url}")),
        Column(name="compared", header="comparisons", width=120),
        Column(name="missing", width=80),
        Column(name="notes", width=260),
        Column(name="build", width=110, link=Link(title="Its build", url="${__data.fields.url}")),
        Column(name="url", hidden=True),
    )


def _suspicions() -> Any:
    return rows(
        Words(
            title="Suspected changes",
            question="Which changes are not proved yet?",
            sentence="The pipe rate of linux-6.12 looks worse, and a rerun has not decided.",
            description="First boots showed a change; a rerun is pending (open) or did not"
            " decide it (undecided).  These changes send no mail." + _LIMITS,
            empty="no suspected changes in this time range",
        ),
        f"""
SELECT x.branch_name AS branch, x.board_type, x.benchmark, x.parameters, x.metric, x.statistic,
  CASE WHEN x.worse THEN 'worse' ELSE 'better' END AS way, x.stand, x.boots AS "rerun boots",
  x.base, x.new,
  x.raised_by AS comparison, x.base_kernel, x.new_kernel
FROM read_model.suspicion x JOIN read_model.comparison c ON c.id = x.raised_by
WHERE x.stand IN ('open', 'undecided') AND NOT x.predicted AND {of_figures("c.synthetic")}
  AND $__timeFilter(x.changed_at)
ORDER BY x.worse DESC, x.changed_at DESC
LIMIT 200
""",
        Column(name="branch", width=180),
        _BOARD_TYPE,
        Column(name="benchmark", width=150),
        Column(name="parameters", width=210),
        Column(name="metric", width=150, link=to_compare()),
        Column(name="statistic", width=90),
        Column(name="way", header="change", width=80, words=WAYS),
        Column(name="stand", header="rerun", width=110),
        Column(name="rerun boots", width=100),
        Column(name="base", width=145),
        Column(name="new", width=145),
        *_BOTH_KERNELS,
        *hidden("comparison"),
    )


def _proof() -> Any:
    return rows(
        Words(
            title="Self-proof of the last night",
            question="Does vlag still find the regressions that were planted?",
            sentence="All planted regressions were flagged as predicted.",
            description="Patches that degrade the scheduler on purpose, and whether vlag flagged"
            " what their headers predict.  They count in no other panel.  Do not trust a night"
            " with a failed proof.",
            empty=f"the last night had nothing to prove; or {_NO_NIGHT}",
        ),
        f"""
SELECT CASE WHEN p.good THEN 'as predicted' ELSE 'NOT as predicted' END AS proof,
  p.name AS patch, p.text AS found, p.comparison, p.base_kernel, p.new_kernel, p.board_type
FROM {_LAST_NIGHT} n JOIN read_model.prediction p ON p.comparison = ANY(n.comparisons)
ORDER BY p.good, p.name
LIMIT 200
""",
        Column(name="proof", width=150, words={"NOT as predicted": WORSE}),
        Column(name="patch", width=260, link=to_compare()),
        Column(name="found", width=760),
        _BOARD_TYPE,
        _TO_ITS_PAGE,
        *_BOTH_KERNELS,
    )
