# SPDX-License-Identifier: GPL-2.0-only
"""Which toggle on record takes back what a kernel lost: runs with one knob more, or another."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import exp

from attrs import frozen

from vlag.compare import conditions, sides
from vlag.compare.conditions import Group
from vlag.compare.scope import Scope
from vlag.compare.sides import Side
from vlag.compare.toggle_settings import Environment, Knobs, Setting, features, single
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Metric
from vlag.stats import attribution, blocks
from vlag.stats.attribution import Answer, Role, Toggle, ToggleReport
from vlag.stats.blocks import Observation
from vlag.stats.compare import clip
from vlag.stats.matrix_cells import Cell
from vlag.stats.summary import value_of
from vlag.store import findings, kernels, runs
from vlag.store.database import Connection
from vlag.store.judged import Pair
from vlag.store.runs import Run

Subject = tuple[str, Mapping[str, str | int], str, str]  # benchmark, parameters, metric, statistic

# The switches of the scheduler itself.  A clock rate or a task's own slice is a condition of
# the run: that more of it makes up for a loss says nothing of the loss.
_SWITCHES = ("sched_features", "preempt", "cmdline")
_EVERYTHING = Scope(plan=None, stage=None, entries=())


@frozen(kw_only=True)
class Attribution:
    """What toggles on record say of one statistic that got worse."""

    name: str  # "stress-ng-pipe write-rate"
    report: ToggleReport


def report_on(
    conn: Connection, catalogue: Catalogue, comparison: int, subject: Subject
) -> ToggleReport:
    """Return what all boots on record say of one statistic of a comparison."""
    [answer] = of(conn, catalogue, comparison, [subject])
    return answer.report


def judge(
    base: Sequence[float],
    new: Sequence[float],
    toggled: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    metric: Metric,
    *,
    relevance: float,
    added: Collection[str] = (),
    shared: Collection[str] = (),
) -> ToggleReport:
    """Return how much of the change from base to new each toggle takes back.

    Each side's values are one a boot, in the metric's unit; of a toggle those on the new
    kernel and those on the base.  `relevance` is the smallest relative change that matters;
    `added` are the toggles that neither kernel has by default, `shared` those that the base has
    in the new kernel's state.
    """
    return attribution.toggles(
        Cell(boots=tuple(base)),
        Cell(boots=tuple(new)),
        {
            name: Toggle(
                new=Cell(boots=tuple(of_new)),
                base=Cell(boots=tuple(of_base)),
                added=name in added,
                on_base=name in shared,
            )
            for name, (of_new, of_base) in toggled.items()
        },
        direction=metric.direction,
        relevance=relevance,
        resolution=metric.resolution,
    )


def of(
    conn: Connection, catalogue: Catalogue, comparison: int, subjects: Sequence[Subject]
) -> list[Attribution]:
    """Return what all boots on record say of statistics of a comparison, in their order.

    A toggle is one knob of the scheduler that differs from the new side's; a statistic for
    which none was run has a report without toggles.  What the catalogue no longer has is
    left out.  Raises UsageError where there is no such comparison.
    """
    pairs = findings.pairs(conn, [comparison])
    if not pairs:
        raise UsageError(f"there is no comparison {comparison} on record")
    record = _Record(conn, catalogue, pairs[-1])
    answers = map(record.answer, names(subjects), subjects)
    return [a for a in answers if a is not None]


def names(subjects: Sequence[Subject]) -> list[str]:
    """Name statistics, those of one name by the parameters in which they differ as well."""
    phrases = []
    for benchmark, parameters, metric, statistic in subjects:
        name = f"{benchmark} {metric}" + ("" if statistic == "median" else f" {statistic}")
        others = [p for b, p, m, s in subjects if (b, m, s) == (benchmark, metric, statistic)]
        apart = [
            f"{key}={value}"
            for key, value in sorted(parameters.items())
            if any(other.get(key) != value for other in others)
        ]
        phrases.append(" ".join([name, *apart]))
    return phrases


def summary(attributions: Sequence[Attribution]) -> str:
    """Return in one sentence what the toggles come to; "" for no statistic at all."""
    for role, head, does in (
        (Role.ACCOUNTS, "", "accounts for"),
        (Role.AROUND, "no toggle is the cause; ", "is a way around"),
    ):
        named: dict[tuple[str, str], list[str]] = {}
        for a in attributions:
            for toggle in a.report.toggles:
                if toggle.role is role and toggle.share is not None:
                    part = f"{100 * toggle.share.size:.0f} % of the loss"
                    named.setdefault((toggle.name, part), []).append(a.name)
        if named:
            return head + "; ".join(
                f"{toggle} {does} {part} ({', '.join(figures)})"
                for (toggle, part), figures in named.items()
            )
    answers = {a.report.answer for a in attributions if a.report.toggles}
    if not answers:
        return "no toggle was run" if attributions else ""
    return (
        "no toggle recovers it"
        if answers == {Answer.NOBODY}
        else "no toggle is shown to recover it"
    )


@frozen(kw_only=True)
class _Switch:
    """One setting in which boots differ from their side's own."""

    on_new: Knobs  # all knobs of the new kernel's boots with it
    on_base: Knobs | None  # of the base's; None: none were booted, or it is no such step there
    added: bool  # it switches a feature on that the base has off or lacks
    shared: bool  # the base has it in the new kernel's state


