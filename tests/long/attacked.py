# SPDX-License-Identifier: GPL-2.0-only
"""A real service that a test attacks, and what must be the same of it after each attack."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import define, field, frozen

from tests import sandboxes
from tests.integration.installation import Installation, free_ports
from tests.integration.masters import write_people
from tests.integration.pushes import Tree
from tests.integration.tiny_tree import MAKEFILE
from tests.long import tiny_kernel
from tests.waiting import until
from vlag import config
from vlag.config import catalogue, kernel_needs
from vlag.errors import InfrastructureError
from vlag.operate.service import health

#: Bytes that a process or the state may grow by under any attack: half of what is sent at it.
MOST_MEMORY, MOST_DISK = 200 << 20, 300 << 20
#: Files that a process may open in a terminal of Debian's.
OPEN_FILES = 1024
#: Seconds in which a service that is well answers anything.
ANSWERS_S = 60
#: Seconds in which builds and boots of some bytes are made, on a busy machine.
LONG_S = 900
#: Twisted's own words, in the master's log, for bytes at the workers' port that no worker sends.
_WORKERS_PORT = b"/twisted/spread/banana.py"
_SERVE = "import sys; from vlag.cli.main import main; sys.argv = ['vlag', 'serve']; main()"
#: Runs vlag, and says at the end how many KiB it had at most.
_MEASURED = """
import atexit, os, resource, sys
from pathlib import Path
from vlag.cli.main import main
peak = lambda: str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
atexit.register(lambda: Path(os.environ["PEAK"]).write_text(peak()))
main()
"""
_MORE = """
[labs.home]
url = "http://127.0.0.1:9"
token_file = "lab-token"
artifacts = "http://127.0.0.1:{artifacts}"
callback = "http://127.0.0.1:{callback}"
poll_interval_s = 3600

