# SPDX-License-Identifier: GPL-2.0-only
"""Connections of the pages: used again, bounded, and each as if it were new."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from vlag.errors import AwayError, InfrastructureError
from vlag.store import pool as pools
from vlag.store.database import PLANNING, Connection, connect
from vlag.store.pool import Pool
from vlag.store.statements import show


@pytest.fixture
def pool(dsn: str) -> Iterator[Pool]:
    made = Pool(dsn, 2)
    yield made
    for conn in made._idle:
        conn.close()


def value(conn: Connection, statement: str) -> object:
    row = conn.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def backend(conn: Connection) -> object:
    return value(conn, "SELECT pg_backend_pid()")


def test_a_connection_is_used_again_and_keeps_no_settings(pool: Pool) -> None:
    with pool.connection() as conn:
        first = backend(conn)
        show(conn, 3)
        conn.execute("SET jit = on; SET statement_timeout = 7")
        assert value(conn, "SELECT current_setting('vlag.said')") == "3"
    with pool.connection() as conn:
        assert backend(conn) == first
        assert value(conn, "SELECT current_setting('vlag.said', true)") in (None, "")
        assert value(conn, "SHOW statement_timeout") == "0"
        assert {name: value(conn, f"SHOW {name}") for name in PLANNING} == PLANNING
    with pool.connection() as conn, pool.connection() as other:
        assert backend(conn) != backend(other)


def test_no_more_are_open_than_permitted(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_PATIENCE_S", 0.1)
    refused = pytest.raises(AwayError, match="all 2 connections of the pages are at work")
    with pool.connection(), pool.connection(), refused:
        pool.connection().__enter__()
    # Who waits gets the one that is given back.
    monkeypatch.setattr(pools, "_PATIENCE_S", 60.0)
    got = threading.Event()

    def wait() -> None:
        with pool.connection():
            got.set()

    with pool.connection(), pool.connection():
        thread = threading.Thread(target=wait)
        thread.start()
        assert not got.is_set()
    thread.join(60)
    assert got.is_set()


def test_one_that_the_server_has_ended_is_replaced(pool: Pool, dsn: str) -> None:
    with pool.connection() as conn:
        first = backend(conn)
    with connect(dsn) as other:
        other.execute("SELECT pg_terminate_backend(%s, 60000)", (first,))
    with pool.connection() as conn:
        assert backend(conn) != first


def test_one_in_the_middle_of_something_is_not_given_to_another(pool: Pool) -> None:
    with pool.connection() as conn:
        first = backend(conn)
    with pytest.raises(InfrastructureError, match="division by zero"), pool.connection() as conn:
        conn.execute("SELECT 1 / 0")
    with pool.connection() as conn:
        assert backend(conn) == first  # negative control: a statement that failed does no harm
        conn.execute("BEGIN")
    with pool.connection() as conn:
        assert backend(conn) != first
