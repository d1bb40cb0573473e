# SPDX-License-Identifier: GPL-2.0-only
"""Change points of nightly histories: error rates, the watch's nights, speed."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen
from scipy import stats

from bench import holdout
from bench.evidence import table, write
from vlag.model import Direction, Verdict
from vlag.stats.changepoint import detect
from vlag.stats.changepoint_tuning import EXCURSION, PLACE_TOLERANCE, SHIPPED, Tuning
from vlag.stats.compare import compare
from vlag.stats.levels import level
from vlag.stats.watch import watch

SIZES = (0.02, 0.03, 0.05, 0.10)
# Points that a step has on either side, at least.
MARGIN = 20
# Steps of each size in one window: with 2, the shares moved by 0.01 with the places drawn.
REPEATS = 10
# Drawn histories of each kind that drift or wander.
UNSTEADY = 200
NIGHTS = 3
BOOTS = 10
# `Tuning.evidence` of each row of the trade-off.
EVIDENCE = (1.0, 1.75, 2.6, 3.5, 4.5)

Array = npt.NDArray[np.float64]
Detector = Callable[[Array], Sequence[int]]


@frozen(kw_only=True)
class Noise:
    """Windows without a known step."""

    windows: Array  # (window, point), around 1
    spread: Array  # CV of a window


@frozen(kw_only=True)
class Score:
    """What a detector did with windows of one step each, and with windows of none."""

    alarms: float  # on 1000 points without a step
    hits: dict[float, npt.NDArray[np.bool_]]  # by size, (window, repeat): whether it was found
    claims: dict[float, npt.NDArray[np.int64]]  # the same: how many points were found

    @property
    def steps_found(self) -> int:
        """Return how many of all steps were found."""
        return int(sum(hit.sum() for hit in self.hits.values()))

    @property
    def precision(self) -> float:
        return self.steps_found / max(1, int(sum(claim.sum() for claim in self.claims.values())))

    @property
    def recall(self) -> float:
        return self.steps_found / sum(hit.size for hit in self.hits.values())

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / max(1e-9, self.precision + self.recall)

    @property
    def by_size(self) -> dict[float, float]:
        """Return the share found of the steps of each size."""
        return {size: float(hit.mean()) for size, hit in self.hits.items()}

    def row(self, name: str) -> list[str]:
        return [
            name, f"{self.alarms:.2f}", f"{self.precision:.3f}", f"{self.recall:.3f}",
            f"{self.f1:.3f}", *(f"{self.by_size[size]:.3f}" for size in SIZES),
        ]  # fmt: skip


HEAD = ["detector", "false alarms / 1000", "precision", "recall", "F1"] + [
    f"{size:.0%} found" for size in SIZES
]


def noise() -> tuple[Noise, str]:
    """Return the windows and one sentence about where they come from."""
    folder = holdout.folder()
    if folder:
        given = of_part(holdout.nightly(folder))
        count, size = given.windows.shape
        return given, (
            f"{count} windows of {size} points from real nightly histories, by {holdout.DATA}: the "
            "development part; heldout.md has the other one"
        )
    rng = np.random.default_rng(1)
    count, size = 400, 120
    spread = np.exp(rng.uniform(np.log(0.002), np.log(0.03), count))
    drawn = rng.standard_t(4, (count, size)) / np.sqrt(2)
    for i in range(1, size):
        drawn[:, i] = 0.2 * drawn[:, i - 1] + np.sqrt(1 - 0.2**2) * drawn[:, i]
    windows = np.exp(spread[:, None] * drawn)
    origin = (
        f"{holdout.DATA} was not given: {count} windows were drawn (AR(1) of 0.2, t with 4 "
        "degrees, CV 0.2 to 3 %); real histories have runs of odd nights and are harder"
    )
    return Noise(windows=windows, spread=spread), origin


def of_part(part: holdout.Arrays) -> Noise:
    """Return the windows of one part of the real histories."""
    return Noise(windows=part["y"], spread=part["cv"])


def stepped(given: Noise, repeats: int = REPEATS) -> list[tuple[Array, int, float]]:
    """Return windows with one step each, its place, and its size without sign."""
    rng = np.random.default_rng(2)
    made = []
    for window in given.windows:
        for size in SIZES * repeats:
            index = int(rng.integers(MARGIN, len(window) - MARGIN + 1))
            values = window.copy()
            values[index:] *= 1 + rng.choice([-1, 1]) * size
            made.append((values, index, size))
    return made


def score(detector: Detector, given: Noise, repeats: int = REPEATS) -> Score:
    hits: dict[float, list[bool]] = {size: [] for size in SIZES}
    claims: dict[float, list[int]] = {size: [] for size in SIZES}
    for values, index, size in stepped(given, repeats):
        places = detector(values)
        hits[size].append(any(abs(f - index) <= PLACE_TOLERANCE for f in places))
        claims[size].append(len(places))
    alarms = sum(len(detector(window)) for window in given.windows)
    return Score(
        alarms=1000 * alarms / given.windows.size,
        hits={size: np.array(hit).reshape(-1, repeats) for size, hit in hits.items()},
        claims={size: np.array(claim).reshape(-1, repeats) for size, claim in claims.items()},
    )


def ours(values: Array, tuning: Tuning = SHIPPED) -> list[int]:
    return [p.index for p in detect(values, tuning=tuning).points]


def kernel(values: Array, penalty: float = 4.0) -> list[int]:
    """Reference: kernel detection alone, as quick as it is eager."""
    # It imports all of SciPy's statistics, as would every process that collects tests.
    import ruptures  # type: ignore[import-untyped]  # noqa: PLC0415

    fitted = ruptures.KernelCPD(kernel="rbf", min_size=2).fit(np.log(values)[:, None])
    return [int(i) for i in fitted.predict(pen=penalty)[:-1]]


def ranked(values: Array) -> list[int]:
    """Reference: the same, pruned by a rank test deflated for lag-1 autocorrelation."""
    logs, edges = np.log(values), [0, *kernel(values, 3.0), len(values)]

    def p(j: int) -> float:
        left, right = logs[edges[j - 1] : edges[j]], logs[edges[j] : edges[j + 1]]
        if min(len(left), len(right)) < 4:
            return 1.0
        if abs(np.median(right) - np.median(left)) < 0.015:
            return 1.0
        rest = np.concatenate([left - np.median(left), right - np.median(right)])
        rho = max(0.0, float(np.corrcoef(rest[:-1], rest[1:])[0, 1]))
        z = stats.norm.isf(stats.mannwhitneyu(left, right, method="asymptotic").pvalue / 2)
        return float(2 * stats.norm.sf(z * np.sqrt((1 - rho) / (1 + rho))))

    while len(edges) > 2:
        worst = max(range(1, len(edges) - 1), key=p)
        if p(worst) < 1e-4:
            break
        del edges[worst]
    return edges[1:-1]


def oracle(values: Array) -> list[int]:
    """Yardstick: the likeliest place, given that there is exactly one step."""
    logs, tail = np.log(values), 5.0
    scale = 1.4826 * np.median(np.abs(np.diff(logs))) / np.sqrt(2)
    places = np.arange(15, len(logs) - 14)

    def cost(side: Array) -> float:
        rest = (side - level(side, scale)) / scale
        return float((tail + 1) / 2 * np.sum(np.log1p(rest**2 / tail)))

    total = np.array([cost(logs[:k]) + cost(logs[k:]) for k in places])
    weight = np.exp(total.min() - total)
    near = np.convolve(weight, np.ones(2 * PLACE_TOLERANCE + 1), "same")
    return [int(places[np.argmax(near)])]


def trade_off(given: Noise) -> list[list[str]]:
    rows = []
    for evidence in EVIDENCE:
        tuned = functools.partial(ours, tuning=evolve(SHIPPED, evidence=evidence))
        rows.append(score(tuned, given).row(f"evidence {evidence:g}"))
    for days in (0, 20):

        def shorter(values: Array, days: int = days) -> list[int]:
            return [p.index for p in detect(values, excursion=days).points]

        rows.append(score(shorter, given).row(f"excursions up to {days} points"))
    return rows


def two(given: Noise) -> list[list[str]]:
    """Return how many of two steps in one window are found, and what of drifts and wandering."""
    rng = np.random.default_rng(5)
    hits: dict[float, list[bool]] = {size: [] for size in SIZES}
    claimed = 0
    for window in np.repeat(given.windows, REPEATS, axis=0):
        first = int(rng.integers(MARGIN, len(window) - 2 * MARGIN + 1))
        second = int(rng.integers(first + MARGIN, len(window) - MARGIN + 1))
        sizes = rng.choice(SIZES, 2)
        # Both in one direction: a level that returns is an excursion.
        sign = rng.choice([-1, 1])
        values = window.copy()
        for index, size in zip((first, second), sizes, strict=True):
            values[index:] *= 1 + sign * size
        indices = ours(values)
        claimed += len(indices)
        for index, size in zip((first, second), sizes, strict=True):
            hits[size].append(any(abs(i - index) <= PLACE_TOLERANCE for i in indices))
    right = sum(map(sum, hits.values()))
    return [
        [
            f"{right / claimed:.3f}",
            f"{right / sum(map(len, hits.values())):.3f}",
            *(f"{np.mean(hit):.3f}" for hit in hits.values()),
        ]
    ]


def unsteady() -> list[list[str]]:
    """Return what is found in drawn histories of 200 points that drift or wander."""
    rng = np.random.default_rng(6)
    rows = []
    for name, correlation, slope, spread in (
        ("white noise", 0.0, 0.0, 0.01),
        ("drift of 0.05 % a night", 0.0, 0.0005, 0.01),
        ("AR(1) of 0.6", 0.6, 0.0, 0.01),
        ("AR(1) of 0.9", 0.9, 0.0, 0.01),
        ("AR(1) of 0.95", 0.95, 0.0, 0.01),
        ("white noise, CV 10 %", 0.0, 0.0, 0.10),
        ("AR(1) of 0.6, CV 10 %", 0.6, 0.0, 0.10),
        ("AR(1) of 0.9, CV 10 %", 0.9, 0.0, 0.10),
    ):
        steps = drifts = 0
        for _ in range(UNSTEADY):
            drawn = rng.normal(size=200)
            for i in range(1, len(drawn)):
                drawn[i] = correlation * drawn[i - 1] + np.sqrt(1 - correlation**2) * drawn[i]
            history = detect(np.exp(spread * drawn + slope * np.arange(len(drawn))))
            steps += len(history.points)
            drifts += len(history.drifts)
        rows.append([name, f"{1000 * steps / 200 / UNSTEADY:.2f}", f"{drifts / UNSTEADY:.2f}"])
    return rows


def short(given: Noise) -> list[list[str]]:
    """Return false alarms in the first nights of a series."""
    rows = []
    for size in (5, 10, 20, 30):
        starts = range(0, given.windows.shape[1] - size + 1, 30)
        cut = [window[s : s + size] for window in given.windows for s in starts]
        alarms = sum(len(ours(values)) for values in cut)
        rows.append(
            [str(size), str(len(cut)), str(alarms), f"{1000 * alarms / len(cut) / size:.2f}"]
        )
    return rows


def confirms(rng: np.random.Generator, spread: float, effect: float) -> bool:
    """Boot both kernels afresh and compare."""
    base = 1000 * np.exp(rng.normal(0, spread, BOOTS))
    new = 1000 * (1 + effect) * np.exp(rng.normal(0, spread, BOOTS))
    verdict = compare(
        [float(v) for v in base], [float(v) for v in new],
        direction=Direction.HIGHER, relevance=0.01, resolution=0.001,
    ).verdict  # fmt: skip
    return verdict in {Verdict.REGRESSION, Verdict.IMPROVEMENT}


def nights(given: Noise) -> list[list[str]]:
    """Return the watch's figures: after a step of 5 %, and in nights without any."""
    rng = np.random.default_rng(3)
    scheduled, confirmed = np.zeros(NIGHTS), np.zeros(NIGHTS)
    tried = idle = asked = wrong = 0
    for window, spread in zip(given.windows, given.spread, strict=True):
        index = int(rng.integers(30, len(window) - NIGHTS))
        effect = 0.05 * rng.choice([-1, 1])
        values = window.copy()
        values[index:] *= 1 + effect
        tried += 1
        seen = held = False
        for night in range(NIGHTS):
            if not held and watch([float(v) for v in values[: index + night + 1]]):
                seen, held = True, confirms(rng, spread, effect)
            scheduled[night] += seen
            confirmed[night] += held
        for end in range(40, len(window), 16):
            idle += 1
            if watch([float(v) for v in window[:end]]):
                asked += 1
                wrong += confirms(rng, spread, 0.0)
    rows = [
        [f"5 % step, night {night + 1}: scheduled; confirmed",
         f"{scheduled[night] / tried:.3f}; {confirmed[night] / tried:.3f}"]
        for night in range(NIGHTS)
    ]  # fmt: skip
    rows.append(["comparisons scheduled a series and night without a step", f"{asked / idle:.4f}"])
    rows.append(["of these, confirmed wrongly", f"{wrong} of {asked}"])
    return rows


