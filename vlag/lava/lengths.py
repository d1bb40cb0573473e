"""Lengths of requests that no request has, refused by Twisted's web server.

Twisted 26 reads any row of digits as a number; Python refuses 4,300 of them, which ended the
connection without an answer and with a traceback in the log.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import Any

from twisted.web import http

#: Digits of the largest length: that of 2**63 bytes has as many and one.
_MOST_DIGITS = 18
#: Twisted's own method; a later `mend` wraps the same one again.
_OWN = http.HTTPChannel.headerReceived


def mend() -> None:
    """Let the web servers of this process answer 400 to a length of too many digits."""
    http.HTTPChannel.headerReceived = _received  # type: ignore[method-assign]


def _received(self: Any, line: bytes) -> bool:
    name, _, value = line.partition(b":")
    if name.lower() == b"content-length" and len(value.strip(b" \t")) > _MOST_DIGITS:
        line = name + b": none"  # which Twisted itself refuses
    return bool(_OWN(self, line))
