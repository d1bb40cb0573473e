# SPDX-License-Identifier: GPL-2.0-only
"""What the master's log says of a step.

Buildbot writes a step with all its arguments, at its end as well: ours have the settings and the
catalogue, so each such line had 72 kB, with owners of boards and who gets mail.
"""

from __future__ import annotations

from buildbot.process.buildstep import BuildStep


def shorten() -> None:
    """Let a step be written as its class and its name."""

    def short(step: BuildStep) -> str:
        return f"{type(step).__name__}({step.name})"

    BuildStep.__str__ = BuildStep.__repr__ = short
