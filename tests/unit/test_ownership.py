"""What root makes in a folder that parts of the service share belongs to the folder's owner."""

from __future__ import annotations

import os
from pathlib import Path

from vlag.lava import artifacts
from vlag.lock import hold
from vlag.ownership import hand_over, make_folder
from vlag.pipeline.service import folders

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
