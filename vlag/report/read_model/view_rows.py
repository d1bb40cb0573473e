# SPDX-License-Identifier: GPL-2.0-only
"""The columns of views that several subjects read, by the names of the views.

What a column means, and what null stands for, is said by the comments of `schemas/views/`; a
test compares names and types with the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from vlag.verdict_data import FactorValues, PredictionData, ScopeEntry, VerdictColumns


class ComparisonRow(TypedDict):
    """`comparison`: two kernels on one board type."""

    id: int
    at: datetime
    board_type: str
    role: str | None
    synthetic: bool
    plan: str | None
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    base_knobs: str
    new_knobs: str
    tree: str
    branch: str | None
    branch_name: str | None
    branches: list[str]
    ref: str
    patches: str | None
    application: str
    variant: str
    base_commit: str
    new_commit: str
    committed_at: datetime
    subject: str
    failures: int
    current: bool
    factors: Mapping[str, FactorValues]
    notes: list[str]
    scope: list[ScopeEntry]
    base_tree: str
    as_predicted: bool | None
    digest: str
    baseline: str | None


class SummaryRow(ComparisonRow):
    """`comparison_summary`: a comparison with counts of its verdicts and an overall one."""

    regressions: int
    hints: int
    improvements: int
    suspected: int
    marginal: int
    inconclusive: int
    not_comparable: int
    unchanged: int
    figures: int
    unmeasured: int
    without_base: int
    without_new: int
    worst: float | None
    worst_hint: float | None
    verdict: str
    severity: int
    size: float
    confirmed_by: int | None


class VerdictRow(VerdictColumns):
    """`verdict`: the verdict on one statistic, as reruns left it."""

    id: int
    comparison: int
    board_type: str
    parameters: str
    name: str
    latency: bool
    stand: str | None
    fresh_boots: int | None
    screened: str
    standing: str
    worsening: float | None
    series_base: int | None
    series_new: int | None
    boots_needed: int | None
    stands: bool | None
    p_zero: float | None
    decided_by: int | None
    screened_effect: float | None
    screened_ci_low: float | None
    screened_ci_high: float | None
    screened_base_value: float | None
    screened_new_value: float | None
    screened_n_base: int | None
    screened_n_new: int | None
    conditions: str
    judge: str | None
    confirmed_by: int | None
    mode: str | None
    conditional_effect: float | None
    conditional_low: float | None
    conditional_high: float | None
    suspicion_id: int | None


class QuantileRow(TypedDict):
    """`distribution`: a quantile of a distribution's shift function."""

    comparison: int
    benchmark: str
    parameters: str
    metric: str
    unit: str
    whole_p: float
    suspect: bool
    worse: bool
    better: bool
    headline: str
    quantile: str
    number: int
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    moved: bool
    decided_by: int | None
    screened_headline: str | None
    p: float | None


class FailureRow(TypedDict):
    """`failure`: a build or a run of a comparison that failed."""

    comparison: int
    side: str
    kind: str
    build: int | None
    run: int | None
    benchmark: str | None
    parameters: str | None
    seed: int | None
    outcome: str
    reason: str | None
    location: str | None
    at: datetime
    reproduce: str | None


class NewestRow(TypedDict):
    """`newest_of_role`: a comparison of the newest kernel of a branch."""

    id: int
    role: str | None
    tree: str
    branch: str | None
    branch_name: str | None
    new_kernel: int
    board_type: str


class ChangePointRow(TypedDict):
    """`change_point`: a step in a history."""

    id: int
    series: int
    statistic: str
    tree: str
    branch: str
    effect: float
    ci_low: float
    ci_high: float
    cause: str
    found_at: datetime
    withdrawn_at: datetime | None
    worsening: float
    benchmark: str
    metric: str
    board_type: str
    before_kernel: int
    kernel: int
    kernel_name: str
    commit: str
    committed_at: datetime
    at: datetime | None


class SuspicionRow(TypedDict):
    """`suspicion`: a change in first boots, and the decision of reruns."""

    id: int
    board_type: str
    base_kernel: int
    new_kernel: int
    base: str
    new: str
    tree: str
    branch: str | None
    branch_name: str | None
    ref: str
    new_knobs: str
    benchmark: str
    parameters: str
    metric: str
    statistic: str
    conditions: str
    worse: bool
    hint: bool
    stand: str
    boots: int
    p: float | None
    raised_by: int | None
    decided_by: int | None
    created_at: datetime
    changed_at: datetime
    predicted: bool
    confirmed_by: int | None


class PredictionRow(TypedDict):
    """`prediction`: what a patch's header predicts, and whether it came true."""

    comparison: int
    name: str
    good: bool
    text: str
    board_type: str
    tree: str
    branch_name: str | None
    base: str
    new: str
    base_kernel: int
    new_kernel: int
    at: datetime
    said: int
    document: PredictionData | None


class KernelRow(TypedDict):
    """`kernel`: a kernel with its names."""

    id: int
    digest: str
    tree: str
    branch: str | None
    branch_name: str | None
    branches: list[str]
    ref: str
    commit: str
    short_commit: str
    describe: str
    subject: str
    committed_at: datetime
    series: str | None
    application: str
    variant: str
    arch: str
    release: str | None
    build_location: str | None
    name: str
    patch_names: list[str]
    kconfig: str


class TimeSeriesRow(TypedDict):
    """`series`: a measured quantity."""

    id: int
    benchmark: str
    parameters: str
    metric: str
    unit: str
    direction: str
    tool: str
    tool_version: str
    board_type: str
    name: str
    latency: bool
    joined_to: int | None
