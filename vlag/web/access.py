# SPDX-License-Identifier: GPL-2.0-only
"""Access: the visitor of a request, their rights, and the check that a form is theirs.

Buildbot signs people in; the caller passes `create` a function that reads its session.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

from attrs import field, frozen
from flask import Request, abort


@frozen(kw_only=True)
class Visitor:
    """A signed-in person."""

    name: str
    session: str = field(repr=False)  # the browser's session cookie


#: Returns the visitor for the cookies of a request; None: not signed in.
Identify = Callable[[Mapping[str, str]], Visitor | None]


class Access:
    """Decides who may change alerts."""

    def __init__(self, identify: Identify, triage: Collection[str], origins: Collection[str]):
        self._identify = identify
        self._triage = frozenset(triage)
        self._origins = frozenset(map(origin, origins))
        # Forms do not outlive the process: a reader with an old one loads it again.
        self._secret = secrets.token_bytes(32)

    def visitor(self, request: Request) -> Visitor | None:
        """Return the signed-in visitor."""
        return self._identify(request.cookies)

    def may_triage(self, visitor: Visitor | None) -> bool:
        """Return whether a visitor may change alerts."""
        return visitor is not None and visitor.name in self._triage

    def token(self, visitor: Visitor) -> str:
        """Return the form token of this session, which no other page can know."""
        signed = f"{visitor.name}\0{visitor.session}".encode()
        return hmac.new(self._secret, signed, "sha256").hexdigest()

    def check(self, request: Request, what: str = "change alerts") -> Visitor:
        """Return the visitor if they may make the requested change; else end with 403."""
        visitor = self.visitor(request)
        if visitor is None:
            abort(403, "Nothing was changed: sign in first (the link is at the top right).")
        if not self.may_triage(visitor):
            abort(
                403,
                f"Nothing was changed: {visitor.name} may not {what}; the administrator"
                " adds names under [people] triage in the settings.",
            )
        sent = origin(request.headers.get("Origin", ""))
        if not sent or sent not in {*self._origins, origin(request.host_url)}:
            abort(403, "Nothing was changed: the form was not sent from these pages.")
        if not hmac.compare_digest(
            self.token(visitor).encode(), request.form.get("token", "").encode()
        ):
            abort(
                403,
                "Nothing was changed: the form is older than the service or than your session;"
                " load the page again.",
            )
        return visitor


def origin(url: str) -> str:
    """Return the origin of an address, as browsers write it in the header Origin.

    "" for what is no address: that of nobody.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # "http://["
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()
