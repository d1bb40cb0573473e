# SPDX-License-Identifier: GPL-2.0-only
"""People whom a master knows, and the cookies that it gives them."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import Any

from buildbot.www.service import BuildbotSession

SECRET = "0123456789abcdef" * 2


def session(user: dict[str, Any], secret: str = SECRET) -> str:
    """Return the cookie that Buildbot gives a user."""
    made = BuildbotSession(SimpleNamespace(session_secret=secret))
    made.user_info = user
    return str(made.uid)


def hashed(password: str) -> str:
    done = subprocess.run(
        ["openssl", "passwd", "-6", password], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
