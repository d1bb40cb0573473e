# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's own pages, below a path of their own.

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

from master.gate import Gate
from master.guard import Guarded
from master.push_hook import PushHook
from master.redirect import Redirect
from vlag.buildbot import PUSH_HOOK, UI
from vlag.lava.artifact_server import refuse_long_lengths
from vlag.web.headers import policy

#: Buildbot's own methods; a later `hang` wraps the same ones again.
_SET_UP: Callable[[WWWService, Any], None] = WWWService.setupSite
_MAKE_SECRET: Callable[[WWWService], Any] = WWWService.makeSessionSecret
#: The script inside Buildbot's first page: its settings.
_INLINE = re.compile(rb'<script id="bb-config">(.*?)</script>', re.DOTALL)


def hang(gate: Gate) -> None:
    """Put Buildbot's pages of this process below their path, and behind a gate."""

    def set_up(self: WWWService, new_config: Any) -> None:
        _SET_UP(self, new_config)
        root = self.root
        index: Any = root.children[b""]
        index.renderIndex = _permitted(index.renderIndex)
        root.putChild(UI.rstrip("/").encode(), _Buildbot(root, index))
        root.putChild(PUSH_HOOK.rstrip("/").encode(), PushHook(self.master, gate.push_hook))
        self.site.gate = gate
        gate.sessions.guard(self.site)
        self.site.requestFactory = Guarded

    @defer.inlineCallbacks
    def make_secret(self: WWWService) -> Any:
        yield _MAKE_SECRET(self)
        gate.sessions.publish(str(self.site.session_secret))

    WWWService.setupSite = set_up
    WWWService.makeSessionSecret = make_secret
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
        return Redirect(UI).render_GET(request)
