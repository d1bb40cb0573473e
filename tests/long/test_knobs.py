# SPDX-License-Identifier: GPL-2.0-only
"""Toggles on real kernels: a hidden feature is found, and a longer path has no cause among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.long.history import Index
from tests.night.clone import Night, shared_night
from tests.night.database import database

pytestmark = pytest.mark.long

BOOT = ("--board", "sim2-1", "--benchmark", "stress-ng-switch", "--format", "json")
SLOW = "sched_features=SLOW_SWITCH"


@pytest.fixture(scope="module")
def night() -> Iterator[Night]:
    with shared_night() as shared, database(shared):
        yield shared


def kernel(night: Night, application: str, ref: str = "linux-6.12") -> str:
    """Build a known regression, or a commit as it is, store it, and return its folder."""
    series = () if application == "none" else ("--series", "known-regressions",
                                               "--application", application)  # fmt: skip
    words = ("build", "--tree", "debian", "--ref", ref, *series)
    built = night.answer((*words, "--board-type", "qemu-sim-2", "--format", "json"))
    night.vlag("ingest", built["bundle"])
    return str(built["bundle"])


def booted(night: Night, folder: str, *knobs: str) -> None:
    for seed in range(1, 6):
        words = ("run", folder, *BOOT, "--seed", str(seed), "--reuse", *knobs)
        night.vlag("ingest", night.answer(words)["bundle"])


def toggled(night: Night, *compared: str) -> dict[str, Any]:
    """Compare, and try all toggles on what got worse."""
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


def slow_switch(night: Night, file: Path) -> str:
    """Return a commit in which each switch to another task takes a long detour."""
    index = Index(mirror=night.state / "mirrors" / "debian.git", file=file)
    parent = index.read("linux-6.12^{commit}")
    first = b"\tprepare_task_switch(rq, prev, next);\n"
    detour = b"\n\tfor (int i = 0; i < 400; i++)\n\t\tbarrier();\n"
    index.edit("core", lambda text: text.replace(first, first + detour, 1))
    return index.commit(parent, "sched/core: take a detour at each switch")


def test_a_longer_switch_has_no_toggle(night: Night, tmp_path: Path) -> None:
    """Negative control: every toggle of the kernel is tried, and none is blamed.

    Of a loss of two percent even a toggle that only shifts decisions may take back half.
    """
    slow = slow_switch(night, tmp_path / "index")
    booted(night, kernel(night, "none"))
    booted(night, kernel(night, "none", slow))
    found = toggled(night, "linux-6.12", slow)
    assert len(found["toggles"]) > 20
    assert roles(found, "accounts for it", "a way around it") == {}
    assert found["answer"] == "nothing recovers it"


def test_a_longer_pick_has_a_way_around_and_no_cause(night: Night) -> None:
    """A woken buddy is picked without the longer search, so that NEXT_BUDDY avoids it."""
    booted(night, kernel(night, "none"))
    booted(night, kernel(night, "solo(2)"))
    found = toggled(night, "linux-6.12", "linux-6.12+known-regressions:solo(2)")
    assert len(found["toggles"]) > 20
    assert roles(found, "accounts for it") == {}
    assert "sched_features=NEXT_BUDDY" in roles(found, "a way around it")
    assert found["answer"] in ("a way around it", "too few boots to say")
