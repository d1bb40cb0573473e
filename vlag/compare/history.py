# SPDX-License-Identifier: GPL-2.0-only
"""What earlier kernels on a type of board tell of a series: spread, pairing, modes."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median

from attrs import frozen

from vlag.compare import conditions, occasions
from vlag.compare.conditions import Group
from vlag.compare.sides import Side
from vlag.model import BoardType, Metric, canonical_json
from vlag.stats import blocks
from vlag.stats.blocks import Levels, Observation
from vlag.stats.compare import clip
from vlag.stats.modes import ONE_MODE_BOOTS, Modes, common, modes
from vlag.stats.prior import Prior, pairing, prior
from vlag.stats.summary import statistics
from vlag.store import runs
from vlag.store.database import Connection
from vlag.store.runs import Figures, Run

_Boot = tuple[str, float]  # board and value

# Kernels that a prior is made of: more tell little more, and a board ages.
KERNELS = 12


@frozen(kw_only=True)
class Known:
    """What a comparison may take from the history of its series."""

    prior: Prior | None = None
    paired: bool = False
    modes: Modes | None = None
    one_mode: bool = False  # many boots, and they show no second mode
    deviations: tuple[float, ...] = ()  # of its boots from their kernels' levels, log ratios


class History:
    """The runs of other kernels that had ended when the first run of the new one did.

    What comes later does not count: a comparison that is made again says the same.
    """

    def __init__(self, conn: Connection, board: BoardType, base: Side, new: Side):
        self._conn = conn
        self._board = board
        self._base = base
        self._figures: dict[int, dict[str, Figures]] = {}
        self._split: dict[tuple[str, bytes, str], Sequence[Group]] = {}
        self.runs: Sequence[Run] = ()
        if base.complete and new.complete:
            self.runs = runs.earlier(
                conn,
                board_type=board.name,
                before=min(r.finished_at for r in new.complete),
                without_kernels=(base.kernel.id, new.kernel.id),
                without_runs=[r.id for s in (base, new) for r in s.complete],
                kernels=KERNELS,
                synthetic=any(r.synthetic for r in new.complete),
                rule=conditions.RULE,
            )

    def known(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: Metric, statistic: str,
        base: Group, nights: Sequence[Sequence[tuple[Run, Figures]]] = (),
    ) -> Known:  # fmt: skip
        """Return what the history says of a statistic of a series with these conditions.

        `nights` are earlier boots of the base: their spread within a night counts as well.
        """
        kernels = [
            _boots(k, statistic, metric) for k in self._kernels(benchmark, parameters, metric, base)
        ]
        kernels = [k for k in kernels if len(k) > 1]
        own = _boots(base, statistic, metric)
        pool = _levelled([self._named(k) for k in (own, *kernels)])
        spread = [*(_boots(night, statistic, metric) for night in nights), *kernels]
        found_modes = common(pool) or modes(pool[0])
        return Known(
            # How far two boards are apart is no scatter of boots.
            prior=prior([values for k in spread for values in _by_board(self._named(k))]),
            # On a board with a clock of its own equal seeds have nothing in common.
            paired=self._board.deterministic and pairing(_aligned(kernels)),
            modes=found_modes,
            one_mode=found_modes is None and sum(map(len, pool)) >= ONE_MODE_BOOTS,
            deviations=_deviations(pool[1:]),
        )

    def levels(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: Metric, statistic: str,
        base: Group, boards: Sequence[str],
    ) -> Levels | None:  # fmt: skip
        """Return how far boards are apart by what they ran in common, or None.

        That is other kernels, and the base itself, night by night.
        """
        seen = [_boots(k, statistic, metric) for k in (
            *self._kernels(benchmark, parameters, metric, base), *occasions.nights(base)
        )]  # fmt: skip
        fits = blocks.levels(
            [
                Observation(kernel=i, board=board, log=fmean(map(math.log, values)))
                for i, boots in enumerate(seen)
                for board, values in _of_boards(boots.values()).items()
            ]
        )
        for known in fits:
            if {*boards} <= {*known.order} and known.freedom >= blocks.FREEDOM_MINIMUM:
                return known
        return None

    def _kernels(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: Metric, like: Group
    ) -> list[list[tuple[Run, Figures]]]:
        """Return the boots of each earlier kernel under the conditions of a group."""
        groups = self._groups(benchmark, parameters, metric.name)
        alike = [g for g in groups if g.conditions == like.conditions]
        return [k for g in alike for k in _by_kernel(g)]

    def _named(self, boots: Mapping[int, _Boot]) -> list[_Boot]:
        """Return boots by board; deterministic boards are all one."""
        if self._board.deterministic:
            return [("", value) for _board, value in boots.values()]
        return list(boots.values())

    def _groups(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: str
    ) -> Sequence[Group]:
        """Return the runs that measured a metric, by conditions: once for all its statistics."""
        key = benchmark, canonical_json(dict(parameters)), metric
        if key not in self._split:
            self._split[key] = conditions.split(
                (r, f)
                for r in self.runs
                if r.benchmark == benchmark and dict(r.parameters) == dict(parameters)
                if (f := self._of(r).get(metric)) is not None
            )
        return self._split[key]

    def _of(self, run: Run) -> dict[str, Figures]:
        if run.id not in self._figures:
            same = [r.id for r in self.runs if r.benchmark == run.benchmark]
            self._figures |= {r: {} for r in same}
            for f in runs.figures_of(self._conn, same):
                self._figures[f.run][f.series.metric] = f
        return self._figures[run.id]


def _by_kernel(group: Group) -> list[list[tuple[Run, Figures]]]:
    """Return a group's runs by kernel and knobs, each seed once, in the order of the runs."""
    by_kernel: dict[tuple[object, ...], dict[int, tuple[Run, Figures]]] = {}
    for run, figures in zip(group.runs, group.figures, strict=True):
        by_seed = by_kernel.setdefault((run.kernel, canonical_json(dict(run.knobs))), {})
        by_seed.setdefault(run.seed, (run, figures))
    return [list(by_seed.values()) for by_seed in by_kernel.values()]


