# SPDX-License-Identifier: GPL-2.0-only
"""Who blocked a wake-up, as rtla timerlat says it."""

from __future__ import annotations

import pytest

from tests.unit.captures import cuts, damage_refused, less_each_line, lines, read, refusals
from vlag.errors import ParseError
from vlag.parsers import timerlat
from vlag.parsers.timerlat import Wakeup, wakeups

BLOCKER = "timerlat/6.12-blocker.txt"
HACKBENCH = "timerlat/6.12-hackbench.txt"
QUIET = "timerlat/6.12-quiet.txt"
#: 400 timers of one program end at one time, again and again.
TIMERS = "timerlat/6.12-timers.txt"
#: A board's own file, of Debian's real-time kernel.
GUEST = "timerlat/6.12-guest.txt"
#: Another one, with a wake-up whose interrupt rtla has not seen.
UNSEEN = "timerlat/6.12-unseen.txt"

#: As rtla writes into a file, with tabs; only what is needed of an analysis.
PARTS = """\
## CPU 3 hit stop tracing, analyzing it ##
  IRQ handler delay:\t\t{idle:>16} {delay:9.2f} us (1.00 %)
  IRQ latency:\t\t\t\t\t\t {delay:9.2f} us
  Timerlat IRQ duration:\t\t\t\t      1.00 us (1.00 %)
  Blocking thread:\t\t\t\t\t      2.00 us (2.00 %)
                    some thread:7                  2.00 us
{more}------------------------------------------------------------------------
  Thread latency:\t\t\t\t\t    100.00 us (100%)
"""


def analysed(more: str = "", *, delay: float = 0.5, idle: str = "") -> Wakeup:
    [found] = wakeups(PARTS.format(more=more, delay=delay, idle=idle).encode(), path="raw")
    return found


def of(name: str) -> list[Wakeup]:
    return wakeups(read(name)[1], path=name)


def test_the_planted_thread_is_named_and_a_quiet_guest_names_nobody() -> None:
    [blocked] = of(BLOCKER)
    assert (blocked.cpu, blocked.us, blocked.blocker()) == (1, 7408.29, "thread blocker")
    assert blocked.stack[-1] == "asm_sysvec_apic_timer_interrupt"
    assert of(QUIET) == []  # negative control


def test_an_interrupt_that_serves_other_timers_first_is_the_cause() -> None:
    """The thread that it interrupted is not: the CPU was idle, and let it in at once."""
    [late] = of(TIMERS)
    assert (late.late_interrupt, late.us, late.parts["IRQ handler delay"]) == (True, 256.9, 0.02)
    assert late.blocker() == "other timers in its own IRQ"
    # Negative control: where the interrupt began late, before its own turn there is nothing.
    assert "other timers in its own IRQ" not in analysed(delay=80).blockers()


def test_a_boards_own_file_names_who_blocked() -> None:
    [blocked] = of(GUEST)
    assert (blocked.us, blocked.blocker()) == (492.24, "thread cat")


def test_where_rtla_has_not_seen_who_ran_nobody_is_blamed_for_it() -> None:
    first, unseen = of(UNSEEN)
    assert first.blocker() == "thread cat"
    assert (unseen.us, unseen.blocker()) == (1638.57, None)
    assert unseen.blockers() == {"thread rtla": 415.44}


def test_a_benchmark_that_ends_before_rtla_does_is_said() -> None:
    with pytest.raises(ParseError, match=r"raw:2: the benchmark ended before a run of rtla did; m"):
        wakeups(b"$ rtla timerlat top --aa-only US\n== end\n", path="raw")


def test_threads_of_one_name_count_together_whether_they_ran_or_came_between() -> None:
    [blocked] = of(HACKBENCH)
    # 455.34 us as the interrupt came, and five stretches later on.
    assert blocked.blockers()["thread hackbench"] == pytest.approx(2719.76)
    assert blocked.blocker() == "thread hackbench"
    # Neither of the two parts alone is all of it.
    assert max(blocked.parts["Blocking thread"], blocked.parts["Thread interference"]) < 2300


