"""Two kernels on one board type: what their runs say, a verdict a statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from statistics import median

from attrs import evolve, frozen

from vlag.compare import conditions, distributions, suspicions
from vlag.compare import sides as sides_of
from vlag.compare.conditions import Group
from vlag.compare.history import History, Known
from vlag.compare.scope import Scope, Stage
from vlag.compare.scope import scope as scope_of
from vlag.compare.sides import Side
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import BoardType, Direction, Histogram, Metric, Plan, Verdict
from vlag.stats import stages
from vlag.stats.compare import Comparison, Question, judge
from vlag.stats.summary import STATISTICS, statistics
from vlag.store import comparisons, kernels, runs, shifts
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.runs import Run
from vlag.store.shifts import ShiftRow

# What a histogram's row is called where neither side has one to say it.
_UNKNOWN_STATISTIC = "p99"


@frozen(kw_only=True)
class StoredComparison:
    """A comparison on record."""

    id: int
    new: bool  # False: the same inputs had been compared before
    verdicts: tuple[VerdictRow, ...]
    # Benchmarks whose suspicion the fresh boots of this comparison have not settled.
    unsettled: tuple[str, ...] = ()

    @property
    def regressions(self) -> int:
        """Number of REGRESSION verdicts that are no mere hints."""
        return sum(not v.hint for v in self._worse)

    @property
    def hints(self) -> int:
        """Number of REGRESSION verdicts that are hints."""
        return sum(v.hint for v in self._worse)

    @property
    def regressed(self) -> list[str]:
        """Names of the benchmarks with any REGRESSION verdict, sorted."""
        return sorted({v.benchmark for v in self._worse})

    @property
    def suspects(self) -> list[str]:
        """Names of the benchmarks that fresh boots may find to be worse, sorted."""
        return sorted({v.benchmark for v in self.verdicts if v.suspect and v.worse})

    @property
    def proof(self) -> list[str]:
        """Names of those suspects that are more than hints: this board can settle them."""
        return sorted({v.benchmark for v in self.verdicts if v.suspect and v.worse and not v.hint})

    @property
    def open(self) -> list[str]:
        """Names of the unsettled benchmarks of which more fresh boots are due, sorted.

        Of a mere hint more are not worth it: the board is the wrong one.
        """
        rows = (v for v in self.verdicts if v.stand == stages.Stand.OPEN.value)
        due = {v.benchmark for v in rows if not v.hint}
        return sorted(due & set(self.unsettled))

    @property
    def _worse(self) -> list[VerdictRow]:
        return [v for v in self.verdicts if v.verdict == Verdict.REGRESSION.value]


@frozen(kw_only=True)
class _Subject:
    """What one set of rows is about."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: Metric
    relevance: float
    hint: bool
    rounds: tuple[int, ...] | None  # of fresh boots; None: this is no confirmation
    confirmable: bool  # the plan has fresh boots of it
    suspected: Mapping[str, bool]  # statistic -> whether it is suspected to be worse

    def measured(self, side: Side) -> list[Group]:
        """Return the side's runs that measured it, by conditions, the latest first."""
        of = [r for r in side.complete if r.benchmark == self.benchmark]
        of = [r for r in of if dict(r.parameters) == dict(self.parameters)]
        pairs = [(r, side.figures.get((r.id, self.metric.name))) for r in of]
        return conditions.split((r, f) for r, f in pairs if f is not None)


