# SPDX-License-Identifier: GPL-2.0-only
"""The artifact store over HTTP, on Twisted's web server.

    GET /files/SHA256/NAME           a published file, or a range of it
    PUT /upload/KEY/TOKEN/NAME       a file from a board (POST as well)

An upload may be sent with `Content-Encoding: gzip`, and on top of that with
`Content-Transfer-Encoding: base64` by programs that only post text.  It is answered with
{"bytes": N, "sha256": "..."} of the file, or {"error": "..."}: 400 for an invalid
name or body, 403 for a wrong token, 409 if the name is taken by a file with another
content, 413 for too many bytes, 507 for a full disk.
"""

# mypy: allow-untyped-calls
# Twisted has types, but not for all of what is called here.

from __future__ import annotations

import binascii
import contextlib
import errno
import hashlib
import io
import json
import logging
import os
import re
import secrets
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from twisted.internet import reactor, task
from twisted.internet.error import CannotListenError
from twisted.python.failure import Failure
from twisted.web import http, resource, server, static

from vlag import durable
from vlag.bundle import sha256
from vlag.errors import UsageError
from vlag.lava import artifacts
from vlag.lava.expiry import Expiry

log = logging.getLogger(__name__)

#: Size limit of one unpacked file.  A histogram of 480 threads with 100,000 buckets
#: has 337 MB.
MOST_BYTES = 512 << 20
#: Days of the store's running time after which a file is removed unless it is published again
#: or added to.  By then the run bundles hold its content, and no job waits that long.
KEEP_DAYS = 30
#: Seconds between two looks at the ages of files; a restart loses what was not counted yet.
_TIDY_S = 3600
#: Seconds after which a silent connection is closed.
_SILENT_S = 60
#: Connections of one address at a time: a dispatcher fetches and sends for all its boards.
PER_ADDRESS = 64
#: Digits of the longest length that a request may state.
_MOST_DIGITS = 18
_UPLOAD = re.compile(r"/upload/([^/]+)/([^/]+)/([^/]+)")
_FILES = re.compile(r"/files/([^/]+)/([^/]+)")


#: Twisted's own; `refuse_long_lengths` wraps the same one again.
_HEADER_RECEIVED = http.HTTPChannel.headerReceived


def refuse_long_lengths() -> None:
    """Let the web servers of this process answer 400 to a length of very many digits.

    Twisted reads any row of digits as a number, and Python refuses 4,300 of them: the connection
    ended without an answer, and with a traceback in the log.
    """

    def received(self: Any, line: bytes) -> bool:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length" and len(value.strip(b" \t")) > _MOST_DIGITS:
            line = name + b": none"  # which Twisted refuses itself
        return bool(_HEADER_RECEIVED(self, line))

    http.HTTPChannel.headerReceived = received  # type: ignore[method-assign]


class _RefusedError(Exception):
    """Status and reason of a refused upload."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


class _Unbase64:
    """Decodes base64 that comes in pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, data: bytes) -> bytes:
        data = self._rest + b"".join(data.split())
        whole = len(data) // 4 * 4
        self._rest = data[whole:]
        return binascii.a2b_base64(data[:whole], strict_mode=True)

    @property
    def done(self) -> bool:
        return not self._rest


