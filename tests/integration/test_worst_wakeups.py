# SPDX-License-Identifier: GPL-2.0-only
"""Boots that observe who blocks the worst wake-ups, from the regression of a tail on."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.hardware_story import farm
from tests.integration.tail_story import BENCHMARK, CONFIG, TailStory
from vlag.config.catalogue import Catalogue
from vlag.search import explain, sampled_plan
from vlag.search.asked import Plan
from vlag.store.database import Connection


@pytest.fixture
def story(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> TailStory:  # fmt: skip
    monkeypatch.setattr(bundles, "CONFIG", CONFIG)
    made = TailStory(conn=conn, dsn=dsn, catalogue=farm(catalogue), folder=tmp_path,
                     levels={0: 1.0, 6: 0.92})  # fmt: skip
    made.prepare()
    return made


def asked(story: TailStory, id_: int) -> Plan:
    settings = story.settings
    many = evolve(settings, profile=evolve(settings.profile, board_hours=99, boots=99))
    return explain.plan(story.conn, many, story.catalogue, [id_])


def test_a_tail_asks_for_boots_that_observe_it_between_samples_and_counters(
    story: TailStory,
) -> None:
    plan = asked(story, story.night())
    assert not plan.skipped
    assert {b["benchmark"] for b in plan.boots} == {BENCHMARK}
    each = [b["observes"] for b in plan.boots]
    boots = 2 * sampled_plan.BOOTS
    assert each == ["perf"] * boots + ["timerlat"] * boots + ["schedstats"] * boots


def test_kernels_without_the_tracer_are_skipped_and_the_option_is_named(
    story: TailStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: what else explains it goes on."""
    monkeypatch.setattr(bundles, "CONFIG", CONFIG.replace(b"TIMERLAT_TRACER=y", b"FTRACE=y"))
    id_ = story.night()
    plan = asked(story, id_)
    assert {b["observes"] for b in plan.boots} == {"perf", "schedstats"}
    [said] = plan.skipped
    assert said.startswith(
        f"comparison {id_}: {BENCHMARK}: {BENCHMARK} observing timerlat needs"
        " CONFIG_TIMERLAT_TRACER, which "
    )
