"""A signal that ends the service."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopped(BaseException):
    """A SIGINT, SIGTERM or SIGHUP; passes every `except Exception` on its way to the end."""


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Turn SIGINT, SIGTERM and SIGHUP into Stopped; yield a function that ignores further ones.

    A second Ctrl-C must not leave half of the processes behind, nor must a terminal that is closed.
    """

    def stop(number: int, frame: object) -> None:
        raise Stopped

    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in ends}

    def ignore() -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)

    try:
        yield ignore
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
