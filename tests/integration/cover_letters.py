# SPDX-License-Identifier: GPL-2.0-only
"""Tables for cover letters as they must be, in one file for a person to judge."""

from __future__ import annotations

import re

from vlag import ROOT

_GOLDEN = ROOT / "tests" / "data" / "cover_letters.txt"
_HEAD = re.compile(r"^%%% (.+)\n", re.MULTILINE)
#: What only an installation knows: paths, commands, comparisons by number, names of files.
_PRIVATE = re.compile(
    r"(?<![\w/])/[a-z]+/\S*|\bvlag \w+|comparison \d+|\S+\.patch\b|(?:solo|prefix)\("
)


def golden(name: str) -> str:
    """Return the table of a case."""
    _, *parts = _HEAD.split(_GOLDEN.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))[name]


def private(text: str) -> list[str]:
    """Return what a text has that a list has no use for."""
    return _PRIVATE.findall(text)
