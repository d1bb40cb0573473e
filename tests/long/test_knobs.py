"""Toggles on real kernels: a hidden feature is found, and a longer path has no cause among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.night.clone import Night, shared_night
from tests.night.conftest import database

pytestmark = pytest.mark.long

BOOT = ("--board", "sim2-1", "--benchmark", "stress-ng-switch", "--format", "json")
SLOW = "sched_features=SLOW_SWITCH"


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared, database(shared):
        yield shared


def kernel(night: Night, application: str) -> str:
    """Build a known regression, or the branch itself, store it, and return its folder."""
    series = () if application == "none" else ("--series", "known-regressions",
                                               "--application", application)  # fmt: skip
    words = ("build", "--tree", "debian", "--ref", "linux-6.12", *series)
    built = night.answer((*words, "--board-type", "qemu-sim-2", "--format", "json"))
    night.vlag("ingest", built["bundle"])
    return str(built["bundle"])


def booted(night: Night, folder: str, *knobs: str) -> None:
    for seed in range(1, 6):
        words = ("run", folder, *BOOT, "--seed", str(seed), "--reuse", *knobs)
        night.vlag("ingest", night.answer(words)["bundle"])


def toggled(night: Night, *compared: str) -> dict[str, Any]:
    """Compare, and try all toggles on what got worse."""
    # These patches predict it: what comes out as predicted is no failure.
    words = ("compare", *compared, "--benchmark", "stress-ng-switch", "--format", "json")
    found = json.loads(night.vlag(*words).stdout)
    return night.answer(("knobs", "--comparison", str(found["comparison"]), "--format", "json"))


def test_a_hidden_feature_is_named(night: Night) -> None:
    folder = kernel(night, "solo(6)")
    booted(night, folder)
    booted(night, folder, "--knob", SLOW)
    name = "linux-6.12+known-regressions:solo(6)"
    found = toggled(night, name, name, "--new-knob", SLOW)
    assert found["answer"] == "accounted for"
    causes = [t for t in found["toggles"] if t["role"] == "accounts for it"]
    assert [t["name"] for t in causes] == ["SLOW_SWITCH"]
    assert causes[0]["share"] == pytest.approx(1, abs=0.1)


def roles(found: dict[str, Any], *chosen: str) -> dict[str, str]:
    """Return the toggles in these roles."""
    return {t["name"]: t["role"] for t in found["toggles"] if t["role"] in chosen}


def test_a_longer_wake_up_has_no_toggle(night: Night) -> None:
    """Negative control: every switch of the kernel is tried, and none is blamed."""
    booted(night, kernel(night, "none"))
    booted(night, kernel(night, "solo(3)"))
    found = toggled(night, "linux-6.12", "linux-6.12+known-regressions:solo(3)")
    assert len(found["toggles"]) > 20
    assert roles(found, "accounts for it", "a way around it") == {}
    assert found["answer"] in ("nothing recovers it", "too few boots to say")


def test_a_longer_pick_has_a_way_around_and_no_cause(night: Night) -> None:
    """A woken buddy is picked without the longer search, so that NEXT_BUDDY avoids it."""
    booted(night, kernel(night, "none"))
    booted(night, kernel(night, "solo(2)"))
    found = toggled(night, "linux-6.12", "linux-6.12+known-regressions:solo(2)")
    assert len(found["toggles"]) > 20
    assert roles(found, "accounts for it") == {}
    assert "sched_features=NEXT_BUDDY" in roles(found, "a way around it")
    assert found["answer"] in ("a way around it", "too few boots to say")
