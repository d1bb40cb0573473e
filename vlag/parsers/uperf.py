# SPDX-License-Identifier: GPL-2.0-only
"""Reader of uperf's text output, with and without `-a` or `-R`, uperf 1.0.

Figures are those of the closing table "Run Statistics" and of the network cards' table
before it.  The benchmark's script may print counters of the network stack before and after
uperf's own lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "uperf"

QUANTITIES: Mapping[str, Quantity] = {
    "throughput": Quantity(unit="Mbit/s", direction=Direction.HIGHER),
    "operations": Quantity(unit="count", direction=Direction.HIGHER),
    "interface-output": Quantity(unit="Mbit/s", direction=Direction.HIGHER),
    "interface-input": Quantity(unit="Mbit/s", direction=Direction.HIGHER),
    "tcp-retransmissions": Quantity(unit="count", direction=Direction.LOWER),
    "tcp-out-of-order": Quantity(unit="count", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("threads",)

SETTINGS: Mapping[str, Setting] = {}

# Counter of the network stack -> the metric that its growth gives.
_COUNTERS = {"RetransSegs": "tcp-retransmissions", "TCPOFOQueue": "tcp-out-of-order"}

# Rates count in steps of 1000, amounts of data in steps of 1024.
_MEGABITS = {
    "": Decimal("1e-6"),
    "K": Decimal("1e-3"),
    "M": Decimal(1),
    "G": Decimal(1000),
    "T": Decimal(10**6),
}
_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

# Hostname            Time       Data   Throughput   Operations      Errors
_HEADER = re.compile(r"Hostname +Time +Data +Throughput +Operations +Errors *")

# master             5.31s     3.03GB     4.91Gb/s       397678        0.00
# 127.0.0.1          5.31s     3.03GB     4.90Gb/s       397123        0.00
_ROW = re.compile(
    r"(?P<host>\S+) +(?P<time>\d{1,9}\.\d\d)s +(?P<data>\d{1,9}(?:\.\d\d)?)(?P<scale>[KMGT]?)B +"
    r"(?P<rate>\d{1,9}(?:\.\d\d)?)(?P<prefix>[KMGT]?)b/s +(?P<operations>\d{1,18}) +"
    r"(?P<errors>\d{1,18}\.\d\d) *"
)

# Difference(%)      0.01%      0.14%        0.13%        0.14%       0.00%
_DIFFERENCE = re.compile(r"Difference\(%\)(?: +-?\d+\.\d\d%){5} *")

# Nic       opkts/s     ipkts/s      obits/s      ibits/s
_CARDS = re.compile(r"Nic +opkts/s +ipkts/s +obits/s +ibits/s *")

# eth0           38          39    22.92Kb/s   570.40Kb/s
_CARD = re.compile(
    r"(?P<card>\S+) +\d+ +\d+ +(?P<out>\d{1,9}(?:\.\d\d)?)(?P<out_prefix>[KMGT]?)b/s +"
    r"(?P<in>\d{1,9}(?:\.\d\d)?)(?P<in_prefix>[KMGT]?)b/s *"
)

# tcp before RetransSegs 36 segments
# tcp after RetransSegs 41 segments
_COUNTER = re.compile(r"tcp (?P<when>before|after) (?P<name>\w+) (?P<count>\d{1,18}) segments")

# Starting 1 threads running profile:netperf ...   0.00 seconds
_START = re.compile(
    r"Starting (?P<threads>\d{1,6}) threads running profile:(?P<profile>[\w.-]+) \.\.\. +"
    r"\d+\.\d\d seconds"
)

_RULE = re.compile(r"-{20,}")

_Found = tuple[Line, re.Match[str]]


def _only(
    output: Sequence[Line], pattern: re.Pattern[str], what: str
) -> tuple[int, re.Match[str]] | None:
    """Return the one matching line and its index; None without one."""
    places = [(k, m) for k, line in enumerate(output) if (m := pattern.fullmatch(line.text))]
    if len(places) > 1:
        raise output[places[1][0]].refuse(f"{what} appears twice; one run is expected")
    return places[0] if places else None


def _table(output: Sequence[Line], head: int, row: re.Pattern[str]) -> list[_Found]:
    """Return the rows from behind the header to the closing rule."""
    rows: list[_Found] = []
    for k, line in enumerate(output[head + 1 :]):
        match = row.fullmatch(line.text)
        if match is not None:
            rows.append((line, match))
        elif not _RULE.fullmatch(line.text):
            raise line.refuse("this row does not fit the header of uperf's table")
        elif k > 0:  # some tables have a rule below the header too
            return rows
    raise output[-1].refuse("the output is cut off within a table")


def _megabits(number: str, prefix: str) -> float:
    return float(Decimal(number) * _MEGABITS[prefix])


def _check_rate(row: re.Match[str], line: Line) -> None:
    """Raise if amount of data, time and throughput of a row contradict each other."""
    step = Decimal("0.005")  # half of the last digit
    slack = Decimal("0.01")
    time, data, rate = Decimal(row["time"]), Decimal(row["data"]), Decimal(row["rate"])
    if time == 0 or rate == 0:
        raise line.refuse("time and throughput must be above 0: uperf sent nothing")
    bits = 8 * _BYTES[row["scale"]]
    lowest = max(data - step, Decimal(0)) * bits / (time + step) * (1 - slack)
    highest = (data + step) * bits / (time - step) * (1 + slack)
    given = 10**6 * _MEGABITS[row["prefix"]]
    if (rate + step) * given < lowest or (rate - step) * given > highest:
        raise line.refuse(
            f"{row['data']}{row['scale']}B in {row['time']}s cannot be "
            f"{row['rate']}{row['prefix']}b/s"
        )


def _master(output: Sequence[Line]) -> re.Match[str]:
    """Return the row of the whole run; raise unless every host's run went well."""
    header = _only(output, _HEADER, "the table of the run")
    if header is None:
        raise output[-1].refuse(
            "the output is cut off or uperf gave up: there is no table 'Run Statistics'"
        )
    head, _ = header
    rows = _table(output, head, _ROW)
    for line, row in rows:
        if Decimal(row["errors"]) != 0:
            raise line.refuse(
                f"uperf counted {row['errors']} errors at '{row['host']}', so its figures cannot"
                " be used"
            )
        _check_rate(row, line)
    masters = [row for _, row in rows if row["host"] == "master"]
    if len(masters) != 1:
        raise output[head].refuse(
            f"the table has {len(masters)} rows 'master', where one must stand"
        )
    if not any(_DIFFERENCE.fullmatch(line.text) for line in output[head:]):
        raise output[-1].refuse("the output is cut off: no row 'Difference(%)' ends it")
    return masters[0]


