# SPDX-License-Identifier: GPL-2.0-only
"""Other projects' decision rules and the project's own, on the same boots and series.

Every rule sees the same pairs, the same series and the same random draws.  Real noise
comes from the folder that `VLAG_NOISE_DATA` names; without it a model stands in, and the
page says so.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench import changepoints, holdout, peer_rules
from bench.changepoints import MARGIN, SIZES
from bench.evidence import table, write
from bench.peer_rules import HISTORY, Flags, Floats
from bench.trials import bound
from vlag.model import Direction, Verdict
from vlag.stats.changepoint_tuning import PLACE_TOLERANCE
from vlag.stats.compare import Question, judge
from vlag.stats.stages import ROUNDS, Stand, decide

SEED = 20_261
RUNS = (3, 5)  # a side
SPREAD = 0.02  # CV between boots
AA_PAIRS = 50_000
SHIFTED_PAIRS = 10_000
SHIFTS = (0.03, 0.05)
DRAWS = 1  # steps of each size for each window, one at a time
RELEVANCE = 0.01
# Far below any difference here: drawn values are not rounded.
RESOLUTION = 1e-9

PairRule = Callable[[Floats, Floats], Flags]
SeriesRule = Callable[[Floats], Sequence[int]]
# Gives rerun boots of the pairs with these numbers, each side (pairs, `ROUNDS[-1]`).
Fresh = Callable[[npt.NDArray[np.intp]], tuple[Floats, Floats]]


def _question(base: Floats, new: Floats) -> Question:
    return Question(
        base=base.tolist(),
        new=new.tolist(),
        direction=Direction.HIGHER,
        relevance=RELEVANCE,
        resolution=RESOLUTION * float(base[0]),
    )


def ours(base: Floats, new: Floats) -> Flags:
    """Return which pairs one comparison calls REGRESSION or IMPROVEMENT."""
    answers = judge([_question(a, b) for a, b in zip(base, new, strict=True)])
    changed = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
    return np.asarray([answer.verdict in changed for answer in answers])


def ours_two_stage(base: Floats, new: Floats, fresh: Fresh) -> tuple[Flags, Flags]:
    """Return which pairs are told after a rerun, and which were booted again for it."""
    screened = judge([_question(a, b) for a, b in zip(base, new, strict=True)])
    again = np.asarray([answer.suspect for answer in screened])
    reported = np.zeros_like(again)
    suspects = np.flatnonzero(again)
    sides = dict(zip(suspects.tolist(), zip(*fresh(suspects), strict=True), strict=True))
    for boots in ROUNDS:
        asked = {i: _question(a[:boots], b[:boots]) for i, (a, b) in sides.items()}
        for (i, question), answer in zip(asked.items(), judge(list(asked.values())), strict=True):
            decision = decide(question, answer, suspicion=screened[i].effect)
            reported[i] = decision.stand is Stand.CONFIRMED
            if decision.stand is not Stand.OPEN:
                del sides[i]
    return reported, again


def pairs_drawn(
    runs: int, pairs: int, shift: float, spread: float, seed: Sequence[int]
) -> tuple[Floats, Floats, Fresh]:
    """Return log-normal boots, each side (pairs, runs), and where rerun boots come from."""
    random = np.random.default_rng(seed)
    logs = random.normal(0, spread, (2, pairs, runs))
    logs[1] += np.log1p(shift)

    def fresh(asked: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        first, second = random.normal(0, spread, (2, len(asked), ROUNDS[-1]))
        return np.exp(first), np.exp(second + np.log1p(shift))

    return np.exp(logs[0]), np.exp(logs[1]), fresh


def builds(folder: Path | None) -> Floats:
    """Return the median of each of ten runs of one build, shape (benchmarks, 10)."""
    if folder is not None:
        return np.asarray(holdout.same_build(folder)["p50"], dtype=float)
    random = np.random.default_rng([SEED, 1])
    spread = 0.015 * np.exp(random.normal(0, 1, (300, 1)))
    return np.exp(spread * random.standard_t(5, (300, 10)))


def same_build_pairs(values: Floats) -> tuple[Floats, Floats, Fresh]:
    """Return all splits 5:5 of the ten runs, and rerun boots from a smoothed bootstrap.

    Ten runs leave none for a rerun: those are drawn from the ten with a normal kernel of
    Silverman's width, so that a build with two modes keeps them.
    """
    halves = [(0, *rest) for rest in itertools.combinations(range(1, 10), 4)]
    others = [[i for i in range(10) if i not in half] for half in halves]
    base, new = values[:, halves].reshape(-1, 5), values[:, others].reshape(-1, 5)

    def fresh(asked: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        random = np.random.default_rng([SEED, 2])
        logs = np.log(values)[asked // len(halves)]
        width = 0.9 * logs.std(axis=1, ddof=1) * logs.shape[1] ** -0.2
        shape = (2, len(asked), ROUNDS[-1])
        chosen = random.integers(0, logs.shape[1], shape)
        drawn = logs[np.arange(len(asked))[:, None], chosen]
        first, second = np.exp(drawn + random.normal(size=shape) * width[:, None])
        return first, second

    return base, new, fresh


def windows(folder: Path | None) -> Floats:
    """Return step-free series, shape (windows, points), in order."""
    if folder is not None:
        return np.asarray(holdout.nightly(folder)["y"], dtype=float)
    random = np.random.default_rng([SEED, 3])
    spread = 0.011 * np.exp(random.normal(0, 0.8, (440, 1)))
    follow = random.uniform(0, 0.4, 440)
    noise = random.standard_t(5, (440, 120))
    for point in range(1, noise.shape[1]):
        noise[:, point] += follow * noise[:, point - 1]
    return np.asarray(np.exp(spread * noise))


def _per_thousand(flags: Flags) -> str:
    return f"{1000 * flags.mean():.2f}"


def _pair_rules() -> dict[str, PairRule]:
    return {
        "LKP, means beyond the other's range": peer_rules.lkp,
        "LKP, ranges apart": peer_rules.lkp_strict,
        "benchstat, Mann-Whitney p < .05": peer_rules.benchstat,
        "Welch's t, p < .05": peer_rules.welch,
        "Perfherder compare, t ≥ 3 (medium)": peer_rules.perfherder_medium,
        "Perfherder compare, t ≥ 5 (high)": peer_rules.perfherder_high,
        "SQUAD, any difference": peer_rules.squad,
        "mmtests, 95 % intervals apart": peer_rules.mmtests,
    }


def drawn_part() -> list[str]:
    """Return the tables of drawn boots, one for each number of runs."""
    lines = []
    for runs in RUNS:
        rows: dict[str, list[str]] = {}
        for i, shift in enumerate((0.0, *SHIFTS)):
            pairs = SHIFTED_PAIRS if shift else AA_PAIRS
            seed = [SEED, 4, runs, i]
            base, new, fresh = pairs_drawn(runs, pairs, shift, SPREAD, seed)
            past = np.exp(
                np.random.default_rng([SEED, 5, runs, i]).normal(0, SPREAD, (pairs, HISTORY, runs))
            )
            reported, again = ours_two_stage(base, new, fresh)
            results = {name: rule(base, new) for name, rule in _pair_rules().items()}
            results["rustc-perf, 3 IQR fence"] = peer_rules.rustc_perf(base, new, past)
            results["ours, one comparison"] = ours(base, new)
            results["ours, booted again (a suspicion, not reported)"] = again
            results["ours, two stages"] = reported
            for name, flags in results.items():
                shown = [f"{flags.mean():.3f}"]
                if not shift:
                    shown = [
                        _per_thousand(flags),
                        f"{1000 * bound(int(flags.sum()), len(flags)):.2f}",
                    ]
                rows.setdefault(name, []).extend(shown)
        head = (
            "rule",
            "false alarms / 1000",
            "at most (95 %)",
            *(f"power, {shift:.0%}" for shift in SHIFTS),
        )
        lines += [f"### {runs} boots a side, CV {SPREAD:.0%}", ""]
        lines += [*table(head, [(name, *shown) for name, shown in rows.items()]), ""]
    return lines


def same_build_part(folder: Path | None) -> list[str]:
    """Return the table of pairs of one build."""
    values = builds(folder)
    base, new, fresh = same_build_pairs(values)
    reported, again = ours_two_stage(base, new, fresh)
    results = {name: rule(base, new) for name, rule in _pair_rules().items()}
    results["ours, one comparison"] = ours(base, new)
    results["ours, booted again (a suspicion, not reported)"] = again
    results["ours, two stages (second stage: modelled boots)"] = reported
    noise = "ten real runs of one build" if folder else "ten modelled runs of one build"
    return [
        f"## Pairs of {noise}",
        "",
        f"{len(base)} pairs: all 126 splits 5:5 of ten runs of {len(values)} benchmarks. Splits of "
        "the same runs are not independent trials. Each difference is a false alarm. rustc-perf's "
        "fence has no place here: there are no earlier builds. The rerun boots of the second "
        "stage are drawn from the ten runs by a smoothed bootstrap.",
        "",
        *table(
            ("rule", "pairs flagged", "false alarms / 1000"),
            [(name, int(v.sum()), _per_thousand(v)) for name, v in results.items()],
        ),
        "",
    ]


def series_part(folder: Path | None) -> list[str]:
    """Return the table of the rules for series."""
    clean = windows(folder)
    given = changepoints.Noise(windows=clean, spread=clean.std(axis=1))
    random = np.random.default_rng([SEED, 7])
    rules: dict[str, SeriesRule] = {
        "Otava, E-divisive splits, Student p < .001": peer_rules.otava_steps,
        "MongoDB, E-divisive, p .01": lambda v: peer_rules.mongodb_steps(v, random),
        "Perfherder, t of 12 and 12 > 7": peer_rules.perfherder_alerts,
        "asv, L1 Potts": peer_rules.asv_steps,
        "LNT, previous 10, Mann-Whitney p < .05": peer_rules.lnt_alerts,
        "rustc-perf, 3 IQR fence": peer_rules.rustc_perf_alerts,
        "ours": changepoints.ours,
    }
    rows = [changepoints.score(rule, given, DRAWS).row(name) for name, rule in rules.items()]
    noise = "real nightly noise" if folder else "modelled noise (autocorrelated, heavy tails)"
    return [
        f"## Series, {noise}",
        "",
        f"{len(clean)} step-free windows of {clean.shape[1]} points for the false alarms; "
        f"{len(clean) * len(SIZES) * DRAWS} windows with one step each for the rest, at a random "
        f"place with {MARGIN} points on either side, found within ± {PLACE_TOLERANCE} points. Each "
        "size is in each window, up or down. An alarm beyond the one finding is false.",
        "",
        *table(["rule", *changepoints.HEAD[1:]], rows),
        "",
        "Otava runs with its defaults and the test statistic of its 0.x versions (deviations "
        "over n). LNT compares runs of several samples; with one value a night it gets four "
        "nights, and consecutive flagged nights count once. Perfherder, LNT and rustc-perf need "
        "points before or after a step, which the edges of a window lack: they report nothing "
        "there."
        + (
            " The project's own rule was tuned on part of these windows, the others were not."
            if folder
            else ""
        ),
    ]


def main() -> None:
    """Measure every rule, and write the figures."""
    folder = holdout.folder()
    given = (
        f"real noise from {holdout.DATA}"
        if folder
        else f"{holdout.DATA} was not given: where real noise belongs a model stands in"
    )
    write(
        "peers",
        "Other projects' rules on the same numbers",
        "python -m bench peers",
        [
            given,
            f"seed {SEED}; the project's relevance is {RELEVANCE:.0%}",
            f"drawn pairs: {AA_PAIRS} without a change, {SHIFTED_PAIRS} for each change",
        ],
        [
            "The rules follow the projects' published descriptions. They were written for this "
            "page only and are not the projects' own code. LKP's rule appears in two readings, a "
            "loose and a strict one.",
            "",
            "## Drawn pairs",
            "",
            "Log-normal boots; power is the share of changed pairs that are flagged, either way. "
            f"rustc-perf's rule also sees {HISTORY} earlier builds of each "
            "pair. The two-stage rule takes a rerun of both sides for each suspicion, up to "
            f"{ROUNDS[-1]} a side.",
            "",
            *drawn_part(),
            *same_build_part(folder),
            *series_part(folder),
        ],
    )
