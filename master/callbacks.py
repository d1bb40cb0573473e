# SPDX-License-Identifier: GPL-2.0-only
"""LAVA's callbacks: the end of a job wakes the step that waits for it.

The content of a callback is not trusted: the step asks the lab for the state.  So a
duplicate, late or lost callback does no harm.
"""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Any

from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.internet.endpoints import serverFromString
from twisted.python import log
from twisted.web import resource, server

from master.gate import Bounded, header
from vlag.config import Settings
from vlag.lava.callback import PATH, token

NAME = "lava-callbacks"

#: Maximum body size in bytes; the URL names the job, and the body is not read.
BODY_MAX = 1 << 20


def configure(settings: Settings, secret: Path) -> list[BuildbotService]:
    """Return the callback service if any lab uses callbacks; `secret` is a file."""
    if not any(lab.callback for lab in settings.labs.values()):
        return []
    at = f"tcp:{settings.callback_port}:interface={settings.listen}"
    return [Callbacks(at, str(secret))]


class Callbacks(BuildbotService):
    """Listens for callbacks and wakes the steps that wait for a key."""

    name = NAME

    def __init__(self, endpoint: str, secret: str):
        """Listen at an endpoint; each callback is held against the secret in the file `secret`."""
        super().__init__(endpoint, secret, name=NAME)
        self.secret = secret
        self._endpoint: str | None = None
        self._port: Any = None
        self._waiting: dict[str, list[defer.Deferred[None]]] = {}

    def checkConfig(self, endpoint: str, secret: str) -> None:  # noqa: N802 - Buildbot's name
        """Accept any endpoint that Twisted supports."""

    @async_to_deferred
    async def reconfigService(self, endpoint: str, secret: str) -> None:  # noqa: N802 - Buildbot's name
        """Listen on the endpoint; move the listener if the settings change."""
        self.secret = secret
        if endpoint == self._endpoint:
            return
        await self._close()
        site = server.Site(_Root(self), requestFactory=_Limited)
        site.displayTracebacks = False
        self._port = await serverFromString(self.master.reactor, endpoint).listen(site)
        self._endpoint = endpoint

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Stop listening."""
        await self._close()
        await super().stopService()

    async def _close(self) -> None:
        if self._port is not None:
            await self._port.stopListening()
        self._port = self._endpoint = None

    def wait(self, key: str) -> defer.Deferred[None]:
        """Return a Deferred that fires on a callback for `key`; it can be cancelled."""
        waiting = self._waiting.setdefault(key, [])
        fired: defer.Deferred[None] = defer.Deferred(lambda d: self._forget(key, d))
        waiting.append(fired)
        return fired

    def _forget(self, key: str, waiting: defer.Deferred[None]) -> None:
        left = [d for d in self._waiting.get(key, ()) if d is not waiting]
        if left:
            self._waiting[key] = left
        else:
            self._waiting.pop(key, None)

    def wake(self, key: str) -> None:
        """Wake all steps that wait for `key`."""
        for waiting in self._waiting.pop(key, []):
            waiting.callback(None)


class _Limited(Bounded):
    """A callback."""

    body_max = BODY_MAX


class _Root(resource.Resource):
    """`POST /lava/KEY` with the job's token in the header Authorization."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, callbacks: Callbacks):
        super().__init__()
        self.callbacks = callbacks

    def render_POST(self, request: server.Request) -> bytes:  # noqa: N802 - Twisted's name
        """Check the token and wake the waiting steps."""
        path = [part.decode("ascii", "replace") for part in request.postpath or ()]
        given = header(request, "authorization") or ""
        if len(path) != 2 or path[0] != PATH:
            return _say(request, 404, "POST to /lava/KEY")
        try:
            # Anew each time: steps hand out tokens of a secret that was renewed.
            secret = Path(self.callbacks.secret).read_text(encoding="ascii").strip()
        except OSError as e:
            log.msg(f"{self.callbacks.secret}: cannot read this secret ({e.strerror})")
            return _say(request, 503, "the secret of callbacks cannot be read here")
        if not hmac.compare_digest(given.encode(), token(secret, path[1]).encode()):
            return _say(request, 403, "this is not the token of that job")
        self.callbacks.wake(path[1])
        return _say(request, 200, "heard")

    def render(self, request: server.Request) -> bytes:
        """Refuse every method but POST."""
        if request.method != b"POST":
            return _say(request, 405, "POST only")
        return super().render(request)


def _say(request: server.Request, status: int, text: str) -> bytes:
    request.setResponseCode(status)
    request.setHeader("content-type", "text/plain")
    return f"{text}\n".encode()
