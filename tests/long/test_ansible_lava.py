# SPDX-License-Identifier: GPL-2.0-only
"""The lab's roles on clean Debian hosts: LAVA's server, a dispatcher and the boards' tools.

Real hosts with systemd, real packages, Ansible over ssh, and a job that boots Debian's kernel on
the lab's virtual board.  Two things are not what a farm has: boards of metal (none stands here),
and the source of the one tool that Debian has not, for which a small program of that name stands
in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.evidence import table, write
from tests.long.root import Host, Lab, lab, until
from vlag import ROOT
from vlag.lava.newc import archive

pytestmark = pytest.mark.long

ANSIBLE = ROOT / "ansible"
PLAYBOOK: list[dict[str, Any]] = [
    {
        "name": "Check the inventory",
        "hosts": "all",
        "gather_facts": False,
        "tasks": [{"ansible.builtin.import_tasks": str(ANSIBLE / "tasks/check_inventory.yml")}],
    },
    {"name": "Server", "hosts": "lava_servers", "roles": ["lava_server"]},
    {"name": "Dispatchers", "hosts": "lava_dispatchers", "roles": ["lava_dispatcher"]},
    {"name": "Tools", "hosts": "board_hosts", "roles": ["board_host"]},
    {
        # Of the service's role what it trusts: no service runs here.
        "name": "Service",
        "hosts": "lava_servers",
        "vars_files": [str(ANSIBLE / "roles/vlag_code/vars/main.yml")],
        "vars": {"vlag_labs": {}},
        "tasks": [
            {"ansible.builtin.file": {"path": "/etc/vlag", "state": "directory", "mode": "0755"}},
            {
                "ansible.builtin.include_tasks": str(
                    ANSIBLE / "roles/vlag_code/tasks/authorities.yml"
                ),
            },
        ],
        "handlers": [{"name": "Restart vlag", "ansible.builtin.debug": {"msg": "none runs"}}],
    },
]
BOARDS: dict[str, dict[str, Any]] = {
    "sim-1": {"board_type": "qemu-sim-2", "lab": "home", "dispatcher": "reach", "tags": ["quick"]},
    "rpi5-1": {
        "board_type": "rpi5",
        "lab": "home",
        "dispatcher": "reach",
        "console": "telnet console-1 7001",
        "power": {"on": "pdu 1 on", "off": "pdu 1 off", "reset": "pdu 1 cycle"},
        "mac": "d8:3a:dd:00:00:01",
    },
}
#: Stands in for the source of a release that no Debian has.
STAND_IN = (
    "stress-ng:\n\tprintf '#!/bin/sh\\necho stress-ng, version 0.21.00\\n' >$@\n\tchmod 755 $@\n"
)
TOOL = "stress-ng-0.21.00"
#: Boots Debian's kernel with one program, which says what the kernel says of itself.
JOB = """
job_name: a kernel of Debian
device_type: qemu-sim-2
visibility: public
priority: medium
context: {arch: x86_64}
timeouts:
  job: {seconds: 420}
  action: {seconds: 400}
  connection: {seconds: 300}
actions:
  - deploy:
      timeout: {seconds: 60}
      to: tmpfs
      images:
        kernel:
          image_arg: -kernel {kernel} -append "console=ttyS0 tsc=reliable panic=-1 loglevel=4"
          url: file:///srv/guest/vmlinuz
        ramdisk:
          image_arg: -initrd {ramdisk}
          url: file:///srv/guest/ramdisk
  - boot: {timeout: {seconds: 300}, method: qemu, media: tmpfs}
  - test:
      timeout: {seconds: 300}
      monitors:
        - name: vlag
          start: "@vlag:start"
          end: "@vlag:done"
          pattern: '@vlag:case (?P<test_case_id>\\S+) (?P<result>pass|fail)'
