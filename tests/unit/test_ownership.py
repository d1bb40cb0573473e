# SPDX-License-Identifier: GPL-2.0-only
"""What root makes in a folder that parts of the service share belongs to the folder's owner."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vlag.errors import InfrastructureError
from vlag.lava import artifacts
from vlag.lock import hold
from vlag.operate.service import folders
from vlag.ownership import hand_over, make_folder, write_private

#: Root gives what it makes to somebody; anybody else keeps it.
OWNER = 65534 if os.geteuid() == 0 else os.geteuid()


def given(tmp_path: Path) -> Path:
    state = tmp_path / "state"
    state.mkdir()
    if os.geteuid() == 0:
        os.chown(state, OWNER, OWNER)
    return state


def owners(state: Path) -> dict[str, int]:
    return {str(p.relative_to(state)): p.stat().st_uid for p in sorted(state.rglob("*"))}


def test_folders_and_locks(tmp_path: Path) -> None:
    state = given(tmp_path)
    folders.make_folders(state, "artifacts")
    with folders.one_part(state, "worker-a", "worker"), hold(state / "x" / "y", lambda: None):
        pass
    found = owners(state)
    assert {"artifacts", "log", "lock", "locks", "locks/worker-a", "master", "x", "x/y"} <= set(
        found
    )
    assert set(found.values()) == {OWNER}


def test_what_boards_fetch_and_send(tmp_path: Path) -> None:
    state = given(tmp_path)
    (tmp_path / "image").write_bytes(b"kernel")
    path = artifacts.publish(state / "artifacts", tmp_path / "image")
    token = artifacts.open_upload(state / "artifacts", "key")
    found = owners(state)
    # The file itself may be a link to another one, whose owner stays.
    assert found.pop(f"artifacts{path}") == os.geteuid()
    assert set(found.values()) == {OWNER}
    assert artifacts.allowed(state / "artifacts", "key", token)


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    state = given(tmp_path)
    (state / "old").mkdir(mode=0o750)
    make_folder(state / "old" / "new", 0o700)
    assert owners(state) == {"old": os.geteuid(), "old/new": os.geteuid()}
    assert (state / "old" / "new").stat().st_mode & 0o777 == 0o700
    hand_over(state / "old")
    assert owners(state)["old"] == OWNER


@pytest.mark.parametrize("shared", [False, True])
def test_a_private_file_is_whole_and_nobody_elses(tmp_path: Path, *, shared: bool) -> None:
    state = given(tmp_path)
    (state / "word").write_text("old")
    (state / "word").chmod(0o644)
    (state / ".word.new").write_text("what a killed writer left")
    with (state / "word").open() as reader:
        write_private(state / "word", "new", shared=shared)
        assert reader.read() == "old"
    assert (state / "word").read_text() == "new"
    assert (state / "word").stat().st_mode & 0o777 == 0o600
    assert owners(state) == {"word": OWNER if shared else os.geteuid()}


def test_a_private_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_private(tmp_path / "word", "\udcff")
    assert [p.name for p in tmp_path.iterdir()] == ["word"]
    assert (tmp_path / "word").read_text() == "old"


def test_a_link_in_a_folder_of_others_leads_root_nowhere(tmp_path: Path) -> None:
    state = given(tmp_path)
    mine = tmp_path / "mine"
    mine.write_text("root's")
    (state / "lock").symlink_to(mine)
    with (
        pytest.raises(InfrastructureError, match="lock is a link"),
        hold(state / "lock", lambda: None),
    ):
        raise AssertionError("it was followed")
    (state / "new").symlink_to(tmp_path / "made")
    with (
        pytest.raises(InfrastructureError, match="new is a link"),
        hold(state / "new", lambda: None),
    ):
        raise AssertionError("it was followed")
    assert not (tmp_path / "made").exists()
    (state / "twin").hardlink_to(mine)
    hand_over(state / "twin")
    assert mine.stat().st_uid == os.geteuid()
    # Control: a file of its own is given away.
    (state / "own").touch()
    hand_over(state / "own")
    assert (state / "own").stat().st_uid == OWNER
