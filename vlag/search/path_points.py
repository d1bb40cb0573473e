# SPDX-License-Identifier: GPL-2.0-only
"""Histories of paths on record: what a push or a night counts by itself, and answers from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from attrs import evolve, frozen

from vlag.bundle_records import RunRecord
from vlag.compare import conditions
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel.mirror import Commit
from vlag.lava import render
from vlag.model import UNNAMED_OPERATION, Observation, Outcome, PlanEntry, digest
from vlag.pipeline.ingest import ingest
from vlag.profile.profiled_boots import check
from vlag.search import profiling
from vlag.search.asked import AskedBoot, Plan, Want, boot, bounded
from vlag.search.path_history import Executed, Point, between_ends, counts, executed, program_of
from vlag.store import builds, comparisons, kernels, path_points
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.kernels import Kernel
from vlag.store.path_points import Of, PointRow

#: The seed of each boot: counts of one seed are exact.
SEED = 1


@frozen(kw_only=True)
class Range:
    """A part of a tree's history."""

    tree: str
    first: str
    last: str
    paths: Sequence[str]  # commits that touch them


def plan(conn: Connection, settings: Settings, catalogue: Catalogue, ids: Sequence[int]) -> Plan:
    """Return the boots that count both kernels of comparisons, in benchmarks of the settings.

    Kernels with patches, variants or knobs are in no branch's history. What is on record needs no
    boot. Raises UsageError for a benchmark of the settings that there is not.
    """
    wanted = {name: catalogue.benchmark(name) for name in settings.profile.history}
    wants = []
    for comparison in comparisons.by_ids(conn, ids).values():
        kind = catalogue.board_types.get(comparison.board_type)
        if comparison.synthetic or kind is None or not kind.deterministic:
            continue
        known = catalogue.plans.get(comparison.plan or "")
        for entry in () if known is None else known.entries_on(kind.name, {}):
            benchmark = wanted.get(entry.benchmark)
            if benchmark is not None and benchmark.operation != UNNAMED_OPERATION:
                wants.append(
                    Want(
                        comparison=comparison.id or 0,
                        benchmark=benchmark.name,
                        boots=partial(_boots, conn, catalogue, comparison, entry),
                    )
                )
    most = settings.profile.boots
    return bounded(wants, most, (), lambda _boots: f"the settings allow {most} boots")


def _boots(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, entry: PlanEntry
) -> list[AskedBoot]:
    """Return the boots of both kernels, the new one first; none if both can be compared already."""
    sides = [
        kernels.by_id(conn, id_)
        for id_, knobs in (
            (comparison.new_kernel, comparison.new_knobs),
            (comparison.base_kernel, comparison.base_knobs),
        )
        if not knobs
    ]
    plain = [k for k in sides if k.series is None and k.variant == "default"]
    benchmark = catalogue.benchmark(entry.benchmark)
    of = Of(
        board_type=comparison.board_type, benchmark=benchmark.name,
        parameters=render.parameters(benchmark, entry.parameters), seed=SEED,
    )  # fmt: skip
    if not plain or _compared(conn, plain, of):
        return []
    return [
        boot(
            kernel, profiling.build_of(conn, kernel.id), "counting its path", knobs={},
            board_type=of.board_type, benchmark=of.benchmark, parameters=of.parameters, seed=SEED,
            observes=Observation.PROFILE, timeout_s=entry.timeout_s,
        )
        for kernel in plain
    ]  # fmt: skip


def _compared(conn: Connection, plain: Sequence[Kernel], of: Of) -> bool:
    """Return whether all of these kernels are on record, with one setup."""
    setups = [
        {
            p.setup
            for points in path_points.of_commits(conn, k.tree, [k.commit], of).values()
            for p in points
            if p.kernel == k.id
        }
        for k in plain
    ]
    return bool(set.intersection(*setups))


