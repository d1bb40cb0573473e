# SPDX-License-Identifier: GPL-2.0-only
"""A board that LAVA itself finds bad: its health check fails, and it gets no more jobs.

In LAVA 2023.01 a job that fails leaves a board's health as it was, or Unknown after a fault of the
infrastructure.  Unknown boards are checked first, if their type has a health check; only such a
check, or a person, makes one Bad, and it stays so.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests import settings_files
from tests.integration.lava_guests import GUEST_TYPE, guest, guest_job
from tests.integration.lava_lab import Lava, running
from tests.waiting import until
from vlag import config
from vlag.config import catalogue
from vlag.errors import UsageError
from vlag.lava.server import Client
from vlag.model import Board
from vlag.pipeline import lab_boards

WELL = "Linux version 6.12\n@vlag:start\n@vlag:case benchmark pass\n@vlag:done\n"
NAMES = ("g1", "g2")
INVENTORY = "all: {children: {boards: {hosts: {g1: &b {board_type: qemu, lab: home}, g2: *b}}}}\n"


@frozen
class Checked:
    """Two boards of a lab whose type has a health check, and the disk that the check boots."""

    lava: Lava
    disk: Path
    settings: config.Settings

    @property
    def client(self) -> Client:
        return Client(self.lava.lab())

    def health(self, name: str) -> str:
        return self.client.device(name).health

    def pool(self) -> lab_boards.BoardPool:
        known = catalogue.load(inventory=self.settings.inventory)
        return lab_boards.pool(self.settings, known, "qemu")

    def check(self, name: str, becomes: str) -> None:
        """Have LAVA check a board, as it does with one whose health it does not know."""
        self.client.set_device_health(name, "Unknown", "is it well?")
        until(lambda: self.health(name) == becomes, lambda: self.lava.log("scheduler")[-3000:])


@pytest.fixture
def checked(
    cluster: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, session_folder: Path
) -> Iterator[Checked]:
    with running(cluster, tmp_path_factory.mktemp("lava"), session_folder) as lava:
        disk = lava.folder / "checked"
        disk.write_bytes(guest(WELL))
        lava.add_health_check("guest", guest_job(disk, limit_s=20))
        lava.add_type("guest", GUEST_TYPE)
        for name in NAMES:
            lava.add_device(name, "guest")
        (tmp_path / "boards.yml").write_text(INVENTORY)
        lab = lava.lab()
        (tmp_path / "vlag.toml").write_text(
            f'{settings_files.settings()}[inventory]\nboards = "boards.yml"\n[labs.home]\n'
            f'url = "{lab.url}"\ntoken_file = "{lab.token_file}"\nartifacts = "http://127.0.0.1:1"\n'
        )
        yield Checked(lava, disk, config.load(tmp_path / "vlag.toml"))


def test_a_board_whose_health_check_fails_gets_no_boots_and_the_other_one_does(
    checked: Checked, caplog: pytest.LogCaptureFixture
) -> None:
    for name in NAMES:
        checked.check(name, "Good")
    # Control: both boards are well.
    assert [b.name for b in checked.pool().in_use] == list(NAMES)
    checked.disk.write_bytes(guest("nothing\n", off=True))
    checked.check("g1", "Bad")
    assert checked.health("g2") == "Good"
    with caplog.at_level(logging.INFO):
        pool = checked.pool()
    assert "g1 takes no boots: its lab gives it no jobs" in caplog.text
    booted: list[str] = []

    def boot(board: Board, item: str) -> str:
        booted.append(board.name)
        return item

    assert pool.run({1: ["a"], 2: ["b"]}, boot) == ["a", "b"]
    assert booted == ["g2", "g2"]
    # It stays so: no job of anybody else makes LAVA forget it.
    assert checked.health("g1") == "Bad"
    checked.check("g2", "Bad")
    with pytest.raises(UsageError, match=re.escape("no lab gives jobs to g1, g2")):
        checked.pool()
