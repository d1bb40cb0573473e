# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Steps of a master in Buildbot's own harness."""

from __future__ import annotations

from unittest import mock

import pytest
from buildbot.process.results import RETRY
from buildbot.test import fakedb
from buildbot.test.reactor import TestReactorMixin
from buildbot.test.steps import ExpectShell, TestBuildStepMixin
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.trial import unittest


def shell(*words, logfiles=None, max_time=None):
    return ExpectShell(
        workdir="wkdir",
        command=["vlag", *words],
        timeout=None,
        max_time=max_time,
        sigterm_time=20,
        log_environ=False,
        logfiles=logfiles,
    )


def build_row(**given):
    """Return the row of a build in the database."""
    same = {"masterid": fakedb.FakeDBConnector.MASTER_ID, "builderid": 100, "workerid": 400}
    return fakedb.Build(**same, **given)


class OwnFolder:
    """Buildbot's stand-in for a master keeps its files in `basedir` of the working directory.

    The tests' other processes would share it.
    """

    @pytest.fixture(autouse=True)
    def _own_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)


class Harness(OwnFolder, TestBuildStepMixin, TestReactorMixin, unittest.TestCase):
    @defer.inlineCallbacks
    def setUp(self):
        self.setup_test_reactor()
        yield self.setup_test_build_step(want_db=True, want_mq=True)

    def setup(self, step, **properties):
        self.setup_step(step)
        self.build.requests = [mock.Mock(id=300)]
        for name, value in properties.items():
            self.build.setProperty(name, value, "test")

    @async_to_deferred
    async def earlier_build(self, source, **properties):
        """Let the build be the second attempt; `source` is that of the first one's properties."""
        row = build_row(id=91, buildrequestid=300, number=6, results=RETRY, complete_at=1)
        await self.master.db.insert_test_data([row])
        for name, value in properties.items():
            await self.master.db.builds.setBuildProperty(91, name, value, source)
