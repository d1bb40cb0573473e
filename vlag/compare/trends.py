# SPDX-License-Identifier: GPL-2.0-only
"""Histories along watched branches: change points on record, and what the last nights ask for."""

from __future__ import annotations

import bisect
import logging
from collections.abc import Iterator, Sequence
from typing import TypedDict

from attrs import evolve, frozen

from vlag.compare import branch_histories, verdict_keys
from vlag.compare.branch_histories import REACH, History
from vlag.compare.scope import scope
from vlag.compare.verdict import hinted
from vlag.config import Branch, Settings
from vlag.config.catalogue import Catalogue
from vlag.model import BoardType
from vlag.stats.changepoint import Bimodal, ChangePoint, Drift
from vlag.stats.watch import moved_with, watch
from vlag.store import builds, changes, histories, kernels, renames, suspicions
from vlag.store.changes import Change
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection

log = logging.getLogger(__name__)


class _Figure(TypedDict):
    benchmark: str
    metric: str
    statistic: str
    board_type: str
    tree: str
    branch: str


class NewChange(_Figure):
    """A change point that is new; kernels are as git describes them."""

    before: str
    kernel: str
    effect: float
    cause: str


class _Part(_Figure):
    first: str  # kernels, both included
    last: str
    points: int


class DriftData(_Part):
    """A history whose level moves a little every night."""

    slope: float
    low: float
    high: float
    effect: float


class BimodalData(_Part):
    """A history that alternates between two levels."""

    low: float  # in its unit
    high: float
    share_high: float
    switches: int
    unit: str


class KernelToBoot(TypedDict):
    """One side of a pair of kernels."""

    kernel: str  # digest
    name: str
    bundle: str | None  # folder of its build


class AskedPair(TypedDict):
    """Two kernels to boot again, in turns."""

    base: KernelToBoot
    new: KernelToBoot
    board_type: str
    plan: str
    suspects: list[str]  # benchmarks
    proof: list[str]  # those of them that prove something


@frozen(kw_only=True)
class Trends:
    """What the histories of all watched branches show now."""

    histories: int
    new_changes: tuple[NewChange, ...]  # change points that are new
    standing: int  # change points, the new ones included
    withdrawn: int
    drifts: tuple[DriftData, ...]
    bimodal: tuple[BimodalData, ...]
    schedule: tuple[AskedPair, ...]


def follow(conn: Connection, settings: Settings, catalogue: Catalogue) -> Trends:
    """Look at the history of each series along each watched branch, and store what it shows.

    A point is a kernel on a day, the median over its boots of the plan's screen, the levels of
    several boards taken off.  Boards with nothing in common have a history each.  A change
    point that later data removes is withdrawn; one that the branch's baseline shows too is
    the board's.  What the last points suspect is put on record as an open suspicion, and
    returned as a pair of kernels to boot again in turns until that has been done.
    """
    renames.apply(conn, catalogue.benchmarks.values())
    count, new_changes, standing, withdrawn = 0, list[NewChange](), 0, 0
    drifts: list[DriftData] = []
    bimodal: list[BimodalData] = []
    schedule: dict[tuple[str, str, str], AskedPair] = {}
    for watched, name, board in _places(conn, settings, catalogue):
        log.info(f"history of {watched.tree} {name} on {board.name}")
        plan = catalogue.plan(watched.plan)
        screen = scope(catalogue=catalogue, board=board, plan=plan, stage=None, benchmarks=None)
        along = histories.along(
            conn, tree=watched.tree, branch=name, board_type=board.name, reach=REACH
        )
        seen = sorted({kernel for boots in along for kernel in boots.kernels})
        baselines = histories.of_baselines(conn, kernels=seen, board_type=board.name, reach=REACH)
        for pairs in branch_histories.of_branch(conn, catalogue, board, screen, along, baselines):
            now: list[Change] = []
            for history, baseline in pairs:
                count += 1
                shown = history.detected()
                now += _changes(history, shown.points, baseline, watched, name)
                place = _Place(watched=watched, branch=name, board=board)
                drifts += [_drifting(conn, history, d, place) for d in shown.drifts]
                bimodal += [_alternating(conn, history, b, place) for b in shown.bimodal]
                if not history.goes_on(pairs):
                    continue
                for pair in _asks(conn, catalogue, history, board, watched):
                    key = (pair["base"]["kernel"], pair["new"]["kernel"], board.name)
                    known = schedule.setdefault(key, pair)
                    known["suspects"] = sorted({*known["suspects"], *pair["suspects"]})
                    known["proof"] = sorted({*known["proof"], *pair["proof"]})
            series = sorted({p.series for history, _baseline in pairs for p in history.points})
            gone, new = _store(conn, pairs[-1][0], series, now, watched.tree, name)
            withdrawn += gone
            standing += len(now)
            new_changes += [_said(conn, pairs[-1][0], c, board) for c in new]
    return Trends(
        histories=count,
        new_changes=tuple(new_changes),
        standing=standing,
        withdrawn=withdrawn,
        drifts=tuple(drifts),
        bimodal=tuple(bimodal),
        schedule=tuple(schedule.values()),
    )


def _places(
    conn: Connection, settings: Settings, catalogue: Catalogue
) -> Iterator[tuple[Branch, str, BoardType]]:
    """Yield each watched branch on record with each of its board types, once."""
    seen = set()
    for watched in settings.branches:
        for name in kernels.branches(conn, watched.tree):
            for board_type in catalogue.types_of(watched.board_types):
                key = (watched.tree, name, board_type)
                planned = catalogue.plan(watched.plan).entries_on(board_type, {})
                if watched.fits(name) and planned and key not in seen:
                    seen.add(key)
                    yield watched, name, catalogue.board_type(board_type)


