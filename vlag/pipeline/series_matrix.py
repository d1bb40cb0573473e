"""Each patch of a series alone, on those before it and left out: kernels of a matrix, booted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from vlag.bundle import Bundle
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.kernel.series import FULL, NONE, Application, select
from vlag.model import Benchmark, Board, BoardType, Outcome
from vlag.pipeline import lanes
from vlag.pipeline.boot import estimate_s
from vlag.pipeline.build import build, select_patches

#: Alone, on those before it, left out of the whole.
MODES = ("solo", "prefix", "without")
#: A kernel with such a first boot gets no other.
_FATAL = (Outcome.PANIC.value, Outcome.HANG.value)


@frozen(kw_only=True)
class Measured:
    """A kernel of the matrix and its boots."""

    application: Application
    build: Bundle
    runs: tuple[Path, ...]  # bundles; empty if it was not built


def applications(count: int, modes: Sequence[str]) -> list[Application]:
    """Return the applications of a series of `count` patches, without patches first.

    Each set of patches is there once: the first on those before it is the first alone, and the
    last is the whole series.
    """
    numbers = range(1, count + 1)
    asked = [Application(mode, i) for mode in MODES if mode in modes for i in numbers]
    found: dict[tuple[int, ...], Application] = {}
    for a in (NONE, FULL, *asked):
        found.setdefault(_chosen(a, count), a)
    return sorted(found.values(), key=lambda a: a == FULL)


def _chosen(application: Application, count: int) -> tuple[int, ...]:
    numbers, i = tuple(range(1, count + 1)), application.number
    if i is None:
        return numbers if application == FULL else ()
    return {
        "solo": (i,),
        "prefix": numbers[:i],
        "without": tuple(n for n in numbers if n != i),
    }[application.kind]


@define(kw_only=True)
class Measurement:
    """Builds the kernels of a matrix and boots them; what is on record is not made again."""

    settings: Settings
    catalogue: Catalogue
    tree: str
    base: str  # branch, tag or commit
    series: str
    board_type: BoardType
    benchmarks: Sequence[Benchmark]
    parameters: Mapping[str, str]
    boots: int  # of each kernel and benchmark
    timeout_s: int
    say: Callable[[str], None]
    _boards: list[Board] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Raise UsageError where this host has no such board, before anything is built."""
        self._boards = lanes.lanes(self.catalogue, self.board_type.name)

    def run(self, modes: Sequence[str]) -> Iterator[Measured]:
        """Yield each kernel after its boots, that without patches first.

        A patch that does not apply, a kernel that does not build and one that panics are results.
        Raises UsageError if the kernel without patches does not build.
        """
        patches = select_patches(self.series, str(FULL))[1]
        asked = applications(len(patches), modes)
        boots = len(asked) * self.boots * len(self.benchmarks)
        about = len(asked) * self._estimate_s() / 60
        self.say(f"{len(asked)} kernels, {boots} boots, which take about {about:.0f} min")
        for number, application in enumerate(asked, 1):
            names = ", ".join(p.name for p in select(patches, application)) or "no patch"
            self.say(f"kernel {number} of {len(asked)}: {application} ({names})")
            made = self._build(application)
            self.say(f"  {made.outcome.value}: {made.document['reason'] or made.folder.name}")
            if made.outcome is not Outcome.COMPLETE and application == NONE:
                raise UsageError(f"{self.base} without patches: {made.document['reason']}")
            runs: list[Path] = []
            if made.outcome is Outcome.COMPLETE:
                runs = [r for b in self.benchmarks for r in self._boot(made.folder, b)]
            yield Measured(application=application, build=made, runs=tuple(runs))

    def _build(self, application: Application) -> Bundle:
        patched = application != NONE
        return build(
            settings=self.settings, catalogue=self.catalogue, tree=self.tree, ref=self.base,
            branch=None, series=self.series if patched else None,
            application=str(application) if patched else None,
            board_type=self.board_type.name, fresh=False, say=self.say,
        )  # fmt: skip

    def _boot(self, kernel: Path, benchmark: Benchmark) -> list[Path]:
        def one(board: Board, seed: int) -> dict[str, Any]:
            answer = lanes.boot(
                kernel, board, benchmark=benchmark.name, seed=seed, parameters=self.parameters,
                knobs={}, timeout_s=self.timeout_s,
            )  # fmt: skip
            self.say(f"  {benchmark.name} seed {seed}: {answer['outcome']}")
            return answer

        answers = lanes.side_by_side(self._boards, [1], one)
        if answers[0]["outcome"] not in _FATAL:
            answers += lanes.side_by_side(self._boards, range(2, self.boots + 1), one)
        return [Path(a["bundle"]) for a in answers]

    def _estimate_s(self) -> float:
        """Return the expected duration of the boots of one kernel."""
        rounds = 1 + -(-(self.boots - 1) // len(self._boards))
        return rounds * sum(
            estimate_s(b, self.board_type, {**b.parameters, **self.parameters})
            for b in self.benchmarks
        )
