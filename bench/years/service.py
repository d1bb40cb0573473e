# SPDX-License-Identifier: GPL-2.0-only
"""The service in a simulated world: its settings, its nightly plan, its boots and what it says.

Boots are made up and go straight into the tables.  Everything that judges is the service's own:
comparisons with their reruns, the watch on histories, alerts, mail.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from bench.pictures import installation, story
from bench.pictures.made_up_boots import Booted
from bench.years.boards import REAL, Boards
from bench.years.commits import BEGINS, Commit, Line, Place
from tests.integration import bundles
from vlag import config
from vlag.alerts import triage
from vlag.compare import trends
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry, canonical_json
from vlag.notifications.night_end import EndedNight, tell
from vlag.stats import stages
from vlag.store import boards, branch_order, runs
from vlag.store.boards import State
from vlag.store.branch_order import Sight
from vlag.store.database import Connection

TREE = "linux"
BOARD_TYPES = ("qemu-sim-2", REAL)
BENCHMARKS = ("stress-ng-switch", "hackbench-pipe")
BASELINE = "v6.1.*"
#: Boots a side of a screen, and of a rerun at the end of each round.
SEEDS, ROUNDS = 5, stages.ROUNDS

_MAIL = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@test"
tls = "none"
[mail.owners]
"linux/{branch}" = ["kim@test"]
# Every board scatters here as a real one does.
[alerts]
deterministic = 100.0
"""


@frozen(kw_only=True)
class _Subject(story.Subject):
    """What figures depend on: the commit, and the parameters of the plan."""

    commit: Commit

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        return self.commit.effect(board_type, benchmark)


