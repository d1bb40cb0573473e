"""Whether counting changes what a board does, whether the counts repeat, and what they cost.

Boots the newest 6.12 of this checkout's state folder, for each deterministic board type and
benchmark of the nightly plan: without the emulator's plugin, and twice with it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from attrs import evolve, frozen

from bench.evidence import table, write
from bench.runner import newest
from tests.night.digests import samples_digest
from vlag import config
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.lava.console import PROFILE
from vlag.model import Benchmark
from vlag.pipeline.boot import emulator_of
from vlag.pipeline.night import PlannedRun, planned_runs
from vlag.pipeline.profile import SEEDS
from vlag.profile import bundles, counts, difference

BRANCH, PLAN, COMMIT_PLAN = "linux-6.12", "nightly", "commit"
SEED, OTHER = 1, 2
#: Boots side by side; each takes one CPU.
LANES = 2
#: Seconds for a benchmark: the machine may be busy, and this is no plan's night.
TIMEOUT_S = 1200
CATALOGUE = catalogues.load()
#: Lines of the emulator, not of the guest.
_COUNTS = ("@vlag:profile ", "@vlag:counts ")
_DONE = "@vlag:done"


@frozen(kw_only=True)
class Seen:
    """What came of one boot."""

    console: tuple[str, ...]  # what the guest printed
    files: Mapping[str, bytes]  # raw files by name, without the counts
    counted: bytes | None  # the counts; None: nothing counted
    samples: str  # digest of all samples
    seconds: float  # CPU time, of the emulator and of all that vlag does

    def same(self, other: Seen) -> bool:
        """Return whether the guest did the same, to the last byte."""
        mine = (self.console, self.files, self.samples)
        return mine == (other.console, other.files, other.samples)


def uncounted(folder: Path) -> dict[str, str]:
    """Write the emulator's command without its plugin to `folder`; return a PATH that has it."""
    plain = folder / "lockstep-qemu-system-x86_64"
    library = Path(str(shutil.which(plain.name))).parents[1] / "lib/vlag/lockstep.so"
    plain.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec qemu-system-x86_64 "$@"\n')
    plain.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def seen(run: Path, seconds: float = 0.0) -> Seen:
    """Read a run's folder."""
    lines = (run / "console.log").read_text(encoding="utf-8").splitlines()
    lines = lines[: lines.index(_DONE)]  # LAVA may still hear what comes behind it
    files = {path.name: path.read_bytes() for path in (run / "raw").iterdir()}
    counted = files.pop(PROFILE, None)
    return Seen(
        console=tuple(line for line in lines if not line.startswith(_COUNTS)),
        files=files,
        counted=counted,
        samples=samples_digest(run, json.loads((run / "run.json").read_text(encoding="utf-8"))),
        seconds=seconds,
    )


def booted(build: Path, board: str, of: PlannedRun, to: Path, env: Mapping[str, str]) -> Seen:
    """Boot a planned run so that it may be counted, and read what came of it."""
    given = [f"--param={name}={value}" for name, value in of.entry.parameters.items()]
    program = Path(sys.executable).with_name("vlag")
    words: Sequence[str | Path] = [
        program, "run", build, "--board", board, "--benchmark", of.entry.benchmark, *given,
        "--seed", str(of.seed), "--observe", "profile", "--timeout", str(TIMEOUT_S),
        "--output", to,
    ]  # fmt: skip
    boot = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, **env})
    _pid, status, used = os.wait4(boot.pid, 0)
    boot.returncode = os.waitstatus_to_exitcode(status)
    if boot.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {boot.returncode}")
    return seen(to, used.ru_utime + used.ru_stime)


def planned(catalogue: Catalogue, plan: str) -> list[PlannedRun]:
    """Return the plan's first scored boot of each benchmark on each deterministic board type."""
    here = {board.board_type for board in catalogue.boards}
    types = [t.name for t in catalogue.board_types.values() if t.deterministic and t.name in here]
    found = planned_runs(catalogue, plan, sorted(types))
    return [run for run in found if run.seed == SEED and run.observes is None]


def explaining_s(run: Path, build: Path, benchmark: Benchmark) -> float:
    """Return the CPU seconds in which the counts of both kernels' boots are read and compared."""
    began = time.thread_time()
    table_ = bundles.read_symbols(build)
    boots = [bundles.read_boot(run, build, table_, benchmark.tool) for _ in range(2 * SEEDS)]
    difference.compare(boots[:SEEDS], boots[SEEDS:], benchmark.operation)
    return time.thread_time() - began


def _key(of: PlannedRun) -> tuple[object, ...]:
    values = {**CATALOGUE.benchmark(of.entry.benchmark).parameters, **of.entry.parameters}
    return of.board_type, of.entry.benchmark, tuple(sorted(values.items()))


