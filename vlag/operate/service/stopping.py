# SPDX-License-Identifier: GPL-2.0-only
"""A signal that ends the service."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopped(BaseException):
    """A SIGINT, SIGTERM or SIGHUP; passes every `except Exception` on its way to the end."""


@contextmanager
def stoppable(reload: Callable[[], None] | None = None) -> Iterator[Callable[[], None]]:
    """Turn SIGINT, SIGTERM and SIGHUP into Stopped; yield a function that ignores further ones.

    A second Ctrl-C must not leave half of the processes behind, nor must a terminal that is closed.
    Where there is no terminal, SIGHUP calls `reload` instead.
    """

    def stop(number: int, frame: object) -> None:
        raise Stopped

    def hang_up(number: int, frame: object) -> None:
        if reload is None or with_terminal:
            raise Stopped
        reload()

    with_terminal = _has_terminal()
    handlers = {signal.SIGINT: stop, signal.SIGTERM: stop, signal.SIGHUP: hang_up}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}

    def ignore() -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)

    try:
        yield ignore
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_terminal() -> bool:
    """Return whether this process has a terminal that may be closed."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
