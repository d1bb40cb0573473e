# SPDX-License-Identifier: GPL-2.0-only
"""The work of a night: kernels, the runs of their plans, and the comparisons."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from attrs import evolve, field, frozen

from vlag.config import DEFAULT, Branch, Settings, baseline_of
from vlag.config.catalogue import Catalogue
from vlag.kernel.refs import is_pattern
from vlag.model import Observation, PlanEntry
from vlag.pipeline.candidates import candidates, predicts

#: Property of a night's build: how many kernels its self-proof has; and how the file name of
#: the report on them ends.
PROOF_KERNELS, PROOF_REPORT = "proof_kernels", "-proof.txt"
#: How the file name of the first night's early report ends.
EARLY_REPORT = "-early.txt"
#: Of most boots.
NO_KNOBS: Mapping[str, str] = MappingProxyType({})

Knobs = tuple[tuple[str, str], ...]


@frozen(kw_only=True)
class Asked:
    """A kernel that is built once and runs a plan on board types that share its image."""

    tree: str
    ref: str  # branch, tag, pattern of tags, or commit
    branch: str | None  # name under which the commit is recorded; None: `ref`
    series: str | None = None
    application: str = "none"
    variant: str = DEFAULT  # build-time variant
    knobs: Mapping[str, str] = field(factory=dict)  # of its runs
    plan: str
    board_types: tuple[str, ...]
    label: str  # its name for people
    benchmarks: tuple[str, ...] | None = None  # of the plan; None: all

    @property
    def key(self) -> str:
        """Return a text that is equal for equal requests."""
        knobs = [f"{name}={value}" for name, value in sorted(self.knobs.items())]
        patches = [] if self.series is None else [self.series, self.application]
        variant = [] if self.variant == DEFAULT else [f"variant={self.variant}"]
        only = [] if self.benchmarks is None else [f"only={','.join(self.benchmarks)}"]
        words = [
            self.tree,
            self.ref,
            *patches,
            *variant,
            *knobs,
            self.plan,
            ",".join(self.board_types),
            *only,
        ]
        return " ".join(words)


@frozen(kw_only=True)
class Pair:
    """A comparison on each board type of its kernels."""

    base: Asked
    new: Asked


@frozen(kw_only=True)
class Night:
    """One night: each kernel once, baselines first."""

    kernels: tuple[Asked, ...]
    pairs: tuple[Pair, ...]

    @property
    def proof(self) -> frozenset[str]:
        """Return the keys of the kernels that serve the self-proof alone.

        They are built after the report on the branches: patches that predict what must be
        flagged, and baselines of nothing else.
        """
        proving = [p for p in self.pairs if predicts(p.new.series, p.new.application)]
        others = {k.key for p in self.pairs if p not in proving for k in (p.base, p.new)}
        return frozenset(k.key for p in proving for k in (p.base, p.new)) - others


@frozen(kw_only=True)
class PlannedRun:
    """One boot of a plan."""

    entry: PlanEntry
    board_type: str
    seed: int
    observes: Observation | None = None  # None: a scored boot


def board_groups(
    catalogue: Catalogue, plan: str, board_types: Iterable[str]
) -> list[tuple[str, ...]]:
    """Group the board types on which a plan runs by the kernel image they share."""
    used = {name for entry in catalogue.plan(plan).entries for name in entry.board_types}
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in dict.fromkeys(board_types):
        kind = catalogue.board_type(name)
        if name in used:
            groups.setdefault((kind.arch, kind.kconfig_target, kind.kconfig), []).append(name)
    return [tuple(names) for names in groups.values()]


def planned_runs(
    catalogue: Catalogue,
    plan: str,
    board_types: Sequence[str],
    *,
    stage: str = "screen",
    round_: int = 1,
    benchmarks: Iterable[str] | None = None,
    knobs: Mapping[str, str] = NO_KNOBS,
) -> list[PlannedRun]:
    """Return the boots that a plan has of a kernel with these knobs, in the plan's order.

    The stage `screen` has the extra boots too, which observe.  For the stage `confirm` only
    those of one round, counted from 1, without earlier rounds.  Benchmarks are left out on
    board types whose userland lacks their program.
    """
    only = None if benchmarks is None else set(benchmarks)
    chosen = {name: catalogue.plan(plan).entries_on(name, knobs) for name in board_types}
    return [
        PlannedRun(entry=entry, board_type=board_type, seed=seed, observes=observes)
        for entry in catalogue.plan(plan).entries
        if only is None or entry.benchmark in only
        for board_type in board_types
        if entry in chosen[board_type] and catalogue.runs_on(entry.benchmark, board_type)
        for seed, observes in (
            *((seed, None) for seed in _seeds(entry, stage, round_)),
            *(
                (1, word)
                for word, types in entry.observe.items()
                if stage == "screen" and board_type in types
            ),
        )
    ]


def _seeds(entry: PlanEntry, stage: str, round_: int) -> range:
    if stage == "screen":
        return range(1, entry.seeds + 1)
    ends = [0, *entry.all_rounds]
    if round_ >= len(ends):
        return range(0)
    return range(entry.seeds + ends[round_ - 1] + 1, entry.seeds + ends[round_] + 1)


def proves(settings: Settings) -> bool:
    """Return whether nights have a self-proof.

    Raises UsageError as `candidates` does.
    """
    return any(
        predicts(candidate.series, candidate.application)
        for watched in settings.branches
        for candidate in candidates(watched, watched.branch)
    )


def is_first(settings: Settings) -> bool:
    """Return whether no night has written a report yet."""
    return not any((settings.state / "reports").glob("*.txt"))


def plan_early(
    settings: Settings, catalogue: Catalogue, heads: Mapping[str, Sequence[str]]
) -> Night:
    """Return the part with which the first night begins, so that there soon is a report.

    These are the heads of the branches whose pushes are tested, and their baselines, with those
    benchmarks and board types of the night that are in the plan of commits too.  A branch for
    which that is the whole night has no part here.
    """
    kernels: dict[str, Asked] = {}
    pairs: dict[tuple[str, str], Pair] = {}
    for watched in settings.branches:
        if watched.series is not None or watched.variant != DEFAULT:
            continue
        types = catalogue.types_of(watched.board_types)
        night, commit = (
            dict.fromkeys(
                (run.entry.benchmark, run.board_type)
                for run in planned_runs(catalogue, plan, types)
            )
            for plan in (watched.plan, watched.commit_plan)
        )
        names = tuple(dict.fromkeys(name for name, on in night if (name, on) in commit))
        boards = tuple(dict.fromkeys(on for name, on in night if (name, on) in commit))
        if all(name in names and on in boards for name, on in night):
            continue
        part = evolve(watched, board_types=boards)
        for pair in plan_night(evolve(settings, branches=(part,)), catalogue, heads).pairs:
            if not pair.new.knobs:
                both = [evolve(asked, benchmarks=names) for asked in (pair.base, pair.new)]
                kernels |= {asked.key: asked for asked in both}
                pairs[both[0].key, both[1].key] = Pair(base=both[0], new=both[1])
    return Night(kernels=tuple(kernels.values()), pairs=tuple(pairs.values()))


def watched_names(watched: Branch, heads: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the branches of an entry of the settings: its name, or all that match.

    `heads` are the branches of each tree with a pattern in the settings.
    """
    if not is_pattern(watched.branch):
        return [watched.branch]
    return fnmatch.filter(heads[watched.tree], watched.branch)


