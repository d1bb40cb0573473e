# SPDX-License-Identifier: GPL-2.0-only
"""What a person's command leaves the machine to: the pushes that the service tests."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from vlag.buildbot import Web
from vlag.errors import InfrastructureError

log = logging.getLogger(__name__)

#: The builder of pushes, and seconds between two looks at it.
_BUILDER, _PAUSE_S = "push", 5.0


def waiting(web: Web, pause_s: float = _PAUSE_S) -> Callable[[], None]:
    """Return what waits until the service tests no push; at once where no service answers."""
    if not web.answers():
        return lambda: None

    def running() -> int:
        try:
            numbers = [b["builderid"] for b in web.get("/builders") if b["name"] == _BUILDER]
            return sum(
                len(web.get(f"/builders/{n}/builds", complete="false", limit=1)) for n in numbers
            )
        except InfrastructureError:  # it has stopped: it tests nothing
            return 0

    def wait() -> None:
        announced = False
        while running():
            if not announced:
                log.info("the service tests a push, which comes first; waiting for its end")
                announced = True
            time.sleep(pause_s)

    return wait
