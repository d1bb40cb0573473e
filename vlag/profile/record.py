# SPDX-License-Identifier: GPL-2.0-only
"""A difference as rows of the database, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import asdict

from vlag.profile.callers import Caller
from vlag.profile.decisions import Decision
from vlag.profile.flame import Frame
from vlag.profile.path import Length
from vlag.profile.profile_difference import Difference, Function, Side
from vlag.profile.profile_text import sentence
from vlag.store.comparisons import Comparison
from vlag.store.profiles import FunctionRow, PathRow, ProfileRow

#: Functions with a row, beside those that are certain; the others are summed up.
KEPT = 100


def rows(
    difference: Difference,
    comparison: Comparison,
    *,
    benchmark: str,
    parameters: Mapping[str, str | int],
    runs: tuple[Sequence[int], Sequence[int]],
    paths: Sequence[Length] = (),
) -> ProfileRow:
    """Return the difference of a comparison's kernels as rows; `runs` are its boots by side.

    `paths` are the verdicts on the lengths of their paths.
    """
    differing = [f for f in difference.functions if f.base != f.new]
    kept = [f for n, f in enumerate(differing) if n < KEPT or f.certain]
    rest = [f for n, f in enumerate(differing) if n >= KEPT and not f.certain and f.change]
    return ProfileRow(
        base_kernel=comparison.base_kernel,
        new_kernel=comparison.new_kernel,
        base_knobs=comparison.base_knobs,
        new_knobs=comparison.new_knobs,
        board_type=comparison.board_type,
        benchmark=benchmark,
        parameters=parameters,
        base_runs=runs[0],
        new_runs=runs[1],
        operation=difference.operation,
        base_operations=difference.operations[0],
        new_operations=difference.operations[1],
        base_instructions=difference.kernel[0],
        new_instructions=difference.kernel[1],
        base_sched=difference.sched[0],
        new_sched=difference.sched[1],
        base_user=difference.user[0],
        new_user=difference.user[1],
        others=len(rest) + difference.others[0],
        others_change=sum(f.change for f in rest) + difference.others[1],
        decisions=[asdict(d) for d in difference.decisions],
        frames=[(f.depth, f.name, f.base, f.new) for f in difference.frames],
        sentence=sentence(difference),
        functions=[_row(f) for f in kept],
        paths=[_path(length) for length in paths],
    )


def _path(length: Length) -> PathRow:
    return PathRow(
        metric=length.metric,
        unit=length.unit,
        relevance=length.relevance,
        base_values=None if length.base is None else list(length.base),
        new_values=None if length.new is None else list(length.new),
        base_level=length.base_level,
        new_level=length.new_level,
        verdict=length.verdict.value,
        effect=length.effect,
        ci_low=length.ci_low,
        ci_high=length.ci_high,
        p=length.p,
        reason=length.reason,
    )


def _row(f: Function) -> FunctionRow:
    return FunctionRow(
        name=f.name,
        source=f.source,
        base_calls=None if f.base is None else f.base.calls,
        base_instructions=None if f.base is None else f.base.instructions,
        new_calls=None if f.new is None else f.new.calls,
        new_instructions=None if f.new is None else f.new.instructions,
        change=f.change,
        certain=f.certain,
        callers=[asdict(c) for c in f.callers],
    )


def difference(stored: ProfileRow) -> Difference:
    """Return what `rows` was given, with the functions that have a row."""
    return Difference(
        operation=stored.operation,
        boots=(len(stored.base_runs), len(stored.new_runs)),
        operations=(stored.base_operations, stored.new_operations),
        kernel=(stored.base_instructions, stored.new_instructions),
        sched=(stored.base_sched, stored.new_sched),
        user=(stored.base_user, stored.new_user),
        functions=tuple(_function(f) for f in stored.functions),
        decisions=tuple(Decision(**dict(d)) for d in stored.decisions),
        others=(stored.others, stored.others_change),
        frames=tuple(Frame(depth=d, name=n, base=b, new=m) for d, n, b, m in stored.frames),
    )


def _function(row: FunctionRow) -> Function:
    return Function(
        name=row.name,
        source=row.source,
        base=_side(row.base_calls, row.base_instructions),
        new=_side(row.new_calls, row.new_instructions),
        certain=row.certain,
        callers=tuple(Caller(**dict(c)) for c in row.callers),
    )


def _side(calls: float | None, instructions: float | None) -> Side | None:
    return (
        None
        if calls is None or instructions is None
        else Side(calls=calls, instructions=instructions)
    )
