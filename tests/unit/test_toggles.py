# SPDX-License-Identifier: GPL-2.0-only
"""Which toggles a kernel has, by what its boots print of their state."""

from __future__ import annotations

import pytest

from vlag.errors import UsageError
from vlag.search.toggles import ALL, NEW, NOTHING, Selection, switches

FEATURES = "/sys/kernel/debug/sched/features"
PREEMPT = "/sys/kernel/debug/sched/preempt"
BASE = {FEATURES: "START_DEBIT NO_HRTICK WA_IDLE", PREEMPT: "none voluntary (full)"}
NEW_ONE = {
    FEATURES: "PLACE_LAG DELAY_DEQUEUE NO_HRTICK WA_IDLE",
    PREEMPT: "none voluntary full (lazy)",
}


def test_every_feature_and_mode_is_toggled_once_those_of_the_new_kernel_first() -> None:
    found = switches(BASE, NEW_ONE, {})
    assert [(t.name, dict(t.knobs), t.on_base) for t in found] == [
        ("PLACE_LAG", {"sched_features": "NO_PLACE_LAG"}, False),
        ("DELAY_DEQUEUE", {"sched_features": "NO_DELAY_DEQUEUE"}, False),
        ("sched_features=HRTICK", {"sched_features": "HRTICK"}, True),
        ("WA_IDLE", {"sched_features": "NO_WA_IDLE"}, True),
        ("preempt=none", {"preempt": "none"}, True),
        ("preempt=voluntary", {"preempt": "voluntary"}, True),
        ("preempt=full", {"preempt": "full"}, True),
    ]


def test_a_selection_takes_names_and_those_that_the_baseline_lacks() -> None:
    def names(**of: list[str]) -> list[str]:
        return [t.name for t in switches(BASE, NEW_ONE, {}, Selection(**of))]

    assert names(features=[NEW], preempt=[NOTHING]) == ["PLACE_LAG", "DELAY_DEQUEUE"]
    assert names(features=["WA_IDLE"], preempt=["full"]) == ["WA_IDLE", "preempt=full"]
    assert names(features=[NOTHING], preempt=[NEW]) == []  # lazy is the active one
    with pytest.raises(UsageError, match="no feature 'START_DEBIT' to toggle; it has: PLACE_LAG"):
        names(features=["START_DEBIT"])
    with pytest.raises(UsageError, match="no preempt mode 'lazy' to toggle"):
        names(preempt=["lazy"])


def test_knobs_of_the_comparison_stay_beside_the_toggle() -> None:
    on = {FEATURES: "SLOW HRTICK"}
    found = switches({FEATURES: "HRTICK"}, on, {"sched_features": "SLOW HRTICK"})
    assert [(t.name, dict(t.knobs)) for t in found] == [
        ("sched_features=HRTICK NO_SLOW", {"sched_features": "HRTICK NO_SLOW"}),
        ("sched_features=SLOW NO_HRTICK", {"sched_features": "SLOW NO_HRTICK"}),
    ]
    [slow] = switches({}, {FEATURES: "SLOW"}, {"sched_features": "SLOW"})
    assert (slow.name, dict(slow.knobs)) == ("SLOW", {"sched_features": "NO_SLOW"})


@pytest.mark.parametrize("text", ["", "unreadable: Operation not permitted", "none full"])
def test_what_cannot_be_read_is_no_mode(text: str) -> None:
    """Negative control: nothing is toggled that the kernel does not name."""
    found = switches({}, {FEATURES: "", PREEMPT: text}, {}, Selection(features=[ALL]))
    assert found == []
