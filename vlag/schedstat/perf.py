# SPDX-License-Identifier: GPL-2.0-only
"""Reader of what `perf sched stats report` and `perf sched stats diff` print.

A diff prints the second file's numbers through the first file's layout.  Where the two
kernels differ in the version of /proc/schedstat, each number of the second column stands
at its right place and under a wrong name; here it gets its own name back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import field, frozen

from vlag.errors import ParseError
from vlag.parsers.lines import Line, lines
from vlag.parsers.schedstat import (
    ALWAYS,
    CPU_FIELDS,
    DOMAIN_FIELDS,
    DomainCounts,
    Interval,
)

_WHEN = {"busy": "cpu busy", "idle": "cpu idle", "newidle": "cpu newly idle"}
_DESCRIPTIONS = {
    "lb_count": "load_balance() count on {}",
    "lb_balanced": "load_balance() found balanced on {}",
    "lb_failed": "load_balance() move task failed on {}",
    "lb_imbalance": "imbalance sum on {}",
    "lb_imbalance_load": "imbalance in load on {}",
    "lb_imbalance_util": "imbalance in utilization on {}",
    "lb_imbalance_task": "imbalance in number of tasks on {}",
    "lb_imbalance_misfit": "imbalance in misfit tasks on {}",
    "lb_gained": "pull_task() count on {}",
    "lb_hot_gained": "pull_task() when target task was cache-hot on {}",
    "lb_nobusyq": "load_balance() failed to find busier queue on {}",
    "lb_nobusyg": "load_balance() failed to find busier group on {}",
    # perf computes these two itself and puts a star before them.
    "lb_success_count": "load_balance() success count on {}",
    "lb_avg_pulled": "avg task pulled per successful lb attempt ({})",
}
_LABELS: Mapping[str, str] = {
    "sched_yield() count": "yld_count",
    "Legacy counter can be ignored": "array_exp",
    "schedule() called": "sched_count",
    "schedule() left the processor idle": "sched_goidle",
    "try_to_wake_up() was called": "ttwu_count",
    "try_to_wake_up() was called to wake up the local cpu": "ttwu_local",
    # They are ns, whatever perf says.
    "total runtime by tasks on this processor (in jiffies)": "rq_cpu_time",
    "total waittime by tasks on this processor (in jiffies)": "run_delay",
    "total timeslices run on this cpu": "pcount",
    **{
        text.format(when): f"{idle}_{name}"
        for idle, when in _WHEN.items()
        for name, text in _DESCRIPTIONS.items()
    },
    "active_load_balance() count": "alb_count",
    "active_load_balance() move task failed": "alb_failed",
    "active_load_balance() successfully moved a task": "alb_pushed",
    **{
        f"{name} is not used": name
        for kind in ("sbe", "sbf")
        for name in (f"{kind}_count", f"{kind}_balanced", f"{kind}_pushed")
    },
    "try_to_wake_up() awoke a task that last ran on a diff cpu": "ttwu_wake_remote",
    "try_to_wake_up() moved task because cache-cold on own cpu": "ttwu_move_affine",
    "try_to_wake_up() started passive balancing": "ttwu_move_balance",
}
# perf 7.2 prints the field's own name.
_NAMES = frozenset(_LABELS.values())

# Time elapsed (in jiffies)                                        :      150000,     150000
_ELAPSED = re.compile(r"Time elapsed \(in jiffies\) *: *([0-9]{1,15})(?:, *([0-9]{1,15}))?")

# Older perf:
# CPU <ALL CPUS SUMMARY>, DOMAIN 0
# CPU 0, DOMAIN SMT CPUS 0,64
_OLD_HEAD = re.compile(
    r"CPU (?:<ALL CPUS SUMMARY>|(?P<cpu>[0-9]{1,5}))"
    r"(?:,? DOMAIN (?P<domain>[0-9A-Z]{1,16})(?: CPUS .*)?)?"
)

# perf 7.2, which names a domain's CPUs only below a single CPU:
# CPU: <ALL CPUS SUMMARY> | DOMAIN: MC
# CPU: 0 | DOMAIN: MC | DOMAIN_CPUS: 0-1
_HEAD = re.compile(
    r"CPU: (?:<ALL CPUS SUMMARY>|(?P<cpu>[0-9]{1,5}))"
    r"(?: \| DOMAIN: (?P<domain>[0-9A-Z]{1,16})(?(cpu) \| DOMAIN_CPUS: [0-9][0-9,-]*))?"
)

# pull_task() count on cpu idle         :        2516,          0  |  -100.00% |   (spaces cut)
# schedule() left the processor idle                               :        8459  (    49.36% )
_COUNTS = re.compile(
    r" *(?P<one>[0-9]{1,20}(?:\.[0-9]{2})?)"
    r"(?:, *(?P<two>[0-9]{1,20}(?:\.[0-9]{2})?) +\| *(?P<change>-?[0-9]{1,25}\.[0-9]{2})% \|)?"
    r"(?: +\([0-9., %]{1,60}\)| +\$[0-9., ]{1,60}\$)?"
)

# ------------------- <Category idle> -------------------   (100 columns wide)
_RULE = re.compile(r"-{4,}(?: ?<[^<>]{1,60}> ?-{4,})?")

# Lines that carry nothing: the legend, heads of columns, the command and its exit status.
_PASSED = re.compile(
    r"|Columns description|Description|DESC .*|\*?[A-Za-z_]+\s+-> .*|\$ .*|rc=\d{1,3}"
)

_U32 = 1 << 32


@frozen
class _Block:
    """What stands below one head: CPU fields, or those of one domain."""

    cpu: int | None  # None: all CPUs
    domain: str | None  # None: the CPU's own fields
    line: int
    counts: dict[str, tuple[int, ...]] = field(factory=dict)  # by the name that perf prints
    success: dict[str, tuple[Line, tuple[int, ...]]] = field(factory=dict)  # by idle type


@frozen(kw_only=True)
class _Table:
    elapsed: tuple[int, ...]
    version: int  # whose layout perf printed
    summary: tuple[_Block, ...]
    single_cpus: bool  # blocks of single CPUs follow the summary


def report(data: bytes, *, path: str) -> Interval:
    """Return what a report counted: means over CPUs, which perf rounds down.

    Raises ParseError for a text that is cut off, of an unknown layout, or a diff.
    """
    table = _table(data, path)
    if len(table.elapsed) != 1:
        raise ParseError(
            "this is perf's diff of two files; name it with --perf-diff", path=path, line=1
        )
    if not table.single_cpus:
        raise ParseError(
            "the report is cut off: no single CPU follows the summary of all CPUs", path=path
        )
    return _interval(table, 0, table.version, path)


def diff(data: bytes, versions: tuple[int, int], *, path: str) -> tuple[Interval, Interval]:
    """Return what both files of perf's diff counted, each under its own version's names.

    A field of the second version for which the first one's layout has no line has no value.

    Raises ParseError for a text that is cut off or of an unknown layout, and where the
    first version is not the one whose layout was printed.
    """
    table = _table(data, path)
    if len(table.elapsed) != 2:
        raise ParseError("this is no diff: it has one column of counts", path=path)
    if table.version != versions[0]:
        raise ParseError(
            f"the lines are those of version {table.version}, not of {versions[0]}; perf prints"
            " the first file's layout, so give that version first",
            path=path,
        )
    if versions[1] not in DOMAIN_FIELDS:
        known = ", ".join(map(str, DOMAIN_FIELDS))
        raise ParseError(
            f"version {versions[1]} of /proc/schedstat is not known; known are {known}", path=path
        )
    return _interval(table, 0, versions[0], path), _interval(table, 1, versions[1], path)


def _table(data: bytes, path: str) -> _Table:
    elapsed: tuple[int, ...] | None = None
    blocks: list[_Block] = []
    heads: set[re.Pattern[str]] = set()
    described: set[bool] = set()  # whether fields have descriptions or their own names
    number = 0
    for row in lines(data, path):
        number, text = row.number, row.text.strip()
        if _PASSED.fullmatch(text) or _RULE.fullmatch(text):
            continue
        if match := _ELAPSED.fullmatch(text):
            if elapsed is not None:
                raise ParseError("a second report begins here; split them", path=path, line=number)
            elapsed = tuple(int(x) for x in match.groups() if x is not None)
            if 0 in elapsed:
                raise ParseError("no time has elapsed", path=path, line=number)
        elif elapsed is None:
            raise ParseError(
                f"'{text[:80]}' stands where 'Time elapsed (in jiffies)' is due; give what"
                " `perf sched stats` printed",
                path=path,
                line=number,
            )
        elif match := _HEAD.fullmatch(text) or _OLD_HEAD.fullmatch(text):
            cpu = None if match["cpu"] is None else int(match["cpu"])
            blocks.append(_Block(cpu, match["domain"], number))
            heads.add(match.re)
        else:
            described.add(_take(Line(number, text, path), blocks, len(elapsed), path))
        if len(heads) > 1 or len(described) > 1:
            raise ParseError(
                "the lines above are of another version of perf; give one text at a time",
                path=path,
                line=number,
            )
    if elapsed is None:
        raise ParseError("the output is empty", path=path)
    summary = tuple(b for b in blocks if b.cpu is None)
    return _Table(
        elapsed=elapsed,
        version=_version(blocks, summary, number, path),
        summary=summary,
        single_cpus=len(summary) < len(blocks),
    )


def _take(row: Line, blocks: list[_Block], columns: int, path: str) -> bool:
    """Put one line's counts into the last block; return whether it has a description."""
    label, colon, rest = row.text.partition(":")
    derived = label.startswith("*")
    label = label.removeprefix("*").strip()
    name = label if label in _NAMES else _LABELS.get(label)
    match = _COUNTS.fullmatch(rest)
    if not blocks or not colon or name is None or match is None:
        raise ParseError(
            f"'{row.text[:80]}' is cut off or of an unknown layout", path=path, line=row.number
        )
    texts = [x for x in (match["one"], match["two"]) if x is not None]
    if len(texts) != columns:
        raise ParseError(f"{columns} counts must stand here", path=path, line=row.number)
    if derived and name.endswith("_lb_avg_pulled"):
        return label in _LABELS  # rounded to two digits; computed anew from the counts
    if any("." in x for x in texts):
        raise ParseError(f"{name} must be a whole number", path=path, line=row.number)
    counts = tuple(int(x) for x in texts)
    if max(counts) >= (1 << 64 if name in ALWAYS else _U32):
        raise ParseError(f"{name} is larger than it can be", path=path, line=row.number)
    if match["change"] is not None:
        _check_change(counts, float(match["change"]), path, row.number)
    if derived and name.endswith("_lb_success_count"):
        blocks[-1].success[name.removesuffix("_lb_success_count")] = (row, counts)
    elif derived or name in blocks[-1].counts:
        raise ParseError(f"{name} stands twice or is no count", path=path, line=row.number)
    else:
        blocks[-1].counts[name] = counts
    return label in _LABELS


