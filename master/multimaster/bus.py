# SPDX-License-Identifier: GPL-2.0-only
"""Message bus of several masters: Buildbot's messages, through its own database.

A master delivers its own messages at once, as with Buildbot's simple queue.  The others
read them from a table, woken by NOTIFY.  After a database outage a master continues
where it stopped, so no message is lost.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import psycopg
from buildbot.mq.connector import MQConnector
from buildbot.mq.simple import SimpleMQ
from buildbot.util import toJson
from buildbot.util.service import BuildbotService
from buildbot.util.twisted import async_to_deferred
from twisted.internet.threads import deferToThread
from twisted.python import log

from vlag import ROOT

#: The name of this queue in Buildbot's configuration.
TYPE = "postgresql"

MQConnector.classes[TYPE] = {"class": f"{__name__}.PostgresMQ", "keys": {"dsn"}}

#: Number of the writers' advisory lock: ids become visible in their order.
_LOCK = 0x766C6167

#: Seconds to keep messages for a master without database connection.
KEPT_S = 3600

#: Seconds between two reads of the table without a notification.
LOOK_S = 5.0

#: Seconds between attempts while the database is unavailable.
PAUSE_S = 1.0

#: Seconds in which a stopping master writes its last messages.
FLUSH_S = 10.0

#: Seconds between two deletions of old messages.
_CLEAN_S = 600.0

#: A server that vanished silently is detected within half a minute.
_CONNECT: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "vlag master bus",
}

# A commit whose receipt is lost with the connection is made again, and adds nothing.
_WRITE = (
    "INSERT INTO bus.message (sender, number, key, data) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (sender, number) DO NOTHING"
)
_READ = "SELECT id, key, data FROM bus.message WHERE id > %s AND sender <> %s ORDER BY id"
_CLEAN = "DELETE FROM bus.message WHERE sent < now() - make_interval(secs => %s)"


def prepare(dsn: str) -> None:
    """Create the table of messages if it is missing."""
    text = (ROOT / "schemas" / "bus.sql").read_text(encoding="utf-8")
    with psycopg.connect(dsn, **_CONNECT) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        connection.execute(text)


#: Its number, Buildbot's routing key, and its data as JSON.
_Message: TypeAlias = tuple[int, list[str], str]


class PostgresMQ(SimpleMQ):
    """Buildbot's message queue over one table; `dsn` is a libpq connection string."""

    def __init__(self) -> None:
        super().__init__()
        self.dsn = ""
        self._me = secrets.token_hex(8)
        self._numbers = itertools.count()
        self._outgoing: queue.SimpleQueue[_Message | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._writer: threading.Thread | None = None

    def reconfigServiceWithBuildbotConfig(self, new_config: Any) -> Any:  # noqa: N802 - Buildbot's name
        """Set the address of the database."""
        self.dsn = new_config.mq["dsn"]
        return super().reconfigServiceWithBuildbotConfig(new_config)

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Start to read and write."""
        super().startService()
        await deferToThread(self.open)

    @async_to_deferred
    async def stopService(self) -> None:  # noqa: N802 - Buildbot's name
        """Stop after the last messages are written."""
        await super().stopService()
        await deferToThread(self.close)

    def open(self) -> None:
        """Start with new messages only: Buildbot's own tables have the earlier state."""
        prepare(self.dsn)
        with psycopg.connect(self.dsn, **_CONNECT) as connection:
            [[newest]] = connection.execute("SELECT coalesce(max(id), 0) FROM bus.message")
        self._writer = threading.Thread(target=self._write_all, name="bus writer", daemon=True)
        self._writer.start()
        reader = threading.Thread(target=self._read_all, args=[newest], name="bus", daemon=True)
        reader.start()

    def close(self) -> None:
        """Write pending messages and stop reading."""
        self._stopping.set()
        self._outgoing.put(None)
        if self._writer is not None:
            self._writer.join(FLUSH_S)

    def produce(self, routingKey: tuple[str | None, ...], data: object) -> None:  # noqa: N803 - Buildbot's name
        """Deliver a message to this master's listeners at once, to other masters soon."""
        super().produce(routingKey, data)
        key = ["" if part is None else part for part in routingKey]
        self._outgoing.put((next(self._numbers), key, json.dumps(data, default=toJson)))

    def _write_all(self) -> None:
        pending: list[_Message] = []
        cleaned = time.monotonic()
        last = False
        connection = None
        while pending or not last:
            if not pending:
                messages = [self._outgoing.get()]
                with contextlib.suppress(queue.Empty):
                    while True:
                        messages.append(self._outgoing.get_nowait())
                last = None in messages
                pending = [message for message in messages if message is not None]
                if not pending:
                    continue
            try:
                if connection is None:
                    connection = psycopg.connect(self.dsn, **_CONNECT)
                with connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
                    rows = [(self._me, *message) for message in pending]
                    connection.cursor().executemany(_WRITE, rows)
                    if time.monotonic() - cleaned > _CLEAN_S:
                        connection.execute(_CLEAN, [KEPT_S])
                        cleaned = time.monotonic()
                    connection.execute("NOTIFY bus")
                pending = []
            except psycopg.Error as e:
                log.msg(f"bus: {len(pending)} messages wait for the database: {e}")
                with contextlib.suppress(psycopg.Error):
                    if connection is not None:
                        connection.close()
                connection = None
                if self._stopping.wait(PAUSE_S) and last:
                    return

    def _read_all(self, newest: int) -> None:
        seen = time.monotonic()
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self.dsn, autocommit=True, **_CONNECT) as connection:
                    connection.execute("LISTEN bus")
                    while not self._stopping.is_set():
                        rows = connection.execute(_READ, [newest, self._me]).fetchall()
                        if time.monotonic() - seen > KEPT_S / 2:
                            # Others may have deleted messages that this master has not read.
                            self._give_up()
                            return
                        seen = time.monotonic()
                        for number, key, data in rows:
                            newest = number
                            self._call(self._hear, tuple(key), data)
                        for _ in connection.notifies(timeout=LOOK_S, stop_after=1):
                            pass
            except psycopg.Error as e:
                log.msg(f"bus: will continue at message {newest} after the outage: {e}")
                self._stopping.wait(PAUSE_S)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        self.master.reactor.callFromThread(function, *arguments)

    def _hear(self, key: tuple[str, ...], data: object) -> None:
        if self.running:
            super().produce(key, data)

    def _give_up(self) -> None:
        log.msg(f"bus: the database was unavailable for more than {KEPT_S // 2} s: this master")
        log.msg("bus: exits; its next start reads the whole state again")
        self._call(self.master.reactor.stop)


