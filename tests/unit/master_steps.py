# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""Steps of a master in Buildbot's own harness."""

from __future__ import annotations

from unittest import mock

from buildbot.test.reactor import TestReactorMixin
from buildbot.test.steps import ExpectShell, TestBuildStepMixin
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


class Harness(TestBuildStepMixin, TestReactorMixin, unittest.TestCase):
    @defer.inlineCallbacks
    def setUp(self):
        self.setup_test_reactor()
        yield self.setup_test_build_step(want_db=True, want_mq=True)

    def setup(self, step, **properties):
        self.setup_step(step)
        self.build.requests = [mock.Mock(id=300)]
        for name, value in properties.items():
            self.build.setProperty(name, value, "test")
