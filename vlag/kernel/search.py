# SPDX-License-Identifier: GPL-2.0-only
"""git's own bisection of a mirror, without a work tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

from vlag.errors import InfrastructureError, UsageError
from vlag.kernel.git import GIT, git, is_ancestor
from vlag.model import COMMIT_ID

_FIRST = re.compile(rf"^({COMMIT_ID}) is the first bad commit$", re.MULTILINE)
_ANY_OF = "could be any of:"
#: Words of `git bisect`.
GOOD, BAD, SKIP = "good", "bad", "skip"
#: After so many skips in a row git chooses, which leaps: commits that do not build stand together.
_NEAR = 2


@frozen(kw_only=True)
class End:
    """What a search has found."""

    commits: tuple[str, ...]  # one: the first bad commit; several: one of these, as some skip
    log: str  # of `git bisect log`


class Search:
    """The search for the first bad commit between two commits."""

    def __init__(self, mirror: Path, scratch: Path, good: str, bad: str) -> None:
        """Use the folder `scratch` for git's own notes; whatever was there goes."""
        self._mirror, self._git = mirror, scratch
        self._good, self._bad = good, bad
        self._paths: tuple[str, ...] = ()

    def commits(self, paths: Sequence[str] = ()) -> list[str]:
        """Return the commits that may be the first bad one, newest first.

        Raises UsageError if the good commit is no ancestor of the bad one.
        """
        if not is_ancestor(self._mirror, self._good, self._bad):
            raise UsageError(
                f"{self._good[:12]} is no ancestor of {self._bad[:12]}: a search needs a good"
                " commit that the bad one was built on"
            )
        words = ("rev-list", f"{self._good}..{self._bad}", "--", *paths)
        return git(self._mirror, *words).split()

    def run(self, judge: Callable[[str, int], str], paths: Sequence[str] = ()) -> End:
        """Ask `judge` about commits until the first bad one is known.

        It gets a commit and the number of steps that are left, about, and answers with one of
        git's words.  Only commits that change `paths` are asked about.
        """
        self._paths = tuple(paths)
        shutil.rmtree(self._git, ignore_errors=True)
        self._git.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [*GIT, "clone", "--quiet", "--bare", "--shared", self._mirror, self._git],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise InfrastructureError(f"git clone of {self._mirror} failed: {done.stderr.strip()}")
        output = self._bisect("start", "--no-checkout", self._bad, self._good, "--", *paths)
        in_a_row = 0  # skips
        while (end := self._end(output)) is None:
            left = re.search(r"roughly (\d+) step", output)
            if 0 < in_a_row <= _NEAR:
                commit = self._nearest(paths)
            else:
                commit = git(self._git, "rev-parse", "BISECT_HEAD")
            word = judge(commit, int(left[1]) + 1 if left else 1)
            in_a_row = in_a_row + 1 if word == SKIP else 0
            output = self._bisect(word, commit)
        return end

    def after(self, commit: str) -> list[str]:
        """Return what git asks about next if this commit, which it asks about, is bad or good.

        Where an answer ends the search, it has no next commit.
        """
        bad, good, _ = self._answers()
        commits = []
        for last, firsts in ((commit, good), (bad[0], [*good, commit])):
            # --bisect would add what is bad and good already.
            words = ("rev-list", "--bisect-vars", last, "--not", *firsts, "--", *self._paths)
            middle = re.search(rf"^bisect_rev='?({COMMIT_ID})", git(self._git, *words))
            commits += [middle[1]] if middle is not None and middle[1] != last else []
        return commits

    def _answers(self) -> tuple[list[str], list[str], list[str]]:
        """Return the bad commit, the good ones and the skipped ones."""
        refs = git(
            self._git, "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/bisect"
        )
        named = [line.split() for line in refs.splitlines()]
        bad, good, skipped = (
            [sha for sha, name in named if name.startswith(word)] for word in (BAD, GOOD, SKIP)
        )
        return bad, good, skipped

    def _nearest(self, paths: Sequence[str]) -> str:
        """Return the commit nearest to the middle of those that were not skipped."""
        bad, good, skipped = self._answers()
        words = ("rev-list", "--bisect-all", *bad, "--not", *good, "--", *paths)
        # Each line ends with "(dist=N)"; the best ones come first, the bad commit itself last.
        ordered = [line.split()[0] for line in git(self._git, *words).splitlines()]
        return next(sha for sha in ordered if sha not in skipped)

    def _bisect(self, *words: str) -> str:
        done = subprocess.run(
            [*GIT, f"--git-dir={self._git}", "bisect", *words],
            capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
            cwd=self._git, env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
        # 2: only skipped commits are left.
        if done.returncode not in (0, 2):
            lines = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no message"]
            raise InfrastructureError(f"git bisect {words[0]} failed: {lines[0]}", retry=False)
        return done.stdout

    def _end(self, output: str) -> End | None:
        first = _FIRST.search(output)
        if first is not None:
            return End(commits=(first[1],), log=self._log())
        if _ANY_OF in output:
            rest = output.partition(_ANY_OF)[2]
            return End(commits=tuple(re.findall(rf"\b{COMMIT_ID}\b", rest)), log=self._log())
        return None

    def _log(self) -> str:
        return git(self._git, "bisect", "log")


def reverted(mirror: Path, head: str, culprit: str, index: Path) -> str | None:
    """Return a commit on top of `head` that reverts `culprit`; None if it does not revert cleanly.

    No ref names it.  `index` is a file for git's own use.  The same question gives the same commit.
    """
    index.parent.mkdir(parents=True, exist_ok=True)
    index.unlink(missing_ok=True)
    date = git(mirror, "show", "--no-patch", "--format=%cI", head)
    env = {
        **os.environ, "GIT_DIR": str(mirror), "GIT_INDEX_FILE": str(index),
        "GIT_AUTHOR_NAME": "vlag", "GIT_AUTHOR_EMAIL": "vlag@localhost", "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": "vlag", "GIT_COMMITTER_EMAIL": "vlag@localhost",
        "GIT_COMMITTER_DATE": date,
    }  # fmt: skip

    def call(*words: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*GIT, *words], input=given, capture_output=True, check=False, env=env
        )

    patch = call("diff", "--binary", culprit, f"{culprit}^1")
    call("read-tree", head)
    applied = call("apply", "--cached", "-", given=patch.stdout)
    tree = call("write-tree").stdout.decode().strip()
    index.unlink(missing_ok=True)
    if patch.returncode or not patch.stdout or applied.returncode or not tree:
        return None
    subject = git(mirror, "show", "--no-patch", "--format=%s", culprit)
    made = call("commit-tree", tree, "-p", head, "-m", f'Revert "{subject}"')
    return made.stdout.decode().strip() or None
