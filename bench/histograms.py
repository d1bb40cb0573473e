"""Distributions compared run by run: false alarms and power of the screen and after fresh runs."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats

from bench import holdout
from bench.evidence import table, write
from vlag.model import Direction
from vlag.stats.permutation import Priors, history
from vlag.stats.shift import SCREEN, STAGES, Confirmation, Shift, Stage, confirm, shift

Array = npt.NDArray[np.float64]
# What a change makes of some runs; the second argument is the P95 of the benchmark's samples.
Change = Callable[[Array, float], Array]

GRID = ("p50", "p90", "p95")
BOOTS = 5
RELEVANCE = 0.02
# Nanoseconds, the step of the clock that took the samples: no rounding of any weight.
RESOLUTION = 1e-9
SPLITS_NULL = 126  # all of ten runs
SPLITS_POWER = 4
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
    found = np.quantile(runs, [0.5, 0.9, 0.95], axis=1, method="higher").T
    return [dict(zip(GRID, map(float, row), strict=True)) for row in found]


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
    """Make every sample 5 % longer."""
    return runs * 1.05


def edge_of(runs: Array) -> float:
    """Return the P95 of all samples of a benchmark."""
    return float(np.quantile(runs, 0.95))


def screen(base: Array, new: Array, priors: Priors | None = None) -> Shift:
    return shift(
        quantiles(base), quantiles(new), direction=Direction.LOWER,
        relevance=RELEVANCE, resolution=RESOLUTION, grid=GRID, priors=priors,
    )  # fmt: skip


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
    suspected: Shift, runs: Array, change: Change, random: np.random.Generator
) -> tuple[Confirmation, int]:
    """Confirm on runs of the model; return the answer and the runs a side it took."""
    most = max(STAGES)
    base, new = fresh(runs, most, random), change(fresh(runs, most, random), edge_of(runs))
    base_known, new_known = quantiles(base), quantiles(new)
    n = min(STAGES)
    while True:
        answer = confirm(
            suspected, base_known[:n], new_known[:n], direction=Direction.LOWER,
            relevance=RELEVANCE, resolution=RESOLUTION, grid=GRID,
        )  # fmt: skip
        if answer.stage is not Stage.OPEN:
            return answer, n
        n = answer.wanted


def splits(number: int, random: np.random.Generator) -> Iterator[tuple[list[int], list[int]]]:
    """Yield distinct splits of ten runs into five and five."""
    every = list(itertools.combinations(range(2 * BOOTS), BOOTS))[:126]
    for i in random.choice(len(every), number, replace=False):
        base = list(every[i])
        yield base, [r for r in range(2 * BOOTS) if r not in base]


def upper(hits: int, trials: int, level: float = 0.95) -> float:
    """Return the one-sided upper bound of a share (Clopper and Pearson)."""
    return float(stats.beta.ppf(level, hits + 1, trials - hits)) if hits < trials else 1.0


def upper_of_means(shares: Array, level: float = 0.95) -> float:
    """Return an upper bound of the mean share: t over benchmarks, which are independent."""
    error = float(shares.std(ddof=1)) / math.sqrt(len(shares))
    return float(shares.mean()) + float(stats.t.ppf(level, len(shares) - 1)) * error


class Count:
    """What became of the pairs of one kind of change."""

    def __init__(self, benchmarks: int) -> None:
        self.pairs = np.zeros(benchmarks)
        self.suspects = np.zeros(benchmarks)
        self.told = np.zeros(benchmarks)
        self.runs = 0

    @property
    def screened(self) -> float:
        return float(self.suspects.sum() / self.pairs.sum())

    @property
    def confirmed(self) -> float:
        return float(self.told.sum() / max(1.0, self.suspects.sum()))


def follow(data: Array, change: Change, number: int, seed: int) -> Count:
    """Screen splits of the measured runs and confirm what is suspected."""
    random = np.random.default_rng(seed)
    count = Count(len(data))
    for i, runs in enumerate(data):
        for base, new in splits(number, random):
            found = screen(runs[base], change(runs[new], edge_of(runs)))
            count.pairs[i] += 1
            if found.suspect:
                answer, n = confirmed(found, runs, change, random)
                count.suspects[i] += 1
                count.told[i] += answer.stage is Stage.CONFIRMED
                count.runs += n
    return count


def pooled(data: Array, number: int) -> float:
    """Return the share of same-build pairs that a test of pooled samples calls different."""
    random = np.random.default_rng(5)
    found = [
        stats.ks_2samp(runs[base].ravel(), runs[new].ravel(), method="asymp").pvalue < 0.01
        for runs in data
        for base, new in splits(number, random)
    ]
    return float(np.mean(found))


def moderated(data: Array, change: Change, kernels: int, seed: int) -> tuple[float, float]:
    """Return the shares suspected of runs of the model, without and with a history."""
    random = np.random.default_rng(seed)
    hits = np.zeros(2)
    for runs in data:
        groups = [quantiles(fresh(runs, BOOTS, random)) for _ in range(kernels)]
        priors = history(groups, resolution=RESOLUTION, grid=GRID)
        base, new = fresh(runs, BOOTS, random), change(fresh(runs, BOOTS, random), edge_of(runs))
        hits += [screen(base, new).suspect, screen(base, new, priors).suspect]
    return float(hits[0]) / len(data), float(hits[1]) / len(data)


def trade(counts: Mapping[str, Array]) -> list[Sequence[object]]:
    """Return a row for each level of the screen: how many p of each change lie within."""
    return [
        (f"{level:.3f}", *(f"{np.mean(p <= level + 1e-9):.1%}" for p in counts.values()))
        for level in (1 / 126, 6 / 126, 12 / 126, 25 / 126)
    ]


def p_of(data: Array, change: Change, number: int, seed: int) -> Array:
    """Return p of the screen for splits of every benchmark."""
    random = np.random.default_rng(seed)
    return np.array(
        [
            screen(runs[base], change(runs[new], edge_of(runs))).p
            for runs in data
            for base, new in splits(number, random)
        ]
    )


def main() -> None:
    """Measure, and write the page."""
    folder = os.environ.get("VLAG_NOISE_DATA")
    if folder:
        data = holdout.same_build(Path(folder))["samples"]
        origin = f"{len(data)} real benchmarks, ten runs of one build each, {data.shape[2]} samples"
    else:
        data = drawn()
        origin = "VLAG_NOISE_DATA was not given: drawn runs, no measured noise"
    null = follow(data, same, SPLITS_NULL, seed=1)
    changed = {
        "top 5 % of each run x 1.3": follow(data, tail, SPLITS_POWER, seed=2),
        "samples beyond the P95 of all runs x 1.3": follow(data, beyond, SPLITS_POWER, seed=7),
        "every sample x 1.05": follow(data, level, SPLITS_POWER, seed=3),
    }
    suspects, told = int(null.suspects.sum()), int(null.told.sum())
    # Two bounds that hold together with 95 %: each is made at 97.5 %.
    bounds = upper_of_means(null.suspects / null.pairs, 0.975), upper(told, suspects, 0.975)
    body = [
        f"Five runs against five, screen at p ≤ {SCREEN}, P50, P90 and P95 of each run, "
        f"relevance {RELEVANCE:.0%}; fresh runs at {', '.join(map(str, STAGES))} a side at "
        f"levels {', '.join(map(str, STAGES.values()))}. The P95 of 200 samples is the "
        "lowest of the ten highest.",
        "",
        "## The same build",
        "",
        *table(
            ["stage", "trials", "rate", "95 % upper bound"],
            [
                (
                    "screen, all splits of the runs", f"{null.pairs.sum():.0f}",
                    f"{1000 * null.screened:.1f} of 1000",
                    f"{1000 * upper_of_means(null.suspects / null.pairs):.1f}",
                ),
                (
                    "confirmation, runs of the model", suspects,
                    f"{1000 * null.confirmed:.2f} of 1000 suspects",
                    f"{1000 * upper(told, suspects):.2f}",
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
        "benchmarks. Fresh runs are drawn from a model fitted to the same runs (a run is "
        "chosen, its samples are drawn again, its level is smoothed), so the second line "
        f"holds as far as the model does. A suspicion cost {null.runs / max(1, suspects):.1f} "
        "fresh runs a side.",
        "",
        "## Power",
        "",
        *table(
            ["change", "pairs", "suspected", "of these confirmed", "reported", "95 % lower bound"],
            [
                (
                    name, f"{c.pairs.sum():.0f}", f"{c.screened:.1%}", f"{c.confirmed:.1%}",
                    f"{c.screened * c.confirmed:.1%}",
                    f"{1 - upper_of_means(1 - c.told / c.pairs):.1%}",
                )
                for name, c in changed.items()
            ],
        ),
        "",
        "No quantile of 200 samples covers the second change: it begins at the P95, so the P95 "
        "moves in some runs and stays in others. To see it, runs need enough samples for a "
        "P99.",
        "",
        "## The level of the screen",
        "",
        "Share of pairs with p within the level. The same build shows the cost in boots, the "
        "other columns the power.",
        "",
        *table(
            ["level", "same build", "tail x 1.3", "all x 1.05"],
            trade(
                {
                    name: p_of(data, change, SPLITS_POWER, seed=4)
                    for name, change in (("same", same), ("tail", tail), ("level", level))
                }
            ),
        ),
        "",
        "## With a history",
        "",
        "Runs of the model, five against five; the history is twelve earlier kernels with "
        "five runs each.",
        "",
        *table(
            ["change", "suspected without", "suspected with"],
            [
                (name, *(f"{share:.1%}" for share in moderated(data, change, 12, seed=6)))
                for name, change in (
                    ("none", same), ("top 5 % x 1.3", tail), ("every sample x 1.05", level),
                )
            ],
        ),
        "",
        "## Why samples are not pooled",
        "",
        f"Samples of five runs pooled against samples of five others of the same build: a "
        f"Kolmogorov-Smirnov test at p < 0.01 calls {1000 * pooled(data, 2):.0f} of 1000 pairs "
        "different.",
    ]  # fmt: skip
    write(
        "histograms",
        "Distributions compared run by run",
        "VLAG_NOISE_DATA=… python -m bench histograms" if folder
        else "python -m bench histograms",
        [origin],
        body,
    )  # fmt: skip


if __name__ == "__main__":
    main()
