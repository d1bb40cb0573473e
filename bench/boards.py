# SPDX-License-Identifier: GPL-2.0-only
"""False alarms and power of both stages where boots fall on several boards of one type.

Each boot of a side runs on a board that is drawn, as a lab gives them out.  The boards' levels
differ by nothing or by 3 % from one to the next.  `pooled` takes them for one board, as vlag did
before boards were blocks; `within` is what it does, with known levels where fewer than
`BOOTS_MINIMUM` boots a side are on boards of both.

Then how often a board is named that did not move against its siblings, and how soon one that moves
is.  Each night boots a baseline and a head, `BOOTS` boots each on boards that are drawn.  Boots
scatter as real ones do (`bench/years/boards.py`), and each board wanders besides, by itself and in
each benchmark, with a correlation of .9 from night to night.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen

from bench.drift import STEP
from bench.evidence import table
from bench.years.tally import wilson
from vlag.compare.board_moves import FIRST_DAYS, LATE_DAYS
from vlag.compare.boards import levelled
from vlag.model import Direction
from vlag.stats import blocks
from vlag.stats.blocks import Levels, Observation
from vlag.stats.compare import BOOTS_MINIMUM, Comparison, Question, judge
from vlag.stats.siblings import LATELY, REFERENCE, Move, Seen, moves
from vlag.stats.stages import ROUNDS, Stand, confirm

Side = tuple[list[float], list[str]]  # values and boards
CV = 0.01
RELEVANCE = 0.01
BOOTS = 5
PAIRS = 1000
OFF = 0.03
# Earlier kernels that say how far boards are apart.
HISTORY = 12
CHANGES = (0.0, -0.03, -0.05)

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


class Boots:
    """Boots of two kernels on boards that are drawn."""

    def __init__(self, seed: Sequence[int], boards: int, off: float, change: float):
        self.random = np.random.default_rng([4000, *seed])
        self.boards, self.off, self.change = boards, off, change

    def side(self, boots: int, new: bool, among: Sequence[int] | None = None) -> Side:
        """Draw a side; return its values and boards."""
        on = self.random.choice(among or range(self.boards), boots)
        logs = self.random.normal(0.0, CV, boots) + self.off * on
        logs += np.log1p(self.change) if new else 0.0
        return np.exp(logs).tolist(), [f"board-{i}" for i in on]

    def known(self, moves: float = 0.0) -> Levels:
        """Return the boards' levels from `HISTORY` kernels, `BOOTS` boots each on every board.

        `moves` is how much a board moves from kernel to kernel, a standard deviation.
        """
        scatter = float(np.hypot(CV / BOOTS**0.5, moves))
        seen = [
            Observation(kernel=kernel, board=f"board-{board}",
                        log=self.off * board + self.random.normal(0.0, scatter))
            for kernel in range(HISTORY)
            for board in range(self.boards)
        ]  # fmt: skip
        [known] = blocks.levels(seen)
        return known


def question(boots: Boots, base: Side, new: Side, *, within: bool) -> Question:
    """Return the question of two sides."""
    both = {*base[1]} & {*new[1]}
    sides, known = [base, new], None
    if within:
        kept = [[(v, b) for v, b in zip(*side, strict=True) if b in both] for side in sides]
        if min(map(len, kept)) < BOOTS_MINIMUM:
            known = boots.known()
        else:
            sides = [([v for v, _ in side], [b for _, b in side]) for side in kept]
    names = (sides[0][1], sides[1][1]) if within else ([], [])
    return _levelled((sides[0][0], sides[1][0]), names, known)


def _levelled(
    values: tuple[list[float], list[float]],
    names: tuple[list[str], list[str]],
    known: Levels | None,
) -> Question:
    question = levelled(values, names, resolution=STEP, known=known)
    return Question(
        base=question.base, new=question.new, direction=Direction.HIGHER, relevance=RELEVANCE,
        resolution=STEP, blocks=question.blocks,
    )  # fmt: skip


def screened(boots: Boots, pairs: int, *, within: bool) -> list[Comparison]:
    """Return the screens of so many pairs."""
    return judge(
        [
            question(boots, boots.side(BOOTS, False), boots.side(BOOTS, True), within=within)
            for _ in range(pairs)
        ]
    )


def both_stages(
    boards: int, off: float, change: float, *, within: bool, pairs: int = PAIRS
) -> tuple[float, float, float]:
    """Return the shares of pairs that are run again and confirmed, and the interval's width."""
    boots = Boots([boards, round(100 * off)], boards, off, change)
    answers = screened(boots, pairs, within=within)
    widths = [
        a.ci_high - a.ci_low for a in answers if a.ci_high is not None and a.ci_low is not None
    ]
    suspects = [a.effect for a in answers if a.suspect]
    confirmed = sum(_confirmed(boots, effect, within=within) for effect in suspects)
    return len(suspects) / pairs, confirmed / pairs, float(np.median(widths))