"""
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc
/bin/busybox mount -t proc proc /proc
echo "@vlag:start"
echo "kernel $(/bin/busybox uname -r), $(/bin/busybox grep -c ^processor /proc/cpuinfo) CPUs"
echo "@vlag:case boot pass"
echo "@vlag:done"
read word
/bin/busybox poweroff -f
"""
#: Sends a job as vlag does, and says what came of it.
SEND = """
import json, pathlib, sys
from vlag.errors import VlagError
from vlag.lava import lab
from vlag.lava.lab_settings import Lab
from vlag.lava.server import Client
url, token, ca, folder, key, limit = sys.argv[1:]
home = Lab(name="home", url=url, token_file=pathlib.Path(token), ca=pathlib.Path(ca), artifacts="")
try:
    done = lab.run(home, sys.stdin.read(), key, folder=pathlib.Path(folder),
                   on_line=lambda line: None, queue_limit_s=float(limit), limit_s=420.0)
except VlagError as e:
    print(json.dumps({"refused": str(e)}))
else:
    number = Client(home).find(key)[0].id
    results = {r.name: r.result for r in Client(home).results(number) if r.suite != "lava"}
    print(json.dumps({"error": done.error, "device": done.device, "version": done.version,
                      "console": done.console, "results": results}))
"""


