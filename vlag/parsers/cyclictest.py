# SPDX-License-Identifier: GPL-2.0-only
"""Reader of cyclictest's output, rt-tests 2.4 to 2.6: its JSON file and its text.

The JSON file is the better source: it names the version and the command line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vlag.model import Direction, Histogram, ParsedOutput, Quantity
from vlag.parsers import rt_tests
from vlag.parsers.cyclictest_options import settings_of
from vlag.parsers.cyclictest_text import read_text, recognise_text
from vlag.parsers.jsonfile import JsonFile, load
from vlag.parsers.settings import COMMAND_LINE, Setting

TOOL = "cyclictest"

QUANTITIES: Mapping[str, Quantity] = {
    "latency": Quantity(unit="us", direction=Direction.LOWER),
    **rt_tests.LATENCIES,
}

DEFAULTS: Sequence[str] = ("policy", "priority")

SETTINGS: Mapping[str, Setting] = {
    "options": COMMAND_LINE,
    # T: 0 (14271) P:90 I:1000 C:   2000 Min:     11 Act:   21 Avg:   22 Max:     170
    "interval_us": Setting(r"^(?:\x1b\[[0-9;]*[A-Z])*T: *\d+ \( *\d+\) P: *\d+ I: *(\d+) "),
    # # Min Latencies: 00017 00013
    "threads": Setting(r'"num_threads": (\d+)|^# Min Latencies:(?P<list>(?: +\d+)+) *$'),
}

_BUCKET = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)
# Printed for a thread without a sample; not valid JSON, so it is replaced before reading.
_NO_MEAN = re.compile(rb'("cycles": 0,\s*"min": \d+,\s*"max": \d+,\s*"avg": )-?nan\b')
_MAXIMUM = 10**12  # of a count or a latency: sums stay within 64 bits

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    _Row = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # bounds and their counts


def _whole(within: Mapping[str, Any], key: str, file: JsonFile, *above: str) -> int:
    """Return the number under `key`; raise for another value, or one that is too large."""
    value = file.integer(within, key, *above)
    if value > _MAXIMUM:
        raise file.error(f"'{key}' is {str(value)[:20]}, which cannot be", *above, key)
    return value


def _row(thread: Mapping[str, Any], k: int, limit: int, file: JsonFile) -> _Row:
    """Return the buckets that thread `k` hit, ascending, and the samples in each."""
    import numpy as np  # noqa: PLC0415 - no other tool needs it

    where = ("thread", str(k), "histogram")
    # Without --histogram it is empty, and with rt-tests 2.10 not there at all.
    histogram = thread.get("histogram", None if limit else {})
    if not isinstance(histogram, dict):
        raise file.error(
            f"thread {k} has no histogram; run cyclictest with --histogram", "thread", str(k)
        )
    # A large file has millions of buckets: search for a wrong one only if there is one.
    sound = all(map(_BUCKET.fullmatch, histogram)) and all(
        type(count) is int and 0 <= count <= _MAXIMUM for count in histogram.values()
    )
    if not sound:
        for bucket in histogram:
            if not _BUCKET.fullmatch(bucket):
                raise file.error(f"the bucket '{bucket}' is not a whole number", *where, bucket)
            _whole(histogram, bucket, file, *where)
    bounds = np.fromiter(map(int, histogram), np.int64, len(histogram))
    counts = np.fromiter(histogram.values(), np.int64, len(histogram))
    order = np.argsort(bounds)
    hit = order[counts[order] > 0]
    return bounds[hit], counts[hit]


def _overflow(thread: Mapping[str, Any], row: _Row, k: int, limit: int, file: JsonFile) -> int:
    """Return the samples of thread `k` beyond the histogram, which the file leaves out."""
    above = ("thread", str(k))
    bounds, counts = row
    cycles = _whole(thread, "cycles", file, *above)
    maximum = _whole(thread, "max", file, *above)
    if cycles == 0:
        raise file.error(f"thread {k} took no sample", *above, "cycles")
    highest = int(bounds[-1]) if len(bounds) else 0
    if len(bounds) and (highest >= limit or highest > maximum):
        raise file.error(
            f"thread {k} has samples of {highest} us, where the histogram ends at {limit} "
            f"and the maximum is {maximum}",
            *above,
            str(highest),
        )
    overflow = cycles - int(counts.sum())
    if overflow < 0:
        raise file.error(
            f"thread {k} has {-overflow} more samples in its histogram than cycles",
            *above,
            "cycles",
        )
    if overflow > 0 and maximum < limit:
        raise file.error(
            f"thread {k} lacks {overflow} samples in its histogram, yet its maximum of "
            f"{maximum} us is within",
            *above,
            "cycles",
        )
    return overflow


def _figures(thread: Mapping[str, Any], k: int, file: JsonFile) -> tuple[float, float, float]:
    """Return minimum, mean and maximum of thread `k`."""
    above = ("thread", str(k))
    if file.integer(thread, "cycles", *above) == 0:
        raise file.error(f"thread {k} took no sample", *above, "cycles")
    minimum = _whole(thread, "min", file, *above)
    maximum = _whole(thread, "max", file, *above)
    mean: Any = thread.get("avg")
    if type(mean) not in (int, float) or not minimum <= mean <= maximum:
        raise file.error(
            f"thread {k} has a minimum of {minimum} and a maximum of {maximum} us, and no mean"
            " between them",
            *above,
            "avg",
        )
    return float(minimum), float(mean), float(maximum)


def recognise(data: bytes) -> bool:
    """Return whether this looks like cyclictest's output."""
    return rt_tests.recognise(data, TOOL) or recognise_text(data)


