# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels' caches in one benchmark, for each of its operations: by function and by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from attrs import frozen

from vlag.profile.cache_boots import Boot, cycles
from vlag.profile.cache_counts import Count, Level
from vlag.profile.profile_difference import LEAST, SCHED
from vlag.profile.profiled_boots import check, differ, limit, mean

#: Functions that are named with a field.
_FUNCTIONS = 2
#: Least times an operation that a field goes from CPU to CPU to be told.
_LEAST_TIMES = 1e-3


@frozen(kw_only=True)
class Changed:
    """A figure on both sides for an operation, means over the boots."""

    name: str
    base: float
    new: float
    certain: bool  # it differs by more than boots of one kernel do

    @property
    def change(self) -> float:
        """Return the difference, new less base."""
        return self.new - self.base


@frozen(kw_only=True)
class Function(Changed):
    """A function's estimated cycles."""

    misses: tuple[float, float]  # of the first level, base and new
    moved: tuple[float, float]  # lines that came from another CPU, or were taken from others


@frozen(kw_only=True)
class Field(Changed):
    """How often a field of a structure goes from one CPU to another."""

    functions: tuple[str, ...]  # that need it, the most frequent first


@frozen(kw_only=True)
class Difference:
    """What the new kernel does otherwise to the model's caches."""

    operation: str
    boots: tuple[int, int]
    operations: tuple[float, float]  # a boot, means
    levels: Sequence[Level]
    cpus: int
    turn: tuple[float, float]  # instructions that a CPU goes on for, means
    totals: tuple[Changed, ...]
    functions: tuple[Function, ...]  # the largest change first
    fields: tuple[Field, ...]  # the most frequent first


def compare(base: Sequence[Boot], new: Sequence[Boot], operation: str) -> Difference:
    """Compare the boots of two kernels; UsageError if a side has none, or one did nothing."""
    check(base, new, operation, boot="boot with a model of caches")
    names = sorted({name for boot in (*base, *new) for name in boot.functions})
    fields = sorted({name for boot in (*base, *new) for name in boot.fields})
    within = limit(len(base), len(new), len(names) + len(fields) + len(_TOTALS))
    functions = [_function(name, base, new, within) for name in names]
    moving = [_field(name, base, new, within) for name in fields]
    return Difference(
        operation=operation,
        boots=(len(base), len(new)),
        operations=(mean([b.operations for b in base]), mean([b.operations for b in new])),
        levels=new[0].caches.levels,
        cpus=new[0].caches.cpus,
        turn=(_turn(base), _turn(new)),
        totals=tuple(_changed(name, of, base, new, within) for name, of in _TOTALS.items()),
        functions=tuple(sorted(functions, key=lambda f: (-abs(f.change), f.name))),
        fields=tuple(
            sorted(
                (f for f in moving if max(f.base, f.new) >= _LEAST_TIMES),
                key=lambda f: (-max(f.base, f.new), f.name),
            )
        ),
    )


def _sum(*counts: Count) -> Callable[[Boot], float]:
    return lambda boot: sum(boot.of_kernel(count) for count in counts)


def _sched(boot: Boot) -> float:
    return sum(
        cycles(counts)
        for name, counts in boot.functions.items()
        if boot.sources[name].startswith(SCHED)
    )


#: What a boot does as a whole, in words -> the figure of a boot.
_TOTALS: dict[str, Callable[[Boot], float]] = {
    "kernel, cycles": lambda boot: sum(map(cycles, boot.functions.values())),
    "kernel/sched of it, cycles": _sched,
    "user space, cycles": lambda boot: cycles(boot.user),
    "kernel, instructions": _sum(Count.INSTRUCTIONS),
    "misses of the first level": _sum(Count.I1_MISSES, Count.D1_MISSES),
    "misses of the second level": _sum(Count.I2_MISSES, Count.D2_MISSES),
    "misses of the third level": _sum(Count.I3_MISSES, Count.D3_MISSES),
    "changed lines from another CPU": _sum(Count.TAKEN),
    "copies taken from others": _sum(Count.MADE),
}


def _changed(
    name: str,
    of: Callable[[Boot], float],
    base: Sequence[Boot],
    new: Sequence[Boot],
    within: float,
    least: float = 0.0,
) -> Changed:
    before, after = ([of(b) / b.operations for b in boots] for boots in (base, new))
    change = abs(mean(after) - mean(before))
    return Changed(
        name=name,
        base=mean(before),
        new=mean(after),
        certain=change > least and differ(before, after, within),
    )


def _function(name: str, base: Sequence[Boot], new: Sequence[Boot], within: float) -> Function:
    nothing = [0] * len(Count)
    least = LEAST * mean([_TOTALS["kernel, cycles"](b) / b.operations for b in base])

    def per_operation(boots: Sequence[Boot], *counts: Count) -> float:
        return mean(
            [sum(b.functions.get(name, nothing)[c] for c in counts) / b.operations for b in boots]
        )

    changed = _changed(
        name, lambda b: cycles(b.functions.get(name, nothing)), base, new, within, least
    )
    first, moved = (Count.I1_MISSES, Count.D1_MISSES), (Count.TAKEN, Count.MADE)
    return Function(
        name=name, base=changed.base, new=changed.new, certain=changed.certain,
        misses=(per_operation(base, *first), per_operation(new, *first)),
        moved=(per_operation(base, *moved), per_operation(new, *moved)),
    )  # fmt: skip


def _field(name: str, base: Sequence[Boot], new: Sequence[Boot], within: float) -> Field:
    def times(boot: Boot) -> float:
        shared = boot.fields.get(name)
        return 0.0 if shared is None else float(shared.times)

    changed = _changed(name, times, base, new, within)
    functions: Counter[str] = Counter()
    for boot in (*base, *new):
        if name in boot.fields:
            functions.update(boot.fields[name].functions)
    return Field(
        name=name, base=changed.base, new=changed.new, certain=changed.certain,
        functions=tuple(f for f, _ in functions.most_common(_FUNCTIONS)),
    )  # fmt: skip


def _turn(boots: Sequence[Boot]) -> float:
    return mean(
        [
            (b.of_kernel(Count.INSTRUCTIONS) + b.user[Count.INSTRUCTIONS]) / (b.caches.turns + 1)
            for b in boots
        ]
    )
