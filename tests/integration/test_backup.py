# SPDX-License-Identifier: GPL-2.0-only
"""Backup and restore with a real cluster, real rows and the command that people type."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import vlag
from tests.integration import saved
from tests.repositories import git
from tests.waiting import DEADLINE_S
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import AwayError, RefusedError
from vlag.kernel import mirror as mirrors
from vlag.lock import hold
from vlag.operate.backup import save, state
from vlag.operate.backup.repository import Repository
from vlag.operate.service import restoring


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, catalogue: Catalogue) -> Iterator[Settings]:
    made = saved.settings(tmp_path_factory.mktemp("source"))
    # The lock is what a service that runs holds.
    with saved.held(made), saved.running(made):
        saved.fill(made, catalogue)
        yield made


@pytest.fixture(scope="module")
def whole(source: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a backup, made while the database is up; not to be changed."""
    into = tmp_path_factory.mktemp("backups")
    done = saved.vlag(source, "backup", str(into))
    assert done.returncode == 0, done.stderr
    assert "database vlag: " in done.stderr
    assert done.stdout.strip() == newest(into)
    return into


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A repository that may be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def at(folder: Path) -> Repository:
    return Repository.at(str(folder), None)


def newest(folder: Path) -> str:
    return str(at(folder).snapshot(None)["short_id"])


def forge(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], dump: bytes = b""
) -> str:
    """Add a snapshot with another manifest, and with another dump of vlag's database."""
    made = tmp_path / "forged"
    made.mkdir()
    at(folder).extract(newest(folder), made)
    manifest = json.loads((made / state.STAGE / save.MANIFEST).read_text())
    change(manifest)
    (made / state.STAGE / save.MANIFEST).write_text(json.dumps(manifest))
    if dump:
        (made / state.STAGE / "databases/vlag.dump").write_bytes(dump)
    snapshot = at(folder).save(made, [])
    shutil.rmtree(made)
    return snapshot


def test_restores_every_row_and_file(source: Settings, whole: Path, tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "new")
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 0, done.stderr
    with saved.running(made):
        there, here = saved.rows(source), saved.rows(made)
        with psycopg.connect(made.dsn()) as conn:
            locations = [
                r[0] for r in conn.execute("SELECT in_state(location) FROM run").fetchall()
            ]
            assert len(locations) == 10
            assert all((Path(path) / "run.json").is_file() for path in locations)
            assert all(Path(path).is_relative_to(made.state) for path in locations)
            assert conn.execute("SELECT count(*) FROM read_model.run").fetchone() == (10,)
            added = conn.execute(
                "INSERT INTO board_type (name, arch, deterministic, cpus) VALUES ('t','x',true,1)"
            )
            assert added.rowcount == 1
        with psycopg.connect(made.dsn("buildbot")) as conn:
            row = conn.execute("INSERT INTO builds (number) VALUES (3) RETURNING id").fetchone()
            assert row == (3,), "a sequence goes on"
    assert there == here
    was, now = saved.contents(source.state), saved.contents(made.state)
    assert was.pop("lab/0123/bundle") != now.pop("lab/0123/bundle")
    assert (made.state / (made.state / "lab/0123/bundle").read_text()).is_dir()
    assert was == now
    for name in ("ccache", "runs/half.partial", "log/master.log", state.STAGE):
        assert not (made.state / name).exists()
    assert stat.S_IMODE((made.state / "secrets/callback").stat().st_mode) == 0o600
    image = next((made.state / "artifacts").rglob("bzImage"))
    assert image.stat().st_nlink == 2, "a published kernel takes no room of its own"
    assert git(made.state / "mirrors/debian.git", "fsck") == ""
    # It has data now.
    again = saved.vlag(made, "restore", str(whole))
    assert again.returncode == 2
    assert "has data (artifacts/" in again.stderr
    assert again.stderr.count("\n") == 1


def test_nobody_else_may_read_it(whole: Path) -> None:
    assert stat.S_IMODE(whole.stat().st_mode) == 0o700
    files = [p for p in whole.rglob("*") if p.is_file()]
    assert [p for p in files if stat.S_IMODE(p.stat().st_mode) & 0o077] == []
    assert not [p for p in files if b"a secret" in p.read_bytes()]
    listed = saved.restic(whole, "ls", "latest")
    assert "/secrets/callback" in listed
    assert "pgpass" not in listed


def test_is_whole(source: Settings, whole: Path) -> None:
    done = saved.vlag(source, "restore", "--check", str(whole))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{whole}: whole; snapshot {newest(whole)} is of 20")


