# SPDX-License-Identifier: GPL-2.0-only
"""Reader of `perf c2c report --stdio`, perf 6.0 to 6.12, below a list of watched memory.

perf knows addresses, not the objects there.  The benchmark's script therefore prints, above
the report, one line for each watched piece of kernel memory, and one line below it:

    watch root_domain/line1 0xff110001035ea840 64
    ...
    end of report
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "perf-c2c"

QUANTITIES: Mapping[str, Quantity] = {
    "cycles-per-load-high": Quantity(unit="cycles", direction=Direction.LOWER),
    "cycles-per-load-low": Quantity(unit="cycles", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("watched",)

SETTINGS: Mapping[str, Setting] = {}

# watch root_domain/line1 0xff110001035ea840 64
_WATCH = re.compile(
    r"watch (?P<label>[A-Za-z0-9_./-]{1,80}) 0x(?P<address>[0-9a-f]{1,16}) (?P<size>[1-9]\d{0,5})"
)

#   Load Operations                   :       3266
_LOADS = re.compile(r" +Load Operations +: +(?P<loads>\d{1,15})")

#   Cacheline data grouping           : offset,iaddr
_GROUPING = re.compile(r" +Cacheline data grouping +: +offset,iaddr *")

# Index             Address  Node  PA cnt     Hitm    Total  LclHitm  RmtHitm  records ...
_LINE_HEADER = re.compile(r"# Index +Address +Node +PA cnt .*")

#   Num  RmtHitm  LclHitm   L1 Hit  L1 Miss      N/A              Offset  Node  PA cnt  \
#       Code address  rmt hitm  lcl hitm      load  records       cnt  Symbol  Object \
#       Source:Line  Node
_HEADER = re.compile(
    r"# +Num +Rmt(?:Hitm +LclHitm| +Lcl) +L1 Hit +L1 Miss +N/A +Offset +Node +PA cnt +"
    r"Code address +rmt (?:hitm +lcl hitm|peer +lcl peer) +load +records +cnt +Symbol +Object +"
    r"(?:Source:Line +)?Node *"
)

#      0      0x20ea08034080     0    1734  100.00%     2096     2092        4 ...
_SHARED = re.compile(r" +(?P<index>\d{1,7}) +0x(?P<address>[0-9a-f]{1,16}) +\S+ +\d+ +\d.*")

#      0        4     2092        0        0        0      0x20ea08034080
_CACHELINE = re.compile(r" +(?P<index>\d{1,7})(?: +\d+){5} +0x(?P<address>[0-9a-f]{1,16}) *")

#          75.00%   49.62%    0.00%    0.00%    0.00%                0x30     0       1 \
#           0x53dc88       410        75         0     1552        12  [.] main  ...
_ROW = re.compile(
    r" +(?:\d{1,3}\.\d\d% +){5}0x(?P<offset>[0-9a-f]{1,4}) +\S+ +\d+ +0x[0-9a-f]{1,16} +"
    r"(?P<remote>\d{1,12}) +(?P<local>\d{1,12}) +(?P<load>\d{1,12}) +\d+ +\d+ +\[[^]]\] .*"
)

_RULE = re.compile(r" *-{40,}")
_TABLE = re.compile(r" +Shared Data Cache Line Table *")
_PARETO = re.compile(r" +Shared Cache Line Distribution Pareto *")
_END = re.compile("end of report")

# failed: no PMU supports the memory events
# No permission to enable cpu/mem-loads,ldlat=30/P event.
_FAULT = re.compile(r"failed: .*|No permission to .*|Access to performance .*|Error:.*")


@frozen
class _Watched:
    """A watched piece of memory."""

    label: str
    first: int  # address
    size: int  # bytes

    def holds(self, address: int) -> bool:
        return self.first <= address < self.first + self.size


def _watched(read: Sequence[Line], path: str) -> list[_Watched]:
    watched: list[_Watched] = []
    for line in read:
        if not line.text.startswith("watch "):
            continue
        match = _WATCH.fullmatch(line.text)
        if match is None or match["label"] in {w.label for w in watched}:
            raise line.refuse(f"'{line.text[:80]}' is cut off, or its label appears twice")
        watched.append(_Watched(match["label"], int(match["address"], 16), int(match["size"])))
    if not watched:
        raise ParseError(
            "nothing is watched: print a line 'watch LABEL 0xADDRESS BYTES' for each piece of"
            " memory above the report",
            path=path,
            line=1,
        )
    return watched


def _only(read: Sequence[Line], pattern: re.Pattern[str], what: str) -> tuple[int, re.Match[str]]:
    """Return the one matching line and its index."""
    places = [(k, m) for k, line in enumerate(read) if (m := pattern.fullmatch(line.text))]
    if len(places) != 1:
        raise read[places[-1][0] if places else -1].refuse(
            f"the report must have one {what}, it has {len(places)}; it is cut off or of an"
            " unknown layout"
        )
    return places[0]


def _shared(read: Sequence[Line]) -> dict[str, str]:
    """Return the shared cache lines of the first table: index -> address."""
    shared: dict[str, str] = {}
    for line in read:
        match = _SHARED.fullmatch(line.text)
        if match is not None and match["index"] not in shared:
            shared[match["index"]] = match["address"]
        elif line.text.strip("= ") and not line.text.startswith("#"):
            raise line.refuse("this row does not fit the table of cache lines")
    return shared


def _loads(read: Sequence[Line], shared: Mapping[str, str]) -> list[tuple[int, int]]:
    """Return (data address, mean cycles of a load) of each place in the code that loads.

    A place has up to three means: of loads that found the line modified in another
    node's cache, in another cache of this node, and of the other ones; 0 is "no such load".
    """
    loads: list[tuple[int, int]] = []
    seen: dict[str, str] = {}
    cacheline: int | None = None
    for line in read:
        if not line.text.strip() or line.text.startswith("#") or _RULE.fullmatch(line.text):
            continue
        head = _CACHELINE.fullmatch(line.text)
        row = _ROW.fullmatch(line.text)
        if head is not None and head["index"] not in seen:
            seen[head["index"]] = head["address"]
            cacheline = int(head["address"], 16)
        elif row is not None and cacheline is not None:
            address = cacheline + int(row["offset"], 16)
            means = (int(row[kind]) for kind in ("remote", "local", "load"))
            loads += [(address, cycles) for cycles in means if cycles]
        else:
            raise line.refuse("this row does not fit the table of accesses")
    if seen != shared:
        raise read[-1].refuse(
            f"the report has {len(shared)} shared cache lines, and the accesses of {len(seen)} or"
            " of others"
        )
    return loads


def recognise(data: bytes) -> bool:
    """Return whether this looks like a report of perf c2c."""
    return (
        re.search(rb"^ +Shared Data Cache Line Table *\r?$", data, re.M) is not None
        or re.search(rb"^watch \S+ 0x[0-9a-f]+ \d+\r?$", data, re.M) is not None
    )


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return what loads from the watched memory cost, as a range.

    Samples in cycles, an instance a watched label: `cycles-per-load-low` and
    `cycles-per-load-high`, smallest and largest of the means that perf gives for the
    places in the code that load from it.  `absent` names the watched memory of which the
    report has no load: perf leaves out cache lines with less than 0.1 % of the loads that
    found a line modified elsewhere.  `defaults` names what was watched.

    Raises ParseError for a report that is cut off, of another layout or from a machine
    that cannot sample loads, and where nothing is watched or no load was sampled.
    """
    read = lines(data, path)
    for line in read:
        if _FAULT.fullmatch(line.text):
            raise line.refuse(f"perf c2c could not sample loads: '{line.text[:80]}'")
    watched = _watched(read, path)
    end, _ = _only(read, _END, "last line 'end of report'")
    _, sampled = _only(read, _LOADS, "line 'Load Operations'")
    if int(sampled["loads"]) == 0:
        raise read[end].refuse("perf c2c sampled no load")
    _only(read, _GROUPING, "line 'Cacheline data grouping' with offset,iaddr")
    table, _ = _only(read, _TABLE, "table of shared cache lines")
    pareto, _ = _only(read, _PARETO, "table of accesses")
    if not table < pareto < end:
        raise read[end].refuse("the report's tables are mixed up")
    shared = _shared(read[table + 1 : pareto])
    body = read[pareto + 2 : end]
    if shared:
        # The heads are printed with the first cache line, and name the columns.
        _only(read[table:pareto], _LINE_HEADER, "head of the table of cache lines")
        _only(body, _HEADER, "head of the table of accesses with columns that are known")
    loads = _loads(body, shared)
    ranges = {w.label: [cycles for address, cycles in loads if w.holds(address)] for w in watched}
    present = tuple(label for label, cycles in ranges.items() if cycles)
    absent = tuple(label for label, cycles in ranges.items() if not cycles)
    return ParsedOutput(
        tool=TOOL,
        benchmark=TOOL,
        tool_version=None,
        defaults={"watched": " ".join(w.label for w in watched)},
        samples=tuple(
            Sample(
                metric=f"cycles-per-load-{name}",
                values=tuple(float(choose(ranges[label])) for label in present),
                instances=present,
                absent=absent,
            )
            for name, choose in (("high", max), ("low", min))
        ),
        histograms=(),
    )
