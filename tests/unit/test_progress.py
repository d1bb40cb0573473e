# SPDX-License-Identifier: GPL-2.0-only
"""What the service says of a night, where Buildbot answers between two changes."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from attrs import evolve

from tests.unit.scripted import FORECAST, NIGHTLY, RUN, a_night, build, step
from vlag.buildbot import FAILURE, SKIPPED
from vlag.operate.service.progress import Progress


def test_what_ends_while_it_is_looked_at_is_said_before_the_night_is_over() -> None:
    web = a_night()
    progress = Progress(web=web, since=0)

    def end() -> None:
        web.builds |= {
            1: build(1, NIGHTLY, 9, forecast=FORECAST.document(datetime.now(UTC))),
            5: build(5, RUN, 5),
        }
        web.steps[5] = [step(1, "run", "run 5", 5)]

    web.after["/builds"] = end  # the last run, and the night: just after the list was given
    said, nights = progress.look()
    while not nights:
        more, nights = progress.look()
        said += more
    assert [line.split("] ", 1)[1] for line in said if "run 5" in line][-1] == "run 5 (3 of 3 runs)"
    assert [night.request for night in nights] == [1]
    assert progress.course is None
    assert progress.look() == ([], [])


def test_a_gate_that_closes_takes_off_what_is_not_started() -> None:
    web = a_night()
    del web.builds[4], web.builds[5]
    gate = "first run: panic; the other 2 runs are not started"
    web.steps[2] = [step(1, "first run", gate, 8, FAILURE)]
    said, _ = Progress(web=web, since=0).look()
    assert [line.split("] ", 1)[1] for line in said] == [
        "run 3 (1 of 3 runs, about 2 min left)",
        f"{gate} (1 of 1 runs)",
    ]


def test_the_runs_of_a_push_are_not_counted() -> None:
    web = a_night()
    web.builds[4] = build(4, RUN, 4, purpose="push")
    said, _ = Progress(web=web, since=0).look()
    counted = [line.split("] ", 1)[1] for line in said if line.endswith(")")]
    assert counted == ["run 3 (1 of 3 runs, about 1 min left)"]
    assert any(line.endswith("] run 4") for line in said)


def test_what_was_over_long_ago_is_not_asked_for_again() -> None:
    """A service runs for months; a build that goes on all the while is still seen to end."""
    web = a_night()
    progress = Progress(web=web, since=1)
    progress.look()
    for first in range(6, 1000, 50):
        web.builds |= {n: build(n, RUN, n) for n in range(first, first + 50)}
        progress.look()
    web.given.clear()
    assert progress.look() == ([], [])
    assert web.given == [1, 2, 5, *range(986, 1006)]
    web.builds[5] = build(5, RUN, 2000)
    web.steps[5] = [step(1, "run", "run 5", 2000)]
    web.builds[1] = build(1, NIGHTLY, 2001, forecast=FORECAST.document(datetime.now(UTC)))
    said, nights = progress.look()
    assert [line.split("] ", 1)[1] for line in said] == ["run 5 (3 of 3 runs)"]
    assert [night.request for night in nights] == [1]
    # What becomes visible after a younger one is seen too.
    web.builds[1007] = build(1007, RUN, None)
    progress.look()
    web.builds[1006] = build(1006, RUN, 3000)
    web.steps[1006] = [step(1, "run", "run 1006", 3000)]
    said, _ = progress.look()
    assert [line.split("] ", 1)[1] for line in said] == ["run 1006"]


def test_the_boots_of_a_lab_are_counted() -> None:
    web = a_night()
    for number in (3, 4):
        web.steps[number] = [
            step(1, "run", "skipped", 3, SKIPPED), step(2, "submit", "submitted to the lab", 3),
            step(3, "wait", "waited", 4), step(4, "collect", f"run {number}", 5),
        ]  # fmt: skip
    said, _ = Progress(web=web, since=0).look()
    counted = [line.split("] ", 1)[1] for line in said if "of 3 runs" in line]
    assert [line.partition(",")[0] for line in counted] == [
        "run 3 (1 of 3 runs", "run 4 (2 of 3 runs",
    ]  # fmt: skip


def said_of(progress: Progress) -> list[str]:
    return [line.split("] ", 1)[1] for line in progress.look()[0]]


def screen(**more: Any) -> dict[str, Any]:
    keys = {"base_key": "b", "new_key": "k", "board_type": "qemu-sim-2", "round": None}
    return {**keys, "stage": "screen", "proof": ["pipe", "switch"], **more}


def test_suspicions_take_time_which_is_said_and_their_boots_are_no_planned_runs() -> None:
    web = a_night()
    forecast = evolve(FORECAST, suspicion_s=600.0).document(datetime.now(UTC))
    web.builds[1] = build(1, NIGHTLY, None, forecast=forecast)
    progress = Progress(web=web, since=0)
    progress.look()
    assert progress.present[0].startswith("2 of 3 runs, about 1 min left; until ")
    compared = step(1, "compare k", "a to k on qemu-sim-2: REGRESSION: pipe", 6)
    web.steps[1] = [compared]
    web.builds[1] = build(1, NIGHTLY, None, forecast=forecast, findings=[screen()])
    assert said_of(progress) == [
        "compared a to k on qemu-sim-2", "  REGRESSION: pipe",
        "1 -> 20 min left: 2 suspicions were added",
    ]  # fmt: skip
    assert progress.present[0].endswith("; 2 suspicions open")
    # Their boots are at work: they are counted by themselves.
    web.steps[1] = [compared, step(2, "confirm", "rerun boots: 1 of 8", None)]
    web.builds[6] = build(6, RUN, 7, purpose="confirm")
    web.steps[6] = [step(1, "run", "run 6", 7)]
    [line] = said_of(progress)
    assert line.startswith("run 6 (2 of 3 runs, 1 of 8 rerun boots, about ")
    # One is confirmed, and the other one is left open by its boots.
    again = step(3, "compare k 2", "a to k on qemu-sim-2: REGRESSION: pipe; suspected: switch", 9)
    web.steps[1] = [compared, step(2, "confirm", "rerun boots: 8 successful", 8), again]
    found = screen(stage="confirm", round=1, benchmarks=["pipe", "switch"], open=["switch"])
    web.builds[1] = build(1, NIGHTLY, None, forecast=forecast, findings=[screen(), found])
    said_of(progress)
    assert progress.present[0].endswith("; 1 suspicion open")
    assert progress.course is not None
    assert progress.course.unbooted == 0
    # Negative control: what a report has told already is settled.
    web.steps[1].append(step(4, "report", "report: written", 10))
    web.builds[1] = build(
        1, NIGHTLY, None, forecast=forecast, findings=[screen(), found], reported=[2, 2]
    )
    said_of(progress)
    assert "suspicion" not in progress.present[0]


def test_a_boot_has_one_line_and_lines_are_in_the_order_of_time() -> None:
    web = a_night()
    progress = Progress(web=web, since=0)
    now = int(time.time())
    # It ends in the second of the look: another may end in it, and be seen later.
    web.builds[5] = build(5, RUN, now + 3600)
    web.steps[5] = [step(1, "run", "run 5", now + 3600)]
    first = said_of(progress)
    assert first == [
        "run 3 (1 of 3 runs, about 2 min left)",
        "run 4 (2 of 3 runs, about 1 min left)",
    ]
    assert said_of(progress) == []
    web.builds[5] = build(5, RUN, 20)
    web.steps[5] = [step(1, "run", "run 5", 20)]
    web.builds[6] = build(6, RUN, 15)
    web.steps[6] = [step(1, "run", "run 6", 15)]
    assert [line.split(" (")[0] for line in said_of(progress)] == ["run 6", "run 5"]
    # Buildbot's database had it late: its time is that of the look, not before what is told.
    web.builds[7] = build(7, RUN, 18)
    web.steps[7] = [step(1, "run", "run 7", 18)]
    progress.look()
    times = [at for at, _line in progress.kept]
    assert times == sorted(times)
    assert len(times) == 5  # a line for each boot


def test_when_the_night_that_goes_on_was_asked_for() -> None:
    web = a_night()
    progress = Progress(web=web, since=0)
    progress.look()
    assert progress.night_asked_at == 1
    web.builds[1] = build(1, NIGHTLY, 9, forecast=FORECAST.document(datetime.now(UTC)))
    progress.look()
    assert progress.night_asked_at is None
