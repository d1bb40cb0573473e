# SPDX-License-Identifier: GPL-2.0-only
"""Power cuts: what is written before what, and what is done with what a cut has emptied."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.kernel_trees import build as build_kernel
from tests.unit.kernel_trees import source as source  # noqa: PLC0414 - a fixture
from tests.unit.userland_roots import folder as folder  # noqa: PLC0414 - a fixture
from vlag import durable, progress_log
from vlag.cli.report import _write
from vlag.lava import artifact_server, artifacts, initramfs
from vlag.lava.job import JobResult
from vlag.pipeline.boot import recorded
from vlag.pipeline.build_stage import finished
from vlag.pipeline.run import conclude

pytestmark = pytest.mark.slow

Calls = list[tuple[str, Path]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Every fsync, rename and link that is really done, in order, with what it is done to."""
    seen: Calls = []
    fsync = os.fsync

    def synced(descriptor: int) -> None:
        seen.append(("fsync", Path(os.readlink(f"/proc/self/fd/{descriptor}"))))
        fsync(descriptor)

    def named(real: Callable[..., None]) -> Callable[..., None]:
        def call(source: Any, target: Any, **options: Any) -> None:
            real(source, target, **options)
            seen.append(("name", Path(target)))

        return call

    monkeypatch.setattr(os, "fsync", synced)
    for name in ("rename", "replace", "link"):
        monkeypatch.setattr(os, name, named(getattr(os, name)))
    return seen


def check(calls: Calls, target: Path, *files: Path) -> None:
    """Check that `files` were synced before `target` got its name, and its folder after that."""
    at = max(i for i, call in enumerate(calls) if call == ("name", target))
    before = {path for what, path in calls[:at] if what == "fsync"}
    assert set(files) <= before
    assert ("fsync", target.parent) in calls[at:]


def ended(tmp_path: Path, benchmark: Any) -> Path:
    work, bundle = tmp_path / "runs/k/one.partial", tmp_path / "runs/k/one"
    work.mkdir(parents=True)
    job = JobResult(
        console=("Linux version 6.1", "@vlag:start", "@vlag:status 1", "@vlag:done"),
        error_type=None, error=None, version="1",
    )  # fmt: skip
    record: Any = {"run_key": "k", "board": {"deterministic": False}}
    conclude(record, job, benchmark, work, bundle, limit_s=9)
    return bundle


class Benchmark:
    name, output, tool = "b", "out.txt", "t"


def test_a_run_is_on_the_disk_before_it_has_its_name(tmp_path: Path, calls: Calls) -> None:
    bundle = ended(tmp_path, Benchmark())
    draft = bundle.with_name("one.partial")
    check(calls, bundle, draft / "run.json", draft / "console.log", draft / "raw", draft)


def test_a_build_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, source: Path, calls: Calls
) -> None:
    build_kernel(tmp_path, source, "x86_64")
    bundle = tmp_path / "builds/bundle"
    names = ("image", "config", "build.log", "build.json.partial")
    check(calls, bundle / "build.json", *(bundle / name for name in names))


def test_a_report_and_a_published_file_are_too(tmp_path: Path, calls: Calls) -> None:
    _write("text", tmp_path / "report.txt")
    check(calls, tmp_path / "report.txt", tmp_path / "report.txt.partial")
    (tmp_path / "image").write_text("kernel")
    there = tmp_path / "store" / artifacts.publish(tmp_path / "store", tmp_path / "image")[1:]
    check(calls, there)


def test_an_upload_is_answered_when_its_name_is_on_the_disk(tmp_path: Path, calls: Calls) -> None:
    upload = artifact_server._Upload(tmp_path, "hist", "", "", 99)
    upload.take(b"1")
    upload.finish()
    check(calls, tmp_path / "hist", upload._partial)


def test_a_draft_of_what_failed_is_gone(tmp_path: Path) -> None:
    def fail() -> None:
        with durable.replacing(tmp_path / "a") as draft:
            draft.touch()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("left", [b"", b"\0" * 40, b"[]", b'{"files": [{"path": "raw"'])