@pytest.mark.parametrize(
    ("more", "blocker"),
    [
        ("  IRQ interference  \t\t\t\t\t     60.00 us (60.00 %)\n"
         "               local_timer:236      \t\t    60.00 us\n", "IRQ local_timer"),
        ("  Softirq interference  \t\t\t\t     60.00 us (60.00 %)\n"
         "                    NET_RX:3   \t\t    60.00 us\n", "softirq NET_RX"),
        ("  NMI interference  \t\t\t\t\t     60.00 us (60.00 %)\n", "NMI"),
        ("  Thread interference  \t\t\t\t\t     60.00 us (60.00 %)\n"
         "           kworker/3:1-mm:88  \t\t    35.00 us\n"
         "              kworker/u9:0:90  \t\t    25.00 us\n", "thread kworker"),
        ("  Thread interference  \t\t\t\t\t     60.00 us (60.00 %)\n"
         "              irq/24-eth0:88  \t\t    60.00 us\n", "thread irq/eth0"),
        # Half and less is nobody's.
        ("  Thread interference  \t\t\t\t\t     60.00 us (60.00 %)\n"
         "                        one:88  \t\t    30.00 us\n"
         "                        two:89  \t\t    30.00 us\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_each_kind_of_part_names_its_own(more: str, blocker: str | None) -> None:
    assert analysed(more).blocker() == blocker


def test_an_interrupt_that_came_late_is_that_of_who_had_them_off_or_of_an_idle_cpu() -> None:
    assert analysed(delay=80).blocker() == "thread some thread with interrupts off"
    assert analysed(delay=80, idle="(exit from idle)").blocker() == "exit from idle"
    [late] = wakeups(
        b"## CPU 0 hit stop tracing, analyzing it ##\n"
        b"  IRQ handler delay:\t\t                     80.00 us (99.01 %)\n"
        b"  IRQ latency:\t\t\t\t\t\t     80.80 us\n"
        b"  Blocking thread:\n                     dd:412      \n"
        b"    Blocking thread stack trace\n\t\t-> timerlat_irq\n"
        b"------------------------------------------------------------------------\n"
        b"     IRQ latency:\t\t\t\t\t     80.80 us (100%)\n",
        path="raw",
    )
    assert late.late_interrupt
    assert late.blocker() == "thread dd with interrupts off"


def test_the_longer_half_is_the_worst() -> None:
    found = [analysed(), *of(BLOCKER), *of(HACKBENCH)]
    assert [w.us for w in timerlat.worst(found)] == [7408.29, 2765.89]
    assert timerlat.worst([]) == []


def runs(*texts: str, end: str = "== end\n") -> bytes:
    each = "".join(f"== threshold 50 us\n{text}== status 0\n" for text in texts)
    return f"$ rtla timerlat top -k --aa-only US\n{each}{end}".encode()


def test_a_board_s_runs_are_read_one_after_the_other() -> None:
    hit = f"{timerlat._HIT}\n{PARTS.format(more='', delay=0.5, idle='')}"
    found = wakeups(runs(hit, "  Max latency was 12\n", hit), path="raw")
    assert [w.us for w in found] == [100, 100]
    assert wakeups(runs("  Max latency was 12\n"), path="raw") == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (runs(timerlat._HIT + "\n"), "rtla stopped at 1 wake-ups and analysed 0"),
        (runs("  Max latency was 12\n", end=""), "'== end' must be the last line"),
        (runs("  Max latency was 12\n").replace(b"== status 0\n", b""), "1 runs of rtla began, 0"),
        (runs("sh: rtla: not found\n"), "rtla timerlat did not end well: 'sh: rtla: not found'"),
        (b"this kernel has no timerlat tracer\n", "build it with CONFIG_TIMERLAT_TRACER"),
        (b"", "rtla stopped at 0 wake-ups and analysed 0"),
    ],
)
def test_what_has_no_answer_is_refused_with_its_reason(data: bytes, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        wakeups(data, path="raw")
    assert said in str(caught.value)


def test_an_analysis_that_lacks_a_line_is_refused_or_says_the_same() -> None:
    # Whom it names must make up the sums, so that no line with a name or a sum may be missing.
    kept = {
        line.strip()
        for line, lost in zip(
            lines(HACKBENCH),
            refusals(HACKBENCH, less_each_line(read(HACKBENCH)[1])),
            strict=True,
        )
        if not lost
    }
    assert not any(b" us" in line and not line.startswith(b"Max ") for line in kept)
    assert any(refusals(BLOCKER, cuts(read(BLOCKER)[1], 7)))


@pytest.mark.parametrize("name", [BLOCKER, HACKBENCH])
def test_damaged_output_is_refused_or_read(name: str) -> None:
    assert damage_refused(name, 200) > 50
