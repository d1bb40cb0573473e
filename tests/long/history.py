# SPDX-License-Identifier: GPL-2.0-only
"""Commits on top of a kernel: harmless ones, a slow one, one that does not build, one that panics.

They are written into a mirror without a work tree, and no ref names them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from vlag import ROOT

#: Makes each pick of a task longer.
SLOW = ROOT / "kernel-patches" / "known-regressions" / "02-pick-path.patch"
#: Makes each wake-up longer, in a share of the boots.
RARE = ROOT / "kernel-patches" / "rare-mode" / "01-slow-boots.patch"
#: Makes one pick in 32 much longer: no median sees it, and P99 does.
_OWNER = b"static struct sched_entity *\npick_next_entity("
_PICK = b"\tstruct sched_entity *se = pick_eevdf(cfs_rq);\n"
_TURNS = b"static unsigned int sched_turns;\n\n"
_LONG = b"""
\tif (!(++sched_turns % 32))
\t\tfor (int i = 0; i < 40000; i++)
\t\t\tbarrier();
"""
_FILES = ("fair", "core", "rt", "pelt")
_TYPO = b"\n#error broken\n"
_START = b"void __init sched_init(void)\n{\n"
_PANIC = b'\tpanic("a bad day");\n'


@frozen(kw_only=True)
class Index:
    """An index of git's own over a mirror: commits are made without a work tree."""

    mirror: Path
    file: Path

    def git(self, *words: str, given: bytes | None = None) -> bytes:
        """Run git; what it prints."""
        env = {
            **os.environ, "GIT_DIR": str(self.mirror), "GIT_INDEX_FILE": str(self.file),
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
               (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", "2026-11-20T00:00:00Z"))},
        }  # fmt: skip
        done = subprocess.run(
            ["git", *words], input=given, capture_output=True, check=False, env=env
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def read(self, ref: str) -> str:
        """Begin with the files of a commit or tree; return its name."""
        self.git("read-tree", ref)
        return self.git("rev-parse", ref).decode().strip()

    def edit(self, name: str, change: Callable[[bytes], bytes]) -> None:
        """Change a file of kernel/sched."""
        path = f"kernel/sched/{name}.c"
        old = self.git("show", f":{path}")
        new = change(old)
        assert new != old, path
        blob = self.git("hash-object", "-w", "--stdin", given=new).decode().strip()
        self.git("update-index", "--cacheinfo", f"100644,{blob},{path}")

    def tree(self) -> str:
        """Write what the index has; return the tree's name."""
        return self.git("write-tree").decode().strip()

    def commit(self, parent: str, subject: str) -> str:
        """Make a commit of what the index has."""
        return self.git("commit-tree", self.tree(), "-p", parent, "-m", subject).decode().strip()


@frozen(kw_only=True)
class History:
    """Commits in the order in which they were made; the first is the base."""

    commits: tuple[str, ...]
    culprit: str


def history(
    mirror: Path,
    base: str,
    index: Path,
    *,
    n: int,
    culprit: int,
    broken: int | None = None,
    panics: int | None = None,
    tail: bool = False,
    rare: bool = False,
) -> History:
    """Make `n` commits on `base`; the one after a fault mends it.  `index` is git's own file.

    The culprit makes each pick longer, or with `tail` only a few of them, or with `rare` each
    wake-up of some boots.
    """
    of = Index(mirror=mirror, file=index)

    def step(number: int) -> str:
        if number == culprit:
            return _slow(of, tail=tail, rare=rare)
        if number == broken:
            of.edit("fair", lambda text: text + _TYPO)
            return "sched/fair: a typo"
        if broken is not None and number == broken + 1:
            of.edit("fair", lambda text: text.replace(_TYPO, b""))
            return "sched/fair: mend a typo"
        if number == panics:
            of.edit("core", lambda text: text.replace(_START, _START + _PANIC, 1))
            return "sched/core: a bad day"
        if panics is not None and number == panics + 1:
            of.edit("core", lambda text: text.replace(_PANIC, b"", 1))
            return "sched/core: a better day"
        name = _FILES[number % len(_FILES)]
        of.edit(name, lambda text: text + b"/* note %d */\n" % number)
        return f"sched/{name}: note {number}"

    commits = [of.read(f"{base}^{{commit}}")]
    for number in range(1, n + 1):
        subject = step(number)
        commits.append(of.commit(commits[-1], subject))
    index.unlink()
    return History(commits=tuple(commits), culprit=commits[min(culprit, n)])


def _slow(of: Index, *, tail: bool, rare: bool) -> str:
    """Make the index slow; return the commit's subject."""
    if rare:
        of.git("apply", "--cached", str(RARE))
        return "sched/fair: let some boots be slow"
    if tail:
        of.edit("fair", _rarely)
        return "sched/fair: look again at some picks"
    of.git("apply", "--cached", str(SLOW))
    return "sched/fair: look again at each pick"


def _rarely(text: bytes) -> bytes:
    assert text.count(_OWNER) == text.count(_PICK) == 1
    return text.replace(_OWNER, _TURNS + _OWNER).replace(_PICK, _PICK + _LONG)
