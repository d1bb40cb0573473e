"""Backup and restore with a real cluster, real rows and the command that people type."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.integration import saved
from vlag.bundle import sha256
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError, UsageError
from vlag.operate.backup import archive, files, restore
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
    """A backup of it, made while the database is up; not to be changed."""
    into = tmp_path_factory.mktemp("backups")
    done = saved.vlag(source, "backup", str(into))
    assert done.returncode == 0, done.stderr
    assert "database vlag: " in done.stderr
    return Path(done.stdout.strip())


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A backup that may be damaged."""
    return Path(shutil.copytree(whole, tmp_path / whole.name))


def test_restores_every_row_and_file(source: Settings, whole: Path, tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "new")
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 0, done.stderr
    with saved.running(made):
        there, here = saved.rows(source), saved.rows(made)
        with psycopg.connect(made.dsn()) as conn:
            locations = [r[0] for r in conn.execute("SELECT location FROM run").fetchall()]
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
    # Locations follow the state folder; all else is the same.
    for table in ("vlag.public.run", "vlag.public.build"):
        assert there[table].pop("sha256") != here[table].pop("sha256")
    assert there == here
    was, now = saved.contents(source.state), saved.contents(made.state)
    assert was.pop("lab/0123/bundle") != now.pop("lab/0123/bundle")
    assert Path((made.state / "lab/0123/bundle").read_text()).is_dir()
    assert was == now
    assert not any((made.state / name).exists() for name in ("ccache", "runs/half.partial"))
    assert not (made.state / "builds/0123/half").exists()
    assert stat.S_IMODE((made.state / "secrets/callback").stat().st_mode) == 0o600
    image = next((made.state / "artifacts").rglob("bzImage"))
    assert image.stat().st_nlink == 2, "a published kernel takes no room of its own"
    assert saved.git(made.state / "mirrors/debian.git", "fsck") == ""
    # It has data now.
    again = saved.vlag(made, "restore", str(whole))
    assert again.returncode == 2
    assert "has data (lab/" in again.stderr
    assert again.stderr.count("\n") == 1 + again.stderr.count(" are whole")


def test_nobody_else_may_read_it(whole: Path) -> None:
    assert stat.S_IMODE(whole.stat().st_mode) == 0o700
    loose = [p for p in whole.rglob("*") if p.is_file() and stat.S_IMODE(p.stat().st_mode) != 0o600]
    assert loose == []
    assert not (whole / "files/secrets/pgpass").exists()


def test_is_whole(source: Settings, whole: Path) -> None:
    done = saved.vlag(source, "restore", "--check", str(whole.parent))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{whole}: whole, of 20")


def resign(folder: Path) -> None:
    """Let the manifest say that all is well."""
    path = folder / archive.MANIFEST
    document = json.loads(path.read_text())
    document.pop("digest")
    for name, said in document["databases"].items():
        dump = folder / "databases" / f"{name}.dump"
        said |= {"bytes": dump.stat().st_size, "sha256": sha256(dump)}
    archive.write(folder, document)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def raw(folder: Path) -> Path:
    return next(iter(sorted((folder / "files/runs").rglob("*.txt"))))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a byte of a raw file": (lambda f: flip(raw(f)), "it is not the file that was saved"),
    "a file is missing": (lambda f: raw(f).unlink(), "it is missing"),
    "a dump is cut off": (
        lambda f: (f / "databases/vlag.dump").write_bytes(
            (f / "databases/vlag.dump").read_bytes()[:-2000]
        ),
        "bytes, not",
    ),
    "a byte of a dump": (lambda f: flip(f / "databases/vlag.dump"), "not as it was written"),
    "a dump is missing": (lambda f: (f / "databases/buildbot.dump").unlink(), "it is missing"),
    "a byte of the manifest": (
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text().replace('"rows": 10', '"rows": 11')
        ),
        "it is not as it was written",
    ),
    "a line of the list": (
        lambda f: (f / "files.jsonl").write_text(
            "".join((f / "files.jsonl").read_text().splitlines(keepends=True)[1:])
        ),
        "it is changed",
    ),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "no backup is there"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_found_before_anything_changes(what: str, copy: Path, tmp_path: Path) -> None:
    damage, sentence = DAMAGES[what]
    damage(copy)
    made = saved.settings(tmp_path / "new")
    with pytest.raises((RefusedError, UsageError), match=sentence):
        restore.restore(made, copy, {}, (), print)
    assert not made.state.exists()


@pytest.mark.parametrize("change", ["DELETE FROM logchunks", "UPDATE builds SET number = 7"])
def test_a_dump_that_lacks_a_row_is_found(
    change: str, source: Settings, copy: Path, tmp_path: Path
) -> None:
    """The dump is a whole one, of a database that had another row."""
    with psycopg.connect(source.dsn("buildbot"), autocommit=True) as conn:
        conn.execute("CREATE TABLE kept_chunks AS SELECT * FROM logchunks")
        conn.execute("CREATE TABLE kept_builds AS SELECT * FROM builds")
        conn.execute(change.encode())
    try:
        other = saved.vlag(source, "backup", str(tmp_path / "other"))
    finally:
        with psycopg.connect(source.dsn("buildbot"), autocommit=True) as conn:
            conn.execute("TRUNCATE logchunks; INSERT INTO logchunks SELECT * FROM kept_chunks")
            conn.execute("DELETE FROM builds; INSERT INTO builds SELECT * FROM kept_builds")
            conn.execute("DROP TABLE kept_chunks; DROP TABLE kept_builds")
    taken = Path(other.stdout.strip())
    shutil.copy(taken / "databases/buildbot.dump", copy / "databases/buildbot.dump")
    resign(copy)
    with pytest.raises(RefusedError) as caught:
        restore.check(copy, print)
    table = "logchunks has 0 rows, not 1" if "chunks" in change else "of table public.builds are"
    assert table in str(caught.value)


