# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""The scheduler of pushes: what a stop at the worst moment leaves behind is made good."""

from __future__ import annotations

import sys

from attrs import evolve
from buildbot.test import fakedb
from buildbot.test.reactor import TestReactorMixin
from buildbot.test.util.scheduler import SchedulerMixin
from twisted.internet import defer
from twisted.trial import unittest

from vlag import ROOT
from vlag.config import Branch

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import schedulers

WATCHED = Branch(
    tree="debian",
    branch="linux-*",
    baseline="v6.1",
    board_types=("sim",),
    plan="nightly",
    commit_plan="commit",
    series=None,
    applications=(),
)


class PushScheduler(SchedulerMixin, TestReactorMixin, unittest.TestCase):
    @defer.inlineCallbacks
    def setUp(self):
        self.setup_test_reactor()
        yield self.setUpScheduler()
        self.merges = {}

        async def brought(tree, commit):
            assert tree == "debian"
            return self.merges.get(commit, [])

        self.pushes = schedulers._push(WATCHED, "push 1", brought)
        yield self.attachScheduler(self.pushes, 10, 20, createBuilderDB=True)

    @defer.inlineCallbacks
    def note(self, number, revision, *, branch="linux-6.12", project="debian"):
        """Note a change as the poller does, without a word to the scheduler."""
        where = {"repository": "repo", "codebase": "", "project": project}
        stamp = yield self.master.db.sourcestamps.findSourceStampId(
            branch=branch, revision=revision, **where
        )
        yield self.master.db.insert_test_data(
            [
                fakedb.Change(
                    changeid=number,
                    branch=branch,
                    revision=revision,
                    sourcestampid=stamp,
                    **where,
                )
            ]
        )

    @defer.inlineCallbacks
    def asked(self):
        """Revisions of the builds that were asked for, in that order."""
        found = []
        buildsets = yield self.master.db.buildsets.getBuildsets()
        for buildset in sorted(buildsets, key=lambda b: b.bsid):
            [number] = buildset.sourcestamps
            stamp = yield self.master.db.sourcestamps.getSourceStamp(number)
            found.append(stamp.revision)
        return found

    @defer.inlineCallbacks
    def test_what_was_noted_before_the_first_start_is_history(self):
        yield self.note(1, "old")
        yield self.begin()
        assert (yield self.asked()) == []
        yield self.note(2, "new")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["new"]

    @defer.inlineCallbacks
    def begin(self):
        yield self.master.startService()
        self.addCleanup(self.master.stopService)

    @defer.inlineCallbacks
    def test_changes_that_nobody_asked_for_are_asked_for_in_order(self):
        yield self.begin()
        yield self.pushes.deactivate()
        for number, revision in ((1, "c"), (2, "a"), (3, "b")):
            yield self.note(number, revision)
        assert (yield self.asked()) == []
        yield self.pushes.activate()
        assert (yield self.asked()) == ["c", "a", "b"]

    @defer.inlineCallbacks
    def test_a_change_that_is_noted_twice_is_built_once(self):
        yield self.begin()
        yield self.note(1, "a")
        yield self.pushes.gotChange(None, True)
        yield self.note(2, "a")
        yield self.note(3, "b")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["a", "b"]
        # The same commit on another branch is another question.
        yield self.note(4, "a", branch="linux-6.13")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["a", "b", "a"]

    @defer.inlineCallbacks
    def test_a_build_asked_for_but_not_noted_as_such_is_not_asked_for_again(self):
        yield self.begin()
        yield self.note(1, "a")
        yield self.pushes.gotChange(None, True)
        yield self.pushes.setState(schedulers._SEEN, 0)
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["a"]

    @defer.inlineCallbacks
    def test_other_trees_and_branches_are_not_built(self):
        yield self.begin()
        yield self.note(1, "a", project="other")
        yield self.note(2, "b", branch="topic")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == []

    @defer.inlineCallbacks
    def test_a_merge_is_the_commits_that_it_brings_and_itself(self):
        yield self.begin()
        self.merges["m"] = ["a", "b", "c"]
        yield self.note(1, "before")
        yield self.note(2, "m")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["before", "a", "b", "c", "m"]
        stamps = yield self.master.db.sourcestamps.getSourceStamps()
        assert {(s.branch, s.project) for s in stamps} == {("linux-6.12", "debian")}

    @defer.inlineCallbacks
    def test_a_stop_amid_a_merge_asks_for_the_rest_only(self):
        yield self.begin()
        self.merges["m"] = ["a"]
        yield self.note(1, "m")
        yield self.pushes._ask_for_brought(
            (yield schedulers.Change.fromChdict(
                self.master, (yield self.master.db.changes.getChange(1))
            ))
        )  # fmt: skip
        assert (yield self.asked()) == ["a"]
        self.merges["m"] = ["a", "b"]
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["a", "b", "m"]

    @defer.inlineCallbacks
    def test_what_was_pushed_alone_is_not_asked_for_again_by_its_merge(self):
        yield self.begin()
        self.merges["m"] = ["a"]
        yield self.note(1, "a")
        yield self.note(2, "m")
        yield self.pushes.gotChange(None, True)
        assert (yield self.asked()) == ["a", "m"]


def test_a_branch_keeps_its_name_wherever_it_is_in_the_settings():
    other = evolve(WATCHED, branch="linux-7.0")
    [name] = schedulers.push_names([WATCHED])
    for order in ([WATCHED, other], [other, WATCHED], [other, other, WATCHED]):
        found = schedulers.push_names(order)
        assert found[name] is WATCHED
        assert len(found) == len(order)
