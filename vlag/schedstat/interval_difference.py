# SPDX-License-Identifier: GPL-2.0-only
"""Two intervals of /proc/schedstat side by side, field by field and by name."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from attrs import frozen

from vlag import printable
from vlag.errors import UsageError
from vlag.parsers.schedstat import (
    ALL_DOMAIN_FIELDS,
    ALWAYS,
    CPU_FIELDS,
    DOMAIN_FIELDS,
    IDLE_TYPES,
    TIMES,
    DomainCounts,
    Interval,
)
from vlag.report.layout import WIDTH
from vlag.stats.numbers import plain


@frozen(kw_only=True)
class Side:
    """One of the two that are compared."""

    source: str  # as the user named it
    counts: Interval
    hz: int | None  # jiffies a second; None: not known

    @property
    def means(self) -> bool:
        """Whether the counts are means over CPUs, not sums."""
        return self.counts.cpus is None


@frozen
class _Value:
    """A field of one side, or why there is none."""

    count: float | None
    why: str = ""


@frozen(kw_only=True)
class _Basis:
    """By what a side's counts are divided before they are compared."""

    elapsed: float  # s, or jiffies where HZ is not known
    seconds: bool
    cpus: int  # 1 unless figures are per CPU
    rates: bool  # figures are shown as rates; else as they were printed

    def row(self, field: str, value: _Value) -> tuple[float | None, float | None]:
        """Return the figure to show and the rate to compare."""
        if value.count is None:
            return None, None
        if field.endswith("_lb_avg_pulled"):
            return value.count, value.count  # a ratio already
        rate = value.count / self.elapsed / self.cpus
        shown = value.count if not self.rates else rate
        return (value.count / self.cpus if field in TIMES else shown), rate


class DiffRow(TypedDict):
    """A field of both sides."""

    field: str
    unit: str
    derived: bool  # not a field of the kernel: perf's sum or ratio
    a: float | None  # in the unit; None: the side has no such field
    b: float | None
    a_count: float | None  # what was counted
    b_count: float | None
    change: float | None  # of the rate, a fraction
    why: str  # nothing can be said of the change: the base is 0, or a side lacks the field


class DiffSection(TypedDict):
    """The fields of the CPUs, or of a domain."""

    title: str
    rows: list[DiffRow]


class DiffSide(TypedDict):
    """What a side is."""

    source: str
    version: int
    jiffies: int
    hz: int | None  # jiffies a second; None: not known
    cpus: int | None  # None: means over CPUs
    switched_off: bool


class DiffData(TypedDict):
    """Two intervals side by side."""

    kind: str
    a: DiffSide
    b: DiffSide
    unit: str
    per_cpu: bool
    notes: list[str]
    sections: list[DiffSection]


def diff(a: Side, b: Side) -> DiffData:
    """Return all fields of both sides and the relative change of each one's rate.

    Raises UsageError where one side has sums over CPUs and the other means.
    """
    if a.means != b.means:
        raise UsageError(
            f"{a.source} and {b.source} cannot be compared: perf prints means over CPUs, and"
            " snapshots give sums; compare snapshots with snapshots"
        )
    pairs, notes = _matched(a.counts.domains, b.counts.domains)
    seconds = a.hz is not None and b.hz is not None
    per_cpu = a.counts.cpus != b.counts.cpus or any(x.cpus != y.cpus for _, x, y in pairs)
    notes = [*_basis_notes(a, b, seconds, per_cpu), *notes]

    def bases(a_cpus: int | None, b_cpus: int | None) -> tuple[_Basis, _Basis]:
        one, two = (
            _Basis(
                elapsed=side.counts.jiffies / (side.hz or 1 if seconds else 1),
                seconds=seconds,
                cpus=cpus if per_cpu and cpus is not None else 1,
                rates=not side.means,
            )
            for side, cpus in ((a, a_cpus), (b, b_cpus))
        )
        return one, two

    unit = "count" if a.means else "1/s" if seconds else "1/jiffy"
    sections: list[DiffSection] = [
        {
            "title": "cpu",
            "rows": list(_cpu_rows(a, b, bases(a.counts.cpus, b.counts.cpus), unit)),
        }
    ]
    sections += [
        {
            "title": title,
            "rows": [
                _row(field, _of(a.counts, x, field), _of(b.counts, y, field), both, unit)
                for field in _shown_fields(a.counts.version, b.counts.version)
            ],
        }
        for title, x, y in pairs
        for both in [bases(x.cpus, y.cpus)]
    ]
    return {
        "kind": "schedstat-diff",
        "a": _side(a),
        "b": _side(b),
        "unit": unit,
        "per_cpu": per_cpu or a.means,
        "notes": notes,
        "sections": sections,
    }


