"""A series of four patches on real kernels: one helps, one hurts, one does nothing, one needs the
first."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.integration.reports import cells
from tests.long.history import SLOW, Index
from tests.night.clone import Night, shared_night
from tests.night.conftest import database
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
    return Measured(data=json.loads(done.stdout), minutes=(time.monotonic() - started) / 60)


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


def test_the_loss_and_the_gain_are_put_down_to_their_patches(measured: Measured) -> None:
    said = " ".join(measured.accounts)
    print(said)
    assert "01-helps" in said
    assert "02-hurts" in said
    assert "03-nothing" not in said.partition("negligible")[0]
