# SPDX-License-Identifier: GPL-2.0-only
"""Text of boards and builds takes time in proportion to its length, whatever it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from tests.fuzz.properties import OTHERS, captures, check
from vlag.kernel import diagnostics
from vlag.lava import console, kernel_alarms
from vlag.parsers import PARSERS

#: Beginnings of what patterns look for, again and again in one line, without their ends.
NASTY = [
    "INFO: task ", "INFO: task a blocked for more than 1", "WARNING: ", "WARNING: a.c:", "BUG: ",
    "Marking clocksource '", "Marking clocksource a", "NOHZ tick-stop error: ", "INFO: rcu",
    ": 0123456789abcdef ", ": abcd [#1", "general protection fault", "@vlag:",
    "@vlag:a",
    "@vlag:file a 1 ", "---[ cut here ", "---[ end", "0", "a:", "a:1:", ": error: ",
    "make[1", "\t ",
    "ld: a: ", "Kconfig:", "a.o: ", "\x1b[", "\n", "'", "WARNING: possible ",
]  # fmt: skip
#: Characters: a pattern that is not linear takes more than a second for these.
SIZE = 1 << 16
#: Seconds of CPU that a reader may take for them; it takes some milliseconds.
MOST_S = 0.25

T = TypeVar("T", str, bytes)


def of_alarms(text: str) -> None:
    kernel_alarms._kind(text)
    kernel_alarms.Splats().line(1, text, "boot")


def of_console(text: str) -> None:
    console.read([text, f"@vlag:{text}", f"@vlag:data {text}", f"@vlag:file {text}"])


def of_build(text: str) -> None:
    diagnostics.Reader(Path("/source")).line(text)


def cpu_s(read: Callable[[T], object], text: T) -> float:
    """Return the least time of this thread, tried again where it is long: caches are shared."""
    least = 1e9
    for _ in range(3):
        begun = time.thread_time()
        read(text)
        least = min(least, time.thread_time() - begun)
        if least < MOST_S:
            break
    return least


@pytest.mark.parametrize("read", [of_alarms, of_console, of_build])
def test_no_line_takes_more_than_its_length(read: Callable[[str], None]) -> None:
    slow = {seed: took for seed in NASTY for end in ("", "\0")
            if (took := cpu_s(read, seed * (SIZE // len(seed)) + end)) > MOST_S}  # fmt: skip
    assert slow == {}


#: Words, numbers, gaps and signs, of which a line is made.
PIECE = re.compile(rb"\d+|[A-Za-z_]+|[ \t]+|[^\w\s]+")
#: Characters of a line of a tool, of which there are many.
SIZE_OF_TOOLS = 1 << 15


def pumped(capture: bytes) -> Iterator[bytes]:
    """Yield a capture with each kind of its lines made long by one of its pieces, repeated."""
    lines = capture.split(b"\n")
    kinds = {re.sub(rb"\d+", b"0", line): n for n, line in enumerate(lines)}
    for n in list(kinds.values())[:30]:
        line = lines[n]
        pieces = [piece.span() for piece in PIECE.finditer(line)][:12]
        for start, end in [*pieces, *((a[0], b[1]) for a, b in pairwise(pieces))]:
            piece = line[start:end]
            long = line[:start] + piece * (SIZE_OF_TOOLS // len(piece)) + line[end:]
            yield b"\n".join([*lines[:n], long, *lines[n + 1 :]])


@pytest.mark.slow
@pytest.mark.parametrize("tool", [*sorted(PARSERS), *OTHERS])
def test_no_line_of_a_tool_takes_more_than_its_length(tool: str) -> None:
    known = sorted((p.read_bytes() for p in captures(tool)), key=len)
    sound = [data for data in known if len(data) < SIZE_OF_TOOLS and check(tool, data)]
    slow = [data[:200] for data in pumped(sound[len(sound) // 2])
            if cpu_s(lambda data: check(tool, data), data) > MOST_S]  # fmt: skip
    assert slow == []


def test_a_pattern_that_is_not_linear_is_seen() -> None:
    """Negative control: as the pattern for hung tasks was."""
    old = re.compile(r"INFO: task .* blocked (in I/O wait )?for more than \d+ seconds")
    begun = time.thread_time()
    old.search(NASTY[0] * (SIZE // len(NASTY[0])))
    assert time.thread_time() - begun > MOST_S


def test_alarms_in_a_long_line_are_found_at_its_end() -> None:
    noise = "INFO: task " * 1000
    for line, kind in (("Kernel panic - not syncing: x", "panic"),
                       ("INFO: task a:1 blocked for more than 120 seconds", "hung_task"),
                       ("WARNING: CPU: 1 PID: 3 at kernel/a.c:1", "warning"),
                       ("WARNING: a.c:12", "warning")):  # fmt: skip
        assert kernel_alarms._kind(noise + line) == kind
