# SPDX-License-Identifier: GPL-2.0-only
"""`python -m release.parser_settings`: write the table of what each tool's output may tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from vlag import ROOT
from vlag.parsers import PARSERS, Parser

PAGE = ROOT / "docs" / "benchmarks.md"
_HEAD = "| tool | its output may tell |\n|---|---|\n"
_TABLE = re.compile(rf"{re.escape(_HEAD)}(?:\|.*\n)*")


def names(parser: Parser) -> list[str]:
    """Return the settings that a parser declares, as a person reads them."""
    return sorted({name.replace("_", " ") for name in (*parser.DEFAULTS, *parser.SETTINGS)})


def table(parsers: Mapping[str, Parser]) -> str:
    """Return the table: a row for each tool."""
    rows = (f"| {tool} | {', '.join(names(p)) or 'nothing'} |\n" for tool, p in parsers.items())
    return _HEAD + "".join(sorted(rows))


def text(page: str, parsers: Mapping[str, Parser]) -> str:
    """Return a page with that table in the place of its own; ValueError where it has not one."""
    made, found = _TABLE.subn(lambda _: table(parsers), page)
    if found != 1:
        raise ValueError(f"the page has {found} tables of what outputs tell, where one is expected")
    return made


def write(page: Path = PAGE) -> None:
    """Write the table into the page."""
    page.write_text(text(page.read_text(encoding="utf-8"), PARSERS), encoding="utf-8")


if __name__ == "__main__":
    write()
