# SPDX-License-Identifier: GPL-2.0-only
"""What a person or a program reads of figures on a surface: HTML, JSON, a mail, a panel's rows.

A surface is the text that leaves vlag; its reader shares no code with what wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from tests.integration.webpages import text

_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
#: What a table calls a column -> what its cells are.
_COLUMNS = {
    "verdict": "verdict", "change": "change", "base": "base", "new": "new",
    "95 % interval": "interval", "boots": "boots", "runs": "boots", "n": "boots",
}  # fmt: skip
#: Digits of a float in JSON and SQL that two computations of one sum may differ in.
_EXACT = 1e-9


@frozen(kw_only=True)
class Shown:
    """One thing that a surface says of a figure."""

    surface: str
    comparison: int
    name: str  # of the figure; "worst" of a comparison
    what: str  # change, base, new, low, high (in percent or the unit), boots, verdict
    text: str  # as it is printed

    @property
    def number(self) -> tuple[float, float] | None:
        """Value and half of its last digit; None: it is a word."""
        if self.what in ("boots", "verdict"):
            return None
        digits = self.text.replace(",", "")
        if "." in digits and len(digits.partition(".")[2]) > 9:
            return float(digits), abs(float(digits)) * _EXACT + 1e-12
        mantissa, _, power = digits.partition("e")
        return float(digits), 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


@frozen(kw_only=True)
class Surface:
    """What left vlag, and who reads it."""

    name: str
    raw: str
    read: Callable[[str, str], Iterable[Shown]]  # its name, what left

    def shown(self) -> list[Shown]:
        return list(self.read(self.name, self.raw))


def disagreements(shown: Iterable[Shown]) -> list[str]:
    """Return where two surfaces say another thing of one figure, both by name.

    Numbers are compared to the last digit of the one that is rounder.
    """
    by: dict[tuple[int, str, str], list[Shown]] = {}
    for s in shown:
        by.setdefault((s.comparison, s.name, s.what), []).append(s)
    found = []
    for (comparison, name, what), some in by.items():
        first, *others = sorted(some, key=lambda s: s.number[1] if s.number else 0)
        found += [
            f"comparison {comparison}, {name}, {what}:"
            f" {first.surface} has {first.text}, {s.surface} has {s.text}"
            for s in others
            if not _same(first, s)
        ]
    return found


def _same(fine: Shown, round_: Shown) -> bool:
    if fine.number is None or round_.number is None:
        return fine.text == round_.text
    # Half of a step may be written up or down.
    return abs(fine.number[0] - round_.number[0]) <= round_.number[1] * (1 + 1e-9) + 1e-12


# Readers.

#: The first cell of a row, and the comparison that it leads to.
_LED = re.compile(r'<th\b[^>]*>(?:(?!</th>).)*?href="/compare\?id=(\d+)(?:(?!</th>).)*', re.S)


def _numbered(found: re.Match[str]) -> str:
    return f"{found[0]} comparison {found[1]}"


class FigureReader:
    """Finds the figures of a night by their names."""

    def __init__(self, names: Sequence[str], by_role: Mapping[str, int]) -> None:
        self.names = names  # the longest first
        self.by_role = by_role  # role -> the comparison of it

    def name(self, cell: str) -> str | None:
        """Return the figure whose name a cell begins with; "median" is no part of a name."""
        said = " ".join(cell.split()).replace(" median ", " ")
        return next((n for n in self.names if f"{said} ".startswith(f"{n} ")), None)

    def table(
        self, surface: str, rows: Iterable[Sequence[str]], comparison: int | None
    ) -> Iterator[Shown]:
        """Read tables with a head that `_COLUMNS` knows.

        Of no one comparison the cell of the figure says which.
        """
        columns: dict[int, str] = {}
        for row in rows:
            heads = {i: _COLUMNS[c.lower()] for i, c in enumerate(row) if c.lower() in _COLUMNS}
            if "change" in heads.values():
                columns = heads
                continue
            name = self.name(row[0]) if row and columns else None
            if name is None or len(row) <= max(columns):
                continue
            for i, what in columns.items():
                of = comparison or self._comparison(row[0])
                yield from said(surface, of, name, what, row[i])

    def _comparison(self, cell: str) -> int:
        number = re.search(r"comparison (\d+)", cell)
        assert number is not None, cell
        return int(number[1])

    def html(self, comparison: int | None) -> Callable[[str, str], Iterator[Shown]]:
        """Read the tables of a page; of no one comparison a row's link leads to its own."""
        if comparison is not None:
            return lambda surface, raw: self.table(surface, _cells(raw), comparison)
        return lambda surface, raw: self.table(surface, _cells(_LED.sub(_numbered, raw)), None)

    def markdown(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        def work(surface: str, raw: str) -> Iterator[Shown]:
            lines = [x.strip("|") for x in raw.splitlines() if x.startswith("| ")]
            cells = [[re.sub(r"[\\*]", "", c).strip() for c in line.split(" | ")] for line in lines]
            return self.table(surface, cells, comparison)

        return work

    def quantiles(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        """Read the tables of the page of the latencies, whose rows are named after quantiles."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            for title, region in re.findall(
                r'aria-label="quantiles of ([^"]*)"(.*?)</table>', raw, re.S
            ):
                rows = _cells(region)
                head = [c.partition(",")[0] for c in rows[0]]
                named = [[f"{title} {r[0]}", *r[1:]] for r in rows[1:]]
                yield from self.table(surface, [head, *named], comparison)

        return work

    def across(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        """Read a table of kernels: a figure's levels, below the second its change and interval."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            for row in _cells(raw):
                name = self.name(row[0])
                if name is None or len(row) != 3 or len(row[2].split()) < 3:
                    continue  # "-": nothing was measured of a kernel that was not built
                new, change, _, *more = row[2].split()
                yield from said(surface, comparison, name, "base", row[1])
                yield from said(surface, comparison, name, "new", new)
                yield from said(surface, comparison, name, "change", change)
                base = re.search(r"from ([\d.,]+)", row[2])
                if base:  # in the runs of the comparison
                    yield from said(surface, comparison, name, "base", base[1])
                ends = " ".join(more).rpartition("course ")[2]
                yield from said(surface, comparison, name, "interval", ends)

        return work

    def matrix(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        """Read the cells of a matrix: change and verdict."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            for row in json.loads(raw):
                name = self.name(row["metric"])
                change, _, verdict = row["cell"].partition(" % ")
                if name is not None and verdict:  # else nothing was measured
                    yield from said(surface, comparison, name, "change", change)
                    yield from said(surface, comparison, name, "verdict", verdict)

        return work

    def rows(
        self, *path: str, of: int | None = None, prefix: str = ""
    ) -> Callable[[str, str], Iterator[Shown]]:
        """Read figures in JSON: lists at a path of keys, "*" for each of a list."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            for row in _at(json.loads(raw), path):
                called = str(row.get("name", ""))
                if " " not in called:
                    statistic = row.get(prefix or "statistic", "")
                    called = f"{row['benchmark']} {row['metric']} {statistic}"
                name = self.name(called)
                if name is not None:
                    yield from _of_row(surface, of or row["comparison"], name, row)

        return work

    def prose(self, surface: str, raw: str) -> Iterator[Shown]:
        """Read sentences of a mail, an alert and a terminal: a figure's name, then its numbers."""
        whole = " ".join(raw.split())
        number = r"([+-][\d.]+) %"
        for name in self.names:
            at = re.escape(name).replace(r"\ ", " ")
            # Of the mail: a change of one comparison, then the same figure of another.
            for found in re.finditer(
                rf"{at} on \S+ {number}(?: worse| better), (\[[^]]*\]), n (\d+ \+ \d+), \w+, #(\d+)"
                rf"(?:, {number} against \S+, #(\d+))?", whole,
            ):  # fmt: skip
                change, interval, boots, one, other, second = found.groups()
                yield from said(surface, int(one), name, "change", f"{change} %")
                yield from said(surface, int(one), name, "interval", interval)
                yield from said(surface, int(one), name, "boots", boots)
                if second is not None:
                    yield from said(surface, int(second), name, "change", f"{other} %")
            # Of an alert: its figures, and the comparison that they are of.
            of = re.search(r"Comparison (\d+) on ", whole)
            for found in re.finditer(
                rf"{at} \[\S+\] (\S+) -> (\S+) {number} (\[[^]]*\]) \w+, n (\d+ \+ \d+)", whole
            ):
                assert of is not None, surface
                names = ("base", "new", "change", "interval", "boots")
                for what, part in zip(names, found.groups(), strict=True):
                    yield from said(surface, int(of[1]), name, what, part)
            for found in re.finditer(rf"comparison (\d+), \S+: {at} {number}, (\w+)", whole):
                yield from said(surface, int(found[1]), name, "change", found[2])
                yield from said(surface, int(found[1]), name, "verdict", found[3])

    def short(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        """Read a short report: a benchmark, and below it its metrics in columns."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            benchmark = boots = ""
            for line in raw.splitlines():
                head = re.match(r"  (\S+), n (\d+ \+ \d+)", line)
                if head:
                    benchmark, boots = head.groups()
                row = re.match(r"    (\S.*) \[\S+\] +(\S+) +(\S+) +(\S+) % +(\[.*\])$", line)
                name = self.name(f"{benchmark} {row[1]}") if row else None
                if row and name is not None:
                    whats = ("base", "new", "change", "interval")
                    for what, part in zip(whats, row.groups()[1:], strict=True):
                        yield from said(surface, comparison, name, what, part)
                    yield from said(surface, comparison, name, "boots", boots)

        return work

    def full(self, comparison: int) -> Callable[[str, str], Iterator[Shown]]:
        """Read a whole report as text: two lines a figure."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            name = verdict = None
            for line in raw.splitlines():
                head = re.match(r"(\S.*?) \[\S+\] +([A-Z_]+(?: \(hint\))?)$", line)
                row = re.match(
                    r" +(\S+) +(\S+) +([+-][\d.]+) %(?: worse| better)? +(\[.*\]) +(\d+ \+ \d+)$",
                    line,
                )
                if head:
                    name, verdict = self.name(f"{head[1]} "), head[2]
                elif row and name and verdict:
                    whats = ("base", "new", "change", "interval", "boots")
                    for what, part in zip(whats, row.groups(), strict=True):
                        yield from said(surface, comparison, name, what, part)
                    yield from said(surface, comparison, name, "verdict", verdict)
                    name = None

        return work

    def worst(self, pattern: str) -> Callable[[str, str], Iterator[Shown]]:
        """Read the worst change of comparisons: a pattern with a number and maybe a role."""

        def work(surface: str, raw: str) -> Iterator[Shown]:
            whole = text(raw) if raw.lstrip().startswith("<") else " ".join(raw.split())
            for found in re.finditer(pattern, whole):
                role = found.groupdict().get("role") or "baseline"
                yield from said(surface, self.by_role[role], "worst", "change", found["number"])

        return work


def _cells(page: str) -> list[list[str]]:
    """Return the rows of all tables of a page, in words."""
    return [
        [text(cell) for cell in re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, flags=re.S)]
        for row in re.findall(r"<tr\b[^>]*>(.*?)</tr>", page, flags=re.S)
    ]


def said(surface: str, comparison: int, name: str, what: str, cell: str) -> Iterator[Shown]:
    """Yield what a cell says; nothing where it has no number."""

    def one(of: str, printed: str) -> Shown:
        return Shown(surface=surface, comparison=comparison, name=name, what=of, text=printed)

    if what == "boots":
        yield one(what, " ".join(cell.split()[:3]))
    elif what == "verdict":
        word, *more = cell.replace("(", "").replace(")", "").split()
        yield one(what, f"{word} (hint)" if more[:1] == ["hint"] else word)
    elif what == "interval":
        ends = _NUMBER.findall(cell.replace("95 %", ""))[:2]
        for of, printed in zip(("low", "high"), ends, strict=False):
            yield one(of, printed)
    elif found := _NUMBER.search(cell):
        yield one(what, found[0])


_KEYS = {
    "change": ("effect",), "base": ("base_value", "base"), "new": ("new_value", "new", "number"),
    "low": ("ci_low", "at least", "low"), "high": ("ci_high", "at most", "high"),
}  # fmt: skip


def _of_row(surface: str, of: int, name: str, row: Mapping[str, Any]) -> Iterator[Shown]:
    for what, keys in _KEYS.items():
        value = next((row[k] for k in keys if isinstance(row.get(k), int | float)), None)
        if value is not None:
            number = repr(float(value) * (1 if what in ("base", "new") else 100))
            yield Shown(surface=surface, comparison=of, name=name, what=what, text=number)
    if "n_base" in row:
        yield from said(surface, of, name, "boots", f"{row['n_base']} + {row['n_new']}")
    if "verdict" in row:
        hint = row.get("hint") or row.get("standing") == "hint"
        changed = row["verdict"] in ("REGRESSION", "IMPROVEMENT")
        word = f"{row['verdict']} hint" if hint and changed else row["verdict"]
        yield from said(surface, of, name, "verdict", word)


def _at(document: Any, path: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    if not path:
        yield from document
    elif path[0] == "*":
        for one in document:
            yield from _at(one, path[1:])
    else:
        yield from _at(document[path[0]], path[1:])


def one_change(comparison: int) -> Callable[[str, str], Iterator[Shown]]:
    return lambda surface, raw: said(surface, comparison, "worst", "change", raw)
