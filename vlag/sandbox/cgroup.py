# SPDX-License-Identifier: GPL-2.0-only
"""A control group for each command: the memory, processes and CPU time of all it starts together.

Version 2 is used where this service may divide its own group: systemd has delegated it, or no
systemd runs.  Version 1 is used where no systemd runs and its folders can be written to.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from vlag.errors import VlagError, blame
from vlag.sandbox.rules import Rules

MEMORY, PROCESSES, CPU = "memory", "pids", "cpu"
_WORDS = {MEMORY: "memory", PROCESSES: "number of processes", CPU: "CPU time"}
#: Names of our groups: that of a command, with the process that made it; that of the service
#: itself, as a group of version 2 that is divided has no process of its own.
_NAME, _SERVICE = "vlag-build", "vlag-service"
_BOOTED = Path("/run/systemd/system")  # sd_booted(3)
_MIB = 1 << 20
#: Share of the machine's memory for one command, where the settings give no number.
_SHARE = 0.75
#: Looks, 0.01 s apart, until a group of killed processes is empty.
_ATTEMPTS = 500
#: Times that processes are moved out of a group in which others are born meanwhile.
_FORKS = 10
_numbers = itertools.count()


class _CannotError(VlagError):
    """No group can be made here, and why."""


@frozen(kw_only=True)
class Hierarchy:
    """A tree of groups in which a command gets a group of its own."""

    version: int
    folder: Path  # of the group that is divided
    controllers: tuple[str, ...]


@frozen(kw_only=True)
class Group:
    """The group of a command, in each hierarchy."""

    folders: Mapping[Path, Hierarchy]
    most: int  # bytes of memory

    def enter(self) -> list[str]:
        """Return the words that begin a command which joins the group before all else."""
        if not self.folders:
            return []
        join = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift; exec "$@"'
        return ["/bin/sh", "-c", join, "sh", *(f"{f}/cgroup.procs" for f in self.folders), "--"]

    @property
    def counts_processes(self) -> bool:
        """Return whether the kernel counts the processes of this command, and no others."""
        return any(PROCESSES in hierarchy.controllers for hierarchy in self.folders.values())

    def fault(self) -> str | None:
        """Return a sentence if the kernel has ended a process for the group's own memory."""
        for folder, hierarchy in self.folders.items():
            if MEMORY not in hierarchy.controllers:
                continue
            if hierarchy.version == 2:
                events = _counts(folder / "memory.events")
                ended = min(events.get("oom", 0), events.get("oom_kill", 0))
            else:
                highest = int((folder / "memory.max_usage_in_bytes").read_text())
                ended = _counts(folder / "memory.oom_control").get("oom_kill", 0)
                ended = ended if highest > self.most - _MIB else 0  # else it was another's memory
            if ended:
                return (
                    f"its processes together needed more than {self.most // _MIB} MB of memory"
                    " ([sandbox] total_memory_mb)"
                )
        return None


def hierarchies() -> list[Hierarchy]:
    """Return where commands get groups; empty: nowhere on this machine."""
    return _mounted()[0]


def bounds() -> str:
    """Return what of all processes of a build together is bounded here, in words."""
    return lacking() or (
        "all processes of a build together are bounded in memory, number and CPU time"
    )


def lacking() -> str | None:
    """Return what of all processes of a command together is not bounded here, and why."""
    mounted, why = _mounted()
    have = {name for hierarchy in mounted for name in hierarchy.controllers}
    without = [words for name, words in _WORDS.items() if name not in have]
    if not without:
        return None
    *most, last = without
    what = f"{', '.join(most)} and {last}" if most else last
    return (
        f"the {what} of all processes of a build together are not bounded here: {why}"
        " (docs/sandbox.md)"
    )


@contextlib.contextmanager
def group(rules: Rules) -> Iterator[Group]:
    """Make the group of a command; at the end no process of it is left, and no group.

    On a machine without groups the command runs without: `lacking` says so.  Raises
    InfrastructureError where the kernel refuses one.
    """
    name = f"{_NAME}-{os.getpid()}-{next(_numbers)}"
    most = (rules.total_memory_mb * _MIB) or int(_memory() * _SHARE)
    made: dict[Path, Hierarchy] = {}
    try:
        for hierarchy in hierarchies():
            _clear(hierarchy)
            folder = hierarchy.folder / name
            try:
                folder.mkdir()
                made[folder] = hierarchy
                _limit(folder, hierarchy, rules, most)
            except OSError as e:
                raise blame(e, f"a build gets no control group {folder}: {e.strerror}") from e
        yield Group(folders=made, most=most)
    finally:
        for folder, hierarchy in made.items():
            _end(folder, hierarchy)


