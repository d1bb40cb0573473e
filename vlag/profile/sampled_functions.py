# SPDX-License-Identifier: GPL-2.0-only
"""Where boots spend their cycles, by kernel function: samples of perf, and what two kernels'
differ in.

`vlag.lava.sampling` is what makes the report.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError, UsageError
from vlag.profile.profiled_boots import check, error, limit, mean

#: A function that no side has as many samples of in a boot is counted with the others.
LEAST_SAMPLES = 10

# # Samples: 4K of event 'cycles'
_EVENT = re.compile(r"# Samples: \S+ +of event '([^']+)'")
# # Event count (approx.): 4017051045
_TOTAL = re.compile(r"# Event count \(approx\.\): (\d+)")
# # Total Lost Samples: 0
_LOST = re.compile(r"# Total Lost Samples: (\d+)")
# 40         | 40120360   |[kernel.kallsyms]    |[k] clear_page_erms
_ROW = re.compile(r" *(\d+) *\| *(\d+) *\|([^|]*)\|\[(.)\] (.+?) *")
# What perf prints where it has no symbol.
_UNNAMED = re.compile(r"(0x)?[0-9a-f]{8,16}")


@frozen(kw_only=True)
class Counted:
    """Samples of something, and the events that they stand for."""

    samples: int
    events: int


@frozen(kw_only=True)
class Sampled:
    """What perf reports of one boot."""

    event: str  # as in "cycles"
    lost: int  # samples that perf could not write
    functions: Mapping[str, Counted]  # of the kernel and its modules, by name
    user: Counted


@frozen(kw_only=True)
class Boot:
    """One boot of a kernel whose cycles were sampled."""

    seed: int
    operations: int  # that the benchmark did, above 0
    sampled: Sampled


@frozen(kw_only=True)
class Row:
    """One figure on both sides for an operation: means over boots, and the change."""

    name: str
    base: float
    new: float
    half: float  # of the change's simultaneous 95 % interval; infinite with one boot a side

    @property
    def change(self) -> float:
        """Return the difference, new less base."""
        return self.new - self.base

    @property
    def certain(self) -> bool:
        """Return whether the interval of the change leaves 0 out."""
        return abs(self.change) > self.half


@frozen(kw_only=True)
class Difference:
    """Where the new kernel spends its cycles otherwise; rows and `others` sum to `kernel`."""

    operation: str  # as in "message"
    event: str
    boots: tuple[int, int]  # of base and new
    operations: tuple[float, float]  # a boot, means
    samples: tuple[float, float]  # in the kernel, a boot, means
    lost: tuple[float, float]  # samples, a boot, means
    kernel: Row
    user: Row
    functions: tuple[Row, ...]  # with enough samples; the largest change first
    others: Row  # the functions with too few samples, together
    merged: int  # how many these are


def read(data: bytes, *, path: str) -> Sampled:
    """Read a report; ParseError for one that is cut off or damaged, or names no functions."""
    text = data.decode("utf-8", errors="replace")
    heads = [pattern.findall(text) for pattern in (_EVENT, _TOTAL, _LOST)]
    if len(heads[0]) > 1:
        raise ParseError(f"samples of several events, {' and '.join(heads[0])}", path=path)
    if not all(heads):
        first = next((line for line in text.splitlines() if line.strip()), "nothing")
        raise ParseError(f"no report of perf: {first[:80]!r}", path=path)
    samples, events = Counter[str](), Counter[str]()
    user = [0, 0]
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _ROW.fullmatch(line)
        if match is None:
            raise ParseError(
                f"'{line[:80]}' where SAMPLES|PERIOD|OBJECT|SYMBOL must stand",
                path=path,
                line=number,
            )
        if match[4] == "k":
            samples[match[5]] += int(match[1])
            events[match[5]] += int(match[2])
        else:
            user = [user[0] + int(match[1]), user[1] + int(match[2])]
    if sum(events.values()) + user[1] != int(heads[1][0]):
        raise ParseError("the rows do not add up to perf's event count: it is cut off", path=path)
    unnamed = sum(n for name, n in samples.items() if _UNNAMED.fullmatch(name))
    if 2 * unnamed > sum(samples.values()) or not samples:
        raise ParseError("perf found no names of kernel functions", path=path)
    return Sampled(
        event=heads[0][0],
        lost=int(heads[2][0]),
        functions={name: Counted(samples=samples[name], events=n) for name, n in events.items()},
        user=Counted(samples=user[0], events=user[1]),
    )


def compare(base: Sequence[Boot], new: Sequence[Boot], operation: str) -> Difference:
    """Compare the boots of two kernels; UsageError if a side has none, or events differ."""
    check(base, new, operation, boot="boot whose cycles were sampled")
    both = [*base, *new]
    events = sorted({b.sampled.event for b in both})
    if len(events) > 1:
        raise UsageError(f"the boots sampled different events: {' and '.join(events)}")
    names = sorted({name for b in both for name in b.sampled.functions})
    sampled = [n for n in names if max(_samples(base, n), _samples(new, n)) >= LEAST_SAMPLES]
    few = set(names) - set(sampled)

    def row(name: str, names: frozenset[str] | None, within: float) -> Row:
        sides = [[_events(b, names) / b.operations for b in boots] for boots in (base, new)]
        spread = error(*sides)
        half = math.inf if math.isinf(spread) else within * spread
        return Row(name=name, base=mean(sides[0]), new=mean(sides[1]), half=half)

    single = limit(len(base), len(new), 1)
    within = limit(len(base), len(new), len(sampled))
    rows = [row(name, frozenset({name}), within) for name in sampled]
    kernel = [
        mean([float(sum(f.samples for f in b.sampled.functions.values())) for b in boots])
        for boots in (base, new)
    ]
    return Difference(
        operation=operation,
        event=events[0],
        boots=(len(base), len(new)),
        operations=(mean([b.operations for b in base]), mean([b.operations for b in new])),
        samples=(kernel[0], kernel[1]),
        lost=(mean([b.sampled.lost for b in base]), mean([b.sampled.lost for b in new])),
        kernel=row("kernel", frozenset(names), single),
        user=row("user", None, single),
        functions=tuple(sorted(rows, key=lambda r: (-abs(r.change), r.name))),
        others=row("others", frozenset(few), single),
        merged=len(few),
    )


def _samples(boots: Sequence[Boot], name: str) -> float:
    counts = [b.sampled.functions.get(name) for b in boots]
    return mean([0.0 if f is None else float(f.samples) for f in counts])


def _events(boot: Boot, names: frozenset[str] | None) -> int:
    """Return the events of functions; None: of user space."""
    if names is None:
        return boot.sampled.user.events
    return sum(f.events for name, f in boot.sampled.functions.items() if name in names)
