# SPDX-License-Identifier: GPL-2.0-only
"""Regressions on record, and their causes: a commit, a change point, or unknown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, Protocol

from attrs import asdict, evolve, frozen

from vlag.compare.history_steps import step_of
from vlag.compare.predictions import recorded
from vlag.config.catalogue import Catalogue
from vlag.model import Verdict, canonical_json
from vlag.stats import severity
from vlag.stats.attribution import LEAST_SHARE
from vlag.stats.healing import Course
from vlag.stats.slow import may_be_slow, slow_loss
from vlag.store import changes, comparisons, findings
from vlag.store.alerts import Ground
from vlag.store.changes import Change
from vlag.store.database import Connection
from vlag.store.judged import Pair, Row

_REGRESSION = Verdict.REGRESSION.value
_MARGINAL = Verdict.MARGINAL.value
_EQUAL = 3  # decimals of a log ratio: differences below a tenth of a percent count as equal
_BETTER = (Verdict.UNCHANGED.value, Verdict.IMPROVEMENT.value)


@frozen(kw_only=True)
class SlowLoss:
    """The heads over which a loss was spread that no single step explains."""

    first: Pair  # the last head without it
    last: Pair  # the first head with all of it
    heads: int  # after the first one
    loss: float  # along them, a log ratio


@frozen(kw_only=True)
class Finding:
    """One statistic with a decided regression on record."""

    pair: Pair
    row: Row
    slow: SlowLoss | None = None  # how it came; None: by a step, or nobody knows

    @property
    def place(self) -> tuple[str, str]:
        """Return where it was seen: board type and benchmark."""
        return self.pair.board_type, self.row.benchmark

    @property
    def worsening(self) -> float:
        """Return the worsening as a positive share."""
        return self.row.worsening or 0.0

    @property
    def size(self) -> float:
        """Return the size of the change as a log ratio."""
        return severity.log_ratio(self.row.effect)


@frozen(kw_only=True)
class Culprit:
    """A commit, or a series on it, compared with its parent on every board type."""

    tree: str
    commit: str
    series: str | None
    application: str
    synthetic: bool

    @classmethod
    def of(cls, pair: Pair) -> Culprit:
        """Return the subject of a comparison with a parent."""
        return cls(
            tree=pair.tree,
            commit=pair.commit,
            series=pair.series,
            application=pair.application,
            synthetic=pair.synthetic,
        )

    def pairs(self, conn: Connection, names: Sequence[str]) -> list[Pair]:
        """Return its comparisons on record, oldest first; `names` are all of its commit."""
        return findings.of_commit(
            conn,
            tree=self.tree,
            commits=names,
            series=self.series,
            application=self.application,
            synthetic=self.synthetic,
        )

    @property
    def words(self) -> Mapping[str, Any]:
        """Return the parts of its alert's key."""
        return {"kind": "culprit", **asdict(self)}


@frozen(kw_only=True)
class Scope:
    """The heads of one branch on one board type, compared with its baselines or with one base.

    It holds no tag of a baseline and no commit: they move on, and what is said does not.
    """

    role: str | None
    tree: str
    branch: str | None
    series: str | None
    application: str
    variant: str
    knobs: bytes  # canonical JSON
    board_type: str
    # Tree, commit, series, application and variant of the base; None: the branch's baselines.
    base: tuple[str, str, str | None, str, str] | None
    base_knobs: bytes
    synthetic: bool

    @classmethod
    def of(cls, pair: Pair) -> Scope:
        """Return the scope of a comparison."""
        return cls(
            role=pair.role,
            tree=pair.tree,
            branch=pair.branch,
            series=pair.series,
            application=pair.application,
            variant=pair.variant,
            knobs=canonical_json(dict(pair.knobs)),
            board_type=pair.board_type,
            base=None
            if pair.role == findings.BASELINE
            else (
                pair.base_tree,
                pair.base_commit,
                pair.base_series,
                pair.base_application,
                pair.base_variant,
            ),
            base_knobs=canonical_json(dict(pair.base_knobs)),
            synthetic=pair.synthetic,
        )

    @property
    def plain(self) -> bool:
        """Return whether it is the plain branch: only that has a history."""
        return self.series is None and self.variant == "default" and self.knobs == b"{}"

    def words(self, commit: str | None) -> Mapping[str, Any]:
        """Return the parts of an alert's key; `commit` begins a change point."""
        words = {k: v.decode() if isinstance(v, bytes) else v for k, v in asdict(self).items()}
        return {"kind": "scope", **words, "change": commit}


