# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""The builder of lanes: what asks for it, what it waits for, and what it makes of results."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest
from attrs import evolve
from buildbot.process.results import CANCELLED, SUCCESS, WARNINGS
from buildbot.test import fakedb
from twisted.internet import defer

from tests.unit.asked import properties, rendered
from tests.unit.master_steps import Harness, shell
from vlag import ROOT, config
from vlag.config import catalogue

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import builders, push, schedulers
from master.kernel import BUILD_MAX_S
from master.lane_steps import BEFORE, Ask, Idle, Lane, Lanes

COMMIT = "c" * 40
OF = {"tree": "debian", "branch": "linux-6.12", "revision": COMMIT}


def settings(*lanes: str) -> config.Settings:
    loaded = config.load(ROOT / "vlag.toml")
    first, *others = loaded.branches
    return evolve(loaded, branches=(evolve(first, lanes=lanes), *others))


@pytest.mark.parametrize(
    ("lanes", "of", "asks"),
    [
        (("up",), OF, True),
        ((), OF, False),
        (("up",), {**OF, "branch": "linux-6.1"}, False),
        # By hand: a name that may move, or patches, is no commit of the branch.
        (("up",), {**OF, "ref": "linux-6.12"}, False),
        (("up",), {**OF, "series": "known-regressions"}, False),
    ],
)
def test_a_push_asks_for_the_lanes_of_its_branch(
    lanes: tuple[str, ...], of: dict[str, str], asks: bool
) -> None:
    step = Ask(settings(*lanes), name="lanes")
    build = SimpleNamespace(getProperties=lambda: properties(**of))
    assert step.doStepIf(SimpleNamespace(build=build)) is asks
    assert step.waitForFinish is False
    if asks:
        found = {k: rendered(v, properties(**of)) for k, v in step.set_properties.items()}
        assert found == {
            "tree": "debian", "watched": "linux-6.12", "ref": COMMIT, "lanes": ["up"],
        }  # fmt: skip


@pytest.mark.parametrize("lanes", [(), ("up",)])
def test_without_lanes_there_is_no_builder(lanes: tuple[str, ...]) -> None:
    of, known = settings(*lanes), catalogue.load()
    names = [b.name for b in builders.build_all(of, known)]
    assert ("lanes" in names) is bool(lanes)
    assert {"push", "nightly", "check", "try"} <= BEFORE
    assert BEFORE - {"first"} <= set(names)
    assert ("lanes" in [s.name for s in push.push_steps(of, known)]) is bool(lanes)
    assert (schedulers.LANES in [s.name for s in schedulers.schedule_all(of, known)]) is bool(lanes)


class Waiting(Harness):
    @defer.inlineCallbacks
    def setUp(self):
        yield super().setUp()
        self.master.mq.verifyMessages = False  # only the place of a message counts
        yield self.master.db.insert_test_data([
            fakedb.Builder(id=21, name="push"),
            fakedb.Builder(id=22, name="profile"),
            fakedb.Buildset(id=31),
            fakedb.SourceStamp(id=51),
            fakedb.BuildsetSourceStamp(id=61, buildsetid=31, sourcestampid=51),
            fakedb.BuildRequest(id=41, buildsetid=31, builderid=21),
            fakedb.BuildRequest(id=42, buildsetid=31, builderid=22),
        ])  # fmt: skip

    @defer.inlineCallbacks
    def end_push(self):
        yield self.master.db.buildrequests.claimBuildRequests([41])
        yield self.master.db.buildrequests.completeBuildRequests([41], SUCCESS)

    @defer.inlineCallbacks
    def test_a_lane_waits_for_a_push_and_not_for_profiles(self):
        self.setup(Idle(name="wait"))
        self.expect_outcome(SUCCESS)
        done = self.run_step()
        assert not done.called
        # Another build ends, and the push goes on.
        self.master.mq.callConsumer(("buildrequests", "42", "complete"), {})
        assert not done.called
        yield self.end_push()
        self.master.mq.callConsumer(("buildrequests", "41", "complete"), {})
        yield done

    @defer.inlineCallbacks
    def test_without_a_push_it_begins_at_once(self):
        """Negative control."""
        yield self.end_push()
        self.setup(Idle(name="wait"))
        self.expect_outcome(SUCCESS)
        yield self.run_step()

    @defer.inlineCallbacks
    def test_it_can_be_stopped_while_it_waits(self):
        self.setup(Idle(name="wait"))
        self.expect_outcome(CANCELLED)
        done = self.run_step()
        self.get_nth_step(0).interrupt("enough")
        yield done


