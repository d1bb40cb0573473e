# SPDX-License-Identifier: GPL-2.0-only
"""The end of a night moves by more than a quarter of what is left only with a reason."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from attrs import evolve

from tests.unit.course_forecast import FORECAST
from vlag.operate.service import course as module
from vlag.operate.service.course import Course, Working
from vlag.operate.service.expectation import QUIET, Expectation


class Clock:
    """The time that estimates are made at."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def time(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def at_work(clock: Clock, name: str, since_s: float) -> Working:
    return Working(name=name, text="linux-6.12", begun=clock.at - since_s)


def test_suspicions_that_are_added_are_the_reason(clock: Clock) -> None:
    course = Course(forecast=FORECAST, working=[at_work(clock, "run", 10)])
    expected = Expectation(course)
    assert expected.look(clock.at) is None
    course.raised = course.suspicions = course.unbooted = 3
    assert expected.look(clock.at) == "25 -> 40 min left: 3 suspicions were added"
    assert expected.look(clock.at) is None
    # Their boots, once their number is known, are no other reason.
    course.unbooted, course.reruns = 0, 30
    assert expected.look(clock.at) is None
    course.reruns = 60
    assert expected.look(clock.at) == "40 -> 55 min left: what is suspected needs more boots"


def test_builds_and_boots_that_take_longer_are_the_reason(clock: Clock) -> None:
    course = Course(forecast=FORECAST)
    expected = Expectation(course)
    expected.look(clock.at)
    course.build_s = [600.0]
    assert expected.look(clock.at) == "25 -> 40 min left: a kernel's build takes 10 min, not 5 min"
    course.run_s = [240.0]
    assert expected.look(clock.at) == "40 -> 70 min left: a boot takes 4 min, not 60 s"
    # What comes sooner needs no reason, and what comes back from there does.
    course.run_s = [30.0]
    assert expected.look(clock.at) is None
    course.run_s = [120.0]
    assert expected.look(clock.at) == "35 -> 50 min left: a boot takes 2 min, not 30 s"


def test_what_goes_on_and_on_is_said_each_time_it_has_doubled(clock: Clock) -> None:
    course = Course(forecast=evolve(FORECAST, kernels_to_build=0, runs_to_do=2, run_s=120))
    course.run = 1
    course.working = [at_work(clock, "run", 0)]
    expected = Expectation(course)
    said = []
    for _ in range(3600):
        if line := expected.look(clock.at):
            said.append(line)
        clock.at += 1
    found = [re.fullmatch(r"1 -> 1 min left: (.*) goes on for (\d+) (s|min)", x) for x in said]
    assert 3 <= len(said) <= 6, said
    assert {m[1] for m in found if m} == {"booting and measuring linux-6.12"}
    # Negative control: nothing at work is another matter.
    course.working = []
    for _ in range(400):
        if line := expected.look(clock.at):
            said.append(line)
        clock.at += 1
    assert said[-1].endswith("nothing is built or booted")


@pytest.mark.parametrize("seed", range(20))
def test_no_jump_of_more_than_a_quarter_is_without_a_line(clock: Clock, seed: int) -> None:
    """Whatever happens in a night, who reads the line has the reason for what the block shows."""
    chance = random.Random(seed)
    course = Course(forecast=FORECAST)
    expected = Expectation(course)
    shown: list[tuple[float, float, bool]] = []  # end, left, said
    for _ in range(300):
        what = chance.randrange(6)
        if what == 0 and course.run < course.runs:
            course.run += 1
            course.run_s.append(chance.uniform(20, 300))
        elif what == 1 and course.built < 3:
            course.built += 1
            course.build_s.append(chance.uniform(60, 1200))
        elif what == 2:
            course.raised += 1
            course.unbooted += 1
        elif what == 3 and course.unbooted:
            course.unbooted -= 1
        course.working = [at_work(clock, "run", 1)]
        said = expected.look(clock.at)
        shown.append((clock.at + course.left_s, course.left_s, said is not None))
        clock.at += chance.uniform(1, 20)
    for (before, left_s, _), (after, _, is_said) in itertools.pairwise(shown):
        if after - before > max(60.0, QUIET * left_s):
            assert is_said
    assert any(is_said for _, _, is_said in shown)
