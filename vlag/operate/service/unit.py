# SPDX-License-Identifier: GPL-2.0-only
"""What systemd is told of a unit of Type=notify (sd_notify(3)): that it is ready, and alive."""

from __future__ import annotations

import os
import socket

#: Where systemd listens, and what else it gives to the main process of a unit alone.
ADDRESS = "NOTIFY_SOCKET"
OWN = (ADDRESS, "WATCHDOG_USEC", "WATCHDOG_PID")


def ready() -> None:
    """Say that the unit has started; its watchdog counts from now on."""
    _tell("READY=1")


def alive() -> None:
    """Say that the main process does not hang."""
    _tell("WATCHDOG=1")


def status(text: str) -> None:
    """Say in one line what the unit does, or waits for: `systemctl status` shows it."""
    _tell(f"STATUS={text.splitlines()[0] if text else ''}")


def _tell(state: str) -> None:
    address = os.environ.get(ADDRESS)
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
        try:
            # A name that begins with "@" is in the abstract namespace.
            line.connect("\0" + address[1:] if address.startswith("@") else address)
            line.send(state.encode())
        except OSError:
            return  # systemd restarts: it takes what the next call says
