"""Control runs: the baseline kernel's figures around others tell a drifting board from a kernel."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

from attrs import frozen

from vlag.stats.band import Move, move


class Whose(enum.Enum):
    """Who has changed."""

    NOBODY = "nobody"
    KERNEL = "kernel"
    BOARD = "board"
    BOTH = "both"
    UNKNOWN = "unknown"  # too few controls to tell


@frozen(kw_only=True)
class Drift:
    """What the controls around a candidate's runs say of a change."""

    whose: Whose
    board: Move | None  # how the controls moved; None: unknown
    sentence: str


def drift(
    history: Sequence[float], around: Sequence[float], change: float, *, relevance: float
) -> Drift:
    """Tell a board that drifted from a kernel that changed.

    `history` are a board's earlier controls, oldest first, `around` those before, between and
    after the candidate's runs, each one value of one statistic; `change` is the candidate's
    relative change of the same statistic against runs from before, and less than `relevance`
    is none.  The board has drifted where most controls around lie beyond its band
    (`vlag.stats.band.move`); what then is left of the change is the kernel's, if it is more
    than the band is wide and relevant.  Raises ValueError for values that have no logarithm.
    """
    if change <= -1:
        raise ValueError(f"a relative change is above -1, not {change}")
    board = move(history, around)
    if board is None:
        return Drift(
            whose=Whose.UNKNOWN,
            board=None,
            sentence=f"{len(history)} earlier controls and {len(around)} around the runs are too"
            " few to say whether the board drifted",
        )
    matters = abs(math.log1p(change)) >= math.log1p(relevance)
    if not board.moved:
        return Drift(
            whose=Whose.KERNEL if matters else Whose.NOBODY,
            board=board,
            sentence=f"the board stands: {len(around)} controls around the runs moved by"
            f" {board.effect:+.1%}, within its band of {math.expm1(board.width):.1%}",
        )
    left = math.log1p(change) - math.log1p(board.effect)
    kernel = matters and abs(left) > max(board.width, math.log1p(relevance))
    rest = f"which leaves {math.expm1(left):+.1%} of {change:+.1%} to the kernel"
    return Drift(
        whose=Whose.BOTH if kernel else Whose.BOARD,
        board=board,
        sentence=f"the board drifted: most of {len(around)} controls around the runs moved by"
        f" {board.effect:+.1%}, beyond its band of {math.expm1(board.width):.1%}, {rest}",
    )
