# SPDX-License-Identifier: GPL-2.0-only
"""What every request to the web server passes before Buildbot or vlag's pages see it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen
from autobahn.twisted.resource import WebSocketResource
from twisted.internet import reactor
from twisted.python import threadable
from twisted.web import resource, server

from master import healthz, rights
from master.sessions import Sessions
from vlag.buildbot import PAGES, TOKEN
from vlag.pipeline.try_series import MOST_BYTES
from vlag.web.access import origin
from vlag.web.headers import SECURITY

#: Maximum body size in bytes; the largest form forces a build.
BODY_MAX = 1 << 16
#: Of a series of patches, with what a browser writes between the fields.
SERIES_MAX = MOST_BYTES + BODY_MAX


@frozen(kw_only=True)
class Gate:
    """What the guard of a site knows."""

    url: str  # of the pages
    secret: Path  # file with the token of the service itself
    origins: frozenset[str]  # by which visitors reach the service, as `origin` returns them
    sessions: Sessions

    def knows(self, host: str) -> bool:
        """Return whether this is a name of the service.

        Another name for this host may be of a site whose scripts run in the visitor's browser.
        """
        return host.lower() in {urlsplit(o).netloc for o in self.origins}

    def is_secure(self, host: str) -> bool:
        """Return whether visitors by this name come by TLS alone."""
        known = f"//{host.lower()}"
        return f"https:{known}" in self.origins and f"http:{known}" not in self.origins

    def refuses(self, host: str | None, sender: str | None) -> str | None:
        """Return why a request that changes something is refused, from two of its headers.

        Programs send no Origin; browsers do.
        """
        if not self.knows(host or ""):
            return self.misnamed
        if sender is not None and origin(sender) not in self.origins:
            return "the request was not sent from these pages"
        return None

    @property
    def misnamed(self) -> str:
        """Return the sentence on a request to another name than one of ours."""
        return f"the service has another name: use its address, {self.url} ([web] url)"


def header(request: server.Request, name: str) -> str | None:
    """Return a header of a request; Twisted's own way fails for a byte that is not UTF-8."""
    given = request.getHeader(name.encode())
    return None if given is None else given.decode("utf-8", "replace")


class Bounded(server.Request):
    """A request that is refused if its body is too large."""

    body_max = BODY_MAX  # bytes
    channel: Any
    _seen = 0

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        """Refuse a body that says that it is too large before any of it is read."""
        super().gotLength(length)
        if length is not None and length > self.body_max:
            self._too_large()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Receive a part of the body."""
        self._seen += len(data)
        if self._seen > self.body_max:
            self._too_large()
            return
        super().handleContentChunk(data)

    def _too_large(self) -> None:
        channel = self.channel
        if channel is not None and not channel.transport.disconnecting:
            channel.transport.write(
                b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
            channel.loseConnection()


class Guarded(Bounded):
    """A request to the site; `site.gate` has what it is checked against."""

    site: Any

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._late: list[bytes] = []  # parts of the answer from other threads
        self._late_lock = threading.Lock()

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        """Let a series of patches be longer than all other forms."""
        # Twisted tells a request its path after its body.
        path = getattr(self.channel, "_path", b"").partition(b"?")[0]
        if path == f"/{PAGES}tries".encode():
            self.body_max = SERIES_MAX
        super().gotLength(length)

    def process(self) -> None:
        """Refuse what another site may have sent, or reads by another name."""
        gate: Gate = self.channel.site.gate
        host = header(self, "host")
        if self.method not in (b"GET", b"HEAD", b"OPTIONS"):
            if said := gate.refuses(host, header(self, "origin")):
                self._refuse(f"Nothing was changed: {said}.")
                return
        elif host is not None and not gate.knows(host) and self.path != b"/" + healthz.PATH:
            self._refuse(f"Nothing is shown: {gate.misnamed}.")
            return
        super().process()

    def render(self, resrc: resource.Resource) -> None:
        """Refuse a socket that another site opens, by whichever of its addresses."""
        if isinstance(resrc, WebSocketResource):
            said = self.channel.site.gate.refuses(header(self, "host"), header(self, "origin"))
            if said is not None:
                self._refuse(f"Nothing is shown: {said}.")
                return
        super().render(resrc)

    def _refuse(self, sentence: str) -> None:
        self.setResponseCode(403)
        self.setHeader("content-type", "text/plain; charset=utf-8")
        self.write(f"{sentence}\n".encode())
        self.finish()

    def write(self, data: bytes) -> None:
        """Write a part of the answer, before the first part its headers for browsers.

        Buildbot 4.3 writes what its REST interface answers from a thread of its own.  A transport
        of Twisted's that the reactor empties at that moment would lose the part.
        """
        if threadable.ioThread not in (None, threadable.getThreadID()):
            with self._late_lock:
                self._late.append(data)
                if len(self._late) == 1:
                    reactor.callFromThread(self._write_late)
            return
        if not self.startedWriting:
            for name, value in SECURITY.items():
                if not self.responseHeaders.hasHeader(name):
                    self.setHeader(name, value)
        super().write(data)

    def _write_late(self) -> None:
        """Write what a thread has left; the reactor hears of its end after this."""
        with self._late_lock:
            parts, self._late = self._late, []
        if not self.finished:
            self.write(b"".join(parts))

    def addCookie(self, *arguments: Any, **options: Any) -> None:  # noqa: N802 - Twisted's name
        """Set a cookie that no script reads and no other site sends, by TLS where there is TLS."""
        secure = self.site.gate.is_secure(header(self, "host") or "")
        own = {"httpOnly": True, "sameSite": "lax", "secure": secure or self.isSecure()}
        super().addCookie(*arguments, **{**options, **own})

    def getSession(self, *arguments: Any, **options: Any) -> Any:  # noqa: N802 - Twisted's name
        """Return the visitor's session, or one of the service for a request with its token."""
        given = header(self, TOKEN)
        if given is not None and rights.is_service(self.site.gate.secret, given):
            session = self.site.makeSession()
            session.user_info = dict(rights.SERVICE)
            return session
        return super().getSession(*arguments, **options)