def compare(
    *,
    conn: Connection,
    catalogue: Catalogue,
    base: KernelRef,
    new: KernelRef,
    board_type: str,
    plan: Plan | None = None,
    stage: Stage | None = None,
    round_: int | None = None,
    benchmarks: Set[str] | None = None,
    synthetic: bool = False,
    role: str | None = None,
) -> StoredComparison:
    """Compare the complete runs of two kernels on one board type and store the verdicts.

    With a `plan` only the boots of its entries count: those that screen, or the fresh
    ones that confirm, up to the end of a round; with `benchmarks` only theirs.  A screen
    raises suspicions, which stay on record, and fresh boots settle them.  A boot is one
    observation; on a deterministic board a repeat of the same run is none.  Failed
    builds and runs are listed, never raised.  Equal inputs are stored once.  `role` says
    what the base is to the new kernel, "baseline" or "parent"; without one a pair of
    kernels keeps the role that an earlier comparison gave it.  Raises
    UsageError for a kernel, board type or benchmark that is unknown or ambiguous, and
    where the two sides are the same.
    """
    board = catalogue.board_type(board_type)
    scope = scope_of(
        catalogue=catalogue,
        board=board,
        plan=plan,
        stage=stage,
        benchmarks=benchmarks,
        round_=round_,
    )
    found = (kernels.resolve(conn, base), kernels.resolve(conn, new))
    if found[0].id == found[1].id and dict(base.knobs) == dict(new.knobs):
        raise UsageError(
            f"base and new are the same kernel {found[0].digest[:12]} with the same knobs;"
            " name two kernels, or other knobs for one of them"
        )
    sides = [
        sides_of.side(
            conn,
            name=name,
            kernel=kernel,
            knobs=ref.knobs,
            board=board,
            synthetic=synthetic,
            scope=scope,
        )
        for name, kernel, ref in zip(("base", "new"), found, (base, new), strict=True)
    ]
    b, n = sides
    history = History(conn, board, b, n)
    inputs = sides_of.inputs(catalogue, board, b, n, scope, history.runs)
    stored = comparisons.by_inputs(conn, inputs)
    if stored is not None and stored.id is not None:
        if role is not None:
            comparisons.name_role(conn, stored.id, role)
        rows = tuple(comparisons.verdicts(conn, stored.id))
        unsettled = suspicions.unsettled(conn, stored, rows)
        return StoredComparison(id=stored.id, new=False, verdicts=rows, unsettled=unsettled)
    pair = comparisons.Comparison(
        inputs=inputs,
        base_kernel=b.kernel.id,
        new_kernel=n.kernel.id,
        board_type=board.name,
        base_knobs=dict(b.knobs),
        new_knobs=dict(n.knobs),
        factors=sides_of.factors(b, n),
        failed_builds=sorted({x.id for s in sides for x in s.failed_builds}),
        failed_runs=sorted({x.id for s in sides for x in s.failed}),
        notes=[],
        plan=scope.plan,
        stage=scope.stage,
        round=scope.round,
        scope=scope.document(),
        synthetic=synthetic,
    )
    pair = evolve(pair, role=role or comparisons.role_of(conn, pair))
    notes = [*scope.notes, *b.notes, *n.notes]
    if b.complete and _ids(b.complete) == _ids(n.complete):
        notes.append("base and new have the same image, so every number is the same")
    subjects = _subjects(conn, catalogue, board, b, n, scope, pair)
    rows = tuple(row for s in subjects for row in _verdicts(s, b, n, history, notes))
    comparison = evolve(pair, notes=list(dict.fromkeys(notes)))
    with conn.transaction():
        runs.add_board_type(conn, board)  # no run may have done so yet
        id_, is_new = comparisons.insert(conn, comparison, rows)
        comparison = evolve(comparison, id=id_)
        rows = tuple(comparisons.verdicts(conn, id_))
        moved = (_moved(subject, b, n) for subject in subjects)
        shifts.insert(conn, id_, [m for m in moved if m is not None])
        suspicions.follow(conn, comparison, rows)
    unsettled = suspicions.unsettled(conn, comparison, rows)
    return StoredComparison(id=id_, new=is_new, verdicts=rows, unsettled=unsettled)


def _subjects(
    conn: Connection,
    catalogue: Catalogue,
    board: BoardType,
    b: Side,
    n: Side,
    scope: Scope,
    pair: comparisons.Comparison,
) -> list[_Subject]:
    """Return what is compared: each compared metric of each workload."""
    confirms = scope.stage == "confirm"
    known = suspicions.known(conn, pair) if confirms else ()
    return [
        _Subject(
            benchmark=benchmark.name,
            parameters=parameters,
            metric=metric,
            relevance=metric.relevance_on(board),
            hint=benchmark.unproven is not None or (metric.cross_cpu and board.deterministic),
            rounds=scope.rounds_of(benchmark.name, parameters) if confirms else None,
            confirmable=scope.confirmable(benchmark.name, parameters),
            suspected={
                s.statistic: s.worse
                for s in known
                if (s.benchmark, s.metric) == (benchmark.name, metric.name)
                and dict(s.parameters) == dict(parameters)
            },
        )
        for benchmark, parameters in sides_of.workloads(catalogue, board, b, n, scope)
        for metric in benchmark.metrics
        if metric.compared
    ]


