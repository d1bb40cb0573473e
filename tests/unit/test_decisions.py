# SPDX-License-Identifier: GPL-2.0-only
"""Decisions of two boots: what is read, which one differs first, and why."""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.decision_words import A, B, C, carried, entity, look, sent, trace, wake
from vlag.bundle import sha256
from vlag.config import catalogue
from vlag.errors import ParseError, UsageError
from vlag.kernel import symbols, types
from vlag.lava import console
from vlag.model import Observation
from vlag.pipeline.boot import command_line, places_of
from vlag.profile import (
    decision_course,
    decision_first,
    decision_rules,
    decision_tables,
    decision_text,
    decision_timeline,
    decision_trace,
)
from vlag.profile.decision_first import Pair
from vlag.profile.decision_trace import Trace

#: Task 1 runs from the begin on, and goes on for a while.
START = ["s0.10.0.1.0.0"]
END = ["s0.90.1.0.1.0", "n0.5.7"]


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
        (sent(START).replace(b"2 1\neJ", b"2 1\neK"), "checksum"),
        (carried("no base64"), "2 decisions, where 1 were sent"),
        (carried("-" * 9), "no decisions"),
        (carried(base64.b64encode(zlib.compress(b"s0.10.0.1.0\0")[:-5]).decode()), "cut off"),
        (sent(START)[:-30], "cut off"),
        (sent(START).replace(b"2 1\n", b"9 1\n", 1), "decisions of version 9; known are 2 and 3"),
        (sent(["s0.10.0.1.0"]), "'s0.10.0.1.0' is no decision"),
        (sent(["s0.10.0.9.0.0"]), "'s0.10.0.9.0.0' is no decision"),
        (sent(["e0.10.1.9"]), "'e0.10.1.9' is no decision"),
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
    assert words[-1] == "vlag.decisions=3:1:2"
    assert command_line(kind, {}, Observation.DECISIONS).split()[-1] == "vlag.decisions=3"
    assert "vlag.decisions" not in command_line(kind, {}, None)


def told(pair: Pair, *, rows: int) -> dict[str, Any]:
    shown = decision_timeline.timeline(pair)
    return decision_text.data([decision_text.answer(pair, shown, rows=rows)])


def found(base: Trace, new: Trace) -> decision_first.Found:
    return decision_first.first(decision_course.course(base), decision_course.course(new))


def many(*boots: str, times: int = 12) -> Trace:
    """The same words so often, each time a while later: a wake-up, and who woke sleeps again."""
    words = list(START)
    for n in range(times):
        for one in boots:
            kind, cpu, at, rest = re.fullmatch(r"(\D)(\d)\.([0-9a-f]+)(.*)", one).groups()  # type: ignore[union-attr]
            words.append(f"{kind}{cpu}.{int(at, 16) + 1000 * n:x}{rest}")
    return trace(*words, *END)


def asked(queue: str, *, preempts: bool, by: str = "1") -> list[str]:
    """Task 2 wakes up while task 1 runs; it runs later on, and sleeps again."""
    answer = ["r0.20"] if preempts else []
    slept = ["s0.40.1.2.0.0", "d0.60.2.9", "s0.60.2.1.1.0"]
    return [f"e0.20.2.9.{by}", "w0.20.2.1", queue, *answer, *slept]


def test_equal_boots_differ_in_nothing_whatever_time_they_took() -> None:
    base = trace(*START, *wake(32, 2, preempts=False), *END)
    later = trace(*START, *wake(48, 2, preempts=False), *END)
    assert found(base, later).first is None
    text = decision_text.render(told(Pair(seed=1, base=base, new=later), rows=5))
    assert (
        text
        == "No decision differs: both kernels took the same ones in 1 boot each, with 2\nswitches."
    )


def test_a_refused_preemption_is_found_with_what_made_it() -> None:
    """The slice of the waking task is longer, and so its deadline later."""
    base, new = (
        many(*asked(look(32, entity(1, 0, 2_000_000),
                         entity(2, 300_000, deadline, slice_ns)), preempts=preempts))
        for deadline, slice_ns, preempts in (
            (1_000_000, 700_000, True), (3_300_000, 3_000_000, False),
        )
    )  # fmt: skip
    pair = told(Pair(seed=4, base=base, new=new), rows=9)
    (seed,) = pair["seeds"]
    first = seed["first"]
    assert (first["what"], first["of"], first["nth"]) == ("preempts", B, 1)
    assert (first["base"]["answer"], first["new"]["answer"]) == ("yes", "no")
    assert (seed["alike"], seed["before"], seed["aligned"]) == (2, 0, True)
    assert first["reason"] == f"the slice of {B} is 3.000 ms in the new kernel, 0.700 ms in base"
    text = decision_text.render(pair)
    assert f"wake-up of {B} that may preempt, while {A} runs" in " ".join(text.split())
    assert f"preempts; woken by {A}" in text
    assert max(map(len, text.splitlines())) <= 75


