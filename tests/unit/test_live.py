# SPDX-License-Identifier: GPL-2.0-only
"""What runs now, from a master's answers and without any."""

from __future__ import annotations

import datetime
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.scripted import KERNEL, NIGHTLY, RUN, Scripted, a_night, build, step
from tests.waiting import until
from vlag import ROOT, config
from vlag.buildbot import Web
from vlag.errors import InfrastructureError
from vlag.operate.service import live
from vlag.operate.service.live import Live, Watcher, current, next_night

DUE = datetime.datetime(2026, 3, 6, 1, 30, tzinfo=datetime.UTC)


class Master(Scripted):
    """Answers also which builds run and which requests wait."""

    def get(self, path: str, **query: Any) -> list[dict[str, Any]]:
        if path == "/buildrequests":
            waits = {"builderid": RUN, "properties": {"label": ["linux-6.12 next", "test"]}}
            return [waits]
        found = super().get(path, **query)
        if "builderid" in query:
            found = [b for b in found if b["builderid"] == query["builderid"]][: query["limit"]]
        if path == "/builds" and query.get("complete") == "false":
            found = [{**b, "number": 7} for b in found if not b["complete"]]
        return found


def master() -> Master:
    night, made = a_night(), Master()
    made.builds, made.steps = night.builds, night.steps
    return made


def test_a_night_that_goes_on() -> None:
    web = master()
    found, progress = current(web, DUE, None)
    assert found.what == "The night"
    assert found.url == f"buildbot/#/builders/{NIGHTLY}/builds/7"
    assert found.now == ("booting and measuring run 5",)
    assert (found.done, found.runs) == (2, 3)
    assert found.course == "2 of 3 runs, about 1 min left"  # the last takes its time
    assert found.next == "linux-6.12 next"
    assert [text for _at, text in found.lines] == [
        "run 3 (1 of 3 runs, about 1 min left)",
        "run 4 (2 of 3 runs, about 1 min left)",
    ]
    # The next look goes on where this one ended, and says nothing twice.
    again, same = current(web, DUE, progress)
    assert same is progress
    assert again.lines == found.lines


def test_nothing_runs() -> None:
    web = master()
    for one in web.builds.values():
        one["complete"] = True
    found, progress = current(web, DUE, None)
    assert (found.what, found.due, found.now, found.course) == (None, DUE, (), None)
    assert progress is None
    assert not found.first
    web.builds = {b["buildid"]: b for b in web.builds.values() if b["builderid"] != NIGHTLY}
    assert current(web, DUE, None)[0].first  # a first look or a push is no night


def test_a_night_without_a_build_or_a_boot_says_its_own_step() -> None:
    web = master()
    web.builds = {1: build(1, NIGHTLY, None), 2: build(2, KERNEL, 2)}
    web.steps = {1: [step(1, "watch", "histories", None)], 2: []}
    found, _ = current(web, DUE, None)
    assert (found.now, found.runs, found.course) == (("histories",), 0, None)


def idle() -> Live:
    return Live(due=DUE)


def test_many_pages_ask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def answer(*_: Any) -> tuple[Live, None]:
        asked.append(1)
        return idle(), None

    monkeypatch.setattr(live, "current", answer)
    watcher = Watcher(Web(1), lambda: DUE)
    assert [watcher() for _ in range(20)] == [idle()] * 20
    assert len(asked) == 1


def test_a_master_that_does_not_answer_costs_a_page_little_and_is_unknown() -> None:
    watcher = Watcher(Web(1), lambda: DUE)  # nothing listens there
    begun = time.monotonic()
    assert watcher() is None
    assert time.monotonic() - begun < 5


def test_no_page_waits_for_a_slow_master(monkeypatch: pytest.MonkeyPatch) -> None:
    go, done = threading.Event(), threading.Event()

    def answer(*_: Any) -> tuple[Live, None]:
        go.wait(60)
        done.set()
        return idle(), None

    monkeypatch.setattr(live, "current", answer)
    watcher = Watcher(Web(1), lambda: DUE)
    assert watcher() is None
    assert not done.is_set()
    go.set()
    assert done.wait(60)
    until(lambda: watcher() is not None)
    assert watcher() == idle()


def test_a_fault_of_the_master_forgets_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise InfrastructureError("away")

    monkeypatch.setattr(live, "FRESH_S", 0.0)
    monkeypatch.setattr(live, "PATIENCE_S", 60)
    monkeypatch.setattr(live, "current", lambda *_: (idle(), None))
    watcher = Watcher(Web(1), lambda: DUE)
    assert watcher() == idle()
    monkeypatch.setattr(live, "current", fails)
    assert watcher() is None


def test_the_next_night_is_in_the_masters_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    settings = config.load(tmp_path / "vlag.toml")
    assert (settings.nightly_hour, settings.nightly_minute) == (1, 30)
    try:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
        before = datetime.datetime(2026, 3, 5, 1, 29, tzinfo=datetime.UTC)
        assert next_night(settings, before) == before.replace(minute=30)
        assert next_night(settings, before.replace(minute=30)) == DUE
        monkeypatch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        assert next_night(settings, before).isoformat() == "2026-03-06T00:30:00+00:00"
    finally:
        monkeypatch.undo()
        time.tzset()
