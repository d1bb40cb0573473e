# SPDX-License-Identifier: GPL-2.0-only
"""Hostile series by every road, against a running service whose disk is small and its own.

Each does all acts of `hostile`, and fills the disk where it says so: its build is stopped, nothing
of it is left, and everybody is served meanwhile.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests import full_disk
from tests.integration import hostile
from tests.integration.conftest import checkout, listener
from tests.integration.masters import signed_in
from tests.integration.pushes import pushes
from tests.integration.tiny_tree import MAKEFILE
from tests.integration.webpages import text
from tests.integration.websites import MAY
from tests.long.attacked import Attacked, attacked, fill, folder_of_ours
from vlag import config
from vlag.buildbot import PAGES
from vlag.errors import ExitCode
from vlag.sandbox import Rules

pytestmark = pytest.mark.long

__all__ = ["checkout", "listener"]  # fixtures

#: MiB of the disk: what a service asks for at its start, and what it has once it is up.
DISK_MB, ROOM_MB = 10 << 10, 1500
#: MiB that the disk may have less after an attack: logs, PostgreSQL's log of changes, a mail.
MOST_LEFT_MB = 100
WATCHED, MAILED = "debian/linux-6.12", "sched-change-1"


@pytest.fixture(scope="module")
def service(checkout: Path) -> Iterator[Attacked]:
    with folder_of_ours("vlag-small-") as above:
        folder = above / "disk"
        with (
            full_disk.mounted(folder, DISK_MB << 20),
            attacked(folder, checkout, disk_mb=DISK_MB) as made,
        ):
            assert config.load(made.made.settings).sandbox.free_mb == Rules().free_mb
            with (folder / "filler").open("wb") as filler:
                free = shutil.disk_usage(folder).free
                os.posix_fallocate(filler.fileno(), 0, free - (ROOM_MB << 20))
            yield made


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder outside of the disk that anybody may write to."""
    with folder_of_ours("vlag-home-") as made:
        made.chmod(0o777)
        yield made


@contextmanager
def served(service: Attacked) -> Iterator[list[int]]:
    """Ask for a page again and again; yield the statuses, which must all be 200 at the end."""
    statuses: list[int] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            try:
                statuses.append(requests.get(f"{service.url}{PAGES}", timeout=60).status_code)
            except requests.RequestException:
                statuses.append(0)

    reader = threading.Thread(target=ask)
    reader.start()
    try:
        yield statuses
    finally:
        over.set()
        reader.join()
    assert statuses
    assert set(statuses) == {200}


@contextmanager
def own_patches(service: Attacked) -> Iterator[None]:
    """Remove the series that is imported meanwhile."""
    patches = service.made.checkout / "kernel-patches"
    before = set(patches.iterdir())
    try:
        yield
    finally:
        for folder in set(patches.iterdir()) - before:
            shutil.rmtree(folder)


def mails(service: Attacked, makefile: str, mbox: Path) -> Path:
    """Write a series of one patch, on the watched branch, that brings a makefile."""
    tree = service.tree
    tree.git("checkout", "--quiet", "-B", "mailed", tree.first)
    fill(tree.work)
    tree.git("add", "--all")
    base = tree.commit("a base")
    tree.git("push", "--quiet", "--force", str(tree.url), "HEAD:base")
    (tree.work / "Makefile").write_text(makefile)
    tree.git("add", "--all")
    tree.commit("sched: change 1")
    mbox.write_text(tree.git("format-patch", "--stdout", base) + "\n")
    tree.git("checkout", "--quiet", "--force", service.branch)
    return mbox


def by_push(service: Attacked, makefile: str, _mbox: Path) -> str:
    """Push the makefile, and a good one after it, which is built as if nothing had been."""
    tree = service.tree
    for pushed in (makefile, MAKEFILE):
        before = len(pushes(service.made))
        (tree.work / "Makefile").write_text(pushed)
        tree.git("add", "--all")
        tree.commit(f"sched: push {before}")
        tree.git("push", "--quiet", str(tree.url), "HEAD:linux-6.12")
        service.wait(lambda before=before: len(pushes(service.made)) > before)  # type: ignore[misc]
    return ""


