# SPDX-License-Identifier: GPL-2.0-only
"""Reader of schbench's text output and of its JSON file (--json).

Both hold the same percentiles; only the text also holds the mean of the requests a second
and the scheduling delays.  Neither names schbench's version: `version` in the JSON is the
kernel's.  The program prints the middle of a histogram's bucket: whole microseconds up to
511, above that within 0.2 %, so that a percentile may lie a little above the maximum.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.jsonfile import JsonFile, load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "schbench"

_US = Quantity(unit="us", direction=Direction.LOWER)
_RATE = Quantity(unit="1/s", direction=Direction.HIGHER)


@frozen
class _Distribution:
    metric: str  # prefix of its metrics
    key: str  # prefix in the JSON
    title: str  # in the text
    unit: str  # in the text
    percentiles: tuple[str, ...]  # that the text prints; the JSON has more
    quantity: Quantity

    @property
    def keys(self) -> tuple[str, ...]:
        """The last part of each metric's name."""
        return (*(_short(p) for p in self.percentiles), "min", "max")


def _short(percentile: str) -> str:
    return f"p{percentile.removesuffix('.0')}"


_TIMES = ("50.0", "90.0", "99.0", "99.9")
# Until 2022 it had one distribution, with others.
_OLD_TIMES = ("50.0", "75.0", "90.0", "95.0", "99.0", "99.5", "99.9")
_DISTRIBUTIONS = (
    _Distribution("wakeup-latency", "wakeup_latency", "Wakeup Latencies", "usec", _TIMES, _US),
    _Distribution("request-latency", "request_latency", "Request Latencies", "usec", _TIMES, _US),
    _Distribution("rps", "rps", "RPS", "requests", ("20.0", "50.0", "90.0"), _RATE),
)

_RATES = _DISTRIBUTIONS[2].title

_OLD = _Distribution("wakeup-latency", "", "Latency", "usec", _OLD_TIMES, _US)

QUANTITIES: Mapping[str, Quantity] = {
    **{f"{d.metric}-{key}": d.quantity for d in (*_DISTRIBUTIONS, _OLD) for key in d.keys},
    "rps-mean": _RATE,
    "sched-delay-message": _US,
    "sched-delay-worker": _US,
}

DEFAULTS: Sequence[str] = ("runtime",)

SETTINGS: Mapping[str, Setting] = {
    # rps: 63.50 p95 (usec) 867328 p99 (usec) 936960 p95/cputime 2891.09% p99/cputime 3123.20%
    "mode": Setting(r"^(\w+): \d+\.\d\d p95 "),
}

_NUMBER = r"\d{1,10}"  # it counts with 32 bits
_LARGEST = 2**32 - 1

# Kind of line -> the line.
_LINES: Mapping[str, re.Pattern[str]] = {
    # Wakeup Latencies percentiles (usec) runtime 3 (s) (265 total samples)
    "title": re.compile(
        rf"(?P<title>Wakeup Latencies|Request Latencies|RPS|Latency) percentiles"
        rf" \((?P<unit>[a-z]+)\)(?: runtime (?P<runtime>{_NUMBER}) \(s\)"
        rf"(?: \((?P<total>{_NUMBER}) total samples\))?)?"
    ),
    # 	* 99.0th: 15056      (24 samples)
    # 	*99.0000th: 15056
    "percentile": re.compile(
        rf"[\t ]+(?:\*[\t ]*)?(?P<percentile>\d\d\.\d)0*th: (?P<value>{_NUMBER})"
        r"(?: +\(\d{1,20} samples\))?"
    ),
    # 	  min=1, max=16700
    # 	Over=0, min=1, max=16700
    "bounds": re.compile(
        rf"[\t ]+(?:Over=\d{{1,20}}, )?min=(?P<min>{_NUMBER}), max=(?P<max>{_NUMBER})"
    ),
    # sched delay: message 2514 (usec) worker 4248 (usec)
    "delay": re.compile(
        rf"sched delay: message (?P<message>{_NUMBER}) \(usec\) worker (?P<worker>{_NUMBER})"
        r" \(usec\)"
    ),
    # current rps: 99.20
    "current": re.compile(r"current rps: \d{1,10}\.\d\d"),
    # average rps: 88.33
    "average": re.compile(r"average rps: (?P<mean>\d{1,10}\.\d\d)"),
}

# Text in schbench's own lines, truncated or not.
_OWN = re.compile(
    r"\t| +(?:\*? *\d\d\.\d|min=|Over=)|(?:Wakeup|Request) Lat|RPS |Latency perc|sched delay"
    r"|current rps|average rps"
)

# Wakeup latency percentiles (usec) runtime 1 (s) (6 total samples)
_FEW_DAYS = re.compile(r"(?:Wakeup|Request) latency percentiles \(usec\) runtime ")