class Matters(Protocol):
    """From which size on losses matter, as shares."""

    def of(self, finding: Finding) -> float:
        """Return it for a finding."""

    def least(self, finding: Finding) -> float:
        """Return what it is not below, at less expense."""


def regressions(
    conn: Connection,
    catalogue: Catalogue,
    pairs: Sequence[Pair],
    *,
    matters: Matters | None = None,
    grounds: Set[int] = frozenset(),
) -> list[Finding]:
    """Return the regressions by the newest decided verdict of each statistic, worst first.

    `pairs` are comparisons in the order of their kernels, the newest last.  A comparison of
    the same two kernels replaces earlier ones; those of later kernels remove a finding where
    their intervals exclude it (`vlag.stats.healing`), whatever their verdicts.  Left out are
    hints, changes that may be chance among the tests of a night, and changes that the header of
    a patch predicts.

    What a branch has lost slowly against its baseline is found by all heads together, whatever
    the verdict on each, where it is more than what `matters`.  `grounds` are the
    verdicts by which such a loss was found before: it stands as a proven one.
    """
    heads = _heads(pairs, findings.rows(conn, [pair.id for pair in pairs]))
    losses: dict[tuple[object, ...], Finding] = {}
    for figure_key, its in heads.items():
        lost = _stands(its, grounds)
        slow = None if matters is None else _slow(its, matters)
        if slow is not None:
            lost = evolve(lost or slow, slow=slow.slow)
        if lost is not None:
            losses[figure_key] = lost
    unpredicted = _unpredicted(conn, catalogue, losses.values())
    return worst_first(catalogue, unpredicted)


def _heads(
    pairs: Sequence[Pair], rows: Iterable[Row]
) -> Mapping[tuple[object, ...], Sequence[Finding]]:
    """Return what comparisons say of each figure, in their order.

    One of the same two kernels replaces earlier ones.
    """
    order = {pair.id: n for n, pair in enumerate(pairs)}
    places = {pair.id: (pair, _place(pair)) for pair in pairs}
    latest: dict[tuple[object, ...], tuple[tuple[object, ...], Pair, Row]] = {}
    for row in rows:
        pair, place = places[row.comparison]
        figure_key = (*place, *row.subject)
        key = pair.base_kernel, pair.new_kernel, pair.plan, figure_key
        known = latest.get(key)
        if known is None or known[1].id < pair.id:
            latest[key] = figure_key, pair, row
    heads: dict[tuple[object, ...], list[Finding]] = {}
    for figure_key, pair, row in sorted(
        latest.values(), key=lambda its: (order[its[1].id], its[2].id)
    ):
        heads.setdefault(figure_key, []).append(Finding(pair=pair, row=row))
    return heads


def _stands(heads: Sequence[Finding], grounds: Set[int]) -> Finding | None:
    """Return the newest of a figure's heads that proves a loss, if that stands."""
    if not any(is_worse(f.row) or f.row.id in grounds for f in heads):
        return None
    course, loss = Course(), None
    for f in heads:
        worse = is_worse(f.row)
        proven = worse is True or f.row.id in grounds
        stands = course.add(f.row.measured, proven=proven, exact=worse is False)
        if proven:
            loss = f
        elif not stands:
            loss = None
    return loss


def _slow(heads: Sequence[Finding], matters: Matters) -> Finding | None:
    """Return the newest of a figure's heads, if what it has lost came slowly."""
    if heads[0].pair.role != findings.BASELINE:
        return None
    known = [(f, e) for f in heads if (e := f.row.measured) is not None]
    # One head may have been compared under several conditions.
    known = [(f, e) for f, e in known if e.conditions == known[-1][1].conditions]
    estimates = [e for _f, e in known]
    if not may_be_slow(estimates, matters=math.log1p(matters.least(heads[0]))):
        return None  # the threshold itself takes more to know
    slow = slow_loss(estimates, matters=math.log1p(matters.of(heads[0])))
    if slow is None:
        return None
    newest = known[-1][0]
    more_is_worse = newest.row.worsening == newest.row.effect
    share = math.expm1(slow.level) if more_is_worse else -math.expm1(-slow.level)
    return Finding(
        pair=newest.pair,
        row=evolve(newest.row, worsening=share),
        slow=SlowLoss(
            first=known[slow.first][0].pair,
            last=known[slow.last][0].pair,
            heads=slow.last - slow.first,
            loss=slow.loss,
        ),
    )


