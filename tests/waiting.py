"""Wait for an event: one deadline for all, far beyond what anything takes on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

#: A test that waits this long has failed.  It is no measure of speed: the event ends the wait.
DEADLINE_S = 600


def until(condition: Callable[[], object], what: Callable[[], str]) -> None:
    """Return when the condition holds; after the deadline fail with what `what` returns."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.2)  # most conditions ask a server that works meanwhile
