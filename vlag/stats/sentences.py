# SPDX-License-Identifier: GPL-2.0-only
"""The sentences of verdicts: each one is true by construction of the figures it is given.

A sentence gives the change with its interval, and then only what the test behind the verdict
showed, with that test's p.  A margin is a log ratio, so that a decrease reaches it a little
before its own number: 5 % up is 4.76 % down.
"""

from __future__ import annotations

from attrs import frozen

from vlag.stats.numbers import plain

# Least p of "no change at all" at which chance is named: a smaller one is evidence of a change.
CHANCE = 0.05
# Relative changes closer to 0 than this differ by floating-point rounding.
_ROUNDING = 1e-12
# Percentages beyond this have too many digits to mean anything.
_MOST = 100_000
# p values below this have too many zeros to be read.
_LEAST_P = 1e-4

ZEROS = "every boot of both sides gave 0"


@frozen(kw_only=True)
class Change:
    """A relative change, new / base - 1, 0.1 = +10 %, with what it is compared with."""

    effect: float
    low: float  # ends of the 95 % interval
    high: float
    better: bool
    relevance: float  # smallest relative change that matters
    margin: float  # half-width of "unchanged", at least the relevance

    @property
    def size(self) -> str:
        """The change in words, with the interval in the same direction."""
        low, high = sorted((self.low, self.high) if self.effect >= 0 else (-self.low, -self.high))
        interval = f"[{_end(low)}, {_end(high)}]"
        if self.none:
            return f"no change {interval}"
        return f"{'better' if self.better else 'worse'} by {percent(self.effect)} {interval}"

    @property
    def none(self) -> bool:
        """Whether the levels of both sides are equal."""
        return abs(self.effect) < _ROUNDING

    @property
    def holds_zero(self) -> bool:
        """Whether the interval holds no change at all."""
        return self.low <= 0 <= self.high

    @property
    def reaches_relevance(self) -> bool:
        """Whether the interval holds a change that does not matter."""
        return self.low <= self.relevance and self.high >= -_down(self.relevance)

    def beyond(self, margin: float, *, up: bool | None = None) -> str:
        """Return a change as large as the margin, in the direction of this one."""
        up = self.effect > 0 if up is None else up
        name, size = ("an increase", margin) if up else ("a decrease", _down(margin))
        return f"{name} of {bound(size)}"

    @property
    def within(self) -> str:
        """The changes that count as none, "[-2.91, +3] %"."""
        return f"[-{bound(_down(self.margin))[:-2]}, +{bound(self.margin)[:-2]}] %"


def _down(margin: float) -> float:
    """Return the decrease that is as large as an increase, both as log ratios."""
    return margin / (1 + margin)


def percent(relative: float) -> str:
    """Return the size of a relative change, as "4.83 %"."""
    size = 100 * abs(relative)
    if size < 0.005:
        return "less than 0.01 %"
    if size > _MOST:
        return f"more than {_MOST} %"
    return f"{size:.2f} %" if size < 1000 else f"{size:.0f} %"


def bound(relative: float) -> str:
    """Return a margin, as "5 %"."""
    return f"{100 * relative:.3g} %" if relative < 1 else f"{100 * relative:.0f} %"


def probability(p: float) -> str:
    """Return a p value, as "p = 0.03"."""
    return f"p = {p:.2g}" if p >= _LEAST_P else f"p < {_LEAST_P:.4f}"


def _end(relative: float) -> str:
    size = 100 * relative
    if abs(size) > _MOST:
        return f"{'>' if size > 0 else '<'} {'' if size > 0 else '-'}{_MOST}"
    if abs(size) < 0.005:
        return "0.00"
    return f"{size:.2f}" if abs(size) < 1000 else f"{size:.0f}"


def flag(change: Change, p: float) -> str:
    """Return the sentence of a REGRESSION or IMPROVEMENT; p of "within the relevance"."""
    null = f"{change.beyond(change.relevance)} or less" if change.relevance else "no change at all"
    return f"{change.size}; {null} is rejected ({probability(p)})"


def unchanged(change: Change, p: float) -> str:
    """Return the sentence of UNCHANGED; p of "not within the margin"."""
    return f"{change.size}; a change outside {change.within} is rejected ({probability(p)})"


def marginal(change: Change, p_zero: float, boots: int | None, *, within: bool = False) -> str:
    """Return the sentence of MARGINAL.

    `boots` a side would decide, None: no useful number.  `within`: the margin is excluded.
    """
    matters = change.beyond(change.relevance)
    if within or change.margin == change.relevance:
        known = f"{matters} or more is neither shown nor excluded"
    else:
        known = (
            f"{matters} or more is not shown, and {change.beyond(change.margin)} or more is not"
            " excluded"
        )
    more = "" if boots is None else f"; about {boots} boots a side would decide"
    return f"{change.size} ({probability(p_zero)} against no change); {known}{more}"


def undecided(change: Change, p_zero: float, *, level: float, boots: int | None, most: int) -> str:
    """Return the sentence of INCONCLUSIVE; more than `most` boots where `boots` is None."""
    many = f"about {boots}" if boots else f"more than {most}"
    return f"{_evidence(change, p_zero, level)}; {many} boots a side would decide"


