# SPDX-License-Identifier: GPL-2.0-only
"""Boards of a comparison: which boots may stand together, and what takes the boards' levels off.

On a board type with several real boards each board is a block (`vlag.stats.blocks`): the two sides
are compared within the boards that both ran on.  Boots of other boards are left out, since a
difference of boards would pass for one of kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from vlag.compare.conditions import Group
from vlag.model import Verdict
from vlag.stats import blocks, distribution
from vlag.stats.blocks import Blocks, Levels
from vlag.stats.compare import BOOTS_MINIMUM, clip
from vlag.stats.controls import Controls, controls
from vlag.stats.levels import Array
from vlag.store.runs import Run

Values = Sequence[float]
#: A verdict that follows without a test, and why.
Problem = tuple[Verdict, str]


@frozen(kw_only=True)
class Sharing:
    """The boots of two sides that may be compared."""

    base: Group
    new: Group
    boards: tuple[str, ...]  # of both; one: nothing is to be taken off
    apart: bool = False  # too few boots are on a board of both sides: known levels are needed
    notes: tuple[str, ...] = ()

    @property
    def problem(self) -> Problem:
        """Return what to say where the sides are apart and the levels are not known."""
        sides = {name: sorted({r.board for r in side.runs}) for name, side in self._sides}
        words = " and ".join(
            f"the {name} ran on {', '.join(boards)}" for name, boards in sides.items()
        )
        known = "what these boards ran in common does not say how far apart they are"
        if {*sides["base"]} & {*sides["new"]}:
            return Verdict.INCONCLUSIVE, (
                f"fewer than {BOOTS_MINIMUM} boots a side are on boards of both: {words},"
                f" and {known}"
            )
        return Verdict.NOT_COMPARABLE, f"{words}, and {known}: boot both kernels on one board"

    def keeps(self, run: Run) -> bool:
        """Return whether a boot ran on one of the boards."""
        return run.board in self.boards

    @property
    def _sides(self) -> tuple[tuple[str, Group], ...]:
        return ("base", self.base), ("new", self.new)


def share(base: Group, new: Group) -> Sharing:
    """Return the boots on boards that both sides ran on, if these are enough, else all."""
    boards = [{r.board for r in side.runs} for side in (base, new)]
    every = tuple(sorted(boards[0] | boards[1]))
    few = min(len(base.runs), len(new.runs)) < BOOTS_MINIMUM
    if len(every) < 2 or few:
        return Sharing(base=base, new=new, boards=every[:1])
    both = boards[0] & boards[1]
    kept = [_on(side, both) for side in (base, new)]
    if min(len(side.runs) for side in kept) < BOOTS_MINIMUM:
        return Sharing(base=base, new=new, boards=every, apart=True)
    notes = []
    for name, other, side in (("base", "new", base), ("new", "base", new)):
        gone = Counter(r.board for r in side.runs if r.board not in both)
        notes += [
            f"{count} run(s) of {side.runs[0].benchmark} of the {name} on board {board} are left"
            f" out: the {other} has none there"
            for board, count in sorted(gone.items())
        ]
    return Sharing(base=kept[0], new=kept[1], boards=tuple(sorted(both)), notes=tuple(notes))


def _on(group: Group, boards: set[str]) -> Group:
    pairs = zip(group.runs, group.figures, strict=True)
    kept = [(r, f) for r, f in pairs if r.board in boards]
    return evolve(group, runs=[r for r, _f in kept], figures=[f for _r, f in kept])


@frozen(kw_only=True)
class Levelled:
    """Values of a comparison without the boards' levels, in the metric's unit."""

    base: Values
    new: Values
    controls: Controls | None
    blocks: Blocks | None
    words: str = ""  # for the verdict's reason


def levelled(
    values: tuple[Values, Values],
    boards: tuple[Sequence[str], Sequence[str]],
    *,
    resolution: float,
    earlier: Sequence[tuple[Values, Sequence[str]]] = (),
    known: Levels | None = None,
) -> Levelled:
    """Take the boards' levels off values, one a boot, and weigh the controls.

    `boards` names the board of each boot, and `earlier` are the base's earlier nights with theirs.
    With `known` levels, of all the boards, the sides may be on different boards.
    """
    names = sorted({*boards[0], *boards[1]})
    if len(names) < 2 or not (any(values[0]) or any(values[1])):
        joined = controls(values[0], [v for v, _b in earlier], resolution=resolution)
        return Levelled(base=values[0], new=values[1], controls=joined, blocks=None)
    base, new = (np.log(clip(side, resolution)) for side in values)
    if known is not None:
        cost = blocks.apart(known, *boards)
        off = _taker(known.offsets)
        return Levelled(
            base=off(base, boards[0]),
            new=off(new, boards[1]),
            controls=None,
            blocks=cost,
            words=_apart(cost),
        )
    fitted = blocks.within(base, new, boards)
    off = _taker(fitted.offsets)
    # A night of which some boots do not know the statistic says nothing of a board.
    nights = [(v, b) for v, b in earlier if len(v) == len(b) and {*b} <= {*names}]
    before = [(off(np.log(clip(v, resolution)), b), b) for v, b in nights]
    tonight = np.exp(fitted.base).tolist()
    joined = controls(tonight, [v for v, _b in before], resolution=resolution)
    more = [b for _v, night in before for b in night]
    cost = Blocks(
        boards=tuple(names),
        lost=len(names) - 1.0,
        mix=fitted.mix(*boards, more, 0.0 if joined is None else joined.boots),
    )
    return Levelled(
        base=tonight,
        new=np.exp(fitted.new).tolist(),
        controls=joined,
        blocks=cost,
        words=f"; within {len(names)} boards: {', '.join(names)}",
    )


def _taker(offsets: Mapping[str, float]) -> Callable[[Array, Sequence[str]], Values]:
    def off(logs: Array, boards: Sequence[str]) -> Values:
        taken: Values = np.exp(logs - np.asarray([offsets[b] for b in boards])).tolist()
        return taken

    return off


def distributions(
    runs: tuple[Sequence[Mapping[str, float]], Sequence[Mapping[str, float]]],
    boards: tuple[Sequence[str], Sequence[str]],
    *,
    resolution: float,
) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Take the boards' levels off each quantile that all runs of both sides know.

    A run is `vlag.stats.distribution.observed`; counts of samples stay.
    """
    shifted = [dict(run) for run in runs[0]], [dict(run) for run in runs[1]]
    if len({*boards[0], *boards[1]}) < 2:
        return shifted
    every = [*shifted[0], *shifted[1]]
    for name in {n for run in every for n in run} - {distribution.ACHIEVED, distribution.EXPECTED}:
        if not all(name in run for run in every):
            continue
        sides = [np.log(clip([run[name] for run in side], resolution)) for side in shifted]
        fitted = blocks.within(sides[0], sides[1], boards)
        for run, log in zip(every, np.concatenate([fitted.base, fitted.new]), strict=True):
            run[name] = float(np.exp(log))
    return shifted


def _apart(cost: Blocks) -> str:
    return (
        f"; base and new ran on different boards, {', '.join(cost.boards)}: their levels, known to"
        f" {100 * cost.variance**0.5:.2g} % from what they ran in common, are taken off"
    )
