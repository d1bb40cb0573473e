# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""Which builder goes first, beside Buildbot's own answer, on a database of Buildbot's.

And which boot gets a board.
"""

from __future__ import annotations

import json
import random
import sys

from buildbot.process.builder import Builder
from buildbot.process.buildrequest import BuildRequest
from buildbot.process.buildrequestdistributor import BuildRequestDistributor
from buildbot.process.properties import Properties
from buildbot.test import fakedb
from buildbot.test.fake import fakemaster
from buildbot.test.reactor import TestReactorMixin
from twisted.internet import defer
from twisted.trial import unittest

from tests.unit.master_steps import OwnFolder
from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.builders import in_turn, runner_check
from master.locks import BoardPool
from master.urgency import most_urgent_first
from vlag.model import Board

BUILDERS = 6


class OnDatabase(OwnFolder, TestReactorMixin, unittest.TestCase):
    """A master with builders."""

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


class Urgency(OnDatabase):
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


class Worker:
    """A worker as Buildbot shows it to whoever decides what it takes."""

    class worker:  # noqa: N801 - Buildbot's name
        workername = "w"


class Hosts:
    of_worker = {"w": "here"}  # noqa: RUF012
    for_labs = frozenset({"lab"})


class Turns(OnDatabase):
    """A boot of kind "small" with priority 0 that may start but for what waits beside it."""

    @defer.inlineCallbacks
    def may_start(self, board_type="small", waits="small", **beside):
        """Return whether it may, beside another request with these properties and columns."""
        claimed, pinned = beside.pop("claimed", False), beside.pop("pinned", None)
        rows = [fakedb.Master(id=1), fakedb.SourceStamp(id=1)]
        columns = {"builderid": 1, "priority": 2, **beside}
        for number, kind, has in ((1, board_type, {"builderid": 1}), (2, waits, columns)):
            rows += [
                fakedb.Buildset(id=number),
                fakedb.BuildsetSourceStamp(buildsetid=number, sourcestampid=1),
                fakedb.BuildRequest(id=number, buildsetid=number, **has),
            ]
            of = {"board_type": kind, "pinned": pinned if number == 2 else None}
            rows += [
                fakedb.BuildsetProperty(
                    buildsetid=number, property_name=n, property_value=json.dumps([v, "test"])
                )
                for n, v in of.items()
            ]
        if claimed:
            rows.append(fakedb.BuildRequestClaim(brid=2, masterid=1, claimed_at=2000))
        yield self.master.db.insert_test_data(rows)
        boards = [("here", Board(name=f"{kind}-1", board_type=kind)) for kind in ("small", "other")]
        pool = BoardPool(boards)
        request = BuildRequest()
        request.id, request.priority, request.properties = 1, 0, Properties(board_type=board_type)
        check = in_turn(runner_check(pool, Hosts), pool)
        return (yield check(self.builders[0], Worker, request))

    @defer.inlineCallbacks
    def test_what_is_more_urgent_gets_the_board(self):
        assert not (yield self.may_start())

    @defer.inlineCallbacks
    def test_equals_do_not_wait_for_each_other(self):
        assert (yield self.may_start(priority=0))

    @defer.inlineCallbacks
    def test_another_kind_of_board_is_free(self):
        assert (yield self.may_start(waits="other"))

    @defer.inlineCallbacks
    def test_what_has_begun_is_not_waited_for(self):
        assert (yield self.may_start(claimed=True))

    @defer.inlineCallbacks
    def test_what_has_ended_is_not_waited_for(self):
        assert (yield self.may_start(complete=1))

    @defer.inlineCallbacks
    def test_other_builders_have_no_board(self):
        assert (yield self.may_start(builderid=2))

    @defer.inlineCallbacks
    def test_one_that_wants_a_certain_board_leaves_the_others(self):
        assert (yield self.may_start(pinned="small-1"))

    @defer.inlineCallbacks
    def test_a_kind_that_this_host_has_not_starts_nowhere(self):
        assert not (yield self.may_start(board_type="none", priority=0))