def _changes(
    history: History,
    points: Sequence[ChangePoint],
    baseline: History | None,
    watched: Branch,
    name: str,
) -> list[Change]:
    steps: list[ChangePoint] = []
    if baseline is not None:
        days = history.days()
        for step in baseline.detected().points:
            at = bisect.bisect_left(days, baseline.points[step.index].day)
            steps.append(evolve(step, index=at))
    return [
        Change(
            # A tool's update begins a series: what an earlier one showed stays its own.
            series=history.points[p.index].series,
            statistic=history.statistic,
            tree=watched.tree,
            branch=name,
            before_kernel=history.points[p.index - 1].kernel,
            kernel=history.points[p.index].kernel,
            effect=p.effect,
            ci_low=p.low,
            ci_high=p.high,
            cause=cause.value,
        )
        for p, cause in zip(points, moved_with(steps, points), strict=True)
        # What moves from one day to the next with one kernel is no change of the branch.
        if history.points[p.index - 1].kernel != history.points[p.index].kernel
    ]


def _store(
    conn: Connection, history: History, series: Sequence[int], now: Sequence[Change], tree: str,
    name: str,
) -> tuple[int, list[Change]]:  # fmt: skip
    """Store what stands, withdraw what does not; return how many went, and what is new."""
    earlier = changes.standing(conn, tree=tree, branch=name, series=series)
    kept = {(c.series, c.kernel) for c in now}
    gone = [
        c.id
        for c in earlier
        if c.statistic == history.statistic
        if (c.series, c.kernel) not in kept and c.id is not None
    ]
    changes.withdraw(conn, gone)
    return len(gone), [c for c in now if changes.put(conn, c)]


def _said(conn: Connection, history: History, c: Change, board: BoardType) -> NewChange:
    return {
        "benchmark": history.benchmark.name,
        "metric": history.metric.name,
        "statistic": history.statistic,
        "board_type": board.name,
        "tree": c.tree,
        "branch": c.branch,
        "before": kernels.by_id(conn, c.before_kernel).describe,
        "kernel": kernels.by_id(conn, c.kernel).describe,
        "effect": c.effect,
        "cause": c.cause,
    }


@frozen(kw_only=True)
class _Place:
    """Where a history was measured."""

    watched: Branch
    branch: str
    board: BoardType


def _where(conn: Connection, history: History, first: int, last: int, place: _Place) -> _Part:
    """Return what a history and a part of it, both ends included, are called."""
    names = [kernels.by_id(conn, history.points[i].kernel).describe for i in (first, last)]
    return {
        "benchmark": history.benchmark.name,
        "metric": history.metric.name,
        "statistic": history.statistic,
        "board_type": place.board.name,
        "tree": place.watched.tree,
        "branch": place.branch,
        "first": names[0],
        "last": names[1],
        "points": last - first + 1,
    }


def _drifting(conn: Connection, history: History, drift: Drift, place: _Place) -> DriftData:
    return {
        **_where(conn, history, drift.first, drift.last, place),
        "slope": drift.slope,
        "low": drift.low,
        "high": drift.high,
        "effect": drift.effect,
    }


def _alternating(
    conn: Connection, history: History, bimodal: Bimodal, place: _Place
) -> BimodalData:
    return {
        **_where(conn, history, bimodal.first, bimodal.last, place),
        "low": bimodal.low,
        "high": bimodal.high,
        "share_high": bimodal.share_high,
        "switches": bimodal.switches,
        "unit": history.metric.unit,
    }


def _asks(
    conn: Connection, catalogue: Catalogue, history: History, board: BoardType, watched: Branch
) -> Iterator[AskedPair]:
    """Yield the pair of kernels that the last points ask to boot again, if they do."""
    seen = watch(history.values, breaks=history.breaks, resolution=history.metric.resolution)
    if seen is None:
        return
    before, after = (kernels.by_id(conn, history.points[i].kernel) for i in (seen.first - 1, -1))
    worse = bool(verdict_keys.worse(seen.effect, history.metric.direction.value))
    rounds = any(
        e.rounds and e.benchmark == history.benchmark.name
        for e in catalogue.plan(watched.plan).entries_on(board.name, {})
    )
    bundles = [_bundle(conn, k.id) for k in (before, after)]
    # One kernel on two nights is the board's matter: the kernel is its own baseline.
    if not (worse and rounds and all(bundles)) or before.id == after.id:
        return
    hint = hinted(history.metric, board, unproven=history.benchmark.unproven is not None)
    pair = Comparison(
        inputs="", base_kernel=before.id, new_kernel=after.id, board_type=board.name,
        base_knobs={}, new_knobs={}, factors={}, failed_builds=(), failed_runs=(), notes=(),
    )  # fmt: skip
    waits = suspicions.raise_seen(
        conn,
        pair,
        benchmark=history.benchmark.name,
        parameters=history.parameters,
        metric=history.metric.name,
        statistic=history.statistic,
        conditions=history.points[-1].conditions,
        worse=worse,
        hint=hint,
    )
    if not waits:
        return
    sides: list[KernelToBoot] = [
        {"kernel": k.digest, "name": f"{k.name} {k.describe}", "bundle": bundle}
        for k, bundle in zip((before, after), bundles, strict=True)
    ]
    yield {
        "base": sides[0],
        "new": sides[1],
        "board_type": board.name,
        "plan": watched.plan,
        "suspects": [history.benchmark.name],
        "proof": [] if hint else [history.benchmark.name],
    }


def _bundle(conn: Connection, kernel: int) -> str | None:
    made = [b for b in builds.of_kernels(conn, [kernel]) if b.image is not None]
    return made[-1].location if made else None
