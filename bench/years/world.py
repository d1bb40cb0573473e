"""A world with truth: a branch, its baselines, boards and tools, and what moves in a year.

Boots are made up, as those of `bench.pictures`, and go straight into the tables.  Everything that
judges is the service's own: comparisons with their reruns, the watch on histories, alerts, mail.
Events are drawn by a seed.  A loss is a share of the work done, 0.06 = 6 %.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from bench.pictures import installation, story
from bench.pictures.boots import Booted, Farm
from tests.integration import bundles
from vlag import config
from vlag.alerts import triage
from vlag.compare import trends
from vlag.compare.kernels import StoredComparison, compare
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.notifications.night import tell
from vlag.store import branch_order, runs
from vlag.store.branch_order import Sight
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

TREE, BRANCH = "linux", "master"
BOARD_TYPES = ("qemu-sim-2", "rpi5")
BENCHMARKS = ("stress-ng-switch", "hackbench-pipe")
BASELINE = "v6.1.*"
#: Losses are drawn from these: from twice what matters to what nobody overlooks.
SIZES = (0.05, 0.06, 0.08, 0.12)
BEGINS = datetime.datetime(2026, 1, 1, 1, 30, tzinfo=datetime.UTC)

#: Where a loss is: board type, benchmark.
Place = tuple[str, str]

_MAIL = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@test"
tls = "none"
[mail.owners]
"linux/master" = ["kim@test"]
"""

#: Name of an event -> how often a night has it, as a share.
EVENTS: Mapping[str, float] = {
    "a loss": 0.035,
    "a revert": 0.05,
    "a date in the future": 0.04,
    "a reset": 0.015,
    "a rebase": 0.015,
    "a new tag of the baseline": 0.04,
    "another baseline": 0.008,
    "a second baseline": 0.008,
    "a tool's update": 0.01,
    "a compiler's update": 0.01,
    "a firmware's update": 0.01,
    "no push": 0.3,
    "a missed night": 0.03,
    "a clock ahead": 0.01,
}


@frozen(kw_only=True)
class Commit:
    """A commit of the branch; `lost` is what all commits up to it have lost."""

    id: str
    date: str  # as its author's clock said
    lost: Mapping[Place, float] = field(factory=dict)  # log ratios, above 0 is worse
    culprits: Mapping[Place, str] = field(factory=dict)  # the commit that lost it

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        return math.exp(self.lost.get((board_type, benchmark), 0.0)), 1.0


@frozen(kw_only=True)
class _Subject(story.Subject):
    """What figures depend on: the commit alone."""

    commit: Commit

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        return self.commit.effect(board_type, benchmark)


@frozen(kw_only=True)
class Night:
    """What a night was, and the truth about it."""

    number: int
    events: Sequence[str]
    head: Commit
    told: int | None  # row of `night`; None: it was missed
    comparisons: Sequence[int] = ()


