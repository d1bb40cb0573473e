"""False alarms and power of both stages where boots fall on several boards of one type.

Each boot of a side runs on a board that is drawn, as a lab gives them out.  The boards' levels
differ by nothing or by 3 % from one to the next.  `pooled` takes them for one board, as vlag did
before boards were blocks; `within` is what it does, with known levels where fewer than
`BOOTS_MINIMUM` boots a side are on boards of both.  Then boards that move, or do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench import siblings
from bench.drift import STEP
from bench.evidence import table
from vlag.compare.boards import levelled
from vlag.model import Direction
from vlag.stats import blocks
from vlag.stats.blocks import Levels, Observation
from vlag.stats.compare import BOOTS_MINIMUM, Question, judge
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
    of = levelled((sides[0][0], sides[1][0]), names, resolution=STEP, known=known)
    return Question(
        base=of.base, new=of.new, direction=Direction.HIGHER, relevance=RELEVANCE,
        resolution=STEP, blocks=of.blocks,
    )  # fmt: skip


def both_stages(
    boards: int, off: float, change: float, *, within: bool, pairs: int = PAIRS
) -> tuple[float, float, float]:
    """Return the shares of pairs that are run again and confirmed, and the interval's width."""
    boots = Boots([boards, round(100 * off)], boards, off, change)
    answers = judge(
        [
            question(boots, boots.side(BOOTS, False), boots.side(BOOTS, True), within=within)
            for _ in range(pairs)
        ]
    )
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
    boots = Boots([boards, 1], boards, off, -0.03)
    answers = judge(
        [
            question(boots, boots.side(BOOTS, False), boots.side(BOOTS, True), within=True)
            for _ in range(pairs)
        ]
    )
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
        of = levelled(
            (sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]), resolution=STEP, known=known
        )
        asked.append(
            Question(base=of.base, new=of.new, direction=Direction.HIGHER, relevance=RELEVANCE,
                     resolution=STEP, blocks=of.blocks)
        )  # fmt: skip
    answers = judge(asked)
    flagged = sum(a.verdict.value in ("REGRESSION", "IMPROVEMENT") for a in answers)
    return sum(a.suspect for a in answers) / pairs, flagged / pairs


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
    print("\n".join(["A board that moves against its siblings (bench/siblings.py).", "",
                     *siblings.report(), ""]))  # fmt: skip
    held = {n: coverage(n, OFF) for n in (1, 2, 3)}
    print("The interval holds the change: "
          + ", ".join(f"{n} boards {share:.1%}" for n, share in held.items()))  # fmt: skip