class _Upload:
    """An upload in progress: a temporary file that gets its final name when it is complete."""

    def __init__(self, home: Path, name: str, encoding: str, transfer: str, most: int) -> None:
        if encoding not in {"", "gzip"} or transfer not in {"", "base64"}:
            raise _RefusedError(400, "only gzip and, on top of it, base64 are understood")
        self._home = home
        self._name = name
        self._most = most
        self._base64 = _Unbase64() if transfer else None
        self._gzip = zlib.decompressobj(wbits=31) if encoding else None
        self._digest = hashlib.sha256()
        self._bytes = 0
        # The store serves no hidden files.
        self._partial = home / f".{secrets.token_hex(8)}"
        self._file = open(self._partial, "xb")  # noqa: SIM115 - `finish` or `drop` closes it

    def take(self, data: bytes) -> None:
        """Take a piece of the body."""
        if self._base64 is not None:
            try:
                data = self._base64.take(data)
            except binascii.Error as e:
                raise _RefusedError(400, f"the body is not base64: {e}") from e
        if self._gzip is None:
            self._write(data)
        elif data:
            try:
                # One more than allowed is enough to know; a small body may unpack to any size.
                self._write(self._gzip.decompress(data, self._most - self._bytes + 1))
            except zlib.error as e:
                raise _RefusedError(400, f"the body is not gzip: {e}") from e

    def _write(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._bytes > self._most:
            raise _RefusedError(413, f"more than {self._most} bytes")
        self._digest.update(data)
        try:
            self._file.write(data)
        except OSError as e:
            raise _refused(e) from e

    def finish(self) -> dict[str, Any]:
        """Give the file its final name; return its size and digest."""
        if (self._base64 is not None and not self._base64.done) or (
            self._gzip is not None and not self._gzip.eof
        ):
            raise _RefusedError(400, "the body ends too early")
        target = self._home / self._name
        digest = self._digest.hexdigest()
        try:
            self._file.flush()
            # The board forgets the file once it is answered.
            os.fsync(self._file.fileno())
            os.link(self._partial, target)
        except FileExistsError:
            if sha256(target) != digest:
                raise _RefusedError(409, f"{self._name} is there with another content") from None
        except OSError as e:
            raise _refused(e) from e
        try:
            durable.sync_name(target)
        except OSError as e:
            raise _refused(e) from e
        return {"bytes": self._bytes, "sha256": digest}

    def drop(self) -> None:
        """Remove the temporary file."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._partial.unlink(missing_ok=True)


def _refused(error: OSError) -> _RefusedError:
    """Return the answer to a board when the store's disk fails."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    return _RefusedError(507 if full else 500, error.strerror or str(error))


class _Request(server.Request):
    """A request whose body is written to the store's disk as it arrives."""

    upload: _Upload | None = None
    refused: _RefusedError | None = None

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        """Accept or refuse the body before it arrives."""
        # Twisted itself would keep the body, of any size, until it is whole.
        self.content = io.BytesIO()
        # `self.method` and `self.uri` are set after the body only.
        channel: Any = self.channel
        if channel._command not in {b"PUT", b"POST"}:
            return
        try:
            self.upload = self._site.store.begin(
                str(channel._path, "latin-1"),
                length,
                self._header(b"Content-Encoding"),
                self._header(b"Content-Transfer-Encoding"),
            )
        except _RefusedError as e:
            self.refused = e

    @property
    def _site(self) -> _Site:
        channel: Any = self.channel
        site: _Site = channel.site  # `self.site` is set after the body only
        return site

    def _header(self, name: bytes) -> str:
        # Asked for by text, Twisted takes what is in it for UTF-8.
        return str(self.requestHeaders.getRawHeaders(name, [b""])[0], "latin-1").strip().lower()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Take a piece of the body; drop it if the upload was refused.

        Many programs see an answer only after they have sent everything.
        """
        if self.upload is None:
            return
        try:
            self.upload.take(data)
        except _RefusedError as e:
            self.refused = e
            self.dropped()

    def connectionLost(self, reason: Failure) -> None:  # noqa: N802 - Twisted's name
        """Forget an upload that was cut off."""
        if self.upload is not None:
            log.info("an upload was cut off; nothing of it is kept")
        self.dropped()
        super().connectionLost(reason)

    def dropped(self) -> None:
        """Drop the unfinished upload."""
        if self.upload is not None:
            self.upload.drop()
        self.upload = None


class _Store(resource.Resource):
    """The root resource: all URLs of the service."""

    isLeaf = True  # noqa: N815 - Twisted's name, as those below

    def __init__(self, folder: Path, most_bytes: int) -> None:
        super().__init__()
        self._folder = folder
        self._most = most_bytes

    def begin(self, path: str, length: int | None, encoding: str, transfer: str) -> _Upload:
        """Open an upload for the body that follows."""
        # Checked first: a client without a token learns nothing else.
        key, name = self._permitted(path)
        if not artifacts.PLAIN.fullmatch(name) or name == "token":
            raise _RefusedError(400, "this file name is not allowed")
        if length is not None and length > self._most:
            raise _RefusedError(413, f"more than {self._most} bytes")
        home = self._folder / "uploads" / key
        try:
            return _Upload(home, name, encoding, transfer, self._most)
        except OSError as e:
            raise _refused(e) from e

    def _permitted(self, path: str) -> tuple[str, str]:
        """Return key and name of an upload whose token is right."""
        match = _UPLOAD.fullmatch(path)
        if match is None or not artifacts.allowed(self._folder, match[1], match[2]):
            raise _RefusedError(403, "no upload is open for this key and token")
        return match[1], match[3]

    def render_GET(self, request: _Request) -> bytes | int:  # noqa: N802 - Twisted's name
        """Send a published file."""
        match = _FILES.fullmatch(str(request.path, "latin-1"))
        path = artifacts.published(self._folder, *match.groups()) if match else None
        if path is None:
            return _answer(request, 404, {"error": "no such file was published"})
        file = static.File(str(path))
        # No content encoding: a client must not unpack a ramdisk because its name ends in gz.
        file.type, file.encoding = "application/octet-stream", None
        sent: bytes | int = file.render_GET(request)
        return sent

    render_HEAD = render_GET  # noqa: N815

    def render_PUT(self, request: _Request) -> bytes:  # noqa: N802 - Twisted's name
        """Answer an upload that has come in."""
        try:
            if request.refused is not None:
                raise request.refused
            if request.upload is None:
                raise _RefusedError(400, "nothing came")
            # Check again: the key may have been closed, and its files read, in the meantime.
            self._permitted(str(request.path, "latin-1"))
            return _answer(request, 200, request.upload.finish())
        except _RefusedError as e:
            return _answer(request, e.status, {"error": str(e)})
        finally:
            request.dropped()

    render_POST = render_PUT  # noqa: N815


def _answer(request: _Request, status: int, document: dict[str, Any]) -> bytes:
    request.setResponseCode(status)
    request.setHeader("Content-Type", "application/json")
    return json.dumps(document).encode() + b"\n"


class _Site(server.Site):
    """Logs one line per request, without its token."""

    def __init__(self, store: _Store) -> None:
        super().__init__(store, requestFactory=_Request, timeout=_SILENT_S)
        self.store = store
        self._open: Counter[str] = Counter()  # connections of each address

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 - Twisted's name
        """Take a connection, or close it at once if its address has too many."""
        host = str(addr.host)
        if self._open[host] >= PER_ADDRESS:
            return None
        self._open[host] += 1
        if self._open[host] == PER_ADDRESS:
            log.info(f"{host} has {PER_ADDRESS} connections; more of it are closed at once")
        protocol: Any = super().buildProtocol(addr)
        closed = protocol.connectionLost

        def lost(reason: Failure) -> None:
            self._open[host] -= 1
            if not self._open[host]:
                del self._open[host]
            closed(reason)

        protocol.connectionLost = lost
        return protocol

    def log(self, request: http.Request) -> None:
        """Log the request and its status."""
        method = str(request.method, "latin-1")
        path = re.sub(r"^(/upload/[^/]*)/[^/]*", r"\1/*", str(request.path, "latin-1"))
        client = request.getClientAddress()
        log.info(
            f"{getattr(client, 'host', '?')} {method} {path!r:.200} {request.code}"
            f" {request.sentLength} bytes"
        )


def serve(folder: Path, host: str, port: int, *, most_bytes: int = MOST_BYTES) -> None:
    """Serve the store's folder until SIGINT or SIGTERM.

    Logs the address it listens on; port 0 takes a free one.  Removes what nobody asked for in
    `KEEP_DAYS`.  Raises UsageError if it cannot listen there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    refuse_long_lengths()
    running: Any = reactor
    # Twisted's own is the wall clock: where that goes back, no silent connection would be closed.
    running.seconds = time.monotonic
    try:
        listening = running.listenTCP(port, _Site(_Store(folder, most_bytes)), interface=host)
    except CannotListenError as e:
        reason = e.socketError.strerror if isinstance(e.socketError, OSError) else e.socketError
        raise UsageError(
            f"{host}:{port}: cannot listen there ({reason}); give --listen another HOST:PORT"
        ) from e
    at = listening.getHost()
    shown = f"[{at.host}]" if ":" in at.host else at.host
    log.info(f"artifact store on http://{shown}:{at.port}, files in {folder}")

    ages = Expiry(folder)

    def tidy() -> None:
        for gone in ages.expire(KEEP_DAYS):
            log.info(f"{gone} is gone: nobody asked for it in {KEEP_DAYS} days of running time")

    task.LoopingCall(tidy).start(_TIDY_S).addErrback(
        lambda failure: log.info(f"old files are no longer removed: {failure.value}")
    )
    running.run()
