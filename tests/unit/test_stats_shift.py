# SPDX-License-Identifier: GPL-2.0-only
"""Shift of a distribution: what is found, what chance makes, and what is not said."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from vlag.model import Direction, Histogram
from vlag.stats import distribution
from vlag.stats.headline import LENGTH
from vlag.stats.permutation import SPLITS, prepare
from vlag.stats.shift import SCREEN, Shift, shift

Run = dict[str, float]
# What the quantiles of a run add to the median, as logarithms.
SHAPE = {"p50": 0.0, "p90": 0.4, "p99": 0.9, "p99.9": 1.3, "p99.99": 1.6, "max": 1.8}
# How far each scatters beyond the level of the run.
OWN = {"p50": 0.005, "p90": 0.01, "p99": 0.02, "p99.9": 0.04, "p99.99": 0.06, "max": 0.15}
LEVEL = 0.02


def runs(rng: np.random.Generator, n: int, *, median: float = 1000.0, **factor: float) -> list[Run]:
    """Draw runs; `factor` multiplies a quantile ("p99_9" for P99.9)."""
    given = {name.replace("_", "."): value for name, value in factor.items()}
    found = []
    for level in rng.normal(0.0, LEVEL, n):
        own = {name: rng.normal(0.0, OWN[name]) for name in SHAPE}
        found.append(
            {
                name: median * math.exp(SHAPE[name] + level + own[name]) * given.get(name, 1.0)
                for name in SHAPE
            }
        )
    return found


def ask(
    base: Sequence[Run],
    new: Sequence[Run],
    *,
    direction: Direction = Direction.LOWER,
    resolution: float = 0.01,
    relevance: float = 0.02,
    seed: int = 0,
) -> Shift:
    return shift(
        base, new, direction=direction, relevance=relevance, resolution=resolution, seed=seed
    )


def moved(found: Shift) -> list[str]:
    return [q.name for q in found.quantiles if q.moved]


TAIL = {"p99_9": 2.0, "p99_99": 2.0, "max": 2.0}
WHOLE = {name.replace(".", "_"): 1.10 for name in SHAPE}


def test_a_tail_is_found_where_it_is() -> None:
    rng = np.random.default_rng(1)
    found = ask(runs(rng, 20), runs(rng, 20, **TAIL))
    assert moved(found) == ["p99.9", "p99.99", "max"]
    assert found.suspect
    assert (found.worse, found.better) == (True, False)
    assert found.headline == "the tail beyond P99.9 doubled, the median is unchanged"
    # The same runs without the tail are one distribution.
    rng = np.random.default_rng(1)
    same = ask(runs(rng, 20), runs(rng, 20))
    assert not same.suspect
    assert same.headline == "no quantile moved"
    assert same.p > SCREEN


def test_a_shift_of_everything_is_one_phrase() -> None:
    rng = np.random.default_rng(2)
    found = ask(runs(rng, 20), runs(rng, 20, **WHOLE))
    assert moved(found)[:4] == ["p50", "p90", "p99", "p99.9"]
    assert not any(s.moved for s in found.slopes)
    everything = [dict.fromkeys(SHAPE, 100.0 + i) for i in range(6)]
    slower = [{name: 1.5 * v for name, v in run.items()} for run in everything]
    assert ask(everything, slower).headline == "the whole distribution moved up by 50 %"
    assert ask(slower, everything).headline == "the whole distribution moved down by 33 %"
    # Which of them is worse is the metric's business.
    assert ask(everything, slower).worse
    assert ask(everything, slower, direction=Direction.HIGHER).better


def test_a_lower_maximum_is_an_improvement() -> None:
    rng = np.random.default_rng(3)
    found = ask(runs(rng, 20), runs(rng, 20, max=0.6))
    assert moved(found) == ["max"]
    assert (found.worse, found.better) == (False, True)
    assert found.headline == "the maximum 39 % lower, the median is unchanged"


def test_a_distribution_may_get_better_and_worse() -> None:
    rng = np.random.default_rng(4)
    found = ask(runs(rng, 10), runs(rng, 10, p50=0.8, **TAIL))
    assert found.worse
    assert found.better
    assert "the median 2" in found.headline
    assert "lower, the tail beyond P99.9 doubled" in found.headline


def test_a_tail_shows_in_the_slope_where_levels_hide_it() -> None:
    rng = np.random.default_rng(5)

    def jumping(factor: float) -> list[Run]:
        levels = 1000 * np.exp(rng.normal(0.0, 0.5, 10))
        return [
            {"p50": float(level), "p99": 2 * level * factor * math.exp(rng.normal(0, 0.01))}
            for level in levels
        ]

    found = ask(jumping(1.0), jumping(1.2))
    assert moved(found) == []
    assert [s.name for s in found.slopes if s.moved] == ["p99/p50"]
    assert found.headline.startswith("P99 moved 2")
    assert " % away from the median" in found.headline
    assert not ask(jumping(1.0), jumping(1.0)).suspect


def test_false_alarms_of_the_screen_hold_their_level() -> None:
    rng = np.random.default_rng(6)
    pairs = 600
    p = np.array([ask(runs(rng, 5), runs(rng, 5)).p for _ in range(pairs)])
    for level in (6 / 126, 12 / 126):
        hits = int(np.sum(p <= level + 1e-9))
        low, high = (float(stats.binom.ppf(q, pairs, level)) for q in (0.001, 0.999))
        assert low <= hits <= high
    # The bound is no achievement of a test that never answers.
    power = [ask(runs(rng, 5), runs(rng, 5, **TAIL)).suspect for _ in range(50)]
    assert np.mean(power) >= 0.95


def test_pooled_samples_would_find_anything() -> None:
    """The control: the same runs, their samples pooled, are called different."""
    rng = np.random.default_rng(8)
    pooled, by_run = 0, 0
    for _ in range(40):
        samples = rng.gamma(2.0, 100.0, (10, 1000)) * np.exp(rng.normal(0, 0.2, (10, 1)))
        pooled += bool(stats.ks_2samp(samples[:5].ravel(), samples[5:].ravel()).pvalue < 0.01)
        found = np.quantile(samples, [0.5, 0.9, 0.99], axis=1).T
        each = [dict(zip(("p50", "p90", "p99"), map(float, f), strict=True)) for f in found]
        by_run += ask(each[:5], each[5:]).suspect
    assert pooled >= 25
    assert by_run <= 10


def test_the_order_of_runs_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    for n in (5, 12):  # all splits, and some of them
        base, new = runs(rng, n), runs(rng, n, p99=1.02)
        found = ask(base, new)
        assert ask(base[::-1], new[2:] + new[:2]) == found
        assert ask(base, new) == found
        # To mix the sides is another question.
        assert ask([*base[:-1], new[0]], [*new[1:], base[-1]]) != found


def test_splits_are_sampled_from_the_seed() -> None:
    rng = np.random.default_rng(10)
    few, many = [(runs(rng, n), runs(rng, n)) for n in (5, 12)]
    assert ask(*few, seed=1) == ask(*few, seed=2)
    first, second = ask(*many, seed=1), ask(*many, seed=2)
    assert first.p != second.p
    assert first.p == pytest.approx(second.p, abs=5 / math.sqrt(SPLITS))


def test_p_is_that_of_every_split_made_by_hand() -> None:
    rng = np.random.default_rng(11)
    base, new = runs(rng, 4), runs(rng, 5, p99=1.03)
    logs = np.log([[run[name] for name in SHAPE] for run in (*base, *new)])
    logs = np.hstack([logs, np.diff(logs, axis=1)])

    def largest(chosen: Sequence[int]) -> float:
        inside = np.isin(np.arange(9), chosen)
        return float(np.max(np.abs(stats.ttest_ind(logs[inside], logs[~inside]).statistic)))

    every = np.array([largest(c) for c in itertools.combinations(range(9), 4)])
    found = ask(base, new)
    assert found.p == pytest.approx(np.mean(every >= every[0] - 1e-9))
    assert found.p == ask(new, base).p


def test_intervals_hold_for_all_quantiles_together() -> None:
    rng = np.random.default_rng(12)
    true = {"p50": 1.0, "p90": 1.0, "p99": 1.2, "p99.9": 1.3, "p99.99": 1.3, "max": 1.3}
    given = {name.replace(".", "_"): factor for name, factor in true.items()}
    holds, narrow = 0, 0
    for _ in range(200):
        found = ask(runs(rng, 5), runs(rng, 5, **given))
        ends = [(q.low, true[q.name] - 1, q.high) for q in found.quantiles]
        holds += all(low is not None and high is not None and low <= t <= high
                     for low, t, high in ends)  # fmt: skip
        narrow += ends[2][0] is not None and ends[2][0] > 0
    assert holds / 200 >= 0.92
    assert narrow / 200 >= 0.9


def test_few_runs_have_no_interval_and_two_have_no_suspicion() -> None:
    rng = np.random.default_rng(13)
    found = ask(runs(rng, 3), runs(rng, 3, **TAIL))
    assert {q.low for q in found.quantiles} == {None}
    assert found.p == pytest.approx(0.1)
    assert not ask(runs(rng, 2), runs(rng, 2, **TAIL)).suspect
    assert ask(runs(rng, 1), runs(rng, 1)).p == 1.0


def test_a_quantile_that_some_run_does_not_know_is_named() -> None:
    rng = np.random.default_rng(14)
    base, new = runs(rng, 10), runs(rng, 10, **TAIL)
    del new[3]["p99.99"]
    found = ask(base, new)
    assert found.unknown == ("p99.99",)
    assert "p99.99" not in [q.name for q in found.quantiles]
    assert "; P99.99 is not known" in found.headline
    nothing = ask([{"p90": 1.0}] * 5, [{"p99": 1.0}] * 5)
    assert (nothing.quantiles, nothing.p, nothing.suspect) == ((), 1.0, False)
    assert nothing.headline == "no quantile is known in every run"


def test_one_step_of_the_tool_is_no_shift() -> None:
    base = [{"p50": 3.0, "p99": 20.0}] * 5
    one = [{"p50": 4.0, "p99": 21.0}] * 5
    assert not ask(base, one, resolution=1.0).suspect
    two = [{"p50": 5.0, "p99": 22.0}] * 5
    assert moved(ask(base, two, resolution=1.0)) == ["p50", "p99"]
    # With a finer tool the same figures are a change.
    assert moved(ask(base, one, resolution=0.1)) == ["p50", "p99"]
    same = ask(base, base, resolution=1.0)
    assert same.p == 1.0
    # Runs that all say 3 are known to a step and no better.
    assert same.quantiles[0].high == pytest.approx(1 / 3)
    parts = prepare(base, two, ["p50"], 1.0)
    step = 1 / math.sqrt(15)  # at the geometric mean of both
    expected = math.log(5 / 3) / (step / math.sqrt(12) * math.sqrt(2 / 5))
    assert parts.t(parts.logs, 0)[0, 0] == pytest.approx(expected)


def test_a_value_below_the_step_is_only_known_to_be_below() -> None:
    zero, one = [{"p50": 0.0, "p90": 9.0}] * 5, [{"p50": 1.0, "p90": 9.0}] * 5
    found = ask(zero, one, resolution=1.0)
    assert not found.suspect
    # What is printed is what the change is computed from.
    assert (found.quantiles[0].base, found.quantiles[0].new) == (1.0, 1.0)
    assert found.quantiles[0].effect == 0.0
    many = [{"p50": 5.0, "p90": 9.0}] * 5
    found = ask(zero, many, resolution=1.0)
    assert moved(found) == ["p50"]
    assert found.quantiles[0].effect == pytest.approx(4.0)


def test_an_irrelevant_shift_is_no_suspicion() -> None:
    base = [{"p50": 1000.0 + i} for i in range(6)]
    new = [{"p50": 1015.0 + i} for i in range(6)]
    found = ask(base, new)
    assert found.p < 0.01
    assert not found.suspect
    assert ask(base, new, relevance=0.01).suspect


def histogram(samples: int, expected: int) -> Histogram:
    return Histogram(
        metric="latency",
        bounds=(10, 20, 80),
        counts=((samples - samples // 5, samples // 5 - samples // 50, samples // 50),),
        overflow=(0,),
        limit=1000,
        maximum=(90.0,),
        instances=("0",),
        expected=expected,
    )


def test_samples_that_were_not_taken_are_said() -> None:
    whole = [distribution.observed(histogram(2000, 2000))] * 5
    part = [distribution.observed(histogram(1200, 2000))] * 5
    found = ask(whole, part, resolution=1.0)
    assert (found.achieved_base, found.achieved_new) == (1.0, 0.6)
    assert "new took only 60 % of its samples" in found.headline
    # Nothing says how late the others were, only that the median is not among them.
    assert {q.name for q in found.quantiles} == {"p50", "max"}
    assert {"p90", "p99"} <= set(found.unknown)
    fine = ask(whole, whole, resolution=1.0)
    assert "took only" not in fine.headline
    silent = [{k: v for k, v in run.items() if k != distribution.EXPECTED} for run in part]
    assert ask(whole, silent, resolution=1.0).achieved_new is None


def test_headlines_stay_one_line() -> None:
    rng = np.random.default_rng(18)
    for _ in range(150):
        factor = {
            name.replace(".", "_"): float(f)
            for name, f in zip(SHAPE, rng.choice([0.3, 0.8, 1.0, 1.2, 7.0], 6), strict=True)
        }
        base, new = runs(rng, 6), runs(rng, 6, **factor)
        for name in rng.choice(list(SHAPE), 2):
            new[0].pop(name, None)
        for run in new:
            run |= {"achieved": 50.0, "expected": 100.0}
        assert 0 < len(ask(base, new).headline) <= LENGTH


@pytest.mark.parametrize(
    ("base", "new", "settings", "message"),
    [
        ([], [{"p50": 1.0}], {}, "base has no run"),
        ([{"p50": 1.0}], [], {}, "new has no run"),
        ([{"p50": -1.0}], [{"p50": 1.0}], {}, "base holds p50 = -1.0"),
        ([{"p50": 1.0}], [{"p50": math.nan}], {}, "new holds p50 = nan"),
        ([{"p50": 1.0}], [{"p50": 1.0}], {"relevance": -0.1}, "the relevance is"),
        ([{"p50": 1.0}], [{"p50": 1.0}], {"resolution": 0.0}, "the resolution is"),
    ],
)
def test_input_that_makes_no_sense_is_refused(
    base: list[Run], new: list[Run], settings: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ask(base, new, **settings)  # type: ignore[arg-type]
