# SPDX-License-Identifier: GPL-2.0-only
"""What the settings say of a LAVA server; its client, which imports far more, is `server`."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen


@frozen(kw_only=True)
class Lab:
    """A LAVA server of the settings."""

    name: str
    url: str  # without the path of the API
    token_file: Path  # one line
    ca: Path | None = None  # certificate of the authority that signed its own; None: the machine's
    artifacts: str  # URL under which its dispatchers reach the artifact store
    callback: str | None = None  # URL under which it reaches our master; None: we only poll
    poll_interval_s: float = 30  # seconds between polls for a job without a callback
    queue_limit_s: float = 12 * 3600  # seconds that a job may wait: at night, for all others
    # File that has the last address at which it answered as LAVA; None: that is not kept.
    answered: Path | None = None
