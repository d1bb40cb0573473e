# SPDX-License-Identifier: GPL-2.0-only
"""Distributions compared run by run: false alarms and power of their rows, as they ship.

A row is one quantile.  Two sides are screened row by row; a row's flag needs a p that
stays significant for all rows together, after Holm's correction or in the permutation
test of the whole distribution; and a rerun confirms each suspected row in the rounds
of the plan `nightly`.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import stats

from bench import holdout
from bench.evidence import table, write
from bench.trials import bound
from vlag.config import catalogue as catalogues
from vlag.model import Direction, Verdict
from vlag.stats.compare import SCREEN, SIGNIFICANCE, Comparison, Question, is_significant, judge
from vlag.stats.modes import UNKNOWN_BOOTS
from vlag.stats.multiple_testing import holm
from vlag.stats.shift import shift
from vlag.stats.stages import Stand, decide

Array = npt.NDArray[np.float64]
# What a change makes of some runs; the second argument is the P95 of the benchmark's samples.
Change = Callable[[Array, float], Array]

Run = Mapping[str, float]


@frozen
class Screen:
    """A pair of sides: their quantiles run by run, and an answer a quantile."""

    base: Sequence[Run]
    new: Sequence[Run]
    rows: Sequence[Comparison]


GRID = ("p50", "p90", "p95")
BOOTS = 5
# Of which relevance rows are flagged: that of the catalogue's latencies, and a smaller one.
RELEVANCE, RELEVANCE_LEAST = 0.03, 0.01
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
# Whose rounds of a rerun are measured.
PLAN, BENCHMARK = "nightly", "cyclictest-hackbench"
# Nanoseconds, the step of the clock that took the samples: no rounding of any weight.
RESOLUTION = 1e-9
SPLITS_NULL = 126  # all of ten runs
SPLITS_POWER = 4
SPLITS_FAMILY = 24  # enough pairs for a rate of a few in 1000
# Drawn runs when no measured ones were given: benchmarks and their samples a run.
DRAWN = 60
SAMPLES = 200


def drawn() -> Array:
    """Draw runs that scatter by levels of their own, [benchmarks, runs, samples]."""
    random = np.random.default_rng(20)
    spread = np.exp(random.normal(math.log(0.01), 1.0, (DRAWN, 1, 1)))
    level = np.exp(spread * random.normal(size=(DRAWN, 10, 1)))
    width = np.exp(random.normal(math.log(0.1), 0.7, (DRAWN, 1, 1)))
    return 1e-4 * level * (1 + width * random.gamma(2.0, 1.0, (DRAWN, 10, SAMPLES)))


def quantiles(runs: Array) -> list[dict[str, float]]:
    """Return P50, P90 and P95 of each run, the lowest of the 5 % highest samples for P95."""
    values = np.quantile(runs, [0.5, 0.9, 0.95], axis=1, method="higher").T
    return [dict(zip(GRID, map(float, row), strict=True)) for row in values]


def same(runs: Array, edge: float) -> Array:
    """Change nothing."""
    return runs


def tail(runs: Array, edge: float) -> Array:
    """Make the top 5 % of each run's samples 30 % longer."""
    longer = np.sort(runs, axis=1)
    top = math.ceil(0.95 * runs.shape[1] - 1e-9)
    longer[:, top:] *= 1.3
    return longer


def beyond(runs: Array, edge: float) -> Array:
    """Make the samples beyond a fixed edge 30 % longer: many in some runs, none in others."""
    return np.where(runs > edge, 1.3 * runs, runs)


def level(runs: Array, edge: float) -> Array:
    """Make every sample 10 % longer."""
    return runs * 1.1


def edge_of(runs: Array) -> float:
    """Return the P95 of all samples of a benchmark."""
    return float(np.quantile(runs, 0.95))


def rounds() -> tuple[int, ...]:
    """Return the runs of a rerun a side after each round of the plan."""
    return next(e for e in catalogues.load().plans[PLAN].entries if e.benchmark == BENCHMARK).rounds