class Farm:
    """Two clean hosts, an inventory of them and Ansible that brings it about."""

    def __init__(self, net: Lab, folder: Path):
        self.net = net
        self.folder = folder
        self.server = net.host("lava", 11)
        self.reach = net.host("reach", 12)
        self.boards = {name: dict(keys) for name, keys in BOARDS.items()}
        self.playbook = folder / "site.yml"
        self.playbook.write_text(yaml.safe_dump(PLAYBOOK, sort_keys=False))
        self.sources = folder / "sources"
        self.sum = _stand_in(self.sources)
        self.sums = {TOOL: self.sum}
        self.authority = _certificate(folder, self.server.address)
        self.inventory = self.write()
        self.times: dict[str, float] = {}
        done = _vlag("inventory", "secrets", "--inventory", str(self.inventory))
        assert done.returncode == 0, done.stdout + done.stderr
        self.secrets = self.inventory.parent / "secrets"

    def write(self, **server: Any) -> Path:
        """Write the inventory."""
        tls = {"certificate": str(self.folder / "lava.crt"), "key": str(self.folder / "lava.key")}
        path = self.net.inventory(
            {
                "lava_servers": {
                    "hosts": {
                        "lava": {
                            "lab": "home",
                            "tls": tls,
                            "lava_server_listen": self.server.address,
                            **server,
                        }
                    }
                },
                "lava_dispatchers": {
                    "hosts": {
                        "reach": {
                            "lab": "home",
                            "lava_dispatcher_authority": str(self.authority),
                        }
                    }
                },
                "board_hosts": {
                    "hosts": {
                        "reach": {
                            "board_host_sources": str(self.sources),
                            "board_host_sha256": self.sums,
                            "board_host_tools": ["stress-ng-0.15.06", "rt-tests-2.4", TOOL],
                        }
                    }
                },
                "boards": {"hosts": self.boards},
            }
        )
        self.inventory = path
        return path

    def play(self, what: str, *options: str, status: int = 0) -> str:
        """Run the playbook; return what it said."""
        begun = time.monotonic()
        done = subprocess.run(
            [*self.net.inside(), _program("ansible-playbook"), "-i", str(self.inventory),
             str(self.playbook), *options],
            cwd=ANSIBLE, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            env={**os.environ, "ANSIBLE_ROLES_PATH": str(ANSIBLE / "roles"),
                 "ANSIBLE_PIPELINING": "1", "ANSIBLE_NOCOLOR": "1"},
        )  # fmt: skip
        self.times[what] = time.monotonic() - begun
        (self.folder / "said.txt").open("a").write(f"== {what}\n{done.stdout}{done.stderr}\n")
        assert done.returncode == status, f"{what}:\n{done.stdout[-6000:]}{done.stderr[-3000:]}"
        return done.stdout + done.stderr

    def rest(self, path: str, token: str) -> Any:
        """Ask the server's REST interface from the dispatcher's host, through TLS."""
        done = self.reach.run(
            "python3", "-c", _ASK, f"https://{self.server.address}/api/v0.2/{path}", token,
            "/etc/ssl/certs/ca-certificates.crt",
        )  # fmt: skip
        return json.loads(done.stdout)

    def job(self, key: str, *, queue_limit_s: float) -> dict[str, Any]:
        """Send `JOB` to the server through TLS; return what came of it."""
        begun = time.monotonic()
        done = subprocess.run(
            [*self.net.inside(), sys.executable, "-c", SEND, f"https://{self.server.address}",
             str(self.secrets / "lab-home"), str(self.server.root / "etc/vlag/lab-home.crt"),
             str(self.folder), key, str(queue_limit_s)],
            input=JOB, capture_output=True, text=True, check=False, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.times[f"job {key}"] = time.monotonic() - begun
        return dict(json.loads(done.stdout))

    def worker(self) -> dict[str, Any]:
        """Return what the server knows of the dispatcher."""
        rows = self.rest("workers/", self.secret("lab-home"))["results"]
        return next(dict(row) for row in rows if row["hostname"] == "reach")

    def secret(self, name: str) -> str:
        """Return a secret."""
        return (self.secrets / name).read_text().strip()


_ASK = """
import sys, urllib.request, urllib.error, ssl, json
url, token, authority = sys.argv[1:]
request = urllib.request.Request(url, headers={"Authorization": "Token " + token} if token else {})
try:
    answer = urllib.request.urlopen(request, context=ssl.create_default_context(cafile=authority))
    print(answer.read().decode())
except urllib.error.HTTPError as e:
    print(json.dumps({"status": e.code}))
"""


def _program(name: str) -> str:
    found = shutil.which(name)
    assert found, f"{name} is missing: `make setup-check` installs it"
    return found


def _vlag(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([_program("vlag"), *argv], capture_output=True, text=True, check=False)


def _guest(host: Host) -> None:
    """Bring a kernel of Debian and one program for it to a host: what the job boots."""
    host.run("mkdir", "-p", "/srv/guest/tree")
    host.run(
        "bash", "-ec",
        "cd /srv/guest; kernel=$(apt-cache depends linux-image-cloud-amd64"
        " | sed -n 's/.*Depends: \\(linux-image.*\\)/\\1/p')\n"
        "apt-get --quiet download $kernel busybox-static\n"
        "for package in *.deb; do dpkg-deb --extract $package unpacked; done\n"
        "cp unpacked/boot/vmlinuz-* vmlinuz",
    )  # fmt: skip
    place = host.root / "srv/guest"
    tree = place / "tree"
    for part in ("bin", "proc"):
        (tree / part).mkdir()
    shutil.copy(place / "unpacked/bin/busybox", tree / "bin/busybox")
    (tree / "init").write_text(INIT)
    (tree / "init").chmod(0o755)
    (place / "ramdisk").write_bytes(archive(tree))


def _stand_in(folder: Path) -> str:
    folder.mkdir()
    place = folder / "stress-ng"
    place.mkdir()
    (place / "Makefile").write_text(STAND_IN)
    archive = folder / "stress-ng-0.21.00.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(place, "stress-ng-0.21.00")
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def _certificate(folder: Path, address: str) -> Path:
    """Make a certificate that signs itself, so that it is its own authority."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         f"/CN={address}", "-addext", f"subjectAltName=IP:{address}",
         "-keyout", str(folder / "lava.key"), "-out", str(folder / "lava.crt")],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "lava.crt"


def recap(said: str) -> dict[str, dict[str, int]]:
    """Return Ansible's account: host -> word -> number."""
    lines = re.findall(r"^(\S+) +: (ok=.*)$", said.partition("PLAY RECAP")[2], re.MULTILINE)
    return {
        host: {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", words)} for host, words in lines
    }


def changed(said: str, *, but: str = "") -> Mapping[str, int]:
    """Return how much was changed on each host that was."""
    found = {host: words["changed"] for host, words in recap(said).items() if host != but}
    assert found
    return {host: number for host, number in found.items() if number}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with lab() as net:
        made = Farm(net, tmp_path_factory.mktemp("farm"))
        made.play("--check on clean hosts", "--check", "--diff")
        for host in (made.server, made.reach):
            assert not (host.root / "usr/bin/lava-server").exists()
        made.play("first run")
        yield made


def test_a_second_run_changes_nothing(farm: Farm) -> None:
    assert changed(farm.play("second run")) == {}
    assert changed(farm.play("--check on converged hosts", "--check", "--diff")) == {}


def test_an_edited_file_is_seen_and_mended(farm: Farm) -> None:
    unit = farm.server.root / "etc/systemd/system/lava-scheduler.service.d/vlag.conf"
    before = unit.read_text()
    edited = before.replace("NoNewPrivileges=true", "NoNewPrivileges=false")
    assert edited != before
    farm.server.run("tee", "/etc/systemd/system/lava-scheduler.service.d/vlag.conf", text=edited)
    said = farm.play("--check after an edit", "--limit", "lava", "--check", "--diff")
    assert changed(said) == {"lava": 1} or changed(said) == {"lava": 2}  # with its handler
    assert "-NoNewPrivileges=false" in said
    assert unit.read_text() == edited
    farm.play("an edit repaired", "--limit", "lava")
    assert unit.read_text() == before


def test_programs_find_their_files_right(farm: Farm) -> None:
    server, reach = farm.server, farm.reach
    said = server.run("runuser", "-u", "lavaserver", "--", "lava-server", "manage", "check",
                      "--deploy", "--fail-level", "WARNING", status=1).stderr  # fmt: skip
    faults = re.findall(
        r"^(?:lava|permissions|health).*$", said.partition("INFOS")[0], re.MULTILINE
    )
    assert faults == [
        "lava services: apache2 service is not active.",  # nginx is in its place
        "health-checks: No health check for 'rpi5-1'",  # the inventory names none
        "health-checks: No health check for 'sim-1'",
    ], said
    server.run("nginx", "-t")
    units = [f"lava-{name}.service" for name in ("server-gunicorn", "publisher", "scheduler")]
    server.run("systemd-analyze", "verify", *units)
    reach.run("systemd-analyze", "verify", "lava-worker.service")
    assert f"{reach.address}:69" in reach.run("ss", "-lunH").stdout  # TFTP, for boards
    for host, names in ((server, [*units, "nginx"]), (reach, ["lava-worker", "tftpd-hpa"])):
        for name in names:
            assert host.run("systemctl", "is-active", name).stdout.strip() == "active"
    for place, mode in (
        (server.root / "etc/lava-server/settings.d/10-vlag.yaml", 0o640),
        (reach.root / "etc/lava-dispatcher/token", 0o600),
    ):
        assert place.stat().st_mode & 0o777 == mode
    listening = server.run("ss", "-ltnH").stdout
    for line in listening.splitlines():
        address = line.split()[3]
        assert address.startswith(("127.0.0.1", "[::1]", "10.76.0.11:443")) or (
            address.endswith(":22")
        ), f"listens for all: {line}"


def test_no_secret_stands_in_a_list_of_processes(farm: Farm) -> None:
    shown = "".join(h.run("ps", "axww", "-o", "args").stdout for h in (farm.server, farm.reach))
    assert "lava-worker" in shown
    for path in farm.secrets.iterdir():
        assert path.read_text().strip() not in shown
        assert path.read_text().strip() not in (farm.folder / "said.txt").read_text()


def test_the_server_answers_with_its_devices(farm: Farm) -> None:
    token = farm.secret("lab-home")
    rows = {d["hostname"]: d for d in farm.rest("devices/", token)["results"]}
    assert set(rows) == set(BOARDS)
    tags = {t["id"]: t["name"] for t in farm.rest("tags/", token)["results"]}
    assert {tags[i] for i in rows["sim-1"]["tags"]} == {"sim-1", "quick"}
    assert rows["rpi5-1"]["device_type"] == "bcm2712-rpi-5-b"
    assert {row["worker_host"] for row in rows.values()} == {"reach"}
    # Negative control: without the token there is no such answer.
    assert farm.rest("system/whoami/", token)["user"] == "vlag"
    assert farm.rest("system/whoami/", "0" * 64) == {"status": 403}


def test_the_dispatcher_is_logged_in(farm: Farm) -> None:
    until(lambda: farm.worker()["state"] == "Online", "the dispatcher's login")
    version = farm.reach.run("qemu-system-x86_64", "--version").stdout
    found = re.search(r"version (\d+)", version)
    assert found
    assert int(found[1]) >= 10


def test_a_job_boots_the_labs_board(farm: Farm) -> None:
    _guest(farm.reach)
    done = farm.job("boots-once", queue_limit_s=120)
    assert "refused" not in done, done
    assert done["error"] is None, done
    assert done["device"] == "sim-1"
    assert done["results"] == {"boot": "pass"}
    [said] = [line for line in done["console"] if line.startswith("kernel 6.1.")]
    assert said.endswith("-cloud-amd64, 2 CPUs")


def test_a_dispatcher_with_a_wrong_token_takes_no_job_and_that_is_said(farm: Farm) -> None:
    secret = farm.secrets / "lava-worker-reach"
    right = secret.read_text()
    secret.write_text("f" * 32 + "\n")
    said = farm.play("a dispatcher with a wrong token", "--limit", "reach", status=2)
    assert (
        f"reach: https://{farm.server.address}/ does not take the dispatcher reach with the secret"
        " lava-worker-reach: Invalid 'token'; run the role lava_server"
    ) in " ".join(said.split())
    assert "f" * 32 not in said
    # The server misses it after a minute.
    until(lambda: farm.worker()["state"] == "Offline", "that the dispatcher is missed", 180)
    done = farm.job("boots-never", queue_limit_s=30)
    assert "sim-1's dispatcher reach is offline or in maintenance" in done["refused"]

    secret.write_text(right)
    said = farm.play("--check with the right token", "--limit", "reach", "--check", "--diff")
    assert "reach" in changed(said)
    assert right.strip() not in said
    farm.play("the right token", "--limit", "reach")
    until(lambda: farm.worker()["state"] == "Online", "the dispatcher's login")
    done = farm.job("boots-again", queue_limit_s=120)
    assert done.get("results") == {"boot": "pass"}, done


def test_only_dispatchers_of_the_inventory_are_taken(farm: Farm) -> None:
    place = "http://127.0.0.1:8000/scheduler/internal/v1/workers/"
    asked = f"import urllib.request as r; r.urlopen('{place}', b'name=stranger')"
    said = farm.server.run("python3", "-c", asked, status=1).stderr
    assert "403" in said
    rows = farm.rest("workers/", farm.secret("lab-home"))["results"]
    assert {row["hostname"] for row in rows} - {"example.com"} == {"reach"}


def test_a_new_token_takes_the_place_of_the_old(farm: Farm) -> None:
    old = farm.secret("lab-home")
    (farm.secrets / "lab-home").unlink()
    _vlag("inventory", "secrets", "--inventory", str(farm.inventory))
    new = farm.secret("lab-home")
    assert old != new
    said = farm.play("rotation")
    assert changed(said) == {"lava": 1}
    assert farm.rest("system/whoami/", new)["user"] == "vlag"
    assert farm.rest("system/whoami/", old) == {"status": 403}


def test_a_board_that_is_gone_is_retired(farm: Farm) -> None:
    gone = farm.boards.pop("sim-1")
    farm.write()
    farm.play("a board removed", "--limit", "lava_servers")
    token = farm.secret("lab-home")
    health = {d["hostname"]: d["health"] for d in farm.rest("devices/?all=true", token)["results"]}
    assert health["sim-1"] == "Retired"
    assert health["rpi5-1"] != "Retired"
    farm.boards["sim-1"] = gone
    farm.write()
    farm.play("the board added again", "--limit", "lava_servers")
    health = {d["hostname"]: d["health"] for d in farm.rest("devices/?all=true", token)["results"]}
    assert health["sim-1"] == "Unknown"


def test_tools_of_two_versions_stand_side_by_side(farm: Farm) -> None:
    for version in ("0.15.06", "0.21.00"):
        said = farm.reach.run(f"stress-ng-{version}", "--version").stdout
        assert f"stress-ng, version {version}" in said
    assert "0.15.06" in farm.reach.run("cat", "/opt/vlag/tools/stress-ng-0.15.06/origin").stdout
    assert farm.sum in farm.reach.run("cat", f"/opt/vlag/tools/{TOOL}/origin").stdout


def test_no_source_is_built_that_nobody_has_compared(farm: Farm) -> None:
    farm.sums.clear()
    farm.write()
    said = farm.play("a tool without a checksum", "--limit", "reach", status=2)
    assert (
        f"reach: {TOOL} has no checksum: compare {TOOL}.tar.gz with what its maker has signed, and"
        f" say board_host_sha256: {{{TOOL}: ITS-SHA256}} in the inventory"
    ) in " ".join(said.split())
    assert changed(said) == {}
    # One that is another's: what stands there is left, and nothing is built.
    farm.sums[TOOL] = "0" * 64
    farm.write()
    place = f"/opt/vlag/tools/{TOOL}"
    farm.reach.run("mv", place, "/opt/kept")
    said = farm.play("a tool with a wrong checksum", "--limit", "reach", status=2)
    assert f"has the sha256 {farm.sum}, and {'0' * 64} is wanted" in " ".join(said.split())
    farm.reach.run("test", "-e", place, status=1)
    farm.reach.run("mv", "/opt/kept", place)
    farm.sums[TOOL] = farm.sum
    farm.write()


def test_wrong_arguments_are_refused(farm: Farm) -> None:
    farm.write(lava_server_workers="many")
    assert "lava_server_workers" in farm.play("a wrong argument", status=2)
    farm.write(lava_server_listen="127.0.0.1")
    said = farm.play("an unreachable server", status=2)
    assert "where other hosts' dispatchers cannot reach it" in said
    farm.write()
    farm.boards["sim-1"]["board_type"] = "qemu-sin"
    farm.write()
    said = farm.play("an unknown board type", status=2)
    assert "sim-1.board_type: no board type 'qemu-sin'" in said
    assert all(words["changed"] == 0 for words in recap(said).values())
    farm.boards["sim-1"]["board_type"] = "qemu-sim-2"
    farm.write()


def _packages(host: Host, *names: str) -> str:
    found = host.run("dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *names)
    return ", ".join(found.stdout.split("\n")).strip(", ")


def test_the_evidence(farm: Farm) -> None:
    version = farm.reach.run("qemu-system-x86_64", "--version").stdout.splitlines()[0]
    write(
        "ansible-lava",
        "The lab's roles on clean Debian hosts",
        "pytest -m long tests/long/test_ansible_lava.py",
        [
            f"server: {_packages(farm.server, 'lava-server', 'nginx-light', 'postgresql')}",
            f"dispatcher: {_packages(farm.reach, 'lava-dispatcher', 'tftpd-hpa')}, {version}",
            f"the source of {TOOL} is a stand-in: no release of Debian has it",
        ],
        table(
            ["run of the playbook", "seconds"],
            [(what, f"{seconds:.0f}") for what, seconds in farm.times.items()],
        ),
    )
