# SPDX-License-Identifier: GPL-2.0-only
"""The tree of calls of two kernels, as the rectangles of a flame graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from vlag.profile.profiled_boots import Boot, mean
from vlag.profile.tree import Path

#: Least share of all instructions that a frame has; what is less belongs to its caller.
SHARE = 0.005


@frozen(kw_only=True)
class Frame:
    """A function below its callers: instructions an operation, with those of what it calls."""

    depth: int  # 0: the kernel
    name: str
    base: float
    new: float


def frames(base: Sequence[Boot], new: Sequence[Boot]) -> tuple[Frame, ...]:
    """Return the frames, each before those it calls, which are in the order of their names.

    () where a boot has counted no calls by caller.
    """
    if not all(boot.profile.paths for boot in (*base, *new)):
        return ()
    sides = [_inclusive(boots) for boots in (base, new)]
    least = SHARE * max(side[()] for side in sides)
    kept = {p for side in sides for p, n in side.items() if n >= least}
    return tuple(
        Frame(depth=len(p), name=p[-1] if p else "kernel", base=values[0], new=values[1])
        for p in sorted(kept)
        for values in [[side.get(p, 0.0) for side in sides]]
    )


def _inclusive(boots: Sequence[Boot]) -> dict[Path, float]:
    """Return the instructions of each path and all below it for an operation, mean over boots."""
    sums: dict[Path, list[float]] = {}
    for number, boot in enumerate(boots):
        for path, figures in boot.profile.paths.items():
            for above in _above(path):
                each = sums.setdefault(above, [0.0] * len(boots))
                each[number] += figures.instructions / boot.operations
    return {path: mean(each) for path, each in sums.items()}


def _above(path: Path) -> Iterator[Path]:
    return (path[:n] for n in range(len(path) + 1))
