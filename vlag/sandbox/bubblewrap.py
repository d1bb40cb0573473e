# SPDX-License-Identifier: GPL-2.0-only
"""The command line by which bwrap runs a command: what it sees, and as whom."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from attrs import frozen

from vlag.sandbox.rules import BY_GROUP, Rules

#: Where toolchains are; a link on a system with merged /usr, else a folder.
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
#: What of /etc toolchains read: where `awk` leads, how libraries are found, the name of a user.
_ETC = ("alternatives", "ccache.conf", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
        "passwd")  # fmt: skip
_PATH = "/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/bin:/sbin"
_MIB = 1 << 20
#: Each folder is seen under its own path.
NOWHERE_ELSE: Mapping[Path, Path] = MappingProxyType({})


@frozen(kw_only=True)
class Who:
    """The user that a command runs as."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()  # further ones: that of a source which others may not read
    change: bool = True  # the caller is root and becomes this user; else it is this user


def command(
    argv: Sequence[str],
    *,
    rules: Rules,
    who: Who,
    read: Sequence[Path],
    write: Sequence[Path],
    environment: Mapping[str, str],
    cwd: Path,
    places: Mapping[Path, Path] = NOWHERE_ELSE,
    seccomp: int | None = None,
) -> list[str]:
    """Return the command line that runs `argv` in the sandbox.

    `seccomp` is the descriptor from which bwrap reads its filter of system calls.
    `read` and `write` are seen under their own paths, since paths end up in an image, but those
    that `places` shows elsewhere; nothing else of the machine is, but its programs.
    """
    words = ["bwrap", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "vlag", "--die-with-parent", "--new-session"]
    if not who.change:
        # No further ones: they open much of the kernel to a build.
        words += ["--unshare-user", "--disable-userns"]
        words += ["--uid", str(who.uid), "--gid", str(who.gid)]
    if seccomp is not None:
        words += ["--seccomp", str(seccomp)]
    words += ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        else:
            words += ["--ro-bind-try", name, name]
    words += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777"]
    words += ["--size", str(rules.tmp_mb * _MIB), "--tmpfs", "/tmp"]  # noqa: S108 - its own
    read = [*_python(), *read]
    # Those that bwrap makes by itself nobody but root may enter.
    for folder in _above([places.get(path, path) for path in (*read, *write)]):
        words += ["--perms", "0755", "--dir", folder]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path in read:
        words += ["--ro-bind", str(path), str(places.get(path, path))]
    for path in write:
        words += ["--bind", str(path), str(places.get(path, path))]
    # The folders that lead to the above are made in memory: nobody keeps anything there.
    words += ["--remount-ro", "/", "--chdir", str(cwd), "--clearenv"]
    for name, value in sorted(inner(environment).items()):
        words += ["--setenv", name, value]
    words += ["--cap-drop", "ALL"]
    if who.change:
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
    return [*words, "--", *as_user(who), *limits(rules), *argv]


def inner(environment: Mapping[str, str]) -> dict[str, str]:
    """Return all variables that a command sees."""
    own = {"PATH": _PATH, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
    return {**own, **environment}


def limits(rules: Rules) -> list[str]:
    """Return the words that begin a command whose processes are limited."""
    wanted = {
        "cpu": (resource.RLIMIT_CPU, rules.cpu_s),
        "as": (resource.RLIMIT_AS, rules.memory_mb * _MIB),
        "fsize": (resource.RLIMIT_FSIZE, rules.file_mb * _MIB),
        "nproc": (resource.RLIMIT_NPROC, rules.processes),
        "core": (resource.RLIMIT_CORE, 0),
    }
    words = ["prlimit"]
    if rules.processes == BY_GROUP:
        del wanted["nproc"]  # it counts those of the user's other builds as well
    for name, (which, value) in wanted.items():
        _, most = resource.getrlimit(which)
        # Nobody but root may raise a limit.
        words.append(f"--{name}={value if most == resource.RLIM_INFINITY else min(value, most)}")
    return words


def as_user(who: Who) -> list[str]:
    """Return the words that begin a command of a user without privileges."""
    if not who.change:
        return []
    groups = ",".join(map(str, who.groups))
    return [
        "setpriv", f"--reuid={who.uid}", f"--regid={who.gid}",
        f"--groups={groups}" if groups else "--clear-groups",
        "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--",
    ]  # fmt: skip


def _above(paths: Sequence[Path]) -> list[str]:
    """Return the folders that lead to these, each after those above it."""
    folders = {str(folder) for path in paths for folder in path.parents}
    return ["/etc", *sorted(f for f in folders if f not in ("/", "/tmp") and f[:4] != "/usr")]  # noqa: S108


def _python() -> list[Path]:
    """Return the folders of this interpreter and its packages, where /usr has them not."""
    prefixes = dict.fromkeys(Path(p) for p in (sys.base_prefix, sys.prefix))
    return [p for p in prefixes if not p.is_relative_to("/usr")]
