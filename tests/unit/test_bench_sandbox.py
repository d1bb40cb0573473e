"""The page on what sandboxes cost: both kinds in turns, and a night that is told to be longer."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from bench.sandbox import MOST, Pair, Part, in_turns, of_night, unboxed, with_kind
from vlag import ROOT
from vlag.sandbox import BUBBLEWRAP, NONE


def test_both_kinds_are_measured_in_turns() -> None:
    asked: list[tuple[str, int]] = []

    def measure(kind: str, number: int) -> float:
        asked.append((kind, number))
        return number + (10.0 if kind == BUBBLEWRAP else 0.0)

    assert in_turns(3, measure) == [Pair(0, 10), Pair(1, 11), Pair(2, 12)]
    assert asked == [
        (NONE, 0), (BUBBLEWRAP, 0), (BUBBLEWRAP, 1), (NONE, 1), (NONE, 2), (BUBBLEWRAP, 2),
    ]  # fmt: skip


def part(times: int, *pairs: tuple[float, float]) -> Part:
    return Part(name="a", times=times, pairs=[Pair(*p) for p in pairs])


def test_a_night_is_the_sum_of_its_parts() -> None:
    slow = [part(2, (100, 120), (100, 120)), part(100, (10, 10), (10, 10))]
    longer, low, high = of_night(slow)
    assert longer == low == high == pytest.approx(100 * 40 / 1200)
    assert longer < MOST
    # Negative control: the same in each boot.
    longer, low, high = of_night([slow[0], part(100, (10, 12), (10, 12.2))])
    assert longer == pytest.approx(100 * (40 + 210) / 1200)
    assert MOST < low <= longer <= high


def test_the_interval_is_as_wide_as_the_pairs_are_apart() -> None:
    longer, low, high = of_night([part(1, *((100, 100 + n) for n in range(-5, 6)))])
    assert longer == pytest.approx(0)
    assert -3 < low < 0 < high < 3


def test_a_row_says_what_was_measured() -> None:
    made = Part(name="boot", times=300, pairs=[Pair(10, 10.1), Pair(20, 20.2), Pair(30, 30.3)])
    assert made.row == ("boot", 300, 3, "20.00", "20.20", "+1.00 % [+1.00, +1.00]")


@pytest.mark.parametrize("kind", [NONE, BUBBLEWRAP])
@pytest.mark.parametrize("more", ["", '\n[sandbox]\nkind = "user"\nwall_s = 5\n'])
def test_settings_differ_in_nothing_else(tmp_path: Path, kind: str, more: str) -> None:
    text = (ROOT / "vlag.toml").read_text() + more
    found, before = tomllib.loads(with_kind(text, kind, tmp_path)), tomllib.loads(text)
    assert found.pop("state") == str(tmp_path)
    before.pop("state")
    sandbox = before.pop("sandbox", {})
    assert found.pop("sandbox") == {**sandbox, "kind": kind}
    assert found == before


def test_the_emulators_command_loses_its_sandbox_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run([ROOT / "lava-jobs" / "lockstep" / "install", tmp_path], check=True)
    [command] = (tmp_path / "bin").glob("lockstep-*")
    installed = command.read_text()
    plain = unboxed(installed)
    assert "sandbox" in installed
    assert "sandbox" not in plain
    assert "LD_PRELOAD" in plain
    assert plain.splitlines()[:-1] == installed.splitlines()[:-1]
    assert subprocess.run(["sh", "-n"], input=plain, text=True, check=False).returncode == 0
    with pytest.raises(SystemExit, match="has no sandbox"):
        unboxed(plain)
