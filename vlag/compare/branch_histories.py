# SPDX-License-Identifier: GPL-2.0-only
"""Histories of figures along a branch: points that boards of one type make together.

Where boots do not repeat themselves a board is a block: its level, estimated from the kernels that
it ran in common with the others, is taken off before anything is looked for.  A board with other
firmware is another block, since the update may have moved it.  Blocks that nothing connects
make a history each.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist, median

from attrs import evolve, field, frozen

from vlag.compare import conditions
from vlag.compare.scope import Scope
from vlag.config.catalogue import Catalogue
from vlag.model import Benchmark, BoardType, Metric, canonical_json, digest
from vlag.stats import blocks, changepoint
from vlag.stats.blocks import Levels, Observation
from vlag.stats.changepoint import ChangePoint
from vlag.stats.changepoint_tuning import CONFIDENCE
from vlag.stats.compare import clip
from vlag.stats.summary import STATISTICS
from vlag.store import histories
from vlag.store.database import Connection
from vlag.store.histories import Boots, KeptConditions
from vlag.store.runs import TimeSeries

#: Points of a history that are looked at: some months of nights.
REACH = 400
#: A step of fewer standard errors of the boards' levels may be one of theirs.
LEVEL_ERRORS = 3.0
# Days without a point after which a history has ended, while others of the same figure go on.
_ENDED = datetime.timedelta(days=7)
# A board whose level is 0: of a history of one board.
_ALONE = ""


@frozen(kw_only=True)
class Point:
    """A kernel on a day, or a kernel where a boot repeats itself."""

    kernel: int
    day: datetime.date
    value: float
    series: int
    conditions: str  # digest of those under which boots are compared
    like: bytes  # all that must not change within a segment
    blocks: Mapping[str, int]  # boots by board


@frozen(kw_only=True)
class History:
    """One statistic of one series along a branch, of boards that are connected."""

    benchmark: Benchmark
    metric: Metric
    parameters: Mapping[str, str | int]
    statistic: str
    points: Sequence[Point]
    levels: Levels | None  # of the boards; None: one board

    @property
    def values(self) -> list[float]:
        """The points' values, in the metric's unit."""
        return [p.value for p in self.points]

    @property
    def breaks(self) -> list[int]:
        """First points of segments that nothing may be compared across."""
        return [i for i in range(1, len(self.points)) if self._differ(i)]

    def _differ(self, i: int) -> bool:
        return self.points[i - 1].like != self.points[i].like

    def detected(self) -> changepoint.History:
        """Return what the history shows; a step that levels of boards can make is none."""
        history = changepoint.detect(
            self.values, breaks=self.breaks, resolution=self.metric.resolution
        )
        if self.levels is None:
            return history
        edges = sorted({0, *self.breaks, *(p.index for p in history.points), len(self.points)})
        kept = []
        for point in history.points:
            at = edges.index(point.index)
            error = self._level_error(edges[at - 1], point.index, edges[at + 1])
            if abs(math.log1p(point.effect)) >= LEVEL_ERRORS * error:
                kept.append(_wider(point, error))
        return evolve(history, points=kept)

    def _level_error(self, first: int, index: int, end: int) -> float:
        """Return the standard error of a step by the boards' unequal shares of both sides."""
        assert self.levels is not None  # noqa: S101 - the caller has seen to it
        shares = []
        for side in (self.points[first:index], self.points[index:end]):
            share = dict.fromkeys(self.levels.order, 0.0)
            for point in side:
                total = sum(point.blocks.values()) * len(side)
                for block, boots in point.blocks.items():
                    share[block] += boots / total
            shares.append(share)
        return self.levels.error({b: shares[1][b] - shares[0][b] for b in self.levels.order})

    def days(self) -> list[datetime.date]:
        """Return the points' days."""
        return [p.day for p in self.points]

    def goes_on(self, peers: Iterable[tuple[History, History | None]]) -> bool:
        """Return whether it has not ended before the others of its figure."""
        newest = max(history.points[-1].day for history, _control in peers)
        return self.points[-1].day >= newest - _ENDED


def _wider(point: ChangePoint, error: float) -> ChangePoint:
    """Return a step with the error of the levels in its interval."""
    reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
    step = math.log1p(point.effect)
    low, high = (math.hypot(math.log1p(end) - step, reach) for end in (point.low, point.high))
    return evolve(point, low=math.expm1(step - low), high=math.expm1(step + high))


@frozen(kw_only=True)
class _Entry:
    """Boots of one kernel on one board and day."""

    point: histories.Point
    series: TimeSeries
    block: str
    like: bytes
    shared: str  # digest of the conditions

    @property
    def day(self) -> datetime.date:
        return self.point.begins.date()


_Key = tuple[str, bytes, str, str]  # benchmark, parameters, metric, statistic
_Found = dict[_Key, list[_Entry]]