[sandbox]
user = "{user}"
disk_mb = {disk_mb}
wall_s = 120
"""


@frozen(kw_only=True)
class Before:
    """A service before an attack."""

    processes: frozenset[int]
    memory: dict[int, int]  # bytes
    files: dict[int, int]  # open ones
    disk: int  # bytes below its folder
    logs: dict[Path, int]  # bytes
    heard: int


@define
class Attacked:
    """The whole service, without nights, with people, a lab and a branch of tiny kernels."""

    made: Installation
    tree: Tree
    service: subprocess.Popen[str]
    ports: dict[str, int]
    branch: str  # of the work tree
    #: What anybody was answered.
    heard: list[bytes] = field(factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports['web']}/"

    @property
    def store(self) -> Path:
        return self.made.state / "artifacts"

    def vlag(self, *words: object, peak: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of the service's; `peak` is written with the KiB that it had at most."""
        code = ["-m", "vlag.cli.main"] if peak is None else ["-c", _MEASURED]
        done = subprocess.run(
            [sys.executable, *code, *map(str, words)],
            env={**self.made.environment(), "PEAK": str(peak)}, cwd=self.made.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.heard += [done.stdout.encode(), done.stderr.encode()]
        return done

    def healthy(self, part: str) -> bool:
        """Return whether a part of the service works, as `vlag health` says it."""
        with contextlib.suppress(InfrastructureError):
            return bool(health.check(config.load(self.made.settings), part, None))
        return False

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait for a condition; the first boot fetches a userland before it."""
        until(condition, self.made.said, alive=lambda: self.service.poll() is None, within_s=LONG_S)

    def say(self, port: str, data: bytes, *, own: str = "127.0.0.1") -> bytes:
        """Send bytes to a port, and return all that comes back until it is closed, or no more."""
        answer = b""
        with self.connect(port, own) as line:
            with contextlib.suppress(ConnectionError):
                line.sendall(data)
            # No ConnectionError: to shut down what the other end has reset.
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_WR)
            line.settimeout(ANSWERS_S)
            with contextlib.suppress(ConnectionError):
                while piece := line.recv(1 << 16):
                    answer += piece
        self.heard.append(answer)
        return answer

    def connect(self, port: str, own: str = "127.0.0.1") -> socket.socket:
        """Connect to a port, from one of this machine's own addresses."""
        return socket.create_connection(
            ("127.0.0.1", self.ports[port]), ANSWERS_S, source_address=(own, 0)
        )

    def flood(self, port: str, head: bytes, megabytes: int, *, chunked: bool) -> tuple[int, bytes]:
        """Send a body for as long as somebody takes it; return the MiB taken, and the answer."""
        piece = bytes(1 << 20)
        frame = b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece
        sent, answer = 0, b""
        with self.connect(port) as line, contextlib.suppress(ConnectionError):
            how = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d"
            line.sendall(head + (how if chunked else how % (megabytes << 20)) + b"\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                while sent < megabytes:
                    line.sendall(frame)
                    sent += 1
                if chunked:
                    line.sendall(b"0\r\n\r\n")
            answer = line.recv(1 << 16)
        self.heard.append(answer)
        return sent, answer

    def before(self) -> Before:
        """Return what the service is now."""
        found = _children(self.service.pid)
        for pid in found:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the highest memory, from now on
        return Before(
            processes=frozenset(found), memory={pid: _memory(pid) for pid in found},
            files={pid: _files(pid) for pid in found}, disk=_disk(self.made.folder),
            logs={p: p.stat().st_size for p in self._logs()}, heard=len(self.heard),
        )  # fmt: skip

    def check(self, before: Before) -> None:
        """Fail if the service is not what it was, has grown, or has given a secret away."""
        assert self.service.poll() is None, self.made.said()
        assert frozenset(_children(self.service.pid)) == before.processes, "a process ended"
        for part in ("database", "master", "artifacts", "worker"):
            assert self.healthy(part), part
        for pid in before.processes:
            grown = _memory(pid) - before.memory[pid]
            assert grown < MOST_MEMORY, (_name(pid), grown >> 20)
        until(
            lambda: all(_files(p) < before.files[p] + 32 for p in before.processes),
            lambda: f"files stay open: {[(_name(p), _files(p)) for p in before.processes]}",
        )
        grown = _disk(self.made.folder) - before.disk
        assert grown < MOST_DISK, grown >> 20
        written = [self._since(p, before.logs.get(p, 0)) for p in self._logs()]
        said = b"\n".join([*written, *self.heard[before.heard :]])
        tracebacks = said.split(b"Traceback (most recent call last)")[1:]
        others = [t.decode(errors="replace") for t in tracebacks if _WORKERS_PORT not in t]
        assert not others, others[0]
        for name, secret in self._secrets().items():
            assert secret not in said, name

    def _logs(self) -> list[Path]:
        return [*sorted((self.made.state / "log").glob("*.log")), *self.made.folder.glob("out-*")]

    def _since(self, path: Path, offset: int) -> bytes:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read()

    def _secrets(self) -> dict[str, bytes]:
        found = {}
        own = [self.made.folder / name for name in ("people", "lab-token")]
        for path in [*own, *sorted((self.made.state / "secrets").iterdir())]:
            # Of a password file what is behind the last colon.
            words = path.read_bytes().strip().rpartition(b":")[2]
            if words:
                found[path.name] = words
        return found


@contextlib.contextmanager
def folder_of_ours(prefix: str) -> Iterator[Path]:
    """Make a folder that other users may enter: each session of pytest closes the way to its own.

    It is left where something in it fails.
    """
    made = Path(tempfile.mkdtemp(prefix=prefix))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@contextlib.contextmanager
def attacked(folder: Path, checkout: Path, disk_mb: int = 200) -> Iterator[Attacked]:
    """Start the service in a new folder; a build may write `disk_mb` MiB."""
    made = Installation(folder, checkout)
    (made.fake / "vlag").unlink()  # the stages are real
    folder.chmod(0o711)  # the build's user goes through it
    tree = Tree(folder)
    fill(tree.work)
    tree.git("add", "--all")
    tree.commit("sched: the base")
    tree.git("tag", "debian/6.1.1")
    tree.push()
    tree.git("push", "--quiet", str(tree.url), "debian/6.1.1")
    ports = dict(zip(("artifacts", "callback"), free_ports(2), strict=True))
    made.configure(f'[trees.debian]\nurl = "{tree.url}"\n', commits="commit")
    text = made.settings.read_text().replace(
        "[ports]\n", "[ports]\n" + "".join(f"{name} = {port}\n" for name, port in ports.items())
    )
    text += write_people(folder) + _MORE.format(user=sandboxes.user(), disk_mb=disk_mb, **ports)
    text += "".join(f"[{name}]\nautomatic = false\n" for name in ("profile", "toggles", "bisect"))
    made.settings.write_text(text)
    (folder / "lab-token").write_text("a token of a lab\n")
    reports = made.state / "reports"
    reports.mkdir(parents=True)
    (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")  # so none is started
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, own[1]))
    try:
        service = made.spawn("-c", _SERVE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (own[1], own[1]))  # the attacker's is higher
    branch = tree.git("branch", "--show-current")
    one = Attacked(made, tree, service, {**made.ports, **ports}, branch)
    try:
        until(lambda: "the service is up" in made.said() or service.poll() is not None, made.said)
        assert service.poll() is None, made.said()
        for part in ("worker", "artifacts"):
            until(lambda part=part: one.healthy(part), made.said)  # type: ignore[misc]
        yield one
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)
        made.end()


def fill(folder: Path, kernel: bytes = tiny_kernel.PANICS, makefile: str = MAKEFILE) -> None:
    """Write a tree whose kernel is tiny and says `kernel`."""
    known = catalogue.load()
    needs = kernel_needs.of_board_type(known.board_type("qemu-sim-2"), known)
    options = [f"{n.option}={'y' if n.least is None else n.least}\n" for n in needs]
    for name in ("Kbuild", "Kconfig"):  # tuxmake takes no other tree
        (folder / name).write_text("\n")
    (folder / "options").write_text("".join(options))
    (folder / "speed").write_bytes(tiny_kernel.image(kernel))  # what the makefile calls an image
    (folder / "Makefile").write_text(makefile)


def _children(pid: int) -> list[int]:
    return [int(w) for w in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[-60:]


def _memory(pid: int) -> int:
    """Return the most bytes of memory that a process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) << 10


def _files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _disk(folder: Path) -> int:
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(Path(root, name)).st_blocks * 512
    return total


def half_open(
    of: Attacked, port: str, begins: bytes, count: int, sources: Sequence[str]
) -> list[socket.socket]:
    """Open connections that each begin a request; those that are closed at once count too."""
    found = []
    for number in range(count):
        line = of.connect(port, sources[number % len(sources)])
        with contextlib.suppress(ConnectionError):
            line.sendall(begins)
        found.append(line)
    return found
