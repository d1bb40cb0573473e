# SPDX-License-Identifier: GPL-2.0-only
"""Text as a terminal, a mail or a page may show it: of others, and times.

Pushers, patch authors and boards choose names, subjects and lines of consoles.  A control
character in them moves the cursor, hides or reorders what stands beside it, or begins a line that
looks like ours.
"""

from __future__ import annotations

from datetime import UTC, datetime


def flat(text: str) -> str:
    """Return a text with a space for each character that does not print, ends of lines too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text)


def line(text: str) -> str:
    """Return a text as one line, with single spaces."""
    return " ".join(flat(text).split())


def block(text: str) -> str:
    """Return a text of several lines; only their ends and tabs are left of what does not print."""
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(flat, line.split("\t"))) for line in text.split("\n"))


def minute(at: datetime) -> str:
    """Return a time as text."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
