"""What earlier kernels on a type of board tell of a series: spread, pairing, modes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.compare import conditions
from vlag.compare.conditions import Group
from vlag.compare.sides import Side
from vlag.model import BoardType, Metric, canonical_json
from vlag.stats.compare import clip
from vlag.stats.modes import ONE_MODE_BOOTS, Modes, common, modes
from vlag.stats.prior import Prior, pairing, prior
from vlag.stats.summary import statistics
from vlag.store import runs
from vlag.store.database import Connection
from vlag.store.runs import Figures, Run

# Kernels that a prior is made of: more tell little more, and a board ages.
KERNELS = 12


@frozen(kw_only=True)
class Known:
    """What a comparison may take from the history of its series."""

    prior: Prior | None = None
    paired: bool = False
    modes: Modes | None = None
    one_mode: bool = False  # many boots, and they show no second mode


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
            )

    def known(
        self, benchmark: str, parameters: Mapping[str, str | int], metric: Metric, statistic: str,
        base: Group, nights: Sequence[Sequence[tuple[Run, Figures]]] = (),
    ) -> Known:  # fmt: skip
        """Return what the history says of a statistic of a series with these conditions.

        `nights` are earlier boots of the base: their spread within a night counts as well.
        """
        alike = [
            g
            for g in self._groups(benchmark, parameters, metric.name)
            if g.conditions == base.conditions
        ]
        kernels = [_values(k, statistic, metric) for g in alike for k in _by_kernel(g)]
        kernels = [k for k in kernels if len(k) > 1]
        own = list(_values(base, statistic, metric).values())
        groups = [list(k.values()) for k in kernels]
        pool = [own, *groups]
        found_modes = common(pool) or modes(own)
        return Known(
            prior=prior([list(_values(k, statistic, metric).values()) for k in nights] + groups),
            # On a board with a clock of its own equal seeds have nothing in common.
            paired=self._board.deterministic and pairing(_aligned(kernels)),
            modes=found_modes,
            one_mode=found_modes is None and sum(map(len, pool)) >= ONE_MODE_BOOTS,
        )

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
    found: dict[tuple[object, ...], dict[int, tuple[Run, Figures]]] = {}
    for run, figures in zip(group.runs, group.figures, strict=True):
        of = found.setdefault((run.kernel, canonical_json(dict(run.knobs))), {})
        of.setdefault(run.seed, (run, figures))
    return [list(of.values()) for of in found.values()]


def _values(
    of: Group | Sequence[tuple[Run, Figures]], statistic: str, metric: Metric
) -> dict[int, float]:
    """Return seed -> value of the boots that know a statistic, as comparisons clip it."""
    pairs = zip(of.runs, of.figures, strict=True) if isinstance(of, Group) else of
    values = {run.seed: statistics(f.figures).get(statistic) for run, f in pairs}
    return {
        seed: clip([value], metric.resolution)[0]
        for seed, value in values.items()
        if value is not None
    }


def _aligned(kernels: Sequence[Mapping[int, float]]) -> list[tuple[list[float], list[float]]]:
    """Return the values of equal seeds of each kernel and the one after it."""
    found = []
    for a, b in itertools.pairwise(kernels):
        both = sorted(a.keys() & b.keys())
        found.append(([a[s] for s in both], [b[s] for s in both]))
    return [pair for pair in found if len(pair[0]) > 2]
