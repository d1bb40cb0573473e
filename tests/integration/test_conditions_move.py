# SPDX-License-Identifier: GPL-2.0-only
"""Compilers, tools and firmware are updated: what was measured before is not compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from tests.integration import bundles, nights
from tests.integration.alerting import SAME, SLOW
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.notifications import night_end as stage
from vlag.store import comparisons
from vlag.store.comparisons import VerdictRow
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BOARD = {
    "name": "rpi5-1", "board_type": "rpi5", "deterministic": False, "cpus": 4,
    "setup": bundles.sha("setup"), "emulator": None,
}  # fmt: skip
BASE = bundles.kernel("6.1", arch="arm64")
HEAD = bundles.kernel("6.12", arch="arm64")
PLAN = Plan(
    name="nightly",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=("rpi5",),
            seeds=5, rounds=(5, 10), timeout_s=60,
        ),
    ),
)  # fmt: skip


def environment(
    compiler: str = "12.2.0", firmware: str = "2026/01/08", revision: str = "1"
) -> dict[str, Any]:
    version = "Linux version 6.12.1 (vlag@vlag) (gcc (Debian {0}-14) {0}, GNU ld (Binutils) 2.40)"
    return {
        "environment": {
            "/proc/version": version.format(compiler) + " #1 SMP",
            "firmware_version": f"{firmware} 10:42:17",
            "processors": f"CPU implementer: 0x41\nCPU part: 0xd0b\nCPU revision: {revision}"
            "\nBogoMIPS: 108.00",
        }
    }


@define(kw_only=True)
class Farm:
    """One real board that boots a branch and its baseline, night after night."""

    conn: Connection
    catalogue: Catalogue
    folder: Path
    hours: int = field(default=0)

    def boot(self, of: dict[str, Any], factors: Sequence[float], **changes: Any) -> None:
        """Boot a kernel once a factor, a minute each."""
        for seed, factor in enumerate(factors, 1):
            at = nights.FIRST + timedelta(hours=self.hours, minutes=seed)
            times = {"started_at": at.isoformat(), "finished_at": at.isoformat()}
            where = self.folder / f"{self.hours} {of['digest'][:8]} {seed}"
            paths = [
                bundles.build(self.folder / of["digest"][:12], of),
                bundles.run(
                    where, of, self.catalogue, raw=bundles.stress_ng(factor), seed=seed,
                    **{"board": BOARD, **environment(), **times, **changes},
                ),
            ]  # fmt: skip
            bundles.store(self.conn, self.catalogue, paths)

    def compare(self, stage: Any = "screen") -> tuple[int, VerdictRow]:
        """Compare what was booted, and return the row of the rate that people read."""
        made = self.compared(stage)
        rows = comparisons.verdicts(self.conn, made.id)
        return made.id, next(r for r in rows if r.metric == "bogo-ops-rate")

    def compared(self, stage: Any = "screen") -> StoredComparison:
        """Compare what was booted."""
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type="rpi5", role="baseline",
            base=KernelRef(text=BASE["digest"]), new=KernelRef(text=HEAD["digest"]), plan=PLAN,
            stage=stage, baseline="debian/v6.1",
        )  # fmt: skip

    def shown(self, comparison: int) -> tuple[str, str]:
        """Return verdict and standing that people are shown of it."""
        row = self.conn.execute(
            "SELECT verdict, standing FROM read_model.verdict"
            " WHERE comparison = %s AND metric = 'bogo-ops-rate'",
            (comparison,),
        ).fetchone()
        assert row is not None
        return row[0], row[1]


@pytest.fixture
def farm(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Farm:
    return Farm(conn=conn, catalogue=catalogue, folder=tmp_path)


@pytest.mark.parametrize(
    ("moved", "word"),
    [
        pytest.param(environment(compiler="14.2.0"), "compiler gcc (Debian 12", id="compiler"),
        pytest.param(environment(firmware="2026/06/01"), "firmware 2026/01/08", id="firmware"),
        pytest.param(environment(revision="2"), "CPU revision 1", id="stepping"),
        pytest.param(
            {"userland": {"sha256": bundles.sha("other"), "packages": bundles.PACKAGES}},
            "userland ",
            id="userland",
        ),
    ],
)
def test_what_is_updated_accuses_no_commit(farm: Farm, moved: dict[str, Any], word: str) -> None:
    farm.boot(BASE, SAME)
    farm.boot(HEAD, SLOW, **moved)
    _, row = farm.compare()
    assert row.verdict == "NOT_COMPARABLE"
    assert row.reason.startswith("base and new differ in more than the kernel: "), row.reason
    assert word in row.reason
    # Once both have it they are compared, and boots from before are left out.
    farm.boot(BASE, SLOW, **moved)
    _, row = farm.compare()
    assert (row.verdict, row.n_base) == ("UNCHANGED", 5)


def test_what_a_rerun_confirmed_does_not_outlive_its_compiler(farm: Farm) -> None:
    for of, factors in ((BASE, SAME), (HEAD, SLOW)):
        farm.boot(of, factors * 2)
    first, row = farm.compare()
    assert row.suspect
    farm.compare("confirm")
    assert farm.shown(first) == ("REGRESSION", "confirmed")
    farm.hours += 24
    for of in (BASE, HEAD):
        farm.boot(of, SAME, **environment(compiler="14.2.0"))
    second, row = farm.compare()
    assert row.n_new == 5
    assert farm.shown(second) == ("UNCHANGED", "")
    # What was said then stays as it was.
    assert farm.shown(first) == ("REGRESSION", "confirmed")


def test_a_branch_without_a_new_head_gets_one_rerun(farm: Farm) -> None:
    for of, factors in ((BASE, SAME), (HEAD, SLOW)):
        farm.boot(of, factors * 2)
    assert (farm.compared().proof, farm.compared().settled) == (["stress-ng-switch"], ())
    farm.compare("confirm")
    farm.hours += 24
    for of, factors in ((BASE, SAME), (HEAD, SLOW)):
        farm.boot(of, factors)
    again = farm.compared()
    assert again.settled == ("stress-ng-switch",)
    assert farm.shown(again.id) == ("REGRESSION", "confirmed")
    # Negative control: with another compiler it is a new question.
    farm.hours += 24
    for of, factors in ((BASE, SAME), (HEAD, SLOW)):
        farm.boot(of, factors, **environment("14.2.0"))
    assert farm.compared().settled == ()


def test_a_night_tells_once_what_has_moved(farm: Farm, tmp_path: Path) -> None:
    settings = nights.settings(tmp_path)

    def night(**changes: Any) -> list[str]:
        farm.hours += 24
        for of in (BASE, HEAD):
            farm.boot(of, SAME, **changes)
        id_, _row = farm.compare()
        began: datetime = nights.FIRST + timedelta(hours=farm.hours)
        ended = stage.EndedNight(
            key=str(farm.hours), started=began, comparisons=[id_],
            finished=began + timedelta(hours=2), notes=["quiet"],
        )  # fmt: skip
        told = stage.tell(farm.conn, farm.catalogue, settings, ended)
        row = farm.conn.execute("SELECT notes FROM night WHERE id = %s", (told.night,)).fetchone()
        assert row is not None
        return list(row[0])

    assert night() == ["quiet"]
    quiet, firmware, compiler = night(**environment("14.2.0", firmware="2026/06/01"))
    assert quiet == "quiet"
    assert compiler == (
        "compiler on rpi5 is gcc (Debian 14.2.0-14) 14.2.0, GNU ld (Binutils) 2.40 now, it was gcc"
        " (Debian 12.2.0-14) 12.2.0, GNU ld (Binutils) 2.40: what was measured before is not"
        " compared with what is measured since (stress-ng-switch)"
    )
    assert firmware.startswith("firmware on rpi5-1 (rpi5) is 2026/06/01 10:42:17 now, it was ")
    assert night(**environment("14.2.0", firmware="2026/06/01")) == ["quiet"]
