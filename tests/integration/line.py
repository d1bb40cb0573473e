# SPDX-License-Identifier: GPL-2.0-only
"""A TCP connection to a port of this machine that can be cut or made slow."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

from attrs import define, field

from tests.integration.installation import free_ports

#: Bytes that a slow line passes on at once.
_SLOW = 1 << 10


@define
class Line:
    """Listens on `port` while its block lasts; a target that is down ends the connection."""

    target: int
    port: int = field(factory=lambda: free_ports(1)[0])
    cut: bool = False
    delay_s: float = 0.0  # before each KiB
    _listener: socket.socket | None = None
    _open: set[socket.socket] = field(factory=set)

    def __enter__(self) -> Line:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        self.sever()

    def sever(self) -> None:
        """Break every connection, and refuse new ones."""
        self.cut = True
        for end in list(self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let connections through again."""
        self.cut = False

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                here, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(here,), daemon=True).start()

    def _carry(self, here: socket.socket) -> None:
        with here, contextlib.suppress(OSError):
            if self.cut:
                return
            with socket.create_connection(("127.0.0.1", self.target)) as there:
                ends = {here, there}
                self._open |= ends
                back = threading.Thread(target=self._pump, args=(there, here), daemon=True)
                back.start()
                self._pump(here, there)
                back.join()
                self._open -= ends

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(_SLOW if self.delay_s else 1 << 16):
                time.sleep(self.delay_s)
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)
