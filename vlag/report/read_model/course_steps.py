# SPDX-License-Identifier: GPL-2.0-only
"""One step of the course of a regression."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict


class Step(TypedDict):
    """Something that happened, and where more of it is."""

    at: datetime
    what: str  # built, suspected, confirmed, commit, night, alert opened, ...
    words: str
    comparison: int | None  # whose page has the boots
    night: int | None  # with a report
    alert: int | None


def step(
    at: datetime,
    what: str,
    words: str,
    *,
    comparison: int | None = None,
    night: int | None = None,
    alert: int | None = None,
) -> Step:
    """Return a step."""
    return {
        "at": at,
        "what": what,
        "words": words,
        "comparison": comparison,
        "night": night,
        "alert": alert,
    }
