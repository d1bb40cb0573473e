# SPDX-License-Identifier: GPL-2.0-only
"""Reader of what `rtla timerlat top` says of a wake-up that took too long, rtla 6.12.

With -a or --aa-only rtla stops at the first wake-up above a threshold and prints whom its CPU
served meanwhile:

    ## CPU 1 hit stop tracing, analyzing it ##
      IRQ handler delay:                      0.00 us (0.00 %)
      IRQ latency:                            1.12 us
      Timerlat IRQ duration:                 33.38 us (0.45 %)
      Blocking thread:                     7364.49 us (99.41 %)
                   blocker:156             7364.49 us
      ...
      Thread latency:                      7408.29 us (100%)

A board that observes timerlat runs rtla again and again, with a line before and after each time
and one at the end (`vlag.lava.worst_wakeups`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "timerlat"

QUANTITIES: Mapping[str, Quantity] = {
    "worst-latency": Quantity(unit="us", direction=Direction.LOWER),
    "blocked": Quantity(unit="us", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ()

SETTINGS: Mapping[str, Setting] = {"options": Setting(r"^\$ rtla timerlat (\S.*)$")}

_US = r"(?P<us>\d{1,12}\.\d\d) us"
_SHARE = r"(?: \(-?\d{1,7}\.\d\d %\))?"

# ## CPU 1 hit stop tracing, analyzing it ##
_HEAD = re.compile(r"## CPU (?P<cpu>\d{1,5}) hit stop tracing, analyzing it ##", re.ASCII)
#   IRQ handler delay:           (exit from idle)      12.34 us (0.45 %)
#   Thread interference                              2264.44 us (81.87 %)
_PART = re.compile(
    rf"(?P<what>IRQ handler delay|IRQ latency|Timerlat IRQ duration|Blocking thread"
    rf"|(?:NMI|IRQ|Softirq|Thread) interference):?(?P<idle> \(exit from idle\))? {_US}{_SHARE}",
    re.ASCII,
)
#   Blocking thread:             of an interrupt that came late: who ran is not measured
_UNMEASURED = "Blocking thread:"
#   Previous IRQ interference:                     up to       3.21 us
_BEFORE = re.compile(r"Previous IRQ interference: up to \d{1,12}\.\d\d us", re.ASCII)
#                  hackbench:173                1902.09 us
_NAMED = re.compile(rf"(?P<name>\S(?:[^\n]{{0,40}}\S)?):(?P<id>\d{{1,20}})(?: {_US})?", re.ASCII)
# Who ran as an interrupt came that rtla has not seen.
_UNSEEN = ":0 0.00 us"
_STACK = "Blocking thread stack trace"
#                 -> asm_sysvec_apic_timer_interrupt
_FRAME = re.compile(r"-> (?P<function>\S{1,200})")
_RULE = re.compile(r"-{40,100}")
#   Thread latency:                               7408.29 us (100%)
_TOTAL = re.compile(rf"(?P<what>Thread|IRQ) latency: {_US} \(100%\)", re.ASCII)

_HIT = "rtla timerlat hit stop tracing"
# Max timerlat IRQ latency from idle: 1.43 us in cpu 1
_FROM_IDLE = re.compile(r"Max timerlat IRQ latency from idle: \d{1,12}\.\d\d us in cpu \d{1,5}")
# Max latency was 46
_MAXIMUM = re.compile(r"Max latency was \d{1,12}", re.ASCII)
#   1 #1000      |        1         1         1         1 |       27        27        27        28
_TABLE = re.compile(r"Timer Latency|[^|]{0,200}\|[^|]{0,200}\|[^|]{0,200}|-{10,100}\|[-|]{10,200}")
_ALL = re.compile(r"ALL #\d{1,12} .*")
_SAVED = re.compile(r"Saving trace to \S{1,200}")
# == threshold 50 us
_BEGIN = re.compile(r"== threshold (?P<us>[1-9]\d{0,8}) us", re.ASCII)
_STATUS = re.compile(r"== status \d{1,3}", re.ASCII)
_END = "== end"
_COMMAND = re.compile(r"\$ .*|rc=\d{1,3}")
_NO_TRACER = "this kernel has no timerlat tracer"

_RECOGNISED = re.compile(
    rb"^## CPU \d{1,5} hit stop tracing, analyzing it ##\r?$|^== threshold \d{1,9} us\r?$"
    rb"|^\$ rtla timerlat |^ {20,60}Timer Latency +\r?$",
    re.M,
)

# Parts of a wake-up whose time several names share; the kind of those that are named there.
_KINDS = {
    "Blocking thread": "thread",
    "Thread interference": "thread",
    "IRQ interference": "IRQ",
    "Softirq interference": "softirq",
}
_NMI, _DELAY, _LATENCY = "NMI interference", "IRQ handler delay", "IRQ latency"
# A part is printed as a sum, and each of its items rounded to a hundredth.
_ROUNDED_US = 0.01
# A thread of one CPU has its number behind a slash; the number of an interrupt stands before one.
_OF_CPU = re.compile(r"(?P<name>[^/]{1,40})/u?\d.*", re.ASCII)
_OF_IRQ = re.compile(r"irq/\d{1,6}-(?P<name>.+)", re.ASCII)


@frozen(kw_only=True)
class Item:
    """Whom a CPU served while a wake-up waited."""

    part: str  # as rtla calls it
    name: str  # of a thread, an interrupt or a softirq, without its number
    us: float | None  # None: who ran while an interrupt came late


@frozen(kw_only=True)
class Wakeup:
    """A wake-up that took longer than a threshold, and why."""

    cpu: int
    us: float
    late_interrupt: bool  # the interrupt itself was above the threshold, its thread not yet due
    from_idle: bool  # that interrupt had to wake the CPU
    parts: Mapping[str, float]  # as rtla calls them -> us
    items: Sequence[Item]
    stack: Sequence[str]  # functions of who ran as the interrupt came, innermost first

    def blockers(self) -> dict[str, float]:
        """Return who blocked it -> us: "thread NAME", "IRQ NAME", "softirq NAME", "NMI".

        rtla names nobody for an interrupt that began in time, and served other timers first.
        """
        found: dict[str, float] = {}
        for item in self.items:
            if item.us is not None:
                name = f"{_KINDS[item.part]} {item.name}"
                found[name] = round(found.get(name, 0.0) + item.us, 2)
        if _NMI in self.parts:
            found["NMI"] = self.parts[_NMI]
        delay = self.parts[_DELAY]
        # From the begin of the timer's interrupt to its own turn: others ended at the same time.
        if 2 * (before := round(self.parts[_LATENCY] - delay, 2)) > self.us:
            found["other timers in its own IRQ"] = before
        running = [item.name for item in self.items if item.part == "Blocking thread"]
        if self.from_idle:
            found["exit from idle"] = delay
        elif delay and running:
            found[f"thread {running[0]} with interrupts off"] = delay
        return found

    def blocker(self) -> str | None:
        """Return who alone took more than half of its time; None where nobody did."""
        name, us = max(self.blockers().items(), key=lambda b: b[1], default=("", 0.0))
        return name if 2 * us > self.us else None


def _plain(text: str) -> str:
    return " ".join(text.split())


def _own_name(name: str) -> str:
    """Return a thread's or interrupt's name without the number of its CPU or line."""
    if of_irq := _OF_IRQ.fullmatch(name):
        return f"irq/{of_irq['name']}"
    of_cpu = _OF_CPU.fullmatch(name)
    return of_cpu["name"] if of_cpu else name


class _Analysis:
    """One analysis, line by line."""

    def __init__(self, head: Line, cpu: int) -> None:
        self._head, self._cpu = head, cpu
        self._parts: dict[str, float] = {}
        self._items: list[Item] = []
        self._stack: list[str] = []
        self._part = ""
        self._from_idle = False

    def take(self, line: Line) -> Wakeup | None:
        """Take one line; return the wake-up at the last one."""
        text = _plain(line.text)
        if part := _PART.fullmatch(text):
            self._begin(line, part["what"], float(part["us"]))
            self._from_idle |= part["idle"] is not None
        elif text == _UNMEASURED:
            self._begin(line, text.rstrip(":"), None)
        elif frame := _FRAME.fullmatch(text):
            self._stack.append(frame["function"])
        elif total := _TOTAL.fullmatch(text):
            return self._whole(line, total["what"] == "IRQ", float(total["us"]))
        elif self._part in _KINDS and (named := _NAMED.fullmatch(text)):
            us = named["us"]
            self._items.append(
                Item(part=self._part, name=_own_name(named["name"]), us=float(us) if us else None)
            )
        elif not (text in {_STACK, _UNSEEN} or _RULE.fullmatch(text) or _BEFORE.fullmatch(text)):
            raise line.refuse(
                f"'{text[:80]}' is no part of an analysis by rtla timerlat that is known here"
            )
        return None

    def _begin(self, line: Line, what: str, us: float | None) -> None:
        if what in self._parts or (us is None and self._part == what):
            raise line.refuse(f"'{what}' is there twice in one analysis")
        self._part = what
        if us is not None:
            self._parts[what] = us

    def _whole(self, line: Line, late: bool, us: float) -> Wakeup:
        thread = () if late else ("Timerlat IRQ duration", "Blocking thread")
        for part in (_DELAY, _LATENCY, *thread):
            if part not in self._parts:
                raise line.refuse(f"the analysis is cut off: it has no '{part}'")
        for part in _KINDS:
            mine = [item.us or 0.0 for item in self._items if item.part == part]
            most = _ROUNDED_US * (len(mine) + 1)
            if part in self._parts and abs(sum(mine) - self._parts[part]) > most:
                raise line.refuse(
                    f"'{part}' took {self._parts[part]:.2f} us, and those named there took"
                    f" {sum(mine):.2f} us"
                )
        if us == 0:
            raise line.refuse("a wake-up of 0 us was not above any threshold")
        return Wakeup(
            cpu=self._cpu, us=us, late_interrupt=late, from_idle=self._from_idle,
            parts=self._parts, items=tuple(self._items), stack=tuple(self._stack),
        )  # fmt: skip

    def cut(self) -> ParseError:
        """Return the error of an analysis that does not end."""
        return self._head.refuse("the analysis that begins here is cut off: it has no latency")


class _Runs:
    """Lines that stand outside of analyses: which runs of rtla there were, and how they ended."""

    def __init__(self) -> None:
        self.hit = 0  # runs that stopped at a threshold
        self.quiet = 0  # runs that say that none was reached
        self.begun = self.ended = 0  # of a board's own runs
        self.last = ""

    def take(self, line: Line) -> None:
        text = _plain(line.text)
        if not text:
            return
        if text == _NO_TRACER:
            raise line.refuse(
                f"{_NO_TRACER}: build it with CONFIG_TIMERLAT_TRACER, or boot one that has it"
            )
        if text == _HIT:
            self.hit += 1
        elif _MAXIMUM.fullmatch(text) or _ALL.fullmatch(text):
            self.quiet += 1
        elif _BEGIN.fullmatch(text):
            self.begun += 1
        elif _STATUS.fullmatch(text):
            self.ended += 1
        elif text != _END and not any(
            known.fullmatch(text) for known in (_FROM_IDLE, _TABLE, _SAVED, _COMMAND)
        ):
            raise line.refuse(f"rtla timerlat did not end well: '{text[:80]}'")
        self.last = text

    def check(self, last: Line, found: int) -> None:
        """Raise ParseError where a run has no end, or one that stopped has no analysis."""
        if self.begun != self.ended or (self.begun and self.last != _END):
            raise last.refuse(
                f"the output is cut off: {self.begun} runs of rtla began, {self.ended} ended, and"
                f" '{_END}' must be the last line"
            )
        if self.last == _END and not self.begun:
            raise last.refuse(
                "the benchmark ended before a run of rtla did; measure longer (duration_s)"
            )
        if self.hit > found or (not self.begun and not found and not self.quiet):
            raise last.refuse(
                f"the output is cut off: rtla stopped at {self.hit} wake-ups and analysed {found};"
                " run it with --aa-only or -a"
            )


def recognise(data: bytes) -> bool:
    """Return whether this looks like what rtla timerlat prints."""
    return _RECOGNISED.search(data) is not None or data.startswith(_NO_TRACER.encode())


def wakeups(data: bytes, *, path: str) -> list[Wakeup]:
    """Return the wake-ups that rtla has analysed, in its order; none where none was that long.

    Raises ParseError for output that is cut off or of an unknown layout, where rtla failed, and
    of a kernel that has no such tracer.
    """
    text = lines(data, path)
    found, runs = list[Wakeup](), _Runs()
    analysis: _Analysis | None = None
    for line in text:
        head = _HEAD.fullmatch(_plain(line.text))
        if head is not None:
            if analysis is not None:
                raise analysis.cut()
            analysis = _Analysis(line, int(head["cpu"]))
        elif analysis is None:
            runs.take(line)
        elif (wakeup := analysis.take(line)) is not None:
            found.append(wakeup)
            analysis = None
    if analysis is not None:
        raise analysis.cut()
    runs.check(text[-1] if text else Line(1, "", path), len(found))
    return found


def worst(found: Sequence[Wakeup]) -> list[Wakeup]:
    """Return the longer half of wake-ups: the threshold begins low and has to find the tail."""
    return sorted(found, key=lambda w: -w.us)[: (len(found) + 1) // 2]


def _largest(figures: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    most: dict[str, float] = {}
    for name, value in figures:
        most[name] = max(value, most.get(name, 0.0))
    return iter(sorted(most.items()))


def _sample(metric: str, figures: Iterable[tuple[str, float]]) -> Sample:
    """Return the largest figure of each name; a sample without one says that none was found."""
    largest = list(_largest(figures))
    return Sample(
        metric=metric,
        values=tuple(value for _, value in largest),
        instances=tuple(name for name, _ in largest),
        absent=() if largest else ("",),
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the worst wake-ups, in microseconds.

    `worst-latency` is the longest one of each CPU, `blocked` the longest time that a thread, an
    interrupt or a softirq took of one; both are `absent` where none was above a threshold.  A note
    says who took most of how many of the worst half.

    Raises ParseError as `wakeups`.
    """
    found = wakeups(data, path=path)
    blamed = Counter(w.blocker() or "nobody alone" for w in worst(found))
    note = f"who took most of the worst {blamed.total()} of {len(found)} wake-ups: " + ", ".join(
        f"{name} {n}" for name, n in sorted(blamed.items(), key=lambda b: (-b[1], b[0]))
    )
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults={},
        samples=(
            _sample("worst-latency", ((f"CPU {w.cpu}", w.us) for w in found)),
            _sample("blocked", (pair for w in found for pair in w.blockers().items())),
        ),
        histograms=(),
        notes=(note,) if found else (),
    )
