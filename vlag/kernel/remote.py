# SPDX-License-Identifier: GPL-2.0-only
"""What is fetched of a remote, which others write: branches and tags, checked, and in time."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

from vlag.kernel.git import GIT, git

log = logging.getLogger(__name__)

#: Only these refs are fetched.  `refs/replace` would change what a commit id means.
REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
#: Seconds without a sign of life after which a remote is given up.  git reports its progress
#: every second, and a server's counting of a kernel's objects is progress too.
SILENCE_S = 300.0
#: Seconds that one fetch may last: a kernel's whole history over a slow line.
LONGEST_S = 4 * 3600.0
#: Seconds before a remote is asked again that could not be reached, or broke off.
PAUSES_S = (2.0, 8.0, 30.0)
#: What git says of a network, or of a server that is overloaded or starts.  All else is of the
#: address, of rights or of what is there, which another try does not change.
_PASSING = re.compile(
    r"could not resolve host|temporary failure in name resolution|connection (?:refused|reset|timed"
    r" out|closed)|failed to connect|couldn't connect|network is unreachable|no route to host"
    r"|operation timed out|early eof|hung up unexpectedly|unexpected disconnect"
    r"|rpc failed|returned error: (?:429|5\d\d)|gnutls|ssl_(?:read|connect|error)",
    re.IGNORECASE,
)
#: What git says where one side has ids of SHA-1 and the other those of SHA-256.
_OTHER_IDS = re.compile(r"mismatched algorithms: client (?P<own>\w+); server (?P<its>\w+)")
#: What is no matter of time although the connection ends with it.
_LASTING = re.compile(r"permission denied|not found|authentication failed|does not exist", re.I)
#: Bytes of git's messages that are kept, from the end.
_KEPT = 1 << 16

#: What old histories have and nothing is harmed by; all other faults refuse the fetch.
_OLD_FAULTS = ("zeroPaddedFilemode", "missingSpaceBeforeDate", "badTimezone", "missingEmail")
_CHECKED = (
    "-c", "fetch.fsckObjects=true",
    *(word for fault in _OLD_FAULTS for word in ("-c", f"fetch.fsck.{fault}=warn")),
    # Old heads have no ref yet: nothing may be collected before they have.
    "-c", "gc.auto=0", "-c", "maintenance.auto=false",
    "-c", "fetch.recurseSubmodules=false",
)  # fmt: skip


def fetch(mirror: Path, *, again: bool = True) -> str | None:
    """Fetch the branches and tags of `origin`; return why that failed, or None.

    With `again`, a remote that the network keeps from us is asked again after each of PAUSES_S,
    which is logged.
    A ref that the remote does not have is removed, also one of an older vlag that fetched all.
    """
    git(mirror, "config", "--replace-all", "remote.origin.fetch", REFSPECS[0])
    git(mirror, "config", "--add", "remote.origin.fetch", REFSPECS[1])
    _drop_others(mirror)
    words = ["fetch", "--prune", "--no-tags", "--force", "--progress", "origin", *REFSPECS]
    for pause_s in (*(PAUSES_S if again else ()), None):
        status, message = ask([*GIT, f"--git-dir={mirror}", *_CHECKED, *words])
        if not status or pause_s is None or not is_passing(message):
            break
        log.info(f"{shown(reason(message))}; asking again in {pause_s:.0f} s")
        time.sleep(pause_s)
    if status:
        return reason(message)
    _point_head(mirror)
    # git takes nothing of a branch whose history a remote has cut off, and ends well.
    cut = re.search(r"^warning: (rejected \S+ because shallow.*)$", message, re.MULTILINE)
    return None if cut is None else cut[1]


def ask(command: list[str], *, silence_s: float | None = None) -> tuple[int, str]:
    """Run a git command that speaks with a remote; return its status and messages.

    A remote that says nothing for `silence_s` (SILENCE_S), or is not done after LONGEST_S, is
    given up: git and its helpers end, and the last message says so.
    """
    quiet_s = SILENCE_S if silence_s is None else silence_s
    child = subprocess.Popen(
        # Also when this process is killed: nothing that it started goes on.
        ["setpriv", "--pdeathsig", "TERM", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        # Nobody is there to answer, and a helper that is left ends by itself.
        env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0",
             "GIT_HTTP_LOW_SPEED_LIMIT": "1",
             "GIT_HTTP_LOW_SPEED_TIME": str(max(1, round(quiet_s)))},
        process_group=0,
    )  # fmt: skip
    output, why = b"", ""
    try:
        assert child.stderr is not None  # noqa: S101 - Popen was asked for a pipe
        end = time.monotonic() + LONGEST_S
        with selectors.DefaultSelector() as selector:
            selector.register(child.stderr, selectors.EVENT_READ)
            while True:
                if not selector.select(min(quiet_s, max(0.0, end - time.monotonic()))):
                    late = time.monotonic() >= end
                    why = f"it took longer than {LONGEST_S:.0f} s" if late else (
                        f"the remote said nothing for {quiet_s:.0f} s"
                    )  # fmt: skip
                    break
                data = os.read(child.stderr.fileno(), 1 << 16)
                if not data:
                    break
                if sys.stderr.isatty():
                    os.write(sys.stderr.fileno(), data)
                output = (output + data)[-_KEPT:]
                if time.monotonic() >= end:
                    why = f"it took longer than {LONGEST_S:.0f} s"
                    break
    finally:
        if why or sys.exc_info()[0] is not None:
            _end(child)
        child.wait()
        if child.stderr is not None:
            child.stderr.close()
    text = output.decode("utf-8", "replace")
    return (1, f"{text}\nfatal: {why}") if why else (child.returncode, text)


def other_ids(why: str) -> str | None:
    """Return the kind of ids that a remote has, "sha1" or "sha256", if a fetch failed of it."""
    found = _OTHER_IDS.search(why)
    return None if found is None else found["its"]


def is_passing(stderr: str) -> bool:
    """Return whether git failed because of the network or of a server that is busy."""
    return bool(_PASSING.search(stderr)) and not _LASTING.search(stderr)


def reason(stderr: str) -> str:
    """Return git's reason in one line."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()] or ["no message"]
    faults = [line for line in lines if line.startswith(("fatal:", "ERROR:", "error:"))]
    # The first error is the cause; the last fatal one tells that the fetch has ended of it.
    checked = [line for line in faults if line.startswith("error: object ")]
    return (checked or faults[-1:] or lines[-1:])[0].strip()


def shown(text: str) -> str:
    """Return an address without the password that it may have."""
    return re.sub(r"//[^/@\s]*@", "//", text)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End git and its helpers."""
    for number, wait_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(child.pid, number)
            child.wait(wait_s)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # a helper that outlived git


def _drop_others(mirror: Path) -> None:
    """Remove refs that are neither branches, tags nor our own, and grafts."""
    ours = ("refs/heads/", "refs/tags/", "refs/vlag/")
    for name in git(mirror, "for-each-ref", "--format=%(refname)").splitlines():
        if not name.startswith(ours):
            git(mirror, "update-ref", "-d", name)
    (mirror / "info" / "grafts").unlink(missing_ok=True)


def _point_head(mirror: Path) -> None:
    """Let HEAD be a branch that is there: git's own search for a commit needs one."""
    heads = git(mirror, "for-each-ref", "--format=%(refname)", "refs/heads").splitlines()
    if heads and git(mirror, "symbolic-ref", "HEAD") not in heads:
        usual = [f"refs/heads/{name}" for name in ("master", "main")]
        git(mirror, "symbolic-ref", "HEAD", next((n for n in usual if n in heads), heads[0]))
