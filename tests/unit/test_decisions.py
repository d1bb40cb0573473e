# SPDX-License-Identifier: GPL-2.0-only
"""Decisions of two boots: what is read, which one differs first, and why."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from vlag.bundle import sha256
from vlag.config import catalogue
from vlag.errors import ParseError, UsageError
from vlag.kernel import symbols, types
from vlag.lava import console
from vlag.model import Observation
from vlag.pipeline.boot import command_line, places_of
from vlag.profile import decision_course, decision_rules, decision_text, decision_trace
from vlag.profile.decision_text import Pair
from vlag.profile.decision_trace import Trace
from vlag.profile.sent import fnv

#: Tasks: number -> (pid, name).  Two of one name, the second one born first.
TASKS = {0: (0, "swapper/0"), 1: (9, "pipe"), 2: (7, "pipe"), 3: (12, "beside")}
A, B, C = "pipe#2", "pipe#1", "beside"
RUNNING, SLEEPS = 0, 1


def sent(words: Sequence[str], tasks: bool = True) -> bytes:
    """Return words as the emulator would have sent them."""
    named = [f"t{n:x}.{pid:x}.{name.encode().hex()}" for n, (pid, name) in TASKS.items()]
    text = "".join(f"{word}\0" for word in [*(named if tasks else []), *words])
    return carried(base64.b64encode(zlib.compress(text.encode())).decode())


def carried(body: str) -> bytes:
    checksum = fnv(f"{body}\n".encode())
    return f"1 1\n{body}\n1 {checksum:016x}\n".encode()


def trace(*words: str) -> Trace:
    return decision_trace.read(sent(words), path="d")


def look(at: int, *entities: str) -> str:
    return f"k0.{at:x}.{'.'.join(entities)}"


def entity(task: int, vruntime: int, deadline: int, slice_ns: int = 3_000_000) -> str:
    mask = (1 << 64) - 1
    return f"{task:x},{vruntime & mask:x},{deadline & mask:x},{slice_ns:x},{1024:x}"


def wake(at: int, task: int, *, preempts: bool, queue: str | None = None) -> list[str]:
    """Task 1 runs, and another one wakes up."""
    looked = [] if queue is None else [queue]
    words = [f"e0.{at:x}.{task:x}.9", f"w0.{at:x}.{task:x}.1", *looked]
    return [*words, f"r0.{at:x}"] if preempts else words


#: Task 1 runs from the begin on, and goes on for a while.
START = ["s0.10.0.1.0"]
END = ["s0.90.1.0.1", "n0.5.7"]


def test_what_is_sent_is_read() -> None:
    words = [*START, look(32, "-", entity(1, -5, 5), entity(2, 5, -1)), "k0.33.=", *END, "x5.2"]
    read = trace(*words)
    assert [e.kind for e in read.events] == ["s", "k", "k", "s"]
    assert (read.events[0].task, read.events[0].other) == ("swapper/0", A)
    pick = read.events[1]
    assert [(e.task, e.vruntime, e.deadline) for e in pick.queue] == [(A, -5, 5), (B, 5, -1)]
    assert not pick.running
    assert (read.events[2].queue, read.events[2].at) == (pick.queue, 0x33)
    assert (dict(read.switches), read.left_out) == ({0: 2}, 5)


def test_what_an_entity_does_not_say_again_is_as_before() -> None:
    read = trace(look(32, entity(1, 0, 5), entity(2, 5, 9)), look(40, "1,1,6", "2,6,a"), *END)
    assert {e.slice_ns for e in read.events[1].queue} == {3_000_000}
    with pytest.raises(ParseError, match=r"'k0\.28\.1,1,6' is no decision"):
        trace("k0.28.1,1,6")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (sent(START).replace(b"1 1\neJ", b"1 1\neK"), "checksum"),
        (carried("no base64"), "2 decisions, where 1 were sent"),
        (carried("-" * 9), "no decisions"),
        (carried(base64.b64encode(zlib.compress(b"s0.10.0.1.0\0")[:-5]).decode()), "cut off"),
        (sent(START)[:-30], "cut off"),
        (sent(START).replace(b"1 1\n", b"9 1\n", 1), "decisions of version 9; known are 1"),
        (sent(["s0.10.0.1"]), "'s0.10.0.1' is no decision"),
        (sent(["s0.10.0.9.0"]), "'s0.10.0.9.0' is no decision"),
        (sent(["k0.10.="]), "'k0.10.=' is no decision"),
        (sent(["q0.10"]), "'q0.10' is no decision"),
        (sent(["t1.x"], tasks=False), "'t1.x' is no task"),
    ],
)
def test_damaged_decisions_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        decision_trace.read(data, path="d")


def test_the_console_keeps_them_as_a_file() -> None:
    head, *body, tail = sent(START).decode().splitlines()
    lines = [f"@vlag:decisions begin {head}", *(f"@vlag:decided {x}" for x in body)]
    heard = console.read([*lines, f"@vlag:decisions end {tail}"])
    assert (dict(heard.files), heard.damaged) == ({console.DECISIONS: sent(START)}, ())
    assert "in the middle of decisions.txt" in console.read(lines).damaged[0]
    assert "no decisions.txt began" in console.read(lines[1:]).damaged[0]


def test_a_build_that_has_not_kept_its_structures_is_named(tmp_path: Path) -> None:
    table = b"ffffffff81000000 __switch_to_asm -\n"
    (tmp_path / symbols.FILE).write_bytes(gzip.compress(table))
    files = [{"path": symbols.FILE, "sha256": sha256(tmp_path / symbols.FILE)}]
    document = {"kernel": {}, "files": files}
    (tmp_path / "build.json").write_text(json.dumps(document))
    assert places_of(tmp_path, None) == places_of(tmp_path, Observation.PROFILE) == ""
    with pytest.raises(UsageError, match=r"has no types\.btf\.gz: this kernel was built before"):
        places_of(tmp_path, Observation.DECISIONS)
    # Negative control: with them it is another sentence.
    (tmp_path / types.FILE).write_bytes(gzip.compress(b"none"))
    files.append({"path": types.FILE, "sha256": sha256(tmp_path / types.FILE)})
    (tmp_path / "build.json").write_text(json.dumps(document))
    with pytest.raises(ParseError, match="no types of a kernel"):
        places_of(tmp_path, Observation.DECISIONS)


def test_the_command_line_says_where_to_look_and_the_key_does_not() -> None:
    kind = catalogue.load().board_types["qemu-sim-2"]
    words = command_line(kind, {}, Observation.DECISIONS, places=":1:2").split()
    assert words[-1] == "vlag.decisions=1:1:2"
    assert command_line(kind, {}, Observation.DECISIONS).split()[-1] == "vlag.decisions=1"
    assert "vlag.decisions" not in command_line(kind, {}, None)


def first(base: Trace, new: Trace) -> decision_course.Difference | None:
    return decision_course.first(decision_course.course(base), decision_course.course(new))


def test_equal_boots_differ_in_nothing_whatever_time_they_took() -> None:
    base = trace(*START, *wake(32, 2, preempts=False), *END)
    later = trace(*START, *wake(48, 2, preempts=False), *END)
    assert first(base, later) is None
    text = decision_text.render(decision_text.data([Pair(seed=1, base=base, new=later)], rows=5))
    assert (
        text
        == "No decision differs: both kernels took the same ones in 1 boot each, with 2\nswitches."
    )


def test_a_refused_preemption_is_found_with_what_made_it() -> None:
    """The slice of the waking task is longer, and so its deadline later."""
    sides = []
    for deadline, slice_ns, preempts in ((1_000_000, 700_000, True), (3_500_000, 3_000_000, False)):
        queue = look(32, entity(1, 0, 2_000_000), entity(2, 300_000, deadline, slice_ns))
        sides.append(trace(
            *START, *wake(24, 3, preempts=False), *wake(32, 2, preempts=preempts, queue=queue),
            *END,
        ))  # fmt: skip
    found = first(*sides)
    assert found is not None
    assert (found.new.what, found.new.of, found.new.about) == ("preempts", B, A)
    assert (found.base.answer, found.new.answer, found.nth) == ("yes", "no", 1)
    assert (found.alike, found.otherwise) == (4, 0)
    assert decision_rules.reason(found) == (
        f"the slice of {B} is 3.000 ms in the new kernel, 0.700 ms in base"
    )
    pair = Pair(seed=4, base=sides[0], new=sides[1])
    text = decision_text.render(decision_text.data([pair], rows=5))
    assert f"wake-up of {B} that may preempt, while {A} runs" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 75


def test_another_order_of_events_is_no_decision() -> None:
    """In one boot the task that wakes up finds another one running: nobody decided that."""
    base = trace(*START, *wake(32, 2, preempts=True), *END)
    new = trace(*START, "e0.20.3.9", "w0.20.3.1", "s0.28.1.3.0", "e0.32.2.9", "w0.32.2.3", *END)
    found = first(base, new)
    assert found is None or found.new.of != B
    # Negative control: where it finds the same, the other answer is a decision.
    same = trace(*START, *wake(32, 2, preempts=False), *END)
    found = first(base, same)
    assert found is not None
    assert (found.new.of, found.otherwise) == (B, 0)


def test_a_check_after_the_answer_is_known_decides_nothing() -> None:
    """A tick has asked for a reschedule in one boot before the task wakes up."""
    asked = ["i0.1c", "r0.1c"]
    second = wake(80, 2, preempts=True)
    base = trace(*START, *asked, *wake(32, 2, preempts=False), "s0.40.1.3.0", "s0.48.3.1.1",
                 *second, *END)  # fmt: skip
    new = trace(*START, *wake(32, 2, preempts=False), "s0.40.1.3.0", "s0.48.3.1.1",
                *wake(80, 2, preempts=False), *END)  # fmt: skip
    found = first(base, new)
    assert found is not None
    # The second wake-up is the same event in both, and there both stood alike.
    assert (found.new.of, found.nth, found.otherwise) == (B, 2, 1)
    assert (found.base.answer, found.new.answer) == ("yes", "no")


def queued(at: int, running: int, chosen: int) -> list[str]:
    """Two tasks wait beside one that runs, and a tick lets one of them run."""
    there = (entity(running, 0, 900), entity(2, 100, 500), entity(3, -200, 700))
    return [
        f"e0.{at:x}.2.9", f"e0.{at:x}.3.9", f"i0.{at + 1:x}", f"r0.{at + 1:x}",
        look(at + 1, *there), f"s0.{at + 1:x}.{running:x}.{chosen:x}.0",
    ]  # fmt: skip


def test_another_pick_is_told_by_the_rule_of_each_side() -> None:
    base, new = (trace(*START, *queued(32, 1, chosen), *END[1:]) for chosen in (3, 2))
    found = first(base, new)
    assert found is not None
    assert (found.new.what, found.base.answer, found.new.answer) == ("runs", C, B)
    assert found.new.situation.cause == "the tick"
    assert found.new.situation.waiting == {B, C}
    # Of 0, 100 and -200 the mean is -33: task 3 alone is owed time.
    assert decision_rules.rule(found.base) == f"{C} alone is eligible"
    assert decision_rules.rule(found.new) == f"{B} is chosen, though it is not eligible"
    assert decision_rules.reason(found) == "both queues stand alike: the rule itself is another"


def test_a_lag_of_the_other_sign_is_the_reason() -> None:
    sides = []
    for vruntime, preempts in ((-100_000, True), (400_000, False)):
        queue = look(32, entity(1, 0, 2_000_000), entity(2, vruntime, 1_500_000))
        sides.append(trace(*START, *wake(32, 2, preempts=preempts, queue=queue), *END))
    found = first(*sides)
    assert found is not None
    assert decision_rules.reason(found) == (
        f"{B} is not eligible in the new kernel (lag -0.200 ms), and is eligible in base (lag"
        " 0.050 ms)"
    )


def test_a_task_on_another_cpu_is_a_decision_where_all_cpus_stood_alike() -> None:
    both = ["s0.10.0.1.0", "s1.10.0.3.0"]
    base, new = (trace(*both, f"e{cpu}.20.2.9", "n0.0.1", "n1.0.1") for cpu in (0, 1))
    found = first(base, new)
    assert found is not None
    assert (found.new.what, found.new.of) == ("queued", B)
    assert (found.base.answer, found.new.answer) == ("0", "1")
    # Negative control: who ran on the other CPU is another, or is not known.
    other = trace("s0.10.0.1.0", "s1.10.0.0.0", "e1.20.2.9", "n0.0.1", "n1.0.1")
    assert first(base, other) is None or first(base, other).new.of != B  # type: ignore[union-attr]
    unknown = [trace(f"e{cpu}.20.2.9", "n0.0.1", "n1.0.1") for cpu in (0, 1)]
    assert first(*unknown) is None


def test_kinds_of_decisions_and_waits_are_counted() -> None:
    def boot(preempts: bool, waited: int) -> Trace:
        words = list(START)
        for n in range(12):
            at = 100 + 1000 * n
            words += wake(at, 2, preempts=preempts)
            words += [f"s0.{at + waited:x}.1.2.0", f"s0.{at + waited + 1:x}.2.1.1"]
        return trace(*words, *END)

    data = decision_text.data([Pair(seed=1, base=boot(True, 10), new=boot(False, 500))], rows=9)
    (seed,) = data["seeds"]
    rows = {(r["who"], r["answer"]): (r["base"], r["new"]) for r in seed["classes"]}
    assert rows["pipe wakes while pipe runs", "yes"] == (12, 0)
    assert rows["pipe wakes while pipe runs", "no"] == (0, 12)
    waits = {r["name"]: (r["base_ns"], r["new_ns"]) for r in seed["waits"]}
    assert waits["pipe"][0] < waits["pipe"][1]
    text = decision_text.render(data)
    assert "pipe wakes while pipe runs: yes" in text
    assert max(map(len, text.splitlines())) <= 75
