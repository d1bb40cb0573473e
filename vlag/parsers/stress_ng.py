# SPDX-License-Identifier: GPL-2.0-only
"""Reader of stress-ng's output with `--metrics` or `--yaml`, versions 0.03 to 0.22.

The text names no version, and its mean over the instances differs from the YAML file's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Histogram, ParsedOutput, Quantity, Sample
from vlag.parsers import (
    stress_ng_cyclic,
    stress_ng_metrics,
    stress_ng_switch,
    stress_ng_yaml,
)
from vlag.parsers.lines import lines
from vlag.parsers.settings import Setting, seconds
from vlag.parsers.stress_ng_log import LogLine, check_end, read
from vlag.parsers.stress_ng_metrics import Given

TOOL = "stress-ng"

QUANTITIES: Mapping[str, Quantity] = {
    **stress_ng_metrics.QUANTITIES,
    **stress_ng_cyclic.QUANTITIES,
}

DEFAULTS: Sequence[str] = ("bucket_ns", "delay_ns", "mean", "method", "policy", "samples_limit")

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
# Versions 0.12.05 to 0.14.03 have the CPU and no RSS.
_HEADER = re.compile(
    r"stressor +bogo ops +real time +usr time +sys time +bogo ops/s +bogo ops/s"
    r"(?P<full> +CPU used per(?P<rss> +RSS Max)?)?"
)

#                           (secs)    (secs)    (secs)   (real time) (usr+sys time) \
#     instance (%)          (KB)
_UNITS = re.compile(
    r" +\(secs\) +\(secs\) +\(secs\) +\(real time\) \(usr\+sys time\)"
    r"(?P<full> instance \(%\)(?P<rss> +\(KB\))?)?"
)

# pipe            1861934      2.00      0.65      2.84    930638.84      532361.40 \
#           174.81          2420
# pipe            2331916      2.00      0.67      3.24   1165590.76      595748.42
_ROW = re.compile(
    rf"(?P<stressor>[a-z][a-z0-9-]*) +(?P<operations>\d{{1,18}}) +(?P<seconds>{_NUMBER})"
    rf"(?: +{_NUMBER}){{2}} +(?P<rate>{_NUMBER}) +{_NUMBER}(?P<full> +{_NUMBER}(?P<rss> +\d+)?)?",
    re.ASCII,
)

# How a row begins, cut off or not.
_ROW_BEGIN = re.compile(r"[a-z][a-z0-9-]* +-?\d", re.ASCII)

# switch              2255.82 nanosecs per context switch (pipe method) \
#     (geometic mean of 1 instances)
# sem               399648.31 sem_trywait calls per sec (harmonic mean of 1 instance)
# Versions before 0.15.03 do not say of how many, those before 0.14.03 print it below the row:
# context         1234567.89 swapcontext calls per sec (geometic mean)
# memcpy            1234.56 MB per sec memcpy rate (average per stressor)
_MISCELLANEOUS = re.compile(
    rf"(?P<stressor>[a-z][a-z0-9-]*) +(?P<value>{_NUMBER}) (?P<description>.+)"
    r" \((?P<aggregate>[a-z ]+?)(?: of \d+ instances?| per stressor)?\)",
    re.ASCII,
)

# How such a line ends, of a known layout or not.
_AGGREGATED = re.compile(r" \([a-z ]*(?:mean|stressor|instances?)[a-z0-9 ]*\)$")

# Words of the aggregation, the misspelt one up to 0.15.06 included.
_AGGREGATES: Mapping[str, str] = {
    "geometic mean": "geometric",
    "geometric mean": "geometric",
    "harmonic mean": "harmonic",
    "arithmetic mean": "arithmetic",
    "average": "arithmetic",
    "total": "total",
    "maximum": "maximum",
}

_Found = tuple[LogLine, re.Match[str]]


@frozen(kw_only=True)
class _Table:
    """The lines of metrics in a log."""

    rows: Sequence[_Found]
    miscellaneous: Sequence[_Found]
    optional: bool  # as with --metrics-brief: no miscellaneous metrics are announced
    old: bool  # of a version before 0.15.05, which has few miscellaneous metrics


class _Tables:
    """Collects the lines of metrics from a log that is read line by line."""

    def __init__(self) -> None:
        self.rows: list[_Found] = []
        self.miscellaneous: list[_Found] = []
        self.announced = False  # the miscellaneous metrics have a heading
        self.columns: tuple[bool, ...] = ()
        self.old = False
        self._state = ""
        self._kind: str | None = None

    def line(self, line: LogLine) -> None:
        """Take one line."""
        if line.text.startswith("stressor "):
            header = _HEADER.fullmatch(line.text)
            if header is None:
                raise line.refuse("the metrics table has columns that this parser does not know")
            self._state, self.columns, self._kind = "table", _columns(header), line.kind
            self.old = line.kind == "info"
        elif line.text == "miscellaneous metrics:":
            self._state, self._kind, self.announced = "miscellaneous", line.kind, True
        elif line.kind != self._kind:
            # Others' lines may come between on a console, the tool's own end a table.
            self._state = self._state if line.kind is None else ""
        elif self._state == "table":
            self._row(line)
        elif self._state:
            self._metric(line)

    def _row(self, line: LogLine) -> None:
        match = _UNITS.fullmatch(line.text) or _ROW.fullmatch(line.text)
        below = _MISCELLANEOUS.fullmatch(line.text) if self.old and self.rows else None
        if match is not None and _columns(match) == self.columns:
            if match.re is _ROW:
                self.rows.append((line, match))
        elif below is not None:
            self.miscellaneous.append((line, below))
        elif self.old and self.rows and not _ROW_BEGIN.match(line.text):
            self._state = ""  # what follows the table, such as the times, has the same kind
        elif match is not None or self._kind is not None:
            raise line.refuse("this row does not fit the header of the metrics table")

    def _metric(self, line: LogLine) -> None:
        match = _MISCELLANEOUS.fullmatch(line.text)
        if match is not None:
            self.miscellaneous.append((line, match))
        elif self.old and not _AGGREGATED.search(line.text):
            self._state = ""
        elif self._kind is not None:
            raise line.refuse("this miscellaneous metric has an unknown layout")


def _table(log: Sequence[LogLine]) -> _Table:
    """Return the rows of the metrics table and the miscellaneous lines.

    Raises ParseError for a line of metrics that has an unknown layout, as a row that
    was passed over would leave a wrong number of rows.
    """
    tables = _Tables()
    for line in log:
        tables.line(line)
    return _Table(
        rows=tables.rows,
        miscellaneous=tables.miscellaneous,
        optional=not tables.announced and (tables.old or not any(tables.columns)),
        old=tables.old,
    )


def _columns(match: re.Match[str]) -> tuple[bool, ...]:
    """Return which of the columns beside the common ones a line of the table has."""
    return (match["full"] is not None, match["rss"] is not None)


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
    out.  Versions before 0.15.05 have few of these; those of `switch` are of each instance
    then, see `stress_ng_switch`.
    The text of `cyclic` has its latencies too, see `stress_ng_cyclic`; the YAML
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
        optional=table.optional,
        needed=not table.old,
        path=path,
        end=end,
    )
    if table.old and stressor == stress_ng_switch.STRESSOR and not samples:
        samples, defaults = stress_ng_switch.times(log)
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
