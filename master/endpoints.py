"""Two endpoints of Buildbot's REST interface, mended for PostgreSQL.

Buildbot 4.3 gives the id in two paths no type, so that it stays text.  SQLAlchemy sends text to
psycopg 3 with a cast to VARCHAR, PostgreSQL does not compare an integer with that, and the
answer is 500.  One of the two lists the forms that force a build: no button appeared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from buildbot.data.exceptions import InvalidPathError
from buildbot.data.forceschedulers import ForceSchedulersEndpoint
from buildbot.data.sourcestamps import SourceStampsEndpoint

#: (endpoint, name of its id, its own `get`); a later `mend` wraps the same `get` again.
_UNTYPED = [
    (endpoint, name, endpoint.get)
    for endpoint, name in (
        (ForceSchedulersEndpoint, "builderid"),
        (SourceStampsEndpoint, "buildsetid"),
    )
]


def mend() -> None:
    """Make the endpoints take their ids as numbers; any other id is an unknown path (404)."""
    for endpoint, name, own in _UNTYPED:
        endpoint.get = _numbered(own, name)


def _numbered(own: Callable[..., Any], name: str) -> Callable[..., Any]:
    def get(self: Any, spec: Any, kwargs: Mapping[str, Any]) -> Any:
        if (given := kwargs.get(name)) is None:
            return own(self, spec, kwargs)
        if not str(given).isdecimal():
            raise InvalidPathError(f"{name} {given!r} is not a number")
        return own(self, spec, {**kwargs, name: int(given)})

    return get
