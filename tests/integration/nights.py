# SPDX-License-Identifier: GPL-2.0-only
"""Nights told through the real ingest, comparison and derivation of alerts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import define

from tests import settings_files
from tests.integration import bundles
from vlag import config
from vlag.compare.kernels import compare
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry, digest
from vlag.notifications import night_end as tell
from vlag.notifications.night_end import Told
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
FIRST = datetime(2026, 3, 1, 1, 30, tzinfo=UTC)

MAIL = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@test"
tls = "none"
[mail.owners]
"debian/linux-6.12" = ["kim@test"]
"""


def settings(
    folder: Path, sections: str = MAIL, branches: str = "", baseline: str = "v6.1"
) -> Settings:
    path = folder / "vlag.toml"
    watched = settings_files.branch(baseline=baseline) + branches
    state = folder / "state"
    text = settings_files.settings(state=state, ports=(1, 8010, 3), branches=watched, poll_s=60)
    path.write_text(text + sections)
    return config.load(path)


def slower(factor: float) -> tuple[float, ...]:
    return tuple(factor * f for f in SAME)


PLAN = Plan(
    name="nightly",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=("qemu-sim-2",),
            seeds=5, rounds=(5, 10), timeout_s=60,
        ),
    ),
)  # fmt: skip


@define(kw_only=True)
class Nights:
    """One branch, a night a head."""

    conn: Connection
    catalogue: Catalogue
    folder: Path
    settings: Settings
    branch: str = "6.12"
    plan: Plan = PLAN  # of comparisons with a stage
    first: datetime = FIRST  # when the first night began
    count: int = 0

    def compare(
        self,
        head: str,
        factor: float = 1.0,
        *,
        stage: Any = None,
        boots: int = 1,
        panic: str = "",
        role: str = "baseline",
        synthetic: bool = False,
        factors: Sequence[float] | None = None,
        tag: str = "",
        baseline: str | None = "debian/v6.1",
        board_type: str = "qemu-sim-2",
        shifts: Sequence[int] = (),
        changes: Mapping[str, Any] = MappingProxyType({}),
    ) -> int:
        """Compare head number `head` of the branch, so much faster, with 6.1 or a tag of it.

        `factors` are those of its boots, if they differ more than usual; `shifts` are those of
        its latencies, which the base has without.  `changes` are keys of the head's runs.

        With a `stage` that is of the plan, by default five first boots and a rerun of five; each of
        `boots` is five.  `panic` is what the kernel says in one more run.
        """
        base = bundles.kernel("6.1")
        if tag:
            base = bundles.kernel("6.1", commit=bundles.sha(tag)[:40], branch=tag, describe=tag)
        new = bundles.kernel(
            self.branch,
            commit=bundles.sha(f"{self.branch} {head}")[:40],
            describe=f"{self.branch}.{head}",
        )
        state = self.folder / "state"
        cpus = self.catalogue.board_types[board_type].cpus
        name = f"{board_type}-1"
        board = {**bundles.BOARD, "name": name, "board_type": board_type, "cpus": cpus}
        # As the plan asks for them on boards with more CPUs.
        more: dict[str, Any] = (
            {}
            if shifts or cpus == bundles.BOARD["cpus"]
            else {
                "parameters": {
                    **self.catalogue.benchmarks["stress-ng-switch"].parameters,
                    "instances": cpus,
                }
            }
        )
        paths = bundles.side(
            state,
            base,
            self.catalogue,
            factors=SAME * boots,
            shifts=[0 for _ in shifts],
            synthetic=synthetic,
            board=board,
            **more,
        )
        paths += bundles.side(
            state,
            new,
            self.catalogue,
            factors=factors or slower(factor) * boots,
            shifts=shifts,
            synthetic=synthetic,
            board=board,
            **more,
            **changes,
        )
        if panic:
            folder = state / "runs" / f"panic {head}"
            its: dict[str, Any] = {
                "benchmark": "cyclictest-hackbench",
                "seed": 9,
                "outcome": "panic",
            }
            paths.append(bundles.run(folder, new, self.catalogue, **its, reason=panic))
        bundles.store(self.conn, self.catalogue, paths)
        c = compare(
            conn=self.conn,
            catalogue=self.catalogue,
            base=KernelRef(text=base["digest"]),
            new=KernelRef(text=new["digest"]),
            board_type=board_type,
            role=role,
            baseline=baseline if role == "baseline" else None,
            synthetic=synthetic,
            plan=None if stage is None else self.plan,
            stage=stage,
        )
        return c.id

    def tell(self, ids: Sequence[int], key: str | None = None, **given: Any) -> Told:
        """Tell the next night, which began a day after the one before and took two hours."""
        self.count += key is None
        started = self.first + timedelta(days=self.count - 1)
        settings, synthetic = given.pop("settings", self.settings), given.pop("synthetic", False)
        ended = tell.EndedNight(
            key=key or f"night {self.count} {digest(self.branch)[:8]}",
            started=started,
            comparisons=ids,
            **{"finished": started + timedelta(hours=2), **given},
        )
        return tell.tell(self.conn, self.catalogue, settings, ended, synthetic=synthetic)
