# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""The end of a night in the master: the step that queues notifications, the service that sends."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from types import SimpleNamespace
from unittest import mock

from buildbot.process.buildstep import create_step_from_step_or_factory
from buildbot.process.results import (
    CANCELLED,
    EXCEPTION,
    FAILURE,
    SUCCESS,
    WARNINGS,
)
from twisted.internet import defer, reactor, task
from twisted.trial import unittest

from vlag import ROOT
from vlag.errors import InfrastructureError

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import notify_steps
from master.notify_steps import NAME, Alerts, NotifyNight, Sender, missing
from master.reports import Report
from master.steps import PAUSES_S, AtBaseline, Compare, NotCompared
from master.triggers import FanOut, Kernels
from tests.unit.master_steps import Harness, shell

ASKED = 1772328600  # 2026-03-01T01:30:00Z
KEY = "nightly 300 2026-03-01T01:30:00Z"
URL = "http://localhost:8010/#/builders/3/builds/7"
AWAY = "vlag: cannot use database vlag\n"
#: What a command prints that waits.
WAITS = '{"waits": true}'


class Telling(Harness):
    @defer.inlineCallbacks
    def setUp(self):
        yield super().setUp()
        self.woken = []
        sender = SimpleNamespace(wake=lambda: self.woken.append(True))
        self.master.service_manager = SimpleNamespace(namedServices={NAME: sender})

    def answered(self, *words, status, out):
        command = shell(*words, "--format", "json").stdout(out)
        return command.stderr(AWAY if status else "").exit(status)

    def start(self, *answers, steps=(), words=(), **properties):
        """Expect the command once for each answer: an exit status and what it prints."""
        self.setup_step(NotifyNight(name="notify"))
        self.build.requests = [SimpleNamespace(id=300, submittedAt=ASKED)]
        self.build.builder = SimpleNamespace(name="nightly")
        self.build.executedSteps = [*steps, self.get_nth_step(0)]
        self.build.getUrl = lambda: defer.succeed(URL)
        for name, value in {"started": ASKED + 60, **properties}.items():
            self.build.setProperty(name, value, "test")
        start = ("notify", "night", "--key", KEY, "--started", str(ASKED + 60), "--url", URL)
        self.expect_commands(
            *(self.answered(*start, *words, status=status, out=out) for status, out in answers)
        )
        return self.run_step()

    def refresh(self, status, out):
        self.setup_step(Alerts(name="alerts"))
        self.expect_commands(self.answered("alerts", "list", "--refresh", status=status, out=out))
        return self.run_step()

    def test_a_night_that_had_to_end_in_time_says_what_it_left_out(self):
        part = {
            "key": "k", "name": "n", "branch": "t/b", "label": "b", "board_type": "a2",
            "value": 1.0, "nights": 2, "minutes": 9,
        }  # fmt: skip
        self.expect_outcome(SUCCESS, "night 4: no recipient")
        return self.start(
            (0, json.dumps({"night": 4, "new": True, "queued": []})),
            words=["--in-time", "--left-out", "t/b", "n", "a2", "3"],
            forecast={"end": "08:00", "cut": [part]},
        )

    def test_a_push_says_how_many_alerts_stand(self):
        self.expect_outcome(SUCCESS, "2 open alerts")
        return self.refresh(0, json.dumps({"alerts": [{"id": 1}, {"id": 2}]}))

    def test_a_database_that_is_away_is_no_fault_of_the_commit(self):
        self.expect_outcome(WARNINGS, f"alerts: {AWAY.strip()}")
        return self.refresh(75, "")

    @defer.inlineCallbacks
    def pass_pauses(self, *seconds):
        for pause in seconds:
            yield task.deferLater(reactor, 0.01, lambda: None)
            self.reactor.advance(pause)

    @defer.inlineCallbacks
    def test_it_says_what_was_compared_and_where_to_read_it_and_wakes_the_sender(self):
        answer = json.dumps({"night": 4, "new": True, "queued": ["kim@test", "pat@test"]})
        self.expect_outcome(SUCCESS, "night 4: kim@test, pat@test")
        yield self.start(
            (0, answer),
            comparisons=["7", "9"],
            notes=["the night"],
            report="/state/reports/x.txt",
            steps=[NotCompared("a to b: not compared: c")],
            words=["--comparison", "7", "--comparison", "9", "--note", "the night",
                   "--report", "/state/reports/x.txt", "--missing", "a to b: not compared: c"],
        )  # fmt: skip
        assert self.woken == [True]

    def test_it_says_which_heads_are_their_own_baseline(self):
        answer = json.dumps({"night": 4, "new": True, "queued": []})
        self.expect_outcome(SUCCESS, "night 4: no recipient")
        level = [AtBaseline("t/b", on, "t/v1") for on in ("a2", "a4", "a2")]
        return self.start(
            (0, answer),
            steps=level,
            words=["--at-baseline", "t/b", "a2", "t/v1", "--at-baseline", "t/b", "a4", "t/v1"],
        )

    def test_a_night_with_nothing_is_reported_too(self):
        answer = json.dumps({"night": 4, "new": True, "queued": []})
        self.expect_outcome(SUCCESS, "night 4: no recipient")
        return self.start((0, answer))

    def test_a_night_is_reported_once(self):
        answer = json.dumps({"night": 4, "new": False, "queued": []})
        self.expect_outcome(SUCCESS, "night 4 was reported before")
        return self.start((0, answer))

    @defer.inlineCallbacks
    def test_while_the_database_is_away_it_is_tried_again(self):
        answer = json.dumps({"night": 4, "new": True, "queued": []})
        self.expect_outcome(SUCCESS, "night 4: no recipient")
        ended = self.start((75, WAITS), (75, WAITS), (0, answer))
        yield task.deferLater(reactor, 0, lambda: None)
        assert self.woken == []
        yield self.pass_pauses(*PAUSES_S[:2])
        yield ended
        assert self.woken == [True]

    def test_in_the_end_it_fails_and_is_no_reason_for_another_night(self):
        self.expect_outcome(EXCEPTION, "notify: vlag: cannot use database vlag")
        return self.start((75, ""), (75, ""))

    def test_a_mistake_is_not_tried_again(self):
        self.expect_outcome(EXCEPTION, "notify: vlag: cannot use database vlag")
        return self.start((2, ""))

    @defer.inlineCallbacks
    def test_stopped_between_two_attempts_it_stops(self):
        self.expect_outcome(CANCELLED)
        ended = self.start((75, WAITS))
        yield task.deferLater(reactor, 0.01, lambda: None)
        self.get_nth_step(0).interrupt("enough")
        yield ended
        assert self.woken == []


