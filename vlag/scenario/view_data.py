# SPDX-License-Identifier: GPL-2.0-only
"""The keys of a scenario's views, as JSON has them, and the type of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, final

from vlag.schedstat.interval_difference import DiffData
from vlag.verdict_data import SideSamples


class BothSamples(TypedDict):
    """Samples of both sides."""

    base: SideSamples
    new: SideSamples


class Cell(TypedDict):
    """The result on record for one metric of two sides; levels in its unit."""

    measure: str
    benchmark: str
    metric: str
    statistic: str
    unit: str
    direction: str
    base: float | None
    value: float | None  # of the new side
    effect: float | None  # relative
    worse: bool | None
    verdict: str
    stages: Mapping[str, str]  # stage -> verdict
    boots: Mapping[str, list[int]]  # stage -> boots of base and new
    hint: bool
    reason: str
    samples: BothSamples
    work: NotRequired[float]  # the change as throughput
    spread: NotRequired[list[float]]  # variation over the boots of base and new


class SideOfView(TypedDict):
    """The kernel of a side."""

    kernel: str
    series: str | None
    application: str
    knobs: Mapping[str, str]


class TableLine(SideOfView):
    """A side against the base of a table."""

    side: str
    cells: list[Cell]
    verdict: str


class LineNotRun(TypedDict):
    """A side of a table that was not run."""

    side: str
    verdict: str
    cells: list[Cell]


class About(TypedDict):
    """The set of runs that a view is of."""

    set: str
    about: str
    board_type: str


class Table(About):
    """Sides against a base."""

    base: str
    base_kernel: str
    base_series: str | None
    base_application: str
    base_knobs: Mapping[str, str]
    percent: bool
    rows: Sequence[TableLine | LineNotRun]


class Recovered(TypedDict):
    """How much of a loss a toggle or patch takes back."""

    share: float | None
    recovers: bool
    interval: list[float | None] | None  # of the share


class RecoveryMeasure(Recovered):
    """A metric with a toggle on and off."""

    measure: str
    gain: Cell
    cost: Cell
    loss: Cell | None  # against the baseline
    left: Cell | None


class RecoveryToggle(TypedDict):
    """A toggle or patch that is taken off."""

    off: str
    knobs: Mapping[str, str]
    measures: list[RecoveryMeasure]
    verdict: str


class Recovery(About):
    """The part of a loss that each toggle or patch takes back."""

    baseline: str | None
    on: str
    what: str
    toggles: list[RecoveryToggle]
    answer: str


@final
class BaseCell(TypedDict):
    """The cell of a grid that is its base."""

    value: float | None
    base: Literal[True]


class GridRow(TypedDict):
    """A row of a grid; a cell that was not run is None."""

    row: str
    cells: Mapping[str, Cell | BaseCell | None]


class Grid(TypedDict):
    """A measure of all cells."""

    measure: str
    unit: str
    rows: list[GridRow]


class MatrixView(About):
    """One grid a measure."""

    columns: list[str]
    base: str
    grids: list[Grid]


class LowHigh(TypedDict):
    """The ends of a range."""

    low: float
    high: float | str


class RangesLine(SideOfView):
    """The ranges of a side; a text says why there is none."""

    side: str
    boots: int
    cells: Mapping[str, LowHigh | str]


class Ranges(About):
    """Low and high of labelled rows."""

    labels: list[str]
    names: Mapping[str, str]
    rows: list[RangesLine]


class FactorOfRefusal(TypedDict):
    """A factor in which two sides differ."""

    factor: str
    a: str
    b: str
    factor_under_test: bool
    why: str | None


class Refusal(TypedDict):
    """Every factor in which two sides differ."""

    a: Mapping[str, str]
    b: Mapping[str, str]
    verdict: str
    differences: list[FactorOfRefusal]


class StepsLine(TypedDict):
    """A measure along a chain of sides."""

    measure: str
    unit: str
    values: list[float | None]
    steps: list[Cell]


class SamplesOfSide(TypedDict):
    """Mean and counts of a side's histograms: medians over its boots."""

    side: str
    mean: float
    achieved: float
    expected: float


class Steps(About):
    """A chain of sides, each one factor further."""

    sides: list[str]
    steps: list[str]
    rows: list[StepsLine]
    changed: Mapping[str, list[str]]  # step -> measures
    samples: list[SamplesOfSide]


class Counters(TypedDict):
    """The scheduler's counters that a report prints."""

    diff: DiffData


#: What a view has beside its kind and title.
ViewData = Table | Recovery | MatrixView | Ranges | Refusal | Steps | Counters


class ClaimData(TypedDict):
    """What a report claims, and what its own figures say of it."""

    says: str  # in the report's words
    set: str
    base: str
    side: str
    measure: str
    change: float | str  # in percent; or "better", "worse", "none"
    answer: str  # "supported", "not supported", "cannot be judged"
    effect: float  # relative
    interval: list[float] | None  # of the effect, 95 %; None: it cannot be judged
    runs: list[int]  # that the figures of base and side sum up
    reason: str


class ScenarioData(TypedDict):
    """All views of a scenario, and what it claims."""

    scenario: str
    title: str
    synthetic: bool
    claims: list[ClaimData]
    views: list[Mapping[str, object]]  # each is `ViewData` with its `view` and `title`