def test_an_emptied_run_is_set_aside(tmp_path: Path, left: bytes) -> None:
    said: list[str] = []
    bundle = tmp_path / "k" / "one"
    bundle.mkdir(parents=True)
    (bundle / "run.json").write_bytes(left)
    with progress_log.diverted(said.append):
        assert recorded(tmp_path, "k") is None
    aside = tmp_path / "k" / "one.unreadable"
    assert (aside / "run.json").read_bytes() == left
    assert len(said) == 1
    assert said[0].startswith(f"{bundle}: run.json or a file it names is damaged")
    with progress_log.diverted(said.append):
        assert recorded(tmp_path, "k") is None
    assert len(said) == 1
    # A whole one beside it is used.
    good: Any = {"run_key": "k", "outcome": "complete", "files": []}
    bundle.mkdir()
    (bundle / "run.json").write_text(json.dumps(good))
    with progress_log.diverted(said.append):
        found = recorded(tmp_path, "k")
    assert found is not None
    assert found.document == good


def test_an_emptied_build_is_set_aside(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "build.json").touch()
    with progress_log.diverted(said.append):
        assert finished(tmp_path) is None
    assert [p.name for p in tmp_path.iterdir()] == ["one.unreadable"]
    assert len(said) == 1


def test_a_run_whose_raw_file_was_emptied_is_set_aside(tmp_path: Path) -> None:
    bundle = tmp_path / "k" / "one"
    bundle.mkdir(parents=True)
    (bundle / "raw").touch()
    document = {"run_key": "k", "outcome": "complete", "files": [{"path": "raw", "bytes": 9}]}
    (bundle / "run.json").write_text(json.dumps(document))
    assert recorded(tmp_path, "k") is None
    assert (tmp_path / "k" / "one.unreadable").is_dir()


def test_a_damaged_userland_is_made_again(folder: Path, calls: Calls) -> None:
    said: list[str] = []
    with progress_log.diverted(said.append):
        made = initramfs.build(folder, ["busybox"], [])
    home = made.path.parent
    check(calls, home, *(home.with_name(f"{home.name}.partial") / p.name for p in home.iterdir()))
    for times, name in enumerate(("userland.json", "userland.cpio.zst"), 1):
        (home / name).write_bytes(b"")
        with progress_log.diverted(said.append):
            assert initramfs.build(folder, ["busybox"], []) == made
        assert len(list(home.parent.glob(f"{home.name}*.unreadable"))) == times
        assert sum("damaged" in line for line in said) == times
        # One that is whole is used as it is.
        inode = made.path.stat().st_ino
        with progress_log.diverted(said.append):
            assert initramfs.build(folder, ["busybox"], []).path.stat().st_ino == inode


def failed(folder: Path, outcome: str, timeout_s: int | None = None) -> None:
    folder.mkdir(parents=True)
    limit = {} if timeout_s is None else {"timeout_s": timeout_s}
    document = {"run_key": "k", "outcome": outcome, "files": [], **limit}
    (folder / "run.json").write_text(json.dumps(document))


@pytest.mark.parametrize("outcome", ["panic", "benchmark_failed"])
def test_a_run_that_failed_is_reused_where_that_is_asked_for(tmp_path: Path, outcome: str) -> None:
    failed(tmp_path / "k" / "one", outcome)
    assert recorded(tmp_path, "k") is None
    again = recorded(tmp_path, "k", failed_within_s=60)
    assert again is not None
    assert again.document["outcome"] == outcome
    # A complete one comes first; another key is another run.
    assert recorded(tmp_path, "other", failed_within_s=60) is None
    failed(tmp_path / "k" / "two", "complete")
    whole = recorded(tmp_path, "k", failed_within_s=60)
    assert whole is not None
    assert whole.document["outcome"] == "complete"


@pytest.mark.parametrize(("had_s", "reused"), [(None, False), (59, False), (60, True), (90, True)])
def test_a_hang_is_reused_if_it_had_as_much_time(
    tmp_path: Path, had_s: int | None, reused: bool
) -> None:
    failed(tmp_path / "k" / "one", "hang", had_s)
    assert (recorded(tmp_path, "k", failed_within_s=60) is not None) is reused
