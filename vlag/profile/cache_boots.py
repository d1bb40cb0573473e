# SPDX-License-Identifier: GPL-2.0-only
"""What a boot's caches did, by function of the kernel and by field of its structures."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from vlag.errors import UsageError
from vlag.kernel.shared_objects import QUEUE, TASK
from vlag.kernel.symbols import Symbols
from vlag.kernel.types import Types
from vlag.profile.cache_counts import Caches, Count

#: Cycles that the estimate adds to one an instruction, for each time; about those of a server's
#: core of the last years.
CYCLES: Mapping[Count, int] = {
    Count.I1_MISSES: 12, Count.I2_MISSES: 30, Count.I3_MISSES: 150,
    Count.D1_MISSES: 12, Count.D2_MISSES: 30, Count.D3_MISSES: 150,
    Count.TAKEN: 60, Count.MADE: 60,
}  # fmt: skip

#: The kernel's own structure of each page of memory; all lie in one array.
PAGE = "page"
#: Pointers to these lead into the middle of other structures.
_LINKS = {
    "list_head", "rb_node", "hlist_node", "hlist_head", "llist_node", "callback_head", "plist_node",
}  # fmt: skip
#: Below it lies user space, and nothing of the kernel.
_KERNEL_MEMORY = 1 << 63
#: Where x86-64 has each kind of data without CONFIG_RANDOMIZE_MEMORY, which no deterministic board
#: has: Documentation/arch/x86/x86_64/mm.rst of the kernel.  Begin -> its name.
_AREAS = (
    (0, "user space"), (0xFFFF888000000000, "other heap data"),
    (0xFFFFC90000000000, "other vmalloc data"), (0xFFFFEA0000000000, PAGE),
    (0xFFFFEB0000000000, "other data"), (0xFFFFFFFF80000000, "static data"),
)  # fmt: skip


@frozen(kw_only=True)
class Shared:
    """How often a field of a structure went from one CPU to another in a boot."""

    times: int
    functions: Counter[str]  # that needed it, with their times


@frozen(kw_only=True)
class Boot:
    """One boot whose caches were modelled."""

    seed: int
    operations: int  # that the benchmark did, above 0
    functions: Mapping[str, Sequence[int]]  # of the kernel, each indexed by `Count`
    sources: Mapping[str, str]  # object file of a function, as in "kernel/sched/fair"
    user: Sequence[int]
    fields: Mapping[str, Shared]  # as "rq.cfs.nr_running"
    caches: Caches

    def of_kernel(self, count: Count) -> int:
        """Return a count of all functions."""
        return sum(counts[count] for counts in self.functions.values())


def cycles(counts: Sequence[int]) -> int:
    """Return the estimate for counts, which are indexed by `Count`."""
    return counts[Count.INSTRUCTIONS] + sum(n * counts[what] for what, n in CYCLES.items())


def boot(
    caches: Caches, symbols: Symbols, types: Types, *, seed: int, operations: int, path: str
) -> Boot:
    """Add a boot's counts up by function and field.

    Raises UsageError if code was executed where the kernel has none: it is another kernel.
    """
    functions: dict[str, list[int]] = defaultdict(lambda: [0] * len(Count))
    sources: dict[str, str] = {}
    for address, counts in caches.code.items():
        if not address:
            continue
        function = symbols.at(address)
        if function is None:
            raise UsageError(f"{path}: code at {address:x}, where this kernel has none")
        sources[function.name] = function.source or ""
        of = functions[function.name]
        for count, value in enumerate(counts):
            of[count] += value
    return Boot(
        seed=seed, operations=operations, functions=functions, sources=sources,
        user=caches.code.get(0, [0] * len(Count)), fields=_fields(caches, symbols, types),
        caches=caches,
    )  # fmt: skip


def _fields(caches: Caches, symbols: Symbols, types: Types) -> Mapping[str, Shared]:
    objects = sorted(_objects(caches, types))
    begins = [begin for begin, _, _ in objects]
    times: Counter[str] = Counter()
    functions: dict[str, Counter[str]] = defaultdict(Counter)
    for one in caches.bounces:
        name = _area(one.data, types)
        i = bisect_right(begins, one.data) - 1
        if i >= 0 and one.data < objects[i][0] + objects[i][1]:
            begin, _, of = objects[i]
            name = f"{of}.{types.at(of, one.data - begin)}"
        function = symbols.at(one.code)
        times[name] += one.taken + one.made
        functions[name][function.name if function else "?"] += one.taken + one.made
    return {name: Shared(times=n, functions=functions[name]) for name, n in times.items()}


def _area(address: int, types: Types) -> str:
    """Return what lies at an address where no structure is known."""
    begin, name = max(area for area in _AREAS if area[0] <= address)
    size = types.size(PAGE)
    return f"{PAGE}.{types.at(PAGE, (address - begin) % size)}" if name == PAGE and size else name


def _objects(caches: Caches, types: Types) -> Iterator[tuple[int, int, str]]:
    """Return begin, bytes and name of each structure known: queues, tasks, what they point to."""
    taken: list[tuple[int, int]] = []
    for of, found in ((QUEUE, caches.queues), (TASK, caches.tasks)):
        for address, held in found.items():
            taken.append((address, address + len(held)))
            yield address, len(held), of
    known = {address for address, _ in taken}
    for of, found in ((QUEUE, caches.queues), (TASK, caches.tasks)):
        pointers = types.pointers(of)
        for held in found.values():
            for offset, to in pointers.items():
                size = types.size(to)
                if to in _LINKS or not size or offset + 8 > len(held):
                    continue
                (address,) = struct.unpack_from("<Q", held, offset)
                if address < _KERNEL_MEMORY or address in known:
                    continue
                # Inside a queue or a task: a part of it, which has a better name there.
                if any(begin <= address < end for begin, end in taken):
                    continue
                known.add(address)
                yield address, size, to
