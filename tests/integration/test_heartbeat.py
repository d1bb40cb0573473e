# SPDX-License-Identifier: GPL-2.0-only
# Buildbot has no types.
"""What masters that are gone had taken, in Buildbot's own tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import sqlalchemy
from buildbot.db.model import Model

from vlag import ROOT
from vlag.store.database import url

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.multimaster.heartbeat import Heartbeat

NOW, LIMIT_S = 1_800_000_000, 600


@pytest.fixture
def engine(dsn: str) -> Iterator[sqlalchemy.Engine]:
    """Yield a database with Buildbot's tables, one builder and one buildset."""
    made = sqlalchemy.create_engine(url(dsn))
    with made.begin() as connection:
        Model.metadata.create_all(connection)
        connection.execute(Model.builders.insert(), {"id": 1, "name": "kernel", "name_hash": "k"})
        connection.execute(
            Model.buildsets.insert(),
            {"id": 1, "submitted_at": 0, "complete": 0, "rebuilt_buildid": None},
        )
    yield made
    made.dispose()


@pytest.fixture
def taken(engine: sqlalchemy.Engine) -> Callable[..., None]:
    """Return a function that enters a master with a request that it has taken."""

    def enter(number: int, *, active: bool, seen: int, claimed: int, complete: int = 0) -> None:
        with engine.begin() as connection:
            connection.execute(
                Model.masters.insert(),
                {
                    "id": number,
                    "name": f"m{number}",
                    "name_hash": f"h{number}",
                    "active": int(active),
                    "last_active": seen,
                },
            )
            connection.execute(
                Model.buildrequests.insert(),
                {
                    "id": number,
                    "buildsetid": 1,
                    "builderid": 1,
                    "complete": complete,
                    "submitted_at": 0,
                },
            )
            connection.execute(
                Model.buildrequest_claims.insert(),
                {"brid": number, "masterid": number, "claimed_at": claimed},
            )

    return enter


def free(engine: sqlalchemy.Engine) -> list[int]:
    """Let a master free what others have left."""
    heartbeat = Heartbeat(LIMIT_S)
    heartbeat.parent = SimpleNamespace(master=SimpleNamespace(db=SimpleNamespace(model=Model)))
    with engine.begin() as connection:
        return heartbeat._free(connection, NOW)


def left(engine: sqlalchemy.Engine) -> list[int]:
    with engine.begin() as connection:
        rows = connection.execute(sqlalchemy.select(Model.buildrequest_claims.c.brid))
        return sorted(brid for (brid,) in rows)


def test_what_the_dead_had_taken_is_free_once(
    engine: sqlalchemy.Engine, taken: Callable[..., None]
) -> None:
    long_ago = NOW - LIMIT_S - 100
    taken(1, active=False, seen=long_ago, claimed=long_ago - 50)
    taken(2, active=False, seen=long_ago, claimed=long_ago + 20)  # after its last sign of life
    taken(3, active=False, seen=NOW - 10 * LIMIT_S, claimed=0)
    assert free(engine) == [1, 2, 3]
    assert left(engine) == []
    assert free(engine) == []


def test_nothing_is_taken_from_others(
    engine: sqlalchemy.Engine, taken: Callable[..., None]
) -> None:
    long_ago = NOW - LIMIT_S - 100
    taken(1, active=True, seen=long_ago, claimed=long_ago)  # silent, but not declared gone
    taken(2, active=False, seen=NOW - 20, claimed=NOW - 30)  # stopped, perhaps for a moment
    taken(3, active=False, seen=long_ago, claimed=NOW - 5)  # back, about to say so
    taken(4, active=False, seen=long_ago, claimed=long_ago, complete=1)
    assert free(engine) == []
    assert left(engine) == [1, 2, 3, 4]
