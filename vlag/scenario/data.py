# SPDX-License-Identifier: GPL-2.0-only
"""A field report as data: `lava-jobs/scenarios/NAME.yaml`, or a file of one's own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from attrs import Factory, frozen

from vlag.config import yaml_places
from vlag.config.documents import contents, misplaced
from vlag.config.reported_knobs import SCENARIOS
from vlag.config.yaml_places import Places
from vlag.errors import ContentError, UsageError
from vlag.model import digest

FOLDER = SCENARIOS
#: A report of one's own, to begin with.
TEMPLATE = Path(__file__).with_name("template.yaml")
#: Plan of a report that names none: each figure has as many boots as its report counts.
OWN_PLAN = "own-report"
#: What a file need not say.
NOT_GIVEN = "not in the report"

#: A key in a file, from the top.
Keys = tuple[str | int, ...]


@frozen(kw_only=True)
class Source:
    """The file of a report."""

    path: Path
    places: Places

    def error(self, keys: Keys, sentence: str) -> ContentError:
        """Return an error that names file, line and key."""
        key = ".".join(map(str, keys)) or "the file"
        return ContentError(f"{self.path}:{self.places.line(keys)}: {key}: {sentence}")


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
class PlainMeasure:
    """A quantity that no benchmark of the catalogue has; claims about it can be judged."""

    unit: str
    higher_is_better: bool
    relevance: float | None  # smallest relative change that matters


@frozen(kw_only=True)
class Figure:
    """A report's figure of one measure.

    `value` is a number, or names or labels with numbers if the tool gives a
    distribution or several rows; a text marks a missing row.
    """

    value: Any
    spread: float  # coefficient of variation over boots, of draws
    fixed: Mapping[str, int]  # counts that do not vary from boot to boot
    spreads: Mapping[str, float] = Factory(dict)  # of statistics that scatter otherwise
    count: int = 1  # runs that it sums up, by the report
    reported_spread: float | None = None  # None: the report gives none
    runs: tuple[float, ...] = ()  # each run, if the report lists them

    @property
    def mean_alone(self) -> bool:
        """Return whether it is a distribution of which only the mean is given."""
        return isinstance(self.value, Mapping) and set(self.value) == {"mean"}

    @property
    def boots(self) -> int:
        """Return how many boots the report lets it stand for: one if their spread is not known."""
        return self.count if self.runs or self.reported_spread else 1


@frozen(kw_only=True)
class Side:
    """One kernel with its knobs and figures."""

    name: str
    kernel: Mapping[str, Any]  # the report's words on it
    application: str
    knobs: Mapping[str, str]
    figures: Mapping[str, Figure]  # measure -> figure
    plain_figures: Mapping[str, Figure] = Factory(dict)  # of measures that are no benchmark's

    @property
    def every_figure(self) -> dict[str, Figure]:
        """Return the figures of all measures."""
        return {**self.figures, **self.plain_figures}


@frozen(kw_only=True)
class DataSet:
    """Figures of one board in one set-up, which a report compares with each other."""

    name: str
    about: str
    board: str
    board_type: str  # "" if the report is of none and shows no views
    packages: Mapping[str, str]
    config: str  # the kernels' configuration, by the report
    environment: Mapping[str, str]
    alone: bool  # each figure is one boot
    sides: Mapping[str, Side]
    identity: str  # digest of the whole set


@frozen(kw_only=True)
class OwnBoard:
    """A board type that only the report has."""

    arch: str
    cpus: int


@frozen(kw_only=True)
class Claim:
    """What a report says of two sides of a set."""

    words: str  # of the report
    set: str
    base: str
    side: str
    measure: str  # of a distribution with its statistic, as in "latency p99"
    change: float | str  # in percent of the base; or "better", "worse", "none"


@frozen(kw_only=True)
class Scenario:
    """One report."""

    name: str
    title: str
    plan: str
    seed: int
    date: str  # of the report, as in "2026-04-21"
    measures: Mapping[str, Measure]
    plain_measures: Mapping[str, PlainMeasure]
    sets: Mapping[str, DataSet]
    boards: Mapping[str, OwnBoard]
    claims: Sequence[Claim]
    views: Sequence[Mapping[str, Any]]
    folder: Path  # folder of the report's other files
    source: Source

    @property
    def planned(self) -> bool:
        """Return whether a plan of the catalogue says how many boots a figure has."""
        return self.plan != OWN_PLAN

    @property
    def kept(self) -> bool:
        """Return whether it is one of ours, whose runs stay in the database."""
        return self.folder.resolve() == FOLDER.resolve()


def names(folder: Path = FOLDER) -> list[str]:
    """Return the names of the scenarios."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def place(report: str) -> Path:
    """Return the file of a report, which is one of ours or a path.

    Raises UsageError if it is neither.
    """
    ours = FOLDER / f"{report}.yaml"
    if "/" not in report and ours.is_file():
        return ours
    path = Path(report)
    if not path.is_file():
        raise UsageError(
            f"no scenario {report!r}; there are: {', '.join(names())}, or name a file (`vlag"
            " scenario new FILE` writes one to begin with)"
        )
    return path