def _side(side: Side) -> DiffSide:
    counts = side.counts
    return {
        "source": side.source,
        "version": counts.version,
        "jiffies": counts.jiffies,
        "hz": side.hz,
        "cpus": counts.cpus,
        "switched_off": counts.switched_off,
    }


def _basis_notes(a: Side, b: Side, seconds: bool, per_cpu: bool) -> Iterator[str]:
    if a.means:
        yield (
            "figures are perf's: means over CPUs, rounded down; the change is that of the"
            " figure divided by the time that elapsed"
        )
    if not seconds:
        yield (
            "HZ is not known (--hz), so changes are those of counts per jiffy: they hold only"
            " if both kernels have the same CONFIG_HZ"
        )
    if per_cpu:
        yield (
            f"A has {a.counts.cpus} CPUs and B {b.counts.cpus}, or their domains differ in size:"
            " all figures are per CPU"
        )
    for name, side in (("A", a), ("B", b)):
        if side.counts.switched_off:
            yield (
                f"{name}: tasks ran and no event was counted, so kernel.sched_schedstats was 0,"
                " as in every scored boot; take a boot that observes them: `vlag run --observe"
                " schedstats`"
            )


def _matched(
    a: tuple[DomainCounts, ...], b: tuple[DomainCounts, ...]
) -> tuple[list[tuple[str, DomainCounts, DomainCounts]], list[str]]:
    """Return the domains that both have, with a title, and what is to say of the others."""
    pairs: list[tuple[str, DomainCounts, DomainCounts]] = []
    notes: list[str] = []
    for index in sorted({d.index for d in (*a, *b)}):
        ours, theirs = ([d for d in side if d.index == index] for side in (a, b))
        if not ours or not theirs:
            side = "A" if ours else "B"
            notes.append(f"domain{index}{_names(ours or theirs)} is only in {side}: not compared")
            continue
        named = {d.name: d for d in theirs}
        matches = [(x, named[x.name]) for x in ours if x.name in named]
        # A version that gives no name can only mean the one domain there is.
        unnamed = None in {d.name for d in (*ours, *theirs)}
        if unnamed and len(ours) == len(theirs) == 1:
            matches = [(ours[0], theirs[0])]
        for x, y in matches:
            pairs.append((f"domain{index} {x.name or y.name or ''}".rstrip(), x, y))
        if len(matches) < max(len(ours), len(theirs)):
            notes.append(
                f"domain{index} is{_names(ours)} in A and{_names(theirs)} in B: only what has"
                " one name is compared"
            )
    return pairs, notes


def _names(domains: Iterable[DomainCounts]) -> str:
    return " " + " and ".join(d.name or "without a name" for d in domains)


def _shown_fields(a: int, b: int) -> Iterator[str]:
    """Name the fields that any side's version has, and perf's two sums of each kind."""
    either = {*DOMAIN_FIELDS[a], *DOMAIN_FIELDS[b]}
    for field in ALL_DOMAIN_FIELDS:
        if field in either:
            yield field
        for idle in IDLE_TYPES:
            if field == f"{idle}_lb_nobusyg":
                yield f"{idle}_lb_success_count"
                yield f"{idle}_lb_avg_pulled"


def _of(counts: Interval, domain: DomainCounts, field: str) -> _Value:
    if counts.switched_off:
        return _Value(None, "not counted")
    for idle in IDLE_TYPES:
        if field in (f"{idle}_lb_success_count", f"{idle}_lb_avg_pulled"):
            return _derived(domain.values, idle, field)
    if field in domain.values:
        return _Value(domain.values[field])
    if field in DOMAIN_FIELDS[counts.version]:
        return _Value(None, "not shown by the report")
    return _Value(None, f"not in v{counts.version}")