def _ids(of: Sequence[Run]) -> list[int]:
    return sorted(r.id for r in of)


def _boots(group: Group | None) -> list[int]:
    return _ids(group.runs) if group else []


def _verdicts(
    subject: _Subject, b: Side, n: Side, history: History, notes: list[str]
) -> list[VerdictRow]:
    """Return one row a statistic of one metric; add to `notes` what had to be left out."""
    base_groups, new_groups = subject.measured(b), subject.measured(n)
    base, new = conditions.pair(base_groups, new_groups)
    for side, there, used in ((b, base_groups, base), (n, new_groups, new)):
        notes += [
            f"{len(g.runs)} run(s) of {subject.benchmark} of the {side.name} are left out:"
            f" {'; '.join(conditions.differences(g, used))}"
            for g in there
            if used is not None and g is not used
        ]
    problem: tuple[Verdict, str] | None = None
    if base is None or new is None:
        missing = [_nothing(s, subject.benchmark) for s, g in ((b, base), (n, new)) if g is None]
        problem = (Verdict.INCONCLUSIVE, "; ".join(missing))
    elif base.conditions != new.conditions:
        what = "; ".join(
            [*conditions.differences(base, new), *_meanings(subject.metric, base, new)]
        )
        problem = (Verdict.NOT_COMPARABLE, f"base and new differ in more than the kernel: {what}")
    known = {*_values(base), *_values(new)}
    known = known or {_UNKNOWN_STATISTIC if subject.metric.histogram else "median"}
    return [
        _row(subject, name, base, new, history, problem)
        for name in sorted(known, key=STATISTICS.index)
    ]


def _moved(subject: _Subject, b: Side, n: Side) -> ShiftRow | None:
    """Return where a distribution moved, if it is one and may be compared."""
    base, new = conditions.pair(subject.measured(b), subject.measured(n))
    if base is None or new is None or base.conditions != new.conditions:
        return None
    if _boots(base) == _boots(new):
        return None
    return distributions.compare(
        subject.benchmark, subject.parameters, subject.metric, subject.relevance, base, new
    )


def _meanings(metric: Metric, base: Group, new: Group) -> list[str]:
    """Say what sets the tool's versions apart, as far as the catalogue knows it."""
    versions = dict.fromkeys(g.conditions["tool_version"] for g in (base, new))
    found = {v: metric.meaning(v) for v in versions} if len(versions) > 1 else {}
    return [f"{version}: {why}" for version, why in found.items() if why is not None]


def _nothing(side: Side, benchmark: str) -> str:
    failed = [r.outcome for r in side.failed if r.benchmark == benchmark]
    failed += [b.outcome for b in side.failed_builds]
    why = f" (failed: {', '.join(sorted(set(failed)))})" if failed else ""
    return f"the {side.name} has no complete run{why}"


def _values(group: Group | None) -> dict[str, list[float]]:
    """Return one value a boot for each statistic, in the metric's unit and order of seeds."""
    values: dict[str, list[float]] = {}
    if group is None:
        return values
    for _run, f in sorted(
        zip(group.runs, group.figures, strict=True), key=lambda pair: (pair[0].seed, pair[0].id)
    ):
        for name, value in statistics(f.figures).items():
            values.setdefault(name, []).append(value)
    return values


def _seeds(group: Group) -> list[int]:
    return sorted(run.seed for run in group.runs)


