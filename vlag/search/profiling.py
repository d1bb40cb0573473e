# SPDX-License-Identifier: GPL-2.0-only
"""Profile what a comparison has decided: count, compare, and keep the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from vlag.compare.boots import reader
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel import symbols
from vlag.model import (
    UNNAMED_OPERATION,
    Benchmark,
    Board,
    BoardType,
    Observation,
    Outcome,
    Plan,
)
from vlag.pipeline import boot as boots
from vlag.pipeline.ingest import ingest
from vlag.pipeline.run import run
from vlag.profile import path, profile_bundles, profile_difference, record
from vlag.profile.profile_difference import Difference
from vlag.profile.profiled_boots import Boot
from vlag.stats import rare_modes
from vlag.stats.compare import clip
from vlag.store import builds, comparisons, kernels, profiles, runs
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.profiles import Changed, ProfileRow

#: Boots of each kernel: three tell a change from what boots of one kernel differ by.
SEEDS = 3
#: A boot that counts takes up to so many times as long.
SLOWER = 1.4
#: Seconds for a benchmark that the plan does not have.
TIMEOUT_S = 240


@frozen(kw_only=True)
class Question:
    """A benchmark of a comparison whose change a profile explains."""

    comparison: Comparison
    benchmark: Benchmark
    parameters: Mapping[str, str | int]
    timeout_s: int
    effect: float | None  # the largest change of its metrics
    verdict: str  # on the same
    seeds: Sequence[int]  # of each kernel's boots: the first ones, or those that show a new mode
    stored: ProfileRow | None  # with at least the boots that were asked for

    def knobs(self, side: str) -> Mapping[str, str]:
        """Return the knobs of the side "base" or "new"."""
        return self.comparison.base_knobs if side == "base" else self.comparison.new_knobs

    def kernel(self, side: str) -> int:
        """Return the kernel of the side "base" or "new"."""
        return self.comparison.base_kernel if side == "base" else self.comparison.new_kernel


@frozen(kw_only=True)
class Questions:
    """What is to be profiled of a comparison, the largest change first."""

    asked: Sequence[Question]
    skipped: Sequence[str]  # sentences: benchmarks that are not profiled, and why


@frozen(kw_only=True)
class Answer:
    """The profile of one question."""

    difference: Difference
    new: bool  # False: it was on record already


def comparison_of(conn: Connection, id_: int) -> Comparison:
    """Return a comparison; UsageError if there is none."""
    comparison = comparisons.by_id(conn, id_)
    if comparison is None:
        raise UsageError(f"there is no comparison {id_} on record; make one with `vlag compare`")
    return comparison


def questions(conn: Connection, catalogue: Catalogue, id_: int, seeds: int = SEEDS) -> Questions:
    """Return what a profile can explain of a comparison.

    Raises UsageError where there is no such comparison, or its boards count nothing.
    """
    comparison = comparison_of(conn, id_)
    kind = catalogue.board_type(comparison.board_type)
    if not kind.deterministic:
        raise UsageError(
            f"comparison {id_} is of board type {kind.name}, which does not count instructions;"
            " deterministic boards do"
        )
    known = {(p.benchmark, _key(p.parameters)): p for p in profiles.of(conn, comparison)}
    decided, skipped = changes(conn, catalogue, comparison)
    asked = []
    for changed, benchmark in decided:
        wanted = _seeds(conn, catalogue, comparison, changed, seeds)
        stored = known.get((benchmark.name, _key(changed.parameters)))
        enough = stored is not None and _has(conn, stored, wanted)
        asked.append(
            Question(
                comparison=comparison,
                benchmark=benchmark,
                parameters=changed.parameters,
                timeout_s=timeout_s(catalogue, comparison.plan, benchmark.name),
                effect=changed.effect,
                verdict=changed.verdict,
                seeds=wanted,
                stored=stored if enough else None,
            )
        )
    return Questions(asked=asked, skipped=skipped)


def _seeds(
    conn: Connection, catalogue: Catalogue, comparison: Comparison, changed: Changed, count: int
) -> Sequence[int]:
    """Return the seeds whose boots a profile compares, at most `count`.

    Where only some boots of the new kernel are in a mode, they are those that show it.
    """
    first = range(1, count + 1)
    benchmark = catalogue.benchmark(changed.benchmark)
    metric = benchmark.metric(changed.metric)
    if metric is None:
        return first
    subject = changed.benchmark, changed.parameters, changed.metric, changed.statistic
    read = reader(conn, catalogue, comparison, subject)
    base, new = (read(k).values for k in (comparison.base_kernel, comparison.new_kernel))
    both = sorted(base.keys() & new.keys())
    sides = [clip([side[seed] for seed in both], metric.resolution) for side in (base, new)]
    mode = rare_modes.suspected(
        *sides, direction=metric.direction, resolution=metric.resolution,
        relevance=metric.relevance_on(catalogue.board_type(comparison.board_type)),
    )  # fmt: skip
    if mode is None or not rare_modes.surely_more((0, len(both)), (len(mode.places), len(both))):
        return first
    return [both[place] for place in mode.places[:count]]


def _has(conn: Connection, stored: ProfileRow, seeds: Sequence[int]) -> bool:
    """Return whether a profile has boots of both kernels with these seeds."""
    booted = runs.by_id(conn, [*stored.base_runs, *stored.new_runs])
    sides = ({booted[r].seed for r in side} for side in (stored.base_runs, stored.new_runs))
    return all(side >= set(seeds) for side in sides)


def changes(
    conn: Connection, catalogue: Catalogue, comparison: Comparison
) -> tuple[list[tuple[Changed, Benchmark]], list[str]]:
    """Return the decided changes of a comparison whose benchmarks count operations.

    A sentence is returned for each of the others.  Raises UsageError for figures of a report.
    """
    if comparison.synthetic:
        raise UsageError(
            f"comparison {comparison.id} is of figures from a report; there is nothing to boot"
        )
    fitting, skipped = [], []
    for changed in profiles.changed(conn, comparison.id or 0):
        benchmark = catalogue.benchmark(changed.benchmark)
        if benchmark.operation == UNNAMED_OPERATION:
            skipped.append(
                f"{benchmark.name}: its catalogue entry has no `operation`, by which a profile is"
                " divided"
            )
        else:
            fitting.append((changed, benchmark))
    return fitting, skipped


def _key(parameters: Mapping[str, str | int]) -> tuple[tuple[str, str | int], ...]:
    return tuple(sorted(parameters.items()))


def timeout_s(catalogue: Catalogue, plan: str | None, benchmark: str) -> int:
    """Return the seconds that a plan gives a benchmark; TIMEOUT_S if it has none of it."""
    known = catalogue.plans.get(plan or "")
    entries = () if known is None else known.entries
    return max((e.timeout_s for e in entries if e.benchmark == benchmark), default=TIMEOUT_S)


def estimate_s(catalogue: Catalogue, plan: Plan, board_type: BoardType) -> float:
    """Return the seconds that one benchmark of a plan needs for its profile: those of the longest.

    0 if none can be profiled there.
    """
    boot_s = (
        boots.estimate_s(known, board_type, entry.parameters)
        for entry in plan.entries
        if board_type.name in entry.board_types
        and (known := catalogue.benchmark(entry.benchmark)).operation != UNNAMED_OPERATION
    )
    return 2 * SEEDS * SLOWER * max(boot_s, default=0.0)


def build_of(conn: Connection, kernel: int, needs: str = symbols.FILE) -> Path:
    """Return the folder of a kernel's newest build that has the file `needs`: its functions.

    Raises UsageError if there is none on this machine.
    """
    made = [Path(b.location) for b in builds.of_kernels(conn, [kernel]) if b.image is not None]
    there = [folder for folder in made if (folder / needs).is_file()]
    if not there:
        name = kernels.by_id(conn, kernel).describe
        for folder in made:
            profile_bundles.refuse_prebuilt(folder, name)
        raise UsageError(
            f"no build of {name} with its {needs} is on this machine; build it again with"
            " `vlag build --fresh`"
        )
    return there[-1]


def may_be_booted(
    conn: Connection, catalogue: Catalogue, id_: int, *, known_regressions: bool
) -> bool:
    """Return whether the service may boot more kernels to explain a comparison, by itself.

    It has a board of this installation, and is of the self-proof only if `known_regressions` are
    wanted.
    """
    comparison = comparisons.by_id(conn, id_)
    if comparison is None or comparison.synthetic:
        return False
    if not any(board.board_type == comparison.board_type for board in catalogue.boards):
        return False
    return known_regressions or not profiles.predicted(conn, id_)


def prepared(
    *,
    settings: Settings,
    catalogue: Catalogue,
    build: Path,
    board: Board,
    benchmark: Benchmark,
    given: Mapping[str, Any],
    knobs: Mapping[str, str],
    seeds: Sequence[int],
    timeout_s: int,
    observes: Observation = Observation.PROFILE,
) -> list[boots.Boot]:
    """Prepare the profiled boots of one kernel, one a seed, or those that observe another thing."""
    board_type = catalogue.board_type(board.board_type)
    requests = [
        boots.BootRequest(
            build=build, benchmark=benchmark, parameters=given, seed=seed, knobs=knobs,
            observes=observes, plan=None, timeout_s=timeout_s,
        )
        for seed in seeds
    ]  # fmt: skip
    return [boots.prepare(settings, request, board_type) for request in requests]


def profiled(
    asked: Sequence[boots.Boot], board: Board, benchmark: Benchmark, runs: Path
) -> list[Boot]:
    """Profile one kernel's boots, or take the runs of record."""
    return read(booted(asked, board, runs), asked[0].build, benchmark)


