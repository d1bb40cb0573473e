"""Overview: branches by boards, open alerts, last night."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import Link, page, to_compare
from dashboards.parts import Column, Words, one, percent, pivot, rows
from dashboards.postgresql import text
from dashboards.variables import figures, of_figures
from vlag.report.read_model import worst_first

_NO_NIGHT = (
    "no night has ended yet: start the service with `make run`, or one night with `make run ONCE=1`"
)
_LIMITS = (
    " On deterministic boards, changes of cross-CPU latency are hints: they are shown but never"
    " counted as confirmed."
)

_LAST_NIGHT = "(SELECT n.* FROM read_model.night n ORDER BY n.finished_at DESC LIMIT 1)"

#: Of a table whose rows are of comparisons: the page of each, and what `to_compare` needs.
_TO_ITS_PAGE = Column(
    name="comparison",
    link=page("The comparison's page", "compare?id=${__data.fields.comparison}"),
)
_BOTH_KERNELS = (Column(name="base_kernel", hidden=True), Column(name="new_kernel", hidden=True))

# The newest comparison of each branch and build configuration on each board type.
_LATEST = f"""
FROM read_model.latest s
WHERE $__timeFilter(s.at) AND {of_figures("s.synthetic")}
"""


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.OVERVIEW,
        title="Overview",
        description="Regressions: branches by boards, open alerts, last night",
        start="now-2d",
        variables=[figures()],
        content=[
            Row(height=4, panels=[(4, p) for p in _numbers()]),
            Row(height=9, panels=[(24, _matrix())]),
            Row(height=9, panels=[(24, _alerts())]),
            Row(height=10, panels=[(24, _comparisons())]),
            Row(height=8, panels=[(12, _missing()), (12, _nights())]),
            Row(height=9, panels=[(24, _suspicions())]),
            Row(height=9, panels=[(24, _proof())]),
        ],
    )


def _numbers() -> list[Any]:
    return [
        one(
            Words(
                title="Last night ended",
                description="End of the newest recorded night, successful or not.",
                empty=_NO_NIGHT,
            ),
            "SELECT (extract(epoch FROM max(finished_at)) * 1000)::double precision AS ended"
            " FROM read_model.night",
            unit="dateTimeFromNow",
        ),
        one(
            Words(
                title="Open alerts",
                description="Causes that need attention; one alert covers all metrics of a cause.",
                empty="the database has no table of alerts: run `vlag db migrate`",
            ),
            f"SELECT count(*) AS open FROM read_model.alert WHERE open AND {of_figures()}",
            alarm=True,
            link=page("Alerts", "alerts"),
        ),
        one(
            Words(
                title="Regressions last night",
                description="Comparisons of the last night with a regression that fresh boots"
                " confirmed or that needed no fresh boots." + _LIMITS,
                empty=_NO_NIGHT,
            ),
            f"""
SELECT (SELECT count(*) FROM read_model.comparison_summary s
        WHERE s.id = ANY(n.comparisons) AND s.regressions > 0
          AND s.as_predicted IS NULL) AS worse
FROM {_LAST_NIGHT} n
""",
            alarm=True,
        ),
        one(
            Words(
                title="Suspected changes",
                description="Changes in the first boots of this time range that fresh boots have"
                " not yet confirmed or refuted.",
                empty="the database has no table of suspicions: run `vlag db migrate`",
            ),
            f"""
SELECT count(*) AS suspected
FROM read_model.suspicion x JOIN read_model.comparison c ON c.id = x.raised_by
WHERE x.stand = 'open' AND NOT x.predicted AND {of_figures("c.synthetic")}
  AND $__timeFilter(x.changed_at)
""",
        ),
        one(
            Words(
                title="Missing results",
                description="Kernels and comparisons that the last night did not run or complete."
                "  The table below gives the reasons.",
                empty=_NO_NIGHT,
            ),
            f"SELECT cardinality(n.missing) AS missing FROM {_LAST_NIGHT} n",
            alarm=True,
        ),
        one(
            Words(
                title="Boards out of service",
                description="Boards in maintenance: a board check was outside the band, or somebody"
                " took the board out of service.",
                empty="no boards are recorded yet: a board is recorded with its first run",
            ),
            "SELECT count(*) AS boards FROM read_model.board WHERE state <> 'good'",
            alarm=True,
            link=Link(title="Board checks", url=f"/d/{names.BOARDS}"),
        ),
    ]


def _matrix() -> Any:
    return pivot(
        Words(
            title="Branches by boards: worst verdict of the newest comparisons",
            description="One row per branch and build configuration, one column per board type."
            "  A cell is the verdict of a whole comparison; MIXED means both regressions and"
            " improvements." + _LIMITS,
            empty="no comparisons in this time range: widen the range, or start a night with"
            " `make run`",
        ),
        f"""
