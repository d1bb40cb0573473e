"""Reader of stress-ng's text output with `--metrics`, versions 0.15.06 to 0.22.

The text is read and not the YAML file, because the YAML's miscellaneous values are
another mean than the ones the tool prints.  The output names no version.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.text import decode

TOOL = "stress-ng"

QUANTITIES: Mapping[str, Quantity] = {
    "bogo-ops-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "time-per-switch": Quantity(unit="ns", direction=Direction.LOWER),
}

# 2255.82, with --sn 2.26e+03, and what C prints for a division by nothing
_NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf)"

# stress-ng: metrc: [6125] miscellaneous metrics:
# stress-ng: 14:27:12.83 metrc: [23954] miscellaneous metrics:
_PREFIX = re.compile(r"stress-ng: (?:\d\d:\d\d:\d\d\.\d\d )?(?P<kind>[a-z]+): +\[\d+\] ")

# stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s \
#     CPU used per       RSS Max
# stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s
_HEADER = re.compile(
    r"stressor +bogo ops +real time +usr time +sys time +bogo ops/s +bogo ops/s"
    r"(?P<full> +CPU used per +RSS Max)?"
)

#                           (secs)    (secs)    (secs)   (real time) (usr+sys time) \
#     instance (%)          (KB)
_UNITS = re.compile(
    r" +\(secs\) +\(secs\) +\(secs\) +\(real time\) \(usr\+sys time\)"
    r"(?P<full> instance \(%\) +\(KB\))?"
)

# pipe            1861934      2.00      0.65      2.84    930638.84      532361.40 \
#           174.81          2420
# pipe            2331916      2.00      0.67      3.24   1165590.76      595748.42
_ROW = re.compile(
    rf"(?P<stressor>[a-z][a-z0-9-]*) +\d+(?: +{_NUMBER}){{3}} +(?P<rate>{_NUMBER}) +{_NUMBER}"
    rf"(?P<full> +{_NUMBER} +\d+)?"
)

# switch              2255.82 nanosecs per context switch (pipe method) \
#     (geometic mean of 1 instances)
# sem               399648.31 sem_trywait calls per sec (harmonic mean of 1 instance)
_MISCELLANEOUS = re.compile(
    rf"(?P<stressor>[a-z][a-z0-9-]*) +(?P<value>{_NUMBER}) (?P<description>.+)"
    r" \((?P<aggregate>[a-z ]+) of \d+ instances?\)"
)

# skipped: 1: apparmor (1)
# failed: 0
# metrics untrustworthy: 0
_SUMMARY = re.compile(r"(?P<what>skipped|failed|metrics untrustworthy): (?P<count>\d+)(?:: .*)?")

# successful run completed in 2.00s
# successful run completed in 1.01 sec
# successful run completed in 5 mins, 43.83 secs
_SUCCESS = re.compile(
    r"successful run completed in (?:\d+ [a-z]+, )*\d+(?:\.\d+)? ?s(?:ecs?)?(?: \(.*\))?"
)

# Words of the aggregation, the misspelt one up to 0.15.06 included.
_AGGREGATES: Mapping[str, str] = {
    "geometic mean": "geometric",
    "geometric mean": "geometric",
    "harmonic mean": "harmonic",
    "arithmetic mean": "arithmetic",
    "total": "total",
    "maximum": "maximum",
}

# Stressor -> its miscellaneous lines, each a description and the metric it gives.
# Named groups of the description go into the output's defaults.  A stressor that
# stands here must print each of its lines, once, and no other; one that does not
# stand here gives its rate only.
_METRICS: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "switch": (
        # nanosecs per context switch (pipe method)
        (
            re.compile(r"nanosecs per context switch \((?P<method>[a-z-]+) method\)"),
            "time-per-switch",
        ),
    ),
}


@frozen
class _Line:
    number: int  # from 1
    kind: str | None  # as in "info", "metrc"; None without a prefix
    text: str  # without the prefix


def _lines(data: bytes, path: str) -> list[_Line]:
    text = decode(data, path)
    lines = []
    for number, whole in enumerate(text.split("\n"), start=1):
        raw = whole.rstrip("\r")  # a serial console adds them
        prefix = _PREFIX.match(raw)
        if prefix is None:
            lines.append(_Line(number, None, raw))
        else:
            lines.append(_Line(number, prefix["kind"], raw[prefix.end() :]))
    if len(lines) > 1 and not lines[-1].text:
        lines.pop()  # what follows the last line feed is no line
    return lines


def _check_end(lines: list[_Line], path: str) -> None:
    """Raise unless the tool says that it ran to its end and skipped nothing."""
    ended = False
    for line in lines:
        summary = _SUMMARY.fullmatch(line.text)
        if "No stress workers invoked" in line.text:
            raise ParseError(
                "stress-ng skipped the stressor and measured nothing; the lines above say why",
                path=path,
                line=line.number,
            )
        if line.text.startswith("unsuccessful run completed"):
            raise ParseError("stress-ng's run was not successful", path=path, line=line.number)
        if summary is not None and int(summary["count"]) > 0:
            raise ParseError(
                f"stress-ng reports '{line.text}', so its figures cannot be used",
                path=path,
                line=line.number,
            )
        if summary is None and "untrustworthy" in line.text:
            # Before the summary lines came, only a warning said so.
            raise ParseError(
                "stress-ng itself calls its metrics untrustworthy", path=path, line=line.number
            )
        ended = ended or _SUCCESS.fullmatch(line.text) is not None
    if not ended:
        raise ParseError(
            "the output is cut off: no 'successful run completed' line",
            path=path,
            line=lines[-1].number,
        )


def _number(text: str, what: str, path: str, line: _Line) -> float:
    if "e" in text:
        raise ParseError(
            f"{what} is {text}, which has too few digits; run stress-ng without --sn",
            path=path,
            line=line.number,
        )
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise ParseError(
            f"{what} is {text}, where a number above 0 must stand", path=path, line=line.number
        )
    return value


_Found = tuple[_Line, re.Match[str]]


def _metric_lines(lines: Sequence[_Line], path: str) -> tuple[list[_Found], list[_Found]]:
    """Return the rows of the metrics table and the miscellaneous lines.

    Raises ParseError for a line of metrics that has an unknown layout, as a row that
    was passed over would leave a wrong number of rows.
    """
    rows: list[_Found] = []
    miscellaneous: list[_Found] = []
    state = ""
    full, kind = False, None
    for line in lines:
        if line.text.startswith("stressor "):
            header = _HEADER.fullmatch(line.text)
            if header is None:
                raise ParseError(
                    "the metrics table has columns that this parser does not know",
                    path=path,
                    line=line.number,
                )
            state, full, kind = "table", header["full"] is not None, line.kind
        elif line.text == "miscellaneous metrics:":
            state, kind = "miscellaneous", line.kind
        elif line.kind != kind:
            # The kernel's messages may come between on a console, the tool's end a table.
            state = state if line.kind is None else ""
        elif state == "table":
            match = _UNITS.fullmatch(line.text) or _ROW.fullmatch(line.text)
            if match is not None and (match["full"] is not None) == full:
                if match.re is _ROW:
                    rows.append((line, match))
            elif match is not None or kind is not None:
                raise ParseError(
                    "this row does not fit the header of the metrics table",
                    path=path,
                    line=line.number,
                )
        elif state:
            match = _MISCELLANEOUS.fullmatch(line.text)
            if match is not None:
                miscellaneous.append((line, match))
            elif kind is not None:
                raise ParseError(
                    "this miscellaneous metric has an unknown layout", path=path, line=line.number
                )
    return rows, miscellaneous


def _described(
    description: str, stressor: str, path: str, line: _Line
) -> tuple[str, dict[str, str]]:
    """Return the metric that a miscellaneous line describes, and its settings."""
    for pattern, metric in _METRICS[stressor]:
        match = pattern.fullmatch(description)
        if match is not None:
            return metric, match.groupdict()
    raise ParseError(
        f"'{description}' is no metric of '{stressor}' that this parser knows",
        path=path,
        line=line.number,
    )


def _miscellaneous(
    found: Sequence[_Found], stressor: str, path: str, end: int
) -> tuple[list[Sample], dict[str, str]]:
    """Return the samples and settings of the stressor's miscellaneous lines."""
    if stressor not in _METRICS:
        return [], {}
    samples: dict[str, Sample] = {}
    settings: dict[str, str] = {}
    for line, match in found:
        if match["stressor"] != stressor:
            raise ParseError(
                f"this miscellaneous metric is of '{match['stressor']}', the table's row is of "
                f"'{stressor}'",
                path=path,
                line=line.number,
            )
        metric, described = _described(match["description"], stressor, path, line)
        if metric in samples:
            raise ParseError(f"{metric} is given twice", path=path, line=line.number)
        mean = _AGGREGATES.get(match["aggregate"])
        if mean is None:
            raise ParseError(
                f"'{match['aggregate']}' is an unknown way to join instances",
                path=path,
                line=line.number,
            )
        for name, setting in {"mean": mean, **described}.items():
            if settings.setdefault(name, setting) != setting:
                raise ParseError(
                    f"the {name} is both {settings[name]} and {setting}",
                    path=path,
                    line=line.number,
                )
        value = _number(match["value"], metric, path, line)
        samples[metric] = Sample(metric=metric, values=(value,), instances=("",))
    for _, metric in _METRICS[stressor]:
        if metric not in samples:
            raise ParseError(
                f"the miscellaneous line that gives {metric} is missing; "
                "run stress-ng with --metrics, not --metrics-brief",
                path=path,
                line=end,
            )
    return list(samples.values()), settings


