# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf bench futex ...` and `perf bench epoll ...`, whose output is one of threads.

Either each thread has a line and the end is their mean, or each of several runs has one.  The
line "Run summary" names the benchmark, also in `--format simple`, which has no line before it.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Direction, Quantity, Sample
from vlag.parsers.lines import Line

QUANTITIES: Mapping[str, Quantity] = {
    # Of all threads together.
    "throughput": Quantity(unit="1/s", direction=Direction.HIGHER),
    "add-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "modify-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "delete-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    # Of one run.
    "wake-time": Quantity(unit="ms", direction=Direction.LOWER),
    "wake-latency": Quantity(unit="ms", direction=Direction.LOWER),
    "requeue-time": Quantity(unit="ms", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("at_once", "fds", "futexes", "scope", "seconds", "threads", "wakers")

_N, _ANY = r"[1-9]\d{0,8}", r"\d{1,9}"
_TIMES = r"(?P<time>\d{1,9}\.\d{4}) ms"
# Standard error of the mean, in % of it.
_SPREAD = r"\(\+- ?(?P<spread>\d{1,9}\.\d\d|-?nan)%\)"
_FROM_TO = r"0x[0-9a-f]+ \.\.\. 0x[0-9a-f]+"
# # Running 'futex/wake' benchmark:
RUNNING = re.compile(r"# Running '?(?P<name>(?:futex|epoll)/[a-z-]+)'? benchmark(?::|\.\.\.)")
_BEGIN = "Run summary [PID "
# Futex hashing: auto resized to 16 buckets
# Last, in 7.2.  What the kernel chose by itself is no setting.
_HASHING = re.compile(rf"Futex hashing: (?:auto resized to {_N} buckets|global hash)")


@frozen(kw_only=True)
class _Kind:
    """A benchmark, and the lines that it prints."""

    name: str
    summary: str  # behind "Run summary [PID 1234]: "
    row: re.Pattern[str]  # of a thread or a run
    end: tuple[re.Pattern[str], ...]
    metrics: Mapping[str, str]  # group of a row -> metric
    runs: bool = False  # a row is of a run, not of a thread
    exact: bool = True  # a row has all digits that the end is computed of


def _rate(*, fdmap: str) -> re.Pattern[str]:
    return re.compile(rf"\[thread +(?P<row>{_ANY})\] {fdmap} \[ (?P<rate>\d{{1,15}}) ops/sec \]")


# Averaged 148441 operations/sec (+- 20.46%), total secs = 1
_AVERAGED = re.compile(
    rf"Averaged (?P<rate>\d{{1,15}}) operations/sec {_SPREAD}, total secs = {_ANY}"
)
_SECONDS = rf"for (?P<seconds>{_N}) secs\."
_FUTEX = r"\[(?P<scope>private|shared)\] futex"

_KINDS = (
    _Kind(
        name="epoll/wait",
        # 2 threads monitoring on 64 file-descriptors for 1 secs.
        summary=rf"(?P<threads>{_N}) threads monitoring(?: on)? (?P<fds>{_N}) file-descriptors"
        rf" {_SECONDS}",
        # [thread  0] fdmap: 0x55b66c5405f0 ... 0x55b66c5406ec [ 118069 ops/sec ]
        row=_rate(fdmap=f"fdmap: {_FROM_TO}"),
        end=(_AVERAGED,),
        metrics={"rate": "throughput"},
    ),
    _Kind(
        name="epoll/ctl",
        # 2 threads doing epoll_ctl ops 64 file-descriptors for 1 secs.
        summary=rf"(?P<threads>{_N}) threads doing epoll_ctl ops (?P<fds>{_N}) file-descriptors"
        rf" {_SECONDS}",
        # [thread  0] fdmap: 0x55c0d3131610 ... 0x55c0d313170c [ add: 82752 ops; mod: 82752 ops; \
        #     del: 82752 ops ]
        row=re.compile(
            rf"\[thread +(?P<row>{_ANY})\] fdmap: {_FROM_TO} \[ add: (?P<add>\d{{1,15}}) ops;"
            r" mod: (?P<mod>\d{1,15}) ops; del: (?P<del>\d{1,15}) ops \]"
        ),
        # Averaged 145952 ADD operations (+- 43.30%)
        end=tuple(
            re.compile(rf"Averaged (?P<{name}>\d{{1,15}}) {name.upper()} operations {_SPREAD}")
            for name in ("add", "mod", "del")
        ),
        metrics={"add": "add-rate", "mod": "modify-rate", "del": "delete-rate"},
    ),
    _Kind(
        name="futex/hash",
        # 2 threads, each operating on 1024 [private] futexes for 1 secs.
        summary=rf"(?P<threads>{_N}) threads, each operating on (?P<futexes>{_N})"
        rf" \[(?P<scope>private|shared)\] futexes {_SECONDS}",
        # [thread  0] futexes: 0x55f2a3bf45f0 ... 0x55f2a3bf55ec [ 1379328 ops/sec ]
        row=_rate(fdmap=f"futexes: {_FROM_TO}"),
        end=(_AVERAGED,),
        metrics={"rate": "throughput"},
    ),
    _Kind(
        name="futex/lock-pi",
        # 2 threads doing pi lock/unlock pairing for 1 secs.
        summary=rf"(?P<threads>{_N}) threads doing pi lock/unlock pairing {_SECONDS}",
        # [thread   0] futex: 0x563c06d80f58 [ 2878 ops/sec ]
        row=_rate(fdmap="futex: 0x[0-9a-f]+"),
        end=(_AVERAGED,),
        metrics={"rate": "throughput"},
    ),
    _Kind(
        name="futex/wake",
        # blocking on 4 threads (at [private] futex 0x562edaa35b58), waking up 1 at a time.
        summary=rf"blocking on (?P<threads>{_N}) threads \(at {_FUTEX} 0x[0-9a-f]+\),"
        rf" waking up (?P<at_once>{_N}) at a time\.",
        # [Run 1]: Wokeup 4 of 4 threads in 0.0220 ms
        row=re.compile(
            rf"\[Run (?P<row>{_N})\]: Wokeup (?P<done>{_ANY}) of (?P<of>{_ANY}) threads in {_TIMES}"
        ),
        # Wokeup 4 of 4 threads in 0.0517 ms (+-30.75%)
        end=(
            re.compile(rf"Wokeup (?P<done>{_ANY}) of (?P<of>{_ANY}) threads in {_TIMES} {_SPREAD}"),
        ),
        metrics={"time": "wake-time"},
        runs=True,
    ),
    _Kind(
        name="futex/wake-parallel",
        # blocking on 4 threads (at [private] futex 0x55a09e044cf8), \
        #     2 threads waking up 2 at a time.
        summary=rf"blocking on (?P<threads>{_N}) threads \(at {_FUTEX} 0x[0-9a-f]+\),"
        rf" (?P<wakers>{_N}) threads waking up (?P<at_once>{_N}) at a time\.",
        # [Run 1]: Avg per-thread latency (waking 2/4 threads) in 0.0150 ms (+-13.33%)
        row=re.compile(
            rf"\[Run (?P<row>{_N})\]: Avg per-thread latency"
            rf" \(waking {_ANY}/{_ANY} threads\) in {_TIMES} {_SPREAD}"
        ),
        end=(
            re.compile(
                rf"Avg per-thread latency \(waking {_ANY}/{_ANY} threads\) in {_TIMES} {_SPREAD}"
            ),
        ),
        metrics={"time": "wake-latency"},
        runs=True,
        exact=False,
    ),
    _Kind(
        name="futex/requeue",
        # Requeuing 4 threads (from [private] 0x56413c3f6e5c to 0x56413c3f6e58), 1 at a time.
        summary=rf"Requeuing (?P<threads>{_N}) threads \(from \[(?P<scope>private|shared)\]"
        rf" 0x[0-9a-f]+ to 0x[0-9a-f]+\), (?P<at_once>{_N}) at a time\.",
        # [Run 1]: Requeued 4 of 4 threads in 0.0410 ms
        row=re.compile(
            rf"\[Run (?P<row>{_N})\]: Requeued (?P<done>{_ANY}) of (?P<of>{_ANY}) threads"
            rf" in {_TIMES}"
        ),
        # Requeued 4 of 4 threads in 0.0095 ms (+-36.91%)
        end=(
            re.compile(
                rf"Requeued (?P<done>{_ANY}) of (?P<of>{_ANY}) threads in {_TIMES} {_SPREAD}"
            ),
        ),
        metrics={"time": "requeue-time"},
        runs=True,
    ),
)


@frozen
class Run:
    """One run of a benchmark."""

    name: str  # as perf's words after `bench`
    defaults: Mapping[str, str]
    samples: tuple[Sample, ...]


def is_own(line: str) -> bool:
    """Return whether a line is of one of these benchmarks, or begins as one."""
    return RUNNING.fullmatch(line) is not None or line.startswith(_BEGIN)


def read(text: Sequence[Line]) -> Run:
    """Return the one run in the lines of an output.

    `throughput` and the rates are of all threads together; times are in milliseconds, a value for
    each run that perf made.  Raises ParseError for several runs, a line that is missing, cut off,
    unknown or contradicts the others, and threads that were not woken.
    """
    own = [
        line for line in text
        if line.text and not line.text.startswith(("$ ", "rc="))
    ]  # fmt: skip
    running = RUNNING.fullmatch(own[0].text)
    rest = own[1:] if running else own
    if not rest:
        raise own[-1].refuse("the output is cut off behind the benchmark's name")
    kind, summary = _kind(rest[0])
    hashing = _HASHING.fullmatch(rest[-1].text) if kind.name.startswith("futex/") else None
    rest = rest[:-1] if hashing else rest
    if running is not None and running["name"] != kind.name:
        raise rest[0].refuse(f"this is no line of {running['name']}, but of {kind.name}")
    if len(rest) < 1 + len(kind.end):
        raise rest[-1].refuse("the output is cut off: the end of the benchmark is missing")
    rows = [_match(line, kind.row) for line in rest[1 : -len(kind.end)]]
    ends = [_match(a, b) for a, b in zip(rest[-len(kind.end) :], kind.end, strict=True)]
    defaults = {name: value for name, value in summary.groupdict().items() if value is not None}
    _check_rows(kind, rows, rest, int(defaults["threads"]))
    found = {
        group: [float(row[group]) for row in rows] for group in kind.metrics
    }  # fmt: skip
    for group, values in found.items():
        end = next(end for end in ends if group in end.groupdict())
        _check_mean(kind, values, (end[group], end["spread"]), rest[-1])
    samples = []
    for group, metric in kind.metrics.items():
        values = found[group] if kind.runs else [sum(found[group])]
        if kind.name == "epoll/ctl":  # counts, of the seconds
            values = [value / int(defaults["seconds"]) for value in values]
        if not all(math.isfinite(value) and value > 0 for value in values):
            raise rest[-1].refuse(f"{metric} is 0, where a number above 0 must stand")
        instances = tuple(row["row"] for row in rows) if kind.runs else ("",)
        samples.append(Sample(metric=metric, values=tuple(values), instances=instances))
    return Run(kind.name.replace("/", " "), defaults, tuple(samples))


def _kind(line: Line) -> tuple[_Kind, re.Match[str]]:
    head = re.match(r"Run summary \[PID \d{1,9}\]: ", line.text)
    if head is not None:
        for kind in _KINDS:
            match = re.compile(kind.summary).fullmatch(line.text, head.end())
            if match is not None:
                return kind, match
    names = ", ".join(kind.name for kind in _KINDS)
    raise line.refuse(
        f"'{line.text[:80]}' is no summary of a benchmark that this parser knows ({names})"
    )


def _match(line: Line, pattern: re.Pattern[str]) -> re.Match[str]:
    match = pattern.fullmatch(line.text)
    if match is None:
        raise line.refuse(
            f"'{line.text[:80]}' is cut off, of an unknown layout, or not what comes next"
        )
    return match


def _check_rows(
    kind: _Kind, rows: Sequence[re.Match[str]], own: Sequence[Line], threads: int
) -> None:
    """Raise unless there is a row of each thread or run, and each woke all threads."""
    if not rows:
        raise own[-1].refuse("there is no line of a thread or a run; run perf without --silent")
    first = 1 if kind.runs else 0
    for row, number, line in zip(rows, range(first, first + len(rows)), own[1:], strict=False):
        if int(row["row"]) != number:
            raise line.refuse(f"this is number {row['row']}, where {number} is expected")
        done = row.groupdict().get("done")
        if done is not None and not int(done) == int(row["of"]) == threads:
            raise line.refuse(f"{done} of {threads} threads were woken, where all are expected")
    if not kind.runs and len(rows) != threads:
        raise own[-1].refuse(f"there are lines of {len(rows)} threads, where {threads} ran")


def _check_mean(
    kind: _Kind, values: Sequence[float], printed: tuple[str, str], where: Line
) -> None:
    """Raise unless the mean that perf prints, and its error in %, are those of the rows."""
    said, spread = printed
    step = 10.0 ** -len(said.partition(".")[2])  # last digit of the mean, as of the rows
    mean = math.fsum(values) / len(values)
    # A time is rounded, a rate cut off; where rows are rounded too, their mean is as inexact.
    within = 0.501 if kind.runs and kind.exact else 1.001
    if abs(mean - float(said)) > within * step + 1e-9 * mean:
        raise where.refuse(f"the mean is {mean:g} by the lines before it, but {said} here")
    if not kind.exact or len(values) == 1 or mean == 0:
        return
    error = 100 * statistics.stdev(values) / math.sqrt(len(values)) / mean
    if not abs(error - float(spread)) <= 0.011:
        raise where.refuse(
            f"the mean is certain to {error:.2f} % by the lines before it, but to {spread} % here"
        )