def questions(
    base: Sequence[Run], new: Sequence[Run], relevance: float = RELEVANCE
) -> list[Question]:
    """Return a question a quantile."""
    return [
        Question(
            base=[run[name] for run in base], new=[run[name] for run in new],
            direction=Direction.LOWER, relevance=relevance, resolution=RESOLUTION,
        )
        for name in GRID
    ]  # fmt: skip


def screens(pairs: Sequence[list[Question]]) -> list[list[Comparison]]:
    """Return the answers of many screens, a row a quantile."""
    answers = iter(judge([question for pair in pairs for question in pair]))
    return [[next(answers) for _ in pair] for pair in pairs]


def flagged(screen: Screen, relevance: float) -> tuple[bool, bool]:
    """Return whether any row is flagged: each for itself, and as rows of one family.

    The rule is that of `vlag.compare.family`, which needs a database's rows.
    """
    alone = [a.verdict in FLAGS for a in screen.rows]
    if not any(alone):
        return False, False
    moved = shift(
        screen.base,
        screen.new,
        direction=Direction.LOWER,
        relevance=relevance,
        resolution=RESOLUTION,
        grid=GRID,
    )
    by_name = {quantile.name: quantile.p for quantile in moved.quantiles}
    adjusted = holm([1.0 if a.p is None else a.p for a in screen.rows])
    together = [min(p, by_name.get(name, 1.0)) for name, p in zip(GRID, adjusted, strict=True)]
    return True, any(f and is_significant(p) for f, p in zip(alone, together, strict=True))


def fresh(runs: Array, n: int, random: np.random.Generator) -> Array:
    """Draw runs from a model fitted to measured ones, [n, samples].

    A measured run is chosen, its samples are drawn with replacement and its level is
    smoothed: the ten levels are moved by a normal error and drawn together so that their
    variance stays (a smoothed bootstrap).
    """
    levels = np.log(np.median(runs, axis=1))
    chosen = random.integers(0, len(runs), n)
    samples = np.take_along_axis(
        runs[chosen], random.integers(0, runs.shape[1], (n, runs.shape[1])), axis=1
    )
    centre, width = levels.mean(), 0.5
    wanted = (levels[chosen] - centre) + width * levels.std(ddof=1) * random.normal(size=n)
    wanted = centre + wanted / math.sqrt(1 + width**2)
    moved: Array = samples * np.exp(wanted - levels[chosen])[:, None]
    return moved


def confirmed(
    suspected: Sequence[Comparison], runs: Array, change: Change, random: np.random.Generator
) -> tuple[bool, int]:
    """Confirm rows on runs of the model; return whether any is, and the runs a side it took."""
    stages = rounds()
    sides = fresh(runs, stages[-1], random), change(fresh(runs, stages[-1], random), edge_of(runs))
    base, new = map(quantiles, sides)
    n = 0
    for n in stages:
        asked = questions(base[:n], new[:n])
        stands = [
            decide(question, answer, rounds=stages, suspicion=screened.effect).stand
            for question, answer, screened in zip(asked, judge(asked), suspected, strict=True)
            if screened.suspect
        ]
        if Stand.CONFIRMED in stands:
            return True, n
        if Stand.OPEN not in stands:
            break
    return False, n


