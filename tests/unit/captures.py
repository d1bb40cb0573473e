# SPDX-License-Identifier: GPL-2.0-only
"""The tools' raw captures, and what tests do to them.

A capture's name is its path below `DATA`; the folder is named after the tool.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.fuzz.properties import CAPTURES as DATA
from tests.fuzz.properties import EXPECTED
from tests.fuzz.properties import captures as captures_of
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse

CAPTURES = [p for folder in sorted(DATA.iterdir()) for p in captures_of(folder.name)]

#: What the kernel prints to the same console.
KERNEL = b"[    3.141592] random: crng init done"


def expected(capture: Path) -> Any:
    """Return what the capture must give, or under "refused" why it must be refused."""
    return json.loads(capture.with_name(capture.stem + EXPECTED).read_text())


def plain(output: ParsedOutput) -> Any:
    """Return what stands in an expectation file; numbers in arrays as lists."""
    said = json.loads(json.dumps(attrs.asdict(output), default=lambda table: table.tolist()))
    if output.operations is None:  # most tools do not say
        del said["operations"]
    for name in ("settings", "notes"):  # most outputs have none
        if not said[name]:
            del said[name]
    return said


def read(name: str) -> tuple[str, bytes]:
    """Return a capture's tool and bytes."""
    return name.partition("/")[0], (DATA / name).read_bytes()


def lines(name: str) -> list[bytes]:
    """Return a capture's lines, each with its end."""
    return read(name)[1].splitlines(keepends=True)


def parsed(name: str) -> ParsedOutput:
    """Return what a capture gives."""
    tool, data = read(name)
    return parse(tool, data, path=name)


def replaced(data: bytes, old: str, new: str, count: int = 1) -> bytes:
    """Return the bytes with `old` replaced by `new`; `old` must be in them."""
    assert old.encode() in data, old
    return data.replace(old.encode(), new.encode(), count)


def bend(name: str, old: str, new: str, count: int = 1) -> ParsedOutput:
    """Parse a capture with `old` replaced by `new`; `old` must be in it."""
    tool, data = read(name)
    return parse(tool, replaced(data, old, new, count), path="bent")


def refused(name: str, old: str, new: str, count: int = 1) -> str:
    """Return why a capture with `old` replaced by `new` is refused."""
    with pytest.raises(ParseError) as caught:
        bend(name, old, new, count)
    return str(caught.value)


def cuts(data: bytes, step: int = 1) -> Iterator[bytes]:
    """Yield what is there when the output is cut off, at every `step` bytes."""
    return (data[:end] for end in range(0, len(data), step))


def less_each_line(data: bytes) -> list[bytes]:
    """Return the bytes without their first line, without their second one, and so on."""
    rows = data.splitlines(keepends=True)
    return [b"".join(rows[:k] + rows[k + 1 :]) for k in range(len(rows))]


def each_line_twice(data: bytes) -> list[bytes]:
    """Return the bytes with their first line doubled, with their second one, and so on."""
    rows = data.splitlines(keepends=True)
    return [b"".join(rows[: k + 1] + rows[k:]) for k in range(len(rows))]


def figures(output: ParsedOutput) -> ParsedOutput:
    """Return what an output gives without the settings that it prints, and without notes."""
    return attrs.evolve(output, settings={}, notes=())


def _same(one: ParsedOutput, other: ParsedOutput) -> bool:
    return figures(one) == figures(other)


def refusals(
    name: str,
    copies: Iterable[bytes],
    same: Callable[[ParsedOutput, ParsedOutput], bool] = _same,
) -> list[bool]:
    """Return of each bent copy of a capture whether it is refused.

    Fails where another copy does not give the `same` as the capture, and where a parser
    raises anything but a ParseError that names the file.
    """
    tool = name.partition("/")[0]
    full = parsed(name)
    found = []
    for k, copy in enumerate(copies):
        try:
            output = parse(tool, copy, path="raw")
        except ParseError as error:
            wrong = None if str(error).startswith("raw:") else f"names no file: {error}"
            found.append(True)
        else:
            wrong = None if same(output, full) else "gives other figures"
            found.append(False)
        assert wrong is None, f"copy {k} of {name} {wrong}"
    return found


def damage_refused(name: str, rounds: int, *, most: int = 4, seed: int = 1) -> int:
    """Return how often a capture is refused of which up to `most` bytes were overwritten.

    Fails where a parser raises anything but a ParseError, or names another tool.
    """

    def copies() -> Iterator[bytes]:
        data = read(name)[1]
        rng = random.Random(seed)
        for _ in range(rounds):
            damaged = bytearray(data)
            for _ in range(rng.randint(1, most)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            yield bytes(damaged)

    return sum(refusals(name, copies(), same=lambda one, two: one.tool == two.tool))
