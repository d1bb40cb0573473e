# SPDX-License-Identifier: GPL-2.0-only
"""A push that says so: the poller of its tree looks at once.

Nothing of what a request says is believed but the name of a tree, so a forged, late or repeated one
costs a look, and a lost one is made up for by the next poll.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Any

from buildbot.changes.base import ReconfigurablePollingChangeSource
from twisted.python import log
from twisted.web import resource, server

from master.gate import header
from master.trees import poller_name
from vlag.buildbot import PUSH_HOOK
from vlag.printable import line

_BEARER, _SHA256 = "Bearer ", "sha256="


class PushHook(resource.Resource):
    """`POST /change_hook/TREE` with the token of hooks, or a body that is signed with it."""

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, master: Any, secret: Path):
        """Wake the pollers of a master; `secret` is the file with the token."""
        super().__init__()
        self.master = master
        self.secret = secret

    def render_POST(self, request: server.Request) -> bytes:  # noqa: N802 - Twisted's name
        """Check the token, then the tree, and let its poller look."""
        try:
            # Anew each time: a token that was renewed counts at once.
            secret = self.secret.read_text(encoding="ascii").strip().encode()
        except (OSError, UnicodeDecodeError) as e:
            log.msg(f"{self.secret}: cannot read this secret ({e})")
            return _say(request, 503, "the token of push hooks cannot be read here")
        if not (secret and _is_told_by(request, secret)):
            return _say(
                request, 403,
                "nothing was done: the request has not the token of vlag's secrets/push-hook"
                " (Authorization: Bearer, X-Gitlab-Token), nor is it signed with it"
                " (X-Hub-Signature-256)",
            )  # fmt: skip
        tree = b"/".join(request.postpath or ()).decode("utf-8", "replace")
        pollers = {p.name: p for p in self.master.change_svc if _is_poller(p)}
        found = pollers.get(poller_name(tree))
        if found is None:
            known = ", ".join(sorted(name.removeprefix(poller_name("")) for name in pollers))
            here = f"the trees are: {known}" if known else "this master has none, the first one has"
            return _say(request, 404, f"nothing was done: no tree {line(tree)!r}; {here}")
        found.force()
        return _say(request, 202, f"tree {tree}: vlag looks for new commits now")

    def render(self, request: server.Request) -> Any:
        """Refuse every method but POST."""
        if request.method != b"POST":
            return _say(request, 405, f"POST to /{PUSH_HOOK}TREE")
        return super().render(request)


def _is_poller(source: Any) -> bool:
    return isinstance(source, ReconfigurablePollingChangeSource)


def _is_told_by(request: server.Request, secret: bytes) -> bool:
    """Return whether who sent a request knows the token, as programs and forges show it."""
    bearer = header(request, "authorization") or ""
    given = (bearer.removeprefix(_BEARER), header(request, "x-gitlab-token") or "")
    if any(hmac.compare_digest(one.encode(), secret) for one in given):
        return True
    signed = header(request, "x-hub-signature-256") or ""
    assert request.content is not None  # noqa: S101 - Twisted has read it
    request.content.seek(0)
    made = hmac.new(secret, request.content.read(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(signed.encode(), f"{_SHA256}{made}".encode())


def _say(request: server.Request, status: int, text: str) -> bytes:
    request.setResponseCode(status)
    request.setHeader("content-type", "text/plain; charset=utf-8")
    return f"{text}\n".encode()