@define(kw_only=True)
class World:
    """A year in the life of a service; one night after another."""

    conn: Connection
    state: Path
    seed: int
    rates: Mapping[str, float] = field(factory=lambda: EVENTS)
    catalogue: Catalogue = field(init=False)
    settings: Settings = field(init=False)
    farm: Farm = field(init=False)
    rng: np.random.Generator = field(init=False)
    line: list[Commit] = field(init=False)  # the branch, its head last
    pushes: bool = True  # each commit is compared with its parent
    baselines: list[str] = field(factory=lambda: [BASELINE])
    tag: int = 100
    rewritten_at: datetime.datetime | None = None
    count: int = 0
    _kernels: dict[tuple[str, str, str, str], Booted] = field(factory=dict)
    _commits: int = 0
    _booted: set[tuple[Any, ...]] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        """Put boards and the first commit into the world."""
        known = catalogues.load()
        self.catalogue = evolve(known, plans={"nightly": plan()})
        self.farm = Farm(conn=self.conn, catalogue=self.catalogue, state=self.state)
        self.farm.tools["stress-ng"] = "0.15.06"
        self.rng = np.random.Generator(np.random.PCG64(self.seed))
        self.line = [self._commit()]
        self._settle()
        for board_type in BOARD_TYPES:
            kind = self.catalogue.board_type(board_type)
            for name in story.BOARDS[board_type]:
                runs.add_board(self.conn, name=name, board_type=kind)

    @property
    def head(self) -> Commit:
        """Return the head of the branch."""
        return self.line[-1]

    def night(self, events: Iterable[str] | None = None) -> Night:
        """Let a night come with these events, by default with those that are drawn."""
        self.count += 1
        drawn = tuple(self._draw() if events is None else events)
        before = len(self.line)
        for event in drawn:
            self._happen(event)
        if len(self.line) == before and not {"no push", "a reset", "a rebase"} & {*drawn}:
            self._push()
        if "a missed night" in drawn:
            return Night(number=self.count, events=drawn, head=self.head, told=None)
        with self.conn.transaction():
            ids = self._compare()
            ahead = datetime.timedelta(days=1 if "a clock ahead" in drawn else 0)
            now = self._now() + ahead
            told = tell(
                self.conn, self.catalogue, self.settings, key=f"night {self.count}",
                started=now - datetime.timedelta(microseconds=1), ids=ids, now=now,
            )  # fmt: skip
        return Night(
            number=self.count, events=drawn, head=self.head, told=told.night, comparisons=ids
        )

    def _draw(self) -> list[str]:
        return [name for name, rate in self.rates.items() if self.rng.random() < rate]

    def _happen(self, event: str) -> None:
        """Let an event come; one that the world has no place for does not."""
        happen: dict[str, Callable[[], None]] = {
            "a loss": self._loss,
            "a revert": self._revert,
            "a date in the future": lambda: self._push(date="2099-01-01T00:00:00Z"),
            "a reset": self._reset,
            "a rebase": self._rebase,
            "a new tag of the baseline": self._new_tag,
            "another baseline": lambda: self._baselines([f"v6.{6 + self.count}.*"]),
            "a second baseline": lambda: self._baselines([BASELINE, "v6.6.*"]),
            "a tool's update": lambda: self.farm.tools.update({"stress-ng": "0.17.08"}),
            "a compiler's update": lambda: setattr(self.farm, "compiler", f"gcc 14.{self.count}"),
            "a firmware's update": lambda: setattr(self.farm, "firmware", f"1.{self.count}"),
        }
        happen.get(event, lambda: None)()

    def _commit(self, date: str | None = None, **of: Any) -> Commit:
        self._commits += 1
        at = (BEGINS + datetime.timedelta(hours=self._commits)).isoformat()
        name = bundles.sha(f"{self.seed} commit {self._commits}")[:40]
        return Commit(id=name, date=date or at, **of)

    def _push(self, date: str | None = None, **of: Any) -> None:
        given = {"lost": self.head.lost, "culprits": self.head.culprits, **of}
        self.line.append(self._commit(date, **given))

    def _loss(self) -> None:
        where = (str(self.rng.choice([*BOARD_TYPES, "all"])), str(self.rng.choice(BENCHMARKS)))
        places = [(b, where[1]) for b in BOARD_TYPES if where[0] in (b, "all")]
        places = [p for p in places if p not in self.head.lost]  # one at a time can be told apart
        if not places:
            return
        size = -math.log1p(-float(self.rng.choice(SIZES)))
        self._push(lost={**self.head.lost, **dict.fromkeys(places, size)})
        last = self.line.pop()
        culprits = {**self.head.culprits, **dict.fromkeys(places, last.id)}
        self.line.append(evolve(last, culprits=culprits))

    def _revert(self) -> None:
        bad = sorted({*self.head.culprits.values()})
        if not bad:
            return
        gone = str(self.rng.choice(bad))
        kept = {p: c for p, c in self.head.culprits.items() if c != gone}
        self._push(lost={p: x for p, x in self.head.lost.items() if p in kept}, culprits=kept)

    def _reset(self) -> None:
        if len(self.line) > 3:
            del self.line[-int(self.rng.integers(1, 3)) :]
            self.rewritten_at = self._now()

    def _rebase(self) -> None:
        """Write the last two commits anew on what they stand on, and one more."""
        if len(self.line) > 3:
            last = self.line[-2:]
            del self.line[-2:]
            self.rewritten_at = self._now()
            for old in last:
                self._push(lost=old.lost)
                new = self.line.pop()
                culprits = {p: new.id if c == old.id else c for p, c in old.culprits.items()}
                known = {c.id for c in self.line} | {new.id}
                culprits = {p: c if c in known else new.id for p, c in culprits.items()}
                self.line.append(evolve(new, culprits=culprits))

    def _new_tag(self) -> None:
        self.tag += 1

    def _baselines(self, names: list[str]) -> None:
        self.baselines = names
        self._settle()

    def _settle(self) -> None:
        """Write the settings anew."""
        of = {"branch": BRANCH, "board_types": str(list(BOARD_TYPES)).replace("'", '"')}
        sections = "".join(installation.BRANCH.format(baseline=b, **of) for b in self.baselines)
        path = self.state / "vlag.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = installation.SETTINGS.format(state=self.state, branches=sections)
        path.write_text(text + _MAIL)
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
                name, tree=TREE, commit=commit.id, branch=branch, describe=name, subject=name,
                committed_at=commit.date, arch=arch,
            )  # fmt: skip
            at = BEGINS + datetime.timedelta(days=self.count)
            subject = _Subject(branch=branch, share=0.0, name=name, commit=commit)
            self._kernels[key] = self.farm.kernel(identity, subject, at)
        return self._kernels[key]

    def _see(self, commit: Commit) -> None:
        """Note the place of a commit in the branch, as a build of it does."""
        number = next((i for i, c in enumerate(self.line, 1) if c.id == commit.id), None)
        branch_order.put(self.conn, TREE, commit.id, Sight(
            branch=BRANCH, head=self.head.id, head_number=len(self.line), number=number,
            rewritten_at=self.rewritten_at, looked_at=self._now(),
        ))  # fmt: skip

    def _compare(self) -> list[int]:
        """Boot and compare what came since the last night, and the head; return the comparisons."""
        ids: list[int] = []
        fresh = [c for c in self.line if (c.id, "x86_64", BRANCH) not in self._known()]
        for commit in fresh[-4:] or [self.head]:
            self._see(commit)
        self._see(self.head)
        # All entries of the settings have the same.
        for board_type in self.catalogue.types_of(self.settings.branches[0].board_types):
            arch = self.catalogue.board_type(board_type).arch
            for commit in fresh[-4:] if self.pushes else ():
                at = self.line.index(commit)
                if at:
                    ids += self._pair(self.line[at - 1], commit, board_type, arch, "parent", None)
            for name in self.baselines:
                tag = name.replace("*", str(self.tag))
                base = Commit(id=bundles.sha(f"{self.seed} {tag}")[:40], date=BEGINS.isoformat())
                kernel = self._kernel(tag, base, arch, tag)
                ids += self._pair(kernel, self.head, board_type, arch, "baseline", f"{TREE}/{name}")
        trends.follow(self.conn, self.settings, self.catalogue, lambda _words: None)
        return ids

    def _known(self) -> set[tuple[str, str, str]]:
        return {(commit, arch, branch) for commit, arch, branch, _compiler in self._kernels}

    def _pair(
        self, base: Commit | Booted, new: Commit, board_type: str, arch: str, role: str,
        baseline: str | None,
    ) -> list[int]:  # fmt: skip
        """Boot two kernels, compare them, and boot again what is suspected."""
        both = [
            of if isinstance(of, Booted) else self._kernel(of.id[:12], of, arch, BRANCH)
            for of in (base, new)
        ]
        for of in both:
            self._boot(of, board_type, None)
        screen = self._compared(both, board_type, role, baseline, "screen")
        asked = {*screen.proof, *screen.better} - {*screen.settled}
        if not asked:
            return [screen.id]
        for of in both:
            self._boot(of, board_type, asked)
        more = self._compared(
            both, board_type, role, baseline, "confirm", round_=1, benchmarks=frozenset(asked)
        )
        return [screen.id, more.id]

    def _boot(self, of: Booted, board_type: str, again: set[str] | None) -> None:
        """Boot a kernel as a night does: a deterministic board only once, `again` for a rerun."""
        deterministic = self.catalogue.board_type(board_type).deterministic
        at = BEGINS + datetime.timedelta(days=self.count, hours=0 if again is None else 3)
        for entry in self.catalogue.plan("nightly").entries:
            if board_type not in entry.board_types:
                continue
            if again is not None and entry.benchmark not in again:
                continue
            key = (
                of.id, board_type, entry.benchmark, again is None, self.farm.compiler,
                self.farm.tools["stress-ng"], None if deterministic else self.count,
            )  # fmt: skip
            if key not in self._booted:
                self._booted.add(key)
                seeds = range(1, 6) if again is None else range(6, 16)
                at = self.farm.boot(of, board_type, entry, list(seeds), at, 0.0)
        self.farm.flush()

    def _compared(
        self, both: Sequence[Booted], board_type: str, role: str, baseline: str | None,
        stage: Any, **more: Any,
    ) -> StoredComparison:  # fmt: skip
        base, new = (KernelRef(text=of.identity["digest"]) for of in both)
        return compare(
            conn=self.conn, catalogue=self.catalogue, board_type=board_type, role=role,
            base=base, new=new, plan=self.catalogue.plan("nightly"), stage=stage,
            baseline=baseline, **more,
        )  # fmt: skip

    def close(self, alert: int, state: str) -> None:
        """Let a person say what becomes of an alert."""
        triage.set_state(self.conn, alert, state, by="kim", why="as agreed")


def plan() -> Plan:
    """Return the nightly plan: five boots of each entry, ten more to confirm."""
    return Plan(
        name="nightly",
        entries=tuple(
            PlanEntry(
                benchmark=name, parameters={}, board_types=BOARD_TYPES, seeds=5, rounds=(10,),
                timeout_s=240,
            )
            for name in BENCHMARKS
        ),
    )  # fmt: skip
