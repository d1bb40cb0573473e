# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""A build that the master's stop meets, whatever step it is at, is repeated."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from buildbot.process.build import Build
from buildbot.process.results import CANCELLED, EXCEPTION, RETRY, SUCCESS
from twisted.internet import defer

from vlag import ROOT

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.repeated import RepeatedBuild
from master.titles import TitledBuild


class Step:
    """A step that ends with a result when it is interrupted."""

    name = "kernels"
    results = None
    interrupted = ""

    def interrupt(self, reason):
        self.interrupted = reason
        return defer.succeed(None)

    def getBuildResultSummary(self):  # noqa: N802 - Buildbot's name
        return defer.succeed({})


def stopped(kind, stops, ends):
    """Return the result of a build after these stops of its step, which ends so."""
    merged = {"mergeSourceStampsWith": lambda _: [], "mergeReasons": lambda _: ""}
    build = kind(
        [SimpleNamespace(**merged)],
        SimpleNamespace(name="first", master=None, config_version=0, config=None),
    )
    build.currentStep, build.conn, build.results = Step(), object(), SUCCESS
    for reason, results in stops:
        build.stopBuild(reason, results)
        assert build.currentStep.interrupted
    terminate = []
    build.stepDone(ends, build.currentStep).addCallback(terminate.append)
    assert terminate == [ends != SUCCESS]
    return build.results


SHUTDOWN, PERSON = ("Master Shutdown", RETRY), ("a person", CANCELLED)


@pytest.mark.parametrize(
    ("stops", "ends", "results"),
    [
        ([SHUTDOWN], CANCELLED, RETRY),  # it waits for other builds
        ([SHUTDOWN], EXCEPTION, RETRY),  # its command was ended
        ([SHUTDOWN], SUCCESS, RETRY),  # it was about to end
        ([PERSON], CANCELLED, CANCELLED),
        ([PERSON, SHUTDOWN], CANCELLED, CANCELLED),
        ([], CANCELLED, CANCELLED),
        ([], SUCCESS, SUCCESS),
    ],
)
def test_the_masters_stop_repeats_a_build_and_a_persons_ends_it(stops, ends, results):
    assert stopped(RepeatedBuild, stops, ends) == results


def test_buildbots_own_build_would_be_over():
    """Without this case `RepeatedBuild` can go."""
    assert stopped(Build, [SHUTDOWN], CANCELLED) == CANCELLED
    assert issubclass(TitledBuild, RepeatedBuild)


def cancelled_as_it_starts(kind):
    """Return how a build ends whose request is cancelled while it gets its number."""
    ends = []
    updates = SimpleNamespace(
        addBuild=lambda **_: defer.succeed((5, 1)),
        setBuildStateString=lambda *_: defer.succeed(None),
        finishBuild=lambda number, results: defer.succeed(ends.append((number, results))),
    )
    master = SimpleNamespace(
        data=SimpleNamespace(updates=updates),
        mq=SimpleNamespace(startConsuming=lambda *_: defer.succeed(consumer)),
        botmaster=SimpleNamespace(remove_in_progress_buildrequest=lambda _: "not waited for"),
    )
    consumer = SimpleNamespace(stopConsuming=lambda: None)
    free = []
    builder = SimpleNamespace(
        name="board", master=master, config=None, config_version=0,
        getBuilderId=lambda: defer.succeed(1), buildFinished=lambda *_: free.append("builder"),
    )  # fmt: skip
    worker = SimpleNamespace(
        workername="one", info=None, workerid=1, resetQuarantine=lambda: None,
        putInQuarantine=lambda: None,
    )  # fmt: skip
    merged = {"id": 1, "mergeSourceStampsWith": lambda _: [], "mergeReasons": lambda _: ""}
    build = kind([SimpleNamespace(**merged)], builder)
    build.getBuilderId = builder.getBuilderId
    build.startBuild(
        SimpleNamespace(worker=worker, buildFinished=lambda: free.append("worker"))
    ).addErrback(lambda failure: failure.raiseException())
    return ends, free


def test_what_is_cancelled_as_it_starts_ends_and_frees_its_worker():
    assert cancelled_as_it_starts(RepeatedBuild) == ([(5, CANCELLED)], ["worker", "builder"])


def test_buildbots_own_would_be_left_open():
    """Without this case `startBuild` of `RepeatedBuild` can go."""
    assert cancelled_as_it_starts(Build) == ([], [])
