"""Text of boards and builds takes time in proportion to its length, whatever it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from vlag.kernel import diagnostics
from vlag.lava import console, kernel_alarms

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


def of_alarms(text: str) -> None:
    kernel_alarms._kind(text)
    kernel_alarms.Splats().line(1, text, "boot")


def of_console(text: str) -> None:
    console.read([text, f"@vlag:{text}", f"@vlag:data {text}", f"@vlag:file {text}"])


def of_build(text: str) -> None:
    diagnostics.Reader(Path("/source")).line(text)


def cpu_s(read: Callable[[str], object], text: str) -> float:
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
