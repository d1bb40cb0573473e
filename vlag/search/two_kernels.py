# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels of one tree, measured here and now as a push is: screen, then confirmation."""

from __future__ import annotations

import itertools
import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, field, frozen

from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.scope import Stage
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel.mirror import Commit, distance
from vlag.model import Board, BoardType, Outcome, Plan, digest
from vlag.pipeline import confirmation, side_by_side
from vlag.pipeline.build_stage import Built, Request, build
from vlag.pipeline.ingest import ingest
from vlag.pipeline.night_plan import PlannedRun, planned_runs
from vlag.pipeline.side_by_side import RunAnswer
from vlag.search import profiling
from vlag.search.bisection import Bisection
from vlag.search.found import Found
from vlag.search.measure import Measurer, figure
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.verdict_data import VerdictData

log = logging.getLogger(__name__)

#: Boots of each commit of a search, and of one whose side is not clear.
_BOOTS, _MOST = 5, 20
#: A kernel with such a first boot gets no other.
_FATAL = (Outcome.PANIC.value, Outcome.HANG.value)


@frozen(kw_only=True)
class Kernel:
    """A side of a comparison that is built."""

    name: str  # for people
    build: Built

    @property
    def digest(self) -> str:
        """Return the digest of its kernel."""
        return self.build.kernel_digest

    @property
    def image(self) -> str | None:
        """Return the digest of its image, which all have that were built."""
        record = self.build.document["image"]
        return None if record is None else record["sha256"]


@define(kw_only=True)
class TwoKernels:
    """Builds, boots and compares; what is on record is not made again."""

    settings: Settings
    catalogue: Catalogue
    conn: Connection
    tree: str
    board_type: BoardType
    plan: Plan
    wait: Callable[[], None] = lambda: None  # until others, who come first, have ended
    _boards: list[Board] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Raise UsageError where this host has no such board, or the plan nothing on it."""
        self._boards = side_by_side.boards_at_once(self.catalogue, self.board_type.name)
        if not self.board_type.deterministic:
            raise UsageError(
                f"--board-type {self.board_type.name}: its boots tell two kernels apart only among"
                " many of many nights; name a deterministic one"
            )
        if not self._screen():
            raise UsageError(f"plan {self.plan.name} boots nothing on {self.board_type.name}")

    def _screen(self) -> list[PlannedRun]:
        planned = planned_runs(self.catalogue, self.plan.name, [self.board_type.name])
        return [run for run in planned if run.observes is None]

    def build(self, ref: str, name: str) -> Built:
        """Build a commit; one that does not build is a result, which is stored."""
        self.wait()
        log.info(f"building {name}")
        request = Request(tree=self.tree, ref=ref, board_type=self.board_type.name)
        made = build(settings=self.settings, catalogue=self.catalogue, request=request)
        self._store([made.folder])
        return made

    def compare(self, base: Kernel, new: Kernel) -> StoredComparison:
        """Boot both kernels, and again what is suspected; return the comparison of the screen."""
        screen = self._screen()
        if self._start(screen[0], base, new):
            self._boot(list(confirmation.alternating(screen, base, new)))
        first = self._judged(base, new, "screen", None, None)
        names = confirmation.of_a_change(first.suspects, first.better)
        for number in range(1, confirmation.rounds([self.plan]) + 1):
            place = self.plan.name, self.board_type.name
            names = confirmation.due(self.catalogue, *place, names, number)
            if not names:
                break
            log.info(f"suspected: {', '.join(names)}; booted again with other seeds")
            runs = confirmation.reruns(self.catalogue, *place, names, number)
            self._boot(list(confirmation.alternating(runs, base, new)))
            names = self._judged(base, new, "confirm", number, frozenset(names)).open
        return first

    def explain(self, comparison: int) -> None:
        """Count the instructions of what a comparison has confirmed, and store the profiles."""
        questions = profiling.questions(self.conn, self.catalogue, comparison)
        for question in questions.asked:
            log.info(f"counting what {question.benchmark.name} executes, to name the function")
            try:
                profiling.answer(
                    question, conn=self.conn, settings=self.settings, catalogue=self.catalogue,
                    board=self._boards[0],
                )  # fmt: skip
            except UsageError as e:  # the answer stands without its cause
                log.info(f"no cause: {e}")

    def judge(self, base: Kernel, new: Kernel) -> StoredComparison:
        """Return the comparison of what is on record, also of a kernel that did not build."""
        return self._judged(base, new, "screen", None, None)

    def first_commit(
        self, good: Commit, bad: Commit, row: VerdictData, paths: Sequence[str]
    ) -> Found | None:
        """Search the first commit that made a figure worse; None where there is only one.

        Raises UsageError where `good` is no ancestor of `bad`, or the figure does not say it.
        """
        mirror = self.settings.mirror(self.tree)
        if distance(mirror, good.sha, bad.sha) == 1:
            return None
        measured = figure(
            self.catalogue.benchmark(row["benchmark"]), f"{row['metric']}:{row['statistic']}",
            row["parameters"], {},
        )  # fmt: skip
        measurer = Measurer(
            settings=self.settings, catalogue=self.catalogue, tree=self.tree,
            board_type=self.board_type, figure=measured,
            timeout_s=profiling.timeout_s(self.catalogue, self.plan.name, row["benchmark"]),
        )  # fmt: skip
        key = digest(
            [good.sha, bad.sha, measured.name, dict(measured.parameters), self.board_type.name]
        )
        scratch = self.settings.state / "bisect" / key[:16]
        try:
            return Bisection(
                measurer=measurer, mirror=mirror, scratch=scratch, good=good, bad=bad,
                boots=_BOOTS, most=_MOST, reverts=False,
            ).run(paths)  # fmt: skip
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _start(self, run: PlannedRun, base: Kernel, new: Kernel) -> bool:
        """Boot each kernel once; return whether both came up."""
        answers = self._boot([(run, base), (run, new)])
        return all(a["outcome"] not in _FATAL for a in answers)

    def _boot(self, asked: Sequence[tuple[PlannedRun, Kernel]]) -> list[RunAnswer]:
        numbers = itertools.count(1)

        def one(board: Board, item: tuple[PlannedRun, Kernel]) -> RunAnswer:
            run, kernel = item
            self.wait()
            answer = side_by_side.boot(
                kernel.build.folder, board, benchmark=run.entry.benchmark, seed=run.seed,
                parameters=run.entry.parameters, knobs={}, timeout_s=run.entry.timeout_s,
                plan=self.plan.name,
            )  # fmt: skip
            there = ", on record" if answer.get("reused") else ""
            log.info(
                f"  {next(numbers)} of {len(asked)}: {kernel.name}, {run.entry.benchmark} seed"
                f" {run.seed}: {answer['outcome']}{there}"
            )
            return answer

        answers = side_by_side.side_by_side(self._boards, asked, one)
        self._store([Path(a["bundle"]) for a in answers])
        return answers

    def _store(self, bundles: Sequence[Path]) -> None:
        for folder in dict.fromkeys(bundles):
            ingest(folder, conn=self.conn, catalogue=self.catalogue, built=self.settings.builds)

    def _judged(
        self,
        base: Kernel,
        new: Kernel,
        stage: Stage,
        round_: int | None,
        benchmarks: frozenset[str] | None,
    ) -> StoredComparison:
        return compare(
            conn=self.conn, catalogue=self.catalogue, base=KernelRef(text=base.digest),
            new=KernelRef(text=new.digest), board_type=self.board_type.name, plan=self.plan,
            stage=stage, round_=round_, benchmarks=benchmarks,
        )  # fmt: skip