def _parse_json(data: bytes, path: str) -> ParsedOutput:
    import numpy as np  # noqa: PLC0415 - as above

    data = _NO_MEAN.sub(rb"\1null", data)
    file, whole = load(data, path=path, remedy="run cyclictest with --json")
    cmdline, version = rt_tests.header(file, whole)
    if file.integer(whole, "resolution_in_ns") != 0:
        raise file.error(
            "latencies are in nanoseconds; run cyclictest without --nsecs", "resolution_in_ns"
        )
    threads = rt_tests.threads(file, whole)
    settings = settings_of(cmdline.split()[1:], len(threads), file)
    rows = [_row(thread, k, settings.limit, file) for k, thread in enumerate(threads)]
    bounds = np.unique(np.concatenate([bounds for bounds, _ in rows]))
    if bool(len(bounds)) != bool(settings.limit):
        raise file.error(
            "there is no histogram with a sample in it; run cyclictest with --histogram",
            "thread",
            "0",
            "histogram",
        )
    defaults = {"policy": settings.policy, "priority": str(settings.priority)}
    if not settings.limit:
        figures = [_figures(thread, k, file) for k, thread in enumerate(threads)]
        return ParsedOutput(
            tool=TOOL,
            benchmark=TOOL,
            tool_version=version,
            defaults=defaults,
            samples=rt_tests.latency_samples(figures),
            histograms=(),
        )
    overflow = tuple(
        _overflow(thread, row, k, settings.limit, file)
        for k, (thread, row) in enumerate(zip(threads, rows, strict=True))
    )
    counts = np.zeros((len(rows), len(bounds)), dtype=np.int64)
    for k, (hit, samples) in enumerate(rows):
        counts[k, np.searchsorted(bounds, hit)] = samples
    latency = Histogram(
        metric="latency",
        bounds=tuple(bounds.tolist()),
        counts=counts,
        overflow=overflow,
        limit=settings.limit,
        maximum=tuple(float(thread["max"]) for thread in threads),
        instances=tuple(map(str, range(len(threads)))),
        expected=settings.expected(len(threads)),
        interval=settings.interval_us if settings.skips else None,
    )
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=version,
        defaults=defaults,
        samples=(),
        histograms=(latency,),
        operations=latency.achieved,
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the wake-up latencies, in microseconds, in cyclictest's JSON file or text.

    With a histogram: `latency`, a row a thread.  `expected` is None where the options
    give neither a duration nor a number of loops, and `interval` with --relative; both in
    the text, which has no command line.  Without one: the samples `latency-min`,
    `latency-mean` (cut to whole microseconds in the text) and `latency-max`, a value a
    thread.

    `tool_version` is as the JSON file prints it: rt-tests prints its version as a number
    with two decimals, so "2.40" may be 2.4 or 2.40; the text names none.  `defaults`
    holds `policy` and `priority` as cyclictest applies them, for the text only those that
    it prints: a quiet run names no policy, and with a histogram no priority either.  Text
    and JSON are one series only if these are equal.

    Raises ParseError for output that is cut off, contradicts itself or the command line,
    or comes from a run that failed or counted in nanoseconds (which a text histogram does
    not show).
    """
    if re.match(rb"\s*\{", data):
        return _parse_json(data, path)
    figures = read_text(data, path)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults=figures.defaults,
        samples=figures.samples,
        histograms=figures.histograms,
        notes=figures.notes,
    )