def of_branch(
    conn: Connection,
    catalogue: Catalogue,
    board: BoardType,
    screen: Scope,
    along: Sequence[Boots],
    baselines: Sequence[Boots],
) -> list[list[tuple[History, History | None]]]:
    """Return the histories of each figure along a branch, each with its baseline's own.

    Those of one figure are of boards that nothing connects; the one that goes on is the last.
    """
    mine, its = (_entries(conn, catalogue, board, screen, boots) for boots in (along, baselines))
    by_figure = []
    for key in sorted(mine, key=lambda k: (k[0], k[1], k[2], STATISTICS.index(k[3]))):
        benchmark = catalogue.benchmark(key[0])
        metric = benchmark.metric(key[2])
        assert metric is not None  # noqa: S101 - the entries are of such
        pairs = []
        for levels in _levels([*mine[key], *its.get(key, [])], metric.resolution):
            history, of_baseline = (
                _history(benchmark, metric, key[3], entries, levels)
                for entries in (mine[key], its.get(key, []))
            )
            if history is not None:
                pairs.append((history, of_baseline))
        by_figure.append(sorted(pairs, key=lambda pair: pair[0].points[-1].day))
    return by_figure


def _entries(
    conn: Connection,
    catalogue: Catalogue,
    board: BoardType,
    screen: Scope,
    groups: Sequence[Boots],
) -> _Found:
    boots = [run for group in groups if screen.holds(group) for run in group.runs]
    keep_conditions(conn, boots)
    series, points = histories.points(
        conn, boots, by_day=not board.deterministic, by_board=not board.deterministic
    )
    likes = _Likes(
        series=series,
        kept=histories.conditions(conn, sorted({p.conditions for p in points})),
    )
    entries: _Found = {}
    for point in points:
        s = series[point.series]
        metric = catalogue.benchmark(s.benchmark).metric(s.metric)
        if metric is not None and metric.compared:
            key = (s.benchmark, canonical_json(dict(s.parameters)), s.metric, point.statistic)
            entries.setdefault(key, []).append(likes.entry(point))
    return entries


def keep_conditions(conn: Connection, boots: Sequence[int]) -> None:
    """Keep the conditions of boots; only of those that no earlier night has kept it reads more."""
    for documents in histories.without_conditions(conn, boots, conditions.RULE):
        kept = {run: conditions.kept(document) for run, document in documents.items()}
        histories.keep_conditions(
            conn,
            conditions.RULE,
            {
                run: (digest({"rule": conditions.RULE, **facts}), facts)
                for run, facts in kept.items()
            },
        )


@frozen(kw_only=True)
class _Likes:
    """What points have in common; what many share is computed once."""

    series: Mapping[int, TimeSeries]
    kept: Mapping[str, KeptConditions]  # by digest
    _known: dict[tuple[int, str, str | None], tuple[str, bytes, str]] = field(factory=dict)

    def entry(self, point: histories.Point) -> _Entry:
        key = (point.series, point.conditions, point.board)
        if key not in self._known:
            self._known[key] = self._of(*key)
        shared, like, block = self._known[key]
        return _Entry(
            point=point, series=self.series[point.series], shared=shared, like=like, block=block
        )

    def _of(self, series: int, kept: str, board: str | None) -> tuple[str, bytes, str]:
        """Return the digest of the conditions, what must not change in a segment, and the block.

        A segment has one tool, set-up and config.  The block is the board with its firmware; where
        two boards are one, the firmware is the segment's.
        """
        document = self.kept[kept]
        shared = {**conditions.of_tool(self.series[series]), **document["conditions"]}
        like = {**shared, **document["firmware"], "kconfig": document["kconfig"]}
        block = _ALONE
        if board is not None:
            like = {name: words for name, words in like.items() if name not in document["firmware"]}
            block = f"{board} {canonical_json(document['firmware']).decode()}"
        return digest(shared), canonical_json(like), block


def _levels(entries: Sequence[_Entry], resolution: float) -> list[Levels]:
    """Return the levels of each set of boards that are connected."""
    if len({e.block for e in entries}) == 1:
        return blocks.levels([Observation(kernel=0, board=entries[0].block, log=0.0)])
    return blocks.levels(
        [
            Observation(
                kernel=(e.point.kernel, e.like),
                board=e.block,
                log=math.log(clip([median(e.point.values)], resolution)[0]),
                day=e.day.toordinal(),
            )
            for e in entries
        ]
    )


def _history(
    benchmark: Benchmark,
    metric: Metric,
    statistic: str,
    entries: Sequence[_Entry],
    levels: Levels,
) -> History | None:
    """Return the history of some boards; None where they have no point."""
    mine = [e for e in entries if e.block in levels.offsets]
    points = _points(mine, levels)[-REACH:]
    if not points:
        return None
    return History(
        benchmark=benchmark,
        metric=metric,
        parameters=max(mine, key=lambda e: e.point.last).series.parameters,
        statistic=statistic,
        points=points,
        levels=levels if len(levels.order) > 1 else None,
    )


def _points(entries: Sequence[_Entry], levels: Levels) -> list[Point]:
    """Return a point a kernel, or a kernel and day where a boot does not repeat itself."""
    groups: dict[tuple[object, ...], list[_Entry]] = {}
    for e in entries:
        day = None if e.point.board is None else e.day
        groups.setdefault((e.point.kernel, day, e.like, e.series.id), []).append(e)
    return [
        Point(
            kernel=group[0].point.kernel,
            day=group[0].day,
            value=median(
                v / math.exp(levels.offsets[e.block]) for e in group for v in e.point.values
            ),
            series=group[0].point.series,
            conditions=max(group, key=lambda e: e.point.last).shared,
            like=group[0].like,
            blocks={
                e.block: sum(len(x.point.values) for x in group if x.block == e.block)
                for e in group
            },
        )
        for group in groups.values()
    ]
