# SPDX-License-Identifier: GPL-2.0-only
"""Boards of labs as blocks: what is compared shares a board, and a board that fails is left out."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.settings_files import MASTER
from tests.unit.labs import LAB as LAB_SETTINGS
from tests.unit.labs import Fake, farm, listed, said
from tests.unit.labs import board as device
from vlag import config
from vlag.errors import InfrastructureError, UsageError
from vlag.model import Board
from vlag.pipeline import lab_boards
from vlag.pipeline.lab_boards import BoardPool

__all__ = ["said"]  # fixture

NAMES = ("b1", "b2", "b3")
BOARDS = [Board(name=n, board_type="rpi5", lab="home") for n in NAMES]
KERNELS = ("good", "bad", "middle")
Ran = list[tuple[str, int, str]]


def ask(pool: BoardPool, ran: Ran, seeds: range, broken: frozenset[str] = frozenset()) -> list[str]:
    def work(board: Board, boot: tuple[int, str]) -> str:
        if board.name in broken:
            raise InfrastructureError(f"{board.name} has no power")
        ran.append((board.name, *boot))
        return f"{boot[1]} {boot[0]}"

    return pool.run({s: [(s, k) for k in KERNELS] for s in seeds}, work)


def test_all_kernels_of_a_seed_run_on_its_board_in_turns() -> None:
    ran: Ran = []
    answers = ask(BoardPool(BOARDS), ran, range(1, 8))
    assert answers == [f"{k} {s}" for s in range(1, 8) for k in KERNELS]
    by_seed = {s: {b for b, seed, _ in ran if seed == s} for s in range(1, 8)}
    assert all(len(boards) == 1 for boards in by_seed.values())
    assert len({b for b, _, _ in ran}) == 3
    # On each board the kernels take turns.
    for name in NAMES:
        order = [k for b, _, k in ran if b == name]
        assert order == [*KERNELS] * (len(order) // len(KERNELS))
    # A restart gives each seed the same board.
    again: Ran = []
    ask(BoardPool(BOARDS), again, range(1, 8))
    assert sorted(again) == sorted(ran)


def test_boards_work_side_by_side() -> None:
    """Each boot waits for one of another board: one after the other they would never end."""
    together = threading.Barrier(3)
    pool = BoardPool(BOARDS)
    pool.run({s: [s] for s in (1, 2, 3)}, lambda _board, _seed: together.wait(60))


def test_a_board_that_fails_gets_no_more_boots_and_others_keep_their_seeds() -> None:
    whole: Ran = []
    ask(BoardPool(BOARDS), whole, range(1, 8))
    ran: Ran = []
    pool = BoardPool(BOARDS)
    answers = ask(pool, ran, range(1, 8), frozenset({"b2"}))
    assert len(answers) == 7 * 3
    assert [b.name for b in pool.in_use] == ["b1", "b3"]
    kept = [boot for boot in whole if boot[0] != "b2"]
    assert set(kept) < set(ran)
    # It is not tried again in the same search.
    assert ask(pool, ran, range(8, 11))


def test_without_a_board_the_search_ends_with_a_sentence() -> None:
    with pytest.raises(InfrastructureError, match="none of b1, b2, b3 takes boots any more"):
        ask(BoardPool(BOARDS), [], range(1, 8), frozenset(NAMES))


def test_what_a_kernel_does_ends_the_boots_that_have_not_begun() -> None:
    class PanicError(Exception):
        pass

    begun: list[tuple[int, str]] = []

    def work(_board: Board, boot: tuple[int, str]) -> None:
        begun.append(boot)
        raise PanicError

    with pytest.raises(PanicError):
        BoardPool(BOARDS).run({s: [(s, k) for k in KERNELS] for s in range(1, 31)}, work)
    assert len(begun) <= len(BOARDS)


def settings(folder: Path, said: Fake) -> config.Settings:
    (folder / "vlag.toml").write_text(MASTER + LAB_SETTINGS.format(url=said.url))
    (folder / "token").write_text("a-token\n")
    return config.load(folder / "vlag.toml")


def test_boards_to_which_the_lab_gives_jobs(said: Fake, tmp_path: Path) -> None:
    here = settings(tmp_path, said)
    health = {"b1": "Good", "b2": "Maintenance", "b3": "Unknown"}
    said.says["GET devices/"] = listed(*(device(n, health=h, tags=()) for n, h in health.items()))
    pool = lab_boards.pool(here, farm(*BOARDS), "rpi5")
    assert [b.name for b in pool.in_use] == ["b1", "b3"]
    # The seeds of the others stay where they are once it is back.
    whole = BoardPool(BOARDS)
    for seed in range(1, 7):
        own = whole.of_seed(seed)
        assert own is not None
        assert own.name == "b2" or pool.of_seed(seed) == own
    said.says["GET devices/"] = listed(*(device(n, health="Bad", tags=()) for n in NAMES))
    with pytest.raises(UsageError, match="no lab gives jobs to b1, b2, b3; `vlag boards status`"):
        lab_boards.pool(here, farm(*BOARDS), "rpi5")
    with pytest.raises(UsageError, match="there is no board of type altra, neither of this host"):
        lab_boards.pool(here, farm(*BOARDS), "altra")
