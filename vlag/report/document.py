# SPDX-License-Identifier: GPL-2.0-only
"""The keys of a report on comparisons, as JSON has them, and the type of each.

`vlag.report.data.comparison` makes these documents, and what writes text, Markdown or HTML reads
them.  Values are in the unit of their row; effects are relative, 0.01 = 1 %.  Keys that are not
required are those that reports lack which an earlier version has stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, TypeGuard

from vlag.verdict_data import (
    Parameters,
    PredictionData,
    ProofData,
    QuantileData,
    ScopeEntry,
    VerdictColumns,
    VerdictData,
)

Side = Literal["base", "new"]

#: The sides of a comparison, in the order of a report.
SIDES: tuple[Literal["base"], Literal["new"]] = ("base", "new")


class SuspicionState(TypedDict):
    """What reruns made of a suspicion."""

    stand: str  # open, confirmed, refuted or undecided
    boots: int  # of a rerun, a side; 0: no rerun yet
    # Comparison with the parent that confirms it; None: none does, or a rerun decided here.
    confirmed_by: NotRequired[int | None]
    number: NotRequired[int | None]  # of the suspicion, by which its page is found


class SuspicionData(SuspicionState):
    """A suspicion, and what reruns made of it."""

    p: float | None
    worse: bool


class FirstBoots(TypedDict):
    """The numbers of the first boots, where a rerun decided."""

    verdict: str
    base: float | None
    new: float | None
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    n_base: int
    n_new: int


class Decided(TypedDict):
    """Where the numbers of a row come from."""

    decided_by: int | None  # comparison of the rerun; None: they are of the first boots
    screen: FirstBoots | None


class FigureRow(VerdictData, Decided):
    """The verdict on one statistic of a metric, with what is known beside it."""

    overrides: Parameters  # parameters that are not the benchmark's usual ones
    p_zero: float | None  # of no change at all
    boots_needed: int | None  # a side, to decide
    confirmable: bool  # the plan has a rerun
    standing: str
    suspicion: SuspicionData | None
    told: bool | None  # passes the multiple testing of its night; None: not asked


class TableFigure(VerdictData, Decided):
    """A row of the view `verdict` as tables have it."""

    id: int
    comparison: int
    standing: str
    told: bool | None
    confirmable: bool
    suspicion: SuspicionState | None


class TableRow(TableFigure):
    """The same with the parameters that are not the benchmark's usual ones."""

    overrides: Parameters


def figure(row: FigureRow | OriginData) -> tuple[str, Parameters, str]:
    """Return benchmark, parameters and metric of a row."""
    return row["benchmark"], row["parameters"], row["metric"]


class PatchData(TypedDict):
    """A patch of a series."""

    name: str
    sha256: str


class KernelData(TypedDict):
    """One side of a comparison: the kernel, and how it was built and booted."""

    digest: str
    tree: str
    branch: str | None
    ref: str
    commit: str
    describe: str
    subject: str
    series: str | None
    application: str
    patches: Sequence[PatchData]
    variant: str
    release: str | None
    knobs: Mapping[str, str]
    toolchain: str | None
    hz: NotRequired[int | None]  # of the tick
    preemption: Sequence[str]
    boots: int


class OptionChange(TypedDict):
    """An option of the config with another value."""

    option: str
    base: str
    new: str


class OptionValue(TypedDict):
    """An option that only one config has."""

    option: str
    value: str


class ConfigData(TypedDict):
    """Options in which the configs differ."""

    changed: Sequence[OptionChange]
    new: Sequence[OptionValue]
    gone: Sequence[OptionValue]


class KnownChange(TypedDict):
    """A change by design between two releases."""

    between: Sequence[str]
    text: str
    commit: str | None
    side: str  # the one that has the change


class Suspects(TypedDict):
    """A sentence each on what a worsening may come from; None: nothing on record."""

    commit: str | None
    toggle: str | None
    function: str | None


