"""Latency distributions up to the tail."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import page
from dashboards.parts import SIDES, Column, Words, bars, coloured, curve, heat, percent, rows
from dashboards.postgresql import number
from dashboards.sides import CHOSEN, variables
from dashboards.variables import choice
from vlag.report.colours import BETTER, WORSE

_EMPTY = (
    "no histogram: select a comparison with a per-sample latency (cyclictest),"
    " or compare two kernels with `vlag compare BASE NEW`"
)
_LIMITS = (
    "  All samples of all boots of a side, each counted once.  Samples of one boot are not"
    " independent, so verdicts do not use this plot.  On a deterministic board, cross-CPU"
    " latencies are hints."
)

#: Maximum number of runs in the heat map: each histogram has hundreds of buckets.
_NEWEST_RUNS = 400

# The figure's runs as parameters, so that PostgreSQL reads only their histograms.
_RUNS = "ARRAY(SELECT unnest(v.{side}_runs) FROM read_model.verdict v WHERE v.id = {id})"
_SERIES = "(SELECT v.series_{side} FROM read_model.verdict v WHERE v.id = {id})"


def _counts(side: str) -> str:
    """Return SQL for the sample counts of a side, in 40 buckets per factor of ten."""
    this = {"side": side, "id": number("figure")}
    return f"""
  SELECT power(10, floor(40 * log(greatest(b.lower_bound, 1)::double precision)) / 40) AS bound,
    sum(b.count)::double precision AS count
  FROM read_model.histogram_bucket b
  WHERE b.run = ANY({_RUNS.format(**this)}) AND b.series = {_SERIES.format(**this)}
  GROUP BY 1"""


_BOTH = f"""
WITH base AS ({_counts("base")}
), new AS ({_counts("new")}
), shares AS (
  SELECT coalesce(b.bound, n.bound) AS latency,
    coalesce(b.count, 0) / (SELECT sum(count) FROM base) AS base,
    coalesce(n.count, 0) / (SELECT sum(count) FROM new) AS new
  FROM base b FULL JOIN new n ON n.bound = b.bound
)
"""


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.LATENCY,
        title="Latency",
        description="Percentiles, distributions and their change over time",
        start="now-30d",
        variables=[
            *variables(),
            choice(
                "figure",
                "Latency",
                f"""
SELECT x.__text, x.__value
FROM (
  SELECT DISTINCT ON (v.benchmark, v.parameters, v.metric)
    concat_ws(' ', v.benchmark, v.metric, '[' || v.unit || ']', v.parameters) AS __text,
    v.id::text AS __value, v.base_achieved
  FROM read_model.verdict v WHERE {CHOSEN} AND v.latency
  ORDER BY v.benchmark, v.parameters, v.metric, v.base_achieved IS NULL, v.id
) x
ORDER BY x.base_achieved IS NULL, x.__text
""",
                description="one of its figures represents the whole distribution",
            ),
        ],
        content=[
            Row(height=10, panels=[(12, _quantiles()), (12, _tail())]),
            Row(height=10, panels=[(12, _overlay()), (12, _over_time())]),
            Row(height=9, panels=[(24, _shift())]),
            Row(height=8, panels=[(24, _samples())]),
        ],
    )


# The shift function of the figure's latency, joined by benchmark, parameters and metric.
_SHIFT = f"""
FROM read_model.distribution d
JOIN read_model.verdict v ON v.comparison = d.comparison AND v.benchmark = d.benchmark
  AND v.parameters = d.parameters AND v.metric = d.metric
