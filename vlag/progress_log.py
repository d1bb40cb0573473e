# SPDX-License-Identifier: GPL-2.0-only
"""Lines of progress: modules log them for `vlag`, and who runs the command shows them.

A module logs at INFO what a person waits for.  Without a reader nothing is shown and no other
library is changed: levels and handlers are those of the logger `vlag` alone.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TextIO

from attrs import define

from vlag import printable

#: Takes one line.
Reader = Callable[[str], None]


@define(kw_only=True)
class _Readers:
    """Who reads the lines: of the whole process, and how many have asked for any."""

    of_process: Reader | None = None
    count: int = 0


#: Reads the lines of this thread or task instead of the process's reader.
_OF_CONTEXT: ContextVar[Reader | None] = ContextVar("reader of progress", default=None)
_LOCK = threading.Lock()
_READERS = _Readers()


class _Handler(logging.Handler):
    """Hands each line to its reader; a reader's error is that of the caller who logs."""

    def emit(self, record: logging.LogRecord) -> None:
        reader = _OF_CONTEXT.get() or _READERS.of_process
        if reader is not None:
            reader(self.format(record))


_HANDLER = _Handler(logging.INFO)


class Terminal:
    """Prints lines above a block that says how things are now and is drawn anew in its place."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self._lock = threading.Lock()
        self._block: tuple[str, ...] = ()

    def __call__(self, line: str) -> None:
        """Print a line, of which the terminal keeps all."""
        with self._lock:
            self._draw(self._block, f"{printable.block(line)}\n")

    def stand(self, block: Sequence[str]) -> None:
        """Show these lines in the place of those before, each cut to the width; none: nothing."""
        with self._lock:
            # One column less: a full line moves the cursor of some terminals to the next one.
            width = os.get_terminal_size(self._stream.fileno()).columns - 1
            lines = tuple(printable.line(text)[:width] for text in block)
            if lines != self._block:
                self._draw(lines, "")

    def _draw(self, block: tuple[str, ...], line: str) -> None:
        above = len(self._block)
        erased = f"\x1b[{above}A\r\x1b[J" if above else ""
        self._stream.write(erased + line + "".join(f"{text}\n" for text in block))
        self._stream.flush()
        self._block = block


def printer(stream: TextIO) -> Reader:
    """Return a reader that prints at once, without the control characters of others' names."""
    if stream.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        return Terminal(stream)
    return lambda line: print(printable.block(line), file=stream, flush=True)


def now(block: Sequence[str]) -> None:
    """Say how things are at this moment, where a reader can take that back: on a terminal."""
    reader = _OF_CONTEXT.get() or _READERS.of_process
    if isinstance(reader, Terminal):
        reader.stand(block)


@contextlib.contextmanager
def shown(reader: Reader) -> Iterator[None]:
    """Hand all lines of this process to a reader, also those of its threads.

    Within it another reader may take its place until that one's end.
    """
    with _handled():
        before, _READERS.of_process = _READERS.of_process, reader
        try:
            yield
        finally:
            if isinstance(reader, Terminal):
                reader.stand(())
            _READERS.of_process = before


@contextlib.contextmanager
def diverted(reader: Reader) -> Iterator[None]:
    """Hand the lines of this thread, and of what copies its context, to another reader."""
    with _handled():
        before = _OF_CONTEXT.set(reader)
        try:
            yield
        finally:
            _OF_CONTEXT.reset(before)


def silenced() -> contextlib.AbstractContextManager[None]:
    """Show no line of this thread."""
    return diverted(lambda _line: None)


@contextlib.contextmanager
def _handled() -> Iterator[None]:
    """Have the logger `vlag` use our handler, and no other one, for as long as anybody reads."""
    _count(1)
    try:
        yield
    finally:
        _count(-1)


def _count(more: int) -> None:
    logger = logging.getLogger("vlag")
    with _LOCK:
        _READERS.count += more
        if more > 0 and _READERS.count == 1:
            logger.addHandler(_HANDLER)
            logger.setLevel(logging.INFO)
            logger.propagate = False  # a library may have given the root logger a handler
        elif not _READERS.count:
            logger.removeHandler(_HANDLER)
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
