# SPDX-License-Identifier: GPL-2.0-only
"""Steps that run one `vlag` command on the worker and keep its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from buildbot.plugins import util
from buildbot.process.buildstep import BuildStep, ShellMixin
from buildbot.process.properties import Properties
from buildbot.process.results import (
    CANCELLED,
    EXCEPTION,
    FAILURE,
    RETRY,
    SKIPPED,
    SUCCESS,
    WARNINGS,
)
from buildbot.util.twisted import async_to_deferred
from twisted.internet import defer
from twisted.internet.threads import deferToThread

from master import titles
from master.locks import BoardPool
from master.repeated import attempts
from vlag.errors import WAITS, AwayError, ExitCode, VlagError
from vlag.store import nights

#: Buildbot result of each exit status.  Any other status is an internal error
#: (a traceback, a missing program): EXCEPTION.
RESULTS: Mapping[int, int] = {
    ExitCode.OK: SUCCESS,
    ExitCode.REGRESSION: WARNINGS,
    ExitCode.KERNEL_FAILED: FAILURE,
    ExitCode.PROOF_FAILED: WARNINGS,
    ExitCode.USAGE: EXCEPTION,
    ExitCode.REFUSED: EXCEPTION,
    ExitCode.INFRASTRUCTURE: RETRY,
}

#: What a worker reports of a command that a signal has ended: the host's doing, as where it has
#: no memory left.
KILLED = -1

#: Seconds between two tries of what waits for the database, or for room: after ten minutes one
#: each five minutes, for the 24 h that Buildbot tries its own statements.
PAUSES_S = (5, 10, 20, 40, 80, 160, *(300 for _ in range(24 * 12)))

#: Property of a build that ended with an infrastructure fault.  Restarts of the
#: master also end builds as RETRY, but must not use up the one retry.
INFRASTRUCTURE = "infrastructure_failure"

#: `updateBuildSummaryPolicy` of a step whose text is the build's: skipped steps say nothing.
SAID = [SUCCESS, WARNINGS, FAILURE, EXCEPTION, RETRY, CANCELLED]

#: Of a file that is shown: Buildbot keeps it in its database for ever, and a board chooses how
#: much it prints.  The bundle has all; a compile error or a panic is near the end.
SHOWN_BYTES = 256 << 10
#: Seconds without output after which printing a file is stopped.
SHOW_MAX_S = 120


def last_json(stdout: str) -> dict[str, Any]:
    """Return the object on the last line of `stdout`, or {} if there is none."""
    lines = stdout.strip().splitlines()
    try:
        answer = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        return {}
    return answer if isinstance(answer, dict) else {}


def is_damaged(stdout: str) -> bool:
    """Return whether the last line of `stdout` ends as an object does and is none.

    Whoever passes lines on may have cut it; an answer that is not read must not look like one
    that asks for nothing.
    """
    last = (stdout.strip().splitlines() or [""])[-1]
    try:
        json.loads(last)
    except json.JSONDecodeError:
        return last.endswith("}")
    return False


def spoken_time(seconds: float) -> str:
    """Return a readable duration: "40 s", "4 min"."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def skipped(results: int, _step: object) -> bool:
    """Return whether a step was skipped; `hideStepIf` uses it to hide such steps."""
    return results == SKIPPED


