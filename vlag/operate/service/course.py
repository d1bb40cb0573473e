# SPDX-License-Identifier: GPL-2.0-only
"""How far a night is and how long it still takes: the one estimate of terminal and pages."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from attrs import define, field, frozen

from vlag.pipeline.forecast import Forecast

#: Steps that take minutes, with the words for what they do.
WORDS = {"build": "building", "run": "booting and measuring"}


#: Remaining seconds of a night whose last stages take longer than expected.
_LEAST_S = 60.0


@frozen(kw_only=True)
class Working:
    """A step at work."""

    name: str  # a key of WORDS
    text: str  # what it says of itself
    begun: float  # seconds since the epoch
    ours: bool = True  # belongs to the night, not to a push beside it

    @property
    def sentence(self) -> str:
        """Return what is done and to what."""
        return f"{WORDS[self.name]} {self.text}"


@define(kw_only=True)
class Course:
    """A night's forecast, and what has become of it so far."""

    forecast: Forecast
    run: int = 0  # planned runs that ended and were not reused
    built: int = 0  # builds that ended and were not reused
    dropped: int = 0  # planned runs that will not be made
    rerun: int = 0  # rerun boots of the round at work that ended
    reruns: int = 0  # rerun boots of the round at work; 0: none is at work
    suspicions: int = 0  # that are open
    raised: int = 0  # suspicions so far, the settled ones too
    unbooted: int = 0  # of the open ones, those that wait for their first rerun boots
    build_s: list[float] = field(factory=list)  # of builds of this night
    run_s: list[float] = field(factory=list)
    working: Sequence[Working] = ()

    @property
    def runs(self) -> int:
        """Return the number of planned runs, without dropped ones."""
        return max(self.run, self.forecast.runs_to_do - self.dropped)

    @property
    def each_build_s(self) -> float:
        """Return the expected seconds of a build; this night's replace those of the forecast."""
        # A build that takes longer than expected: the others will, too.
        return _mean(self.build_s, max([self.forecast.build_s, *self.spent("build")]))

    @property
    def each_run_s(self) -> float:
        """Return the expected seconds of a run; this night's replace those of the forecast."""
        return _mean(self.run_s, self.forecast.each_run_s)

    @property
    def side_by_side(self) -> float:
        """Return how many runs are made at once, on the average: one board type may need longest.

        At least 1 where nothing is known.
        """
        f = self.forecast
        return f.run_s / f.boards_s if f.boards_s else max(1, f.slots)

    @property
    def rerun_left_s(self) -> float:
        """Return the remaining seconds of rerun boots, those at work and those to come."""
        left = max(0, self.reruns - self.rerun) * self.each_run_s / self.side_by_side
        return left + self.unbooted * self.forecast.suspicion_s

    @property
    def left_s(self) -> float:
        """Return the remaining seconds; 0: all planned builds and runs have ended."""
        f = self.forecast
        return self._left_s(f.kernels_to_build, self.runs, self.rerun_left_s)

    @property
    def report_left_s(self) -> float:
        """Return the remaining seconds until the next report on the watched branches."""
        f = self.forecast
        if self.run < f.early_runs or self.built < f.early_kernels:
            return self._left_s(f.early_kernels, f.early_runs, 0.0)
        runs = max(0, self.runs - f.proof_runs)
        # Once runs of the self-proof have ended, the report is there.
        rerun_s = self.rerun_left_s if self.run <= runs else 0.0
        return self._left_s(f.kernels_to_build - f.proof_kernels, runs, rerun_s)

    def _left_s(self, kernels: int, planned: int, rerun_s: float) -> float:
        """Return the remaining seconds until so many builds and runs have ended, and the reruns."""
        builds = max(0, kernels - self.built)
        runs = max(0, planned - self.run)
        if not builds and not runs and not rerun_s:
            return 0.0
        build_s = _left(builds, self.each_build_s, self.spent("build"))
        run_s = _left(runs, self.each_run_s, self.spent("run")) / self.side_by_side
        return max(_LEAST_S, build_s + run_s + rerun_s)

    def spent(self, name: str) -> list[float]:
        """Return for how many seconds each step of the night is at work that has this name."""
        now = time.time()
        return [now - one.begun for one in self.working if one.ours and one.name == name]

    @property
    def text(self) -> str:
        """Return how far the night is: "12 of 280 runs, about 66 min left, report in 20"."""
        left_s, report_s = self.left_s, self.report_left_s
        left = f", about {minutes(left_s)} min left" if left_s else ""
        f = self.forecast
        parts = f.proof_kernels or f.proof_runs or f.early_runs
        report = f", report in {minutes(report_s)}" if report_s and parts else ""
        rerun = f", {self.rerun} of {self.reruns} rerun boots" if self.reruns else ""
        return f"{self.run} of {self.runs} runs{rerun}{left}{report}"


def minutes(seconds: float) -> int:
    """Return a remaining time in minutes, at least one."""
    return max(1, round(seconds / 60))


def _left(count: int, each_s: float, spent: Iterable[float]) -> float:
    """Return the seconds of `count` stages one after the other, of which some are at work."""
    return max(0.0, count * each_s - sum(sorted(min(s, each_s) for s in spent)[:count]))


def _mean(measured: Sequence[float], otherwise: float) -> float:
    return sum(measured) / len(measured) if measured else otherwise
