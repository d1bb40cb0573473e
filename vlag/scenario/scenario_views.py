# SPDX-License-Identifier: GPL-2.0-only
"""A scenario's views as plain data; all figures come from the database."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median, stdev
from typing import Any

from attrs import evolve

from vlag.compare import toggle_attribution
from vlag.compare.differences import Difference, differences, verdict
from vlag.config.catalogue import Catalogue
from vlag.model import Histogram, Sample, Verdict
from vlag.scenario import claims, printed_counters
from vlag.scenario.data import Scenario
from vlag.scenario.scenario_verdicts import Answers, overall
from vlag.scenario.view_data import (
    About,
    BaseCell,
    Cell,
    Grid,
    GridRow,
    LineNotRun,
    LowHigh,
    MatrixView,
    Ranges,
    RangesLine,
    Recovered,
    Recovery,
    RecoveryMeasure,
    RecoveryToggle,
    Refusal,
    SamplesOfSide,
    ScenarioData,
    SideOfView,
    Steps,
    StepsLine,
    Table,
    TableLine,
    ViewData,
)
from vlag.stats.attribution import Role
from vlag.stats.severity import log_ratio
from vlag.stats.summary import value_of
from vlag.store import runs

#: Text of a cell without a run.
NOT_RUN = "not run"

View = Mapping[str, Any]


def claims_alone(scenario: Scenario, catalogue: Catalogue) -> ScenarioData:
    """Return what a report claims, which takes no database."""
    return {
        "scenario": scenario.name,
        "title": scenario.title,
        "synthetic": False,
        "claims": claims.judged(scenario, catalogue),
        "views": [],
    }


def views(answers: Answers) -> ScenarioData:
    """Return all of a scenario's views, and what it claims."""
    scenario = answers.scenario
    return {
        **claims_alone(scenario, answers.catalogue),
        "synthetic": True,
        "views": [
            {"view": v["view"], "title": v["title"], **_VIEWS[v["view"]](answers, v)}
            for v in scenario.views
        ],
    }


def _table(answers: Answers, view: View) -> Table:
    """Sides against a base, each metric with its verdict and one verdict over all.

    `worst_first` sorts by the worst change; `work` names the times that also show the change
    in throughput; `spread` adds the boots' scatter.
    """
    data_set = answers.set(view["set"])
    rows: list[TableLine] = []
    for name in view.get("sides") or [s for s in data_set.sides if s != view["base"]]:
        figures = answers.side(data_set.name, name).figures
        measures = [m for m in view["measures"] if m.split(" ")[0] in figures]
        cells = [answers.cell(data_set.name, view["base"], name, m) for m in measures]
        for c in cells:
            if c["measure"] in view.get("work", ()) and c["base"] and c["value"]:
                c["work"] = c["base"] / c["value"] - 1
            if view.get("spread"):
                c["spread"] = [_spread(answers, data_set.name, s, c) for s in (view["base"], name)]
        side = _kernel(answers, data_set.name, name)
        rows.append({"side": name, **side, "cells": cells, "verdict": overall(cells)})
    if view.get("worst_first"):
        rows.sort(key=_badness, reverse=True)
    lacking: list[LineNotRun] = [
        {"side": s, "verdict": NOT_RUN, "cells": []} for s in view.get("not_run", ())
    ]
    base = _kernel(answers, data_set.name, view["base"])
    return {
        **_about(answers, view["set"]),
        "base": view["base"],
        "base_kernel": base["kernel"],
        "base_series": base["series"],
        "base_application": base["application"],
        "base_knobs": base["knobs"],
        "percent": bool(view.get("percent")),
        "rows": [*rows, *lacking],
    }


def _spread(answers: Answers, set_name: str, side: str, cell: Cell) -> float:
    """Return the coefficient of variation over a side's boots."""
    return stdev(math.log(v) for v in _boots(answers, set_name, side, cell) if v)


def _boots(answers: Answers, set_name: str, side: str, cell: Cell) -> list[float]:
    """Return the value of a cell's statistic for each boot of a side that has one."""
    ids = [r.id for r in answers.runs(set_name, side, cell["measure"])]
    figures = runs.figures_of(answers.conn, ids)
    values = (value_of(f.figures, cell["statistic"]) for f in figures
              if f.series.metric == cell["metric"])  # fmt: skip
    return [v for v in values if v is not None]


def _badness(row: TableLine) -> float:
    """Return the size of the worst change, as a log ratio; below 0 if all are better."""
    sizes = [
        log_ratio(c["effect"]) * (1 if c["worse"] else -1)
        for c in row["cells"]
        if c["effect"] is not None
    ]
    return max(sizes, default=-math.inf)