def _check_change(counts: tuple[int, ...], printed: float, path: str, line: int) -> None:
    """Raise where the change that perf computed is not that of the counts."""
    one, two = counts
    change = 100 * (two - one) / one if one else 0.0  # perf's own rule for a base of 0
    if abs(change - printed) > 0.006 + 1e-12 * abs(change):
        raise ParseError(
            f"from {one} to {two} is no change of {printed:.2f} %", path=path, line=line
        )


def _version(blocks: list[_Block], summary: tuple[_Block, ...], last: int, path: str) -> int:
    """Return whose layout all blocks have; raise where a line is missing or out of place."""
    versions = set()
    ends = [*(b.line for b in blocks[1:]), last]
    for block, end in zip(blocks, ends, strict=False):  # without a block there is still an end
        names = tuple(block.counts)
        fits = (
            {0} if names == CPU_FIELDS else set()
            if block.domain is None
            else {v for v, order in DOMAIN_FIELDS.items() if names == order}
        )  # fmt: skip
        if not fits:
            raise ParseError(
                f"what stands below line {block.line} is cut off or of no known version: a line"
                f" is missing or out of place ({len(names)} are there)",
                path=path,
                line=end,
            )
        versions |= fits
        _check_success(block, path)
    if not summary or summary[0].domain is not None:
        raise ParseError("the summary of all CPUs is missing or cut off", path=path, line=last)
    known = versions - {0}
    if len(known) != 1:
        raise ParseError(
            "the domains are of several versions"
            if known
            else "the output is cut off, or the machine has one CPU: no domain stands there",
            path=path,
            line=last,
        )
    return known.pop()


