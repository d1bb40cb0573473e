# mypy: ignore-errors
# Buildbot's test harness has no types.
"""Steps and triggers of the master, in Buildbot's own harness."""

from __future__ import annotations

import json
import sys
from unittest import mock

import pytest
from buildbot.process.properties import Interpolate
from buildbot.process.results import EXCEPTION, FAILURE, RETRY, SUCCESS, WARNINGS
from buildbot.test import fakedb
from buildbot.test.reactor import TestReactorMixin
from buildbot.test.steps import ExpectShell, TestBuildStepMixin
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.trial import unittest

from vlag import ROOT
from vlag.errors import ExitCode
from vlag.model import Board

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.locks import BoardPool
from master.steps import (
    INFRASTRUCTURE,
    RESULTS,
    Compare,
    Report,
    RunOnBoard,
    VlagCommand,
    last_json,
)
from master.triggers import Child, Gate, Kernels


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


class Commands(Harness):
    def expect(self, code, answer=None, stderr="vlag: what is wrong\n"):
        command = shell("build", "--ref", "v1")
        if answer is not None:
            command = command.stdout("noise\n" + json.dumps(answer) + "\n")
        self.expect_commands(command.stderr("progress\n" + stderr).exit(code))
        step = VlagCommand(
            ["build", "--ref", "v1"], subject="v1", done="built", keep={"kernel": "kernel"}
        )
        self.setup(step)

    def test_table_has_every_exit_code(self):
        assert set(RESULTS) == set(ExitCode)

    def test_complete(self):
        self.expect(0, {"kernel": "ab", "release": "6.12.5"})
        self.expect_outcome(SUCCESS, "v1 (6.12.5): built in 0 s")
        self.expect_property("kernel", "ab", "vlag build")
        return self.run_step()

    def test_reused(self):
        self.expect(0, {"kernel": "ab", "reused": True})
        self.expect_outcome(SUCCESS, "v1: built before, reused")
        return self.run_step()

    def test_regression(self):
        self.expect(10, {})
        self.expect_outcome(WARNINGS, "v1: REGRESSION, built in 0 s")
        return self.run_step()

    def test_kernel_failed(self):
        self.expect(20, {"outcome": "build_failed", "kernel": "ab", "reason": "fair.c:1: error"})
        self.expect_outcome(FAILURE, "v1: build failed: fair.c:1: error")
        self.expect_property("kernel", "ab")
        return self.run_step()

    def test_usage(self):
        self.expect(2)
        self.expect_outcome(EXCEPTION, "v1: vlag: what is wrong")
        self.expect_no_property("kernel")
        return self.run_step()

    def test_refused(self):
        self.expect(3)
        self.expect_outcome(EXCEPTION, "v1: vlag: what is wrong")
        return self.run_step()

    def test_unknown_status_is_our_fault(self):
        self.expect(1, stderr="KeyError: 'x'\n")
        self.expect_outcome(EXCEPTION, "v1: KeyError: 'x'")
        return self.run_step()

    def test_infrastructure_is_tried_again(self):
        self.expect(75)
        self.expect_outcome(RETRY, "v1: vlag: what is wrong")
        self.expect_property(INFRASTRUCTURE, True)
        return self.run_step()

    @async_to_deferred
    async def earlier_build(self, *, infrastructure):
        await self.master.db.insert_test_data(
            [
                fakedb.Build(
                    id=91,
                    buildrequestid=300,
                    number=6,
                    masterid=fakedb.FakeDBConnector.MASTER_ID,
                    builderid=100,
                    workerid=400,
                    results=RETRY,
                    complete_at=1,
                )
            ]
        )
        if infrastructure:
            await self.master.db.builds.setBuildProperty(91, INFRASTRUCTURE, True, "vlag build")

    @defer.inlineCallbacks
    def test_infrastructure_twice_is_given_up(self):
        yield self.earlier_build(infrastructure=True)
        self.expect(75)
        self.expect_outcome(EXCEPTION, "v1: vlag: what is wrong (twice: given up)")
        yield self.run_step()

    @defer.inlineCallbacks
    def test_a_restart_of_the_master_does_not_use_up_the_retry(self):
        yield self.earlier_build(infrastructure=False)
        self.expect(75)
        self.expect_outcome(RETRY)
        yield self.run_step()

    def test_last_json(self):
        assert last_json('x\n{"a": 1}\n') == {"a": 1}
        for text in ("", "no\n", '{"a": 1}\nthen noise', "[1]"):
            assert last_json(text) == {}

    @defer.inlineCallbacks
    def test_comparisons_are_collected(self):
        self.expect_commands(shell("compare", "a", "b").stdout('{"comparison": 7}\n').exit(10))
        self.setup(Compare(["compare", "a", "b"], subject="a to b"), comparisons=["6"])
        self.expect_outcome(WARNINGS, "a to b: REGRESSION, compared in 0 s")
        self.expect_property("comparisons", ["6", "7"])
        yield self.run_step()

    def test_report_names_each_comparison_and_shows_the_file(self):
        words = ["report", "--format", "text", "--output", "/r"]
        self.expect_commands(
            shell(
                *words,
                "--comparison",
                "6",
                "--comparison",
                "7",
                logfiles={"report": {"filename": "/r", "follow": False}},
            ).exit(0)
        )
        self.setup(Report("/r"), comparisons=["6", "7"])
        self.expect_outcome(SUCCESS)
        self.expect_property("report", "/r")
        return self.run_step()

    def test_report_of_nothing(self):
        self.setup(Report("/r"))
        self.expect_outcome(FAILURE, "report: there is nothing to compare")
        self.expect_no_property("report")
        return self.run_step()


