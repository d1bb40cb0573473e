# SPDX-License-Identifier: GPL-2.0-only
"""The guard of the role that reads: what its sessions have set for themselves does not last."""

from __future__ import annotations

from typing import Any

from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet import task
from twisted.internet.threads import deferToThread
from twisted.python import log

from vlag.errors import VlagError
from vlag.store import views
from vlag.store.database import connect

#: Seconds between two looks: as long as a statement of a reader may last.
LOOK_S = 30


class ReaderGuard(BuildbotService):
    """Ends sessions of the reader that last too long, and puts its settings back."""

    name = "reader guard"

    def __init__(self, dsn: str):
        super().__init__(dsn, name=self.name)
        self.dsn = dsn
        self._timer: task.LoopingCall | None = None
        self._sentences: list[str] = []

    def checkConfig(self, dsn: str) -> None:  # noqa: N802 - Buildbot's name
        """Accept any database."""

    @async_to_deferred
    async def reconfigService(self, dsn: str) -> None:  # noqa: N802 - Buildbot's name
        """Use the new settings from the next look on."""
        self.dsn = dsn

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Look from now on."""
        await super().startService()
        self._timer = task.LoopingCall(self.look)
        self._timer.clock = self.master.reactor
        self._timer.start(LOOK_S).addErrback(lambda failure: log.err(failure, self.name))

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Look no more."""
        if self._timer is not None and self._timer.running:
            self._timer.stop()
        await super().stopService()

    @async_to_deferred
    async def look(self) -> Any:
        """Look once; a sentence that the last look had too is not logged again."""
        try:
            sentences = await deferToThread(self._keep)
        except VlagError as e:  # the database is away for a moment
            sentences = [str(e)]
        for sentence in sentences:
            if sentence not in self._sentences:
                log.msg(f"{self.name}: {sentence}")
        self._sentences = sentences

    def _keep(self) -> list[str]:
        with connect(self.dsn) as conn:
            return views.keep(conn)