SELECT DISTINCT ON (branch, s.board_type)
  concat_ws(' ', coalesce(s.head_of, s.tree || ' ' || s.ref), s.patches,
            nullif(s.application, 'none'),
            nullif(s.variant, 'default'), nullif(s.new_knobs, '')) AS branch,
  s.board_type,
  s.verdict
{_LATEST.strip()}
ORDER BY branch, s.board_type, read_model.severity(s.verdict, ''), s.size DESC
""",
        row="branch",
        column="board_type",
        value="verdict",
    )


def _alerts() -> Any:
    return rows(
        Words(
            title="Open alerts",
            description="One alert per cause.  Triage an alert with `vlag alerts set ID --state ..."
            " --reason ...` or on its page.  Losses are the largest confirmed ones.",
            empty="no open alerts",
        ),
        f"""
SELECT a.id AS alert, a.title, a.kind, a.branch_name AS branch, a.board_type, a.board,
  a.throughput AS "throughput lost", a.latency AS "latency risen", a.triage, a.owner,
  a.opened_at AS opened, a.muted_until AS "muted until", a.base_kernel, a.new_kernel, a.commit
FROM read_model.alert a
WHERE a.open AND {of_figures("a.synthetic")}
ORDER BY a.loud DESC, a.opened_at DESC
LIMIT 200
""",
        Column(name="alert", width=70, link=page("The alert", "alert?id=${__data.fields.alert}")),
        Column(name="title", width=420, link=page("The alert", "alert?id=${__data.fields.alert}")),
        percent("throughput lost", sign=True),
        percent("latency risen", sign=True),
        *_BOTH_KERNELS,
        Column(name="commit", hidden=True),
    )


def _comparisons() -> Any:
    return rows(
        Words(
            title="Newest comparisons, worst first",
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
            link=Link(
                title="The branch",
                url=f"/d/{names.BRANCH}?var-branch=${{__data.fields.branch:percentencode}}"
                "&var-board=${__data.fields.board_type:percentencode}",
            ),
        ),
        Column(name="new", link=to_compare()),
        _TO_ITS_PAGE,
        *_BOTH_KERNELS,
    )


def _missing() -> Any:
    return rows(
        Words(
            title="Missing results of the last night, with reasons",
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
            description="The newest nights.  Each links to its build in Buildbot with the report"
            " and the log.",
            empty=_NO_NIGHT,
        ),
        f"""
SELECT n.finished_at AS ended, n.compared, cardinality(n.missing) AS missing,
  array_to_string(n.notes, '; ') AS notes, n.key AS build, coalesce(n.url, {text("web")}) AS url
FROM read_model.night n
ORDER BY n.finished_at DESC
LIMIT 30
""",
        Column(name="ended", link=Link(title="Its build", url="${__data.fields.url}")),
        Column(name="build", link=Link(title="Its build", url="${__data.fields.url}")),
        Column(name="url", hidden=True),
    )


def _suspicions() -> Any:
    return rows(
        Words(
            title="Suspected changes",
            description="First boots showed a change; fresh boots are pending (open) or did not"
            " decide it (undecided).  These changes send no mail." + _LIMITS,
            empty="no suspected changes in this time range",
        ),
        f"""
SELECT x.branch_name AS branch, x.board_type, x.benchmark, x.parameters, x.metric, x.statistic,
  CASE WHEN x.worse THEN 'worse' ELSE 'better' END AS way, x.stand, x.boots AS "fresh boots",
  x.base, x.new,
  x.raised_by AS comparison, x.base_kernel, x.new_kernel
FROM read_model.suspicion x JOIN read_model.comparison c ON c.id = x.raised_by
WHERE x.stand IN ('open', 'undecided') AND NOT x.predicted AND {of_figures("c.synthetic")}
  AND $__timeFilter(x.changed_at)
ORDER BY x.worse DESC, x.changed_at DESC
LIMIT 200
""",
        Column(name="metric", link=to_compare()),
        *_BOTH_KERNELS,
        Column(name="comparison", hidden=True),
    )


def _proof() -> Any:
    return rows(
        Words(
            title="Self-proof of the last night",
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
        Column(name="patch", link=to_compare()),
        _TO_ITS_PAGE,
        *_BOTH_KERNELS,
    )
