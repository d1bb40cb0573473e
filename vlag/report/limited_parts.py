# SPDX-License-Identifier: GPL-2.0-only
"""Parts of a report that must not be longer than so many lines."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from vlag.report.layout import clip

_NOTES = 3  # lines of notes at the head
_SOME = 8  # lines of a part that show what it is about


@frozen(kw_only=True)
class Part:
    """A title with its entries, each of one or more lines."""

    title: str
    items: Sequence[Sequence[str]]
    urgent: bool = False
    spare: bool = False  # left out of a report that is full without it
    most: int | None = None  # lines of entries, where there is room for more

    @property
    def whole(self) -> int:
        """The number of lines with all entries, at least 2."""
        return 2 + sum(map(len, self.items))

    @property
    def size(self) -> int:
        """The number of lines that it would fill, at least 2."""
        return self.whole if self.most is None else min(self.whole, 2 + self.most)

    def lines(self, room: int) -> list[str]:
        """Return an empty line, the title and the entries that `room` lines hold.

        The number of those left out follows; without room for one, nothing else.
        """
        lines, left = ["", self.title], list(self.items)
        if self.whole <= room:
            return [*lines, *(line for item in self.items for line in item)]
        while left and len(lines) + len(left[0]) < room:
            lines += left.pop(0)
        if len(left) == len(self.items):
            return ["", f"{self.title.partition('  ')[0]}: {len(left)}, all with --full"]
        return [*lines, f"    and {len(left)} more"]


def few(notes: Sequence[str]) -> list[str]:
    """Return the first lines of notes, the last one marked if there are more."""
    more = [clip(f"{notes[_NOTES - 1]} ...")] if len(notes) > _NOTES else notes[_NOTES - 1 : _NOTES]
    return [*notes[: _NOTES - 1], *more]


def fitted(head: list[str], parts: Sequence[Part], tail: list[str], limit: int) -> list[str]:
    """Return a report of at most `limit` lines.

    Urgent parts have room first, then some of each of the others; short ones before long.
    """
    shown = [p for p in parts if p.items]
    least = sum(2 if p.spare else min(p.size, _SOME) for p in shown)
    if len(head) + len(tail) + least > limit:
        shown = [p for p in shown if not p.spare]
    rooms = [2] * len(shown)  # an empty line and one with its number
    free = limit - len(head) - len(tail) - sum(rooms)
    short_first = sorted(range(len(shown)), key=lambda n: shown[n].size)
    urgent = [n for n in short_first if shown[n].urgent]
    every = range(len(shown))
    for some, most in ((urgent, _SOME), (urgent, limit), (every, _SOME), (short_first, limit)):
        for n in some:
            more = max(0, min(shown[n].size - rooms[n], most - rooms[n], free))
            rooms[n] += more
            free -= more
    return [*head, *(x for n, part in enumerate(shown) for x in part.lines(rooms[n])), *tail]