def collect(
    conn: Connection, catalogue: Catalogue, runs: Sequence[Path], built: Path | None = None
) -> tuple[list[str], list[str]]:
    """Store what runs have counted; return a sentence for each that did, and for each that did not.

    Every kernel on record whose image it is has executed the same. `built` is the folder of
    builds, from which those of the runs are stored where they are not on record.
    """
    told, skipped = [], []
    for run in runs:
        try:
            told.append(_stored(conn, catalogue, run, built))
        except UsageError as e:
            skipped.append(f"{run}: {e}")
    return told, skipped


def _stored(conn: Connection, catalogue: Catalogue, run: Path, built: Path | None) -> str:
    document: RunRecord = json.loads((run / "run.json").read_text(encoding="utf-8"))
    if (
        document["outcome"] != Outcome.COMPLETE.value
        or document.get("observes") != Observation.PROFILE
    ):
        raise UsageError("it counted nothing, or did not end well")
    benchmark = catalogue.benchmark(document["benchmark"])
    id_ = ingest(run, conn=conn, catalogue=catalogue, built=built).id
    its = builds.kernels_of_image(conn, document["image_sha256"], document["config_sha256"])
    build = profiling.build_of(conn, its[0])
    [counted] = profiling.read([run], build, benchmark)
    check([counted], [counted], benchmark.operation)
    of = Of(
        board_type=document["board"]["board_type"], benchmark=benchmark.name,
        parameters=document["parameters"], seed=document["seed"],
    )  # fmt: skip
    executed_, program_ = counts(catalogue, counted), program_of(build)
    named = []
    for kernel in (kernels.by_id(conn, k) for k in its):
        path_points.put(
            conn, kernel.id, of, setup=setup(document, kernel), program=program_,
            operation=benchmark.operation, run=id_, counts=executed_,
        )  # fmt: skip
        named.append(kernel.describe)
    return f"{benchmark.name} on {of.board_type}: {', '.join(named)}"


def setup(document: RunRecord, kernel: Kernel) -> str:
    """Return the digest of all but the commit that the counts of a run depend on."""
    return digest([conditions.of_document(document), document["knobs"], kernel.kconfig])


def recorded(conn: Connection, mirror: Path, asked: Range, of: Of) -> tuple[list[Point], str]:
    """Return a history as `path_history.history` does, from what is on record alone.

    The second value is the word for one operation. Raises UsageError if the first commit is not
    on record, or is no ancestor.
    """
    ends, between = between_ends(mirror, asked.first, asked.last, asked.paths)
    commits = [ends[0], *between]
    found = path_points.of_commits(conn, asked.tree, [c.sha for c in commits], of)
    if ends[0].sha not in found:
        raise UsageError(
            f"{asked.first} is not on record with {of.benchmark} on {of.board_type}, seed"
            f" {of.seed}; leave out --recorded to build and count it"
        )
    # The setup of the newest counts: what another one has counted is compared with nothing else.
    newest = max((p for some in found.values() for p in some), key=lambda p: p.run)
    chosen = [_of_setup(found.get(c.sha, ()), newest.setup) for c in commits]
    return points(conn, chosen, commits), newest.operation


def _of_setup(found: Sequence[PointRow], setup: str) -> PointRow | None:
    """Return the point with a setup, or else the newest."""
    same = [p for p in found if p.setup == setup] or found
    return same[-1] if same else None


def points(
    conn: Connection, rows: Sequence[PointRow | None], commits: Sequence[Commit]
) -> list[Point]:
    """Return commits with what is on record of each; None: nothing is."""
    known = path_points.counts(conn, [row.path_count for row in rows if row is not None])
    by_id: Mapping[int, Executed] = {id_: executed(c) for id_, c in known.items()}
    return [
        Point(commit=commit, why="it is not on record")
        if row is None
        else Point(
            commit=evolve(commit, describe=row.describe, subject=row.subject),
            executed=by_id[row.path_count],
            setup=row.setup,
        )
        for row, commit in zip(rows, commits, strict=True)
    ]
