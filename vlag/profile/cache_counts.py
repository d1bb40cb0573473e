# SPDX-License-Identifier: GPL-2.0-only
"""Read what a model of caches has counted of one boot.

`lava-jobs/lockstep/caches.c` describes the words that it comes as.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping, Sequence

from attrs import define, field, frozen

from vlag.errors import ParseError
from vlag.kernel.shared_objects import VERSION
from vlag.profile import sent

_HEX = r"[0-9a-f]{1,16}"
_WORD = re.compile(rf"([gufbqtx])({_HEX})((?:\.{_HEX})*)")
_OBJECT = re.compile(rf"([qt])({_HEX})\.((?:[0-9a-f]{{2}})*)")


class Count(enum.IntEnum):
    """What is counted of code, in the order in which it is sent."""

    INSTRUCTIONS = 0
    ACCESSES = 1
    I1_MISSES = 2  # fetches of instructions that the first level did not have
    I2_MISSES = 3  # nor the second
    I3_MISSES = 4  # nor the third
    D1_MISSES = 5  # accesses to data, likewise
    D2_MISSES = 6
    D3_MISSES = 7
    TAKEN = 8  # another CPU had changed the line
    MADE = 9  # a store made others give up their copies


@frozen(kw_only=True)
class Level:
    """A cache of the model."""

    size: int  # bytes
    ways: int


@frozen(kw_only=True)
class Bounce:
    """How often code had to fetch 8 bytes from another CPU, or take them from others."""

    code: int  # address
    data: int
    taken: int
    made: int


@frozen(kw_only=True)
class Caches:
    """What one boot's caches did between its two marks."""

    levels: Sequence[Level]  # of instructions, of data, of a CPU, of all CPUs
    turns: int  # how often another CPU went on
    cpus: int
    code: Mapping[int, Sequence[int]]  # by address, 0: user space; indexed by `Count`
    bounces: Sequence[Bounce]
    queues: Mapping[int, bytes]  # by address, what each holds at the end
    tasks: Mapping[int, bytes]
    left_out: int  # times that are in no bounce


def read(data: bytes, *, path: str) -> Caches:
    """Return the counts in `data`; ParseError if they are damaged or cut off."""
    reader = _Reader()
    for word in sent.unpacked(data, known=(VERSION,), what="cache counts", path=path):
        try:
            reader.word(word)
        except (ValueError, IndexError) as e:
            raise ParseError(f"'{word[:80]}' is no count of caches", path=path) from e
    if len(reader.levels) != _LEVELS:
        raise ParseError("the cache counts do not say which caches there are", path=path)
    return Caches(
        levels=[reader.levels[n] for n in range(_LEVELS)], turns=reader.turns, cpus=reader.cpus,
        code=reader.code, bounces=reader.bounces, queues=reader.queues, tasks=reader.tasks,
        left_out=reader.left_out,
    )  # fmt: skip


_LEVELS = 4


@define
class _Reader:
    levels: dict[int, Level] = field(factory=dict)
    turns: int = 0
    cpus: int = 0
    code: dict[int, Sequence[int]] = field(factory=dict)
    bounces: list[Bounce] = field(factory=list)
    queues: dict[int, bytes] = field(factory=dict)
    tasks: dict[int, bytes] = field(factory=dict)
    left_out: int = 0

    def word(self, word: str) -> None:
        """Take one word; ValueError or IndexError if it is none."""
        if found := _OBJECT.fullmatch(word):
            objects = self.queues if found[1] == "q" else self.tasks
            objects[int(found[2], 16)] = bytes.fromhex(found[3])
            return
        match = _WORD.fullmatch(word)
        if match is None:
            raise ValueError(word)
        values = [int(v, 16) for v in (match[2], *match[3].split(".")[1:])]
        fields, take = self._kinds()[match[1]]
        if len(values) != fields:
            raise ValueError(word)
        take(values)

    def _kinds(self) -> Mapping[str, tuple[int, Callable[[Sequence[int]], None]]]:
        return {
            "g": (3, self._level), "u": (2, self._ran), "f": (1 + len(Count), self._code),
            "b": (4, self._bounce), "x": (1, self._cut), "q": (-1, self._cut), "t": (-1, self._cut),
        }  # fmt: skip

    def _level(self, values: Sequence[int]) -> None:
        if values[0] >= _LEVELS:
            raise ValueError
        self.levels[values[0]] = Level(size=values[1], ways=values[2])

    def _ran(self, values: Sequence[int]) -> None:
        self.turns, self.cpus = values

    def _code(self, values: Sequence[int]) -> None:
        self.code[values[0]] = values[1:]

    def _bounce(self, values: Sequence[int]) -> None:
        code, data, taken, made = values
        self.bounces.append(Bounce(code=code, data=data, taken=taken, made=made))

    def _cut(self, values: Sequence[int]) -> None:
        (self.left_out,) = values
