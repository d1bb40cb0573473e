# SPDX-License-Identifier: GPL-2.0-only
"""Where a kernel decides what runs: addresses of functions and offsets of fields, as words.

`lava-jobs/lockstep/decisions.c` reads them, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vlag.errors import UsageError
from vlag.kernel.symbols import Symbols
from vlag.kernel.types import Types

#: Version of what `lava-jobs/lockstep/decisions.c` writes down, as its VERSION.
VERSION = 3
#: What the kernel's command line has of a boot whose decisions are written down, before the
#: places; `lockstep-EMULATOR` loads the plugin where it stands.
CMDLINE = f"vlag.decisions={VERSION}"

#: Where x86-64 has the kernel's text.
KERNEL = 0xFFFFFFFF80000000
_NONE = "-"

#: What is done -> the functions that do it, as kernels have named them; the first one there is.
_FUNCTIONS: Mapping[str, Sequence[str]] = {
    "switch": ("__switch_to_asm",),
    "enqueue": ("enqueue_task_fair",),
    "enqueue, real-time": ("enqueue_task_rt",),
    "dequeue": ("dequeue_task_fair",),
    "dequeue, real-time": ("dequeue_task_rt",),
    "check for preemption": (
        "wakeup_preempt_fair",  # after 6.18
        "check_preempt_wakeup_fair",  # since 6.7
        "check_preempt_wakeup",
    ),
    "reschedule": ("resched_curr",),
    "reschedule lazily": ("resched_curr_lazy",),  # since 6.13
    "tick": ("task_tick_fair",),
    "pick": ("pick_eevdf", "pick_next_entity"),  # the first one since 6.6
    "wake": ("try_to_wake_up",),
    "wake a new task": ("wake_up_new_task",),
    # Softirqs run in the second one.
    "begin of an interrupt": ("irq_enter_rcu",),
    "end of an interrupt": ("irq_exit_rcu",),
}
#: What no kernel of the kind lacks.
_NEEDED = {"switch", "enqueue", "dequeue", "check for preemption", "reschedule"}

#: Fields, as kernels have named them.
_FIELDS: Sequence[Sequence[str]] = (
    ("task_struct.thread_info.cpu",),
    ("task_struct.__state", "task_struct.state"),
    ("task_struct.pid",),
    ("task_struct.comm",),
    ("task_struct.se",),
    ("sched_entity.load.weight",),
    ("sched_entity.run_node",),
    ("sched_entity.deadline",),
    ("sched_entity.vruntime",),
    ("sched_entity.slice",),
    ("sched_entity.vlag",),
    ("sched_entity.vprot",),
    ("sched_entity.on_rq",),
    ("sched_entity.sched_delayed",),
    ("sched_entity.my_q",),
    ("rq.cpu",),
    ("rq.clock",),
    ("rq.nr_switches",),
    ("rq.curr",),
    ("cfs_rq.curr",),
    ("cfs_rq.zero_vruntime", "cfs_rq.min_vruntime"),
    ("cfs_rq.tasks_timeline",),
)
#: EEVDF's, which 6.1 lacks, and those of groups.
_OPTIONAL = {
    "sched_entity.deadline",
    "sched_entity.slice",
    "sched_entity.vlag",
    "sched_entity.vprot",  # since 6.17
    "sched_entity.sched_delayed",  # since 6.12
    "sched_entity.my_q",
}


def words(symbols: Symbols, types: Types) -> str:
    """Return the places as the command line has them behind `CMDLINE`.

    Raises UsageError where this kernel has no such function or field.
    """
    addresses = {f.name: f.address for f in symbols.functions}
    found = []
    for what, names in _FUNCTIONS.items():
        address = next((addresses[n] for n in names if n in addresses), None)
        if address is None and what in _NEEDED:
            raise UsageError(f"this kernel has no function {' or '.join(names)}")
        found.append(_NONE if address is None else f"{address - KERNEL:x}")
    for names in _FIELDS:
        offset = next((at for n in names if (at := types.offset(n)) is not None), None)
        if offset is None and names[0] not in _OPTIONAL:
            raise UsageError(f"this kernel has no field {' or '.join(names)}")
        found.append(_NONE if offset is None else f"{offset:x}")
    return "".join(f":{word}" for word in found)
