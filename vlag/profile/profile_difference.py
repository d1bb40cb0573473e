# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels' profiles of one benchmark, function by function, for each of its operations."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from vlag.profile.callers import Caller, callers
from vlag.profile.decisions import Decision, decisions
from vlag.profile.flame import Frame, frames
from vlag.profile.profiled_boots import Boot, check, differ, limit, mean

#: Least change of a function that is told, as a share of the kernel's instructions.
LEAST = 1e-4
#: Where the scheduler's object files are.
SCHED = "kernel/sched/"


@frozen(kw_only=True)
class Side:
    """Figures of one kernel for an operation, means over its boots."""

    calls: float
    instructions: float

    @property
    def each(self) -> float | None:
        """Return the instructions of one call; None without calls."""
        return self.instructions / self.calls if self.calls else None


@frozen(kw_only=True)
class Function:
    """One kernel function on both sides; None: the kernel did not execute it."""

    name: str
    source: str | None  # as in "kernel/sched/fair"; None: not known
    base: Side | None
    new: Side | None
    # The instructions of an operation, or those of a call, differ by more than boots of one
    # kernel do, and `change` is no trifle of the whole.
    certain: bool
    callers: tuple[Caller, ...] = ()  # of a function that is certain, the most frequent first

    @property
    def change(self) -> float:
        """Return the difference in instructions an operation, new less base."""
        new, base = (0.0 if s is None else s.instructions for s in (self.new, self.base))
        return new - base

    @property
    def called(self) -> float:
        """Return the difference in calls an operation, new less base."""
        new, base = (0.0 if s is None else s.calls for s in (self.new, self.base))
        return new - base


@frozen(kw_only=True)
class Difference:
    """What the new kernel executes otherwise; the functions' changes sum to the kernel's."""

    operation: str  # as in "message"
    boots: tuple[int, int]  # of base and new
    operations: tuple[float, float]  # a boot, means
    kernel: tuple[float, float]  # instructions an operation
    sched: tuple[float, float]  # of kernel/sched alone
    user: tuple[float, float]
    functions: tuple[Function, ...]  # the largest change first
    decisions: tuple[Decision, ...]  # that the scheduler has made on either side
    # Functions that differ and are not among `functions`, as in a stored profile: how many, and
    # the sum of their changes.
    others: tuple[int, float] = (0, 0.0)
    frames: tuple[Frame, ...] = ()  # the tree of calls; (): not counted

    @property
    def change(self) -> float:
        """Return the difference in kernel instructions an operation, new less base."""
        return self.kernel[1] - self.kernel[0]

    @property
    def same(self) -> bool:
        """Return whether every function is executed as often and as long on both sides."""
        return not self.others[0] and all(f.base == f.new for f in self.functions)


def compare(base: Sequence[Boot], new: Sequence[Boot], operation: str) -> Difference:
    """Compare the boots of two kernels; UsageError if a side has none, or one did nothing."""
    check(base, new, operation)
    names = {name for boot in (*base, *new) for name in boot.profile.functions}
    # Two questions a function; one comparison in twenty may name one by chance.
    within = limit(len(base), len(new), 2 * len(names))
    least = LEAST * _kernel(base)
    functions = [_function(name, base, new, within, least) for name in names]
    functions.sort(key=lambda f: (-abs(f.change), f.name))
    called = callers([f.name for f in functions if f.certain], base, new)
    return Difference(
        operation=operation,
        boots=(len(base), len(new)),
        operations=(mean([b.operations for b in base]), mean([b.operations for b in new])),
        kernel=(_kernel(base), _kernel(new)),
        sched=(_sched(base), _sched(new)),
        user=(_user(base), _user(new)),
        functions=tuple(evolve(f, callers=called.get(f.name, ())) for f in functions),
        decisions=decisions(base, new),
        frames=frames(base, new),
    )


def _kernel(boots: Sequence[Boot]) -> float:
    return mean([b.profile.kernel / b.operations for b in boots])


def _user(boots: Sequence[Boot]) -> float:
    return mean([int(b.profile.user.sum()) / b.operations for b in boots])


def _sched(boots: Sequence[Boot]) -> float:
    return mean([b.profile.under(SCHED) / b.operations for b in boots])


def _function(
    name: str, base: Sequence[Boot], new: Sequence[Boot], within: float, least: float
) -> Function:
    functions = [b.profile.functions[name] for b in (*new, *base) if name in b.profile.functions]
    of_base, of_new = _sides(name, base), _sides(name, new)
    before, after = ([s.instructions for s in sides] for sides in (of_base, of_new))
    return Function(
        name=name,
        source=functions[0].source,
        base=_side(name, base, of_base),
        new=_side(name, new, of_new),
        certain=abs(mean(after) - mean(before)) >= least
        and (differ(before, after, within) or differ(_each(of_base), _each(of_new), within)),
    )


def _sides(name: str, boots: Sequence[Boot]) -> list[Side]:
    """Return a function's figures in each boot: zeros where it was not executed."""
    sides = []
    for boot in boots:
        f = boot.profile.functions.get(name)
        calls, instructions = (int(f.calls.sum()), int(f.instructions.sum())) if f else (0, 0)
        sides.append(
            Side(calls=calls / boot.operations, instructions=instructions / boot.operations)
        )
    return sides


def _each(sides: Sequence[Side]) -> list[float]:
    """Return the instructions of a call in each boot; none if a boot has no call."""
    values = [s.each for s in sides if s.each is not None]
    return values if len(values) == len(sides) else []


def _side(name: str, boots: Sequence[Boot], sides: Sequence[Side]) -> Side | None:
    if not any(name in b.profile.functions for b in boots):
        return None
    return Side(
        calls=mean([s.calls for s in sides]), instructions=mean([s.instructions for s in sides])
    )
