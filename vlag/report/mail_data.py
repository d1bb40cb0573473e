# SPDX-License-Identifier: GPL-2.0-only
"""The keys of a night as its mail and the webhook have it, and the type of each."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict, get_args

from vlag.stats.severity import Lacking
from vlag.verdict_data import ProofData

#: A list of figures of a branch.
FigureKind: TypeAlias = Literal[
    "worse_since", "worse", "suspected", "uncertain", "unmeasured", "fixed", "better_since"
]
FIGURES: tuple[FigureKind, ...] = get_args(FigureKind)


class NightFigure(TypedDict):
    """A figure of a comparison; effects are relative, 0.01 = 1 %."""

    comparison: int
    benchmark: str
    metric: str
    statistic: str
    name: str
    unit: str
    verdict: str
    standing: str
    confirmed_by: NotRequired[int | None]  # comparison with the parent that confirms it
    base_value: float | None
    new_value: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int
    worsening: float | None
    mode: NotRequired[str | None]  # the boots in a new mode, in words
    # Of a confirmed change, given that it passed, where that is another; its interval.
    conditional_effect: NotRequired[float | None]
    conditional_low: NotRequired[float | None]
    conditional_high: NotRequired[float | None]
    screened_effect: float | None  # of the first boots, where a rerun decided
    id: NotRequired[int]  # until it is known where it began
    stands: bool | None  # among all tests of its night
    parameters: str  # that are not the benchmark's own
    board_type: str
    subject: str  # what sets the new kernel apart from the branch's own head
    url: str
    before: float | None  # effect in the night before
    began: str | None  # between which commits it became worse


class NightComparison(TypedDict):
    """A comparison of a night."""

    id: int
    board_type: str
    base: str
    new: str
    subject: str
    url: str
    synthetic: bool


class NightPrediction(NightComparison):
    """A patch that makes it worse on purpose, and whether it is flagged as its header says."""

    name: str
    good: bool
    text: str


class FailureLine(TypedDict):
    """A build or a run that failed."""

    text: str
    url: str


class NightBranch(TypedDict):
    """A branch in a night."""

    name: str
    at_baseline: list[str]  # sentences: where its head is its own baseline
    comparisons: list[NightComparison]
    worse_since: list[NightFigure]  # worse than in the night before
    worse: list[NightFigure]  # worse as then
    suspected: list[NightFigure]
    # Worse in the night before, and now nobody knows: undecided, or not measured.
    uncertain: list[NightFigure]
    unmeasured: list[NightFigure]
    fixed: list[NightFigure]  # no longer worse
    better_since: list[NightFigure]
    failed: list[FailureLine]
    predicted: list[NightPrediction]
    counts: dict[str, int]  # of the other figures
    lacking: Lacking  # how many figures a side has not measured
    worst_hint: float | None  # effect of the largest hint of a worsening
    since: str | None  # the night that it is held against


class NightHead(TypedDict):
    """What is of the night itself."""

    id: int
    key: str
    date: str
    started_at: str
    finished_at: str
    url: str | None
    pages: str
    missing: list[str]
    notes: list[str]
    proof: ProofData | None
    conclusion: str | None  # of all branches, in one sentence; null: not of the last night


class NightAlert(TypedDict):
    """An alert that is open, or of which people were told and that is gone since."""

    id: int
    kind: str
    branch: str | None
    branches: list[str]
    board_type: str | None
    title: str
    body: str
    triage: str
    owner: str | None
    opened: str
    muted_until: str | None
    withdrawn: bool
    why_withdrawn: str | None
    life: list[str]  # what happened to it, a line each with its date
    new: bool  # nobody was told of it
    back: bool  # since people were told of it
    found: list[str]  # the causes that were found since then: "its commit", "the function"
    loud: bool
    url: str


class NightMail(TypedDict):
    """A night, branch by branch."""

    schema: int
    kind: Literal["night"]
    night: NightHead
    before: str | None  # date of the last night
    branches: list[NightBranch]
    alerts: list[NightAlert]
