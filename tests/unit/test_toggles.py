# SPDX-License-Identifier: GPL-2.0-only
"""Which toggles a kernel has, by what its boots print of their state."""

from __future__ import annotations

import pytest

from vlag.compare.toggle_settings import Setting, single
from vlag.errors import UsageError
from vlag.search.toggle_days import groups
from vlag.search.toggles import ALL, NEW, NOTHING, Selection, switches

FEATURES = "/sys/kernel/debug/sched/features"
PREEMPT = "/sys/kernel/debug/sched/preempt"
BASE = {FEATURES: "START_DEBIT NO_HRTICK WA_IDLE", PREEMPT: "none voluntary (full)"}
NEW_ONE = {
    FEATURES: "PLACE_LAG DELAY_DEQUEUE NO_HRTICK WA_IDLE",
    PREEMPT: "none voluntary full (lazy)",
}


def test_every_feature_and_mode_is_toggled_once_those_of_the_new_kernel_first() -> None:
    found = switches(BASE, NEW_ONE)
    assert [(t.name, t.setting.within({}), t.on_base) for t in found] == [
        ("PLACE_LAG", {"sched_features": "NO_PLACE_LAG"}, False),
        ("DELAY_DEQUEUE", {"sched_features": "NO_DELAY_DEQUEUE"}, False),
        ("preempt=full", {"preempt": "full"}, False),  # the base is in it
        ("sched_features=HRTICK", {"sched_features": "HRTICK"}, True),
        ("WA_IDLE", {"sched_features": "NO_WA_IDLE"}, True),
        ("preempt=none", {"preempt": "none"}, True),
        ("preempt=voluntary", {"preempt": "voluntary"}, True),
    ]


def test_a_selection_takes_names_and_those_that_the_baseline_lacks() -> None:
    def names(**of: list[str]) -> list[str]:
        return [t.name for t in switches(BASE, NEW_ONE, Selection(**of))]

    assert names(features=[NEW], preempt=[NOTHING]) == ["PLACE_LAG", "DELAY_DEQUEUE"]
    assert names(features=["WA_IDLE"], preempt=["none"]) == ["WA_IDLE", "preempt=none"]
    assert names(features=[NOTHING], preempt=[NEW]) == []  # lazy is the active one
    with pytest.raises(UsageError, match="no feature 'START_DEBIT' to toggle; it has: PLACE_LAG"):
        names(features=["START_DEBIT"])
    with pytest.raises(UsageError, match="no preempt mode 'lazy' to toggle"):
        names(preempt=["lazy"])


def test_knobs_of_each_side_stay_beside_the_toggle() -> None:
    found = switches({FEATURES: "HRTICK"}, {FEATURES: "SLOW HRTICK"})
    own = {"sched_features": "SLOW HRTICK", "nr_cpus": "2"}
    assert [(t.name, t.setting.within(own)) for t in found] == [
        ("SLOW", {"sched_features": "NO_SLOW HRTICK", "nr_cpus": "2"}),
        ("HRTICK", {"sched_features": "SLOW NO_HRTICK", "nr_cpus": "2"}),
    ]
    assert found[1].setting.within({}) == {"sched_features": "NO_HRTICK"}


def test_what_the_base_has_in_another_state_is_no_such_step_there() -> None:
    """What is off on the new kernel only is on on the base already."""
    here = {FEATURES: "NO_HRTICK WA_IDLE", PREEMPT: "none voluntary (full)"}
    there = {FEATURES: "HRTICK WA_IDLE", PREEMPT: "none (voluntary) full"}
    assert {t.name: t.on_base for t in switches(there, here)} == {
        "sched_features=HRTICK": False,
        "WA_IDLE": True,
        "preempt=none": True,
        "preempt=voluntary": False,
    }


@pytest.mark.parametrize(
    ("own", "other", "setting"),
    [
        ("", "NO_A", "NO_A"),
        ("NO_A", "NO_A B", "B"),
        ("NO_A", "A", "A"),
        ("NO_A", "", None),  # what it is by itself is unknown
        ("B NO_A", "NO_A B", None),  # the same state
        ("NO_A", "B", None),  # A is as it is by itself, and B is on as well
        ("", "NO_A B", None),
    ],
)
def test_boots_that_differ_in_two_features_are_no_toggle(
    own: str, other: str, setting: str | None
) -> None:
    found = single({"sched_features": own}, {"sched_features": other})
    assert found == (None if setting is None else Setting("sched_features", setting))


def test_other_knobs_are_compared_whole() -> None:
    assert single({}, {"preempt": "full"}) == Setting("preempt", "full")
    assert single({"preempt": "full"}, {}) is None  # what it is by itself is unknown
    assert single({"preempt": "full"}, {"preempt": "full", "sched_features": "A"}) == Setting(
        "sched_features", "A"
    )
    assert single({"preempt": "full"}, {"preempt": "none", "sched_features": "A"}) is None


@pytest.mark.parametrize("text", ["", "unreadable: Operation not permitted", "none full"])
def test_what_cannot_be_read_is_no_mode(text: str) -> None:
    """Negative control: nothing is toggled that the kernel does not name."""
    found = switches({}, {FEATURES: "", PREEMPT: text}, Selection(features=[ALL]))
    assert found == []


SLICE = "/sys/kernel/debug/sched/base_slice_ns"


def test_a_slice_is_that_of_the_base_and_that_of_a_field_report() -> None:
    there, here = {FEATURES: "WA_IDLE", SLICE: "3000000\n"}, {FEATURES: "WA_IDLE", SLICE: "2800000"}
    found = [t for t in switches(there, here) if t.setting.knob == "base_slice_ns"]
    assert [(t.name, t.on_base) for t in found] == [
        ("base_slice_ns=3000000", False),  # the base has it, and not the new kernel's
        ("base_slice_ns=400000", False),
    ]
    # What neither kernel has leads around; what the base has is what makes them differ.
    assert [t.setting.is_added(there) for t in found] == [False, True]
    # Both have the same: the base is booted with a report's as well.
    [same] = [t for t in switches(here, here) if t.setting.knob == "base_slice_ns"]
    assert (same.name, same.on_base) == ("base_slice_ns=400000", True)


def test_no_slice_is_tried_where_none_is_shown_or_features_are_named() -> None:
    """Negative control."""
    here = {FEATURES: "WA_IDLE", SLICE: "unreadable: Operation not permitted"}
    assert [t.name for t in switches({SLICE: "3000000"}, here)] == ["WA_IDLE"]
    here = {FEATURES: "WA_IDLE", SLICE: "2800000"}
    assert switches({SLICE: "3000000"}, here, Selection(features=[NOTHING])) == []


def test_toggles_of_field_reports_are_the_first_group() -> None:
    here = {FEATURES: "A B C D E F G DELAY_DEQUEUE", PREEMPT: "none (full) lazy"}
    tried = [[t.name for t in group] for group in groups(switches({}, here))]
    assert tried[0] == ["DELAY_DEQUEUE", "preempt=lazy"]
    assert [len(group) for group in tried] == [2, 8, 10]
    assert tried[-1][:2] == tried[0]
    assert groups([]) == []
