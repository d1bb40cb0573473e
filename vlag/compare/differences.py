# SPDX-License-Identifier: GPL-2.0-only
"""Every factor in which two groups of runs differ, and whether they may be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from vlag.compare import conditions, sides
from vlag.config.catalogue import Catalogue
from vlag.model import Metric, Verdict
from vlag.store import kernels, runs
from vlag.store.database import Connection
from vlag.store.runs import Run

#: What a run says of its surroundings and that must be equal too; the rest of what a board
#: says of itself differs from boot to boot.
SURROUNDINGS = ("data set", "background load", "/proc/sys/kernel/sched_rt_runtime_us")

_ALONE = "no other version is known to measure the same"


@frozen(kw_only=True)
class Difference:
    """One factor in which two groups differ."""

    factor: str
    base: str
    new: str
    factor_under_test: bool  # kernel and knobs may differ, all else must be equal
    why: str | None = None  # what the catalogue says of it

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.factor}: {self.base} against {self.new}"


def verdict(listed: Sequence[Difference]) -> Verdict | None:
    """Return NOT_COMPARABLE where more than kernel and knobs differ, else None."""
    return Verdict.NOT_COMPARABLE if any(not d.factor_under_test for d in listed) else None


def differences(
    conn: Connection,
    catalogue: Catalogue,
    base: Sequence[Run],
    new: Sequence[Run],
    metric: str,
) -> list[Difference]:
    """Return every factor in which two groups of runs differ, kernel and knobs first.

    A group is the runs of one kernel with one set of knobs, benchmark and parameters;
    both have measured `metric`.
    """
    listed = [*_kernels(conn, base[0], new[0]), *_pairs("knob", base[0].knobs, new[0].knobs, True)]
    listed += _plain("board type", base[0].board_type, new[0].board_type)
    listed += _plain("benchmark", base[0].benchmark, new[0].benchmark)
    listed += _pairs("parameter", base[0].parameters, new[0].parameters)
    declared = catalogue.benchmark(base[0].benchmark).metric(metric)
    listed += _conditions(_conditions_of(conn, base, metric), _conditions_of(conn, new, metric),
                         declared)  # fmt: skip
    around = [{k: r[0].environment.get(k) for k in SURROUNDINGS} for r in (base, new)]
    return [*listed, *_pairs("around", around[0], around[1])]


def _plain(factor: str, base: object, new: object, under_test: bool = False) -> list[Difference]:
    if base == new:
        return []
    texts = ["not given" if v is None else _text(v) for v in (base, new)]
    return [Difference(factor=factor, base=texts[0], new=texts[1], factor_under_test=under_test)]


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) else json.dumps(value)


def _pairs(
    kind: str, base: Mapping[str, Any], new: Mapping[str, Any], under_test: bool = False
) -> list[Difference]:
    names = sorted({*base, *new})
    return [
        d
        for name in names
        for d in _plain(f"{kind} {name}", base.get(name), new.get(name), under_test)
    ]


def _kernels(conn: Connection, base: Run, new: Run) -> list[Difference]:
    both = [
        sides.Side(
            name=name,
            kernel=kernels.by_id(conn, run.kernel),
            knobs={},
            complete=(),
            failed=(),
            failed_builds=(),
            figures={},
            notes=(),
        )
        for name, run in (("base", base), ("new", new))
    ]
    return [
        d
        for factor, values in sides.factors(*both).items()
        for d in _plain(factor, values["base"], values["new"], True)
    ]


def _conditions_of(conn: Connection, side: Sequence[Run], metric: str) -> Mapping[str, str]:
    by_run = {f.run: f for f in runs.figures_of(conn, [r.id for r in side])
              if f.series.metric == metric}  # fmt: skip
    return conditions.split((r, by_run[r.id]) for r in side if r.id in by_run)[0].conditions


def _conditions(
    base: Mapping[str, str], new: Mapping[str, str], metric: Metric | None
) -> list[Difference]:
    listed = []
    for name, *values in conditions.differing([base], [new]):
        why = None
        if name == "tool version" and metric is not None:
            why = "; ".join(f"{v}: {metric.meaning(v) or _ALONE}" for v in values)
        listed.append(
            Difference(factor=name, base=values[0], new=values[1], factor_under_test=False, why=why)
        )
    return listed
