# SPDX-License-Identifier: GPL-2.0-only
"""Reader of ptsematest, svsematest, sigwaittest and pmqtest, rt-tests 2.4 to 2.6.

Each runs pairs of a waking and a woken thread, over a POSIX mutex, a System V semaphore,
a signal or a POSIX message queue, and all print in the same format.  The JSON file
is the better source: it names program and version, and its mean has two decimals where
the text has none (33.51 is printed as 34).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.model import ParsedOutput, Quantity
from vlag.parsers import rt_tests
from vlag.parsers.jsonfile import load
from vlag.parsers.lines import Line, lines
from vlag.parsers.settings import COMMAND_LINE, Setting

TOOL = "rt-tests-pairs"

QUANTITIES: Mapping[str, Quantity] = rt_tests.LATENCIES

DEFAULTS: Sequence[str] = ("interval_us", "priority")

SETTINGS: Mapping[str, Setting] = {"options": COMMAND_LINE}

_PROGRAMS = ("pmqtest", "ptsematest", "sigwaittest", "svsematest")
_QUEUE = "pmqtest"  # the only one that can run into a time-out, and says so
_TEXT_PROGRAMS = "ptsematest, sigwaittest or svsematest"  # their text is the same

# #0: ID15086, P80, CPU0, I1000; #1: ID15087, P80, CPU1, Cycles 1838
# #0: ID15113, P80, CPU0, I1000; #1: ID15114, P80, CPU1, TO 0, Cycles 898
_PAIR = re.compile(
    r"#(?P<receiver>\d{1,6}): ID\d{1,9}, P(?P<priority>\d{1,3}), CPU-?\d{1,6}, "
    r"I(?P<interval>\d{1,9}); #(?P<sender>\d{1,6}): ID\d{1,9}, P\d{1,3}, CPU-?\d{1,6}, "
    r"(?:TO (?P<timeouts>\d{1,9}), )?Cycles (?P<cycles>\d{1,12})",
    re.ASCII,
)
_PAIR_BYTES = re.compile(rb"^(?:\x1b\[\d*[AB])*#\d+: ID\d+, P\d+, CPU-?\d+, I\d+; #", re.M)

# #1 -> #0, Min    3, Cur   13, Avg   22, Max   90
_FIGURES = re.compile(
    r"#(?P<sender>\d{1,6}) -> #(?P<receiver>\d{1,6}), Min (?P<min>[ \d]{4,12}), "
    r"Cur [ \d]{4,12}, Avg (?P<avg>[ \d]{4,12}), Max (?P<max>[ \d]{4,12})",
    re.ASCII,
)


@frozen(kw_only=True)
class _Pair:
    """Figures of one pair of threads."""

    priority: int
    interval_us: int
    figures: tuple[float, float, float]  # minimum, mean and maximum in microseconds


def _parsed(pairs: Sequence[_Pair], benchmark: str, version: str | None) -> ParsedOutput:
    return ParsedOutput(
        tool=TOOL,
        benchmark=benchmark,
        tool_version=version,
        defaults={
            "priority": ",".join(str(pair.priority) for pair in pairs),
            "interval_us": ",".join(str(pair.interval_us) for pair in pairs),
        },
        samples=rt_tests.latency_samples([pair.figures for pair in pairs]),
        histograms=(),
    )


def _match(line: Line, pattern: re.Pattern[str], pair: int) -> re.Match[str]:
    """Return the line's fields for the pair that is expected there."""
    match = pattern.fullmatch(line.text)
    if match is None:
        raise line.refuse(f"'{line.text[:80]}' is cut off or of an unknown layout")
    if (int(match["receiver"]), int(match["sender"])) != (2 * pair, 2 * pair + 1):
        raise line.refuse(
            f"pair {pair} is expected here: a line is missing or appears twice;"
            " run the program with --quiet"
        )
    return match