def _kernel(answers: Answers, set_name: str, side: str) -> SideOfView:
    s = answers.side(set_name, side)
    return {
        "kernel": s.kernel["describe"],
        "series": None if s.application == "none" else s.kernel.get("series"),
        "application": s.application,
        "knobs": dict(s.knobs),
    }


def _about(answers: Answers, name: str) -> About:
    data_set = answers.set(name)
    return {"set": name, "about": data_set.about, "board_type": data_set.board_type}


def _recovery(answers: Answers, view: View) -> Recovery:
    """The part of a loss against a baseline that a toggle or a patch recovers."""
    set_name, on, base = view["set"], view["on"], view.get("baseline")
    what = view.get("what", "toggle")
    toggles: list[RecoveryToggle] = []
    for off in view["off"]:
        measures: list[RecoveryMeasure] = []
        for m in view["measures"]:
            gain = answers.cell(set_name, on, off, m)
            cost = answers.cell(set_name, off, on, m)
            loss = None if base is None else answers.cell(set_name, base, on, m)
            left = None if base is None else answers.cell(set_name, base, off, m)
            measures.append(
                {
                    "measure": m,
                    "gain": gain,
                    "cost": cost,
                    "loss": loss,
                    "left": left,
                    **_recovers(answers, view, off, loss),
                }
            )
        toggles.append(
            {
                "off": off,
                "knobs": {
                    k: v
                    for k, v in answers.side(set_name, off).knobs.items()
                    if answers.side(set_name, on).knobs.get(k) != v
                },
                "measures": measures,
                "verdict": overall(x["gain"] for x in measures),
            }
        )
    recovered = [m["recovers"] for t in toggles for m in t["measures"]]
    lost = [m["loss"] for t in toggles for m in t["measures"]]
    answer = "no difference"
    if any(recovered):
        answer = f"a {what} recovers it"
    elif any(x is not None and x["verdict"] == Verdict.REGRESSION.value for x in lost):
        answer = f"no {what} recovers it"
    elif any(t["verdict"] != Verdict.UNCHANGED.value for t in toggles):
        answer = f"the {what} makes a difference"
    return {
        **_about(answers, set_name),
        "baseline": base,
        "on": on,
        "what": what,
        "toggles": toggles,
        "answer": answer,
    }


def _recovers(answers: Answers, view: View, off: str, loss: Cell | None) -> Recovered:
    """Return as text how much of a loss is recovered, over all boots; None without a loss."""
    nothing: Recovered = {"share": None, "recovers": False, "interval": None}
    if loss is None or loss["verdict"] != Verdict.REGRESSION.value:
        return nothing
    metric = answers.catalogue.benchmark(loss["benchmark"]).metric(loss["metric"])
    if metric is None:
        return nothing
    base, on, taken = (
        _boots(answers, view["set"], side, loss) for side in (view["baseline"], view["on"], off)
    )
    report = toggle_attribution.judge(
        base, on, {off: (taken, ())}, metric, relevance=metric.relevance
    )
    [toggle] = report.toggles
    if toggle.share is None:
        return nothing
    return {
        "share": toggle.share.size,
        "recovers": toggle.role is Role.ACCOUNTS,
        "interval": [toggle.share.low, toggle.share.high],
    }


def _matrix(answers: Answers, view: View) -> MatrixView:
    """One grid per measure, each cell against the grid's base; null cells were not run."""
    set_name = view["set"]
    grids: list[Grid] = []
    for m in view["measures"]:
        rows: list[GridRow] = []
        for row, cells in view["rows"].items():
            by_column: dict[str, Cell | BaseCell | None] = {}
            for column in view["columns"]:
                side = cells.get(column)
                if side is None:
                    by_column[column] = None
                elif side == view["base"]:
                    by_column[column] = {"value": answers.value(set_name, side, m), "base": True}
                else:
                    by_column[column] = answers.cell(set_name, view["base"], side, m)
            rows.append({"row": row, "cells": by_column})
        unit = next(c["unit"] for r in rows for c in r["cells"].values() if c and "unit" in c)
        grids.append({"measure": m, "unit": unit, "rows": rows})
    return {**_about(answers, set_name), "columns": view["columns"], "base": view["base"],
            "grids": grids}  # fmt: skip


