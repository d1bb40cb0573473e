# SPDX-License-Identifier: GPL-2.0-only
"""A world with truth: what moves in a year of a branch, its baselines, boards, tools and people.

Events are drawn by a seed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from bench.years.boards import BAD, REAL
from bench.years.commits import STEPS, Commit, Place
from bench.years.service import BASELINE, BENCHMARKS, BOARD_TYPES, Service
from vlag.store import renames

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
class World(Service):
    """A year in the life of a service, and what happens in it."""

    rates: Mapping[str, float] = field(factory=lambda: EVENTS)
    lengths: Mapping[str, tuple[int, int]] = field(factory=lambda: LENGTHS)
    #: Event -> the night after its last one, and how it ends.
    lasting: dict[str, tuple[int, Callable[[], None]]] = field(factory=dict)

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
            row = self._tell(ids, ahead, times=2 if "the night comes twice" in drawn else 1)
        return evolve(
            night, told=row, places=self._places(), comparisons=ids, fresh=fresh,
        )  # fmt: skip

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

    def _push(self, date: str | None = None, **facts: Any) -> None:
        """Push a commit: what is given, the next step of a slow loss, or no change."""
        slow = any(n < STEPS for n in self.head.slow.values())
        if slow and not (date or facts) and self.rng.random() < _NEXT_STEP:
            self.line.lose_slowly()
        else:
            self.line.push(date, **facts)

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

    def _drift(self) -> None:
        def end() -> None:
            self.farm.drift(self.count)
            self._repair()

        if self._lasts("a board drifts", end):
            self.farm.drift(self.count)

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

    def _leave_catalogue(self) -> None:
        """Let the metric that is compared leave the catalogue for some nights."""
        name = BENCHMARKS[0]
        known = self.catalogue.benchmark(name)

        def put(benchmark: Any) -> None:
            benchmarks = {**self.catalogue.benchmarks, name: benchmark}
            self._know(evolve(self.catalogue, benchmarks=benchmarks))

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
        benchmark = self.catalogue.benchmark(BENCHMARKS[1])
        [old] = benchmark.metrics
        new = evolve(old, name=f"time-{self.count}", formerly=(old.name, *old.formerly))
        known = {**self.catalogue.benchmarks, benchmark.name: evolve(benchmark, metrics=(new,))}
        self._know(evolve(self.catalogue, benchmarks=known))
        renames.apply(self.conn, self.catalogue.benchmarks.values())  # as an ingest does

    def _leave_settings(self) -> None:
        """Let the settings be without the branch for some nights."""
        if self._lasts("the branch is not watched", self._settle):
            self._settle()

    def _rename(self) -> None:
        """Rename the branch; the settings follow on the same day."""
        self.branch = f"main-{self.count}"
        self._settle()
