# SPDX-License-Identifier: GPL-2.0-only
"""Calls of functions that kernels name differently, or have put into their callers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from vlag.profile.profiled_boots import Boot

#: The functions that do one thing once a call, as kernels have named them: the first spelling
#: that a kernel has all functions of is summed up.
Spellings: TypeAlias = Sequence[Sequence[str]]

# A copy of a whole function, as GCC and Clang name it: resched_curr.isra.0
_COPY = re.compile(r"(\w+)(?:\.(?:isra|constprop|lto_priv|llvm)\.\d+)*")
# The rest of a function whose begin is in its callers: detach_task.part.0
_PART = re.compile(r"(\w+)\..*\bpart\.\d+.*")


def copies(names: Iterable[str], wanted: frozenset[str]) -> dict[str, list[str]]:
    """Return the symbols of each wanted function that a kernel has whole."""
    by_name: dict[str, list[str]] = {}
    cut = set()
    for name in names:
        if name.partition(".")[0] not in wanted:
            continue
        if part := _PART.fullmatch(name):
            cut.add(part[1])
        elif copy := _COPY.fullmatch(name):
            by_name.setdefault(copy[1], []).append(name)
    return {name: symbols for name, symbols in by_name.items() if name not in cut}


def wanted(every: Iterable[Spellings]) -> frozenset[str]:
    """Return every function that some spellings have."""
    return frozenset(n for spellings in every for names in spellings for n in names)


def rates(
    spellings: Spellings, boots: Sequence[Boot], whole: Mapping[str, Sequence[str]]
) -> list[float] | None:
    """Return the calls of each boot for an operation; None if this kernel's cannot be counted.

    `whole` are the kernel's `copies`.
    """
    for names in spellings:
        if all(name in whole for name in names):
            symbols = [symbol for name in names for symbol in whole[name]]
            return [_calls(boot, symbols) / boot.operations for boot in boots]
    return None


def _calls(boot: Boot, symbols: Iterable[str]) -> int:
    executed = boot.profile.functions
    return sum(int(executed[name].calls.sum()) for name in symbols if name in executed)
