# SPDX-License-Identifier: GPL-2.0-only
"""Raw text of a tool for given figures, as that tool prints it: stress-ng and rt-tests.

Values that a tool prints but a report lacks follow from the figures: the operations of a
rate, the rate of a time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from vlag.errors import UsageError
from vlag.stats.summary import QUANTILES

_MIB = 2**20
_SWAPS = 1000  # calls of swapcontext in an operation of stress-ng's context


@frozen(kw_only=True)
class Boot:
    """One run to print."""

    values: Mapping[str, Any]  # metric -> value
    parameters: Mapping[str, str | int]  # all of the benchmark
    words: Sequence[str]  # the tool's command line
    version: str  # of the tool's package, "" without one
    cpus: int

    def number(self, name: str) -> int:
        """Return a whole number of the parameters."""
        return int(self.parameters[name])

    def one(self, *metrics: str) -> tuple[str, float]:
        """Return the given one of these metrics.

        Raises UsageError for none or several, or if another metric is given as well.
        """
        (name, value), *more = self.values.items()
        if more or name not in metrics:
            raise UsageError(
                f"one of {', '.join(metrics)} makes the text, not {', '.join(self.values)}"
            )
        return name, float(value)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-", maxsplit=1)[0]))


def _stress_ng(boot: Boot, stressor: str, rate: float, extra: Sequence[tuple[float, str]]) -> bytes:
    """Return the log of one stressor; `extra` are its miscellaneous lines."""
    version = _numbers(boot.version)
    n, duration = boot.number("instances"), boot.number("duration_s")
    operations = round(rate * duration)
    rate = operations / duration
    seconds = f"{duration} second" if version < (0, 16) else f"{duration} secs"
    head = "stress-ng: {kind:<6} [2566] "
    lines = [
        ("info:", f"setting to a {seconds} run per stressor"),
        ("info:", f"dispatching hogs: {n} {stressor}"),
        (
            "metrc:",
            "stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s"
            " CPU used per       RSS Max",
        ),
        (
            "metrc:",
            "                          (secs)    (secs)    (secs)   (real time) (usr+sys time)"
            " instance (%)          (KB)",
        ),
        (
            "metrc:",
            f"{stressor:<13} {operations:9d} {duration:9.2f} {n * duration * 0.25:9.2f}"
            f" {n * duration * 0.75:9.2f} {rate:12.2f} {rate / n:14.2f} {100:12.2f} {2516:13d}",
        ),
    ]
    if extra:
        lines.append(("metrc:", "miscellaneous metrics:"))
    mean = "geometic mean" if version < (0, 15, 7) else "geometric mean"
    mean = mean if version < (0, 17, 2) else "harmonic mean"
    instances = f"{n} instance{'s' if n > 1 or version < (0, 17) else ''}"
    lines += [
        ("metrc:", f"{stressor:<13} {v:13.2f} {what} ({mean} of {instances})") for v, what in extra
    ]
    if version >= (0, 15, 7):
        lines += [
            ("info:", "skipped: 0"),
            ("info:", f"passed: {n}: {stressor} ({n})"),
            ("info:", "failed: 0"),
            ("info:", "metrics untrustworthy: 0"),
        ]
    unit = "s" if version < (0, 16) else " secs"
    lines.append(("info:", f"successful run completed in {duration:.2f}{unit}"))
    return "".join(head.format(kind=kind) + text + "\n" for kind, text in lines).encode()


def pipe(boot: Boot) -> bytes:
    """Return the log of `stress-ng --pipe`."""
    name, value = boot.one("write-rate", "bogo-ops-rate")
    # An operation is one write; the rate in MB/s is the mean of the instances.
    written = 512 if _numbers(boot.version) < (0, 16) else 4096
    per_operation = written / _MIB / boot.number("instances")
    rate = value if name == "bogo-ops-rate" else value / per_operation
    megabytes = value if name == "write-rate" else value * per_operation
    return _stress_ng(boot, "pipe", rate, [(megabytes, "MB per sec pipe write rate")])


def yield_(boot: Boot) -> bytes:
    """Return the log of `stress-ng --yield`."""
    _, ns = boot.one("time-per-yield")
    # The tool starts twice as many yielding processes as there are CPUs.
    yielders = max(boot.number("instances"), 2 * boot.cpus)
    return _stress_ng(
        boot, "yield", yielders * 1e9 / ns, [(ns, "ns duration per sched_yield call")]
    )


def context(boot: Boot) -> bytes:
    """Return the log of `stress-ng --context`."""
    _, rate = boot.one("swapcontext-rate")
    operations = rate * boot.number("instances") / _SWAPS
    return _stress_ng(boot, "context", operations, [(rate, "swapcontext calls per sec")])


def cyclic(boot: Boot) -> bytes:
    """Return the log of `stress-ng --cyclic`."""
    _, rate = boot.one("bogo-ops-rate")
    n, duration = boot.number("instances"), boot.number("duration_s")
    text = _stress_ng(boot, "cyclic", rate, []).decode()
    policy = str(boot.parameters["policy"]).upper()
    # Only the first instance logs latencies.  Reports have only the rate: the time of an
    # operation beyond its sleep is used for all of them.
    sleep = boot.number("sleep_ns")
    ns = round(1e9 * n / rate) - sleep
    if ns < 1:
        raise UsageError(f"cyclic's {n} instances cannot make {rate:.0f} operations a second")
    samples = round(rate * duration / n)
    percents = ("25.00", "50.00", "75.00", "90.00", "95.40", "99.00", "99.50", "99.90", "99.99")
    lines = [
        f"cyclic: sched SCHED_{policy}: {sleep} ns delay, {samples} samples",
        f"cyclic:   mean: {ns:.2f} ns, mode: {ns} ns",
        f"cyclic:   min: {ns} ns, max: {ns} ns, std.dev. 0.00",
        "cyclic: latency percentiles:",
        *(f"cyclic:   {percent}%: {ns:10d} ns" for percent in percents),
    ]
    block = "".join(f"stress-ng: info:  [2567] {line}\n" for line in lines)
    begin = text.index("stress-ng: metrc:")
    return (text[:begin] + block + text[begin:]).encode()


def hackbench(boot: Boot) -> bytes:
    """Return hackbench's output."""
    _, seconds = boot.one("time")
    mode = {"process": "process", "threads": "threaded"}[str(boot.parameters["mode"])]
    groups, fds = boot.number("groups"), 2 * boot.number("fds")
    return (
        f"Running in {mode} mode with {groups} groups using {fds} file descriptors each"
        f" (== {groups * fds} tasks)\n"
        f"Each sender will pass {boot.number('loops')} messages of 100 bytes\n"
        f"Time: {seconds:.3f}\n"
    ).encode()