class Boards(Harness):
    def pool(self):
        return BoardPool([Board(name="sim-1", board_type="sim"), Board(name="b", board_type="arm")])

    @defer.inlineCallbacks
    def test_a_board_is_taken_and_given_back_even_after_a_panic(self):
        pool = self.pool()
        self.expect_commands(
            shell("run", "k", "--board", "sim-1")
            .stdout('{"outcome": "panic", "reason": "Kernel panic - not syncing: x"}\n')
            .exit(20)
        )
        step = RunOnBoard(["run", "k"], pool=pool, subject=Interpolate("%(prop:label)s"))
        self.setup(step, board_type="sim", label="switch seed 1")
        self.expect_outcome(FAILURE, "switch seed 1 on sim-1: panic: Kernel panic - not syncing: x")
        self.expect_property("board", "sim-1")
        yield self.run_step()
        assert pool.take("sim") == "sim-1"

    def test_no_such_board(self):
        self.setup(RunOnBoard(["run", "k"], pool=self.pool()), board_type="riscv")
        self.expect_outcome(
            EXCEPTION, "no free board of type 'riscv'; is the build's lock missing?"
        )
        return self.run_step()

    def test_no_board_twice(self):
        pool = self.pool()
        assert pool.take("sim") == "sim-1"
        with pytest.raises(LookupError):
            pool.take("sim")
        pool.give_back("sim", "sim-1")
        assert pool.take("sim") == "sim-1"


REQUESTS = [{"label": f"seed {i}", "seed": i} for i in (1, 2, 3)]


class FanOuts(Harness):
    """The triggered builds are played: what each is asked, and what it answers."""

    def play(self, results, **properties):
        asked = self.asked = []

        def trigger(waited_for, set_props, **_other):
            assert waited_for
            asked.append(set_props.asDict())
            i = len(asked)
            d = self.add_build(i, results[i - 1], properties)
            d.addCallback(lambda _: (i, {100: 1000 + i}))
            return d, defer.succeed((results[i - 1], {100: 1000 + i}))

        scheduler = mock.Mock(trigger=trigger)
        scheduler.name = "boards"
        return scheduler

    @async_to_deferred
    async def add_build(self, i, results, properties):
        await self.master.db.insert_test_data(
            [
                fakedb.BuildRequest(
                    id=1000 + i, buildsetid=200, builderid=100, complete=1, results=results
                ),
                fakedb.Build(
                    id=2000 + i,
                    buildrequestid=1000 + i,
                    number=50 + i,
                    masterid=fakedb.FakeDBConnector.MASTER_ID,
                    builderid=100,
                    workerid=400,
                    results=results,
                    complete_at=1,
                ),
            ]
        )
        for name, value in properties.items():
            await self.master.db.builds.setBuildProperty(2000 + i, name, value, "test")

    def go(self, step, results, **properties):
        self.setup(step)
        scheduler = self.play(results, **properties)
        self.get_nth_step(0).getSchedulerByName = lambda _name: scheduler
        return self.run_step()

    @defer.inlineCallbacks
    def test_the_first_run_goes_alone(self):
        self.expect_outcome(SUCCESS, "first run: 1 success")
        self.expect_no_property("gate")
        yield self.go(Gate("boards", lambda _p: REQUESTS), [SUCCESS], outcome="complete")
        assert [a["seed"][0] for a in self.asked] == [1]

    @defer.inlineCallbacks
    def test_a_panic_closes_the_gate(self):
        self.expect_outcome(FAILURE, "first run: panic; the other 2 runs are not started")
        self.expect_property("gate", "closed")
        yield self.go(Gate("boards", lambda _p: REQUESTS), [FAILURE], outcome="panic")

    @defer.inlineCallbacks
    def test_a_hang_closes_the_gate(self):
        self.expect_outcome(FAILURE, "first run: hang; the other 2 runs are not started")
        self.expect_property("gate", "closed")
        yield self.go(Gate("boards", lambda _p: REQUESTS), [FAILURE], outcome="hang")

    @defer.inlineCallbacks
    def test_a_benchmark_that_fails_leaves_the_gate_open(self):
        self.expect_outcome(FAILURE, "first run: 1 failure")
        self.expect_no_property("gate")
        yield self.go(Gate("boards", lambda _p: REQUESTS), [FAILURE], outcome="benchmark_failed")

    @defer.inlineCallbacks
    def kernels(self, results, expected):
        learnt = []
        self.expect_outcome(expected)
        step = Kernels("kernels", lambda _p: REQUESTS, learn=lambda _s, found: learnt.extend(found))
        yield self.go(step, results, kernel="ab")
        assert [a["reason"][0] for a in self.asked] == ["seed 1", "seed 2", "seed 3"]
        assert learnt == [
            Child(request=q, results=r, properties={"kernel": "ab"})
            for q, r in zip(REQUESTS, results, strict=True)
        ]

    def test_a_kernel_that_fails_is_a_warning_to_the_night(self):
        return self.kernels([SUCCESS, FAILURE, SUCCESS], WARNINGS)

    def test_the_infrastructure_is_the_nights_failure(self):
        return self.kernels([SUCCESS, EXCEPTION, FAILURE], FAILURE)

    def test_all_well(self):
        return self.kernels([SUCCESS, SUCCESS, SUCCESS], SUCCESS)
