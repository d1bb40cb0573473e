# SPDX-License-Identifier: GPL-2.0-only
"""A board's own noise floor: the band of its earlier checks, and the test of a new check.

A check is one boot of one fixed kernel with the noise-floor benchmark.  It gives a level (the
median of the samples) and a noise (P99 divided by the median).  Both are judged on logarithms
against median and median absolute deviation of the board's own accepted checks: boards of one
type differ, so each is compared only with itself.

The widths follow from `FALSE_ALARMS`, the probability that one check of an unchanged board
leaves the band.  They hold for checks that scatter like Student's t with `TAIL` degrees
of freedom and allow for the band's own uncertainty.  Simulated with a band of 10 to 40 checks:
at most 0.0003 of normal checks, 0.0007 of such, 0.004 with three degrees of freedom; a drift
by a fiftieth of the scatter from check to check adds less than 0.0003.

A band of the newest checks follows a board that drifts.  So the last `LATELY` checks are also
held against the first `REFERENCE` of the board, which stay what they were until a person
declares a new band.  On step-free nightly histories of real benchmarks this adds 3 false alarms a
board in 100 years of one check a night, fewer than the rules on the newest checks.
"""

from __future__ import annotations

import enum
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy
from attrs import frozen

from vlag.model import Histogram
from vlag.stats.levels import TAIL, Array, log_values, noise, spread
from vlag.stats.numbers import plain

#: For one check, over level and noise together: if ten boards are checked each night, about
#: one false alarm in a hundred nights.
FALSE_ALARMS = 0.001
#: Fewest checks of a band: fewer make it too wide to detect anything.
SETTLED_MINIMUM = 10
#: Most checks of a band: older ones no longer describe the board.
WINDOW = 40
#: Rules: a level or a noise has left if so many of the last checks lie beyond an edge, one far
#: off, or more that are nearer.  Two or three together can be much nearer than one alone,
#: since heavy tails hardly ever agree.
RULES = ((1, 1), (2, 3), (3, 5))
#: Checks before the new one that are not part of the band: the rules use them.
RECENT = max(window for _needed, window in RULES) - 1
#: First checks of a board, whose median its level must keep to.
REFERENCE = 30
#: Last checks whose median is held against it: fewer would follow the board's good and bad weeks.
LATELY = 20
#: Least relative distance of the two that is a drift: twice what makes a kernel's change matter.
DRIFT_LEAST = 0.02
#: The same in standard deviations of one check of the reference: real histories wander by 2.
DRIFT_SCATTERS = 4.0
#: Checks before the first that is judged.
HISTORY_MINIMUM = SETTLED_MINIMUM + RECENT
#: Lower bound of the relative scatter: rounding makes checks look equal.
SCATTER_MINIMUM = 0.001

# Each rule's part of `FALSE_ALARMS`: on the level, both sides together, and on the noise.
_SHARE = FALSE_ALARMS / (2 * len(RULES))
# Bands that are simulated to estimate the error of a band of so many checks.
_DRAWS = 20_000
_SEED = 1
# Checks after which an undetected shift counts as too small.
_PATIENCE = 60
# P99 needs ten samples beyond it.
_SAMPLES_MINIMUM = 1000

_ORDINAL = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}

Edge = tuple[float, float]


class Finding(enum.Enum):
    """Result of a check."""

    IN_BAND = "in band"
    LEVEL_LEFT = "level left"
    NOISE_LEFT = "noise left"
    TOO_LITTLE = "too little history"


@frozen(kw_only=True)
class Check:
    """Values of one check."""

    level: float  # in the metric's unit, above 0
    noise: float  # the tail by the median, above 0: no unit


def of_histogram(histogram: Histogram, resolution: float) -> Check:
    """Return level and noise of a check: the median, and P99 by the median.

    Both are interpolated within their bucket, which is `resolution` wide: a level that jumps
    from bucket to bucket would hide a shift of some per cent.  Raises ValueError if there are
    too few samples, or P99 lies beyond the histogram's end.
    """
    if histogram.achieved < _SAMPLES_MINIMUM:
        raise ValueError(f"{histogram.achieved} samples are fewer than {_SAMPLES_MINIMUM}")
    reached = np.cumsum(np.sum(histogram.counts, axis=0))
    middle, tail = (_quantile(histogram, reached, q, resolution) for q in (0.5, 0.99))
    return Check(level=middle, noise=tail / middle)