def blocks(folder: Path) -> list[Path]:
    """Return the repository's data, the largest file first."""
    found = [p for p in (folder / "data").rglob("*") if p.is_file()]
    return sorted(found, key=lambda p: -p.stat().st_size)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a byte of the data": (lambda f: flip(blocks(f)[0]), "the backup is damaged"),
    "a file of the data is missing": (lambda f: blocks(f)[0].unlink(), "the backup is damaged"),
    "the index is missing": (lambda f: remove(f / "index"), "vlag: "),
    "no snapshot": (lambda f: remove(f / "snapshots"), "no backup is there"),
    "no repository": (lambda f: (f / "config").unlink(), "no repository of backups is there"),
    "no password": (lambda f: (f / "password").unlink(), "password"),
    "another password": (lambda f: (f / "password").write_text("x\n"), "wrong password"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_found_before_data_changes(what: str, copy: Path, tmp_path: Path) -> None:
    damage, sentence = DAMAGES[what]
    damage(copy)
    made = saved.settings(tmp_path / "new")
    for words in (("--check",), ()):
        done = saved.vlag(made, "restore", str(copy), *words)
        assert done.returncode in (2, 3), done.stderr
        assert sentence in done.stderr.splitlines()[-1]
        assert restoring.broken_off(made.state) is None
        assert state.data(made.state) is None
        assert not (made.state / state.STAGE).exists()


def test_a_newer_backup_is_refused(copy: Path, tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "new")

    def with_revision(name: str, revision: str) -> Callable[[dict[str, Any]], object]:
        return lambda manifest: manifest["databases"][name]["revisions"].append(revision)

    for name, revision in (("vlag", "9999_later"), ("buildbot", "999")):
        good = newest(copy)
        forge(copy, tmp_path, with_revision(name, revision))
        done = saved.vlag(made, "restore", str(copy))
        assert done.returncode == 2
        assert f"database {name} of the backup is newer than" in done.stderr
        assert f"(it has {revision}; vlag {vlag.__version__} made it): update" in done.stderr
        saved.restic(copy, "forget", "latest")
        assert newest(copy) == good
    forge(copy, tmp_path, lambda manifest: manifest.update(schema=3))
    done = saved.vlag(made, "restore", str(copy))
    assert f"made by a newer vlag ({vlag.__version__})" in done.stderr
    assert not made.state.exists()


def test_the_next_backup_takes_only_what_is_new(source: Settings, tmp_path: Path) -> None:
    into = tmp_path / "backups"
    first = saved.vlag(source, "backup", str(into)).stdout.strip()
    room = sum(p.stat().st_size for p in blocks(into))
    (source.state / state.STAGE).mkdir()  # of a backup that was killed
    (source.state / state.STAGE / "left").touch()
    new = source.state / "runs" / "new" / "one"
    new.mkdir(parents=True)
    (new / "run.json").write_text("{}\n")
    commit = saved.commit(source.state / "mirrors/debian.git")
    second = saved.vlag(source, "backup", str(into)).stdout.strip()
    shutil.rmtree(new.parent)
    assert sum(p.stat().st_size for p in blocks(into)) < 1.6 * room
    assert not (source.state / state.STAGE).exists()
    found = {}
    for snapshot in (first, second):
        target = tmp_path / snapshot
        target.mkdir()
        at(into).extract(snapshot, target)
        assert not (target / state.STAGE / "left").exists()
        found[snapshot] = (target / "runs/new/one/run.json").is_file()
        mirror = target / "mirrors/debian.git"
        assert (git(mirror, "rev-parse", "linux-6.12") == commit) is found[snapshot]
    assert found == {first: False, second: True}
    # Each is whole without the other.
    saved.restic(into, "forget", first, "--prune")
    assert saved.vlag(source, "restore", "--check", str(into)).returncode == 0
    done = saved.vlag(source, "restore", "--check", str(into), "--snapshot", first)
    assert f"no snapshot {first} is there" in done.stderr


def test_a_password_of_ones_own(source: Settings, tmp_path: Path) -> None:
    mine, into = tmp_path / "mine", tmp_path / "backups"
    mine.write_text("a password\n")
    done = saved.vlag(source, "backup", str(into), "--password-file", str(mine))
    assert done.returncode == 0, done.stderr
    assert not (into / "password").exists()
    check = ("restore", "--check", str(into))
    assert saved.vlag(source, *check).returncode == 2
    assert saved.vlag(source, *check, RESTIC_PASSWORD_FILE=str(mine)).returncode == 0
    assert saved.vlag(source, *check, "--password-file", str(mine)).returncode == 0


def test_a_mirror_is_whole_while_git_writes_to_it(tmp_path: Path) -> None:
    folder, repository = tmp_path / "state", at(tmp_path / "backups")
    mirror = folder / "mirrors" / "x.git"
    saved.repository(mirror)
    repository.make()
    stop, moved = threading.Event(), threading.Event()

    def work() -> None:
        while not stop.is_set():
            with mirrors.alone(mirror):
                saved.commit(mirror)
            moved.set()
            git(mirror, "repack", "-adq")  # as git does by itself

    thread = threading.Thread(target=work)
    thread.start()
    try:
        snapshots = []
        for _ in range(4):
            moved.clear()
            assert moved.wait(DEADLINE_S), "git writes nothing"
            with state.still_mirrors(folder):
                snapshots.append(repository.save(folder, state.excluded(folder)))
    finally:
        stop.set()
        thread.join()
    heads = set()
    for snapshot in snapshots:
        target = tmp_path / snapshot
        target.mkdir()
        repository.extract(snapshot, target)
        copy = target / "mirrors/x.git"
        assert git(copy, "fsck", "--no-dangling") == ""
        heads.add(git(copy, "rev-parse", "linux-6.12"))
    assert len(heads) == 4, "each snapshot has commits that the one before lacks"


def test_a_snapshot_that_lacks_a_file_is_taken_again(
    source: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """restic's status is 3 where a file went away between its folder's list and its turn."""
    real, folder, into = shutil.which("restic"), tmp_path / "bin", tmp_path / "backups"
    folder.mkdir()
    (folder / "restic").write_text(
        f'#!/bin/sh\n{real} "$@" || exit\n'
        f'case "$*" in *" backup "*) echo >> {folder}/times\n'
        f"[ $(wc -l < {folder}/times) -gt $(cat {folder}/good) ] || exit 3;; esac\n"
    )
    (folder / "restic").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    (folder / "good").write_text("1\n")
    done = saved.vlag(source, "backup", str(into))
    assert done.returncode == 0, done.stderr
    assert (folder / "times").read_text().count("\n") == 2
    assert len(json.loads(saved.restic(into, "snapshots", "--json"))) == 1
    # Negative control: one that never is whole.
    (folder / "good").write_text("99\n")
    done = saved.vlag(source, "backup", str(into))
    assert done.returncode == 75
    assert f"{into}: restic cannot save {source.state}" in done.stderr
    assert len(json.loads(saved.restic(into, "snapshots", "--json"))) == 1


def test_a_restore_that_was_broken_off_is_said_and_run_again(
    source: Settings, whole: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = saved.settings(tmp_path / "new")
    good = newest(copy)
    bad = forge(copy, tmp_path, lambda manifest: None, dump=b"no dump")
    done = saved.vlag(made, "restore", str(copy))
    assert done.returncode == 75
    assert "pg_restore failed: " in done.stderr.splitlines()[-1]
    again = f"run `vlag restore {copy} --snapshot {bad}` again"
    sentence = f"a restore to {made.state} was broken off: {again}"
    assert restoring.broken_off(made.state) == sentence
    served = saved.vlag(made, "serve")
    assert served.returncode == 2
    assert sentence in served.stdout

    # Cut off again, while files come to their places.
    real = state.put

    def cut(source: Path, target: Path) -> Iterator[Path]:
        yield from real(source, target)  # which calls this one for what is below
        if target == made.state:
            shutil.rmtree(target / "runs")
            raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(state, "put", cut)
    done = saved.vlag(made, "restore", str(copy), "--snapshot", good)
    monkeypatch.undo()
    assert done.returncode == 75
    assert done.stderr.splitlines()[-1].endswith("No space left on device")
    assert f"--snapshot {good}` again" in (restoring.broken_off(made.state) or "")

    # Another database than the one that it has emptied is as safe as ever.
    mark = json.loads((made.state / restoring.MARK).read_text())
    changed = {**mark, "databases": {**mark["databases"], "vlag": "elsewhere:5432/vlag"}}
    (made.state / restoring.MARK).write_text(json.dumps(changed))
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 2
    assert "the database vlag has data (rows in " in done.stderr
    (made.state / restoring.MARK).write_text(json.dumps(mark))

    # Another backup may be taken instead; nothing of the first one stays.
    (made.state / "reports" / "of the first").touch()
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 0, done.stderr
    assert restoring.broken_off(made.state) is None
    was, now = set(saved.contents(source.state)), set(saved.contents(made.state))
    assert now <= was, "nothing of the others"
    assert not [path for path in was - now if not path.startswith("mirrors/")]
    with saved.running(made):
        counts = {table: said["rows"] for table, said in saved.rows(made).items()}
    assert counts == {table: said["rows"] for table, said in saved.rows(source).items()}


def test_a_database_with_data_is_refused_and_unchanged(
    source: Settings, whole: Path, tmp_path: Path
) -> None:
    made = saved.settings(tmp_path / "new")
    with saved.running(made), psycopg.connect(made.dsn("buildbot")) as conn:
        conn.execute(saved.BUILDBOT.encode())
        conn.commit()
        before = saved.rows(made)
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 2, done.stderr
    said = "the database buildbot has data (rows in builds): a restore needs an empty one"
    assert said in done.stderr
    assert restoring.broken_off(made.state) is None
    with saved.running(made):
        assert saved.rows(made) == before
        # Nothing would be lost of this one, which a first start has made.
        with psycopg.connect(made.dsn("buildbot")) as conn:
            conn.execute("TRUNCATE builds, buildsets, changes")
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 0, done.stderr


def test_a_service_that_runs_is_not_restored_over(
    source: Settings, whole: Path, tmp_path: Path
) -> None:
    made = saved.settings(tmp_path / "new")
    made.state.mkdir()
    with saved.held(made):
        done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 2
    assert f"a service runs on {made.state}: stop it first" in done.stderr


def test_what_cannot_be_saved_is_one_sentence(source: Settings, tmp_path: Path) -> None:
    wrong = f"host=127.0.0.1 port={source.postgresql_port} user=vlag dbname=vlag"
    for words, environment, said in (
        ((str(source.state / "b"),), {}, "lies in the state folder itself"),
        ((str(source.path),), {}, "is no folder; name one for backups"),
        ((str(tmp_path / "b"),), {"VLAG_DATABASE": f"{wrong} password=wrong"}, "password auth"),
        ((str(tmp_path / "b"), "--database", "lavaserver=password=x"), {}, "has a password"),
        ((str(tmp_path / "b"), "--database", "vlag=x"), {}, "is taken anyway"),
        ((str(source.path.parent),), {}, "has files and is no repository of backups"),
        (("sftp:host:/b",), {}, "name a file with the repository's password"),
        ((str(tmp_path / "b"), "--password-file", "/nowhere"), {}, "/nowhere: cannot be read"),
        (
            (str(tmp_path / "b"), "--database", f"other={wrong} passfile='/nowhere'"),
            {},
            "cannot use database",
        ),
    ):
        done = saved.vlag(source, "backup", *words, **environment)
        assert done.returncode in (2, 75), done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert "wrong" not in done.stderr.replace(str(tmp_path), "")
    assert saved.restic(tmp_path / "b", "snapshots", "--json").strip() in ("[]", "null")
    with hold(source.state / "locks" / "backup", lambda: None):
        done = saved.vlag(source, "backup", str(tmp_path / "b"))
    assert "another backup of" in done.stderr


def test_a_full_disk_is_one_sentence(source: Settings, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        done = saved.vlag(source, "backup", str(small))
        there = saved.vlag(source, "restore", "--check", str(small))
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert done.returncode == 75, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"vlag: {small}: ")
    assert "no space left on device" in done.stderr.splitlines()[-1]
    assert there.returncode == 2
    assert "no backup is there" in there.stderr
    assert not (source.state / state.STAGE).exists()


def test_a_disk_that_is_full_while_files_are_restored_is_no_damage(tmp_path: Path) -> None:
    folder, repository = tmp_path / "state", at(tmp_path / "backups")
    folder.mkdir()
    (folder / "file").write_bytes(os.urandom(200_000))
    repository.make()
    snapshot = repository.save(folder, [])
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        with pytest.raises(AwayError, match=r"no space left on device$"):
            repository.extract(snapshot, small)
    finally:
        subprocess.run(["umount", str(small)], check=True)
    # Negative control: a damaged one is refused, however much room there is.
    flip(blocks(tmp_path / "backups")[0])
    with pytest.raises(RefusedError, match=r"the backup is damaged$"):
        repository.extract(snapshot, tmp_path / "back")


def test_what_gc_removed_is_no_loss_and_what_is_missing_is(whole: Path, tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "new")
    assert made.gc is not None
    text = made.path.read_text().replace("buildbot_days", "# buildbot_days")
    made.path.write_text(text.replace("runs_days = 365", "runs_days = 30"))
    assert saved.vlag(made, "restore", str(whole)).returncode == 0
    runs = [path.parent for path in sorted(made.runs.rglob("run.json"))]
    for folder in runs:
        os.utime(folder, (1, 1))
    with saved.running(made):
        listed = saved.vlag(made, "gc", "--dry-run", "--format", "json")
        assert listed.returncode == 0, listed.stderr
        assert {b["folder"] for b in json.loads(listed.stdout)["bundles"]} == {*map(str, runs)}
        done = saved.vlag(made, "gc")
        assert done.returncode == 0, done.stderr
        assert "10 bundles went" in done.stdout
        assert "10 of 10 bundles removed" in done.stderr
        assert not any(folder.exists() for folder in runs)
        again = saved.vlag(made, "backup", str(tmp_path / "backups"))
        assert again.returncode == 0, again.stderr
        # Negative control: nobody has removed this one on purpose.
        [build, *_] = sorted(made.builds.rglob("build.json"))
        build.unlink()
        lost = saved.vlag(made, "backup", str(tmp_path / "backups"))
        assert lost.returncode == 75
        assert f"vlag gc did not remove them; the first: {build.parent}" in lost.stderr