def recognise(data: bytes) -> bool:
    """Return whether this looks like stress-ng's output."""
    return re.search(rb"^stress-ng: ", data, re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the metrics of the one stressor in stress-ng's text output.

    Samples, one value each over all instances: `bogo-ops-rate` in operations a second
    of real time for every stressor, and `time-per-switch` in nanoseconds for `switch`.
    `defaults` may hold `mean`, the aggregation over the instances, and `method`.
    Lines that are not stress-ng's own are passed over.

    Raises ParseError for a run that was skipped, failed, cut off or untrustworthy,
    for a table with no row or several, and for a value that is not above 0.
    """
    lines = _lines(data, path)
    _check_end(lines, path)
    rows, miscellaneous = _metric_lines(lines, path)
    if not rows:
        raise ParseError(
            "there is no row of metrics; run stress-ng with --metrics",
            path=path,
            line=lines[-1].number,
        )
    if len(rows) > 1:
        names = ", ".join(match["stressor"] for _, match in rows)
        raise ParseError(
            f"there are {len(rows)} rows of metrics ({names}), where one run of one stressor "
            "is expected",
            path=path,
            line=rows[1][0].number,
        )
    line, row = rows[0]
    rate = _number(row["rate"], "bogo-ops-rate", path, line)
    samples, defaults = _miscellaneous(miscellaneous, row["stressor"], path, lines[-1].number)
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} {row['stressor']}",
        tool_version=None,
        defaults=defaults,
        samples=(Sample(metric="bogo-ops-rate", values=(rate,), instances=("",)), *samples),
        histograms=(),
    )
