# SPDX-License-Identifier: GPL-2.0-only
"""Which commits of a range contain which others, merges included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import frozen

from vlag.kernel.git import git

Contains = npt.NDArray[np.bool_]
# Commits whose rows are unpacked at a time: of 20,000 commits, 10 MB.
_ROWS = 512


@frozen(kw_only=True, eq=False)
class Ancestry:
    """The commits after one commit up to another, parents before children."""

    commits: tuple[str, ...]
    parents: tuple[str | None, ...]  # the first parent of each
    _packed: npt.NDArray[np.uint8]  # a row a commit: the commits of the range that it contains

    def contained(self, index: int) -> Contains:
        """Return for each commit whether the one at `index` contains it; it contains itself."""
        bits = np.unpackbits(self._packed[index], bitorder="little")
        return bits[: len(self.commits)].astype(bool)

    def sums(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each commit the weights of those that it contains, [commits, ...]."""
        count = len(self.commits)
        parts = []
        for first in range(0, count, _ROWS):
            bits = np.unpackbits(self._packed[first : first + _ROWS], axis=1, bitorder="little")
            parts.append(bits[:, :count].astype(np.float64) @ weights)
        return np.concatenate(parts)


def between(mirror: Path, good: str, bad: str) -> Ancestry:
    """Return the commits that `bad` contains and `good` does not."""
    words = ("rev-list", "--topo-order", "--reverse", "--parents", f"{good}..{bad}")
    lines = [line.split() for line in git(mirror, *words).splitlines()]
    place = {commit: i for i, (commit, *_) in enumerate(lines)}
    size = -(-len(lines) // 8)
    packed = np.zeros((len(lines), size), dtype=np.uint8)
    for i, (_, *parents) in enumerate(lines):
        packed[i, i // 8] = 1 << i % 8
        for parent in parents:
            if parent in place:
                packed[i] |= packed[place[parent]]
    return Ancestry(
        commits=tuple(place),
        parents=tuple(parents[0] if parents else None for _, *parents in lines),
        packed=packed,
    )
