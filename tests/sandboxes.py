# SPDX-License-Identifier: GPL-2.0-only
"""The user of builds in tests: that of the service, or where nobody set it up, `nobody`."""

from __future__ import annotations

import pwd
from pathlib import Path

from vlag.kernel.tuxmake import Tools
from vlag.sandbox import Rules


def user() -> str:
    """Return a user that is there."""
    there = {entry.pw_name for entry in pwd.getpwall()}
    return next(u for u in (Rules().user, "nobody") if u in there)


def rules(**limits: int) -> Rules:
    """Return the rules of a sandbox on this machine."""
    return Rules(user=user(), **limits)  # type: ignore[arg-type]  # mypy reads kind and user too


def tools(ccache: Path) -> Tools:
    """Return how this machine builds one kernel at a time, with its compiler's cache."""
    return Tools(jobs=1, ccache=ccache, rules=rules())
