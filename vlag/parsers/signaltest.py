# SPDX-License-Identifier: GPL-2.0-only
"""Reader of signaltest's output, rt-tests 2.4 to 2.6: its JSON file and its text.

The JSON file is the better source: it names the version, and its mean has two decimals
where the text cuts off all of them (59.99 is printed as 59).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import ParsedOutput, Quantity
from vlag.parsers import rt_tests
from vlag.parsers.jsonfile import load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import COMMAND_LINE, Setting

TOOL = "signaltest"

QUANTITIES: Mapping[str, Quantity] = rt_tests.LATENCIES

DEFAULTS: Sequence[str] = ()

SETTINGS: Mapping[str, Setting] = {
    "options": COMMAND_LINE,
    # T: 0 (15082) P:80 C:    500 Min:     39 Act:   52 Avg:   59 Max:     255
    "priority": Setting(r"^T: *\d+ \( *\d+\) P: *(\d+) C:"),
    "threads": Setting(r'"num_threads": (\d+)'),
}

# T: 0 (15082) P:80 C:    500 Min:     39 Act:   52 Avg:   59 Max:     255
_THREAD = re.compile(
    r"T:(?P<thread>[ \d]\d|\d{3,5}) \([ \d]{5,9}\) P:[ \d]\d C:(?P<cycles>[ \d]{7,12}) "
    r"Min:(?P<min>[ \d]{7,12}) Act:[ \d]{5,12} Avg:(?P<avg>[ \d]{5,12}) Max:(?P<max>[ \d]{8,12})",
    re.ASCII,
)
_THREAD_BYTES = re.compile(rb"^(?:\x1b\[\d*A)?T:[ \d]\d+ \([ \d]+\) P:[ \d]\d C:", re.M)


def _thread(line: Line, expected: int) -> tuple[float, float, float]:
    """Return minimum, mean and maximum in the line of thread `expected`."""
    match = _THREAD.fullmatch(line.text)
    words = {} if match is None else {k: v.strip() for k, v in match.groupdict().items()}
    if not words or not all(word.isdigit() for word in words.values()):
        raise line.refuse(f"'{line.text[:80]}' is cut off or of an unknown layout")
    figures = {name: int(word) for name, word in words.items()}
    if figures["thread"] != expected:
        raise line.refuse(
            f"this is thread {figures['thread']}, where {expected} is expected: a line is missing"
            " or appears twice"
        )
    if figures["cycles"] == 0:
        raise line.refuse(f"thread {expected} took no sample")
    if not rt_tests.possible(figures["min"], figures["avg"], figures["max"]):
        raise line.refuse(
            f"thread {expected} has a minimum of {figures['min']}, a mean of {figures['avg']} and a"
            f" maximum of {figures['max']} us, which cannot be"
        )
    return float(figures["min"]), float(figures["avg"]), float(figures["max"])


def _text(data: bytes, path: str) -> list[tuple[float, float, float]]:
    """Return minimum, mean and maximum a thread in the text output."""
    own = lines(data, path)
    ended = rt_tests.ended(own, TOOL)
    threads = [line for line in own if line.text.startswith("T:")]
    # Nothing in the text itself says how many threads there were.
    if not threads or not ended:
        raise ParseError(
            "nothing says that the output is whole; run signaltest with --json, or let the shell's"
            " 'rc=0' follow",
            path=path,
            line=own[-1].number if own else None,
        )
    again = [line for line in threads[1:] if line.text.startswith("T: 0 ")]
    if again:
        raise again[0].refuse(
            "thread 0 appears twice: output has interim figures or two runs; run signaltest"
            " once, with --quiet"
        )
    return [_thread(line, k) for k, line in enumerate(threads)]


def _json(data: bytes, path: str) -> tuple[list[tuple[float, float, float]], str]:
    """Return minimum, mean and maximum a thread in the JSON file, and its version."""
    file, whole = load(data, path=path, remedy="run signaltest with --json")
    _, version = rt_tests.header(file, whole)
    rows = []
    for k, thread in enumerate(rt_tests.threads(file, whole)):
        if file.integer(thread, "cycles", "thread", str(k)) == 0:
            raise file.error(f"thread {k} took no sample", "thread", str(k), "cycles")
        rows.append(rt_tests.figures(file, thread, "thread", str(k)))
    return rows, version


def recognise(data: bytes) -> bool:
    """Return whether this looks like signaltest's output."""
    return rt_tests.recognise(data, TOOL) or _THREAD_BYTES.search(data) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how long a signal took round the ring of threads, as each thread saw it.

    Thread 0 sleeps 10 ms every 16 rounds and leaves that out of its own figures; those of
    the other threads hold it: near 10,000 us in the maximum, 625 us in the mean.

    Samples `latency-min`, `latency-mean` and `latency-max` in microseconds, one value a
    thread.  `defaults` is empty: the JSON file names no setting.

    Raises ParseError for a run that failed, for text without a mark of its end or with
    interim figures, for a thread without a sample and for impossible figures.
    """
    version: str | None = None
    if data.lstrip().startswith(b"{"):
        rows, version = _json(data, path)
    else:
        rows = _text(data, path)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults={},
        samples=rt_tests.latency_samples(rows),
        histograms=(),
    )
