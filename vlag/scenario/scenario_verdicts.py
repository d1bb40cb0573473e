# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on record for two sides of a set, as cells."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TypeVar

from vlag.compare.kernels import compare
from vlag.compare.scope import Stage
from vlag.compare.verdict_keys import worse
from vlag.config.catalogue import Catalogue
from vlag.errors import ContentError
from vlag.lava import render
from vlag.model import Verdict
from vlag.scenario.bundles import kernel, mean_of
from vlag.scenario.data import DataSet, Scenario, Side
from vlag.scenario.view_data import Cell
from vlag.stats import lattice
from vlag.stats.summary import value_of
from vlag.store import kernels, runs
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.runs import Run
from vlag.verdict_data import SideSamples

#: Statistic of a measure of which a report gives the mean alone.
_MEAN = "mean"

_T = TypeVar("_T")


class Answers:
    """Verdicts on a scenario's sides; each comparison is made once."""

    def __init__(self, conn: Connection, catalogue: Catalogue, scenario: Scenario) -> None:
        self.conn = conn
        self.catalogue = catalogue
        self.scenario = scenario
        self._rows = functools.cache(self._compared)
        self._sums = functools.cache(self._runs_of)

    def set(self, name: str) -> DataSet:
        """Return a set; ContentError if a view names an unknown one."""
        return _pick(self.scenario.sets, name, "set")

    def side(self, set_name: str, name: str) -> Side:
        """Return a side of a set; ContentError if a view names an unknown one."""
        return _pick(self.set(set_name).sides, name, "side")

    def cell(self, set_name: str, base: str, new: str, measure: str) -> Cell:
        """Return the result on record for one metric of two sides of a set.

        `measure` is a measure's name, followed by a space and a statistic if the tool gives
        a distribution; a mean that a report gives alone is not judged.  Numbers and verdict are
        those of the rerun if the plan has them, else of the first boots; the cell has the
        verdicts of both stages.  A measure
        that another metric judges has that metric's verdict, with the levels in its own unit.
        """
        if measure.endswith(f" {_MEAN}"):
            return self._mean(set_name, base, new, measure)
        once = self.set(set_name).alone or not self.scenario.planned
        stages: tuple[Stage, ...] = ("screen",) if once else ("screen", "confirm")
        rows = {stage: self._row(set_name, base, new, measure, stage) for stage in stages}
        row = rows[stages[-1]]
        metric, unit, factor = self._in_unit(set_name, new, measure, row)
        return {
            "measure": measure,
            "benchmark": row.benchmark,
            "metric": metric,
            "statistic": row.statistic,
            "unit": unit,
            "direction": row.direction,
            "base": _times(row.base_value, factor),
            "value": _times(row.new_value, factor),
            "effect": row.effect,
            "worse": worse(row.effect, row.direction),
            "verdict": row.verdict,
            "stages": {stage: r.verdict for stage, r in rows.items()},
            "boots": {stage: [r.n_base, r.n_new] for stage, r in rows.items()},
            "hint": row.hint,
            "reason": row.reason,
            "samples": {
                "base": _taken(row.base_achieved, row.base_expected),
                "new": _taken(row.new_achieved, row.new_expected),
            },
        }

    def _mean(self, set_name: str, base: str, new: str, measure: str) -> Cell:
        """Return the change of a mean that a report gives without its distribution."""
        known = self.scenario.measures[measure.partition(" ")[0]]
        metric = self.catalogue.benchmark(known.benchmark).metric(known.metric)
        if metric is None:
            raise ContentError(f"{known.benchmark} has no metric {known.metric!r}")
        both = [
            [float(r.environment[mean_of(metric.name)]) for r in runs_of]
            for runs_of in (self.runs(set_name, side, measure) for side in (base, new))
        ]
        levels = [median(values) for values in both]
        effect = levels[1] / levels[0] - 1
        word = Verdict.INCONCLUSIVE.value
        direction = metric.direction.value
        return {
            "measure": measure,
            "benchmark": known.benchmark,
            "metric": metric.name,
            "statistic": _MEAN,
            "unit": metric.unit,
            "direction": direction,
            "base": levels[0],
            "value": levels[1],
            "effect": effect,
            "worse": worse(effect, direction),
            "verdict": word,
            "stages": {"screen": word},
            "boots": {"screen": [len(values) for values in both]},
            "hint": False,
            "reason": "the report gives a mean alone, which says nothing of the distribution",
            "samples": {"base": _taken(None, None), "new": _taken(None, None)},
        }

    def value(self, set_name: str, side: str, measure: str) -> float | None:
        """Return the level of a side's boots, in a set of several sides."""
        other = next(name for name in self.set(set_name).sides if name != side)
        return self.cell(set_name, other, side, measure)["value"]

    def runs(self, set_name: str, side: str, measure: str) -> Sequence[Run]:
        """Return a side's complete runs of a measure's benchmark and parameters."""
        return self._sums(set_name, side, measure)

    def _runs_of(self, set_name: str, side: str, measure: str) -> Sequence[Run]:
        of_set = self.set(set_name)
        words, parameters = self._measured(measure)
        row = kernels.resolve(self.conn, self._ref(of_set, self.side(set_name, side)))
        every = runs.of_kernel(
            self.conn, row.id, board_type=of_set.board_type, synthetic=True, by_image=False
        )
        knobs = dict(of_set.sides[side].knobs)
        return [
            r
            for r in every
            if (r.benchmark, dict(r.parameters), dict(r.knobs)) == (words, parameters, knobs)
        ]

    def _measured(self, measure: str) -> tuple[str, dict[str, str | int]]:
        m = _pick(self.scenario.measures, measure.split(" ", maxsplit=1)[0], "measure")
        benchmark = self.catalogue.benchmark(m.benchmark)
        return m.benchmark, render.parameters(benchmark, m.parameters)

    def _row(self, set_name: str, base: str, new: str, measure: str, stage: Stage) -> VerdictRow:
        name, _, statistic = measure.partition(" ")
        benchmark, parameters = self._measured(name)
        of_measure = self.scenario.measures[name]
        metric = of_measure.judged_by or of_measure.metric
        for row in self._rows(set_name, base, new, stage):
            if (
                (row.benchmark, dict(row.parameters)) == (benchmark, parameters)
                and row.metric == metric
                and row.statistic == (statistic or "median")
            ):
                return row
        raise ContentError(
            f"scenario {self.scenario.name}: {new} against {base} of set {set_name} has no"
            f" {measure}"
        )

    def _in_unit(
        self, set_name: str, side: str, measure: str, row: VerdictRow
    ) -> tuple[str, str, float]:
        """Return the measure's own metric and unit, and what one unit of the judging metric is."""
        asked = self.scenario.measures[measure.partition(" ")[0]]
        if asked.judged_by is None:
            return row.metric, row.unit, 1.0
        metric = self.catalogue.benchmark(asked.benchmark).metric(asked.metric)
        if metric is None:
            raise ContentError(f"{asked.benchmark} has no metric {asked.metric!r}")
        ids = [r.id for r in self.runs(set_name, side, measure)]
        values = {
            (f.run, f.series.metric): value_of(f.figures, row.statistic)
            for f in runs.figures_of(self.conn, ids)
        }
        levels = [(values.get((i, metric.name)), values.get((i, row.metric))) for i in ids]
        factor = median(own / other for own, other in levels if own and other)
        return metric.name, metric.unit, factor

    def _compared(self, set_name: str, base: str, new: str, stage: Stage) -> Sequence[VerdictRow]:
        of_set = self.set(set_name)
        sides = [self.side(set_name, name) for name in (base, new)]
        named = {
            self.scenario.measures[m].benchmark
            for s in sides
            for m, figure in s.figures.items()
            if not figure.mean_alone
        }
        # One boot a side decides nothing: such a verdict is printed and stays on no page.
        with self.conn.transaction(force_rollback=of_set.alone):
            return compare(
                conn=self.conn,
                catalogue=self.catalogue,
                base=self._ref(of_set, sides[0]),
                new=self._ref(of_set, sides[1]),
                board_type=of_set.board_type,
                plan=self.catalogue.plan(self.scenario.plan),
                stage=stage,
                benchmarks=frozenset(named),
                synthetic=True,
                role=self._role(set_name, *sides),
            ).verdicts

    def _role(self, set_name: str, base: Side, new: Side) -> str | None:
        """Return the role of a base: a table's is a baseline, a toggle's has none."""
        tables = {(v["set"], v["base"]) for v in self.scenario.views if v["view"] == "table"}
        alike = dict(base.knobs) == dict(new.knobs)
        return "baseline" if alike and (set_name, base.name) in tables else None

    def _ref(self, data_set: DataSet, side: Side) -> KernelRef:
        return KernelRef(
            text=kernel(data_set, side, self.catalogue)["digest"], knobs=dict(side.knobs)
        )


def overall(cells: Iterable[Cell]) -> str:
    """Return one verdict word over several metrics of the same two sides."""
    return lattice.summary(
        lattice.Row(
            name=cell["measure"],
            verdict=Verdict(cell["verdict"]),
            effect=cell["effect"],
            hint=cell["hint"],
        )
        for cell in cells
    ).word


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _taken(achieved: int | None, expected: int | None) -> SideSamples:
    return {"achieved": achieved, "expected": expected}


def _pick(known: Mapping[str, _T], name: str, what: str) -> _T:
    if name not in known:
        raise ContentError(f"a view names the {what} {name!r}; there are: {', '.join(known)}")
    return known[name]