def plan_night(
    settings: Settings, catalogue: Catalogue, heads: Mapping[str, Sequence[str]]
) -> Night:
    """Return each distinct baseline, then each candidate of each watched branch.

    Each is compared with its baseline; one with knobs of its patch is compared with the same
    kernel without them if that is a candidate too, so that only one factor differs.  Where the
    plan has entries with knobs, both are compared with these, too.
    """
    baselines: dict[str, Asked] = {}
    others: dict[str, Asked] = {}
    pairs: dict[tuple[str, str], Pair] = {}
    for watched in settings.branches:
        suffix = "" if watched.variant == DEFAULT else f", {watched.variant}"
        for group in board_groups(catalogue, watched.plan, catalogue.types_of(watched.board_types)):
            for name in watched_names(watched, heads):
                ref = baseline_of(watched.baseline, name, name)
                base = Asked(
                    tree=watched.base_tree,
                    ref=ref,
                    branch=None,
                    variant=watched.variant,
                    plan=watched.plan,
                    board_types=group,
                    label=f"{watched.base_label(ref)}{suffix}",
                )
                baselines.setdefault(base.key, base)
                planned = [
                    Asked(
                        tree=watched.tree,
                        ref=name,
                        branch=name,
                        series=candidate.series,
                        application=candidate.application,
                        variant=watched.variant,
                        knobs=dict(candidate.knobs),
                        plan=watched.plan,
                        board_types=group,
                        label=f"{candidate.label}{suffix}",
                    )
                    for candidate in candidates(watched, name)
                ]
                known = {new.key: new for new in planned}
                for new in planned:
                    others.setdefault(new.key, new)
                    plain = known.get(evolve(new, knobs={}).key) if new.knobs else None
                    against = plain or base
                    if against.key != new.key:
                        pairs.setdefault((against.key, new.key), Pair(base=against, new=new))
                    for pair in () if new.knobs else _with_knobs(catalogue, base, new):
                        baselines.setdefault(pair.base.key, pair.base)
                        others.setdefault(pair.new.key, pair.new)
                        pairs.setdefault((pair.base.key, pair.new.key), pair)
    # A baseline that is also a watched branch is recorded under the branch's name.
    return Night(
        kernels=tuple({**baselines, **others}.values()),
        pairs=tuple(pairs.values()),
    )


def _with_knobs(catalogue: Catalogue, base: Asked, new: Asked) -> Iterator[Pair]:
    """Yield the comparisons of two kernels with the knobs that entries of their plan have."""
    types: dict[tuple[Knobs, Knobs], dict[str, None]] = {}
    for entry in catalogue.plan(new.plan).entries:
        if entry.all_knobs:
            key = _sorted(entry.knobs), _sorted(entry.all_knobs)
            types.setdefault(key, {}).update(dict.fromkeys(entry.board_types))
    for (of_base, of_new), of_entries in types.items():
        boards = tuple(name for name in new.board_types if name in of_entries)
        if boards:
            yield Pair(base=_asked(base, of_base, boards), new=_asked(new, of_new, boards))


def _sorted(knobs: Mapping[str, str]) -> Knobs:
    return tuple(sorted(knobs.items()))


def _asked(kernel: Asked, knobs: Knobs, board_types: tuple[str, ...]) -> Asked:
    """Return a kernel with knobs on some of its board types; without knobs it is as it was."""
    if not knobs:
        return kernel
    words = " ".join(f"{name}={value}" for name, value in knobs)
    label = f"{kernel.label} ({words})"
    return evolve(kernel, knobs=dict(knobs), board_types=board_types, label=label)
