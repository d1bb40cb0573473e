# SPDX-License-Identifier: GPL-2.0-only
"""Ingestion, comparison and failures, from a master's answers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from vlag.buildbot import EXCEPTION, RETRY, SKIPPED, SUCCESS, Web
from vlag.operate.service.activity import current

KERNEL, BOARD, NIGHTLY = 1, 2, 3


def step(name: str, begun: int, ended: float | None, results: int = SUCCESS) -> dict[str, Any]:
    return {
        "name": name, "started_at": begun - 100, "locks_acquired_at": begun,
        "complete_at": ended, "complete": ended is not None,
        "results": None if ended is None else results,
    }  # fmt: skip


class Master(Web):
    """Answers with builds that the test has made."""

    def __init__(self) -> None:
        super().__init__(1)
        self.ended: list[dict[str, Any]] = []
        self.running: list[dict[str, Any]] = []
        self.steps: dict[int, list[dict[str, Any]]] = {}

    def get(self, path: str, **query: Any) -> list[dict[str, Any]]:
        if path == "/builders":
            names = {KERNEL: "kernel", BOARD: "board", NIGHTLY: "nightly"}
            return [{"builderid": n, "name": name} for n, name in names.items()]
        if path == "/builds":
            wanted = query.get("results")
            ended = [b for b in self.ended if b["results"] == wanted]
            return self.running if query["complete"] == "false" else ended
        words = path.split("/")
        if words[1] == "builds":
            return self.steps[int(words[2])]
        if words[1] == "builders":
            own = [b for b in self.ended if b["builderid"] == int(words[2])]
            return sorted(own, key=lambda b: -b["complete_at"])[:1]
        return []


def build(number: int, builder: int, at: int = 0, results: int = SUCCESS) -> dict[str, Any]:
    return {"buildid": number, "builderid": builder, "complete_at": at, "results": results}


def test_the_lag_is_from_the_end_of_the_run_to_its_ingestion() -> None:
    web = Master()
    web.ended = [build(1, BOARD, 2000), build(2, BOARD, 1000), build(3, NIGHTLY, 3000)]
    web.steps[1] = [
        step("run", 0, 1, SKIPPED), step("wait", 1000, 1900), step("collect", 1900, 1940),
        step("record the run", 1950, 1960),
    ]  # fmt: skip
    web.steps[3] = [step("compare a", 2000, 2007), step("compare b", 2500, 2511),
                    step("compare c", 2600, 2600, SKIPPED)]  # fmt: skip
    found = current(web)
    assert found.lag_s == 60
    assert found.stages == {"ingest": 10, "compare": 11}


@pytest.mark.parametrize(
    ("ended", "recorded", "waits"),
    [(True, False, True), (False, False, False), (True, True, False)],
)
def test_a_run_that_ended_waits_until_it_is_recorded(
    ended: bool, recorded: bool, waits: bool
) -> None:
    web, now = Master(), time.time()
    web.running = [build(4, BOARD), build(5, KERNEL)]
    web.steps[4] = [
        step("run", 0, now - 500 if ended else None),
        step("record the run", 0, now if recorded else None),
    ]
    found = current(web)
    assert [round(s, -2) for s in found.late_s] == [500.0] * waits
    assert found.running == {"kernel": 1, "board": 1, "nightly": 0}


def test_failures_of_the_infrastructure_are_counted_where_they_happen() -> None:
    web = Master()
    web.ended = [
        build(1, BOARD, 1, EXCEPTION), build(2, KERNEL, 2, RETRY), build(3, BOARD, 3),
        build(4, NIGHTLY, 4, EXCEPTION),  # it only has one below it
    ]  # fmt: skip
    web.steps |= {3: [], 4: []}
    assert current(web).infrastructure == 2
