# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels on one board type: what their runs say, a verdict a statistic."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence, Set

from attrs import evolve, frozen

from vlag import __version__
from vlag.compare import (
    boards,
    conditions,
    family,
    mode_verdict,
    occasions,
    predictions,
    suspicion_course,
    verdict,
)
from vlag.compare import sides as sides_of
from vlag.compare.boards import Problem, Sharing
from vlag.compare.conditions import Group
from vlag.compare.history import History, Known
from vlag.compare.scope import Scope, Stage
from vlag.compare.scope import scope as scope_of
from vlag.compare.sides import Side
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Benchmark, BoardType, Metric, Plan, Verdict, digest
from vlag.stats import stages
from vlag.stats.blocks import Levels
from vlag.stats.compare import METHOD
from vlag.store import comparisons, kernels, renames, runs, shifts
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.runs import Figures, Run
from vlag.store.shifts import ShiftRow
from vlag.store.suspicions import Suspicion


@frozen(kw_only=True)
class StoredComparison:
    """A comparison on record."""

    id: int
    new: bool  # False: the same inputs had been compared before
    verdicts: tuple[VerdictRow, ...]
    # Benchmarks whose suspicion the rerun of this comparison has not settled.
    unsettled: tuple[str, ...] = ()
    # Benchmarks that its screen suspects and an earlier rerun has settled.
    settled: tuple[str, ...] = ()

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
    def improved(self) -> list[str]:
        """Names of the benchmarks with any IMPROVEMENT verdict that is no hint, sorted."""
        improvements = (v for v in self.verdicts if v.verdict == Verdict.IMPROVEMENT.value)
        return sorted({v.benchmark for v in improvements if not v.hint})

    @property
    def better(self) -> list[str]:
        """Names of the benchmarks that a rerun may find to be better, sorted.

        Without hints: of what cannot be proven, only a worsening is worth boots.
        """
        suspects = (v for v in self.verdicts if v.suspect and not v.hint)
        return sorted({v.benchmark for v in suspects if v.effect and not v.worse})

    @property
    def suspects(self) -> list[str]:
        """Names of the benchmarks that a rerun may find to be worse, sorted."""
        return sorted({v.benchmark for v in self.verdicts if v.suspect and v.worse})

    @property
    def proof(self) -> list[str]:
        """Names of those suspects that are more than hints: this board can settle them."""
        return sorted({v.benchmark for v in self.verdicts if v.suspect and v.worse and not v.hint})

    @property
    def open(self) -> list[str]:
        """Names of the unsettled benchmarks of which more rerun boots are due, sorted.

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

    figure: verdict.Subject
    confirmation: verdict.Confirmation | None  # what a rerun is asked for
    confirmable: bool  # the plan has a rerun of it
    by_night: bool  # only boots of one night are compared: the board drifts
    by_board: bool  # boards of the type differ

    @property
    def controlled(self) -> bool:
        """Whether the base's earlier boots count: only where a rerun has the last word."""
        return self.confirmable and self.confirmation is None

    def measured(self, side: Side) -> list[Group]:
        """Return the side's runs that measured it, by conditions, the latest first."""
        return side.measured(self.figure.benchmark, self.figure.parameters, self.figure.metric.name)


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
    baseline: str | None = None,
) -> StoredComparison:
    """Compare the complete runs of two kernels on one board type and store the verdicts.

    With a `plan` only the boots of its entries count: those that screen, or those of the rerun
    ones that confirm, up to the end of a round; with `benchmarks` only theirs.  A screen
    raises suspicions, which stay on record, and a rerun settles them.  A boot is one
    observation; on a deterministic board a repeat of the same run is none.  Failed
    builds and runs are listed, never raised.  Equal inputs are stored once.  `role` says
    what the base is to the new kernel, "baseline" or "parent", and `baseline` what the settings
    call it; without a role a pair of kernels keeps that of an earlier comparison.  Raises
    UsageError for a kernel, board type or benchmark that is unknown or ambiguous, and
    where the two sides are the same.
    """
    renames.apply(conn, catalogue.benchmarks.values())
    board = catalogue.board_type(board_type)
    scope = scope_of(
        catalogue=catalogue,
        board=board,
        plan=plan,
        stage=stage,
        benchmarks=benchmarks,
        round_=round_,
        knobs=new.knobs,
    )
    b, n = _sides(conn, base, new, board, scope, synthetic=synthetic)
    if role == "baseline" and baseline is not None:
        comparisons.name_baseline(conn, b.kernel.id, baseline)
    history = History(conn, board, b, n)
    inputs = sides_of.inputs(catalogue, board, b, n, scope, history.runs)
    stored = comparisons.by_inputs(conn, inputs)
    if stored is not None and stored.id is not None:
        if role is not None:
            comparisons.name_role(conn, stored.id, role, baseline)
        rows = tuple(comparisons.verdicts(conn, stored.id))
        predictions.record(conn, catalogue.benchmarks, stored, rows)
        return _answer(conn, stored.id, stored, rows, new=False)
    pair = _pair(inputs, board, b, n, scope, synthetic=synthetic)
    known = (role, baseline) if role else comparisons.role_of(conn, pair)
    pair = evolve(pair, role=known[0], baseline=known[1])
    notes = [*scope.notes, *b.notes, *n.notes]
    if b.complete and _ids(b.complete) == _ids(n.complete):
        notes.append("base and new have the same image, so every number is the same")
    subjects = _subjects(conn, catalogue, board, b, n, scope, pair)
    rows = tuple(row for s in subjects for row in _verdicts(s, b, n, history, notes))
    moved = [shift for s in subjects if (shift := _moved(s, b, n)) is not None]
    comparison = evolve(pair, notes=list(dict.fromkeys(notes)))
    return _stored(conn, catalogue, board, comparison, rows, moved)


