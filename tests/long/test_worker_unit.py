# SPDX-License-Identifier: GPL-2.0-only
"""The worker's unit under a real systemd: all that it closes, and its work done all the same.

The host is this machine's own root below an overlay, booted by systemd-nspawn, with the unit as
Ansible writes it; only its command is another.  Needs root, the package systemd-container, and
the network for packages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests.long.emulated import board_of
from tests.long.root import Host, this_machine
from tests.night.clone import environment
from tests.night.digests import samples_digest
from tests.unit.units import WORKER_UNIT, written
from vlag import ROOT

pytestmark = pytest.mark.long

STATE, HOME, PACKAGES = "/var/lib/vlag", "/opt/vlag", "/opt/packages"
UNIT = "vlag-worker.service"
#: Debian's interpreter, as on a host of the farm.
VLAG = '/usr/bin/python3 -c "import sys; from vlag.cli.main import main; sys.exit(main())"'
RUN = ("--board", board_of("qemu-sim-2"), "--benchmark", "stress-ng-switch",
       "--param=duration_s=1", "--seed", "7", "--format", "json")  # fmt: skip
WORK = f"""set -e
{VLAG} build --tree prebuilt --ref 6.12 --board-type qemu-sim-2 --format json >{STATE}/built
kernel=$(/usr/bin/python3 -c 'import json; print(json.load(open("{STATE}/built"))["bundle"])')
{VLAG} run "$kernel" {" ".join(RUN)} >{STATE}/ran
"""
#: What the makefile of a tree can do.
TREE = f"""
import sys
from pathlib import Path
from vlag.sandbox import Rules, Sandbox

source, output = Path("{STATE}/tree"), Path("{STATE}/out")
for folder in (source, output):
    folder.mkdir(exist_ok=True)
(source / "Makefile").write_text(
    "all:\\n\\t@id -u; cat /etc/vlag/vlag.toml; ls {STATE}; unshare --user true; ls /proc; "
    "cat /proc/net/dev; echo made > {STATE}/out/made; echo left > {STATE}/tree/left\\n"
)
box = Sandbox(rules=Rules(), read=(source,), write=(output,))
box.prepare()
print(box.run(["make", "-C", str(source)], cwd=source, line=lambda l: print(l, end="")))
"""


@frozen
class Worker:
    """The host of a worker."""

    host: Host

    @property
    def state(self) -> Path:
        """The state folder, as this machine sees it."""
        return self.host.root / STATE[1:]

    def work(self, command: str, less: str = "") -> tuple[str, str]:
        """Run a command in the unit, which then permits `less`; return its result and words."""
        text = written(WORKER_UNIT).replace("/srv/state", STATE).replace("/srv/home", HOME)
        assert less in text
        text = text.replace(less, "") if less else text
        text = re.sub(r"(?m)^ExecStart=.*", f"ExecStart={command}", text)
        text = text.replace("Type=notify", "Type=oneshot").replace("on-failure", "no")
        text = text.replace("TimeoutStartSec=infinity\n", "").replace("WatchdogSec=5min\n", "")
        more = f"Environment=PYTHONPATH={HOME}:{PACKAGES}\nTimeoutStartSec=1200\n"
        text = text.replace("[Install]", f"{more}[Install]")
        (self.host.root / "etc/systemd/system" / UNIT).write_text(text)
        self.host.run("systemctl", "daemon-reload")
        self.host.run("journalctl", "--rotate", "--vacuum-time=1s", status=None)
        self.host.run("systemctl", "start", UNIT, status=None)
        show = ("systemctl", "show", "--property=Result", "--value", UNIT)
        said = self.host.run("journalctl", "--unit", UNIT, "--output=cat", "--no-pager").stdout
        return self.host.run(*show).stdout.strip(), said


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    packages = sysconfig.get_paths()["purelib"]
    shown = (f"--bind-ro={ROOT}:{HOME}", f"--bind-ro={packages}:{PACKAGES}")
    with this_machine("worker", *shown) as host:
        yield _made(host)


def _made(host: Host) -> Worker:
    """Make what the role vlag_code makes: user, state folder and settings."""
    host.run("useradd", "--system", "--user-group", "--home-dir", STATE, "vlag")
    host.run("install", "-d", "-o", "vlag", "-g", "vlag", "-m", "2770", STATE)
    settings = host.root / "etc/vlag"
    settings.mkdir(exist_ok=True)
    text = (ROOT / "vlag.toml").read_text()
    text = text.replace('state = "var"', f'state = "{STATE}"')
    # Boards of this type need no dispatcher; all others do.
    (settings / "vlag.toml").write_text(f"{text}\n[boots]\ndispatcher = true\n")
    (settings / "work.sh").write_text(WORK)
    (settings / "tree.py").write_text(TREE)
    return Worker(host)


def test_a_makefile_sees_nothing_of_the_host(worker: Worker) -> None:
    result, said = worker.work("/usr/bin/python3 /etc/vlag/tree.py")
    assert result == "success", said
    assert "Ended(status=2" in said  # the source is read only
    assert (worker.state / "out/made").read_text() == "made\n"
    assert not (worker.state / "tree/left").exists()
    assert "cat: /etc/vlag/vlag.toml: No such file" in said
    assert "unshare failed" in said
    assert "lo:" in said  # control: the loopback, and no other network
    assert "eth" not in said
    own = worker.host.run("id", "--user", "vlag").stdout.strip()
    assert own in said.split()


def test_a_board_boots_as_an_ordinary_user_with_the_figures_of_root(
    worker: Worker, tmp_path: Path
) -> None:
    """Userland, kernel and boot: mmdebstrap, apt and lava-run by the unit's user."""
    result, said = worker.work("/bin/sh /etc/vlag/work.sh")
    assert result == "success", said
    ran, built = (
        worker.host.root / json.loads((worker.state / name).read_text())["bundle"][1:]
        for name in ("ran", "built")
    )
    document = json.loads((ran / "run.json").read_text())
    assert document["outcome"] == "complete", document
    own = worker.state.stat().st_uid
    assert own != 0
    others = [p for p in worker.state.rglob("*") if p.lstat().st_uid != own]
    assert others == []
    done = subprocess.run(
        [Path(sys.executable).with_name("vlag"), "run", built, *RUN, "--output", tmp_path / "run"],
        stdout=subprocess.PIPE, text=True, check=False, env=environment(_settings(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert os.geteuid() == 0
    by_root = json.loads((tmp_path / "run/run.json").read_text())
    assert by_root["userland"] == document["userland"]
    assert samples_digest(tmp_path / "run", by_root) == samples_digest(ran, document)


def _settings(folder: Path) -> Path:
    path = folder / "vlag.toml"
    path.write_text((ROOT / "vlag.toml").read_text())
    return path


@pytest.mark.parametrize(
    ("less", "command", "said"),
    [
        (" user uts", "/usr/bin/python3 /etc/vlag/tree.py", "the sandbox of builds cannot be made"),
        (" user uts", "/bin/sh /etc/vlag/work.sh", "lava-run needs root"),
        (" AF_NETLINK", "/usr/bin/python3 /etc/vlag/tree.py", "the sandbox of builds cannot be"),
    ],
)
def test_with_less_nothing_is_built_or_booted(
    worker: Worker, less: str, command: str, said: str
) -> None:
    """Negative control: what the unit leaves open is needed, and its lack is one sentence."""
    result, words = worker.work(command, less)
    assert result == "exit-code"
    assert said in words, words
