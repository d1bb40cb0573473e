# SPDX-License-Identifier: GPL-2.0-only
"""How often the scheduler decided something, from the calls of the functions that do it.

A function counts only in a kernel that has it as a function of its own: what the compiler has
put into its callers leaves no call to count, which is not the same as none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.profile import calls
from vlag.profile.profiled_boots import Boot, differ, limit, mean

#: What is counted -> the functions that do it once a call, as kernels have named them: the
#: first spelling that a kernel has all functions of is summed up.  Functions of a scheduling
#: class are called by a pointer, and so are never a part of their callers.
FUNCTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "context switches": (("__switch_to",),),
    "wake-ups": (("try_to_wake_up",),),
    # The others found their task still on its queue, or awake.
    "wake-ups that enqueue": (("ttwu_do_activate",),),
    "wake-ups taken from another CPU's list": (("sched_ttwu_pending",),),  # a list each
    "wake-ups of a delayed dequeue": (("requeue_delayed_entity",),),  # since 6.12
    "new tasks": (("wake_up_new_task",),),
    "choices of a CPU": (
        ("select_task_rq_fair", "select_task_rq_rt"),
        ("select_task_rq_fair",),
    ),
    "migrations": (("set_task_cpu",),),
    "migrations by the stopper": (("move_queued_task",),),
    "pulls by the balancer": (("detach_task",),),
    "checks for preemption at a wake-up": (
        ("wakeup_preempt_fair",),  # after 6.18
        ("check_preempt_wakeup_fair",),  # since 6.7
        ("check_preempt_wakeup",),
    ),
    # Since 6.13 the first does what the two of the second ask for, at once or lazily.
    "requests to reschedule": (
        ("__resched_curr",),
        ("resched_curr", "resched_curr_lazy"),
        ("resched_curr",),
    ),
    "interrupts to reschedule": (("sysvec_reschedule_ipi",), ("__sysvec_reschedule_ipi",)),
    "preemptions by an interrupt": (("preempt_schedule_irq",),),
    "preemptions in the kernel": (("preempt_schedule",),),
    # Both since 6.6, at a pick, a wake-up and each account of time: 6.1 has nothing like them.
    "searches for the next deadline": (("pick_eevdf",),),
    "looks at the slice": (("update_deadline",),),
    # With a task that sleeps, one that leaves for another CPU, and each change of a policy.
    "dequeues": (("dequeue_task_fair", "dequeue_task_rt"), ("dequeue_task_fair",)),
    "ticks": (("sched_tick",), ("scheduler_tick",)),  # since 6.10
    "ends of a bandwidth": (("throttle_cfs_rq",),),
    "entries into idle": (("tick_nohz_idle_enter",), ("do_idle",)),
    "balancing of a domain": (("sched_balance_rq",), ("load_balance",)),  # since 6.10
    "pulls before a CPU idles": (("sched_balance_newidle",), ("newidle_balance",)),  # since 6.10
}
_WANTED = calls.wanted(FUNCTIONS.values())

#: Least change of a decision that is told: an operation, and as a share of the larger side.
LEAST, LEAST_SHARE = 1e-3, 0.01


@frozen(kw_only=True)
class Decision:
    """How often something was decided, for each operation of the benchmark."""

    what: str
    base: float | None  # None: this kernel has no such function, or has it in its callers
    new: float | None
    certain: bool = False  # boots of one kernel do not differ by as much

    @property
    def change(self) -> float | None:
        """Return the difference, new less base; None if a side cannot be counted."""
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def weight(self) -> float:
        """Return how much the change says: large ones first, rare ones after as large ones."""
        most = max(self.base or 0.0, self.new or 0.0)
        return (self.change or 0.0) ** 2 / most if most else 0.0


def decisions(base: Sequence[Boot], new: Sequence[Boot]) -> tuple[Decision, ...]:
    """Return what two kernels decided, in the order of `FUNCTIONS`.

    `base` and `new` have one boot at least.  What no boot has decided is left out.
    """
    sides = [(boots, calls.copies(boots[0].names, _WANTED)) for boots in (base, new)]
    within = limit(len(base), len(new), len(FUNCTIONS))
    result = []
    for what, spellings in FUNCTIONS.items():
        before, after = (calls.rates(spellings, boots, whole) for boots, whole in sides)
        if any(before or ()) or any(after or ()):
            result.append(_decision(what, before, after, within))
    return tuple(result)


def _decision(
    what: str, before: Sequence[float] | None, after: Sequence[float] | None, within: float
) -> Decision:
    if before is None or after is None:
        of_base, of_new = (None if v is None else mean(v) for v in (before, after))
        return Decision(what=what, base=of_base, new=of_new)
    change, most = abs(mean(after) - mean(before)), max(mean(before), mean(after))
    return Decision(
        what=what,
        base=mean(before),
        new=mean(after),
        certain=change >= max(LEAST, LEAST_SHARE * most) and differ(before, after, within),
    )