def _sides(
    conn: Connection,
    base: KernelRef,
    new: KernelRef,
    board: BoardType,
    scope: Scope,
    *,
    synthetic: bool,
) -> tuple[Side, Side]:
    """Return the runs of both kernels; UsageError where they are one, or a name is none."""
    of_base, of_new = kernels.resolve(conn, base), kernels.resolve(conn, new)
    if of_base.id == of_new.id and dict(base.knobs) == dict(new.knobs):
        raise UsageError(
            f"base and new are the same kernel {of_base.digest[:12]} with the same knobs;"
            " name two kernels, or other knobs for one of them"
        )
    side = functools.partial(sides_of.side, conn, board=board, synthetic=synthetic, scope=scope)
    n = side(name="new", kernel=of_new, knobs=new.knobs)
    b = side(name="base", kernel=of_base, knobs=base.knobs, beside=n)
    return b, n


def _pair(
    inputs: str, board: BoardType, b: Side, n: Side, scope: Scope, *, synthetic: bool
) -> comparisons.Comparison:
    """Return a comparison without what it says."""
    return comparisons.Comparison(
        inputs=inputs,
        base_kernel=b.kernel.id,
        new_kernel=n.kernel.id,
        board_type=board.name,
        base_knobs=dict(b.knobs),
        new_knobs=dict(n.knobs),
        factors=sides_of.factors(b, n),
        failed_builds=sorted({x.id for s in (b, n) for x in s.failed_builds}),
        failed_runs=sorted({x.id for s in (b, n) for x in s.failed}),
        notes=[],
        plan=scope.plan,
        stage=scope.stage,
        round=scope.round,
        scope=scope.document(),
        synthetic=synthetic,
        judge=f"vlag {__version__}, method {METHOD}",
    )


def _stored(
    conn: Connection,
    catalogue: Catalogue,
    board: BoardType,
    comparison: comparisons.Comparison,
    rows: tuple[VerdictRow, ...],
    moved: Sequence[ShiftRow],
) -> StoredComparison:
    """Store a comparison with what follows from it, all or nothing."""
    with conn.transaction():
        runs.add_board_type(conn, board)  # no run may have done so yet
        id_, is_new = comparisons.insert(conn, comparison, rows)
        comparison = evolve(comparison, id=id_)
        rows = tuple(comparisons.verdicts(conn, id_))
        shifts.insert(conn, id_, moved)
        suspicion_course.follow(conn, comparison, rows)
        predictions.record(conn, catalogue.benchmarks, comparison, rows)
    return _answer(conn, id_, comparison, rows, new=is_new)


