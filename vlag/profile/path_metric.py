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
