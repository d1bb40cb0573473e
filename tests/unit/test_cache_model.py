# SPDX-License-Identifier: GPL-2.0-only
"""The emulator's model of caches, against another one that is written plainly."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define, field

from vlag import ROOT
from vlag.lava import console
from vlag.profile import cache_counts
from vlag.profile.cache_counts import Caches, Count

#: Small ones, which much leaves: level -> bytes, ways.
LEVELS = {0: (512, 2), 1: (1024, 2), 2: (4096, 4), 3: (16384, 4)}
CPUS = 4
MEMORY = 1 << 20


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("caches") / "harness"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic",
         f"-I{ROOT / 'lava-jobs/lockstep'}", "-o", program,
         Path(__file__).with_name("cache_harness.c"), "-l:libz.so.1"],
        check=True,
    )  # fmt: skip
    return program


def counted(harness: Path, lines: Sequence[str]) -> Caches:
    """Return what the model says of these lines, read as a board's console is."""
    shape = [f"g {level} {size} {ways}" for level, (size, ways) in LEVELS.items()]
    told = "\n".join([*shape, "b", *lines, "e", ""])
    said = subprocess.run([harness], input=told, check=True, capture_output=True, text=True).stdout
    heard = console.read(said.splitlines())
    assert not heard.damaged
    return cache_counts.read(heard.files[console.CACHES], path="c")


def of(caches: Caches, code: int) -> dict[Count, int]:
    """Return the counts of some code that are not 0."""
    return {count: n for count, n in zip(Count, caches.code[code], strict=True) if n}


