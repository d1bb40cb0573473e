# SPDX-License-Identifier: GPL-2.0-only
"""Plans, read from `lava-jobs/plans/`: board types by their classes, benchmarks by a pattern."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from attrs import evolve

from vlag.config.documents import read_named
from vlag.errors import UsageError
from vlag.model import Benchmark, BoardType, Observation, Plan, PlanEntry

# A parameter that grows with the board: "{cpus}", "{cpus/2}", "{cpus*400}".
_BY_CPUS = re.compile(r"\{cpus(?:([/*])([1-9][0-9]*))?\}")


def classes(board_types: Mapping[str, BoardType]) -> dict[str, tuple[str, ...]]:
    """Return the board types of each class, those with few CPUs first."""
    by_class: dict[str, list[str]] = {}
    for kind in sorted(board_types.values(), key=lambda kind: (kind.cpus, kind.name)):
        for name in kind.classes:
            by_class.setdefault(name, []).append(kind.name)
    return {name: tuple(types) for name, types in sorted(by_class.items())}


def types_of(names: Iterable[str], board_types: Mapping[str, BoardType]) -> tuple[str, ...]:
    """Return the board types that names of board types and classes mean, each once.

    Raises UsageError for a name that is neither.
    """
    known = classes(board_types)
    ordered: dict[str, None] = {}
    for name in names:
        if name not in board_types and name not in known:
            raise UsageError(
                f"no board type or class {name!r}; board types: {', '.join(sorted(board_types))};"
                f" classes: {', '.join(known)}"
            )
        ordered.update(dict.fromkeys(known.get(name, (name,))))
    return tuple(ordered)


def read(
    path: Path, benchmarks: Mapping[str, Benchmark], board_types: Mapping[str, BoardType]
) -> Plan:
    """Read one plan; UsageError with file and key."""
    raw = read_named(path, "plan", path.stem)
    named = {entry["benchmark"] for entry in raw["entries"]}
    entries: list[PlanEntry] = []
    for i, entry in enumerate(raw["entries"]):
        where = f"{path}: entries.{i}"
        _check_rounds(where, entry)
        try:
            types = types_of(entry["board_types"], board_types)
        except UsageError as e:
            raise UsageError(f"{where}.board_types: {e}") from None
        observe = _observe(where, entry, types, board_types)
        kinds = [board_types[name] for name in types]
        for benchmark, able in _pairs(where, entry["benchmark"], benchmarks, kinds, named):
            entries += _entries(where, entry, i, benchmark, able, observe)
    _check_bases(path, entries)
    return Plan(name=raw["plan"], entries=tuple(entries))


def _check_bases(path: Path, entries: Sequence[PlanEntry]) -> None:
    """Raise for an entry with knobs of the new kernel whose base no other entry boots."""
    # What of an entry does not say which boots it asks for.
    same: dict[str, Any] = {"number": 0, "observe": {}, "board_types": (), "timeout_s": 0}
    for entry in entries:
        if not entry.new_knobs:
            continue
        wanted = evolve(entry, **same, new_knobs={})
        there = {
            name
            for other in entries
            if evolve(other, **same) == wanted
            for name in other.board_types
        }
        lacking = [name for name in entry.board_types if name not in there]
        if lacking:
            raise UsageError(
                f"{path}: entries.{entry.number}.new_knobs: no entry boots the base of"
                f" {entry.benchmark} on {lacking[0]}; add one that is alike but for new_knobs"
            )


def _check_rounds(where: str, raw: Mapping[str, Any]) -> None:
    """Raise for rounds of a rerun that do not rise, and for those of a mode after no other."""
    rounds, further = raw.get("confirm", []), raw.get("confirm_mode", [])
    if any(a >= b for a, b in pairwise(rounds)):
        raise UsageError(
            f"{where}.confirm: {rounds} must rise: each number is the total of boots a side"
            " after a round of the rerun"
        )
    if further and not rounds:
        raise UsageError(
            f"{where}.confirm_mode: its rounds follow those of confirm, which is not there; give"
            " the entry confirm"
        )
    if any(a >= b for a, b in pairwise([*rounds, *further])):
        raise UsageError(
            f"{where}.confirm_mode: {further} must rise from confirm's {rounds} on: each number is"
            " the total of boots a side after a further round"
        )


def _observe(
    where: str,
    raw: Mapping[str, Any],
    types: tuple[str, ...],
    board_types: Mapping[str, BoardType],
) -> dict[Observation, tuple[str, ...]]:
    """Return what extra boots of an entry observe, each with its board types."""
    observed = {}
    for word, names in raw.get("observe", {}).items():
        try:
            observed[Observation(word)] = types_of(names, board_types)
        except UsageError as e:
            raise UsageError(f"{where}.observe.{word}: {e}") from None
        for name in observed[Observation(word)]:
            if name not in types:
                raise UsageError(
                    f"{where}.observe.{word}: {name} is no board type of this entry; it has"
                    f" {', '.join(types)}"
                )
            if Observation(word).from_outside and not board_types[name].deterministic:
                raise UsageError(
                    f"{where}.observe.{word}: {name} is not deterministic: only an emulator that"
                    " repeats exactly counts what its guest executes"
                )
            for what in Observation(word).hardware:
                if what not in board_types[name].hardware:
                    raise UsageError(f"{where}.observe.{word}: {name} has no {what}")
    return observed


def _pairs(
    where: str,
    name: str,
    benchmarks: Mapping[str, Benchmark],
    kinds: list[BoardType],
    named: set[str],
) -> Iterator[tuple[Benchmark, list[BoardType]]]:
    """Yield each benchmark that is meant with the board types that run it.

    A pattern means the benchmarks that no other entry of the plan names, on those of the
    board types that have what they need.
    """
    if name in benchmarks:
        yield benchmarks[name], kinds
        return
    fitting = [b for b in benchmarks.values() if fnmatch.fnmatchcase(b.name, name)]
    if not fitting:
        raise UsageError(f"{where}.benchmark: no benchmark {name!r}")
    for benchmark in fitting:
        able = [kind for kind in kinds if not benchmark.needs.lacking(kind)]
        # Without a package nothing puts its tool into a board's userland.
        if benchmark.name not in named and benchmark.brought is None and able:
            yield benchmark, able


def _entries(
    where: str,
    raw: Mapping[str, Any],
    number: int,
    benchmark: Benchmark,
    kinds: list[BoardType],
    observe: Mapping[Observation, tuple[str, ...]],
) -> Iterator[PlanEntry]:
    """Yield one entry for all board types that have the same parameters."""
    given = raw.get("parameters", {})
    for key in given:
        if key not in benchmark.parameters:
            raise UsageError(
                f"{where}.parameters.{key}: {benchmark.name} has no such parameter; "
                f"it has {', '.join(benchmark.parameters)}"
            )
    for key in ("knobs", "new_knobs"):
        for name in raw.get(key, {}):
            if name in benchmark.knobs:
                raise UsageError(
                    f"{where}.{key}.{name}: {benchmark.name} sets it itself; give its parameters"
                    f" instead ({', '.join(benchmark.parameters)})"
                )
    seen: list[tuple[dict[str, str | int], list[str]]] = []
    for kind in kinds:
        parameters = {key: _value(value, kind) for key, value in given.items()}
        same = next((types for other, types in seen if other == parameters), None)
        if same is None:
            seen.append((parameters, [kind.name]))
        else:
            same.append(kind.name)
    for parameters, types in seen:
        if "confirm" in raw:
            _check_relevances(where, benchmark, parameters, [k for k in kinds if k.name in types])
        yield PlanEntry(
            benchmark=benchmark.name,
            parameters=parameters,
            board_types=tuple(types),
            seeds=raw["seeds"],
            timeout_s=_timeout_s(
                where, raw, benchmark, parameters, [k for k in kinds if k.name in types]
            ),
            rounds=tuple(raw.get("confirm", ())),
            mode_rounds=tuple(raw.get("confirm_mode", ())),
            number=number,
            observe={
                word: chosen
                for word, names in observe.items()
                if (chosen := tuple(name for name in names if name in types))
            },
            knobs=raw.get("knobs", {}),
            new_knobs=raw.get("new_knobs", {}),
        )


def _timeout_s(
    where: str,
    raw: Mapping[str, Any],
    benchmark: Benchmark,
    given: Mapping[str, str | int],
    kinds: Iterable[BoardType],
) -> int:
    """Return the entry's time-out; that of boards that repeat exactly need not be given."""
    if "timeout_s" in raw:
        return int(raw["timeout_s"])
    for kind in kinds:
        if not kind.deterministic:
            raise UsageError(
                f"{where}.timeout_s: missing; {kind.name} has no clock of its own: give the"
                " seconds of the host's within which the benchmark ends"
            )
    return benchmark.guest_timeout_s(given)


def _check_relevances(
    where: str,
    benchmark: Benchmark,
    given: Mapping[str, str | int],
    kinds: Iterable[BoardType],
) -> None:
    """Raise for a run of too little to be judged by its metrics' relevance."""
    board = next((kind.name for kind in kinds if not kind.deterministic), None)
    values = {**benchmark.parameters, **given}
    for metric in benchmark.metrics if board is not None else ():
        for name, least in metric.too_little(values).items():
            raise UsageError(
                f"{where}.parameters.{name}: {values[name]} is too little on {board}: the"
                f" relevance of {benchmark.name}'s {metric.name} holds from {least} on"
            )


def _value(value: str | int, kind: BoardType) -> str | int:
    by_cpus = _BY_CPUS.fullmatch(str(value))
    if by_cpus is None:
        return value
    factor = int(by_cpus[2] or 1)
    return kind.cpus * factor if by_cpus[1] == "*" else max(1, kind.cpus // factor)