class _Record:
    """All boots on record of the two sides of a comparison, and of their toggles."""

    def __init__(self, conn: Connection, catalogue: Catalogue, pair: Pair) -> None:
        self.conn = conn
        self.catalogue = catalogue
        self.pair = pair
        self.board = catalogue.board_type(pair.board_type)
        self._side = functools.cache(self._side_of)

    def answer(self, name: str, subject: Subject) -> Attribution | None:
        entry = self.catalogue.benchmarks.get(subject[0])
        metric = None if entry is None else entry.metric(subject[2])
        if metric is None:
            return None
        pair = self.pair
        base, new = conditions.pair(
            self._measured(pair.base_kernel, pair.base_knobs, subject),
            self._measured(pair.new_kernel, pair.knobs, subject),
        )
        levels = self._levels(subject, metric)
        toggled: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
        for toggle, switch in self._switches.items():
            on_new, on_base = (
                []
                if knobs is None
                else _values(_alike(new, self._measured(kernel, knobs, subject)), subject, levels)
                for kernel, knobs in (
                    (pair.new_kernel, switch.on_new),
                    (pair.base_kernel, switch.on_base),
                )
            )
            if on_new:
                toggled[toggle] = (on_new, on_base)
        return Attribution(
            name=name,
            report=judge(
                _values(base, subject, levels),
                _values(new, subject, levels),
                toggled,
                metric,
                relevance=metric.relevance_on(self.board),
                added=[name for name, switch in self._switches.items() if switch.added],
                shared=[name for name, switch in self._switches.items() if switch.shared],
            ),
        )

    def _levels(self, subject: Subject, metric: Metric) -> Mapping[str, float]:
        """Return by how much boards differ, from what they booted of both kernels in common."""
        if self.board.deterministic:
            return {}
        pair = self.pair
        observations: list[Observation] = []
        for kernel in (pair.base_kernel, pair.new_kernel):
            for knobs in sorted({tuple(sorted(run.knobs.items())) for run in self._runs(kernel)}):
                for group in self._measured(kernel, dict(knobs), subject):
                    booted = [
                        (run.board, value)
                        for run, f in zip(group.runs, group.figures, strict=True)
                        if (value := value_of(f.figures, subject[3])) is not None
                    ]
                    boards, values = [b for b, _ in booted], [v for _, v in booted]
                    observations += blocks.observed(
                        (kernel, knobs), boards, clip(values, metric.resolution)
                    )
        return blocks.offsets(observations)

    @functools.cached_property
    def _switches(self) -> dict[str, _Switch]:
        """Return the toggles with which the new kernel was booted, by name."""
        pair = self.pair
        there = self._environment(pair.base_kernel, pair.base_knobs)
        here = self._environment(pair.new_kernel, pair.knobs)
        on_base = self._booted(pair.base_kernel, pair.base_knobs)
        switches = {}
        for setting, knobs in self._booted(pair.new_kernel, pair.knobs).items():
            # Where the two sides differ in this setting, switching it is no such step on the base.
            is_alike = setting.is_set_alike(pair.base_knobs, pair.knobs)
            switches[setting.name] = _Switch(
                on_new=knobs,
                on_base=on_base.get(setting) if is_alike else None,
                added=setting.is_added(there),
                shared=is_alike and setting.is_shared(there, here),
            )
        return dict(sorted(switches.items()))

    def _booted(self, kernel: int, own: Knobs) -> dict[Setting, Knobs]:
        """Return the knobs of boots that differ from a side's own in one setting, by the latter."""
        booted = {single(own, run.knobs): run.knobs for run in self._runs(kernel)}
        return {
            setting: knobs
            for setting, knobs in booted.items()
            if setting and (setting.knob in _SWITCHES or setting.knob.endswith("_ns"))
        }

    def _environment(self, kernel: int, knobs: Knobs) -> Environment:
        """Return what a boot of one side printed of the scheduler's state; {} where none did."""
        environments: Iterator[Environment] = (
            run.environment for run in self._runs(kernel) if run.knobs == knobs
        )
        return next((shown for shown in environments if features(shown)), {})

    def _runs(self, kernel: int) -> list[Run]:
        return runs.of_kernel(
            self.conn,
            kernel,
            board_type=self.board.name,
            synthetic=self.pair.synthetic,
            by_image=self.board.deterministic,
        )

    def _side_of(self, kernel: int, knobs: tuple[tuple[str, str], ...]) -> Side:
        return sides.side(
            self.conn,
            name="new",
            kernel=kernels.by_id(self.conn, kernel),
            knobs=dict(knobs),
            board=self.board,
            synthetic=self.pair.synthetic,
            scope=_EVERYTHING,
        )

    def _measured(self, kernel: int, knobs: Knobs, subject: Subject) -> list[Group]:
        """Return all boots of a kernel with these knobs that measured it, by conditions."""
        benchmark, parameters, metric, _statistic = subject
        side = self._side(kernel, tuple(sorted(knobs.items())))
        return side.measured(benchmark, parameters, metric)


def _alike(new: Group | None, groups: Sequence[Group]) -> Group | None:
    """Return the boots with the conditions of the new side's."""
    return next((g for g in groups if new is not None and g.conditions == new.conditions), None)


def _values(group: Group | None, subject: Subject, levels: Mapping[str, float]) -> list[float]:
    """Return one value a boot without its board's level, as far as it knows the statistic."""
    if group is None:
        return []
    values = [value_of(f.figures, subject[3]) for f in group.figures]
    return [
        v / exp(levels.get(run.board, 0.0))
        for run, v in zip(group.runs, values, strict=True)
        if v is not None
    ]
