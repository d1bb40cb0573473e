# SPDX-License-Identifier: GPL-2.0-only
"""Who signs in: people of the password file, and how often anybody may try."""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen
from buildbot.www import auth
from twisted.cred.error import UnauthorizedLogin
from twisted.internet import defer, threads
from twisted.python import log
from twisted.web import resource, server

from master.gate import header
from master.sessions import Sessions
from vlag.config import People
from vlag.config import password_file as people
from vlag.errors import VlagError

#: Failed attempts of an address, and at a name, in `WINDOW_S` seconds.  A proxy brings all
#: visitors from one address, so that has more.
PER_ADDRESS, PER_NAME = 30, 10
WINDOW_S = 300
#: Addresses and names that are remembered; an attacker with more loses the oldest ones.
KEYS_MAX = 10_000


@frozen
class Key:
    """What attempts are counted by."""

    kind: str  # "address" or "name"
    value: str

    @property
    def most(self) -> int:
        """Return how many attempts there may be in `WINDOW_S`."""
        return PER_ADDRESS if self.kind == "address" else PER_NAME


@define
class Attempts:
    """Counts attempts to sign in; one that succeeds is forgiven."""

    clock: Callable[[], float] = time.monotonic
    _times: dict[Key, list[float]] = field(factory=dict)  # the longest unused first

    def begin(self, address: str, name: str) -> int:
        """Count an attempt; return 0, or the seconds to wait if it may not be made."""
        now = self.clock()
        keys = _keys(address, name)
        for key in keys:
            recent = [t for t in self._times.pop(key, []) if t > now - WINDOW_S]
            self._times[key] = recent
        while len(self._times) > KEYS_MAX:
            del self._times[next(iter(self._times))]
        full = [key for key in keys if len(self._times[key]) >= key.most]
        if full:
            return max(math.ceil(self._times[key][-key.most] + WINDOW_S - now) for key in full)
        for key in keys:
            self._times[key].append(now)
        return 0

    def forgive(self, address: str, name: str) -> None:
        """Forget an attempt that was right, and all at this name."""
        of_address, of_name = _keys(address, name)
        self._times.pop(of_name, None)
        if times := self._times.get(of_address):
            times.pop()


def _keys(address: str, name: str) -> tuple[Key, Key]:
    """Return the keys of an attempt; a network of IPv6 addresses belongs to one visitor."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        known = None
    if isinstance(known, ipaddress.IPv6Address):
        address = str(ipaddress.ip_network((known, 64), strict=False))
    return Key("address", address), Key("name", name[:100])


class PasswordFile(auth.CustomAuth):
    """Authenticates the users of the password file, which has slow password hashes."""

    def __init__(self, who: People, sessions: Sessions) -> None:
        people.read(who.password_file)  # report faults at the start, not at the first sign-in
        self._path = who.password_file
        self._sessions = sessions
        self._attempts = Attempts()
        super().__init__()

    def getLoginResource(self) -> resource.Resource:  # noqa: N802 - Buildbot's name
        """Return the resource that asks for name and password, and counts attempts."""
        return _Counted(super().getLoginResource(), self._attempts)

    def getLogoutResource(self) -> resource.Resource:  # noqa: N802 - Buildbot's name
        """Return the resource that ends a session."""
        return _SignOut(self.master, self._sessions)

    @defer.inlineCallbacks
    def updateUserInfo(self, request: Any) -> Any:  # noqa: N802 - Buildbot's name
        """Begin the session of somebody who has signed in."""
        user = request.getSession().user_info
        user.update(self._sessions.begin(user["username"], str(request.site.session_secret)))
        yield super().updateUserInfo(request)

    def check_credentials(self, username: bytes, password: bytes) -> bool:
        """Return whether name and password match; changes of the file apply at once."""
        try:
            return people.fits(people.read(self._path), username.decode(), password.decode())
        except UnicodeDecodeError:
            return False
        except VlagError as e:
            log.msg(f"nobody can sign in: {e}")
            return False

    @defer.inlineCallbacks
    def requestAvatarId(self, cred: Any) -> Any:  # noqa: N802 - Twisted's name
        """Check in a thread: a slow hash would block the whole master."""
        good = yield threads.deferToThread(self.check_credentials, cred.username, cred.password)
        if not good:
            raise UnauthorizedLogin()
        return cred.username


class _SignOut(auth.LogoutResource):
    """Ends the session itself, not only the cookie of this browser."""

    def __init__(self, master: Any, sessions: Sessions):
        super().__init__(master)
        self._sessions = sessions

    def render_GET(self, request: Any) -> bytes:  # noqa: N802 - Twisted's name
        """End the session, and lead to the pages."""
        self._sessions.end(request.getSession().user_info)
        done: bytes = super().render_GET(request)
        return done


class _Counted(resource.Resource):
    """The log-in behind a limit: 429 before the password is looked at."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, inner: Any, attempts: Attempts):
        super().__init__()
        self._inner = inner
        self._attempts = attempts

    def render(self, request: server.Request) -> Any:
        """Let an attempt through, or say when the next may be made."""
        if not header(request, "authorization"):
            return self._inner.render(request)  # asks for a password
        client: Any = request.getClientAddress()
        address, name = getattr(client, "host", ""), request.getUser().decode(errors="replace")
        wait_s = self._attempts.begin(address, name)
        if wait_s:
            request.setResponseCode(429)
            request.setHeader("retry-after", str(wait_s))
            request.setHeader("content-type", "text/plain; charset=utf-8")
            return f"Too many attempts to log in; try again in {wait_s} s.\n".encode()
        ended: Any = request.notifyFinish()
        ended.addCallback(lambda _: self._forgive_if_right(request, address, name))
        ended.addErrback(lambda _: None)  # who hangs up has made an attempt
        return self._inner.render(request)

    def _forgive_if_right(self, request: server.Request, address: str, name: str) -> None:
        if request.code == 302:
            self._attempts.forgive(address, name)
