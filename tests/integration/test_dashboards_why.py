# SPDX-License-Identifier: GPL-2.0-only
"""The panels that say why: from profiles of real boots (tests/data/profile)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import fresh_database
from tests.integration import profiled
from tests.integration.grafana import Filled, check, opened
from vlag.config.catalogue import Catalogue

FUNCTIONS, DECISIONS = "Why: functions by difference", "Why: decisions by rate"


@pytest.fixture
def explained(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> Iterator[Filled]:
    """A comparison whose one change has a profile."""
    for conn, reader in opened(fresh_database(cluster, template)):
        of = profiled.compared(conn, catalogue, tmp_path)
        profiled.store(conn, catalogue, of)
        yield Filled(conn=conn, reader=reader, comparisons=[of.id])


def test_a_profiled_comparison_says_why(explained: Filled) -> None:
    found = check(explained.reader, "vlag-compare")
    assert found[f"panel 7 {FUNCTIONS} (A)"] == 20
    assert found[f"panel 8 {DECISIONS} (A)"] > 10
    functions = explained.reader.panel("vlag-compare", FUNCTIONS)
    assert (functions[0]["function"], functions[0]["sure"]) == ("pick_task_fair", "sure")
    assert functions[0]["change"] == pytest.approx(160.4, abs=0.1)
    assert {f["sure"] for f in functions[1:]} == {"not sure"}
    decisions = explained.reader.panel("vlag-compare", DECISIONS)
    assert decisions[0]["decision"] == "context switches"
    assert {d["sure"] for d in decisions} == {"not sure"}


def test_a_sure_decision_comes_first_and_no_count_is_no_zero(explained: Filled) -> None:
    rows = [
        {"what": "ticks", "base": None, "new": 0.5, "certain": False},
        {"what": "migrations", "base": 0.1, "new": 0.4, "certain": True},
        # As an earlier version has stored it.
        {"what": "wake-ups", "base": 1.0, "new": 1.5},
    ]
    explained.conn.execute("UPDATE profile SET decisions = %s", (json.dumps(rows),))
    found = explained.reader.panel("vlag-compare", DECISIONS)
    assert [(d["decision"], d["sure"]) for d in found] == [
        ("migrations", "sure"),
        ("ticks", "not sure"),
        ("wake-ups", "not sure"),
    ]
    assert (found[1]["base"], found[1]["new"], found[1]["change"]) == (None, 0.5, None)


def test_a_comparison_without_a_profile_says_nothing(explained: Filled) -> None:
    """Negative control."""
    explained.conn.execute("DELETE FROM profile")
    found = check(explained.reader, "vlag-compare")
    assert found[f"panel 7 {FUNCTIONS} (A)"] == found[f"panel 8 {DECISIONS} (A)"] == 0