def test_a_newer_backup_is_refused(copy: Path, tmp_path: Path) -> None:
    path = copy / archive.MANIFEST
    good = json.loads(path.read_text())
    good.pop("digest")
    made = saved.settings(tmp_path / "new")
    for name, revision in (("vlag", "9999_later"), ("buildbot", "999")):
        document = json.loads(json.dumps(good))
        document["databases"][name]["revisions"].append(revision)
        archive.write(copy, document)
        with pytest.raises(UsageError) as caught:
            restore.restore(made, copy, {}, (), print)
        assert f"database {name} of the backup is newer than" in str(caught.value)
        assert f"(it has {revision}; vlag 0.1.0 made it): update" in str(caught.value)
    archive.write(copy, {**good, "schema": 2})
    with pytest.raises(UsageError, match=r"made by a newer vlag \(0.1.0\)"):
        restore.check(copy, print)
    assert not made.state.exists()


def test_unfinished_backups_are_no_backups(source: Settings, tmp_path: Path) -> None:
    into = tmp_path / "backups"
    left = into / ".20260301T013000Z.partial"
    (left / "databases").mkdir(parents=True)
    done = saved.vlag(source, "restore", "--check", str(into))
    assert done.returncode == 2
    assert "no backup is there (one that was broken off is)" in done.stderr
    done = saved.vlag(source, "backup", str(into))
    assert done.returncode == 0
    assert f"removing {left.name}, a backup that was broken off" in done.stderr
    assert not left.exists()


def test_the_next_backup_takes_only_what_is_new(
    source: Settings, whole: Path, tmp_path: Path
) -> None:
    into = tmp_path / "backups"
    first = Path(saved.vlag(source, "backup", str(into)).stdout.strip())
    new = source.state / "runs" / "new" / "one"
    new.mkdir(parents=True)
    (new / "run.json").write_text("{}\n")
    new_commit = saved.commit(source.state / "mirrors/debian.git")
    done = saved.vlag(source, "backup", str(into))
    shutil.rmtree(new)
    second = Path(done.stdout.strip())
    assert archive.newest(into) == second != first
    image = next((second / "files/builds").rglob("bzImage"))
    assert image.stat().st_ino == (first / image.relative_to(second)).stat().st_ino
    assert (second / "files/runs/new/one/run.json").is_file()
    # Each is whole without the other.
    shutil.rmtree(first)
    assert saved.vlag(source, "restore", "--check", str(into)).returncode == 0
    mirror = second / "files/mirrors/debian.git"
    assert saved.git(mirror, "rev-parse", "linux-6.12") == new_commit


def test_a_restore_that_was_broken_off_is_said_and_run_again(
    source: Settings, whole: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = saved.settings(tmp_path / "new")
    real = files.restore

    def cut(found: archive.Archive, state: Path, say: Callable[[str], None]) -> files.Back:
        # The check has found nothing: the damage comes between it and the copy.
        sorted((found.folder / "files" / "runs").rglob("run.json"))[-1].unlink()
        return real(found, state, say)

    monkeypatch.setattr(files, "restore", cut)
    done = saved.vlag(made, "restore", str(copy))
    monkeypatch.undo()
    assert done.returncode == 75
    assert done.stderr.splitlines()[-1].endswith("run.json: No such file or directory")
    sentence = f"a restore to {made.state} was broken off: run `vlag restore {copy}` again"
    assert restoring.broken_off(made.state) == sentence
    served = saved.vlag(made, "serve")
    assert served.returncode == 2
    assert sentence in served.stdout

    # Another database than the one that it has emptied is as safe as ever.
    mark = json.loads((made.state / restoring.MARK).read_text())
    changed = {**mark, "databases": {**mark["databases"], "vlag": "elsewhere:5432/vlag"}}
    (made.state / restoring.MARK).write_text(json.dumps(changed))
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 2
    assert "the database vlag has data (rows in " in done.stderr
    (made.state / restoring.MARK).write_text(json.dumps(mark))

    # Another backup may be taken instead; nothing of the first one stays.
    (made.state / "runs" / "of the first").mkdir()
    done = saved.vlag(made, "restore", str(whole))
    assert done.returncode == 0, done.stderr
    assert restoring.broken_off(made.state) is None
    listed = {e.path for e in archive.read(whole).entries() if e.sha256 is not None}
    assert set(saved.contents(made.state)) == listed
    assert not (made.state / "runs" / "of the first").exists()
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
    assert not [p for p in (tmp_path / "b").glob("*") if p.name != ".lock"]


def test_a_full_disk_is_one_sentence_and_has_its_room_back(
    source: Settings, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        done = saved.vlag(source, "backup", str(small))
        left = [p.name for p in small.iterdir()]
        free = shutil.disk_usage(small).free
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert done.returncode == 75, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"vlag: {small}/.2")
    assert done.stderr.splitlines()[-1].endswith(": No space left on device")
    assert left == [".lock"]
    assert free >= 60_000