def worst_first(catalogue: Catalogue, losses: Iterable[Finding]) -> list[Finding]:
    """Return findings by size; of two equal ones the headline comes first."""

    def key(f: Finding) -> tuple[float, bool, int]:
        entry = catalogue.benchmarks.get(f.row.benchmark)
        metric = None if entry is None else entry.metric(f.row.metric)
        return -round(f.size, _EQUAL), metric is None or not metric.headline, f.row.id

    return sorted(losses, key=key)


def figure(pair: Pair, row: Row) -> tuple[object, ...]:
    """Return what a row is about and where, whichever kernels were compared."""
    return (*_place(pair), *row.subject)


def _place(pair: Pair) -> tuple[object, ...]:
    baseline = pair.baseline if pair.role == findings.BASELINE else None
    return pair.board_type, baseline, pair.variant, pair.knobs_json


def is_worse(row: Row) -> bool | None:
    """Return whether a verdict is a regression, or None if it is undecided."""
    if row.hint:
        return None
    if row.standing == "refuted":
        return False
    if row.standing == "suspected":
        return None
    if row.verdict == _REGRESSION:
        return None if row.chance else True
    better = row.verdict == _MARGINAL and (row.worsening or 0.0) < 0
    return False if better or row.verdict in _BETTER else None


def _unpredicted(
    conn: Connection, catalogue: Catalogue, losses: Iterable[Finding]
) -> list[Finding]:
    """Leave out what the header of a known regression's patch predicts."""
    predicted: dict[int, set[str]] = {}
    benchmarks = catalogue.benchmarks
    kept = []
    for finding in losses:
        pair = finding.pair
        if pair.series is not None and pair.id not in predicted:
            comparison = comparisons.by_id(conn, pair.id)
            verdicts = comparisons.verdicts(conn, pair.id)
            prediction = (
                None if comparison is None else recorded(conn, benchmarks, comparison, verdicts)
            )
            predicted[pair.id] = set() if prediction is None else set(prediction["found"])
        row = finding.row
        if f"{row.benchmark} {row.metric} {row.statistic}" not in predicted.get(pair.id, ()):
            kept.append(finding)
    return kept


def beyond(losses: Sequence[Finding], closed: Sequence[Ground]) -> list[Finding]:
    """Return those of `losses` that are new compared with a closed alert.

    New is a change of more than twice the size, or in another benchmark.
    """
    return larger(losses, sizes_of(closed))


def sizes_of(grounds: Iterable[Ground]) -> dict[str, float]:
    """Return the size of the largest change of each benchmark, as a log ratio."""
    sizes: dict[str, float] = {}
    for ground in grounds:
        size = severity.log_ratio(ground.effect)
        sizes[ground.benchmark] = max(sizes.get(ground.benchmark, 0.0), size)
    return sizes


def larger(losses: Sequence[Finding], sizes: Mapping[str, float]) -> list[Finding]:
    """Return those of `losses` that are of more than twice a size, or of another benchmark."""
    return [f for f in losses if sizes.get(f.row.benchmark, 0.0) < LEAST_SHARE * f.size]


def change_of(standing: Sequence[Change], finding: Finding) -> Change | None:
    """Return the step in its history that accounts for a finding: the largest, or None."""
    row = finding.row
    return step_of(standing, row.series_new, row.statistic, row.effect)


def steps(conn: Connection, scope: Scope, losses: Sequence[Finding]) -> list[Change]:
    """Return the active change points that may explain a branch's findings."""
    series = sorted({f.row.series_new for f in losses if f.row.series_new is not None})
    if scope.branch is None or not scope.plain or scope.synthetic or not series:
        return []
    return changes.standing(conn, tree=scope.tree, branch=scope.branch, series=series)


def newest(losses: Iterable[Finding]) -> datetime:
    """Return when the newest kernel with any of these findings came to its branch, or was made."""
    return max((f.pair for f in losses), key=lambda p: (p.place, p.id)).seen_at
