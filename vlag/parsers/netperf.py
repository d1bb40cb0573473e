# SPDX-License-Identifier: GPL-2.0-only
"""Reader of netperf's requests and responses (TCP_RR, UDP_RR): its table, and keys of `-k`.

The table says neither the version nor on which CPUs both ends ran.  Keys are those that `-k` asked
for; COMMAND_LINE among them tells which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines, without_noise
from vlag.parsers.settings import Setting

TOOL = "netperf"

_US = Quantity(unit="us", direction=Direction.LOWER)

QUANTITIES: Mapping[str, Quantity] = {
    "throughput": Quantity(unit="1/s", direction=Direction.HIGHER),
    "latency-mean": _US,
    "latency-p50": _US,
    "latency-p90": _US,
    "latency-p99": _US,
}

DEFAULTS: Sequence[str] = (
    "burst", "options", "protocol", "request", "response", "seconds", "socket",
)  # fmt: skip

SETTINGS: Mapping[str, Setting] = {}

_N = r"\d{1,12}"

# MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () \
#     port 0 AF_INET : first burst 0 : cpu bind
_BEGIN = re.compile(
    r"(?:MIGRATED )?(?P<protocol>TCP|UDP) REQUEST/RESPONSE TEST from \S.{0,300}?"
    rf"(?: : first burst (?P<burst>{_N})(?P<options>(?: : [a-z ]{{1,40}}){{0,9}}))?"
)

# 16384  131072 1        1       2.00     10279.36
_ROW = re.compile(
    rf"(?P<send>{_N}) +(?P<receive>{_N}) +(?P<request>{_N}) +(?P<response>{_N})"
    r" +(?P<elapsed>\d{1,9}\.\d\d) +(?P<rate>\d{1,12}\.\d\d) *"
)

# 16384  131072
_REMOTE = re.compile(rf"{_N} +{_N} *")

_HEADER = re.compile(r"(?:Local|Send|bytes) +/?(?:Remote|Recv|Bytes|bytes)\b.*|Socket Size .*")
_LAST_HEADER = re.compile(r"bytes +[Bb]ytes +bytes +bytes +secs\. +per sec *")

# THROUGHPUT=21423.96
_KEY = re.compile(r"(?P<key>[A-Z][A-Z0-9_]{0,63})=(?P<value>.{0,2000})")
# COMMAND_LINE="netperf -t TCP_RR -- -k THROUGHPUT,COMMAND_LINE"
_ASKED = re.compile(r'".{0,1000} -k (?P<keys>[A-Z0-9_,]{1,900})(?: .{0,300})?"')
# Key -> metric
_LATENCIES: Mapping[str, str] = {
    "MEAN_LATENCY": "latency-mean",
    "P50_LATENCY": "latency-p50",
    "P90_LATENCY": "latency-p90",
    "P99_LATENCY": "latency-p99",
}
_NEEDED = (
    "THROUGHPUT", "THROUGHPUT_UNITS", "PROTOCOL", "REQUEST_SIZE", "RESPONSE_SIZE", "BURST_SIZE",
    "ELAPSED_TIME",
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,6})?")


def recognise(data: bytes) -> bool:
    """Return whether this looks like netperf's output of any test."""
    return (
        re.search(
            rb"^(?:MIGRATED )?[A-Z]{2,8} [A-Z/ ]{3,40} TEST from \S", without_noise(data), re.M
        )
        is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return transactions a second, and of `-k` latencies of one in microseconds.

    A transaction is a request and its response.  `defaults` holds the `protocol`, the bytes of
    `request` and `response`, how many requests are on their way beside the first (`burst`), the
    whole `seconds`, the `options` that the first line names, and of a table the local `socket`
    buffers (send, receive).

    Raises ParseError for output that is cut off, of another test, of several runs, with `-c`, and
    for keys without COMMAND_LINE, THROUGHPUT and those that say how it was run.
    """
    own = [
        line for line in lines(data, path)
        if line.text.strip() and not line.text.startswith(("$ ", "rc="))
    ]  # fmt: skip
    begins = [line for line in own if " TEST from " in line.text]
    if len(begins) != 1:
        where = (begins[1:] or own or [Line(1, "", path)])[0]
        raise where.refuse(
            f"'{where.text[:80]}': {len(begins)} lines begin a test of netperf, and one is expected"
        )
    begin = _BEGIN.fullmatch(begins[0].text.rstrip())
    if begin is None or own[0] is not begins[0]:
        raise begins[0].refuse(
            "this does not begin the output of a test of requests and responses (TCP_RR, UDP_RR)"
        )
    rest = own[1:]
    if not rest:
        raise own[-1].refuse("the output is cut off behind its first line")
    values, defaults = _of_keys(rest) if _KEY.fullmatch(rest[0].text) else _of_table(rest)
    defaults.setdefault("protocol", begin["protocol"])
    if begin["burst"] is not None:
        defaults.setdefault("burst", begin["burst"])
    if options := ",".join(word.strip() for word in (begin["options"] or "").split(" : ") if word):
        defaults["options"] = options
    for metric, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise own[-1].refuse(f"{metric} is 0, where a number above 0 must stand")
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"netperf {defaults['protocol']}_RR",
        tool_version=None,
        defaults=defaults,
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
    )


def _of_table(own: Sequence[Line]) -> tuple[dict[str, float], dict[str, str]]:
    at = next((i for i, line in enumerate(own) if _LAST_HEADER.fullmatch(line.text)), None)
    if at is None:
        raise own[-1].refuse(
            "the table is cut off or has columns that are not known; run netperf without -c and -C"
        )
    for line in own[:at]:
        if _HEADER.fullmatch(line.text) is None:
            raise line.refuse(f"'{line.text[:80]}' is no heading of the table")
    rows = own[at + 1 :]
    row = _ROW.fullmatch(rows[0].text) if rows else None
    if row is None or len(rows) < 2 or _REMOTE.fullmatch(rows[1].text) is None:
        raise own[-1].refuse("the table is cut off: a row of both ends is expected")
    if len(rows) > 2:
        raise rows[2].refuse("more stands below the table than one run without -v 2 prints")
    return {"throughput": float(row["rate"])}, {
        "request": row["request"],
        "response": row["response"],
        "seconds": str(round(float(row["elapsed"]))),
        "socket": f"{row['send']},{row['receive']}",
    }


def _of_keys(own: Sequence[Line]) -> tuple[dict[str, float], dict[str, str]]:
    found: dict[str, str] = {}
    for line in own:
        match = _KEY.fullmatch(line.text.rstrip())
        if match is None or match["key"] in found:
            raise line.refuse(f"'{line.text[:80]}' is cut off, no key, or stands there twice")
        found[match["key"]] = match["value"]
    asked = _ASKED.fullmatch(found.get("COMMAND_LINE", ""))
    if asked is None:
        raise own[-1].refuse(
            "COMMAND_LINE is missing or cut off, so that nothing tells whether all keys are there;"
            " add it at the end of -k"
        )
    missing = [k for k in (*asked["keys"].split(","), *_NEEDED) if k not in found]
    if missing:
        raise own[-1].refuse(f"{missing[0]} is missing; the output is cut off, or add it to -k")
    if found["THROUGHPUT_UNITS"] != "Trans/s":
        raise own[-1].refuse(f"the throughput is in {found['THROUGHPUT_UNITS']}, not in Trans/s")
    metrics = {"THROUGHPUT": "throughput", **_LATENCIES}
    values: dict[str, float] = {}
    for key in ("ELAPSED_TIME", *(k for k in metrics if k in found)):
        if _NUMBER.fullmatch(found[key]) is None:
            raise own[-1].refuse(f"{key} is {found[key][:40]!r}, which is no number")
        if key in metrics:
            values[metrics[key]] = float(found[key])
    quantiles = [values[f"latency-p{q}"] for q in (50, 90, 99) if f"latency-p{q}" in values]
    if quantiles != sorted(quantiles):
        raise own[-1].refuse("the quantiles of the latencies contradict each other")
    return values, {
        "protocol": found["PROTOCOL"],
        "request": found["REQUEST_SIZE"],
        "response": found["RESPONSE_SIZE"],
        "burst": found["BURST_SIZE"],
        "seconds": str(round(float(found["ELAPSED_TIME"]))),
    }
