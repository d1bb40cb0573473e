# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's own database: a statement that has no room is tried again until it has.

Buildbot 4.3 goes on as if nothing had happened: a build whose beginning or end could not be written
holds its worker, in the state "created", until somebody restarts the master.  It does try a
statement again, for a day, where SQLite is locked or MySQL lost its connection.
"""

from __future__ import annotations

from buildbot.db.enginestrategy import Strategy
from sqlalchemy.exc import DBAPIError

#: SQLSTATE of statements that changed nothing and will work: no room on the disk, no memory, no
#: connection or another resource left (class 53), an error of the system's input or output.
_PASSING = ("53", "58030")

_own = Strategy.should_retry


def mend() -> None:
    """Let Buildbot wait for room in its database."""
    Strategy.should_retry = _should_retry


def _should_retry(self: Strategy, error: Exception) -> bool:
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return (state or "").startswith(_PASSING) or _own(self, error)