def cyclictest(boot: Boot) -> bytes:
    """Return cyclictest's JSON file; the figure has the inputs of `histogram`, and `threads`."""
    latency = boot.values["latency"]
    threads = int(latency.get("threads", 1))
    interval = boot.number("interval_us")
    due = threads * boot.number("duration_s") * 1_000_000 // interval
    counts = histogram(latency, due=due, interval=interval)
    maximum = max(counts)
    if maximum >= boot.number("histogram_us"):
        raise UsageError(f"a maximum of {maximum} us does not fit the histogram")
    rows = _shares(counts, threads)
    table = {
        str(k): {
            "histogram": {str(us): count for us, count in row.items()},
            "cycles": sum(row.values()),
            "min": min(row),
            "max": max(row),
            "avg": round(sum(us * c for us, c in row.items()) / sum(row.values()), 2),
            "cpu": k,
            "node": 0,
        }
        for k, row in enumerate(rows)
    }
    document = {
        "file_version": 1,
        "cmdline:": " ".join(boot.words),
        "rt_test_version:": boot.version,
        "return_code": 0,
        "num_threads": threads,
        "resolution_in_ns": 0,
        "thread": table,
    }
    return json.dumps(document, indent=1).encode()


def _shares(counts: Mapping[int, int], threads: int) -> list[dict[int, int]]:
    """Return the samples distributed over threads as evenly as possible."""
    rows: list[dict[int, int]] = [{} for _ in range(threads)]
    for place, (us, count) in enumerate(counts.items()):
        for k in range(threads):
            share = count // threads + ((k - place) % threads < count % threads)
            if share:
                rows[k][us] = share
    return rows


