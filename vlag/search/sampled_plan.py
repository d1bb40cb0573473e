# SPDX-License-Identifier: GPL-2.0-only
"""What the service observes by itself on boards that scatter, a day's board hours at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from vlag.bundle import read
from vlag.bundle_records import CompleteBuild, RunRecord
from vlag.config import Settings, kernel_needs
from vlag.config.catalogue import Catalogue
from vlag.model import Direction, Observation, Verdict
from vlag.pipeline.ingest import ingest
from vlag.search import profiling, sampled_boots, sampled_runs
from vlag.search.asked import AskedBoot, Want
from vlag.search.board_hours import Hours
from vlag.search.sampled_runs import Answers
from vlag.stats.summary import QUANTILES
from vlag.store import comparisons, sampled
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.profiles import Changed

#: Boots of each kernel: where boots scatter, a change has its interval over them.
BOOTS = 5
_OBSERVED = {Observation.PERF, Observation.TIMERLAT, Observation.SCHEDSTATS}
#: A quantile from which on a figure is of the worst of a boot.
_TAIL = 0.99


def can_sample(catalogue: Catalogue, comparison: Comparison) -> bool:
    """Return whether the boards of a comparison sample cycles instead of counting instructions."""
    kind = catalogue.board_types.get(comparison.board_type)
    return kind is not None and kind.samples


def hours(conn: Connection, settings: Settings, catalogue: Catalogue) -> Hours:
    """Return what the settings allow profiles of boards in 24 hours."""
    allowed = settings.profile
    return Hours(
        conn=conn, catalogue=catalogue, purpose="profiles", allowed=allowed.board_hours,
        most=allowed.boots,
    )  # fmt: skip


def wants(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, left: Hours
) -> list[tuple[float | None, Want]]:
    """Return what each confirmed regression of a comparison needs, with its effect.

    What names a function comes before what names a thread or an interrupt, of tails, and that
    before the scheduler's counters; the latter two need no PMU.
    """
    sampling = [Observation.PERF] if can_sample(catalogue, comparison) else []

    def observed(changed: Changed) -> list[Observation]:
        tails = [Observation.TIMERLAT] if is_tail(catalogue, changed) else []
        return [*sampling, *tails, Observation.SCHEDSTATS]

    return [
        (
            changed.effect,
            Want(
                comparison=comparison.id or 0,
                benchmark=changed.benchmark,
                boots=partial(_boots, conn, catalogue, comparison, changed, left, observes),
            ),
        )
        for changed in _worse(conn, catalogue, comparison)
        for observes in observed(changed)
    ]


def is_tail(catalogue: Catalogue, changed: Changed) -> bool:
    """Return whether a change is of the longest latencies that a benchmark has seen."""
    metric = catalogue.benchmark(changed.benchmark).metric(changed.metric)
    if metric is None or not metric.histogram or metric.direction is not Direction.LOWER:
        return False
    return QUANTILES.get(changed.statistic, 1.0) >= _TAIL


def _worse(conn: Connection, catalogue: Catalogue, comparison: Comparison) -> list[Changed]:
    decided = profiling.changes(conn, catalogue, comparison)[0]
    return [changed for changed, _ in decided if changed.verdict == Verdict.REGRESSION.value]


def _boots(
    conn: Connection,
    catalogue: Catalogue,
    comparison: Comparison,
    changed: Changed,
    left: Hours,
    observes: Observation,
) -> list[AskedBoot]:
    """Return the boots that a benchmark lacks, as far as the day has hours for them."""
    boots = sampled_boots.of_benchmark(conn, catalogue, comparison, changed, BOOTS, observes)
    benchmark = catalogue.benchmark(changed.benchmark)
    watching = boots if observes is Observation.TIMERLAT else []
    for build in dict.fromkeys(asked["build_bundle"] for asked in watching):
        # Said here, once: each of the boots would be refused.
        document = read(CompleteBuild, Path(build) / "build.json")
        if document is not None:
            kernel_needs.check_boot(
                benchmark, catalogue.board_type(comparison.board_type),
                Path(build) / document["config"]["path"], observes,
            )  # fmt: skip
    return left.cut(comparison.board_type, changed.benchmark, changed.parameters, boots)


def collect(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, runs: Sequence[Path]
) -> Answers:
    """Put runs that were made for a comparison on record, and store the profiles they complete.

    What the others counted is read where it is shown.
    """
    for folder in runs:
        document = read(RunRecord, folder / "run.json")
        if document is not None and document.get("observes") in _OBSERVED:
            ingest(folder, conn=conn, catalogue=catalogue)
    if not can_sample(catalogue, comparison):
        return Answers(answers=[], skipped=[])
    return sampled_runs.explain(conn, catalogue, comparison, BOOTS)


def complete(
    conn: Connection, settings: Settings, catalogue: Catalogue, ids: Sequence[int]
) -> list[int]:
    """Store the profiles whose boots are all on record; return the comparisons with new ones.

    A builder that ended between its boots and their profile has left them.
    """
    done: list[int] = []
    for id_ in dict.fromkeys(ids):
        comparison = comparisons.by_id(conn, id_)
        if comparison is None or not can_sample(catalogue, comparison):
            continue
        if not profiling.may_be_booted(
            conn, catalogue, id_, known_regressions=settings.profile.known_regressions
        ):
            continue
        if any(_lacks_profile(conn, comparison, c) for c in _worse(conn, catalogue, comparison)):
            answers = sampled_runs.explain(conn, catalogue, comparison, BOOTS)
            done += [id_] if answers.answers else []
    return done


def _lacks_profile(conn: Connection, comparison: Comparison, changed: Changed) -> bool:
    """Return whether the runs of both sides suffice, and the profile on record lacks some."""
    there = [
        sampled.runs(
            conn, comparison, side, benchmark=changed.benchmark, parameters=changed.parameters
        )
        for side in ("base", "new")
    ]
    known = sampled.compared(
        conn, comparison, benchmark=changed.benchmark, parameters=changed.parameters
    )
    return min(map(len, there)) >= BOOTS and any(r.id not in known for side in there for r in side)
