"""What every request to the web server passes before Buildbot or vlag's pages see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import frozen
from twisted.web import server

from master import rights
from vlag.buildbot import TOKEN


@frozen(kw_only=True)
class Gate:
    """What the guard of a site knows."""

    secret: Path  # file with the token of the service itself


class Guarded(server.Request):
    """A request to the site; `site.gate` has what it is checked against."""

    site: Any

    def getSession(self, *arguments: Any, **options: Any) -> Any:  # noqa: N802 - Twisted's name
        """Return the visitor's session, or one of the service for a request with its token."""
        given = self.getHeader(TOKEN)
        if given is not None and rights.is_service(self.site.gate.secret, given):
            session = self.site.makeSession()
            session.user_info = dict(rights.SERVICE)
            return session
        return super().getSession(*arguments, **options)
