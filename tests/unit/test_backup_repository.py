# SPDX-License-Identifier: GPL-2.0-only
"""What is taken into a backup, and what a repository's place says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from vlag import progress_log
from vlag.errors import RefusedError, UsageError
from vlag.operate.backup import dumps, programs, state
from vlag.operate.backup.repository import Repository, refuse_outside
from vlag.operate.backup.restore import read_manifest
from vlag.operate.service import revisions

pytestmark = pytest.mark.slow


def fill(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def test_takes_what_lasts_and_nothing_else(tmp_path: Path) -> None:
    keep = {
        "builds/d/one/build.json",
        "builds/d/one/image",
        "runs/k/one/run.json",
        "runs/k/one/raw/output.txt",
        "reports/push/a.txt",
        "mirrors/x.git/HEAD",
        "mirrors/x.git/objects/ab/cd",
        "secrets/callback",
        "userland/0123/userland.json",
        "userland/0123/userland.cpio.zst",
        "what nobody knows yet/file",
        "what nobody knows yet/log/file",
    }
    folder = tmp_path / "a [state].partial"
    fill(
        folder, *keep,
        "builds/d/one.objects/x", "runs/k/lock",
        "runs/k/two.partial/run.json", "reports/a.new", "lock", "log/master.log",
        "postgres/data/PG_VERSION", "mirrors/x.git/HEAD.lock", "mirrors/x.git/worktrees/x/HEAD",
        "mirrors/x.git/objects/pack/tmp_pack_1", "secrets/pgpass", "secrets/pgpass-vlag-0",
        "artifacts/files/a/.0123", "ccache/a", "src/x/Makefile",
        "objects/a/fair.o", "snapshots/a/image",
        "restoring", "locks/master", "lab/0/submitted.json",
    )  # fmt: skip
    (folder / "what nobody knows yet" / "link").symlink_to("file")
    made = Repository.at(str(tmp_path / "backups"), None)
    made.make()
    snapshot = made.save(folder, state.excluded(folder))
    back = tmp_path / "back"
    back.mkdir()
    made.extract(snapshot, back)
    found = {p.relative_to(back).as_posix() for p in back.rglob("*") if p.is_file()}
    assert found == {*keep, "what nobody knows yet/link"}
    assert (back / "what nobody knows yet" / "link").is_symlink()


def test_what_a_start_has_made_is_no_data(tmp_path: Path) -> None:
    assert state.data(tmp_path / "missing") is None
    fill(tmp_path, "secrets/worker", "userland/0/userland.json", "log/a", "postgres/data/a", "lock")
    fill(tmp_path, "mirrors/x.git.lock", "restoring", "backup/databases/vlag.dump")
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    assert state.data(tmp_path) is None
    fill(tmp_path, "runs/k/run.json")
    assert state.data(tmp_path) == "runs/k/run.json"
    state.forget(tmp_path)
    assert state.data(tmp_path) is None
    assert (tmp_path / "secrets" / "worker").is_file()


def test_what_is_there_stays(tmp_path: Path) -> None:
    for name, text in (("from", "saved"), ("to", "own")):
        for path in ("secrets/a", "secrets/b", f"secrets/{name}"):
            fill(tmp_path / name, path)
        (tmp_path / name / "secrets" / "a").write_text(text)
    fill(tmp_path / "from", "runs/k/run.json")
    kept = list(state.put(tmp_path / "from", tmp_path / "to"))
    assert kept == [tmp_path / "to/secrets/a"], "b is the same in both"
    assert (tmp_path / "to/secrets/a").read_text() == "own"
    assert {p.name for p in (tmp_path / "to/secrets").iterdir()} == {"a", "b", "from", "to"}
    assert (tmp_path / "to/runs/k/run.json").is_file()


def test_a_place_elsewhere_needs_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RESTIC_PASSWORD", "RESTIC_PASSWORD_FILE", "RESTIC_PASSWORD_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    for place in ("sftp:host:/backups", "s3:https://host/bucket", "rest:https://host/"):
        with pytest.raises(UsageError, match="name a file with the repository's password"):
            Repository.at(place, None)
        monkeypatch.setenv("RESTIC_PASSWORD_COMMAND", "true")
        made = Repository.at(place, None)
        assert (made.place, made.folder, made.password) == (place, None, None)
        monkeypatch.delenv("RESTIC_PASSWORD_COMMAND")
    monkeypatch.chdir(tmp_path)
    made = Repository.at("local:x", None)
    assert (made.folder, made.password) == (tmp_path / "x", tmp_path / "x" / "password")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="install the Debian package restic"):
        Repository.at("x", None)


def test_a_program_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PAUSE_S", 0.01)
    said: list[str] = []
    script = (
        "import sys; print('one', flush=True); sys.stdin.read();"
        "import select; select.select([], [], [], 0.5); print('two');"
        "sys.stderr.write('Load(x) again\\n\\nFatal: it is broken\\nmore\\n'); sys.exit(3)"
    )
    with progress_log.diverted(said.append):
        done = programs.run([sys.executable, "-c", script], environment={}, progress=str.upper)
    assert (done.status, done.out, done.error) == (3, "one\ntwo", "it is broken")
    # It may be asked before its first line, and between its last one and its end.
    assert [s for s in dict.fromkeys(said) if s] in (["ONE"], ["ONE", "TWO"])


def test_a_client_that_suits_the_server_is_found(tmp_path: Path) -> None:
    for version in ("13", "15", "17"):
        fill(tmp_path, f"{version}/bin/pg_dump")
    for server, wanted in ((15, "15"), (14, "15"), (16, "17")):
        assert dumps.program("pg_dump", server, tmp_path).parts[-3] == wanted
    with pytest.raises(UsageError, match="install the Debian package postgresql-client-18"):
        dumps.program("pg_dump", 18, tmp_path)


def test_newer_revisions_are_named() -> None:
    assert revisions.newer("vlag", ["0001_kernels_and_runs"]) == []
    assert revisions.newer("vlag", ["0001_kernels_and_runs", "9999_x"]) == ["9999_x"]
    assert revisions.newer("buildbot", ["059", "067"]) == []
    assert revisions.newer("buildbot", ["999"]) == ["999"]
    assert revisions.newer("lavaserver", ["anything"]) == []


def nodes(*of: tuple[str, str]) -> list[str]:
    """Lines of `restic ls --json`: the snapshot, and a node of each path and type."""
    return ["{}", *(json.dumps({"path": path, "type": kind}) for path, kind in of)]


@pytest.mark.parametrize(
    "bad",
    [
        [("/runs", "symlink"), ("/runs/x", "file")],
        [("/runs/x", "file"), ("/runs", "symlink")],
        [("/runs", "symlink"), ("/runs", "dir"), ("/runs/x", "file")],
        [("/runs/../../x", "file")],
    ],
)
def test_a_file_below_a_link_is_refused(bad: list[tuple[str, str]]) -> None:
    with pytest.raises(RefusedError, match="the backup is damaged"):
        refuse_outside(nodes(*bad), "there")
    refuse_outside(nodes(("/runs", "dir"), ("/runs/x", "file"), ("/runs/link", "symlink")), "there")


def test_links_that_lead_out_are_cut(tmp_path: Path) -> None:
    stage = tmp_path / "stage"
    fill(stage, "runs/k/run.json", "d/e/file", "userland/root-0/usr/x")
    good = {
        "runs/k/latest": "run.json", "d/up": "../runs", "d/e/gone": "nothing",
        "userland/root-0/usr/awk": "/etc/alternatives/awk",
    }  # fmt: skip
    bad = {
        "lab": str(tmp_path),
        "userland/root-1": "/",
        "own": str(stage / "runs"),  # the stage is gone after it
        "d/e/out": "../../..",
        "d/round": "up/../..",  # by its words it leads to the stage, by its links above it
        "loop": "../stage/../loop/x",
    }
    for path, to in (good | bad).items():
        (stage / path).symlink_to(to)
    assert {str(path): to for path, to in state.cut_links(stage)} == bad
    assert {str(p.relative_to(stage)) for p in stage.rglob("*") if p.is_symlink()} == set(good)
    assert (stage / "runs/k/run.json").is_file()


def test_a_manifest_is_checked() -> None:
    good: dict[str, object] = {
        "schema": 1,
        "vlag": "1",
        "state": "/var",
        "databases": {"vlag": {"revisions": []}},
    }
    assert read_manifest(json.dumps(good), "there") == good
    bad: list[dict[str, object]] = [
        {"schema": "1"},
        {"state": "var"},
        {"databases": {"../x": {"revisions": []}}},
    ]
    for text in ("", "[]", *(json.dumps(good | change) for change in bad)):
        with pytest.raises(RefusedError, match="not a backup's manifest"):
            read_manifest(text, "there")
