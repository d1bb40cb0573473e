# SPDX-License-Identifier: GPL-2.0-only
"""Settings of the scheduler that boots differ in: one feature, one preempt mode, one knob."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import frozen

#: Where a boot's environment has the scheduler's features, and its preempt modes.
FEATURES = "/sys/kernel/debug/sched/features"
PREEMPT = "/sys/kernel/debug/sched/preempt"
#: The knob with the slice that a task has by itself, in nanoseconds.
SLICE = "base_slice_ns"

Environment = Mapping[str, str]  # what a boot printed of its state: path -> text
Knobs = Mapping[str, str]

_FEATURES_KNOB = "sched_features"


@frozen
class Setting:
    """One knob with a value; of `sched_features` one feature: "NAME" or "NO_NAME"."""

    knob: str
    value: str

    @property
    def name(self) -> str:
        """Return a toggle's name: a feature by itself where it is switched off."""
        if self.knob == _FEATURES_KNOB and self.value.startswith("NO_"):
            return self.feature
        return f"{self.knob}={self.value}"

    @property
    def feature(self) -> str:
        """Return the feature's name, whatever its state; "" for another knob."""
        return self.value.removeprefix("NO_") if self.knob == _FEATURES_KNOB else ""

    def within(self, knobs: Knobs) -> Knobs:
        """Return knobs with this setting, and all others as they are."""
        if self.knob != _FEATURES_KNOB:
            return {**knobs, self.knob: self.value}
        words = {**_words(knobs.get(self.knob, "")), **_words(self.value)}
        return {**knobs, self.knob: " ".join(words.values())}

    def is_set_alike(self, base: Knobs, new: Knobs) -> bool:
        """Return whether the knobs of both sides say the same of what this setting sets."""
        return self._value_in(base) == self._value_in(new)

    def is_shared(self, base: Environment, new: Environment) -> bool:
        """Return whether boots of both sides show what it sets, in the same state."""
        if self.knob == "preempt":
            there, here = preempt_modes(base), preempt_modes(new)
            return self.value in there and there.get(self.value) == here.get(self.value)
        if not self.feature:
            return tunable(base, self.knob) is not None and (
                tunable(base, self.knob) == tunable(new, self.knob)
            )
        state = features(base).get(self.feature)
        return state is not None and state == features(new).get(self.feature)

    def is_added(self, base: Environment) -> bool:
        """Return whether it is a state that the base does not have: a feature on, a slice.

        Nor does the new kernel have it, or it would be no toggle.  What only the base has is what
        makes the two differ.
        """
        there = features(base)
        if self.knob.endswith("_ns"):
            return bool(there) and tunable(base, self.knob) != self.value
        return self.value == self.feature and bool(there) and not there.get(self.feature)

    def _value_in(self, knobs: Knobs) -> str | None:
        value = knobs.get(self.knob)
        return _words(value or "").get(self.feature) if self.feature else value


def single(own: Knobs, other: Knobs) -> Setting | None:
    """Return the one setting in which other knobs differ from one's own, or None.

    What a knob or a feature is where only one's own knobs name it is unknown.
    """
    differing = [knob for knob in {**own, **other} if own.get(knob) != other.get(knob)]
    if len(differing) != 1:
        return None
    [knob] = differing
    if knob != _FEATURES_KNOB:
        return Setting(knob, other[knob]) if knob in other else None
    mine, theirs = (_words(knobs.get(knob, "")) for knobs in (own, other))
    words = [word for name, word in theirs.items() if mine.get(name) != word]
    return Setting(knob, words[0]) if len(words) == 1 and mine.keys() <= theirs.keys() else None


def features(environment: Environment) -> dict[str, bool]:
    """Return the scheduler's features, and whether each is on; nothing where they are unread."""
    text = environment.get(FEATURES, "")
    words = {} if text.startswith("unreadable") else _words(text)
    return {name: word == name for name, word in words.items()}


def preempt_modes(environment: Environment) -> dict[str, bool]:
    """Return the preempt modes, and whether each is the active one; nothing where unread."""
    text = environment.get(PREEMPT, "")
    if not re.fullmatch(r"[a-z() ]*\([a-z]+\)[a-z ]*", text):
        return {}
    return {word.strip("()"): word.startswith("(") for word in text.split()}


def tunable(environment: Environment, knob: str) -> str | None:
    """Return the number that a tunable of the scheduler has; None where it is unread."""
    text = environment.get(f"/sys/kernel/debug/sched/{knob}", "").strip()
    return text if text.isdigit() else None


def _words(value: str) -> dict[str, str]:
    """Return the features that a value sets: name -> "NAME" or "NO_NAME"."""
    return {word.removeprefix("NO_"): word for word in value.split()}
