# SPDX-License-Identifier: GPL-2.0-only
"""Attribution to toggles and patches: planted causes are found, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tests.unit.drawn import Board
from vlag.model import Direction, Outcome
from vlag.stats.attribution import Answer, Role, Toggle, ToggleReport, toggles
from vlag.stats.matrix_cells import Cell, Finding
from vlag.stats.patches import Applied, PatchReport, Way, application, patches
from vlag.stats.prior import Prior

NAMES = ("lag", "slice", "tick", "wake")
NONE: Applied = frozenset()


def judged(
    base: Cell,
    new: Cell,
    toggled: Mapping[str, Toggle],
    *,
    direction: Direction = Direction.HIGHER,
    resolution: float = 0.001,
    prior: Prior | None = None,
) -> ToggleReport:
    return toggles(
        base,
        new,
        toggled,
        direction=direction,
        relevance=0.01,
        resolution=resolution,
        prior=prior,
    )


def roles(report: ToggleReport) -> dict[str, Role | None]:
    return {t.name: t.role for t in report.toggles}


def kernels(count: int) -> list[Applied]:
    """Return every kernel of a series: none, solo, prefix, without, full."""
    full = frozenset(range(1, count + 1))
    solo = [frozenset({i}) for i in full]
    prefix = [frozenset(range(1, i + 1)) for i in full]
    return list(dict.fromkeys([NONE, *solo, *prefix, *(full - {i} for i in full), full]))


def applied(board: Board, truth: Callable[[Applied], float], count: int = 4) -> dict[Applied, Cell]:
    return {k: board.cell(100 * np.exp(truth(k))) for k in kernels(count)}


def blame(cells: Mapping[Applied, Cell], count: int = 4) -> PatchReport:
    return patches(
        cells, NAMES[:count], direction=Direction.HIGHER, relevance=0.01, resolution=0.001
    )


# Toggles.


def test_the_toggle_that_recovers_is_named_with_its_share() -> None:
    board = Board(2)
    cells = {
        "NO_A": Toggle(new=board.cell(100), base=board.cell(260)),
        "NO_DELAY_DEQUEUE": Toggle(new=board.cell(250.75)),
        "NO_B": Toggle(new=board.cell(183.66)),
    }
    cells["NO_A"] = Toggle(new=board.cell(183.66), base=board.cell(259.93))
    found = judged(board.cell(259.93), board.cell(183.66), cells)
    assert found.answer is Answer.ACCOUNTED
    assert roles(found) == {
        "NO_A": Role.NOTHING,
        "NO_DELAY_DEQUEUE": Role.ACCOUNTS,
        "NO_B": Role.NOTHING,
    }
    share = found.toggles[1].share
    assert share is not None
    assert share.low is not None
    assert share.high is not None
    # 67.09 of the 76.27 that were lost.
    assert share.low < 0.8796 < share.high
    assert share.size == pytest.approx(0.88, abs=0.03)
    assert found.sentence.startswith("NO_DELAY_DEQUEUE accounts for 8")
    assert "of the regression of -29." in found.sentence


def test_of_a_time_more_is_a_regression_and_of_a_throughput_less() -> None:
    board = Board(3)
    base, new, off = board.cell(100), board.cell(130), board.cell(101)
    for direction, noun in ((Direction.LOWER, "regression"), (Direction.HIGHER, "improvement")):
        found = judged(base, new, {"off": Toggle(new=off)}, direction=direction)
        assert found.answer is Answer.ACCOUNTED
        assert f"of the {noun} of +30" in found.sentence


def test_shuffled_labels_attribute_nothing() -> None:
    board = Board(4)
    cells = [board.cell(v) for v in (100, 70, 98, 71, 70)]
    answers = []
    for _ in range(60):
        boots = board.rng.permutation([b for c in cells for b in c.boots]).reshape(5, 5)
        base, new, *others = (Cell(boots=b) for b in boots.tolist())
        found = judged(base, new, {f"t{n}": Toggle(new=c) for n, c in enumerate(others)})
        answers.append(found.answer)
    assert answers.count(Answer.ACCOUNTED) <= 2
    base, new, *others = cells
    found = judged(base, new, {f"t{n}": Toggle(new=c) for n, c in enumerate(others)})
    assert found.answer is Answer.ACCOUNTED
    assert roles(found)["t0"] is Role.ACCOUNTS


def test_none_recovers_it() -> None:
    board = Board(5)
    cells = {n: Toggle(new=board.cell(80)) for n in ("a", "b", "c")}
    found = judged(board.cell(100), board.cell(80), {**cells, "d": Toggle(new=Cell())})
    assert found.answer is Answer.NOBODY
    assert found.sentence.startswith("no toggle recovers the regression")
    assert found.sentence.endswith("not run: d")
    # One of them recovering all of it turns the answer.
    turned = judged(board.cell(100), board.cell(80), {**cells, "c": Toggle(new=board.cell(100))})
    assert turned.answer is Answer.ACCOUNTED


def test_a_small_share_is_a_part_and_no_cause() -> None:
    board = Board(6)
    found = judged(board.cell(100), board.cell(70), {"a": Toggle(new=board.cell(79))})
    assert found.answer is Answer.NOBODY
    assert roles(found) == {"a": Role.PART}
    assert "a is a part of it: " in found.sentence


def test_a_toggle_that_makes_it_worse() -> None:
    board = Board(7)
    found = judged(board.cell(100), board.cell(80), {"a": Toggle(new=board.cell(70))})
    assert roles(found) == {"a": Role.AGAINST}


def test_a_toggle_that_changes_both_kernels_alike_is_a_preference() -> None:
    board = Board(8)
    base, new = board.cell(100), board.cell(80)
    both = Toggle(new=board.cell(96), base=board.cell(120))
    found = judged(base, new, {"a": both})
    assert roles(found) == {"a": Role.ALIKE}
    assert found.answer is Answer.NOBODY
    assert "changes both kernels alike" in found.sentence
    # Where the base lacks it, the same figures are a recovery, ...
    assert roles(judged(base, new, {"a": Toggle(new=both.new)})) == {"a": Role.ACCOUNTS}
    # ... and so they are where the base kernel does not care.
    fixed = Toggle(new=both.new, base=board.cell(100), on_base=True)
    assert roles(judged(base, new, {"a": fixed})) == {"a": Role.ACCOUNTS}


@pytest.mark.parametrize("level", [96, 70])
def test_what_the_base_has_as_well_is_booted_there_before_it_is_told(level: float) -> None:
    board = Board(8)
    base, new, cell = board.cell(100), board.cell(80), board.cell(level)
    unbooted = judged(base, new, {"a": Toggle(new=cell, on_base=True)})
    assert roles(unbooted) == {"a": Role.UNBOOTED}
    assert unbooted.answer is Answer.OPEN
    assert "the base has it as well, and was not booted with it" in unbooted.sentence
    # It does the same to the base: no part of the change.
    alike = Toggle(new=cell, base=board.cell(level / 0.8), on_base=True)
    assert roles(judged(base, new, {"a": alike})) == {"a": Role.ALIKE}
    # Negative control: on the base it does nothing.
    told = Toggle(new=cell, base=board.cell(100), on_base=True)
    assert roles(judged(base, new, {"a": told})) == {
        "a": Role.ACCOUNTS if level > 80 else Role.AGAINST
    }


def test_a_share_is_the_difference_of_the_differences_on_both_kernels() -> None:
    board = Board(16, cv=0.0003)
    base, new = board.cell(100), board.cell(80)
    # 0.8 -> 0.96 of the base, which it changes by 1.1: a third of the change is its own.
    half = Toggle(new=board.cell(96), base=board.cell(110), on_base=True)
    [answer] = judged(base, new, {"a": half}).toggles
    own = (np.log(96 / 80) - np.log(110 / 100)) / np.log(100 / 80)
    assert answer.share is not None
    assert answer.share.size == pytest.approx(own, abs=0.005)
    assert answer.role is Role.PART
    # Negative control: where the base lacks it, all that comes back counts.
    [alone] = judged(base, new, {"a": Toggle(new=half.new)}).toggles
    assert alone.share is not None
    assert alone.share.size == pytest.approx(0.8, abs=0.01)
    assert alone.role is Role.ACCOUNTS


def test_a_toggle_that_slows_both_by_unlike_amounts_works_against_it_by_the_difference() -> None:
    board = Board(17, cv=0.0003)
    base, new = board.cell(100), board.cell(80)
    more = Toggle(new=board.cell(64), base=board.cell(90), on_base=True)
    [answer] = judged(base, new, {"a": more}).toggles
    assert answer.role is Role.AGAINST
    assert answer.share is not None
    assert answer.share.size == pytest.approx(
        (np.log(64 / 80) - np.log(90 / 100)) / np.log(100 / 80), abs=0.005
    )
    # One that slows the base more takes nothing back and adds nothing.
    less = Toggle(new=board.cell(72), base=board.cell(80), on_base=True)
    assert roles(judged(base, new, {"a": less})) == {"a": Role.NOTHING}


def test_a_preference_against_both_is_none_either() -> None:
    board = Board(9)
    both = Toggle(new=board.cell(64), base=board.cell(80))
    found = judged(board.cell(100), board.cell(80), {"a": both})
    assert roles(found) == {"a": Role.ALIKE}


def test_what_certainly_takes_back_little_is_no_open_question() -> None:
    """It helps both kernels, and the base more: whatever of it is its own, it is not the cause."""
    board = Board(13, cv=0.0003)
    small = Toggle(new=board.cell(80.2), base=board.cell(100.8))
    found = judged(board.cell(100), board.cell(80), {"a": small})
    assert roles(found) == {"a": Role.NOTHING}
    assert found.answer is Answer.NOBODY
    # One that takes back half by these figures, and helps the base yet more, is left open.
    large = Toggle(new=board.cell(90), base=board.cell(125))
    assert roles(judged(board.cell(100), board.cell(80), {"a": large})) == {"a": Role.OPEN}


def test_two_toggles_that_both_recover_are_said_to_overlap() -> None:
    board = Board(10)
    cells = {n: Toggle(new=board.cell(99)) for n in ("a", "b")}
    found = judged(board.cell(100), board.cell(70), cells)
    assert roles(found) == {"a": Role.ACCOUNTS, "b": Role.ACCOUNTS}
    assert "may overlap" in found.sentence


def test_what_neither_kernel_has_is_a_way_around_and_no_cause() -> None:
    board = Board(12)
    base, new = board.cell(100), board.cell(80)
    added = Toggle(new=board.cell(95), base=board.cell(100), added=True)
    found = judged(base, new, {"on": added})
    assert roles(found) == {"on": Role.AROUND}
    assert found.answer is Answer.AROUND
    assert found.sentence.startswith("no toggle is the cause of the regression of -2")
    assert "on is no part of it, but a way around 7" in found.sentence
    # Beside a cause it is named too, and the answer stays.
    both = judged(base, new, {"on": added, "off": Toggle(new=board.cell(99))})
    assert both.answer is Answer.ACCOUNTED
    assert both.sentence.startswith("off accounts for 9")
    assert "a way around 7" in both.sentence
    # One that makes it worse, or does nothing, is no way around.
    worse = Toggle(new=board.cell(70), base=board.cell(100), added=True)
    assert roles(judged(base, new, {"on": worse})) == {"on": Role.AGAINST}
    idle = Toggle(new=board.cell(80), base=board.cell(100), added=True)
    assert roles(judged(base, new, {"on": idle})) == {"on": Role.NOTHING}


def test_missing_and_failed_cells_are_answers() -> None:
    board = Board(11)
    cells = {
        "gone": Toggle(new=Cell()),
        "broken": Toggle(new=Cell(outcome=Outcome.PANIC)),
        "few": Toggle(new=board.cell(99, n=2)),
    }
    found = judged(board.cell(100), board.cell(70), cells)
    assert roles(found) == {"gone": Role.UNKNOWN, "broken": Role.UNKNOWN, "few": Role.OPEN}
    assert found.answer is Answer.OPEN
    assert "not run: gone" in found.sentence
    assert "panicked: broken" in found.sentence
    assert "too few boots to say: few" in found.sentence
    del cells["few"]
    assert judged(board.cell(100), board.cell(70), cells).answer is Answer.UNKNOWN
    without = judged(Cell(), board.cell(70), cells)
    assert without.answer is Answer.UNKNOWN
    assert without.sentence == "nothing can be attributed: base was not run"


def test_noise_is_too_few_boots_and_more_boots_settle_it() -> None:
    def found(n: int) -> Counter[Answer]:
        board = Board(12, cv=0.1, n=n)
        return Counter(
            judged(board.cell(100), board.cell(85), {"a": Toggle(new=board.cell(97))}).answer
            for _ in range(20)
        )

    assert found(3)[Answer.OPEN] >= 10
    assert found(30)[Answer.ACCOUNTED] == 20


def test_no_change_leaves_nothing_to_attribute() -> None:
    board = Board(13, n=8)
    found = judged(board.cell(100), board.cell(100), {"a": Toggle(new=board.cell(120))})
    assert found.answer is Answer.NO_CHANGE
    assert roles(found) == {"a": None}
    assert found.toggles[0].share is None


def test_unequal_numbers_of_boots() -> None:
    board = Board(14)
    found = judged(
        board.cell(100, n=25),
        board.cell(70, n=5),
        {"a": Toggle(new=board.cell(95, n=3)), "b": Toggle(new=board.cell(70, n=12))},
    )
    assert roles(found) == {"a": Role.ACCOUNTS, "b": Role.NOTHING}


def test_on_a_deterministic_board_the_tool_s_step_is_the_floor() -> None:
    def found(step: float) -> ToggleReport:
        base, new, off = (Cell(boots=[v] * 5) for v in (100.0, 97.0, 100.0))
        return judged(base, new, {"a": Toggle(new=off)}, resolution=step)

    fine, coarse = found(0.01), found(4.0)
    assert fine.answer is Answer.ACCOUNTED
    share = fine.toggles[0].share
    assert share is not None
    assert share.low is not None
    assert share.high is not None
    assert 0.98 < share.low < 1 < share.high < 1.02
    # A tool of steps of four may have made three units of nothing.
    assert coarse.answer is Answer.OPEN


def test_intervals_of_shares_hold_the_truth() -> None:
    board = Board(15, cv=0.02)
    held = ends = 0
    sets = 300
    for _ in range(sets):
        found = judged(
            board.cell(100),
            board.cell(80),
            {n: Toggle(new=board.cell(v)) for n, v in (("a", 95), ("b", 80), ("c", 86))},
        )
        inside = []
        for t, truth in zip(found.toggles, (0.75, 0.0, 0.3), strict=True):
            if t.share is not None and t.share.low is not None and t.share.high is not None:
                inside.append(t.share.low <= truth <= t.share.high)
        held += all(inside)
        ends += len(inside) == 3
    # Simultaneous at 95 %: Bonferroni is a little wide, never narrow.
    assert held / sets >= 0.93
    # The bound is no achievement of intervals without ends.
    assert ends == sets


# Patches.


@pytest.mark.parametrize("guilty", [1, 2, 4])
def test_a_single_patch_is_found_in_every_way(guilty: int) -> None:
    found = blame(applied(Board(20 + guilty), lambda k: -0.2 * (guilty in k)))
    assert found.answer is Answer.ACCOUNTED
    assert found.blamed == (guilty,)
    assert found.patches[guilty - 1].interaction is not Finding.MATTERS
    assert f"patch {guilty} ({NAMES[guilty - 1]}) accounts for" in found.sentence
    assert "regression" in found.sentence


def test_kernels_are_sets_of_patches_so_each_way_is_seen_once() -> None:
    found = blame(applied(Board(30), lambda k: -0.2 * (2 in k)))
    ways = [[e.way for e in p.estimates] for p in found.patches]
    # prefix(1) is solo(1), and prefix(3) is without(4).
    assert ways[0] == ways[3] == [Way.SOLO, Way.WITHOUT]
    assert ways[1] == ways[2] == [Way.SOLO, Way.PREFIX, Way.WITHOUT]
    names = [application(k, 4) for k in kernels(4)]
    assert names == ["none", "solo(1)", "solo(2)", "solo(3)", "solo(4)", "prefix(2)", "prefix(3)",
                     "full", "without(1)", "without(2)", "without(3)"]  # fmt: skip


def test_patches_that_do_it_only_together() -> None:
    found = blame(applied(Board(31), lambda k: -0.2 * ({2, 3} <= k)))
    assert found.blamed == (2, 3)
    assert "only together" in found.sentence
    assert [p.interaction is Finding.MATTERS for p in found.patches] == [False, True, True, False]


def test_patches_of_which_each_is_enough() -> None:
    found = blame(applied(Board(32), lambda k: -0.2 * bool({2, 3} & k)))
    assert found.blamed == (2, 3)
    assert "each alone" in found.sentence


def test_two_parts_that_add_up() -> None:
    found = blame(applied(Board(33), lambda k: -0.1 * (1 in k) - 0.12 * (4 in k)))
    assert found.blamed in {(1, 4), (4,)}
    assert "patch 1 (lag)" in found.sentence
    assert "only together" not in found.sentence
    assert all(p.interaction is not Finding.MATTERS for p in found.patches)


def test_four_equal_parts_have_no_culprit() -> None:
    found = blame(applied(Board(34), lambda k: -0.06 * len(k)))
    assert found.answer is Answer.NOBODY
    assert found.blamed == ()


def test_a_patch_that_works_against_the_others_is_named() -> None:
    found = blame(applied(Board(39), lambda k: -0.2 * (1 in k) + 0.1 * (3 in k)))
    assert found.blamed == (1,)
    assert "patch 3 (tick) works against it: +" in found.sentence
    assert "regression" in found.sentence
    # Negative control: without an effect it is not.
    alone = blame(applied(Board(39), lambda k: -0.2 * (1 in k)))
    assert "works against" not in alone.sentence


def test_patches_that_cancel_each_other_are_told() -> None:
    found = blame(applied(Board(40, n=8), lambda k: -0.1 * (1 in k) + 0.1 * (3 in k)))
    assert found.answer is not Answer.ACCOUNTED
    assert found.blamed == ()
    assert "the full series" in found.sentence
    assert "patch 1 (lag) -" in found.sentence
    assert "patch 3 (tick) +" in found.sentence
    assert "patch 2" not in found.sentence


def test_shuffled_patches_are_not_blamed() -> None:
    board = Board(35)
    cells = applied(board, lambda k: -0.2 * (2 in k))
    answers: Counter[Answer] = Counter()
    for _ in range(25):
        boots = board.rng.permutation([b for c in cells.values() for b in c.boots])
        split = boots.reshape(len(cells), -1).tolist()
        shuffled = {k: Cell(boots=b) for k, b in zip(cells, split, strict=True)}
        answers[blame(shuffled).answer] += 1
    assert answers[Answer.ACCOUNTED] <= 1
    assert blame(cells).answer is Answer.ACCOUNTED


def test_solo_cells_alone_tell_effects_and_no_shares() -> None:
    board = Board(36)
    cells = {NONE: board.cell(100)}
    cells |= {frozenset({i}): board.cell(v) for i, v in ((1, 131.4), (2, 118.6), (3, 150.4))}
    cells[frozenset({4})] = Cell(outcome=Outcome.BUILD_FAILED)
    found = blame(cells)
    assert found.answer is Answer.UNKNOWN
    assert found.sentence.startswith("the series' effect is not known: full was not run")
    assert "patch 3 (tick) +" in found.sentence
    assert "did not build: solo(4)" in found.sentence
    assert "not run: prefix(2)" in found.sentence.replace("without(1), ", "")
    assert all(e.share is None for p in found.patches for e in p.estimates)


def test_leaving_out_alone_finds_it_too() -> None:
    cells = applied(Board(37), lambda k: -0.2 * (3 in k))
    few = {k: c for k, c in cells.items() if len(k) in {0, 3, 4}}
    del few[frozenset({1, 2, 4})]
    few[frozenset({1, 2, 4})] = Cell(outcome=Outcome.PATCH_FAILED)
    lost = blame(few)
    assert lost.answer is not Answer.ACCOUNTED
    assert "does not apply: without(3)" in lost.sentence
    few[frozenset({1, 2, 4})] = cells[frozenset({1, 2, 4})]
    assert blame(few).blamed == (3,)


def test_a_series_of_one_and_one_without_effect() -> None:
    board = Board(38, n=8)
    one = blame({NONE: board.cell(100), frozenset({1}): board.cell(80)}, count=1)
    assert (one.answer, one.blamed) == (Answer.ACCOUNTED, (1,))
    none = blame({NONE: board.cell(100), frozenset({1}): board.cell(100)}, count=1)
    assert (none.answer, none.blamed) == (Answer.NO_CHANGE, ())
    with pytest.raises(ValueError, match="of a series of 1"):
        blame({frozenset({2}): board.cell(1)}, count=1)


# Text.
