# SPDX-License-Identifier: GPL-2.0-only
"""What a request to Buildbot's server has beside its gate: its session, its visitor's address."""

from __future__ import annotations

import ipaddress
import threading
from typing import Any

from autobahn.twisted.resource import WebSocketResource
from twisted.internet import reactor
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.python import threadable
from twisted.web import resource

from master import rights
from master.gate import Gated, header
from vlag.buildbot import CLIENT, TOKEN


class Guarded(Gated):
    """A request to Buildbot's server."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._late: list[bytes] = []  # parts of the answer from other threads
        self._late_lock = threading.Lock()

    def getClientAddress(self) -> Any:  # noqa: N802 - Twisted's name
        """Return the visitor's address; the process in front says whose the request is."""
        given = header(self, CLIENT)
        if given is None or not isinstance(self.getHost(), UNIXAddress):
            return super().getClientAddress()
        kind = IPv6Address if ipaddress.ip_address(given).version == 6 else IPv4Address
        return kind("TCP", given, 0)

    def render(self, resrc: resource.Resource) -> None:
        """Refuse a socket that another site opens, by whichever of its addresses."""
        if isinstance(resrc, WebSocketResource) and self.refuses_socket():
            return
        super().render(resrc)

    def write(self, data: bytes) -> None:
        """Write a part of the answer.

        Buildbot 4.3 writes what its REST interface answers from a thread of its own.  A transport
        of Twisted's that the reactor empties at that moment would lose the part.
        """
        if threadable.ioThread not in (None, threadable.getThreadID()):
            with self._late_lock:
                self._late.append(data)
                if len(self._late) == 1:
                    reactor.callFromThread(self._write_late)
            return
        super().write(data)

    def _write_late(self) -> None:
        """Write what a thread has left; the reactor hears of its end after this."""
        with self._late_lock:
            parts, self._late = self._late, []
        if not self.finished:
            self.write(b"".join(parts))

    def addCookie(self, *arguments: Any, **options: Any) -> None:  # noqa: N802 - Twisted's name
        """Set a cookie that no script reads and no other site sends, by TLS where there is TLS."""
        secure = self.site.gate.is_secure(header(self, "host") or "")
        own = {"httpOnly": True, "sameSite": "lax", "secure": secure or self.isSecure()}
        super().addCookie(*arguments, **{**options, **own})

    def getSession(self, *arguments: Any, **options: Any) -> Any:  # noqa: N802 - Twisted's name
        """Return the visitor's session, or one of the service for a request with its token."""
        given = header(self, TOKEN)
        if given is not None and rights.is_service(self.site.gate.secret, given):
            session = self.site.makeSession()
            session.user_info = dict(rights.SERVICE)
            return session
        return super().getSession(*arguments, **options)
