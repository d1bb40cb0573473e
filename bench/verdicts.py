# SPDX-License-Identifier: GPL-2.0-only
"""False alarms, power and speed of a comparison, of its two stages and of a night.

False alarms are measured in two parts.  The screening is measured on real runs of one
build (folder `VLAG_NOISE_DATA`, file same-build-runs.npz: `p50`, an array of benchmarks
by runs); the confirmation needs rerun boots, which are drawn from models of those runs.
Without that folder the runs themselves are drawn, and the figures say so.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy import stats

from bench import bad_boots, confirmed_figures, holdout, new_modes
from bench.drift import STEP, drifts
from bench.evidence import table, write
from bench.shapes import Shape, shipped
from bench.trials import Floats, bound, confirmed, questions
from vlag.model import Verdict
from vlag.stats.compare import SCREEN, Comparison, judge
from vlag.stats.controls import controls
from vlag.stats.multiple_testing import combined, discoveries
from vlag.stats.prior import Prior, prior
from vlag.stats.stages import Stand

CV = 0.02
# Of equal kernels on a deterministic board, whose throughput scatters less than that.
CV_DETERMINISTIC = 0.011
PAIRS = 4000
BOOTS = 5
# Confirmations a benchmark and a model.
SUSPECTS = 200
# Reruns a line of the figures of confirmed changes.
RERUNS, RERUNS_QUICK = 2000, 300
NIGHTS, TESTS = 60, 586
# Changes of a night, as many each way.
CHANGES = (-0.10, -0.05, -0.05, -0.03, 0.03, 0.05, 0.05, 0.10)
# Earlier kernels that a prior is fitted to, `BOOTS` boots each.
HISTORY = 12
FLAGS = (Verdict.REGRESSION, Verdict.IMPROVEMENT)


# --- power -------------------------------------------------------------------------


def _plain(shape: Shape, logs: Floats) -> list[Comparison]:
    return judge(questions(logs[:, 0], logs[:, 1], relevance=shape.relevance))


def single(shape: Shape) -> list[str]:
    """Return the table of one comparison's flags by boots and change."""
    changes = (0.0, -0.02, -0.03, -0.05, -0.10)
    rows = []
    for boots in (3, 5, 10, 20, 30):
        row = [f"{boots} + {boots}"]
        for change in changes:
            random = np.random.default_rng(1000 + boots)
            draws = random.normal(0.0, CV, (PAIRS, 2, boots))
            draws[:, 1] += np.log1p(change)
            flags = [a.verdict in FLAGS for a in _plain(shape, draws)]
            share = float(np.mean(flags))
            row.append(f"{share:.1%}" if change else f"{1000 * share:.2f} of 1000")
        rows.append(row)
    return table(["boots", *(f"{c:+.0%}" if c else "no change" for c in changes)], rows)


def staged(shapes: Sequence[Shape], cv: float = CV) -> list[str]:
    """Return the table of both stages' power by shape, history and change."""
    rows = []
    for shape in shapes:
        for kernels, nights in ((0, 0), (HISTORY, 0), *((HISTORY, n) for n in shape.nights)):
            for change in (0.0, *(sign * c for c in shape.changes for sign in (-1, 1))):
                rows.append(_staged(shape, kernels, nights, change, cv))
    head = [
        "seeds, rounds, relevance, boards", "earlier kernels, nights", "change", "run again",
        "confirmed", "rerun boots a side",
    ]  # fmt: skip
    return table(head, rows)


def _staged(
    shape: Shape, kernels: int, nights: int, change: float, cv: float = CV
) -> tuple[object, ...]:
    suspected, right, boots = taken_through(shape, kernels, nights, change, cv, PAIRS)
    return (
        str(shape),
        f"{kernels}, {nights}",
        f"{change:+.0%}" if change else "none",
        f"{suspected:.1%}",
        f"{right:.1%}" if change else f"{1000 * right:.2f} of 1000",
        f"{boots:.1f}",
    )


def power(shape: Shape, change: float, *, cv: float, pairs: int) -> float:
    """Return the share of pairs in which both stages find a change, without a history."""
    return taken_through(shape, 0, 0, change, cv, pairs)[1]


