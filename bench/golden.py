# SPDX-License-Identifier: GPL-2.0-only
"""Golden digits: runs whose figures must come out on every machine, to the last digit.

`python -m bench golden` boots the runs of tests/data/golden.json here and prints for each
whether it gave its figures.  `python -m bench golden --write` writes the file anew, and puts the
samples of a first night on record, for every later CI run to compare with; `VLAG_TEST_NIGHT` names
a folder that is kept, or that holds such a night already.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.night import digests
from tests.night.clone import shared_night
from vlag import ROOT, config
from vlag.config import catalogue as catalogues
from vlag.model import Histogram, Sample, canonical_json
from vlag.stats.summary import statistics

RECORD = ROOT / "tests" / "data" / "golden.json"
#: One that counts, one that sleeps and wakes, one that measures a distribution.
BENCHMARKS = ("stress-ng-switch", "hackbench-pipe", "cyclictest-hackbench")
SEED = 1
#: Boots side by side; each takes one CPU.
LANES = 2

Entry = Mapping[str, Any]
#: Runs `vlag` with these words and returns the object that it prints last.
Vlag = Callable[[Sequence[str]], Mapping[str, Any]]


@frozen(kw_only=True)
class Answer:
    """One golden run beside what came out here."""

    entry: Entry
    other: tuple[str, ...]  # packages that are of another version: nothing is promised of those
    different: tuple[str, ...]  # what should be equal and is not, with both values

    @property
    def equal(self) -> bool:
        """Return whether all digits came out."""
        return not self.other and not self.different

    def __str__(self) -> str:
        """Return one line for each difference."""
        name = f"{self.entry['benchmark']} seed {self.entry['seed']} on {self.entry['board_type']}"
        if self.other:
            return f"{name}: not comparable: {'; '.join(self.other)}"
        if self.different:
            return "\n    ".join([f"{name}: DIFFERENT", *self.different])
        return f"{name}: equal, {len(self.entry['figures'])} figures"


def read() -> list[Entry]:
    """Return the golden runs."""
    return list(json.loads(RECORD.read_text(encoding="utf-8")))


def write(entries: Sequence[Entry]) -> None:
    """Replace the golden runs."""
    RECORD.write_text(json.dumps(entries, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def entry(bundle: Path, build: Path) -> Entry:
    """Return a run as a golden one."""
    run = json.loads((bundle / "run.json").read_text(encoding="utf-8"))
    built = json.loads((build / "build.json").read_text(encoding="utf-8"))
    emulator = run["board"]["emulator"]
    return {
        "benchmark": run["benchmark"],
        "board_type": run["board"]["board_type"],
        "seed": run["seed"],
        "packages": {
            "kernel": run["kernel"]["describe"],
            "compiler": built["toolchain"],
            "emulator": f"{emulator['program']} {emulator['version']}",
            **run["userland"]["packages"],
        },
        "made": {
            "image": run["image_sha256"],
            "initramfs": run["userland"]["sha256"],
            "entry": run["entry_sha256"],
            "emulator": emulator["sha256"],
            **{f"parameter {k}": v for k, v in run["parameters"].items()},
        },
        "figures": dict(_figures(bundle, run)),
    }


def _figures(bundle: Path, run: Mapping[str, Any]) -> Iterator[tuple[str, float | str]]:
    parsed = digests.figures(bundle, dict(run))
    both: list[Sample | Histogram] = [*parsed.samples, *parsed.histograms]
    for figure in both:
        if isinstance(figure, Sample):
            for i, value in enumerate(figure.values):
                yield f"{figure.metric} {i + 1}", value
            continue
        for name, value in statistics(figure).items():
            yield f"{figure.metric} {name}", value
        table = [figure.bounds, figure.counts.tolist(), figure.overflow, figure.maximum]
        digest = hashlib.sha256(canonical_json(table)).hexdigest()
        yield f"{figure.metric} samples", figure.achieved
        yield f"{figure.metric} sha256", digest


def answer(golden: Entry, here: Entry) -> Answer:
    """Hold a run of this machine against a golden one."""
    return Answer(
        entry=golden,
        other=tuple(_unequal(golden["packages"], here["packages"])),
        different=(
            *_unequal(golden["made"], here["made"]),
            *_unequal(golden["figures"], here["figures"]),
        ),
    )


def _unequal(golden: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*golden, *here)):
        if golden.get(name) != here.get(name):
            yield f"{name}: golden {golden.get(name)!r}, here {here.get(name)!r}"


def measured(vlag: Vlag, build: Path, *, again: bool) -> list[Entry]:
    """Boot the benchmarks on a board of each deterministic type; `again`: reuse no run."""
    known = catalogues.load()
    boards = {b.board_type: b.name for b in reversed(known.boards)}
    types = [t.name for t in known.board_types.values() if t.deterministic and t.name in boards]

    def boot(board_type: str) -> list[Entry]:
        entries = []
        for benchmark in BENCHMARKS:
            words = ["run", str(build), "--board", boards[board_type], "--benchmark", benchmark]
            words += ["--seed", str(SEED), "--format", "json"]
            with tempfile.TemporaryDirectory() as folder:
                words += ["--output", f"{folder}/run"] if again else ["--reuse"]
                entries.append(entry(Path(vlag(words)["bundle"]), build))
            print(f"booted {benchmark} on {board_type}", file=sys.stderr, flush=True)
        return entries

    with ThreadPoolExecutor(LANES) as lanes:
        return [e for entries in lanes.map(boot, sorted(types)) for e in entries]


def answers(golden: Sequence[Entry], here: Sequence[Entry]) -> list[Answer]:
    """Hold runs of this machine against the golden ones, each against its own."""
    by_key = {_key(e): e for e in here}
    nothing: Entry = {"packages": {}, "made": {}, "figures": {}}
    return [answer(g, by_key.get(_key(g), nothing)) for g in golden]


def _key(e: Entry) -> tuple[Any, ...]:
    return e["board_type"], e["benchmark"], e["seed"]


def own_build(vlag: Vlag, ref: str) -> Path:
    """Return the build of a kernel in this installation; it is built if it is not there."""
    words = ["build", "--tree", "debian", "--ref", ref, "--board-type", "qemu-sim-2"]
    return Path(vlag([*words, "--format", "json"])["bundle"])


def own_vlag(words: Sequence[str]) -> Mapping[str, Any]:
    """Run this installation's `vlag`; ends the process with its words where it fails."""
    program = Path(sys.executable).with_name("vlag")
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"vlag {' '.join(words)} ended with {done.returncode}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def renew() -> None:
    """Run the night if there is none, extend the record and write the golden digits."""
    with shared_night() as night:
        record = digests.read_record()
        for run in (r for r in night.runs() if r["plan"] == "commit"):
            record[digests.record_key(run)] = digests.samples_digest(run["bundle"], run)
        digits = measured(night.answer, night.newest_build(), again=False)
    digests.RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    write(digits)
    print(f"{len(record)} runs are on record in {digests.RECORD.relative_to(ROOT)}")
    print(f"{len(digits)} runs are in {RECORD.relative_to(ROOT)}")


def main(words: Sequence[str] = ()) -> None:
    """Boot the golden runs here; end with 1 unless all of them gave their figures."""
    if list(words) == ["--write"]:
        renew()
        return
    if len(words) > 1 or (words and not (Path(words[0]) / "build.json").is_file()):
        sys.exit("python -m bench golden [BUILD | --write]: BUILD is the folder of a build of vlag")
    golden = read()
    config.load()  # a mistake in the settings is told before the kernel is built
    ref = golden[0]["packages"]["kernel"]
    build = Path(words[0]).resolve() if words else own_build(own_vlag, ref)
    compared = answers(golden, measured(own_vlag, build, again=True))
    for one in compared:
        print(one)
    equal = sum(one.equal for one in compared)
    print(f"{equal} of {len(compared)} equal")
    sys.exit(0 if equal == len(compared) else 1)