# Ends of a run in a mode that measures something else.
# avg worker transfer: 98765.43 ops/sec 1.23MB/s
# final rps goal was 420
_OTHER_MODE = re.compile(r"avg worker transfer:|final rps goal was ")

# setting worker threads to 2
_WORKERS = re.compile(r"setting worker threads to (?P<workers>[1-9]\d{0,8})")

_Token = tuple[Line, str, re.Match[str]]


def recognise(data: bytes) -> bool:
    """Return whether this looks like schbench's text or JSON."""
    return (
        re.search(
            rb'"wakeup_latency_pct\d'
            rb"|^(?:Wakeup Latencies|Request Latencies|RPS|Latency|(?:Wakeup|Request) latency)"
            rb" percentiles \(",
            data,
            re.M,
        )
        is not None
    )


def _tokens(text: Sequence[Line]) -> list[_Token]:
    """Return schbench's own lines, each with its kind."""
    tokens = []
    for line in text:
        if _OTHER_MODE.match(line.text):
            raise line.refuse(
                "this is the end of a run with --pipe or --auto-rps, which measures something"
                " else; run schbench without them"
            )
        if _FEW_DAYS.match(line.text):
            raise line.refuse(
                "this is the layout of some days in April 2023, which this parser does not know;"
                " build schbench's current version"
            )
        if not _OWN.match(line.text):
            continue
        matches = ((kind, pattern.fullmatch(line.text)) for kind, pattern in _LINES.items())
        kind, match = next(((k, m) for k, m in matches if m is not None), ("", None))
        if match is None:
            raise line.refuse(f"'{line.text[:80].strip()}' is cut off or of an unknown layout")
        tokens.append((line, kind, match))
    return tokens


class _Reports:
    """The reports in the text, read line by line: one an interval, and the one at the end."""

    def __init__(self, tokens: Sequence[_Token], path: str) -> None:
        self._tokens = tokens
        self._path = path
        self._at = 0

    def more(self) -> bool:
        return self._at < len(self._tokens)

    def kind(self) -> str:
        return self._tokens[self._at][1] if self.more() else ""

    def error(self, message: str) -> ParseError:
        """Return the error for the line that comes next, or else the last one."""
        if not self._tokens:
            return ParseError(message, path=self._path)
        line = self._tokens[min(self._at, len(self._tokens) - 1)][0]
        return line.refuse(message)

    def take(self, kind: str, **fields: str) -> re.Match[str]:
        """Return the next line, which must be of that kind and hold these fields."""
        if not self.more():
            raise self.error("the output is cut off: the report at the end is missing or not whole")
        line, next_kind, match = self._tokens[self._at]
        if next_kind != kind or any(match[name] != value for name, value in fields.items()):
            raise self.error(
                f"'{line.text.strip()}' does not stand where it must; a line before it is missing,"
                " or the output of another run follows"
            )
        self._at += 1
        return match

    def distributions(self) -> tuple[str, dict[str, float], bool]:
        """Return the runtime in seconds, the metrics, and whether each has a sample."""
        runtime = ""
        values: dict[str, float] = {}
        sampled = True
        for d in self._printed:
            if d.title == _RATES and self.rates_at_end and not self._at_rates():
                continue
            fields = {"title": d.title, "unit": d.unit}
            title = self.take("title", **fields, **({"runtime": runtime} if runtime else {}))
            runtime = title["runtime"] or ""
            sampled = sampled and title["total"] != "0"
            for p in d.percentiles:
                row = self.take("percentile", percentile=p)
                values[f"{d.metric}-{_short(p)}"] = float(row["value"])
            bounds = self.take("bounds")
            values[f"{d.metric}-min"] = float(bounds["min"])
            values[f"{d.metric}-max"] = float(bounds["max"])
        return runtime, values, sampled

    def has(self, kind: str) -> bool:
        """Return whether any line is of that kind."""
        return any(other == kind for _, other, _ in self._tokens)

    def _at_rates(self) -> bool:
        return self.more() and self._tokens[self._at][2].groupdict().get("title") == _RATES

    @functools.cached_property
    def rates_at_end(self) -> bool:
        """Return whether only the report at the end has rates, as until 2023-04-21."""
        titles = [match["title"] for _, kind, match in self._tokens if kind == "title"]
        return titles.count(_RATES) == 1 and titles[-1] == _RATES

    @property
    def is_old(self) -> bool:
        """Return whether it is a version with one distribution, whose reports are all alike."""
        return self._printed == (_OLD,)

    @functools.cached_property
    def _printed(self) -> tuple[_Distribution, ...]:
        """Return the distributions of each report: without requests (-n 0) these have none."""
        titles = {match["title"] for _, kind, match in self._tokens if kind == "title"}
        if _OLD.title in titles:
            return (_OLD,)
        requests = "Request Latencies"
        return tuple(d for d in _DISTRIBUTIONS if d.title != requests or requests in titles)


