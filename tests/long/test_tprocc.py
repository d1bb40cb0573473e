# SPDX-License-Identifier: GPL-2.0-only
"""TPROC-C for real: MariaDB and HammerDB on two machines, played by containers with a cable.

`VLAG_TEST_HAMMERDB` names an unpacked HammerDB 4, which no Debian package has.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from bench.evidence import table, write
from tests.pair_machines import cabled, fill, inside
from tests.waiting import until
from vlag import ROOT
from vlag.config.catalogue import load
from vlag.errors import ParseError
from vlag.model import ParsedOutput
from vlag.parsers import parse

pytestmark = pytest.mark.long

TPROCC = load().benchmark("mysql-tprocc")
TPROCC_FOLDER = ROOT / "lava-jobs" / "benchmarks" / TPROCC.name
#: Minutes are HammerDB's unit.
SHORT = {"users": 2, "warehouses": 1, "rampup_min": 1, "duration_min": 1}
ENDS_S = 600
POLICIES = {"other": os.SCHED_OTHER, "batch": os.SCHED_BATCH}
#: A container: a root, a network, mounts and processes of its own.
_CONTAINER = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot")
_BOOT = (
    "export PATH=/bin; mount -t proc proc /proc; mount -t devtmpfs dev /dev;"
    " set -a; . /vlag/entry; OUT=/out; exec sh /vlag/run.sh"
)


@define
class Pair:
    """Two machines, each with a disk of its own."""

    folder: Path
    image: Path
    disks: dict[str, str]  # role -> block device
    namespaces: dict[str, str]
    seen: list[tuple[str, ParsedOutput]] = field(factory=list)

    def start(self, policy: str) -> dict[str, subprocess.Popen[str]]:
        """Boot both; what they write is below `out`."""
        started = {}
        for role, namespace in self.namespaces.items():
            root = self.folder / role
            shutil.rmtree(root, ignore_errors=True)
            fill(root, role, TPROCC, {**SHORT, "policy": policy})
            for name in ("proc", "dev"):
                (root / name).mkdir()
            libraries(root)
            started[role] = subprocess.Popen(
                ["ip", "netns", "exec", namespace, *_CONTAINER, root, "/bin/busybox", "sh", "-c",
                 _BOOT],
                env={**os.environ, "VLAG_DISK": self.disks[role]}, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True,
            )  # fmt: skip
        return started

    def server(self) -> int:
        """Return the server's process once it is there."""

        def there() -> int | None:
            for pid in inside(self.namespaces["sut"]):
                with contextlib.suppress(OSError):  # it has ended meanwhile
                    if Path(f"/proc/{pid}/comm").read_text().strip() in ("mariadbd", "mysqld"):
                        return pid
            return None

        found = until(there, lambda: "no server was started")
        assert found is not None
        return found

    def output(self) -> Path:
        return self.folder / "loadgen" / "out" / "hammerdb.txt"


def libraries(root: Path) -> None:
    """Give a root what its busybox is linked with."""
    said = subprocess.run(
        ["ldd", root / "bin" / "busybox"], capture_output=True, text=True, check=True
    ).stdout
    for path in re.findall(r"(/\S+) \(0x", said):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hammerdb = os.environ.get("VLAG_TEST_HAMMERDB", "")
    assert (Path(hammerdb) / "hammerdbcli").is_file(), (
        "VLAG_TEST_HAMMERDB must name an unpacked HammerDB 4, from hammerdb.com"
    )
    made = tmp_path_factory.mktemp("tprocc") / "disk.img"
    subprocess.run([TPROCC_FOLDER / "make-disk", made, hammerdb, "1"], check=True)
    return made


@pytest.fixture(scope="module")
def pair(image: Path) -> Iterator[Pair]:
    copy = image.with_name("other.img")
    shutil.copy(image, copy)
    disks = {}
    try:
        for role, path in (("sut", image), ("loadgen", copy)):
            disks[role] = subprocess.run(
                ["losetup", "--find", "--show", path], capture_output=True, text=True, check=True
            ).stdout.strip()
        with cabled() as namespaces:
            yield Pair(folder=image.parent, image=image, disks=disks, namespaces=namespaces)
    finally:
        for device in disks.values():
            subprocess.run(["losetup", "--detach", device], check=False)


def pristine(pair: Pair) -> str:
    """Return a digest of the database that each run copies."""
    place = pair.folder / "mounted"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "ro,noload", pair.disks["sut"], place], check=True)
    try:
        found = sorted(p for p in (place / "var/lib/mysql.pristine").rglob("*") if p.is_file())
        assert found
        digests = [hashlib.sha256(p.read_bytes()).hexdigest() for p in found]
    finally:
        subprocess.run(["umount", place], check=True)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_pair_measures_under_the_policy_that_is_asked_for(pair: Pair, policy: str) -> None:
    before = pristine(pair)
    started = pair.start(policy)
    server = pair.server()
    time.sleep(2)  # chrt has become the server
    assert os.sched_getscheduler(server) == POLICIES[policy]
    said = {role: one.communicate(timeout=ENDS_S)[0] for role, one in started.items()}
    assert {role: one.returncode for role, one in started.items()} == {"sut": 0, "loadgen": 0}, said
    found = parse("hammerdb", pair.output().read_bytes(), path=str(pair.output()))
    values = {s.metric: s.values[0] for s in found.samples}
    assert set(values) == {m.name for m in TPROCC.metrics}
    assert 0 < values["nopm"] < values["tpm"]
    assert found.defaults == {"users": "2"}
    assert {"mysqld.txt", "stat-before.txt", "stat-after.txt"} <= {
        p.name for p in (pair.folder / "sut" / "out").iterdir()
    }
    assert pristine(pair) == before
    pair.seen.append((policy, found))


def test_a_server_that_dies_gives_no_figures(pair: Pair) -> None:
    """Negative control."""
    started = pair.start("other")
    server = pair.server()
    until((pair.folder / "sut" / "out" / "stat-before.txt").exists)
    time.sleep(20)
    os.kill(server, signal.SIGKILL)
    for one in started.values():
        one.communicate(timeout=ENDS_S)
    with pytest.raises(ParseError, match="did not end well"):
        parse("hammerdb", pair.output().read_bytes(), path=str(pair.output()))


def test_the_evidence(pair: Pair) -> None:
    assert [policy for policy, _ in pair.seen] == list(POLICIES)
    write(
        "tprocc",
        "TPROC-C on a pair of machines",
        "pytest -m long tests/long/test_tprocc.py",
        [f"HammerDB {pair.seen[0][1].tool_version}, Debian's MariaDB, one warehouse, two users"],
        [
            "The benchmark's own scripts on two containers with a cable between them, each with a",
            "copy of the disk that `make-disk` makes. Both share this machine's kernel and CPUs:",
            "the figures say that the tools work together, and nothing about a policy.",
            "",
            *table(
                ("policy", *(f"{m.name}, {m.unit}" for m in TPROCC.metrics)),
                [
                    (policy, *(f"{s.values[0]:g}" for s in found.samples))
                    for policy, found in pair.seen
                ],
            ),
        ],
    )