def by_try(service: Attacked, makefile: str, mbox: Path) -> str:
    done = service.vlag("try", mails(service, makefile, mbox), "--base", "base", "--tree", "debian",
                        "--benchmark", "stress-ng-switch", "--boots", "5")  # fmt: skip
    assert done.returncode == ExitCode.KERNEL_FAILED, done.stderr
    return done.stdout + done.stderr


def by_matrix(service: Attacked, makefile: str, mbox: Path) -> str:
    _import(service, makefile, mbox)
    done = service.vlag("matrix", MAILED, "--tree", "debian", "--base", "base", "--mode", "solo",
                        "--benchmark", "stress-ng-switch", "--boots", "2")  # fmt: skip
    return done.stdout + done.stderr


def by_build(service: Attacked, makefile: str, mbox: Path) -> str:
    _import(service, makefile, mbox)
    done = service.vlag("build", "--tree", "debian", "--ref", "base", "--series", MAILED,
                        "--board-type", "qemu-sim-2")  # fmt: skip
    return done.stdout + done.stderr


def _import(service: Attacked, makefile: str, mbox: Path) -> None:
    mails(service, makefile, mbox)
    done = service.vlag("series", "import", mbox, "--name", MAILED)
    assert done.returncode == 0, done.stderr


def by_pages(service: Attacked, makefile: str, mbox: Path) -> str:
    mine, page = signed_in(service.url, MAY), f"{service.url}{PAGES}tries"
    token = re.search(r'name="token" value="(\w+)"', mine.get(page, timeout=60).text)
    assert token is not None
    form = {"base": WATCHED, "plan": "commit", "board_type": "qemu-sim-2", "token": token[1]}
    answer = mine.post(
        page, data=form, files={"mbox": mails(service, makefile, mbox).read_bytes()}, timeout=60,
        headers={"Origin": service.url.rstrip("/")}, allow_redirects=False,
    )  # fmt: skip
    assert answer.status_code == 303, answer.text
    sent = f"{service.url.rstrip('/')}{answer.headers['Location']}"

    def shown() -> str:
        return text(mine.get(sent, timeout=60).text)

    service.wait(lambda: "It failed: " in shown())
    return shown()


ROADS = {"try": by_try, "matrix": by_matrix, "build": by_build, "pages": by_pages}
#: A commit of a watched branch is built with trust: where it lacks room, its push waits for more.
CASES = [("push", None), *((road, how) for road in ROADS for how in (*hostile.FILLS, None))]


@pytest.mark.parametrize(("road", "how"), CASES)
def test_a_hostile_series_harms_nobody_on_a_small_disk(
    service: Attacked,
    home: Path,
    listener: tuple[int, list[str]],
    tmp_path: Path,
    road: str,
    how: str | None,
) -> None:
    state = service.made.state
    before, used = service.before(), hostile.used_mb(state)
    there = set(state.rglob("build.log"))
    own = ["cache"] if road == "push" else []  # a watched branch fills it
    makefile = hostile.makefile(home, listener[0], state / "ccache", how)
    with served(service), own_patches(service):
        said = {**ROADS, "push": by_push}[road](service, makefile, tmp_path / "evil.mbox")
    log = "\n".join(p.read_text() for p in set(state.rglob("build.log")) - there)
    service.heard += [log.encode(), said.encode()]
    assert "gave out" not in said + log
    if how is None:  # control: what it may do, it does, up to a kernel
        assert [act for act in hostile.ACTS if f"{act}: refused" not in log] == own
        assert "stopped: " not in log
    else:
        assert re.search(r"stopped: it wrote \d+ MB, and \d+ MB are free", log), log
    assert list(home.iterdir()) == []
    assert listener[1] == []
    assert [f.name for f in (state / "ccache").glob("left")] == ["left"] * len(own)
    (state / "ccache" / "left").unlink(missing_ok=True)
    assert hostile.left(state) == []
    assert hostile.used_mb(state) - used < MOST_LEFT_MB
    service.check(before)
