# SPDX-License-Identifier: GPL-2.0-only
"""A series of four patches on real kernels: one helps, one hurts, one does nothing, one needs the
first."""

from __future__ import annotations

import datetime
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from bench.evidence import table, write
from tests.integration.reports import cells
from tests.long.history import SLOW, Index
from tests.night.clone import Night, shared_night
from tests.night.database import database
from vlag import ROOT

pytestmark = pytest.mark.long

NAMES = ("01-helps", "02-hurts", "03-nothing", "04-needs")
KNOWN = ROOT / "kernel-patches" / "known-regressions"
LOOP = b"\tfor (int i = 0; i < 40; i++)\n\t\tbarrier();\n"
PICK = b"\tstruct sched_entity *se = pick_eevdf(cfs_rq);\n"
FUNCTION = b"static __maybe_unused noinline void sched_turn(void)\n{\n\tbarrier();\n}\n\n"
OWNER = b"static struct sched_entity *\npick_next_entity("
RATE = "stress-ng-switch bogo-ops-rate"


@frozen(kw_only=True)
class Measured:
    """The matrix of the series, and what it took."""

    data: dict[str, Any]
    minutes: float
    builds: list[tuple[str, str, float]]  # application, outcome and seconds, in their order

    @property
    def rates(self) -> dict[str, str]:
        """Return the cells of the rate by column."""
        return cells(self.data, "qemu-sim-2", "")[RATE]

    @property
    def accounts(self) -> list[str]:
        return [a["sentence"] for a in self.data["matrices"][0]["accounts"]]


def helps(text: bytes) -> bytes:
    """Take the loop of the base out, and add a function that only the last patch calls."""
    assert text.count(LOOP) == text.count(OWNER) == 1
    return text.replace(LOOP + b"\n", b"").replace(OWNER, FUNCTION + OWNER)


def written(index: Index, folder: Path) -> str:
    """Write the series; return its base, which has a slow pick."""
    branch = index.read("linux-6.12^{commit}")
    index.git("apply", "--cached", str(SLOW))
    # Other code each time: no build of this series is on record or in the compiler's cache.
    index.edit("fair", lambda text: text + b"int sched_%d;\n" % time.time_ns())
    base = index.commit(branch, "sched/fair: look again at each pick")
    index.edit("fair", helps)
    first = index.tree()
    index.edit("fair", lambda text: text.replace(PICK, PICK + b"\n\tsched_turn();\n"))
    diffs = {NAMES[0]: (base, first), NAMES[3]: (first, index.tree())}
    for name, patch in ((NAMES[1], "03-wakeup-path"), (NAMES[2], "01-comment-only")):
        index.read(base)
        index.git("apply", "--cached", str(KNOWN / f"{patch}.patch"))
        diffs[name] = base, index.tree()
    folder.mkdir(parents=True)
    for name, trees in diffs.items():
        diff = index.git("diff", "--no-color", *trees).decode()
        head = f"From: a <a@example.org>\nSubject: [PATCH] sched: {name[3:]}\n\nWords.\n---\n"
        (folder / f"{name}.patch").write_text(head + diff)
    (folder / "series").write_text("".join(f"{name}.patch\n" for name in NAMES))
    return base


def asked(night: Night, base: str) -> Measured:
    words = ("matrix", "four", "--base", base, "--tree", "debian", "--format", "json")
    started = time.monotonic()
    done = night.vlag(*words, "--benchmark", "stress-ng-switch", "--board-type", "qemu-sim-2")
    minutes = (time.monotonic() - started) / 60
    return Measured(data=json.loads(done.stdout), minutes=minutes, builds=built(night, base))


def built(night: Night, base: str) -> list[tuple[str, str, float]]:
    """Return the builds of a base and of the series on it."""
    found = []
    for path in (night.state / "builds").glob("*/*/build.json"):
        document = json.loads(path.read_text())
        if document["kernel"]["commit"] == base:
            started, finished = (
                datetime.datetime.fromisoformat(document[f"{end}_at"])
                for end in ("started", "finished")
            )
            kernel = document["kernel"]["application"], document["outcome"]
            found.append((started, kernel, (finished - started).total_seconds()))
    return [(*kernel, seconds) for _, kernel, seconds in sorted(found)]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    with shared_night() as night, database(night):
        folder = night.clone / "kernel-patches" / "four"
        shutil.rmtree(folder, ignore_errors=True)
        file = tmp_path_factory.mktemp("index") / "index"
        index = Index(mirror=night.state / "mirrors" / "debian.git", file=file)
        try:
            made = asked(night, written(index, folder))
            print(f"the matrix took {made.minutes:.1f} min")
            yield made
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def test_each_patch_does_what_it_does(measured: Measured) -> None:
    rates = measured.rates
    print(json.dumps(rates, indent=1))
    better = {label for label, cell in rates.items() if cell.endswith(" B")}
    worse = {label for label, cell in rates.items() if cell.endswith(" W")}
    assert "solo(1)" in better
    assert "solo(2)" in worse
    assert "solo(3)" not in better | worse


def test_the_patch_that_needs_the_first_is_said_to(measured: Measured) -> None:
    assert measured.rates["solo(4)"] == measured.rates["without(1)"] == "does not apply"
    [said] = measured.data["matrices"][0]["dependences"]
    assert said == "patch 4 (04-needs) needs patch 1 (01-helps): alone it does not apply"


def test_each_kernel_is_built_once(measured: Measured) -> None:
    names = [name for name, _, _ in measured.builds]
    assert len(names) == len(set(names))
    # prefix(1) is solo(1), and prefix(4) is the full series.
    assert set(names) >= {"none", "full", *(f"solo({i})" for i in range(1, 5))}
    assert not set(names) & {"prefix(1)", "prefix(4)"}


def test_the_loss_and_the_gain_are_put_down_to_their_patches(measured: Measured) -> None:
    said = " ".join(measured.accounts)
    print(said)
    assert "01-helps" in said
    assert "02-hurts" in said
    assert "03-nothing" not in said.partition("negligible")[0]


def test_the_evidence(measured: Measured) -> None:
    """Write what each kernel took, and what was found."""
    rates = measured.rates
    rows = [
        (name, outcome.replace("_", " "), f"{seconds:.0f}", rates.get(name, ""))
        for name, outcome, seconds in measured.builds
    ]
    write(
        "matrix",
        "A series of four patches, in all its modes",
        "pytest -m long tests/long/test_matrix.py",
        ["board: qemu-sim-2, stress-ng-switch, five boots of each kernel"],
        [
            "Made patches on 6.12 with a slow pick: the first makes it fast again, the second",
            "makes each wake-up longer, the third is a comment, the fourth calls a function of",
            "the first. The compiler's cache has objects of other kernels of 6.12, none of this",
            "file.",
            "",
            *table(("patches", "build", "seconds", f"{RATE} against the base"), rows),
            "",
            f"The whole took {measured.minutes:.1f} min, boots included. What `vlag matrix` says:",
            "",
            *(f"- {sentence}" for sentence in measured.accounts),
            *(f"- {said}" for said in measured.data["matrices"][0]["dependences"]),
        ],
    )
