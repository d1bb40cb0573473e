# SPDX-License-Identifier: GPL-2.0-only
"""Decisions: counted by the name that a kernel has for them, told where boots agree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from vlag.profile import profile_difference, profile_text
from vlag.profile.counts import Executed, Profile
from vlag.profile.decisions import FUNCTIONS, Decision
from vlag.profile.profile_difference import Difference
from vlag.profile.profiled_boots import Boot

OPERATIONS = 1000
DATA = Path(__file__).parents[1] / "data" / "profile"


def boot(seed: int, calls: Mapping[str, int], each: int = 10, has: tuple[str, ...] = ()) -> Boot:
    """Return a boot with these calls of `each` instructions; the kernel also `has` others."""
    return Boot(
        seed=seed,
        operations=OPERATIONS,
        profile=Profile(
            functions={
                name: Executed(
                    source="kernel/sched/core",
                    calls=np.array([n]),
                    instructions=np.array([n * each]),
                )
                for name, n in calls.items()
            },
            user=np.array([0]),
        ),
        names=frozenset({*calls, *has}),
    )


def boots(
    given: Mapping[str, int] | None = None,
    /,
    *,
    each: int = 10,
    spread: int = 1,
    has: tuple[str, ...] = (),
    **calls: int,
) -> list[Boot]:
    """Return three boots whose calls, by name or `given`, differ by `spread`."""
    every = {**(given or {}), **calls}
    return [
        boot(seed, {n: c + spread * (seed - 2) for n, c in every.items()}, each, has)
        for seed in (1, 2, 3)
    ]


def compared(base: list[Boot], new: list[Boot]) -> Difference:
    return profile_difference.compare(base, new, "switch")


def one(found: Difference, what: str) -> Decision:
    [decision] = [d for d in found.decisions if d.what == what]
    return decision


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        ("ticks", "scheduler_tick", "sched_tick"),
        ("checks for preemption at a wake-up", "check_preempt_wakeup", "check_preempt_wakeup_fair"),
        ("checks for preemption at a wake-up", "check_preempt_wakeup", "wakeup_preempt_fair"),
        ("balancing of a domain", "load_balance", "sched_balance_rq"),
        ("pulls before a CPU idles", "newidle_balance", "sched_balance_newidle"),
        ("requests to reschedule", "resched_curr", "__resched_curr"),
        ("requests to reschedule", "resched_curr.isra.0", "resched_curr.constprop.1"),
    ],
)
def test_a_decision_keeps_its_name_where_the_function_was_renamed(
    what: str, before: str, after: str
) -> None:
    found = one(compared(boots({before: 500}), boots({after: 900})), what)
    assert (found.base, found.new) == pytest.approx((0.5, 0.9))
    assert found.certain


def test_a_function_and_what_it_calls_are_not_counted_twice() -> None:
    found = compared(boots(resched_curr=500), boots(resched_curr=500, __resched_curr=700))
    assert one(found, "requests to reschedule").new == pytest.approx(0.7)
    # Where the compiler has put the callee into both, both count.
    found = compared(boots(resched_curr=500), boots(resched_curr=300, resched_curr_lazy=400))
    assert one(found, "requests to reschedule").new == pytest.approx(0.7)


def test_what_a_kernel_has_in_its_callers_is_no_zero() -> None:
    found = compared(boots(detach_task=0, tick=1), boots(detach_task=300, tick=1))
    assert one(found, "pulls by the balancer").base == 0
    for base in (boots(tick=1), boots(tick=1, has=("detach_task", "detach_task.part.0"))):
        decision = one(compared(base, boots(detach_task=300, tick=1)), "pulls by the balancer")
        assert decision.base is None
        assert decision.new == pytest.approx(0.3)
        assert decision.change is None
        assert not decision.certain
        shown = profile_text.render(compared(base, boots(detach_task=300, tick=1)))
        assert "- no function to count" in shown
    # Negative control: the kernel has it, and never ran it.
    there = compared(boots(tick=1, has=("detach_task",)), boots(detach_task=300, tick=1))
    assert one(there, "pulls by the balancer").base == 0
    assert "- no function to count" not in profile_text.render(there)


def names(version: str) -> tuple[str, ...]:
    """Return the functions of a real kernel."""
    return tuple((DATA / f"names-{version}.txt").read_text(encoding="ascii").split())


@pytest.mark.parametrize(
    ("version", "missing"),
    [
        ("6.12.117", set()),
        (
            "6.1.192",
            {
                "wake-ups of a delayed dequeue",
                "searches for the next deadline",
                "looks at the slice",
            },
        ),
    ],
)
def test_real_kernels_have_every_decision_they_can_make(version: str, missing: set[str]) -> None:
    """Each function of the kernel is called once; the other side has every spelling."""
    spelled = {name: 1000 for every in FUNCTIONS.values() for group in every for name in group}
    found = compared(boots(dict.fromkeys(names(version), 1000), spread=0), boots(spelled, spread=0))
    assert {d.what for d in found.decisions} == set(FUNCTIONS)
    assert {d.what for d in found.decisions if d.base is None} == missing
    # Negative control: without the functions of ticks these cannot be counted either.
    left = [n for n in names(version) if not n.endswith(("sched_tick", "scheduler_tick"))]
    found = compared(boots(dict.fromkeys(left, 1000), spread=0), boots(spelled, spread=0))
    assert {d.what for d in found.decisions if d.base is None} == {*missing, "ticks"}


def test_what_nobody_decided_is_left_out() -> None:
    found = compared(boots(tick=1, has=("set_task_cpu",)), boots(tick=1))
    assert found.decisions == ()


def test_a_decision_is_told_where_no_path_explains_the_change() -> None:
    """Twice as many requests, each call as long as before."""
    found = compared(
        boots(resched_curr=310, __switch_to=2000), boots(resched_curr=940, __switch_to=2000)
    )
    assert one(found, "requests to reschedule").certain
    assert not one(found, "context switches").certain
    said = profile_text.sentence(found)
    assert said.endswith(
        " No path explains most of it, but decisions differ: requests to reschedule 0.31 -> 0.94"
        " a switch."
    )


def test_a_longer_path_needs_no_decision() -> None:
    """Negative control: the calls are longer, and a few more requests are beside the point."""
    found = compared(
        boots(resched_curr=310, __switch_to=2000),
        boots(resched_curr=350, __switch_to=2000, each=20),
    )
    assert one(found, "requests to reschedule").certain
    assert "decisions differ" not in profile_text.sentence(found)


def test_decisions_that_boots_of_one_kernel_spread_over_are_not_told() -> None:
    """Negative control: the same means as a change that is told, and a spread as large."""
    found = compared(boots(resched_curr=310, spread=300), boots(resched_curr=940, spread=300))
    assert not one(found, "requests to reschedule").certain
    assert "decisions differ" not in profile_text.sentence(found)
    # One boot a side has no spread, and proves nothing.
    found = compared([boot(1, {"resched_curr": 310})], [boot(1, {"resched_curr": 940})])
    assert not one(found, "requests to reschedule").certain


def test_a_function_that_no_boot_is_sure_of_leaves_the_decision() -> None:
    found = compared(boots(resched_curr=310), boots(resched_curr=940))
    vague = evolve(found, functions=tuple(evolve(f, certain=False) for f in found.functions))
    assert "; no function's path explains it, but decisions differ:" in profile_text.sentence(vague)
