"""Readers of the tools' raw output: bytes in, numbers out, no clock and no files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import cyclictest, hackbench, stress_ng


class Parser(Protocol):
    """What each module of this package offers as `parse`."""

    def __call__(self, data: bytes, *, path: str) -> ParsedOutput:
        """Return what the raw file `data` says; `path` is only named in errors."""


PARSERS: Mapping[str, Parser] = {
    "cyclictest": cyclictest.parse,
    "hackbench": hackbench.parse,
    "stress-ng": stress_ng.parse,
}


def parse(tool: str, data: bytes, *, path: str) -> ParsedOutput:
    """Return what `tool` says in `data`, the whole content of one raw file.

    `path` is only named in errors.  The result holds at least one sample or one
    histogram; units are those of the tool, as the catalogue declares them.

    Raises ParseError where the tool has no parser and where the output is empty,
    cut off, contradicts itself or has an unknown layout.
    """
    parser = PARSERS.get(tool)
    if parser is None:
        known = ", ".join(sorted(PARSERS))
        raise ParseError(f"there is no parser for '{tool}'; known are: {known}", path=path)
    return parser(data, path=path)
