"""Histories along watched branches: change points on record, and what the last nights ask for."""

from __future__ import annotations

import bisect
import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from attrs import evolve, field, frozen

from vlag.compare import conditions, rows
from vlag.compare.scope import Scope, scope
from vlag.compare.verdict import hinted
from vlag.config import Branch, Settings
from vlag.config.catalogue import Catalogue
from vlag.model import Benchmark, BoardType, Metric, canonical_json, digest
from vlag.stats import changepoint
from vlag.stats.changepoint import ChangePoint, Drift
from vlag.stats.summary import STATISTICS
from vlag.stats.watch import moved_with, watch
from vlag.store import builds, changes, histories, kernels, renames, suspicions
from vlag.store.changes import Change
from vlag.store.comparisons import Comparison
from vlag.store.database import Connection
from vlag.store.histories import Boots, Point
from vlag.store.runs import Series

# Points of a history that are looked at: some months of nights.
REACH = 400


@frozen(kw_only=True)
class Trends:
    """What the histories of all watched branches show now."""

    histories: int
    found: tuple[dict[str, Any], ...]  # change points that are new
    standing: int  # change points, the new ones included
    withdrawn: int
    drifts: tuple[dict[str, Any], ...]  # histories whose level moves a little every night
    schedule: tuple[dict[str, Any], ...]  # pairs of kernels to boot again, in turns


@frozen(kw_only=True)
class _Point:
    kernel: int
    day: datetime.date
    value: float
    series: int
    conditions: str  # digest of those under which boots are compared
    like: bytes  # all that must not change within a segment


@frozen(kw_only=True)
class _History:
    """One statistic of one series along a branch."""

    benchmark: Benchmark
    metric: Metric
    parameters: Mapping[str, str | int]
    series: int
    statistic: str
    points: Sequence[_Point]

    @property
    def values(self) -> list[float]:
        return [p.value for p in self.points]

    @property
    def breaks(self) -> list[int]:
        return [i for i in range(1, len(self.points)) if self._differ(i)]

    def _differ(self, i: int) -> bool:
        return self.points[i - 1].like != self.points[i].like

    def detected(self) -> changepoint.History:
        return changepoint.detect(
            self.values, breaks=self.breaks, resolution=self.metric.resolution
        )

    def days(self) -> list[datetime.date]:
        return [p.day for p in self.points]


