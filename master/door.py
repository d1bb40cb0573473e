# SPDX-License-Identifier: GPL-2.0-only
"""The root of the site: the state of the branches; Buildbot's own pages are beside it.

A browser does not send the part of an address after "#", where Buildbot 4.3 keeps the name of
a page.  So Buildbot's pages need a path of their own.  `buildbotURL` in the configuration
names it, and Buildbot then writes all its links that way.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from typing import Any

from buildbot.www.service import WWWService
from twisted.internet import defer
from twisted.web import resource, server

from master import healthz
from master.guard import Gate, Guarded
from vlag.buildbot import PAGES, UI
from vlag.lava.artifact_server import refuse_long_lengths
from vlag.web.headers import policy

#: Buildbot's own method; a later `hang` wraps the same one again.
_SET_UP: Callable[[WWWService, Any], None] = WWWService.setupSite
#: The script inside Buildbot's first page: its settings.
_INLINE = re.compile(rb'<script id="bb-config">(.*?)</script>', re.DOTALL)


def hang(gate: Gate, dsn: str) -> None:
    """Make every site of this process lead from its root to vlag's overview, through a gate.

    `dsn` is the database without which the pages have nothing to show.
    """

    def set_up(self: WWWService, new_config: Any) -> None:
        _SET_UP(self, new_config)
        root = self.root
        index: Any = root.children[b""]
        index.renderIndex = _permitted(index.renderIndex)
        root.putChild(UI.rstrip("/").encode(), _Buildbot(root, index))
        root.putChild(b"", _Redirect(PAGES))
        root.putChild(healthz.PATH, healthz.Health(dsn))
        self.site.gate = gate
        gate.sessions.guard(self.site)
        self.site.requestFactory = Guarded

    WWWService.setupSite = set_up
    refuse_long_lengths()


def _permitted(render: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what renders Buildbot's first page and permits the one script inside it."""

    @defer.inlineCallbacks
    def rendered(request: Any) -> Any:
        page = yield render(request)
        if (script := _INLINE.search(page)) is not None:
            digest = base64.b64encode(hashlib.sha256(script[1]).digest()).decode()
            request.setHeader("content-security-policy", policy([f"sha256-{digest}"]))
        return page

    return rendered


class _Redirect(resource.Resource):
    """Leads to another address of this site, relative to the one that was asked for."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, to: str):
        super().__init__()
        self.to = to

    def render_GET(self, request: server.Request) -> bytes:  # noqa: N802 - Twisted's name
        """Redirect; relative, because a proxy may serve the site below a path."""
        request.redirect(self.to.encode())
        return b""


class _Buildbot(resource.Resource):
    """All of Buildbot's site below one more path, with Buildbot's first page at its root."""

    def __init__(self, root: resource.Resource, index: resource.Resource):
        super().__init__()
        self.root = root
        self.index = index

    def getChild(self, path: bytes, request: server.Request) -> resource.Resource:  # noqa: N802 - Twisted's name
        """Return a resource of the site; vlag's pages there write their usual addresses."""
        request.prepath = [path]
        return self.root.getChildWithDefault(path, request) if path else self.index

    def render_GET(self, request: server.Request) -> bytes:  # noqa: N802 - Twisted's name
        """Add the missing slash: the page's own addresses are relative."""
        return _Redirect(UI).render_GET(request)
