"""Two kernels on one board type: which runs may be compared, and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from attrs import frozen

from vlag.errors import UsageError
from vlag.model import (
    Benchmark,
    BoardType,
    Direction,
    Histogram,
    Metric,
    Outcome,
    Sample,
    Verdict,
    canonical_json,
    digest,
)
from vlag.pipeline.catalogue import Catalogue
from vlag.stats import compare as test
from vlag.stats import distribution
from vlag.stats.compare import METHOD, Comparison
from vlag.store import builds, comparisons, groups, kernels, runs
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.groups import Group
from vlag.store.kernels import Kernel, KernelRef
from vlag.store.runs import Figures, Run

_ORDER = ("median", "p50", "p90", "p99", "p99.9", "p99.99", "max")
# What a histogram's row is called where neither side has one to say it.
_UNKNOWN_STATISTIC = "p99"


@frozen(kw_only=True)
class StoredComparison:
    """A comparison on record."""

    id: int
    new: bool  # False: the same inputs had been compared before
    verdicts: tuple[VerdictRow, ...]

    @property
    def regressions(self) -> int:
        """Number of REGRESSION verdicts that are no mere hints."""
        return sum(v.verdict == Verdict.REGRESSION.value and not v.hint for v in self.verdicts)


@frozen(kw_only=True)
class _Side:
    name: str  # "base" or "new"
    kernel: Kernel
    knobs: Mapping[str, str]
    complete: Sequence[Run]
    failed: Sequence[Run]
    failed_builds: Sequence[builds.Build]
    figures: Mapping[tuple[int, str], Figures]  # (run, metric) ->
    notes: Sequence[str]


@frozen(kw_only=True)
class _Subject:
    """What one set of rows is about."""

    benchmark: str
    parameters: Mapping[str, str | int]
    metric: Metric
    hint: bool

    def measured(self, side: _Side) -> list[Group]:
        """Return the side's runs that measured it, by conditions, the latest first."""
        of = [r for r in side.complete if r.benchmark == self.benchmark]
        of = [r for r in of if dict(r.parameters) == dict(self.parameters)]
        pairs = [(r, side.figures.get((r.id, self.metric.name))) for r in of]
        return groups.split((r, f) for r, f in pairs if f is not None)


def compare(
    *,
    conn: Connection,
    catalogue: Catalogue,
    base: KernelRef,
    new: KernelRef,
    board_type: str,
    synthetic: bool = False,
) -> StoredComparison:
    """Compare all complete runs of two kernels on one board type and store the verdicts.

    A boot is one observation; on a deterministic board a repeat of the same run is
    none.  Failed builds and runs are listed, never raised.  Equal inputs are stored
    once.  Raises UsageError for a kernel or board type that is unknown or ambiguous,
    and where the two sides are the same.
    """
    board = catalogue.board_type(board_type)
    found = (kernels.resolve(conn, base), kernels.resolve(conn, new))
    if found[0].id == found[1].id and dict(base.knobs) == dict(new.knobs):
        raise UsageError(
            f"base and new are the same kernel {found[0].digest[:12]} with the same knobs;"
            " name two kernels, or other knobs for one of them"
        )
    sides = [
        _side(conn, name=name, kernel=kernel, knobs=ref.knobs, board=board, synthetic=synthetic)
        for name, kernel, ref in zip(("base", "new"), found, (base, new), strict=True)
    ]
    b, n = sides
    inputs = _inputs(catalogue, board, b, n)
    stored = comparisons.by_inputs(conn, inputs)
    if stored is not None and stored.id is not None:
        rows = tuple(comparisons.verdicts(conn, stored.id))
        return StoredComparison(id=stored.id, new=False, verdicts=rows)
    notes = [*b.notes, *n.notes]
    rows = tuple(
        row
        for benchmark, parameters in _workloads(catalogue, board, b, n)
        for metric in benchmark.metrics
        for row in _verdicts(
            _Subject(
                benchmark=benchmark.name,
                parameters=parameters,
                metric=metric,
                hint=metric.cross_cpu and board.deterministic,
            ),
            b,
            n,
            notes,
        )
    )
    comparison = comparisons.Comparison(
        inputs=inputs,
        base_kernel=b.kernel.id,
        new_kernel=n.kernel.id,
        board_type=board.name,
        base_knobs=dict(b.knobs),
        new_knobs=dict(n.knobs),
        factors=_factors(b, n),
        failed_builds=sorted({x.id for s in sides for x in s.failed_builds}),
        failed_runs=sorted({x.id for s in sides for x in s.failed}),
        notes=list(dict.fromkeys(notes)),
    )
    runs.add_board_type(conn, board)  # no run may have done so yet
    id_, is_new = comparisons.insert(conn, comparison, rows)
    return StoredComparison(id=id_, new=is_new, verdicts=rows)


