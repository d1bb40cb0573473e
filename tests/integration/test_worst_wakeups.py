# SPDX-License-Identifier: GPL-2.0-only
"""Boots that observe who blocks the worst wake-ups, from the regression of a tail on."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from tests.integration import bundles
from tests.integration.hardware_story import Story, farm
from tests.integration.search_lab import LAST
from tests.integration.tail_story import BENCHMARK, CONFIG, TailStory
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.report.data import blocker_data
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


#: Threads that block the worst wake-ups of a boot, by seed: of each boot the longer half counts.
SLOWER = {seed: {"kworker/1:0": 4, "hackbench": 1} for seed in range(1, 6)}
USUAL = {seed: {"hackbench": 5} for seed in range(1, 6)}


def told(story: TailStory, id_: int) -> str:
    """Make boots of both kernels that watch, and return the alert's text."""
    watched = [
        story.sample(story.commits[n], seed, "timerlat")
        for seed in range(1, sampled_plan.BOOTS + 1)
        for n in (0, LAST)
    ]
    done = CliRunner().invoke(
        main, ["profile-runs", str(id_), *map(str, watched), "--format", "json"],
        env=story.env,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    [(body,)] = story.conn.execute("SELECT body FROM alert").fetchall()
    return " ".join(body.split())


@pytest.mark.parametrize("blocks", [SLOWER, USUAL], ids=["blocked", "control"])
def test_alert_page_and_report_name_who_blocks_them_more_often_and_else_nobody(
    story: TailStory, monkeypatch: pytest.MonkeyPatch, blocks: dict[int, dict[str, int]]
) -> None:
    monkeypatch.setattr(catalogues, "of", lambda _settings: story.catalogue)
    story.blocked = {"base": USUAL, "new": blocks}
    id_ = Story.night(story)  # an alert stands on its own figures
    story.told([id_])
    body = told(story, id_)
    sentence = (
        "thread kworker blocked 15 of the 15 worst wake-ups, and 0 of 15 with base (5 + 5 boots)."
    )
    named = blocks is SLOWER
    assert (f"Worst wake-ups ({BENCHMARK}): {sentence}" in body) is named
    site = visitor(application(story.dsn, story.folder, catalogue=story.catalogue))
    page = read(site, f"/compare?id={id_}")
    assert (f"<p>{sentence}</p>" in page) is named
    assert ('id="blocked"' in page) is named
    report = CliRunner().invoke(
        main, ["report", "--comparison", str(id_), "--format", "text"], env=story.env
    )
    assert (f"{BENCHMARK}: {sentence}" in " ".join(report.output.split())) is named


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "control"])
def test_the_report_says_why_boots_that_watched_say_nothing(
    story: TailStory, monkeypatch: pytest.MonkeyPatch, cut: bool
) -> None:
    monkeypatch.setattr(catalogues, "of", lambda _settings: story.catalogue)
    story.blocked = {"base": USUAL, "new": USUAL}
    id_ = Story.night(story)
    story.told([id_])
    told(story, id_)
    if cut:
        blocker_data._read.cache_clear()
        for file in story.folder.glob(f"runs/timerlat-{story.commits[LAST][:12]}-*/raw/*lat.txt"):
            file.write_text("$ rtla timerlat top --aa-only US\n== end\n")
    report = CliRunner().invoke(
        main, ["report", "--comparison", str(id_), "--format", "text"], env=story.env
    )
    said = (
        "who blocked the worst wake-ups of 5 boots was not read: timerlat.txt:2: the benchmark"
        " ended before a run of rtla did; measure longer (duration_s)"
    )
    assert (said in " ".join(report.output.split())) is cut