WHERE v.id = {number("figure")} AND d.comparison = {number("comparison")}
ORDER BY d.number
"""


def _quantiles() -> Any:
    return coloured(
        bars(
            Words(
                title="Percentiles: ${figure}",
                description="Each percentile of both sides, as the median over boots.  Only"
                " percentiles that the number of samples supports are shown." + _LIMITS,
                empty=_EMPTY,
            ),
            f"SELECT d.quantile, d.base_value AS base, d.new_value AS new {_SHIFT}",
            x="quantile",
            unit="short",
        ),
        SIDES,
    )


def _tail() -> Any:
    return coloured(
        curve(
            Words(
                title="Share of samples at or above a latency",
                description="Complementary distribution of the samples that were taken: with no"
                " skipped cycles P99.9 is the latency at 0.001.  The logarithmic scale shows the"
                " tail." + _LIMITS,
                empty=_EMPTY,
            ),
            f"""
{_BOTH}
SELECT latency, nullif(sum(base) OVER onwards, 0) AS base, nullif(sum(new) OVER onwards, 0) AS new
FROM shares
WINDOW onwards AS (ORDER BY latency ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
ORDER BY latency
""",
            x="latency",
            unit="short",
            log=True,
        ),
        SIDES,
    )


def _overlay() -> Any:
    return coloured(
        curve(
            Words(
                title="Histograms of both sides",
                description="Histograms of both sides, as shares of their samples, with 40 buckets"
                " per factor of ten, in the unit of the latency." + _LIMITS,
                empty=_EMPTY,
            ),
            f"{_BOTH}\nSELECT latency, base, new FROM shares ORDER BY latency",
            x="latency",
            unit="percentunit",
        ),
        SIDES,
    )


def _over_time() -> Any:
    return heat(
        Words(
            title="Branch of the new kernel, per day",
            description="Share of a day's samples in each bucket, with four buckets per factor of"
            f" two; the newest {_NEWEST_RUNS} boots in the time range." + _LIMITS,
            empty="no boots of this branch with this latency in this time range: widen the range",
        ),
        f"""
WITH figure AS MATERIALIZED (
  SELECT v.series_new AS series, v.statistic, c.new_kernel, c.patches, c.application
  FROM read_model.verdict v JOIN read_model.comparison c ON c.id = v.comparison
  WHERE v.id = {number("figure")} AND {CHOSEN}
),
boots AS MATERIALIZED (
  SELECT DISTINCT h.run, h.at
  FROM read_model.history h
  WHERE h.series = (SELECT f.series FROM figure f)
    AND h.statistic = (SELECT f.statistic FROM figure f)
    AND h.kernel IN (
      SELECT o.kernel FROM figure f JOIN read_model.kernel_branch m ON m.kernel = f.new_kernel
      JOIN read_model.kernel_branch o USING (tree, branch))
    AND h.patches IS NOT DISTINCT FROM (SELECT f.patches FROM figure f)
    AND h.application = (SELECT f.application FROM figure f)
    AND $__timeFilter(h.at)
  ORDER BY h.at DESC LIMIT {_NEWEST_RUNS}
),
counts AS (
  SELECT date_bin('1 day', o.at, 'epoch') AS day,
    -- A power of two is the edge of a bucket, however its logarithm is rounded.
    floor(4 * ln(greatest(b.lower_bound, 1)::double precision) / ln(2::double precision) + 1e-9)
      AS quarter,
    sum(b.count)::double precision AS count
  FROM boots o CROSS JOIN LATERAL (
    SELECT x.lower_bound, x.count FROM read_model.histogram_bucket x
    WHERE x.run = o.run AND x.series = (SELECT f.series FROM figure f)
    OFFSET 0
  ) b
  GROUP BY 1, 2
)
SELECT day AS time, round(power(2, quarter / 4)::numeric, 1)::text AS metric,
  count / sum(count) OVER (PARTITION BY day) AS value
FROM counts ORDER BY day, quarter
""",
    )


def _shift() -> Any:
    return rows(
        Words(
            title="Shift function: change of each percentile",
            description="Change of each percentile with simultaneous 95 % intervals; above 0 is"
            " slower.  `p` belongs to the percentile of its row; a row without a colour shows no"
            " change." + _LIMITS,
            empty=_EMPTY,
        ),
        f"""
SELECT d.quantile, d.base_value AS base, d.new_value AS new, v.unit, d.effect,
  d.ci_low AS "at least", d.ci_high AS "at most",
  CASE WHEN d.moved THEN CASE WHEN d.effect > 0 THEN 'slower' ELSE 'faster' END
       ELSE 'not told apart' END AS says,
  d.p, d.whole_p AS "p of the distribution", d.headline
{_SHIFT}
""",
        percent("effect"),
        percent("at least"),
        percent("at most"),
        Column(name="says", words={"slower": WORSE, "faster": BETTER}),
        Column(name="p", decimals=4),
        Column(name="p of the distribution", decimals=4),
        Column(name="headline", width=420),
    )


def _samples() -> Any:
    return rows(
        Words(
            title="Recorded and expected samples",
            description="For every latency of the comparison.  A timer that fires late misses"
            " cycles, so missing samples belong to the tail.",
            empty=_EMPTY,
        ),
        f"""
SELECT DISTINCT ON (v.benchmark, v.parameters, v.metric)
  v.benchmark, v.parameters, v.metric, v.base_achieved AS "base samples",
  v.base_expected AS "base due",
  v.base_achieved::double precision / nullif(v.base_expected, 0) AS "base share",
  v.new_achieved AS "new samples", v.new_expected AS "new due",
  v.new_achieved::double precision / nullif(v.new_expected, 0) AS "new share", v.comparison
FROM read_model.verdict v
WHERE {CHOSEN} AND v.latency
ORDER BY v.benchmark, v.parameters, v.metric, v.base_achieved IS NULL, v.id
""",
        percent("base share"),
        percent("new share"),
        Column(
            name="metric",
            link=page("Percentiles", "latency?id=${__data.fields.comparison}"),
        ),
        Column(name="comparison", hidden=True),
    )
