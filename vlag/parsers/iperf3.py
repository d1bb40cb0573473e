# SPDX-License-Identifier: GPL-2.0-only
"""Reader of what an iperf3 client prints with -J; TCP, sent by the client, iperf 3.12 to 3.22.

A client that lost its server may end with status 0: only the key `error` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.jsonfile import JsonFile, load
from vlag.parsers.settings import Setting

TOOL = "iperf3"

_CPU = Quantity(unit="%", direction=Direction.LOWER)

QUANTITIES: Mapping[str, Quantity] = {
    "throughput": Quantity(unit="Mbit/s", direction=Direction.HIGHER),
    "retransmissions": Quantity(unit="count", direction=Direction.LOWER),
    "cpu-server": _CPU,
    "cpu-server-system": _CPU,
    "cpu-client": _CPU,
}

DEFAULTS: Sequence[str] = ("bitrate", "block", "congestion", "mss", "omit", "streams")

SETTINGS: Mapping[str, Setting] = {"duration": Setting(r'"duration":\s*([1-9]\d*)')}

_CPU_KEYS = {
    "cpu-server": "remote_total",
    "cpu-server-system": "remote_system",
    "cpu-client": "host_total",
}

# "version":	"iperf 3.12",
_VERSION = re.compile(r"iperf (\d+(?:\.\d+)+)\+?")

# 3.12 gives these once a stream in one object, which JSON does not allow.
_REPEATED = re.compile(
    rb'^\t\t"(?:sock_bufsize|sndbuf_actual|rcvbuf_actual)":\t\d+,(?=\r?$)', re.MULTILINE
)

# A sum is of all streams, but its end is one stream's; clocks are read one after the other.
_SECONDS_APART = 0.5
# A rate has 17 digits, bytes are exact, seconds have six decimals.
_RATE_APART = 1e-4


def recognise(data: bytes) -> bool:
    """Return whether this looks like iperf3's JSON."""
    return re.search(rb'"version":\s*"iperf \d', data) is not None


def _object(file: JsonFile, within: Mapping[str, Any], key: str, *above: str) -> dict[str, Any]:
    value = within.get(key)
    if not isinstance(value, dict):
        raise file.error(f"'{key}' is missing: the output is not whole", *above)
    return value


def _version(file: JsonFile, start: Mapping[str, Any]) -> str:
    match = _VERSION.fullmatch(str(start.get("version")))
    if match is None:
        raise file.error("'version' does not say 'iperf 3.…'", "start", "version")
    return match[1]


def _test(file: JsonFile, start: Mapping[str, Any], end: Mapping[str, Any]) -> dict[str, Any]:
    """Return the test's settings; raise for a test that measures something else."""
    if "connecting_to" not in start:
        raise file.error("this is not a client's output; keep that of iperf3 -c", "start")
    test = _object(file, start, "test_start", "start")
    if test.get("protocol") != "TCP":
        raise file.error(
            f"the protocol is {test.get('protocol')!r}; only TCP is read here",
            "test_start",
            "protocol",
        )
    # 3.12 does not say that it goes both ways.
    if test.get("reverse") != 0 or test.get("bidir", 0) != 0 or "sum_sent_bidir_reverse" in end:
        raise file.error(
            "the server sent, but only what the client sends is read here; run iperf3 without -R"
            " and --bidir",
            "test_start",
            "reverse",
        )
    return test


def _sum(
    file: JsonFile, end: Mapping[str, Any], key: str, streams: list[dict[str, Any]], side: str
) -> tuple[dict[str, Any], float]:
    """Return a sum over the streams and its rate in bit/s; raise if they contradict it."""
    total = _object(file, end, key, "sum_sent")
    counted, seconds = file.integer(total, "bytes", key), file.number(total, "seconds", key)
    rate = file.number(total, "bits_per_second", key)
    if counted == 0 or seconds == 0:
        raise file.error("iperf3 sent nothing", key)
    if sum(file.integer(s[side], "bytes", "end", side) for s in streams) != counted:
        raise file.error("the streams' bytes are not those of the sum", key, "bytes")
    if abs(rate - counted * 8 / seconds) > _RATE_APART * rate:
        raise file.error(
            f"{counted} bytes in {seconds} s are not {rate:.0f} bit/s", key, "bits_per_second"
        )
    return total, rate