@define
class Cache:
    """The lines of a cache, each set in the order of use."""

    size: int
    ways: int
    sets: dict[int, list[int]] = field(factory=dict)

    def at(self, line: int) -> list[int]:
        return self.sets.setdefault(line % (self.size // 64 // self.ways), [])

    def has(self, line: int) -> bool:
        lines = self.at(line)
        if line not in lines:
            return False
        lines.remove(line)
        lines.append(line)
        return True

    def take(self, line: int) -> int | None:
        """Put a line in; return the one that leaves."""
        lines = self.at(line)
        lines.append(line)
        return lines.pop(0) if len(lines) > self.ways else None

    def drop(self, line: int) -> None:
        if line in self.at(line):
            self.at(line).remove(line)


@define
class Plain:
    """The same model: who has a line is looked for in all caches."""

    counts: Counter[tuple[int, Count]] = field(factory=Counter)
    first: list[Cache] = field(factory=lambda: [Cache(*LEVELS[1]) for _ in range(CPUS)])
    second: list[Cache] = field(factory=lambda: [Cache(*LEVELS[2]) for _ in range(CPUS)])
    third: Cache = field(factory=lambda: Cache(*LEVELS[3]))
    changed: dict[int, int] = field(factory=dict)  # line -> the CPU that has changed it
    alone: dict[int, int] = field(factory=dict)  # line -> the CPU that alone has it

    def access(self, cpu: int, code: int, address: int, *, store: bool) -> None:
        line = address // 64
        self.counts[code, Count.ACCESSES] += 1
        taken = False
        if not self.first[cpu].has(line):
            self.counts[code, Count.D1_MISSES] += 1
            if not self.second[cpu].has(line):
                taken = self.bring(cpu, code, line)
            self.first[cpu].take(line)
        if not store:
            return
        if self.alone.get(line) != cpu:
            others = [n for n in self.holders(line) if n != cpu]
            if others and not taken:
                self.counts[code, Count.MADE] += 1
            for other in others:
                self.first[other].drop(line)
                self.second[other].drop(line)
        self.alone[line] = self.changed[line] = cpu

    def holders(self, line: int) -> list[int]:
        return [n for n in range(CPUS) if line in self.second[n].at(line)]

    def bring(self, cpu: int, code: int, line: int) -> bool:
        self.counts[code, Count.D2_MISSES] += 1
        others, taken = self.holders(line), line in self.changed
        there = self.third.has(line)
        if not there:
            self.third.take(line)
        if taken:
            self.counts[code, Count.TAKEN] += 1
        elif not there and not others:
            self.counts[code, Count.D3_MISSES] += 1
        self.alone.pop(line, None)
        self.changed.pop(line, None)
        if not others:
            self.alone[line] = cpu
        left = self.second[cpu].take(line)
        if left is not None:
            self.first[cpu].drop(left)
            for held in (self.alone, self.changed):
                if held.get(left) == cpu:
                    del held[left]
        return taken


@pytest.mark.parametrize("seed", range(6))
def test_it_counts_what_a_plain_one_does(harness: Path, seed: int) -> None:
    draw = random.Random(seed)
    plain, lines, cpu = Plain(), [], 0
    for _ in range(20_000):
        if draw.random() < 0.1:
            cpu = draw.randrange(CPUS)
            lines.append(f"c {cpu:x}")
        code = 0xFFFFFFFF81000000 + 16 * draw.randrange(8)
        # A few lines that all want, some that one CPU wants, and many that fill the caches.
        near, own = draw.randrange(8), 64 + 16 * cpu + draw.randrange(16)
        line = draw.choice([near, own, draw.randrange(1024)])
        store = draw.random() < 0.3
        address = MEMORY + 64 * line + 8 * draw.randrange(8)
        plain.access(cpu, code, address, store=store)
        lines.append(f"{'s' if store else 'l'} {code:x} {address:x}")
    caches = counted(harness, lines)
    found = Counter(
        {(code, count): n for code in caches.code for count, n in of(caches, code).items()}
    )
    assert found == +plain.counts
    assert {count for _, count in found} >= {Count.D3_MISSES, Count.TAKEN, Count.MADE}
    moved = sum(b.taken + b.made for b in caches.bounces)
    assert moved == sum(n for (_, what), n in found.items() if what in {Count.TAKEN, Count.MADE})


READER, WRITER, DATA = 0xFFFFFFFF81000040, 0xFFFFFFFF81000080, 0x1000


def test_a_line_goes_from_cpu_to_cpu_once_a_turn(harness: Path) -> None:
    turn = ["c 0", *[f"s {WRITER:x} {DATA:x}"] * 3, "c 1", *[f"l {READER:x} {DATA + 8:x}"] * 3]
    caches = counted(harness, turn * 10)
    assert of(caches, READER)[Count.TAKEN] == 10
    assert of(caches, WRITER)[Count.MADE] == 9  # nobody had it the first time
    assert {(b.code, b.data, b.taken, b.made) for b in caches.bounces} == {
        (READER, DATA + 8, 10, 0), (WRITER, DATA, 0, 9),
    }  # fmt: skip
    assert caches.turns == 19
    # Negative controls: another line, one CPU, no store.
    for word, other in ((f"{DATA + 8:x}", f"{DATA + 64:x}"), ("c 1", "c 0"), ("s ", "l ")):
        assert not counted(harness, [line.replace(word, other) for line in turn * 10]).bounces


def test_instructions_and_structures_come_along(harness: Path) -> None:
    lines = [f"f {READER:x} 7000"] * 3 + ["f 0 9000", f"q {DATA:x} a5", f"q {DATA:x} a5"]
    caches = counted(harness, lines)
    assert of(caches, READER) == {
        Count.INSTRUCTIONS: 3, Count.I1_MISSES: 1, Count.I2_MISSES: 1, Count.I3_MISSES: 1,
    }  # fmt: skip
    assert of(caches, 0)[Count.INSTRUCTIONS] == 1
    assert caches.queues == {DATA: b"\xa5" * 64}
    assert (caches.cpus, caches.left_out) == (1, 0)
    assert [(level.size, level.ways) for level in caches.levels] == list(LEVELS.values())


def test_what_is_before_the_begin_does_not_count(harness: Path) -> None:
    access = f"s {WRITER:x} {DATA:x}"
    assert of(counted(harness, [access, "b", access]), WRITER)[Count.ACCESSES] == 1
