# SPDX-License-Identifier: GPL-2.0-only
"""A tree whose makefile does all it should not, and what must not be left of it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests import processes
from tests.integration.tiny_tree import MAKEFILE
from vlag.sandbox import cgroup

#: Acts that are to be refused; each says how it ended.
ACTS = ("home", "socket", "cache", "fork", "user namespace", "keyring")
_BLOCKS = "i=0; while head -c 4M /dev/zero > $(O)/full$$i; do i=$$((i+1)); done"
#: How a disk is filled.  The second prints what a machine without room would; the third leaves no
#: room between two looks at the disk, not even for the log.
FILLS = {
    "silently": _BLOCKS,
    "in the machine's words": f"echo 'gcc: fatal error: No space left on device'; {_BLOCKS}",
    "at once": "i=0; s=131072; while [ $$s -ge 4 ]; do i=$$((i+1));"
    " fallocate -l $${s}K $(O)/full$$i 2>&- || s=$$((s/2)); done; sleep 5",
}
#: Seconds that what a makefile leaves behind would sleep, and by which it is found.
_SLEEP = f"98765{os.getpid()}"


def makefile(home: Path, port: int, cache: Path, fill: str | None = None) -> str:
    """Return a makefile that does all acts, and with a key of `FILLS` fills the disk at last."""
    acts = [
        f"echo x > {home}/left || echo home: refused",
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:"
        f'{port}") or print "socket: refused\\n"\'',
        f"echo x > {cache}/left || echo cache: refused",
        "unshare --user true || echo user namespace: refused",
        # The session's keyring, by its number on x86_64.
        "perl -e 'print \"keyring: refused\\n\" if syscall(250, 0, -3, 0) == -1'",
        "cat /proc/*/environ | tr '\\0' '\\n'; env",
        f"setsid sleep {_SLEEP} >/dev/null 2>&1 &",
        "perl -e 'while (defined(my $$p = fork)) { if (!$$p) { sleep 2; exit } }"
        ' print "fork: refused\\n"; 1 while wait > 0\'',
    ]
    if fill is not None:
        acts.append(FILLS[fill])
    return MAKEFILE.replace("acts:\n", "acts:\n" + "".join(f"\t-@{a}\n" for a in acts), 1)


def left(state: Path) -> list[str]:
    """Return what builds have left besides their bundles: folders, processes, control groups."""
    folders = [p for end in ("objects", "tuxmake") for p in state.glob(f"builds/*/*.{end}")]
    made = [f for of in cgroup.hierarchies() for f in of.folder.glob("vlag-build-*")]
    groups = [f for f in made if _is_ours_or_nobodys(int(f.name.split("-")[2]))]
    found = processes.running("sleep", _SLEEP)
    return [*map(str, folders), *map(str, groups), *(f"process {pid}" for pid in found)]


def _is_ours_or_nobodys(pid: int) -> bool:
    """Return whether a group's maker is this process, or has ended; tests beside go on."""
    return pid == os.getpid() or not Path(f"/proc/{pid}").exists()


@contextlib.contextmanager
def small_disk(folder: Path, size_mb: int) -> Iterator[None]:
    """Make a folder a file system of its own, in memory; needs root."""
    folder.mkdir(exist_ok=True)
    options = f"size={size_mb}m,mode=0755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def used_mb(folder: Path) -> int:
    """Return what a file system holds."""
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bfree) * found.f_frsize >> 20
