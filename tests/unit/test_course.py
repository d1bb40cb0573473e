# SPDX-License-Identifier: GPL-2.0-only
"""The estimate of a night: it learns, and it counts what is at work."""

from __future__ import annotations

import time

from attrs import evolve

from tests.unit.course_forecast import FORECAST
from vlag.operate.service.course import Course, Working


def working(name: str, since_s: float, *, ours: bool = True) -> Working:
    return Working(name=name, text="linux-6.12", begun=time.time() - since_s, ours=ours)


def minutes(course: Course) -> float:
    return round(course.left_s / 60, 1)


def test_it_begins_with_the_forecast() -> None:
    assert minutes(Course(forecast=FORECAST)) == 25.0  # 3 x 5 min, 20 x 1 min on two boards
    assert Course(forecast=FORECAST).text == "0 of 20 runs, about 25 min left"


def test_durations_of_this_night_replace_a_guess() -> None:
    assert minutes(Course(forecast=FORECAST, built=1, build_s=[60.0])) == 12.0
    assert minutes(Course(forecast=FORECAST, run=10, run_s=[120.0] * 10)) == 25.0


def test_the_time_goes_down_while_a_build_goes_on() -> None:
    course = Course(forecast=FORECAST, working=[working("build", 240)])
    assert minutes(course) == 21.0
    # A push beside the night takes nothing off it.
    course.working = [working("build", 240, ours=False)]
    assert minutes(course) == 25.0
    course.working = [working("run", 30), working("run", 60)]
    assert minutes(course) == 24.2


def test_a_build_that_takes_longer_than_the_guess_makes_the_others_longer() -> None:
    course = Course(forecast=FORECAST, working=[working("build", 900)])
    assert minutes(course) == 40.0  # two more of 15 min, and the runs


def test_nothing_is_left_at_the_end() -> None:
    course = Course(forecast=FORECAST, built=3, run=18, dropped=2)
    assert course.left_s == 0
    assert course.text == "18 of 18 runs"


#: Of the three kernels and twenty runs, two and twelve are the self-proof's.
PROVING = evolve(FORECAST, proof_kernels=2, proof_runs=12)


def test_the_report_comes_before_the_proof_and_its_time_learns_too() -> None:
    course = Course(forecast=PROVING)
    assert course.text == "0 of 20 runs, about 25 min left, report in 9"  # 5 + 8 / 2 min
    # Builds and runs of this night take half as long: both times are renewed.
    course = Course(forecast=PROVING, built=1, build_s=[150.0], run=2, run_s=[30.0, 30.0])
    assert course.text == "2 of 20 runs, about 10 min left, report in 2"  # 6 x 0.5 / 2 min
    course.run = 8
    assert course.text == "8 of 20 runs, about 8 min left"


def test_without_a_proof_the_report_is_the_end() -> None:
    assert "report" not in Course(forecast=FORECAST).text


def test_rerun_boots_are_counted_beside_the_planned_runs() -> None:
    course = Course(forecast=FORECAST, built=3, run=10, run_s=[60.0])
    assert course.text == "10 of 20 runs, about 5 min left"
    course.rerun, course.reruns = 4, 24
    assert course.text == "10 of 20 runs, 4 of 24 rerun boots, about 15 min left"
    course.rerun = course.reruns = 0
    course.unbooted = 2  # each takes five minutes
    assert minutes(course) == 15.0


def test_boards_that_need_longest_decide() -> None:
    """One board type has most of the runs: the others do not shorten the night."""
    course = Course(forecast=evolve(FORECAST, busy_s={"rpi5": 1000.0, "altra": 200.0}))
    assert minutes(course) == round((900 + 1000) / 60, 1)
    course.run = 10
    assert minutes(course) == round((900 + 500) / 60, 1)