def taken_through(
    shape: Shape, kernels: int, nights: int, change: float, cv: float, pairs: int
) -> tuple[float, float, float]:
    """Return the shares of pairs that are run again and confirmed, and rerun boots a suspect."""
    random = np.random.default_rng([2000, shape.seeds, kernels, nights])
    shift = np.log1p(change)
    priors = _histories(random, shape.seeds, cv, pairs) if kernels else None
    base, new = (random.normal(m, cv, (pairs, shape.seeds)) for m in (0.0, shift))
    earlier = random.normal(0.0, cv, (pairs, nights, shape.seeds))
    known = [
        controls(b.tolist(), e.tolist(), resolution=STEP) if nights else None
        for b, e in zip(np.exp(base), np.exp(earlier), strict=True)
    ]
    answers = judge(questions(base, new, priors, relevance=shape.relevance, known=known))
    places = [i for i, a in enumerate(answers) if a.suspect]

    def draw(these: npt.NDArray[np.int64], boots: int) -> Floats:
        logs = random.normal(0.0, cv, (len(these), 2, boots))
        logs[:, 1] += shift
        return logs

    made, ran = confirmed(
        shape,
        draw,
        [answers[i].effect for i in places],
        [priors[i] for i in places] if priors else None,
    )
    right = sum(d.stand is Stand.CONFIRMED for d in made)
    return len(places) / pairs, right / pairs, ran / max(1, len(places)) / 2


