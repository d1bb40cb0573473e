# SPDX-License-Identifier: GPL-2.0-only
"""Requests as bytes to the site's resources: whose are answered, and whose session counts."""

# Twisted's classes have no types.
# mypy: disable-error-code="no-untyped-call,arg-type,no-any-return"
from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import WebSocketServerFactory
from buildbot.www.service import BuildbotSession, BuildbotSite
from twisted.internet import reactor
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python import threadable
from twisted.python.failure import Failure
from twisted.web import resource, server

from master import door, web_pages
from master.guard import Guarded
from master.login import PasswordFile
from tests.unit.signed_in import SECRET, hashed, session
from vlag import ROOT, config
from vlag.buildbot import PAGES

HERE, EVIL = "127.0.0.1:8010", "evil.example.org:8010"
SOCKET = {
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}  # fmt: skip


class Place:
    """A site with a page and a socket, and Buildbot's tree below one more path."""

    def __init__(self, folder: Path, url: str):
        path = folder / "vlag.toml"
        text = (ROOT / "vlag.toml").read_text().replace('state = "var"', f'state = "{folder}"')
        path.write_text(f'{text}\n[people]\npassword_file = "people"\ntriage = ["ada"]\n')
        self.people = folder / "people"
        self.people.write_text(f"ada:{hashed('secret')}\n")
        self.settings = config.load(path)
        root = resource.Resource()
        root.putChild(b"", _Page())
        root.putChild(b"ws", _Socket(WebSocketServerFactory(f"ws://{HERE}")))
        root.putChild(b"buildbot", door._Buildbot(root, _Page()))
        assert self.settings.people is not None
        auth = PasswordFile(self.settings.people, web_pages.sessions(self.settings))
        auth.master = SimpleNamespace(config=SimpleNamespace(buildbotURL=url))
        root.putChild(b"logout", auth.getLogoutResource())
        root.putChild(b"login", _Login(auth))
        root.putChild(b"who", _Who())
        self.site: Any = BuildbotSite(root, None, 0, 0)
        self.site.setSessionSecret(SECRET)
        self.site.gate = web_pages.gate(self.settings, url)
        self.site.gate.sessions.guard(self.site)
        self.site.requestFactory = Guarded

    def ask(self, path: str, method: str = "GET", **headers: str) -> str:
        """Return the answer to a request, with its headers."""
        wire = StringTransport()
        channel: Any = self.site.buildProtocol(None)
        channel.makeConnection(wire)
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{k.replace('_', '-')}: {v}" for k, v in ({"Host": HERE} | headers).items()]
        channel.dataReceived(("\r\n".join(lines) + "\r\n\r\n").encode())
        channel.connectionLost(Failure(ConnectionDone()))  # no timer is left
        return wire.value().decode(errors="replace")

    def status(self, path: str, method: str = "GET", **headers: str) -> int:
        return int(self.ask(path, method, **headers).split()[1])

    def who(self, cookie: str) -> str:
        return self.ask("/who", Cookie=cookie).rpartition("\r\n\r\n")[2].strip()

    def sign_in(self, **headers: str) -> str:
        """Return the whole header that sets the cookie."""
        said = self.ask("/login", **headers)
        lines = [one for one in said.split("\r\n") if one.startswith("Set-Cookie: ")]
        return lines[-1].removeprefix("Set-Cookie: ")


class _Login(resource.Resource):
    """What Buildbot does after a password that fits."""

    def __init__(self, auth: PasswordFile):
        super().__init__()
        self._auth = auth

    def render_GET(self, request: Any) -> bytes:  # noqa: N802 - Twisted's name
        request.getSession().user_info = {"username": "ada"}
        self._auth.updateUserInfo(request)
        return b"in"


class _Socket(WebSocketResource):
    """A socket whose handshake ends at once; tests/integration/test_web_guard.py has it whole."""

    def render(self, request: Any) -> bytes:
        return b"socket"


class _Page(resource.Resource):
    def render_GET(self, request: Any) -> bytes:  # noqa: N802 - Twisted's name
        return b"page"


class _Threaded(resource.Resource):
    """Answers from a thread, as Buildbot's REST interface does."""

    PARTS = tuple(f"{number},".encode() for number in range(100))

    def render_GET(self, request: Any) -> int:  # noqa: N802 - Twisted's name
        def parts() -> None:
            for part in self.PARTS:
                request.write(part)
            reactor.callFromThread(request.finish)

        thread = threading.Thread(target=parts)
        thread.start()
        thread.join()
        return server.NOT_DONE_YET


class _Wire(StringTransport):
    """Notes the threads that write; only the reactor's may."""

    def __init__(self) -> None:
        super().__init__()
        self.writers: set[int] = set()

    def write(self, data: bytes) -> None:
        self.writers.add(threading.get_ident())
        super().write(data)


class _Who(resource.Resource):
    def render_GET(self, request: Any) -> bytes:  # noqa: N802 - Twisted's name
        return str(request.getSession().user_info.get("username", "nobody")).encode()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, f"http://{HERE}/")


@pytest.mark.parametrize(
    "path", ["/ws", "/ws/", "/ws/x", "/%77s", "/w%73/x/y", "/buildbot/ws", "/buildbot/ws/x",
             "/buildbot/%77s", "/buildbot/buildbot/ws"],
)  # fmt: skip
def test_a_socket_is_the_pages_own_by_whichever_address(place: Place, path: str) -> None:
    for headers in ({"Origin": f"http://{EVIL}"}, {"Origin": "null"}, {"Host": EVIL}):
        assert place.status(path, **SOCKET, **headers) == 403, headers
    # Negative control: the same address is a socket for the pages themselves, and for programs.
    for headers in ({"Origin": f"http://{HERE}"}, {}):
        assert place.ask(path, **SOCKET, **headers).endswith("socket")


