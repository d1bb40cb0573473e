# SPDX-License-Identifier: GPL-2.0-only
"""A way to another address of the same site."""

from __future__ import annotations

from twisted.web import resource, server


class Redirect(resource.Resource):
    """Leads to another address of this site, relative to the one that was asked for."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, to: str):
        super().__init__()
        self.to = to

    def render_GET(self, request: server.Request) -> bytes:  # noqa: N802 - Twisted's name
        """Redirect; relative, because a proxy may serve the site below a path."""
        request.redirect(self.to.encode())
        return b""
