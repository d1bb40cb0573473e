# SPDX-License-Identifier: GPL-2.0-only
"""Changes of the scheduler by design, from `lava-jobs/known-changes.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import frozen

from vlag import notation
from vlag.config import former_names
from vlag.config.documents import contents, fault
from vlag.errors import UsageError
from vlag.model import Benchmark

_Release: TypeAlias = tuple[int, int]

# 6.6.45, 6.12.117-rc1, v6.13-rc1, 6.1.0-21-amd64
_RELEASE = re.compile(r"v?(\d{1,3})\.(\d{1,3})(?![0-9a-zA-Z])")


@frozen(kw_only=True)
class KnownChange:
    """A change between two releases that is no surprise."""

    between: tuple[str, str]  # the release before it, and the first that has it
    text: str  # one sentence
    commit: str | None = None
    benchmarks: tuple[str, ...] = ()  # empty: all
    metrics: tuple[str, ...] = ()  # empty: all
    notes: tuple[str, ...] = ()  # for the person: names that metrics had before

    def side_with(self, base: str | None, new: str | None) -> str | None:
        """Return which side has the change, "base" or "new", if the other one lacks it.

        None if both or none have it, or if a release cannot be read.
        """
        releases = release(base), release(new)
        before, after = map(release, self.between)
        if None in releases or before is None or after is None:
            return None
        for side, (without, having) in (("new", releases), ("base", releases[::-1])):
            if without is not None and having is not None and without <= before < after <= having:
                return side
        return None

    def concerns(self, figures: Iterable[tuple[str, str]]) -> bool:
        """Return whether it is about one of some figures, each a benchmark and a metric."""
        return any(
            (not self.benchmarks or benchmark in self.benchmarks)
            and (not self.metrics or metric in self.metrics)
            for benchmark, metric in figures
        )


def release(text: str | None) -> _Release | None:
    """Return the first two numbers of a kernel's release; None if it does not begin with them.

    A release candidate counts as its release: changes arrive before the first candidate.
    """
    match = _RELEASE.match(text or "")
    return (int(match[1]), int(match[2])) if match else None


def read(path: Path, benchmarks: Mapping[str, Benchmark]) -> tuple[KnownChange, ...]:
    """Return the changes of a file, by release; none if there is no such file.

    Raises UsageError with file and key for anything wrong, unknown or in the wrong order.
    """
    if not path.exists():
        return ()
    raw = contents(path, "TOML", notation.read_toml)
    wrong = fault(raw, "known-changes.schema.json")
    if wrong:
        raise UsageError(f"{path}: {wrong}")
    metrics = {n for b in benchmarks.values() for m in b.metrics for n in (m.name, *m.formerly)}
    changes = []
    for i, one in enumerate(raw["changes"]):
        before, after = one["between"]
        if (release(before) or (0, 0)) >= (release(after) or (0, 0)):
            raise UsageError(
                f"{path}: changes.{i}.between: {before} does not come before {after}; the first"
                " release is the one without the change"
            )
        for key, known in (("benchmarks", benchmarks.keys()), ("metrics", metrics)):
            _check(path, f"changes.{i}.{key}", one.get(key, ()), known)
        names, notes = _named(
            f"{path}: changes.{i}.metrics",
            one.get("metrics", ()),
            [b for name, b in benchmarks.items() if name in one.get("benchmarks", benchmarks)],
        )
        changes.append(
            KnownChange(
                between=(before, after),
                text=one["text"],
                commit=one.get("commit"),
                benchmarks=tuple(one.get("benchmarks", ())),
                metrics=names,
                notes=notes,
            )
        )
    return tuple(sorted(changes, key=lambda c: release(c.between[1]) or (0, 0)))


def _named(
    where: str, names: Sequence[str], benchmarks: Sequence[Benchmark]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names with the present ones of those that metrics had before, and notes."""
    benchmarks_, notes = list(names), []
    for name in names:
        now, renamed = former_names.meant(benchmarks, name)
        benchmarks_ += now
        notes += [former_names.note(where, name, *place) for place in renamed]
    return tuple(dict.fromkeys(benchmarks_)), tuple(notes)


def _check(path: Path, key: str, names: Sequence[str], known: Iterable[str]) -> None:
    there = sorted(known)
    for name in names:
        if name not in there:
            what = key.rpartition(".")[2].removesuffix("s")
            raise UsageError(f"{path}: {key}: no {what} {name!r}; there are: {', '.join(there)}")
