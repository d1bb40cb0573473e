"""Progress of what takes long, now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from attrs import define, field

PAUSE_S = 5.0


@define
class Ticker:
    """Says how far something is, not oftener than each few seconds."""

    say: Callable[[str], None]
    last: float = field(factory=time.monotonic)

    def tick(self, text: str) -> None:
        """Say it if the last word was some seconds ago."""
        now = time.monotonic()
        if now - self.last >= PAUSE_S:
            self.last = now
            self.say(text)
