# SPDX-License-Identifier: GPL-2.0-only
"""Output that was quoted, indented, or written into a log with times."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.captures import figures, parsed, read
from vlag.errors import ParseError
from vlag.parsers import parse, recognise

NAMES = (
    "stress-ng/0.19.02-switch.txt",
    "hackbench/2.4-pipe.txt",
    "pi_stress/2.4-text.txt",
    "sysbench/1.0.20-cpu.txt",
    "schbench/git-text.txt",
    "perf-bench/6.1-messaging.txt",
)


def each(before: Callable[[int], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(
        f"{before(n)}{line}" for n, line in enumerate(text.split("\n")[:-1], 1)
    )


WAYS = {
    "quoted": each(lambda _n: "> "),
    "quoted twice": each(lambda _n: "> > "),
    "indented": each(lambda _n: "    "),
    "CI log": each(lambda n: f"2026-11-21T10:00:{n % 60:02}.123456Z "),
    "CI log in brackets": each(lambda n: f"[2026-11-21T10:00:{n % 60:02}.123Z] "),
    "journal": each(lambda n: f"Nov 21 10:00:{n % 60:02} host tool[6575]: "),
    "journal with ISO times": each(lambda n: f"2026-11-21T10:00:{n % 60:02}+0000 host tool[7]: "),
    "kernel log": each(lambda n: f"user  :notice: [  109.{n:06}] "),
    "quoted CI log": each(lambda n: f"> 2026-11-21T10:00:{n % 60:02}Z "),
    "coloured": each(lambda _n: "\x1b[32m"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_read_as_what_the_tool_printed(name: str, way: str) -> None:
    tool, data = read(name)
    text = data.decode()
    made = (WAYS[way](text) + "\n").encode()
    assert recognise(made, path="raw") == tool
    output = parse(tool, made, path="raw")
    assert figures(output) == figures(parsed(name))
    said = ("read without what stands before its lines",) if way != "coloured" else ()
    assert output.notes == said


def test_lines_of_others_around_a_quote_are_no_part_of_it() -> None:
    _, data = read(NAMES[0])
    quote = WAYS["quoted"](data.decode())
    mail = f"On Monday somebody wrote:\n\n{quote}\n\nThat is slow.\n"
    assert figures(parse("stress-ng", mail.encode(), path="raw")) == figures(parsed(NAMES[0]))


def test_lines_of_the_kernel_between_them_are_dropped() -> None:
    _, data = read(NAMES[0])
    log = WAYS["kernel log"](data.decode()).replace("\n", "\nkern  :info  : [  109.5] foo: bar\n")
    assert figures(parse("stress-ng", log.encode(), path="raw")) == figures(parsed(NAMES[0]))


def test_a_line_keeps_its_number_in_an_error() -> None:
    _, data = read("hackbench/2.4-pipe.txt")
    mail = "Hello,\n" + WAYS["quoted"](data.decode().replace("Time: 0.142", "Time: broken"))
    with pytest.raises(ParseError, match=r"^raw:5: 'Time: broken' is cut off"):
        parse("hackbench", mail.encode(), path="raw")


def test_prose_is_no_output() -> None:
    """Negative control: what nobody can recognise stays refused as it is."""
    with pytest.raises(ParseError, match="looks like no tool's"):
        recognise(b"> The time was 12 s.\n> It was slow.\n", path="raw")
