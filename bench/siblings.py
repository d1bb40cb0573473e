"""How often a board is named that did not move, and how soon one that moves is.

Nights of a farm as `vlag.stats.siblings` sees them: each boots a baseline and a head, `BOOTS` boots
each on boards that are drawn, with some benchmarks.  Boots scatter as real ones do
(`bench/years/boards.py`), and each board wanders besides, by itself and in each benchmark, with
a correlation of .9 from night to night.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable

import numpy as np
from attrs import frozen

from bench.evidence import table
from bench.years.tally import wilson
from vlag.compare.board_moves import FIRST_DAYS, LATE_DAYS
from vlag.stats.siblings import LATELY, REFERENCE, Move, Seen, moves

BOOTS = 5
FIGURES = 10
#: Median, spread and most of the scatter of boots, as logarithms.
_SCATTER, _SPREAD, _MOST = math.log(0.007), 0.5, 0.015
_TAIL = 5
_BETWEEN = 0.015  # of boards
_CORRELATION = 0.9
WANDERS = (0.003, 0.006)
#: Nights of a year, and farms that live through one.
YEAR, FARMS = 365, 30
#: Nights between two looks of a year without a move, and of one with a move.
_STEP, _LOOK = 14, 4
#: Farms with a board that moves, and the night on which it begins.
MOVING, BEGINS = 12, REFERENCE + LATELY
_PATIENCE = 200

Shift = Callable[[int, int, int], float]  # board, figure, nights since it began


@frozen(kw_only=True)
class Kind:
    """How a board moves."""

    name: str
    shift: Shift


MOVES = (
    Kind(name="jump by 3 %, all benchmarks", shift=lambda _b, _f, _n: -0.03),
    Kind(name="jump by 3 %, one benchmark", shift=lambda _b, f, _n: -0.03 * (f == 0)),
    Kind(name="jump by 5 %, one benchmark", shift=lambda _b, f, _n: -0.05 * (f == 0)),
    Kind(name="drift of 1 % a week, all", shift=lambda _b, _f, n: -0.01 * n / 7),
    Kind(name="drift of 0.3 % a week, all", shift=lambda _b, _f, n: -0.003 * n / 7),
    Kind(name="drift of 0.3 % a week, one", shift=lambda _b, f, n: -0.003 * n / 7 * (f == 0)),
)


class Farm:
    """Boards of one type, and what their nights give."""

    def __init__(self, seed: list[int], boards: int, wander: float):
        self.random = np.random.default_rng([5000, *seed])
        self.boards, self.wander = boards, wander
        drawn = np.exp(self.random.normal(_SCATTER, _SPREAD, FIGURES))
        self.scatter = np.minimum(drawn, _MOST)
        self.level = self.random.normal(0, _BETWEEN, (boards, FIGURES))
        self.state = self.random.normal(0, 1, (boards, FIGURES)) * wander
        self.seen: list[Seen] = []

    def night(self, number: int, shift: Shift | None = None) -> None:
        """Live through a night; board 0 is the one that moves."""
        for kernel in ("base", f"head {number}"):
            for figure in range(FIGURES):
                on = np.bincount(self.random.integers(self.boards, size=BOOTS))
                for board, boots in enumerate(on.tolist()):
                    if not boots:
                        continue
                    log = self.level[board, figure] + self.state[board, figure]
                    log += self.scatter[figure] * self.random.standard_t(_TAIL, boots).mean()
                    if shift is not None and board == 0 and number >= BEGINS:
                        log += shift(board, figure, number - BEGINS)
                    self.seen.append(
                        Seen(figure=figure, kernel=kernel, night=number, board=f"board-{board}",
                             log=float(log), boots=boots)
                    )  # fmt: skip
        fresh = self.random.normal(0, 1, self.state.shape) * self.wander
        self.state = _CORRELATION * self.state + math.sqrt(1 - _CORRELATION**2) * fresh

    def found(self, number: int) -> Move | None:
        """Return what is seen after a night, of the nights that vlag reads."""
        day = datetime.timedelta(days=1)
        first, late = FIRST_DAYS // day, number - LATE_DAYS // day
        near = [s for s in self.seen if s.night <= first or s.night >= late]
        return next(iter(moves(near)), None)


def false_alarms(boards: int, wander: float) -> tuple[int, int]:
    """Return how many of `FARMS` named a board in a year, and how many said two moved apart."""
    named = apart = 0
    for seed in range(FARMS):
        farm = Farm([seed, boards, round(1000 * wander)], boards, wander)
        sizes = set()
        for number in range(YEAR):
            farm.night(number)
            if number >= BEGINS and number % _STEP == 0:
                move = farm.found(number)
                sizes |= set() if move is None else {len(move.boards)}
                if 1 in sizes:
                    break
        named += 1 in sizes
        apart += 2 in sizes
    return named, apart


def delays(boards: int, kind: Kind, wander: float) -> list[tuple[int, bool]]:
    """Return, of each farm, nights until a board was named, and whether it is the one."""
    found = []
    for seed in range(MOVING):
        farm = Farm([7, seed, boards], boards, wander)
        for number in range(BEGINS + _PATIENCE):
            farm.night(number, kind.shift)
            if number < BEGINS or (number - BEGINS) % _LOOK:
                continue
            move = farm.found(number)
            if move is not None and len(move.boards) == 1:
                found.append((number - BEGINS + 1, move.boards == ("board-0",)))
                break
    return found


def report() -> list[str]:
    """Return the two tables."""
    rows: list[tuple[object, ...]] = []
    for boards in (2, 3):
        for wander in WANDERS:
            named, apart = false_alarms(boards, wander)
            low, high = wilson(named, FARMS)
            rows.append((boards, f"{wander:.1%}", f"{named} of {FARMS}",
                         f"{low:.1%} to {high:.1%}", f"{apart} of {FARMS}"))  # fmt: skip
    head = ["boards", "wander", "years in which one was named", "95 % interval", "two apart"]
    lines = [
        f"Boards that do not move, {FIGURES} benchmarks, {BOOTS} boots a kernel, a year:", "",
        *table(head, rows), "",
    ]  # fmt: skip
    rows = []
    for boards in (2, 3):
        for kind in MOVES:
            of = delays(boards, kind, WANDERS[0])
            right = [n for n, is_it in of if is_it]
            low, high = wilson(len(right), MOVING)
            q = np.quantile(right, (0.5, 0.1, 0.9)) if right else (math.nan,) * 3
            share = f"{low:.0%} to {high:.0%}"
            rows.append((boards, kind.name, f"{len(right)} of {MOVING}", share, f"{q[0]:.0f}",
                         f"{q[1]:.0f} to {q[2]:.0f}", len(of) - len(right)))  # fmt: skip
    head = ["boards", "one of them moves", f"named in {_PATIENCE} nights", "95 % interval",
            "nights, median", "of 8 in 10", "another one named"]  # fmt: skip
    return [*lines, f"A board that moves, all wander by {WANDERS[0]:.1%}:", "", *table(head, rows)]
