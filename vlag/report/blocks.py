# SPDX-License-Identifier: GPL-2.0-only
"""Texts made of blocks, as plain text and as HTML.

Both are made of the same blocks, so they have the same content.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable
from typing import TypeAlias

from attrs import frozen

from vlag import printable
from vlag.printable import line
from vlag.report.colours import INK, PAPER
from vlag.report.layout import WIDTH, page


@frozen(kw_only=True)
class Heading:
    """A heading; `level` 1 is the mail's."""

    level: int
    text: str


@frozen(kw_only=True)
class Paragraph:
    """One or two sentences, with an optional link."""

    text: str
    url: str | None = None


@frozen(kw_only=True)
class Item:
    """A line of a list."""

    text: str
    url: str | None = None


@frozen(kw_only=True)
class Figure:
    """One changed figure; texts ready for display."""

    what: str
    change: str
    interval: str
    n: str
    standing: str
    comparison: int
    url: str
    note: str = ""
    brief: bool = False  # its change alone, in one line


@frozen(kw_only=True)
class Figures:
    """Figures of one kind under a heading."""

    title: str
    colour: str
    rows: tuple[Figure, ...]


@frozen(kw_only=True)
class Items:
    """A list under a heading, which may be empty."""

    title: str
    items: tuple[Item, ...]


@frozen(kw_only=True)
class Verbatim:
    """Preformatted lines."""

    text: str


Block: TypeAlias = Heading | Paragraph | Figures | Items | Verbatim


# The text.


def as_text(blocks: Iterable[Block]) -> str:
    """Return blocks as text; only a URL, alone on its line, may be wider than `WIDTH`."""
    lines: list[str] = []
    for block in blocks:
        written = _text_of(block)
        if written:
            lines += ["", *written] if lines else written
    return page(lines)


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )


def _text_of(block: Block) -> list[str]:
    if isinstance(block, Heading):
        lines = _wrap(block.text)
        mark = {1: "=", 2: "="}.get(block.level, "-")
        return [*lines, mark * max(map(len, lines), default=0)]
    if isinstance(block, Paragraph):
        return [*_wrap(block.text), *([block.url] if block.url else [])]
    if isinstance(block, Verbatim):
        return [
            part
            for line in block.text.splitlines()
            for part in (_wrap(line) if len(line) > WIDTH and " " in line.strip() else [line])
        ]
    if isinstance(block, Items):
        lines = [
            part
            for item in block.items
            for part in (
                *_wrap(item.text, "  ", "    "),
                *([f"    {item.url}"] if item.url else []),
            )
        ]
        return _titled(block.title, lines)
    return _titled(block.title, [part for f in block.rows for part in _text_of_figure(f)])


def _titled(title: str, lines: list[str]) -> list[str]:
    return [*_wrap(title), *lines] if lines else []


def _text_of_figure(f: Figure) -> list[str]:
    if f.brief:
        return _wrap(f"{f.what} {f.change}, #{f.comparison}", "  ", "    ")
    return [
        *_wrap(f.what, "  ", "    "),
        *_wrap(
            ", ".join(filter(None, (f"{_numbers(f)}, #{f.comparison}", f.note))), *("    ",) * 2
        ),
    ]


def _numbers(f: Figure) -> str:
    return f"{f.change}, {f.interval}, n {f.n}, {f.standing}"


# The HTML: only inline styles, as mail readers drop all others, and no external resources.

_BODY = (
    f"font-family:sans-serif;font-size:14px;line-height:1.4;color:{INK};background:{PAPER};"
    "max-width:50em;margin:1em;overflow-wrap:anywhere"
)


def as_html(title: str, blocks: Iterable[Block]) -> str:
    """Return blocks as an HTML document without external resources."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{_escape(title)}</title></head>",
        f'<body style="{_BODY}">',
    ]
    for block in blocks:
        lines += _html_of(block)
    return "\n".join([*lines, "</body></html>"]) + "\n"


def _escape(text: str) -> str:
    return html.escape(line(text))


def _link(text: str, url: str | None) -> str:
    if url is None:
        return _escape(text)
    return f'<a href="{html.escape(url)}">{_escape(text)}</a>'


def _linked(text: str) -> str:
    """Return preformatted lines, those that are an address as links."""
    return "\n".join(
        f"{line[: len(line) - len(word)]}{_link(word, word)}"
        if (word := line.strip()).startswith(("https://", "http://")) and " " not in word
        else html.escape(line)
        for line in text.split("\n")
    )


def _html_of(block: Block) -> list[str]:
    if isinstance(block, Heading):
        return [f"<h{block.level}>{_escape(block.text)}</h{block.level}>"]
    if isinstance(block, Paragraph):
        return [f"<p>{_link(block.text, block.url)}</p>"]
    if isinstance(block, Verbatim):
        return [f'<pre style="white-space:pre-wrap">{_linked(printable.block(block.text))}</pre>']
    if isinstance(block, Items):
        lines = [f"<li>{_link(item.text, item.url)}</li>" for item in block.items]
        title = [f"<h3>{_escape(block.title)}</h3>"] if block.title else []
        return [*title, "<ul>", *lines, "</ul>"] if lines else []
    return _html_of_figures(block) if block.rows else []


def _html_of_figures(block: Figures) -> list[str]:
    """Return a list, not a table: its columns would not fit a phone."""
    lines = [
        f'<h3 style="border-left:8px solid {block.colour};padding-left:8px">'
        f"{_escape(block.title)}</h3>",
        "<ul>",
    ]
    for f in block.rows:
        if f.brief:
            number = _link(f"#{f.comparison}", f.url)
            lines.append(f"<li><b>{_escape(f.what)}</b> {_escape(f.change)}, {number}</li>")
            continue
        lines += [
            f"<li><b>{_escape(f.what)}</b><br>",
            f"{_escape(_numbers(f))}, {_link(f'#{f.comparison}', f.url)}"
            f"{'<br>' + _escape(f.note) if f.note else ''}</li>",
        ]
    return [*lines, "</ul>"]
