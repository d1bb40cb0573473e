# SPDX-License-Identifier: GPL-2.0-only
"""What docs/runbooks.md says, played: a clock, a certificate; and that the page can be trusted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import http_stand_in
from tests.http_stand_in import Answer
from tests.integration import certificates, saved
from tests.integration.server import Server
from tests.unit.wording import strings
from vlag import ROOT
from vlag.errors import ExitCode
from vlag.lava.rest import NoAnswerError, Rest

PAGE = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")


@pytest.fixture
def database(server: Server) -> Server:
    """Somebody's server with the databases of vlag."""
    server.make_anew()
    return server


def health(server: Server, *, ended: bool, ahead: str | None = None) -> tuple[int, str]:
    """Ask for the database's health over TLS; `ahead` moves the clock of whoever asks."""
    folder = server.folder / ("ended" if ended else "good")
    folder.mkdir(exist_ok=True)
    certificate, key = certificates.write(folder, ended=ended)
    for path, name in ((certificate, "server.crt"), (key, "server.key")):
        there = server.data / name
        shutil.copy(path, there)
        there.chmod(0o600)
        if os.geteuid() == 0:
            shutil.chown(there, "postgres", "postgres")
    server.psql("-c", "ALTER SYSTEM SET ssl = on")
    server.psql("-c", "SELECT pg_reload_conf()")
    settings = saved.settings(server.folder / "installation").path
    tls = f'sslmode = "verify-full"\nsslrootcert = "{certificate}"\n'
    shipped = (ROOT / "vlag.toml").read_text(encoding="utf-8")
    settings.write_text(f"{shipped}\n{server.settings()}{tls}")
    clock = {}
    if ahead is not None:
        [library] = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
        clock = {"LD_PRELOAD": str(library), "FAKETIME": ahead}
    done = subprocess.run(
        [sys.executable, "-m", "vlag.cli.main", "health", "database"],
        env={**os.environ, "VLAG_SETTINGS": str(settings), **clock},
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_wrong_clock_is_said(database: Server) -> None:
    status, words = health(database, ended=False, ahead="+2h")
    assert status == ExitCode.OK, words
    assert re.search(r"the clock of its host is 7[12]\d\d s behind this one's: set both by", words)
    status, words = health(database, ended=False, ahead="-2h")
    assert "s ahead of this one's" in words, words
    # Negative control: clocks that agree.
    assert "clock" not in health(database, ended=False)[1]


def test_a_certificate_of_the_database_that_has_ended(database: Server) -> None:
    status, words = health(database, ended=False)
    assert (status, words.startswith("the database answers")) == (ExitCode.OK, True), words
    status, words = health(database, ended=True)
    assert status == ExitCode.INFRASTRUCTURE, words
    assert "certificate verify failed); renew its certificate, or name the authority" in words
    assert len(words.splitlines()) == 1


@pytest.mark.parametrize(
    ("ended", "words"),
    [(True, "certificate verify failed: certificate has expired"), (False, "with status 501")],
)
def test_a_certificate_of_a_lab_that_has_ended(tmp_path: Path, ended: bool, words: str) -> None:
    certificate, key = certificates.write(tmp_path, ended=ended)
    (tmp_path / "token").write_text("t0k3n\n")
    (tmp_path / "token").chmod(0o600)
    with http_stand_in.served(lambda _: Answer(status=501), (certificate, key)) as there:
        lab = Rest(name="home", url=there.url, token_file=tmp_path / "token", ca=certificate)
        with pytest.raises(NoAnswerError, match=words):
            lab.rows("devices/")


def sections(page: str) -> dict[str, str]:
    """Return the text of each runbook by its title."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def literals() -> set[str]:
    """Return what lies between the values of each sentence of the code, of two words or more."""
    texts = (
        text
        for folder in ("vlag", "master")
        for path in (ROOT / folder).rglob("*.py")
        for text in strings(path.read_text(encoding="utf-8"))
    )
    parts = {part.strip(" ;:,.") for text in texts for part in re.split(r"\{\}|\s{2,}", text)}
    return {part for part in parts if part.count(" ")}


LITERALS = literals()


def code_prints(words: str) -> bool:
    """Return whether each clause of a quotation is in a sentence of the code, or has one in it."""
    clauses = re.split(r"…|[:;,] ", " ".join(words.split()))
    return all(
        any(clause in literal or literal in clause for literal in LITERALS)
        for clause in (c.strip() for c in clauses)
        if clause
    )


def faults(page: str) -> list[str]:
    """Return what a runbook lacks: a part, a test that is there, words that the code prints."""
    found = []
    for title, text in sections(page).items():
        found += [
            f"{title}: no {part}"
            for part in ("- **vlag says**", "- **Do**", "- **Over when**", "- Rehearsed: ")
            if part not in text
        ]
        for test in re.findall(r"`(tests/[^`]+)`", text):
            path, *names = test.split("::")
            there = (ROOT / path).is_file()
            lines = (ROOT / path).read_text(encoding="utf-8") if there else ""
            if not there or any(f" {name}(" not in lines for name in names):
                found.append(f"{title}: no {test}")
        found += [
            f"{title}: nothing prints {words!r}"
            for words in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)
            if not code_prints(words)
        ]
    return found


def test_each_runbook_is_whole_and_true() -> None:
    assert len(sections(PAGE)) == 10
    assert faults(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- **Over when**", "- When it is over"),
        ("::test_a_wrong_clock_is_said", "::test_a_clock"),
        ("results are back", "results have come"),
    ],
)
def test_what_a_runbook_lacks_is_seen(old: str, new: str) -> None:
    assert old in PAGE
    assert faults(PAGE.replace(old, new)) != []
