# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels on one board type: which of their runs may be compared, and over what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from attrs import frozen

from vlag.compare import conditions
from vlag.compare.conditions import Group
from vlag.compare.scope import Scope
from vlag.config.catalogue import Catalogue
from vlag.model import (
    RELEVANT_SHARE,
    Benchmark,
    BoardType,
    Histogram,
    Outcome,
    Sample,
    canonical_json,
    digest,
)
from vlag.stats.blocks import METHOD as BOARDS
from vlag.stats.compare import METHOD
from vlag.store import boards, builds, runs
from vlag.store.boards import Doubt
from vlag.store.database import Connection
from vlag.store.kernels import Kernel
from vlag.store.runs import Figures, Run
from vlag.verdict_data import FactorValues

#: Days of a base's boots that a comparison reads of each workload, up to the new kernel's last one:
#: twice the earlier nights that count, each of which may have two dates, and some for nights of
#: other boards or conditions.
DAYS = 30
#: And after it: its own night may end later.
DAYS_AFTER = 3
Workload = tuple[Benchmark, Mapping[str, str | int]]  # with all its parameters


@frozen(kw_only=True)
class Side:
    """One of the two kernels with all of its runs that count."""

    name: str  # "base" or "new"
    kernel: Kernel
    knobs: Mapping[str, str]
    complete: Sequence[Run]
    failed: Sequence[Run]
    failed_builds: Sequence[builds.Build]
    figures: Mapping[tuple[int, str], Figures]  # (run, metric) ->
    notes: Sequence[str]
    others: Sequence[Run] = ()  # complete ones with seeds beyond the screen's: earlier controls

    def measured(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: str
    ) -> list[Group]:
        """Return the runs that measured a metric, by conditions, the latest first."""
        return conditions.split(self._of(self.complete, benchmark, parameters, metric))

    def beyond(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: str, like: Group
    ) -> list[tuple[Run, Figures]]:
        """Return the `others` that measured a metric under the conditions of a group."""
        measured = self._of(self.others, benchmark, parameters, metric)
        return [(r, f) for r, f in measured if conditions.of_run(r, f) == like.conditions]

    def _of(
        self,
        among: Sequence[Run],
        benchmark: str,
        parameters: Mapping[str, str | int],
        metric: str,
    ) -> Iterator[tuple[Run, Figures]]:
        for r in among:
            if (r.benchmark, dict(r.parameters)) == (benchmark, dict(parameters)):
                f = self.figures.get((r.id, metric))
                if f is not None:
                    yield r, f


def side(
    conn: Connection,
    *,
    name: str,
    kernel: Kernel,
    knobs: Mapping[str, str],
    board: BoardType,
    synthetic: bool,
    scope: Scope,
    beside: Side | None = None,
) -> Side:
    """Return a kernel's runs with these knobs, as far as the scope has them, and its builds.

    On a deterministic board a run is one of every kernel that has the very image.  Runs of a
    board that was not itself are left out, failed ones too: the board may have failed them.
    A base that real boards have booted for years is read near the boots of the side `beside`.
    """
    at = max((r.finished_at for r in beside.complete), default=None) if beside else None
    every = runs.of_kernel(
        conn,
        kernel.id,
        board_type=board.name,
        synthetic=synthetic,
        by_image=board.deterministic,
        rule=conditions.RULE,
        near=None if at is None else runs.Near(at=at, days=DAYS, after=DAYS_AFTER),
    )
    every = [r for r in every if dict(r.knobs) == dict(knobs)]
    mine = [r for r in every if scope.holds(r)]
    doubts = boards.doubts(conn, [r.id for r in mine])
    mine = [r for r in mine if r.id not in doubts]
    others: list[Run] = []
    if scope.stage == "screen" and not board.deterministic:
        held = {r.id for r in mine} | set(doubts)
        others = _others(conn, [r for r in every if r.id not in held], scope)
    complete = [r for r in mine if r.outcome == Outcome.COMPLETE.value]
    notes = _doubted(name, doubts.values())
    notes += [f"run {r.id} of the {name} is left out: {r.suspect}" for r in complete if r.suspect]
    complete = [r for r in complete if not r.suspect]
    figures = {
        (f.run, f.series.metric): f
        for f in runs.figures_of(conn, [r.id for r in (*complete, *others)])
    }
    if board.deterministic:
        complete, more = _distinct(name, complete, figures)
        notes += more
    failed_builds = [
        b for b in builds.of_kernels(conn, [kernel.id]) if b.outcome != Outcome.COMPLETE.value
    ]
    return Side(
        name=name,
        kernel=kernel,
        knobs=knobs,
        complete=complete,
        failed=[r for r in mine if r.outcome != Outcome.COMPLETE.value],
        failed_builds=failed_builds,
        figures=figures,
        notes=notes,
        others=others,
    )