class VlagCommand(ShellMixin, BuildStep):
    """Run `vlag ARGUMENTS`; the last line of its output is JSON and becomes properties.

    `keep` maps keys of that JSON to build properties; `subject` is a short description of
    the subject.  While the database is away, or the machine has no room, the step says so and
    runs the command again.  After another infrastructure fault it is retried once, in a new
    build of the same request; a second fault is an EXCEPTION.
    """

    renderables = ("arguments", "subject")
    retries = True

    def __init__(
        self,
        arguments: Any,
        *,
        subject: Any = "",
        done: str = "done",
        keep: Mapping[str, str] | None = None,
        **kwargs: Any,
    ):
        self.arguments = arguments
        self.subject = subject
        self.done = done
        self.keep = dict(keep or {})
        self.summary = ""
        self._waits = ""  # for what, in a sentence
        self._pause: defer.Deferred[None] | None = None
        defaults: dict[str, Any] = {
            "logEnviron": False,  # the environment names the folder of the secrets
            "timeout": None,  # each command has its own time-outs
            "sigtermTime": 20,  # time to power the board off before the kill
        }
        super().__init__(**self.setupShellMixin({**defaults, **kwargs}, prohibitArgs=["command"]))

    @async_to_deferred
    async def run(self) -> int:
        """Run the command and return the Buildbot result of its exit status."""
        return await self.call(self.arguments)

    async def call(self, arguments: Sequence[Any]) -> int:
        """Run `vlag` with these arguments; again and again while it waits for something."""
        started = self.master.reactor.seconds()
        command = await self._once(arguments)
        answer = last_json(command.stdout)
        for pause_s in PAUSES_S:
            if command.rc != ExitCode.INFRASTRUCTURE or not answer.get(WAITS):
                break
            await self.wait(self.describe(command.rc, answer, command.stderr, 0), pause_s)
            if self.stopped:
                return CANCELLED
            command = await self._once(arguments)
            answer = last_json(command.stdout)
        if is_damaged(command.stdout):
            self.summary = f"{self.subject}: the answer of vlag {arguments[0]} arrived damaged"
            return EXCEPTION
        for key, name in self.keep.items():
            if answer.get(key) is not None:
                self.setProperty(name, answer[key], f"vlag {arguments[0]}")
        await self.heard(answer, command.stdout)
        killed = command.rc == KILLED and not self.stopped and not self.timed_out
        code = ExitCode.INFRASTRUCTURE if self.timed_out or killed else command.rc
        self.summary = self.describe(
            code,
            answer,
            f"{command.stderr}\nits host killed it" if killed else command.stderr,
            self.master.reactor.seconds() - started,
        )
        result = RESULTS.get(code, EXCEPTION)
        if result == RETRY and not self.stopped and self.retries:
            if await self.was_retried():
                self.summary = f"{self.summary} (twice: given up)"
                return EXCEPTION
            self.setProperty(INFRASTRUCTURE, True, f"vlag {arguments[0]}")
        return result

    async def _once(self, arguments: Sequence[Any]) -> Any:
        """Return the command when it has ended."""
        command = await self.makeRemoteShellCommand(
            collectStdout=True, collectStderr=True, command=["vlag", *map(str, arguments)]
        )
        await self.runCommand(command)
        return command

    async def wait(self, sentence: str, pause_s: float) -> None:
        """Let the pages say what the step waits for, until the pause is over or it is stopped."""
        self._waits = f"{sentence}; tried again in {spoken_time(pause_s)}"
        self.updateSummary()
        pause = self._pause = defer.Deferred()
        timer = self.master.reactor.callLater(pause_s, pause.callback, None)
        try:
            await pause
        except defer.CancelledError:  # the step is stopped
            timer.cancel()
        finally:
            self._waits, self._pause = "", None
        self.updateSummary()

    @async_to_deferred
    async def interrupt(self, reason: object) -> None:
        """Stop, even between two tries."""
        await super().interrupt(reason)
        if self._pause is not None:
            self._pause.cancel()

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Process the command's output; a hook for subclasses."""

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the result of the command in one line."""
        if code in (ExitCode.OK, ExitCode.REGRESSION):
            again = "before, reused" if answer.get("reused") else f"in {spoken_time(seconds)}"
            verdict = "REGRESSION, " if code == ExitCode.REGRESSION else ""
            release = f" ({answer['release']})" if answer.get("release") else ""
            return f"{self.subject}{release}: {verdict}{self.done} {again}"
        if code == ExitCode.KERNEL_FAILED:
            outcome = str(answer.get("outcome", "failed")).replace("_", " ")
            return f"{self.subject}: {outcome}: {answer.get('reason') or 'no reason given'}"
        if self.timed_out:
            return f"{self.subject}: stopped after {spoken_time(seconds)}"
        printed = [line for line in stderr.strip().splitlines() if line.strip()]
        return f"{self.subject}: {printed[-1].strip() if printed else f'exit status {code}'}"

    async def was_retried(self) -> bool:
        """Return whether an earlier build of this request also had an infrastructure fault."""
        return any(
            attempt.results == RETRY and INFRASTRUCTURE in attempt.properties
            for attempt in await attempts(self)
        )

    def getCurrentSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the subject, or what it waits for."""
        return {"step": self._waits or str(self.subject or self.name)}

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the result."""
        return {"step": self.summary or str(self.subject or self.name)}


class RunOnBoard(VlagCommand):
    """`vlag run` on a free board, which the step reserves until its end."""

    def __init__(
        self,
        arguments: Any,
        *,
        pool: BoardPool,
        host: Callable[[Properties], str | None],
        out: Callable[[], Collection[str]],
        **kwargs: Any,
    ):
        """`host` returns the host of a build.

        `out` returns the names of the boards that are out of service; it may block.
        """
        super().__init__(arguments, **kwargs)
        self.pool = pool
        self.host = host
        self.out = out
        self._awaited: Any = None

    @async_to_deferred
    async def run(self) -> int:
        """Take a board, run, and always give the board back."""
        board_type = self.getProperty("board_type")
        host = self.host(self.getProperties())
        try:
            out = await self._out_of_service()
            taken = self.pool.take(host, board_type, self.getProperty("pinned"), out)
            self._awaited = defer.ensureDeferred(taken)
            board = await self._awaited
        except (LookupError, VlagError) as e:
            self.summary = str(e)
            return EXCEPTION
        except defer.CancelledError:  # stopped while waiting for its board
            return CANCELLED
        try:
            self.setProperty("board", board, "board pool")
            self.subject = f"{self.subject} ({board})"
            self.updateSummary()
            return await self.call([*self.arguments, "--board", board])
        finally:
            self.pool.give_back(host, board_type, board)

    async def _out_of_service(self) -> Collection[str]:
        for pause_s in PAUSES_S:
            try:
                return await deferToThread(self.out)
            except AwayError as e:
                await self.wait(str(e), pause_s)
            if self.stopped:
                raise defer.CancelledError
        return await deferToThread(self.out)

    @async_to_deferred
    async def interrupt(self, reason: object) -> None:
        """Stop, even while waiting for a board."""
        await super().interrupt(reason)
        if self._awaited is not None and not self._awaited.called:
            self._awaited.cancel()


class Compare(VlagCommand):
    """`vlag compare`: log the table and add the answer to the build's `findings`.

    `about` describes the compared sides and is kept with the finding.  The comparison's
    id is added to the property `comparisons`, for the report.  `again` returns the benchmarks of
    a finding that are booted again, to confirm or refute it.
    """

    def __init__(
        self,
        arguments: Any,
        *,
        about: Mapping[str, Any] | None = None,
        again: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        **kwargs: Any,
    ):
        super().__init__(arguments, **kwargs)
        self.about = dict(about or {})
        self.again = again

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Log the table, keep comparison and finding."""
        if not answer.get("comparison"):
            return
        table = "\n".join(stdout.rstrip().splitlines()[:-1])
        if table:
            await self.addCompleteLog("table", table + "\n")
        number = answer["comparison"]
        await self.addURL(*titles.comparison(self.master, answer))
        known = self.getProperty("comparisons") or []
        self.setProperty("comparisons", [*known, str(number)], "vlag compare")
        findings = self.getProperty("findings") or []
        self.setProperty("findings", [*findings, {**self.about, **answer}], "vlag compare")

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the finding in one line."""
        if code in (ExitCode.OK, ExitCode.REGRESSION):
            return f"{self.subject}: {self._boots(answer)}{summary(answer)}{self._rest(answer)}"
        return super().describe(code, answer, stderr, seconds)

    def _boots(self, answer: Mapping[str, Any]) -> str:
        """Return what the answer rests on: "a screen of 5 + 5 boots: "."""
        if not answer.get("boots") or self.about.get("stage") is None:
            return ""
        what = "screen" if self.about["stage"] == "screen" else "rerun"
        return f"a {what} of {' + '.join(map(str, answer['boots']))} boots: "

    def _rest(self, answer: Mapping[str, Any]) -> str:
        """Return what becomes of what a screen suspects."""
        if self.again is None or self.about.get("stage") != "screen":
            return ""
        names = self.again({**self.about, **answer})
        if not names:
            return ""
        if self.about.get("benchmarks"):  # the first part of a first night
            return "; the night compares it again, with all of its boots"
        return f"; being confirmed with more boots: {', '.join(names)}"


def summary(answer: Mapping[str, Any]) -> str:
    """Return a short summary of a comparison."""
    if answer.get("prediction"):
        return str(answer["prediction"]["text"])
    proofs, hints = answer.get("regressions") or 0, answer.get("hints") or 0
    worse = answer.get("regressed") or ()
    names = ", ".join(worse)
    # Suspicions of a screen, and changes that a rerun left open.
    doubts = dict.fromkeys(
        name for key in ("suspects", "better", "unsettled") for name in answer.get(key) or ()
    )
    doubtful = ", ".join(name for name in doubts if name not in worse)
    doubt = f"; suspected: {doubtful}" if doubtful else ""
    summary = {verdict: n for verdict, n in (answer.get("summary") or {}).items() if n}
    others = [f"{n} {verdict}" for verdict, n in summary.items() if verdict != "REGRESSION"]
    if proofs or hints:
        only = "" if proofs else " (hint)"
        count = f"{proofs + hints} of {sum(summary.values())} results"
        also = f", {hints} of them hints" if proofs and hints else ""
        return f"REGRESSION{only}: {names} ({count}{also}){doubt}"
    return f"no regression ({', '.join(others) or 'nothing to compare'}){doubt}"


class NotCompared(BuildStep):
    """Shows in one sentence why a comparison is not made."""

    def __init__(self, sentence: str, **kwargs: Any):
        super().__init__(**kwargs)
        self.sentence = sentence

    async def run(self) -> int:
        """Do nothing."""
        return SKIPPED

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the reason."""
        return {"step": self.sentence}


