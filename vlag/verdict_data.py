"""The keys of a verdict, and of a proof, in the JSON of every report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

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
    hint: bool  # it proves nothing
    worse: bool | None  # None: no effect
    boots: SideCounts
    marked: SideCounts  # boots with a kernel alarm while measuring
    samples: Samples | None


class ProofData(TypedDict):
    """Whether known regressions were flagged as their headers predict."""

    failed: bool
    text: str
    good: int  # of `total`
    total: int
