# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's REST interface, mended for PostgreSQL, and for what anybody may ask.

Buildbot 4.3 gives the id in two paths no type, so that it stays text.  SQLAlchemy sends text to
psycopg 3 with a cast to VARCHAR, PostgreSQL does not compare an integer with that, and the
answer is 500.  One of the two lists the forms that force a build: no button appeared.

A number that no column holds, a NUL or a date of another age reached the database, too, and
bytes that are not UTF-8 ended with a traceback.

Buildbot's page of pending requests asks for the properties of each request.  Buildbot 4.3 has no
such endpoint: they are those of the request's buildset.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from buildbot.data.exceptions import InvalidPathError, InvalidQueryParameter
from buildbot.data.forceschedulers import ForceSchedulersEndpoint
from buildbot.data.sourcestamps import SourceStampsEndpoint
from buildbot.www.rest import V2RootResource
from twisted.internet import defer

#: (endpoint, name of its id, its own `get`); a later `mend` wraps the same `get` again.
_UNTYPED = [
    (endpoint, name, endpoint.get)
    for endpoint, name in (
        (ForceSchedulersEndpoint, "builderid"),
        (SourceStampsEndpoint, "buildsetid"),
    )
]


#: Buildbot's own reading of a path and of a query; a later `mend` wraps the same ones again.
_ENDPOINT, _SPEC = V2RootResource.getEndpoint, V2RootResource.decodeResultSpec
#: The largest id, date in seconds and number of rows: Buildbot's columns are of 4 bytes.
LARGEST = 2**31 - 1


def mend() -> None:
    """Make the endpoints take their ids as numbers; any other id is an unknown path (404).

    A query that the database could not answer is refused with one sentence (400).
    """
    for endpoint, name, own in _UNTYPED:
        endpoint.get = _numbered(own, name)
    V2RootResource.getEndpoint = _endpoint
    V2RootResource.decodeResultSpec = _spec


@defer.inlineCallbacks
def _endpoint(self: Any, request: Any, method: str, params: Any) -> Any:
    if any(b"\0" in part for part in request.postpath):
        raise InvalidPathError("the path holds a NUL")
    try:
        b"/".join(request.postpath).decode()
    except UnicodeDecodeError:
        raise InvalidPathError("the path holds bytes that are not UTF-8") from None
    try:
        endpoint, ids = yield _ENDPOINT(self, request, method, params)
    except InvalidPathError:
        match request.postpath:
            case [b"buildrequests", number, b"properties"] if number.isdigit():
                endpoint, ids = yield _of_buildset(self.master.data, int(number))
            case _:
                raise
    for name, value in ids.items():
        if isinstance(value, int) and not 0 <= value <= LARGEST:
            raise InvalidPathError(f"{name} {value} is none: numbers end at {LARGEST}")
    return endpoint, ids


@defer.inlineCallbacks
def _of_buildset(data: Any, number: int) -> Any:
    """Return the endpoint of the properties of a build request's buildset, and its ids.

    Raises InvalidPathError if there is no such request.
    """
    if number > LARGEST or (asked := (yield data.get(("buildrequests", number)))) is None:
        raise InvalidPathError(f"there is no build request {number}")
    return data.getEndpoint(("buildsets", str(asked["buildsetid"]), "properties"))


def _spec(self: Any, request: Any, endpoint: Any) -> Any:
    for name, values in request.args.items():
        if b"\0" in name + b"".join(values):
            raise InvalidQueryParameter("the query holds a NUL")
    try:
        spec = _SPEC(self, request, endpoint)
    except InvalidQueryParameter:
        raise
    except Exception as e:
        raise InvalidQueryParameter(f"the query cannot be read: {e}") from e
    for name, value in (("limit", spec.limit), ("offset", spec.offset)):
        if value is not None and not 0 <= value <= LARGEST:
            raise InvalidQueryParameter(f"{name}={value} is no number from 0 to {LARGEST}")
    for one in spec.filters:
        for value in one.values:
            number = value.timestamp() if isinstance(value, datetime.datetime) else value
            if isinstance(number, int | float) and not abs(number) <= LARGEST:
                raise InvalidQueryParameter(f"{one.field}: {value} is beyond {LARGEST}")
    return spec


def _numbered(own: Callable[..., Any], name: str) -> Callable[..., Any]:
    def get(self: Any, spec: Any, kwargs: Mapping[str, Any]) -> Any:
        if (given := kwargs.get(name)) is None:
            return own(self, spec, kwargs)
        if not str(given).isdecimal():
            raise InvalidPathError(f"{name} {given!r} is not a number")
        return own(self, spec, {**kwargs, name: int(given)})

    return get
