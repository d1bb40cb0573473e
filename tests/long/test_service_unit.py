# SPDX-License-Identifier: GPL-2.0-only
"""The unit of an installation on one machine under a real systemd: it comes back at once.

The command of the unit is another here: it leaves a part that no signal but SIGKILL ends, as
PostgreSQL waits for connections that nobody closes.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.long.root import Host, this_machine, until
from vlag import ROOT, config
from vlag.operate.service.install import text_of

pytestmark = pytest.mark.long

UNIT = "vlag.service"
SERVICE = """
import os, signal, socket, subprocess, sys

child = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('ready', flush=True); signal.pause()"
)
part = subprocess.Popen([sys.executable, "-c", child], stdout=subprocess.PIPE)
part.stdout.readline()
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
    notify.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
signal.pause()
"""


def shown(host: Host, name: str) -> str:
    return host.run("systemctl", "show", f"--property={name}", "--value", UNIT).stdout.strip()


def start_and_kill(host: Host, text: str) -> None:
    """Start the unit and kill its main process, as the kernel does when memory is short."""
    (host.root / "etc/systemd/system" / UNIT).write_text(text)
    host.run("systemctl", "daemon-reload")
    host.run("systemctl", "start", UNIT)
    host.run("systemctl", "kill", "--kill-who=main", "--signal=KILL", UNIT)


def test_a_killed_service_waits_for_none_of_its_parts(tmp_path: Path) -> None:
    settings = tmp_path / "vlag.toml"
    settings.write_text((ROOT / "vlag.toml").read_text())
    text = text_of(config.load(settings), user=False)
    text = re.sub("(?m)^(WatchdogSec|RequiresMountsFor|WorkingDirectory)=.*\\n", "", text)
    text = re.sub("(?m)^ExecStart=.*$", "ExecStart=/usr/bin/python3 /etc/vlag/service.py", text)
    with this_machine("service") as host:
        (host.root / "etc/vlag").mkdir(exist_ok=True)
        (host.root / "etc/vlag/service.py").write_text(SERVICE)
        # Negative control: a signal to all waits for the part that it does not end.
        start_and_kill(host, text.replace("KillMode=mixed\n", ""))
        until(lambda: shown(host, "SubState") == "stop-sigterm", "that systemd waits for the part")
        assert shown(host, "NRestarts") == "0"
        host.run("systemctl", "kill", "--signal=KILL", UNIT)
        until(lambda: shown(host, "ActiveState") == "active", "the restart")
        host.run("systemctl", "kill", "--signal=KILL", "--kill-who=all", UNIT)
        host.run("systemctl", "stop", UNIT)

        start_and_kill(host, text)
        until(lambda: shown(host, "NRestarts") == "1", "the restart", seconds=60)
        until(lambda: shown(host, "ActiveState") == "active", "the service", seconds=60)
