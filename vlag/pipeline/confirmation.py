# SPDX-License-Identifier: GPL-2.0-only
"""Which suspected changes are booted again, in which rounds, and in which order.

A night, a push and a person's check do the same: each round doubles the boots while a suspicion
stays open.  Only one of a new mode stays so after the rounds of all suspicions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from vlag.config.catalogue import Catalogue
from vlag.model import Plan
from vlag.pipeline.night_plan import NO_KNOBS, PlannedRun, planned_runs

_Kernel = TypeVar("_Kernel")
#: Keys of base and new kernel, board type, benchmark.
Suspicion = tuple[str, str, str, str]


def rounds(plans: Iterable[Plan]) -> int:
    """Return how many rounds of reruns plans have at most."""
    return max((len(e.all_rounds) for plan in plans for e in plan.entries), default=0)


def of_a_change(suspects: Iterable[str], better: Iterable[str]) -> list[str]:
    """Return the benchmarks that are rerun for a change of code: those it may have moved.

    `suspects` may be worse, also as a hint, and `better` are no hints.
    """
    return sorted({*suspects, *better})


def of_a_night(finding: Mapping[str, Any]) -> list[str]:
    """Return the benchmarks of a comparison that a rerun can confirm or refute.

    Hints are left out: this board cannot prove them.  So are changes that a patch header
    predicts: they are intended; and those of kernels that were booted again in an earlier night:
    a branch without a new head asks no new question.
    """
    if finding.get("prediction") is not None:
        return []
    asked = {*(finding.get("proof") or ()), *(finding.get("better") or ())}
    return sorted(asked - {*(finding.get("settled") or ())})


def still_open(
    findings: Iterable[Mapping[str, Any]],
    worth: Callable[[Mapping[str, Any]], Iterable[str]] = of_a_night,
) -> set[Suspicion]:
    """Return the suspicions that the findings of a night, in their order, leave open.

    `worth` returns the benchmarks of a screen that get a rerun.
    """
    found: set[Suspicion] = set()
    for finding in findings:
        screen = finding["stage"] == "screen"
        place = finding["base_key"], finding["new_key"], finding["board_type"]
        left = worth(finding) if screen else finding.get("open") or ()
        rerun = () if screen else finding.get("benchmarks") or ()
        found -= {(*place, name) for name in rerun}
        found |= {(*place, name) for name in left}
    return found


def reruns(
    catalogue: Catalogue,
    plan: str,
    board_type: str,
    benchmarks: Iterable[str],
    number: int,
    knobs: Mapping[str, str] = NO_KNOBS,
) -> list[PlannedRun]:
    """Return the boots of one round, counted from 1; none where the plan has no such round.

    `knobs` are those of the new kernel.
    """
    return planned_runs(
        catalogue,
        plan,
        [board_type],
        stage="confirm",
        round_=number,
        benchmarks=benchmarks,
        knobs=knobs,
    )


def due(
    catalogue: Catalogue,
    plan: str,
    board_type: str,
    benchmarks: Iterable[str],
    number: int,
    knobs: Mapping[str, str] = NO_KNOBS,
) -> list[str]:
    """Return those of the open benchmarks that the plan reruns in a round."""
    return [n for n in benchmarks if reruns(catalogue, plan, board_type, [n], number, knobs)]


def alternating(
    runs: Sequence[PlannedRun], base: _Kernel, new: _Kernel
) -> Iterator[tuple[PlannedRun, _Kernel]]:
    """Yield each boot of both kernels: base, new, new, base, and so on, each pair with one seed.

    Drift of a board then affects both kernels equally.
    """
    for i, run in enumerate(runs):
        for kernel in (base, new) if i % 2 == 0 else (new, base):
            yield run, kernel