def _ranges(answers: Answers, view: View) -> Ranges:
    """Low and high of labelled rows; a row that a run did not find is a result too."""
    set_name = view["set"]
    rows: list[RangesLine] = []
    for side in answers.set(set_name).sides:
        ids = [r.id for r in answers.runs(set_name, side, view["measure"])]
        figures = runs.figures_of(answers.conn, ids)
        cells: dict[str, LowHigh | str] = {}
        for label in view["labels"]:
            ends = []
            for metric in (view["low"], view["high"]):
                of_metric = [f.figures for f in figures if f.series.metric == metric]
                ends.append(_of_label([s for s in of_metric if isinstance(s, Sample)], label))
            low, high = ends
            cells[label] = low if isinstance(low, str) else {"low": low, "high": high}
        rows.append({"side": side, **_kernel(answers, set_name, side), "boots": len(ids),
                     "cells": cells})  # fmt: skip
    return {
        **_about(answers, set_name),
        "labels": view["labels"],
        "names": view["names"],
        "rows": rows,
    }


def _of_label(samples: Sequence[Sample], label: str) -> float | str:
    values = [v for s in samples for v, i in zip(s.values, s.instances, strict=True) if i == label]
    if values:
        return median(values)
    return "eliminated" if any(label in s.absent for s in samples) else "not reported"


def _refusal(answers: Answers, view: View) -> Refusal:
    """Every factor in which two sides, of any sets, differ.

    With `baselines` nothing is under test between them: one stands for the other only where
    kernel, configuration and knobs are the same as well.
    """
    both = [answers.runs(x["set"], x["side"], x["measure"]) for x in (view["a"], view["b"])]
    metric = answers.scenario.measures[view["a"]["measure"]].metric
    differing = differences(answers.conn, answers.catalogue, both[0], both[1], metric)
    if view.get("baselines"):
        differing = _between_baselines(answers, view, differing)
    word = verdict(differing)
    return {
        "a": dict(view["a"]),
        "b": dict(view["b"]),
        "verdict": "comparable" if word is None else word.value,
        "differences": [
            {
                "factor": d.factor,
                "a": d.base,
                "b": d.new,
                "factor_under_test": d.factor_under_test,
                "why": d.why,
            }
            for d in differing
        ],
    }


def _between_baselines(
    answers: Answers, view: View, differing: Sequence[Difference]
) -> list[Difference]:
    """Return the differences of two baselines, their kernels as the report has them.

    The kernels on record differ with every figure of their sets, which is not the report's.
    """
    facts = []
    for x in (view["a"], view["b"]):
        side = answers.side(x["set"], x["side"])
        facts.append(
            {
                "commit": side.kernel.get("commit", side.kernel["describe"]),
                "application": side.application,
                "configuration": answers.set(x["set"]).config,
            }
        )
    kernels = [
        Difference(factor=f, base=facts[0][f], new=facts[1][f], factor_under_test=False)
        for f in facts[0]
        if facts[0][f] != facts[1][f]
    ]
    others = [d for d in differing if d.factor.startswith("knob ") or not d.factor_under_test]
    return [*kernels, *(evolve(d, factor_under_test=False) for d in others)]


def _steps(answers: Answers, view: View) -> Steps:
    """A chain of sides, each one factor further, and the changes of each step."""
    set_name, sides = view["set"], view["sides"]
    rows: list[StepsLine] = []
    changed: dict[str, list[str]] = {step: [] for step in view["steps"]}
    for m in view["measures"]:
        cells = [answers.cell(set_name, a, b, m) for a, b in itertools.pairwise(sides)]
        for step, cell in zip(view["steps"], cells, strict=True):
            if cell["verdict"] in (Verdict.REGRESSION.value, Verdict.IMPROVEMENT.value):
                changed[step].append(m)
        rows.append(
            {
                "measure": m,
                "unit": cells[0]["unit"],
                "values": [cells[0]["base"], *(c["value"] for c in cells)],
                "steps": cells,
            }
        )
    extra = [_samples_of(answers, set_name, side, view["measures"][0]) for side in sides]
    return {
        **_about(answers, set_name),
        "sides": sides,
        "steps": view["steps"],
        "rows": rows,
        "changed": changed,
        "samples": extra,
    }


def _samples_of(answers: Answers, set_name: str, side: str, measure: str) -> SamplesOfSide:
    """Return mean and counts of a side's histograms: medians over its boots."""
    ids = [r.id for r in answers.runs(set_name, side, measure)]
    figures = [f.figures for f in runs.figures_of(answers.conn, ids)]
    histograms = [h for h in figures if isinstance(h, Histogram)]
    means = [float((h.counts.sum(axis=0) @ h.bounds) / h.counts.sum()) for h in histograms]
    return {
        "side": side,
        "mean": median(means),
        "achieved": median(h.achieved for h in histograms),
        "expected": median(h.expected or 0 for h in histograms),
    }


_VIEWS: Mapping[str, Callable[[Answers, View], ViewData]] = {
    "table": _table,
    "recovery": _recovery,
    "matrix": _matrix,
    "ranges": _ranges,
    "refusal": _refusal,
    "steps": _steps,
    "schedstat": printed_counters.view,
}