def _equal(same: object) -> str:
    return "the same" if same else "DIFFERENT"


@frozen(kw_only=True)
class Answer:
    """What came of one planned run without counting, with it, and with it again."""

    row: tuple[str, ...]  # of the page
    same: bool  # the guest did the same
    repeated: bool  # and so were the counts
    on: Seen
    seconds: float  # CPU time of a boot that counts
    reading: float  # and that of reading and comparing the counts of both kernels


def answer(build: Path, board: str, of: PlannedRun, folder: Path) -> Answer:
    """Boot a planned run three times on a board; its folders are below `folder`."""
    folder.mkdir()
    off, on, again = (
        booted(build, board, of, folder / name, env)
        for name, env in (("off", uncounted(folder)), ("on", {}), ("again", {}))
    )
    if off.counted is not None or on.counted is None:
        sys.exit("the plugin counted where it must not, or did not where it must")
    same, repeated = off.same(on) and on.same(again), on.counted == again.counted
    given = " ".join(f"{k}={v}" for k, v in of.entry.parameters.items())
    name = f"{of.entry.benchmark} {given}".rstrip()
    blocks = counts.read(on.counted, path=name).blocks
    instructions = sum(b.instructions * int(b.executed.sum()) for b in blocks)
    with_it = (on.seconds + again.seconds) / 2
    row = (
        of.board_type, name, f"{len(on.console)}", _equal(same), f"{instructions:,}",
        _equal(repeated), f"{off.seconds:.1f} s", f"{with_it:.1f} s",
    )  # fmt: skip
    print(*row, flush=True)
    return Answer(
        row=row, same=same, repeated=repeated, on=on, seconds=with_it,
        reading=explaining_s(folder / "on", build, CATALOGUE.benchmark(of.entry.benchmark)),
    )  # fmt: skip


def main() -> None:
    """Boot, compare, and write the page."""
    build, release = newest(config.load().builds, BRANCH)
    commit = {_key(run) for run in planned(CATALOGUE, COMMIT_PLAN)}
    runs = planned(CATALOGUE, PLAN)
    lanes = Queue[int]()
    for lane in range(LANES):
        lanes.put(lane)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(LANES) as pool:

        def one(number: int) -> Answer:
            lane, of = lanes.get(), runs[number]
            try:
                boards = CATALOGUE.boards_here(of.board_type)
                return answer(build, boards[lane].name, of, Path(folder) / str(number))
            finally:
                lanes.put(lane)

        # The slowest are last in the plan, and begin first.
        numbers = range(len(runs))
        found = [*pool.map(one, reversed(numbers))][::-1]
        board = CATALOGUE.boards_here(runs[0].board_type)[0].name
        other = evolve(runs[0], seed=OTHER)
        control = booted(build, board, other, Path(folder) / "control", {})
    told = not control.same(found[0].on) and control.counted != found[0].on.counted
    rows = [a.row for a in found]
    equal, repeated = sum(a.same for a in found), sum(a.repeated for a in found)
    costs = [
        (a.row[1], 2 * SEEDS * a.seconds, a.reading)
        for a, of in zip(found, runs, strict=True)
        if _key(of) in commit
    ]
    write(
        "observing",
        "What counting changes, and what it costs",
        "python -m bench observing",
        [
            f"{release}, the plan {PLAN}, seed {SEED}: one boot without the emulator's plugin, two"
            " with it",
            f"QEMU {(emulator_of(CATALOGUE.board_type(runs[0].board_type)) or {})['version']}",
        ],
        [
            "*Guest*: what the guest printed (so many lines), its raw files and all samples, in",
            "the three boots. *Counts*: those of the two boots, to the last one.",
            "",
            *table(
                ["board type", "benchmark", "lines", "guest", "instructions counted", "counts",
                 "CPU time without", "CPU time with"],
                rows,
            ),
            "",
            f"The guest did the same in {equal} of {len(rows)}, and the counts repeat in"
            f" {repeated} of {len(rows)}.",
            f"Control: a boot with seed {OTHER} in place of {SEED} (first row) is"
            f" {'told by both' if told else 'NOT TOLD'}.",
            "",
            "## What an explanation costs",
            "",
            f"A confirmed change of one benchmark in a commit is explained by {SEEDS} boots of each"
            " kernel,",
            "after the verdict. CPU time; on two CPUs the boots take half of it.",
            "",
            *table(
                ["benchmark", f"{2 * SEEDS} boots", "counts read and compared", "on two CPUs"],
                [
                    (name, f"{boots:.0f} s", f"{reading:.1f} s", f"{boots / 2 + reading:.0f} s")
                    for name, boots, reading in costs
                ],
            ),
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