def follow(
    conn: Connection, settings: Settings, catalogue: Catalogue, say: Callable[[str], None]
) -> Trends:
    """Look at the history of each series along each watched branch, and store what it shows.

    A point is a kernel on a day, the median over its boots of the plan's screen.  A change
    point that later data removes is withdrawn; one that the branch's baseline shows too is
    the board's.  What the last points suspect is put on record as an open suspicion, and
    returned as a pair of kernels to boot again in turns until that has been done.
    """
    renames.apply(conn, catalogue.benchmarks.values())
    count, found, standing, withdrawn = 0, list[dict[str, Any]](), 0, 0
    drifts: list[dict[str, Any]] = []
    schedule: dict[tuple[Any, ...], dict[str, Any]] = {}
    for watched, name, board in _places(conn, settings, catalogue):
        say(f"history of {watched.tree} {name} on {board.name}")
        plan = catalogue.plan(watched.plan)
        screen = scope(catalogue=catalogue, board=board, plan=plan, stage=None, benchmarks=None)
        along = histories.along(
            conn, tree=watched.tree, branch=name, board_type=board.name, reach=REACH
        )
        seen = sorted({kernel for boots in along for kernel in boots.kernels})
        control = histories.of_control(conn, kernels=seen, board_type=board.name, reach=REACH)
        of_control = {
            (h.series, h.statistic): h for h in _histories(conn, catalogue, board, screen, control)
        }
        for history in _histories(conn, catalogue, board, screen, along):
            count += 1
            shown = history.detected()
            control_of = of_control.get((history.series, history.statistic))
            now = _changes(history, shown.points, control_of, watched, name)
            drifts += [_drifting(conn, history, d, board, watched, name) for d in shown.drifts]
            gone, new = _store(conn, history, now, watched.tree, name)
            withdrawn += gone
            standing += len(now)
            found += [_said(conn, history, c, board) for c in new]
            for pair in _asks(conn, catalogue, history, board, watched):
                key = (pair["base"]["kernel"], pair["new"]["kernel"], board.name)
                known = schedule.setdefault(key, pair)
                for list_ in ("suspects", "proof"):
                    known[list_] = sorted({*known[list_], *pair[list_]})
    return Trends(
        histories=count,
        found=tuple(found),
        standing=standing,
        withdrawn=withdrawn,
        drifts=tuple(drifts),
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
                planned = any(
                    board_type in e.board_types for e in catalogue.plan(watched.plan).entries
                )
                if watched.fits(name) and planned and key not in seen:
                    seen.add(key)
                    yield watched, name, catalogue.board_type(board_type)


def _histories(
    conn: Connection,
    catalogue: Catalogue,
    board: BoardType,
    screen: Scope,
    found: Sequence[Boots],
) -> list[_History]:
    boots = [run for of in found if screen.holds(of) for run in of.runs]
    _keep_conditions(conn, boots)
    series, points = histories.points(
        conn, boots, by_day=not board.deterministic, by_board=not board.deterministic
    )
    likes = _Likes(
        series=series,
        kept=histories.conditions(conn, sorted({p.conditions for p in points})),
    )
    of: dict[tuple[str, bytes, str, str], list[Point]] = {}
    for point in points:
        s = series[point.series]
        metric = catalogue.benchmark(s.benchmark).metric(s.metric)
        if metric is not None and metric.compared:
            key = (s.benchmark, canonical_json(dict(s.parameters)), s.metric, point.statistic)
            of.setdefault(key, []).append(point)
    result = []
    for benchmark, _parameters, metric_name, name in sorted(
        of, key=lambda k: (k[0], k[1], k[2], STATISTICS.index(k[3]))
    ):
        entries = of[benchmark, _parameters, metric_name, name]
        entry = catalogue.benchmark(benchmark)
        metric = entry.metric(metric_name)
        newest = series[max(entries, key=lambda p: p.last).series]
        if metric is not None and newest.id is not None:
            result.append(
                _History(
                    benchmark=entry,
                    metric=metric,
                    parameters=newest.parameters,
                    series=newest.id,
                    statistic=name,
                    points=[likes.point(p) for p in entries[-REACH:]],
                )
            )
    return result


def _keep_conditions(conn: Connection, boots: Sequence[int]) -> None:
    """Read the documents of those boots that no earlier night has read."""
    for documents in histories.without_conditions(conn, boots, conditions.RULE):
        kept = {run: conditions.kept(document) for run, document in documents.items()}
        histories.keep_conditions(
            conn,
            conditions.RULE,
            {run: (digest({"rule": conditions.RULE, **of}), of) for run, of in kept.items()},
        )


@frozen(kw_only=True)
class _Likes:
    """What points have in common; what many share is computed once."""

    series: Mapping[int, Series]
    kept: Mapping[str, Mapping[str, Any]]  # digest -> what `conditions.kept` returned
    _known: dict[tuple[int, str, str | None], tuple[str, bytes]] = field(factory=dict)

    def point(self, of: Point) -> _Point:
        key = (of.series, of.conditions, of.board)
        if key not in self._known:
            self._known[key] = self._of(*key)
        shared, like = self._known[key]
        return _Point(
            kernel=of.kernel,
            day=of.begins.date(),
            value=median(of.values),
            series=of.series,
            conditions=shared,
            like=like,
        )

    def _of(self, series: int, kept: str, board: str | None) -> tuple[str, bytes]:
        """Return the digest of the conditions, and all that must not change within a segment.

        That is tool, set-up, config, firmware and, where two boards are not one, the board.
        """
        of = self.kept[kept]
        shared = {**conditions.of_tool(self.series[series]), **of["conditions"]}
        like = {**shared, **of["firmware"], "kconfig": of["kconfig"], "board": board}
        return digest(shared), canonical_json(like)


def _changes(
    history: _History,
    points: Sequence[ChangePoint],
    control: _History | None,
    watched: Branch,
    name: str,
) -> list[Change]:
    steps: list[ChangePoint] = []
    if control is not None:
        days = history.days()
        for step in control.detected().points:
            at = bisect.bisect_left(days, control.points[step.index].day)
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
    ]


def _store(
    conn: Connection, history: _History, now: Sequence[Change], tree: str, name: str
) -> tuple[int, list[Change]]:
    """Store what stands, withdraw what does not; return how many went, and what is new."""
    series = sorted({p.series for p in history.points})
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


def _said(conn: Connection, history: _History, c: Change, board: BoardType) -> dict[str, Any]:
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


def _drifting(
    conn: Connection, history: _History, drift: Drift, board: BoardType, watched: Branch, name: str
) -> dict[str, Any]:
    first, last = (kernels.by_id(conn, history.points[i].kernel) for i in (drift.first, drift.last))
    return {
        "benchmark": history.benchmark.name,
        "metric": history.metric.name,
        "statistic": history.statistic,
        "board_type": board.name,
        "tree": watched.tree,
        "branch": name,
        "first": first.describe,
        "last": last.describe,
        "points": drift.last - drift.first + 1,
        "slope": drift.slope,
        "low": drift.low,
        "high": drift.high,
        "effect": drift.effect,
    }


def _asks(
    conn: Connection, catalogue: Catalogue, history: _History, board: BoardType, watched: Branch
) -> Iterator[dict[str, Any]]:
    """Yield the pair of kernels that the last points ask to boot again, if they do."""
    seen = watch(history.values, breaks=history.breaks, resolution=history.metric.resolution)
    if seen is None:
        return
    before, after = (kernels.by_id(conn, history.points[i].kernel) for i in (seen.first - 1, -1))
    worse = bool(rows.worse(seen.effect, history.metric.direction.value))
    rounds = any(
        e.rounds and e.benchmark == history.benchmark.name and board.name in e.board_types
        for e in catalogue.plan(watched.plan).entries
    )
    bundles = [_bundle(conn, k.id) for k in (before, after)]
    # One kernel on two nights is the board's matter: its own history is the control.
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
    sides = [
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
