# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's services have no types.
"""LAVA's callbacks: told with the job's token they wake its step, and nothing else does."""

from __future__ import annotations

import http.client
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from attrs import evolve
from buildbot.process.results import CANCELLED, EXCEPTION, SUCCESS
from buildbot.test.reactor import TestReactorMixin
from buildbot.test.steps import TestBuildStepMixin
from twisted.internet import defer, reactor, task, tcp
from twisted.internet.threads import blockingCallFromThread, deferToThread
from twisted.trial import unittest

from tests.unit.labs import KEY, Answer, begun, board, listed, row, served
from tests.unit.master_steps import OwnFolder
from vlag import ROOT
from vlag.lava.callback import token

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master.callbacks import BODY_MAX, NAME, Callbacks
from master.lab_steps import WaitForJob
from master.steps import spoken_time
from master.triggers import ABANDONED

KNOWN = "what only the master knows"
QUEUE_LIMIT_S = 3600


class Calls(unittest.TestCase):
    @defer.inlineCallbacks
    def setUp(self):
        anywhere = "tcp:0:interface=127.0.0.1"
        self.secret = Path(self.enterContext(tempfile.TemporaryDirectory()), "callback")
        self.secret.write_text(f"{KNOWN}\n")
        self.service = Callbacks(anywhere, str(self.secret))
        self.service.parent = SimpleNamespace(master=SimpleNamespace(reactor=reactor))
        yield self.service.reconfigService(anywhere, str(self.secret))
        self.port = self.service._port.getHost().port
        self.addCleanup(self.service._close)

    @defer.inlineCallbacks
    def tearDown(self):
        # The server's end of a connection closes a moment after the client's.
        while any(isinstance(reader, tcp.Server) for reader in reactor.getReaders()):
            yield task.deferLater(reactor, 0.01, lambda: None)

    def call(self, key="k1", given=None, method="POST", path=None, **kwargs):
        headers = {
            "Authorization": token(KNOWN, key) if given is None else given,
            "Connection": "close",
        }
        url = f"http://127.0.0.1:{self.port}{path or f'/lava/{key}'}"
        return deferToThread(requests.request, method, url, headers=headers, timeout=10, **kwargs)

    @defer.inlineCallbacks
    def test_a_callback_wakes_who_waits_for_that_job(self):
        mine, also, other = (self.service.wait(key) for key in ("k1", "k1", "k2"))
        answer = yield self.call(json={"id": 12, "state_string": "Finished"})
        assert answer.status_code == 200
        assert mine.called
        assert also.called
        assert not other.called

    @defer.inlineCallbacks
    def test_replay_and_early_calls_are_harmless(self):
        for _ in range(2):
            answer = yield self.call()
            assert answer.status_code == 200
        # What came before anybody waited does not end a later wait: the lab is asked first.
        assert not self.service.wait("k1").called

    @defer.inlineCallbacks
    def test_a_wrong_token_wakes_nobody(self):
        waiting = self.service.wait("k1")
        # Another job's token too: whoever may read one job may not touch the others.
        for given in (
            "",
            "x",
            token(KNOWN, "k2"),
            token("another secret", "k1"),
            "\u00e9".encode(),
        ):
            answer = yield self.call(given=given)
            assert answer.status_code == 403, given
        assert not waiting.called

    @defer.inlineCallbacks
    def test_a_secret_that_was_renewed_counts_from_the_next_call_on(self):
        waiting = self.service.wait("k1")
        self.secret.write_text("renewed\n")
        answer = yield self.call()
        assert (answer.status_code, waiting.called) == (403, False)
        answer = yield self.call(given=token("renewed", "k1"))
        assert (answer.status_code, waiting.called) == (200, True)
        self.secret.unlink()
        answer = yield self.call(given=token("renewed", "k1"))
        assert answer.status_code == 503

    @defer.inlineCallbacks
    def test_only_posts_to_a_job_are_heard(self):
        waiting = self.service.wait("k1")
        for method, path, status in (
            ("GET", "/lava/k1", 405),
            ("POST", "/", 404),
            ("POST", "/lava/k1/more", 404),
            ("POST", "/other/k1", 404),
        ):
            answer = yield self.call(method=method, path=path)
            assert answer.status_code == status, (method, path)
        assert not waiting.called

    @defer.inlineCallbacks
    def test_a_body_beyond_the_limit_is_cut_off(self):
        waiting = self.service.wait("k1")
        answer = yield self.call(data=b"x" * (BODY_MAX - 1))
        assert answer.status_code == 200
        assert waiting.called
        waiting = self.service.wait("k1")
        status = yield deferToThread(self.flood)
        assert status in (413, None)
        assert not waiting.called

    def flood(self):
        """Send more than may be; the server may hang up before all of it is there."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            line.putrequest("POST", "/lava/k1")
            line.putheader("Authorization", token(KNOWN, "k1"))
            line.putheader("Content-Length", str(64 * BODY_MAX))
            line.endheaders()
            for _ in range(64):
                line.send(b"x" * BODY_MAX)
            return line.getresponse().status
        except OSError:
            return None
        finally:
            line.close()

    def test_who_stops_waiting_is_forgotten(self):
        waiting, other = self.service.wait("k1"), self.service.wait("k1")
        waiting.addErrback(lambda failure: failure.trap(defer.CancelledError))
        waiting.cancel()
        self.service.wake("k1")
        assert other.called
        assert not self.service._waiting

    @defer.inlineCallbacks
    def test_new_settings_move_it(self):
        another = self.secret.with_name("another")
        another.write_text("another secret\n")
        yield self.service.reconfigService("tcp:0:interface=localhost", str(another))
        answer = yield deferToThread(
            requests.post,
            f"http://127.0.0.1:{self.service._port.getHost().port}/lava/k1",
            headers={"Authorization": token("another secret", "k1"), "Connection": "close"},
            timeout=10,
        )
        assert answer.status_code == 200


class Waits(OwnFolder, TestBuildStepMixin, TestReactorMixin, unittest.TestCase):
    """The step that waits, whose clock stands still: only a callback can wake it."""

    timeout = 20

    @defer.inlineCallbacks
    def setUp(self):
        self.setup_test_reactor()
        yield self.setup_test_build_step(want_db=True, want_mq=True)
        patches = self.enterContext(pytest.MonkeyPatch.context())
        self.lava = self.enterContext(served(patches))
        self.service = Callbacks("tcp:0", "/of/nobody/who/calls")
        self.master.service_manager = SimpleNamespace(namedServices={NAME: self.service})
        self.master.botmaster.shuttingDown = False  # as the real one has it

    def wait_for(self, *numbers):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        lab = evolve(self.lava.lab(folder), queue_limit_s=QUEUE_LIMIT_S)
        self.setup_step(WaitForJob({"home": lab}))
        self.build.stopped, self.build.stopped_reason = False, None  # as the real one has them
        for name, value in {"lab": "home", "lab_jobs": numbers, "lab_key": KEY}.items():
            self.build.setProperty(name, value, "test")

    def test_a_callback_while_the_lab_is_asked_is_heard(self):
        # A pair: one job has ended, and the other does while we ask about it.
        self.lava.says["GET jobs/5/"] = Answer(body=row(5, "Finished", "Complete"))

        def ends(_query, _body):
            self.lava.says["GET jobs/6/"] = Answer(body=row(6, "Finished", "Complete"))
            blockingCallFromThread(reactor, self.service.wake, KEY)
            return Answer(body=row(6))

        self.lava.says["GET jobs/6/"] = ends
        self.wait_for(5, 6)
        self.expect_outcome(SUCCESS, "lab home: job 5 finished on g1, job 6 finished on g1")
        return self.run_step()

    def waits_in_queue(self, ahead_h, seconds):
        """Let a job wait so long for a board, in a lab whose clock is so many hours ahead."""

        def waits(_query, _body):
            self.lava.says["GET jobs/5/"] = Answer(body=row(5, "Finished", "Complete"))
            blockingCallFromThread(reactor, self.reactor.advance, seconds)
            blockingCallFromThread(reactor, self.service.wake, KEY)
            return Answer(body=row(5, "Submitted", **begun(ahead_h)))

        self.lava.says["GET jobs/5/"] = waits
        self.lava.says["GET workers/"] = listed()
        self.lava.says["GET jobs/5/cancel/"] = Answer(body={"message": "Job cancel signal sent."})
        self.wait_for(5)

    @defer.inlineCallbacks
    def kept(self, ahead_h):
        self.waits_in_queue(ahead_h, QUEUE_LIMIT_S - 60)
        self.expect_outcome(SUCCESS, "lab home: job 5 finished on g1")
        yield self.run_step()
        assert self.lava.count("GET jobs/5/cancel/") == 0

    def test_a_lab_whose_clock_is_half_a_day_behind_keeps_its_job(self):
        return self.kept(-12)

    def test_a_lab_whose_clock_is_half_a_day_ahead_keeps_its_job(self):
        return self.kept(12)

    @defer.inlineCallbacks
    def cancelled(self, ahead_h):
        self.waits_in_queue(ahead_h, QUEUE_LIMIT_S + 60)
        self.expect_outcome(
            EXCEPTION,
            f"job 5 of lab home had no board after {spoken_time(QUEUE_LIMIT_S + 60)} and is"
            " cancelled: place 1 of 1 for board type guest; g1's dispatcher d1 is offline or in"
            " maintenance",
        )
        yield self.run_step()
        assert self.lava.count("GET jobs/5/cancel/") == 1

    def test_a_job_without_a_board_is_cancelled_by_a_lab_whose_clock_is_half_a_day_behind(self):
        return self.cancelled(-12)

    def test_a_job_without_a_board_is_cancelled_by_a_lab_whose_clock_is_half_a_day_ahead(self):
        return self.cancelled(12)

    def waits_for_a_board(self, health, pinned=None):
        """Let a job wait for the one board of its tags, once."""

        def waits(_query, _body):
            state = "Canceled" if self.lava.count("GET jobs/5/cancel/") else "Complete"
            self.lava.says["GET jobs/5/"] = Answer(body=row(5, "Finished", state))
            blockingCallFromThread(reactor, self.service.wake, KEY)
            return Answer(body=row(5, "Submitted", tags=[7]))

        self.lava.says["GET jobs/5/"] = waits
        self.lava.says["GET devices/"] = listed(board("g1", health=health), board("g2", tags=()))
        self.lava.says["GET jobs/5/cancel/"] = Answer(body={"message": "Job cancel signal sent."})
        self.wait_for(5)
        self.build.setProperty("pinned", pinned, "test")

    @defer.inlineCallbacks
    def moved(self, health, cancels, pinned=None):
        self.waits_for_a_board(health, pinned)
        self.expect_outcome(SUCCESS, "lab home: job 5 finished on g1")
        yield self.run_step()
        cancelled = [r for r in self.lava.asked if r.path == "jobs/5/cancel/"]
        assert len(cancelled) == cancels

    def test_a_job_whose_board_goes_away_is_given_up(self):
        return self.moved("Maintenance", 1)

    def test_a_job_whose_board_is_only_busy_waits_for_it(self):
        return self.moved("Good", 0)

    def test_a_check_waits_for_its_board_wherever_that_is(self):
        return self.moved("Maintenance", 0, pinned="g1")

    def test_another_job_of_the_number_is_not_waited_for(self):
        self.lava.says["GET jobs/5/"] = Answer(body=row(5, "Running", description="somebody's"))
        self.wait_for(5)
        self.expect_outcome(
            SUCCESS,
            f"lab home ({self.lava.url}) has another job 5 than the one that was submitted; was it"
            " installed anew?; it will be submitted again",
        )
        return self.run_step()

    @defer.inlineCallbacks
    def interrupted(self, reason="enough"):
        """Interrupt a step that waits for a job that runs; callbacks of others change nothing."""
        asked = threading.Event()

        def runs(_query, _body):
            asked.set()
            return Answer(body=row(5))

        self.lava.says["GET jobs/5/"] = runs
        self.lava.says["GET jobs/5/cancel/"] = Answer(body={"message": "Job cancel signal sent."})
        self.wait_for(5)
        self.expect_outcome(CANCELLED, "lab home: job 5 running on g1")
        done = self.run_step()
        yield deferToThread(asked.wait, 10)
        yield task.deferLater(reactor, 0.1, self.service.wake, "k2")
        assert self.lava.count("GET jobs/5/") == 1
        self.get_nth_step(0).interrupt(reason)
        yield done
        assert self.service._waiting == {}

    @defer.inlineCallbacks
    def test_a_person_who_stops_the_build_cancels_its_job(self):
        yield self.interrupted()
        assert self.lava.count("GET jobs/5/cancel/") == 1

    def stopped_before(self, reason):
        """Run the step of a build that was stopped before it began."""
        self.lava.says["GET jobs/5/"] = Answer(body=row(5))
        self.lava.says["GET jobs/5/cancel/"] = Answer(body={"message": "Job cancel signal sent."})
        self.wait_for(5)
        self.build.stopped, self.build.stopped_reason = True, reason
        self.expect_outcome(CANCELLED, "the build was stopped before this step")
        return self.run_step()

    @defer.inlineCallbacks
    def test_a_build_that_is_stopped_just_after_its_job_was_given_cancels_it(self):
        yield self.stopped_before("enough")
        assert self.lava.count("GET jobs/5/cancel/") == 1

    @defer.inlineCallbacks
    def test_a_build_whose_parent_lost_its_worker_then_leaves_it(self):
        yield self.stopped_before(ABANDONED)
        assert self.lava.count("GET jobs/5/cancel/") == 0

    @defer.inlineCallbacks
    def test_a_master_that_shuts_down_leaves_its_job_for_the_next_one(self):
        self.master.botmaster.shuttingDown = True
        yield self.interrupted()
        assert self.lava.count("GET jobs/5/cancel/") == 0

    def test_a_stop_while_the_lab_is_asked_is_not_slept_over(self):
        def stopped(_query, _body):
            blockingCallFromThread(reactor, self.get_nth_step(0).interrupt, "enough")
            return Answer(body=row(5))

        self.master.botmaster.shuttingDown = True  # nothing is cancelled, which would take time
        self.lava.says["GET jobs/5/"] = stopped
        self.wait_for(5)
        self.expect_outcome(CANCELLED, "lab home: job 5 running on g1")
        return self.run_step()

    @defer.inlineCallbacks
    def test_a_parent_that_lost_its_worker_leaves_the_job_for_its_next_attempt(self):
        yield self.interrupted(ABANDONED)
        assert self.lava.count("GET jobs/5/cancel/") == 0
