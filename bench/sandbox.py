"""What the sandboxes cost a night: builds in bubblewrap and without, boots in QEMU's and without.

`python -m bench sandbox --builds 3 --boots 30`: each build and boot is made with and without its
sandbox, one right after the other, and the one that comes first in turns.  Needs the mirrors of
this checkout's state folder (`make run ONCE=1` makes them) and an idle machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean

from attrs import frozen

from bench import evidence
from bench.observing import PLAN, planned
from bench.runner import cost
from tests.night.digests import samples_digest
from vlag import config
from vlag.config import catalogue as catalogues
from vlag.sandbox import BUBBLEWRAP, NONE

#: Percent by which a night may be longer.
MOST = 5.0
TREE, REF, BOARD_TYPE, BOARD = "debian", "linux-6.12", "qemu-sim-2", "sim2-1"
#: Kernels of a night that find nothing in the compiler's cache: both versions, once each.
COLD = 2
#: What of the state a build and a boot only read.
_SHARED = ("mirrors", "userland", "programs")
_EMULATOR = "lockstep-qemu-system-x86_64"
#: Draws of the bootstrap, and its seed.
_DRAWS, _SEED = 10_000, 1


@frozen
class Pair:
    """Seconds of the same work without and with its sandbox."""

    without: float
    within: float


@frozen(kw_only=True)
class Part:
    """One kind of work, and how often a night has it."""

    name: str
    times: int
    pairs: Sequence[Pair]

    @property
    def row(self) -> tuple[object, ...]:
        """Return its row of the page."""
        without, within = ([getattr(p, k) for p in self.pairs] for k in ("without", "within"))
        change = cost(without, within) if len(self.pairs) > 1 else ""
        mean = (f"{fmean(seconds):.2f}" for seconds in (without, within))
        return (self.name, self.times, len(self.pairs), *mean, change)


def in_turns(count: int, measure: Callable[[str, int], float]) -> list[Pair]:
    """Return `count` pairs; `measure` is given a kind and the number of the pair."""
    found = []
    for number in range(count):
        order = (NONE, BUBBLEWRAP) if number % 2 == 0 else (BUBBLEWRAP, NONE)
        took = {kind: measure(kind, number) for kind in order}
        found.append(Pair(took[NONE], took[BUBBLEWRAP]))
    return found


def of_night(parts: Sequence[Part]) -> tuple[float, float, float]:
    """Return by how many percent a night is longer, with a 95 % interval (bootstrap of pairs)."""
    draws = random.Random(_SEED)

    def longer(chosen: Sequence[Sequence[Pair]]) -> float:
        without, within = (
            sum(p.times * fmean(getattr(pair, key) for pair in of)
                for p, of in zip(parts, chosen, strict=True))
            for key in ("without", "within")
        )  # fmt: skip
        return 100 * (within / without - 1)

    drawn = sorted(
        longer([draws.choices(p.pairs, k=len(p.pairs)) for p in parts]) for _ in range(_DRAWS)
    )
    tail = _DRAWS // 40
    return longer([p.pairs for p in parts]), drawn[tail], drawn[-tail - 1]


def with_kind(text: str, kind: str, state: Path) -> str:
    """Return the text of settings with another kind of sandbox and another state folder."""
    text, found = re.subn(r"(?m)^state = .*$", f'state = "{state}"', text)
    if found != 1:
        sys.exit("sandbox: the settings have no line `state = ...`")
    head, section, rest = text.partition("\n[sandbox]\n")
    rest = re.sub(r"(?m)^kind = .*\n", "", rest, count=1)
    return f'{head}\n[sandbox]\nkind = "{kind}"\n{rest}' if section else (
        f'{text}\n[sandbox]\nkind = "{kind}"\n'
    )  # fmt: skip


def unboxed(installed: str) -> str:
    """Return the emulator's command without QEMU's own sandbox."""
    text, found = re.subn(r' -sandbox "[^"]*"', "", installed)
    if found != 1:
        sys.exit(f"sandbox: {_EMULATOR} has no sandbox: lava-jobs/lockstep/install PREFIX")
    return text


@frozen(kw_only=True)
class Place:
    """A state folder in which both kinds build and boot, each with its own compiler's cache."""

    state: Path
    settings: Mapping[str, Path]  # by kind
    plain: Path  # a folder with the emulator's command without sandbox

    def build(self, kind: str, *, cold: bool) -> tuple[float, Path]:
        """Build the kernel anew; return seconds and bundle."""
        mine, used = self.state / f"ccache-{kind}", self.state / "ccache"
        if cold:
            shutil.rmtree(mine, ignore_errors=True)
        mine.mkdir(exist_ok=True)
        mine.rename(used)
        words = ["vlag", "build", "--tree", TREE, "--ref", REF, "--board-type", BOARD_TYPE,
                 "--fresh", "--format", "json"]  # fmt: skip
        seconds, said = self._run(words, kind)
        used.rename(mine)
        return seconds, Path(json.loads(said.splitlines()[-1])["bundle"])

    def boot(self, kind: str, kernel: Path, work: Sequence[str], to: Path) -> float:
        """Boot once; return seconds."""
        path = os.environ["PATH"]
        more = {"PATH": f"{self.plain}{os.pathsep}{path}"} if kind == NONE else {}
        words = ["vlag", "run", str(kernel), "--board", BOARD, *work, "--output", str(to)]
        return self._run(words, kind, more)[0]

    def _run(
        self, words: Sequence[str], kind: str, more: Mapping[str, str] | None = None
    ) -> tuple[float, str]:
        began = time.monotonic()
        done = subprocess.run(
            words, env={**os.environ, **(more or {}), "VLAG_SETTINGS": str(self.settings[kind])},
            stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        seconds = time.monotonic() - began
        if done.returncode:
            sys.exit(f"sandbox: {' '.join(words)} ended with {done.returncode}")
        return seconds, done.stdout


@contextmanager
def place() -> Iterator[Place]:
    """Make a place beside what the checkout's state has; at the end nothing is left of it."""
    settings = config.load()
    text = settings.path.read_text(encoding="utf-8")
    installed = shutil.which(_EMULATOR)
    if installed is None:
        sys.exit(f"sandbox: {_EMULATOR} is missing: `make setup` installs it")
    with ExitStack() as last:
        made = tempfile.TemporaryDirectory(prefix="bench-sandbox-", dir=settings.state)
        state = Path(last.enter_context(made))
        state.chmod(0o755)
        for name in _SHARED:
            if (settings.state / name).exists():
                (state / name).symlink_to(settings.state / name)
        plain = state / "plain"
        plain.mkdir()
        (plain / _EMULATOR).write_text(unboxed(Path(installed).read_text(encoding="utf-8")))
        (plain / _EMULATOR).chmod(0o755)
        paths = {}
        for kind in (NONE, BUBBLEWRAP):
            # Beside the settings, for the files that they name.
            path = settings.path.with_name(f".sandbox-{kind}-{settings.path.name}")
            last.callback(path.unlink, missing_ok=True)
            path.write_text(with_kind(text, kind, state), encoding="utf-8")
            paths[kind] = path
        yield Place(state=state, settings=paths, plain=plain)


def builds(at: Place, count: int) -> tuple[list[Pair], list[Pair], Path]:
    """Return pairs of builds with an empty and with a filled cache, and the last bundle.

    The program ends if the images differ.
    """
    images: set[str] = set()
    bundle = Path()

    def measure(kind: str, *, cold: bool) -> float:
        nonlocal bundle
        seconds, bundle = at.build(kind, cold=cold)
        document = json.loads((bundle / "build.json").read_text(encoding="utf-8"))
        images.add(str(document["image"]["sha256"]))
        what = "empty" if cold else "filled"
        print(f"sandbox: built with {kind}, cache {what}, in {seconds:.1f} s", flush=True)
        return seconds

    at.build(NONE, cold=True)  # the first one checks the source out
    cold = in_turns(count, lambda kind, _: measure(kind, cold=True))
    warm = in_turns(count, lambda kind, _: measure(kind, cold=False))
    if len(images) != 1:
        sys.exit(f"sandbox: the images differ: {', '.join(sorted(images))}")
    return cold, warm, bundle


def boots(at: Place, kernel: Path, count: int) -> list[Pair]:
    """Return pairs of boots of the nightly plan's benchmarks; figures that differ end it."""
    catalogue = catalogues.load()
    of = [p for p in planned(catalogue, PLAN) if p.board_type == BOARD_TYPE]
    works = list(itertools.islice(itertools.cycle(of), count))
    digests: dict[int, set[str]] = {}

    def measure(kind: str, number: int) -> float:
        entry, to = works[number].entry, at.state / "boots" / f"{number}-{kind}"
        given = [f"--param={name}={value}" for name, value in entry.parameters.items()]
        words = ["--benchmark", entry.benchmark, *given, "--seed", str(number + 1)]
        to.parent.mkdir(exist_ok=True)
        seconds = at.boot(kind, kernel, [*words, "--timeout", "1200"], to)
        document = json.loads((to / "run.json").read_text(encoding="utf-8"))
        digests.setdefault(number, set()).add(samples_digest(to, document))
        print(f"sandbox: {entry.benchmark} with {kind} in {seconds:.1f} s", flush=True)
        return seconds

    found = in_turns(count, measure)
    if differ := [works[n].entry.benchmark for n, seen in digests.items() if len(seen) > 1]:
        sys.exit(f"sandbox: the figures differ: {', '.join(differ)}")
    return found


def night() -> tuple[int, int]:
    """Return how many kernels and runs a night of these settings has."""
    words = ["vlag", "forecast", "--format", "json"]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    known = json.loads(done.stdout.splitlines()[-1])
    kernels = known["kernels_to_build"] + known["kernels_reused"]
    return kernels, known["runs_to_do"] + known["runs_reused"]


def main(words: Sequence[str] = ()) -> None:
    """Measure, and write the page; end with 1 if a night is longer by more than MOST."""
    options = argparse.ArgumentParser(prog="python -m bench sandbox", description=__doc__)
    options.add_argument("--builds", type=int, default=3, help="pairs, for each state of the cache")
    options.add_argument("--boots", type=int, default=30, help="pairs")
    options.add_argument("--no-page", action="store_true", help="leave docs/evidence/sandbox.md")
    asked = options.parse_args(words)
    kernels, runs = night()
    with place() as at:
        cold, warm, kernel = builds(at, asked.builds)
        pairs = boots(at, kernel, asked.boots)
        release = json.loads((kernel / "build.json").read_text(encoding="utf-8"))["release"]
    parts = [
        Part(name="kernel built, empty cache", times=min(COLD, kernels), pairs=cold),
        Part(name="kernel built, filled cache", times=max(0, kernels - COLD), pairs=warm),
        Part(name="boot with a benchmark", times=runs, pairs=pairs),
    ]
    longer, low, high = of_night(parts)
    lines = [
        *evidence.table(
            ["work", "times a night", "pairs", "without, s", "with, s", "cost"],
            [part.row for part in parts],
        ),
        "",
        f"A night is longer by {longer:+.2f} % [{low:+.2f}, {high:+.2f}]; {MOST:.0f} % may be.",
    ]
    print("\n".join(lines))
    if not asked.no_page:
        _page(asked, release, lines)
    if longer > MOST:
        sys.exit(1)


def _page(asked: argparse.Namespace, release: str, lines: Sequence[str]) -> None:
    evidence.write(
        "sandbox",
        "What the sandboxes cost a night",
        f"python -m bench sandbox --builds {asked.builds} --boots {asked.boots}",
        [f"kernel: {release} for {BOARD_TYPE}; benchmarks: those of plan {PLAN}, in turns"],
        [
            f'Builds: `[sandbox] kind = "{BUBBLEWRAP}"` against `"{NONE}"`. Boots: QEMU with its',
            "`-sandbox on` against QEMU without. Both of a pair come one right after the other,",
            "and the one that comes first in turns. Images and figures of both are the same, or",
            "there would be no page. Cost: the mean of the pairs' changes with its 95 % interval.",
            "",
            *lines,
        ],
    )
