"""What is taken into a backup, and how a whole one is told from any other."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.integration import saved
from vlag.bundle import sha256
from vlag.errors import InfrastructureError, RefusedError, UsageError
from vlag.operate.backup import archive, dumps, files
from vlag.operate.backup.archive import Entry
from vlag.operate.service import revisions

MANIFEST: dict[str, Any] = {
    "schema": 1,
    "kind": "backup",
    "vlag": "0.1.0",
    "began_at": "2026-03-01T01:30:00+00:00",
    "ended_at": "2026-03-01T01:31:00+00:00",
    "state": "/srv/vlag/var",
    "databases": {
        name: {
            "at": "2026-03-01T01:30:00+00:00",
            "server": 150000,
            "revisions": [],
            "bytes": 0,
            "sha256": "0" * 64,
            "tables": {},
        }
        for name in ("vlag", "buildbot")
    },
    "missing": [],
}


def make(folder: Path, *entries: Entry) -> Path:
    """Write a backup without dumps, its files not there."""
    folder.mkdir(parents=True)
    listing = folder / archive.LISTING
    listing.write_text("".join(map(archive.line_of, entries)))
    counted = {"count": len(entries), "bytes": sum(e.bytes for e in entries)}
    archive.write(folder, {**MANIFEST, "files": {**counted, "sha256": sha256(listing)}})
    return folder


def taking(state: Path, target: Path, last: Path | None = None) -> files.Taking:
    before = {} if last is None else {e.path: e for e in archive.read(last).entries()}
    return files.Taking(state, target, before, last, lambda text: None)


def fill(state: Path, *paths: str) -> None:
    for path in paths:
        (state / path).parent.mkdir(parents=True, exist_ok=True)
        (state / path).write_text(path)


def taken(state: Path) -> set[str]:
    return {p.as_posix() for name in files.top(state) for p in files.walk(state, name)}


def test_entries_come_back_as_they_were_written(tmp_path: Path) -> None:
    entries = [
        Entry(path="runs/a b/é\n", mode=0o644, bytes=3, sha256="1" * 64, mtime_ns=5),
        Entry(path="runs/link", mode=0o777, to="elsewhere"),
        Entry(path="mirrors/x.git/refs", mode=0o755),
        Entry(path="b", mode=0o600, bytes=3, sha256="1" * 64, mtime_ns=5, same="runs/a b/é\n"),
    ]
    made = make(tmp_path / "20260301T013000Z", *entries)
    assert list(archive.read(made).entries()) == entries


def test_the_newest_whole_one_is_found(tmp_path: Path) -> None:
    make(tmp_path / "20260301T013000Z")
    newest = make(tmp_path / "20260302T013000Z")
    make(tmp_path / ".20260303T013000Z.partial")
    make(tmp_path / "somebody's")
    (tmp_path / "20260304T013000Z").mkdir()
    assert archive.read(tmp_path).folder == newest


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "runs/../../x"])
def test_no_entry_leads_out(path: str, tmp_path: Path) -> None:
    made = make(tmp_path / "20260301T013000Z", Entry(path=path, mode=0o644))
    with pytest.raises(RefusedError, match="leads out of the backup"):
        list(archive.read(made).entries())


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    made = make(tmp_path / "20260301T013000Z")
    path = made / archive.MANIFEST
    whole = path.read_text()
    archive.read(made)
    for old, new, said in (
        ("0.1.0", "0.1.1", "it is not as it was written"),
        ('"schema": 1', '"schema": "1"', "schema: "),
        ('"kind"', '"kinds"', "kind"),
        ("{", "", "not valid JSON"),
        ('"schema": 1', '"schema": 2', "made by a newer vlag"),
    ):
        path.write_text(whole.replace(old, new, 1))
        with pytest.raises((RefusedError, UsageError), match=said):
            archive.read(made)


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
    }
    fill(
        tmp_path, *keep,
        "builds/d/half/build.log", "builds/d/one.objects/x", "runs/k/lock",
        "runs/k/two.partial/run.json", "reports/a.new", "lock", "log/master.log",
        "postgres/data/PG_VERSION", "mirrors/x.git/HEAD.lock", "mirrors/x.git/worktrees/x/HEAD",
        "mirrors/x.git/objects/pack/tmp_pack_1", "secrets/pgpass", "secrets/pgpass-vlag-0",
        "userland/root-1/bin/sh", "artifacts/files/a/.0123", "ccache/a", "src/x/Makefile",
        "restoring", "locks/master",
    )  # fmt: skip
    found = taken(tmp_path)
    assert {p for p in found if (tmp_path / p).is_file()} == keep
    assert files.top(tmp_path)[0] == "artifacts"
    fill(tmp_path, "lab/0/submitted.json")
    assert files.top(tmp_path)[0] == "lab", "what names jobs comes first"


def test_what_changes_while_it_is_copied_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    fill(state, "reports/a.txt")
    real, times = files._copy_bytes, 0

    def copy(source: Path, target: Path) -> str:
        nonlocal times
        digest = real(source, target)
        times += 1
        if times < changes:
            source.write_text("x" * times)
        return digest

    monkeypatch.setattr(files, "_copy_bytes", copy)
    changes = 3
    made = taking(state, tmp_path / "backup")
    made.take("reports")
    assert (tmp_path / "backup/files/reports/a.txt").read_text() == "xx"
    changes, times = 99, 0
    with pytest.raises(InfrastructureError, match="changes all the time"):
        taking(state, tmp_path / "other").take("reports")


def test_a_mirror_is_whole_while_git_packs_it(tmp_path: Path) -> None:
    mirror = tmp_path / "state" / "mirrors" / "x.git"
    saved.repository(mirror)
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            saved.commit(mirror)
            saved.git(mirror, "repack", "-adq")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for number in range(5):
            made = taking(tmp_path / "state", tmp_path / f"backup-{number}")
            made.take("mirrors")  # raises unless git finds all that its refs name
    finally:
        stop.set()
        thread.join()
    copies = [tmp_path / f"backup-{n}" / "files/mirrors/x.git" for n in range(5)]
    heads = {saved.git(copy, "rev-parse", "linux-6.12") for copy in copies}
    assert len(heads) > 1, "nothing was going on"
    # Negative control: an object that is missing.
    lost = next(iter((mirror / "objects" / "pack").glob("*.pack")))
    lost.unlink()
    with pytest.raises(InfrastructureError, match=r"the copy is not whole .*; is the mirror\?"):
        taking(tmp_path / "state", tmp_path / "bad").take("mirrors")


def test_an_unchanged_file_is_a_link_and_a_changed_one_is_not(tmp_path: Path) -> None:
    state = tmp_path / "state"
    fill(state, "runs/k/one/run.json", "runs/k/two/run.json", "reports/a.txt")
    last = tmp_path / "20260301T013000Z"
    first = taking(state, last)
    for name in ("runs", "reports"):
        first.take(name)
    entries = list(first.taken.values())
    (tmp_path / "made").mkdir()
    make(tmp_path / "made" / "b", *entries)
    for name in (archive.MANIFEST, archive.LISTING):
        (tmp_path / "made" / "b" / name).rename(last / name)
    (state / "runs/k/two/run.json").write_text("another content")
    second = taking(state, tmp_path / "second", last)
    for name in ("runs", "reports"):
        second.take(name)
    links = {path: os.stat(tmp_path / "second/files" / path).st_nlink for path in second.taken}
    assert links == {"runs/k/one/run.json": 2, "runs/k/two/run.json": 1, "reports/a.txt": 1}
    assert second.taken["runs/k/one/run.json"] == first.taken["runs/k/one/run.json"]


def test_rows_are_summed_in_any_order_and_each_counts() -> None:
    def of(*rows: bytes) -> dict[str, Any]:
        count = dumps.Count()
        for row in rows:
            count.add(row)
        return count.said()

    assert of(b"a", b"b") == of(b"b", b"a")
    assert of(b"a", b"b")["sha256"] != of(b"a", b"c")["sha256"]
    assert of(b"a", b"a")["sha256"] != of()["sha256"]
    assert of()["sha256"] == "0" * 64


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