class Lists(Harness):
    @defer.inlineCallbacks
    def test_each_lane_waits_and_holds_the_cpus(self):
        hosts = SimpleNamespace(cpus_for=lambda how: [how])
        self.setup(Lanes(hosts, name="lanes"), lanes=["up", "clang"])
        added = []
        self.build.addStepsAfterCurrentStep = added.extend
        self.expect_outcome(SUCCESS, "lanes: up, clang")
        yield self.run_step()
        assert [s.name for s in added] == ["wait", "lane up", "wait", "lane clang"]
        assert [s.locks for s in added[1::2]] == [["exclusive"]] * 2


class Built(Harness):
    WORDS = (
        "lanes", "--tree", "debian", "--ref", COMMIT, "--branch", "linux-6.12", "--lane", "up",
        "--store", "--format", "json",
    )  # fmt: skip

    def expect(self, code, lane=None, lacking=None, stderr=""):
        command = shell(*self.WORDS, max_time=BUILD_MAX_S)
        if code in (0, 20, 75):
            answer = {"lanes": [lane] if lane else [], "lacking": lacking or {}}
            command = command.stdout(json.dumps(answer) + "\n")
        self.expect_commands(command.stderr(stderr).exit(code))
        self.setup(Lane("up"), tree="debian", ref=COMMIT, watched="linux-6.12")

    def lane(self, outcome, kind=None, *, is_new=False):
        finding = {"kind": kind, "file": "kernel/sched/core.c", "line": 3, "message": "m",
                   "count": 1, "is_new": is_new}  # fmt: skip
        return {"lane": "up", "outcome": outcome, "reason": None if outcome == "builds" else "why",
                "is_new": is_new and outcome != "builds", "unjudged": None,
                "findings": [finding] if kind else []}  # fmt: skip

    def test_a_lane_that_builds(self):
        self.expect(0, self.lane("builds"))
        self.expect_outcome(SUCCESS, "up: builds")
        return self.run_step()

    def test_a_new_break_is_a_warning(self):
        self.expect(20, self.lane("breaks", "error", is_new=True))
        self.expect_outcome(WARNINGS, "up: breaks: kernel/sched/core.c:3: error: m")
        self.expect_log_file("findings", "up: breaks: kernel/sched/core.c:3: error: m\n"
                             "    kernel/sched/core.c:3: error: m\n")  # fmt: skip
        return self.run_step()

    def test_a_break_of_its_parent_is_none_of_the_commit(self):
        self.expect(20, self.lane("breaks", "error"))
        self.expect_outcome(SUCCESS, "up: breaks, as its parent: kernel/sched/core.c:3: error: m")
        return self.run_step()

    def test_a_new_warning_is_one(self):
        self.expect(0, self.lane("builds", "warning", is_new=True))
        self.expect_outcome(WARNINGS, "up: 1 new warning in kernel/sched/core.c: m")
        return self.run_step()

    def test_a_missing_compiler_is_a_warning_and_not_tried_again(self):
        said = "lane up: gcc is missing; install it"
        self.expect(75, lacking={"up": said}, stderr=f"vlag: {said}\n")
        self.expect_outcome(WARNINGS, f"up: vlag: {said}")
        return self.run_step()

    def test_a_mistake_is_a_warning(self):
        self.expect(2, stderr="vlag: no such tree\n")
        self.expect_outcome(WARNINGS, "up: vlag: no such tree")
        return self.run_step()