def _answer(
    conn: Connection,
    id_: int,
    comparison: comparisons.Comparison,
    rows: tuple[VerdictRow, ...],
    *,
    new: bool,
) -> StoredComparison:
    return StoredComparison(
        id=id_,
        new=new,
        verdicts=rows,
        unsettled=suspicion_course.unsettled(conn, comparison, rows),
        settled=suspicion_course.settled(conn, comparison, rows),
    )


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
    known = suspicion_course.known(conn, pair) if scope.stage == "confirm" else ()
    return [
        _Subject(
            figure=verdict.subject(benchmark, parameters, metric, board),
            confirmation=_confirmation(conn, scope, benchmark, parameters, metric, board, known),
            confirmable=scope.confirmable(benchmark.name, parameters),
            # Figures of a report have no night.
            by_night=scope.plan is not None and not board.deterministic and not pair.synthetic,
            by_board=not board.deterministic and not pair.synthetic,
        )
        for benchmark, parameters in sides_of.workloads(catalogue, board, b, n, scope)
        for metric in benchmark.metrics
        if metric.compared
    ]


def _confirmation(
    conn: Connection,
    scope: Scope,
    benchmark: Benchmark,
    parameters: Mapping[str, str | int],
    metric: Metric,
    board: BoardType,
    known: Sequence[Suspicion],
) -> verdict.Confirmation | None:
    """Return what is asked of a rerun; None where there is none."""
    rerun = scope.rerun_of(benchmark.name, parameters)
    if rerun is None or rerun.first is None or rerun.last is None:
        return None
    mine = [
        s
        for s in known
        if (s.benchmark, s.metric) == (benchmark.name, metric.name)
        and dict(s.parameters) == dict(parameters)
    ]
    return verdict.Confirmation(
        rounds=rerun.rounds,
        suspected={s.statistic: s.worse for s in mine},
        modes=mode_verdict.screened(conn, mine, metric, metric.relevance_on(board)),
        mode_rounds=rerun.mode_rounds,
        asked=rerun.last - rerun.first + 1,
        last=rerun.first - 1 + rerun.rounds[-1],
    )


def _ids(ran: Sequence[Run]) -> list[int]:
    return sorted(r.id for r in ran)


def _verdicts(
    subject: _Subject, b: Side, n: Side, history: History, notes: list[str]
) -> list[VerdictRow]:
    """Return one row a statistic of one metric; add to `notes` what had to be left out."""
    base_groups, new_groups = subject.measured(b), subject.measured(n)
    base, new = conditions.pair(base_groups, new_groups)
    notes += _left_out(subject, b, base_groups, base)
    notes += _left_out(subject, n, new_groups, new)
    problem = _problem(subject, b, n, base, new)
    known = base
    earlier: list[list[tuple[Run, Figures]]] = []
    if subject.by_night and problem is None and base is not None and new is not None:
        figure = subject.figure
        more = b.beyond(figure.benchmark, figure.parameters, figure.metric.name, base)
        base, earlier = occasions.split(base, new, more)
        earlier = earlier if subject.controlled else []
    sharing: Sharing | None = None
    if subject.by_board and problem is None and base is not None and new is not None:
        sharing = boards.share(base, new)
        base, new = sharing.base, sharing.new
        notes += sharing.notes
        earlier = [[pair for pair in night if sharing.keeps(pair[0])] for night in earlier]
    names = sharing is not None and len(sharing.boards) > 1
    sides = _side_boots("base", base, names), _side_boots("new", new, names)

    def row(statistic: str) -> VerdictRow:
        levels, apart = _levels(subject, statistic, known, sharing, history)
        reason = problem or apart
        return verdict.row(
            subject.figure,
            statistic,
            *sides,
            problem=reason,
            shared=_shared(base, new),
            history=None
            if reason
            else _known(subject, statistic, (known, base, new), earlier, history),
            confirmation=subject.confirmation,
            earlier=[_boots("base", night, names) for night in earlier if night],
            known_levels=levels,
        )

    rows = [
        evolve(
            row(statistic),
            series_base=base.figures[0].series.id if base else None,
            series_new=new.figures[0].series.id if new else None,
            base_runs=_counted(subject, statistic, base),
            new_runs=_counted(subject, statistic, new),
            base_marked=_marked(base),
            new_marked=_marked(new),
            confirmable=subject.confirmable,
            conditions=None if problem or new is None else digest(dict(new.conditions)),
        )
        for statistic in verdict.known(subject.figure.metric, *sides)
    ]
    return family.judged(rows, lambda: verdict.moved(subject.figure, *sides))


