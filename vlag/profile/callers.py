# SPDX-License-Identifier: GPL-2.0-only
"""Who calls the functions in which two kernels differ, and by how much more or less often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import frozen

from vlag.profile import tree
from vlag.profile.decisions import LEAST, LEAST_SHARE
from vlag.profile.profiled_boots import Boot, differ, limit, mean

#: Callers of one function, and the least share of its calls that one makes on either side.
MOST, SHARE = 5, 0.01


@frozen(kw_only=True)
class Caller:
    """A function that calls another one, and how often for an operation of the benchmark."""

    name: str  # "": code of an interrupt, a fault or a system call, or a caller not known
    base: float
    new: float
    certain: bool = False  # boots of one kernel do not differ by as much

    @property
    def change(self) -> float:
        """Return the difference, new less base."""
        return self.new - self.base


def callers(
    functions: Iterable[str], base: Sequence[Boot], new: Sequence[Boot]
) -> dict[str, tuple[Caller, ...]]:
    """Return the callers of each function, the most frequent first.

    None are known where a boot has counted no calls by caller.
    """
    if not all(boot.profile.paths for boot in (*base, *new)):
        return {}
    before, after = (
        [(b.operations, tree.callers(b.profile.paths)) for b in s] for s in (base, new)
    )
    by_name = {name: _of(name, before, after) for name in functions}
    within = limit(len(base), len(new), sum(map(len, by_name.values())))
    return {
        name: tuple(_caller(rates, within) for rates in rates_of_name)
        for name, rates_of_name in by_name.items()
    }


@frozen(kw_only=True)
class _Rates:
    """Calls of a function by one caller for an operation, in each boot."""

    caller: str
    base: list[float]
    new: list[float]

    @property
    def most(self) -> float:
        return max(mean(self.base), mean(self.new))


_Side = Sequence[tuple[int, dict[str, Counter[str]]]]  # operations and calls of each boot


def _of(name: str, base: _Side, new: _Side) -> list[_Rates]:
    """Return the callers of a function that are worth a word, the most frequent first."""

    def rates(side: _Side, caller: str) -> list[float]:
        return [calls.get(name, Counter())[caller] / n for n, calls in side]

    known = {caller for _, calls in (*base, *new) for caller in calls.get(name, ())}
    rated = [_Rates(caller=c, base=rates(base, c), new=rates(new, c)) for c in known]
    least = SHARE * sum(r.most for r in rated)
    frequent = [r for r in rated if r.most and r.most >= least]
    return sorted(frequent, key=lambda r: (-r.most, r.caller))[:MOST]


def _caller(rates: _Rates, within: float) -> Caller:
    base, new = mean(rates.base), mean(rates.new)
    return Caller(
        name=rates.caller,
        base=base,
        new=new,
        certain=abs(new - base) >= max(LEAST, LEAST_SHARE * rates.most)
        and differ(rates.base, rates.new, within),
    )
