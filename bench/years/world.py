"""A world with truth: a branch, its baselines, boards, tools and people, and what moves in a year.

Boots are made up and go straight into the tables.  Everything that judges is the service's own:
comparisons with their reruns, the watch on histories, alerts, mail.  Events are drawn by a seed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from bench.pictures import installation, story
from bench.pictures.boots import Booted
from bench.years.boards import BAD, REAL, Boards
from bench.years.commits import BEGINS, STEPS, Commit, Line, Place
from tests.integration import bundles
from vlag import config
from vlag.alerts import triage
from vlag.compare import trends
from vlag.compare.kernels import StoredComparison, compare
from vlag.config import Settings
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry, canonical_json
from vlag.notifications.night import tell
from vlag.store import branch_order, renames, runs
from vlag.store.branch_order import Sight
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

TREE = "linux"
BOARD_TYPES = ("qemu-sim-2", REAL)
BENCHMARKS = ("stress-ng-switch", "hackbench-pipe")
BASELINE = "v6.1.*"

_MAIL = """
[mail]
smtp = "127.0.0.1:25"
from = "vlag@test"
tls = "none"
[mail.owners]
"linux/{branch}" = ["kim@test"]
"""

#: Name of an event -> how often a night has it, as a share.
EVENTS: Mapping[str, float] = {
    "a loss": 0.035,
    "a revert": 0.05,
    "a gain": 0.01,
    "a slow loss": 0.006,
    "a date in the future": 0.04,
    "a reset": 0.015,
    "a rebase": 0.015,
    "a new tag of the baseline": 0.04,
    "another baseline": 0.008,
    "a second baseline": 0.008,
    "a tool's update": 0.01,
    "a compiler's update": 0.01,
    "a firmware's update": 0.01,
    "bad boots": 0.006,
    "a second mode": 0.004,
    "a board joins": 0.006,
    "a board leaves": 0.008,
    "a board drifts": 0.006,
    "a benchmark out of the plan": 0.006,
    "a metric out of the catalogue": 0.006,
    "another parameter": 0.006,
    "a metric is renamed": 0.004,
    "the branch is renamed": 0.004,
    "the branch is not watched": 0.004,
    "no push": 0.3,
    "a missed night": 0.03,
    "a clock ahead": 0.01,
    "the night comes twice": 0.01,
}
#: Events that last -> between how many nights.
LENGTHS: Mapping[str, tuple[int, int]] = {
    "bad boots": (20, 60),
    "a second mode": (20, 60),
    "a board drifts": (30, 90),
    "a benchmark out of the plan": (6, 15),
    "a metric out of the catalogue": (6, 15),
    "the branch is not watched": (5, 10),
}
#: What a night has while a slow loss is under way, as a share of nights with its next step.
_NEXT_STEP = 0.5
#: Named in the events of each night that has more than one real board.
SEVERAL = "several boards"


@frozen(kw_only=True)
class _Subject(story.Subject):
    """What figures depend on: the commit, and the parameters of the plan."""

    commit: Commit

    def effect(self, board_type: str, benchmark: str) -> tuple[float, float]:
        """Return the factors of times and of the tail."""
        return self.commit.effect(board_type, benchmark)


@frozen(kw_only=True)
class Night:
    """What a night was, and the truth about it."""

    number: int
    events: Sequence[str]  # those that came, and those that go on
    head: Commit
    branch: str
    told: int | None  # row of `night`; None: it was missed
    places: frozenset[Place] = frozenset()  # what it measured
    fresh: Sequence[Commit] = ()  # that are compared with their parents
    comparisons: Sequence[int] = ()


@define(kw_only=True)
class World:
    """A year in the life of a service; one night after another."""

    conn: Connection
    state: Path
    seed: int
    rates: Mapping[str, float] = field(factory=lambda: EVENTS)
    lengths: Mapping[str, tuple[int, int]] = field(factory=lambda: LENGTHS)
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
    count: int = 0
    #: Event -> the night after its last one, and how it ends.
    lasting: dict[str, tuple[int, Callable[[], None]]] = field(factory=dict)
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
        return "the branch is not watched" not in self.lasting

    def night(self, events: Iterable[str] | None = None) -> Night:
        """Let a night come with these events, by default with those that are drawn."""
        self.count += 1
        for name, (until, end) in list(self.lasting.items()):
            if until <= self.count:
                del self.lasting[name]
                end()
        drawn = tuple(self._draw() if events is None else events)
        before = self.head.id
        for event in drawn:
            self._happen(event)
        if self.head.id == before and not {"no push", "a reset"} & {*drawn}:
            self._push()
        several = (SEVERAL,) if len(self.farm.real) > 1 else ()
        words = tuple(dict.fromkeys((*drawn, *self.lasting, *several)))
        night = Night(
            number=self.count, events=words, head=self.head, branch=self.branch, told=None
        )
        if "a missed night" in drawn:
            return night
        with self.conn.transaction():
            ids, fresh = self._compare() if self.watched else ([], [])
            ahead = datetime.timedelta(days=1 if "a clock ahead" in drawn else 0)
            now = self._now() + ahead
            told = [
                tell(
                    self.conn, self.catalogue, self.settings, key=f"night {self.count}",
                    started=now - datetime.timedelta(microseconds=1), ids=ids, now=now,
                )
                for _ in range(2 if "the night comes twice" in drawn else 1)
            ]  # fmt: skip
        return evolve(
            night, told=told[0].night, places=self._places(), comparisons=ids, fresh=fresh,
        )  # fmt: skip

    def _places(self) -> frozenset[Place]:
        """Return what the plan and the catalogue measure."""
        return frozenset(
            (board_type, entry.benchmark)
            for entry in self.catalogue.plan("nightly").entries
            for board_type in entry.board_types
            if self.watched
            and any(m.compared for m in self.catalogue.benchmark(entry.benchmark).metrics)
        )

    def _draw(self) -> list[str]:
        return [name for name, rate in self.rates.items() if self.rng.random() < rate]

    def _happen(self, event: str) -> None:
        """Let an event come; one that the world has no place for does not."""
        happen: dict[str, Callable[[], None]] = {
            "a loss": self.line.lose,
            "a revert": self.line.revert,
            "a gain": self.line.gain,
            "a slow loss": self.line.lose_slowly,
            "a date in the future": lambda: self._push(date="2099-01-01T00:00:00Z"),
            "a reset": lambda: self._rewrite(self.line.reset),
            "a rebase": lambda: self._rewrite(self.line.rebase),
            "a new tag of the baseline": lambda: setattr(self, "tag", self.tag + 1),
            "another baseline": lambda: self._baselines([f"v6.{6 + self.count}.*"]),
            "a second baseline": lambda: self._baselines([BASELINE, "v6.6.*"]),
            "a tool's update": self._update_tool,
            "a compiler's update": lambda: self._update(compiler=f"gcc 14.{self.count}"),
            "a firmware's update": lambda: self._update([REAL], firmware=f"1.{self.count}"),
            "bad boots": self._bad_boots,
            "a second mode": self._second_mode,
            "a board joins": self._join,
            "a board leaves": self.farm.leave,
            "a board drifts": self._drift,
            "a benchmark out of the plan": self._leave_plan,
            "a metric out of the catalogue": self._leave_catalogue,
            "another parameter": self._another_parameter,
            "the branch is renamed": self._rename,
            "a metric is renamed": self._rename_metric,
            "the branch is not watched": self._leave_settings,
        }
        happen.get(event, lambda: None)()

    def _push(self, date: str | None = None, **of: Any) -> None:
        """Push a commit: what is given, the next step of a slow loss, or no change."""
        slow = any(n < STEPS for n in self.head.slow.values())
        if slow and not (date or of) and self.rng.random() < _NEXT_STEP:
            self.line.lose_slowly()
        else:
            self.line.push(date, **of)

    def _rewrite(self, how: Callable[[], bool]) -> None:
        if how():
            self.rewritten_at = self._now()

    def _baselines(self, names: list[str]) -> None:
        self.baselines = names
        self._settle()

    def _lasts(self, event: str, end: Callable[[], None]) -> bool:
        """Let an event go on for some nights; return whether it has just begun."""
        if event in self.lasting:
            return False
        nights = int(self.rng.integers(*self.lengths[event]))
        self.lasting[event] = (self.count + nights, end)
        return True

    def _update(self, board_types: Sequence[str] = BOARD_TYPES, **what: Any) -> None:
        """Update a compiler or firmware: levels move."""
        places = [p for p in self.line.places if p[0] in board_types]
        self.farm.update(what, places)

    def _update_tool(self) -> None:
        if self.farm.tools["stress-ng"] == "0.15.06":
            tools = {**self.farm.tools, "stress-ng": "0.17.08"}
            self.farm.update({"tools": tools}, [(b, BENCHMARKS[0]) for b in BOARD_TYPES])

    def _bad_boots(self) -> None:
        if self._lasts("bad boots", lambda: setattr(self.farm, "bad", 0.0)):
            self.farm.bad = BAD

    def _second_mode(self) -> None:
        if self._lasts("a second mode", self.farm.second.clear):
            place = self.line.places[int(self.rng.integers(len(self.line.places)))]
            self.farm.bimodal(place)

    def _join(self) -> None:
        name = self.farm.join()
        if name is not None:
            self._add_board(name, REAL)

    def _add_board(self, name: str, board_type: str) -> None:
        runs.add_board(self.conn, name=name, board_type=self.catalogue.board_type(board_type))

    def _drift(self) -> None:
        if self._lasts("a board drifts", lambda: self.farm.drift(self.count)):
            self.farm.drift(self.count)

    def _know(self, catalogue: Catalogue) -> None:
        self.catalogue = self.farm.catalogue = catalogue

    def _leave_plan(self) -> None:
        """Let a benchmark leave the plan for some nights."""
        whole = self.catalogue.plan("nightly")
        name = str(self.rng.choice(BENCHMARKS))
        gone = tuple(e for e in whole.entries if e.benchmark == name)

        def back() -> None:
            now = self.catalogue.plan("nightly")
            self._plan(evolve(now, entries=(*now.entries, *gone)))

        if self._lasts("a benchmark out of the plan", back):
            self._plan(evolve(whole, entries=tuple(e for e in whole.entries if e not in gone)))

    def _plan(self, new: Plan) -> None:
        self._know(evolve(self.catalogue, plans={"nightly": new}))

    def _leave_catalogue(self) -> None:
        """Let the metric that is compared leave the catalogue for some nights."""
        name = BENCHMARKS[0]
        known = self.catalogue.benchmark(name)

        def put(benchmark: Any) -> None:
            of = {**self.catalogue.benchmarks, name: benchmark}
            self._know(evolve(self.catalogue, benchmarks=of))

        if self._lasts("a metric out of the catalogue", lambda: put(known)):
            put(evolve(known, metrics=tuple(m for m in known.metrics if not m.compared)))

    def _another_parameter(self) -> None:
        """Let the plan run a benchmark with another parameter, for good."""
        now = self.catalogue.plan("nightly")
        groups = 3 + self.count
        self._plan(
            evolve(
                now,
                entries=tuple(
                    evolve(e, parameters={"groups": groups}) if e.benchmark == BENCHMARKS[1] else e
                    for e in now.entries
                ),
            )
        )

    def _rename_metric(self) -> None:
        """Give the metric of a benchmark another name, and tell the catalogue the old one."""
        of = self.catalogue.benchmark(BENCHMARKS[1])
        [old] = of.metrics
        new = evolve(old, name=f"time-{self.count}", formerly=(old.name, *old.formerly))
        known = {**self.catalogue.benchmarks, of.name: evolve(of, metrics=(new,))}
        self._know(evolve(self.catalogue, benchmarks=known))
        renames.apply(self.conn, self.catalogue.benchmarks.values())  # as an ingest does
        self.farm.forget_series()

    def _leave_settings(self) -> None:
        """Let the settings be without the branch for some nights."""
        if self._lasts("the branch is not watched", self._settle):
            self._settle()

    def _rename(self) -> None:
        """Rename the branch; the settings follow on the same day."""
        self.branch = f"main-{self.count}"
        self._settle()

    def _settle(self) -> None:
        """Write the settings anew."""
        types = str(list(BOARD_TYPES)).replace("'", '"')
        name = self.branch if self.watched else "another"
        of = {"branch": name, "board_types": types}
        sections = "".join(installation.BRANCH.format(baseline=b, **of) for b in self.baselines)
        path = self.state / "vlag.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = installation.SETTINGS.format(state=self.state, branches=sections)
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
                name, tree=TREE, commit=commit.id, branch=branch, describe=name, subject=name,
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
        trends.follow(self.conn, self.settings, self.catalogue, lambda _words: None)
        return ids, fresh

    def _known(self) -> set[tuple[str, str, str]]:
        return {(commit, arch, branch) for commit, arch, branch, _compiler in self._kernels}

    def _pair(
        self, base: Commit | Booted, new: Commit, board_type: str, arch: str, role: str,
        baseline: str | None,
    ) -> list[int]:  # fmt: skip
        """Boot two kernels, compare them, and boot again what is suspected."""
        both = [
            of if isinstance(of, Booted) else self._kernel(of.id[:12], of, arch, self.branch)
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
                canonical_json(dict(entry.parameters)),
                len(self.catalogue.benchmark(entry.benchmark).metrics),
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


@cache
def _catalogue() -> Catalogue:
    """Return the repository's; it takes as long to read as a night to live through."""
    return catalogues.load()


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
