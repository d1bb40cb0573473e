"""Screens of older nights, judged by a rule of thumb: a year of real ones would take minutes.

Rows have all that the views need.  A verdict compares the interval of the median change with
the metric's relevance; no rerun follows, so it is the last word.
"""

from __future__ import annotations

import datetime
import math
from statistics import mean, median, stdev
from typing import Any

from psycopg.types.json import Jsonb

from bench.pictures.made_up_boots import Booted, Farm
from vlag.compare.scope import scope
from vlag.compare.verdict import hinted
from vlag.model import BoardType, Metric, Plan, digest
from vlag.store.database import Connection

_COMPARISON = (
    "inputs, base_kernel, new_kernel, board_type, base_knobs, new_knobs, factors, failed_builds,"
    " failed_runs, notes, created_at, plan, stage, scope, role"
)
_VERDICT = (
    "comparison, benchmark, parameters, metric, statistic, series_base, series_new, unit,"
    " direction, base_value, new_value, effect, ci_low, ci_high, n_base, n_new, p, p_zero,"
    " verdict, reason, hint, base_runs, new_runs, confirmable"
)


def screen(
    conn: Connection, farm: Farm, plan: Plan, base: Booted, new: Booted, kind: BoardType,
    at: datetime.datetime,
) -> int:  # fmt: skip
    """Store the comparison of a head with the baseline, made at a time; return its id."""
    catalogue = farm.catalogue
    within = scope(catalogue=catalogue, board=kind, plan=plan, stage="screen", benchmarks=None)
    words = [{"kernel": f"{k.identity['tree']} {k.identity['commit'][:12]}"} for k in (base, new)]
    factors = {"kernel": {"base": words[0]["kernel"], "new": words[1]["kernel"]}}
    row = conn.execute(
        f"INSERT INTO comparison ({_COMPARISON})"  # noqa: S608 - constants
        " VALUES (%s, %s, %s, %s, '{}', '{}', %s, '{}', '{}', '{}', %s, %s, 'screen', %s,"
        " 'baseline') RETURNING id",
        (digest(["screen", base.id, new.id, kind.name]), base.id, new.id, kind.name,
         Jsonb(factors), at, plan.name, Jsonb(within.document())),
    ).fetchone()  # fmt: skip
    assert row is not None
    id_: int = row[0]
    here, there = farm.values[new.id, kind.name], farm.values[base.id, kind.name]
    rows = []
    for key in sorted(here.keys() & there.keys()):
        benchmark = catalogue.benchmark(key[0])
        metric = benchmark.metric(key[2])
        if metric is None or not metric.compared:
            continue
        hint = hinted(metric, kind, unproven=benchmark.unproven is not None)
        rows.append(_verdict(id_, key, metric, kind, there[key], here[key], hint=hint))
    marks = ", ".join(["%s"] * len(_VERDICT.split(",")))
    with conn.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO verdict ({_VERDICT}) VALUES ({marks})",  # noqa: S608 - constants
            rows,
        )
    return id_


def _verdict(
    comparison: int, key: tuple[str, str, str, str], metric: Metric, kind: BoardType,
    base: list[tuple[int, int, float]], new: list[tuple[int, int, float]], *, hint: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Return a row; the boots of a side are run, series and value."""
    benchmark, parameters, name, statistic = key
    sides = [[math.log(max(value, metric.resolution)) for _, _, value in s] for s in (base, new)]
    if kind.deterministic and len(base) == len(new):
        apart = [n - b for b, n in zip(*sides, strict=True)]
        change, error = median(apart), stdev(apart) / math.sqrt(len(apart))
    else:
        change = median(sides[1]) - median(sides[0])
        error = math.sqrt(sum(stdev(s) ** 2 / len(s) for s in sides))
    error = max(error, 1e-5)
    low, high = (math.expm1(change + side * 2.6 * error) for side in (-1, 1))
    effect, relevance = math.expm1(change), metric.relevance_on(kind)
    worse = (effect > 0) == (metric.direction.value == "lower")
    verdict = "INCONCLUSIVE"
    if min(abs(low), abs(high)) > relevance and low * high > 0:
        verdict = "REGRESSION" if worse else "IMPROVEMENT"
    elif max(abs(low), abs(high)) < relevance:
        verdict = "UNCHANGED"
    elif low * high > 0:
        verdict = "MARGINAL"
    beyond = max(0.0, abs(change) - relevance) / error
    return (
        comparison, benchmark, parameters, name, statistic, base[0][1], new[0][1], metric.unit,
        metric.direction.value, math.exp(mean(sides[0])), math.exp(mean(sides[0]) + change),
        effect, low, high, len(base), len(new), math.erfc(beyond / math.sqrt(2)),
        math.erfc(abs(change) / error / math.sqrt(2)), verdict,
        f"the change lies between {100 * low:+.1f} and {100 * high:+.1f} %; {100 * relevance:g} %"
        " is what matters", hint, [run for run, _, _ in base], [run for run, _, _ in new], False,
    )  # fmt: skip