def _side(
    conn: Connection,
    *,
    name: str,
    kernel: Kernel,
    knobs: Mapping[str, str],
    board: BoardType,
    synthetic: bool,
) -> _Side:
    every = runs.of_kernel(conn, kernel.id, board_type=board.name, synthetic=synthetic)
    mine = [r for r in every if dict(r.knobs) == dict(knobs)]
    complete = [r for r in mine if r.outcome == Outcome.COMPLETE.value]
    notes = [f"run {r.id} of the {name} is left out: {r.suspect}" for r in complete if r.suspect]
    complete = [r for r in complete if not r.suspect]
    figures = {(f.run, f.series.metric): f for f in runs.figures_of(conn, [r.id for r in complete])}
    if board.deterministic:
        complete, more = _distinct(name, complete, figures)
        notes += more
    failed_builds = [
        b for b in builds.of_kernels(conn, [kernel.id]) if b.outcome != Outcome.COMPLETE.value
    ]
    return _Side(
        name=name,
        kernel=kernel,
        knobs=knobs,
        complete=complete,
        failed=[r for r in mine if r.outcome != Outcome.COMPLETE.value],
        failed_builds=failed_builds,
        figures=figures,
        notes=notes,
    )


def _distinct(
    name: str, complete: Sequence[Run], figures: Mapping[tuple[int, str], Figures]
) -> tuple[list[Run], list[str]]:
    """Keep the first run of each run key; say so where a repeat gave other numbers."""
    kept: dict[str, Run] = {}
    notes = []
    for run in complete:
        first = kept.setdefault(run.run_key, run)
        mine = {m: f.figures for (r, m), f in figures.items() if r == run.id}
        its = {m: f.figures for (r, m), f in figures.items() if r == first.id}
        if mine != its:
            notes.append(
                f"runs {first.id} and {run.id} of the {name} should be equal to the last digit and"
                f" are not; run {first.id} was used"
            )
    return list(kept.values()), notes


def _inputs(catalogue: Catalogue, board: BoardType, b: _Side, n: _Side) -> str:
    def side(s: _Side) -> dict[str, Any]:
        return {
            "kernel": s.kernel.digest,
            "knobs": dict(s.knobs),
            "runs": sorted(r.bundle_digest for r in s.complete),
            "failed_runs": sorted(r.bundle_digest for r in s.failed),
            "failed_builds": sorted(x.bundle_digest for x in s.failed_builds),
            "notes": list(s.notes),
        }

    workloads = _workloads(catalogue, board, b, n)
    return digest(
        {
            "method": METHOD,
            "board_type": board.name,
            "deterministic": board.deterministic,
            "base": side(b),
            "new": side(n),
            "workloads": [
                {
                    "benchmark": benchmark.name,
                    "parameters": dict(p),
                    "metrics": repr(benchmark.metrics),
                }
                for benchmark, p in workloads
            ],
        }
    )


def _workloads(
    catalogue: Catalogue, board: BoardType, b: _Side, n: _Side
) -> list[tuple[Benchmark, Mapping[str, str | int]]]:
    """Return benchmarks with parameters: what either side ran, else what the plans say."""
    ran = [(r.benchmark, r.parameters) for s in (b, n) for r in (*s.complete, *s.failed)]
    planned = [
        (e.benchmark, {**catalogue.benchmark(e.benchmark).parameters, **e.parameters})
        for plan in catalogue.plans.values()
        for e in plan.entries
        if board.name in e.board_types
    ]
    unique = {(name, canonical_json(dict(p))): (name, p) for name, p in ran or planned}
    return [(catalogue.benchmark(name), p) for _, (name, p) in sorted(unique.items())]


