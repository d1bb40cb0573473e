# SPDX-License-Identifier: GPL-2.0-only
"""Boards of a simulated year: levels, scatter, drift, bad boots and second modes.

How much nights and boots scatter is as measured: in 440 windows of 120 nights of a public nightly
benchmark without steps half of the series have a coefficient of variation of 0.45 to 1.8 %; 2.9 %
of all points are beyond four standard deviations of their neighbours, nine of ten of these are
slower, by 3.6 % in the median and by more than 12 % in one of ten.  Of 293 benchmarks whose
process was started ten times from one build 4.4 % have a second mode, of a fifth of the starts
and 10.7 % (8.4 to 23 % for half of them) away.
"""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
from attrs import define, field

from bench.pictures import story
from bench.pictures.made_up_boots import Booted, Farm, generator
from bench.years.commits import BEGINS
from vlag.model import BoardType

#: Share of the boots on a real board that are bad while it has bad ones.
BAD = 0.05
_BAD_SLOWER = 0.9
_BAD_MEDIAN, _BAD_SPREAD = math.log(0.036), 0.96
#: Share of the boots that are in the second mode.
_SECOND = 0.2
_SECOND_MEDIAN, _SECOND_SPREAD = math.log(0.107), 0.6
#: Spread of the boots of a real board: median over benchmarks, and its own spread (log).
_BOOT_MEDIAN, _BOOT_SPREAD = math.log(0.007), 0.5
_BOOT_MOST = 0.015
_NIGHT = 0.003
#: By how much two boards of a type, and a tool, compiler or firmware and its update, differ.
_BETWEEN_BOARDS, _UPDATE = 0.015, 0.03
#: What a drifting board loses in a week.
DRIFT = 0.003
REAL = "rpi5"
MOST_BOARDS = 3


@define(kw_only=True)
class _Board:
    name: str
    level: float = 0.0  # log of the factor of its times
    drifts_since: int | None = None  # a night

    def at(self, night: int) -> float:
        """Return its level on a night."""
        drifted = 0 if self.drifts_since is None else max(0, night - self.drifts_since)
        return self.level + math.log1p(DRIFT) * drifted / 7


@define(kw_only=True)
class Boards(Farm):
    """What boots, and how its figures scatter."""

    seed: int
    bad: float = 0.0  # share of boots
    #: Board type and benchmark -> size of the second mode, a log ratio of times.
    second: dict[tuple[str, str], float] = field(factory=dict)
    #: Board type and benchmark -> level that updates of tools and the like have moved.
    moved: dict[tuple[str, str], float] = field(factory=dict)
    real: list[_Board] = field(factory=lambda: [_Board(name=story.BOARDS[REAL][0])])
    #: Boards in maintenance: the service boots nothing on them.
    out: frozenset[str] = frozenset()
    _made: int = 1
    _rng: np.random.Generator = field(init=False)
    _spread: dict[tuple[str, str], float] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Draw by a generator of its own: what boards do moves no commit."""
        self._rng = np.random.Generator(np.random.PCG64([self.seed, 2]))

    def usual_board(self, kernel: Booted, kind: BoardType, seed: int, at: datetime.datetime) -> str:
        """Return any board of the type that is free."""
        if kind.deterministic or kind.name != REAL or len(self.real) == 1:
            return (
                self.real[0].name
                if kind.name == REAL
                else super().usual_board(kernel, kind, seed, at)
            )
        rng = generator(f"{self.seed} board {kernel.id} {seed} {at.isoformat()}")
        good = [b for b in self.real if b.name not in self.out] or self.real
        return good[int(rng.integers(len(good)))].name

    def noise(
        self, rng: np.random.Generator, kind: BoardType, benchmark: str, board: str, seed: int,
        share: float, at: datetime.datetime,
    ) -> float:  # fmt: skip
        """Return the factor by which one boot differs from its kernel's level."""
        place = (kind.name, benchmark)
        log_factor = self.moved.get(place, 0.0)
        if kind.deterministic:
            log_factor += math.log(super().noise(rng, kind, benchmark, board, seed, share, at))
        else:
            night = generator(f"{self.seed} {kind.name} {benchmark} {at.date()}")
            log_factor += rng.normal(0, self._boot_spread(place)) + night.normal(0, _NIGHT)
            number = (at - BEGINS).days
            log_factor += sum(b.at(number) for b in self.real if b.name == board)
            if rng.random() < self.bad:
                size = math.exp(rng.normal(_BAD_MEDIAN, _BAD_SPREAD))
                log_factor += math.copysign(size, _BAD_SLOWER - rng.random())
        if rng.random() < _SECOND:
            log_factor += self.second.get(place, 0.0)
        return math.exp(log_factor)

    def _boot_spread(self, place: tuple[str, str]) -> float:
        if place not in self._spread:
            rng = generator(f"{self.seed} spread {place}")
            spread = math.exp(rng.normal(_BOOT_MEDIAN, _BOOT_SPREAD))
            self._spread[place] = min(spread, _BOOT_MOST)
        return self._spread[place]

    def bimodal(self, place: tuple[str, str]) -> None:
        """Let boots of a place have a second mode from now on."""
        self.second[place] = math.exp(self._rng.normal(_SECOND_MEDIAN, _SECOND_SPREAD))

    def update(self, what: dict[str, Any], places: list[tuple[str, str]]) -> None:
        """Set `compiler`, `firmware` or `tools`, and move the level of these places."""
        for name, value in what.items():
            setattr(self, name, value)
        for place in places:
            self.moved[place] = self.moved.get(place, 0.0) + self._rng.normal(0, _UPDATE)

    def join(self) -> str | None:
        """Add a real board and return its name; None: there are enough."""
        if len(self.real) >= MOST_BOARDS:
            return None
        self._made += 1
        name = f"{REAL}-{self._made}"
        self.real.append(_Board(name=name, level=self._rng.normal(0, _BETWEEN_BOARDS)))
        return name

    def leave(self) -> None:
        """Remove a real board, but not the last one."""
        if len(self.real) > 1:
            del self.real[int(self._rng.integers(len(self.real)))]

    def drift(self, night: int) -> None:
        """Let a real board drift from now on, or end the drift."""
        drifting = [b for b in self.real if b.drifts_since is not None]
        for b in drifting:
            b.level, b.drifts_since = b.at(night), None
        if not drifting:
            self.real[int(self._rng.integers(len(self.real)))].drifts_since = night
