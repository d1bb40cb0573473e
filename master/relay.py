# SPDX-License-Identifier: GPL-2.0-only
"""The way from the process in front to Buildbot's server: a request goes there by a socket."""

# mypy: allow-untyped-calls
# Twisted has types, but not for all of what is called here.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet import protocol, reactor
from twisted.protocols import basic
from twisted.python.failure import Failure
from twisted.web import resource, server

from master.gate import Gated, header
from vlag.buildbot import CLIENT, PAGES

#: Seconds until Buildbot's server takes a connection, and until it begins to answer.
CONNECT_S, ANSWER_S = 5.0, 60.0
#: Seconds after which a browser may ask again.
_AGAIN_S = 5

_AWAY = (
    "Buildbot's master does not answer now: it starts, or the service starts it again{lacks}."
    " The pages of vlag do: {url}" + PAGES
)
#: Headers of one connection, which the other one does not have.
_OWN = {b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"}
#: Headers of which Twisted has set one itself.
_ONCE = {b"server", b"date", b"content-type"}


class Relay(resource.Resource):
    """Answers with what Buildbot's server says; 503 where it says nothing."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, path: str, lacks: Callable[[], str | None]):
        """Ask the server at a socket's path; `lacks` returns what its start waits for."""
        super().__init__()
        self.path = path
        self.lacks = lacks

    def render(self, request: Any) -> int:
        """Pass on a request of any method."""
        upgraded = header(request, "upgrade") is not None
        if upgraded and request.refuses_socket():
            return server.NOT_DONE_YET
        asked: _Asked | _Tunnel = _Tunnel(request) if upgraded else _Asked(request)
        factory = _Once(asked, request, self.lacks)
        unix: Any = reactor
        unix.connectUNIX(self.path, factory, timeout=CONNECT_S)
        return server.NOT_DONE_YET


class _Once(protocol.ClientFactory[Any]):
    """Makes the one connection of a request."""

    noisy = False

    def __init__(self, asked: _Asked | _Tunnel, request: Gated, lacks: Callable[[], str | None]):
        self.asked = asked
        self.request = request
        self.lacks = lacks

    def buildProtocol(self, addr: object) -> Any:  # noqa: N802 - Twisted's name
        """Return the protocol of the request."""
        return self.asked

    def clientConnectionFailed(self, connector: object, reason: Failure) -> None:  # noqa: N802 - Twisted's name
        """Say that Buildbot's server is away."""
        if not self.asked.gone:
            _away(self.request, self.lacks())


def _away(request: Gated, lacks: str | None = None) -> None:
    request.setHeader("retry-after", str(_AGAIN_S))
    more = "" if lacks is None else f"; {lacks}"
    request.refuse(_AWAY.format(url=request.channel.site.gate.url, lacks=more), 503)


def _head(request: Any, version: bytes, connection: bytes) -> bytes:
    """Return the lines before the body, with the visitor's address."""
    kept = [
        (name, value)
        for name, values in request.requestHeaders.getAllRawHeaders()
        if name.lower() not in _OWN | {CLIENT.lower().encode(), b"content-length"}
        for value in values
    ]
    kept += [
        (CLIENT.encode(), str(request.getClientAddress().host).encode()),
        (b"Connection", connection),
    ]
    lines = [b"%s %s %s" % (request.method, request.uri, version)]
    return b"\r\n".join([*lines, *(b"%s: %s" % pair for pair in kept), b""])


class _Asked(basic.LineReceiver):
    """A request at Buildbot's server, whose answer goes to the visitor as it comes."""

    MAX_LENGTH = 1 << 16  # a line of Buildbot's headers
    transport: Any

    def __init__(self, request: Any):
        self.request = request
        self.gone = False  # the visitor, or the answer is over
        self._begun = False
        self._left = 0  # bytes of the body that were promised
        request.notifyFinish().addErrback(self._leave)

    def connectionMade(self) -> None:  # noqa: N802 - Twisted's name
        """Send the request, of HTTP 1.0: the answer ends with the connection."""
        if self.gone:
            self.transport.abortConnection()
            return
        body = self.request.content.read()
        length = b"Content-Length: %d\r\n" % len(body) if body else b""
        self.transport.write(_head(self.request, b"HTTP/1.0", b"close") + length + b"\r\n" + body)
        self.request.registerProducer(self.transport, True)
        clock: Any = reactor
        self._limit = clock.callLater(ANSWER_S, self.transport.abortConnection)

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        """Pass on the status, a header, or that the body begins."""
        if self.gone:
            return
        if not self._begun:
            self._begun = True
            self._limit.cancel()
            _, status, *words = line.split(None, 2)
            self.request.setResponseCode(int(status), b"".join(words))
        elif line:
            name, _, value = line.partition(b":")
            self._header(name, value.strip())
        else:
            self.setRawMode()
            self.request.write(b"")  # a stream may begin before it has anything to say

    def _header(self, name: bytes, value: bytes) -> None:
        headers = self.request.responseHeaders
        if name.lower() == b"content-length" and self.request.method != b"HEAD":
            self._left = int(value)
        if name.lower() in _ONCE:
            headers.setRawHeaders(name, [value])
        elif name.lower() not in _OWN:
            headers.addRawHeader(name, value)

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Pass on a part of the body."""
        self._left -= len(data)
        if not self.gone:
            self.request.write(data)

    def connectionLost(self, reason: Any = None) -> None:  # noqa: N802 - Twisted's name
        """End the answer; one that has not begun says that the server is away.

        A visitor does not take a part of an answer for the whole.
        """
        if self.gone:
            return
        self.gone = True
        self.request.unregisterProducer()
        if self._begun and self._left > 0:
            self.request.channel.transport.abortConnection()
            return
        if self._begun:
            self.request.finish()
            return
        if self._limit.active():
            self._limit.cancel()
        _away(self.request)

    def _leave(self, reason: Failure) -> None:
        """Stop to ask: the visitor has hung up."""
        if not self.gone:
            self.gone = True
            if self.transport is not None:
                if self._limit.active():
                    self._limit.cancel()
                self.transport.abortConnection()


class _Tunnel(protocol.Protocol):
    """A socket of the browser: once Buildbot's server has taken it, bytes go both ways."""

    transport: Any

    def __init__(self, request: Any):
        self.request = request
        self.gone = False
        self.line: Any = None  # to the visitor
        self._opened = False
        request.notifyFinish().addErrback(self._leave)

    def connectionMade(self) -> None:  # noqa: N802 - Twisted's name
        """Take the visitor's connection away from the web server, and ask for the socket."""
        if self.gone:
            self.transport.abortConnection()
            return
        kind = self.request.requestHeaders.getRawHeaders(b"upgrade")[0]
        head = _head(self.request, b"HTTP/1.1", b"Upgrade, close")
        channel = self.request.channel
        self.line, channel.transport = channel.transport, None
        self.line.unregisterProducer()
        visitor = _Visitor(self)
        self.line.protocol = visitor
        visitor.makeConnection(self.line)
        self.transport.registerProducer(self.line, True)
        self.line.registerProducer(self.transport, True)
        self.line.resumeProducing()
        self.transport.write(head + b"Upgrade: " + kind + b"\r\n\r\n")

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Pass on what Buildbot's server says."""
        self._opened = self._opened or data.startswith(b"HTTP/1.1 101 ")
        self.line.write(data)

    def hear(self, data: bytes) -> None:
        """Pass on what the visitor says, to a socket alone: a further request has its own way."""
        if self._opened:
            self.transport.write(data)

    def connectionLost(self, reason: Any = None) -> None:  # noqa: N802 - Twisted's name
        """End the other side too."""
        if self.line is not None:
            self.line.loseConnection()

    def _leave(self, reason: Failure) -> None:
        self.gone = True
        if self.transport is not None:
            self.transport.abortConnection()


class _Visitor(protocol.Protocol):
    """The visitor's end of a socket."""

    def __init__(self, tunnel: _Tunnel):
        self.tunnel = tunnel

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Pass on what the visitor says."""
        self.tunnel.hear(data)

    def connectionLost(self, reason: Any = None) -> None:  # noqa: N802 - Twisted's name
        """End the other side too."""
        self.tunnel.transport.loseConnection()
