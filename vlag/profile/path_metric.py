# SPDX-License-Identifier: GPL-2.0-only
"""A metric of path length, as it is declared."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class PathMetric:
    """One figure of a path: instructions where `calls` is empty, otherwise calls."""

    name: str
    relevance: float  # smallest relative change that matters, 0.002 = 0.2 %
    objects: str = ""  # functions whose object file's path begins so; "": the whole kernel
    calls: tuple[tuple[str, ...], ...] = ()  # the function's spellings (`vlag.profile.calls`)

    @property
    def unit(self) -> str:
        """Return what is counted for an operation."""
        return "calls" if self.calls else "instructions"

    @property
    def words(self) -> str:
        """Return what is counted, in words."""
        return in_words(self.name, self.unit)


def in_words(name: str, unit: str) -> str:
    """Return what a metric counts: calls of a function, or instructions of a part of the kernel."""
    return f"calls of {name}" if unit == "calls" else name
