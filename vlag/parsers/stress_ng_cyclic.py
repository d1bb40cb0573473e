# SPDX-License-Identifier: GPL-2.0-only
"""Wake-up latencies that stress-ng's `cyclic` stressor logs beside its metrics.

Only the first instance logs them; a log with several processes' figures is read too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, Histogram, Quantity, Sample
from vlag.parsers.stress_ng_log import LogLine

STRESSOR = "cyclic"

# Percentiles as printed -> metric.
_PERCENTILES = {
    "25.00": "latency-p25",
    "50.00": "latency-p50",
    "75.00": "latency-p75",
    "90.00": "latency-p90",
    "95.40": "latency-p95.4",
    "99.00": "latency-p99",
    "99.50": "latency-p99.5",
    "99.90": "latency-p99.9",
    "99.99": "latency-p99.99",
}

_METRICS = (
    "latency-mean",
    "latency-mode",
    "latency-min",
    "latency-max",
    "std-dev",
    *_PERCENTILES.values(),
)

QUANTITIES: Mapping[str, Quantity] = {
    metric: Quantity(unit="ns", direction=Direction.LOWER) for metric in (*_METRICS, "latency")
}

# The tool counts no more buckets than this.
_BUCKETS = 250

# Where zeros end the table, this many of the last buckets are printed.
_LAST = 3

# cyclic: sched SCHED_FIFO: 100000 ns delay, 10000 samples
# A BPF scheduler's name may stand after SCHED_EXT, in brackets.
_SCHED = re.compile(
    r"cyclic: sched SCHED_(?P<policy>[A-Z]+)(?: \((?P<scheduler>[^()]+)\))?: "
    r"(?P<delay_ns>\d{1,18}) ns delay, (?P<samples>\d{1,18}) samples",
    re.ASCII,
)

# cyclic:   mean: 24220.16 ns, mode: 22523 ns
_MEAN = re.compile(
    r"cyclic:   mean: (-?\d{1,18}\.\d\d) ns, mode: (-?\d{1,18}) ns",
    re.ASCII,
)

# cyclic:   min: 12202 ns, max: 240524 ns, std.dev. 6324.75
_RANGE = re.compile(
    r"cyclic:   min: (-?\d{1,18}) ns, max: (-?\d{1,18}) ns, std\.dev\. (\d{1,18}\.\d\d)",
    re.ASCII,
)

# cyclic: latency percentiles:
_HEADING = re.compile(r"cyclic: latency percentiles:")

# cyclic:   99.00%:      53825 ns
_PERCENTILE = re.compile(r"cyclic:   (?P<percent>\d\d\.\d\d)%: +(?P<value>-?\d{1,18}) ns", re.ASCII)

# cyclic: latency distribution (5000 ns intervals):
_DISTRIBUTION = re.compile(
    r"cyclic: latency distribution \((?P<ns>[1-9]\d{0,17}) ns intervals\):", re.ASCII
)

# cyclic: (for the first 49 buckets of 49)
_SHOWN = re.compile(
    r"cyclic: \(for the first (?P<shown>\d{1,18}) buckets of (?P<all>\d{1,18})\)", re.ASCII
)

# cyclic: latency (ns)  frequency
_COLUMNS = re.compile(r"cyclic: latency \(ns\)  frequency")

# cyclic:        20000       8500
_BUCKET = re.compile(r"cyclic: +(?P<bound>\d{1,18}) +(?P<count>\d{1,18})", re.ASCII)

# cyclic:           ..         .. (all zeros hereafter)
# cyclic:           ..         ..
_ZEROS = re.compile(r"cyclic: +\.\. +\.\. \(all zeros hereafter\)")
_DOTS = re.compile(r"cyclic: +\.\. +\.\.")

# cyclic: Note: --cyclic-samples needed to be 15672 to capture all the data for this run
_NOTE = re.compile(
    r"cyclic: Note: --cyclic-samples needed to be (?P<needed>\d{1,18}) to capture all the data "
    r"for this run",
    re.ASCII,
)

# dispatching hogs: 1 cyclic
_ONE_INSTANCE = "dispatching hogs: 1 cyclic"

# An operation that a signal ends has no sample; the last sample may have no operation.
_OPERATIONS_WITHOUT_SAMPLE = 0.01


@frozen
class _Distribution:
    interval_ns: int
    counts: Mapping[int, int]  # ns from which on -> samples, only what was hit
    overflow: int


@frozen(kw_only=True)
class _Process:
    """The log of one process."""

    settings: Mapping[str, str]
    values: tuple[float, ...]  # in the order of _METRICS
    distribution: _Distribution | None
    expected: int  # samples that the run had


class _Lines:
    """The `cyclic:` lines of one process, read from the first to the last."""

    def __init__(self, log: Sequence[LogLine]) -> None:
        self._log = log
        self._at = 0

    def error(self, message: str) -> ParseError:
        """Return the error for the line that was read last."""
        line = self._log[max(self._at - 1, 0)]
        return line.refuse(message)

    def try_next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read the next line if it matches."""
        if self._at == len(self._log):
            return None
        match = pattern.fullmatch(self._log[self._at].text)
        self._at += match is not None
        return match

    def next(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Read the next line, which must match."""
        match = self.try_next(pattern)
        if match is None:
            self._at = min(self._at + 1, len(self._log))
            raise self.error(f"cyclic's line with the {what} is missing or of an unknown layout")
        return match

    def check_end(self) -> None:
        """Raise if a line is left."""
        if self._at < len(self._log):
            self._at += 1
            raise self.error("this line of cyclic's is given twice or of an unknown layout")


def _buckets(lines: _Lines, interval: int, shown: int) -> dict[int, int]:
    """Return the buckets that were hit; the table must hold each of its lines, in order."""
    counts: dict[int, int] = {}
    k, zeros = 0, False
    while k < shown:
        if k and not zeros and lines.try_next(_ZEROS) is not None:
            lines.next(_DOTS, "dots above the last buckets")
            k, zeros = max(shown - _LAST, k), True
        row = lines.next(_BUCKET, f"bucket of {k * interval} ns")
        count = int(row["count"])
        if int(row["bound"]) != k * interval:
            raise lines.error(
                f"the bucket of {row['bound']} ns appears instead of that of {k * interval} ns"
            )
        if zeros and count:
            raise lines.error("a bucket after 'all zeros hereafter' is not 0")
        if count:
            counts[k * interval] = count
        k += 1
    return counts


def _distribution(lines: _Lines, samples: int, maximum: int) -> _Distribution | None:
    heading = lines.try_next(_DISTRIBUTION)
    if heading is None:
        return None
    interval = int(heading["ns"])
    size = lines.next(_SHOWN, "number of buckets")
    shown, every = int(size["shown"]), int(size["all"])
    if every != maximum // interval + 1 or shown != min(every, _BUCKETS):
        raise lines.error(
            f"{shown} of {every} buckets of {interval} ns do not fit the maximum of {maximum} ns"
        )
    lines.next(_COLUMNS, "columns of the distribution")
    counts = _buckets(lines, interval, shown)
    overflow = samples - sum(counts.values())
    if overflow < 0 or (overflow > 0) != (every > shown):
        raise lines.error(
            f"the distribution holds {sum(counts.values())} of {samples} samples in {shown} of"
            f" {every} buckets"
        )
    return _Distribution(interval, counts, overflow)


def _check_order(lines: _Lines, values: Mapping[str, float]) -> None:
    rising = [
        values["latency-min"],
        *(values[metric] for metric in _PERCENTILES.values()),
        values["latency-max"],
    ]
    inside = (values["latency-mean"], values["latency-mode"])
    if rising[0] < 0:
        raise lines.error(f"the latency of {rising[0]:.0f} ns is below 0, which cannot be")
    if rising != sorted(rising) or not all(rising[0] <= v <= rising[-1] for v in inside):
        raise lines.error("cyclic's minimum, mean, mode, percentiles and maximum contradict")


def _process(log: Sequence[LogLine]) -> _Process:
    lines = _Lines(log)
    sched = lines.next(_SCHED, "policy and number of samples")
    mean = lines.next(_MEAN, "mean")
    extent = lines.next(_RANGE, "minimum and maximum")
    lines.next(_HEADING, "heading of the percentiles")
    figures = [float(text) for text in (*mean.groups(), *extent.groups())]
    for percent, metric in _PERCENTILES.items():
        match = lines.next(_PERCENTILE, metric)
        if match["percent"] != percent:
            raise lines.error(f"{match['percent']} % appears instead of {metric}")
        figures.append(float(match["value"]))
    samples = int(sched["samples"])
    if samples == 0:
        raise lines.error("cyclic took no sample")
    _check_order(lines, dict(zip(_METRICS, figures, strict=True)))
    settings = {"policy": sched["policy"].lower(), "delay_ns": sched["delay_ns"]}
    if sched["scheduler"] is not None:
        settings["scheduler"] = sched["scheduler"]
    distribution = _distribution(lines, samples, int(extent[2]))
    if distribution is not None:
        settings["bucket_ns"] = str(distribution.interval_ns)
    note = lines.try_next(_NOTE)
    if note is not None:
        # All figures are of the first samples only, so they are not comparable with others.
        settings["samples_limit"] = str(samples)
        if int(note["needed"]) <= samples:
            raise lines.error(f"{note['needed']} samples were needed, yet {samples} were taken")
    lines.check_end()
    return _Process(
        settings=settings,
        values=tuple(figures),
        distribution=distribution,
        expected=samples if note is None else int(note["needed"]),
    )


def _blocks(log: Sequence[LogLine]) -> list[list[LogLine]]:
    """Return the lines of each process that logged latencies."""
    blocks: dict[str, list[LogLine]] = {}
    for line in log:
        if line.kind not in ("info", None) or not line.text.startswith("cyclic: "):
            continue
        if "no latency information available" in line.text:
            raise line.refuse("cyclic took no sample")
        # Skip earlier lines, such as advice on the number of instances.
        if line.pid in blocks or line.text.startswith("cyclic: sched "):
            blocks.setdefault(line.pid, []).append(line)
        elif line.text.startswith(("cyclic:  ", "cyclic: latency ", "cyclic: Note:")):
            raise line.refuse("cyclic's line with the policy and number of samples is missing")
    return list(blocks.values())


def _histogram(processes: Sequence[_Process], maxima: Sequence[float]) -> Histogram:
    tables = [p.distribution for p in processes if p.distribution is not None]
    bounds = tuple(sorted(set().union(*(table.counts for table in tables))))
    return Histogram(
        metric="latency",
        bounds=bounds,
        counts=[[table.counts.get(bound, 0) for bound in bounds] for table in tables],
        overflow=tuple(table.overflow for table in tables),
        limit=_BUCKETS * tables[0].interval_ns,
        maximum=tuple(maxima),
        instances=tuple(map(str, range(len(tables)))),
        expected=sum(p.expected for p in processes),
    )


def latencies(
    log: Sequence[LogLine], operations: int, path: str
) -> tuple[tuple[Sample, ...], tuple[Histogram, ...], dict[str, str]]:
    """Return samples, histogram and settings of the latencies, all in nanoseconds.

    Instances are numbered in the order in which their processes log.  The histogram is
    there with --cyclic-dist only; its `expected` are the samples that the run had.  The
    settings are `policy`, `delay_ns`, `scheduler` with a BPF scheduler, `bucket_ns`
    with a histogram, and `samples_limit` where samples beyond that many were dropped.
    `operations` are those of the metrics table.

    Raises ParseError where a line is missing, given twice, contradicts another or has an
    unknown layout.
    """
    processes = [_process(block) for block in _blocks(log)]
    if not processes:
        raise log[-1].refuse("cyclic's latencies are missing; run stress-ng without --quiet")
    if any(p.settings != processes[0].settings for p in processes):
        raise log[-1].refuse("cyclic's processes have different settings")
    samples_taken = sum(p.expected for p in processes)
    lost = operations - samples_taken
    alone = any(line.text == _ONE_INSTANCE for line in log)
    if lost < -len(processes) or (alone and lost > max(1, operations * _OPERATIONS_WITHOUT_SAMPLE)):
        raise log[-1].refuse(
            f"cyclic's {operations} operations do not fit its {samples_taken} samples"
        )
    labels = tuple(map(str, range(len(processes))))
    columns = dict(zip(_METRICS, zip(*(p.values for p in processes), strict=True), strict=True))
    samples = tuple(
        Sample(metric=metric, values=values, instances=labels) for metric, values in columns.items()
    )
    distributed = processes[0].distribution is not None
    histograms = (_histogram(processes, columns["latency-max"]),) if distributed else ()
    return samples, histograms, dict(processes[0].settings)
