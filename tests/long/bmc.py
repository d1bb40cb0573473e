# SPDX-License-Identifier: GPL-2.0-only
"""A machine whose power a simulated BMC switches: OpenIPMI's `ipmi_sim`, unpacked here."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tests.integration.installation import free_ports
from tests.waiting import until
from vlag.kernel.archive import Archive

PACKAGES = ("openipmi", "ipmitool", "libopenipmi0", "libfreeipmi17")

USER, PASSWORD = "lava", "s3cret"

#: Asked by ipmi_sim: MC get NAME... | MC set NAME VALUE...
_CHASSIS = """#!/bin/sh
shift
verb=$1
shift
echo "$verb $*" >>{folder}/asked
case $verb in
get) for name in "$@"; do
	case $name in power) echo "power:$(cat {folder}/power)" ;; *) echo "$name:default" ;; esac
done ;;
set) while [ $# -gt 0 ]; do
	if [ "$1" = power ]; then
		echo "$2" >{folder}/power
		if [ "$2" = 1 ]; then {on}; else {off}; fi
	fi
	shift 2
done ;;
esac
"""
_LAN = """name "machine"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "{folder}/chassis 0x20"
{sol}  user 2 true "{user}" "{password}" admin 10 none md2 md5 straight
"""
_EMULATED = """mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
"""
#: A program of a package, which takes the inventory's words for those of the test.
_TOOL = """#!/bin/sh
export LD_LIBRARY_PATH={libraries} PYTHONPATH={modules}
for word; do
	shift
	case $word in
{cases}
	*) set -- "$@" "$word" ;;
	esac
done
exec {program} "$@"
"""


@frozen
class Machine:
    """A machine that is on or off."""

    folder: Path
    environment: dict[str, str] = field(repr=False)

    @property
    def on(self) -> bool:
        """Return whether it has power."""
        return (self.folder / "power").read_text().strip() == "1"

    @property
    def asked(self) -> list[str]:
        """Return what the BMC did to the machine."""
        return (self.folder / "asked").read_text().splitlines()

    def put(self, *, on: bool) -> None:
        """Switch it by hand, and forget what was done."""
        (self.folder / "power").write_text(f"{int(on)}\n")
        (self.folder / "asked").write_text("")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the inventory, as a dispatcher does."""
        return subprocess.run(
            shlex.split(command), env=self.environment, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip


def extract(package: Path, folder: Path) -> None:
    """Put a package's files into a folder, and install nothing."""
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)


def tool(root: Path, place: Path, words: Mapping[str, str]) -> None:
    """Write a program that runs the one of that name in `root`, with other words for some."""
    cases = "\n".join(f'\t{word}) set -- "$@" {other} ;;' for word, other in words.items())
    place.write_text(
        _TOOL.format(
            libraries=root / "usr/lib/x86_64-linux-gnu",
            modules=root / "usr/lib/python3/dist-packages",
            cases=cases,
            program=root / "usr/bin" / place.name,
        )
    )
    place.chmod(0o755)


def commands(board: Mapping[str, Any], verb: str) -> list[str]:
    """Return what the inventory runs to switch a board, one command after the other."""
    given = board["power"][verb]
    return [given] if isinstance(given, str) else list(given)


def unpacked(folder: Path, packages: Sequence[str] = PACKAGES) -> Path:
    """Return a root that has the programs of some packages."""
    archive = Archive(folder=folder / "apt", architecture="amd64", sources=None)
    archive.refresh()
    for package in archive.packages(packages):
        file = folder / f"{package.name}.deb"
        archive.fetch(package, file)
        extract(file, folder / "root")
    return folder / "root"


@contextmanager
def machine(
    root: Path,
    folder: Path,
    bmc: str,
    *,
    on: str = ":",
    off: str = ":",
    serial: int | None = None,
) -> Iterator[Machine]:
    """Yield a machine behind a BMC that the inventory calls `bmc`.

    `on` and `off` are what switches a machine that really runs, `serial` is the port of its serial
    line.
    """
    port = free_ports(1)[0]
    tools = folder / "bin"
    tools.mkdir(parents=True)
    libraries = root / "usr/lib/x86_64-linux-gnu"
    given = {
        "on": on, "off": off,
        "sol": "" if serial is None else f'  sol "tcp:127.0.0.1:{serial}" 115200\n',
        "folder": folder, "port": port, "user": USER, "password": PASSWORD, "bmc": bmc,
    }  # fmt: skip
    for path, text in (
        (folder / "chassis", _CHASSIS),
        (tools / "sleep", "#!/bin/sh\n"),  # the simulated machine loses power at once
        (folder / "lan.conf", _LAN), (folder / "machine.emu", _EMULATED),
        (folder / "password", f"{PASSWORD}\n"),
    ):  # fmt: skip
        path.write_text(text.format(**given) if "{" in text else text)
        path.chmod(0o755)
    words = {bmc: f"127.0.0.1 -p {port} -C 3", "/etc/lava/ipmi-password": f"{folder}/password"}
    tool(root, tools / "ipmitool", words)
    environment = {
        **os.environ, "PATH": f"{tools}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": str(libraries),
    }  # fmt: skip
    made = Machine(folder, environment)
    made.put(on=False)
    simulator = subprocess.Popen(
        [root / "usr/bin/ipmi_sim", "-n", "-c", folder / "lan.conf",
         "-f", folder / "machine.emu", "-s", folder / "state"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    asks = f"ipmitool -I lanplus -H {bmc} -U {USER} -f /etc/lava/ipmi-password"
    try:
        until(
            lambda: made.run(f"{asks} chassis power status").returncode == 0,
            lambda: "the BMC does not answer",
        )
        yield made
    finally:
        simulator.kill()
        simulator.wait()
