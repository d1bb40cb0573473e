"""Who is asking, what they may change, and whether a form is really theirs.

Buildbot signs people in; how its session is read is told to `create` from outside.
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
    """Somebody who is signed in."""

    name: str
    session: str = field(repr=False)  # what the browser proves it with


#: Reads the cookies of a request; None: nobody is signed in.
Identify = Callable[[Mapping[str, str]], Visitor | None]


class Access:
    """Decides who may change alerts."""

    def __init__(self, identify: Identify, triage: Collection[str], origins: Collection[str]):
        self._identify = identify
        self._triage = frozenset(triage)
        self._origins = frozenset(map(_origin, origins))
        # Forms do not outlive the process: whoever has an old one open loads it again.
        self._secret = secrets.token_bytes(32)

    def visitor(self, request: Request) -> Visitor | None:
        """Return who is signed in."""
        return self._identify(request.cookies)

    def may_triage(self, visitor: Visitor | None) -> bool:
        """Return whether somebody may change alerts."""
        return visitor is not None and visitor.name in self._triage

    def token(self, visitor: Visitor) -> str:
        """Return what a form of this session carries, and no other page can know."""
        said = f"{visitor.name}\0{visitor.session}".encode()
        return hmac.new(self._secret, said, "sha256").hexdigest()

    def check(self, request: Request) -> Visitor:
        """Return who may make the change that a request asks for; else end it with 403."""
        visitor = self.visitor(request)
        if visitor is None:
            abort(403, "Nothing was changed: sign in first (the link is at the top right).")
        if not self.may_triage(visitor):
            abort(
                403,
                f"Nothing was changed: {visitor.name} may not change alerts; whoever runs this"
                " service adds names under [people] triage in its settings.",
            )
        if _origin(request.headers.get("Origin", "")) not in {
            *self._origins,
            _origin(request.host_url),
        }:
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


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