class Commands(TypedDict):
    """The exact commands of a benchmark: name -> words."""

    benchmark: str
    parameters: Parameters
    commands: Mapping[str, Sequence[str]]


class CounterData(TypedDict):
    """A scheduler counter that explains a change."""

    benchmark: str
    overrides: Parameters
    counter: str
    unit: str
    per: str  # operation or second
    observing: bool  # of boots that observe, not of the scored ones
    base: float
    new: float
    effect: float | None  # None: base has none
    low: float | None  # 95 % interval of the effect, for all counters of a benchmark together
    high: float | None
    n_base: int
    n_new: int


class DistributionData(TypedDict):
    """Where a distribution moved."""

    benchmark: str
    parameters: Parameters
    metric: str
    unit: str
    p: float  # of "the distribution is the same"
    suspect: bool
    worse: bool
    better: bool
    headline: str
    quantiles: Sequence[QuantileData]
    unknown: Sequence[str]
    base_achieved: float | None  # share of the expected samples
    new_achieved: float | None
    screen: str | None  # headline of the first boots, where a rerun decided


class FailureData(TypedDict):
    """A build or run that failed."""

    side: str  # base, new or both
    kind: str  # build or run
    id: int
    benchmark: NotRequired[str]  # of a run
    seed: NotRequired[int]
    outcome: str
    reason: str | None
    log: str  # path
    reproduce: str  # command


class AlarmData(TypedDict):
    """A message about the health of a kernel."""

    kind: str
    text: str
    place: str | None  # source line or function
    phases: list[str]
    runs: list[int]  # ids of the boots of new that said it
    of: int  # boots of new
    base_runs: list[int]
    base_of: int
    detail: Sequence[str]
    callers: Sequence[str]
    where: str  # path
    side: str  # new, base or both


class RunOrigin(TypedDict):
    """A run, with the way back to its raw file."""

    side: str
    id: int
    seed: int
    board: str
    marked: bool
    raw: str  # paths
    job: str | None
    config: str | None
    reproduce: str  # command


class OriginRun(RunOrigin):
    """A run behind a number."""

    screen: bool  # of the first boots, where a rerun decided
    values: Mapping[str, float | None]  # statistic -> value


class OriginData(TypedDict):
    """The runs behind the figures of a metric."""

    benchmark: str
    parameters: Parameters
    metric: str
    unit: str
    runs: Sequence[OriginRun]


class Measured(TypedDict):
    """What measured the runs."""

    synthetic: bool  # figures of a report, not of boots
    emulators: Sequence[str]
    machine: Sequence[str]
    commands: Sequence[Commands]
    tools: Sequence[str]


class Compared(TypedDict):
    """Which boots were compared."""

    plan: str | None
    stage: str | None
    round: int | None
    role: NotRequired[str | None]  # of the base
    scope: Sequence[ScopeEntry]
    plans: Sequence[str]


class Summary(TypedDict):
    """Numbers of verdicts, and the reruns that decided."""

    summary: Mapping[str, int]  # verdict -> rows
    decided_by: Sequence[int]  # comparisons
    hints: int  # REGRESSION rows that prove nothing


class Severity(TypedDict):
    """The word of a comparison, what sorts the worst first, and what sides lack."""

    word: str
    severity: int  # with `size` it sorts
    size: float
    figures: NotRequired[int]
    unmeasured: NotRequired[int]
    without_base: NotRequired[int]
    without_new: NotRequired[int]


class Context(TypedDict):
    """What a maintainer asks of a comparison beside its figures."""

    config: NotRequired[ConfigData | None]  # None: unknown
    known_changes: NotRequired[Sequence[KnownChange]]
    attribution: Sequence[str]
    suspects: NotRequired[Suspects]


class SideRuns(TypedDict):
    """The ids of the boots of each side."""

    base: list[int]
    new: list[int]


class CallerData(TypedDict):
    """Who calls a function, and how often for an operation."""

    name: str  # "": an interrupt, a fault or user space
    base: float
    new: float
    certain: bool


