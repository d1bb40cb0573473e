# SPDX-License-Identifier: GPL-2.0-only
"""Everything that can go wrong, and what it means for the caller.

A kernel that fails is a *result* (see `vlag.model.Outcome`), never an exception.
An exception here is a user's mistake, a bundle that must be refused, or a
fault of the infrastructure.  Each message is one sentence that says what is
wrong, where, and what to do.
"""

from __future__ import annotations

import enum
import errno
import os
from pathlib import Path


class ExitCode(enum.IntEnum):
    """Exit status of every `vlag` command; the one table that callers map from."""

    OK = 0
    REGRESSION = 10  # `vlag compare --exit-code`: a REGRESSION, or not as predicted
    KERNEL_FAILED = 20  # the result on record is a failed build, a panic, a hang
    PROOF_FAILED = 30  # a night's known regressions were not flagged as predicted
    USAGE = 2  # a user's mistake: an argument, a setting, a missing file
    REFUSED = (
        3  # a file is refused for what it holds: a bundle, raw output, numbers, mails, a report
    )
    INFRASTRUCTURE = 75  # EX_TEMPFAIL: power, network, disk, LAVA; worth a retry


#: Key of the JSON of a command that ends with an AwayError: the same command is worth a wait.
WAITS = "waits"


class VlagError(Exception):
    """Root of all errors that vlag raises itself."""

    exit_code = ExitCode.USAGE


class UsageError(VlagError):
    """A user's mistake: a missing or wrong argument, setting or file."""


class ContentError(UsageError):
    """A file that a person brought, refused for what it holds: numbers, mails, a field report."""

    exit_code = ExitCode.REFUSED


class RefusedError(VlagError):
    """A bundle that must not enter the database; its files are kept as they are.

    Raises with the file and, where there is one, the line.
    """

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None):
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(f"{where}{message}")
        self.path = path
        self.line = line


class ParseError(RefusedError):
    """Raw output of a tool that is empty, cut off, or of an unknown layout."""


#: What the system says of a name, a permission or an address that a person wrote.
_PERSONS = {
    errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP,
    errno.ENAMETOOLONG, errno.EINVAL, errno.EADDRINUSE, errno.EADDRNOTAVAIL,
}  # fmt: skip


class InfrastructureError(VlagError):
    """Not the kernel's fault: power, network, disk, database, LAVA.

    `retry`: the same command may succeed later without a change.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, message: str, *, retry: bool = True):
        super().__init__(message)
        self.retry = retry


class AwayError(InfrastructureError):
    """The database is away, or the machine has no room, memory or descriptors.

    All work here waits for the same thing, so the service counts no failure of a kernel or a board:
    it says what it waits for and runs the command again, with growing pauses.
    """

    def __init__(self, message: str):
        super().__init__(message, retry=True)


#: What the system says of a machine that lacks something for now.
_AWAY = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EAGAIN, errno.EMFILE,
    errno.ENFILE,
}  # fmt: skip
#: How a program ends a sentence about that; those in Go begin it with a small letter.
MACHINES = tuple(os.strerror(number).lower() for number in sorted(_AWAY))


def is_away(error: OSError) -> bool:
    """Return whether an error of the system is one that all work on the machine meets."""
    return error.errno in _AWAY


def sentence(error: OSError) -> str:
    """Return an error of the system as one line: which file, and what is wrong."""
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def blame(error: OSError, message: str) -> UsageError | InfrastructureError:
    """Return an error of the system as that of whoever can do something about it.

    A name, permission or address is a person's.  A disk that is full or fails, a server of files
    that is away and a machine without memory or descriptors are infrastructure.
    """
    if error.errno in _PERSONS:
        return UsageError(message)
    return AwayError(message) if is_away(error) else InfrastructureError(message)


def is_machines(line: str) -> bool:
    """Return whether a program's sentence ends with what the machine lacks for now."""
    return line.rstrip(". \n").lower().endswith(MACHINES)


def blame_program(status: int, output: str, message: str) -> UsageError | InfrastructureError:
    """Return an error of a program that has failed as that of whoever can do something about it.

    `status` is how it ended and `output` what it said last.  What a signal has ended, or what lacks
    room, memory or descriptors, is infrastructure; all else is a person's.
    """
    if is_machines(output):
        return AwayError(message)
    # A shell and bubblewrap end with 128 and the signal that has ended their child.
    if status < 0 or status > 128:
        return InfrastructureError(message)
    return UsageError(message)
