# mypy: ignore-errors
# Buildbot has no types.
"""The master beside dead remotes: a night has its branches, and its notes say what happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from buildbot.test.reactor import TestReactorMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.integration import tiny_tree
from vlag import ROOT, config
from vlag.kernel import mirror, upstream

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import night, trees


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    loaded = config.load(tiny_tree.write(tmp_path, "v1"))
    loaded.mirror("tiny").parent.mkdir(parents=True)
    mirror.clone(loaded.mirror("tiny"), loaded.trees["tiny"].url, print, loaded.watched("tiny"))
    return loaded


def test_the_notes_of_a_night_have_what_happened_a_day_before_it(settings: config.Settings) -> None:
    assert night.upstream_notes(settings, 0) == []
    url = Path(settings.trees["tiny"].url)
    subprocess.run(["git", f"--git-dir={url}", "branch", "-m", "main", "renamed"], check=True)
    mirror.clone(settings.mirror("tiny"), str(url), print, settings.watched("tiny"))
    [event] = upstream.events(settings.mirror("tiny"))
    [said] = night.upstream_notes(settings, 0)
    assert said == event.sentence()
    assert "branch main of tree tiny has vanished" in said
    # Negative control: long after, nobody needs to read it.
    assert night.upstream_notes(settings, 4e9) == []


class Heads(TestReactorMixin, unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _of(self, settings):
        self.settings = settings

    def setUp(self):
        self.setup_test_reactor()

    @defer.inlineCallbacks
    def test_those_of_the_mirror_serve_while_the_remote_is_dead(self):
        url = Path(self.settings.trees["tiny"].url)
        subprocess.run(["git", f"--git-dir={url}", "branch", "late", "main"], check=True)
        found = yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))
        assert found == ["late", "main"]
        url.rename(url.with_name("away.git"))
        found = yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))
        assert found == ["main"]
        self.settings.mirror("tiny").rename(url.with_name("no-mirror.git"))
        with pytest.raises(RuntimeError, match="cannot list the branches of tree tiny"):
            yield defer.ensureDeferred(trees.heads(self.settings, "tiny"))
