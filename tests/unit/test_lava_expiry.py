# SPDX-License-Identifier: GPL-2.0-only
"""When the artifact store removes files: by the time that it has run itself, whatever the wall
clock says.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import requests
from attrs import define

from tests.unit.stores import running
from vlag import progress_log
from vlag.bundle import sha256
from vlag.lava import artifacts
from vlag.lava.artifact_server import KEEP_DAYS
from vlag.lava.expiry import AGES, Expiry

DAY_S = 86400


@define
class Clock:
    """The time that a machine has run, and the store of that machine."""

    now: float = 1000.0

    def store(self, folder: Path) -> Expiry:
        """Start a store, which looks at its files."""
        made = Expiry(folder, lambda: self.now)
        assert made.expire(KEEP_DAYS) == []
        return made

    def days(self, store: Expiry, count: float) -> list[str]:
        """Let time pass until the store looks again; return what it removes."""
        self.now += count * DAY_S
        return store.expire(KEEP_DAYS)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_nobody_asks_for_goes_and_all_else_stays(tmp_path: Path, clock: Clock) -> None:
    source = tmp_path / "Image"
    source.write_bytes(b"an image")
    os.utime(source, (0, 0))  # an old kernel that is published today
    folder = tmp_path / "store"
    address = artifacts.publish(folder, source)
    home = address.split("/")[2]
    for key in ("old", "used"):
        artifacts.open_upload(folder, key)
    store = clock.store(folder)
    assert clock.days(store, 20) == []
    artifacts.publish(folder, source)  # asked for again
    (folder / "uploads" / "used" / "a").write_bytes(b"sent")
    assert clock.days(store, 5) == []
    artifacts.open_upload(folder, "new")
    assert clock.days(store, 6) == ["uploads/old"]
    assert sorted(os.listdir(folder / "uploads")) == ["new", "used"]
    assert clock.days(store, 25) == [f"files/{home}", "uploads/used"]
    assert artifacts.published(folder, sha256(source), "Image") is None
    assert clock.days(store, 1) == []
    assert clock.days(store, 5) == ["uploads/new"]


@pytest.mark.parametrize("days", [400, -400, 20000])
def test_a_wall_clock_that_jumps_removes_nothing(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """For a store that runs, one that is started by a wrong clock, and what is sent meanwhile."""
    right = time.time
    artifacts.open_upload(tmp_path, "before")
    store = clock.store(tmp_path)
    monkeypatch.setattr(time, "time", lambda: right() + days * DAY_S)
    assert clock.days(store, 1) == []
    store = clock.store(tmp_path)
    artifacts.open_upload(tmp_path, "meanwhile")
    os.utime(tmp_path / "uploads" / "meanwhile", (time.time(), time.time()))
    assert clock.days(store, 1) == []
    monkeypatch.setattr(time, "time", right)
    assert clock.days(store, 1) == []
    # Control: what has had its days goes.
    assert clock.days(store, 28.5) == ["uploads/before"]
    assert clock.days(store, 1) == ["uploads/meanwhile"]


def test_ages_outlive_the_store_and_its_rest_counts_nothing(tmp_path: Path, clock: Clock) -> None:
    artifacts.open_upload(tmp_path, "a")
    for _ in range(3):
        assert clock.days(clock.store(tmp_path), 9) == []
        clock.now += 100 * DAY_S  # nobody runs it
    clock.now = 0.0  # the machine has started again
    store = clock.store(tmp_path)
    assert clock.days(store, 2) == []
    assert clock.days(store, 2) == ["uploads/a"]
    # A key that comes again is a new one.
    artifacts.open_upload(tmp_path, "a")
    assert clock.days(store, 29) == []


@pytest.mark.parametrize("damage", [b"", b"x\n", b"1 2\n", b"\xff\n", b"1 2 uploads/a\n3\n"])
def test_ages_that_are_lost_are_counted_anew(tmp_path: Path, clock: Clock, damage: bytes) -> None:
    artifacts.open_upload(tmp_path, "a")
    clock.days(clock.store(tmp_path), 29)
    (tmp_path / AGES).write_bytes(damage)
    said: list[str] = []
    with progress_log.diverted(said.append):
        store = clock.store(tmp_path)
    assert clock.days(store, 29) == []
    assert clock.days(store, 2) == ["uploads/a"]
    sentence = f"{tmp_path / AGES}: cannot be read (it is damaged); the ages of files are counted"
    assert [text[: len(sentence)] for text in said] == ([sentence] if damage else [])


def test_a_store_that_cannot_keep_ages_goes_on(tmp_path: Path, clock: Clock) -> None:
    artifacts.open_upload(tmp_path, "a")
    (tmp_path / AGES).mkdir()
    (tmp_path / AGES / "x").touch()
    said: list[str] = []
    with progress_log.diverted(said.append):
        store = clock.store(tmp_path)
        assert clock.days(store, 31) == []
    assert "cannot be read (Is a directory)" in said[0]
    assert said[1].endswith("files stay for longer")


def test_a_real_store_counts_and_a_wall_clock_of_1970_removes_nothing(tmp_path: Path) -> None:
    for key in ("old", "new", "odd"):
        artifacts.open_upload(tmp_path, key)
    os.utime(tmp_path / "uploads" / "odd", (0, 0))
    old = (tmp_path / "uploads" / "old").stat().st_mtime_ns
    (tmp_path / AGES).write_text(f"{(KEEP_DAYS + 1) * DAY_S} {old} uploads/old\n")
    with running(tmp_path) as store:
        assert requests.get(f"{store.url}/", timeout=30).status_code == 404  # it has begun
        assert sorted(os.listdir(tmp_path / "uploads")) == ["new", "odd"]