def ended(step, results, summary="what happened"):
    step = create_step_from_step_or_factory(step)
    step.results = results
    step.getResultSummary = lambda: {"step": summary}
    return step


def test_what_did_not_run_is_said_once_and_what_did_is_not():
    kernels = [
        {"request": {"kernel_name": name}, "results": results, "gate_outcome": gate}
        for name, results, gate in (
            ("good", SUCCESS, None),
            ("failed", FAILURE, None),  # the comparison tells of it
            ("panics", FAILURE, "panic"),
            ("lost", EXCEPTION, None),
            ("stopped", CANCELLED, None),
        )
    ]
    steps = [
        ended(Kernels("kernels", list, learn=print, name="kernels"), FAILURE, "5 kernels"),
        ended(NotCompared("x to y: not compared: z"), SUCCESS),
        ended(NotCompared("x to y: not compared: z"), SUCCESS),
        ended(Compare(["compare"], name="compare"), WARNINGS, "a regression"),
        ended(Compare(["compare"], name="compare"), EXCEPTION, "compare: no such kernel"),
        ended(FanOut("boards", list, what="rerun boots", name="confirm"), FAILURE, "2 exception"),
        ended(Report("path", name="report"), FAILURE, "there is nothing to compare"),
    ]
    assert missing(steps, kernels) == [
        "panics: panic in its first run, the others were not started",
        "lost: not all of its runs were made, its build ended with exception",
        "stopped: not all of its runs were made, its build ended with cancelled",
        "x to y: not compared: z",
        "compare: no such kernel",
        "2 exception",
    ]
    assert missing(steps[3:4], kernels[:2]) == []
    # Kernels that could not even be asked for have no results to tell of.
    assert missing(
        [
            ended(
                Kernels("kernels", list, learn=print, name="kernels"),
                EXCEPTION,
                "kernels: no such tree",
            )
        ],
        [],
    ) == ["kernels: no such tree"]


