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

from attrs import define, field

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
    _lock: threading.Lock = field(factory=threading.Lock)

    def __call__(self, server: str, sent: bool, data: bytes) -> bool:
        with self._lock:
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


class Proxy:
    """Listens on `port` and passes on what `hook` lets pass."""

    def __init__(self, name: str, target: int):
        self.name = name
        self.target = target
        self.hook: Hook = lambda _server, _sent, _data: True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                for s in (client, server):
                    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets += [client, server]
                self._start(self._pass, client, server, True)
                self._start(self._pass, server, client, False)

    def _pass(self, source: socket.socket, sink: socket.socket, sent: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                if self.hook(self.name, sent, data):
                    sink.sendall(data)
        # Not its other direction: the server may still be at work on what it was told.
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for s in self._sockets:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()
        for thread in self._threads:
            thread.join()