_LEAST_US = 2
_STEPS = 64  # of the curve between two percentiles
_ROUNDS = 60


def histogram(latency: Mapping[str, float], *, due: int, interval: int) -> dict[int, int]:
    """Return a histogram, in us, with these percentiles, maximum and number of samples.

    The percentiles are those that `vlag.stats.distribution` finds: of all cycles, some of
    which were due, every `interval` us, while a late one still waited.  No more than `due`
    count.  Without a maximum nothing lies beyond the last percentile.  Between two
    percentiles the samples lie on a power curve, the same one everywhere: it is chosen to
    give `mean`, else it is a straight line.  Without percentiles there is one from `min` to `max`.

    Raises UsageError if the figures contradict each other.
    """
    total = int(latency["samples"])
    shares = [q for p, q in QUANTILES.items() if p in latency]
    us = [round(latency[p]) for p in QUANTILES if p in latency]
    us.append(round(latency["max"]) if "max" in latency else us[-1])
    if us != sorted(us):
        raise UsageError(f"percentiles {latency} do not rise")
    mean = latency.get("mean")
    least = round(latency.get("min", _LEAST_US))
    share = 0.5
    ranks = [q * total for q in shares]
    # Each round comes nearer: the ranks depend on the cycles hidden, and these on the ranks.
    for _ in range(_ROUNDS):
        counts = _between(
            [*zip(map(math.ceil, ranks), us, strict=False), (total, us[-1])], share, least
        )
        late = hidden(counts, interval, most=due - total)
        cycles = total + sum(late.values())
        for i, (q, end) in enumerate(zip(shares, us, strict=False)):
            below = sum(count for at, count in late.items() if at <= end)
            ranks[i] += 0.4 * (q * cycles - below + total / 20_000 - ranks[i])
        if mean is not None:
            share = min(0.99, max(0.01, share * math.sqrt(mean / _mean(counts))))
    if mean is not None and abs(_mean(counts) - mean) > 0.02 * mean:
        raise UsageError(f"no histogram with the percentiles {latency} has that mean")
    return counts


def hidden(counts: Mapping[int, int], interval: int, *, most: int) -> dict[int, int]:
    """Return the cycles, by latency, that were due while these samples waited; the latest first."""
    counted: dict[int, int] = {}
    for us, count in counts.items():
        for late in range(us - interval, -1, -interval):
            counted[late] = counted.get(late, 0) + count
    kept: dict[int, int] = {}
    for late in sorted(counted, reverse=True):
        kept[late] = min(counted[late], most)
        most -= kept[late]
    return kept


def _mean(counts: Mapping[int, int]) -> float:
    return sum(us * count for us, count in counts.items()) / sum(counts.values())


def _between(ends: Sequence[tuple[int, int]], share: float, least: int) -> dict[int, int]:
    """Return the histogram whose samples lie on a power curve between two percentiles."""
    counts: dict[int, int] = {}
    rank, us = 0, least
    # The mean of u ** (1 / share - 1) over 0..1 is `share`.
    steps = ((np.arange(_STEPS) + 0.5) / _STEPS) ** (1 / share - 1)
    for next_rank, next_us in ends:
        # Some samples at the percentile itself: it holds if the ranks are a few samples off.
        ending = min(1 + ends[-1][0] // 10_000, next_rank - rank)
        inner = np.diff(np.linspace(0, next_rank - rank - ending, _STEPS + 1).round()).astype(int)
        places = us + steps * (next_us - us)
        # Part of them one bucket later: the mean moves in steps smaller than a bucket.
        later = np.round(inner * (places % 1)).astype(int)
        for nearer, some in ((0, inner - later), (1, later)):
            for at, count in zip(places.astype(int).tolist(), some.tolist(), strict=True):
                if count:
                    bucket = min(at + nearer, next_us)
                    counts[bucket] = counts.get(bucket, 0) + count
        counts[next_us] = counts.get(next_us, 0) + ending
        rank, us = next_rank, next_us
    return dict(sorted(counts.items()))
