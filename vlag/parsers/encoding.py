"""Bytes of a raw file as text."""

from __future__ import annotations

from vlag.errors import ParseError


def decode(data: bytes, path: str) -> str:
    """Return UTF-8 text; raise ParseError with the line where it is none."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ParseError(
            "the output holds bytes that are not UTF-8", path=path, line=line
        ) from None
