# SPDX-License-Identifier: GPL-2.0-only
"""cyclictest's text output, rt-tests 2.4 to 2.6: a histogram or one line per thread.

The text records no command line: the number of requested samples is unknown, and for a
quiet run the policy as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Histogram, Sample
from vlag.parsers.cyclictest_table import Rows, read_rows
from vlag.parsers.lines import Line, decode, lines
from vlag.parsers.rt_tests import latency_samples

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CODE = rb"(?:\x1b\[[0-9;?]*[A-Za-z])*"
_HISTOGRAM = re.compile(rb"^%s# Histogram%s\r*$" % (_CODE, _CODE), re.M)

# T: 0 (14271) P:90 I:1000 C:   2000 Min:     11 Act:   21 Avg:   22 Max:     170
# T: 0 (    0) P:90 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0
_THREAD = re.compile(
    r"T:(?P<thread>[ \d]\d|\d{3,5}) \((?P<tid> {0,4}\d{1,9})\) P:(?P<priority>[ \d]\d) I:\d{1,9} "
    r"C:(?P<cycles>[ \d]{7,12}) Min:(?P<min>[ \d]{7,12}) Act:(?P<act>[ \d]{5,12}) "
    r"Avg:(?P<avg>[ \d]{5,12}) Max:(?P<max>[ \d]{8,12})",
    re.ASCII,
)
_THREAD_BYTES = re.compile(rb"^%sT:[ \d]\d+ \([ \d]*\) P:[ \d]\d I:" % _CODE, re.M)
_NSECS_WIDTH = 8  # of Act and Avg; with microseconds they have 5 and more only if needed

# policy: fifo: loadavg: 2.14 2.10 1.10 2/103 14591
_POLICY = re.compile(r"policy: (?P<policy>[a-z]+): loadavg: ")

# The tool's own messages about a failed run.
_FAULTS: Mapping[str, str] = {
    "Unable to change scheduling policy!": (
        "cyclictest may not change its scheduling policy; run it as root"
    ),
    "FATAL: ": "cyclictest did not end well",
    "ERROR: ": "cyclictest did not end well",
}
# rc=0
_STATUS = re.compile(r"rc=(?P<status>\d{1,3})", re.ASCII)

# # Total: 000001989 000002000
# # Min Latencies: 00012 00019
_TOTAL = "# Total:"
_LISTS: Mapping[str, int] = {  # beginning of the line -> digits of each of its numbers
    _TOTAL: 9,
    "# Min Latencies:": 5,
    "# Avg Latencies:": 5,
    "# Max Latencies:": 5,
    "# Histogram Overflows:": 5,
}
_CYCLES = "# Histogram Overflow at cycle number:"

# # Thread 1: 00083 00208 00209 00259
# # Thread 0: 00000 00001 00002 # 00928 others
_OVERFLOWS = re.compile(
    r"# Thread (?P<thread>\d{1,5}):(?P<cycles>(?: \d{5,12})*)(?: # (?P<others>\d{5,12}) others)?",
    re.ASCII,
)


@frozen(kw_only=True)
class Figures:
    """The content of the text: samples per thread, or one histogram."""

    defaults: Mapping[str, str]
    samples: tuple[Sample, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    notes: tuple[str, ...] = ()


@frozen(kw_only=True)
class _Thread:
    """One line of a thread."""

    line: int
    thread: int
    priority: str
    cycles: int
    minimum: int
    mean: int
    maximum: int


def recognise_text(data: bytes) -> bool:
    """Return whether this looks like cyclictest's text output, or its histogram file."""
    head = data[: 1 << 20]
    return _HISTOGRAM.search(head) is not None or _THREAD_BYTES.search(head) is not None


def _thread(line: Line) -> _Thread:
    match = _THREAD.fullmatch(line.text)
    numbers = {} if match is None else {k: v.strip() for k, v in match.groupdict().items()}
    if match is None or not all(v.isdigit() for v in numbers.values()):
        raise line.refuse(f"'{line.text[:80]}' is cut off or of an unknown layout")
    if min(len(match["act"]), len(match["avg"])) >= _NSECS_WIDTH:
        raise line.refuse("latencies are in nanoseconds; run cyclictest without --nsecs")
    return _Thread(
        line=line.number,
        thread=int(numbers["thread"]),
        priority=numbers["priority"],
        cycles=int(numbers["cycles"]),
        minimum=int(numbers["min"]),
        mean=int(numbers["avg"]),
        maximum=int(numbers["max"]),
    )


