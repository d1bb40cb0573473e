# SPDX-License-Identifier: GPL-2.0-only
"""What a page consists of, for the tests of reports and plots."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "link", "img", "hr", "input", "source", "wbr"}


class Page(HTMLParser):
    """Reads HTML or SVG; raises ValueError for a tag that is not closed where it must be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None
        self.feed(text)
        self.close()
        if self.open:
            raise ValueError(f"not closed: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            raise ValueError(f"</{tag}> where {self.open[-3:]} are open")
        self.open.pop()
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._cell is not None:
            self._cell.append(data)

    @property
    def text(self) -> str:
        """All words, with single spaces."""
        return " ".join("".join(self.words).split())

    def of(self, tag: str) -> list[dict[str, str]]:
        """Attributes of all elements of a name."""
        return [attrs for name, attrs in self.tags if name == tag]

    def loads(self) -> list[str]:
        """Return what a browser would fetch to show the page."""
        found = [a[k] for _, a in self.tags for k in ("src", "srcset", "data", "poster") if k in a]
        found += [a.get("href", "") for a in self.of("link")]
        found += [a["href"] for a in (*self.of("use"), *self.of("image")) if "href" in a]
        return [x for x in found if not x.startswith("#")]