def _others(conn: Connection, among: Sequence[Run], scope: Scope) -> list[Run]:
    """Return the runs of a scope's workloads with other seeds than it has."""
    others = [
        r
        for r in among
        if scope.runs_with_any_seed(r) and not r.suspect and r.outcome == Outcome.COMPLETE.value
    ]
    doubted = boards.doubts(conn, [r.id for r in others])
    return [r for r in others if r.id not in doubted]


def _doubted(name: str, doubts: Iterable[Doubt]) -> list[str]:
    """Say how many runs of which board are left out, and why."""
    counts = Counter((d.board, str(d)) for d in doubts)
    return [
        f"{count} run(s) of the {name} on board {board} are left out: {why}"
        for (board, why), count in sorted(counts.items())
    ]


def _distinct(
    name: str, complete: Sequence[Run], figures: Mapping[tuple[int, str], Figures]
) -> tuple[list[Run], list[str]]:
    """Keep one run of each run key; say so where a repeat gave other numbers.

    It is the first of those that measured most: the catalogue may have had fewer metrics then.
    """
    measured: dict[int, dict[str, Sample | Histogram]] = {run.id: {} for run in complete}
    for (run_id, metric), f in figures.items():
        measured.setdefault(run_id, {})[metric] = f.figures
    kept: dict[str, Run] = {}
    for run in complete:
        known = kept.setdefault(run.run_key, run)
        if len(measured[run.id]) > len(measured[known.id]):
            kept[run.run_key] = run
    notes = []
    for run in complete:
        used = kept[run.run_key]
        mine, its = measured[run.id], measured[used.id]
        if any(mine[metric] != its[metric] for metric in mine.keys() & its.keys()):
            first, last = sorted((used.id, run.id))
            notes.append(
                f"runs {first} and {last} of the {name} should be equal to the last digit and"
                f" are not; run {used.id} was used"
            )
    return list(kept.values()), notes


def inputs(
    catalogue: Catalogue,
    board: BoardType,
    b: Side,
    n: Side,
    scope: Scope,
    history: Sequence[Run],
) -> str:
    """Return the digest of all that the verdicts follow from; `history` are others' runs."""

    def words(s: Side) -> dict[str, str | dict[str, str] | list[str]]:
        return {
            "kernel": s.kernel.digest,
            "knobs": dict(s.knobs),
            "runs": sorted(r.figures_digest for r in s.complete),
            "failed_runs": sorted(r.bundle_digest for r in s.failed),
            "failed_builds": sorted(x.bundle_digest for x in s.failed_builds),
            "notes": list(s.notes),
        }

    first = min((r.finished_at for r in n.complete), default=datetime.min.replace(tzinfo=UTC))
    several = len({r.board for r in (*b.complete, *n.complete, *history)}) > 1
    return digest(
        {
            "method": METHOD,
            "board_type": board.name,
            "deterministic": board.deterministic,
            # As METHOD, of what several real boards change.
            **({"boards": BOARDS} if several and not board.deterministic else {}),
            "plan": scope.plan,
            "stage": scope.stage,
            "scope": scope.document(),
            "confirmed": [[e.confirmable, e.rounds, e.mode_rounds] for e in scope.entries],
            "history": sorted(r.figures_digest for r in history),
            "controls": sorted(r.figures_digest for r in b.others if r.finished_at < first),
            "base": words(b),
            "new": words(n),
            "workloads": [
                {
                    "benchmark": benchmark.name,
                    "parameters": dict(p),
                    "metrics": repr(benchmark.metrics),
                    **_relevant_shares(benchmark),
                }
                for benchmark, p in workloads(catalogue, board, b, n, scope)
            ],
        }
    )


