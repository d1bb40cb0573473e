# SPDX-License-Identifier: GPL-2.0-only
"""A tree with its commits, and boots that a test makes when a search asks for them."""

from __future__ import annotations

import json
import math
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field
from click.testing import CliRunner

from tests.integration import bundles, tiny_tree
from tests.repositories import WorkTree
from vlag import config
from vlag.bundle_records import KernelRecord
from vlag.cli import bisect_steps
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.kernel import mirror, series
from vlag.pipeline.build_stage import identify
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

SCATTER = (1.0, 1.001, 0.999, 1.0005, 0.9995, 1.0002, 0.9998, 1.0008, 0.9992, 1.0)
LAST = 8  # commits on top of the good one


@define(kw_only=True)
class Lab:
    """A tree with its commits, and boots that the test makes when they are asked for."""

    conn: Connection
    dsn: str
    catalogue: Catalogue
    folder: Path
    levels: Mapping[int, float | str]  # from a commit on: a level, or why it does not build
    commits: list[str] = field(factory=list)
    asked: list[str] = field(factory=list)  # kernels that were built, in order
    booted: int = 0
    fresh: set[int] = field(factory=set)  # seeds beyond the first ones
    more: str = ""  # settings
    rare: tuple[int, float] | None = None  # from a commit on, a share of its boots loses 38 %
    board_type: str = "qemu-sim-2"
    lot: int = 0
    tree: str = "tiny"  # that boots
    mends: Mapping[int, int] = field(factory=dict)  # commits that say that they mend another one
    boards: Mapping[str, float] = field(factory=dict)  # of hardware: by how much each is faster

    @property
    def mirror(self) -> Path:
        return self.folder / f"state/mirrors/{self.tree}.git"

    @property
    def env(self) -> dict[str, str]:
        return {"VLAG_DATABASE": self.dsn, "VLAG_SETTINGS": str(self.folder / "vlag.toml")}

    def prepare(self) -> None:
        url = self.folder / "tiny"
        settings = tiny_tree.settings(url).replace(
            "[[branches]]", 'web = "https://example.org/tiny/{commit}"\n[[branches]]'
        )
        (self.folder / "vlag.toml").write_text(settings + self.more)
        tree = WorkTree(url)
        for n in range(LAST + 1):
            path = f"{'mm' if n == 3 else 'kernel/sched'}/{n}.c"
            message = f"sched: change {n}"
            if n in self.mends:
                message += f"\n\nFixes: {self.commits[self.mends[n]][:12]}"
            self.commits.append(tree.commit(message, **{path: f"{n}\n"}))
        self.mirror.parent.mkdir(parents=True)
        subprocess.run(["git", "clone", "--quiet", "--mirror", url, self.mirror], check=True)

    def level(self, commit: str) -> float | str:
        if commit not in self.commits:
            return self.levels[0]  # the culprit is reverted
        n = self.commits.index(commit)
        return self.levels[max(k for k in self.levels if k <= n)]

    def store(self, paths: Sequence[Path]) -> None:
        bundles.store(self.conn, self.catalogue, paths)

    def kernel(self, commit: str) -> KernelRecord:
        return identify(
            self.catalogue.board_type(self.board_type), tree=self.tree, branch=commit,
            commit=mirror.resolve(self.mirror, commit), series=None, applied=series.NONE,
            patches=(),
        )  # fmt: skip

    def named(self, commit: str) -> str:
        """Return a commit's name in a path."""
        return f"{self.board_type}-{self.tree}-{commit[:12]}"

    def build(self, commit: str) -> None:
        level, of = self.level(commit), self.kernel(commit)
        failed = {"outcome": "build_failed", "reason": level} if isinstance(level, str) else {}
        self.asked.append(commit)
        folder = self.folder / "builds" / self.named(commit)
        self.store([bundles.build(folder, of, **failed)])

    def boot(self, commit: str, seed: int, plan: str | None = None, **changes: Any) -> None:
        level = self.level(commit)
        assert isinstance(level, float)
        level *= self.scatter(commit, seed)
        if self.boards:
            # The queue gives a boot without a place to the board that is free.
            free = list(self.boards)[self.booted % len(self.boards)]
            name = changes.pop("place", None) or free
            level *= self.boards[name]
            kind = self.catalogue.board_type(self.board_type)
            changes["board"] = {
                **bundles.BOARD, "name": name, "board_type": kind.name, "cpus": kind.cpus,
                "deterministic": kind.deterministic, "emulator": None,
            }  # fmt: skip
        raw = changes.pop("raw", bundles.stress_ng(level))
        folder = self.folder / "runs" / f"{self.named(commit)}-{seed}"
        run = bundles.run(folder, self.kernel(commit), self.catalogue, raw=raw, seed=seed,
                          plan=plan, **changes)  # fmt: skip
        self.store([run])
        self.booted += 1
        self.fresh |= {seed} if seed > 20 else set()

    def scatter(self, commit: str, seed: int) -> float:
        """Return by what a boot differs from its kernel's level: with a mode, by lot."""
        number = self.commits.index(commit) if commit in self.commits else -1
        if self.boards:
            return math.exp(random.Random(f"{self.lot} {number} {seed}").gauss(0, 0.01))
        if self.rare is None:
            return SCATTER[seed % len(SCATTER)]
        first, share = self.rare
        lot = random.Random(f"{number} {seed}")
        shown = lot.random() < share and number >= first
        return (0.62 if shown else 1.0) * (1 + lot.gauss(0, 0.0005))

    def compared(self, first: int = 0, last: int = LAST, role: str = "baseline") -> int:
        """Return a comparison of two commits, as a night has it."""
        for n in (first, last):
            if self.commits[n] not in self.asked:
                self.build(self.commits[n])
                for seed in range(1, 6):
                    self.boot(self.commits[n], seed, "nightly")
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type=self.board_type, role=role,
            base=KernelRef(text=self.kernel(self.commits[first])["digest"]),
            new=KernelRef(text=self.kernel(self.commits[last])["digest"]),
        ).id  # fmt: skip

    def next(self, *ids: int) -> dict[str, Any]:
        """Return what `vlag bisect-steps` answers."""
        settings = config.load(self.folder / "vlag.toml")
        return bisect_steps.answer(bisect_steps.next_of(self.conn, settings, self.catalogue, ids))

    def command(self, *ids: int) -> dict[str, Any]:
        """Return the same from the command."""
        words = ["bisect-steps", *map(str, ids), "--format", "json"]
        done = CliRunner().invoke(main, words, env=self.env)
        assert done.exit_code == 0, done.output
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    def make(self, answer: Mapping[str, Any], boots: int | None = None) -> None:
        """Build and boot what was asked for; of the boots so many."""
        for b in answer["builds"]:
            self.build(b["ref"])
        names = {self.kernel(c)["digest"]: c for c in self.asked}
        for b in answer["boots"][:boots]:
            self.boot(names[b["kernel"]], b["seed"])

    def search(self, *ids: int) -> dict[str, Any]:
        """Follow the search to its end."""
        for _ in range(60):
            answer = self.next(*ids)
            if not answer["builds"] and not answer["boots"]:
                return answer
            self.make(answer)
        raise AssertionError("it never ends")