def _last_state(own: Sequence[Line], path: str) -> tuple[list[_Thread], bool]:
    """Return the last line of each thread, and whether the run was quiet.

    A run that is not quiet shows all threads again and again.
    """
    blocks: list[list[_Thread]] = []
    quiet = True
    for line in own:
        if _POLICY.match(line.text):
            quiet = False
            blocks.append([])
        elif line.text.startswith("T:"):
            thread = _thread(line)
            if quiet and thread.thread == 0:
                blocks.append([])
            if not blocks or thread.thread != len(blocks[-1]):
                raise line.refuse(
                    f"thread {thread.thread} does not follow the one before it; lines are missing"
                    " or stand twice"
                )
            blocks[-1].append(thread)
    if quiet and len(blocks) > 1:
        raise ParseError(
            "thread 0 appears twice; one run is expected",
            path=path,
            line=blocks[1][0].line,
        )
    most = max(map(len, blocks), default=0)
    if blocks and len(blocks[-1]) < most:
        raise own[-1].refuse(
            f"the output is cut off: its last state has {len(blocks[-1])} of {most} threads"
        )
    return blocks[-1] if blocks else [], quiet


def _defaults(own: Sequence[Line], threads: Sequence[_Thread]) -> dict[str, str]:
    """Return policy and priority if the lines have them."""
    defaults = {}
    policies = [match["policy"] for line in own if (match := _POLICY.match(line.text))]
    if policies:
        defaults["policy"] = policies[-1]
    if threads:
        defaults["priority"] = ",".join(dict.fromkeys(thread.priority for thread in threads))
    return defaults


def _check_end(own: Sequence[Line]) -> bool:
    """Return whether a status of 0 shows that the run ended; raise if it failed."""
    ended = False
    for line in own:
        fault = next((f for f in _FAULTS if line.text.startswith(f)), None)
        if fault is not None:
            raise line.refuse(f"{_FAULTS[fault]}: '{line.text}'")
        status = _STATUS.fullmatch(line.text)
        if status is not None and int(status["status"]) > 0:
            raise line.refuse(f"cyclictest did not end well: its status is {status['status']}")
        ended = ended or status is not None
    return ended


def _without_histogram(data: bytes, path: str) -> Figures:
    own = lines(data, path)
    ended = _check_end(own)
    threads, quiet = _last_state(own, path)
    last = own[-1].number
    if not threads:
        raise ParseError(
            "there is neither a histogram nor a thread's line; the output is cut off, or"
            " --histfile or --verbose sent the figures elsewhere",
            path=path,
            line=last,
        )
    # A transcript marks its end, the program itself does not.
    if not ended and (own[0].text.startswith("$ ") or not data.endswith(b"\n")):
        raise ParseError("the output is cut off", path=path, line=last)
    if not ended and not quiet:
        raise ParseError(
            "nothing says that this is the run's last state; run cyclictest with --quiet",
            path=path,
            line=last,
        )
    for thread in threads:
        if thread.cycles == 0:
            raise ParseError(f"thread {thread.thread} took no sample", path=path, line=thread.line)
        if not thread.minimum <= thread.mean <= thread.maximum:
            raise ParseError(
                f"thread {thread.thread} has a minimum of {thread.minimum}, a mean of"
                f" {thread.mean} and a maximum of {thread.maximum} us, which cannot be",
                path=path,
                line=thread.line,
            )
    return Figures(
        defaults=_defaults(own, threads),
        samples=latency_samples(
            [(float(t.minimum), float(t.mean), float(t.maximum)) for t in threads]
        ),
    )


def _list(line: Line, begin: str, columns: int) -> tuple[int, ...]:
    """Return the numbers of a line with one per thread."""
    words = line.text.removeprefix(begin).split(" ")[1:]
    digits = _LISTS[begin]
    for word in words:
        sound = word.isascii() and word.isdigit() and digits <= len(word) <= 12
        if not sound or (len(word) > digits and word.startswith("0")):
            raise line.refuse(
                f"'{begin}' has '{word[:20]}' where a number of {digits} digits must stand"
            )
    if len(words) != columns:
        raise line.refuse(
            f"'{begin}' has {len(words)} numbers, the histogram has {columns} columns; run"
            " cyclictest with --histogram, not with --histofall"
        )
    return tuple(map(int, words))


def _check_cycles(line: Line, thread: int, overflow: int, rows: Rows) -> bool:
    """Return whether the line lists all cycles in which the thread's overflows came that it can.

    The tool lists as many as the histogram has buckets, and counts the others; people shorten the
    list.  Raises ParseError where the line is another's or does not have all of them.
    """
    match = _OVERFLOWS.fullmatch(line.text)
    if match is None or int(match["thread"]) != thread:
        raise line.refuse(f"'{line.text[:40]}' appears instead of the overflows of thread {thread}")
    listed = len(match["cycles"].split())
    others = int(match["others"] or 0)
    if listed + others != overflow or (listed > rows.limit and not rows.is_sparse):
        raise line.refuse(
            f"thread {thread} lists {listed} overflows and {others} others, where it has {overflow}"
            f" and the histogram {rows.limit} rows"
        )
    return not others or listed >= rows.limit


