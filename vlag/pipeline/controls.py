"""Control runs: the baseline kernel between the others, to tell a drifting board from a kernel."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

from attrs import frozen

from vlag.model import Board, PlanEntry
from vlag.pipeline.catalogue import Catalogue
from vlag.pipeline.night import PlannedRun
from vlag.stats.band import Move, move

#: A board boots the baseline's control once in so many of its runs: a tenth of its time, and
#: never more than some hours between a candidate's run and a control.
EVERY = 10


@frozen(kw_only=True)
class Control:
    """One boot of the baseline kernel on one board, as a check of it."""

    entry: PlanEntry  # of the plan of checks
    board_type: str
    board: str
    seed: int  # from 1, so that no two of a night are one request
    before: (
        int  # goes before this run of those planned for the board type; their number: at the end
    )


def due(
    catalogue: Catalogue,
    planned: Sequence[PlannedRun],
    boards: Sequence[Board],
    *,
    plan: str,
    every: int = EVERY,
) -> list[Control]:
    """Return where among a night's planned runs each board boots a control, in that order.

    Each board begins with one, also where nothing is planned for it; a further one follows
    about every `every` of its runs, and one ends it, so that each candidate has a control on
    either side.  Boards of one type share its runs evenly.  A deterministic board, which
    cannot drift, has the first alone.  A board type that `plan` does not check has none.
    Raises ValueError where `every` is below 1.
    """
    if every < 1:
        raise ValueError(f"a control goes before every run at the most, not every {every} runs")
    entries = {t: e for e in reversed(catalogue.plan(plan).entries) for t in e.board_types}
    found: list[Control] = []
    for name in dict.fromkeys(b.board_type for b in boards):
        if name not in entries:
            continue
        mine = [b for b in boards if b.board_type == name]
        size = sum(r.board_type == name for r in planned)
        steps = [0]
        if not catalogue.board_type(name).deterministic:
            steps = [*range(0, size, every * len(mine)), size] if size else [0]
        found += [
            Control(entry=entries[name], board_type=name, board=b.name, seed=seed, before=before)
            for seed, before in enumerate(steps, 1)
            for b in mine
        ]
    return found


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
