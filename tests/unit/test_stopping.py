# SPDX-License-Identifier: GPL-2.0-only
"""A signal that ends the service ends all of it, in order."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

ENDS = """
import os, sys
from vlag.operate.service.stopping import Stopped, stoppable
with stoppable() as ignore:
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
    except Stopped:
        ignore()
        os.kill(os.getpid(), int(sys.argv[1]))
        print("stopped in order")
"""


RELOADS = """
import os, signal
from vlag.operate.service.stopping import Stopped, stoppable
asked = []
with stoppable(lambda: asked.append("asked")):
    try:
        os.kill(os.getpid(), signal.SIGHUP)
        print(*asked)
    except Stopped:
        print("stopped")
"""


def test_a_hang_up_without_a_terminal_asks_for_a_reload() -> None:
    argv = [sys.executable, "-c", RELOADS]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, start_new_session=True)
    assert done.stdout == "asked\n"
    # Negative control: with a terminal, which is closed, it is a stop.
    code = f"import pty, sys; sys.exit(pty.spawn({argv!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout.strip() == "stopped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_is_a_stop_in_order(number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS, str(int(number))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "stopped in order\n"), done.stderr


def test_another_signal_is_none() -> None:
    """Negative control."""
    done = subprocess.run(
        [sys.executable, "-c", ENDS, str(int(signal.SIGUSR1))], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGUSR1
