"""A signal that ends the service."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopped(BaseException):
    """A SIGINT or SIGTERM; passes every `except Exception` on its way to the end."""


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Turn SIGINT and SIGTERM into Stopped; yield a function that ignores further ones.

    A second Ctrl-C must not leave half of the processes behind.
    """

    def stop(number: int, frame: object) -> None:
        raise Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}

    def ignore() -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)

    try:
        yield ignore
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