class FunctionData(TypedDict):
    """A function of a profile: calls and instructions for an operation."""

    name: str
    source: str | None
    base_calls: float | None  # None: this side never executed it
    base_instructions: float | None
    new_calls: float | None
    new_instructions: float | None
    change: float
    certain: bool  # boots of one kernel do not differ by as much
    callers: NotRequired[Sequence[CallerData]]


class DecisionData(TypedDict):
    """How often the scheduler decided something, for an operation."""

    what: str
    base: float | None  # None: this kernel has no function to count
    new: float | None
    certain: NotRequired[bool]


class PathData(TypedDict):
    """A figure of the path with its verdict, for an operation."""

    metric: str
    unit: str
    relevance: float
    base_level: float | None
    new_level: float | None
    verdict: str
    effect: float | None
    ci_low: float | None
    ci_high: float | None
    p: float | None
    reason: str
    base: list[float] | None  # one a boot
    new: list[float] | None


class FrameData(TypedDict):
    """A line of the tree of calls, before those that it calls."""

    depth: int
    name: str
    base: float  # instructions for an operation, with those of what it calls
    new: float


class InstructionsData(TypedDict):
    """Instructions for an operation: base and new."""

    kernel: list[float]
    sched: list[float]
    user: list[float]


class OthersData(TypedDict):
    """Functions that are not shown one by one."""

    count: int
    change: float


class ProfileData(TypedDict):
    """What two kernels execute for an operation of a benchmark."""

    benchmark: str
    parameters: str
    operation: str
    boots: list[int]
    runs: SideRuns
    instructions: InstructionsData
    functions: Sequence[FunctionData]  # the largest changes
    others: OthersData
    decisions: Sequence[DecisionData]
    frames: NotRequired[Sequence[FrameData]]
    sentence: str
    path: NotRequired[Sequence[PathData]]
    path_sentence: NotRequired[str]


class SampledFigure(TypedDict):
    """Events for an operation."""

    name: str
    base: float
    new: float
    change: float
    interval: list[float] | None  # of the change, 95 %; None: one boot a side
    certain: bool


class SampledData(TypedDict):
    """What a board with a PMU has sampled of two kernels."""

    benchmark: str
    parameters: str
    operation: str
    event: str
    runs: SideRuns
    kernel: SampledFigure
    user: SampledFigure
    functions: Sequence[SampledFigure]  # the largest changes
    left: int  # functions beside them
    sentence: str


class DecidedData(TypedDict):
    """Which decision of the scheduler two kernels took differently."""

    benchmark: str
    parameters: str
    runs: SideRuns
    told: Mapping[str, Any]  # as `vlag decisions --format json` has it
    sentence: str
    timeline: int | None  # number of the view `decision_timeline`; None: there is no file


class BlockerData(TypedDict):
    """A thread, interrupt or softirq that blocks the worst wake-ups of new more often."""

    name: str
    base: int  # of the worst wake-ups
    new: int
    p: float


class BlockedData(TypedDict):
    """Who blocked the worst wake-ups of two kernels, where that differs beyond chance."""

    benchmark: str
    parameters: str
    runs: SideRuns
    names: Sequence[BlockerData]
    of_base: int  # worst wake-ups
    of_new: int
    sentence: str


class FixData(TypedDict):
    """What took a loss back on a branch."""

    branch: str
    head: str  # commit up to which it was searched
    commits: list[str]  # several where skipped commits hide which; none: there is no fix
    subject: str | None
    release: str | None  # the first tag that has it
    says_so: bool  # it names the culprit, or reverts it
    between: int  # commits from the culprit to the head
    why: str | None  # why there is none


