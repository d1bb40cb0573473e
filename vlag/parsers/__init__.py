# SPDX-License-Identifier: GPL-2.0-only
"""Readers of the tools' raw output: bytes in, numbers out, no clock and no files."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, cast

from attrs import evolve

from vlag.errors import ParseError
from vlag.model import ParsedOutput, Quantity
from vlag.parsers import pasted, settings, versions
from vlag.parsers.lines import without_noise
from vlag.parsers.settings import Setting

# As much of a file as is looked at where a console's noise may hide whose it is.
_HEAD = 1 << 20


class Parser(Protocol):
    """What each module of this package that reads a tool's output offers."""

    TOOL: str
    QUANTITIES: Mapping[str, Quantity]  # metric that the tool may give -> what it is
    DEFAULTS: Sequence[str]  # names of the `defaults` that its output may give
    SETTINGS: Mapping[str, Setting]  # that its output may tell beside the `defaults`

    def recognise(self, data: bytes) -> bool:
        """Return whether `data` looks like the tool's output; never raises."""

    def parse(self, data: bytes, *, path: str) -> ParsedOutput:
        """Return what the raw file `data` says; `path` is only named in errors."""


def _found() -> Iterator[Parser]:
    """Yield the modules of this package that name a `TOOL`; the others are parts of these."""
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        module = importlib.import_module(f"{__name__}.{name}")
        if hasattr(module, "TOOL"):
            yield cast("Parser", module)


#: Tool -> its parser, in the order of the modules' names.
PARSERS: Mapping[str, Parser] = {parser.TOOL: parser for parser in _found()}


def parse(tool: str, data: bytes, *, path: str, told: bool = True) -> ParsedOutput:
    """Return what `tool` says in `data`, the whole content of one raw file.

    `path` is only named in errors.  An output that is quoted, indented or in a log with times is
    read without what stands before its lines; a note says so, as of a version that was not tried.
    The result holds at least one sample or one histogram; units are those of the parser's
    `QUANTITIES`.

    Without `told` the `settings` are left out: to look for them in a large histogram takes longer
    than to read it, and who has run.json knows them.

    Raises ParseError where the tool has no parser and where the output is empty,
    cut off, contradicts itself or has an unknown layout.
    """
    parser = PARSERS.get(tool)
    if parser is None:
        known = ", ".join(sorted(PARSERS))
        raise ParseError(f"there is no parser for '{tool}'; known are: {known}", path=path)
    own = data if _recognises(parser, data) else pasted.unwrapped(data, parser.recognise)
    parsed = parser.parse(own, path=path)
    pasted_note = None if own is data else "read without what stands before its lines"
    found = (pasted_note, versions.note(tool, parsed.tool_version))
    notes = tuple(note for note in found if note is not None)
    return evolve(
        parsed,
        settings=settings.printed(parser.SETTINGS, own) if told else {},
        notes=(*parsed.notes, *notes),
    )


def _recognises(parser: Parser, data: bytes) -> bool:
    return parser.recognise(data) or parser.recognise(without_noise(data[:_HEAD]))


def recognise(data: bytes, *, path: str) -> str:
    """Return the tool whose output `data` is.

    Raises ParseError where it looks like no tool's output, or like that of several.
    """
    tools = _whose(data)
    if not tools:
        tools = _whose(without_noise(data[:_HEAD]))
    if not tools:
        tools = _whose(pasted.unwrapped(data[:_HEAD], lambda text: bool(_whose(text))))
    if len(tools) != 1:
        what = f"that of {' and of '.join(tools)}" if tools else "no tool's"
        known = ", ".join(sorted(PARSERS))
        raise ParseError(
            f"the output looks like {what}; name the tool with --tool ({known})", path=path
        )
    return tools[0]


def _whose(data: bytes) -> list[str]:
    return [tool for tool, parser in PARSERS.items() if parser.recognise(data)]