def _confirmed(boots: Boots, effect: float | None, *, within: bool) -> bool:
    """Take a suspicion through its rounds."""
    sides: list[Side] = [([], []), ([], [])]
    stand = None
    for total in ROUNDS:
        for i, side in enumerate(sides):
            more = boots.side(total - len(side[0]), bool(i))
            side[0].extend(more[0])
            side[1].extend(more[1])
        asked = question(boots, sides[0], sides[1], within=within)
        stand = confirm(asked, suspicion=effect).stand
        if stand is not Stand.OPEN:
            break
    return stand is Stand.CONFIRMED


def coverage(boards: int, off: float, pairs: int = PAIRS) -> float:
    """Return how often the interval of a screen within boards holds the true change."""
    answers = screened(Boots([boards, 1], boards, off, -0.03), pairs, within=True)
    held = [(a.ci_low or 0.0) <= -0.03 <= (a.ci_high or 0.0) for a in answers]
    return sum(held) / len(held)


def apart(off: float, change: float, moves: float, pairs: int = PAIRS) -> tuple[float, float]:
    """Return the shares that are run again and flagged of sides on different boards.

    `moves` is how much a board moves from kernel to kernel, a standard deviation.
    """
    boots = Boots([9, round(1000 * moves)], 2, off, change)
    asked = []
    for _ in range(pairs):
        known = boots.known(moves)
        sides = [boots.side(BOOTS, bool(i), [i]) for i in range(2)]
        for values, _boards in sides:
            factor = float(np.exp(boots.random.normal(0.0, moves)))
            values[:] = [v * factor for v in values]
        asked.append(_levelled((sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]), known))
    answers = judge(asked)
    flagged = sum(a.verdict.value in ("REGRESSION", "IMPROVEMENT") for a in answers)
    return sum(a.suspect for a in answers) / pairs, flagged / pairs


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

    def move(self, number: int) -> Move | None:
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
                move = farm.move(number)
                sizes |= set() if move is None else {len(move.boards)}
                if 1 in sizes:
                    break
        named += 1 in sizes
        apart += 2 in sizes
    return named, apart


def delays(boards: int, kind: Kind, wander: float) -> list[tuple[int, bool]]:
    """Return, of each farm, nights until a board was named, and whether it is the one."""
    nights = []
    for seed in range(MOVING):
        farm = Farm([7, seed, boards], boards, wander)
        for number in range(BEGINS + _PATIENCE):
            farm.night(number, kind.shift)
            if number < BEGINS or (number - BEGINS) % _LOOK:
                continue
            move = farm.move(number)
            if move is not None and len(move.boards) == 1:
                nights.append((number - BEGINS + 1, move.boards == ("board-0",)))
                break
    return nights


def moving() -> list[str]:
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
            late = delays(boards, kind, WANDERS[0])
            right = [n for n, is_it in late if is_it]
            low, high = wilson(len(right), MOVING)
            q = np.quantile(right, (0.5, 0.1, 0.9)) if right else (math.nan,) * 3
            share = f"{low:.0%} to {high:.0%}"
            rows.append((boards, kind.name, f"{len(right)} of {MOVING}", share, f"{q[0]:.0f}",
                         f"{q[1]:.0f} to {q[2]:.0f}", len(late) - len(right)))  # fmt: skip
    head = ["boards", "one of them moves", f"named in {_PATIENCE} nights", "95 % interval",
            "nights, median", "of 8 in 10", "another one named"]  # fmt: skip
    return [*lines, f"A board that moves, all wander by {WANDERS[0]:.1%}:", "", *table(head, rows)]


def main() -> None:
    """Print the tables."""
    rows: list[tuple[object, ...]] = []
    for boards in (1, 2, 3):
        for off in (0.0, OFF)[: 2 if boards > 1 else 1]:
            for change in CHANGES:
                for name, within in (("pooled", False), ("within", True)):
                    again, right, width = both_stages(boards, off, change, within=within)
                    rows.append(
                        (boards, f"{off:.0%}", f"{change:+.0%}" if change else "none", name,
                         f"{again:.1%}", f"{right:.1%}", f"{width:.2%}")
                    )  # fmt: skip
    head = ["boards", "apart", "change", "boots", "run again", "confirmed", "interval's width"]
    print("\n".join(table(head, rows)))
    print()
    rows = [
        (f"{change:+.0%}" if change else "none", f"{moves:.1%}",
         *(f"{share:.1%}" for share in apart(OFF, change, moves)))
        for moves in (0.0, 0.005)
        for change in CHANGES
    ]  # fmt: skip
    head = ["change", "a board moves by", "run again", "flagged by this alone"]
    print("\n".join(["Sides on different boards, 3 % apart:", "", *table(head, rows)]))
    print()
    print("\n".join(["A board that moves against its siblings.", "", *moving(), ""]))
    held = {n: coverage(n, OFF) for n in (1, 2, 3)}
    print("The interval holds the change: "
          + ", ".join(f"{n} boards {share:.1%}" for n, share in held.items()))  # fmt: skip
