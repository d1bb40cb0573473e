# SPDX-License-Identifier: GPL-2.0-only
"""Connections that are used again: of a server that answers many short questions."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import psycopg
from attrs import define, field
from psycopg.pq import TransactionStatus

from vlag.errors import AwayError
from vlag.store import database
from vlag.store.database import Connection

#: Seconds that a question waits for a connection.
_PATIENCE_S = 10.0


@define
class Pool:
    """At most `most` connections to a database at a time."""

    dsn: str = field(repr=False)
    most: int
    _idle: list[Connection] = field(factory=list, init=False)  # the one used last at the end
    _room: threading.Semaphore = field(init=False)

    @_room.default
    def _all(self) -> threading.Semaphore:
        return threading.Semaphore(self.most)

    @contextlib.contextmanager
    def connection(self) -> Iterator[Connection]:
        """Yield a connection as `database.connect` does; its settings are those of a new one."""
        if not self._room.acquire(timeout=_PATIENCE_S):
            raise AwayError(f"all {self.most} connections of the pages are at work: ask again")
        try:
            conn = self._take()
            try:
                with database.explained(self.dsn):
                    database.refuse_newer(conn)
                    yield conn
            finally:
                self._give_back(conn)
        finally:
            self._room.release()

    def _take(self) -> Connection:
        """Return a connection that answers: the server may have started anew meanwhile."""
        while True:
            try:
                conn = self._idle.pop()
            except IndexError:
                return database.begin(self.dsn)
            try:
                database.settle(conn)
            except psycopg.Error:
                conn.close()
            else:
                return conn

    def _give_back(self, conn: Connection) -> None:
        if conn.info.transaction_status is TransactionStatus.IDLE:
            self._idle.append(conn)
        else:  # it is lost, or in the middle of something
            conn.close()
