# SPDX-License-Identifier: GPL-2.0-only
"""Rights over Buildbot's API: everybody reads, few control, and nobody controls workers.

Buildbot's `authz` allows what no rule forbids.  So the last rule takes every other request
that controls anything, and asks for a role that nobody has.
"""

from __future__ import annotations

import hmac
import ipaddress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from buildbot.www.authz import Authz
from buildbot.www.authz.endpointmatchers import EndpointMatcherBase, Match
from buildbot.www.authz.roles import RolesFromBase
from twisted.internet import defer

from vlag.config import People, Settings

#: Who starts and stops builds; and the role of no visitor.
BUILDS, NOBODY = "builds", "nobody over the web"
#: Details of the service itself; a session that visitors get has other keys.
SERVICE = {"username": "vlag", "service": True}


def authz(settings: Settings, url: str) -> Authz:
    """Return the rights over Buildbot's API for an installation with its pages at `url`."""
    return Authz(
        allowRules=[_Builds(role=BUILDS), _Control(role=NOBODY)],
        roleMatchers=[_Roles(settings.people, local=is_local(settings, url))],
    )


def is_local(settings: Settings, url: str) -> bool:
    """Return whether only users of this machine can be visitors.

    A proxy may bring others to a server that listens on loopback: `url` tells.
    """
    return _loopback(settings.web_listen) and _loopback(urlsplit(url).hostname or "")


def is_service(secret: Path, given: str | None) -> bool:
    """Return whether a request's token is the one that the service has written to a file."""
    try:
        own = secret.read_text(encoding="utf-8").strip()
    except OSError:
        return False
    return bool(own) and given is not None and hmac.compare_digest(given.encode(), own.encode())


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Builds(EndpointMatcherBase):
    """Matches requests that start, stop, repeat or cancel a build.

    Buildbot asks for methods by the names of its endpoints and what they are to do.
    """

    def _matched(self, endpoint: Any, ids: Any, options: Any) -> defer.Deferred[Match]:
        return defer.succeed(Match(self.master))

    match_ForceSchedulerEndpoint_force = _matched  # noqa: N815
    match_BuildEndpoint_stop = _matched  # noqa: N815
    match_BuildEndpoint_rebuild = _matched  # noqa: N815
    match_BuildRequestEndpoint_cancel = _matched  # noqa: N815


class _Control(EndpointMatcherBase):
    """Matches every request that does not only read."""

    def match(
        self, ep: Any, action: str = "", options: dict[str, Any] | None = None
    ) -> defer.Deferred[Match | None]:
        # Methods of HTTP for reading, methods of JSON-RPC for control: no endpoint calls one "get".
        reads = action.lower() in ("get", "head", "options")
        return defer.succeed(None if reads else Match(self.master))


class _Roles(RolesFromBase):
    """Gives people of `[people] triage` the right to start and stop builds.

    Without `[people]` a visitor of a service that is local has this right.
    """

    def __init__(self, who: People | None, *, local: bool):
        super().__init__()
        self._people = who
        self._local = local

    def getRolesFromUser(self, userDetails: dict[str, Any]) -> list[str]:  # noqa: N802, N803 - Buildbot's names
        """Return the roles for the details of a session."""
        return [BUILDS] if self._may(userDetails) else []

    def _may(self, user: dict[str, Any]) -> bool:
        if user == SERVICE:
            return True
        if self._people is None:
            return self._local
        return user.get("username") in self._people.triage
