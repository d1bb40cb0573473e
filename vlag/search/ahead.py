# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that a search may ask for next, built on cores that its boots leave idle."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from attrs import define, field

#: A command with the lowest priority that SIGINT ends, also where a shell's background ignores it.
_LEAST = ("env", "--default-signal=INT", "nice", "-n", "19")


class Builder(Protocol):
    """What builds the commits that a search may ask about next."""

    def begin(self, commits: Sequence[str]) -> None:
        """Build these commits from now on; returns at once."""

    def want(self, commit: str | None) -> None:
        """Return once the build of one commit is no longer under way, and stop all others."""

    def end(self) -> None:
        """Stop all builds: the search has ended, or cannot go on now."""


@define
class Foreseen:
    """The commits that may come next, for somebody else to build."""

    commits: tuple[str, ...] = ()

    def begin(self, commits: Sequence[str]) -> None:
        """Note these commits."""
        self.commits = tuple(commits)

    def want(self, commit: str | None) -> None:
        """Forget them: the search has gone on."""
        del commit
        self.commits = ()

    def end(self) -> None:
        """Keep them: they are asked for once the search cannot go on."""


@define
class Ahead:
    """Builds of commits in processes of their own, one after another, with the lowest priority.

    `command` returns the command line that builds a commit.
    """

    command: Callable[[str], Sequence[str]]
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _stopped: bool = field(default=False, init=False)
    _now: tuple[str, subprocess.Popen[bytes]] | None = field(default=None, init=False)

    def begin(self, commits: Sequence[str]) -> None:
        """Build these commits; returns at once.  What they become is on record, or said later."""
        self.want(None)
        self._stopped = False
        self._thread = threading.Thread(target=self._work, args=(tuple(commits),), daemon=True)
        self._thread.start()

    def want(self, commit: str | None) -> None:
        """Wait for the build of one commit if it has begun, and stop all others."""
        with self._lock:
            self._stopped = True
            if self._now is not None and self._now[0] != commit:
                # As by a keyboard: it ends what it has started.
                self._now[1].send_signal(signal.SIGINT)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def end(self) -> None:
        """Stop all builds."""
        self.want(None)

    def _work(self, commits: Sequence[str]) -> None:
        for commit in commits:
            with self._lock:
                if self._stopped:
                    return
                process = subprocess.Popen(
                    [*_LEAST, *self.command(commit)], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
                self._now = commit, process
            process.wait()
            with self._lock:
                self._now = None


def build_command(tree: str, board_type: str) -> Callable[[str], list[str]]:
    """Return what makes the command line that builds a commit for a board type."""
    words = [sys.executable, "-m", "vlag.cli.main", "build", "--tree", tree]
    return lambda commit: [*words, "--board-type", board_type, "--ref", commit]