def booted(asked: Sequence[boots.Boot], board: Board, runs: Path) -> list[Path]:
    """Boot, or take the runs of record; return their folders.

    Raises UsageError for a build without its functions, before it boots, and for a boot that
    did not end well.
    """
    profile_bundles.read_symbols(asked[0].build)
    folders = []
    for boot in asked:
        ran = run(boot, board, runs, reuse=True, output=None)
        if ran.outcome is not Outcome.COMPLETE:
            raise UsageError(f"{ran.folder}: {ran.outcome.value}: {ran.reason}")
        folders.append(ran.folder)
    return folders


def read(runs: Sequence[Path], build: Path, benchmark: Benchmark) -> list[Boot]:
    """Return the profiles of one kernel's runs."""
    table = profile_bundles.read_symbols(build)
    return [profile_bundles.read_boot(folder, build, table, benchmark.tool) for folder in runs]


def answer(
    question: Question, *, conn: Connection, settings: Settings, catalogue: Catalogue, board: Board
) -> Answer:
    """Return the profile on record, or boot both kernels and store it."""
    if question.stored is not None:
        return Answer(difference=record.difference(question.stored), new=False)
    runs: dict[str, list[Path]] = {}
    for side in ("base", "new"):
        asked = prepared(
            settings=settings, catalogue=catalogue, build=build_of(conn, question.kernel(side)),
            board=board, benchmark=question.benchmark, given=question.parameters,
            knobs=question.knobs(side), seeds=question.seeds,
            timeout_s=question.timeout_s,
        )  # fmt: skip
        runs[side] = booted(asked, board, settings.runs)
    return store(question, conn=conn, catalogue=catalogue, base=runs["base"], new=runs["new"])


def store(
    question: Question,
    *,
    conn: Connection,
    catalogue: Catalogue,
    base: Sequence[Path],
    new: Sequence[Path],
) -> Answer:
    """Compare the profiled runs of both kernels and store the runs and their profile."""
    sides = {"base": base, "new": new}
    boots_of = {
        side: read(runs, build_of(conn, question.kernel(side)), question.benchmark)
        for side, runs in sides.items()
    }
    difference = profile_difference.compare(
        boots_of["base"], boots_of["new"], question.benchmark.operation
    )
    ids = [[ingest(r, conn=conn, catalogue=catalogue).id for r in runs] for runs in sides.values()]
    row = record.rows(
        difference,
        question.comparison,
        benchmark=question.benchmark.name,
        parameters=question.parameters,
        runs=(ids[0], ids[1]),
        paths=path.lengths(catalogue.path_metrics, boots_of["base"], boots_of["new"]),
    )
    _, new_row = profiles.put(conn, row)
    return Answer(difference=record.difference(row), new=new_row)