class BisectionColumns(TypedDict):
    """The commit that made a figure worse, as the view `bisection` has it."""

    comparison: int
    id: int
    tree: str
    board_type: str
    benchmark: str
    parameters: str
    metric: str
    statistic: str
    good: str
    bad: str
    commits: list[str]  # several where skipped commits hide which of them it is
    subject: str
    steps: int
    between: int
    effect: float  # of bad against good
    share: float | None  # of that change, between the culprit and its parent
    recovered: float | None  # part of it that the revert takes back
    no_revert: str | None
    document: Mapping[str, Any]  # as `vlag bisect --format json` prints it
    fixes: list[FixData]  # what took it back, as far as that was searched


class BisectionData(BisectionColumns):
    """A search, and what it says."""

    at: str
    sentence: str


class LaneFindingData(TypedDict):
    """An error of a lane that breaks, or a new warning."""

    number: int
    kind: str
    file: str
    line: int | None
    message: str
    count: int
    is_new: bool


class LaneColumns(TypedDict):
    """A commit in a configuration that was only built, as the view `lane` has it."""

    id: int
    tree: str
    commit: str
    subject: str
    parent: str | None
    lane: str
    outcome: str
    reason: str | None
    is_new: bool
    warnings: int
    unjudged: str | None
    toolchain: str
    record: str
    branches: list[str]
    new_warnings: int


class LaneWords(LaneColumns):
    """A lane with what the compiler said."""

    findings: Sequence[LaneFindingData]


class LaneData(LaneWords):
    """The same as JSON has it."""

    at: str


class Explained(Context):
    """What stands beside the figures."""

    differences: Sequence[str]
    counters: NotRequired[Sequence[CounterData]]
    profile: NotRequired[Sequence[ProfileData]]
    sampled: NotRequired[Sequence[SampledData]]
    decided: NotRequired[Sequence[DecidedData]]
    blocked: NotRequired[Sequence[BlockedData]]
    bisections: NotRequired[Sequence[BisectionData]]
    lanes: NotRequired[Sequence[LaneData]]


class ComparisonData(Measured, Compared, Summary, Severity, Explained):
    """A comparison on record."""

    schema: int
    kind: Literal["comparison"]
    head_notes: Sequence[str]
    id: int
    said: NotRequired[int]  # number up to which this is what was said
    judge: NotRequired[str | None]  # version of vlag and of its method
    created_at: str | None
    board_type: str
    limits: str | None  # of the board, in words
    base: KernelData
    new: KernelData
    factors: Mapping[str, Mapping[str, Any]]  # name -> values of base and new
    prediction: PredictionData | None
    proof: ProofData | None
    rows: Sequence[FigureRow]
    distributions: Sequence[DistributionData]
    failures: Sequence[FailureData]
    health: Sequence[AlarmData]
    notes: Sequence[str]
    origins: Sequence[OriginData]


class PrintedComparison(ComparisonData):
    """A comparison with the lines that end a mail about it."""

    trailers: Sequence[str]


class FamilyData(TypedDict):
    """All tests of a night together."""

    q: float  # false discovery rate
    tests: int
    told: int  # changes that pass
    not_told: int


class NightData(TypedDict):
    """Several comparisons as one report."""

    schema: int
    kind: Literal["night"]
    proof: ProofData | None
    head_notes: Sequence[str]
    family: FamilyData
    lanes: NotRequired[Sequence[LaneData]]
    comparisons: Sequence[ComparisonData]


class ComparisonHead(TypedDict):
    """What a table says of a comparison above its rows."""

    id: int
    at: str
    board_type: str
    role: str | None
    plan: str | None
    synthetic: bool
    base: str
    new: str
    base_knobs: str
    new_knobs: str
    base_commit: str
    new_commit: str
    subject: str
    patches: str | None
    application: str
    variant: str
    verdict: str
    severity: int
    size: float
    worst: float | None
    failures: int
    figures: int
    unmeasured: int
    without_base: int
    without_new: int


class AgainData(TypedDict):
    """A command that runs one boot of a benchmark again."""

    benchmark: str
    command: str


class BoardState(ComparisonHead):
    """The newest comparison of a branch on a board type."""

    limits: str | None
    tools: Sequence[str]
    unchanged: int  # rows that are left out
    rows: Sequence[TableRow]
    again: Sequence[AgainData]


