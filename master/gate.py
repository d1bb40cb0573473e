# SPDX-License-Identifier: GPL-2.0-only
"""What every request passes first, to vlag's pages and to Buildbot's server: size, name, sender.

The process in front has it too, which knows nothing of Buildbot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen
from twisted.web import server

from master import healthz
from master.sessions import Sessions
from vlag.buildbot import PAGES, PUSH_HOOK
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
    push_hook: Path  # file with the token of who tells of a push
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


class Gated(Bounded):
    """A request to a site; `site.gate` has what it is checked against."""

    site: Any

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        """Let a series of patches, and a forge's words on a push, be longer than other forms."""
        # Twisted tells a request its path after its body.
        path = getattr(self.channel, "_path", b"").partition(b"?")[0]
        if path == f"/{PAGES}tries".encode() or path.startswith(f"/{PUSH_HOOK}".encode()):
            self.body_max = SERIES_MAX
        super().gotLength(length)

    def process(self) -> None:
        """Refuse what another site may have sent, or reads by another name."""
        gate: Gate = self.channel.site.gate
        host = header(self, "host")
        if self.method not in (b"GET", b"HEAD", b"OPTIONS"):
            if said := gate.refuses(host, header(self, "origin")):
                self.refuse(f"Nothing was changed: {said}.")
                return
        elif host is not None and not gate.knows(host) and self.path != b"/" + healthz.PATH:
            self.refuse(f"Nothing is shown: {gate.misnamed}.")
            return
        super().process()

    def refuses_socket(self) -> bool:
        """Refuse a socket that another site opens; return whether it did."""
        said = self.channel.site.gate.refuses(header(self, "host"), header(self, "origin"))
        if said is not None:
            self.refuse(f"Nothing is shown: {said}.")
        return said is not None

    def refuse(self, sentence: str, status: int = 403) -> None:
        """Answer with a sentence."""
        self.setResponseCode(status)
        self.setHeader("content-type", "text/plain; charset=utf-8")
        self.write(f"{sentence}\n".encode())
        self.finish()

    def write(self, data: bytes) -> None:
        """Write a part of the answer, before the first part its headers for browsers."""
        if not self.startedWriting:
            for name, value in SECURITY.items():
                if not self.responseHeaders.hasHeader(name):
                    self.setHeader(name, value)
        super().write(data)
