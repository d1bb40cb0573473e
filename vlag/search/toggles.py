# SPDX-License-Identifier: GPL-2.0-only
"""Which toggle of the scheduler takes back what a kernel lost: the boots that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from vlag.compare.toggle_settings import (
    FEATURES,
    SLICE,
    Environment,
    Setting,
    features,
    preempt_modes,
    tunable,
)
from vlag.config.catalogue import Catalogue
from vlag.config.reported_knobs import reported
from vlag.errors import UsageError
from vlag.model import Outcome, Verdict
from vlag.search import profiling
from vlag.search.asked import AskedBoot, boot
from vlag.stats.attribution import Role, ToggleReport
from vlag.store import comparisons, kernels, profiles, runs
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.profiles import Changed
from vlag.store.runs import Run

Subject = tuple[str, Mapping[str, str | int], str, str]  # benchmark, parameters, metric, statistic
#: Says what all boots on record make of one statistic of a comparison.
Judge = Callable[[int, Subject], ToggleReport]

#: Seeds of the first boots of each toggle: the least that is judged.
FIRST = 3
#: Seeds of those that may recover something, on both kernels.
SEEDS = 5
#: The same on boards whose boots scatter.
FIRST_NOISY, SEEDS_NOISY = 4, 20
#: Seeds begin after it on such boards, where both kernels are booted again beside their toggles.
FRESH = 2000
#: A toggle that takes back less of the change than this, by its first boots, gets no more.
LEAST = 0.2
#: Instead of names of features or modes: all, those that the baseline lacks, nothing at all.
ALL, NEW, NOTHING = "all", "new", "no"


@frozen(kw_only=True)
class Toggle:
    """One setting of the scheduler in another state than the new kernel's boots had."""

    setting: Setting
    on_base: bool  # whether the base has it as well, in the same state

    @property
    def name(self) -> str:
        """Return it as reports name it: DELAY_DEQUEUE, sched_features=HRTICK, preempt=full."""
        return self.setting.name


@frozen(kw_only=True)
class Selection:
    """Which toggles are tried."""

    features: Sequence[str] = (ALL,)  # names, or one of the words above; all: slices too
    preempt: Sequence[str] = (ALL,)


@frozen(kw_only=True)
class Question:
    """A figure that a confirmed regression made worse, and the toggles that may account for it."""

    comparison: Comparison
    changed: Changed
    timeout_s: int
    toggles: Sequence[Toggle]

    @property
    def subject(self) -> Subject:
        """Return what the toggles are judged by: the statistic that got worse most."""
        changed = self.changed
        return changed.benchmark, changed.parameters, changed.metric, changed.statistic


@frozen(kw_only=True)
class Questions:
    """What toggles can say of a comparison, the largest loss first."""

    asked: Sequence[Question]
    skipped: Sequence[str]  # sentences


def questions(
    conn: Connection, catalogue: Catalogue, id_: int, selection: Selection = Selection()
) -> Questions:
    """Return what toggles can explain of a comparison.

    Raises UsageError where there is no such comparison, where its boots did not show the
    scheduler's features, and for a name that the new kernel does not have.
    """
    comparison = comparisons.by_id(conn, id_)
    if comparison is None:
        raise UsageError(f"there is no comparison {id_} on record; make one with `vlag compare`")
    if comparison.synthetic:
        raise UsageError(f"comparison {id_} is of figures from a report; there is nothing to boot")
    worse = [c for c in profiles.changed(conn, id_) if c.verdict == Verdict.REGRESSION.value]
    if not worse:
        return Questions(asked=(), skipped=())
    asked = switches(
        _environment(conn, comparison, catalogue, "base"),
        _environment(conn, comparison, catalogue, "new"),
        selection,
    )
    if not asked:
        return Questions(asked=(), skipped=(f"comparison {id_}: no toggle was selected",))
    return Questions(
        asked=[
            Question(
                comparison=comparison,
                changed=changed,
                timeout_s=profiling.timeout_s(catalogue, comparison.plan, changed.benchmark),
                toggles=asked,
            )
            for changed in worse
        ],
        skipped=(),
    )


def switches(
    base: Environment, new: Environment, selection: Selection = Selection()
) -> list[Toggle]:
    """Return the toggles of the new kernel, those that the base lacks or has otherwise first.

    `base` and `new` are what boots of both printed of their state, with the comparison's knobs.
    Raises UsageError for a name that the new kernel does not have.
    """
    here = features(new)
    inactive = {name: active for name, active in preempt_modes(new).items() if not active}
    settings = [
        Setting("sched_features", f"NO_{name}" if here[name] else name)
        for name in _wanted(selection.features, here, features(base), "feature")
    ]
    settings += [
        Setting("preempt", name)
        for name in _wanted(selection.preempt, inactive, preempt_modes(base), "preempt mode")
    ]
    if ALL in selection.features:
        settings += [Setting(SLICE, value) for value in _slices(base, new)]
    toggles = [Toggle(setting=s, on_base=s.is_shared(base, new)) for s in settings]
    return sorted(toggles, key=lambda toggle: toggle.on_base)


def _slices(base: Environment, new: Environment) -> list[str]:
    """Return slices to try: the base's, and those of field reports; none where it is unread."""
    own = tunable(new, SLICE)
    there = [tunable(base, SLICE), *(value for knob, value in reported() if knob == SLICE)]
    values = dict.fromkeys(value for value in there if value is not None)
    return [value for value in values if own not in (None, value)]


