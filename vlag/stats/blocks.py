# SPDX-License-Identifier: GPL-2.0-only
"""Boards of one type as blocks: their levels, and differences within them.

Two boards of a type differ by some per cent, which is no property of a kernel.  So a level, on the
logarithmic scale, is taken off each boot of a board before kernels are compared.

The levels of a comparison come from its own boots (`within`): with the boards' effects and the
side's as the two factors of a linear model, the difference of the sides is the mean of the boards'
own differences, weighted by their information, and each board but one costs a degree of freedom.
A board that only one side ran on has no information and is left out by the caller.

Levels from what the boards ran in common earlier (`levels`) are less certain: a board moves.  They
serve a history, and a comparison whose sides ran on different boards (`apart`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from vlag.stats.levels import TAIL, Array, spread

Places = npt.NDArray[np.int64]

#: Increment it whenever equal boots of several boards may get another verdict than before.
METHOD = 1
#: Least information that connects two boards, in boots of one kernel: four kernels that each ran on
#: both, or four nights on each board of one kernel.
LEAST_INFORMATION = 2.0
#: Fewest degrees of freedom of known levels that a comparison may use.
FREEDOM_MINIMUM = 3.0
# Rounds of reweighting; levels have settled by then, a few bad boots or not.
_STEPS = 30
# Least standard deviation of an observation: printing and floating point.
_LEAST_SCALE = 1e-6


@frozen(kw_only=True)
class Blocks:
    """What the boards' levels cost a difference of two sides."""

    boards: tuple[str, ...]
    lost: float = 0.0  # degrees of freedom
    mix: float = 0.0  # variance that they add to the difference, in variances of one boot
    variance: float = 0.0  # variance that they add besides, of natural logarithms
    freedom: float = math.inf  # degrees of freedom of `variance`


@frozen(kw_only=True, eq=False)
class Within:
    """The boots of a comparison without the boards' levels."""

    base: Array  # natural logarithms
    new: Array
    offsets: Mapping[str, float]  # of each board, 0 in the mean over the boots
    information: Array  # of the offsets, [boards, boards], in variances of one boot
    order: tuple[str, ...]  # of the boards in it

    def mix(
        self, base: Sequence[str], new: Sequence[str], more: Sequence[str], worth: float
    ) -> float:
        """Return the variance of a difference by its sides' unequal shares of the boards.

        `more` are boards of further boots of the base, together `worth` so many boots.
        """
        shares = [_shares(boots, self.order) for boots in (base, new, more)]
        joined = (len(base) * shares[0] + worth * shares[2]) / (len(base) + worth)
        apart = shares[1] - joined
        return float(apart @ np.linalg.pinv(self.information) @ apart)


def _shares(boots: Sequence[str], order: Sequence[str]) -> Array:
    counts = Counter(boots)
    return np.asarray([counts[b] for b in order], dtype=float) / max(1, len(boots))


def within(base: Array, new: Array, boards: tuple[Sequence[str], Sequence[str]]) -> Within:
    """Take the boards' levels off two sides that both ran on each of the boards.

    `base` and `new` are natural logarithms, one a boot; `boards` names the board of each.
    """
    order = tuple(sorted({*boards[0], *boards[1]}))
    place = {b: i for i, b in enumerate(order)}
    logs, sides = (base, new), [np.asarray([place[b] for b in side]) for side in boards]
    counts = [np.bincount(side, minlength=len(order)).astype(float) for side in sides]
    sums = [np.bincount(side, y, minlength=len(order)) for side, y in zip(sides, logs, strict=True)]
    weight = counts[0] * counts[1] / (counts[0] + counts[1])
    change = float(np.dot(weight, sums[1] / counts[1] - sums[0] / counts[0]) / np.sum(weight))
    offsets = (sums[0] + sums[1] - change * counts[1]) / (counts[0] + counts[1])
    offsets -= np.dot(offsets, counts[0] + counts[1]) / np.sum(counts)
    information = sum(np.diag(c) - np.outer(c, c) / np.sum(c) for c in counts)
    return Within(
        base=base - offsets[sides[0]],
        new=new - offsets[sides[1]],
        offsets=dict(zip(order, offsets.tolist(), strict=True)),
        information=np.asarray(information),
        order=order,
    )


@frozen(kw_only=True)
class Observation:
    """A value of a kernel on a board."""

    kernel: Hashable  # all that two observations must share to be compared
    board: str
    log: float  # natural logarithm
    day: int = 0  # boards are connected only by days on which both were in use


@frozen(kw_only=True, eq=False)
class Levels:
    """Levels of boards that are connected by kernels that they ran in common."""

    offsets: Mapping[str, float]  # natural logarithms, 0 in the mean over the observations
    order: tuple[str, ...]  # of the boards in `covariance`
    covariance: Array  # of the offsets' differences
    scale: float  # robust standard deviation of an observation
    freedom: float

    def error(self, contrast: Mapping[str, float]) -> float:
        """Return the standard error of a sum of levels whose weights sum to 0."""
        weights = np.asarray([contrast.get(b, 0.0) for b in self.order])
        return math.sqrt(max(0.0, float(weights @ self.covariance @ weights)))


def levels(observations: Sequence[Observation]) -> list[Levels]:
    """Return the levels of each set of connected boards, in the order of the names.

    Two boards are connected by a kernel that both ran, within the days on which both were in use,
    with at least `LEAST_INFORMATION`.  The fit has a mean for each kernel and a level for each
    board, with weights of Student's t, so that a bad boot hardly counts.
    """
    fits = []
    for boards in _connected(observations):
        fits.append(_fitted([o for o in observations if o.board in boards], tuple(sorted(boards))))
    return sorted(fits, key=lambda levels: levels.order)


