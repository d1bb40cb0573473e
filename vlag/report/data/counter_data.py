# SPDX-License-Identifier: GPL-2.0-only
"""Scheduler counters that differ where a benchmark's figure has changed."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import frozen

from vlag import parsers, printable
from vlag.compare.verdict_keys import overrides
from vlag.config.catalogue import Catalogue
from vlag.errors import ParseError
from vlag.kernel import kconfig
from vlag.lava import kernel_events
from vlag.model import CHANGES, Observation
from vlag.parsers import perf_stat, schedstat
from vlag.report.document import CounterData
from vlag.report.read_model.comparison_rows import MeasuredRow, parameters_of
from vlag.report.read_model.counting import CountingRow, counting
from vlag.stats.counters import Boot, Change, changes
from vlag.store.database import Connection

#: What a run measured: image, config and knobs.
_What: TypeAlias = tuple[str | None, str | None, str]

#: Most counters of a comparison.
MOST = 3

# Benchmarks of a comparison, and boots of a side, that are read: large boards have large files.
_BENCHMARKS, _BOOTS = 4, 10
# Bytes of what perf says where it could not count.
_SAID = 300

# Counters of a CPU, then of its domains.  `lb_balanced`, `_nobusyq` and `_nobusyg` are parts of
# `lb_count`, and would take the lines of others; an imbalance is no number of events.
_CPU = ("yld_count", "sched_count", "sched_goidle", "ttwu_count", "ttwu_local")
_DOMAIN = (
    *(
        f"{idle}_lb_{counter}"
        for idle in schedstat.IDLE_TYPES
        for counter in ("count", "failed", "gained")
    ),
    "alb_pushed",
    "ttwu_wake_remote",
    "ttwu_move_affine",
    "ttwu_move_balance",
)
# Whether a counter has events or ns: of scored boots, and of those that observe.
_SCORED = {name: name not in schedstat.TIMES for name in sorted(schedstat.ALWAYS)}
_OBSERVED = dict.fromkeys((*_CPU, *_DOMAIN), True)
# What perf counts in the latter as well.
_EVENTS = dict.fromkeys(kernel_events.EVENTS, True)
_ALL = len(_SCORED) + len(_OBSERVED) + len(_EVENTS)

#: Why nothing was read of a run, by what was to be read.
_Unread: TypeAlias = dict[tuple[str, int], str]


@frozen(kw_only=True)
class Counted:
    """What counters say of a comparison."""

    rows: Sequence[CounterData]  # at most `MOST`, the largest change first
    unread: Sequence[str]  # a sentence: boots that kept counters which nothing here reads


def changed(
    conn: Connection,
    catalogue: Catalogue,
    kernels: Sequence[int],
    board_type: str,
    verdicts: Iterable[MeasuredRow],
) -> Counted:
    """Return the counters that explain changes of a comparison.

    `kernels` are base and new, `verdicts` rows of the view `verdict`, worst first.  What
    the kernel always counts comes from the boots of the figure itself, all else from boots of
    both kernels that observe schedstats.  Bundles that are gone count as not there.
    """
    groups: dict[tuple[str, str], tuple[MeasuredRow, str]] = {}
    for v in verdicts:
        if v["verdict"] in CHANGES and v["tool"] is not None:
            groups.setdefault((v["benchmark"], v["parameters"]), (v, v["tool"]))
    unread: _Unread = {}
    counters = [
        (change.size, row)
        for v, tool in list(groups.values())[:_BENCHMARKS]
        for change, row in _of(conn, catalogue, kernels, board_type, v, tool, unread)
    ]
    return Counted(
        rows=[row for _, row in sorted(counters, key=lambda pair: -pair[0])[:MOST]],
        unread=_said(unread),
    )


def _said(unread: _Unread) -> list[str]:
    """Return a sentence for each reason why counters of runs were not read."""
    why = Counter((what, reason) for (what, _), reason in unread.items())
    return [f"{what} of {n} boots were not read: {reason}" for (what, reason), n in why.items()]


def _of(
    conn: Connection,
    catalogue: Catalogue,
    kernels: Sequence[int],
    board_type: str,
    v: MeasuredRow,
    tool: str,
    unread: _Unread,
) -> Iterator[tuple[Change, CounterData]]:
    """Yield the counters that changed with a figure; note runs whose counters nothing reads."""
    ids = [set(v["base_runs"]), set(v["new_runs"])]
    runs = counting(
        conn, sorted(ids[0] | ids[1]), kernels=kernels, benchmark=v["benchmark"],
        parameters=v["parameters"], board_type=board_type,
    )  # fmt: skip
    scored = [[r for r in runs if r["id"] in side] for side in ids]
    measured = [{_what(r) for r in side} for side in scored]
    if measured[0] & measured[1]:
        return  # one image on both sides: nothing differs but chance
    ways = {_way(r) for side in scored for r in side}
    extra = [r for r in runs if r["observes"] == Observation.SCHEDSTATS and _way(r) in ways]
    observing = [
        [r for r in extra if _is_of(r, kernel, what)]
        for kernel, what in zip(kernels, measured, strict=True)
    ]
    own = {r["id"] for side in observing for r in side}
    knobs = {knobs for *_, knobs in measured[1]}
    others = {r["kernel"]: r for r in reversed(extra) if r["id"] not in own and r["knobs"] in knobs}
    history = _boots(list(others.values())[::-1], tool, _OBSERVED, unread)
    for sides, beside, names in (
        (scored, [], _SCORED), (observing, history, _OBSERVED), (observing, [], _EVENTS),
    ):  # fmt: skip
        if not all(sides):
            continue
        base, new = (_boots(_apart(side), tool, names, unread) for side in sides)
        operations = all(b.operations for b in (*base, *new, *beside))
        for change in changes(base, new, beside, names, _ALL):
            low, high = change.interval or (None, None)
            yield (
                change,
                {
                    "benchmark": v["benchmark"],
                    "overrides": _overrides(catalogue, v),
                    "counter": change.counter,
                    "unit": "ns" if change.counter in schedstat.TIMES else "events",
                    "per": "operation" if operations else "second",
                    "observing": names is not _SCORED,
                    "base": change.base,
                    "new": change.new,
                    "effect": change.effect,
                    "low": low,
                    "high": high,
                    "n_base": len(base),
                    "n_new": len(new),
                },
            )


def _overrides(catalogue: Catalogue, v: MeasuredRow) -> dict[str, str]:
    known = catalogue.benchmarks.get(v["benchmark"])
    usual = {k: str(x) for k, x in known.parameters.items()} if known else {}
    return overrides(parameters_of(v), usual)


def _what(run: CountingRow) -> _What:
    return run["image_sha256"], run["config_sha256"], run["knobs"]


def _is_of(run: CountingRow, kernel: int, measured: set[_What]) -> bool:
    """Return whether a run booted a kernel or its very image, with the same knobs."""
    of_kernel = run["kernel"] == kernel and run["knobs"] in {knobs for *_, knobs in measured}
    return of_kernel or _what(run) in measured


def _way(run: CountingRow) -> tuple[str | None, ...]:
    """Return what must be equal beside the kernel, and is no condition of the query."""
    return run["tool_version"], run["emulator_version"]


def _apart(runs: Iterable[CountingRow]) -> list[CountingRow]:
    """Return the newest runs; of a deterministic board only those that are no repetition."""
    newest: dict[object, CountingRow] = {}
    for r in runs:
        newest.setdefault(r["seed"] if r["deterministic"] else r["id"], r)
    return list(newest.values())


def _boots(
    runs: Iterable[CountingRow], tool: str, names: Mapping[str, bool], unread: _Unread
) -> list[Boot]:
    """Return what runs counted, without those whose bundle does not say."""
    return [boot for r in runs if (boot := _boot(r, tool, names, unread)) is not None][:_BOOTS]


def _boot(run: CountingRow, tool: str, names: Mapping[str, bool], unread: _Unread) -> Boot | None:
    what = "perf's events" if names is _EVENTS else "the scheduler counters"
    try:
        interval, operations = _counted(run["location"], run["output"] or "", tool)
        hz = _hz(run["build_location"])
        if names is _EVENTS:
            counts = {} if run["deterministic"] else _events(run["location"])
        elif run["observes"] == Observation.SCHEDSTATS and interval.switched_off:
            return None
        else:
            lines = [interval.cpu, *(d.values for d in interval.domains)]
            counts = {name: sum(line.get(name, 0) for line in lines) for name in names}
    except ParseError as e:
        unread[what, run["id"]] = str(e)
        return None
    except OSError:
        return None
    if not counts:
        return None
    return Boot(counts=counts, operations=operations, seconds=interval.jiffies / hz)


@functools.lru_cache(maxsize=512)
def _events(location: str) -> Mapping[str, int]:
    """Return what perf counted in a boot that observes; ParseError where it could not.

    Raises FileNotFoundError for a boot that was made before perf counted in it.
    """
    name = kernel_events.FILE
    data = (Path(location) / "raw" / name).read_bytes()
    if data.startswith(kernel_events.NOTHING.encode()):
        said = printable.line(data[:_SAID].decode("utf-8", "replace"))
        raise ParseError(said, path=name, line=1)
    counted = {
        sample.metric: int(sample.values[0])
        for sample in perf_stat.parse(data, path=name).samples
        if sample.metric in _EVENTS and sample.values
    }
    if missing := [event for event in _EVENTS if event not in counted]:
        raise ParseError(f"perf has not counted {', '.join(missing)}", path=name)
    return counted


@functools.lru_cache(maxsize=512)
def _counted(location: str, output: str, tool: str) -> tuple[schedstat.Interval, int | None]:
    """Return the counters of a bundle and the operations of its benchmark."""
    folder = Path(location)
    before, after = (
        schedstat.read((folder / "raw" / name).read_bytes(), path=name)
        for name in (schedstat.BEFORE, schedstat.AFTER)
    )
    parsed = parsers.parse(tool, (folder / output).read_bytes(), path=output, told=False)
    return schedstat.between(before, after), parsed.operations


@functools.lru_cache(maxsize=512)
def _hz(build: str | None) -> int:
    """Return CONFIG_HZ of a build's folder; OSError if it does not say."""
    config = (Path(build) / "config").read_text(encoding="utf-8") if build else ""
    hz = kconfig.hz(kconfig.options(config))
    if hz is None:
        raise FileNotFoundError(f"{build}: no config with CONFIG_HZ")
    return hz
