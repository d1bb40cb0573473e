# SPDX-License-Identifier: GPL-2.0-only
"""Latency distributions up to the tail."""

# ruff: noqa: S608 - Grafana inserts the values of its variables, quoted by `sqlstring`

from __future__ import annotations

from typing import Any

from grafana_foundation_sdk.models import dashboard as model

from dashboards import names
from dashboards.layout import Row, build
from dashboards.links import page
from dashboards.parts import (
    PERCENT,
    SIDES,
    Column,
    Words,
    bars,
    coloured,
    heat,
    hidden,
    over,
    percent,
    rows,
    shares,
)
from dashboards.postgresql import number
from dashboards.sides import CHOSEN, variables
from dashboards.variables import choice
from vlag.report.colours import BETTER, WORSE
from vlag.report.read_model import worst_first

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


# The newest comparison of two kernels may be of another benchmark.
_WITH_HISTOGRAMS = """NOT EXISTS (SELECT FROM read_model.verdict v
  WHERE v.comparison = c.id AND v.latency AND v.base_achieved IS NOT NULL), """


def _counts(side: str) -> str:
    """Return SQL for the sample counts of a side, in 20 buckets per factor of ten."""
    this = {"side": side, "id": number("figure")}
    return f"""
  SELECT power(10, floor(20 * log(greatest(b.lower_bound, 1)::double precision)) / 20) AS bound,
    sum(b.count)::double precision AS count
  FROM read_model.histogram_bucket b
  WHERE b.run = ANY({_RUNS.format(**this)}) AND b.series = {_SERIES.format(**this)}
  GROUP BY 1"""


_BOTH = f"""
WITH base AS ({_counts("base")}
), new AS ({_counts("new")}
), shares AS (
  SELECT coalesce(b.bound, n.bound)::numeric AS bound,
    coalesce(b.count, 0) / (SELECT sum(count) FROM base) AS base,
    coalesce(n.count, 0) / (SELECT sum(count) FROM new) AS new
  FROM base b FULL JOIN new n ON n.bound = b.bound
)
"""
#: Name of a bucket: its lower bound to three digits.
_BUCKET = "trim_scale(round(bound, greatest(0, 2 - floor(log(bound))::integer)))::text AS latency"


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    return build(
        uid=names.LATENCY,
        title="Latency",
        description="Percentiles, distributions and their change over time",
        start="now-30d",
        variables=[
            *variables(first=_WITH_HISTOGRAMS),
            choice(
                "figure",
                "Latency",
                f"""
SELECT x.__text, x.__value
FROM (
  SELECT DISTINCT ON (f.benchmark, f.parameters, f.metric)
    concat_ws(' ', f.benchmark, f.metric, '[' || f.unit || ']', f.parameters) AS __text,
    f.id::text AS __value, f.without,
    min(f.place) OVER (PARTITION BY f.benchmark, f.parameters, f.metric) AS place
  FROM (
    SELECT v.id, v.benchmark, v.parameters, v.metric, v.unit, v.base_achieved IS NULL AS without,
      row_number() OVER (ORDER BY {worst_first.FIGURES}) AS place
    FROM read_model.verdict v WHERE {CHOSEN} AND v.latency
  ) f
  ORDER BY f.benchmark, f.parameters, f.metric, f.without, f.id
) x
ORDER BY x.without, x.place
""",
                description="one of its figures represents the whole distribution; the worst is"
                " first",
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
                question="Which percentiles got later, the typical or the rare ones?",
                sentence="The median is later, and P99.9 is half of what it was.",
                description="Each percentile of both sides, as the median over boots.  Only"
                " percentiles that the number of samples supports are shown." + _LIMITS,
                empty=_EMPTY,
            ),
            f"SELECT d.quantile, d.base_value AS base, d.new_value AS new {_SHIFT}",
            x="quantile",
            unit="short",
            log=True,
        ),
        SIDES,
    )


