# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What the master asks the trees: one list of branches, and no more where nothing was pushed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from buildbot.test.util.changesource import ChangeSourceMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.integration import tiny_tree
from tests.repositories import git
from tests.waiting import DEADLINE_S
from vlag import ROOT, config
from vlag.kernel import mirror
from vlag.model import is_commit_id

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import pollers, trees


class Polls(ChangeSourceMixin, unittest.TestCase):
    """A tree whose branch `main` is watched, and who pushes to it."""

    timeout = DEADLINE_S
    ids = "sha1"
    # What the settings name: the repository itself, or a work tree of it.
    work_tree = False

    @pytest.fixture(autouse=True)
    def _of(self, tmp_path, monkeypatch):
        self.settings = config.load(tiny_tree.write(tmp_path, "v1"))
        self.url = self.settings.trees["tiny"].url
        if self.ids != "sha1":
            shutil.rmtree(self.url)
            git(tmp_path, "init", "--quiet", "--bare", f"--object-format={self.ids}", self.url)
            tree = git(self.url, "mktree")
            git(self.url, "update-ref", "refs/heads/main",
                git(self.url, "commit-tree", tree, "-m", "one"))  # fmt: skip
        if self.work_tree:
            second = str(tmp_path / "second")
            git(self.url, "worktree", "add", "--quiet", "--detach", second, "main")
            path = self.settings.path
            path.write_text(path.read_text().replace(f'"{self.url}"', f'"{second}"'))
            self.settings = config.load(path)
            assert self.settings.trees["tiny"].url == second
        self.folder = tmp_path
        self.trace = tmp_path / "trace"
        monkeypatch.setenv("GIT_TRACE", str(self.trace))

    @defer.inlineCallbacks
    def setUp(self):
        yield self.setUpChangeSource(want_real_reactor=True)
        self.master.basedir = str(self.folder)
        [poller] = pollers.pollers(self.settings)
        poller._config_kwargs["pollAtLaunch"] = False  # a test polls
        yield self.attachChangeSource(poller)
        yield self.startChangeSource()
        yield self.poll()

    @defer.inlineCallbacks
    def poll(self):
        """Poll once; return the commands of git that the poller itself has given."""
        self.trace.write_text("")
        yield self.changesource.poll()
        said = [line.split("git ", 1)[1] for line in self.trace.read_text().splitlines()
                if "built-in: git " in line]  # fmt: skip
        return {word for words in said for word in ("ls-remote", "fetch", "rev-parse", "log")
                if words.startswith(word)}  # fmt: skip

    def commit(self, branch="main", parent="main"):
        """Push a commit; return its id."""
        words = ("commit-tree", f"{parent}^{{tree}}", "-p", parent, "-m", f"on {branch}")
        made = git(self.url, *words)
        git(self.url, "update-ref", f"refs/heads/{branch}", made)
        return made

    def seen(self):
        return [c["revision"] for c in self.master.data.updates.changesAdded]

    def test_only_watched_branches_are_fetched(self):
        watched = self.changesource.branches
        assert watched("refs/heads/main")
        assert not watched("refs/heads/maintenance")
        assert not watched("refs/tags/main")

    @defer.inlineCallbacks
    def test_where_nothing_was_pushed_nothing_is_fetched(self):
        assert (yield self.poll()) == {"ls-remote"}
        self.commit("unwatched")
        assert (yield self.poll()) == {"ls-remote"}
        assert self.seen() == []
        made = [self.commit(), self.commit()]
        assert "fetch" in (yield self.poll())
        assert self.seen() == made
        assert (yield self.poll()) == {"ls-remote"}
        assert self.seen() == made

    @defer.inlineCallbacks
    def test_a_fetch_that_failed_is_made_again(self):
        made = self.commit()
        [ref] = (self.folder / self.changesource.workdir).glob("refs/buildbot/**/main")
        lock = ref.with_name("main.lock")
        lock.touch()
        with pytest.raises(OSError, match="cannot lock ref"):
            yield self.poll()
        assert self.seen() == []
        lock.unlink()
        yield self.poll()
        assert self.seen() == [made]

    @defer.inlineCallbacks
    def test_objects_are_read_where_they_are(self):
        """No object of a repository on this machine is copied."""
        made = self.commit()
        yield self.poll()
        assert self.seen() == [made]
        own = self.folder / self.changesource.workdir / "objects"
        assert not [
            path for path in own.rglob("*") if path.is_file() and path.parent.name != "info"
        ]


class PollsSha256(Polls):
    """The same of a repository whose ids have 64 digits."""

    ids = "sha256"

    @defer.inlineCallbacks
    def test_ids_have_64_digits(self):
        made = self.commit()
        yield self.poll()
        assert [len(sha) for sha in self.seen()] == [64]
        assert is_commit_id(made)
        mirror.clone(self.settings.mirror("tiny"), self.url)
        parent = yield defer.ensureDeferred(trees.first_parent(self.settings, "tiny", made))
        assert parent == git(self.url, "rev-parse", f"{made}^")

    @defer.inlineCallbacks
    def test_a_remote_with_other_ids_is_polled_anew(self):
        folder = Path(self.changesource.workdir)
        shutil.rmtree(folder)
        git(self.folder, "init", "--quiet", "--bare", str(folder))  # as it was of SHA-1
        made = self.commit()
        yield self.poll()
        assert self.seen() == [made]


class PollsWorkTree(Polls):
    """The same of one of several work trees, whose `.git` is a file."""

    work_tree = True
