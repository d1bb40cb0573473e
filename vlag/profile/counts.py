# SPDX-License-Identifier: GPL-2.0-only
"""Read the counts of a profiled boot, and add them up by function.

`lava-jobs/lockstep/profile.c` describes the lines that they come as.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from attrs import cmp_using, field, frozen

from vlag.errors import ParseError
from vlag.kernel.symbols import Symbols
from vlag.lava.marker import VERSION
from vlag.profile import sent
from vlag.profile.tree import Node, Paths, paths

#: Counts in the columns that were sent: one, or in version 1 one a CPU (of no meaning: QEMU names
#: the CPU that translated a block, not the one that runs it).  Only their sums are used.
Counts = npt.NDArray[np.int64]

#: Versions of the counts that are read; the first has no tree of calls.
_KNOWN = (1, VERSION)

# ffffffff81077c40:7:120,98
_BLOCK = re.compile(r"([0-9a-f]{1,16}):(\d{1,4}):(\d{1,19}(?:,\d{1,19})*)")
# 3+ffffffff81077c40:120:840
_NODE = re.compile(r"(\d{1,5})\+([0-9a-f]{1,16}):(\d{1,19}):(\d{1,19})")


@frozen(kw_only=True)
class Block:
    """A translation block: instructions that are executed one after the other."""

    address: int  # 0: all of user space
    instructions: int
    executed: Counts = field(eq=cmp_using(np.array_equal))  # how often, shape (columns,)


@frozen(kw_only=True)
class Counted:
    """What the emulator has sent of one boot."""

    blocks: tuple[Block, ...]
    nodes: tuple[Node, ...]  # a tree, each before its children; version 1 has none


@frozen(kw_only=True)
class Executed:
    """What one function did, shape (columns,) each."""

    source: str | None  # as in "kernel/sched/fair"; None: not known
    calls: Counts = field(
        eq=cmp_using(np.array_equal)
    )  # how often its first instruction was reached
    instructions: Counts = field(eq=cmp_using(np.array_equal))


@frozen(kw_only=True)
class Profile:
    """What one boot executed between its two marks."""

    functions: Mapping[str, Executed]  # of the kernel, by name
    user: Counts = field(eq=cmp_using(np.array_equal))  # instructions, shape (columns,)
    paths: Paths = field(factory=dict)  # who has called whom; empty: not counted

    @property
    def kernel(self) -> int:
        """Return the instructions of all kernel functions and CPUs."""
        return self.under("")

    def under(self, objects: str) -> int:
        """Return the instructions of all functions whose object file's path begins so.

        "" is the whole kernel, functions of no known file included.
        """
        return sum(
            int(f.instructions.sum())
            for f in self.functions.values()
            if (f.source or "").startswith(objects)
        )

    @property
    def unplaced(self) -> int:
        """Return the instructions of functions whose object file is not known."""
        return sum(int(f.instructions.sum()) for f in self.functions.values() if f.source is None)


def read(data: bytes, *, path: str) -> Counted:
    """Return the counts in `data`; ParseError if they are damaged or cut off."""
    came = sent.read(data, known=_KNOWN, what="counts", path=path)
    nodes = [_node(word, n, path) for n, word in came.words if "+" in word]
    before = [-1, *(node.depth for node in nodes)]
    if any(not (d == 0 if last < 0 else 0 < d <= last + 1) for last, d in pairwise(before)):
        raise ParseError("the nodes of the calls are no tree", path=path)
    return Counted(
        blocks=tuple(_block(w, came.columns, n, path) for n, w in came.words if "+" not in w),
        nodes=tuple(nodes),
    )


def _block(word: str, cpus: int, number: int, path: str) -> Block:
    match = _BLOCK.fullmatch(word)
    counts = [int(n) for n in match[3].split(",")] if match else []
    if match is None or len(counts) != cpus or max(counts) >= 1 << 62:
        raise ParseError(
            f"'{word[:80]}' where ADDRESS:INSTRUCTIONS:COUNTS of {cpus} CPUs must stand",
            path=path,
            line=number,
        )
    executed = np.array(counts, dtype=np.int64)
    return Block(address=int(match[1], 16), instructions=int(match[2]), executed=executed)


def _node(word: str, number: int, path: str) -> Node:
    match = _NODE.fullmatch(word)
    if match is None:
        raise ParseError(
            f"'{word[:80]}' where DEPTH+ADDRESS:CALLS:INSTRUCTIONS must stand",
            path=path,
            line=number,
        )
    depth, calls, instructions = int(match[1]), int(match[3]), int(match[4])
    return Node(depth=depth, address=int(match[2], 16), calls=calls, instructions=instructions)


def by_function(counted: Counted, symbols: Symbols, *, path: str) -> Profile:
    """Add the blocks up by function, and the calls by path.

    A block belongs to the function that its first instruction lies in.  Functions of one name
    are one.  Raises ParseError for kernel code below the first function, which no kernel of
    these symbols executes.
    """
    blocks = counted.blocks
    cpus = len(blocks[0].executed) if blocks else 0
    user = np.zeros(cpus, dtype=np.int64)
    calls: dict[str, Counts] = {}
    instructions: dict[str, Counts] = {}
    sources: dict[str, str | None] = {}
    for block in blocks:
        if block.address == 0:
            user += block.executed * block.instructions
            continue
        function = symbols.at(block.address)
        if function is None:
            raise ParseError(
                f"code at {block.address:x}, which is no function of this kernel", path=path
            )
        name = function.name
        if name not in calls:
            calls[name], instructions[name] = np.zeros_like(user), np.zeros_like(user)
            sources[name] = function.source
        instructions[name] += block.executed * block.instructions
        if block.address == function.address:
            calls[name] += block.executed
    return Profile(
        functions={
            name: Executed(source=sources[name], calls=calls[name], instructions=instructions[name])
            for name in calls
        },
        user=user,
        paths=paths(counted.nodes, symbols),
    )