def load(name: str, folder: Path = FOLDER) -> Scenario:
    """Read a scenario of a folder.

    Raises ContentError with file, line and key for an unknown or contradictory one.
    """
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise UsageError(f"no scenario {name!r}; there are: {', '.join(names(folder))}")
    scenario = read(path)
    if scenario.name != name:
        raise scenario.source.error(
            ("scenario",), f"is {scenario.name!r}, but the file says {name!r}"
        )
    return scenario


def read(path: Path) -> Scenario:
    """Read the file of a report; ContentError with file, line and key."""
    raw, places = contents(path, "YAML", yaml_places.read, error=ContentError)
    source = Source(path=path, places=places)
    wrong = misplaced(raw, "scenario.schema.json")
    if wrong is not None:
        raise source.error(*wrong)
    raw["kernels"] = {
        name: {"tree": "report", "branch": raw["scenario"], "subject": NOT_GIVEN, **kernel}
        for name, kernel in raw["kernels"].items()
    }
    return Scenario(
        name=raw["scenario"],
        title=raw["title"],
        plan=raw.get("plan", OWN_PLAN),
        seed=raw.get("seed", 0),
        date=raw["date"],
        measures={
            key: Measure(
                benchmark=m["benchmark"],
                parameters=m.get("parameters", {}),
                metric=m["metric"],
                judged_by=m.get("judged_by"),
                also=tuple(m.get("also", ())),
            )
            for key, m in raw["measures"].items()
            if "benchmark" in m
        },
        plain_measures={
            key: PlainMeasure(
                unit=m["unit"],
                higher_is_better=m["better"] == "higher",
                relevance=m.get("relevance"),
            )
            for key, m in raw["measures"].items()
            if "benchmark" not in m
        },
        sets={key: _set(source, raw, key) for key in raw["sets"]},
        boards={key: OwnBoard(**board) for key, board in raw.get("boards", {}).items()},
        claims=[
            Claim(words=c["says"], **{k: v for k, v in c.items() if k != "says"})
            for c in raw.get("claims", ())
        ],
        views=raw.get("views", ()),
        folder=path.parent,
        source=source,
    )


def _set(source: Source, raw: Mapping[str, Any], name: str) -> DataSet:
    """Return a set; one with `alone` has another set's figures, each a single boot."""
    given = raw["sets"][name]
    alone = "alone" in given
    data = raw["sets"].get(given["alone"]) if alone else given
    if data is None or "alone" in data:
        raise source.error(("sets", name, "alone"), "names no set with figures")
    if "base" in data and data["base"] not in data["sides"]:
        raise source.error(
            ("sets", name, "base"), f"no side {data['base']!r} in {', '.join(data['sides'])}"
        )
    return DataSet(
        name=name,
        about=given.get("about", data["about"]),
        board=data["board"],
        board_type=data.get("board_type", ""),
        packages=data.get("packages", {}),
        config=data.get("config", NOT_GIVEN),
        environment=data.get("environment", {}),
        alone=alone,
        sides={key: _side(source, raw, name, data, key) for key in data["sides"]},
        # Edited figures belong to other kernels: they never mix with older ones.
        identity=digest(
            [
                raw["scenario"],
                raw.get("seed"),
                raw.get("spread"),
                raw.get("spreads"),
                name,
                data,
                raw["kernels"],
            ]
        ),
    )