def _tail() -> Any:
    return coloured(
        over(
            Words(
                title="Share of samples at or above a latency",
                question="How rare is a late sample on each kernel?",
                sentence="One sample in a thousand is later than 4 ms on the base and 2 ms on the"
                " new kernel.",
                description="Complementary distribution of the samples that were taken: with no"
                " skipped cycles P99.9 is the latency at 0.1 %.  Both scales are logarithmic and"
                " show the tail." + _LIMITS,
                empty=_EMPTY,
            ),
            f"""
{_BOTH}
SELECT bound::double precision AS latency,
  nullif(sum(base) OVER onwards, 0) AS base, nullif(sum(new) OVER onwards, 0) AS new
FROM shares
WINDOW onwards AS (ORDER BY bound ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
ORDER BY bound
""",
            unit=PERCENT,
            log={"latency": 10, "base": 10, "new": 10},
        ).override_by_name("latency", [model.DynamicConfigValue("unit", "short")]),
        SIDES,
    )


def _overlay() -> Any:
    return coloured(
        shares(
            Words(
                title="Histograms of both sides",
                question="Where do most samples lie, and did that move?",
                sentence="The peak moved from 60 to 90 us.",
                description="Histograms of both sides, as shares of their samples, with 20 buckets"
                " per factor of ten, in the unit of the latency." + _LIMITS,
                empty=_EMPTY,
            ),
            f"{_BOTH}\nSELECT {_BUCKET}, base, new FROM shares ORDER BY bound",
            x="latency",
        ),
        SIDES,
    )


def _over_time() -> Any:
    return heat(
        Words(
            title="Per day, branch of the new kernel: ${figure}",
            question="On which day did the distribution of this branch move?",
            sentence="The bright rows rose on 3 March.",
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
),
cells AS (
  -- Padded: Grafana sorts the rows by their text, and a blank comes before a digit.
  -- The time of a cell is that of its end.
  SELECT day + interval '1 day' AS time,
    lpad(round(power(2, quarter / 4)::numeric, 1)::text, 12) AS metric,
    count / sum(count) OVER (PARTITION BY day) AS value, quarter
  FROM counts
)
SELECT x.time, x.metric, x.value
FROM (
  SELECT c.time, c.metric, c.value, c.quarter FROM cells c
  UNION ALL
  -- A cell is as wide as the first two days are apart: of one day alone nothing is drawn.
  (SELECT c.time - interval '1 day', c.metric, NULL, c.quarter FROM cells c
   ORDER BY c.time, c.quarter LIMIT 1)
) x
ORDER BY x.time, x.quarter
""",
    )


def _shift() -> Any:
    return rows(
        Words(
            title="Shift function: change of each percentile",
            question="Which percentiles changed for certain?",
            sentence="P50 is slower for certain, and P99.9 faster.",
            description="Change of each percentile with its 95 % interval; above 0 is slower.  A"
            " percentile that is a figure of the comparison has that figure's numbers; of any other"
            " the interval is simultaneous.  `p` is of the test of all percentiles together; a row"
            " without a colour shows no change." + _LIMITS,
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
        Column(name="quantile", width=90),
        Column(name="base", width=100),
        Column(name="new", width=100),
        Column(name="unit", width=60),
        percent("effect"),
        percent("at least"),
        percent("at most"),
        Column(name="says", header="verdict", width=130, words={"slower": WORSE, "faster": BETTER}),
        Column(name="p", decimals=4, width=80),
        Column(name="p of the distribution", decimals=4, width=160),
        Column(name="headline", width=480),
    )


def _samples() -> Any:
    return rows(
        Words(
            title="Recorded and expected samples",
            question="Did the timer skip cycles?",
            sentence="The new kernel recorded all samples that were due, and the base 97 % of"
            " them.",
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
        Column(name="benchmark", width=200),
        Column(name="parameters", width=330),
        *(
            Column(name=f"{side} {what}", width=120)
            for side in SIDES
            for what in ("samples", "due")
        ),
        percent("base share"),
        percent("new share"),
        Column(
            name="metric",
            width=160,
            link=page("Percentiles", "latency?id=${__data.fields.comparison}"),
        ),
        *hidden("comparison"),
    )
