# SPDX-License-Identifier: GPL-2.0-only
"""Kernel alarms: splats on the console, and taints.

Pure: text in, facts out.  The patterns match the messages of old and new kernels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve, frozen

from vlag import printable

#: Kind of alarm -> what the kernel prints, in the order they are tried: general patterns
#: come after specific ones.  Each looks at a bounded number of characters from where it begins,
#: so a line of any length, with any number of beginnings, takes time in proportion to it.
_KINDS = (
    ("panic", re.compile(r"Kernel panic - not syncing")),
    (
        "lockdep",
        re.compile(
            # Older kernels print INFO in place of WARNING.
            r"(WARNING|INFO): (possible (circular|recursive|irq)|inconsistent lock state"
            r"|suspicious RCU|bad (unlock balance|contention)|held lock freed"
            r"|lock held when returning|Nested lock was not taken|chain_key collision"
            r"|.{0,300} lock order detected|.{0,300} still has locks held"
            r"|trying to register non-static key)"
            r"|\bBUG: (Invalid wait context|MAX_LOCK|MAX_STACK_TRACE_ENTRIES)"
        ),
    ),
    ("rcu_stall", re.compile(r"INFO: rcu\w* (self-)?detected (expedited )?stall")),
    ("soft_lockup", re.compile(r"\bBUG: soft lockup")),
    ("hard_lockup", re.compile(r"detected hard LOCKUP")),
    ("workqueue_lockup", re.compile(r"\bBUG: workqueue lockup")),
    (
        "hung_task",
        re.compile(
            r"INFO: task .{1,300} ((blocked (in I/O wait )?|can't die )for more than"
            r" \d{1,9} seconds|is blocked on an? )"
        ),
    ),
    (
        "oom_kill",
        re.compile(
            r"\binvoked oom-killer: |\boom-kill:constraint=|[Oo]ut of memory: Kill(ed)? process "
        ),
    ),
    ("page_allocation", re.compile(r": page allocation (failure: order:\d|stalls for \d)")),
    ("cfi", re.compile(r"\bCFI failure (at |\()")),
    (
        "slab",
        re.compile(
            r"\bBUG [\w-]{1,64} \((Not tainted|Tainted)"
            r"|\bpagealloc: (memory corruption|single bit error)"
        ),
    ),
    ("serror", re.compile(r"\bSError Interrupt on CPU\d")),
    ("machine_check", re.compile(r"\[Hardware Error\]: ")),
    ("csd_lock", re.compile(r"\bcsd: (Detected non-responsive|CSD lock|Re-sending CSD lock) ")),
    ("sanitizer", re.compile(r"\bUBSAN: |\bBUG: (KASAN|KCSAN|KMSAN|KFENCE): ")),
    (
        "oops",
        re.compile(
            # A user program's fault has no comma or colon there, and no count of oopses.
            r"\bOops(: | - |\[#)|general protection fault[,:]|Internal error: "
            r"|: [0-9a-f]{4,16} \[#\d{1,9}\]"
        ),
    ),
    (
        "bug",
        re.compile(
            r"\bBUG: |\b[Kk]ernel BUG at |Unable to handle kernel |\bPANIC: double fault"
            r"|\brust_kernel: panicked at "
        ),
    ),
    (
        "scheduler_check",
        re.compile(
            r"\bsched: CPU \d{1,5} need_resched set for > \d|\bpsi: inconsistent task state!"
        ),
    ),
    ("irq_disabled", re.compile(r"\birq \d{1,5}: nobody cared\b")),
    ("msr_access", re.compile(r"unchecked MSR access error: ")),
    # What follows is one line each: no splat, but a boot that measured something else.
    ("rt_throttling", re.compile(r"\bsched: RT throttling activated")),
    ("deadline_lag", re.compile(r"\bsched: DL replenish lagged too much")),
    # Whoever unloads a scheduler disables it, too.
    (
        "sched_ext_disabled",
        re.compile(r"\bsched_ext: .{1,300} disabled \((?!unregistered from )"),
    ),
    ("undervoltage", re.compile(r"\b[Uu]nder-?voltage detected")),
    (
        "thermal_throttling",
        re.compile(
            r"temperature (is )?above threshold|cpu clock throttled"
            r"|\bthermal .{1,300}: critical temperature reached"
        ),
    ),
    (
        "clocksource_unstable",
        re.compile(r"Marking clocksource '?[^']{1,300}'? as unstable|Marking TSC unstable due to"),
    ),
    (
        "softirq_pending",
        re.compile(
            r"NOHZ tick-stop error: .{0,300}softirq work is pending|NOHZ: local_softirq_pending"
        ),
    ),
    # Programs print WARNING: as well; the kernel adds the place in the source.
    ("warning", re.compile(r"\bWARNING: (CPU: \d|at |.{0,300}\.(c|h|S|rs):\d)")),
)
#: Kinds whose line says everything: what follows it is not its detail.
_ONE_LINE = {
    "rt_throttling", "clocksource_unstable", "softirq_pending", "deadline_lag",
    "sched_ext_disabled", "undervoltage", "thermal_throttling", "machine_check",
}  # fmt: skip
# A line that says more of the event that the last one announced.
_MORE = re.compile(
    r" is blocked on an? |\boom-kill:constraint=|\bKill(ed)? process |Re-sending CSD lock "
)
# Somebody's words, not the kernel's: its own command line, and what a shell was told.
_QUOTED = re.compile(
    r"^(?:\[[^\]]{1,40}\] )?(?:Kernel command line|Command line|Unknown kernel command line"
    r" parameters?): |^(?:[\w.-]{1,64}@[\w.-]{1,64}[: ][^#$]{0,200}|/|~|sh-[\d.]{1,9})? ?[#$] "
)
_BEGIN = re.compile(r"---\[ cut here \]---")
_END = re.compile(r"---\[ end ")
#: Lines of a splat that are kept after its first.
DETAIL_LINES = 30
# Bit -> letter, as the kernel's Documentation/admin-guide/tainted-kernels has them.
_TAINTS = "PFSRMBUDAWCIOELKXTNJ"
# Taint bits that an alarm on the console sets: D after an oops, W after a warning, L after a
# lockup.
_ALARM_TAINTS = 1 << 7 | 1 << 9 | 1 << 14


@frozen(kw_only=True)
class HealthLine:
    """One kernel alarm: the first line of a splat, or a taint without one."""

    kind: str
    line: int  # line of the console, from 1; 0: no line of the console shows it
    text: str
    phase: str  # "boot", "setup", "benchmark" or "after"
    detail: tuple[str, ...] = ()  # the lines that follow, `DETAIL_LINES` at most


class Splats:
    """Collects kernel alarms from a console that is read line by line."""

    def __init__(self) -> None:
        self.health_lines: list[HealthLine] = []
        self._open = False  # the last of `health_lines` still takes lines

    def line(self, number: int, text: str, phase: str) -> None:
        """Take one line of the console that is not a marker."""
        last = self.health_lines[-1] if self._open else None
        kind = _kind(text)
        # The kernel announces a fault, then numbers it, or says it in several lines: one event.
        numbered = last is not None and (
            (kind, last.kind) == ("oops", "bug")
            or (kind == last.kind and _MORE.search(text) is not None)
        )
        if kind and not numbered:
            self.health_lines.append(
                HealthLine(kind=kind, line=number, text=_plain(text), phase=phase)
            )
            self._open = kind not in _ONE_LINE
        elif last is not None:
            if _BEGIN.search(text):
                self._open = False
                return
            detail = (*last.detail, _plain(text))
            self.health_lines[-1] = evolve(last, detail=detail)
            self._open = not _END.search(text) and len(detail) < DETAIL_LINES

    def marker(self) -> None:
        """Note a marker: the lines after it belong to no earlier splat."""
        self._open = False


def _kind(text: str) -> str | None:
    # The end of a panic repeats its message.
    if _END.search(text) or _QUOTED.match(text):
        return None
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)


def _plain(text: str) -> str:
    """Return a line as it can be stored: a dying board may send any byte."""
    return printable.flat(text).strip()


def taint(before: str | None, after: str | None, alarms: Sequence[HealthLine]) -> list[HealthLine]:
    """Return taints set while measuring that no alarm explains, as one line or none.

    `before` and `after` are /proc/sys/kernel/tainted, None where the board did not send
    it; `alarms` are the console's alarms after the boot.
    """
    values = [_number(before), _number(after)]
    if values[0] is None or values[1] is None:
        return []
    fresh = values[1] & ~values[0]
    if alarms:
        fresh &= ~_ALARM_TAINTS
    if not fresh:
        return []
    text = f"kernel tainted: {fresh} ({taint_letters(fresh)})"
    return [HealthLine(kind="taint", line=0, text=text, phase="benchmark")]


def taint_letters(value: int) -> str:
    """Return the letters of a taint's bits; a bit without a letter is 'bit N'."""
    bits = [n for n in range(value.bit_length()) if value >> n & 1]
    letters = "".join(_TAINTS[n] for n in bits if n < len(_TAINTS))
    return " ".join(
        [*([letters] if letters else []), *(f"bit {n}" for n in bits if n >= len(_TAINTS))]
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().isdecimal() else None
