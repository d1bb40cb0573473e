# SPDX-License-Identifier: GPL-2.0-only
"""Schedulers of pushes keep what they have seen when their names lose the number."""

from __future__ import annotations

import sqlalchemy as sa
from buildbot.db.model import Model

from vlag.operate.buildbot_rows import rename_pushes
from vlag.store import database
from vlag.store.database import Connection

CLASS = "master.schedulers.PushScheduler"
SHA = "a" * 40


def names(conn: Connection) -> list[tuple[object, ...]]:
    return conn.execute("SELECT id, name FROM objects ORDER BY id").fetchall()


def test_the_newest_state_of_a_branch_is_kept(conn: Connection, dsn: str) -> None:
    engine = sa.create_engine(database.url(dsn))
    Model.metadata.create_all(engine, tables=[Model.objects])
    conn.execute("CREATE TABLE buildsets (id serial, external_idstring varchar(256))")
    # The branch had another place before; "7" is a tree with an odd name.
    rows = ("push 1 debian linux-6.12", "push 3 debian linux-6.12", "push 2 7 main", "push 9 x")
    for name in rows:
        conn.execute("INSERT INTO objects (name, class_name) VALUES (%s, %s)", (name, CLASS))
    for text in (f"{SHA} linux-6.12 push 3 debian linux-6.12", "try 5"):
        conn.execute("INSERT INTO buildsets (external_idstring) VALUES (%s)", (text,))
    rename_pushes(conn)
    after = [
        (1, "push 1 debian linux-6.12"), (2, "push debian linux-6.12"), (3, "push 7 main"),
        (4, "push 9 x"),
    ]  # fmt: skip
    assert names(conn) == after
    rename_pushes(conn)
    assert names(conn) == after
    asked = conn.execute("SELECT external_idstring FROM buildsets ORDER BY id").fetchall()
    assert asked == [(f"{SHA} linux-6.12 push debian linux-6.12",), ("try 5",)]
    engine.dispose()
