# SPDX-License-Identifier: GPL-2.0-only
"""A field report as data: `lava-jobs/scenarios/NAME.yaml`, the only file with its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import Factory, evolve, frozen

from vlag import ROOT
from vlag.config.documents import read_yaml
from vlag.errors import UsageError
from vlag.model import digest

FOLDER = ROOT / "lava-jobs" / "scenarios"


@frozen(kw_only=True)
class Measure:
    """A metric of a benchmark with figures in a report."""

    benchmark: str
    parameters: Mapping[str, str | int]  # those that differ from the entry's defaults
    metric: str
    judged_by: str | None = None  # metric of the same measurement that has the verdict
    also: tuple[str, ...] = ()  # metrics that its figures give as well

    @property
    def given(self) -> frozenset[str]:
        """Return the metrics that a figure of this measure gives."""
        return frozenset({self.metric, *self.also, *filter(None, [self.judged_by])})


@frozen(kw_only=True)
class Figure:
    """A report's figure of one measure.

    `value` is a number, or names or labels with numbers if the tool gives a
    distribution or several rows; a text marks a missing row.
    """

    value: Any
    spread: float  # coefficient of variation over boots
    fixed: Mapping[str, int]  # counts that do not vary from boot to boot
    spreads: Mapping[str, float] = Factory(dict)  # of statistics that scatter otherwise

    @property
    def mean_alone(self) -> bool:
        """Return whether it is a distribution of which only the mean is given."""
        return isinstance(self.value, Mapping) and set(self.value) == {"mean"}


@frozen(kw_only=True)
class Side:
    """One kernel with its knobs and figures."""

    name: str
    kernel: Mapping[str, Any]  # the report's words on it
    application: str
    knobs: Mapping[str, str]
    figures: Mapping[str, Figure]  # measure -> figure


@frozen(kw_only=True)
class DataSet:
    """Figures of one board in one set-up, which a report compares with each other."""

    name: str
    about: str
    board: str
    board_type: str
    packages: Mapping[str, str]
    config: str  # the kernels' configuration, by the report
    environment: Mapping[str, str]
    alone: bool  # each figure is one boot
    sides: Mapping[str, Side]
    identity: str  # digest of the whole set


@frozen(kw_only=True)
class Scenario:
    """One report."""

    name: str
    title: str
    plan: str
    seed: int
    date: str  # of the report, as in "2026-04-21"
    measures: Mapping[str, Measure]
    sets: Mapping[str, DataSet]
    views: Sequence[Mapping[str, Any]]
    folder: Path  # folder of the report's other files


def names(folder: Path = FOLDER) -> list[str]:
    """Return the names of the scenarios."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def load(name: str, folder: Path = FOLDER) -> Scenario:
    """Read a scenario.

    Raises UsageError with file and key for an unknown or contradictory one.
    """
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise UsageError(f"no scenario {name!r}; there are: {', '.join(names(folder))}")
    raw = read_yaml(path, "scenario.schema.json")
    if raw["scenario"] != name:
        raise UsageError(f"{path}: scenario: is {raw['scenario']!r}, but the file says {name!r}")
    measures = {
        key: Measure(
            benchmark=m["benchmark"],
            parameters=m.get("parameters", {}),
            metric=m["metric"],
            judged_by=m.get("judged_by"),
            also=tuple(m.get("also", ())),
        )
        for key, m in raw["measures"].items()
    }
    sets = {key: _set(path, raw, key) for key in raw["sets"]}
    return Scenario(
        name=name,
        title=raw["title"],
        plan=raw["plan"],
        seed=raw["seed"],
        date=raw["date"],
        measures=measures,
        sets=sets,
        views=raw["views"],
        folder=folder,
    )


def _set(path: Path, raw: Mapping[str, Any], name: str) -> DataSet:
    """Return a set; one with `alone` has another set's figures, each a single boot."""
    given = raw["sets"][name]
    alone = "alone" in given
    source = raw["sets"].get(given["alone"]) if alone else given
    if source is None or "alone" in source:
        raise UsageError(f"{path}: sets.{name}.alone: names no set with figures")
    sides: dict[str, Side] = {}
    for key, side in source["sides"].items():
        where = f"{path}: sets.{name}.sides.{key}"
        kernel = raw["kernels"].get(side["kernel"])
        if kernel is None:
            raise UsageError(f"{where}.kernel: no kernel {side['kernel']!r} above")
        figures = {}
        for measure, figure in side["figures"].items():
            if measure not in raw["measures"]:
                raise UsageError(f"{where}.figures: no measure {measure!r} above")
            base = (
                source["sides"][source["base"]]["figures"].get(measure)
                if "base" in source
                else None
            )
            made = _figure(f"{where}.figures.{measure}", figure, base, raw["spread"])
            figures[measure] = evolve(made, spreads={**raw.get("spreads", {}), **made.spreads})
        sides[key] = Side(
            name=key,
            kernel=kernel,
            application=side.get("application", "none"),
            knobs={**source.get("knobs", {}), **side.get("knobs", {})},
            figures=figures,
        )
    return DataSet(
        name=name,
        about=given.get("about", source["about"]),
        board=source["board"],
        board_type=source["board_type"],
        packages=source.get("packages", {}),
        config=source["config"],
        environment=source.get("environment", {}),
        alone=alone,
        sides=sides,
        # Edited figures belong to other kernels: they never mix with older ones.
        identity=digest(
            [
                raw["scenario"],
                raw["seed"],
                raw["spread"],
                raw.get("spreads"),
                name,
                source,
                raw["kernels"],
            ]
        ),
    )


def _figure(where: str, given: Any, base: Any, spread: float) -> Figure:
    if not isinstance(given, Mapping):
        return Figure(value=given, spread=spread, fixed={})
    rest = dict(given)
    spread = rest.pop("spread", spread)
    fixed = rest.pop("fixed", {})
    spreads = rest.pop("spreads", {})
    if "percent" in rest or "change" in rest:
        if not isinstance(base, int | float):
            raise UsageError(f"{where}: percent of what? The set's base has no plain figure for it")
        share = rest["percent"] / 100 if "percent" in rest else 1 + rest["change"] / 100
        return Figure(value=base * share, spread=spread, fixed=fixed)
    return Figure(value=rest.get("value", rest), spread=spread, fixed=fixed, spreads=spreads)
