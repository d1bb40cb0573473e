# SPDX-License-Identifier: GPL-2.0-only
"""Clean Debian hosts for tests of deployment: real ones, with systemd, on a network of their own.

One root is made by mmdebstrap and kept under `var/roots`; each host is an overlay on it, booted
by systemd-nspawn.  The hosts of a `Lab` are on a bridge in a network namespace that leads
nowhere; packages come through a small proxy with the machine's own sources and pip settings,
which are read when the test runs and stand in no file.

Needs root and the Debian packages mmdebstrap, systemd-container, iproute2, openssh-client.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from tests import waiting
from tests.long.proxy import Proxy
from vlag import ROOT
from vlag.lock import hold

SUITE = "bookworm"
#: What Ansible and a boot need; all else is the roles' matter.
PACKAGES = (
    "ca-certificates", "dbus", "iproute2", "openssh-server", "procps", "python3", "python3-apt",
    "systemd", "systemd-sysv",
)  # fmt: skip
_OPTIONS = ("--mode=root", "--variant=minbase")
#: A machine without load boots a host in two seconds.
BOOT_S = 120
_BRIDGE, _NETWORK = "br0", "10.76.0"
_GROUPS = Path("/sys/fs/cgroup")
_NETWORKD = """[Match]
Name=host0
[Network]
Address={address}/24
LinkLocalAddressing=no
"""


def base(*more: str) -> Path:
    """Return the clean root, with some packages more, made at the first call."""
    packages = (*PACKAGES, *more)
    name = f"{SUITE}-{hashlib.sha256(repr((packages, _OPTIONS)).encode()).hexdigest()[:12]}"
    roots = ROOT / "var" / "roots"
    roots.mkdir(parents=True, exist_ok=True)
    with hold(roots / "lock", lambda: print("waiting for the clean root", file=sys.stderr)):
        done = roots / name
        if not done.exists():
            draft = roots / f"{name}.new"
            shutil.rmtree(draft, ignore_errors=True)
            print(f"making a clean Debian root, {SUITE}", file=sys.stderr)
            _run(
                "mmdebstrap", "--quiet", *_OPTIONS,
                f"--include={','.join(packages)}", SUITE, str(draft), *map(str, package_sources()),
            )  # fmt: skip
            _run("systemctl", "--quiet", f"--root={draft}", "enable", "systemd-networkd.service")
            # A first start would ask for it.
            (draft / "etc/machine-id").write_text("")
            draft.rename(done)
    return done


def package_sources() -> list[Path]:
    """Return the machine's own Debian sources of the suite."""
    found = [
        path
        for path in Path("/etc/apt/sources.list.d").glob("*.sources")
        if "debian-archive-keyring" in (text := path.read_text()) and f" {SUITE}" in text
    ]
    assert found, f"/etc/apt/sources.list.d names no sources of Debian {SUITE}"
    return sorted(found)