def _from_text(text: Sequence[Line], path: str) -> tuple[str, dict[str, float]]:
    """Return the runtime and the metrics of the report at the end.

    The delays are those of the last interval: at the end the threads are gone, and the
    program prints 0 for what it can no longer read.  Versions before 2024 print none, those
    before 2022 nothing but reports of one distribution, of which the last one counts.
    """
    reports = _Reports(_tokens(text), path)
    delays: dict[str, float] = {}
    while True:
        runtime, values, sampled = reports.distributions()
        if reports.kind() == "average" or (reports.is_old and not reports.more()):
            break
        if reports.has("delay"):
            delay = reports.take("delay")
            delays = {f"sched-delay-{name}": float(delay[name]) for name in ("message", "worker")}
        if reports.kind() == "current" or (reports.has("current") and not reports.rates_at_end):
            reports.take("current")
        if reports.rates_at_end and reports.kind() == "average":
            break
    if not reports.is_old:
        values["rps-mean"] = float(reports.take("average")["mean"])
        if reports.has("delay"):
            reports.take("delay")
        if reports.more():
            raise reports.error("more follows the report at the end; keep each run in its own file")
    if not sampled or values.get("rps-mean") == 0:
        raise reports.error("schbench took no sample; let it run longer")
    return runtime, {**values, **delays}


def _from_json(file: JsonFile, whole: Mapping[str, Any]) -> tuple[str, dict[str, float]]:
    """Return the runtime and those metrics that the text has, too."""
    table = whole.get("int")
    if not isinstance(table, dict):
        raise file.error("the table 'int' is missing, so this is not a result of schbench", "int")
    values = {}
    for d in _DISTRIBUTIONS:
        # "wakeup_latency_pct50.0": 17, "wakeup_latency_min": 1,"wakeup_latency_max": 11950,
        names = [*(f"{d.key}_pct{p}" for p in d.percentiles), f"{d.key}_min", f"{d.key}_max"]
        for key, name in zip(d.keys, names, strict=True):
            value = file.integer(table, name, "int")
            if value > _LARGEST:
                raise file.error(f"'{name}' is larger than it can be", "int", name)
            values[f"{d.metric}-{key}"] = float(value)
    return str(file.integer(table, "runtime", "int")), values


def _check(values: Mapping[str, float], path: str) -> None:
    """Raise for a distribution that is empty or contradicts itself."""
    for d in (*_DISTRIBUTIONS, _OLD):
        names = [f"{d.metric}-{_short(p)}" for p in d.percentiles]
        if any(name not in values for name in names):
            continue  # another version's, or a run without requests
        row = [values[name] for name in names]
        top = values[f"{d.metric}-max"]
        if top == 0:
            raise ParseError(
                f"{d.metric}-max is 0, so schbench took no sample; let it run longer", path=path
            )
        # A percentile is the middle of a bucket, 1/256 of its value wide.
        if row != sorted(row) or row[-1] > top * (1 + 1 / 256) + 1:
            raise ParseError(
                f"the percentiles of {d.metric} contradict each other or the maximum", path=path
            )
        if values[f"{d.metric}-min"] > top:
            raise ParseError(f"{d.metric}-min is larger than the maximum", path=path)


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the figures of one run's final report; interim reports are only checked.

    `wakeup-latency-…` and `request-latency-…` are in microseconds: p50, p90, p99, p99.9,
    min and max.  `rps-…` are requests a second, seen each second and once at the start,
    when there are none yet: p20, p50 and p90, the smallest above 0 and the largest.  The text
    has also `rps-mean` over the whole run, and, where it was told to print intervals,
    `sched-delay-message` and `sched-delay-worker`: mean microseconds that these threads
    waited on a run queue.  p99.9 of fewer than 1,000 samples is the maximum.

    Versions until 2021 give `wakeup-latency-…` only, with p75, p95 and p99.5 as well; a run
    without requests (-n 0) has no `request-latency-…`.

    `defaults` holds the `runtime` in seconds, if printed, and the number of `workers` where
    schbench chose it itself.

    Raises ParseError for output that is cut off, for a second run, for a run with --pipe or
    --auto-rps, and for a run that took no sample.
    """
    defaults = {}
    if data.lstrip().startswith(b"{"):
        file, whole = load(data, path=path, remedy="run schbench again")
        runtime, values = _from_json(file, whole)
    else:
        text = lines(data, path)
        runtime, values = _from_text(text, path)
        workers = [m for m in (_WORKERS.fullmatch(line.text) for line in text) if m is not None]
        if workers:
            defaults["workers"] = workers[0]["workers"]
    if runtime:
        defaults["runtime"] = runtime
    _check(values, path)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults=defaults,
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
    )
