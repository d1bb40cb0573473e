# SPDX-License-Identifier: GPL-2.0-only
"""Who called whom: paths of calls, the callers of a function, and how both are told."""

from __future__ import annotations

import numpy as np
import pytest

from vlag.errors import ParseError
from vlag.kernel import symbols
from vlag.kernel.symbols import Function
from vlag.profile import counts, profile_difference, profile_text, tree
from vlag.profile.counts import Executed, Profile
from vlag.profile.profiled_boots import Boot
from vlag.profile.sent import fnv
from vlag.profile.tree import Figures, Node, Path
from vlag.report import plots

SYSCALL, SCHEDULE, PICK, TICK = (0xFFFFFFFF81000000 + n for n in (0x100, 0x200, 0x300, 0x400))
TABLE = symbols.of(
    [
        Function(address=SYSCALL, name="do_syscall_64", source="arch/x86/entry/common"),
        Function(address=SCHEDULE, name="__schedule", source="kernel/sched/core"),
        Function(address=PICK, name="pick_task", source="kernel/sched/fair"),
        Function(address=TICK, name="sysvec_apic_timer_interrupt", source="arch/x86/kernel/apic"),
    ]
)
SENT = (
    "0+0:0:9", f"1+{SYSCALL:x}:4:40", f"2+{SCHEDULE:x}:6:60", f"3+{PICK:x}:5:50",
    f"4+{TICK:x}:1:7", f"5+{SCHEDULE:x}:1:8", f"3+{PICK + 32:x}:90:11", f"1+{SCHEDULE:x}:2:20",
)  # fmt: skip


def read(words: tuple[str, ...]) -> tuple[Node, ...]:
    """Return the nodes of words as the emulator sends them, behind one block."""
    body = f"{PICK:x}:5:4,6 {' '.join(words)}"
    hashed = fnv(f"{body}\n".encode())
    sent = f"2 2\n{body}\n{len(words) + 1} {hashed:016x}\n".encode()
    found = counts.read(sent, path="p")
    assert [b.address for b in found.blocks] == [PICK]
    return found.nodes


def test_a_path_has_the_calls_and_the_instructions_of_its_last_function() -> None:
    found = tree.paths(read(SENT), TABLE)
    syscall, schedule, tick = "do_syscall_64", "__schedule", "sysvec_apic_timer_interrupt"
    assert found == {
        (): Figures(calls=0, instructions=9),
        (syscall,): Figures(calls=4, instructions=40),
        (syscall, schedule): Figures(calls=6, instructions=60),
        # Entered by a jump through a table as well, which is no call.
        (syscall, schedule, "pick_task"): Figures(calls=5, instructions=61),
        # What it interrupted did not call it.
        (tick,): Figures(calls=1, instructions=7),
        (tick, schedule): Figures(calls=1, instructions=8),
        (schedule,): Figures(calls=2, instructions=20),
    }
    assert tree.callers(found)[schedule] == {syscall: 6, tick: 1, "": 2}
    assert tree.paths((), TABLE) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("0+0:0:9", f"2+{PICK:x}:1:1"), "no tree"),
        (("1+0:0:9",), "no tree"),
        (("0+0:0:9", "0+0:0:9"), "no tree"),
        (("0+0:0:9", f"1+{PICK:x}:1"), "must stand"),
        (("0+0:0:9", f"1+{PICK:x}:1:x"), "must stand"),
    ],
)
def test_damaged_nodes_are_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(ParseError, match=said):
        read(words)


def boot(seed: int, paths: dict[Path, tuple[int, int]]) -> Boot:
    """Return a boot of ten operations that has called and executed these paths."""
    each: dict[str, list[int]] = {}
    for path, figures in paths.items():
        sums = each.setdefault(path[-1], [0, 0])
        sums[0] += figures[0]
        sums[1] += figures[1]
    return Boot(
        seed=seed,
        operations=10,
        profile=Profile(
            functions={
                name: Executed(
                    source="kernel/sched/fair", calls=np.array([c]), instructions=np.array([n])
                )
                for name, (c, n) in each.items()
            },
            user=np.array([1]),
            paths={p: Figures(calls=c, instructions=n) for p, (c, n) in paths.items()},
        ),
        names=frozenset(each),
    )


def sides(more: int) -> tuple[list[Boot], list[Boot]]:
    """Return three boots a side; the new ones call `pick` so much more from `wake`."""

    def boots(add: int) -> list[Boot]:
        return [
            boot(seed, {
                ("wake",): (10, 100 + seed), ("sched",): (20, 200 + seed),
                ("wake", "pick"): (4 + add, 10 * (4 + add)), ("sched", "pick"): (40, 400),
                ("rare", "pick"): (0, 1),
            })
            for seed in (1, 2, 3)
        ]  # fmt: skip

    return boots(0), boots(more)


def test_a_function_that_differs_names_its_callers() -> None:
    found = profile_difference.compare(*sides(20), "switch")
    [pick] = [f for f in found.functions if f.certain]
    assert [(c.name, round(c.base, 9), c.new, c.certain) for c in pick.callers] == [
        ("sched", 4.0, 4.0, False), ("wake", 0.4, 2.4, True),
    ]  # fmt: skip
    assert "\n  called from wake (+2.000 a switch), sched\n" in profile_text.render(found)
    [shown] = [f for f in profile_text.data(found)["functions"] if f["name"] == "pick"]
    wake = {"name": "wake", "base": pytest.approx(0.4), "new": 2.4, "certain": True}
    assert shown["callers"][1] == wake
    # Negative control: nothing differs.
    same = profile_difference.compare(*sides(0), "switch")
    assert "called from" not in profile_text.render(same)


def test_boots_without_paths_name_no_caller() -> None:
    """Counts of an earlier version on one side."""
    base, new = sides(20)
    old = [boot(b.seed, {}) for b in base]
    found = profile_difference.compare(old, new, "switch")
    assert any(f.certain for f in found.functions)
    assert not any(f.callers for f in found.functions)


def test_long_names_of_callers_are_wrapped() -> None:
    names = [f"a_function_with_a_very_long_name_{i}" for i in range(4)]
    callers = [{"name": n, "base": 1.0, "new": 2.0, "certain": True} for n in names]
    assert profile_text.called_from(callers, "switch").count("(+1.000 a switch)") == 3
    assert profile_text.called_from([{**callers[0], "name": ""}], "switch").startswith(
        "called from an interrupt, a fault or user space (+1.000"
    )


def test_a_frame_has_what_its_callees_execute_and_trifles_belong_to_their_caller() -> None:
    found = profile_difference.compare(*sides(20), "switch")
    shown = [(f.depth, f.name, round(f.base, 1), round(f.new, 1)) for f in found.frames]
    assert shown == [
        (0, "kernel", 74.5, 94.5),
        (1, "sched", 60.2, 60.2), (2, "pick", 40.0, 40.0),
        (1, "wake", 14.2, 34.2), (2, "pick", 4.0, 24.0),
    ]  # fmt: skip


def test_a_flame_graph_colours_what_differs_for_sure() -> None:
    drawn = plots.flame(profile_text.data(profile_difference.compare(*sides(20), "switch")))
    assert ">more of its own</text>" in drawn
    assert ">sched</text>" in drawn
    # Negative control: nothing differs; and nothing was counted by caller.
    assert "more of its own" not in plots.flame(
        profile_text.data(profile_difference.compare(*sides(0), "switch"))
    )
    assert plots.flame({"functions": [], "operation": "switch"}) == ""