def _check_success(block: _Block, path: str) -> None:
    """Raise where perf's own sum is not that of the lines above it, in 32 bits as perf has it."""
    for idle, (row, printed) in block.success.items():
        parts = [block.counts.get(f"{idle}_lb_{x}") for x in ("count", "balanced", "failed")]
        for column, value in enumerate(printed):
            count, balanced, failed = (0 if p is None else p[column] for p in parts)
            if (count - balanced - failed) % _U32 != value:
                raise ParseError(
                    f"{value} is not count - balanced - failed of the lines above",
                    path=path,
                    line=row.number,
                )


def _interval(table: _Table, column: int, version: int, path: str) -> Interval:
    cpu, *domains = table.summary
    return Interval(
        version=version,
        jiffies=table.elapsed[column],
        cpus=None,
        cpu={name: counts[column] for name, counts in cpu.counts.items()},
        domains=tuple(_domains(domains, column, version, path)),
    )


def _domains(blocks: list[_Block], column: int, version: int, path: str) -> Iterator[DomainCounts]:
    for index, block in enumerate(blocks):
        if block.domain is None or (block.domain.isdigit() and int(block.domain) != index):
            raise ParseError(
                f"the head of domain {index} must stand here", path=path, line=block.line
            )
        # The numbers stand in the order of the file they are of.  The layouts need not be
        # of one length: what goes beyond either is not shown, or no field at all.
        slots = [counts[column] for counts in block.counts.values()]
        yield DomainCounts(
            index=index,
            name=None if block.domain.isdigit() else block.domain,
            cpus=None,
            values=dict(zip(DOMAIN_FIELDS[version], slots, strict=False)),
        )