def test_a_page_is_of_the_services_own_name(place: Place) -> None:
    for path in ("/", "/%", "/buildbot/", "/who"):
        said = place.ask(path, Host=EVIL)
        assert said.startswith("HTTP/1.1 403 "), path
        assert (
            f"Nothing is shown: the service has another name: use its address, http://{HERE}/"
            in said
        )
        assert place.status(path, method="HEAD", Host=EVIL) == 403
    for host in (HERE, "localhost:8010", "LOCALHOST:8010"):  # negative control
        assert place.status("/", Host=host) == 200
    assert place.status("/", method="POST", Origin=f"http://{EVIL}") == 403


def test_a_session_ends_with_its_account(place: Place) -> None:
    cookie = place.sign_in()
    assert place.who(cookie) == "ada"  # negative control
    known = place.people.read_text()
    place.people.write_text("")
    assert place.who(cookie) == "nobody"
    assert identified(place, cookie) is None
    # A file that cannot be read lets nobody in.
    place.people.write_text("ada:plain\n")
    assert place.who(cookie) == "nobody"
    place.people.write_text(known)
    assert place.who(cookie) == "ada"


def test_a_session_ends_with_its_password(place: Place) -> None:
    cookie = place.sign_in()
    assert (place.who(cookie), identified(place, cookie)) == ("ada", "ada")
    place.people.write_text(f"ada:{hashed('another')}\n")
    assert (place.who(cookie), identified(place, cookie)) == ("nobody", None)
    fresh = place.sign_in()
    assert (place.who(fresh), identified(place, fresh)) == ("ada", "ada")


def test_a_session_ends_with_its_sign_out_wherever_its_cookie_is(place: Place) -> None:
    cookie, other = place.sign_in(), place.sign_in()
    place.ask("/logout", Cookie=cookie)
    assert (place.who(cookie), identified(place, cookie)) == ("nobody", None)
    # That of another browser goes on; after a restart it is the same.
    assert (place.who(other), identified(place, other)) == ("ada", "ada")
    assert place.settings.people is not None
    again = web_pages.sessions(place.settings)
    site = BuildbotSite(resource.Resource(), None, 0, 0)
    site.setSessionSecret(SECRET)
    again.guard(site)
    with pytest.raises(KeyError):
        site.getSession(token(cookie))
    assert site.getSession(token(other)).user_info["username"] == "ada"
    # A sign-out of nobody ends nothing.
    assert place.status("/logout") == 302


def test_what_is_ended_is_forgotten_when_it_would_have_expired(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, now = web_pages.sessions(place.settings), 1_800_000_000
    monkeypatch.setattr("time.time", lambda: now)
    sessions.end({"session": "a"})
    now += int(BuildbotSession.expDelay.total_seconds()) + 1
    sessions.end({"session": "b"})
    assert [line.split()[1] for line in sessions.ended.read_text().splitlines()] == ["b"]
    assert sessions.ended.stat().st_mode & 0o077 == 0


def test_a_session_without_a_proof_is_nobodys(place: Place) -> None:
    """As those of before; whoever has one signs in again."""
    assert place.who(f"TWISTED_SESSION={session({'username': 'ada'})}") == "nobody"


@pytest.mark.parametrize(("host", "secure"), [("ci.example.org", True), (HERE, False)])
def test_a_cookie_goes_by_tls_alone_where_the_address_is_https(
    tmp_path: Path, host: str, secure: bool
) -> None:
    said = Place(tmp_path, "https://ci.example.org/").sign_in(Host=host)
    assert ("secure" in said.lower()) is secure
    assert "httponly" in said.lower()


def token(cookie: str) -> str:
    return cookie.partition("=")[2].partition(";")[0]


def identified(place: Place, cookie: str) -> str | None:
    """Return the visitor as vlag's pages know them."""
    place.site.gate.sessions.publish(SECRET)
    cookies: Mapping[str, str] = {"TWISTED_SESSION": token(cookie)}
    found = web_pages.identify(place.site.gate.sessions)(cookies)
    return None if found is None else found.name


def test_the_form_for_a_series_may_be_longer_than_others(place: Place) -> None:
    """The one path that the guard still tells by its spelling; any other is refused sooner."""
    body = {"Content-Length": str(1 << 18), "Origin": f"http://{HERE}"}
    assert place.ask(f"/{PAGES}tries", method="POST", **body) == ""  # it waits for the body
    assert place.status("/x", method="POST", **body) == 413


def test_what_a_thread_writes_goes_through_the_reactor(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threadable, "ioThread", threading.get_ident())
    place.site.resource.putChild(b"thread", _Threaded())
    wire = _Wire()
    channel: Any = place.site.buildProtocol(None)
    channel.makeConnection(wire)
    channel.dataReceived(f"GET /thread HTTP/1.1\r\nHost: {HERE}\r\n\r\n".encode())
    assert wire.value() == b""  # the thread has ended, and nothing of it is on the wire
    reactor.runUntilCurrent()
    channel.connectionLost(Failure(ConnectionDone()))
    assert wire.writers == {threading.get_ident()}
    body = wire.value().partition(b"\r\n\r\n")[2]
    assert b"".join(_Threaded.PARTS) == b"".join(body.split(b"\r\n")[1:-3:2])