def speed(given: Noise) -> list[list[str]]:
    rng = np.random.default_rng(4)
    rows = []
    for count, size in ((2000, 200), (1, 100_000)):
        joined = given.windows[rng.integers(0, len(given.windows), (count, size // 120 + 1))]
        histories = joined.reshape(count, -1)[:, :size]
        histories[:, size // 2 :] *= 1.05
        began = time.process_time()
        for history in histories:
            ours(history)
        took = time.process_time() - began
        rows.append([f"{count:,} x {size:,}", f"{took:.1f}", f"{1e3 * took / count:.1f}"])
    return rows


def another() -> list[str]:
    """Return the table of detectors on the windows of another source, if they are there."""
    folder = holdout.folder()
    part = holdout.other_source(folder) if folder else None
    if part is None:
        return []
    given = of_part(part)
    rows = [
        score(kernel, given).row("kernel detection"),
        score(ranked, given).row("with rank-test pruning"),
        score(ours, given).row("vlag"),
    ]
    count, size = given.windows.shape
    head = (
        f"{count} windows of {size} builds of a large database (SAP's public data set); their "
        "noise is heavier and more correlated."
    )
    return ["## Another source", "", head, "", *table(HEAD, rows), ""]


def main() -> None:
    """Measure and write the figures."""
    given, origin = noise()
    write(
        "changepoints",
        "Change points in nightly histories",
        "python -m bench changepoints",
        [
            origin,
            f"one step a window, {REPEATS} times of each size, at least {MARGIN} points from the "
            f"ends, found within {PLACE_TOLERANCE} points; false alarms on the same windows "
            "without one",
            "thresholds were tuned on these windows; heldout.md has the figures for windows that "
            "no tuning has seen",
        ],
        [*_detectors(given), *_histories(given), *_services(given)],
    )


def _detectors(given: Noise) -> list[str]:
    """Return the sections about detectors on windows with one step."""
    return [
        "## Detectors",
        "",
        "The detector of the last line knows that there is exactly one step and only has to "
        "locate it. The noise hides most of the steps that it misses, so its F1 shows what is "
        "achievable, but it is not a proven limit. Its false alarms mean nothing.",
        "",
        *table(
            HEAD,
            [
                score(kernel, given).row("kernel detection"),
                score(ranked, given).row("with rank-test pruning"),
                score(ours, given).row("vlag"),
                score(oracle, given).row("knows that there is one step"),
            ],
        ),
        "",
        *another(),
        "## False alarms against recall",
        "",
        f"vlag itself uses evidence {SHIPPED.evidence:g}, excursions up to {EXCURSION} points.",
        "",
        *table(HEAD, trade_off(given)),
        "",
    ]


def _histories(given: Noise) -> list[str]:
    """Return the sections about other histories than windows with one step."""
    return [
        "## Two steps in one window",
        "",
        "Both go the same way. The figures guard against a rule that gains on windows with one "
        "step because it expects only one.",
        "",
        *table(["precision", "recall", *HEAD[5:]], two(given)),
        "",
        "## Histories that drift or wander",
        "",
        f"{UNSTEADY} drawn histories each, of 200 points, with a CV of 1 % where "
        "nothing else is said.",
        "",
        *table(["history", "false alarms / 1000", "drift named"], unsteady()),
        "",
        "## Short histories without a step",
        "",
        *table(["points", "histories", "false alarms", "/ 1000 points"], short(given)),
        "",
    ]


def _services(given: Noise) -> list[str]:
    """Return the sections about the watch of a service, and its time."""
    return [
        "## The watch",
        "",
        f"A scheduled comparison boots both kernels {BOOTS} times, drawn with the history's "
        "own spread.",
        "",
        *table(["", "share"], nights(given)),
        "",
        "## Speed, one core",
        "",
        *table(["histories x points", "CPU s", "ms a history"], speed(given)),
    ]
