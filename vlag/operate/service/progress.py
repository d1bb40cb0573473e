# SPDX-License-Identifier: GPL-2.0-only
"""What the service says while a night goes on: asked of Buildbot's REST interface."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from vlag.buildbot import EXCEPTION, FAILURE, RETRY, SKIPPED, SUCCESS, WARNINGS, Web
from vlag.model import Purpose
from vlag.operate.service.course import WORDS, Course, Working
from vlag.operate.service.expectation import Expectation
from vlag.pipeline import confirmation
from vlag.pipeline.confirmation import Suspicion
from vlag.pipeline.forecast import Forecast
from vlag.pipeline.night_plan import PROOF_KERNELS

#: A stage that is younger was reused: its duration says nothing of the next one.
_REUSED_S = 5

#: Steps that take minutes: what they say of themselves is passed on.
_LONG = {"build"}
_NEWS = re.compile(r"e\d\d:\d\d:\d\d (\S.*)")
#: Steps that only wait for others: what went wrong below them was told there.
_WAITING = re.compile(r"(first run|runs|((early|proof) )?kernels|confirm( \d+)?)(_\d+)?")


#: Steps whose results make suspicions, or settle them.
_JUDGES = ("compare", "watch", "report", "early report")

#: Steps that end a boot: here, or of a lab.
_BOOTS = ("run", "collect")

#: Builders whose builds make a report.
_WHOLES = ("nightly", "first")

#: Purposes of builds and boots that the forecast of a night does not have: of pushes and tries
#: beside it, and of what comes after its report.
_BESIDE = {Purpose.PUSH, Purpose.TRY, Purpose.EXPLAIN}
#: A step that makes rerun boots, and how it counts them.
_RERUNS, _OF = re.compile(r"confirm( \d+)?"), re.compile(r"(\d+) of (\d+)$")
#: What is at work that the terminal names at most.
_NAMED = 2

#: Properties of a build that say where the night stands.
_PROPERTIES = [
    *("outcome", "gate", "purpose", "key", "forecast", "reused", "notes"),
    *("early_report", "report", "proof_report", PROOF_KERNELS),
]

#: Builds before the newest that are looked at again: one may become visible after a younger one.
_REACH = 20

#: Number of newest lines that are kept.
_KEPT = 200

#: What a step is called between its start and the first words of its own.
_UNNAMED = {"pending", "acquiring locks", "waiting for locks"}

#: "begun" or "ended", a step and its build; "over", a build and itself.
_Event = tuple[str, Mapping[str, Any], Mapping[str, Any]]


@frozen(kw_only=True)
class Night:
    """A night, or a first look, that has ended."""

    request: int
    results: int
    report: Path | None  # the last one
    notes: tuple[str, ...]  # how large it was and how long it took


@frozen(kw_only=True)
class Written:
    """A report that a night has written; it may go on."""

    request: int  # of the night, or the first look
    path: Path
    name: str  # for people
    more: str | None  # what of it follows, in words


@define
class Progress:
    """Turns what Buildbot knows into lines, each said once."""

    web: Web
    since: int  # builds of a lower id are history
    started: float = field(factory=time.time)
    builders: dict[int, str] = field(factory=dict)
    course: Course | None = None  # of the night that goes on, once it has a forecast
    night_asked_at: int | None = None  # Unix time of the request of a night that goes on
    working: list[Working] = field(factory=list)  # what is being built or booted
    kept: deque[tuple[float, str]] = field(factory=lambda: deque(maxlen=_KEPT))  # time, line
    written: list[Written] = field(factory=list)  # reports since the last look but one
    _night: int = 0  # build of that night
    _ended: int = 0  # build of the last night that has ended
    _asked: int | None = None  # request of the night that goes on
    _said: set[tuple[int, str]] = field(factory=set)
    _over: set[int] = field(factory=set)
    _open: set[int] = field(factory=set)  # builds that were not over when they were last seen
    _newest: int = 0  # build
    _before: float = 0.0  # what happened since this look began is told by the next one
    _shown: float = 0.0  # time of the newest line
    _expected: Expectation | None = None
    _suspected: set[Suspicion] = field(factory=set)  # of the night that goes on, all
    _booted: set[Suspicion] = field(factory=set)  # of them, those that had rerun boots
    _left: set[Suspicion] = field(factory=set)  # and those that are open
    _compared_anew: bool = False  # a comparison of the night that goes on has ended

    def look(self) -> tuple[list[str], list[Night]]:
        """Return what has changed since the last call, and the nights that ended since.

        Lines come in the order of what they tell; those of a night that has ended
        are all among them: its steps are asked for after its end.
        """
        if not self.builders:
            self.builders = {b["builderid"]: b["name"] for b in self.web.get("/builders")}
        # Buildbot's times are whole seconds: the present one is not over.
        self._before = float(int(time.time()))
        builds = self._builds()
        self._ask_since(builds)
        self.written = list(self._reports(builds))
        ended = list(self._nights(builds))
        lines = self._lines(builds)
        self._suspect()
        if self._night <= self._ended:
            self.course = self._expected = None
        elif self._expected is not None and (slip := self._expected.look(time.time())):
            lines.append((time.time(), slip))
        self.kept += lines
        return [f"{self._clock(at)} {line}" for at, line in lines], ended

    @property
    def present(self) -> list[str]:
        """Return how things are now, in a few lines that the next look replaces."""
        now, lines = time.time(), []
        if self.course is not None:
            left_s, count = self.course.left_s, self.course.suspicions
            until = f"until {datetime.fromtimestamp(now + left_s, UTC):%H:%M} UTC" if left_s else ""
            waits = f"{count} suspicion{'' if count == 1 else 's'} open" if count else ""
            lines.append("; ".join(filter(None, (self.course.text, until, waits))))
        at_work = [f"{one.sentence} ({now - one.begun:.0f} s)" for one in self.working[:_NAMED]]
        if more := len(self.working) - _NAMED:
            at_work += [f"{more} more"] if more > 0 else []
        return [*lines, *(["; ".join(at_work)] if at_work else [])]

    def _builds(self) -> list[dict[str, Any]]:
        """Return the builds that may have changed since the last call, in order.

        Not all since the start: a service runs for months, and the properties of each build are a
        query of Buildbot's own.
        """
        least = max(self.since, self._newest + 1 - _REACH)
        known = sorted(number for number in self._open if number < least)
        asked: list[dict[str, Any]] = [{"buildid": known}] if known else []
        asked.append({"buildid__ge": least})
        builds = [
            build
            for which in asked
            for build in self.web.get("/builds", order="buildid", property=_PROPERTIES, **which)
        ]
        builds = [
            {**b, "complete": False} if b["complete"] and b["complete_at"] >= self._before else b
            for b in builds
        ]
        self._newest = max([self._newest, *(int(build["buildid"]) for build in builds)])
        self._open = {build["buildid"] for build in builds if not build["complete"]}
        return builds

    def _ask_since(self, builds: list[dict[str, Any]]) -> None:
        """Note when the night that goes on was asked for; starts that repeat it change nothing."""
        nights = [b for b in builds if self.builders.get(b["builderid"]) == "nightly"]
        request = next((b["buildrequestid"] for b in nights if not b["complete"]), None)
        if request is None:
            self._asked = self.night_asked_at = None
        elif request != self._asked:
            self._asked = request
            [asked] = self.web.get(f"/buildrequests/{request}")
            self.night_asked_at = int(asked["submitted_at"])

    def _lines(self, builds: list[dict[str, Any]]) -> list[tuple[float, str]]:
        events: list[tuple[int, int, _Event]] = []
        news: list[tuple[float, str]] = []
        self.working = []
        if self.course is not None:
            self.course.rerun = self.course.reruns = 0
        for build in builds:
            number = build["buildid"]
            if number in self._over:
                continue
            self._begin(build)
            for step in self.web.get(f"/builds/{number}/steps"):
                events += self._step(build, step)
                if step["locks_acquired_at"] and not step["complete"]:
                    self._work(build, step)
                    self._rerun(build, step)
                    news += self._news(step) if step["name"] in _LONG else ()
            if build["complete"]:
                self._over.add(number)
                events.append((build["complete_at"], number, ("over", build, build)))
        events.sort(key=lambda event: event[:2])
        if self.course is not None:
            self.course.working = self.working
        lines = [(at, line) for at, _number, event in events for line in self._tell(event)]
        # What was written to Buildbot's database late is told late, at the time of this look.
        said = []
        for at, line in [*lines, *news]:
            self._shown = max(self._shown, at)
            said.append((self._shown, line))
        return said

    def _work(self, build: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        """Note a step at work."""
        if step["name"] in WORDS and step["state_string"] not in _UNNAMED:
            self.working.append(
                Working(
                    name=step["name"],
                    text=step["state_string"],
                    begun=step["locks_acquired_at"],
                    ours=property_of(build, "purpose") not in _BESIDE,
                )
            )

    def _rerun(self, build: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        """Count the rerun boots of a night's step that makes them."""
        if self.course is None or build["buildid"] != self._night:
            return
        if _RERUNS.fullmatch(step["name"]) and (counted := _OF.search(step["state_string"])):
            self.course.rerun, self.course.reruns = int(counted[1]), int(counted[2])
            self._booted |= self._suspected

    def _suspect(self) -> None:
        """Count the suspicions of the night that goes on, once it has compared anew."""
        if self.course is None or not (self._compared_anew or self.course.reruns):
            return
        if self._compared_anew:
            [night] = self.web.get(
                "/builds", buildid=[self._night], property=["findings", "reported"]
            )
            _comparisons, reported = property_of(night, "reported") or (0, 0)
            findings = (property_of(night, "findings") or ())[reported:]
            left = confirmation.still_open(findings)
            self._suspected |= left
            self._left = left
            self._compared_anew = False
        self.course.raised = len(self._suspected)
        self.course.suspicions = len(self._left)
        self.course.unbooted = len(self._left - self._booted)

    def _begin(self, build: Mapping[str, Any]) -> None:
        """Take the forecast of a night that has begun."""
        document = property_of(build, "forecast")
        if document is not None and build["buildid"] > self._night:
            self._night = build["buildid"]
            self.course = Course(forecast=Forecast.of_document(document))
            self._expected = Expectation(self.course)
            self._suspected, self._booted, self._left = set(), set(), set()

    def _news(self, step: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
        """Yield the last line of a working step's log, if it is a new one."""
        for log in self.web.get(f"/steps/{step['stepid']}/logs"):
            last = max(0, log["num_lines"] - 1)
            for chunk in self.web.get(f"/logs/{log['logid']}/contents", offset=last, limit=1):
                # A line begins with the name of its stream; the commands add the time of day.
                match = _NEWS.match(chunk["content"])
                if match and (step["stepid"], match[1]) not in self._said:
                    self._said.add((step["stepid"], match[1]))
                    yield time.time(), f"  {step['state_string']}: {match[1]}"

    def _reports(self, builds: list[dict[str, Any]]) -> Iterator[Written]:
        """Yield each report of nights, once."""
        for build in builds:
            builder = self.builders.get(build["builderid"])
            if builder not in _WHOLES:
                continue
            names = {
                "early_report": "the first report",
                "report": "the night's report" if builder == "nightly" else "the report",
                "proof_report": "the report on the self-proof",
            }
            for name, title in names.items():
                path = property_of(build, name)
                if path is None or (build["buildid"], name) in self._said:
                    continue
                self._said.add((build["buildid"], name))
                yield Written(
                    request=build["buildrequestid"],
                    path=Path(path),
                    name=title,
                    more={
                        "early_report": "the rest of the night",
                        "report": "the self-proof" if property_of(build, PROOF_KERNELS) else None,
                    }.get(name),
                )

    def _nights(self, builds: list[dict[str, Any]]) -> Iterator[Night]:
        """Yield each night of these builds that has ended, once."""
        for build in builds:
            number, whole = build["buildid"], self.builders.get(build["builderid"]) in _WHOLES
            if not whole or not build["complete"] or build["results"] == RETRY:
                continue
            if number not in self._over:
                self._ended = number
                report = property_of(build, "proof_report") or property_of(build, "report")
                yield Night(
                    request=build["buildrequestid"],
                    results=build["results"],
                    report=None if report is None else Path(report),
                    notes=tuple(property_of(build, "notes") or ()),
                )

    def _step(
        self, build: Mapping[str, Any], step: Mapping[str, Any]
    ) -> Iterator[tuple[int, int, _Event]]:
        """Yield when a step began to work and when it ended, each once."""
        number = build["buildid"]
        begun = step.get("locks_acquired_at")
        for at, what in ((begun, "begun"), (step["complete_at"], "ended")):
            if what == "begun" and step["state_string"] in _UNNAMED:
                continue
            if at is None or at >= self._before:
                continue
            if (number, f"{step['number']} {what}") in self._said:
                continue
            self._said.add((number, f"{step['number']} {what}"))
            yield at, number, (what, step, build)

    def _tell(self, event: _Event) -> Iterator[str]:
        """Yield the line that an event is worth, if any."""
        what, subject, build = event
        if what == "over":
            self._count(subject)
            return
        name, text = subject["name"], subject["state_string"]
        purpose = property_of(build, "purpose")
        ours = purpose not in _BESIDE  # the night's, not a push's beside it
        if what == "begun":
            # A boot has one line, at its end; a build takes minutes.
            if name == "build" and not subject["complete"]:
                yield f"{WORDS[name]} {text}"
            return
        if subject["results"] == SKIPPED:
            return
        if _WAITING.fullmatch(name):
            # Such a step repeats its children, but for a gate that has closed.
            if "not started" in text:
                if ours and self.course is not None:
                    self.course.dropped += self._planned(build) - 1
                yield f"{text}{self._counted() if ours else ''}"
            return
        if ours:
            self._measure(subject)
        word = {FAILURE: "FAILED ", EXCEPTION: "BROKEN ", RETRY: "AGAIN "}.get(
            subject["results"], ""
        )
        whole = self.builders.get(build["builderid"])
        if name.startswith(_JUDGES) and build["buildid"] == self._night and whole == "nightly":
            self._compared_anew = True
        if name == "estimate":
            yield f"the night: {text}"
        elif name.startswith("compare") and not word:
            yield from self._compared(subject)
        elif word or name in (*WORDS, *_BOOTS, "verdict"):
            reused = bool(property_of(build, "reused"))
            stand = self._stand(name, subject["results"], purpose) if ours and not reused else ""
            yield f"{word}{text}{stand}"

    def _compared(self, step: Mapping[str, Any]) -> Iterator[str]:
        """Yield kernels and board of a comparison, its result, and the address of its page."""
        subject, _, answer = step["state_string"].partition(": ")
        yield f"compared {subject}"
        yield from (f"  {line}" for line in (answer, *(u["url"] for u in step.get("urls") or ())))

    def _clock(self, at: float) -> str:
        minutes, seconds = divmod(max(0, int(at - self.started)), 60)
        return f"[{minutes:02d}:{seconds:02d}]"

    def _measure(self, step: Mapping[str, Any]) -> None:
        begun = step.get("locks_acquired_at") or step["started_at"]
        if not begun or not step["complete_at"] or step["results"] not in (SUCCESS, WARNINGS):
            return
        seconds = step["complete_at"] - begun
        if seconds >= _REUSED_S and self.course is not None:
            course = self.course
            {"build": course.build_s, "run": course.run_s}.get(step["name"], []).append(seconds)

    def _count(self, build: Mapping[str, Any]) -> None:
        """Take off the runs that a kernel will not have, as it did not build."""
        kernel = self.builders.get(build["builderid"]) == "kernel"
        if build["results"] == RETRY or not kernel or property_of(build, "purpose") in _BESIDE:
            return
        if self.course is None or property_of(build, "gate") == "closed":
            return
        if property_of(build, "outcome") != "complete":
            self.course.dropped += self._planned(build)

    def _planned(self, build: Mapping[str, Any]) -> int:
        return self.course.forecast.runs_of.get(property_of(build, "key"), 0) if self.course else 0

    def _stand(self, name: str, results: int, purpose: str | None) -> str:
        """Count what ended; after a run say how far the night is."""
        if results == RETRY or self.course is None:
            return ""
        self.course.built += name == "build"
        # A night's forecast has no rerun boots: the step that makes them counts them.
        self.course.run += name in _BOOTS and purpose != Purpose.CONFIRM
        return self._counted() if name in _BOOTS else ""

    def _counted(self) -> str:
        return "" if self.course is None else f" ({self.course.text})"


def property_of(build: Mapping[str, Any], name: str) -> Any:
    """Return a property of a build or request as Buildbot's interface gives it, or None."""
    return (build.get("properties") or {}).get(name, (None, None))[0]