def _counted(subject: _Subject, statistic: str, group: Group | None) -> list[int]:
    """Return the runs of a group that count for a statistic."""
    asked, runs_ = subject.confirmation, [] if group is None else group.runs
    return [r.id for r in runs_ if asked is None or asked.counts(statistic, r.seed)]


def _left_out(
    subject: _Subject, side: Side, groups: Sequence[Group], used: Group | None
) -> list[str]:
    """Return a sentence on each group of runs that is under other conditions than the used one."""
    return [
        f"{len(g.runs)} run(s) of {subject.figure.benchmark} of the {side.name} are left out:"
        f" {'; '.join(conditions.differences([g.conditions], [used.conditions]))}"
        for g in groups
        if used is not None and g is not used
    ]


def _levels(
    subject: _Subject,
    statistic: str,
    known: Group | None,
    sharing: Sharing | None,
    history: History,
) -> tuple[Levels | None, Problem | None]:
    """Return the levels of the boards that the sides do not share, or why there are none."""
    if sharing is None or not sharing.apart or known is None:
        return None, None
    figure = subject.figure
    levels = history.levels(
        figure.benchmark, figure.parameters, figure.metric, statistic, known, sharing.boards
    )
    return (None, sharing.problem) if levels is None else (levels, None)


def _problem(
    subject: _Subject, b: Side, n: Side, base: Group | None, new: Group | None
) -> Problem | None:
    """Return a verdict that is known before any test."""
    if base is None or new is None:
        benchmark = subject.figure.benchmark
        failures = {
            s.name: [
                *(r.outcome for r in s.failed if r.benchmark == benchmark),
                *(x.outcome for x in s.failed_builds),
            ]
            for s, group in ((b, base), (n, new))
            if group is None
        }
        return verdict.nothing_ran(failures)
    refusal = conditions.refusal(subject.figure.metric, [base.conditions], [new.conditions])
    if refusal is not None:
        return Verdict.NOT_COMPARABLE, refusal
    return None


def _shared(base: Group | None, new: Group | None) -> bool:
    """Return whether the sides have the same runs, as two kernels with one image have."""
    return base is not None and new is not None and _ids(base.runs) == _ids(new.runs)


def _moved(subject: _Subject, b: Side, n: Side) -> ShiftRow | None:
    """Return where a distribution moved, if it is one and may be compared."""
    base, new = conditions.pair(subject.measured(b), subject.measured(n))
    if _problem(subject, b, n, base, new) is not None or _shared(base, new):
        return None
    names = False
    if subject.by_board and base is not None and new is not None:
        sharing = boards.share(base, new)
        base, new, names = sharing.base, sharing.new, len(sharing.boards) > 1
    sides = _side_boots("base", base, names), _side_boots("new", new, names)
    return verdict.moved(subject.figure, *sides)


def _side_boots(side: str, group: Group | None, names: bool) -> verdict.Boots:
    """Return what a group says, in the order of seeds, with the boards' `names` or without."""
    pairs = [] if group is None else zip(group.runs, group.figures, strict=True)
    return _boots(side, sorted(pairs, key=lambda pair: (pair[0].seed, pair[0].id)), names)


def _boots(side: str, pairs: Sequence[tuple[Run, Figures]], names: bool) -> verdict.Boots:
    return verdict.Boots(
        name=side,
        figures=[f.figures for _run, f in pairs],
        boards=[run.board for run, _f in pairs] if names else (),
        seeds=[run.seed for run, _f in pairs],
    )


def _known(
    subject: _Subject,
    statistic: str,
    groups: tuple[Group | None, Group | None, Group | None],
    earlier: Sequence[Sequence[tuple[Run, Figures]]],
    history: History,
) -> Known:
    """Return what the history tells; pairs need the same seeds on both sides.

    `groups` are all boots of the base, those of the comparison, and the new kernel's.
    """
    every, base, new = groups
    if every is None or base is None or new is None:
        return Known()
    figure = subject.figure
    known = history.known(
        figure.benchmark, figure.parameters, figure.metric, statistic, every, earlier
    )
    seeds = [sorted(run.seed for run in group.runs) for group in (base, new)]
    return evolve(known, paired=known.paired and seeds[0] == seeds[1])


def _marked(group: Group | None) -> int:
    return sum(r.marked for r in group.runs) if group else 0
