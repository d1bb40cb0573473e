# SPDX-License-Identifier: GPL-2.0-only
"""When a reader was here last, by a cookie that says nothing else; nobody signs in for it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from attrs import frozen
from flask import Request, Response

#: Name of the cookie: two times in seconds, that of the last visit's end and of the last look, and
#: whether that visit is the first one.
COOKIE = "vlag_visit"
#: After so long without a look the next one begins another visit.
BREAK = timedelta(minutes=30)
#: Where nobody knows of a visit, and for one long ago.
_DAY, _LONGEST = timedelta(days=1), timedelta(days=90)
_FIRST = ".first"
_VALUE = re.compile(rf"(\d{{1,11}})\.(\d{{1,11}})({re.escape(_FIRST)})?")


@frozen(kw_only=True)
class Visit:
    """A visit of the door that goes on."""

    since: datetime  # end of the visit before it
    known: bool  # False: that is yesterday, as nobody knows of a visit
    now: datetime

    def keep(self, response: Response, path: str, *, secure: bool) -> None:
        """Let the browser keep when this visit's last look was."""
        first = "" if self.known else _FIRST
        response.set_cookie(
            COOKIE,
            f"{int(self.since.timestamp())}.{int(self.now.timestamp())}{first}",
            max_age=_LONGEST,
            path=path,
            secure=secure,
            httponly=True,
            samesite="Lax",
        )


def of(request: Request, now: datetime) -> Visit:
    """Return the visit that a request belongs to; a cookie that is wrong counts as none."""
    match = _VALUE.fullmatch(request.cookies.get(COOKIE, ""))
    since, last = (_time(text) for text in match.groups()[:2]) if match else (None, None)
    if since is None or last is None or not since <= last <= now or now - last > _LONGEST:
        return Visit(since=now - _DAY, known=False, now=now)
    another = now - last > BREAK
    known = another or (match is not None and match[3] is None)
    return Visit(since=max(last if another else since, now - _LONGEST), known=known, now=now)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):  # no year has it
        return None