class AtBaseline(BuildStep):
    """Shows that a head is its own baseline: there is nothing to compare yet, and no fault."""

    def __init__(self, branch: str, board_type: str, baseline: str, **kwargs: Any):
        """`branch` is TREE/BRANCH and `baseline` TREE/REF, as the settings name them."""
        super().__init__(**kwargs)
        self.level = nights.AtBaseline(branch=branch, board_type=board_type, baseline=baseline)

    async def run(self) -> int:
        """Do nothing."""
        return SUCCESS

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return what there is to say."""
        return {"step": self.level.sentence}


class Estimate(VlagCommand):
    """`vlag forecast`: estimate the end of the night; if it fails, the night continues."""

    retries = False

    def __init__(self, options: Any = (), **kwargs: Any):
        """`options` are added to the command's."""
        super().__init__(
            util.FlattenList(["forecast", "--format", "json", options]),
            subject="forecast",
            keep={"seconds": "estimate_s"},
            flunkOnFailure=False,
            warnOnWarnings=False,
            **kwargs,
        )

    async def call(self, arguments: Sequence[Any]) -> int:
        """Record the start of the night and run the command; any failure is a warning here."""
        self.setProperty("started", int(self.master.reactor.seconds()), self.name)
        result = await super().call(arguments)
        return result if result in (SUCCESS, CANCELLED) else WARNINGS

    async def heard(self, answer: Mapping[str, Any], stdout: str) -> None:
        """Keep the forecast: what the night leaves out, and what is said of it, follow it."""
        if answer:
            chosen = {**answer, **await self._chosen_before()}
            self.setProperty("forecast", chosen, "vlag forecast")

    async def _chosen_before(self) -> dict[str, Any]:
        """Return what an earlier attempt of this night has left out; a restart changes it not."""
        for attempt in await attempts(self):
            if known := attempt.properties.get("forecast"):
                return {key: known[key] for key in ("cut", "end", "runs_of") if key in known}
        return {}

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return the estimated end and content of the night."""
        if code == ExitCode.OK and answer.get("text"):
            return str(answer["text"])
        return super().describe(code, answer, stderr, seconds)


def last(path: Any) -> list[Any]:
    """Return the command that prints the last `SHOWN_BYTES` of a file."""
    return ["tail", "--bytes", SHOWN_BYTES, path]


class ShowFiles(ShellMixin, BuildStep):
    """Show files of the worker's host as logs; `files` maps a log name to a print command."""

    renderables = ("files",)

    def __init__(self, files: Mapping[str, Any], **kwargs: Any):
        defaults: dict[str, Any] = {
            "logEnviron": False,
            "timeout": SHOW_MAX_S,
            "flunkOnFailure": False,
            "warnOnWarnings": False,
        }
        super().__init__(**self.setupShellMixin({**defaults, **kwargs}, prohibitArgs=["command"]))
        self.files = files
        self.missing: list[str] = []

    @async_to_deferred
    async def run(self) -> int:
        """Print each file into the log of its name; note files that cannot be read."""
        for name, words in self.files.items():
            if words[-1] is None:  # a run without output
                continue
            command = await self.makeRemoteShellCommand(
                stdioLogName=name, command=[str(word) for word in words]
            )
            await self.runCommand(command)
            if command.results() != SUCCESS:
                self.missing.append(name)
        return WARNINGS if self.missing else SUCCESS

    def getResultSummary(self) -> dict[str, str]:  # noqa: N802 - Buildbot's name
        """Return the names of the files that could not be read."""
        missing = f": cannot read {', '.join(self.missing)}" if self.missing else ""
        return {"step": f"{self.name}{missing}"}


class Collect(VlagCommand):
    """`vlag gc`: remove old raw files and builds; what fails is tried again the next day."""

    retries = False

    def __init__(self, **kwargs: Any):
        super().__init__(["gc", "--format", "json"], subject="vlag gc", **kwargs)

    async def call(self, arguments: Sequence[Any]) -> int:
        """Run the command; Buildbot does not try it again by itself."""
        result = await super().call(arguments)
        return FAILURE if result == RETRY else result

    def describe(self, code: int, answer: Mapping[str, Any], stderr: str, seconds: float) -> str:
        """Return what went, and what a day adds."""
        if code == ExitCode.OK and answer.get("text"):
            return str(answer["text"])
        return super().describe(code, answer, stderr, seconds)
