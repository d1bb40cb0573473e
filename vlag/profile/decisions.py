"""How often the scheduler decided something, from the calls of the functions that do it."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from vlag.profile.difference import Difference

#: What is counted -> functions that do it once a call; kernels name them differently.
FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "context switches": ("__switch_to",),
    "wake-ups": ("try_to_wake_up",),
    "choices of a CPU": ("select_task_rq_fair", "select_task_rq_rt"),
    "migrations": ("set_task_cpu",),
    "checks for preemption at a wake-up": ("check_preempt_wakeup_fair", "check_preempt_wakeup"),
    "requests to reschedule": ("resched_curr", "__resched_curr"),
    "interrupts to reschedule": ("__sysvec_reschedule_ipi", "sysvec_reschedule_ipi"),
    "dequeues": ("dequeue_task_fair", "dequeue_task_rt"),
    "ticks": ("scheduler_tick", "sched_tick"),
    "balancing of a domain": ("load_balance", "sched_balance_rq"),
    "pulls before a CPU idles": ("newidle_balance", "sched_balance_newidle"),
}


@frozen(kw_only=True)
class Decision:
    """How often something was decided, for each operation of the benchmark."""

    what: str
    base: float
    new: float

    @property
    def change(self) -> float:
        """Return the difference, new less base."""
        return self.new - self.base


def decisions(found: Difference) -> tuple[Decision, ...]:
    """Return what was decided on either side, in the order of `FUNCTIONS`.

    A decision is missing where neither kernel has executed one of its functions, as where the
    compiler has put them into their callers.
    """
    by_name = {f.name: f for f in found.functions}
    result = []
    for what, names in FUNCTIONS.items():
        functions = [by_name[name] for name in names if name in by_name]
        if functions:
            base = sum(f.base.calls for f in functions if f.base is not None)
            new = sum(f.new.calls for f in functions if f.new is not None)
            result.append(Decision(what=what, base=base, new=new))
    return tuple(result)