class HandOver(BuildbotService):
    """Hands over builds to other masters when this master stops.

    Buildbot cancels a build that a parent waits for, because with one master both stop
    together.  With several masters the parent may be on a master that continues.
    """

    name = "vlag-hand-over"

    @async_to_deferred
    async def startService(self) -> None:  # noqa: N802 - Buildbot's name
        """Hand over between two steps of Buildbot's shutdown.

        First it stops its distributor, after which no build begins, and then all builds.  A stop
        of the distributor before would make that step fail, since Buildbot stops no service
        twice, and the database would be closed while builds still need it.
        """
        await super().startService()
        distributor = self.master.botmaster.brd
        stop = distributor.disownServiceParent

        @async_to_deferred
        async def stop_and_hand_over() -> None:
            await stop()
            await self._hand_over()

        distributor.disownServiceParent = stop_and_hand_over

    async def _hand_over(self) -> None:
        builders = self.master.botmaster.builders.values()
        building = [build for builder in builders for build in builder.building]
        ours = {build.buildid for build in building}
        for build in building:
            parents = set()
            for request in build.requests:
                asked = await self.master.data.get(("buildsets", str(request.bsid)))
                parents.add(asked["parent_buildid"])
            if build.finished or parents & ours:
                continue
            for request in build.requests:
                request.waitedFor = False  # Buildbot then stops the build for a retry
            # As after a lost worker: any other way to stop a step counts as cancelled.
            build.lostRemote()
