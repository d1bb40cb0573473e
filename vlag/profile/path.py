# SPDX-License-Identifier: GPL-2.0-only
"""Path length as a metric: what an operation executes, judged as any other figure is.

A boot gives one value: instructions of some part of the kernel, or calls of a function, for an
operation of the benchmark.  Fewer are better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from vlag.model import Direction, Verdict
from vlag.profile import calls
from vlag.profile.path_metric import PathMetric, in_words
from vlag.profile.profiled_boots import Boot
from vlag.stats import compare as stats

#: What no count of instructions can show.
UNSEEN = "Instruction counts do not see caches, memory, branch misses or parallelism."


@frozen(kw_only=True)
class Judged:
    """The verdict on one metric."""

    metric: str
    unit: str  # "instructions" or "calls", for an operation
    verdict: Verdict
    effect: float | None = None  # 0.01 = 1 %; None: a side has nothing to count

    @property
    def name(self) -> str:
        """Return what was counted, in words."""
        return in_words(self.metric, self.unit)


@frozen(kw_only=True)
class Length(Judged):
    """A metric of two kernels; values are for an operation, one a boot."""

    relevance: float
    base: tuple[float, ...] | None = None  # None: nothing to count on this side
    new: tuple[float, ...] | None = None
    base_level: float | None = None  # geometric means: new / base = 1 + effect
    new_level: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None  # of "the change is within the relevance"
    reason: str  # one sentence


def lengths(
    metrics: Sequence[PathMetric], base: Sequence[Boot], new: Sequence[Boot]
) -> tuple[Length, ...]:
    """Judge the metrics of two kernels, in their order; what neither kernel has is left out.

    `base` and `new` have one boot at least, each with operations.
    """
    wanted = calls.wanted(m.calls for m in metrics)
    whole = [calls.copies(boots[0].names, wanted) for boots in (base, new)]
    # One count more or less in a boot: no figure is finer.
    resolution = 1 / min(b.operations for b in (*base, *new))
    judged = []
    for metric in metrics:
        before, after = (
            _values(metric, boots, have) for boots, have in zip((base, new), whole, strict=True)
        )
        if any(before or ()) or any(after or ()):
            judged.append(_length(metric, before, after, resolution))
    return tuple(judged)


def levels(metrics: Sequence[PathMetric], boot: Boot) -> dict[str, float]:
    """Return what an operation of one boot executes, by metric in words, in their order.

    What the kernel does not have, or cannot count, is left out.
    """
    whole = calls.copies(boot.names, calls.wanted(m.calls for m in metrics))
    found = {m.words: _values(m, (boot,), whole) for m in metrics}
    return {words: values[0] for words, values in found.items() if values and values[0]}


def _values(
    metric: PathMetric, boots: Sequence[Boot], whole: Mapping[str, Sequence[str]]
) -> tuple[float, ...] | None:
    if not metric.calls:
        return tuple(b.profile.under(metric.objects) / b.operations for b in boots)
    values = calls.rates(metric.calls, boots, whole)
    return None if values is None else tuple(values)


def _length(
    metric: PathMetric,
    base: tuple[float, ...] | None,
    new: tuple[float, ...] | None,
    resolution: float,
) -> Length:
    if base is None or new is None:
        side = "base" if base is None else "new"
        return Length(
            metric=metric.name,
            unit=metric.unit,
            relevance=metric.relevance,
            base=base,
            new=new,
            verdict=Verdict.NOT_COMPARABLE,
            reason=f"the {side} kernel has no such function, or has it in its callers",
        )
    # Three boots cannot show two modes, so this takes it that there is one: where a mode of a
    # few boots makes a difference, the boots of a side scatter, and nothing is decided.
    comparison = stats.compare(
        base,
        new,
        direction=Direction.LOWER,
        relevance=metric.relevance,
        resolution=resolution,
        one_mode=True,
    )
    levels = comparison.levels or stats.levels(base, new, resolution=resolution)
    return Length(
        metric=metric.name,
        unit=metric.unit,
        relevance=metric.relevance,
        base=base,
        new=new,
        base_level=levels[0],
        new_level=levels[1],
        verdict=comparison.verdict,
        effect=comparison.effect,
        ci_low=comparison.ci_low,
        ci_high=comparison.ci_high,
        p=comparison.p,
        reason=comparison.reason,
    )


def sentence(lengths_: Sequence[Judged]) -> str:
    """Return the verdicts in words: changes by name, the others counted; "" without any."""
    if not lengths_:
        return ""
    words = []
    for verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT, Verdict.MARGINAL):
        named = [f"{j.name} {percent(j.effect)}" for j in lengths_ if j.verdict is verdict]
        if named:
            words.append(f"{verdict.value} {', '.join(named)}")
    counted = []
    for verdict in (Verdict.UNCHANGED, Verdict.INCONCLUSIVE, Verdict.NOT_COMPARABLE):
        count = sum(j.verdict is verdict for j in lengths_)
        if count:
            every = "all " if count == len(lengths_) > 1 else ""
            counted.append(f"{every}{count} {verdict.value}")
    return f"Path: {'; '.join([*words, *([', '.join(counted)] if counted else [])])}."


def percent(effect: float | None) -> str:
    """Return a relative change; "-" where there is none."""
    return "-" if effect is None else f"{effect:+.2%}".replace("%", " %")