def _wanted(
    asked: Sequence[str], here: Mapping[str, bool], there: Mapping[str, bool], what: str
) -> list[str]:
    if ALL in asked:
        return list(here)
    if NEW in asked:
        return [name for name in here if name not in there]
    unknown = [name for name in asked if name not in here and name != NOTHING]
    if unknown:
        raise UsageError(
            f"the new kernel has no {what} {unknown[0]!r} to toggle; it has:"
            f" {', '.join(here) or 'none'}"
        )
    return [name for name in here if name in asked]


def _environment(
    conn: Connection, comparison: Comparison, catalogue: Catalogue, side: str
) -> Environment:
    """Return what a boot of one side printed of its state."""
    kernel, knobs = (
        (comparison.base_kernel, comparison.base_knobs)
        if side == "base"
        else (comparison.new_kernel, comparison.new_knobs)
    )
    for run in _runs(conn, catalogue, comparison, kernel):
        is_side = dict(run.knobs) == dict(knobs) and run.outcome == Outcome.COMPLETE.value
        if is_side and features(run.environment):
            return run.environment
    raise UsageError(
        f"no boot of {kernels.by_id(conn, kernel).describe} on {comparison.board_type} shows the"
        f" scheduler's features ({FEATURES}): its kernel needs CONFIG_SCHED_DEBUG and debugfs"
    )


def _runs(conn: Connection, catalogue: Catalogue, comparison: Comparison, kernel: int) -> list[Run]:
    kind = catalogue.board_type(comparison.board_type)
    return runs.of_kernel(
        conn, kernel, board_type=kind.name, synthetic=False, by_image=kind.deterministic
    )


# Boots.


def missing(
    conn: Connection, catalogue: Catalogue, question: Question, judge: Judge
) -> list[AskedBoot]:
    """Return the boots of a question that are not on record.

    Each toggle gets `FIRST` boots on the new kernel. Once these are there, those that may
    recover something get `SEEDS` on the new kernel, and on the base where it has them; those
    that make it worse get `FIRST` there, which may show that they slow both alike.
    Where boots scatter there are more of them, and both kernels are booted again with equal seeds,
    so that what has moved since the comparison meets all alike.
    Raises UsageError if a kernel's build is not on this machine.
    """
    have = {side: _seeds(conn, catalogue, question, side) for side in ("base", "new")}
    exact = catalogue.board_type(question.comparison.board_type).deterministic
    few = range(1, FIRST + 1) if exact else range(FRESH + 1, FRESH + FIRST_NOISY + 1)
    many = range(1, SEEDS + 1) if exact else range(FRESH + 1, FRESH + SEEDS_NOISY + 1)
    own: list[tuple[Toggle | None, str]] = [] if exact else [(None, "base"), (None, "new")]
    first = [
        asked
        for toggle, side in [*own, *((toggle, "new") for toggle in question.toggles)]
        for asked in _boots(conn, question, toggle, side, few, have)
    ]
    if first:
        return first
    report = judge(question.comparison.id or 0, question.subject)
    leading, worsening = leads(report), worsens(report)
    wanted = [
        (toggle, side, many if toggle.name in leading else few)
        for toggle in question.toggles
        if toggle.name in (*leading, *worsening)
        for side in ("new", *(["base"] if toggle.on_base else []))
    ]
    return [
        asked
        for toggle, side, seeds in [*((*one, many) for one in own if leading), *wanted]
        for asked in _boots(conn, question, toggle, side, seeds, have)
    ]


def leads(report: ToggleReport) -> list[str]:
    """Return the toggles that may recover some of the loss by what is on record."""
    return [
        t.name
        for t in report.toggles
        if t.share is not None
        and (t.share.size >= LEAST or t.role in (Role.ACCOUNTS, Role.PART, Role.AROUND))
    ]


def worsens(report: ToggleReport) -> list[str]:
    """Return the toggles that surely make the loss larger by what is on record."""
    return [
        t.name
        for t in report.toggles
        if t.share is not None and t.share.size <= -LEAST and (t.share.high or 0) < 0
    ]


_Have = Mapping[str, Mapping[tuple[tuple[str, str], ...], set[int]]]


def _seeds(
    conn: Connection, catalogue: Catalogue, question: Question, side: str
) -> dict[tuple[tuple[str, str], ...], set[int]]:
    """Return the seeds that were booted of one side: by knobs; whatever came of them."""
    c = question.comparison
    by_knobs: dict[tuple[tuple[str, str], ...], set[int]] = {}
    for run in _runs(conn, catalogue, c, c.base_kernel if side == "base" else c.new_kernel):
        same = dict(run.parameters) == dict(question.changed.parameters)
        if run.benchmark == question.changed.benchmark and same:
            by_knobs.setdefault(_key(run.knobs), set()).add(run.seed)
    return by_knobs


def _key(knobs: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(knobs.items()))


def _boots(
    conn: Connection,
    question: Question,
    toggle: Toggle | None,
    side: str,
    seeds: Sequence[int],
    have: _Have,
) -> Iterable[AskedBoot]:
    """Yield the boots of a toggle, or of none, on one side that are not on record."""
    c, changed = question.comparison, question.changed
    own = c.base_knobs if side == "base" else c.new_knobs
    knobs = own if toggle is None else toggle.setting.within(own)
    how = "beside its toggles" if toggle is None else f"with {toggle.name} toggled"
    left = [s for s in seeds if s not in have[side].get(_key(knobs), ())]
    if not left:
        return
    id_ = c.base_kernel if side == "base" else c.new_kernel
    kernel, build = kernels.by_id(conn, id_), profiling.build_of(conn, id_, "build.json")
    for seed in left:
        yield boot(
            kernel, build, how, knobs=knobs, board_type=c.board_type,
            benchmark=changed.benchmark, parameters=changed.parameters, seed=seed, observes=None,
            timeout_s=question.timeout_s,
        )  # fmt: skip
