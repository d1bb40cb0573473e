# SPDX-License-Identifier: GPL-2.0-only
"""The state folder: what a backup takes of it, and how it comes back."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from vlag.kernel import mirror as mirrors
from vlag.operate.service.restoring import MARK

#: Where a backup and a restore prepare what is not a file of the state folder as it is.
STAGE = "backup"
#: Names jobs of a lab's database, and is copied to the stage before that is dumped.
LAB = "lab"
#: Made again by a start, a build or a boot: the cluster (its dumps are taken), what Buildbot and
#: its workers keep beside their database, work trees, the compiler's cache and objects, snapshots,
#: Grafana.
LEFT = (
    "postgres",
    "log",
    "locks",
    "master",
    "worker",
    "src",
    "ccache",
    "objects",
    "snapshots",
    "grafana",
    "lock",
    MARK,
)
#: Locks, drafts, what must be made again; a server's passwords are its own.
_PASSING = (
    "**/lock", "**/*.lock", "**/*.new", "**/*.partial", "**/*.removed",
    "**/*.objects", "**/*.tuxmake",
    "mirrors/*/worktrees", "mirrors/*/gc.pid", "mirrors/**/tmp_*",
    "artifacts/**/.*", "secrets/pgpass*", "images/*/apt", "images/*/partial-*",
)  # fmt: skip
#: Neither makes an installation one that has data.
_HARMLESS = ("secrets", "userland")


def excluded(state: Path) -> list[str]:
    """Return restic's patterns of what is not taken."""
    root = re.sub(r"([*?\[\\])", r"\\\1", str(state))
    return [f"{root}/{pattern}" for pattern in (*LEFT, LAB, *_PASSING)]


def stage_lab(state: Path) -> None:
    """Copy what names jobs of a lab, as it is now."""
    if (state / LAB).is_dir():
        ignored = shutil.ignore_patterns("*.lock", "*.new", "*.partial")
        shutil.copytree(
            state / LAB, state / STAGE / LAB, symlinks=True, ignore=ignored,
            copy_function=_copy,
        )  # fmt: skip


def _copy(source: str, target: str) -> None:
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except FileNotFoundError:  # it has just gone
        if os.path.lexists(source):
            raise


@contextlib.contextmanager
def still_mirrors(state: Path) -> Iterator[None]:
    """Hold the lock of each git mirror, so that no ref is newer than the objects in a backup.

    What git tidies up by itself needs no lock: restic reads loose objects before packs, and
    reads all again where a pack has gone.
    """
    with contextlib.ExitStack() as held:
        for mirror in sorted((state / "mirrors").glob("*.git")):
            held.enter_context(mirrors.alone(mirror))
        yield


def data(state: Path) -> str | None:
    """Return a file that a restore would mix with its own, or None.

    Secrets and userlands are no such thing, nor is what a start makes.
    """
    for top in _data(state):
        for path in (top, *sorted(top.rglob("*"))):
            if not path.is_dir() and path.suffix not in (".lock", ".new", ".partial"):
                return str(path.relative_to(state))
    return None


def forget(state: Path) -> None:
    """Remove what a restore that was broken off has put where no data was before."""
    for top in _data(state):
        shutil.rmtree(top) if top.is_dir() else top.unlink()


def _data(state: Path) -> Iterator[Path]:
    for path in sorted(state.iterdir()) if state.is_dir() else ():
        if path.name not in (*LEFT, *_HARMLESS, STAGE):
            yield path


def cut_links(folder: Path) -> Iterator[tuple[Path, str]]:
    """Remove each link that leads out of a folder; yield its path below it, and where it led.

    What is written below such a link later would be written elsewhere.  The trees of packages
    from which userlands are made have such links, and nobody writes there.
    """
    top = folder.resolve()
    for above, folders, files in os.walk(folder):
        if Path(above).parent == folder / "userland":
            folders.clear()
            continue
        for name in (*folders, *files):
            path = Path(above, name)
            if not path.is_symlink():
                continue
            to = os.readlink(path)
            if os.path.isabs(to) or not Path(os.path.realpath(path)).is_relative_to(top):
                path.unlink()
                yield path.relative_to(folder), to


def put(source: Path, target: Path) -> Iterator[Path]:
    """Move what is in a folder into another one; yield files that were there and stay."""
    for path in sorted(source.iterdir()):
        to = target / path.name
        if not os.path.lexists(to):
            path.rename(to)
        elif path.is_dir() and to.is_dir() and not path.is_symlink():
            yield from put(path, to)
        elif path.is_symlink() or path.read_bytes() != to.read_bytes():
            yield to


def own(folder: Path, owner: os.stat_result) -> None:
    """Give what root has restored to whoever owns the state folder."""
    if os.geteuid() == 0:
        for root, folders, files in os.walk(folder):
            for name in (*folders, *files):
                os.chown(Path(root, name), owner.st_uid, owner.st_gid, follow_symlinks=False)
