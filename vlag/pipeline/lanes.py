"""Lanes: what a boot is for in the end, and who goes first on a board."""

from __future__ import annotations

import enum


class Lane(enum.StrEnum):
    """What a boot is for, by rising right of way on a board."""

    PUSH = "push"  # a commit of a watched branch
    NIGHT = "night"
    CONFIRM = "confirm"  # fresh boots for what is suspected
    PERSON = "person"  # somebody waits for it

    @property
    def rank(self) -> int:
        """Return the priority among those that wait for a board; the highest goes first."""
        return list(Lane).index(self)

    @property
    def lava_priority(self) -> int:
        """Return the priority of a LAVA job, 0 to 100.

        Low is 0, medium 50 and high 100 to a lab's other users: ours stand between.
        """
        return 20 * (self.rank + 1)
