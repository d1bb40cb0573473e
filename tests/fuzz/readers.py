# SPDX-License-Identifier: GPL-2.0-only
"""Readers of what comes from outside beside the tools' output, and what must hold for any bytes.

A reader takes any bytes: it accepts them, or it refuses them by one of vlag's own errors with one
sentence.  Each has a corpus: files of the repository, and those of tests/data/fuzz/NAME, among
which is what a fault was found with.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests
from attrs import frozen
from flask import Flask

from release import audit
from vlag import ROOT, bundle, config, notation
from vlag.bundle_records import RunRecord
from vlag.config import ansible_hosts, board_facts, catalogue, documents, known_changes
from vlag.errors import VlagError
from vlag.kernel import patch_check, patch_mail, series
from vlag.lava import artifact_server, console
from vlag.lava.job import Log
from vlag.lava.lab_settings import Lab
from vlag.lava.server import Client
from vlag.operate.backup import restore
from vlag.pipeline import ingest
from vlag.web.access import Visitor
from vlag.web.app import create
from vlag.web.installation import Site

DATA = ROOT / "tests" / "data" / "fuzz"
#: A sentence that does not fit some lines of a terminal is no sentence.
_LONGEST = 1000


@frozen(kw_only=True)
class Reader:
    """How a reader is called, and with what."""

    read: Callable[[bytes], object]  # False: refused without an exception
    seeds: tuple[str, ...] = ()  # patterns of files of the repository, beside its own corpus


@functools.cache
def _scratch() -> Path:
    """Return a folder for the files of this process."""
    kept = tempfile.TemporaryDirectory(prefix="vlag-fuzz-")
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def _file(name: str, data: bytes) -> Path:
    path = _scratch() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def _console(data: bytes) -> None:
    lines = data.decode("utf-8", errors="replace").split("\n")
    heard = console.read(lines)
    assert all(len(h.text) <= console.MOST_LINE for h in heard.health)
    assert all(console._NAME.fullmatch(name) for name in heard.files)
    console.join(heard, {"environment.txt": data})


def _lava_log(data: bytes) -> None:
    log = Log(lambda line: None)
    for line in data.decode("utf-8", errors="replace").split("\n"):
        log.add(line)
    console.read(log.console)


@functools.cache
def _client() -> tuple[Client, list[bytes]]:
    """Return a client of a lab that answers everything with the bytes in the list."""
    token = _file("token", b"secret\n")
    client = Client(Lab(name="home", url="http://127.0.0.1:1", token_file=token, artifacts=""))
    says = [b""]

    def request(*_: object, **__: object) -> requests.Response:
        answer = requests.Response()
        answer.status_code = 200
        answer._content = says[0]
        answer.headers["Content-Type"] = "application/json"
        return answer

    client._rest._session.request = request  # type: ignore[method-assign]
    return client, says


def _lava_rows(data: bytes) -> None:
    client, says = _client()
    says[0] = data
    calls: tuple[Callable[[], object], ...] = (
        client.queue, client.devices, client.workers, client.server_version,
        lambda: client.job(5), lambda: client.device("g1"),
    )  # fmt: skip
    refusals = []
    for call in calls:
        try:
            call()
        except VlagError as e:
            refusals.append(e)
            _one_sentence(e)
    if len(refusals) == len(calls):
        raise refusals[0]


def _lava_results(data: bytes) -> None:
    client, says = _client()
    says[0] = data
    client.log(5)
    client.results(5)


def _inventory(data: bytes) -> None:
    found = ansible_hosts.read([_file("hosts.yml", data)])
    if not list(board_facts.faults(found.of("boards"), _catalogue().board_types)):
        board_facts.boards(found.of("boards"))


@functools.cache
def _catalogue() -> catalogue.Catalogue:
    return catalogue.load()


def _series(data: bytes) -> None:
    folder = _scratch() / "patches" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "series").write_text("a.patch\n")
    (folder / "a.patch").write_bytes(data)
    for part in patch_check.parts(data):
        assert part.path
    series.read(folder.parent, "one")


def _series_list(data: bytes) -> None:
    folder = _scratch() / "lists" / "one"
    if not folder.exists():
        shutil.copytree(ROOT / "kernel-patches" / "known-regressions", folder)
    (folder / "series").write_bytes(data)
    series.read(folder.parent, "one")


def _mbox(data: bytes) -> None:
    patch_mail.thread(patch_mail.read(_file("thread.mbox", data)), None)


def _bundle(data: bytes) -> bool:
    """Read it as the pipeline does, which sets aside what is damaged, and as ingest does."""
    path = _file("bundles/run.json", data)
    for name in ("run.json", "build.json"):
        path = path.with_name(name)
        path.write_bytes(data)
        bundle.read(RunRecord, path)
        for aside in path.parent.parent.glob("*.unreadable"):
            aside.rename(path.parent)
    refusals = []
    for name in ("run.json", "build.json"):
        try:
            ingest._read(path.with_name(name) if path.parent.exists() else path)
        except VlagError as e:
            refusals.append(e)
    if len(refusals) == 2:
        raise refusals[0]
    return True


def _upload(data: bytes) -> bool:
    """The first line has the encodings, the rest comes in pieces as the network cuts it."""
    head, _, body = data.partition(b"\n")
    words = [w.replace("-", "") for w in head.decode("latin-1").split(" ")]
    encoding, transfer = (*words, "", "")[:2]
    home = _scratch() / "uploads"
    home.mkdir(exist_ok=True)
    try:
        upload = artifact_server._Upload(home, "file", encoding, transfer, 1 << 20)
        try:
            for at in range(0, len(body), 777):
                upload.take(body[at : at + 777])
            made = upload.finish()
            assert made["bytes"] == (home / "file").stat().st_size <= 1 << 20
        finally:
            upload.drop()
            (home / "file").unlink(missing_ok=True)
    except artifact_server._RefusedError as e:
        if e.status >= 500:
            raise
        return False
    assert list(home.iterdir()) == []
    return True


@functools.cache
def _pages() -> Flask:
    """Return the pages without a database, which is as far as a bad request may come."""
    nowhere = "host=/nonexistent"
    return create(
        Site(
            reader_dsn=nowhere, writer_dsn=nowhere, state=_scratch(), triage=("anna",),
            url="http://127.0.0.1:8010/", catalogue=_catalogue(), derive=lambda *_: None,
        ),
        lambda cookies: Visitor(name=cookies["who"], session="one") if "who" in cookies else None,
    )  # fmt: skip


def _http(data: bytes) -> bool:
    head, _, body = data.partition(b"\n\n")
    first, *rest = head.decode("latin-1").split("\n")
    method, target, _ = (*first.split(" "), "", "")[:3]
    headers = [(k.strip(), v.strip()) for k, c, v in (x.partition(":") for x in rest) if c]
    path, _, query = target.partition("?")
    environment = {
        "REQUEST_METHOD": method or "GET",
        "PATH_INFO": path or "/",
        "QUERY_STRING": query,
        **{"HTTP_" + k.upper().replace("-", "_"): v for k, v in headers},
    }
    kind = next((v for k, v in headers if k.lower() == "content-type"), "")
    answer = (
        _pages().test_client().open(data=body, content_type=kind, environ_overrides=environment)
    )
    # 503: it asked the database.
    assert answer.status_code < 500 or answer.status_code in {501, 503}, answer.status
    assert b"Traceback" not in answer.data
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return answer.status_code in {200, 206, 304, 503}


def _advisory(data: bytes) -> None:
    folder = _scratch() / "advisories"
    folder.mkdir(exist_ok=True)
    (folder / "one.json").write_bytes(data)
    found = list(audit.records(folder))
    audit.day(found)
    for finding in audit.findings(_locked(), found):
        assert len(finding.line.splitlines()) == 1


@functools.cache
def _locked() -> tuple[Any, ...]:
    from release import lock  # noqa: PLC0415 - reads files

    return tuple(lock.read())


READERS: dict[str, Reader] = {
    "advisory": Reader(read=_advisory),
    "benchmark": Reader(
        read=lambda data: documents.read_yaml(_file("b.yaml", data), "benchmark.schema.json"),
        seeds=("lava-jobs/benchmarks/hackbench-*/benchmark.yaml",),
    ),
    "bundle": Reader(read=_bundle),
    "console": Reader(read=_console),
    "environment": Reader(read=console.environment),
    "http": Reader(read=_http),
    "inventory": Reader(read=_inventory, seeds=("ansible/inventory/*.yml",)),
    "known-changes": Reader(
        read=lambda data: known_changes.read(_file("k.toml", data), _catalogue().benchmarks),
        seeds=("lava-jobs/known-changes.toml",),
    ),
    "lava-log": Reader(read=_lava_log),
    "lava-results": Reader(read=_lava_results),
    "lava-rows": Reader(read=_lava_rows),
    "manifest": Reader(
        read=lambda data: restore.read_manifest(data.decode(errors="replace"), "a backup")
    ),
    "mbox": Reader(read=_mbox),
    "plan": Reader(
        read=lambda data: documents.read_yaml(_file("p.yaml", data), "plan.schema.json"),
        seeds=("lava-jobs/plans/*.yaml",),
    ),
    "series": Reader(read=_series, seeds=("kernel-patches/known-regressions/*.patch",)),
    "series-list": Reader(read=_series_list, seeds=("kernel-patches/*/series",)),
    "settings": Reader(
        read=lambda data: config.load(_file("vlag.toml", data)),
        seeds=("vlag.toml", "master/compose.toml", "workers/trees/*.toml"),
    ),
    "upload": Reader(read=_upload),
    "yaml": Reader(read=notation.read_yaml, seeds=("lava-jobs/devices/qemu-*.yaml",)),
}


def corpus(name: str) -> list[Path]:
    """Return the corpus of a reader, sorted by path."""
    found = [p for pattern in READERS[name].seeds for p in ROOT.glob(pattern)]
    return sorted([*found, *(p for p in (DATA / name).glob("*") if p.is_file())])


def check(tool: str, data: bytes) -> bool:
    """Give bytes to a reader; return whether it accepts them.

    Raises AssertionError for a refusal in more than one sentence, and lets through whatever the
    reader raises beside vlag's own errors.
    """
    before = os.getcwd()
    try:
        return READERS[tool].read(data) is not False
    except (VlagError, notation.NotationError) as e:
        _one_sentence(e)
        return False
    finally:
        assert os.getcwd() == before


def _one_sentence(error: Exception) -> None:
    said = str(error)
    assert said, repr(error)
    assert len(said) <= _LONGEST, f"{len(said)} characters"
    assert len(said.splitlines()) == 1, json.dumps(said)