def splits(
    number: int, random: np.random.Generator, boots: int = BOOTS
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield distinct splits of ten runs into five and five, cut to so many a side."""
    every = list(itertools.combinations(range(2 * BOOTS), BOOTS))[:126]
    for i in random.choice(len(every), number, replace=False):
        base = list(every[i])
        yield base[:boots], [r for r in range(2 * BOOTS) if r not in base][:boots]


def upper_of_means(shares: Array, level: float = 0.95) -> float:
    """Return an upper bound of the mean share: t over benchmarks, which are independent."""
    error = float(shares.std(ddof=1)) / math.sqrt(len(shares))
    return float(shares.mean()) + float(stats.t.ppf(level, len(shares) - 1)) * error


class Count:
    """What became of the pairs of one kind of change."""

    def __init__(self, benchmarks: int) -> None:
        self.pairs = np.zeros(benchmarks)
        self.suspects = np.zeros(benchmarks)
        self.reported = np.zeros(benchmarks)
        self.runs = 0

    @property
    def screened(self) -> float:
        return float(self.suspects.sum() / self.pairs.sum())

    @property
    def confirmed(self) -> float:
        return float(self.reported.sum() / max(1.0, self.suspects.sum()))


def pairs_of(
    data: Array,
    change: Change,
    number: int,
    seed: int,
    *,
    boots: int = BOOTS,
    relevance: float = RELEVANCE,
) -> Iterator[tuple[int, Screen]]:
    """Yield the screens of splits of the measured runs, with the place of their benchmark."""
    random = np.random.default_rng(seed)
    places, sides = [], []
    for i, runs in enumerate(data):
        before, after = quantiles(runs), quantiles(change(runs, edge_of(runs)))
        for base, new in splits(number, random, boots):
            places.append(i)
            sides.append(([before[b] for b in base], [after[n] for n in new]))
    answers = screens([questions(*side, relevance) for side in sides])
    for i, side, rows in zip(places, sides, answers, strict=True):
        yield i, Screen(*side, rows)


def follow(data: Array, change: Change, number: int, seed: int) -> Count:
    """Screen splits of the measured runs and confirm what is suspected."""
    random = np.random.default_rng(seed)
    count = Count(len(data))
    for i, pair in pairs_of(data, change, number, seed):
        count.pairs[i] += 1
        if any(row.suspect for row in pair.rows):
            reported, n = confirmed(pair.rows, data[i], change, random)
            count.suspects[i] += 1
            count.reported[i] += reported
            count.runs += n
    return count


def families(data: Array) -> list[Sequence[object]]:
    """Return a row for each kind of screen: how many pairs have any flagged row."""
    rows: list[Sequence[object]] = []
    for name, change, number in (
        ("the same build", same, SPLITS_FAMILY), ("top 5 % of each run x 1.3", tail, SPLITS_POWER),
    ):  # fmt: skip
        for boots, relevance in itertools.product((3, BOOTS), (RELEVANCE_LEAST, RELEVANCE)):
            flags = np.array(
                [
                    flagged(screen, relevance)
                    for _, screen in pairs_of(
                        data, change, number, 8, boots=boots, relevance=relevance
                    )
                ]
            )
            alone, family = 1000 * flags.mean(axis=0)
            rows.append(
                (name, f"{boots} + {boots}", f"{relevance:.0%}", len(flags),
                 f"{alone:.1f}", f"{family:.1f}")
            )  # fmt: skip
    return rows


def trade(counts: Mapping[str, Array]) -> list[Sequence[object]]:
    """Return a row for each level of the screen: how many p of each change lie within."""
    return [
        (f"{level:.3f}", *(f"{np.mean(p <= level + 1e-9):.1%}" for p in counts.values()))
        for level in (1 / 126, 6 / 126, 12 / 126, 25 / 126)
    ]


def p_of(data: Array, change: Change, number: int, seed: int) -> Array:
    """Return p of the shift of the whole distribution for splits of every benchmark."""
    random = np.random.default_rng(seed)
    return np.array(
        [
            shift(
                quantiles(runs[base]), quantiles(change(runs[new], edge_of(runs))),
                direction=Direction.LOWER, relevance=RELEVANCE, resolution=RESOLUTION, grid=GRID,
            ).p
            for runs in data
            for base, new in splits(number, random)
        ]
    )  # fmt: skip


def main() -> None:
    """Measure, and write the figures."""
    folder = os.environ.get("VLAG_NOISE_DATA")
    if folder:
        data = holdout.same_build(Path(folder))["samples"]
        origin = f"{len(data)} real benchmarks, ten runs of one build each, {data.shape[2]} samples"
    else:
        data = drawn()
        origin = "VLAG_NOISE_DATA was not given: drawn runs, no measured noise"
    body = [
        f"Five runs against five; P50, P90 and P95 of each run are the rows, each screened at "
        f"p < {SCREEN} and flagged at p < {SIGNIFICANCE}; relevance {RELEVANCE:.0%}. A rerun "
        f"confirms suspected rows at {', '.join(map(str, rounds()))} a side (the plan `{PLAN}`). "
        "The P95 of 200 samples is the lowest of the ten highest.",
        "",
        *_of_equals(data),
        "",
        *_power(data),
        "",
        *_whole(data),
    ]
    write(
        "histograms",
        "Distributions compared run by run",
        "VLAG_NOISE_DATA=… python -m bench histograms" if folder
        else "python -m bench histograms",
        [origin],
        body,
    )  # fmt: skip


def _of_equals(data: Array) -> list[str]:
    """Return the section about pairs of one build."""
    null = follow(data, same, SPLITS_NULL, seed=1)
    suspects, reported = int(null.suspects.sum()), int(null.reported.sum())
    # Two bounds that hold together with 95 %: each is made at 97.5 %.
    bounds = upper_of_means(null.suspects / null.pairs, 0.975), bound(reported, suspects, 0.975)
    return [
        "## The same build",
        "",
        *table(
            ["stage", "trials", "rate", "95 % upper bound"],
            [
                (
                    "screen: any row is suspected", f"{null.pairs.sum():.0f}",
                    f"{1000 * null.screened:.1f} of 1000",
                    f"{1000 * upper_of_means(null.suspects / null.pairs):.1f}",
                ),
                (
                    "rerun, runs of the model: any row is confirmed", suspects,
                    f"{1000 * null.confirmed:.2f} of 1000 suspects",
                    f"{1000 * bound(reported, suspects):.2f}",
                ),
                (
                    "reported: the product", "",
                    f"{1000 * null.screened * null.confirmed:.3f} of 1000",
                    f"{1000 * bounds[0] * bounds[1]:.3f}",
                ),
            ],
        ),
        "",
        "Splits of one benchmark's runs are not independent: the screen's bound is over "
        "benchmarks. Runs of a rerun are drawn from a model fitted to the same runs (a run is "
        "chosen, its samples are drawn again, its level is smoothed), so the second line "
        f"holds as far as the model does. A suspicion cost {null.runs / max(1, suspects):.1f} "
        "runs of a rerun a side.",
    ]  # fmt: skip


def _power(data: Array) -> list[str]:
    """Return the section about changes that are there."""
    changed = {
        "top 5 % of each run x 1.3": follow(data, tail, SPLITS_POWER, seed=2),
        "samples beyond the P95 of all runs x 1.3": follow(data, beyond, SPLITS_POWER, seed=7),
        "every sample x 1.1": follow(data, level, SPLITS_POWER, seed=3),
    }
    return [
        "## Power",
        "",
        *table(
            ["change", "pairs", "suspected", "of these confirmed", "reported", "95 % lower bound"],
            [
                (
                    name, f"{c.pairs.sum():.0f}", f"{c.screened:.1%}", f"{c.confirmed:.1%}",
                    f"{c.screened * c.confirmed:.1%}",
                    f"{1 - upper_of_means(1 - c.reported / c.pairs):.1%}",
                )
                for name, c in changed.items()
            ],
        ),
        "",
        "No quantile of 200 samples covers the second change: it begins at the P95, so the P95 "
        "moves in some runs and stays in others. To see it, runs need enough samples for a "
        "P99.",
    ]  # fmt: skip


def _whole(data: Array) -> list[str]:
    """Return the sections about the rows of one distribution together."""
    return [
        "## Rows of one distribution are one family",
        "",
        "Pairs in 1000 with any row flagged REGRESSION or IMPROVEMENT, by the screen alone. "
        f"Flags need {UNKNOWN_BOOTS} runs a side where nothing says that a series has one mode.",
        "",
        *table(
            ["change", "runs", "relevance", "pairs", "each row for itself", "as a family"],
            families(data),
        ),
        "",
        "## The shift of the whole distribution",
        "",
        "Share of pairs with p of the permutation test within a level.",
        "",
        *table(
            ["level", "same build", "tail x 1.3", "all x 1.1"],
            trade(
                {
                    name: p_of(data, change, SPLITS_POWER, seed=4)
                    for name, change in (("same", same), ("tail", tail), ("level", level))
                }
            ),
        ),
    ]
