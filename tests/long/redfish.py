# SPDX-License-Identifier: GPL-2.0-only
"""A machine behind a BMC that speaks Redfish: the emulator of OpenStack's sushy-tools."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from attrs import field, frozen

from tests import http_stand_in
from tests.http_stand_in import Answer, Request
from tests.integration import certificates
from tests.integration.installation import free_ports
from tests.long import bmc
from tests.waiting import until

PACKAGES = ("redfishtool",)
USER, PASSWORD = "lava", "s3cret"
_USERS = "lava:$2b$04$vROqPxKvg6sYuf0gOJ4UAeIfJ2N77Tr7KBKcKpVMOd3IFwsYCcWB2\n"
_SYSTEM = "27946b59-9e44-4fa7-8e91-f3527a1ef094"
_CONFIG = f"""
SUSHY_EMULATOR_AUTH_FILE = '{{folder}}/users'
SUSHY_EMULATOR_STATE_DIR = '{{folder}}'
SUSHY_EMULATOR_FEATURE_SET = 'vmedia'
SUSHY_EMULATOR_FAKE_SYSTEMS = [{{{{
    'uuid': '{_SYSTEM}', 'name': 'machine', 'power_state': 'Off', 'external_notifier': {{wired}},
    'nics': [],
}}}}]
EXTERNAL_NOTIFICATION_URL = '{{url}}'
"""
#: Given what the BMC has of the machine, each time that it changes.
Wires = Callable[[Mapping[str, Any]], None]


@frozen
class Machine:
    """A machine that is on or off, some seconds after it was switched."""

    folder: Path
    name: str  # of the BMC
    port: int
    environment: dict[str, str] = field(repr=False)

    @property
    def on(self) -> bool:
        """Return whether it has power."""
        return bool(self._system("GET").json()["PowerState"] == "On")

    @property
    def boots_from(self) -> str:
        """Return the device that it boots from."""
        return str(self._system("GET").json()["Boot"]["BootSourceOverrideTarget"])

    def put(self, *, on: bool) -> None:
        """Switch it by hand, and have it boot from its disk."""
        self._system("PATCH", Boot={"BootSourceOverrideTarget": "Hdd"})
        self._system("POST", "/Actions/ComputerSystem.Reset", ResetType="On" if on else "ForceOff")
        self.wait(on=on)

    def wait(self, *, on: bool) -> None:
        """Wait until it is on or off."""
        until(lambda: self.on is on, lambda: f"the machine is not {'on' if on else 'off'}")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the inventory, as a dispatcher does."""
        return subprocess.run(
            shlex.split(command), env=self.environment, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip

    def password(self, password: str) -> None:
        """Write the dispatcher's file of the password."""
        secret = {"user": USER, "password": password}
        (self.folder / "redfish.json").write_text(json.dumps(secret))

    def insert(self, image: str) -> None:
        """Have the BMC fetch a medium and show it to the machine as its CD, as a person does."""
        way = f"/redfish/v1/Systems/{_SYSTEM}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia"
        words = f"redfishtool -r {self.name} -S Always -c /etc/lava/redfish.json"
        done = self.run(f"{words} -d '{json.dumps({'Image': image})}' raw POST {way}")
        assert done.returncode == 0, done.stdout + done.stderr

    def _system(self, verb: str, action: str = "", **body: object) -> requests.Response:
        answer = requests.request(
            verb, f"https://127.0.0.1:{self.port}/redfish/v1/Systems/{_SYSTEM}{action}",
            json=body or None, auth=(USER, PASSWORD), timeout=10,
            verify=str(self.folder / "server.crt"),
        )  # fmt: skip
        answer.raise_for_status()
        return answer


@contextmanager
def machine(root: Path, folder: Path, name: str, wires: Wires | None = None) -> Iterator[Machine]:
    """Yield a machine behind a BMC that the inventory calls `name`.

    `wires` are those that lead to a machine that really runs.
    """
    port = free_ports(1)[0]
    tools = folder / "bin"
    tools.mkdir(parents=True)
    words = {name: f"127.0.0.1:{port}", "/etc/lava/redfish.json": f"{folder}/redfish.json"}
    bmc.tool(root, tools / "redfishtool", words)
    certificate, key = certificates.write(folder, ended=False)
    (folder / "users").write_text(_USERS)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    made = Machine(folder, name, port, environment)
    made.password(PASSWORD)
    with _told(wires) as url:
        (folder / "config").write_text(
            _CONFIG.format(folder=folder, url=url, wired=wires is not None)
        )
        with _emulator(made, certificate, key), _asked(made, wires):
            yield made


@contextmanager
def _emulator(made: Machine, certificate: Path, key: Path) -> Iterator[None]:
    emulator = subprocess.Popen(
        [Path(sys.executable).with_name("sushy-emulator"), "--fake", "--config",
         made.folder / "config", "-i", "127.0.0.1", "-p", str(made.port),
         "--ssl-certificate", certificate, "--ssl-key", key],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: _answers(made), lambda: "the BMC does not answer")
        yield
    finally:
        emulator.kill()
        emulator.wait()


@contextmanager
def _told(wires: Wires | None) -> Iterator[str]:
    """Yield the address at which the emulator says what changes."""
    if wires is None:
        yield ""
        return

    def answer(request: Request) -> Answer:
        wires(json.loads(request.body))
        return Answer()

    with http_stand_in.served(answer) as there:
        yield there.url


@contextmanager
def _asked(machine: Machine, wires: Wires | None) -> Iterator[None]:
    """Ask for the power again and again: the emulator switches, late, only when it is asked."""
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(0.5):
            with contextlib.suppress(requests.RequestException):
                _ = machine.on

    thread = threading.Thread(target=ask)
    if wires is not None:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if wires is not None:
            thread.join()


def _answers(machine: Machine) -> bool:
    try:
        return machine.on in (True, False)
    except requests.ConnectionError:
        return False