def test_the_same_queue_with_another_answer_is_another_rule() -> None:
    """With RUN_TO_PARITY who runs goes on in its slice, whoever is due."""

    def queue(mark: str = "!") -> str:
        return look(32, entity(1, 0, 2_000_000).replace("1,", f"1{mark},", 1),
                    entity(2, 0, 1_000_000))  # fmt: skip

    kept, due = (many(*asked(queue(), preempts=preempts)) for preempts in (False, True))
    differs = found(kept, due)
    assert differs.first is not None
    assert decision_rules.rule(differs.first.base) == (
        f"{A} keeps the CPU within its slice (RUN_TO_PARITY)"
    )
    assert decision_rules.rule(differs.first.new) == (
        f"{B} has the earliest deadline of those eligible, though who runs is in its slice"
    )
    rules = {(r.fact.where, r.fact.answer): (r.times, r.cases) for r in differs.rules}
    where = "a wake-up by a task, who wakes is due, who runs is in its slice"
    assert rules[where, "yes"] == ((0, 12), (12, 12))
    # Negative control: out of its slice both kernels let it be preempted.
    free = many(*asked(queue(""), preempts=True))
    same = found(free, due)
    assert same.first is None
    # Fewer cases than tell a rule are none.
    few = [many(*asked(queue(), preempts=p), times=4) for p in (False, True)]
    assert found(*few).first is None
    assert len(found(*few).by_time) == 4


def test_a_check_that_ends_before_the_queue_is_looked_at() -> None:
    queue = look(32, entity(1, 0, 2_000_000), entity(2, 0, 1_000_000))
    words = asked(queue, preempts=True, by="3i")
    base = many(*words)
    new = many(*[w for w in words if w not in (queue, "r0.20")])
    differs = found(base, new)
    assert differs.first is not None
    assert differs.first.fact is not None
    assert decision_rules.by(differs.first.new) == f"by an interrupt while {C} ran"
    reason = decision_rules.reason(differs.first.fact, differs.first.base, differs.first.new)
    assert reason == (
        "the new kernel answers a wake-up by an interrupt before it looks at the queue, in base it"
        " looks: a rule stands before that"
    )
    # Negative control: a task that has left its queue cannot be looked at beside the woken one.
    leaves = ["d0.1f.1.9", *words]
    assert found(many(*leaves), many(*[w for w in leaves if w != queue])).first is None


def test_a_task_that_sleeps_in_its_queue() -> None:
    def boot(stays: int) -> Trace:
        queue = look(64, "1!~,5,9,2dc6c0,100000", entity(2, -5, 50)) if stays else None
        words = ["e0.20.2.9.1", "d0.40.1.9", *([queue] if queue else []),
                 f"s0.40.1.2.1.{stays}", "e0.50.1.9.2", "d0.60.2.9", "s0.60.2.1.1.0"]  # fmt: skip
        return many(*words)

    differs = found(boot(1), boot(0))
    assert differs.first is not None
    assert (differs.first.new.what, differs.first.new.of) == ("stays", A)
    assert differs.first.fact is not None
    assert decision_rules.reason(
        differs.first.fact, differs.first.base, differs.first.new
    ).startswith("in base a task that goes to sleep stays in its queue until it is owed time again")
    assert found(boot(1), boot(1)).first is None


def test_a_placement_further_away_is_the_reason() -> None:
    base, new = (
        many(*asked(look(32, entity(1, 0, 2_000_000), entity(2, 0, 3_000_000 * slices)),
                    preempts=False, by="3i"))
        for slices in (1, 16)
    )  # fmt: skip
    differs = found(base, new)
    assert differs.first is not None
    assert differs.first.fact is not None
    assert decision_rules.reason(differs.first.fact, differs.first.base, differs.first.new) == (
        f"the deadline of {B} lies 16.0 slices behind its virtual run time in the new kernel, 1.0"
        " in base"
    )


