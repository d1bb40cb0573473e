# SPDX-License-Identifier: GPL-2.0-only
"""What a report claims, judged by its figures, their number of runs and their spread alone.

Nothing is drawn here and nothing is on record: a figure that the report gives without number of
runs and spread supports no claim, however large it is.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import scipy.special
from attrs import frozen

from vlag.config.catalogue import Catalogue
from vlag.errors import ContentError
from vlag.model import Direction
from vlag.scenario.data import Figure, Scenario
from vlag.scenario.view_data import ClaimData

#: Of the interval of a change.
CONFIDENCE = 0.95
#: A claim that gives no number.
BETTER, WORSE, NONE = "better", "worse", "none"

_LEAST_RUNS = 2


class Support(enum.Enum):
    """What a report's figures say of its claim."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    CANNOT_BE_JUDGED = "cannot be judged"


@frozen(kw_only=True)
class _Level:
    """A side's figure of a claim, with what the report knows of its runs."""

    side: str
    value: float
    count: int
    spread: float | None

    @property
    def lacks(self) -> str | None:
        """Return what is missing to judge it."""
        few = "one figure" if self.count < _LEAST_RUNS else None
        unknown = None if self.spread else "no spread"
        lacking = [text for text in (few, unknown) if text]
        return f"{' with '.join(lacking)} of {self.side}" if lacking else None

    @property
    def variance(self) -> float:
        """Return the variance of the logarithm of the level."""
        return (self.spread or 0.0) ** 2 / self.count