class Sending(unittest.TestCase):
    """The service on the real reactor, with a program of our own in the place of `vlag`."""

    def setUp(self):
        self.due = True
        self.asked = 0
        self.patch(notify_steps, "anything_due", self.look)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = f"{folder.name}/vlag"
        self.program = f"{self.folder}-send"
        self.log = f"{self.folder}-log"
        self.script("")

    def script(self, more):
        with open(self.program, "w") as f:
            f.write(f"#!/bin/sh\necho begin $* >>{self.log}\n{more}\necho end >>{self.log}\n")
        os.chmod(self.program, 0o700)

    def look(self, dsn, followers):
        self.asked += 1
        if isinstance(self.due, Exception):
            raise self.due
        return self.due

    def lines(self):
        try:
            with open(self.log) as f:
                return f.read().split("\n")[:-1]
        except FileNotFoundError:
            return []

    @defer.inlineCallbacks
    def begin(self):
        self.clock = task.Clock()
        # Time is ours, processes are real.
        both = mock.Mock()
        both.callLater = self.clock.callLater
        both.spawnProcess = reactor.spawnProcess
        self.service = Sender("dsn", os.path.abspath(self.program))
        self.service.parent = None
        self.service.__class__.master = property(lambda _self: SimpleNamespace(reactor=both))
        self.addCleanup(delattr, self.service.__class__, "master")
        yield self.service.reconfigService("dsn", os.path.abspath(self.program))
        yield self.service.startService()

    @defer.inlineCallbacks
    def until(self, condition):
        for _ in range(1000):
            if condition():
                return
            yield task.deferLater(reactor, 0.01, lambda: None)
        raise AssertionError("it never came to that")

    def idle(self):
        return self.until(lambda: self.service._round is None)

    @defer.inlineCallbacks
    def test_it_sends_at_the_start_and_each_minute_what_is_due(self):
        yield self.begin()
        yield self.idle()
        assert self.lines() == ["begin notify send", "end"]
        self.due = False
        self.clock.advance(notify_steps.LOOK_S)
        yield self.idle()
        assert (self.asked, len(self.lines())) == (2, 2)
        self.due = True
        self.clock.advance(notify_steps.LOOK_S)
        yield self.idle()
        assert len(self.lines()) == 4
        yield self.service.stopService()
        self.clock.advance(10 * notify_steps.LOOK_S)
        assert self.asked == 3

    @defer.inlineCallbacks
    def test_woken_while_it_works_it_works_once_more_afterwards_and_never_twice_at_once(self):
        go = f"{self.folder}-go"
        self.script(f"while [ ! -e {go} ]; do sleep 0.01; done")
        yield self.begin()
        yield self.until(lambda: len(self.lines()) == 1)
        for _ in range(3):
            self.service.wake()
        with open(go, "w"):
            pass
        yield self.idle()
        yield self.idle()
        assert self.lines() == ["begin notify send", "end"] * 2
        yield self.service.stopService()

    @defer.inlineCallbacks
    def test_stopped_it_waits_for_a_sender_and_ends_one_that_hangs(self):
        self.script("exec sleep 60")
        yield self.begin()
        yield self.until(lambda: len(self.lines()) == 1)
        stopped = self.service.stopService()
        assert not stopped.called
        self.clock.advance(notify_steps.STOP_S)
        yield stopped
        assert self.lines() == ["begin notify send"]
        self.service.wake()
        assert self.service._round is None

    @defer.inlineCallbacks
    def test_a_database_that_is_away_is_asked_again(self):
        self.due = InfrastructureError("cannot use database")
        yield self.begin()
        yield self.idle()
        self.due = True
        self.clock.advance(notify_steps.LOOK_S)
        yield self.idle()
        assert len(self.lines()) == 2
        yield self.service.stopService()
