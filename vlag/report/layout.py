# SPDX-License-Identifier: GPL-2.0-only
"""Lines of a plain text for a mailing list, at most 75 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from vlag import printable

WIDTH = 75  # leaves room for three levels of quoting on an 80-column terminal


def field(name: str, text: str) -> list[str]:
    """Return a line of a head, "name: text", folded at `WIDTH`."""
    return wrap(text, f"{name + ':' if name else '':<10}", " " * 10)


def wrap(text: str, first: str, rest: str) -> list[str]:
    """Return text as lines of at most `WIDTH`, indented by `first` and then by `rest`."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )


def page(lines: Iterable[str]) -> str:
    """Return the lines of a text, none of them more than a line, with a final newline."""
    return "\n".join(printable.flat(line).rstrip() for line in lines) + "\n"


def clip(text: str, width: int = WIDTH) -> str:
    """Return text as one line of at most `width`; "..." marks what is cut."""
    text = text.rstrip()
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."


def pairs(values: Mapping[str, Any]) -> str:
    """Return "a=1, b=2", or "none"."""
    return ", ".join(f"{k}={v}" for k, v in sorted(values.items())) or "none"


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return lines under an underlined title, or nothing for no lines."""
    lines = list(lines)
    return [title, "-" * len(title), *lines] if lines else []
