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
    run: int = 0  # runs that ended and were not reused
    built: int = 0  # builds that ended and were not reused
    dropped: int = 0  # planned runs that will not be made
    build_s: list[float] = field(factory=list)  # of builds of this night
    run_s: list[float] = field(factory=list)
    working: Sequence[Working] = ()

    @property
    def runs(self) -> int:
        """Return the number of planned runs, without dropped ones."""
        return max(self.run, self.forecast.runs_to_do - self.dropped)

    @property
    def left_s(self) -> float:
        """Return the remaining seconds; 0: all planned builds and runs have ended.

        Durations of this night replace those of the forecast as soon as there are any.
        """
        f = self.forecast
        return self._left_s(f.kernels_to_build, self.runs)

    @property
    def report_left_s(self) -> float:
        """Return the remaining seconds until the next report on the watched branches."""
        f = self.forecast
        if self.run < f.early_runs or self.built < f.early_kernels:
            return self._left_s(f.early_kernels, f.early_runs)
        runs = max(0, self.runs - f.proof_runs)
        return self._left_s(f.kernels_to_build - f.proof_kernels, runs)

    def _left_s(self, kernels: int, planned: int) -> float:
        """Return the remaining seconds until so many builds and runs have ended."""
        f, now = self.forecast, time.time()
        spent: dict[str, list[float]] = {name: [] for name in WORDS}
        for one in self.working:
            if one.ours:
                spent[one.name].append(now - one.begun)
        # A build that takes longer than expected: the others will, too.
        build_s = _mean(self.build_s, max([f.build_s, *spent["build"]]))
        builds = max(0, kernels - self.built)
        run_s = _mean(self.run_s, f.each_run_s)
        runs = max(0, planned - self.run)
        if not builds and not runs:
            return 0.0
        left_s = _left(builds, build_s, spent["build"]) + _left(runs, run_s, spent["run"]) / f.slots
        return max(_LEAST_S, left_s)

    @property
    def text(self) -> str:
        """Return how far the night is: "12 of 280 runs, about 66 min left, report in 20"."""
        left_s, report_s = self.left_s, self.report_left_s
        left = f", about {max(1, round(left_s / 60))} min left" if left_s else ""
        f = self.forecast
        parts = f.proof_kernels or f.proof_runs or f.early_runs
        report = f", report in {max(1, round(report_s / 60))}" if report_s and parts else ""
        return f"{self.run} of {self.runs} runs{left}{report}"


def _left(count: int, each_s: float, spent: Iterable[float]) -> float:
    """Return the seconds of `count` stages one after the other, of which some are at work."""
    return max(0.0, count * each_s - sum(sorted(min(s, each_s) for s in spent)[:count]))


def _mean(measured: Sequence[float], otherwise: float) -> float:
    return sum(measured) / len(measured) if measured else otherwise