def _boots(
    group: Group | Sequence[tuple[Run, Figures]], statistic: str, metric: Metric
) -> dict[int, _Boot]:
    """Return seed -> board and value of the boots that know a statistic, as comparisons clip it."""
    pairs = zip(group.runs, group.figures, strict=True) if isinstance(group, Group) else group
    values = {run.seed: (run.board, statistics(f.figures).get(statistic)) for run, f in pairs}
    return {
        seed: (board, clip([value], metric.resolution)[0])
        for seed, (board, value) in values.items()
        if value is not None
    }


def _deviations(kernels: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return how far each boot lies from the level of its kernel, as log ratios."""
    return tuple(
        math.log(value / median(values))
        for values in kernels
        if len(values) > 2
        for value in values
    )


def _of_boards(boots: Iterable[_Boot]) -> dict[str, list[float]]:
    by_board: dict[str, list[float]] = {}
    for board, value in boots:
        by_board.setdefault(board, []).append(value)
    return by_board


def _by_board(boots: Iterable[_Boot]) -> list[list[float]]:
    """Return the values of each board."""
    return list(_of_boards(boots).values())


def _levelled(kernels: Sequence[Sequence[_Boot]]) -> list[list[float]]:
    """Return the values of each kernel without the boards' levels.

    Boots of boards that are not connected with most of the others are left out.
    """
    every = Counter(board for boots in kernels for board, _value in boots)
    if len(every) < 2:
        return [[value for _board, value in boots] for boots in kernels]
    fits = blocks.levels(
        [
            Observation(kernel=i, board=board, log=math.log(value))
            for i, boots in enumerate(kernels)
            for board, value in boots
        ]
    )
    offsets = max(fits, key=lambda known: sum(every[b] for b in known.order)).offsets
    return [
        [value * math.exp(-offsets[board]) for board, value in boots if board in offsets]
        for boots in kernels
    ]


def _aligned(kernels: Sequence[Mapping[int, _Boot]]) -> list[tuple[list[float], list[float]]]:
    """Return the values of equal seeds of each kernel and the one after it."""
    pairs = []
    for a, b in itertools.pairwise(kernels):
        both = sorted(a.keys() & b.keys())
        pairs.append(([a[s][1] for s in both], [b[s][1] for s in both]))
    return [pair for pair in pairs if len(pair[0]) > 2]
