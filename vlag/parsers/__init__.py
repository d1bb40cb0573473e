"""Readers of the tools' raw output: bytes in, numbers out, no clock and no files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from vlag.errors import ParseError
from vlag.model import ParsedOutput, Quantity
from vlag.parsers import (
    cyclictest,
    ffmpeg,
    hackbench,
    hammerdb,
    iperf3,
    oslat,
    perf_bench,
    perf_c2c,
    perf_stat,
    pi_stress,
    return_probe,
    rt_tests_pairs,
    schbench,
    signaltest,
    stress_ng,
    sysbench,
    uperf,
    wakeup_trace,
)
from vlag.parsers.text import without_noise

# As much of a file as is looked at where a console's noise may hide whose it is.
_HEAD = 1 << 20


class Parser(Protocol):
    """What each module of this package that reads a tool's output offers."""

    TOOL: str
    QUANTITIES: Mapping[str, Quantity]  # metric that the tool may give -> what it is

    def recognise(self, data: bytes) -> bool:
        """Return whether `data` looks like the tool's output; never raises."""

    def parse(self, data: bytes, *, path: str) -> ParsedOutput:
        """Return what the raw file `data` says; `path` is only named in errors."""


_MODULES: tuple[Parser, ...] = (
    cyclictest,
    ffmpeg,
    hackbench,
    hammerdb,
    iperf3,
    oslat,
    perf_bench,
    perf_c2c,
    perf_stat,
    pi_stress,
    return_probe,
    rt_tests_pairs,
    schbench,
    signaltest,
    stress_ng,
    sysbench,
    uperf,
    wakeup_trace,
)

PARSERS: Mapping[str, Parser] = {module.TOOL: module for module in _MODULES}


def parse(tool: str, data: bytes, *, path: str) -> ParsedOutput:
    """Return what `tool` says in `data`, the whole content of one raw file.

    `path` is only named in errors.  The result holds at least one sample or one
    histogram; units are those of the parser's `QUANTITIES`.

    Raises ParseError where the tool has no parser and where the output is empty,
    cut off, contradicts itself or has an unknown layout.
    """
    parser = PARSERS.get(tool)
    if parser is None:
        known = ", ".join(sorted(PARSERS))
        raise ParseError(f"there is no parser for '{tool}'; known are: {known}", path=path)
    return parser.parse(data, path=path)


def recognise(data: bytes, *, path: str) -> str:
    """Return the tool whose output `data` is.

    Raises ParseError where it looks like no tool's output, or like that of several.
    """
    found = [tool for tool, parser in PARSERS.items() if parser.recognise(data)]
    if not found:
        head = without_noise(data[:_HEAD])
        found = [tool for tool, parser in PARSERS.items() if parser.recognise(head)]
    if len(found) != 1:
        what = f"that of {' and of '.join(found)}" if found else "no tool's"
        known = ", ".join(sorted(PARSERS))
        raise ParseError(
            f"the output looks like {what}; name the tool with --tool ({known})", path=path
        )
    return found[0]
