# SPDX-License-Identifier: GPL-2.0-only
"""Reader of a kernel function's calls and return values, counted with a return probe.

The benchmark's script sets a kretprobe on the function in a separate tracing instance, with
a filter that drops events with the value 0, and prints the kernel's files:

    == function
    update_entity_lag u8
    == kallsyms
    ffffffff810c1f30 t update_entity_lag
    == definition
    r:vlag/returned update_entity_lag ret=$retval:u8
    == profile
      returned                                              12345               0
    == trace
    # entries-in-buffer/entries-written: 67/67   #P:2
    == end
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vlag.errors import ParseError
from vlag.model import Direction, ParsedOutput, Quantity, Sample
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import Setting

TOOL = "return-probe"

QUANTITIES: Mapping[str, Quantity] = {
    "returned-nonzero-share": Quantity(unit="%", direction=Direction.LOWER),
    "returned-nonzero": Quantity(unit="count", direction=Direction.LOWER),
    "calls": Quantity(unit="count", direction=Direction.LOWER),
    "missed": Quantity(unit="count", direction=Direction.LOWER),
}

DEFAULTS: Sequence[str] = ("type",)

SETTINGS: Mapping[str, Setting] = {}

_SECTION = re.compile(r"== (?P<name>[a-z]+)")

# update_entity_lag u8
_FUNCTION = re.compile(r"(?P<function>[A-Za-z_][\w.]{0,99}) (?P<type>[us](?:8|16|32|64))")

# ffffffff813b3830 t update_entity_lag
# ffffffff813b3830 t update_entity_lag.isra.0
_SYMBOL = re.compile(r"[0-9a-f]{8,16} [A-Za-z] (?P<symbol>[\w.]+)(?:\t\[\w+\])?")

# r:vlag/returned update_entity_lag ret=$retval:u8
# r16:vlag/returned update_entity_lag ret=$retval:u8
_DEFINITION = re.compile(r"r\d*:vlag/returned (?P<function>\S+) ret=\$retval:(?P<type>\w+)")

#   returned                                               12345               0
_PROFILE = re.compile(r" +returned +(?P<calls>\d{1,18}) +(?P<missed>\d{1,18})")

# # entries-in-buffer/entries-written: 67/67   #P:2
_WRITTEN = re.compile(
    r"# entries-in-buffer/entries-written: (?P<kept>\d{1,18})/(?P<written>\d{1,18}) +#P:\d+"
)

_ORDER = ("function", "kallsyms", "definition", "profile", "trace", "end")


def _sections(read: Sequence[Line]) -> dict[str, list[Line]]:
    """Return the lines of each section; raise unless all are there, in order."""
    sections: dict[str, list[Line]] = {}
    current: list[Line] = []
    for line in read:
        match = _SECTION.fullmatch(line.text)
        if match is None:
            current.append(line)
            continue
        if len(sections) == len(_ORDER) or match["name"] != _ORDER[len(sections)]:
            raise line.refuse(f"the section '{match['name']}' appears instead of the expected one")
        current = sections[match["name"]] = []
    if len(sections) < len(_ORDER):
        raise read[-1].refuse(
            f"the output is cut off: the section '{_ORDER[len(sections)]}' is missing"
        )
    return sections


def _only(
    section: Sequence[Line], pattern: re.Pattern[str], what: str, path: str, end: int
) -> re.Match[str]:
    """Return the section's one line."""
    text = [line for line in section if line.text.strip()]
    match = pattern.fullmatch(text[0].text) if len(text) == 1 else None
    if match is None:
        shown = f": '{text[0].text.strip()[:80]}'" if text else ""
        raise ParseError(f"{what}{shown}", path=path, line=text[0].number if text else end)
    return match


def _check_symbol(section: Sequence[Line], function: str, path: str, end: int) -> None:
    """Raise if the kernel has no such function for a probe."""
    symbols = [m["symbol"] for m in (_SYMBOL.fullmatch(line.text) for line in section) if m]
    if function in symbols:
        return
    others = f"; it only has {', '.join(symbols)}, which may return nothing" if symbols else ""
    raise ParseError(
        f"{function} cannot be counted: the compiler inlined it away or the kernel has none"
        f"{others}",
        path=path,
        line=section[0].number if section else end,
    )


def recognise(data: bytes) -> bool:
    """Return whether this looks like the counts of a return probe."""
    return re.search(rb"^== function\r?\n[\w.]+ [us]\d+\r?\n== kallsyms", data, re.M) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how often a kernel function was called and returned another value than 0.

    Samples: `calls` and `returned-nonzero` as counts, their share in %, and `missed`,
    calls whose return the kernel could not follow and that are in no other count.  Calls
    from where the compiler inlined the function are in none at all.  `benchmark` names
    the function, `defaults` the `type` of its return value.

    Raises ParseError for a function that is not there to be probed or was never called,
    for a probe that was refused, and for output that is cut off or contradicts itself.
    """
    read = lines(data, path)
    end = read[-1].number
    sections = _sections(read)
    asked = _only(sections["function"], _FUNCTION, "no function is named", path, end)
    _check_symbol(sections["kallsyms"], asked["function"], path, end)
    definition = _only(
        sections["definition"], _DEFINITION, "the kernel did not take the probe", path, end
    )
    if (definition["function"], definition["type"]) != (asked["function"], asked["type"]):
        raise sections["definition"][0].refuse(
            f"the probe is on {definition['function']}, not on {asked['function']}"
        )
    profile = _only(sections["profile"], _PROFILE, "the probe's counts are missing", path, end)
    trace = _only(sections["trace"], _WRITTEN, "the trace's counts are missing", path, end)
    calls, missed = int(profile["calls"]), int(profile["missed"])
    written = int(trace["written"])
    if calls == 0:
        raise sections["profile"][0].refuse(
            f"{asked['function']} was never called; it may be inlined where it is used"
        )
    if int(trace["kept"]) > written or written > calls:
        raise sections["trace"][0].refuse(
            f"{written} returns with another value than 0 cannot be among {calls} calls"
        )
    values = {
        "returned-nonzero-share": 100 * written / calls,
        "returned-nonzero": float(written),
        "calls": float(calls),
        "missed": float(missed),
    }
    return ParsedOutput(
        tool=TOOL,
        benchmark=f"{TOOL} {asked['function']}",
        tool_version=None,
        defaults={"type": asked["type"]},
        samples=tuple(
            Sample(metric=metric, values=(value,), instances=("",))
            for metric, value in values.items()
        ),
        histograms=(),
    )
