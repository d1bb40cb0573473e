# SPDX-License-Identifier: GPL-2.0-only
"""A proxy by which hosts without a network of their own fetch packages.

It listens in their network namespace and connects from ours; ports 80 and 443 only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from attrs import frozen

_CLONE_NEWNET = 0x40000000
_CHUNK = 1 << 16
_PORTS = (80, 443)


@frozen(kw_only=True)
class Proxy:
    """A running proxy."""

    url: str

    @staticmethod
    @contextlib.contextmanager
    def on(namespace: str, address: str) -> Iterator[Proxy]:
        """Serve on an address of a named network namespace until the end of the block."""
        with ThreadPoolExecutor(1) as inside:
            # A thread may be in another namespace than its process; this one ends here.
            listening = inside.submit(_listen, namespace, address).result()
        port = listening.getsockname()[1]
        thread = threading.Thread(target=_serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield Proxy(url=f"http://{address}:{port}")
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            listening.close()
            thread.join(10)


def _listen(namespace: str, address: str) -> socket.socket:
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{namespace}", "rb") as f:
        if libc.setns(f.fileno(), _CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, f"setns: {os.strerror(number)}")
    return socket.create_server((address, 0), backlog=64)


def _serve(listening: socket.socket) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(client,), daemon=True).start()


def _answer(client: socket.socket) -> None:
    with client, contextlib.suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(_CHUNK)
            if not more:
                return
            head += more
        first, _, rest = head.partition(b"\r\n")
        method, target, version = first.decode("latin-1").split()
        where = urlsplit(f"//{target}" if method == "CONNECT" else target)
        port = where.port or 80
        if where.hostname is None or port not in _PORTS:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        try:
            server = socket.create_connection((where.hostname, port), timeout=60)
        except OSError:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        with server:
            server.settimeout(None)
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                path = (where.path or "/") + (f"?{where.query}" if where.query else "")
                # One request a connection: the next one may be for another server.
                server.sendall(
                    f"{method} {path} {version}\r\nConnection: close\r\n".encode("latin-1") + rest
                )
            up = threading.Thread(target=_copy, args=(client, server), daemon=True)
            up.start()
            _copy(server, client)
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            up.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