@frozen(kw_only=True)
class _Change:
    """The change between both sides, 0.1 = +10 %, with its interval where that is known."""

    effect: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether the interval has no 0."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        """Return the interval as a sentence has it."""
        return f"{percent(self.effect)} [{percent(self.low)}, {percent(self.high)}]"


def percent(change: float) -> str:
    """Return a relative change in percent, as "+18.2 %"."""
    return f"{100 * change:+.1f} %"


def judged(scenario: Scenario, catalogue: Catalogue) -> list[ClaimData]:
    """Return what the figures say of each claim.

    Raises ContentError with file, line and key for a claim about what the report does not have.
    """
    return [_judged(scenario, catalogue, i) for i in range(len(scenario.claims))]


def _judged(scenario: Scenario, catalogue: Catalogue, number: int) -> ClaimData:
    claim = scenario.claims[number]
    base, new = (_level(scenario, number, key) for key in ("base", "side"))
    higher_is_better, relevance = _kind(scenario, catalogue, number)
    lacking = [level.lacks for level in (base, new) if level.lacks]
    change = _change(base, new)
    if lacking:
        answer = Support.CANNOT_BE_JUDGED
        reason = f"the report has {' and '.join(lacking)}; both differ by {percent(change.effect)}"
    elif claim.change == NONE:
        answer, reason = _none(change, relevance)
    elif isinstance(claim.change, str):
        up = (claim.change == BETTER) == higher_is_better
        answer, reason = _direction(change, up=up)
    else:
        answer, reason = _number(change, claim.change)
    return {
        "says": claim.words,
        "set": claim.set,
        "base": claim.base,
        "side": claim.side,
        "measure": claim.measure,
        "change": claim.change,
        "answer": answer.value,
        "effect": change.effect,
        "interval": None if lacking else [change.low, change.high],
        "runs": [base.count, new.count],
        "reason": reason,
    }


def _level(scenario: Scenario, number: int, key: str) -> _Level:
    """Return the figure of one side of a claim."""
    claim = scenario.claims[number]

    def error(name: str, sentence: str) -> ContentError:
        return scenario.source.error(("claims", number, name), sentence)

    if claim.set not in scenario.sets:
        raise error("set", f"no set {claim.set!r} in {', '.join(scenario.sets)}")
    sides = scenario.sets[claim.set].sides
    name: str = getattr(claim, key)
    if name not in sides:
        raise error(key, f"no side {name!r} of set {claim.set} in {', '.join(sides)}")
    measure, _, statistic = claim.measure.partition(" ")
    figure = sides[name].every_figure.get(measure)
    if figure is None:
        raise error("measure", f"side {name} of set {claim.set} has no figure of {measure!r}")
    value = _statistic(figure.value, statistic)
    if value is None:
        raise error("measure", _asked(figure.value, name, claim.measure, statistic))
    return _Level(
        side=name,
        value=value,
        count=figure.count,
        spread=_spread(figure, statistic),
    )


def _statistic(value: Any, statistic: str) -> float | None:
    """Return the number that a measure and its statistic name, None if there is none."""
    part = value.get(statistic) if isinstance(value, Mapping) else None if statistic else value
    return float(part) if isinstance(part, int | float) else None


def _asked(value: Any, side: str, measure: str, statistic: str) -> str:
    if not isinstance(value, Mapping):
        return f"{measure!r} of {side} is a plain figure: leave out {statistic!r}"
    numbers = [key for key, part in value.items() if isinstance(part, int | float)]
    return (
        f"{measure!r} of {side} names no number: write one of its statistics behind it"
        f" ({', '.join(numbers) or 'it has none'})"
    )


def _spread(figure: Figure, statistic: str) -> float | None:
    return figure.spreads.get(statistic, figure.reported_spread)


def _kind(scenario: Scenario, catalogue: Catalogue, number: int) -> tuple[bool, float]:
    """Return whether more is better, and the smallest change that matters."""
    claim, keys = scenario.claims[number], ("claims", number, "measure")
    name = claim.measure.partition(" ")[0]
    plain = scenario.plain_measures.get(name)
    if plain is not None:
        if plain.relevance is None and claim.change == NONE:
            raise scenario.source.error(
                ("measures", name), "a claim of no change needs a relevance: 0.02 is 2 %"
            )
        return plain.higher_is_better, plain.relevance or 0.0
    measure = scenario.measures[name]
    metric = catalogue.benchmark(measure.benchmark).metric(measure.metric)
    if metric is None:
        raise scenario.source.error(keys, f"{measure.benchmark} has no metric {measure.metric!r}")
    return metric.direction is Direction.HIGHER, metric.relevance


def _change(base: _Level, new: _Level) -> _Change:
    """Return the change, with Welch's interval of the logarithms of both levels."""
    size = math.log(new.value / base.value)
    if base.lacks or new.lacks:
        return _Change(effect=math.expm1(size), low=-1.0, high=math.inf)
    variance = base.variance + new.variance
    freedom = variance**2 / sum(level.variance**2 / (level.count - 1) for level in (base, new))
    half = float(scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    return _Change(
        effect=math.expm1(size), low=math.expm1(size - half), high=math.expm1(size + half)
    )


def _none(change: _Change, relevance: float) -> tuple[Support, str]:
    limits = (-relevance / (1 + relevance), relevance)
    within = f"what counts as no change, {percent(limits[0])} to {percent(limits[1])}"
    if limits[0] <= change.low and change.high <= limits[1]:
        return Support.SUPPORTED, f"the figures differ by {change}, within {within}"
    if change.high < limits[0] or change.low > limits[1]:
        return Support.NOT_SUPPORTED, f"the figures differ by {change}, beyond {within}"
    return (
        Support.CANNOT_BE_JUDGED,
        f"the figures differ by {change}, which is neither within nor beyond {within}",
    )


def _direction(change: _Change, *, up: bool) -> tuple[Support, str]:
    if not change.sure:
        return Support.NOT_SUPPORTED, _unsure(change)
    answer = Support.SUPPORTED if (change.effect > 0) == up else Support.NOT_SUPPORTED
    return answer, f"the figures differ by {change}"


def _number(change: _Change, claimed: float) -> tuple[Support, str]:
    """Return whether a number is a change of these figures, as far as its last digit tells."""
    if not change.sure and claimed != 0:
        return Support.NOT_SUPPORTED, _unsure(change)
    exponent = Decimal(str(claimed)).normalize().as_tuple().exponent
    digit = 10.0 ** min(int(exponent), 0) if isinstance(exponent, int) else 1.0
    least, most = ((claimed + side * digit / 2) / 100 for side in (-1, 1))
    if change.low <= most and least <= change.high:
        return Support.SUPPORTED, f"the figures differ by {change}"
    less = abs(claimed) / 100 < abs(change.effect) and (claimed > 0) == (change.effect > 0)
    how = "more than the claim" if less else "not as much as the claim"
    if (claimed > 0) != (change.effect > 0):
        how = "in the other direction"
    return Support.NOT_SUPPORTED, f"the figures differ by {change}, {how}"


def _unsure(change: _Change) -> str:
    return f"the figures differ by {change}, which may be no change at all"
