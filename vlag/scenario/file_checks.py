# SPDX-License-Identifier: GPL-2.0-only
"""What the file of a report must not say: each refusal names the file, the line and the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Metric
from vlag.scenario import bundles, claims
from vlag.scenario.data import DataSet, Figure, Keys, Scenario
from vlag.scenario.printers import PRINTERS
from vlag.stats.summary import QUANTILES

#: Statistics that a figure of a distribution may give.
_STATISTICS = (*QUANTILES, "p95", "min", "max", "mean", "threads")
#: What the parts of a view are called: key -> whether it names sides or measures.
_SIDES = ("base", "on", "baseline", "off", "sides")
_MEASURES = ("measure", "measures", "work")

_Fault = tuple[Keys, str]


def check(scenario: Scenario, catalogue: Catalogue) -> None:
    """Raise ContentError for what the catalogue does not have, and for names that lead nowhere.

    `catalogue` has the report's own board types and plan.
    """
    for keys, sentence in _faults(scenario, catalogue):
        raise scenario.source.error(keys, sentence)
    claims.judged(scenario, catalogue)
    if scenario.views:
        bundles.check_boots(scenario, catalogue)


def check_measures(scenario: Scenario, catalogue: Catalogue) -> None:
    """Raise ContentError for a plan, a benchmark or a metric that the catalogue does not have."""
    for keys, sentence in (*_plan(scenario, catalogue), *_measures(scenario, catalogue)):
        raise scenario.source.error(keys, sentence)


def _faults(scenario: Scenario, catalogue: Catalogue) -> Iterator[_Fault]:
    yield from _sets(scenario, catalogue)
    for number, view in enumerate(scenario.views):
        yield from _view(scenario, ("views", number), view)


def _plan(scenario: Scenario, catalogue: Catalogue) -> Iterator[_Fault]:
    if scenario.planned and scenario.plan not in catalogue.plans:
        yield ("plan",), _unknown("plan", scenario.plan, sorted(catalogue.plans))


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    return f"no {what} {name!r}; there are: {', '.join(known) or 'none'}"


def _measures(scenario: Scenario, catalogue: Catalogue) -> Iterator[_Fault]:
    for name, measure in scenario.measures.items():
        keys = ("measures", name)
        if measure.benchmark not in catalogue.benchmarks:
            yield (
                (*keys, "benchmark"),
                f"no benchmark {measure.benchmark!r}; `vlag parse --help` and docs/benchmarks.md"
                " have those that are known; a figure of another one has unit and better instead",
            )
            continue
        benchmark = catalogue.benchmark(measure.benchmark)
        if scenario.views and benchmark.name not in PRINTERS:
            yield (
                (*keys, "benchmark"),
                f"no runs can be made of figures of {benchmark.name}, only of"
                f" {', '.join(sorted(PRINTERS))}; give unit and better instead, for claims",
            )
        for parameter, value in measure.parameters.items():
            try:
                render.parameters(benchmark, {parameter: value})
            except UsageError as e:
                yield (*keys, "parameters", parameter), str(e)
        known = [metric.name for metric in benchmark.metrics]
        for key, metrics in (
            ("metric", [measure.metric]),
            ("judged_by", [measure.judged_by] if measure.judged_by else []),
            ("also", measure.also),
        ):
            for metric in metrics:
                if metric not in known:
                    yield (*keys, key), _unknown(f"metric of {benchmark.name}", metric, known)


def _sets(scenario: Scenario, catalogue: Catalogue) -> Iterator[_Fault]:
    packages = _packages(scenario, catalogue)
    for name, data in scenario.sets.items():
        if data.alone:
            continue
        keys = ("sets", name)
        yield from _board(scenario, catalogue, keys, data)
        for package in data.packages:
            if package not in packages:
                yield (
                    (*keys, "packages", package),
                    _unknown("package of these benchmarks", package, sorted(packages)),
                )
        for side in data.sides.values():
            for measure, figure in side.figures.items():
                yield from _shape(
                    (*keys, "sides", side.name, "figures", measure),
                    figure,
                    _metric(scenario, catalogue, measure),
                    ranges=bool(scenario.measures[measure].also),
                )
            for measure, figure in side.plain_figures.items():
                yield from _shape(
                    (*keys, "sides", side.name, "figures", measure), figure, None, ranges=False
                )


def _packages(scenario: Scenario, catalogue: Catalogue) -> set[str]:
    """Return the packages whose versions may be given; a tool without one is its own."""
    benchmarks = [catalogue.benchmark(m.benchmark) for m in scenario.measures.values()]
    return {name for b in benchmarks for name in (b.packages or (b.tool,))}


def _board(scenario: Scenario, catalogue: Catalogue, keys: Keys, data: DataSet) -> Iterator[_Fault]:
    figures = any(side.figures for side in data.sides.values())
    if data.board_type and data.board_type not in catalogue.board_types:
        yield (
            (*keys, "board_type"),
            f"{_unknown('board type', data.board_type, sorted(catalogue.board_types))}; one that is"
            " the report's own stands in boards",
        )
    if scenario.views and figures and not data.board_type:
        yield keys, "views need a board_type: one of the catalogue, or of boards in this file"


def _metric(scenario: Scenario, catalogue: Catalogue, measure: str) -> Metric | None:
    known = scenario.measures[measure]
    return catalogue.benchmark(known.benchmark).metric(known.metric)


def _shape(keys: Keys, figure: Figure, metric: Metric | None, *, ranges: bool) -> Iterator[_Fault]:
    """Yield what is no figure of its metric; names are of a distribution, or of rows."""
    distribution = metric is not None and metric.histogram
    if not isinstance(figure.value, Mapping):
        if distribution:
            yield keys, f"is a distribution: give {', '.join(_STATISTICS[:3])}, max or mean"
        return
    if ranges:
        return
    for name, value in figure.value.items():
        if not isinstance(value, int | float):
            yield (*keys, name), "is no number"
        elif metric is not None and not distribution:
            yield (
                (*keys, name),
                "is no key of a figure; those are value, runs, percent, change, count, spread",
            )
        elif name not in _STATISTICS:
            yield (*keys, name), _unknown("statistic", name, _STATISTICS)


def _view(scenario: Scenario, keys: Keys, view: Mapping[str, Any]) -> Iterator[_Fault]:
    if view["view"] == "schedstat":
        if not (scenario.folder / view["file"]).is_file():
            yield (*keys, "file"), f"there is no {view['file']} beside the file"
        return
    if view["view"] == "refusal":
        for side in ("a", "b"):
            yield from _runs(scenario, (*keys, side), view[side])
        return
    data = scenario.sets.get(view["set"])
    if data is None:
        yield (*keys, "set"), _unknown("set", view["set"], list(scenario.sets))
        return
    named = [*_named(view, _SIDES), *_cells(view)]
    for key, side in named:
        if side not in data.sides:
            yield (
                (*keys, *key),
                f"no side {side!r} of set {data.name}; there are:" + (f" {', '.join(data.sides)}"),
            )
    for key, measure in _named(view, _MEASURES):
        yield from _measure(scenario, data, (*keys, *key), measure)
    if view["view"] == "matrix":
        columns = {column for cells in view["rows"].values() for column in cells}
        for column in sorted(columns - set(view["columns"])):
            yield (*keys, "rows"), f"a row has the column {column!r}, which columns do not name"
    if view["view"] == "steps" and len(view["steps"]) != len(view["sides"]) - 1:
        yield (*keys, "steps"), "one step less than sides is needed: each is between two of them"


def _named(view: Mapping[str, Any], keys: Sequence[str]) -> Iterator[tuple[Keys, str]]:
    """Yield the names that a view has at some of its keys, with their places."""
    for key in keys:
        given = view.get(key)
        if isinstance(given, str):
            yield (key,), given
        elif isinstance(given, list):
            for number, name in enumerate(given):
                yield (key, number), name


def _cells(view: Mapping[str, Any]) -> Iterator[tuple[Keys, str]]:
    for row, cells in view.get("rows", {}).items():
        for column, side in cells.items():
            if side is not None:
                yield ("rows", row, column), side


def _measure(scenario: Scenario, data: DataSet, keys: Keys, name: str) -> Iterator[_Fault]:
    measure, _, statistic = name.partition(" ")
    if measure not in scenario.measures:
        what = "is of no benchmark, and views show those of benchmarks: give its claims"
        known = list(scenario.measures)
        yield (
            keys,
            what if measure in scenario.plain_measures else _unknown("measure", measure, known),
        )
    elif not any(measure in side.figures for side in data.sides.values()):
        yield keys, f"no side of set {data.name} has a figure of {measure!r}"
    elif statistic and statistic not in _STATISTICS:
        yield keys, _unknown("statistic", statistic, _STATISTICS)


def _runs(scenario: Scenario, keys: Keys, runs: Mapping[str, str]) -> Iterator[_Fault]:
    data = scenario.sets.get(runs["set"])
    if data is None:
        yield (*keys, "set"), _unknown("set", runs["set"], list(scenario.sets))
    elif runs["side"] not in data.sides:
        yield (*keys, "side"), _unknown(f"side of set {data.name}", runs["side"], list(data.sides))
    elif runs["measure"] not in data.sides[runs["side"]].figures:
        yield (*keys, "measure"), f"side {runs['side']} has no figure of {runs['measure']!r}"
