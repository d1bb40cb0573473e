# SPDX-License-Identifier: GPL-2.0-only
"""A regression on boards of a lab, with each cause that the service finds by itself on record."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from tests.integration import bundles
from tests.integration.planted import planted
from tests.integration.search_lab import LAST, Lab
from tests.unit.schedstats import snapshots
from vlag import config
from vlag.bundle_records import KernelRecord
from vlag.compare.kernels import compare
from vlag.compare.scope import Stage
from vlag.compare.toggle_attribution import report_on
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Board, Observation, Plan, PlanEntry
from vlag.notifications import night_end
from vlag.parsers import schedstat
from vlag.search import explain, sampled_plan, toggle_plan
from vlag.search.asked import AskedBoot
from vlag.store import comparisons, messages
from vlag.store.kernels import KernelRef
from vlag.store.messages import Message

#: Boards differ by more than the kernels.
BOARDS = {"rpi5-1": 1.0, "rpi5-2": 1.06, "rpi5-3": 0.97}
KIND = "rpi5"
MAIL = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@test"
tls = "none"
[mail.owners]
"tiny/main" = ["kim@test"]
"""
PERF = Path(__file__).parents[1] / "data" / "profile" / "perf"
FEATURES = "/sys/kernel/debug/sched/features"
#: When what is on record was made: a day later it is a day older.
_DATED = {
    "comparison": ("created_at",), "suspicion": ("created_at",), "decision": ("at",),
    "alert": ("opened_at", "changed_at", "withdrawn_at", "told_at"), "alert_event": ("at",),
    "alert_text": ("at",), "night": ("started_at", "finished_at"),
}  # fmt: skip
PLAN = Plan(
    name="nightly",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=(KIND,),
            seeds=5, rounds=(5, 10), timeout_s=60,
        ),
    ),
)  # fmt: skip


def farm(catalogue: Catalogue) -> Catalogue:
    """Return the catalogue with the lab's boards, and a plan for them."""
    boards = tuple(Board(name=name, board_type=KIND, lab="east") for name in BOARDS)
    return evolve(
        catalogue,
        boards=(*catalogue.boards, *boards),
        plans={**catalogue.plans, PLAN.name: PLAN},
    )