def _factors(b: _Side, n: _Side) -> dict[str, dict[str, Any]]:
    """Return what differs between the sides, each as {base, new}."""

    def words(s: _Side) -> dict[str, Any]:
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
    factors = {f: {"base": base[f], "new": new[f]} for f in base if base[f] != new[f]}
    seeds: list[dict[str, list[int]]] = []
    for s in (b, n):
        of: dict[str, set[int]] = {}
        for run in s.complete:
            of.setdefault(run.benchmark, set()).add(run.seed)
        seeds.append({name: sorted(numbers) for name, numbers in of.items()})
    odd = [
        name for name in sorted(seeds[0]) if seeds[1].get(name, seeds[0][name]) != seeds[0][name]
    ]
    if odd:
        factors["seeds"] = {
            "base": {name: seeds[0][name] for name in odd},
            "new": {name: seeds[1][name] for name in odd},
        }
    return factors


def _verdicts(subject: _Subject, b: _Side, n: _Side, notes: list[str]) -> list[VerdictRow]:
    """Return one row a statistic of one metric; add to `notes` what had to be left out."""
    base_groups, new_groups = subject.measured(b), subject.measured(n)
    base, new = groups.pair(base_groups, new_groups)
    for side, there, used in ((b, base_groups, base), (n, new_groups, new)):
        notes += [
            f"{len(g.runs)} run(s) of {subject.benchmark} of the {side.name} are left out:"
            f" {'; '.join(groups.differences(g, used))}"
            for g in there
            if used is not None and g is not used
        ]
    problem: tuple[Verdict, str] | None = None
    if base is None or new is None:
        missing = [_nothing(s, subject.benchmark) for s, g in ((b, base), (n, new)) if g is None]
        problem = (Verdict.INCONCLUSIVE, "; ".join(missing))
    elif base.conditions != new.conditions:
        what = "; ".join(groups.differences(base, new))
        problem = (Verdict.NOT_COMPARABLE, f"base and new differ in more than the kernel: {what}")
    known = {*_values(base), *_values(new)}
    known = known or {_UNKNOWN_STATISTIC if subject.metric.histogram else "median"}
    return [_row(subject, name, base, new, problem) for name in sorted(known, key=_ORDER.index)]


def _nothing(side: _Side, benchmark: str) -> str:
    failed = [r.outcome for r in side.failed if r.benchmark == benchmark]
    failed += [b.outcome for b in side.failed_builds]
    why = f" (failed: {', '.join(sorted(set(failed)))})" if failed else ""
    return f"the {side.name} has no complete run{why}"


def _values(group: Group | None) -> dict[str, list[float]]:
    """Return one value a boot for each statistic, in the metric's unit."""
    values: dict[str, list[float]] = {}
    for f in group.figures if group is not None else ():
        for name, value in _statistics(f.figures).items():
            values.setdefault(name, []).append(value)
    return values


def _statistics(figures: Sample | Histogram) -> Mapping[str, float]:
    if isinstance(figures, Sample):
        return {"median": median(figures.values)}
    return distribution.statistics(figures)


def value_of(figures: Sample | Histogram, statistic: str) -> float | None:
    """Return what one run says of a statistic, or None where its samples are too few."""
    return _statistics(figures).get(statistic)


def _row(
    subject: _Subject,
    statistic: str,
    base: Group | None,
    new: Group | None,
    problem: tuple[Verdict, str] | None,
) -> VerdictRow:
    metric = subject.metric
    base_values = _values(base).get(statistic, [])
    new_values = _values(new).get(statistic, [])
    answer: Comparison | None = None
    problem = (
        problem or _unknown(statistic, base, base_values) or _unknown(statistic, new, new_values)
    )
    if problem is None:
        answer = test.compare(
            base_values,
            new_values,
            direction=metric.direction,
            relevance=metric.relevance,
            resolution=metric.resolution,
        )
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
        effect=_finite(answer, "effect"),
        ci_low=_finite(answer, "ci_low"),
        ci_high=_finite(answer, "ci_high"),
        p=_finite(answer, "p"),
        **achieved,
    )


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