def _side(
    source: Source, raw: Mapping[str, Any], set_name: str, data: Mapping[str, Any], name: str
) -> Side:
    side, keys = data["sides"][name], ("sets", set_name, "sides", name)
    kernel = raw["kernels"].get(side["kernel"])
    if kernel is None:
        raise source.error(
            (*keys, "kernel"), f"no kernel {side['kernel']!r} in {', '.join(raw['kernels'])}"
        )
    base = data["sides"][data["base"]]["figures"] if "base" in data else {}
    defaults = _Defaults.of(raw, data)
    figures: dict[str, Figure] = {}
    for measure, figure in side["figures"].items():
        where = (*keys, "figures", measure)
        if measure not in raw["measures"]:
            raise source.error(where, f"no measure of that name in {', '.join(raw['measures'])}")
        figures[measure] = _figure(source, where, figure, base.get(measure), defaults)
    return Side(
        name=name,
        kernel=kernel,
        application=side.get("application", "none"),
        knobs={**data.get("knobs", {}), **side.get("knobs", {})},
        figures={k: f for k, f in figures.items() if "benchmark" in raw["measures"][k]},
        plain_figures={k: f for k, f in figures.items() if "benchmark" not in raw["measures"][k]},
    )


@frozen(kw_only=True)
class _Defaults:
    """What the figures of a set have that do not say it themselves."""

    spread: float  # of draws
    spreads: Mapping[str, float]
    count: int
    reported_spread: float | None

    @classmethod
    def of(cls, raw: Mapping[str, Any], data: Mapping[str, Any]) -> _Defaults:
        """Return those of a file and one of its sets."""
        return cls(
            spread=raw.get("spread", 0.0),
            spreads=raw.get("spreads", {}),
            count=data.get("count", 1),
            reported_spread=data.get("spread"),
        )


#: Of these a figure has one at most.
_VALUES = ("value", "percent", "change", "runs")


def _figure(source: Source, keys: Keys, given: Any, base: Any, defaults: _Defaults) -> Figure:
    rest = dict(given) if isinstance(given, Mapping) else {"value": given}
    spread = rest.pop("spread", defaults.reported_spread)
    spreads = {**defaults.spreads, **rest.pop("spreads", {})}
    fixed, count = rest.pop("fixed", {}), rest.pop("count", defaults.count)
    values = [key for key in _VALUES if key in rest]
    if (len(rest) > 1 and values) or not rest:
        raise source.error(keys, f"one of {', '.join(_VALUES)} is a figure, or names with numbers")
    runs: tuple[float, ...] = ()
    value: Any = rest
    if values == ["runs"]:
        runs = tuple(map(float, rest["runs"]))
        value, count = _mean(runs), len(runs)
        spread = stdev(math.log(run) for run in runs)
    elif values == ["value"]:
        value = rest["value"]
    elif values:
        value = _share(rest) * _plain(source, keys, base)
    return Figure(
        value=value,
        spread=defaults.spread if spread is None else spread,
        fixed=fixed,
        spreads=spreads,
        count=count,
        reported_spread=spread,
        runs=runs,
    )


def _share(given: Mapping[str, Any]) -> float:
    share: float = given["percent"] / 100 if "percent" in given else 1 + given["change"] / 100
    return share


def _plain(source: Source, keys: Keys, base: Any) -> float:
    """Return the figure that another one is a share of."""
    value = base.get("value") if isinstance(base, Mapping) else base
    if isinstance(base, Mapping) and "runs" in base:
        value = _mean(base["runs"])
    if not isinstance(value, int | float):
        raise source.error(keys, "percent of what? The set's base has no plain figure for it")
    return float(value)


def _mean(runs: Sequence[float]) -> float:
    """Return the geometric mean, which is that of changes in percent as well."""
    return math.exp(fmean(math.log(run) for run in runs))
