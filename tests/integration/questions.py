# SPDX-License-Identifier: GPL-2.0-only
"""A push, two versions of a series and three branches on record, for docs/questions.md.

Each boot's output is that of a real stress-ng with its numbers moved by a factor; from there on
everything is the service's own: ingest, comparison, rerun, alert.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.integration import bundles
from tests.integration.alerting import SMALL, Record
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.store.database import Connection

BENCHMARK = "stress-ng-switch"
#: Boots of one kernel, the first five of a screen and ten of its rerun.
SCATTER = (1.0, 1.0011, 0.9992, 1.0006, 0.9987, 1.0003, 0.9995, 1.0009, 0.9998, 1.0013,
           0.999, 1.0001, 1.0007, 0.9994, 1.0004)  # fmt: skip
PLAN = Plan(
    name="commit",
    entries=(
        PlanEntry(
            benchmark=BENCHMARK, parameters={}, board_types=(SMALL,),
            seeds=5, rounds=(10,), timeout_s=120,
        ),
    ),
)  # fmt: skip


def kernel(number: int, subject: str, **more: Any) -> dict[str, Any]:
    """Return commit `number` of the branch linux-6.12, of that day in March."""
    return bundles.kernel(
        f"6.12 {number}", branch="linux-6.12", describe=f"debian/6.12.74-{number}",
        subject=subject, committed_at=f"2026-03-{number:02}T00:00:00Z", **more,
    )  # fmt: skip


BASE = bundles.kernel("6.1")
PUSH = (
    kernel(3, "sched/core: Document the order of try_to_wake_up()"),
    kernel(4, "sched/fair: Look twice at the leftmost entity"),
    kernel(5, "sched/debug: Print the slice of each entity"),
)
LATER = bundles.kernel("6.18", describe="debian/6.18.9-1", subject="linux-source-6.18 6.18.9-1")
SERIES = tuple(
    kernel(
        5, PUSH[-1]["subject"], series=f"leftmost-{version}", application="full",
        patches=[{"name": "0001-sched-fair-Look-once.patch", "sha256": digit * 64}],
    )
    for version, digit in (("v1", "1"), ("v2", "2"))
)  # fmt: skip
#: Rate of each kernel, against the first.
RATES = ((BASE, 1.0), *zip(PUSH, (1.012, 0.972, 0.9715), strict=True), (LATER, 1.035),
         *zip(SERIES, (0.9925, 1.0125), strict=True))  # fmt: skip


def fill(conn: Connection, catalogue: Catalogue, folder: Path) -> None:
    """Put the kernels on record, compare them as pushes are compared, and raise the alert."""
    record = Record(conn=conn, catalogue=catalogue, folder=folder)
    for n, (of, rate) in enumerate(RATES):
        release = of["describe"].removeprefix("debian/")
        paths = [bundles.build(folder / "builds" / of["digest"][:12], of, release=release)]
        for seed in range(1, 16):
            paths.append(_boot(folder, of, catalogue, rate * SCATTER[(seed + 4 * n) % 15], seed))
        bundles.store(conn, catalogue, paths)
    pairs = [(a, b, "parent") for a, b in zip((None, *PUSH), PUSH, strict=False) if a]
    pairs += [(BASE, of, "baseline") for of in (*PUSH, LATER)]
    pairs += [(PUSH[-1], of, "parent") for of in SERIES]
    made: list[int] = []
    for base, new, role in pairs:
        for stage in ("screen", "confirm"):
            made.append(record.compare(base, new, role, plan=PLAN, stage=stage))
            suspected = conn.execute(
                "SELECT 1 FROM suspicion WHERE raised_by = %s", (made[-1],)
            ).fetchone()
            if stage == "screen" and suspected is None:
                break
    record.derive(*made)
    conn.execute("UPDATE alert SET opened_at = '2026-03-06T04:00:00Z'")


def _boot(
    folder: Path, of: Mapping[str, Any], catalogue: Catalogue, factor: float, seed: int
) -> Path:
    build = f"var/builds/{of['digest'][:16]}/20260306T013000Z-{of['digest'][:6]}"
    return bundles.run(
        folder / "runs" / of["digest"][:12] / str(seed), of, catalogue,
        raw=bundles.stress_ng(factor), seed=seed, plan=PLAN.name,
        release=of["describe"].removeprefix("debian/"),
        argv={"main": ["stress-ng", "--switch", "2", "--timeout", "20", "--metrics"]},
        reproduce=f"vlag run {build} --benchmark {BENCHMARK} --seed {seed} --timeout 120"
        " --board sim2-1",
    )  # fmt: skip


def outputs(folder: Path) -> None:
    """Write what stress-ng printed in five boots of two kernels of somebody's own machine."""
    for side, rate in (("base", 1.0), ("new", 0.958)):
        for boot in range(5):
            factor = rate * SCATTER[boot + (side == "new") * 5]
            (folder / f"{side}-{boot + 1}.txt").write_bytes(bundles.stress_ng(factor))
