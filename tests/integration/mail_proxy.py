# SPDX-License-Identifier: GPL-2.0-only
"""Between a process and its servers: ends the process before or after any one thing it says.

Whatever a process does shows to others only in what it sends.  So a process that is killed
at some moment looks just like one that was killed right before or right after one of these.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from attrs import define, field, frozen

#: A chunk: which server, whether it goes to the server, its bytes.  Returns whether it is let on.
Hook = Callable[[str, bool, bytes], bool]


@define
class Chunk:
    """What one side said at once."""

    server: str
    sent: bool  # by the process
    data: bytes

    def __str__(self) -> str:
        arrow = ">" if self.sent else "<"
        return f"{self.server} {arrow} {self.data[:60]!r}"


@define
class Killer:
    """Kills `process` when chunk `at` comes, and lets that chunk pass or not.

    Chunks are counted from the first with the server `start` on.
    """

    at: int | None = None
    let_pass: bool = False
    start: str = "smtp"
    process: BaseProcess | None = None
    started: threading.Event = field(factory=threading.Event)
    chunks: list[Chunk] = field(factory=list)
    dead: bool = False

    def __call__(self, server: str, sent: bool, data: bytes) -> bool:
        if self.dead:
            return False
        last = self.chunks[-1] if self.chunks else None
        if last is None and server != self.start:
            return True
        if last is not None and (last.server, last.sent) == (server, sent):
            return True  # the network may cut what is said at once, as it likes
        self.chunks.append(Chunk(server, sent, data))
        if len(self.chunks) - 1 != self.at:
            return True
        self.started.wait()
        assert self.process is not None
        _kill(self.process.pid or 0)
        self.dead = True
        return self.let_pass

    def watch(self, process: BaseProcess) -> None:
        self.process = process
        self.started.set()


def _kill(pid: int) -> None:
    """Kill a process and wait until it is gone; whoever started it may wait for it too."""
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        handle = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            select.select([handle], [], [])
        finally:
            os.close(handle)


@frozen
class Way:
    """One direction of a connection."""

    sink: socket.socket
    server: str
    sent: bool  # by the process
    hook: Hook


class Proxy:
    """Passes on what a process and its servers say to each other, as `hook` lets it.

    A connection keeps the hook of its beginning: what a dead process has said last may come
    when the next one is at work.  One thread does it for all servers and looks at them in the
    order of `targets` (name, port): of two words that a process says to two servers, the
    first one's is seen first if that server is named first.
    """

    def __init__(self, **targets: int):
        self.hook: Hook = lambda _server, _sent, _data: True
        self._listeners = {
            socket.create_server(("127.0.0.1", 0)): (name, port) for name, port in targets.items()
        }
        self.ports: dict[str, int] = {
            name: listener.getsockname()[1] for listener, (name, _) in self._listeners.items()
        }
        # By the socket that is read.
        self._ways: dict[socket.socket, Way] = {}
        self._sockets: list[socket.socket] = []
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        order = list(self.ports)
        while True:
            readable, _, _ = select.select([self._stopped, *self._listeners, *self._ways], [], [])
            if self._stopped in readable:
                return
            for listener in self._listeners:
                if listener in readable:
                    self._accept(listener)
            ways = [s for s in readable if s in self._ways]
            for source in sorted(ways, key=lambda s: order.index(self._ways[s].server)):
                self._pass(source)

    def _accept(self, listener: socket.socket) -> None:
        name, port = self._listeners[listener]
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for s in (client, server):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sockets += [client, server]
        self._ways[client] = Way(server, name, True, self.hook)
        self._ways[server] = Way(client, name, False, self.hook)

    def _pass(self, source: socket.socket) -> None:
        way = self._ways[source]
        with contextlib.suppress(OSError):
            if data := source.recv(1 << 20):
                if way.hook(way.server, way.sent, data):
                    way.sink.sendall(data)
                return
        del self._ways[source]
        # Not its other direction: the server may still be at work on what it was told.
        with contextlib.suppress(OSError):
            way.sink.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._stop.close()
        self._thread.join()
        for s in (*self._listeners, *self._sockets, self._stopped):
            s.close()
