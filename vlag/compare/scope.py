# SPDX-License-Identifier: GPL-2.0-only
"""Which boots a comparison is about: all on record, or those of a plan's stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Literal, Protocol

from attrs import evolve, frozen

from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import BoardType, Plan, PlanEntry
from vlag.verdict_data import ScopeEntry

Stage = Literal["screen", "confirm"]


class Workload(Protocol):
    """What is asked of a run, or of boots of one workload."""

    @property
    def benchmark(self) -> str:
        """Return the name of its benchmark."""

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """Return all of its parameters."""

    @property
    def seed(self) -> int:
        """Return its seed."""


@frozen(kw_only=True)
class Entry:
    """One benchmark that counts, with the seeds that do."""

    benchmark: str
    parameters: Mapping[str, str | int] | None  # all of them; None: any
    first: int | None  # seeds first to last; None: any
    last: int | None
    rounds: tuple[int, ...] = ()  # boots a side, in all, after each round of a rerun
    mode_rounds: tuple[int, ...] = ()  # and after each further one for a new mode
    confirmable: bool = False  # the plan has a rerun of it

    def holds(self, run: Workload) -> bool:
        """Return whether a run is one of this entry's boots."""
        return (
            run.benchmark == self.benchmark
            and (self.parameters is None or dict(run.parameters) == dict(self.parameters))
            and (self.first is None or self.last is None or self.first <= run.seed <= self.last)
        )


@frozen(kw_only=True)
class Scope:
    """What a comparison is restricted to; without entries it is not."""

    plan: str | None
    stage: Stage | None  # None without a plan
    entries: tuple[Entry, ...]
    round: int | None = None  # of the stage confirm, from 1
    notes: tuple[str, ...] = ()  # what was asked for and has no boots in this stage

    def holds(self, run: Workload) -> bool:
        """Return whether a run counts."""
        return not self.entries or any(entry.holds(run) for entry in self.entries)

    def runs_with_any_seed(self, run: Workload) -> bool:
        """Return whether a run is one of these workloads."""
        return not self.entries or any(
            evolve(entry, first=None, last=None).holds(run) for entry in self.entries
        )

    def rerun_of(self, benchmark: str, parameters: Mapping[str, str | int]) -> Entry | None:
        """Return the entry whose rerun this is; None where it has none."""
        return next((e for e in self._of(benchmark, parameters) if e.rounds), None)

    def confirmable(self, benchmark: str, parameters: Mapping[str, str | int]) -> bool:
        """Return whether the plan has a rerun that could settle a suspicion."""
        return any(e.confirmable for e in self._of(benchmark, parameters))

    def _of(self, benchmark: str, parameters: Mapping[str, str | int]) -> list[Entry]:
        return [
            e
            for e in self.entries
            if e.benchmark == benchmark and dict(e.parameters or {}) == dict(parameters)
        ]

    def document(self) -> list[ScopeEntry]:
        """Return the entries as data that JSON can hold."""
        return [
            {
                "benchmark": e.benchmark,
                "parameters": None if e.parameters is None else dict(e.parameters),
                "first": e.first,
                "last": e.last,
            }
            for e in self.entries
        ]


def scope(
    *,
    catalogue: Catalogue,
    board: BoardType,
    plan: Plan | None,
    stage: Stage | None,
    benchmarks: Set[str] | None,
    round_: int | None = None,
    knobs: Mapping[str, str] | None = None,
) -> Scope:
    """Return what counts on a board type; None is no restriction, a plan's stage is `screen`.

    Of a plan what a new kernel with these `knobs` boots counts.

    A round of the stage `confirm` counts all rerun boots up to its end; None is the first.

    Raises UsageError for a benchmark that the catalogue or the plan does not have, for a
    stage without a plan, a round of another stage, and where nothing would be left.
    """
    if round_ is not None and stage != "confirm":
        raise UsageError("only the stage confirm has rounds: add --stage confirm")
    named = sorted(benchmarks or ())
    for name in named:
        catalogue.benchmark(name)
    if plan is None:
        if stage is not None:
            raise UsageError(f"stage {stage} is one of a plan's: name the plan as well")
        every = (Entry(benchmark=n, parameters=None, first=None, last=None) for n in named)
        return Scope(plan=None, stage=None, entries=tuple(every))
    stage = stage or "screen"
    mine: Sequence[PlanEntry] = plan.entries_on(board.name, knobs or {})
    there = sorted({e.benchmark for e in mine})
    unknown = [n for n in named if n not in there]
    if unknown or not mine:
        raise UsageError(
            f"plan {plan.name} does not run {unknown[0] if unknown else 'anything'}"
            f" on {board.name}; it runs {', '.join(there) or 'nothing'}"
        )
    mine = [e for e in mine if not named or e.benchmark in named]
    round_ = (round_ or 1) if stage == "confirm" else None
    entries: list[Entry] = []
    notes: list[str] = []
    if named and stage == "screen":
        notes.append(f"of plan {plan.name} only {', '.join(named)} was asked for")
    for planned in mine:
        entry = _entry(catalogue, planned, stage, round_)
        if entry is not None:
            entries.append(entry)
        elif named:
            notes.append(f"plan {plan.name} has no rerun that confirms {planned.benchmark}")
    if not entries:
        raise UsageError(
            f"plan {plan.name} has no rerun for {board.name}:"
            " give its entries confirm, or compare the stage screen"
        )
    return Scope(
        plan=plan.name, stage=stage, round=round_, entries=tuple(entries), notes=tuple(notes)
    )


def _entry(
    catalogue: Catalogue, planned: PlanEntry, stage: Stage, round_: int | None
) -> Entry | None:
    """Return what counts of a plan's entry in a stage, up to the end of a round; None: nothing."""
    first, last = 1, planned.seeds
    if round_ is not None:
        # An entry whose rounds are over stays at its last one.
        rounds = planned.all_rounds
        boots = rounds[min(round_, len(rounds)) - 1] if rounds else 0
        first, last = planned.seeds + 1, planned.seeds + boots
    if last < first:
        return None
    return Entry(
        benchmark=planned.benchmark,
        parameters={**catalogue.benchmark(planned.benchmark).parameters, **planned.parameters},
        first=first,
        last=last,
        rounds=planned.rounds if stage == "confirm" else (),
        mode_rounds=planned.mode_rounds if stage == "confirm" else (),
        confirmable=bool(planned.rounds),
    )
