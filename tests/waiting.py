# SPDX-License-Identifier: GPL-2.0-only
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
    begun = time.monotonic()
    while not (answer := condition()):
        waited_s = time.monotonic() - begun
        assert alive(), what()
        assert waited_s < within_s, what()
        # Most conditions ask a server that works meanwhile: the longer it takes, the seldomer.
        time.sleep(min(max(waited_s / 20, 0.01), 1.0))
    return answer
