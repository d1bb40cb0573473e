# SPDX-License-Identifier: GPL-2.0-only
"""The URL and token with which a LAVA server reports that a job has ended."""

from __future__ import annotations

import hashlib
import hmac

#: Path of a job's callback, before its key.
PATH = "lava"


def token(secret: str, key: str) -> str:
    """Return the token of the callback of the job with that key.

    LAVA shows it to everybody who may see the job: it only wakes that job's step.
    """
    return hmac.new(secret.encode(), key.encode(), hashlib.sha256).hexdigest()


def url(base: str, key: str) -> str:
    """Return the address of the callback of the job with that key."""
    return f"{base}/{PATH}/{key}"