@define(kw_only=True)
class Story(Lab):
    """Boards of a lab, a branch, and a commit in it that one feature takes back."""

    board_type: str = KIND
    boards: Mapping[str, float] = field(factory=lambda: dict(BOARDS))
    more: str = MAIL
    takes_back: str = "NO_DELAY_DEQUEUE"

    @property
    def settings(self) -> Settings:
        return config.load(self.folder / "vlag.toml")

    def kernel(self, commit: str) -> KernelRecord:
        """Return a commit's kernel; the branch has its head and its base."""
        of = super().kernel(commit)
        return {**of, "branch": "main"} if commit in (self.commits[0], self.commits[LAST]) else of

    def level(self, commit: str) -> float | str:
        return super().level(self.commits[0] if self._is_switched else commit)

    _is_switched: bool = False
    #: What the slower kernel counts for one event of the base, by counter.
    counts: Mapping[str, float] = field(factory=dict)

    def boot(self, commit: str, seed: int, plan: str | None = None, **changes: Any) -> None:
        knobs = changes.get("knobs", {})
        self._is_switched = knobs.get("sched_features") == self.takes_back
        shown = {"/proc/version": "Linux version", FEATURES: "DELAY_DEQUEUE WA_IDLE"}
        super().boot(commit, seed, plan, environment=shown, **changes)
        self._is_switched = False

    def prepare(self) -> None:
        super().prepare()
        path = self.folder / "vlag.toml"
        path.write_text(path.read_text().replace('["qemu-sim-2"]', f'["{KIND}"]'))

    def scatter(self, commit: str, seed: int) -> float:
        lot = random.Random(
            f"{self.commits.index(commit) if commit in self.commits else -1} {seed}"
        )
        return math.exp(lot.gauss(0, 0.004))

    def night(self) -> int:
        """Compare the branch's head with its baseline, and confirm it by a rerun of more boots."""
        head = self.commits[LAST]
        for commit in (self.commits[0], head):
            self.build(commit)
        ids: dict[Stage, int] = {}
        stages: dict[Stage, range] = {"screen": range(1, 6), "confirm": range(6, 11)}
        for stage, seeds in stages.items():
            for seed in seeds:
                for commit in (self.commits[0], head):
                    self.boot(commit, seed, PLAN.name)
            ids[stage] = compare(
                conn=self.conn, catalogue=self.catalogue, board_type=KIND, role="baseline",
                base=KernelRef(text=self.commits[0]), new=KernelRef(text=head),
                baseline="tiny/v1", plan=PLAN, stage=stage,
            ).id  # fmt: skip
        return ids["screen"]

    def toggled(self, id_: int) -> None:
        """Boot the toggles of a comparison to their end, as the lab's queue does."""
        judge = partial(report_on, self.conn, self.catalogue)
        for round_ in range(1, 60):
            asked = toggle_plan.plan(
                self.conn, self.settings, self.catalogue, [id_], judge, round_=round_
            )
            assert not asked.skipped
            if not asked.boots:
                return
            self.made(asked.boots)
        raise AssertionError("it never ends")

    def sampled(self, id_: int) -> None:
        """Sample the cycles of both kernels as the service does by itself."""
        comparison = comparisons.by_id(self.conn, id_)
        assert comparison is not None
        for _ in range(9):  # days
            asked = explain.plan(self.conn, self.settings, self.catalogue, [id_])
            if not asked.boots:
                assert not asked.skipped
                return
            sampled_plan.collect(self.conn, self.catalogue, comparison, self.made(asked.boots))
        raise AssertionError("it never ends")

    def made(self, boots: Iterable[AskedBoot]) -> list[Path]:
        """Make boots that were asked for; return the bundles of those that observe."""
        names = {self.kernel(commit)["digest"]: commit for commit in self.asked}
        folders = []
        for b in boots:
            commit = names[b["kernel"]]
            if b["observes"] is None:
                self.boot(commit, b["seed"], knobs=b["knobs"])
            else:
                folders.append(self.sample(commit, b["seed"], b["observes"]))
        self.store(folders)
        return folders

    def sample(self, commit: str, seed: int, observes: str) -> Path:
        """Return the bundle of a boot that observed.

        It has one of three real reports of perf, or real counters, which differ by the boot.
        """
        side = "base" if self.level(commit) == self.levels[0] else "new"
        report = f"{side}{(seed - 1) % 3 + 1}"
        if observes == Observation.PERF:
            raw = (PERF / f"{report}-stress-ng.txt").read_bytes()
        else:
            level = self.level(commit)
            assert isinstance(level, float)
            raw = bundles.stress_ng(level * self.scatter(commit, seed))
        kind = self.catalogue.board_type(KIND)
        board = {**bundles.BOARD, "name": next(iter(self.boards)), "board_type": KIND,
                 "cpus": kind.cpus, "deterministic": False, "emulator": None}  # fmt: skip
        folder = bundles.run(
            self.folder / "runs" / f"{observes}-{commit[:12]}-{seed}", self.kernel(commit),
            self.catalogue, raw=raw, seed=seed, board=board, observes=observes, plan=None,
        )  # fmt: skip
        if observes == Observation.PERF:
            sampled = gzip.decompress((PERF / f"{report}-report.txt.gz").read_bytes())
            entries = [bundles.add(folder, "raw/perf-report.txt", sampled)]
        else:
            factors = self.counts if side == "new" else {}
            # Nothing but the seed makes boots of a kernel differ.
            pair = snapshots("v16-on", factors, 1 + 0.001 * (seed % 3), 250)
            entries = [
                bundles.add(folder, f"raw/{name}", data)
                for name, data in zip((schedstat.BEFORE, schedstat.AFTER), pair, strict=True)
            ]
        files = json.loads((folder / "run.json").read_text())["files"]
        return bundles.edit(folder, files=[*files, *entries])

    def told(self, ids: Sequence[int]) -> Message:
        """End a night and return the mail that its owner gets; then a day passes."""
        now = datetime.now(UTC)
        key = f"night {len(messages.latest(self.conn, 99))}"
        night_end.tell(
            self.conn, self.catalogue, self.settings,
            night_end.EndedNight(key=key, started=now - timedelta(hours=2), comparisons=ids),
        )  # fmt: skip
        message = messages.latest(self.conn, 1)[-1]
        with planted(self.conn) as conn:
            for table, columns in _DATED.items():
                earlier = ", ".join(f"{c} = {c} - interval '1 day'" for c in columns)
                conn.execute(f"UPDATE {table} SET {earlier}")  # noqa: S608 - constants
        return message