def test_an_answer_for_another_lag_is_no_other_rule() -> None:
    """Each kernel answers both ways, as its tasks have run."""
    owed, owes = (
        asked(look(32, entity(1, 0, 2_000_000), entity(2, vruntime, 1_500_000)), preempts=preempts)
        for vruntime, preempts in ((-100_000, True), (400_000, False))
    )
    differs = found(many(*owed, *owes), many(*owes, *owed))
    assert (differs.first, len(differs.by_time)) == (None, 24)
    one = differs.by_time[0]
    assert decision_rules.reason_of_time(one.base, one.new) == (
        f"{B} is not eligible in the new kernel (lag -0.200 ms), and is eligible in base (lag"
        " 0.050 ms)"
    )
    pair = Pair(seed=1, base=many(*owed, *owes), new=many(*owes, *owed))
    text = decision_text.render(told(pair, rows=5))
    assert text.startswith("No decision differs by its rule in 1 boot each.")
    assert "24 since tasks had run for other times" in " ".join(text.split())


def test_another_order_of_events_is_no_decision() -> None:
    """In one boot the task that wakes up finds another one running: nobody decided that."""
    base = trace(*START, *wake(32, 2, preempts=True), *END)
    new = trace(*START, "e0.20.3.9.1", "w0.20.3.1", "s0.28.1.3.0.0", "e0.32.2.9.3", "w0.32.2.3",
                *END)  # fmt: skip
    assert B not in {d.new.of for d in found(base, new).by_time}
    assert found(base, new).otherwise
    # Negative control: where it finds the same, the other answer is a decision.
    same = trace(*START, *wake(32, 2, preempts=False), *END)
    assert [d.new.of for d in found(base, same).by_time] == [B]
    assert not found(base, same).otherwise


def test_a_check_after_the_answer_is_known_decides_nothing() -> None:
    """A tick has asked for a reschedule in one boot before the task wakes up."""
    asked = ["i0.1c", "r0.1c"]
    second = wake(80, 2, preempts=True)
    base = trace(*START, *asked, *wake(32, 2, preempts=False), "s0.40.1.3.0.0", "s0.48.3.1.1.0",
                 *second, *END)  # fmt: skip
    new = trace(*START, *wake(32, 2, preempts=False), "s0.40.1.3.0.0", "s0.48.3.1.1.0",
                *wake(80, 2, preempts=False), *END)  # fmt: skip
    one, *others = found(base, new).by_time
    # The second wake-up is the same event in both, and there both stood alike.
    assert (one.new.of, one.nth, others) == (B, (2, 2), [])
    assert (one.base.answer, one.new.answer) == ("yes", "no")


def test_a_slice_that_ends_at_a_check_is_no_preemption() -> None:
    queue = look(32, entity(1, 0, 2_000_000), entity(2, 300_000, 3_000_000))
    words = [*START, "e0.20.2.9.1", "w0.20.2.1", "r0.20", queue, *END]
    made = decision_course.course(trace(*words))["preempts", B]
    assert [d.answer for d in made] == [decision_course.ENDED]
    # Negative control: a reschedule behind the look is the check's answer.
    words[3:5] = [words[4], words[3]]
    words[3:5] = [queue, "r0.20"]
    made = decision_course.course(trace(*words))["preempts", B]
    assert [d.answer for d in made] == ["yes"]


def queued(at: int, running: int, chosen: int) -> list[str]:
    """Two tasks wait beside one that runs, and a tick lets one of them run."""
    there = (entity(running, 0, 900), entity(2, 100, 500), entity(3, -200, 700))
    return [
        f"e0.{at:x}.2.9.1", f"e0.{at:x}.3.9.1", f"i0.{at + 1:x}", f"r0.{at + 1:x}",
        look(at + 1, *there), f"s0.{at + 1:x}.{running:x}.{chosen:x}.0.0",
    ]  # fmt: skip


def test_another_pick_is_told_by_the_rule_of_each_side() -> None:
    base, new = (trace(*START, *queued(32, 1, chosen), *END[1:]) for chosen in (3, 2))
    (one,) = found(base, new).by_time
    assert (one.new.what, one.base.answer, one.new.answer) == ("runs", C, B)
    assert one.new.situation.cause == "the tick"
    assert one.new.situation.waiting == {B, C}
    # Of 0, 100 and -200 the mean is -33: task 3 alone is owed time.
    assert decision_rules.rule(one.base) == f"{C} alone is eligible"
    assert decision_rules.rule(one.new) == f"{B} is chosen, though it is not eligible"