def _pair(line: Line, below: Line, pair: int) -> tuple[_Pair, bool]:
    """Return what two lines say of a pair, and whether it passes messages."""
    head = _match(line, _PAIR, pair)
    if int(head["cycles"]) == 0:
        raise line.refuse(f"pair {pair} took no sample")
    if int(head["timeouts"] or 0) > 0:
        raise line.refuse(f"{head['timeouts']} waits of pair {pair} ran into the time-out")
    match = _match(below, _FIGURES, pair)
    words = [match[name].strip() for name in ("min", "avg", "max")]
    if not all(word.isdigit() for word in words) or not rt_tests.possible(*map(int, words)):
        raise below.refuse(
            f"pair {pair} has a minimum of {words[0]}, a mean of {words[1]} and a maximum of"
            f" {words[2]} us, which cannot be"
        )
    minimum, mean, maximum = map(float, words)
    figures = _Pair(
        priority=int(head["priority"]),
        interval_us=int(head["interval"]),
        figures=(minimum, mean, maximum),
    )
    return figures, head["timeouts"] is not None


def _text(data: bytes, path: str) -> ParsedOutput:
    own = lines(data, path)
    ended = rt_tests.ended(own, "the program")
    heads = [line for line in own if line.text.startswith("#")]
    half = len(heads) // 2
    # A transcript begins with the command and marks its end, the program does not.
    if not heads or len(heads) % 2 or not (ended or data.endswith(b"\n")):
        raise ParseError(
            "the output is cut off or holds no pair's figures",
            path=path,
            line=own[-1].number if own else None,
        )
    if not ended and own[0].text.startswith("$ "):
        raise own[-1].refuse("the output is cut off")
    pairs = [_pair(heads[k], heads[half + k], k) for k in range(half)]
    if len({queue for _, queue in pairs}) > 1:
        raise heads[0].refuse("the pairs are those of two programs")
    benchmark = _QUEUE if pairs[0][1] else _TEXT_PROGRAMS
    return _parsed([pair for pair, _ in pairs], benchmark, None)


def _json(data: bytes, path: str) -> ParsedOutput:
    file, whole = load(data, path=path, remedy="run the program with --json")
    cmdline, version = rt_tests.header(file, whole)
    program = cmdline.split()[0].rpartition("/")[2]
    if program not in _PROGRAMS:
        raise file.error(
            f"the program is '{program[:40]}'; this parser reads {', '.join(_PROGRAMS)}", "cmdline:"
        )
    pairs = []
    for k, thread in enumerate(rt_tests.threads(file, whole)):
        above = ("thread", str(k))
        sender = rt_tests.part(file, thread, "sender", *above)
        receiver = rt_tests.part(file, thread, "receiver", *above)
        if file.integer(sender, "samples", *above, "sender") == 0:
            raise file.error(f"pair {k} took no sample", *above, "sender", "samples")
        timeouts = (
            file.integer(receiver, "timeoutcount", *above, "receiver") if program == _QUEUE else 0
        )
        if timeouts:
            raise file.error(
                f"{timeouts} waits of pair {k} ran into the time-out",
                *above,
                "receiver",
                "timeoutcount",
            )
        pairs.append(
            _Pair(
                priority=file.integer(receiver, "priority", *above, "receiver"),
                interval_us=file.integer(sender, "interval", *above, "sender"),
                figures=rt_tests.figures(file, receiver, *above, "receiver"),
            )
        )
    return _parsed(pairs, program, version)


def recognise(data: bytes) -> bool:
    """Return whether this looks like the output of one of the four programs."""
    named = any(rt_tests.recognise(data, program) for program in _PROGRAMS)
    return named or _PAIR_BYTES.search(data) is not None


def parse(data: bytes, *, path: str) -> ParsedOutput:
    """Return how long each pair's woken thread waited.

    Samples `latency-min`, `latency-mean` and `latency-max` in microseconds, one value a
    pair.  `benchmark` is the program; the text of three of them is the same and names all
    three.  `defaults` holds `priority` and `interval_us`, one a pair, with commas.

    Raises ParseError for a run that failed or ran into a time-out, for text that is cut
    off or shows interim figures, for a pair without a sample and for figures that cannot be.
    """
    if data.lstrip().startswith(b"{"):
        return _json(data, path)
    return _text(data, path)