def _derived(values: Mapping[str, int], idle: str, field: str) -> _Value:
    names = [f"{idle}_lb_{x}" for x in ("count", "balanced", "failed", "gained")]
    if any(name not in values for name in names):
        return _Value(None, "not shown by the report")
    count, balanced, failed, gained = (values[name] for name in names)
    success = count - balanced - failed
    if success < 0:  # counters are read one after another while others write them
        return _Value(None, "parts exceed count")
    if field.endswith("_lb_success_count"):
        return _Value(success)
    return _Value(gained / success) if success else _Value(None, "no success")


def _cpu_rows(a: Side, b: Side, bases: tuple[_Basis, _Basis], unit: str) -> Iterator[DiffRow]:
    for field in CPU_FIELDS:
        if field == "array_exp":
            continue  # 0 in every version
        values = [
            _Value(None, "not counted")
            if side.counts.switched_off and field not in ALWAYS
            else _Value(side.counts.cpu[field])
            for side in (a, b)
        ]
        row = _row(field, values[0], values[1], bases, unit)
        yield row
        if field in TIMES and bases[0].seconds:
            shares = [
                100 * side.counts.cpu[field] / (basis.elapsed * 1e9 * (side.counts.cpus or 1))
                for side, basis in zip((a, b), bases, strict=True)
            ]
            yield {
                **row,
                "field": f"{field}_share",
                "unit": "%",
                "a": shares[0],
                "b": shares[1],
                "change": _change(shares[0], shares[1]),
            }


def _row(field: str, a: _Value, b: _Value, bases: tuple[_Basis, _Basis], unit: str) -> DiffRow:
    (a_shown, a_rate), (b_shown, b_rate) = bases[0].row(field, a), bases[1].row(field, b)
    why = ", ".join(dict.fromkeys(x.why for x in (a, b) if x.why))
    change = None
    if a_rate is not None and b_rate is not None:
        change = _change(a_rate, b_rate)
        why = "new" if change is None else ""
    ratio = field.endswith("_lb_avg_pulled")
    return {
        "field": field,
        "unit": "ns" if field in TIMES else "tasks" if ratio else unit,
        "derived": ratio or field.endswith("_lb_success_count"),
        "a": a_shown,
        "b": b_shown,
        "a_count": a.count,
        "b_count": b.count,
        "change": change,
        "why": why,
    }


def _change(a: float, b: float) -> float | None:
    """Return the relative change; None where something came from nothing."""
    if a == 0:
        return 0.0 if b == 0 else None
    return b / a - 1


def render(data: DiffData) -> str:
    """Return the text form: at most `WIDTH` columns but for paths, no final newline."""
    out = []
    for name, side in (("A", data["a"]), ("B", data["b"])):
        cpus = "means over CPUs" if side["cpus"] is None else f"{side['cpus']} CPUs"
        time = f"{side['jiffies']} jiffies"
        if side["hz"]:
            time += f" of {side['hz']} a second ({side['jiffies'] / side['hz']:.6g} s)"
        out += [f"{name}: {side['source']}", f"   v{side['version']}, {cpus}, {time}"]
    for note in data["notes"]:
        out += textwrap.wrap(note, WIDTH, initial_indent="note: ", subsequent_indent="      ")
    unit = data["unit"] + " a CPU" * (data["per_cpu"] and data["unit"] != "count")
    for section in data["sections"]:
        out += ["", _columns(f"{section['title']} [{unit}]", "A", "B", "change")]
        reasons = {row["why"] for row in section["rows"] if row["a"] is row["b"] is None}
        if len(reasons) == 1 and all(row["a"] is row["b"] is None for row in section["rows"]):
            out.append(f"all fields: {reasons.pop()}")
            continue
        out += [_line(row, data["unit"]) for row in section["rows"]]
    return "\n".join(map(printable.flat, out))


def _line(row: DiffRow, unit: str) -> str:
    name = "*" * row["derived"] + row["field"]
    if row["unit"] not in (unit, "tasks"):
        name += f" [{row['unit']}]"
    change = row["why"] if row["change"] is None else f"{100 * row['change']:+.1f} %"
    return _columns(name, _number(row["a"]), _number(row["b"]), change)


def _columns(name: str, a: str, b: str, change: str) -> str:
    # The longest name and the longest figure never meet in one line.
    return f"{name} {a:>{36 - len(name)}} {b:>12}  {change}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(int(value)) if float(value).is_integer() else plain(value, 6)
