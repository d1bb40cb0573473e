# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot's test harness has no types.
"""Steps and triggers of the master, in Buildbot's own harness."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from buildbot.process.properties import Interpolate, Property
from buildbot.process.results import (
    CANCELLED,
    EXCEPTION,
    FAILURE,
    RETRY,
    SKIPPED,
    SUCCESS,
    WARNINGS,
)
from buildbot.test import fakedb
from buildbot.test.steps import ExpectShell
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer, reactor, task

from tests.unit.asked import small_catalogue
from vlag import ROOT
from vlag.errors import AwayError, ExitCode, InfrastructureError, UsageError
from vlag.model import Board
from vlag.pipeline import confirmation

sys.path.insert(0, str(ROOT))  # as master.cfg does
from master import titles
from master.confirm import Watch, confirm_steps
from master.locks import BoardPool
from master.push import suspected_of_commit
from master.reports import Report
from master.steps import (
    INFRASTRUCTURE,
    KILLED,
    PAUSES_S,
    RESULTS,
    SHOW_MAX_S,
    AtBaseline,
    Compare,
    Estimate,
    NotCompared,
    RunOnBoard,
    ShowFiles,
    VlagCommand,
    last_json,
    summary,
)
from master.triggers import Child, FanOut, Gate, Kernels, Others
from tests.unit.master_steps import Harness, build_row, shell


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

    def waits(self, times, *ends):
        """Expect commands that wait, then those that end so; return the step."""
        away = {"waits": True}, 75, "vlag: the database is away\n"
        self.expect_commands(
            *(shell("build").stdout(json.dumps(answer) + "\n").stderr(said).exit(code)
              for answer, code, said in (*[away] * times, *ends))
        )  # fmt: skip
        step = VlagCommand(["build"], subject="v1", done="built", keep={"kernel": "kernel"})
        self.setup(step)
        return self.get_nth_step(0)

    @defer.inlineCallbacks
    def test_what_is_away_is_waited_for_and_is_no_failure(self):
        """An earlier build had the one retry: only what is no wait would use it up."""
        yield self.earlier_build("vlag build", **{INFRASTRUCTURE: True})
        step = self.waits(2, ({"kernel": "ab"}, 0, ""))
        self.expect_outcome(SUCCESS, "v1: built in 15 s")
        self.expect_property("kernel", "ab", "vlag build")
        self.expect_no_property(INFRASTRUCTURE)
        ended = self.run_step()
        for pause_s in PAUSES_S[:2]:
            yield task.deferLater(reactor, 0.01, lambda: None)
            said = step.getCurrentSummary()["step"]
            assert said == f"v1: vlag: the database is away; tried again in {pause_s} s"
            self.reactor.advance(pause_s)
        yield ended

    @defer.inlineCallbacks
    def test_what_waits_is_stopped_at_once(self):
        step = self.waits(1)
        self.expect_outcome(CANCELLED)
        ended = self.run_step()
        yield task.deferLater(reactor, 0.01, lambda: None)
        step.interrupt("enough")
        yield ended

    def test_a_command_that_its_host_killed_is_tried_again(self):
        self.expect(KILLED, stderr="")
        self.expect_outcome(RETRY, "v1: its host killed it")
        self.expect_property(INFRASTRUCTURE, True)
        return self.run_step()

    def test_a_command_that_is_stopped_is_not(self):
        """Buildbot stops it by a signal, and says itself what came of it."""

        class Stopped(VlagCommand):
            async def heard(self, answer, stdout):
                self.stopped = True

        self.expect_commands(shell("build").exit(KILLED))
        self.setup(Stopped(["build"], subject="v1"))
        self.expect_outcome(EXCEPTION)
        self.expect_no_property(INFRASTRUCTURE)
        return self.run_step()

    @defer.inlineCallbacks
    def test_infrastructure_twice_is_given_up(self):
        yield self.earlier_build("vlag build", **{INFRASTRUCTURE: True})
        self.expect(75)
        self.expect_outcome(EXCEPTION, "v1: vlag: what is wrong (twice: given up)")
        yield self.run_step()

    @defer.inlineCallbacks
    def test_a_restart_of_the_master_does_not_use_up_the_retry(self):
        yield self.earlier_build("vlag build")
        self.expect(75)
        self.expect_outcome(RETRY)
        yield self.run_step()

    def test_last_json(self):
        assert last_json('x\n{"a": 1}\n') == {"a": 1}
        for text in ("", "no\n", '{"a": 1}\nthen noise', "[1]"):
            assert last_json(text) == {}

    def test_an_answer_that_was_cut_is_no_answer_that_asks_for_nothing(self):
        cut = '{"boots": [], "kernel": "a\nb"}\n'
        self.expect_commands(shell("build").stdout(cut).exit(0))
        self.setup(VlagCommand(["build"], subject="v1", keep={"kernel": "kernel"}))
        self.expect_outcome(EXCEPTION, "v1: the answer of vlag build arrived damaged")
        self.expect_no_property("kernel")
        return self.run_step()

    @defer.inlineCallbacks
    def test_a_comparison_shows_its_table_and_keeps_its_finding(self):
        answer = {
            "comparison": 7,
            "summary": {"REGRESSION": 3, "IMPROVEMENT": 0, "UNCHANGED": 9},
            "regressions": 2,
            "hints": 1,
            "regressed": ["hackbench", "yield"],
            "suspects": ["hackbench", "pipe", "yield"],
        }
        text = "TABLE\n  of two lines\n" + json.dumps(answer) + "\n"
        self.expect_commands(shell("compare", "a", "b").stdout(text).exit(10))
        step = Compare(["compare", "a", "b"], subject="a to b", about={"role": "parent"})
        self.setup(step, comparisons=["6"], findings=[{"role": "x"}])
        found = "REGRESSION: hackbench, yield (3 of 12 results, 1 of them hints); suspected: pipe"
        self.expect_outcome(WARNINGS, f"a to b: {found}")
        self.expect_property("comparisons", ["6", "7"])
        self.expect_property("findings", [{"role": "x"}, {"role": "parent", **answer}])
        self.expect_log_file("table", "TABLE\n  of two lines\n")
        yield self.run_step()

    @defer.inlineCallbacks
    def test_the_link_of_a_comparison_shows_what_was_said_then(self):
        answer = {"comparison": 7, "said": 17, "summary": {}}
        self.expect_commands(shell("compare", "a", "b").stdout(json.dumps(answer)).exit(0))
        self.setup(Compare(["compare", "a", "b"], subject="a to b"))
        self.expect_outcome(SUCCESS)
        done = defer.succeed(None)
        with mock.patch.object(Compare, "addURL", return_value=done) as link:
            yield self.run_step()
        [(name, address)] = [call.args for call in link.mock_calls]
        assert name == "comparison 7"
        assert address.endswith("/compare?id=7&said=17")

    def test_an_answer_of_an_earlier_version_has_a_link_too(self):
        made = SimpleNamespace(config=SimpleNamespace(titleURL="http://vlag.test/"))
        _name, address = titles.comparison(made, {"comparison": 7})
        assert address.endswith("/compare?id=7")

    @defer.inlineCallbacks
    def test_a_comparison_that_was_refused_leaves_no_finding(self):
        self.expect_commands(shell("compare", "a", "b").stderr("vlag: no run of a\n").exit(2))
        self.setup(Compare(["compare", "a", "b"], subject="a to b"))
        self.expect_outcome(EXCEPTION, "a to b: vlag: no run of a")
        self.expect_no_property("findings")
        self.expect_no_property("comparisons")
        yield self.run_step()

    def test_words_of_a_comparison(self):
        assert summary({"hints": 1, "regressed": ["y"], "summary": {"REGRESSION": 1}}) == (
            "REGRESSION (hint): y (1 of 1 results)"
        )
        calm = {"regressions": 0, "hints": 0, "summary": {"UNCHANGED": 2, "INCONCLUSIVE": 0}}
        assert summary(calm) == "no regression (2 UNCHANGED)"
        assert summary({**calm, "unsettled": ["y"]}).endswith("(2 UNCHANGED); suspected: y")
        assert summary({}) == "no regression (nothing to compare)"

    def test_the_estimate_is_said_and_kept(self):
        answer = {"seconds": 3720, "text": "expected until 03:12 UTC", "runs_to_do": 120}
        command = shell("forecast", "--format", "json").stdout(json.dumps(answer) + "\n")
        self.expect_commands(command.exit(0))
        self.setup(Estimate())
        self.expect_outcome(SUCCESS, "expected until 03:12 UTC")
        self.expect_property("estimate_s", 3720)
        self.expect_property("forecast", answer)
        self.expect_property("started", int(self.reactor.seconds()))
        return self.run_step()

    @defer.inlineCallbacks
    def test_a_night_that_is_begun_anew_leaves_the_same_out(self):
        before = {"seconds": 9000, "cut": [{"key": "k"}], "end": "08:00", "runs_of": {"k": 4}}
        yield self.earlier_build("vlag forecast", forecast=before)
        answer = {"seconds": 3720, "cut": [], "end": "08:00", "runs_of": {"k": 9}, "text": "t"}
        command = shell("forecast", "--format", "json").stdout(json.dumps(answer) + "\n")
        self.expect_commands(command.exit(0))
        self.setup(Estimate())
        self.expect_outcome(SUCCESS, "t")
        kept = {**answer, "cut": [{"key": "k"}], "runs_of": {"k": 4}}
        self.expect_property("forecast", kept)
        yield self.run_step()

    def test_a_night_goes_on_without_an_estimate(self):
        command = shell("forecast", "--format", "json").stderr("vlag: no network\n")
        self.expect_commands(command.exit(75))
        self.setup(Estimate())
        self.expect_outcome(WARNINGS, "forecast: vlag: no network")
        self.expect_no_property("forecast")
        self.expect_no_property(INFRASTRUCTURE)
        return self.run_step()

    def test_what_histories_suspect_is_left_to_rerun_boots(self):
        sides = {
            side: {"kernel": f"k-{side}", "name": side, "bundle": f"/b/{side}"}
            for side in ("base", "new")
        }
        pair = {
            **sides, "board_type": "a2", "plan": "nightly", "suspects": ["x", "y"], "proof": ["y"],
        }  # fmt: skip
        answer = {"histories": 9, "found": [{}], "schedule": [pair]}
        command = shell("watch", "--format", "json").stdout(json.dumps(answer) + "\n")
        self.expect_commands(command.exit(0))
        self.setup(Watch(), kernels=[{"mine": 1}], findings=[])
        self.expect_outcome(
            SUCCESS, "9 histories: 1 new change points, 1 pairs of kernels to boot again"
        )

        def kept(step):
            mine, *others = self.build.getProperty("kernels")
            assert mine == {"mine": 1}
            assert [k["build_bundle"] for k in others] == ["/b/base", "/b/new"]
            [found] = self.build.getProperty("findings")
            keys = [k["request"]["key"] for k in others]
            assert [found["base_key"], found["new_key"]] == keys
            assert confirmation.of_a_night(found) == ["y"]

        return self.run_step().addCallback(kept)

    def test_a_night_goes_on_without_its_histories(self):
        self.expect_commands(shell("watch", "--format", "json").stderr("vlag: no\n").exit(75))
        self.setup(Watch())
        self.expect_outcome(WARNINGS, "histories: vlag: no")
        return self.run_step()

    def test_why_nothing_is_compared(self):
        self.setup(NotCompared("a to b: not compared: a: build failed"))
        self.expect_outcome(SKIPPED, "a to b: not compared: a: build failed")
        return self.run_step()

    def printed(self, name, words, code=0):
        command = ExpectShell(workdir="wkdir", command=words, timeout=SHOW_MAX_S, log_environ=False)
        return command.log(name, stdout=f"content of {words[-1]}\n").exit(code)

    def test_files_become_logs(self):
        self.expect_commands(
            self.printed("output", ["cat", "/r/raw"]),
            self.printed("log", ["tail", "-n", "2000", "/r/log"]),
        )
        files = {"output": ["cat", Property("raw")], "log": ["tail", "-n", 2000, "/r/log"]}
        self.setup(ShowFiles(files, name="raw-output"), raw="/r/raw")
        self.expect_outcome(SUCCESS, "raw-output")
        self.expect_log_file("output", "content of /r/raw\n")
        self.expect_log_file("log", "content of /r/log\n")
        return self.run_step()

    def test_a_panic_leaves_only_the_console(self):
        self.expect_commands(self.printed("console", ["cat", "/r/console"]))
        files = {"output": ["cat", Property("output")], "console": ["cat", "/r/console"]}
        self.setup(ShowFiles(files, name="raw-output"), output=None)
        self.expect_outcome(SUCCESS, "raw-output")
        return self.run_step()

    def test_a_file_that_is_gone_is_said_to_be(self):
        self.expect_commands(self.printed("console", ["cat", "/r/console"], code=1))
        self.setup(ShowFiles({"console": ["cat", "/r/console"]}, name="raw-output"))
        self.expect_outcome(WARNINGS, "raw-output: cannot read console")
        return self.run_step()

    def reports(self, *words, notes=(), comparisons=(), steps=(), code=None):
        """Begin the step after others; expect its command with `words`, if it has one at all."""
        if code is not None:
            files = ("--output", "/r", "--proof-file", "/r.proof.json")
            command = shell(
                "report", "--full", "--origins", *files, *words, "--exit-code",
                logfiles={"report": {"filename": "/r", "follow": False}},
            )  # fmt: skip
            self.expect_commands(command.exit(code))
        properties = {"comparisons": list(comparisons)} if comparisons else {}
        self.setup(Report("/r", notes=list(notes)), **properties)
        self.build.executedSteps = list(steps)

    def test_report_names_each_comparison_and_shows_the_file(self):
        words = ("--comparison", "6", "--comparison", "7", "--note", "it took 58 min")
        self.reports(*words, notes=["it took 58 min"], comparisons=["6", "7"], code=0)
        self.expect_outcome(SUCCESS)
        self.expect_property("report", "/r")
        self.expect_property("notes", ["it took 58 min"])
        return self.run_step()

    def test_a_failed_proof_is_a_warning_and_the_report_is_kept(self):
        why = "no proof: a to b: not compared: c"
        words = ("--comparison", "6", "--missing", why)
        self.reports(*words, comparisons=["6"], steps=[NotCompared(why)], code=30)
        self.expect_outcome(WARNINGS, "report: known regressions NOT as predicted")
        self.expect_property("report", "/r")
        return self.run_step()

    def file(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name) / "report.txt"

    def earlier_report(self, path, comparisons):
        about = {"comparisons": comparisons, "missing": [], "notes": ["9 runs"], "result": WARNINGS}
        return self.earlier_build("vlag report", report=str(path), report_about=about)

    @defer.inlineCallbacks
    def test_a_repeated_build_keeps_the_report_of_the_same_comparisons(self):
        path = self.file()
        path.write_text("the report of the first attempt\n")
        yield self.earlier_report(path, ["6", "7"])
        self.reports(notes=["0 runs"], comparisons=["7", "6"])  # another order
        self.expect_outcome(WARNINGS, "report: written before, reused")
        self.expect_property("report", str(path))
        self.expect_property("notes", ["9 runs"])
        self.expect_property("reported", [2, 0])
        yield self.run_step()

    @defer.inlineCallbacks
    def anew(self, path, comparisons):
        yield self.earlier_report(path, comparisons)
        self.reports("--comparison", "6", comparisons=["6"], code=0)
        self.expect_outcome(SUCCESS)
        self.expect_property("report", "/r")
        yield self.run_step()

    def test_a_repeated_build_with_other_comparisons_reports_anew(self):
        path = self.file()
        path.write_text("the report of the first attempt\n")
        return self.anew(path, ["5"])

    def test_a_report_that_is_gone_is_written_anew(self):
        return self.anew(self.file(), ["6"])

    def test_a_night_of_heads_that_are_their_own_baseline_is_no_failure(self):
        self.reports(steps=[AtBaseline("t/b", "a2", "t/v1")])
        self.expect_outcome(SUCCESS, "report: nothing to compare yet")
        self.expect_no_property("report")
        return self.run_step()

    def test_with_what_failed_besides_it_is_one(self):
        failed = NotCompared("a to b: not compared: c")
        self.reports(steps=[AtBaseline("t/b", "a2", "t/v1"), failed])
        self.expect_outcome(FAILURE, "report: there is nothing to compare")
        return self.run_step()

    def test_a_report_has_which_heads_are_their_own_baseline(self):
        said = "t/b on a2: nothing to compare yet, its head is its baseline t/v1"
        words = ("--comparison", "6", "--note", "it took 58 min", "--note", said)
        level = AtBaseline("t/b", "a2", "t/v1")
        self.reports(*words, notes=["it took 58 min"], comparisons=["6"], steps=[level], code=0)
        self.expect_outcome(SUCCESS)
        # The end of the night has them by itself.
        self.expect_property("notes", ["it took 58 min"])
        return self.run_step()

    def test_report_of_nothing(self):
        self.reports()
        self.expect_outcome(FAILURE, "report: there is nothing to compare")
        self.expect_no_property("report")
        return self.run_step()


class Boards(Harness):
    def pool(self, *names):
        sims = [Board(name=name, board_type="sim") for name in names or ["sim-1"]]
        return BoardPool(("here", b) for b in [*sims, Board(name="b", board_type="arm")])

    def step(self, pool, out=(), words=("run", "k")):
        return RunOnBoard(
            list(words),
            pool=pool,
            host=lambda properties: "here",
            out=lambda: out,
            subject=Interpolate("%(prop:label)s"),
        )

    def taken(self, pool, *arguments):
        """Return the board, or what will give it."""
        found = defer.ensureDeferred(pool.take("here", *arguments))
        return self.successResultOf(found) if found.called else found

    @defer.inlineCallbacks
    def test_a_board_is_taken_and_given_back_even_after_a_panic(self):
        pool = self.pool()
        self.expect_commands(
            shell("run", "k", "--board", "sim-1")
            .stdout('{"outcome": "panic", "reason": "Kernel panic - not syncing: x"}\n')
            .exit(20)
        )
        self.setup(self.step(pool), board_type="sim", label="switch seed 1")
        self.expect_outcome(FAILURE, "switch seed 1 (sim-1): panic: Kernel panic - not syncing: x")
        self.expect_property("board", "sim-1")
        yield self.run_step()
        assert self.taken(pool, "sim") == "sim-1"

    def test_no_such_board(self):
        self.setup(self.step(self.pool()), board_type="riscv")
        self.expect_outcome(EXCEPTION, "host here has no board of type 'riscv'")
        return self.run_step()

    def test_boards_in_maintenance_get_no_runs(self):
        self.setup(self.step(self.pool("s1", "s2"), out=["s1", "s2"]), board_type="sim")
        self.expect_outcome(
            EXCEPTION,
            "all boards of type sim are in maintenance (s1, s2): `vlag boards status` says why",
        )
        return self.run_step()

    def test_a_database_that_is_away_is_a_sentence(self):
        def away():
            raise InfrastructureError("the database does not answer")

        step = RunOnBoard(["run"], pool=self.pool(), host=lambda _: "here", out=away, subject="s")
        self.setup(step, board_type="sim")
        self.expect_outcome(EXCEPTION, "the database does not answer")
        return self.run_step()

    @defer.inlineCallbacks
    def test_one_that_does_not_answer_for_now_is_waited_for(self):
        left = [AwayError("the database starts")]

        def out():
            if left:
                raise left.pop()
            return []

        step = RunOnBoard(["run"], pool=self.pool(), host=lambda _: "here", out=out, subject="s")
        self.expect_commands(shell("run", "--board", "sim-1").stdout("{}\n").exit(0))
        self.setup(step, board_type="sim")
        self.expect_outcome(SUCCESS)
        ended = self.run_step()
        yield self.until(lambda: "starts; tried again" in self.said())
        self.reactor.advance(PAUSES_S[0])
        yield ended

    def said(self):
        return self.get_nth_step(0).getCurrentSummary()["step"]

    @defer.inlineCallbacks
    def until(self, is_so):
        while not is_so():
            yield task.deferLater(reactor, 0.01, lambda: None)

    def test_a_check_gets_its_very_board_in_maintenance_too(self):
        self.expect_commands(shell("run", "k", "--board", "s2").stdout("{}\n").exit(0))
        step = self.step(self.pool("s1", "s2"), out=["s2"])
        self.setup(step, board_type="sim", label="check", pinned="s2")
        self.expect_outcome(SUCCESS)
        self.expect_property("board", "s2")
        return self.run_step()

    def test_no_board_twice(self):
        pool = self.pool("s1", "s2")
        assert [self.taken(pool, "sim"), self.taken(pool, "sim")] == ["s1", "s2"]
        third = self.taken(pool, "sim")
        assert not third.called
        pool.give_back("here", "sim", "s2")
        assert self.successResultOf(third) == "s2"

    def test_who_waits_for_a_board_gets_that_board(self):
        pool = self.pool("s1", "s2")
        assert self.taken(pool, "sim") == "s1"
        check = self.taken(pool, "sim", "s1")
        # Others do not wait behind it.
        assert self.taken(pool, "sim") == "s2"
        pool.give_back("here", "sim", "s2")
        assert not check.called
        pool.give_back("here", "sim", "s1")
        assert self.successResultOf(check) == "s1"
        assert self.taken(pool, "sim") == "s2"

    def test_who_stops_waiting_gets_nothing(self):
        pool = self.pool()
        assert self.taken(pool, "sim") == "sim-1"
        waiting = self.taken(pool, "sim")
        waiting.cancel()
        self.failureResultOf(waiting, defer.CancelledError)
        pool.give_back("here", "sim", "sim-1")
        assert self.taken(pool, "sim") == "sim-1"

    def test_a_host_has_its_own_boards(self):
        sims = [
            ("a", Board(name="s1", board_type="sim")),
            ("b", Board(name="s2", board_type="sim")),
        ]
        pool = BoardPool(sims)
        assert [pool.has(t) for t in ("sim", "arm64")] == [True, False]
        assert [pool.can(h, "sim") for h in ("a", "b", "c")] == [True, True, False]
        assert [pool.can(h, "sim", "s2") for h in ("a", "b")] == [False, True]
        taken = [self.successResultOf(defer.ensureDeferred(pool.take(h, "sim"))) for h in "ba"]
        assert taken == ["s2", "s1"]
        waiting = defer.ensureDeferred(pool.take("b", "sim"))
        pool.give_back("a", "sim", "s1")
        assert not waiting.called
        pool.give_back("b", "sim", "s2")
        assert self.successResultOf(waiting) == "s2"


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
            if results[i - 1] is None:  # goes on
                return d, defer.Deferred()
            return d, defer.succeed((results[i - 1], {100: 1000 + i}))

        scheduler = mock.Mock(trigger=trigger)
        scheduler.name = "boards"
        return scheduler

    @async_to_deferred
    async def add_build(self, i, results, properties):
        await self.master.db.insert_test_data(
            [
                fakedb.BuildRequest(
                    id=1000 + i, buildsetid=200, builderid=100,
                    complete=int(results is not None), results=-1 if results is None else results,
                ),
                build_row(
                    id=2000 + i, buildrequestid=1000 + i, number=50 + i, results=results,
                    complete_at=None if results is None else 1,
                ),
            ]
        )  # fmt: skip
        for name, value in properties.items():
            await self.master.db.builds.setBuildProperty(2000 + i, name, value, "test")

    def go(self, step, results, own=None, **properties):
        self.setup(step, **own or {})
        self.added = []
        self.build.addStepsAfterCurrentStep = self.added.extend
        scheduler = self.play(results, **properties)
        self.schedulers = []

        def by_name(name):
            self.schedulers.append(name)
            return scheduler

        self.get_nth_step(0).getSchedulerByName = by_name
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
    def test_runs_that_were_made_are_counted(self):
        self.expect_property("runs_done", 2 + 3)
        self.expect_outcome(SUCCESS, "other runs: 3 successes")
        step = FanOut("boards", lambda _p: REQUESTS, what="other runs")
        yield self.go(step, [SUCCESS] * 3, {"runs_done": 2}, reused=False)

    @defer.inlineCallbacks
    def test_runs_of_record_are_not_counted(self):
        self.expect_property("runs_done", 0)
        self.expect_outcome(SUCCESS)
        step = FanOut("boards", lambda _p: REQUESTS, what="other runs")
        yield self.go(step, [SUCCESS] * 3, reused=True)

    @defer.inlineCallbacks
    def test_kernels_add_up_what_was_done_below_them(self):
        self.expect_property("kernels_built", 3)
        self.expect_property("runs_done", 15)
        self.expect_outcome(SUCCESS)
        step = Kernels("kernels", lambda _p: REQUESTS, learn=lambda _s, _c: None)
        yield self.go(step, [SUCCESS] * 3, reused=False, runs_done=5)

    PAIRS = (
        {"label": "base", "key": "base", "compared_with": []},
        {"label": "a", "key": "a", "compared_with": ["base"]},
        {"label": "b", "key": "b", "compared_with": ["base"]},
        {"label": "c", "key": "c", "compared_with": ["elsewhere"]},
    )

    @defer.inlineCallbacks
    def early(self, results, expected):
        self.learnt = []
        self.expect_outcome(expected)

        def learn(step, children):
            self.learnt.append((step.ready, [child.request["key"] for child in children]))

        step = Kernels("kernels", lambda _p: self.PAIRS, learn=learn, early=True)
        yield self.go(step, results, kernel="ab")

    @defer.inlineCallbacks
    def test_what_can_be_compared_does_not_wait_for_the_others(self):
        yield self.early([SUCCESS, SUCCESS, None, None], SUCCESS)
        assert self.learnt == [(["a"], ["base", "a"])]
        [others] = self.added
        assert isinstance(others, Others)
        assert (others.known, others.compared) == ({"base", "a"}, {"a"})

    @defer.inlineCallbacks
    def test_a_base_that_was_not_asked_for_has_ended(self):
        yield self.early([None, SUCCESS, SUCCESS, FAILURE], WARNINGS)
        # Without their base, a and b wait; a failed kernel is compared as well.
        assert self.learnt == [(["c"], ["a", "b", "c"])]
        assert len(self.added) == 1

    @defer.inlineCallbacks
    def test_at_the_end_there_are_no_others(self):
        yield self.early([SUCCESS, SUCCESS, EXCEPTION, SUCCESS], FAILURE)
        assert self.learnt == [(["a", "b", "c"], ["base", "a", "b", "c"])]
        assert self.added == []

    @defer.inlineCallbacks
    def test_a_build_that_was_stopped_stops_the_others(self):
        of = {"scheduler": "kernels", "what": "kernels", "name": "kernels", "_result_list": []}
        same = {"requests": list, "learn": self.fail, "warnOnWarnings": True, "ready": []}
        left = {"asked": list(self.PAIRS), "brids": [7, 8], "complete": {7}, "first": None}
        known = {"seen": {7}, "known": set(), "compared": set()}
        before = SimpleNamespace(**of, **same, **left, **known)
        self.setup(Others(before, []))
        self.build.stopped = self.build.terminate = True
        cancelled = []
        self.master.data.control = lambda what, _args, path: cancelled.append((what, path))
        self.expect_outcome(CANCELLED)
        yield self.run_step()
        assert cancelled == [("cancel", ("buildrequests", brid)) for brid in (7, 8)]

    @defer.inlineCallbacks
    def test_each_lane_has_its_scheduler(self):
        self.expect_outcome(SUCCESS)
        requests = [{"label": "a", "purpose": purpose} for purpose in ("night", "push", "confirm")]
        step = FanOut("boards", lambda _p: requests, what="runs")
        yield self.go(step, [SUCCESS] * 3)
        named = ["boards for night", "boards for push", "boards for confirm"]
        assert self.schedulers == named

    @defer.inlineCallbacks
    def test_what_cannot_be_asked_is_a_sentence(self):
        def requests(_properties):
            raise UsageError("series: line 3: no such patch")

        self.expect_outcome(EXCEPTION, "kernels: series: line 3: no such patch")
        step = Kernels("kernels", requests, learn=lambda _s, _c: None)
        yield self.go(step, [])
        assert self.asked == []

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

    @defer.inlineCallbacks
    def rerun_boots(self, results, expected):
        keys = {"plan": "commit", "purpose": "push", "kernel_name": "k", "knobs": {}}
        kernels = [
            {"request": {"key": side, **keys}, "results": SUCCESS, "outcome": "complete",
             "kernel": side, "build_bundle": f"/b/{side}"}
            for side in ("parent", "head")
        ]  # fmt: skip
        finding = {"base_key": "parent", "new_key": "head", "role": "parent", "stage": "screen",
                   "round": None, "board_type": "a2", "suspects": ["yield"]}  # fmt: skip
        [first, _second] = confirm_steps(small_catalogue(), suspected_of_commit)
        self.expect_outcome(expected)
        of_build = {"kernels": kernels, "findings": [finding], "occasion": "push 7"}
        yield self.go(first, results, of_build)
        bundles = [a["build_bundle"][0][3:] for a in self.asked]
        assert bundles == ["parent", "head", "head", "parent", "parent", "head"]
        # Those of another push are other jobs of a lab.
        assert {a["occasion"][0] for a in self.asked} == {"push 7"}
        [compare] = self.added
        assert "--round" in compare.arguments

    def test_rerun_boots_that_a_kernel_does_not_survive_are_compared_all_the_same(self):
        return self.rerun_boots([SUCCESS] * 5 + [FAILURE], WARNINGS)

    def test_rerun_boots_that_the_infrastructure_lost_are_a_failure(self):
        return self.rerun_boots([SUCCESS] * 5 + [EXCEPTION], FAILURE)
