# SPDX-License-Identifier: GPL-2.0-only
"""Reader of HammerDB's log of a timed TPROC-C run, with the time profiler's report or not.

HammerDB writes the report to a separate file, `hdbxtprofile.log`; the benchmark's script
copies it below the log, and announces it with a line above the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "hammerdb"

QUANTITIES: Mapping[str, Quantity] = {
    "nopm": Quantity(unit="1/min", direction=Direction.HIGHER),
    "tpm": Quantity(unit="1/min", direction=Direction.HIGHER),
    "latency-mean": Quantity(unit="ms", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("users",)

SETTINGS: Mapping[str, Setting] = {
    name: Setting(
        rf"^Value (\S+) for [a-z]+:\w*{name} is the same"
        rf"|^Changed [a-z]+:\w*{name} from \S+ to (\S+) for"
    )
    for name in ("count_ware", "rampup", "duration", "driver")
}

# HammerDB CLI v4.4
_VERSION = re.compile(r"HammerDB CLI v(?P<version>\d+(?:\.\d+)*)\b.*")

# Vuser 1:64 Active Virtual Users configured
_USERS = re.compile(r"Vuser \d{1,6}:(?P<users>[1-9]\d{0,5}) Active Virtual Users configured")

# Vuser 1:TEST RESULT : System achieved 42332 NOPM from 97427 MySQL TPM
# Vuser 1:TEST RESULT : System achieved 8043 NOPM from 16365 SQL Server TPM
_RESULT = re.compile(
    r"Vuser (?P<user>\d{1,6}):TEST RESULT : System achieved (?P<nopm>\d{1,15}) NOPM from"
    r" (?P<tpm>\d{1,15}) (?P<database>[A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+){0,3}) TPM"
)

# Vuser 1:FINISHED SUCCESS
# Vuser 3:FINISHED FAILED
_FINISHED = re.compile(r"Vuser (?P<user>\d{1,6}):FINISHED (?P<how>[A-Z]+)")

# Error in Virtual User 3: mysqlexec/db server: Lost connection
# Vuser 1:TEST RESULT : System achieved no NOPM
_FAULT = re.compile(r"Error in Virtual User \d+:.*|Vuser \d+:(?:Error|TEST RESULT).*")

# >>>>> SUMMARY OF 64 ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : 1527146ms
_SUMMARY = re.compile(
    r">>>>> SUMMARY OF (?P<users>\d{1,6}) ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : \d+ms"
)

# >>>>> PROC: NEWORD
_PROCEDURE = re.compile(r">>>>> PROC: (?P<name>[A-Z_]+)")

# CALLS: 3427	MIN: 1.730ms	AVG: 36.332ms	MAX: 1220.165ms	TOTAL: 124508.229ms
_CALLS = re.compile(
    r"CALLS: (?P<calls>\d{1,15})\s+MIN: \d+\.\d{3}ms\s+AVG: (?P<mean>\d{1,12}\.\d{3})ms\s+"
    r"MAX: \d+\.\d{3}ms\s+TOTAL: (?P<total>\d{1,15}\.\d{3})ms"
)

# P99: 210.118ms	P95: 104.921ms	P50: 19.126ms	SD: 49663.123	RATIO: 48.963%
_PERCENTILES = re.compile(r"P99: \d+\.\d{3}ms\s.*RATIO: \d+\.\d{3}%")

# Above the log; without it a truncated log would pass as one without a report.
_ANNOUNCED = "time profile follows"

# +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
_RULE = re.compile(r"\+(?:-\+){3,}")


def _result(read: Sequence[Line]) -> re.Match[str]:
    """Return the one result line of a run that every virtual user ended well."""
    result: tuple[Line, re.Match[str]] | None = None
    succeeded = False
    for line in read:
        match = _RESULT.fullmatch(line.text)
        finished = _FINISHED.fullmatch(line.text)
        if match is not None and result is not None:
            raise line.refuse("there is a second result, where the output of one run is expected")
        if match is not None:
            result = (line, match)
        elif _FAULT.fullmatch(line.text) or (finished and finished["how"] != "SUCCESS"):
            raise line.refuse(f"HammerDB's run did not end well: '{line.text[:80]}'")
        elif finished and result is not None and finished["user"] == result[1]["user"]:
            succeeded = True
    if result is None:
        raise read[-1].refuse(
            "the output is cut off: no line 'TEST RESULT' gives NOPM; use the timed driver"
        )
    line, match = result
    if not succeeded:
        raise read[-1].refuse(
            f"there is no line 'Vuser {match['user']}:FINISHED SUCCESS' below the result"
        )
    if int(match["nopm"]) == 0 or int(match["tpm"]) < int(match["nopm"]):
        raise line.refuse(
            f"{match['nopm']} NOPM from {match['tpm']} TPM cannot be: new orders are among the"
            " transactions"
        )
    return match


def _mean_ms(read: Sequence[Line]) -> float | None:
    """Return the mean time of a transaction of any kind; None without a report.

    Only the closing summary of all virtual users is read: its kinds of transaction are
    joined by their calls.
    """
    starts = [k for k, line in enumerate(read) if _SUMMARY.fullmatch(line.text)]
    profiled = any(line.text == _ANNOUNCED or line.text.startswith(">>>>>") for line in read)
    if not starts and not profiled:
        return None
    if len(starts) != 1:
        raise read[-1].refuse(
            f"the time profiler's report has {len(starts)} summaries, where one must stand"
        )
    calls, total = 0, 0.0
    expected = [_PROCEDURE, _CALLS, _PERCENTILES]
    seen: set[str] = set()
    for k, line in enumerate(read[starts[0] + 1 :]):
        if k and k % 3 == 0 and _RULE.fullmatch(line.text):
            break
        match = expected[k % 3].fullmatch(line.text)
        if match is None or match.groupdict().get("name") in seen:
            raise line.refuse("this line does not fit the summary of the time profiler")
        if match.re is _PROCEDURE:
            seen.add(match["name"])
        elif match.re is _CALLS:
            count, spent, mean = int(match["calls"]), float(match["total"]), float(match["mean"])
            # The mean has three decimals, and the profiler cuts it to whole clock ticks.
            if count == 0 or abs(spent / count - mean) > 0.0015 + 0.001 * mean:
                raise line.refuse(
                    f"{match['calls']} calls in {match['total']} ms cannot take"
                    f" {match['mean']} ms each"
                )
            calls += count
            total += spent
    else:
        raise read[-1].refuse("the output is cut off within the summary of the time profiler")
    return total / calls


def recognise(data: bytes) -> bool:
    """Return whether this looks like HammerDB's output."""
    return re.search(rb"^(?:HammerDB CLI v|Vuser \d+:[A-Z])", data, re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the throughput of one timed run, and the transactions' mean time.

    Samples: `nopm` and `tpm`, new orders and transactions a minute; `latency-mean` in
    milliseconds over the transactions of all kinds, if the time profiler's report is
    below the log.  `benchmark` names the database as HammerDB does, `defaults`
    holds the number of virtual `users`.

    Raises ParseError for a run without a result, that a virtual user did not end well,
    or whose figures contradict each other, and for a report that is cut off.
    """
    read = lines(data, path)
    result = _result(read)
    users = [m for m in (_USERS.fullmatch(line.text) for line in read) if m]
    if len(users) != 1:
        raise read[-1].refuse("one line must say how many virtual users are active")
    samples = [
        Sample(metric=name, values=(float(result[name]),), instances=("",))
        for name in ("nopm", "tpm")
    ]
    mean = _mean_ms(read)
    if mean is not None:
        samples.append(Sample(metric="latency-mean", values=(mean,), instances=("",)))
    version = next((m for m in (_VERSION.fullmatch(line.text) for line in read) if m), None)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} tproc-c {result['database']}",
        tool_version=None if version is None else version["version"],
        defaults={"users": users[0]["users"]},
        samples=tuple(samples),
        histograms=(),
    )