def _streams(file: JsonFile, end: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    streams = end.get("streams")
    if (
        not isinstance(streams, list)
        or len(streams) != number
        or not all(
            isinstance(s, dict) and all(isinstance(s.get(k), dict) for k in ("sender", "receiver"))
            for s in streams
        )
    ):
        raise file.error(f"'streams' at the end are not the {number} that were asked for", "end")
    return streams


def _text(file: JsonFile, end: Mapping[str, Any], key: str) -> str:
    value = end.get(key)
    if not isinstance(value, str) or not value:
        raise file.error(f"'{key}' is missing", "end", key)
    return value


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the figures of one test, as its client saw it at the end.

    Samples: `throughput` in Mbit/s over all streams, as it reached the server;
    `retransmissions`, TCP segments that the client's kernel sent again; `cpu-server` and
    `cpu-client` in percent of one CPU that the programs used themselves (interrupts that
    another was charged with are not in it; several threads may have more than 100), and
    `cpu-server-system`, the part of it in the kernel.

    `defaults` holds the number of `streams`, the `block` and the `mss` in bytes, the
    seconds that were left out at the start (`omit`), the `bitrate` that was asked for (0:
    none), and either side's `congestion` control.

    Raises ParseError for a test that ended with an error or too early, for a server's own
    output, for UDP and SCTP, for a server that sends, and for figures that contradict
    each other.
    """
    file, whole = load(_REPEATED.sub(b"", data), path=path, remedy="run iperf3 again")
    start = _object(file, whole, "start")
    version = _version(file, start)
    if "error" in whole:
        reason = " ".join(str(whole["error"]).split())[:160]
        raise file.error(f"iperf3 did not end well: {reason}", "error")
    end = _object(file, whole, "end")
    test = _test(file, start, end)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} tcp",
        tool_version=version,
        defaults=_defaults(file, start, end, test),
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in _figures(file, end, test).items()
        ),
        histograms=(),
    )


def _figures(file: JsonFile, end: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, float]:
    """Return the value of each metric."""
    streams = _streams(file, end, file.integer(test, "num_streams", "test_start"))
    sent, _ = _sum(file, end, "sum_sent", streams, "sender")
    _, rate = _sum(file, end, "sum_received", streams, "receiver")
    _check_duration(file, sent, test)
    cpu = _object(file, end, "cpu_utilization_percent", "sum_received")
    return {
        "throughput": rate / 1e6,
        "retransmissions": float(_retransmissions(file, sent, streams)),
        **{m: file.number(cpu, k, "cpu_utilization_percent") for m, k in _CPU_KEYS.items()},
    }


def _check_duration(file: JsonFile, sent: Mapping[str, Any], test: Mapping[str, Any]) -> None:
    """Raise for a test that ended too early; a test by bytes has the duration 0."""
    lasted, duration = file.number(sent, "seconds"), file.number(test, "duration", "test_start")
    if abs(lasted - duration) > _SECONDS_APART and duration:
        raise file.error(
            f"the test took {lasted:.1f} s of {duration:.0f} s", "end", "sum_sent", "seconds"
        )


def _retransmissions(file: JsonFile, sent: Mapping[str, Any], streams: list[dict[str, Any]]) -> int:
    segments = file.integer(sent, "retransmits", "end", "sum_sent")
    if sum(file.integer(s["sender"], "retransmits", "end") for s in streams) != segments:
        raise file.error("the streams' retransmits are not those of the sum", "end", "sum_sent")
    return segments


def _defaults(
    file: JsonFile, start: Mapping[str, Any], end: Mapping[str, Any], test: Mapping[str, Any]
) -> dict[str, str]:
    return {
        "streams": str(file.integer(test, "num_streams", "test_start")),
        "block": str(file.integer(test, "blksize", "test_start")),
        "mss": str(file.integer(start, "tcp_mss_default", "start")),
        "omit": str(file.integer(test, "omit", "test_start")),
        # Old versions do not say it.
        **(
            {"bitrate": str(file.integer(test, "target_bitrate", "test_start"))}
            if "target_bitrate" in test
            else {}
        ),
        "congestion": " ".join(
            _text(file, end, f"{side}_tcp_congestion") for side in ("sender", "receiver")
        ),
    }
