# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of deterministic boards that have booted: one boot a kernel, then its seeds.

The boots of a kernel with one initramfs and other seeds execute the same until `boot/init.sh` has
read its seed.  A snapshot is made where the first program has begun, by `lockstep/snapshot.c`, and
the boot of any seed goes on from there: it executes and prints what a boot from power on does, to
the last byte.
"""

from __future__ import annotations

import contextlib
import json
import logging
import mmap
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from attrs import frozen

from vlag import durable
from vlag.bundle import note_use, sha256
from vlag.kept_folders import Store, discard, make_room
from vlag.lock import hold
from vlag.model import digest

log = logging.getLogger(__name__)

#: What `lockstep/snapshot.c` prints once a guest is held: its version, and what to restore with.
_HELD = re.compile(r"^snapshot (\d{1,4}) held (\d{1,19}) ([0-9a-f]{1,16})$")
#: Its version.
VERSION = 1
#: A path that LAVA hands to an emulator as one word.
_PLAIN = re.compile(r"[A-Za-z0-9_.@+/-]+")
#: The first lines of a boot's entry: they name the seed.
_SEED = "SEED={}\nOBSERVES="
_FIRST = len("SEED=")
#: Seconds between two questions whether a guest is written, which takes half a second.
_ASKED_EVERY_S = 0.05


@frozen(kw_only=True)
class Start:
    """How an emulator starts a guest from power on, and all that the guest depends on."""

    command: Sequence[str]  # program and options of the board
    kernel: Path
    cmdline: str
    ramdisk: Path
    seed: int
    identity: Any  # JSON: what is not in the other fields; image and emulator by their digests

    def argv(self, *more: str) -> list[str]:
        """Return the words that start it."""
        return [*self.command, "-kernel", str(self.kernel), "-append", self.cmdline,
                "-initrd", str(self.ramdisk), *more]  # fmt: skip

    @property
    def key(self) -> str | None:
        """Return the digest of all that is equal for all seeds; None: the seed is not found."""
        ramdisk = self.ramdisk.read_bytes()
        named = _SEED.format(self.seed).encode("ascii")
        if ramdisk.count(named) != 1:
            return None
        # Seeds of as many digits alone: another length moves what is behind it.
        at = ramdisk.index(named) + _FIRST
        width = len(str(self.seed))
        masked = digest([ramdisk[:at].hex(), width, ramdisk[at + width :].hex()])
        return digest([VERSION, masked, self.cmdline, list(self.command), self.identity])


def restore(store: Store, start: Start, into: Path, wait_s: float) -> str | None:
    """Return the words with which the emulator goes on from a snapshot; None: boot from power on.

    They are added to those of `start`.  The snapshot is written as file `into` and a file beside
    it, with the seed in it; both may be removed once the emulator has ended.  One that is not kept
    is made, which takes a boot of at most `wait_s` host seconds.
    """
    key = start.key
    if key is None or not _PLAIN.fullmatch(str(into)):
        return None
    try:
        return _restored(store, start, key, into, wait_s)
    except OSError as e:  # as on a full disk
        log.info(f"no snapshot: {e}; booting from power on")
        remove(into)
        return None


def _restored(store: Store, start: Start, key: str, into: Path, wait_s: float) -> str | None:
    """As `restore`; raises OSError."""
    home = store.folder / key[:32]
    with hold(store.folder / f"lock-{key[0]}", lambda: log.info("waiting for another snapshot")):
        means = _means(store, start)
        known = _read(home, means)
        if known is None:
            known = _made(store, start, home, means, wait_s)
    if known is None or known["held"] is None:
        return None
    note_use(home)
    # Another boot may just make room: then they are missing.
    shutil.copyfile(home / "image", into)
    shutil.copyfile(home / "console", _console(into))
    with into.open("r+b") as image:
        for place in known["places"]:
            image.seek(place)
            image.write(str(start.seed).encode("ascii"))
    timer_ns, wishes = known["held"]
    return f"-name vlag-restore-{timer_ns}-{wishes} -incoming file:{into}"


def remove(into: Path) -> None:
    """Remove what `restore` has written."""
    into.unlink(missing_ok=True)
    _console(into).unlink(missing_ok=True)


def _console(into: Path) -> Path:
    return into.with_name(f"{into.name}.console")


def _means(store: Store, start: Start) -> str:
    """Return the digest of what decides whether a guest can be held, but for the guest.

    Another setup or other settings change it, and not what a boot executes: what is held stays
    good.  `lockstep/install` puts the libraries beside the command.
    """
    command = shutil.which(start.command[0])
    if command is None:
        return digest(None)
    libraries = sorted((Path(command).parents[1] / "lib" / "vlag").glob("*.so"))
    files = {path.name: sha256(path) for path in (Path(command), *libraries)}
    return digest([files, store.most_bytes])


def _read(home: Path, means: str) -> dict[str, Any] | None:
    """Return what is known of a kept snapshot; one that is damaged is removed.

    That a guest cannot be held is known for these `means` alone.
    """
    try:
        known: dict[str, Any] = json.loads((home / "snapshot.json").read_text(encoding="utf-8"))
        if known["held"] is None and known.get("means") != means:
            log.info("no guest of this kind was held, by another setup; it is tried anew")
            _discard(home)
            return None
        if all(sha256(home / name) == known["sha256"][name] for name in known["sha256"]):
            return known
    except FileNotFoundError:
        if not home.exists():
            return None
    except (ValueError, TypeError, KeyError):
        pass
    log.info(f"{home}: this snapshot is damaged; it is made anew")
    _discard(home)
    return None


def _discard(home: Path) -> None:
    discard(home, partial(shutil.rmtree, ignore_errors=True))


def _made(
    store: Store, start: Start, home: Path, means: str, wait_s: float
) -> dict[str, Any] | None:
    """Make a snapshot and keep it; None if it could not be made now.

    Where it never can with these `means`, that is kept instead, with `held` None.
    """
    log.info("booting once for a snapshot, from which all seeds go on")
    draft = home.with_name(f"{home.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        why, held = _held(start, draft, wait_s)
        places = list(_places(draft / "image", start.seed)) if held else []
        if held and not places:
            why, held = "its seed is not in memory", None
        size = sum(path.stat().st_size for path in draft.iterdir())
        if held and size > store.most_bytes:
            why, held = f"it takes {size} bytes, more than [boots] snapshots_gb", None
        if held is None:
            log.info(f"no snapshot: {why}; boots start from power on")
            for path in draft.iterdir():
                path.unlink()
        if held is None and why is None:
            return None
        digests = {path.name: sha256(path) for path in sorted(draft.iterdir())}
        known = {
            "held": held, "places": places, "why": why, "means": means, "sha256": digests,
        }  # fmt: skip
        (draft / "snapshot.json").write_text(json.dumps(known) + "\n", encoding="utf-8")
        homes = [path.parent for path in store.folder.glob("*/image") if not path.parent.suffix]
        sizes = {home: (home / "image").stat().st_size for home in homes}
        make_room(store, sizes, size, _discard)
        durable.place(draft, home)
        return known
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _places(image: Path, seed: int) -> Iterator[int]:
    """Yield where a snapshot has its seed, in bytes from its start."""
    named = _SEED.format(seed).encode("ascii")
    with image.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        at = memory.find(named)
        while at >= 0:
            yield at + _FIRST
            at = memory.find(named, at + 1)


def _held(start: Start, draft: Path, wait_s: float) -> tuple[str | None, tuple[str, str] | None]:
    """Boot until the guest is held, and write its `image` and `console` to folder `draft`.

    Returns what to restore it with; or why it cannot be held, None: it may be the next time.
    """
    with (
        tempfile.TemporaryDirectory(prefix="vlag-snapshot-") as scratch,
        (draft / "console").open("wb") as console,
    ):
        path = Path(scratch) / "qmp"
        child = subprocess.Popen(
            start.argv("-name", "vlag-hold", "-qmp", f"unix:{path},server=on,wait=off"),
            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
        limit = threading.Timer(wait_s, child.kill)
        limit.start()
        try:
            for line in child.stderr or ():
                if (held := _HELD.match(line.rstrip())) and int(held[1]) == VERSION:
                    if _saved(path, draft / "image"):
                        return None, (held[2], held[3])
                    return None, None
            # Killed: for its time, or as by a host without memory.
            if (status := child.wait()) == -signal.SIGKILL:
                return None, None
            return f"the guest was not held; its emulator ended with {status}", None
        finally:
            limit.cancel()
            child.kill()
            child.wait()
            if child.stderr:
                child.stderr.close()


def _saved(path: Path, image: Path) -> bool:
    """Have the emulator that serves socket `path` write its guest; return whether it could."""
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
        try:
            connection.connect(str(path))
            with connection.makefile("rw", encoding="utf-8") as monitor:
                monitor.readline()
                _asked(monitor, "qmp_capabilities")
                _asked(monitor, "migrate", uri=f"file:{image}")
                while (state := _asked(monitor, "query-migrate").get("status")) != "completed":
                    if state in ("failed", "cancelled"):
                        return False
                    time.sleep(_ASKED_EVERY_S)
        except (OSError, ValueError) as e:
            log.info(f"the snapshot was not written: {e}")
            return False
    return True


def _asked(monitor: IO[str], command: str, **arguments: str) -> dict[str, Any]:
    """Return the answer to a command; ValueError if there is none."""
    monitor.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
    monitor.flush()
    while line := monitor.readline():
        answer = json.loads(line)
        if "return" in answer:
            return dict(answer["return"])
        if "error" in answer:
            raise ValueError(answer["error"]["desc"])
    raise ValueError("the emulator has ended")