def _row(
    subject: _Subject,
    statistic: str,
    base: Group | None,
    new: Group | None,
    history: History,
    problem: tuple[Verdict, str] | None,
) -> VerdictRow:
    metric = subject.metric
    stand: stages.Stand | None = None
    base_values = _values(base).get(statistic, [])
    new_values = _values(new).get(statistic, [])
    answer: Comparison | None = None
    problem = (
        problem or _unknown(statistic, base, base_values) or _unknown(statistic, new, new_values)
    )
    same = problem is None and _boots(base) == _boots(new) != []
    if same:
        # One image: no test of the boots' scatter could say more than this.
        problem = Verdict.UNCHANGED, "base and new have the same image and share these boots"
    elif problem is None:
        known = Known()
        if base is not None and new is not None:
            of = (subject.benchmark, subject.parameters, metric.name, statistic)
            known = history.known(*of, base)
            known = evolve(known, paired=known.paired and _seeds(base) == _seeds(new))
        question = Question(
            base=base_values,
            new=new_values,
            direction=metric.direction,
            relevance=subject.relevance,
            resolution=metric.resolution,
            prior=known.prior,
            paired=known.paired,
            modes=known.modes,
        )
        if subject.rounds:
            worse = subject.suspected.get(statistic)
            down = metric.direction is Direction.HIGHER
            sign = None if worse is None else -1.0 if worse == down else 1.0
            decision = stages.confirm(question, rounds=subject.rounds, suspicion=sign)
            answer, stand = evolve(decision.comparison, p_zero=decision.p), decision.stand
            problem = _settled(decision)
        else:
            [answer] = judge([question])
            problem = answer.verdict, answer.reason
    verdict, reason = problem
    achieved = {
        f"{name}_{what}": count
        for name, group in (("base", base), ("new", new))
        for what, count in _counts(group).items()
    }
    return VerdictRow(
        benchmark=subject.benchmark,
        parameters=dict(subject.parameters),
        metric=metric.name,
        statistic=statistic,
        series_base=base.figures[0].series.id if base else None,
        series_new=new.figures[0].series.id if new else None,
        unit=metric.unit,
        direction=Direction(metric.direction).value,
        base_value=median(base_values) if base_values else None,
        new_value=median(new_values) if new_values else None,
        n_base=len(base_values),
        n_new=len(new_values),
        verdict=verdict.value,
        reason=reason,
        hint=subject.hint,
        base_runs=[r.id for r in base.runs] if base else [],
        new_runs=[r.id for r in new.runs] if new else [],
        effect=0.0 if same else _finite(answer, "effect"),
        ci_low=_finite(answer, "ci_low"),
        ci_high=_finite(answer, "ci_high"),
        p=_finite(answer, "p"),
        base_marked=_marked(base),
        new_marked=_marked(new),
        p_zero=_finite(answer, "p_zero"),
        boots_needed=answer.boots_needed if answer else None,
        suspect=answer is not None and stand is None and answer.suspect,
        confirmable=subject.confirmable,
        stand=stand.value if stand else None,
        **achieved,
    )


def _settled(decision: stages.Decision) -> tuple[Verdict, str]:
    """Return the verdict of fresh boots: what they do not confirm is no change."""
    verdict = decision.comparison.verdict
    changes = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
    if decision.stand is not stages.Stand.CONFIRMED and verdict in changes:
        verdict = Verdict.INCONCLUSIVE
    return verdict, decision.reason


def _marked(group: Group | None) -> int:
    return sum(r.marked for r in group.runs) if group else 0


def _unknown(
    statistic: str, group: Group | None, values: Sequence[float]
) -> tuple[Verdict, str] | None:
    """Say that some boots do not know a statistic: the others alone would flatter the kernel."""
    boots = len(group.runs) if group else 0
    if len(values) == boots:
        return None
    return Verdict.INCONCLUSIVE, (
        f"{boots - len(values)} of {boots} boots do not know {statistic}: too few samples,"
        " or it lies beyond the histogram's end"
    )


def _finite(answer: Comparison | None, name: str) -> float | None:
    """Return a figure of an answer; None for what is no number, as the change of a 0."""
    value: float | None = getattr(answer, name, None)
    return None if value is None or not abs(value) < float("inf") else float(value)


def _counts(group: Group | None) -> dict[str, int | None]:
    histograms = (
        [f.figures for f in group.figures if isinstance(f.figures, Histogram)] if group else []
    )
    if not histograms:
        return {"achieved": None, "expected": None}
    expected = [h.expected for h in histograms if h.expected is not None]
    return {
        "achieved": sum(h.achieved for h in histograms),
        "expected": sum(expected) if len(expected) == len(histograms) else None,
    }
