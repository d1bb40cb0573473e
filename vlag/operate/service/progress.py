"""What the service says while a night goes on: asked of Buildbot's REST interface."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from vlag.buildbot import EXCEPTION, FAILURE, RETRY, SKIPPED, SUCCESS, WARNINGS, Web
from vlag.pipeline.forecast import Forecast

#: A stage that is younger was reused: its duration says nothing of the next one.
_REUSED_S = 5

#: Steps that are told when they begin, with what they do.
_TOLD = {"build": "building", "run": "booting and measuring"}
#: Steps that take minutes: what they say of themselves is passed on.
_LONG = {"build"}
_NEWS = re.compile(r"e\d\d:\d\d:\d\d (\S.*)")
#: Steps that only wait for others: what went wrong below them was told there.
_WAITING = re.compile(r"first run|runs|kernels|confirm( \d+)?")


#: Lane of builds that a push asked for.
PUSH = "push"

#: Properties of a build that say where the night stands.
_PROPERTIES = ["outcome", "gate", "purpose", "key", "forecast", "reused", "report", "notes"]

#: What a step is called between its start and the first words of its own.
_UNNAMED = {"pending", "acquiring locks", "waiting for locks"}

#: "begun" or "ended", a step and its build; "over", a build and itself.
_Event = tuple[str, Mapping[str, Any], Mapping[str, Any]]


@frozen(kw_only=True)
class Night:
    """A night that has ended."""

    request: int
    results: int
    report: Path | None
    notes: tuple[str, ...]  # how large it was and how long it took


@define
class Progress:
    """Turns what Buildbot knows into lines, each said once."""

    web: Web
    since: int  # builds of a lower id are history
    started: float = field(factory=time.monotonic)
    builders: dict[int, str] = field(factory=dict)
    forecast: Forecast | None = None  # of the night that goes on, once it has one
    _night: int = 0  # build of that night
    _ended: int = 0  # build of the last night that has ended
    _said: set[tuple[int, str]] = field(factory=set)
    _over: set[int] = field(factory=set)
    _build_s: list[float] = field(factory=list)  # of this night
    _run_s: list[float] = field(factory=list)
    _run: int = 0
    _dropped: int = 0

    def look(self) -> tuple[list[str], list[Night]]:
        """Return what has changed since the last call, and the nights that ended since.

        Lines come in the order of what they tell; those of a night that has ended
        are all among them: its steps are asked for after its end.
        """
        if not self.builders:
            self.builders = {b["builderid"]: b["name"] for b in self.web.get("/builders")}
        builds = self.web.get(
            "/builds", buildid__ge=self.since, order="buildid", property=_PROPERTIES
        )
        ended = list(self._nights(builds))
        lines = self._lines(builds)
        if self._night <= self._ended:
            self.forecast = None
        return lines, ended

    def _lines(self, builds: list[dict[str, Any]]) -> list[str]:
        events: list[tuple[int, int, _Event]] = []
        news: list[str] = []
        for build in builds:
            number = build["buildid"]
            if number in self._over:
                continue
            self._begin(build)
            for step in self.web.get(f"/builds/{number}/steps"):
                events += self._step(build, step)
                if step["name"] in _LONG and step["locks_acquired_at"] and not step["complete"]:
                    news += self._news(step)
            if build["complete"]:
                self._over.add(number)
                events.append((build["complete_at"], number, ("over", build, build)))
        events.sort(key=lambda event: event[:2])
        return [line for _at, _number, event in events for line in self._tell(event)] + news

    def _begin(self, build: Mapping[str, Any]) -> None:
        """Take the forecast of a night that has begun."""
        document = _property(build, "forecast")
        if document is not None and build["buildid"] > self._night:
            self._night = build["buildid"]
            self.forecast = Forecast.of_document(document)
            self._build_s, self._run_s = [], []
            self._run = self._dropped = 0

    def _news(self, step: Mapping[str, Any]) -> Iterator[str]:
        """Yield the last line of a working step's log, if it is a new one."""
        for log in self.web.get(f"/steps/{step['stepid']}/logs"):
            last = max(0, log["num_lines"] - 1)
            for chunk in self.web.get(f"/logs/{log['logid']}/contents", offset=last, limit=1):
                # A line begins with the name of its stream; the commands add the time of day.
                match = _NEWS.match(chunk["content"])
                if match and (step["stepid"], match[1]) not in self._said:
                    self._said.add((step["stepid"], match[1]))
                    yield f"{self._clock()}   {step['state_string']}: {match[1]}"

    def _nights(self, builds: list[dict[str, Any]]) -> Iterator[Night]:
        """Yield each night of these builds that has ended, once."""
        for build in builds:
            number, nightly = build["buildid"], self.builders.get(build["builderid"]) == "nightly"
            if not nightly or not build["complete"] or build["results"] == RETRY:
                continue
            if number not in self._over:
                self._ended = number
                report = _property(build, "report")
                yield Night(
                    request=build["buildrequestid"],
                    results=build["results"],
                    report=None if report is None else Path(report),
                    notes=tuple(_property(build, "notes") or ()),
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
            if at is None or (number, f"{step['number']} {what}") in self._said:
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
        ours = _property(build, "purpose") != PUSH  # the night's, not a push's beside it
        if what == "begun":
            if name in _TOLD and not subject["complete"]:
                yield f"{self._clock()} {_TOLD[name]} {text}"
            return
        if subject["results"] == SKIPPED:
            return
        if _WAITING.fullmatch(name):
            # Such a step repeats its children, but for a gate that has closed.
            if "not started" in text:
                if ours:
                    self._dropped += self._planned(build) - 1
                yield f"{self._clock()} {text}{self._counted() if ours else ''}"
            return
        if ours:
            self._measure(subject)
        word = {FAILURE: "FAILED ", EXCEPTION: "BROKEN ", RETRY: "AGAIN "}.get(
            subject["results"], ""
        )
        if name == "estimate":
            yield f"{self._clock()} the night: {text}"
        elif word or name in _TOLD or name == "verdict" or name.startswith("compare"):
            reused = bool(_property(build, "reused"))
            stand = self._stand(name, subject["results"], reused) if ours else ""
            yield f"{self._clock()} {word}{text}{stand}"

    def _clock(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        return f"[{minutes:02d}:{seconds:02d}]"

    def _measure(self, step: Mapping[str, Any]) -> None:
        begun = step.get("locks_acquired_at") or step["started_at"]
        if not begun or not step["complete_at"] or step["results"] not in (SUCCESS, WARNINGS):
            return
        seconds = step["complete_at"] - begun
        if seconds >= _REUSED_S:
            {"build": self._build_s, "run": self._run_s}.get(step["name"], []).append(seconds)

    def _count(self, build: Mapping[str, Any]) -> None:
        """Take off the runs that a kernel will not have, as it did not build."""
        kernel = self.builders.get(build["builderid"]) == "kernel"
        if build["results"] == RETRY or not kernel or _property(build, "purpose") == PUSH:
            return
        if _property(build, "gate") != "closed" and _property(build, "outcome") != "complete":
            self._dropped += self._planned(build)

    def _planned(self, build: Mapping[str, Any]) -> int:
        return self.forecast.runs_of.get(_property(build, "key"), 0) if self.forecast else 0

    def _stand(self, name: str, results: int, reused: bool) -> str:
        """Count a run that ended and say how far the night is."""
        if results == RETRY or name != "run" or reused:
            return ""
        self._run += 1
        return self._counted()

    def _counted(self) -> str:
        f = self.forecast
        if f is None:
            return ""
        runs = max(self._run, f.runs_to_do - self._dropped)
        runs_left = runs - self._run
        builds_left = max(0, f.kernels_to_build - len(self._build_s))
        left_s = runs_left * _mean(self._run_s, f.each_run_s) / f.lanes
        left_s += builds_left * _mean(self._build_s, f.build_s)
        left = f", about {max(1, round(left_s / 60))} min left" if left_s else ""
        return f" ({self._run} of {runs} runs{left})"


def _mean(measured: list[float], otherwise: float) -> float:
    return sum(measured) / len(measured) if measured else otherwise


def _property(build: Mapping[str, Any], name: str) -> Any:
    return (build.get("properties") or {}).get(name, (None, None))[0]
