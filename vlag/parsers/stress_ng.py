# SPDX-License-Identifier: GPL-2.0-only
"""Reader of stress-ng's output with `--metrics` or `--yaml`, versions 0.15.06 to 0.22.

The text names no version, and its mean over the instances differs from the YAML file's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Histogram, ParsedOutput, Quantity, Sample
from vlag.parsers import stress_ng_cyclic, stress_ng_metrics, stress_ng_yaml
from vlag.parsers.lines import lines
from vlag.parsers.settings import Setting, seconds
from vlag.parsers.stress_ng_log import LogLine, check_end, read
from vlag.parsers.stress_ng_metrics import Given

TOOL = "stress-ng"

QUANTITIES: Mapping[str, Quantity] = {
    **stress_ng_metrics.QUANTITIES,
    **stress_ng_cyclic.QUANTITIES,
}

SETTINGS: Mapping[str, Setting] = {
    # dispatching hogs: 4 switch
    # passed: 4: switch (4)
    # switch   2255.82 nanosecs per context switch (pipe method) (harmonic mean of 4 instances)
    "instances": Setting(
        r"dispatching hogs: (\d+) |passed: (\d+): |\([a-z ]+ of (\d+) instances?\)$"
    ),
    # setting to a 60 second run per stressor
    # defaulting to a 1 day, 0.00 secs run per stressor
    "duration": Setting(r"(?:setting|defaulting) to an? (.+?) run per stressor", seconds),
}

# 2255.82, with --sn 2.26e+03, and what C prints for a division by nothing
_NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf)"

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
    rf"(?P<stressor>[a-z][a-z0-9-]*) +(?P<operations>\d{{1,18}}) +(?P<seconds>{_NUMBER})"
    rf"(?: +{_NUMBER}){{2}} +(?P<rate>{_NUMBER}) +{_NUMBER}(?P<full> +{_NUMBER} +\d+)?",
    re.ASCII,
)

# switch              2255.82 nanosecs per context switch (pipe method) \
#     (geometic mean of 1 instances)
# sem               399648.31 sem_trywait calls per sec (harmonic mean of 1 instance)
_MISCELLANEOUS = re.compile(
    rf"(?P<stressor>[a-z][a-z0-9-]*) +(?P<value>{_NUMBER}) (?P<description>.+)"
    r" \((?P<aggregate>[a-z ]+) of \d+ instances?\)",
    re.ASCII,
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

_Found = tuple[LogLine, re.Match[str]]


@frozen(kw_only=True)
class _Table:
    """The lines of metrics in a log."""

    rows: Sequence[_Found]
    miscellaneous: Sequence[_Found]
    brief: bool  # as with --metrics-brief: no miscellaneous metrics are announced


def _table(log: Sequence[LogLine]) -> _Table:
    """Return the rows of the metrics table and the miscellaneous lines.

    Raises ParseError for a line of metrics that has an unknown layout, as a row that
    was passed over would leave a wrong number of rows.
    """
    rows: list[_Found] = []
    miscellaneous: list[_Found] = []
    state = ""
    full, kind, announced = False, None, False
    for line in log:
        if line.text.startswith("stressor "):
            header = _HEADER.fullmatch(line.text)
            if header is None:
                raise line.refuse("the metrics table has columns that this parser does not know")
            state, full, kind = "table", header["full"] is not None, line.kind
        elif line.text == "miscellaneous metrics:":
            state, kind, announced = "miscellaneous", line.kind, True
        elif line.kind != kind:
            # Others' lines may come between on a console, the tool's own end a table.
            state = state if line.kind is None else ""
        elif state == "table":
            match = _UNITS.fullmatch(line.text) or _ROW.fullmatch(line.text)
            if match is not None and (match["full"] is not None) == full:
                if match.re is _ROW:
                    rows.append((line, match))
            elif match is not None or kind is not None:
                raise line.refuse("this row does not fit the header of the metrics table")
        elif state:
            match = _MISCELLANEOUS.fullmatch(line.text)
            if match is not None:
                miscellaneous.append((line, match))
            elif kind is not None:
                raise line.refuse("this miscellaneous metric has an unknown layout")
    return _Table(rows=rows, miscellaneous=miscellaneous, brief=not (full or announced))


def _given(printed: _Found, stressor: str) -> Given:
    """Return the metric of a miscellaneous line."""
    line, match = printed
    if match["stressor"] != stressor:
        raise line.refuse(
            f"this miscellaneous metric is of '{match['stressor']}', the table's row is of "
            f"'{stressor}'"
        )
    what = stress_ng_metrics.by_description(stressor, match["description"])
    if what is None:
        raise line.refuse(
            f"'{match['description']}' is not a metric of '{stressor}' that this parser knows"
        )
    mean = _AGGREGATES.get(match["aggregate"])
    if mean is None:
        raise line.refuse(f"'{match['aggregate']}' is an unknown way to join instances")
    return Given(what, match["value"], mean, line.number)


def _the_row(table: _Table, path: str, end: int) -> _Found:
    if not table.rows:
        raise ParseError(
            "there is no row of metrics; run stress-ng with --metrics", path=path, line=end
        )
    if len(table.rows) > 1:
        names = ", ".join(match["stressor"] for _, match in table.rows)
        raise table.rows[1][0].refuse(
            f"there are {len(table.rows)} rows of metrics ({names}), where one run of one "
            "stressor is expected"
        )
    return table.rows[0]


def recognise(data: bytes) -> bool:
    """Return whether this looks like stress-ng's output."""
    # The plain search is there for speed: other tools' files may be large.
    return b"stress" in data and (
        re.search(
            rb"^(?:stress-ng: |stressor +bogo ops +real time | +stress-ng-version: )", data, re.M
        )
        is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return the metrics of the one stressor in stress-ng's text output or YAML file.

    Samples, one value each over all instances: `bogo-ops-rate` in operations a second
    of real time for every stressor, and the miscellaneous metrics of those stressors
    that `stress_ng_metrics` knows, but for a text with --metrics-brief that leaves them
    out.  The text of `cyclic` has its latencies too, see `stress_ng_cyclic`; the YAML
    file gives other means, see `stress_ng_yaml`, and alone names the version.
    `defaults` may hold `mean`, the aggregation over the instances, and `method`.
    Lines that are not stress-ng's own are passed over.

    Raises ParseError for a run that was skipped, failed, cut off or untrustworthy,
    for a table with no row or several, for figures that contradict each other, and for
    a value that is not above 0.
    """
    output = lines(data, path)
    if not output:
        raise ParseError("the output is empty but for the kernel's messages", path=path)
    document = stress_ng_yaml.find(output)
    if document is not None:
        return stress_ng_yaml.parse(document, tool=TOOL, path=path)
    log = read(output)
    end = log[-1].number
    check_end(log)
    table = _table(log)
    line, row = _the_row(table, path, end)
    stressor = row["stressor"]
    rate = stress_ng_metrics.rate(row["operations"], row["seconds"], row["rate"], path, line.number)
    known = stress_ng_metrics.is_known(stressor)
    samples, defaults = stress_ng_metrics.miscellaneous(
        stressor,
        [_given(m, stressor) for m in table.miscellaneous] if known else (),
        optional=table.brief,
        path=path,
        end=end,
    )
    latencies: tuple[Sample, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    if stressor == stress_ng_cyclic.STRESSOR:
        latencies, histograms, settings = stress_ng_cyclic.latencies(
            log, int(row["operations"]), path
        )
        defaults = {**defaults, **settings}
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} {stressor}",
        tool_version=None,
        defaults=defaults,
        samples=(rate, *samples, *latencies),
        histograms=histograms,
        operations=int(row["operations"]),
    )