def observed(kernel: Hashable, boards: Sequence[str], values: Sequence[float]) -> list[Observation]:
    """Return a kernel's boots as observations: each value, above 0, with its board."""
    return [
        Observation(kernel=kernel, board=board, log=math.log(value))
        for board, value in zip(boards, values, strict=True)
    ]


def offsets(observations: Sequence[Observation]) -> dict[str, float]:
    """Return by how much boards differ, as natural logarithms, from what they ran in common.

    A board that no other ran a kernel with has none: its boots stay as they are.
    """
    fits = levels(observations)
    return {b: fit.offsets[b] for fit in fits if len(fit.order) > 1 for b in fit.order}


def _connected(observations: Sequence[Observation]) -> list[set[str]]:
    by_board: dict[str, list[Observation]] = {}
    for o in observations:
        by_board.setdefault(o.board, []).append(o)
    span = {b: (min(o.day for o in its), max(o.day for o in its)) for b, its in by_board.items()}
    sets: list[set[str]] = []
    for board, own in sorted(by_board.items()):
        near = [s for s in sets if any(_joins(own, by_board[b], span[board], span[b]) for b in s)]
        sets = [s for s in sets if s not in near] + [{board}.union(*near)]
    return sets


def _joins(
    one: Iterable[Observation], other: Iterable[Observation], *spans: tuple[int, int]
) -> bool:
    first, last = max(s[0] for s in spans), min(s[1] for s in spans)
    counts = [Counter(o.kernel for o in side if first <= o.day <= last) for side in (one, other)]
    both = counts[0].keys() & counts[1].keys()
    information = sum(counts[0][k] * counts[1][k] / (counts[0][k] + counts[1][k]) for k in both)
    return information >= LEAST_INFORMATION


def _fitted(observations: Sequence[Observation], order: tuple[str, ...]) -> Levels:
    ran: dict[Hashable, set[str]] = {}
    for o in observations:
        ran.setdefault(o.kernel, set()).add(o.board)
    used = [o for o in observations if len(ran[o.kernel]) > 1]
    size = len(order)
    if size == 1 or not used:
        zeros = np.zeros((size, size))
        return Levels(
            offsets=dict.fromkeys(order, 0.0), order=order, covariance=zeros, scale=0.0, freedom=0.0
        )
    names = {k: i for i, k in enumerate(dict.fromkeys(o.kernel for o in used))}
    kernel = np.asarray([names[o.kernel] for o in used])
    board = np.asarray([order.index(o.board) for o in used])
    logs = np.asarray([o.log for o in used])
    freedom = max(1.0, len(used) - len(names) - size + 1.0)
    offsets: Array = np.zeros(size)
    rest = logs - (np.bincount(kernel, logs) / np.bincount(kernel))[kernel]
    rest -= np.asarray([np.median(rest[board == i]) for i in range(size)])[board]
    width = spread(rest)
    for _ in range(_STEPS):
        width = max(width, _LEAST_SCALE)
        weight = (TAIL + 1) / (TAIL + (rest / width) ** 2)
        information, middle = _information(kernel, board, weight, logs, size)
        offsets = np.linalg.pinv(information) @ np.bincount(board, weight * middle, size)
        left = logs - offsets[board]
        rest = left - (np.bincount(kernel, weight * left) / np.bincount(kernel, weight))[kernel]
        # The most likely width of Student's t.
        width = math.sqrt(float(np.dot(weight, rest**2)) / len(used))
    # The fit has taken a part of the scatter.
    scale = width * math.sqrt(len(used) / freedom * (TAIL + 3) / (TAIL + 1))
    scale = max(scale, _LEAST_SCALE)
    information, _means = _information(kernel, board, np.ones(len(used)), logs, size)
    every = Counter(o.board for o in observations)
    offsets = offsets - sum(every[b] * x for b, x in zip(order, offsets, strict=True)) / len(
        observations
    )
    return Levels(
        offsets=dict(zip(order, offsets.tolist(), strict=True)),
        order=order,
        covariance=scale**2 * np.asarray(np.linalg.pinv(information)),
        scale=scale,
        freedom=freedom,
    )


def _information(
    kernel: Places, board: Places, weight: Array, logs: Array, size: int
) -> tuple[Array, Array]:
    """Return the information of the boards' levels, and the observations without their kernel's."""
    total = np.bincount(kernel, weight)
    shares = np.zeros((len(total), size))
    np.add.at(shares, (kernel, board), weight)
    middle = np.bincount(kernel, weight * logs) / total
    crossed = shares.T @ (shares / total[:, None])
    return np.diag(np.bincount(board, weight, size)) - crossed, logs - middle[kernel]


def apart(known: Levels, base: Sequence[str], new: Sequence[str]) -> Blocks:
    """Return what known levels of all boards cost the difference of sides on different ones.

    `base` and `new` name the board of each boot.  A board moves from kernel to kernel, so that its
    level is off by the deviation of one more observation.
    """
    counts = Counter(base), Counter(new)
    contrast = {b: counts[1][b] / len(new) - counts[0][b] / len(base) for b in known.order}
    moved = sum(share**2 for share in contrast.values()) * known.scale**2
    return Blocks(
        boards=tuple(sorted({*base, *new})),
        variance=known.error(contrast) ** 2 + moved,
        freedom=known.freedom,
    )
