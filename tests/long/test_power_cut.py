# SPDX-License-Identifier: GPL-2.0-only
"""A power cut under load, ten times: what ingest has said yes to is there, and nothing is empty.

PostgreSQL, bundles and their ingestion work on an ext4 file system in a file.  A cut is an atomic
copy of that file (a reflink on btrfs, around it) at a random moment: what had reached the disk by
then, as after the loss of power.  Each copy is mounted in the place of the original, PostgreSQL
recovers, and everything is looked at.

Needs root, loop devices, ext4 and btrfs.  `VLAG_TEST_SEED` repeats the moments of a session.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import define, field, frozen

from tests.integration.installation import free_ports
from vlag import ROOT, bundle, config, durable
from vlag.config import catalogue
from vlag.errors import VlagError
from vlag.operate.service import postgres
from vlag.pipeline.ingest import ingest
from vlag.store import run_values
from vlag.store.database import connect

pytestmark = pytest.mark.long

CUTS = 10
#: Bundles that are said yes to before the first cut, and seconds from a cut to the next at most.
BEFORE, LATEST_S = 10, 1.5
#: The kernel writes names every second and lazily the contents: the worst that ext4 does.
_OPTIONS = "loop,commit=1,noauto_da_alloc"


@frozen(kw_only=True)
class Cut:
    """A copy of the disk, and what ingest had said yes to before it was made."""

    image: Path
    claimed: tuple[Path, ...]


@define
class Load:
    """The process that writes and ingests bundles."""

    process: subprocess.Popen[str]
    claimed: list[Path] = field(factory=list)
    news: threading.Condition = field(factory=threading.Condition)

    def collect(self) -> None:
        for line in self.process.stdout or ():
            with self.news:
                self.claimed.append(Path(line.strip()))
                self.news.notify_all()

    def wait_for(self, count: int) -> None:
        with self.news:
            assert self.news.wait_for(lambda: len(self.claimed) >= count, 120), "no bundle in time"


def call(*words: str | Path) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stderr.strip()}"


@contextmanager
def mounted(image: Path, place: Path, options: str) -> Iterator[None]:
    place.mkdir(exist_ok=True)
    call("mount", "-o", options, image, place)
    try:
        yield
    finally:
        call("umount", place)


@contextmanager
def database(settings: config.Settings, log: Path) -> Iterator[None]:
    server = postgres.start(postgres.prepare(settings), log)
    try:
        yield
    finally:
        postgres.stop(server)


def settings_in(place: Path) -> Path:
    """Write settings whose state and database are on the file system."""
    path = place / "vlag.toml"
    text = re.sub(r"(?m)^postgresql = \d+", f"postgresql = {free_ports(1)[0]}",
                  (ROOT / "vlag.toml").read_text())  # fmt: skip
    path.write_text(text)
    durable.sync(path)
    return path


def made(folder: Path, *options: str) -> tuple[Path, Path, list[Cut]]:
    """Cut the power ten times; return the place, the settings and the copies."""
    seed = int(os.environ.get("VLAG_TEST_SEED") or random.SystemRandom().randrange(10**6))
    print(f"VLAG_TEST_SEED={seed}")
    moments = random.Random(seed)
    disks, place = folder / "disks", folder / "disk"
    image = disks / "disk.img"
    with image.open("wb") as file:
        file.truncate(1 << 30)
    call("mkfs.ext4", "-q", image)
    cuts = []
    with mounted(image, place, _OPTIONS):
        path = settings_in(place)
        settings = config.load(path)
        with database(settings, folder / "postgres.log"):
            run_values.migrate(settings.dsn())
            argv = [sys.executable, "-m", "tests.long.cut_load", str(path), *options]
            load = Load(subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True))
            threading.Thread(target=load.collect, daemon=True).start()
            try:
                for number in range(CUTS):
                    load.wait_for(BEFORE * (number + 1))
                    time.sleep(moments.uniform(0, LATEST_S))
                    claimed = tuple(load.claimed)
                    copy = disks / f"cut-{number}.img"
                    call("cp", "--reflink=always", image, copy)
                    cuts.append(Cut(image=copy, claimed=claimed))
                assert load.process.poll() is None
            finally:
                load.process.kill()
                load.process.wait()
    return place, path, cuts


def found(cut: Cut, place: Path, path: Path, log: Path) -> list[str]:
    """Start a copy again as after the cut; return what is lost, empty or not whole."""
    faults = []
    with mounted(cut.image, place, "loop"):
        settings = config.load(path)
        known = catalogue.load()
        documents = [*settings.builds.glob("*/*/build.json"), *settings.runs.glob("*/*/run.json")]
        final = [document for document in documents if bundle.is_final(document.parent)]
        faults += [f"empty: {d}" for d in final if d.stat().st_size == 0]
        with database(settings, log), connect(settings.dsn()) as conn:
            rows = conn.execute(
                "SELECT in_state(location) FROM build UNION ALL SELECT in_state(location) FROM run"
            )
            recorded = {Path(location) for (location,) in rows.fetchall()}
            faults += [f"no row: {one}" for one in cut.claimed if one not in recorded]
            for one in sorted(recorded | set(cut.claimed)):
                try:
                    if ingest(one, conn=conn, catalogue=known).new:
                        faults.append(f"was not stored: {one}")
                except VlagError as e:
                    faults.append(f"not whole: {one}: {e}")
    return faults


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with `disks`, a file system that copies files at once."""
    folder = tmp_path_factory.mktemp("power")
    folder.chmod(0o755)
    for above in list(folder.parents)[:2]:
        above.chmod(above.stat().st_mode | 0o011)  # PostgreSQL runs as another user
    outer = folder / "outer.img"
    with outer.open("wb") as file:
        file.truncate(8 << 30)
    call("mkfs.btrfs", "-q", outer)
    with mounted(outer, folder / "disks", "loop"):
        yield folder


def test_nothing_that_ingest_said_yes_to_is_lost(disks: Path) -> None:
    place, path, cuts = made(disks)
    faults = [found(cut, place, path, disks / f"{n}.log") for n, cut in enumerate(cuts)]
    assert faults == [[] for _ in cuts]
    claimed = [len(cut.claimed) for cut in cuts]
    print(f"bundles said yes to before each cut: {claimed}")
    assert min(claimed) >= BEFORE
    assert len(set(claimed)) == CUTS


def test_without_fsync_it_is_lost(disks: Path) -> None:
    """Negative control: the copies are such as a power cut leaves."""
    place, path, cuts = made(disks, "--no-fsync")
    faults = [f for n, cut in enumerate(cuts) for f in found(cut, place, path, disks / f"{n}.log")]
    assert any(fault.startswith("empty: ") for fault in faults)
    assert any(fault.startswith("not whole: ") for fault in faults)
