"""Wait for an event: one deadline for all, far beyond what anything takes on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

#: A test that waits this long has failed.  It is no measure of speed: the event ends the wait.
DEADLINE_S = 600

T = TypeVar("T")


def until(
    condition: Callable[[], T],
    what: Callable[[], str] = lambda: "it did not come about",
    *,
    alive: Callable[[], object] = lambda: True,
    within_s: float = DEADLINE_S,
) -> T:
    """Return what `condition` returns once that is true.

    After the deadline, or when who should bring it about is no longer alive, fail with what `what`
    returns.
    """
    deadline = time.monotonic() + within_s
    pause_s = 0.01
    while not (answer := condition()):
        assert alive(), what()
        assert time.monotonic() < deadline, what()
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.2)  # most conditions ask a server that works meanwhile
    return answer
