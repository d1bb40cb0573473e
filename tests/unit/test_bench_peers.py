# SPDX-License-Identifier: GPL-2.0-only
"""The rules that the project's own are measured against, each on a clear case and its opposite."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bench import changepoints, holdout, peer_rules, peers
from bench.peer_rules import Floats
from bench.peers import PairRule, SeriesRule

BASE = np.asarray([[100.0, 101.0, 99.0, 100.5, 99.5]])
APART = BASE * 1.2
# The same five values in another order: nothing changed.
MIXED = BASE[:, ::-1]


def _mongodb(values: Floats) -> list[int]:
    return peer_rules.mongodb_steps(values, np.random.default_rng(7))


PAIR_RULES: list[PairRule] = [
    peer_rules.lkp,
    peer_rules.lkp_strict,
    peer_rules.benchstat,
    peer_rules.welch,
    peer_rules.perfherder_medium,
    peer_rules.perfherder_high,
    peer_rules.mmtests,
    peers.ours,
]
SERIES_RULES: list[SeriesRule] = [
    _mongodb,
    peer_rules.otava_steps,
    peer_rules.perfherder_alerts,
    peer_rules.asv_steps,
    peer_rules.lnt_alerts,
    peer_rules.rustc_perf_alerts,
]


def _noise(points: int = 120, seed: int = 3) -> Floats:
    """Return even noise of 0.6 % CV: without the tails that make a fence jump."""
    return np.asarray(1 + np.random.default_rng(seed).uniform(-0.01, 0.01, points))


@pytest.mark.parametrize("rule", PAIR_RULES)
def test_a_pair_rule_flags_a_clear_change_and_not_its_absence(rule: PairRule) -> None:
    pairs = np.vstack([BASE, BASE, BASE]), np.vstack([APART, 1 / (APART / 1e4), MIXED])
    assert rule(*pairs).tolist() == [True, True, False]


def test_squad_takes_the_least_difference_and_nothing_else() -> None:
    assert peer_rules.squad(BASE, BASE + 1e-6).tolist() == [True]
    assert peer_rules.squad(BASE, BASE.copy()).tolist() == [False]


def test_lkp_in_its_loose_reading_lets_ranges_touch() -> None:
    base, new = np.asarray([[1.0, 2.0, 6.0]]), np.asarray([[5.0, 7.0, 8.0]])
    assert peer_rules.lkp(base, new).all()
    assert not peer_rules.lkp_strict(base, new).any()


def test_three_boots_are_too_few_for_a_rank_test() -> None:
    assert peer_rules.benchstat(BASE, APART).all()
    assert not peer_rules.benchstat(BASE[:, :3], APART[:, :3]).any()


def test_rustc_perf_measures_a_change_by_its_history() -> None:
    noise = np.random.default_rng(1).normal(0, 1, (1, 30, 5))
    calm, wild = 100 + 0.1 * noise, 100 + 10 * noise
    assert peer_rules.rustc_perf(BASE, BASE * 1.03, calm).all()
    assert not peer_rules.rustc_perf(BASE, BASE * 1.03, wild).any()


@pytest.mark.parametrize("runs", [3, 5])
def test_the_t_rules_have_the_false_alarms_that_their_level_says(runs: int) -> None:
    base, new, _ = peers.pairs_drawn(runs, 4000, 0.0, 0.02, [1, 2, 3, 4])
    strict = peer_rules.lkp_strict(base, new).mean()
    exact = {3: 2 / 20, 5: 2 / 252}[runs]  # orders of the boots that part the sides
    assert strict == pytest.approx(exact, rel=0.35)
    assert 0.02 < peer_rules.welch(base, new).mean() < 0.06
    assert peer_rules.lkp(base, new).mean() > strict


@pytest.mark.parametrize("rule", SERIES_RULES)
@pytest.mark.parametrize("factor", [1.1, 0.9])
def test_a_series_rule_finds_a_clear_step_where_it_is(rule: SeriesRule, factor: float) -> None:
    values = _noise()
    values[70:] *= factor
    assert any(abs(at - 70) <= 2 for at in rule(values))


@pytest.mark.parametrize("rule", [r for r in SERIES_RULES if r is not peer_rules.lnt_alerts])
def test_a_series_rule_is_silent_where_nothing_steps(rule: SeriesRule) -> None:
    assert list(rule(_noise())) == []


def test_lnt_is_silent_below_its_least_change() -> None:
    calm = 1 + (_noise() - 1) / 10
    assert peer_rules.lnt_alerts(calm) == []
    calm[70:] *= 1.02
    assert len(peer_rules.lnt_alerts(calm)) == 1


def test_otava_tests_a_single_point_as_if_it_had_no_spread() -> None:
    assert peer_rules._student_p(_noise(), np.asarray([1.3])) < peer_rules.OTAVA_LEVEL
    assert peer_rules._student_p(_noise(), np.asarray([1.005])) > peer_rules.OTAVA_LEVEL


def test_otava_drops_steps_below_the_asked_magnitude() -> None:
    values = _noise()
    values[70:] *= 1.05
    assert peer_rules.otava_steps(values)
    assert peer_rules.otava_steps(values, min_magnitude=0.2) == []


def test_mongodb_has_its_steps_from_the_order_of_the_points() -> None:
    values = _noise()
    values[40:80] *= 1.1
    steps = _mongodb(values)
    assert [round(step, -1) for step in steps] == [40, 80]
    assert _mongodb(np.random.default_rng(5).permutation(values)) == []


def test_both_forms_of_the_energy_distance_agree_with_its_definition() -> None:
    values = np.random.default_rng(11).normal(size=9)
    distance = np.abs(values[:, None] - values[None, :])
    expected = []
    for at in range(1, 9):
        left, right = distance[:at, :at], distance[at:, at:]
        within = [
            part[np.triu_indices(len(part), 1)].mean() if len(part) > 1 else 0.0
            for part in (left, right)
        ]
        expected.append(at * (9 - at) / 9 * (2 * distance[:at, at:].mean() - sum(within)))
    assert peer_rules._splits(values) == pytest.approx(np.asarray(expected))
    stepped = np.concatenate([values[:4], values[4:] + 20])
    assert int(np.argmax(peer_rules._splits(stepped))) + 1 == 4
    assert peer_rules._best_split(stepped) == 4
    # All ends count: points back at the first level would hide the step from the last one.
    back = np.concatenate([stepped, np.tile(values, 5)])
    assert peer_rules._best_split(back) in {4, 9}


def test_ours_tells_only_what_rerun_boots_show_again() -> None:
    def same(asked: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        base = np.repeat(np.tile(BASE, 6), len(asked), axis=0)
        return base, base

    def changed(asked: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        base, _ = same(asked)
        return base, 1.2 * base

    told, again = peers.ours_two_stage(np.vstack([BASE, BASE]), np.vstack([APART, MIXED]), changed)
    assert again.tolist() == told.tolist() == [True, False]
    told, again = peers.ours_two_stage(BASE, APART, same)
    assert (again.tolist(), told.tolist()) == ([True], [False])


def test_same_build_pairs_are_all_splits_once() -> None:
    values = np.arange(20.0).reshape(2, 10) + 1
    base, new, fresh = peers.same_build_pairs(values)
    assert base.shape == new.shape == (252, 5)
    assert len({frozenset(row) for row in base[:126].tolist()}) == 126
    assert (np.sort(np.hstack([base, new])[126:], axis=1) == values[1]).all()
    first, _ = fresh(np.asarray([0, 251]))
    assert np.median(first[0]) < 10 < np.median(first[1])


def test_a_step_is_scored_once_and_only_near_its_place() -> None:
    given = changepoints.Noise(windows=np.ones((4, 120)), spread=np.ones(4))
    for values, place, size in changepoints.stepped(given, 1):
        assert 20 <= place <= 100
        assert values[place - 1] == 1
        assert abs(values[place] - 1) == pytest.approx(size)

    def near(values: Floats) -> list[int]:
        return [int(at) + 5 for at in np.flatnonzero(np.diff(values)) + 1]

    def far(values: Floats) -> list[int]:
        return [at + 1 for at in near(values)]

    def twice(values: Floats) -> list[int]:
        return [at - 5 for at in near(values)] + near(values)

    score = changepoints.score(near, given, 1)
    assert (score.precision, score.recall, score.f1, score.alarms) == (1, 1, 1, 0)
    assert changepoints.score(far, given, 1).recall == 0
    assert changepoints.score(twice, given, 1).precision == 0.5
    alarms = changepoints.score(lambda values: [3], given, 1).alarms
    assert alarms == pytest.approx(1000 * 4 / given.windows.size)


def test_without_the_folder_a_model_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(holdout.DATA, raising=False)
    assert holdout.folder() is None
    assert peers.windows(None).shape == (440, 120)
    assert peers.builds(None).shape == (300, 10)
    monkeypatch.setenv(holdout.DATA, "somewhere")
    assert holdout.folder() == Path("somewhere")
