# SPDX-License-Identifier: GPL-2.0-only
"""Who has called whom: the paths of calls that a boot's emulator has counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import frozen

from vlag.kernel.symbols import Symbols

#: Names of functions, each called by the one before it; () is what no caller is known of.
Path: TypeAlias = tuple[str, ...]

#: Functions that code of an interrupt or a fault calls.  Whatever it interrupts did not call
#: them: their paths begin with them.
_INTERRUPTING = re.compile(
    r"(?:__)?(?:sysvec|exc|error|paranoid)_\w+|common_interrupt|spurious_interrupt"
)


@frozen(kw_only=True)
class Node:
    """A function below the function that called it, as the emulator sends it."""

    depth: int
    address: int  # at which it was entered; 0: the root
    calls: int
    instructions: int  # of its own


@frozen(kw_only=True)
class Figures:
    """What a path did; of a boot sums, for an operation means over boots."""

    calls: float
    instructions: float  # of its last function alone


Paths: TypeAlias = Mapping[Path, Figures]


def paths(nodes: Sequence[Node], symbols: Symbols) -> Paths:
    """Return the figures of each path; {} without nodes.

    Nodes of one name below one path are one.  A node that was entered behind a function's first
    instruction, by a jump through a table, is a part of the function and no call of it.
    """
    calls: Counter[Path] = Counter()
    instructions: Counter[Path] = Counter()
    above: list[Path] = []
    for node in nodes:
        del above[node.depth :]
        path = above[-1] if above else ()
        function = symbols.at(node.address) if above else None
        if function is not None:
            name = function.name
            path = (name,) if _INTERRUPTING.fullmatch(name) else (*path, name)
            calls[path] += node.calls if function.address == node.address else 0
        instructions[path] += node.instructions
        above.append(path)
    return {p: Figures(calls=calls[p], instructions=n) for p, n in instructions.items()}


def callers(paths: Paths) -> dict[str, Counter[str]]:
    """Return the calls of each function by its caller: "" where no function called it."""
    by_function: dict[str, Counter[str]] = {}
    for path, figures in paths.items():
        if path:
            caller = path[-2] if len(path) > 1 else ""
            by_function.setdefault(path[-1], Counter())[caller] += int(figures.calls)
    return by_function