def _relevant_shares(benchmark: Benchmark) -> dict[str, dict[str, float]]:
    """Return what metrics declare of new modes; the usual share leaves inputs as they were."""
    declared = {
        metric.name: metric.relevant_share
        for metric in benchmark.metrics
        if metric.relevant_share != RELEVANT_SHARE
    }
    return {"relevant_shares": declared} if declared else {}


def workloads(
    catalogue: Catalogue, board: BoardType, b: Side, n: Side, scope: Scope
) -> list[Workload]:
    """Return benchmarks with parameters: those of a plan's stage, else what was run.

    Where nothing was run it is what the plans say, so that a report names what is missing.
    """
    if scope.plan is not None:
        return _unique(catalogue, ((e.benchmark, e.parameters or {}) for e in scope.entries))
    ran = [(r.benchmark, r.parameters) for s in (b, n) for r in (*s.complete, *s.failed)]
    planned = [
        (e.benchmark, {**catalogue.benchmark(e.benchmark).parameters, **e.parameters})
        for plan in catalogue.plans.values()
        for e in plan.entries
        if board.name in e.board_types
    ]
    if not scope.entries:
        return _unique(catalogue, ran or planned)
    named: list[tuple[str, Mapping[str, str | int]]] = []
    for name in (e.benchmark for e in scope.entries):
        named += (
            [w for w in ran if w[0] == name]
            or [w for w in planned if w[0] == name]
            or [(name, catalogue.benchmark(name).parameters)]
        )
    return _unique(catalogue, named)


def _unique(
    catalogue: Catalogue, named: Iterable[tuple[str, Mapping[str, str | int]]]
) -> list[Workload]:
    by_key = {(name, canonical_json(dict(p))): (name, p) for name, p in named}
    return [(catalogue.benchmark(name), p) for _, (name, p) in sorted(by_key.items())]


def factors(b: Side, n: Side) -> dict[str, FactorValues]:
    """Return what differs between the sides, each as {base, new}."""

    def words(s: Side) -> dict[str, str | dict[str, str] | list[str] | None]:
        k = s.kernel
        return {
            "kernel": f"{k.tree} {k.commit[:12]} ({k.describe})",
            "series": k.series,
            "application": k.application,
            "variant": k.variant,
            "kconfig": k.kconfig[:12],
            "knobs": dict(s.knobs),
        }

    base, new = words(b), words(n)
    if (b.kernel.series, b.kernel.application) == (n.kernel.series, n.kernel.application):
        # The same place in the series, yet not the same patches: a file was changed.
        for s, its in ((b, base), (n, new)):
            its["patches"] = [f"{p['name']} {p['sha256'][:12]}" for p in s.kernel.patches]
    factors: dict[str, FactorValues] = {
        f: {"base": base[f], "new": new[f]} for f in base if base[f] != new[f]
    }
    seeds: list[dict[str, list[int]]] = []
    for s in (b, n):
        by_benchmark: dict[str, set[int]] = {}
        for run in s.complete:
            by_benchmark.setdefault(run.benchmark, set()).add(run.seed)
        seeds.append({name: sorted(numbers) for name, numbers in by_benchmark.items()})
    odd = [
        name for name in sorted(seeds[0]) if seeds[1].get(name, seeds[0][name]) != seeds[0][name]
    ]
    if odd:
        factors["seeds"] = {
            "base": {name: seeds[0][name] for name in odd},
            "new": {name: seeds[1][name] for name in odd},
        }
    return factors
