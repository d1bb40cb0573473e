# SPDX-License-Identifier: GPL-2.0-only
"""Where the model of caches finds run queues and tasks: addresses and sizes, as words.

`lava-jobs/lockstep/caches.c` reads them, in this order.
"""

from __future__ import annotations

from vlag.errors import UsageError
from vlag.kernel.places import KERNEL
from vlag.kernel.symbols import Symbols
from vlag.kernel.types import Types

#: Version of what `lava-jobs/lockstep/caches.c` counts, as its VERSION.
VERSION = 1
#: What the kernel's command line has of a boot whose caches are modelled, before the places.
CMDLINE = f"vlag.caches={VERSION}"

#: Functions that are given a task and a run queue.
_FUNCTIONS = ("__switch_to_asm", "enqueue_task_fair")
#: The structures that the kernel hangs the rest on.
QUEUE, TASK = "rq", "task_struct"


def words(symbols: Symbols, types: Types) -> str:
    """Return the places as the command line has them behind `CMDLINE`.

    Raises UsageError where this kernel has no such function or structure.
    """
    addresses = {f.name: f.address for f in symbols.functions}
    found = []
    for name in _FUNCTIONS:
        if name not in addresses:
            raise UsageError(f"this kernel has no function {name}")
        found.append(addresses[name] - KERNEL)
    for name in (QUEUE, TASK):
        size = types.size(name)
        if size is None:
            raise UsageError(f"this kernel has no structure {name}")
        found.append(size)
    return "".join(f":{word:x}" for word in found)
