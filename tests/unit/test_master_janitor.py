# SPDX-License-Identifier: GPL-2.0-only
# mypy: ignore-errors
# Buildbot has no types.
"""What is removed by whom: Buildbot's janitor old logs, `vlag gc` raw files and old builds."""

from __future__ import annotations

import pytest
from attrs import evolve

from master.schedulers import Janitor
from vlag import ROOT, config
from vlag.config import Gc, Settings


@pytest.fixture
def settings() -> Settings:
    return config.load(ROOT / "vlag.toml")


def steps(settings: Settings) -> list[str]:
    made = {"builders": [], "schedulers": [], "workers": [], "protocols": {}}
    Janitor(settings).configure(made)
    [builder] = made["builders"]
    assert [s.name for s in made["schedulers"]] == ["__Janitor"]
    return [step.step_class.__name__ for step in builder.factory.steps]


def test_the_service_calls_gc_each_day_if_the_settings_have_a_rule(settings: Settings) -> None:
    assert steps(settings) == ["LogChunksJanitor", "Collect"]
    assert steps(evolve(settings, gc=Gc())) == ["LogChunksJanitor", "Collect"]
    # Negative control: an installation whose settings have none keeps everything.
    assert steps(evolve(settings, gc=None)) == ["LogChunksJanitor"]