def _check_figures(
    rows: Rows, lists: Mapping[str, tuple[int, ...]], where: Mapping[str, int], path: str
) -> None:
    """Raise unless total, minimum, mean and maximum agree with the rows."""
    import numpy as np  # noqa: PLC0415 - no other tool needs it

    sums = rows.counts.sum(axis=1)
    bounds = np.array(rows.bounds, dtype=np.int64)
    hit = rows.counts > 0
    lowest: npt.NDArray[np.int64] = bounds[hit.argmax(axis=1)]
    highest: npt.NDArray[np.int64] = bounds[::-1][hit[:, ::-1].argmax(axis=1)]
    for k, (total, minimum, mean, maximum, overflow) in enumerate(
        zip(*lists.values(), strict=True)
    ):
        if total != int(sums[k]):
            raise ParseError(
                f"thread {k} has {sums[k]} samples in its rows, its total is {total}",
                path=path,
                line=where[_TOTAL],
            )
        if total + overflow == 0:
            raise ParseError(f"thread {k} took no sample", path=path, line=where[_TOTAL])
        low = int(lowest[k]) if total else rows.limit
        high = int(highest[k]) if total else -1
        within = minimum == low if total else minimum >= low
        if not within or (maximum < rows.limit if overflow else maximum != high):
            raise ParseError(
                f"thread {k} has a minimum of {minimum} and a maximum of {maximum} us, which its"
                " rows and overflows deny",
                path=path,
                line=where["# Max Latencies:"],
            )
        if rows.is_sparse and overflow:
            continue  # nobody knows where the overflows begin
        weight = int(rows.counts[k] @ bounds)
        least = (weight + overflow * rows.limit) // (total + overflow)
        most = (weight + overflow * maximum) // (total + overflow)
        if not least <= mean <= most:
            raise ParseError(
                f"thread {k} has a mean of {mean} us, its rows and overflows one of {least} to"
                f" {most} us",
                path=path,
                line=where["# Avg Latencies:"],
            )


def _footer(own: Sequence[Line], path: str, last: int) -> Iterator[Line]:
    """Yield the lines of the footer; raise at their end."""
    yield from (line for line in own if line.text.startswith("#"))
    raise ParseError(
        "the output is cut off: the histogram's last lines are missing", path=path, line=last
    )


def _with_histogram(data: bytes, begin: re.Match[bytes], path: str) -> Figures:
    head = lines(data[: begin.start()], path)
    _check_end(head)
    rows = read_rows(data, begin.end() + 1, data.count(b"\n", 0, begin.start()) + 2, path)
    own = [
        Line(line.number + rows.line - 1, line.text, path) for line in lines(data[rows.end :], path)
    ]
    _check_end(own)
    columns = len(rows.counts)
    footer = _footer(own, path, own[-1].number)
    lists: dict[str, tuple[int, ...]] = {}
    where: dict[str, int] = {}
    for name in (*_LISTS, _CYCLES):
        line = next(footer)
        if name == _TOTAL and rows.is_sparse and not line.text.startswith(name):
            raise line.refuse(
                "rt-tests 2.10's text leaves out rows and prints no total, so that nobody knows"
                " whether all are there; run cyclictest with --json"
            )
        if not line.text.startswith(name):
            raise line.refuse(
                f"'{line.text[:40]}' appears instead of '{name}'; lines are missing or damaged"
            )
        if name in _LISTS:
            lists[name], where[name] = _list(line, name, columns), line.number
    overflows = lists["# Histogram Overflows:"]
    shortened = [
        str(k) for k in range(columns) if not _check_cycles(next(footer), k, overflows[k], rows)
    ]
    if any(line.text == "# Histogram" for line in own):
        raise own[-1].refuse("there is a second histogram, where the output of one run is expected")
    if not rows.bounds:
        raise ParseError(
            "there is no histogram with a sample in it; run cyclictest with a larger --histogram",
            path=path,
            line=rows.line,
        )
    _check_figures(rows, lists, where, path)
    latency = Histogram(
        metric="latency",
        bounds=rows.bounds,
        counts=rows.counts,
        overflow=overflows,
        limit=rows.limit,
        maximum=tuple(map(float, lists["# Max Latencies:"])),
        instances=tuple(map(str, range(columns))),
    )
    threads, _ = _last_state(head, path)
    notes = []
    if rows.is_sparse:
        notes.append(
            f"rows are left out; samples of {rows.limit} us or more are beyond the histogram"
        )
    if shortened:
        notes.append(f"the list of overflows is shortened for thread {', '.join(shortened)}")
    return Figures(defaults=_defaults(head, threads), histograms=(latency,), notes=tuple(notes))


def read_text(data: bytes, path: str) -> Figures:
    """Return the content of the text.

    For a quiet run without a histogram only the lines around it show that it is complete:
    one that has lost its last lines looks like a run of fewer threads, unless it is a
    transcript, from '$ cyclictest' to 'rc=0'.

    Raises ParseError for output that is cut off, contradicts itself, or comes from a run
    that failed or counted in nanoseconds, if the text shows it: a histogram does not.
    """
    decode(data, path)  # names the line that is not text
    begin = _HISTOGRAM.search(data)
    return _without_histogram(data, path) if begin is None else _with_histogram(data, begin, path)
