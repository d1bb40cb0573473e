# SPDX-License-Identifier: GPL-2.0-only
"""Run a command in the sandbox, and stop it where no limit of the kernel's would."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import selectors
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from vlag.errors import InfrastructureError, UsageError, blame_program
from vlag.sandbox import bubblewrap, cgroup, seccomp
from vlag.sandbox.rules import BUBBLEWRAP, BY_GROUP, NONE, USER, Rules
from vlag.sandbox.space import Space

_MIB = 1 << 20
#: Seconds between two looks at the clock and at the disk: a fast one takes some MB meanwhile.
_LOOK_S = 0.1
#: A longer line is cut in two.
_LINE = 1 << 16


@frozen(kw_only=True)
class Ended:
    """How a command ended."""

    status: int  # as subprocess has it: negative for a signal
    stopped: str | None = None  # the limit that stopped it, in words
    machine: str | None = None  # what the machine lacked, as measured; no word of the command's
    full: bool = False  # that is room on a disk


@frozen(kw_only=True)
class Sandbox:
    """A set of folders, and the commands that run with them.

    `write` are folders of the user's; `prepare` gives them to it.  Variables that are not in
    `environment` do not reach a command.  `places`: folders that bubblewrap shows elsewhere.
    """

    rules: Rules
    read: tuple[Path, ...]
    write: tuple[Path, ...]
    environment: Mapping[str, str] = field(factory=dict)
    places: Mapping[Path, Path] = field(factory=dict)

    def seen(self, path: Path) -> Path:
        """Return the path under which a command sees one of its folders."""
        return self.places.get(path, path) if self.rules.kind == BUBBLEWRAP else path

    def prepare(self) -> None:
        """Give the writable folders to the user, and try the sandbox out.

        Raises UsageError with what is missing: nothing runs outside of it instead.
        """
        if self.rules.kind == NONE:
            return
        who = self._who()
        for folder in self.write:
            _give(folder, who)
        for path in self.read:
            _check_readable(path, who)
        if self.rules.kind == USER:
            return
        if shutil.which("bwrap") is None:
            raise UsageError(
                "the sandbox of builds needs the program bwrap, which is missing: `make setup`"
                " installs it (package bubblewrap)"
            )
        with _filter() as refused, cgroup.group(self.rules) as together:
            tried = subprocess.run(
                [*together.enter(), *self._argv(["true"], self.write[0], refused)],
                capture_output=True, text=True, check=False, env=_outer(),
                stdin=subprocess.DEVNULL, pass_fds=(refused,),
            )  # fmt: skip
        if tried.returncode:
            message = (tried.stderr.strip().splitlines() or [f"status {tried.returncode}"])[-1]
            raise blame_program(
                tried.returncode,
                message,
                f"the sandbox of builds cannot be made here ({message}): this user may make no"
                " namespaces; allow them, or see docs/sandbox.md",
            )

    def run(self, argv: Sequence[str], *, cwd: Path, line: Callable[[str], object]) -> Ended:
        """Run a command and give each line it prints to `line`; return when all of it has ended.

        No process of it is left behind, whatever it started.
        """
        space = Space.of(self.write, self.rules.disk_mb * _MIB, self.rules.free_mb * _MIB)
        if lack := space.lacks():
            return Ended(status=1, machine=lack, full=True)
        killed = _killed_for_memory()
        plain = self.rules.kind in (NONE, USER)
        with (
            contextlib.nullcontext() if plain else _filter() as refused,
            cgroup.group(self.rules) as together,
            subprocess.Popen(
                [
                    *together.enter(),
                    *self._limited(together)._argv(argv, cwd, refused, space.room()),
                ],
                cwd=cwd if plain else "/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self._outside(),
                start_new_session=True,
                pass_fds=() if refused is None else (refused,),
            ) as child,
        ):
            try:
                stopped = self._follow(child, line, space)
            finally:
                _end(child)
            large = together.fault()
        stopped = stopped or large or space.fault()
        machine, full = space.short or large, space.short is not None
        if machine is None and child.returncode and _killed_for_memory() > killed:
            machine = "its memory was used up, and the kernel ended a process for it"
        return Ended(status=child.returncode, stopped=stopped, machine=machine, full=full)

    def _follow(
        self, child: subprocess.Popen[bytes], line: Callable[[str], object], space: Space
    ) -> str | None:
        """Read what a command prints until its end; return the limit that it passed."""
        pipe = child.stdout
        if pipe is None:  # never: it was asked for
            return None
        deadline = time.monotonic() + self.rules.wall_s
        printed, rest, looked = 0, b"", time.monotonic()
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_READ)
            while True:
                if ready.select(_LOOK_S):
                    data = os.read(pipe.fileno(), _LINE)
                    if not data:
                        break
                    printed += len(data)
                    rest = _lines(rest + data, line)
                now = time.monotonic()
                if printed > self.rules.output_mb * _MIB:
                    return f"it printed more than {self.rules.output_mb} MB ([sandbox] output_mb)"
                if now > deadline:
                    return f"it ran longer than {self.rules.wall_s} s ([sandbox] wall_s)"
                if now - looked >= _LOOK_S:
                    looked = now
                    fault = space.suspicion()
                    if fault:
                        return fault
        if rest:
            line(rest.decode(errors="replace") + "\n")
        try:
            # It may have closed its output and go on.
            child.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            return f"it ran longer than {self.rules.wall_s} s ([sandbox] wall_s)"
        return None

    def _outside(self) -> dict[str, str]:
        if self.rules.kind == NONE:
            return {**os.environ, **self.environment}
        # bwrap's own environment can be read through /proc.
        return _outer() if self.rules.kind != USER else bubblewrap.inner(self.environment)

    def _limited(self, together: cgroup.Group) -> Sandbox:
        if not together.counts_processes:
            return self
        return evolve(self, rules=evolve(self.rules, processes=BY_GROUP))

    def _argv(
        self, argv: Sequence[str], cwd: Path, seccomp: int | None = None, room: int | None = None
    ) -> list[str]:
        """Return the whole command line; no file may be larger than the room on the disk."""
        rules = self.rules
        if room is not None:
            rules = evolve(rules, file_mb=max(1, min(rules.file_mb, room // _MIB)))
        if rules.kind == NONE:
            return [*bubblewrap.limits(rules), *argv]
        if rules.kind == USER:
            return [*bubblewrap.as_user(self._who()), *bubblewrap.limits(rules), *argv]
        return bubblewrap.command(
            argv, rules=rules, who=self._who(), read=self.read, write=self.write,
            environment=self.environment, cwd=self.seen(cwd), places=self.places, seccomp=seccomp,
        )  # fmt: skip

    def _who(self) -> bubblewrap.Who:
        if os.geteuid() != 0:
            return bubblewrap.Who(uid=os.geteuid(), gid=os.getegid(), change=False)
        try:
            user = pwd.getpwnam(self.rules.user)
        except KeyError:
            raise UsageError(
                f"there is no user {self.rules.user}, as which root builds kernels: `make setup`"
                " makes it, or [sandbox] user names another"
            ) from None
        if user.pw_uid == 0:
            raise UsageError("[sandbox] user: root is no user for code of others; name another")
        stats = (p.stat() for p in self.read)
        groups = {s.st_gid for s in stats if not s.st_mode & stat.S_IROTH} - {0}
        return bubblewrap.Who(uid=user.pw_uid, gid=user.pw_gid, groups=tuple(sorted(groups)))


@contextlib.contextmanager
def _filter() -> Iterator[int]:
    """Give a descriptor from which the filter of system calls is read, once."""
    file = os.memfd_create("vlag-seccomp")
    try:
        os.write(file, seccomp.program())
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)


def _killed_for_memory() -> int:
    """Return how many processes this machine's kernel has ended since its start for memory."""
    text = Path("/proc/vmstat").read_text(encoding="ascii")
    return int((re.findall(r"^oom_kill (\d+)$", text, re.M) or ["0"])[0])


