"""The pages of `vlag.web` inside Buildbot's own web server, and who may sign in there."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from buildbot.www import auth
from flask import current_app
from twisted.cred.error import UnauthorizedLogin
from twisted.internet import defer, threads

from vlag.config import People, Settings
from vlag.config import catalogue as catalogues
from vlag.operate.farm import queue
from vlag.web import people
from vlag.web.access import Visitor
from vlag.web.app import create
from vlag.web.installation import Site

#: Name in URLs and in Buildbot's menu.
NAME = "vlag"
#: Of a request over plain HTTP on the site's root, as Buildbot writes it.
_COOKIE = auth.build_cookie_name(False, []).decode()


def endpoint(port: int, listen: str) -> str:
    """Return where a server of the master listens, as Twisted writes it."""
    return f"tcp:{port}:interface={listen.replace(':', chr(92) + ':')}"  # of an IPv6 address


def configure(settings: Settings, url: str) -> dict[str, Any]:
    """Return `www` of Buildbot's configuration: Buildbot's own pages at `url`, and ours.

    Raises UsageError for a password file that cannot be used.
    """
    dashboard = {
        "name": NAME,
        "caption": "Regressions",
        "app": create(site(settings, url), identify),
        "order": 1,
        "icon": "FaChartLine",  # must be there; Buildbot 4.3 shows its own whatever it says
    }
    found: dict[str, Any] = {
        "port": endpoint(settings.web_port, settings.web_listen),
        "plugins": {"console_view": {}, "grid_view": {}, "wsgi_dashboards": [dashboard]},
    }
    if settings.people is not None:
        found["auth"] = PasswordFile(settings.people)
    return found


def site(settings: Settings, url: str) -> Site:
    """Return what the pages need to know of this installation."""
    return Site(
        reader_dsn=settings.reader_dsn(),
        writer_dsn=settings.dsn() if settings.people is not None else None,
        state=settings.state,
        url=url,
        triage=settings.people.triage if settings.people is not None else (),
        labs={name: lab.url for name, lab in settings.labs.items()},
        queue=lambda: queue.current(
            settings, catalogues.of(settings), datetime.datetime.now(datetime.UTC)
        ),
        commits={name: t.web for name, t in settings.trees.items() if t.web is not None},
    )


def identify(cookies: Mapping[str, str]) -> Visitor | None:
    """Return who is signed in by Buildbot's session, which a cookie holds and its secret signs."""
    session = cookies.get(_COOKIE)
    if session is None:
        return None
    app: Any = current_app  # Buildbot adds its API to it
    secret = app.buildbot_api.master.www.site.session_secret
    try:
        known = auth.parse_user_info_from_token(session, secret)
    except KeyError:  # out of date, or not signed by us
        return None
    name = known.get("username")
    return Visitor(name=name, session=session) if name else None


class PasswordFile(auth.CustomAuth):
    """Signs in whoever stands in the password file, with hashes that take their time."""

    def __init__(self, who: People) -> None:
        people.read(who.password_file)  # a fault is told at the start, not to the first person
        self._path = who.password_file
        super().__init__()

    def check_credentials(self, username: bytes, password: bytes) -> bool:
        """Return whether name and password fit; the file is read anew, so changes count at once."""
        try:
            return people.fits(people.read(self._path), username.decode(), password.decode())
        except UnicodeDecodeError:
            return False

    @defer.inlineCallbacks
    def requestAvatarId(self, cred: Any) -> Any:  # noqa: N802 - Twisted's name
        """Check in a thread: a good hash takes long enough to hold up the whole master."""
        good = yield threads.deferToThread(self.check_credentials, cred.username, cred.password)
        if not good:
            raise UnauthorizedLogin()
        return cred.username