def test_a_task_on_another_cpu_is_a_decision_where_all_cpus_stood_alike() -> None:
    both = ["s0.10.0.1.0.0", "s1.10.0.3.0.0"]
    base, new = (trace(*both, f"e{cpu}.20.2.9.1", "n0.0.1", "n1.0.1") for cpu in (0, 1))
    (one,) = found(base, new).by_time
    assert (one.new.what, one.new.of) == ("queued", B)
    assert (one.base.answer, one.new.answer) == ("0", "1")
    # Negative control: who ran on the other CPU is another, or is not known.
    other = trace("s0.10.0.1.0.0", "s1.10.0.0.0.0", "e1.20.2.9.1", "n0.0.1", "n1.0.1")
    assert B not in {d.new.of for d in found(base, other).by_time}
    unknown = [trace(f"e{cpu}.20.2.9.1", "n0.0.1", "n1.0.1") for cpu in (0, 1)]
    assert not found(*unknown).by_time


DATA = Path(__file__).parents[1] / "data" / "decisions"


def recorded(name: str) -> Trace:
    """Return the begin of a trace that a kernel 6.12.117 has left; README.md there says how."""
    return decision_trace.read(gzip.decompress((DATA / f"{name}.txt.gz").read_bytes()), path=name)


@pytest.mark.parametrize(
    ("base", "new", "question", "reason", "rule"),
    [
        ("hackbench", "04-wakeup-preemption", "wake-up of cyclictest",
         "the new kernel answers a wake-up by an interrupt before it looks at the queue",
         "a wake-up by an interrupt: does not look at the queue"),
        ("hackbench", "05-placement", "wake-up of cyclictest",
         "slices behind its virtual run time in the new kernel, 1.0 in base",
         "a wake-up by an interrupt: deadline 16.0 slices away"),
        ("delay-dequeue", "no-delay-dequeue", "goes to sleep while others wait",
         "(DELAY_DEQUEUE)", "sleeps while others wait, stays in its queue: yes"),
        ("slice-2.8", "slice-1", "wake-up of stress-ng-switc",
         "is 1.000 ms in the new kernel, 2.800 ms in base", "slice of stress-ng-switc: 1.000 ms"),
        ("run-to-parity", "no-run-to-parity", "that may preempt",
         "who runs is in its slice", "who runs is in its slice"),
    ],
)  # fmt: skip
def test_a_change_of_a_rule_is_named_on_a_real_kernel(
    base: str, new: str, question: str, reason: str, rule: str
) -> None:
    pair = Pair(seed=1, base=recorded(base), new=recorded(new))
    document = told(pair, rows=9)
    (seed,) = document["seeds"]
    assert question in seed["first"]["sentence"]
    assert reason in seed["first"]["reason"]
    words = [decision_tables.rule_words(row) for row in seed["rules"]]
    assert any(rule in one for one in words)
    text = decision_text.render(document)
    assert max(map(len, text.splitlines())) <= 75


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ("switch", "01-comment-only"), ("switch", "02-pick-path"), ("switch", "03-wakeup-path"),
        ("no-slow-switch", "06-slow-switch"), ("switch", "padding"),
    ],
)  # fmt: skip
def test_a_longer_path_and_another_layout_change_no_rule(base: str, new: str) -> None:
    pair = Pair(seed=1, base=recorded(base), new=recorded(new))
    (seed,) = told(pair, rows=9)["seeds"]
    assert (seed["first"], seed["rules"]) == (None, [])
    # They did not take one course all the same: the answer is not for want of a difference.
    assert seed["by_time"] + seed["otherwise"] > 0


def test_kinds_of_decisions_and_waits_are_counted() -> None:
    def boot(preempts: bool, waited: int) -> Trace:
        words = list(START)
        for n in range(12):
            at = 100 + 1000 * n
            words += wake(at, 2, preempts=preempts)
            words += [f"s0.{at + waited:x}.1.2.0.0", f"s0.{at + waited + 1:x}.2.1.1.0"]
        return trace(*words, *END)

    data = told(Pair(seed=1, base=boot(True, 10), new=boot(False, 500)), rows=9)
    (seed,) = data["seeds"]
    rows = {(r["who"], r["answer"]): (r["base"], r["new"]) for r in seed["classes"]}
    assert rows["pipe wakes while pipe runs", "yes"] == (12, 0)
    assert rows["pipe wakes while pipe runs", "no"] == (0, 12)
    waits = {r["name"]: (r["base_ns"], r["new_ns"]) for r in seed["waits"]}
    assert waits["pipe"][0] < waits["pipe"][1]
    text = decision_text.render(data)
    assert "pipe wakes while pipe runs: yes" in text
    assert max(map(len, text.splitlines())) <= 75