@define(kw_only=True)
class Service:
    """A service that watches a branch; one night after another."""

    conn: Connection
    state: Path
    seed: int
    catalogue: Catalogue = field(init=False)
    settings: Settings = field(init=False)
    farm: Boards = field(init=False)
    rng: np.random.Generator = field(init=False)
    line: Line = field(init=False)
    branch: str = "master"
    pushes: bool = True  # each commit is compared with its parent
    baselines: list[str] = field(factory=lambda: [BASELINE])
    tag: int = 100
    rewritten_at: datetime.datetime | None = None
    count: int = 0  # nights so far
    _kernels: dict[tuple[str, str, str, str], Booted] = field(factory=dict)
    _booted: set[tuple[Any, ...]] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        """Put boards and the first commit into the world."""
        self.catalogue = evolve(_catalogue(), plans={"nightly": plan()})
        self.farm = Boards(
            conn=self.conn, catalogue=self.catalogue, state=self.state, seed=self.seed
        )
        self.farm.tools["stress-ng"] = "0.15.06"
        self.rng = np.random.Generator(np.random.PCG64(self.seed))
        places = [(b, name) for b in BOARD_TYPES for name in BENCHMARKS]
        self.line = Line(seed=self.seed, rng=self.rng, places=places)
        self._settle()
        for board_type in BOARD_TYPES:
            for name in story.BOARDS[board_type]:
                self._add_board(name, board_type)

    @property
    def head(self) -> Commit:
        """Return the head of the branch."""
        return self.line.head

    @property
    def watched(self) -> bool:
        """Return whether the settings have the branch."""
        return True

    def _places(self) -> frozenset[Place]:
        """Return what the plan and the catalogue measure."""
        return frozenset(
            (board_type, entry.benchmark)
            for entry in self.catalogue.plan("nightly").entries
            for board_type in entry.board_types
            if self.watched
            and any(m.compared for m in self.catalogue.benchmark(entry.benchmark).metrics)
        )

    def _add_board(self, name: str, board_type: str) -> None:
        runs.add_board(self.conn, name=name, board_type=self.catalogue.board_type(board_type))

    def _know(self, catalogue: Catalogue) -> None:
        self.catalogue = self.farm.catalogue = catalogue

    def _plan(self, new: Plan) -> None:
        self._know(evolve(self.catalogue, plans={"nightly": new}))

    def _settle(self) -> None:
        """Write the settings anew."""
        name = self.branch if self.watched else "another"
        path = self.state / "vlag.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = installation.text(self.state, BOARD_TYPES, [name], self.baselines)
        path.write_text(text + _MAIL.format(branch=name))
        self.reload()

    def reload(self) -> None:
        """Read the settings again."""
        self.settings = config.load(self.state / "vlag.toml")

    def _now(self) -> datetime.datetime:
        row = self.conn.execute("SELECT clock_timestamp()").fetchone()
        assert row is not None
        now: datetime.datetime = row[0]
        return now

    def _kernel(self, name: str, commit: Commit, arch: str, branch: str) -> Booted:
        """Put a kernel on record, built by tonight's compiler."""
        key = (commit.id, arch, branch, self.farm.compiler)
        if key not in self._kernels:
            identity = bundles.kernel(
                name, tree=TREE, commit=commit.id, branch=branch, describe=name,
                subject=self.line.first_name(commit.id)[:12],  # a rebase keeps it
                committed_at=commit.date, arch=arch,
            )  # fmt: skip
            at = BEGINS + datetime.timedelta(days=self.count)
            subject = _Subject(branch=branch, share=0.0, name=name, commit=commit)
            self._kernels[key] = self.farm.kernel(identity, subject, at)
        return self._kernels[key]

    def _see(self, commit: Commit) -> None:
        """Note the place of a commit in the branch, as a build of it does."""
        line = self.line.commits
        number = next((i for i, c in enumerate(line, 1) if c.id == commit.id), None)
        branch_order.put(self.conn, TREE, commit.id, Sight(
            branch=self.branch, head=self.head.id, head_number=len(line), number=number,
            rewritten_at=self.rewritten_at, looked_at=self._now(),
            history=[c.id for c in line[-2::-1]],
        ))  # fmt: skip

    def _compare(self) -> tuple[list[int], list[Commit]]:
        """Boot and compare what came since the last night, and the head.

        Return the comparisons, and the commits that were to be compared with their parents.
        """
        ids: list[int] = []
        line, known = self.line.commits, self._known()
        fresh = [c for c in line if (c.id, "x86_64", self.branch) not in known][-4:]
        for commit in fresh or [self.head]:
            self._see(commit)
        self._see(self.head)
        fresh = [c for c in fresh if c is not line[0]]
        # All entries of the settings have the same.
        for board_type in self.catalogue.types_of(self.settings.branches[0].board_types):
            arch = self.catalogue.board_type(board_type).arch
            for commit in fresh if self.pushes else ():
                parent = line[line.index(commit) - 1]
                ids += self._pair(parent, commit, board_type, arch, "parent", None)
            for name in self.baselines:
                tag = name.replace("*", str(self.tag))
                base = Commit(id=bundles.sha(f"{self.seed} {tag}")[:40], date=BEGINS.isoformat())
                kernel = self._kernel(tag, base, arch, tag)
                called = f"{TREE}/{name}"
                ids += self._pair(kernel, self.head, board_type, arch, "baseline", called)
        trends.follow(self.conn, self.settings, self.catalogue)
        return ids, fresh

    def _known(self) -> set[tuple[str, str, str]]:
        return {(commit, arch, branch) for commit, arch, branch, _compiler in self._kernels}

    def _pair(
        self, base: Commit | Booted, new: Commit, board_type: str, arch: str, role: str,
        baseline: str | None,
    ) -> list[int]:  # fmt: skip
        """Boot two kernels, compare them, and boot again what is suspected."""
        older, newer = both = [
            kernel
            if isinstance(kernel, Booted)
            else self._kernel(kernel.id[:12], kernel, arch, self.branch)
            for kernel in (base, new)
        ]
        for kernel in both:
            self._boot(kernel, board_type)
        compared = self.farm.compare(older, newer, board_type, role, "screen", baseline=baseline)
        ids = [compared.id]
        asked = {*compared.proof, *compared.better} - {*compared.settled}
        for number in range(1, len(ROUNDS) + 1):
            if not asked:
                break
            for kernel in both:
                self._boot(kernel, board_type, asked, number)
            compared = self.farm.compare(
                older, newer, board_type, role, "confirm", baseline=baseline, round_=number,
                benchmarks=frozenset(asked),
            )  # fmt: skip
            ids.append(compared.id)
            asked = {*compared.open}
        return ids

    def _boot(
        self, kernel: Booted, board_type: str, again: set[str] | None = None, round_: int = 0
    ) -> None:
        """Boot a kernel as a night does: a deterministic board only once.

        `again` are the benchmarks of a rerun's round, counted from 1.
        """
        deterministic = self.catalogue.board_type(board_type).deterministic
        at = BEGINS + datetime.timedelta(days=self.count, hours=3 * round_)
        for entry in self.catalogue.plan("nightly").entries:
            if board_type not in entry.board_types:
                continue
            if again is not None and entry.benchmark not in again:
                continue
            key = (
                kernel.id, board_type, entry.benchmark, round_, self.farm.compiler,
                self.farm.tools["stress-ng"], None if deterministic else self.count,
                canonical_json(dict(entry.parameters)),
                len(self.catalogue.benchmark(entry.benchmark).metrics),
            )  # fmt: skip
            if key not in self._booted:
                self._booted.add(key)
                ends = [0, SEEDS, *(SEEDS + boots for boots in ROUNDS)]
                seeds = range(ends[round_] + 1, ends[round_ + 1] + 1)
                at = self.farm.boot(kernel, board_type, entry, list(seeds), at, 0.0)
        self.farm.flush()

    def close(self, alert: int, state: str) -> None:
        """Let a person say what becomes of an alert."""
        triage.set_state(self.conn, alert, state, by="kim", why="as agreed")

    def _tell(self, ids: Sequence[int], ahead: datetime.timedelta, *, times: int) -> int:
        """End a night as often as is said, by a clock that is ahead; return its row."""
        now = self._now() + ahead
        began = now - datetime.timedelta(microseconds=1)
        night = EndedNight(key=f"night {self.count}", started=began, comparisons=ids, finished=now)
        ended = [tell(self.conn, self.catalogue, self.settings, night) for _ in range(times)]
        states = boards.states(self.conn)
        self.farm.out = frozenset(n for n, s in states.items() if s.state == boards.MAINTENANCE)
        return ended[0].night

    def _repair(self) -> None:
        """Put boards back into service, as a person does after a repair."""
        now = self._now()
        for name in sorted(self.farm.out):
            boards.close_doubt(self.conn, board=name, until=now, lifted_by=None)
            boards.put_state(self.conn, State(
                board=name, state=boards.GOOD, since=now, reason="repaired", by="ada",
                new_band=True,
            ))  # fmt: skip
        self.farm.out = frozenset()


@cache
def _catalogue() -> Catalogue:
    """Return the repository's; it takes as long to read as a night to live through."""
    return catalogues.load()


def plan() -> Plan:
    """Return the nightly plan; a rerun of it has as many rounds as the plans of `lava-jobs`."""
    return Plan(
        name="nightly",
        entries=tuple(
            PlanEntry(
                benchmark=name, parameters={}, board_types=BOARD_TYPES, seeds=SEEDS, rounds=ROUNDS,
                timeout_s=240,
            )
            for name in BENCHMARKS
        ),
    )  # fmt: skip