def _quantile(histogram: Histogram, reached: Array, q: float, width: float) -> float:
    rank = q * histogram.achieved
    bucket = int(np.searchsorted(reached, rank))
    if bucket >= len(reached):
        raise ValueError(f"P{100 * q:g} lies beyond {histogram.limit}, the histogram's end")
    below = float(reached[bucket - 1]) if bucket else 0.0
    inside = (rank - below) / (float(reached[bucket]) - below)
    return histogram.bounds[bucket] + inside * width


@frozen(kw_only=True)
class Band:
    """The band of a board's accepted checks; edges are in the checks' own units."""

    checks: int  # number of checks in it
    level: float
    scatter: float  # of one check's level, a relative standard deviation
    levels: tuple[Edge, ...]  # one for each of `RULES`, each narrower than the last
    noises: tuple[Edge, ...]  # as `levels`; the lower edges are 0

    def checks_to_see(self, shift: float, power: float = 0.9) -> int | None:
        """Return how many checks detect a relative shift of the level with this probability.

        None: more than two months of nights.  Raises ValueError for a shift of 0.
        """
        if shift <= -1 or shift == 0:
            raise ValueError(f"a relative shift of a level is above -1 and not 0, not {shift}")
        away = abs(math.log1p(shift))
        unit = _deviation() / self.scatter
        beyond = [
            float(scipy.special.stdtr(TAIL, (away - math.log(high / self.level)) * unit))
            for _low, high in self.levels
        ]
        # Probability of a check beyond the edges of no rule, of the last, of the last two ...
        chances = -np.diff([1.0, *beyond[::-1], 0.0])
        unseen: dict[tuple[int, ...], float] = {(0,) * RECENT: 1.0}
        for count in range(1, _PATIENCE + 1):
            later: defaultdict[tuple[int, ...], float] = defaultdict(float)
            for before, chance in unseen.items():
                for edges, its in enumerate(chances):
                    after = (*before, edges)
                    if not _fires(after):
                        later[after[1:]] += chance * float(its)
            unseen = later
            if sum(unseen.values()) <= 1 - power:
                return count
        return None


@frozen(kw_only=True)
class Answer:
    """Judgement of a check against its board's band."""

    finding: Finding
    band: Band | None  # None: too little history
    sentence: str

    @property
    def accepted(self) -> bool:
        """Return whether the check may become part of the band."""
        return self.finding in (Finding.IN_BAND, Finding.TOO_LITTLE)


def _fires(edges: Sequence[int]) -> bool:
    """Return whether a rule fires after checks that each lie beyond so many edges."""
    return any(
        edges[-1] >= len(RULES) - i
        and sum(e >= len(RULES) - i for e in edges[len(edges) - window :]) >= needed
        for i, (needed, window) in enumerate(RULES)
    )


def _deviation() -> float:
    """Return the robust standard deviation of the model of one check, in its own unit."""
    return float(scipy.special.stdtrit(TAIL, 0.75)) * 1.4826


@lru_cache(maxsize=64)
def _errors(checks: int) -> tuple[Array, Array]:
    """Return medians and robust standard deviations of simulated bands of so many checks."""
    drawn = np.random.default_rng(_SEED).standard_t(TAIL, size=(_DRAWS, checks))
    centres = np.median(drawn, axis=1)
    return centres, 1.4826 * np.median(np.abs(drawn - centres[:, None]), axis=1)


def _beyond(values: Array) -> Array:
    """Return the probability of a check above each value, in the model's own unit.

    In closed form, since `TAIL` is odd (Abramowitz and Stegun, 26.7.3): a tenth of the time of
    scipy's, which a command that judges checks waited seconds for.  Absolute error: 1e-15.
    """
    angle = np.arctan(values / math.sqrt(TAIL))
    cosine = np.cos(angle)
    term = series = cosine
    for power in range(3, int(TAIL) - 1, 2):
        term = term * ((power - 1) / power) * cosine**2
        series = series + term
    return np.asarray(0.5 - (angle + np.sin(angle) * series) / math.pi)


@lru_cache(maxsize=1024)
def factor(checks: int, share: float, needed: int = 1, new_checks: int = 1) -> float:
    """Return how many robust standard deviations wide a band of `checks` checks is, one side.

    At this width at least `needed` of `new_checks` checks of an unchanged board lie beyond that
    side with probability `share`, the mean over bands simulated with a fixed seed.
    """
    centres, scales = _errors(checks)

    def surplus(width: float) -> float:
        one = _beyond(centres + width * scales)
        several = sum(
            math.comb(new_checks, n) * one**n * (1 - one) ** (new_checks - n)
            for n in range(needed, new_checks + 1)
        )
        return float(np.mean(several)) - share

    return float(scipy.optimize.brentq(surplus, 0.1, 1000.0, xtol=1e-4))


