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
