# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of stress-ng's stressors, for both of its file formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from attrs import Factory, frozen

from vlag.errors import ParseError
from vlag.model import Direction, Quantity, Sample

# A "MB" of stress-ng's has 2**20 bytes.
QUANTITIES: Mapping[str, Quantity] = {
    "bogo-ops-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "write-rate": Quantity(unit="MB/s", direction=Direction.HIGHER),
    "time-per-yield": Quantity(unit="ns", direction=Direction.LOWER),
    "time-per-switch": Quantity(unit="ns", direction=Direction.LOWER),
    "swapcontext-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "time-per-mutex": Quantity(unit="ns", direction=Direction.LOWER),
    "trywait-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "timedwait-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "wait-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "message-rate": Quantity(unit="1/s", direction=Direction.HIGHER),
    "queue-in": Quantity(unit="bytes", direction=Direction.LOWER),
    "queue-out": Quantity(unit="bytes", direction=Direction.LOWER),
}


@frozen(kw_only=True)
class Described:
    """A miscellaneous metric of a stressor, as stress-ng describes it."""

    description: str
    metric: str
    settings: Mapping[str, str] = Factory(dict)  # settings in the description
    mean: str = "mean"  # name of the setting that holds the aggregation
    zero: bool = False  # may be 0

    @property
    def key(self) -> str:
        """Return the name it has in the YAML file: cut to what its buffer holds."""
        kept = (c for c in self.description.lower() if c == " " or c.isalnum())
        return "".join(kept).replace(" ", "-")[:39]


@frozen
class Given:
    """A miscellaneous metric as a file gives it."""

    what: Described
    text: str  # the number as printed
    mean: str  # how it joins the instances
    line: int


_DESCRIBED: Mapping[str, tuple[Described, ...]] = {
    "context": (Described(description="swapcontext calls per sec", metric="swapcontext-rate"),),
    "mutex": (Described(description="nanosecs per mutex", metric="time-per-mutex"),),
    "pipe": (Described(description="MB per sec pipe write rate", metric="write-rate"),),
    "sem": (
        Described(description="sem_trywait calls per sec", metric="trywait-rate"),
        Described(description="sem_timedwait calls per sec", metric="timedwait-rate"),
        Described(description="sem_wait calls per sec", metric="wait-rate"),
    ),
    "sock": (
        Described(description="messages sent per sec", metric="message-rate"),
        Described(description="byte average out queue length", metric="queue-out", zero=True),
        # The one metric here that kept its geometric mean where others are harmonic.
        Described(
            description="byte average in queue length",
            metric="queue-in",
            mean="queue-in-mean",
            zero=True,
        ),
    ),
    "switch": tuple(
        Described(
            description=f"nanosecs per context switch ({method} method)",
            metric="time-per-switch",
            settings={"method": method},
        )
        for method in ("mq", "pipe", "sem-sysv")
    ),
    "yield": (Described(description="ns duration per sched_yield call", metric="time-per-yield"),),
}

# Sets of metrics beside the full one that some version prints: `sem` has had its lines
# since 0.15.07, `sock` its first since 0.15.09 and the others since 0.17.
_FEWER: Mapping[str, tuple[frozenset[str], ...]] = {
    "sem": (frozenset(),),
    "sock": (
        frozenset(),
        frozenset({"message-rate"}),
        frozenset({"message-rate", "queue-out"}),
    ),
}

# Stressors whose rate alone is not enough.
_NEEDED = ("switch",)


def is_known(stressor: str) -> bool:
    """Return whether the stressor's miscellaneous metrics are known; its rate always is."""
    return stressor in _DESCRIBED


def by_description(stressor: str, description: str) -> Described | None:
    """Return the metric that the log describes so."""
    return next((d for d in _DESCRIBED[stressor] if d.description == description), None)


def by_key(stressor: str, key: str) -> Described | None:
    """Return the metric under this key of the YAML file."""
    return next((d for d in _DESCRIBED[stressor] if d.key == key), None)


def number(text: str, what: str, path: str, line: int, *, zero: bool = False) -> float:
    """Return a figure; raise ParseError unless it is above 0, or 0 where that may be."""
    if "e" in text.lower():
        raise ParseError(
            f"{what} is {text}, which has too few digits; run stress-ng without --sn",
            path=path,
            line=line,
        )
    value = float(text)
    if not (math.isfinite(value) and (value > 0 or (zero and value == 0))):
        least = "of 0 or more" if zero else "above 0"
        raise ParseError(
            f"{what} is {text}, where a number {least} must stand", path=path, line=line
        )
    return value


def rate(operations: str, seconds: str, text: str, path: str, line: int) -> Sample:
    """Return `bogo-ops-rate`, which must be the operations by the seconds of real time.

    Raises ParseError where the three figures contradict each other beyond the rounding
    of the seconds and of the rate.
    """
    value = number(text, "bogo-ops-rate", path, line)
    count, time = int(operations), float(seconds)
    half_step = 0.5 * 10.0 ** -len(seconds.partition(".")[2])
    rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
    lowest, highest = value - rounding, value + rounding
    if not lowest * (time - half_step) <= count <= highest * (time + half_step):
        raise ParseError(
            f"{count} operations in {seconds} s cannot be {text} a second", path=path, line=line
        )
    return Sample(metric="bogo-ops-rate", values=(value,), instances=("",))


def _settle(settings: dict[str, str], given: Given, path: str) -> None:
    for name, setting in {given.what.mean: given.mean, **given.what.settings}.items():
        if settings.setdefault(name, setting) != setting:
            raise ParseError(
                f"the {name} is both {settings[name]} and {setting}", path=path, line=given.line
            )


def miscellaneous(
    stressor: str,
    figures: Iterable[Given],
    *,
    optional: bool,
    needed: bool = True,
    path: str,
    end: int,
) -> tuple[Sequence[Sample], dict[str, str]]:
    """Return the samples and settings of a stressor's miscellaneous metrics.

    `optional`: the file may leave them all out, as --metrics-brief does.  `needed`: but not
    those of a stressor whose rate alone is not enough.
    Raises ParseError for a duplicate or missing metric, and for settings that contradict
    each other.
    """
    samples: dict[str, Sample] = {}
    settings: dict[str, str] = {}
    for given in figures:
        metric = given.what.metric
        if metric in samples:
            raise ParseError(f"{metric} is given twice", path=path, line=given.line)
        _settle(settings, given, path)
        value = number(given.text, metric, path, given.line, zero=given.what.zero)
        samples[metric] = Sample(metric=metric, values=(value,), instances=("",))
    every = dict.fromkeys(d.metric for d in _DESCRIBED.get(stressor, ()))
    left_out = optional and not samples and not (needed and stressor in _NEEDED)
    complete = samples.keys() == every.keys() or samples.keys() in _FEWER.get(stressor, ())
    if not (complete or left_out):
        missing = next(metric for metric in every if metric not in samples)
        raise ParseError(
            f"the miscellaneous line that gives {missing} is missing; "
            "run stress-ng with --metrics, not --metrics-brief",
            path=path,
            line=end,
        )
    return tuple(samples.values()), settings
