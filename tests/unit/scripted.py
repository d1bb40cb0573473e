# SPDX-License-Identifier: GPL-2.0-only
"""Builds that a script tells, step by step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from attrs import define, field

from vlag.buildbot import SUCCESS, Web
from vlag.pipeline.forecast import Forecast

NIGHTLY, KERNEL, RUN = 1, 2, 3

FORECAST = Forecast(
    kernels_to_build=0,
    kernels_reused=0,
    runs_to_do=3,
    runs_reused=0,
    build_s=60,
    measured=False,
    run_s=180,
    slots=1,
    runs_of={"k": 3},
)


def step(
    number: int, name: str, text: str, at: int | None, results: int = SUCCESS
) -> dict[str, Any]:
    return {
        "stepid": number,
        "number": number,
        "name": name,
        "state_string": text,
        "locks_acquired_at": 1,
        "started_at": 1,
        "complete_at": at,
        "complete": at is not None,
        "results": results,
    }


def build(number: int, builder: int, at: int | None, **properties: Any) -> dict[str, Any]:
    return {
        "buildid": number,
        "builderid": builder,
        "buildrequestid": number,
        "complete_at": at,
        "complete": at is not None,
        "results": SUCCESS,
        "properties": {name: [value, "test"] for name, value in properties.items()},
    }


@define(slots=False)
class Scripted(Web):
    """Answers from tables that `after` changes once a path has been asked for."""

    builds: dict[int, dict[str, Any]] = field(factory=dict)
    steps: dict[int, list[dict[str, Any]]] = field(factory=dict)
    after: dict[str, Callable[[], None]] = field(factory=dict)
    given: list[int] = field(factory=list)  # builds, at each question

    def get(self, path: str, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]]
        match path.strip("/").split("/"):
            case ["builders"]:
                names = {NIGHTLY: "nightly", KERNEL: "kernel", RUN: "run"}
                found = [{"builderid": number, "name": name} for number, name in names.items()]
            case ["builds"]:
                wanted = query.get("buildid", self.builds)
                least = query.get("buildid__ge", 0)
                found = [b for n, b in sorted(self.builds.items()) if n in wanted and n >= least]
                self.given += [b["buildid"] for b in found]
            case ["buildrequests", number]:
                found = [{"buildrequestid": int(number), "submitted_at": 1}]
            case ["builds", number, "steps"]:
                found = self.steps.get(int(number), [])
            case _:
                found = []
        found = list(found)
        self.after.pop(path, lambda: None)()
        return found


def a_night() -> Scripted:
    """Return a night with three runs, of which the last is at work."""
    web = Scripted()
    web.builds = {
        1: build(1, NIGHTLY, None, forecast=FORECAST.document(datetime.now(UTC))),
        2: build(2, KERNEL, None, key="k"),
        **{n: build(n, RUN, n) for n in (3, 4)},
        5: build(5, RUN, None),
    }
    web.steps = {n: [step(1, "run", f"run {n}", n)] for n in (3, 4)}
    web.steps[5] = [step(1, "run", "run 5", None)]
    return web
