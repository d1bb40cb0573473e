"""The keys of a report on comparisons, as JSON has them, and the type of each.

`vlag.report.data.comparison` makes these documents, and what writes text, Markdown or HTML reads
them.  Values are in the unit of their row; effects are relative, 0.01 = 1 %.  Keys that are not
required are those that reports lack which an earlier version has stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from vlag.verdict_data import Parameters, ProofData, VerdictData

Side = Literal["base", "new"]

#: The sides of a comparison, in the order of a report.
SIDES: tuple[Literal["base"], Literal["new"]] = ("base", "new")


class SuspicionData(TypedDict):
    """A suspicion, and what reruns made of it."""

    stand: str  # open, confirmed, refuted or undecided
    boots: int  # of a rerun, a side; 0: no rerun yet
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


class ScopeEntry(TypedDict):
    """Boots that counted: seeds first to last of a benchmark; None: any."""

    benchmark: str
    parameters: Parameters | None
    first: int | None
    last: int | None


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
    quantiles: Sequence[Mapping[str, Any]]  # as `vlag.store.shifts.ShiftRow` has them
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


class Explained(Context):
    """What stands beside the figures; the rows of the read model are as its functions say."""

    differences: Sequence[str]
    counters: NotRequired[Sequence[CounterData]]
    profile: NotRequired[Sequence[Mapping[str, Any]]]
    sampled: NotRequired[Sequence[Mapping[str, Any]]]
    bisections: NotRequired[Sequence[Mapping[str, Any]]]
    lanes: NotRequired[Sequence[Mapping[str, Any]]]


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
    prediction: Mapping[str, Any] | None  # as `vlag.compare.predictions` has it
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
    lanes: NotRequired[Sequence[Mapping[str, Any]]]
    comparisons: Sequence[ComparisonData]