def _mounted() -> tuple[list[Hierarchy], str]:
    """Return where groups can be made, and why no more of them."""
    mounts, own = _mounts(), _own()
    mounted: list[Hierarchy] = []
    reasons = []
    for controller in _WORDS:
        if controller in mounts:
            folder = _folder(mounts[controller], own.get(controller, "/"))
            if why := _refusal(folder):
                reasons.append(why)
            else:
                mounted.append(Hierarchy(version=1, folder=folder, controllers=(controller,)))
    if "" in mounts:
        folder = _folder(mounts[""], own.get("", "/"))
        folder = folder.parent if folder.name == _SERVICE else folder
        try:
            if why := _refusal(folder):
                raise _CannotError(why)
            if has := _divided(folder):
                mounted.append(Hierarchy(version=2, folder=folder, controllers=has))
        except _CannotError as e:
            reasons.append(str(e))
    fallback = "the kernel gives this machine no such controllers"
    return mounted, reasons[-1] if reasons else fallback


def _divided(folder: Path) -> tuple[str, ...]:
    """Let the groups below one of version 2 have our controllers; return those they have."""
    there = (folder / "cgroup.controllers").read_text().split()
    wanted = [name for name in _WORDS if name in there]
    control = folder / "cgroup.subtree_control"
    for name in wanted:
        if name in control.read_text().split():
            continue
        try:
            _enable(control, name)
        except OSError as e:
            raise _CannotError(f"{control} takes no +{name} ({e.strerror})") from e
    return tuple(wanted)


def _enable(control: Path, name: str) -> None:
    for _ in range(_FORKS):
        try:
            control.write_text(f"+{name}")
        except OSError as e:
            if e.errno != errno.EBUSY:
                raise
            _vacate(control.parent)
        else:
            return
    control.write_text(f"+{name}")


def _vacate(folder: Path) -> None:
    """Move the processes of a group that is to be divided into one below it."""
    service = folder / _SERVICE
    service.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            (service / "cgroup.procs").write_text(pid)


def _refusal(folder: Path) -> str | None:
    """Return why this service may not divide a group; None: it may."""
    if not os.access(folder, os.W_OK) or not os.access(folder / "cgroup.procs", os.W_OK):
        return f"{folder} is not this user's to write"
    if not _BOOTED.is_dir():
        return None
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return None
    return f"systemd has not delegated {folder} (Delegate=yes)"


def _mounts() -> dict[str, tuple[str, Path]]:
    """Return each controller of version 1, and "" for version 2 -> root and place of its mount."""
    mounts = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, _, kind = line.partition(" - ")
        root, where = place.split()[3:5]
        system, _, options = kind.split()[:3]
        if system == "cgroup2":
            mounts[""] = (root, Path(where))
        elif system == "cgroup":
            mounts.update(dict.fromkeys(options.split(","), (root, Path(where))))
    return mounts


def _own() -> dict[str, str]:
    """Return controller, or "" for version 2 -> path of this process's group."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    parts = [line.split(":", 2) for line in lines]
    return {name: path for _, names, path in parts for name in names.split(",")}


def _folder(mount: tuple[str, Path], path: str) -> Path:
    root, where = mount
    return where / os.path.relpath(path, root)


def _limit(folder: Path, hierarchy: Hierarchy, rules: Rules, most: int) -> None:
    """Set the limits of a new group; what the kernel does not have of them is left out."""
    # However many they are, they weigh as one process for each processor.
    share = os.cpu_count() or 1
    values = {
        (2, MEMORY): (("memory.max", most), ("memory.swap.max", 0)),
        (1, MEMORY): (("memory.limit_in_bytes", most), ("memory.memsw.limit_in_bytes", most)),
        (2, PROCESSES): (("pids.max", rules.processes),),
        (1, PROCESSES): (("pids.max", rules.processes),),
        (2, CPU): (("cpu.weight", min(100 * share, 10000)),),
        (1, CPU): (("cpu.shares", min(1024 * share, 262144)),),
    }
    for controller in hierarchy.controllers:
        for name, value in values[hierarchy.version, controller]:
            if (folder / name).exists():
                (folder / name).write_text(str(value))


def _clear(hierarchy: Hierarchy) -> None:
    """End the groups of services that were killed."""
    for folder in hierarchy.folder.glob(f"{_NAME}-*-*"):
        named = re.fullmatch(rf"{_NAME}-(\d+)-\d+", folder.name)
        if named and not Path("/proc", named[1]).exists():
            _end(folder, hierarchy)


def _end(folder: Path, hierarchy: Hierarchy) -> None:
    """Kill what is left in a group, and remove it."""
    with contextlib.suppress(OSError):  # no new ones meanwhile
        (folder / "pids.max").write_text("0")
    for _ in range(_ATTEMPTS):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            _kill(folder, hierarchy)
            time.sleep(0.01)
        else:
            return


def _kill(folder: Path, hierarchy: Hierarchy) -> None:
    kill = folder / "cgroup.kill"
    if hierarchy.version == 2 and kill.exists():
        with contextlib.suppress(OSError):
            kill.write_text("1")
        return
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _counts(path: Path) -> dict[str, int]:
    """Return the counters of a file of the kernel's, by name."""
    pairs = (line.split() for line in path.read_text().splitlines())
    return {name: int(value) for name, value in pairs}


def _memory() -> int:
    """Return the bytes of this machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
