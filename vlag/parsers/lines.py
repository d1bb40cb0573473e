# SPDX-License-Identifier: GPL-2.0-only
"""Bytes of a raw file as text and as lines."""

from __future__ import annotations

import re

from attrs import frozen

from vlag.errors import ParseError

# Cursor and colour codes, as cyclictest prints them when it is not quiet.
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

# [    4.123456] hrtimer: interrupt took 31415 ns
_KERNEL = re.compile(r"\[ *\d{1,6}\.\d{6}\](?:\[ *[TC]\d+\])? ")


@frozen
class Line:
    """One line of a raw file as the tool printed it."""

    number: int  # from 1
    text: str
    path: str  # of the file, for messages

    def refuse(self, message: str) -> ParseError:
        """Return the error that names the file and this line."""
        return ParseError(message, path=self.path, line=self.number)


def without_noise(data: bytes) -> bytes:
    """Return the bytes without cursor codes and without lines that the kernel printed."""
    return re.sub(
        rb"^%s[^\n]*(?:\n|\Z)" % _KERNEL.pattern.encode(),
        b"",
        re.sub(_ANSI.pattern.encode(), b"", data),
        flags=re.M,
    )


def decode(data: bytes, path: str) -> str:
    """Return UTF-8 text; raise ParseError with the line of invalid bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ParseError(
            "the output holds bytes that are not UTF-8", path=path, line=line
        ) from None


def lines(data: bytes, path: str) -> list[Line]:
    """Return the tool's own lines of a console or log.

    It removes the carriage returns of a serial console, which end lines, and of HammerDB, which
    begin them, and a terminal's cursor codes, and skips lines of the kernel.  Raises ParseError
    as `decode`.
    """
    listed = []
    for number, raw in enumerate(decode(data, path).split("\n"), start=1):
        text = _ANSI.sub("", raw).strip("\r")
        if not _KERNEL.match(text):
            listed.append(Line(number, text, path))
    if len(listed) > 1 and not listed[-1].text:
        listed.pop()  # text after the last line feed is not a line
    return listed
