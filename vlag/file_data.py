# SPDX-License-Identifier: GPL-2.0-only
"""The keys of a comparison of files, as JSON has them, and the type of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from vlag.verdict_data import QuantileData, VerdictData


class FileKernel(TypedDict):
    """The kernel of a side that is run bundles."""

    digest: str
    describe: str
    commit: str
    series: str | None
    application: str
    variant: str
    release: str
    knobs: Mapping[str, str]


class FileSide(TypedDict):
    """A side of a comparison of files."""

    files: list[str]  # that count
    failed: list[str]
    tool: str
    version: str | None  # of the tool
    n: int  # boots that count
    kernel: NotRequired[FileKernel]  # raw files do not say it


class FileRow(VerdictData):
    """The verdict on one statistic of a metric."""

    p_zero: float | None  # of no change at all
    boots_needed: int | None  # a side, to decide
    suspect: bool


class Summary(TypedDict):
    """The verdict over all rows."""

    verdict: str
    counts: Mapping[str, int]  # verdict -> rows
    sentence: str


class Shares(TypedDict):
    """The share of the expected samples that each side has."""

    base: float | None
    new: float | None


class FileDistribution(TypedDict):
    """Where a histogram moved."""

    metric: str
    unit: str
    headline: str
    p: float  # of "the distribution is the same"
    suspect: bool
    worse: bool
    better: bool
    unknown: Sequence[str]
    quantiles: Sequence[QuantileData]
    achieved: Shares


class Level(TypedDict):
    """A metric that the catalogue shows without a verdict."""

    metric: str
    unit: str
    base: float | None
    new: float | None


class FilesData(TypedDict):
    """Two sides of files."""

    schema: int
    kind: Literal["files"]
    benchmark: str
    tool: str
    catalogue: list[str]  # entries that declare the metrics
    board_type: str | None  # None: nobody says it
    limits: str | None  # of the board, in words
    factors: Mapping[str, list[str]]  # that may differ -> values of base and new
    synthetic: bool  # figures of a report, not of boots
    base: FileSide
    new: FileSide
    summary: Summary
    rows: list[FileRow]  # the worst first
    distributions: list[FileDistribution]
    not_compared: list[Level]
    notes: list[str]