def _run(*argv: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, f"{argv[0]} ended with {done.returncode}: {done.stderr[-2000:]}"
    return done


def until(condition: Callable[[], object], what: str, seconds: float = BOOT_S) -> None:
    """Wait for a condition; fail with `what` after so many seconds."""
    waiting.until(condition, lambda: f"not within {seconds:.0f} s: {what}", within_s=seconds)


@define(kw_only=True)
class Host:
    """A booted Debian."""

    name: str
    address: str
    folder: Path
    init: int  # its systemd, as this machine counts processes
    nspawn: subprocess.Popen[bytes]
    groups: Sequence[Path]  # control groups of all its processes

    @property
    def root(self) -> Path:
        """The host's files, as this machine sees them."""
        return self.folder / "root"

    def run(
        self, *argv: str, status: int | None = 0, text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program on the host as root; fail with its words if the status is another."""
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        done = subprocess.run(
            ["nsenter", "-t", str(self.init), "-a", "env", "-i", path, "LANG=C.UTF-8", *argv],
            input=text or "", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert status is None or done.returncode == status, (
            f"{self.name}: {' '.join(argv)}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done

    def is_up(self) -> bool:
        """Tell whether its systemd has started all that it starts at a boot."""
        said = self.run("systemctl", "is-system-running", status=None).stdout.strip()
        return said in ("running", "degraded")

    def stop(self) -> None:
        """Shut the host down, and leave nothing of it but its files."""
        self.run("systemctl", "poweroff", status=None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.nspawn.wait(30)
        for group in self.groups:
            kill = group / "cgroup.kill"
            if kill.exists():
                kill.write_text("1")
        if self.nspawn.poll() is None:
            self.nspawn.kill()
        self.nspawn.wait(30)
        for group in self.groups:
            _remove_group(group)


def _remove_group(group: Path) -> None:
    folders = sorted((p for p in group.rglob("*") if p.is_dir()), reverse=True)
    for folder in (*folders, group):
        # A killed process leaves its group a moment later.
        for _ in range(100):
            try:
                folder.rmdir()
            except OSError:
                time.sleep(0.05)
            else:
                break


def start(folder: Path, name: str, address: str, *options: str, inside: Sequence[str] = ()) -> Host:
    """Boot the files in `folder`/root with systemd-nspawn; return as soon as its systemd is there.

    `options` are systemd-nspawn's, and what follows them is for the host's systemd.
    """
    machine = f"vlag{os.getpid()}-{name}"
    groups = [h / machine for h in (_GROUPS / "unified", _GROUPS / "systemd") if h.exists()]
    if (_GROUPS / "cgroup.procs").exists():
        groups = [_GROUPS / machine]
    for group in groups:
        group.mkdir()
    join = "".join(f"echo $$ >{group}/cgroup.procs; " for group in groups)
    with (folder / "console").open("wb") as console:
        nspawn = subprocess.Popen(
            [
                *inside,
                "sh", "-c", f'{join} exec "$@"', "sh",
                "systemd-nspawn", "--boot", "--quiet", f"--directory={folder}/root",
                f"--machine={machine}", f"--hostname={name}", "--keep-unit", "--register=no",
                "--link-journal=no", "--timezone=off", "--console=pipe", *options,
            ],
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    scope = groups[0] / "payload" / "init.scope" / "cgroup.procs"

    def booted() -> bool:
        assert nspawn.poll() is None, (folder / "console").read_text()
        return scope.exists() and bool(scope.read_text())

    until(booted, f"the start of {name}")
    init = int(scope.read_text().split()[0])
    return Host(name=name, address=address, folder=folder, init=init, nspawn=nspawn, groups=groups)


@contextlib.contextmanager
def this_machine(name: str, *options: str) -> Iterator[Host]:
    """Boot this machine's own root below an overlay, as far as systemd's basic target.

    Needs root and the Debian package systemd-container.
    """
    # In memory: an overlay cannot lie within what it covers.
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix=f"vlag-{name}-") as path:
        folder = Path(path)
        folder.chmod(0o755)
        for part in ("upper", "work", "root"):
            (folder / part).mkdir()
        layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
        _run("mount", "-t", "overlay", "overlay", "-o", layers, f"{folder}/root")
        try:
            host = start(folder, name, "", *options, "systemd.unit=basic.target")
            try:
                until(host.is_up, "the end of the boot")
                yield host
            finally:
                host.stop()
        finally:
            _run("umount", "--lazy", f"{folder}/root")


@define(kw_only=True)
class Lab:
    """Hosts on one network, and a way to run programs on it."""

    folder: Path
    namespace: str
    proxy: Proxy
    hosts: dict[str, Host] = field(factory=dict)
    held: contextlib.ExitStack = field(factory=contextlib.ExitStack)

    def host(self, name: str, number: int, binds: Mapping[Path, str] | None = None) -> Host:
        """Boot a clean host with the address 10.76.0.NUMBER; `binds` shows it folders of ours."""
        folder = self.folder / name
        for part in ("upper", "work", "root"):
            (folder / part).mkdir(parents=True)
        below = f"lowerdir={base()},upperdir={folder}/upper,workdir={folder}/work"
        _run("mount", "-t", "overlay", "overlay", "-o", below, f"{folder}/root")
        self.held.callback(_run, "umount", "--lazy", f"{folder}/root")
        address = f"{_NETWORK}.{number}"
        self._configure(folder / "root", name, address)
        caches = {ROOT / "var" / "roots" / name: f"/var/cache/{name}" for name in ("pip", "uv")}
        for cache in caches:
            cache.mkdir(parents=True, exist_ok=True)
        shown = {**caches, **(binds or {})}
        host = start(
            folder, name, address, f"--network-bridge={_BRIDGE}", "--resolv-conf=off",
            *(f"--bind={source}:{place}" for source, place in shown.items()),
            inside=self.inside(),
        )  # fmt: skip
        self.hosts[name] = host
        self.held.callback(host.stop)
        until(host.is_up, f"the end of the boot of {name}")
        until(
            lambda: subprocess.run([*self.ssh(host), "true"], check=False).returncode == 0,
            f"ssh to {name}",
        )
        return host

    def inside(self) -> list[str]:
        """Return an argv prefix that runs a program on the hosts' network."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}"]

    def ssh_options(self) -> list[str]:
        """Return the options with which ssh reaches every host."""
        options = {
            "IdentityFile": self.folder / "key", "IdentitiesOnly": "yes", "BatchMode": "yes",
            "StrictHostKeyChecking": "no", "UserKnownHostsFile": "/dev/null", "LogLevel": "ERROR",
            "ServerAliveInterval": 5,
        }  # fmt: skip
        return [f"-o{key}={value}" for key, value in options.items()]

    def ssh(self, host: Host) -> list[str]:
        """Return an argv prefix that runs a program on a host by ssh."""
        return [*self.inside(), "ssh", *self.ssh_options(), f"root@{host.address}"]

    def inventory(self, groups: Mapping[str, Any]) -> Path:
        """Write an inventory: groups as Ansible's YAML has them; every host gets its address."""
        path = self.folder / "inventory.json"
        hosts = {
            name: {"ansible_host": h.address, "ansible_user": "root"}
            for name, h in self.hosts.items()
        }
        common = {
            "ansible_ssh_common_args": " ".join(self.ssh_options()),
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        path.write_text(
            json.dumps({"all": {"hosts": hosts, "vars": common, "children": groups}}, indent=1)
        )
        return path

    def _configure(self, root: Path, name: str, address: str) -> None:
        (root / "etc/systemd/network/10-host0.network").write_text(
            _NETWORKD.format(address=address)
        )
        (root / "etc/hostname").write_text(f"{name}\n")
        sources = root / "etc/apt/sources.list.d"
        for path in package_sources():
            shutil.copy(path, sources / path.name)
        (root / "etc/apt/sources.list").unlink(missing_ok=True)
        for path in sources.glob("0000*"):
            path.unlink()  # mmdebstrap's own copies
        settings = f'Acquire::http::Proxy "{self.proxy.url}";\nAcquire::http::Pipeline-Depth "0";\n'
        for path in Path("/etc/apt/apt.conf.d").iterdir():
            if "Acquire::Check-" in (text := path.read_text()):
                settings += text
        (root / "etc/apt/apt.conf.d/99test").write_text(settings)
        (root / "etc/pip.conf").write_text(_pip(self.proxy.url))
        (root / "etc/uv").mkdir()
        (root / "etc/uv/uv.toml").write_text('cache-dir = "/var/cache/uv"\n')
        shutil.copy(
            "/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs/ca-certificates.crt"
        )
        keys = root / "root/.ssh"
        keys.mkdir(mode=0o700, exist_ok=True)
        shutil.copy(self.folder / "key.pub", keys / "authorized_keys")


def _pip(proxy: str) -> str:
    """Return a pip.conf for hosts: what this machine's pip is told, by file or environment."""
    said = _run(sys.executable, "-m", "pip", "config", "list").stdout
    settings = {}
    for line in said.splitlines():
        place, _, value = line.partition("=")
        key = place.rpartition(".")[2]
        if key in ("index-url", "extra-index-url", "trusted-host", "default-timeout"):
            settings[key.replace("default-", "")] = value.strip("'\"")
    settings |= {
        "proxy": proxy, "cert": "/etc/ssl/certs/ca-certificates.crt", "cache-dir": "/var/cache/pip"
    }  # fmt: skip
    return "[global]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items())


@contextlib.contextmanager
def lab() -> Iterator[Lab]:
    """Make a network without hosts; at the end nothing is left of it or its hosts."""
    for program in ("mmdebstrap", "systemd-nspawn", "ip", "ssh", "nsenter"):
        assert shutil.which(program), f"the program {program} is missing: see {__file__}"
    base()
    folder = Path(tempfile.mkdtemp(prefix="vlag-lab-"))
    namespace = folder.name
    with contextlib.ExitStack() as held:
        held.callback(shutil.rmtree, folder)
        _run("ip", "netns", "add", namespace)
        held.callback(_run, "ip", "netns", "delete", namespace)
        for words in (
            "link set lo up",
            f"link add {_BRIDGE} type bridge",
            f"address add {_NETWORK}.1/24 dev {_BRIDGE}",
            f"link set {_BRIDGE} up",
        ):
            _run("ip", "-n", namespace, *words.split())
        _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key"))
        proxy = held.enter_context(Proxy.on(namespace, f"{_NETWORK}.1"))
        made = Lab(folder=folder, namespace=namespace, proxy=proxy)
        held.callback(made.held.close)
        # An ended test session must not leave hosts behind.
        before = signal.signal(signal.SIGTERM, _end)
        held.callback(signal.signal, signal.SIGTERM, before)
        yield made


def _end(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def sources(suite: str) -> str:
    """Return this machine's own sources of Debian for another suite, without backports."""
    texts = [path.read_text() for path in package_sources()]
    return "\n".join(text.replace(SUITE, suite) for text in texts if "backports" not in text)


def apt_settings() -> str:
    """Return what this machine's apt is told of the network."""
    kept = re.compile(r'^\s*Acquire::\S+ "[^"]*";\s*$', re.MULTILINE)
    folder = Path("/etc/apt/apt.conf.d")
    texts = [path.read_text() for path in sorted(folder.iterdir()) if path.is_file()]
    return "\n".join(line.strip() for text in texts for line in kept.findall(text))