def test_the_waits_of_a_boot_sum_up_to_the_change_by_how_they_begin() -> None:
    def boot(waited: int) -> Trace:
        words = list(START)
        for n in range(12):
            at = 100 + 10_000 * n
            words += wake(at, 2, preempts=False)
            # Who ran is preempted, and waits for as long in both.
            words += [f"s0.{at + waited:x}.1.2.0.0", f"s0.{at + waited + 40:x}.2.1.1.0"]
        return trace(*words, *END)

    document = told(Pair(seed=1, base=boot(10), new=boot(500)), rows=9)
    waiting = document["seeds"][0]["waiting"]
    rows = {(r["name"], r["how"]): (r["base_ns"], r["new_ns"]) for r in waiting["rows"]}
    assert rows["pipe", "woken, preempts nobody"] == (120, 6000)
    assert rows["pipe", "preempted"][0] == rows["pipe", "preempted"][1] == 12 * 40
    for side, whole in zip(("base_ns", "new_ns"), waiting["all"], strict=True):
        assert sum(r[side] for r in waiting["rows"]) + waiting["others"][side] == whole
    shares = sum(r["share"] for r in waiting["rows"]) + waiting["others"]["share"]
    assert shares == pytest.approx(1)
    lines = decision_text.render(document).splitlines()
    [carries] = [line.split() for line in lines if "pipe, woken, preempts nobody" in line]
    assert carries[-4:] == ["0.0", "0.0", "100", "%"]
    # A bound of rows leaves the sum as it is.
    cut = told(Pair(seed=1, base=boot(10), new=boot(500)), rows=1)["seeds"][0]["waiting"]
    assert (cut["others"]["count"], cut["all"]) == (len(waiting["rows"]) - 1, waiting["all"])
    # Negative control: of boots that wait for as long there are no shares.
    alike = told(Pair(seed=1, base=boot(500), new=boot(500)), rows=9)
    assert alike["seeds"][0]["waiting"] is None


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        ("RUN_TO_PARITY", "what it decides did not come up"),
        ("WAKEUP_PREEMPTION", "what it decides came up 12 and 12 times"),
        ("UTIL_EST", "do not show whether it had to decide"),
    ],
)
def test_a_toggle_that_differs_in_no_rule_says_whether_it_had_to_decide(
    feature: str, said: str
) -> None:
    words = list(START)
    for n in range(12):
        at = 100 + 1000 * n
        words += wake(at, 2, preempts=True, queue=look(at, entity(1, 5, 9), entity(2, -5, 5)))
        words += [f"s0.{at + 1:x}.1.2.0.0", f"s0.{at + 2:x}.2.1.1.0"]
    one = trace(*words, *END)
    pair = Pair(seed=1, base=one, new=one)
    answer = decision_text.answer(pair, decision_timeline.timeline(pair), rows=9)
    knobs = {"sched_features": feature}, {"sched_features": f"NO_{feature}"}
    text = decision_text.render(decision_text.data([answer], decision_text.toggled(*knobs)))
    assert f"{feature} is set for one kernel otherwise: " in text
    assert said in " ".join(text.split())
    assert "what was decided, by the same rule in both" in text
    assert max(map(len, text.splitlines())) <= 75
    # Negative control: knobs that are set alike are no toggle.
    assert decision_text.toggled(knobs[0], knobs[0]) == []
    assert "is set for" not in decision_text.render(decision_text.data([answer]))


def test_a_slice_keeps_who_runs_only_where_another_is_due_and_it_is_eligible() -> None:
    counts = {
        "a wake-up by a task, who wakes is due, who runs is in its slice": 2,
        "a wake-up by a task, a third is due, who runs is in its slice, of a longer slice": 3,
        # None of these is decided by it; a real boot has thousands of them.
        "a wake-up by a task, who wakes is due, who runs is in its slice, not eligible": 700,
        "a wake-up by a task, who runs is due, who runs is in its slice": 800,
        "a wake-up by a task, who wakes is due, who runs is at the begin of a slice": 900,
    }
    cases = [
        {"kind": decision_course.PREEMPTS, "where": where, "base": n, "new": 0}
        for where, n in counts.items()
    ]
    picks = [
        {"kind": decision_course.RUNS, "where": "a pick, who runs is in its slice",
         "base": 0, "new": 4},
        {"kind": decision_course.RUNS, "where": "a pick", "base": 70, "new": 80},
    ]  # fmt: skip
    assert decision_rules.times("RUN_TO_PARITY", [*cases, *picks]) == (5, 4)
