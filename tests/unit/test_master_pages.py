# SPDX-License-Identifier: GPL-2.0-only
"""The pages as Buildbot's master mounts them: whose session counts, whose password fits."""

from __future__ import annotations

import datetime
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from buildbot.www.service import BuildbotSession, BuildbotSite
from flask import Flask
from twisted.cred.credentials import UsernamePassword
from twisted.web import resource

from master import web_pages
from tests.unit.signed_in import SECRET, hashed, session
from vlag import ROOT, config
from vlag.errors import UsageError
from vlag.web.access import Visitor

COOKIE = "TWISTED_SESSION"


def who(cookies: dict[str, str]) -> Visitor | None:
    app = Flask("test")
    root: Any = resource.Resource
    site = BuildbotSite(root(), None, 0, 0)
    site.setSessionSecret(SECRET)
    www = SimpleNamespace(site=site)
    app.buildbot_api = SimpleNamespace(master=SimpleNamespace(www=www))  # type: ignore[attr-defined]
    with app.app_context():
        found: Visitor | None = web_pages.identify(cookies)
        return found


def test_buildbots_session_says_who_it_is() -> None:
    token = session({"username": "ada", "email": "ada"})
    assert who({COOKIE: token}) == Visitor(name="ada", session=token)


def test_no_other_session_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    good = session({"username": "ada"})
    head, body, signature = good.split(".")
    other = session({"username": "eve"}).split(".")[1]
    assert who({}) is None
    assert who({COOKIE: session({"anonymous": True})}) is None
    assert who({COOKIE: session({"username": "ada"}, "f" * 32)}) is None
    assert who({COOKIE: f"{head}.{other}.{signature}"}) is None
    # {"alg": "none"}: a token that says that nobody signed it.
    assert who({COOKIE: f"eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{body}."}) is None
    for odd in ("", "x", "a.b.c", good[:-1], "\u00e9"):
        assert who({COOKIE: odd}) is None
    monkeypatch.setattr(BuildbotSession, "expDelay", datetime.timedelta(seconds=-1))
    assert who({COOKIE: session({"username": "ada"})}) is None


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
    auth = web_pages.configure(installed, "http://127.0.0.1:8010/")["auth"]
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
        web_pages.configure(installed, "http://127.0.0.1:8010/")


def test_without_people_nobody_signs_in_or_writes(tmp_path: Path) -> None:
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    found = config.load(tmp_path / "vlag.toml")
    assert "auth" not in web_pages.configure(found, "http://127.0.0.1:8010/")
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