def _evidence(change: Change, p_zero: float, level: float) -> str:
    """Return the change and what p says of it, which is not below the level."""
    if change.none:
        return f"{change.size}; a change outside {change.within} is not excluded"
    if p_zero >= CHANCE and change.holds_zero:
        return f"{change.size}, which chance can explain ({probability(p_zero)})"
    return (
        f"{change.size}; weak evidence of a change ({probability(p_zero)}, a verdict needs less"
        f" than {level:g})"
    )


def rounded(change: Change, step: float) -> str:
    """Return the sentence of a difference that rounding to the tool's step can make."""
    return f"{change.size}; one step of the tool is {bound(step)} here and can cause all of it"


def coarse(change: Change, step: float) -> str:
    """Return the sentence of a tool whose step is wider than the margin."""
    return (
        f"{change.size}; one step of the tool is {bound(step)} here, so no number of boots can"
        f" show a change of {bound(change.margin)}"
    )


def few(n_base: int, n_new: int, *, least: int, what: str = "") -> str:
    """Return the sentence of too few boots, `what` being more on why."""
    return f"{n_base} against {n_new} boots are too few{what}: at least {least} a side are needed"


def gross(relative: float) -> str:
    """Return the remark on a change that a set-up fault causes more often than a kernel."""
    return (
        f"; a change above {bound(relative)} is more often a fault of the set-up: check tools"
        " and config first"
    )


def clipped(resolution: float) -> str:
    """Return the remark on boots below one step of the tool, in the metric's unit."""
    return f"; a boot below one step of the tool ({plain(resolution, 1)}) counts as one step"


def confirmed(change: Change, p: float, *, boots: int) -> str:
    """Return the sentence of a rerun that confirms; p of "within the relevance"."""
    return f"a rerun of {_a_side(boots, 'boot')} confirms it: {flag(change, p)}"


def passed(change: Change) -> str:
    """Return what is added of a confirmed change, given that it had to pass."""
    if change.reaches_relevance:
        return f"; passed narrowly: given that, {change.size}"
    return f"; given that it passed, {change.size}"


def refuted(change: Change, *, boots: int, suspicion: float | None) -> str:
    """Return the sentence of a rerun that refutes a suspicion; only its sign counts."""
    head = f"{_again(boots)}: {change.size}"
    if suspicion is None:
        return f"{head}; the interval lies within {change.within}"
    up = suspicion > 0
    excluded = change.high < change.margin if up else change.low > -_down(change.margin)
    if excluded and (change.holds_zero or up == (change.effect > 0)):
        return f"{head}; the interval excludes {change.beyond(change.margin, up=up)} or more"
    return f"{head}, the opposite of what was suspected"


def left(
    change: Change,
    p: float,
    *,
    boots: int,
    later: int | None,
    need: float,
    matters: bool,
) -> str:
    """Return the sentence of a rerun that leaves a suspicion open.

    `p` of "no change at all" allows for the rounds; `need` is what a confirmation needs it to
    be below; `later` are the boots of the next round, None after the last.  `matters` says
    that the boots reject a change within the relevance.
    """
    against = f"{change.size}; {probability(p)} against no change, allowing for the rounds"
    if p >= need:
        against += f", where a confirmation needs less than {need:g}"
    elif not matters:
        against += f", but {change.beyond(change.relevance)} or more is not shown"
    return f"{_head(boots, later)}: {against}"


def untested(reason: str, *, boots: int, later: int | None, refuted: bool) -> str:
    """Return the sentence of a rerun without a test, `reason` being that of the verdict."""
    return f"{_again(boots) if refuted else _head(boots, later)}: {reason}"


def _again(boots: int) -> str:
    return f"a rerun of {_a_side(boots, 'boot')} does not show it again"


def _head(boots: int, later: int | None) -> str:
    more = "and more are not worth it" if later is None else f"{later} may decide"
    return f"undecided after {_a_side(boots, 'run')}, {more}"


def _a_side(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'} a side"


def unknown_modes(change: Change, n_base: int, n_new: int, *, least: int) -> str:
    """Return the sentence of a change that two modes nobody knows of could explain."""
    return (
        f"a suspicion: {change.size}; {n_base} against {n_new} boots of a metric that may have two"
        f" modes can differ so much; run again, at least {least} boots a side"
    )


def one_of_family(figures: int, effect: float, p: float, *, better: bool) -> str:
    """Return the sentence of a change that may be chance among all figures of the files."""
    return (
        f"a suspicion: {'better' if better else 'worse'} by {percent(effect)} ({probability(p)}),"
        f" but one of {figures} figures moves so much too often; run again"
    )


def drifts(side: str, change: float, p: float) -> str:
    """Return that the boots of a side drift by more than they scatter."""
    way = "up" if change > 0 else "down"
    return (
        f"the boots of {side} drift {way} by {percent(change)} from the first to the last"
        f" ({probability(p)})"
    )


def one_of(statistics: int, effect: float, p: float, *, better: bool) -> str:
    """Return the sentence of a row that is not significant among those of its distribution."""
    return (
        f"a suspicion: {'better' if better else 'worse'} by {percent(effect)}, but one of"
        f" {statistics} statistics of a distribution moves so much too often"
        f" ({probability(p)} over all of them); run again"
    )
