# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What the master asks the trees: one list of branches, and no more where nothing was pushed."""

from __future__ import annotations

import sys

import pytest
from buildbot.test.util.changesource import ChangeSourceMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.integration import tiny_tree
from tests.repositories import git
from tests.waiting import DEADLINE_S
from vlag import ROOT, config

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import pollers


class Polls(ChangeSourceMixin, unittest.TestCase):
    """A tree whose branch `main` is watched, and who pushes to it."""

    timeout = DEADLINE_S

    @pytest.fixture(autouse=True)
    def _of(self, tmp_path, monkeypatch):
        self.settings = config.load(tiny_tree.write(tmp_path, "v1"))
        self.url = self.settings.trees["tiny"].url
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
