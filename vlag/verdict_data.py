# SPDX-License-Identifier: GPL-2.0-only
"""The keys of a verdict, and of a proof, in the JSON of every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

Parameters = Mapping[str, str | int]


class SideCounts(TypedDict):
    """A number of each side."""

    base: int
    new: int


class SideSamples(TypedDict):
    """Samples of one side: how many there are, and how many its runs should have."""

    achieved: int | None
    expected: int | None


class Samples(TypedDict):
    """Samples of both sides."""

    base: SideSamples
    new: SideSamples


class ConditionalChange(TypedDict):
    """A confirmed change, given that it had to pass the rounds of its rerun."""

    effect: float
    ci_low: float  # 95 % interval of the effect
    ci_high: float


class VerdictColumns(TypedDict):
    """What the table and the view `verdict` have of the verdict on one statistic."""

    benchmark: str
    metric: str
    statistic: str
    unit: str
    direction: str
    hint: bool
    verdict: str
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    p: float | None
    reason: str
    base_runs: list[int]
    new_runs: list[int]
    base_achieved: int | None
    base_expected: int | None
    new_achieved: int | None
    new_expected: int | None
    base_marked: int
    new_marked: int
    mode: str | None
    conditional_effect: float | None
    conditional_low: float | None
    conditional_high: float | None


class VerdictData(TypedDict):
    """The verdict on one statistic; values in `unit`, effects relative (0.01 = 1 %)."""

    benchmark: str
    parameters: Parameters
    metric: str
    statistic: str
    unit: str
    direction: str
    base: float | None
    new: float | None
    effect: float | None
    ci_low: float | None  # 95 % interval of the effect
    ci_high: float | None
    n_base: int  # boots with a value
    n_new: int
    p: float | None  # of a change within the relevance
    verdict: str
    reason: str
    mode: NotRequired[str | None]  # the boots in a new mode, in words; None: none are known
    # None: the effect needs no correction, or nothing is confirmed.
    conditional: NotRequired[ConditionalChange | None]
    hint: bool  # it proves nothing
    worse: bool | None  # None: no effect
    boots: SideCounts
    marked: SideCounts  # boots with a kernel alarm while measuring
    samples: Samples | None
    instance: NotRequired[str]  # of files: where the metric has but one, with a name


class QuantileData(TypedDict):
    """A quantile of both sides, in the unit of its metric."""

    name: str
    base: float | None
    new: float | None
    effect: float | None
    low: float | None  # interval of the effect; simultaneous where the quantile is no figure
    high: float | None
    p: float
    moved: bool


class ScopeEntry(TypedDict):
    """Boots that counted: seeds first to last of a benchmark; None: any."""

    benchmark: str
    parameters: Parameters | None
    first: int | None
    last: int | None


class FactorValues(TypedDict):
    """A factor of a comparison; a factor with parts has a mapping of them on each side."""

    base: object
    new: object


class PredictedFlag(TypedDict):
    """What a patch's header predicts of one figure."""

    flag: str
    must: bool  # flagged on this board type
    found: Sequence[str]


class PredictionData(TypedDict):
    """A comparison beside the header of its patch; flags are "BENCHMARK METRIC STATISTIC"."""

    name: str  # of the patch
    good: bool  # all is as predicted
    text: str
    expected: Sequence[PredictedFlag]
    found: Sequence[str]
    unexpected: Sequence[str]  # each with its change
    missed: Sequence[str]
    doubts: Sequence[str]  # why the comparison cannot judge a prediction
    notes: NotRequired[Sequence[str]]  # names that metrics had before


#: Begins the sentence on a comparison that was to hold a prediction and was not made.
NOT_MADE = "no proof: "


class ProofData(TypedDict):
    """Whether known regressions were flagged as their headers predict."""

    failed: bool
    text: str
    good: int  # of `total`
    total: int
