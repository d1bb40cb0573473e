# SPDX-License-Identifier: GPL-2.0-only
"""The golden digits: what is on record, and what a difference is called."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bench import golden
from vlag.config.catalogue import load

GOLDEN = golden.read()
SWITCH = next(e for e in GOLDEN if e["benchmark"] == "stress-ng-switch")


def other(section: str, name: str, value: Any) -> golden.Entry:
    here = copy.deepcopy(dict(SWITCH))
    assert name in here[section]
    here[section][name] = value
    return here


def test_three_runs_of_each_deterministic_board_are_on_record() -> None:
    types = {t.name for t in load().board_types.values() if t.deterministic}
    assert {(e["board_type"], e["benchmark"]) for e in GOLDEN} == {
        (board_type, benchmark) for board_type in types for benchmark in golden.BENCHMARKS
    }
    assert len(GOLDEN) == 3 * len(types) == 9
    [kernel] = {e["packages"]["kernel"] for e in GOLDEN}
    assert kernel.startswith("debian/6.12.")
    for e in GOLDEN:
        assert e["figures"]
        assert len(e["made"]["image"]) == len(e["made"]["initramfs"]) == 64


def test_the_boards_differ_from_each_other() -> None:
    """Negative control: figures that any board gives would prove nothing."""
    for benchmark in golden.BENCHMARKS:
        figures = [str(e["figures"]) for e in GOLDEN if e["benchmark"] == benchmark]
        assert len(set(figures)) == 3


def test_equal_digits_are_equal() -> None:
    found = golden.answers(GOLDEN, copy.deepcopy(GOLDEN))
    assert all(a.equal for a in found)
    assert str(found[0]).endswith(f": equal, {len(GOLDEN[0]['figures'])} figures")


def test_a_changed_digit_is_told_with_both_values() -> None:
    name, value = next(iter(SWITCH["figures"].items()))
    last = float(f"{repr(value)[:-1]}{(int(repr(value)[-1]) + 1) % 10}")
    found = golden.answer(SWITCH, other("figures", name, last))
    assert not found.equal
    assert str(found).splitlines() == [
        f"stress-ng-switch seed 1 on {SWITCH['board_type']}: DIFFERENT",
        f"    {name}: golden {value!r}, here {last!r}",
    ]


@pytest.mark.parametrize("name", ["image", "initramfs", "entry", "emulator"])
def test_another_image_of_the_same_packages_is_different(name: str) -> None:
    found = golden.answer(SWITCH, other("made", name, "0" * 64))
    assert [d.split(":")[0] for d in found.different] == [name]
    assert not found.equal


def test_other_packages_are_not_comparable() -> None:
    found = golden.answer(SWITCH, other("packages", "emulator", "qemu 99"))
    assert "not comparable: emulator: golden 'qemu-system-x86_64 Debian" in str(found)
    assert not found.equal


def test_a_run_that_is_missing_is_not_equal() -> None:
    assert not golden.answers([SWITCH], [])[0].equal