def band(accepted: Sequence[Check]) -> Band | None:
    """Return the band of accepted checks, oldest first; None if they are too few.

    Raises ValueError for a level or noise that is no finite number above 0.
    """
    if len(accepted) < HISTORY_MINIMUM:
        return None
    settled = accepted[: len(accepted) - RECENT][-WINDOW:]
    level, scatter = _centre([c.level for c in settled])
    noise, noise_scatter = _centre([c.noise for c in settled])
    size = len(settled)
    sided = [factor(size, _SHARE / 2, *rule) * scatter for rule in RULES]
    upward = [factor(size, _SHARE, *rule) * noise_scatter for rule in RULES]
    return Band(
        checks=size,
        level=math.exp(level),
        scatter=scatter,
        levels=tuple((math.exp(level - w), math.exp(level + w)) for w in sided),
        noises=tuple((0.0, math.exp(noise + w)) for w in upward),
    )


def _centre(values: Sequence[float]) -> tuple[float, float]:
    """Return median and robust standard deviation of logarithms."""
    logs = log_values(values)
    centre = float(np.median(logs))
    return centre, max(spread(logs - centre), SCATTER_MINIMUM)


def judge(accepted: Sequence[Check], new: Check, *, unit: str = "") -> Answer:
    """Judge a new check against the band of the accepted ones before it, oldest first.

    `accepted` are all of them, since a drift is told from the first ones.  The level is judged
    on both sides, noise only upwards.  `unit` is the level's, for the sentence.  Raises ValueError
    for a level or noise that is no finite number above 0.
    """
    log_values([new.level, new.noise])
    known = band(accepted)
    if known is None:
        return Answer(
            finding=Finding.TOO_LITTLE,
            band=None,
            sentence=f"check {len(accepted) + 1} of this band: the first {HISTORY_MINIMUM} make"
            " the band and are not judged",
        )
    last = [*accepted[-RECENT:], new]
    level, noise = f"level {plain(new.level, 4)} {unit}".rstrip(), plain(new.noise, 4)
    away = f"{new.level / known.level - 1:+.1%} off the median of {known.checks} checks"
    left = _left([c.level for c in last], known.levels)
    if left is not None:
        finding, sentence = Finding.LEVEL_LEFT, f"{level} is {left} {unit}".rstrip() + f", {away}"
    elif (left := _left([c.noise for c in last], known.noises)) is not None:
        finding, sentence = (
            Finding.NOISE_LEFT,
            f"noise {noise} is {left}; {level} stands",
        )
    elif (drift := _drifted([*(c.level for c in accepted), new.level])) is not None:
        finding, sentence = Finding.LEVEL_LEFT, f"{level} {drift}"
    else:
        finding = Finding.IN_BAND
        sentence = f"{level} and noise {noise} are in the band, {away}"
    return Answer(finding=finding, band=known, sentence=sentence)


def _drifted(levels: Sequence[float]) -> str | None:
    """Say how far the last levels have drifted from the board's first ones, if they have.

    The newest one has to be as far off: a board that came back is accepted again.
    """
    if len(levels) < REFERENCE + LATELY:
        return None
    logs = log_values(levels)
    first, last = logs[:REFERENCE], logs[-LATELY:]
    centre = float(np.median(first))
    scatter = max(spread(first - centre), noise(first), SCATTER_MINIMUM)
    reach = max(math.log1p(DRIFT_LEAST), DRIFT_SCATTERS * scatter)
    away, newest = float(np.median(last)) - centre, float(last[-1]) - centre
    if min(abs(away), abs(newest)) <= reach or away * newest < 0:
        return None
    return (
        f"ends a drift: the last {LATELY} checks lie {math.expm1(away):+.1%} off the first"
        f" {REFERENCE} of this band, whose median is {plain(math.exp(centre), 4)};"
        f" {math.expm1(reach):.1%} is the most that a steady board moves"
    )


def _left(values: Sequence[float], edges: Sequence[Edge]) -> str | None:
    """Return the edge that the last value has left, on one side, by any of the rules."""
    for (needed, newest), (low, high) in zip(RULES, edges, strict=True):
        for name, out in (
            ("above", [v > high for v in values[-newest:]]),
            ("below", [v < low for v in values[-newest:]]),
        ):
            if out[-1] and sum(out) >= needed:
                often = (
                    "" if newest == 1 else f"for the {_ORDINAL[sum(out)]} time in {newest} checks "
                )
                return f"{often}{name} {plain(high if name == 'above' else low, 4)}"
    return None