def _histories(
    random: np.random.Generator, boots: int, cv: float, pairs: int = PAIRS
) -> list[Prior | None]:
    """Draw a history of kernels for every ten pairs; fitting one a pair would take long."""
    fits = []
    for _ in range(pairs // 10):
        fits.append(prior(np.exp(random.normal(0.0, cv, (HISTORY, boots))).tolist()))
    return [fit for fit in fits for _ in range(10)]


# --- false alarms ------------------------------------------------------------------


@frozen(kw_only=True, eq=False)
class _Runs:
    logs: Floats  # (benchmarks, runs) of one build
    origin: str


def _runs() -> _Runs:
    folder = os.environ.get("VLAG_NOISE_DATA")
    if folder:
        logs = np.log(holdout.same_build(Path(folder))["p50"])
        return _Runs(
            logs=logs,
            origin=f"{logs.shape[0]} benchmarks, {logs.shape[1]} real runs of one build each",
        )
    random = np.random.default_rng(3000)
    spread = 0.015 * np.exp(random.normal(0.0, 1.0, (293, 1)))
    logs = spread * random.standard_t(5, (293, 10))
    logs[::10] -= 5 * spread[::10] * (random.random((30, 10)) < 0.2)
    return _Runs(
        logs=logs,
        origin="`VLAG_NOISE_DATA` was not given: **no real runs**. 293 drawn benchmarks, 10 runs"
        " each (Student's t, 5 degrees; every tenth with a second mode), stand in for them",
    )


@frozen(kw_only=True, eq=False)
class _Screened:
    """False alarms of the screening."""

    rates: Floats  # a benchmark's share of pairs that are run again
    upper: float  # bound of their mean
    lines: Sequence[str]


def alarms(shape: Shape, runs: _Runs) -> list[str]:
    """Return the two parts of the false alarms, and what they make together."""
    screened = _screening(shape, runs)
    return [*screened.lines, "", *_confirmation(shape, runs, screened)]


def _screening(shape: Shape, runs: _Runs) -> _Screened:
    """Measure part 1 on all splits of the runs, with the prior that is worse."""
    benchmarks, n = runs.logs.shape
    half = n // 2
    # A split and its exchange are one: the first run is always in the base.
    splits = [(0, *rest) for rest in combinations(range(1, n), half - 1)]
    parts = [(list(s), [i for i in range(n) if i not in s]) for s in splits]
    base = np.concatenate([runs.logs[:, b] for b, _ in parts])
    new = np.concatenate([runs.logs[:, a] for _, a in parts])
    everything = np.exp(runs.logs).tolist()
    others = [prior(everything[:i] + everything[i + 1 :]) for i in range(benchmarks)]
    screens, rows = [], []
    for name, priors in (("none", None), ("fitted to the other benchmarks", others * len(parts))):
        answers = judge(questions(base, new, priors, relevance=shape.relevance))
        by = np.asarray([a.suspect for a in answers], dtype=float).reshape(-1, benchmarks)
        count, total = int(by.sum()), by.size
        rates = by.mean(axis=0)
        # Splits of one benchmark hang together, benchmarks do not.
        clustered = rates.mean() + stats.t.ppf(0.95, benchmarks - 1) * stats.sem(rates)
        flags = sum(a.verdict in FLAGS for a in answers)
        screens.append((rates, max(bound(count, total), float(clustered))))
        rows.append(
            (
                name,
                total,
                f"{count / total:.2%}",
                f"{bound(count, total):.2%}",
                f"{clustered:.2%}",
                f"{1000 * flags / total:.2f} of 1000",
            )
        )
    lines = [
        f"Runs: {runs.origin}. All {len(parts)} splits of {n} runs into halves are compared: pairs"
        " of equal kernels, which are not independent trials; the bound over benchmarks allows for"
        " that.",
        "",
        *table(
            [
                "prior",
                "pairs",
                "run again",
                "95 % bound",
                "95 % bound over benchmarks",
                "flagged by this alone",
            ],
            rows,
        ),
    ]
    rates, upper = max(screens, key=lambda s: s[1])
    return _Screened(rates=rates, upper=upper, lines=lines)


def _confirmation(shape: Shape, runs: _Runs, screened: _Screened) -> list[str]:
    """Return part 2, drawn reruns, and the product of both."""
    lines = [
        "Part 2, confirmation: rerun boots drawn from models of those runs, a benchmark's own"
        f" location and scatter each; {SUSPECTS} suspects a benchmark and model, the suspected"
        f" direction at random, all rounds. A history is {HISTORY} earlier kernels of"
        f" {BOOTS} boots, drawn from the same model.",
        "",
    ]
    seen, products = [], []
    for name, model, known in (
        ("smoothed bootstrap", _bootstrap, False),
        ("Student's t, 3 degrees", _student, False),
        ("smoothed bootstrap, with a history", _bootstrap, True),
        ("Student's t, 3 degrees, with a history", _student, True),
    ):
        by = _confirmations(shape, runs.logs, model, known=known)
        count, total = int(by.sum()), by.size
        products.append(
            (
                name,
                1000 * float(np.mean(screened.rates * by.mean(axis=1))),
                1000 * screened.upper * bound(count, total),
            )
        )
        seen.append((name, total, count, f"{count / total:.5%}", f"{bound(count, total):.5%}"))
    lines += table(["model", "suspects", "confirmed", "share", "95 % bound"], seen)
    lines += [
        "",
        "Both parts together: false alarms reported in 1000 comparisons of equal kernels (with"
        " the screen's worst line and bound):",
        "",
        *table(
            ["model", "mean over benchmarks of the product", "product of the bounds"],
            [(name, f"{mean:.4f}", f"{upper:.4f}") for name, mean, upper in products],
        ),
    ]
    return lines


def _bootstrap(runs: Floats, random: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """Draw of one benchmark's runs with Silverman's kernel, which keeps two modes apart."""
    quarter = np.subtract(*np.percentile(runs, [75, 25])) / 1.349
    width = 0.9 * min(float(np.std(runs, ddof=1)), float(quarter)) * len(runs) ** -0.2
    drawn: Floats = random.choice(runs, shape) + random.normal(0.0, 1.0, shape) * width
    return drawn


def _student(runs: Floats, random: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """Draw boots with far heavier tails than normal and the benchmark's variance."""
    drawn: Floats = float(np.std(runs, ddof=1)) * random.standard_t(3, shape) / np.sqrt(3)
    return drawn


def _confirmations(
    shape: Shape,
    logs: Floats,
    model: Callable[[Floats, np.random.Generator, tuple[int, int, int]], Floats],
    *,
    known: bool,
) -> npt.NDArray[np.bool_]:
    """Return which suspects are confirmed, of the shape (benchmarks, SUSPECTS)."""
    random = np.random.default_rng(4000)
    confirmed_ = np.zeros((len(logs), SUSPECTS), dtype=bool)
    # In portions: the boots of all suspects at once would fill the memory.
    for first in range(0, len(logs), 50):
        some = logs[first : first + 50]
        repeats = np.repeat(np.arange(len(some)), SUSPECTS)

        def draw(
            places: npt.NDArray[np.int64],
            boots: int,
            some: Floats = some,
            repeats: npt.NDArray[np.int64] = repeats,
        ) -> Floats:
            each = [
                model(some[k], random, (int(np.sum(repeats[places] == k)), 2, boots))
                for k in range(len(some))
            ]
            return np.concatenate(each)

        signs: list[float | None] = [*random.choice([-1.0, 1.0], len(repeats)).tolist()]
        priors: list[Prior | None] | None = None
        if known:
            histories = [np.exp(model(runs, random, (1, HISTORY, BOOTS))[0]) for runs in some]
            priors = [fit for h in histories for fit in [prior(h.tolist())] * SUSPECTS]
        made, _ = confirmed(shape, draw, signs, priors)
        right = [d.stand is Stand.CONFIRMED for d in made]
        confirmed_[first : first + 50] = np.reshape(right, (len(some), SUSPECTS))
    return confirmed_


# --- a night -----------------------------------------------------------------------


def nights(shape: Shape, changes: Sequence[float]) -> list[tuple[object, ...]]:
    """Return the lines of drawn nights with these changes among `TESTS` comparisons."""
    random = np.random.default_rng(5000)
    truth = np.zeros(TESTS)
    truth[: len(changes)] = np.log1p(changes)
    counts: dict[str, list[tuple[int, int]]] = {}
    for _ in range(NIGHTS):
        logs = random.normal(0.0, CV, (TESTS, 2, BOOTS))
        logs[:, 1] += truth[:, None]
        answers = _plain(shape, logs)
        screened = [a.p_zero if a.p_zero is not None else 1.0 for a in answers]
        for name, which in (
            ("p < 0.05, five boots", [p < 0.05 for p in screened]),
            ("the same, after Benjamini and Hochberg", discoveries(screened, tests=TESTS)),
            ("flagged by one comparison", [a.verdict in FLAGS for a in answers]),
            ("two stages, reported", _told(shape, answers, truth, random)),
        ):
            hits = np.asarray(which)
            right = int(np.sum(hits & (truth != 0)))
            counts.setdefault(name, []).append((int(hits.sum()) - right, right))
    return [
        (
            len(changes),
            name,
            f"{np.mean([false for false, _ in pairs]):.2f}",
            f"{np.mean([right for _, right in pairs]):.2f}",
            f"{np.mean([false / max(1, false + right) for false, right in pairs]):.3f}",
        )
        for name, pairs in counts.items()
    ]


def _told(
    shape: Shape, answers: Sequence[Comparison], truth: Floats, random: np.random.Generator
) -> list[bool]:
    places = [i for i, a in enumerate(answers) if a.suspect]

    def draw(these: npt.NDArray[np.int64], boots: int) -> Floats:
        logs = random.normal(0.0, CV, (len(these), 2, boots))
        logs[:, 1] += truth[[places[i] for i in these]][:, None]
        return logs

    made, _ = confirmed(shape, draw, [answers[i].effect for i in places])
    sure = [(i, d.p) for i, d in zip(places, made, strict=True) if d.stand is Stand.CONFIRMED]
    passed = discoveries([combined(p) for _, p in sure if p is not None], tests=TESTS)
    hits = [False] * TESTS
    for (i, _), yes in zip(sure, passed, strict=True):
        hits[i] = yes
    return hits


# --- speed -------------------------------------------------------------------------


def speed() -> list[str]:
    """Return the table of the time that many comparisons take, the best of three."""
    random = np.random.default_rng(6000)
    rows = []
    for count in (1, 500, 5000):
        for base, new in ((5, 5), (25, 5), (30, 30)):
            asked = questions(
                random.normal(0.0, CV, (count, base)),
                random.normal(0.0, CV, (count, new)),
                relevance=0.01,
            )
            took = []
            for _ in range(3):
                began = time.perf_counter()
                judge(asked)
                took.append(time.perf_counter() - began)
            rows.append((count, f"{base} + {new}", f"{1000 * min(took):.1f} ms"))
    return table(["comparisons", "boots", "time"], rows)


def main(words: Sequence[str] = ()) -> None:
    """Draw, compare, and write the figures."""
    options = argparse.ArgumentParser(prog="python -m bench verdicts", description=__doc__)
    options.add_argument(
        "--quick",
        action="store_true",
        help="print only bad boots, new modes and confirmed figures, of fewer pairs; minutes",
    )
    main_, noisy, all_ = shipped()
    five = next(s for s in all_ if s.seeds == 5 and len(s.rounds) == 3 and s.relevance == 0.01)
    if options.parse_args(words).quick:
        print("\n".join(bad_boots.bad_boots(five, bad_boots.QUICK)))
        print("\n".join(["", *new_modes.new_modes(five, new_modes.QUICK)]))
        print("\n".join(["", *confirmed_figures.confirmed_figures(five, RERUNS_QUICK)]))
        return
    write(
        "verdicts",
        "False alarms, power and speed of comparisons",
        "python -m bench verdicts",
        [
            f"{PAIRS} drawn pairs a line, log-normal boots of {CV:.0%} scatter (CV)",
            f"screening level {SCREEN}; seeds, rounds of a rerun and relevances are those of"
            " `lava-jobs/plans` and `lava-jobs/benchmarks`",
            f"where nothing else is said: `nightly`, throughput ({main_})",
        ],
        [
            *_power(main_, noisy, all_),
            "",
            "## Nights that drift",
            "",
            *drifts(noisy),
            "",
            "## False alarms",
            "",
            *(line for shape in (five, main_) for line in _alarms(shape)),
            *_modes(five),
            "",
            *_night(main_),
            "",
            "## Speed",
            "",
            "One core, the best of three.",
            "",
            *speed(),
        ],
    )


def _power(main_: Shape, noisy: Shape, all_: Mapping[Shape, int]) -> list[str]:
    """Return the sections about one comparison and its two stages."""
    others = [s for s in all_ if s not in (main_, noisy)]
    return [
        "## One comparison",
        "",
        "Share flagged REGRESSION or IMPROVEMENT, without a history.",
        "",
        *single(main_),
        "",
        "## Two stages",
        "",
        "A screen requests a rerun, which confirms the change or not. Earlier kernels: a"
        " prior fitted to the screening boots of so many. Earlier nights: the base's boots of"
        " so many nights of a noisy board are controls; the level of the nights is equal"
        " here.",
        "",
        *staged([main_, noisy]),
        "",
        f"The throughput of the deterministic boards scatters by {CV_DETERMINISTIC:.1%} at most"
        " (5 to 10 boots of one build of linux-6.12):",
        "",
        *staged([main_], cv=CV_DETERMINISTIC),
        "",
        "The other shapes of figures in the plans, by the number of such figures: "
        + "; ".join(f"{s} ({all_[s]})" for s in others)
        + ". At a change of twice the relevance:",
        "",
        *staged(others),
    ]


def _alarms(shape: Shape) -> list[str]:
    """Return the section about the false alarms of a shape."""
    return [f"### {shape}", "", "Part 1, screening.", "", *alarms(shape, _runs()), ""]


def _modes(five: Shape) -> list[str]:
    """Return the sections about boots that are off, new modes, and the figures confirmed."""
    return [
        "## Bad boots and two modes",
        "",
        *bad_boots.bad_boots(five, bad_boots.FULL),
        "",
        "## New modes",
        "",
        *new_modes.new_modes(five, new_modes.FULL),
        "",
        "## Figures of confirmed changes",
        "",
        *confirmed_figures.confirmed_figures(five, RERUNS),
    ]


def _night(main_: Shape) -> list[str]:
    """Return the section about nights."""
    return [
        "## A night",
        "",
        f"{NIGHTS} drawn nights of {TESTS} comparisons, {BOOTS} + {BOOTS} boots without a"
        " history; means a night. Changes are of 3, 5 and 10 %, each way.",
        "",
        *table(
            ["true changes", "rule", "false", "true found", "share of false reports"],
            [row for c in ((), CHANGES, CHANGES * 5) for row in nights(main_, c)],
        ),
    ]
