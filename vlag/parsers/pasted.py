# SPDX-License-Identifier: GPL-2.0-only
"""A tool's output as others wrote it down: quoted in a mail, in a log with times, indented."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

# What stands before each line of the output.
_PREFIXES = (
    # > stress-ng: info:  [6575] dispatching hogs: 4 switch
    re.compile(r"(?:> ?)+"),
    # 2026-11-21T10:00:01.123456Z stress-ng: info: ...
    # [2026-11-21T10:00:01.123Z] stress-ng: info: ...
    re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? "),
    # Nov 21 10:00:01 host stress-ng[6575]: stress-ng: info: ...
    # 2026-11-21T10:00:01+0000 host stress-ng[6575]: stress-ng: info: ...
    re.compile(
        r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) \S+"
        r" [^\s:\[]+(?:\[\d+\])?: "
    ),
    # user  :notice: [  109.859851] stress-ng: info: ...
    re.compile(r"(?:user|daemon|local\d) *: ?\w+ *: \[ *\d+\.\d+\] "),
)

Recognise = Callable[[bytes], bool]


def unwrapped(data: bytes, recognise: Recognise) -> bytes:
    """Return an output as the tool printed it, if it can be recognised so; else as it is.

    Lines keep their numbers: what is not the output's becomes an empty line.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    for candidate in _candidates(text):
        if recognise(candidate.encode()):
            return candidate.encode()
    return data


def without_common(text: str) -> str | None:
    """Return a text without the one kind of prefix that each of its lines has, else None.

    Empty lines need none.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    for prefix in _PREFIXES:
        if lines and all(prefix.match(line) for line in lines):
            return _without(prefix, text)
    return None


def _candidates(text: str, depth: int = 3) -> Iterator[str]:
    """Yield a text without one kind of prefix, then without several."""
    if depth == 0:
        return
    stripped = [_without(prefix, text) for prefix in _PREFIXES]
    made = [s for s in (*stripped, textwrap.dedent(text)) if s is not None and s != text]
    yield from made
    for candidate in made:
        yield from _candidates(candidate, depth - 1)


def _without(prefix: re.Pattern[str], text: str) -> str | None:
    """Return the lines that have a prefix without it; None where none has it."""
    matches = [(line, prefix.match(line)) for line in text.split("\n")]
    if not any(match for _, match in matches):
        return None
    return "\n".join("" if match is None else line[match.end() :] for line, match in matches)
