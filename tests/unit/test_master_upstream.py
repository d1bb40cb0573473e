# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What the master asks git: branches beside dead remotes, what happened, what a merge brings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from buildbot.test.reactor import TestReactorMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.integration import tiny_tree
from tests.repositories import WorkTree, git
from vlag import ROOT, config
from vlag.kernel import mirror, upstream

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import night_steps, trees


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    loaded = config.load(tiny_tree.write(tmp_path, "v1"))
    loaded.mirror("tiny").parent.mkdir(parents=True)
    mirror.clone(loaded.mirror("tiny"), loaded.trees["tiny"].url, loaded.watched("tiny"))
    return loaded


def test_the_notes_of_a_night_have_what_happened_a_day_before_it(settings: config.Settings) -> None:
    assert night_steps.upstream_notes(settings, 0) == []
    url = Path(settings.trees["tiny"].url)
    git(url, "branch", "-m", "main", "renamed")
    mirror.clone(settings.mirror("tiny"), str(url), settings.watched("tiny"))
    [event] = upstream.events(settings.mirror("tiny"))
    [said] = night_steps.upstream_notes(settings, 0)
    assert said == event.sentence()
    assert "branch main of tree tiny has vanished" in said
    # Negative control: long after, nobody needs to read it.
    assert night_steps.upstream_notes(settings, 4e9) == []


class Heads(TestReactorMixin, unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _of(self, settings):
        self.settings = settings

    def setUp(self):
        self.setup_test_reactor()

    @defer.inlineCallbacks
    def test_those_of_the_mirror_serve_while_the_remote_is_dead(self):
        url = Path(self.settings.trees["tiny"].url)
        git(url, "branch", "late", "main")
        found = yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))
        assert found == ["late", "main"]
        url.rename(url.with_name("away.git"))
        found = yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))
        assert found == ["main"]
        self.settings.mirror("tiny").rename(url.with_name("no-mirror.git"))
        with pytest.raises(RuntimeError, match="cannot list the branches of tree tiny"):
            yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))


class Brought(TestReactorMixin, unittest.TestCase):
    """A merge of three commits, one of which touches no path of the scheduler."""

    @pytest.fixture(autouse=True)
    def _of(self, settings, tmp_path):
        self.settings = settings
        git(tmp_path, "clone", "--quiet", settings.trees["tiny"].url, "work", "--branch", "v1")
        self.tree = WorkTree(tmp_path / "work")

    def setUp(self):
        self.setup_test_reactor()

    def commit(self, path):
        return self.tree.commit(path, **{path: f"{path}\n"})

    @defer.inlineCallbacks
    def test_what_touches_the_paths_oldest_first(self):
        self.tree.git("checkout", "--quiet", "-b", "topic")
        fair = self.commit("kernel/sched/fair.c")
        self.commit("drivers/x.c")
        header = self.commit("include/linux/sched/topology.h")
        self.tree.git("checkout", "--quiet", "-b", "main", "v1")
        plain = self.commit("kernel/sched/core.c")
        self.tree.git("merge", "--quiet", "--no-ff", "topic", "-m", "merge")
        merge = self.tree.git("rev-parse", "HEAD")
        self.tree.git("push", "--quiet", "--force", "origin", "main")
        mirror.clone(self.settings.mirror("tiny"), self.settings.trees["tiny"].url, ["main"])

        def ask(commit, paths):
            return defer.ensureDeferred(trees.brought(self.settings, "tiny", commit, paths))

        assert (yield ask(merge, config.PATHS)) == [fair, header]
        assert (yield ask(merge, ["drivers/"])) != []
        # Negative controls: no merge, no path, a path that nothing touches.
        assert (yield ask(plain, config.PATHS)) == []
        assert (yield ask(merge, [])) == []
        assert (yield ask(merge, ["mm/"])) == []
