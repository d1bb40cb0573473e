# SPDX-License-Identifier: GPL-2.0-only
"""What the service says of a night, where Buildbot answers between two changes."""

from __future__ import annotations

from datetime import UTC, datetime

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
