# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""Which builder goes first, beside Buildbot's own answer, on a database of Buildbot's."""

from __future__ import annotations

import random
import sys

from buildbot.process.builder import Builder
from buildbot.process.buildrequestdistributor import BuildRequestDistributor
from buildbot.test import fakedb
from buildbot.test.fake import fakemaster
from buildbot.test.reactor import TestReactorMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.unit.master_steps import OwnFolder
from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.urgency import most_urgent_first

BUILDERS = 6


class Urgency(OwnFolder, TestReactorMixin, unittest.TestCase):
    @defer.inlineCallbacks
    def setUp(self):
        self.setup_test_reactor()
        self.master = yield fakemaster.make_master(self, wantMq=True, wantData=True, wantDb=True)
        self.builders = []
        for number in range(BUILDERS):
            yield self.master.db.insert_test_data(
                [fakedb.Builder(id=number + 1, name=f"b{number}")]
            )
            builder = Builder(f"b{number}")
            builder.master = self.master  # a service would be told so by its parent
            self.builders.append(builder)

    @defer.inlineCallbacks
    def wait(self, seed):
        """Let requests wait, some claimed and some done; a few builders have none."""
        rng = random.Random(seed)
        rows = [fakedb.Master(id=1), fakedb.SourceStamp(id=1)]
        for number in range(1, rng.randrange(2, 20)):
            rows += [
                fakedb.Buildset(id=number),
                fakedb.BuildsetSourceStamp(buildsetid=number, sourcestampid=1),
                fakedb.BuildRequest(
                    id=number,
                    buildsetid=number,
                    builderid=rng.randrange(1, BUILDERS),
                    priority=rng.randrange(3),
                    submitted_at=1000 + rng.randrange(3),
                    complete=int(rng.random() < 0.2),
                ),
            ]
            if rng.random() < 0.2:
                rows.append(fakedb.BuildRequestClaim(brid=number, masterid=1, claimed_at=2000))
        yield self.master.db.insert_test_data(rows)

    @defer.inlineCallbacks
    def orders(self, seed):
        """Return our order of builders and Buildbot's."""
        yield self.wait(seed)
        distributor = BuildRequestDistributor(self.master.botmaster)
        ours = yield most_urgent_first(self.master, list(self.builders))
        theirs = yield distributor._defaultSorter(self.master, list(self.builders))
        return [b.name for b in ours], [b.name for b in theirs]


def _same(seed):
    @defer.inlineCallbacks
    def test(self):
        ours, theirs = yield self.orders(seed)
        assert ours == theirs
        assert ours != sorted(ours), "an order that tells nothing"

    return test


#: Seeds whose order is not that of the names.
for _seed in set(range(6)) - {2}:
    setattr(Urgency, f"test_the_order_is_buildbots_{_seed}", _same(_seed))