def _cards(output: Sequence[Line]) -> list[Sample]:
    """Return the rates of the network cards; none if uperf did not measure them."""
    header = _only(output, _CARDS, "the table of network cards")
    if header is None:
        return []
    head, _ = header
    rows = [row for _, row in _table(output, head, _CARD)]
    names = tuple(row["card"] for row in rows)
    if not names or len(set(names)) != len(names):
        raise output[head].refuse("the table of network cards is empty or names a card twice")
    return [
        Sample(
            metric=f"interface-{way}put",
            values=tuple(_megabits(row[way], row[f"{way}_prefix"]) for row in rows),
            instances=names,
        )
        for way in ("out", "in")
    ]


def _counters(output: Sequence[Line]) -> list[Sample]:
    """Return the increases of the counters; none if they were not printed."""
    counts: dict[tuple[str, str], int] = {}
    for line in output:
        if not line.text.startswith("tcp "):
            continue
        match = _COUNTER.fullmatch(line.text)
        key = ("", "") if match is None else (match["name"], match["when"])
        if match is None or match["name"] not in _COUNTERS or key in counts:
            raise line.refuse(
                f"'{line.text[:80]}' is cut off, appears twice or is not a counter that this"
                " parser knows"
            )
        counts[key] = int(match["count"])
    if not counts:
        return []
    samples = []
    for name, metric in _COUNTERS.items():
        before, after = (counts.get((name, when)) for when in ("before", "after"))
        if before is None or after is None or after < before:
            raise output[-1].refuse(
                f"{name} must stand there before and after the run, and cannot fall"
            )
        samples.append(Sample(metric=metric, values=(float(after - before),), instances=("",)))
    return samples


def recognise(data: bytes) -> bool:
    """Return whether this looks like uperf's output."""
    return re.search(rb"^Starting \d+ threads running profile:", data, re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the figures of one run of uperf, as the master saw it.

    Samples: `throughput` in Mbit/s with the three or so digits that uperf prints, and
    `operations` as a count over the whole run.  Where the table of network cards is
    there, `interface-output` and `interface-input` in Mbit/s, an instance a card; where
    the counters are there, `tcp-retransmissions` and `tcp-out-of-order`, segments
    during the run, of all connections of the machine.  `benchmark` names the profile,
    `defaults` holds the number of `threads`.

    Raises ParseError for a run that is cut off, had errors or sent nothing, for figures
    that contradict each other, and for counters of which one half is missing.
    """
    output = lines(data, path)
    begin = _only(output, _START, "uperf's start")
    if begin is None:
        raise ParseError("uperf did not start: no line names its profile", path=path, line=1)
    _, start = begin
    master = _master(output)
    samples = [
        Sample(
            metric="throughput",
            values=(_megabits(master["rate"], master["prefix"]),),
            instances=("",),
        ),
        Sample(metric="operations", values=(float(master["operations"]),), instances=("",)),
        *_cards(output),
        *_counters(output),
    ]
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} {start['profile']}",
        tool_version=None,
        defaults={"threads": start["threads"]},
        samples=tuple(samples),
        histograms=(),
    )
