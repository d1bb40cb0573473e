# SPDX-License-Identifier: GPL-2.0-only
"""The pages in front of Buildbot's master: whose session counts, whose password fits."""

from __future__ import annotations

import datetime
import threading
from pathlib import Path
from typing import Any

import pytest
from buildbot.www.service import BuildbotSession
from twisted.cred.credentials import UsernamePassword

from master import web_pages, www
from master.sessions import COOKIE, Sessions
from tests.unit.signed_in import SECRET, hashed, session
from vlag import ROOT, config
from vlag.errors import UsageError
from vlag.web.access import Visitor

HASHED = hashed("secret")


def known(folder: Path) -> Sessions:
    """Return the sessions of a master of ada's and eve's, which has its secret."""
    people = folder / "people"
    people.write_text(f"ada:{HASHED}\neve:{HASHED}\n")
    made = Sessions(
        who=config.People(password_file=people, triage=("ada",)),
        ended=folder / "secrets" / "signed-out",
        key=folder / "secrets" / "session",
    )
    made.publish(SECRET)
    return made


def begun(sessions: Sessions, name: str, secret: str = SECRET) -> str:
    """Return the cookie of somebody who has signed in."""
    return session({"username": name, **sessions.begin(name, secret)}, secret)


def who(sessions: Sessions, cookies: dict[str, str]) -> Visitor | None:
    return web_pages.identify(sessions)(cookies)


def test_buildbots_session_says_who_it_is(tmp_path: Path) -> None:
    sessions = known(tmp_path)
    token = begun(sessions, "ada")
    assert who(sessions, {COOKIE: token}) == Visitor(name="ada", session=token)
    # A master whose secret is another one says so, and its sessions count from then on.
    other = "f" * 32
    assert who(sessions, {COOKIE: begun(sessions, "ada", other)}) is None
    sessions.publish(other)
    assert who(sessions, {COOKIE: begun(sessions, "ada", other)}) is not None
    assert who(sessions, {COOKIE: token}) is None
    assert sessions.key.stat().st_mode & 0o077 == 0
    # No master has started yet.
    sessions.key.unlink()
    assert who(sessions, {COOKIE: token}) is None


def test_no_other_session_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = known(tmp_path)
    good = begun(sessions, "ada")
    head, body, signature = good.split(".")
    other = begun(sessions, "eve").split(".")[1]
    assert who(sessions, {}) is None
    assert who(sessions, {COOKIE: session({"anonymous": True})}) is None
    assert who(sessions, {COOKIE: session({"username": "ada"})}) is None
    assert who(sessions, {COOKIE: begun(sessions, "ada", "f" * 32)}) is None
    assert who(sessions, {COOKIE: f"{head}.{other}.{signature}"}) is None
    # {"alg": "none"}: a token that says that nobody signed it.
    assert who(sessions, {COOKIE: f"eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{body}."}) is None
    for odd in ("", "x", "a.b.c", good[:-1], "\u00e9"):
        assert who(sessions, {COOKIE: odd}) is None
    assert who(sessions, {COOKIE: good}) is not None
    monkeypatch.setattr(BuildbotSession, "expDelay", datetime.timedelta(seconds=-1))
    assert who(sessions, {COOKIE: begun(sessions, "ada")}) is None


@pytest.fixture
def installed(tmp_path: Path) -> config.Settings:
    (tmp_path / "people").write_text(f"ada:{hashed('secret')}\n")
    (tmp_path / "vlag.toml").write_text(
        (ROOT / "vlag.toml").read_text()
        + '\n[people]\npassword_file = "people"\ntriage = ["ada"]\n'
    )
    return config.load(tmp_path / "vlag.toml")


def sign_in(auth: Any, name: bytes, password: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether a password fits; the check must not be made by the caller's thread."""
    threads = []

    def defer_to_thread(function: Any, *arguments: Any) -> Any:
        worker = threading.Thread(target=lambda: threads.append(function(*arguments)))
        worker.start()
        worker.join()
        return threads[-1]

    monkeypatch.setattr("twisted.internet.threads.deferToThread", defer_to_thread)
    outcome: list[Any] = []
    auth.requestAvatarId(UsernamePassword(name, password)).addBoth(outcome.append)
    assert len(threads) == 1
    return bool(outcome == [name])


def test_a_password_opens_and_a_changed_file_counts_at_once(
    installed: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth = www.configure(installed, "http://127.0.0.1:8010/")["auth"]
    assert sign_in(auth, b"ada", b"secret", monkeypatch)
    for name, password in ((b"ada", b"wrong"), (b"eve", b"secret"), (b"ada", b"\xff"), (b"", b"")):
        assert not sign_in(auth, name, password, monkeypatch)
    assert installed.people is not None
    installed.people.password_file.write_text(f"eve:{hashed('secret')}\n")
    assert sign_in(auth, b"eve", b"secret", monkeypatch)
    assert not sign_in(auth, b"ada", b"secret", monkeypatch)


def test_a_password_file_that_cannot_be_used_is_told_at_the_start(
    installed: config.Settings,
) -> None:
    assert installed.people is not None
    installed.people.password_file.write_text("ada:secret\n")
    with pytest.raises(UsageError, match=r"people:1: the password of ada is plain"):
        www.configure(installed, "http://127.0.0.1:8010/")


def test_without_people_nobody_signs_in_or_writes(tmp_path: Path) -> None:
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    found = config.load(tmp_path / "vlag.toml")
    assert "auth" not in www.configure(found, "http://127.0.0.1:8010/")
    site = web_pages.site(found, "http://127.0.0.1:8010/")
    assert site.writer_dsn is None
    assert site.triage == ()
    assert "user=vlag_reader" in site.reader_dsn


def test_the_site_knows_where_commits_are_shown(tmp_path: Path) -> None:
    text = (ROOT / "vlag.toml").read_text()
    (tmp_path / "vlag.toml").write_text(text)
    assert web_pages.site(config.load(tmp_path / "vlag.toml"), "http://127.0.0.1/").commits == {}
    web = "https://git.example.org/c/{commit}"
    (tmp_path / "vlag.toml").write_text(f'{text}\n[trees.debian]\nweb = "{web}"\n')
    site = web_pages.site(config.load(tmp_path / "vlag.toml"), "http://127.0.0.1/")
    assert site.commit_url("debian", "a/b") == "https://git.example.org/c/a%2Fb"
    assert site.commit_url("linux", "a" * 40) is None
