# SPDX-License-Identifier: GPL-2.0-only
"""A service that loses a part of itself starts what is missing: a start is also the recovery."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from attrs import define, field

from vlag import progress_log
from vlag.errors import AwayError, InfrastructureError, is_away, sentence
from vlag.operate.service import unit

log = logging.getLogger(__name__)

#: Seconds before the next start, after a first, second, ... end soon after the last one.
PAUSES_S = (1, 5, 20, 60, 300)
#: What ran for so many seconds has not ended at once.
STEADY_S = 60
#: Seconds between two looks at what runs on meanwhile.
_LOOK_S = 0.2


@define
class Pauses:
    """How long to wait before the next start: the longer, the more starts in a row were in vain."""

    clock: Callable[[], float]
    quick: int = field(default=0, init=False)  # ends in a row, each soon after the start
    begun: float = field(init=False)

    @begun.default
    def _now(self) -> float:
        return self.clock()

    def begin(self) -> None:
        """Note a start."""
        self.begun = self.clock()

    def end(self) -> int:
        """Note an end; return the seconds until the next start."""
        self.quick = self.quick + 1 if self.clock() - self.begun < STEADY_S else 0
        return PAUSES_S[min(max(self.quick, 1), len(PAUSES_S)) - 1]

    @property
    def in_vain(self) -> str:
        """Return in words how often in a row it has ended at once; empty: it has not."""
        return f", {self.quick} in a row within {STEADY_S} s of the start" if self.quick else ""


def live(
    attempt: Callable[[], int],
    *,
    lose: Callable[[], None],
    watch: Callable[[], None],
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Return what `attempt` returns; after a fault of the infrastructure call it again.

    So too where a file cannot be written for want of room.  `attempt` starts what does not run and
    stays with it.  `lose` ends what cannot go on after the fault, and `watch` looks after all else
    during the pause.

    Raises InfrastructureError for a fault that another try will not mend.
    """
    pauses = Pauses(clock)
    while True:
        pauses.begin()
        try:
            return attempt()
        except InfrastructureError as e:
            if not e.retry:
                raise
            fault = e
        except OSError as e:
            if not is_away(e):
                raise
            fault = AwayError(sentence(e))
        pause_s = pauses.end()
        progress_log.now(())
        log.info(f"{fault}{pauses.in_vain}; next start in {pause_s} s")
        unit.status(f"{fault}; next start in {pause_s} s")
        lose()
        due = clock() + pause_s
        while clock() < due:
            watch()
            time.sleep(_LOOK_S)