def _outer() -> dict[str, str]:
    """Return the environment of bwrap itself."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}


def _lines(data: bytes, line: Callable[[str], object]) -> bytes:
    """Pass on the complete lines; return what is left."""
    *whole, rest = data.split(b"\n")
    for one in whole:
        line(one.decode(errors="replace") + "\n")
    if len(rest) > _LINE:
        line(rest.decode(errors="replace") + "\n")
        return b""
    return rest


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a command: with bwrap ends the first process of its namespace."""
    if child.poll() is not None:
        return
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    child.wait()


def _give(folder: Path, who: bubblewrap.Who) -> None:
    """Give a folder, and what is in it, to a user; once, as nobody else writes there."""
    if not who.change or folder.stat(follow_symlinks=False).st_uid == who.uid:
        return
    for _, folders, files, here in os.fwalk(folder):
        for name in (*folders, *files):
            os.chown(name, who.uid, who.gid, dir_fd=here, follow_symlinks=False)
    os.chown(folder, who.uid, who.gid, follow_symlinks=False)


def _check_readable(path: Path, who: bubblewrap.Who) -> None:
    if not who.change:
        return
    status = path.stat()
    bits = stat.S_IROTH
    if status.st_gid in (who.gid, *who.groups):
        bits |= stat.S_IRGRP
    if not status.st_mode & bits:
        raise InfrastructureError(
            f"{path} can be read by its owner only, and the user that builds cannot:"
            f" chmod -R go+rX {path}",
            retry=False,
        )
