# SPDX-License-Identifier: GPL-2.0-only
"""/proc/schedstat: what its fields are called in each version, and what two snapshots counted.

The file has no field names, and the same column is another field in another version, so
everything here is kept by name.  Counters are since boot: only the difference of two
snapshots of one boot says anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from vlag.errors import ParseError
from vlag.parsers.lines import Line, lines

#: Files of a run's bundle, below `raw/`.
BEFORE, AFTER = "schedstat-before.txt", "schedstat-after.txt"

IDLE_TYPES = ("busy", "idle", "newidle")  # what the CPU did when it balanced

CPU_FIELDS = (
    "yld_count",
    "array_exp",  # always 0
    "sched_count",
    "sched_goidle",
    "ttwu_count",
    "ttwu_local",
    "rq_cpu_time",
    "run_delay",
    "pcount",
)
TIMES = frozenset({"rq_cpu_time", "run_delay"})  # in ns; every other field counts events
# Counted even where kernel.sched_schedstats is 0; wider than 32 bits.
ALWAYS = TIMES | {"pcount"}

_BALANCE = ("lb_count", "lb_balanced", "lb_failed")
_PULLS = ("lb_gained", "lb_hot_gained", "lb_nobusyq", "lb_nobusyg")
_IMBALANCES = ("lb_imbalance_load", "lb_imbalance_util", "lb_imbalance_task", "lb_imbalance_misfit")
_ONE_IMBALANCE = (*_BALANCE, "lb_imbalance", *_PULLS)
_FOUR_IMBALANCES = (*_BALANCE, *_IMBALANCES, *_PULLS)
_REST = (
    "alb_count",
    "alb_failed",
    "alb_pushed",
    "sbe_count",
    "sbe_balanced",
    "sbe_pushed",
    "sbf_count",
    "sbf_balanced",
    "sbf_pushed",
    "ttwu_wake_remote",
    "ttwu_move_affine",
    "ttwu_move_balance",
)


def _domain(order: Sequence[str], per_type: Sequence[str]) -> tuple[str, ...]:
    return (*(f"{idle}_{name}" for idle in order for name in per_type), *_REST)


#: Version -> fields of a domain line in the order they stand there.
DOMAIN_FIELDS: Mapping[int, tuple[str, ...]] = {
    15: _domain(("idle", "busy", "newidle"), _ONE_IMBALANCE),
    16: _domain(IDLE_TYPES, _ONE_IMBALANCE),
    17: _domain(IDLE_TYPES, _FOUR_IMBALANCES),
}
_NAMED = 17  # since this version a domain line gives the domain's name

#: Every field a domain line has in any version, in one order for tables.
ALL_DOMAIN_FIELDS = _domain(IDLE_TYPES, (*_BALANCE, "lb_imbalance", *_IMBALANCES, *_PULLS))

# ffffffff,ffffffff
_MASK = re.compile(r"[0-9a-f]{1,8}(?:,[0-9a-f]{8}){0,255}")
_NUMBER = re.compile(r"[0-9]{1,20}")


@frozen(kw_only=True)
class Domain:
    """One domain line: a scheduling domain as one CPU sees it."""

    index: int  # 0 is the closest
    name: str | None  # as in "MC"; None before version 17
    cpus: int  # bit mask of the CPUs it spans
    values: Mapping[str, int]
    line: int


@frozen(kw_only=True)
class Cpu:
    """One cpu line and the domain lines below it."""

    number: int
    values: Mapping[str, int]
    domains: tuple[Domain, ...]
    line: int


@frozen(kw_only=True)
class Snapshot:
    """The whole file as it was at one time."""

    path: str
    version: int
    timestamp: int  # jiffies
    cpus: tuple[Cpu, ...]


@frozen(kw_only=True)
class DomainCounts:
    """What one domain counted, all its CPUs together."""

    index: int
    name: str | None
    cpus: int | None  # number of CPUs that have it; None: `values` are means over them
    values: Mapping[str, int]


@frozen(kw_only=True)
class Interval:
    """What was counted between two snapshots; a field that is not shown has no value."""

    version: int
    jiffies: int  # above 0
    cpus: int | None  # None: all values are means over CPUs
    cpu: Mapping[str, int]
    domains: tuple[DomainCounts, ...]

    @property
    def switched_off(self) -> bool:
        """Whether events were not counted: tasks ran, and schedule() was never called."""
        return self.cpu["pcount"] > 0 and self.cpu["sched_count"] == 0


def read(data: bytes, *, path: str) -> Snapshot:
    """Return the snapshot in `data`; `path` is kept and named in errors.

    Raises ParseError for a version that is not known, for another number of fields than
    the version has (kernels out of tree add some) and for a file that is cut off.
    """
    if not data.endswith(b"\n"):
        raise ParseError("the file is empty or cut off: its last line has no end", path=path)
    rows = iter([x for x in lines(data, path) if not _of_the_shell(x.text)])
    version = _head(rows, "version", path)
    if version.value not in DOMAIN_FIELDS:
        known = ", ".join(map(str, DOMAIN_FIELDS))
        raise ParseError(
            f"this is version {version.value} of /proc/schedstat; known are {known}",
            path=path,
            line=version.line,
        )
    timestamp = _head(rows, "timestamp", path)
    cpus: list[Cpu] = []
    for row in rows:
        words = row.text.split()
        if words and re.fullmatch(r"cpu[0-9]{1,5}", words[0]):
            cpus.append(_cpu(words, row.number, cpus, version.value, path))
        elif words and re.fullmatch(r"domain[0-9]{1,2}", words[0]) and cpus:
            domain = _domain_line(words, row.number, cpus[-1], version.value, path)
            cpus[-1] = Cpu(
                number=cpus[-1].number,
                values=cpus[-1].values,
                domains=(*cpus[-1].domains, domain),
                line=cpus[-1].line,
            )
        else:
            raise row.refuse(f"'{row.text[:80]}' is no line of /proc/schedstat")
    if not cpus:
        raise ParseError("the file is cut off: it has no cpu line", path=path)
    _check_whole(cpus, path)
    return Snapshot(path=path, version=version.value, timestamp=timestamp.value, cpus=tuple(cpus))


@frozen
class _Head:
    value: int
    line: int


def _of_the_shell(text: str) -> bool:
    """Whether a line is the command above a capture, its exit status below, or nothing."""
    return not text.strip() or text.startswith("$ ") or bool(re.fullmatch(r"rc=\d{1,3}", text))


def _head(rows: Iterator[Line], word: str, path: str) -> _Head:
    row = next(rows, None)
    match = row and re.fullmatch(rf"{word} ([0-9]{{1,20}})", row.text)
    if row is None or not match:
        raise ParseError(
            f"a line '{word} NUMBER' must stand here; give a copy of /proc/schedstat",
            path=path,
            line=None if row is None else row.number,
        )
    return _Head(int(match[1]), row.number)


def _numbers(
    names: Sequence[str], words: Sequence[str], what: str, version: int, path: str, line: int
) -> dict[str, int]:
    if len(words) != len(names):
        raise ParseError(
            f"{what} has {len(words)} fields where version {version} has {len(names)}: the line"
            " is cut off, or the kernel has fields of its own",
            path=path,
            line=line,
        )
    values = {}
    for name, word in zip(names, words, strict=True):
        limit = 64 if name in ALWAYS else 32
        if not _NUMBER.fullmatch(word) or int(word) >= 1 << limit:
            raise ParseError(
                f"{name} of {what} is '{word[:40]}', where a number of {limit} bits must stand",
                path=path,
                line=line,
            )
        values[name] = int(word)
    return values


def _cpu(words: Sequence[str], line: int, before: Sequence[Cpu], version: int, path: str) -> Cpu:
    number = int(words[0].removeprefix("cpu"))
    if before and number <= before[-1].number:
        raise ParseError(f"cpu{number} stands below cpu{before[-1].number}", path=path, line=line)
    values = _numbers(CPU_FIELDS, words[1:], words[0], version, path, line)
    if values["array_exp"]:
        raise ParseError(
            f"the second field of {words[0]} is {values['array_exp']}, where 0 must stand: the"
            " kernel has fields of its own",
            path=path,
            line=line,
        )
    return Cpu(number=number, values=values, domains=(), line=line)


def _domain_line(words: Sequence[str], line: int, cpu: Cpu, version: int, path: str) -> Domain:
    index = int(words[0].removeprefix("domain"))
    if index != len(cpu.domains):
        raise ParseError(
            f"domain{index} of cpu{cpu.number} stands where domain{len(cpu.domains)} is due",
            path=path,
            line=line,
        )
    what = f"domain{index} of cpu{cpu.number}"
    head = 3 if version >= _NAMED else 2
    name = words[1] if version >= _NAMED and len(words) > 1 else None
    mask = words[head - 1] if len(words) >= head else ""
    # A name of digits would be the mask of a line that has no name.
    if not _MASK.fullmatch(mask) or (name is not None and not re.match(r"[A-Z]", name)):
        raise ParseError(
            f"{what} does not begin with {'a name and ' * (head == 3)}a mask of CPUs, as in"
            f" version {version}",
            path=path,
            line=line,
        )
    values = _numbers(DOMAIN_FIELDS[version], words[head:], what, version, path, line)
    cpus = int(mask.replace(",", ""), 16)
    if not cpus >> cpu.number & 1:
        raise ParseError(f"the mask of {what} does not hold this CPU", path=path, line=line)
    return Domain(index=index, name=name, cpus=cpus, values=values, line=line)


def _check_whole(cpus: Sequence[Cpu], path: str) -> None:
    """Raise where a domain names a CPU that does not stand there or does not name it back.

    Only so can a file be told from one whose last lines are missing.
    """
    widest = {c.number: c.domains[-1].cpus if c.domains else 1 << c.number for c in cpus}
    present = sum(1 << number for number in widest)
    users: dict[int, int] = {}
    for number, mask in widest.items():
        users[mask] = users.get(mask, 0) | 1 << number
    for mask, using in users.items():
        for other in range(mask.bit_length()):
            if not mask >> other & 1:
                continue
            if not present >> other & 1:
                raise ParseError(
                    f"the file is cut off: a domain spans cpu{other}, which has no line", path=path
                )
            if using & ~widest[other]:
                raise ParseError(
                    f"the file is cut off: cpu{other} lacks a domain that other CPUs share with it",
                    path=path,
                )


def between(before: Snapshot, after: Snapshot) -> Interval:
    """Return what was counted from one snapshot to a later one of the same boot.

    Raises ParseError where they cannot be of one boot: another version, other CPUs or
    domains, time or a counter that did not go forward.  A 32-bit counter that wrapped
    is refused too, never guessed.
    """
    path = after.path
    if before.version != after.version:
        raise ParseError(
            f"version {after.version} follows version {before.version}: two kernels' snapshots"
            " make no pair",
            path=path,
        )
    jiffies = after.timestamp - before.timestamp
    if jiffies <= 0:
        raise ParseError(
            f"the timestamp {after.timestamp} is not after {before.timestamp}: is AFTER given"
            " first, or was the machine booted in between?",
            path=path,
        )
    if _shape(before) != _shape(after):
        raise ParseError(
            "CPUs or scheduling domains are not those of the snapshot before; keep CPUs on-line"
            " and measure again",
            path=path,
        )
    cpu = dict.fromkeys(CPU_FIELDS, 0)
    domains: dict[tuple[int, str | None], dict[str, int]] = {}
    having: dict[tuple[int, str | None], int] = {}
    for old, new in zip(before.cpus, after.cpus, strict=True):
        _add(cpu, old.values, new.values, f"cpu{new.number}", path, new.line)
        for old_domain, domain in zip(old.domains, new.domains, strict=True):
            key = (domain.index, domain.name)
            having[key] = having.get(key, 0) + 1
            total = domains.setdefault(key, dict.fromkeys(domain.values, 0))
            what = f"domain{domain.index} of cpu{new.number}"
            _add(total, old_domain.values, domain.values, what, path, domain.line)
    return Interval(
        version=after.version,
        jiffies=jiffies,
        cpus=len(after.cpus),
        cpu=cpu,
        domains=tuple(
            DomainCounts(index=index, name=name, cpus=having[index, name], values=values)
            for (index, name), values in sorted(
                domains.items(), key=lambda x: (x[0][0], x[0][1] or "")
            )
        ),
    )


def _shape(snapshot: Snapshot) -> list[tuple[int, list[tuple[str | None, int]]]]:
    return [(c.number, [(d.name, d.cpus) for d in c.domains]) for c in snapshot.cpus]


def _add(
    total: dict[str, int],
    old: Mapping[str, int],
    new: Mapping[str, int],
    what: str,
    path: str,
    line: int,
) -> None:
    for name, value in new.items():
        if value < old[name]:
            raise ParseError(
                f"{name} of {what} fell from {old[name]} to {value}: it wrapped, or the machine"
                " was booted or its domains were made anew in between; measure again",
                path=path,
                line=line,
            )
        total[name] += value - old[name]