class ChangeData(TypedDict):
    """A step in a history."""

    board_type: str
    benchmark: str
    metric: str
    statistic: str
    effect: float
    ci_low: float
    ci_high: float
    cause: str
    commit: str
    committed_at: str
    kernel: str
    worse: bool


class AlertData(TypedDict):
    """An open alert."""

    id: int
    kind: str
    title: str
    triage: str
    owner: str | None
    board_type: str | None
    base: str | None
    new: str | None
    opened_at: str
    muted_until: str | None


class SuspectedPair(TypedDict):
    """What is suspected of a pair of kernels, one way."""

    board_type: str
    base: str
    new: str
    new_knobs: str
    worse: bool
    hint: bool
    stand: str
    boots: int
    confirmed_by: NotRequired[int | None]  # comparison with the parent that confirms it
    figures: list[str]


class BranchData(TypedDict):
    """The state of a branch."""

    schema: int
    kind: Literal["branch"]
    tree: str
    branch: str
    head_notes: Sequence[str]
    synthetic: bool
    states: Sequence[BoardState]
    changes: Sequence[ChangeData]
    alerts: Sequence[AlertData]
    suspicions: Sequence[SuspectedPair]
    lanes: Sequence[LaneData]


class MatrixColumn(TypedDict):
    """A setting, and the comparison of it with the base."""

    label: str
    patches: str | None
    application: str
    applied: Sequence[str]  # patches, in order
    settings: str
    comparison: int | None  # None: it was not run
    new: str | None
    new_commit: str | None
    verdict: str
    failure: str | None  # in words
    reason: str | None  # why it failed, with file and line where they are known


class NoFigure(TypedDict):
    """A cell without a figure."""

    nothing: str  # why


class FigureCell(TableRow):
    """A cell with a verdict."""

    nothing: None


MatrixCell = NoFigure | FigureCell


def has_figure(cell: MatrixCell) -> TypeGuard[FigureCell]:
    """Return whether a cell has a figure."""
    return cell["nothing"] is None


class MatrixMetric(TypedDict):
    """A row of a matrix: a figure of each column."""

    benchmark: str
    overrides: Parameters
    metric: str
    statistic: str
    unit: str
    direction: str
    name: str
    base: float | None
    cells: Sequence[MatrixCell]


class AccountData(TypedDict):
    """Which patch makes what of an effect."""

    metric: str
    answer: str  # of `stats.attribution.Answer`
    sentence: str


class BoardMatrix(TypedDict):
    """Settings by metrics, of one base on a board type."""

    board_type: str
    base: str
    base_commit: str
    base_knobs: str
    synthetic: bool
    limits: str | None
    tools: Sequence[str]
    boots_a_side: Sequence[int]  # fewest and most
    columns: Sequence[MatrixColumn]
    metrics: Sequence[MatrixMetric]
    accounts: Sequence[AccountData]
    dependences: Sequence[str]
    again: Sequence[AgainData]


class MatrixData(TypedDict):
    """Matrices of a branch, or of chosen comparisons."""

    schema: int
    kind: Literal["matrix"]
    name: str | None
    head_notes: Sequence[str]
    synthetic: bool
    matrices: Sequence[BoardMatrix]


class Cell(TypedDict):
    """A value of a kernel beside others."""

    value: float  # in the unit of its row
    boots: int
    verdict: VerdictColumns | None  # the change against the baseline


class AcrossRow(TypedDict):
    """A figure of several kernels."""

    benchmark: str
    parameters: str
    metric: str
    statistic: str
    name: str
    unit: str
    direction: str
    differing: str  # parameters that others of the benchmark lack
    cells: list[Cell | None]  # one a kernel


class AcrossTable(TypedDict):
    """Figures of several kernels on a board type."""

    board_type: str | None
    boards: list[str]  # all with any figure
    rows: list[AcrossRow]  # in the order of their names
