# SPDX-License-Identifier: GPL-2.0-only
"""Reader of the wake-up latency of named threads, from the kernel's own trace.

The benchmark's script traces sched_wakeup and sched_switch of the threads whose names match
a pattern, and prints that pattern and the file `trace`:

    == threads
    kworker/*
    == trace
    # tracer: nop
    ...
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from vlag.errors import ParseError
from vlag.model import Direction, Histogram, ParsedOutput, Quantity
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "wakeup-trace"

QUANTITIES: Mapping[str, Quantity] = {
    "wakeup-latency": Quantity(unit="us", direction=Direction.LOWER)
}

DEFAULTS: Sequence[str] = ()

SETTINGS: Mapping[str, Setting] = {}

# kworker/*
_PATTERN = re.compile(r"[A-Za-z0-9_/:.*-]{1,40}")

# # entries-in-buffer/entries-written: 180/180   #P:2
_ENTRIES = re.compile(
    r"# entries-in-buffer/entries-written: (?P<kept>\d{1,12})/(?P<written>\d{1,12}) +#P:\d+"
)

#             bash-7123    [001] d..4. 26627.142077: sched_wakeup: comm=kworker/0:0 ...
# The number of flags differs with the kernel.
_EVENT = re.compile(
    r" *\S.{0,15}-\d{1,10} +\[\d{3,5}\] [^ ]{4,6} +(?P<s>\d{1,9})\.(?P<us>\d{6}): "
    r"(?P<event>[a-z_]{1,40}): (?P<fields>.*)"
)

# comm=kworker/0:0 pid=22729 prio=120 target_cpu=000
_WAKEUP = re.compile(
    r"comm=(?P<comm>.{1,15}) pid=(?P<pid>\d{1,10}) prio=-?\d+ (?:success=1 )?target_cpu=\d+"
)

# prev_comm=kworker/0:0 prev_pid=22729 prev_prio=120 prev_state=I ==> next_comm=bash \
#     next_pid=7017 next_prio=120
_SWITCH = re.compile(
    r"prev_comm=(?P<prev_comm>.{1,15}) prev_pid=(?P<prev>\d{1,10}) prev_prio=-?\d+"
    r" prev_state=\S{1,12} ==> next_comm=(?P<comm>.{1,15}) next_pid=(?P<pid>\d{1,10})"
    r" next_prio=-?\d+"
)


def _begin(trace: Sequence[Line]) -> tuple[str, int]:
    """Return the pattern of the threads' names and the start of the trace."""
    texts = [line.text for line in trace]
    if "== threads" not in texts or "== trace" not in texts:
        raise trace[-1].refuse(
            "the output is cut off: the sections 'threads' and 'trace' must stand there"
        )
    first, second = texts.index("== threads"), texts.index("== trace")
    if second != first + 2 or not _PATTERN.fullmatch(texts[first + 1]):
        raise trace[first].refuse(
            "one pattern of threads' names must stand between 'threads' and 'trace'"
        )
    return texts[first + 1], second + 1


def _expected(trace: Sequence[Line], path: str) -> int:
    """Return how many events the trace holds; raise if the buffer lost some."""
    heads = [(line, m) for line in trace if (m := _ENTRIES.fullmatch(line.text))]
    if len(heads) != 1:
        raise ParseError(
            f"the trace has {len(heads)} heads with a number of entries, where one must stand",
            path=path,
            line=trace[-1].number if trace else None,
        )
    line, head = heads[0]
    if head["kept"] != head["written"]:
        raise line.refuse(
            f"the trace kept {head['kept']} of {head['written']} events; trace with a larger"
            " buffer or for a shorter time"
        )
    return int(head["kept"])


class _Pairs:
    """Wake-ups waiting for their thread to run, and the latencies of those that did."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._woken: dict[str, int] = {}  # pid -> us
        self.latencies: dict[str, list[int]] = {}  # thread's name -> us

    def wakeup(self, fields: re.Match[str], now: int) -> bool:
        """Note a wake-up; return whether it is one of the threads."""
        self._woken.setdefault(fields["pid"], now)
        return fnmatchcase(fields["comm"], self._pattern)

    def switch(self, fields: re.Match[str], now: int) -> bool:
        """Note a switch; return whether it is from or to one of the threads."""
        # Woken before it slept: it never waited for a CPU.
        self._woken.pop(fields["prev"], None)
        ours = fnmatchcase(fields["comm"], self._pattern)
        woken = self._woken.pop(fields["pid"], None)
        if ours and woken is not None:
            self.latencies.setdefault(fields["comm"], []).append(now - woken)
        return ours or fnmatchcase(fields["prev_comm"], self._pattern)


def _latencies(trace: Sequence[Line], pattern: str, path: str) -> dict[str, list[int]]:
    """Return the latencies of each thread, in us; raise for any line that is no event."""
    expected = _expected(trace, path)
    pairs = _Pairs(pattern)
    events, last = 0, 0
    for line in trace:
        if line.text.startswith("#") or not line.text.strip():
            continue
        if line.text == "rc=0" and events == expected:
            continue
        match = _EVENT.fullmatch(line.text)
        fields = None
        if match is not None and match["event"] == "sched_wakeup":
            fields, note = _WAKEUP.fullmatch(match["fields"]), pairs.wakeup
        elif match is not None and match["event"] == "sched_switch":
            fields, note = _SWITCH.fullmatch(match["fields"]), pairs.switch
        if match is None or fields is None:
            raise line.refuse(
                f"'{line.text.strip()[:80]}' is no wake-up and no switch of the trace, or events"
                " were lost"
            )
        now = int(match["s"]) * 1_000_000 + int(match["us"])
        if now < last:
            raise line.refuse("the trace goes back in time; trace with the clock mono")
        if not note(fields, now):
            raise line.refuse(f"this event is of no thread that fits '{pattern}'")
        events, last = events + 1, now
    if events != expected:
        raise trace[-1].refuse(
            f"the output is cut off: the trace has {events} of {expected} events"
        )
    return pairs.latencies


def recognise(data: bytes) -> bool:
    """Return whether this looks like a trace of wake-ups."""
    return re.search(rb"^== threads\r?\n[^\n]+\n== trace\r?$", data, re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how long threads waited for a CPU after they were woken.

    One histogram, `wakeup-latency`, in microseconds with a row a thread's name, as in
    "kworker/0:1"; a bucket is one microsecond, and nothing overflows.  A thread that was
    woken before it slept did not wait and gives no sample.  `benchmark` names the
    pattern of the threads.

    Raises ParseError for a trace that is cut off, lost events, goes back in time, holds
    other events or has no wake-up that was followed by a run.
    """
    trace = lines(data, path)
    pattern, begin = _begin(trace)
    latencies = _latencies(trace[begin:], pattern, path)
    if not latencies:
        raise trace[-1].refuse(
            f"no thread that fits '{pattern}' was woken and ran; trace for a longer time"
        )
    names = tuple(sorted(latencies))
    rows = [Counter(latencies[name]) for name in names]
    bounds = tuple(sorted(set().union(*rows)))
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} {pattern}",
        tool_version=None,
        defaults={},
        samples=(),
        histograms=(
            Histogram(
                metric="wakeup-latency",
                bounds=bounds,
                counts=tuple(tuple(row[bound] for bound in bounds) for row in rows),
                overflow=(0,) * len(names),
                limit=bounds[-1] + 1,
                maximum=tuple(float(max(row)) for row in rows),
                instances=names,
            ),
        ),
    )
