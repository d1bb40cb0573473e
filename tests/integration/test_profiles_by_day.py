# SPDX-License-Identifier: GPL-2.0-only
"""Cycles that the service samples by itself on boards of a lab, a day's board hours at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from tests.integration.hardware_story import BOARDS, Story, farm
from tests.integration.planted import planted
from tests.integration.search_lab import LAST
from tests.integration.webpages import read
from tests.integration.websites import application, visitor
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.model import Board
from vlag.pipeline import lab_boards, side_by_side
from vlag.pipeline.lab_boards import BoardPool
from vlag.search import explain, sampled_plan
from vlag.search.asked import Plan
from vlag.store import comparisons
from vlag.store.database import Connection

#: About five boots: a boot on record took ten times as long as it was reckoned to take.
HOURS = 1.0
NOTHING = Plan(boots=[], comparisons=[], skipped=[])


@pytest.fixture
def story(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Story:  # fmt: skip
    made = Story(conn=conn, dsn=dsn, catalogue=farm(catalogue), folder=tmp_path,
                 levels={0: 1.0, 6: 0.92})  # fmt: skip
    made.prepare()
    monkeypatch.setattr(catalogues, "of", lambda _settings: made.catalogue)
    return made


def command(story: Story, *words: object) -> Result:
    done = CliRunner().invoke(main, [*map(str, words), "--format", "json"], env=story.env)
    assert done.exit_code == 0, done.output
    return done


def answer(done: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def body(story: Story) -> str:
    [(text,)] = story.conn.execute("SELECT body FROM alert").fetchall()
    return " ".join(text.split())


def test_a_regression_is_sampled_a_day_at_a_time_and_its_alert_names_the_function(
    story: Story,
) -> None:
    id_ = story.night()
    story.told([id_])
    settings = story.settings
    few = evolve(settings, profile=evolve(settings.profile, board_hours=HOURS))

    def asked() -> Plan:
        return explain.plan(story.conn, few, story.catalogue, [id_])

    first = asked()
    assert 2 <= len(first.boots) < 2 * sampled_plan.BOOTS
    ends = [story.kernel(story.commits[n])["digest"] for n in (0, LAST)]
    # Base and new in turns, so that what a day leaves undone is of both.
    assert [b["kernel"] for b in first.boots[:4]] == [*ends, *ends[::-1]]
    assert {(b["observes"], b["board_type"]) for b in first.boots} == {("perf", "rpi5")}
    bundles = story.made(first.boots)
    # Those of the last 24 hours have used what the settings allow.
    with planted(story.conn):
        story.conn.execute("UPDATE run SET plan = NULL, started_at = now() - interval '65 minutes',"
                           " finished_at = now() - interval '1 hour'")  # fmt: skip
    [said] = asked().skipped
    assert said == (
        f"comparison {id_}: stress-ng-switch: the settings allow profiles 1 board hours of rpi5 in"
        " 24 hours, and these are used; they go on after a later night"
    )
    with planted(story.conn):
        story.conn.execute(
            "UPDATE run SET started_at = started_at - interval '25 hours',"
            " finished_at = finished_at - interval '25 hours'"
        )
    # As the master's step does at the end of that day's boots: too few say nothing.
    done = answer(command(story, "profile-runs", id_, *bundles))
    assert done["sentences"] == {}
    assert "boots of base and new have samples, 5 each are needed" in done["skipped"][0]
    assert "Function:" not in body(story)
    # Other days: what open alerts stand on goes on without being named.
    for _ in range(9):
        if not (again := answer(command(story, "profile-boots", "--standing")))["boots"]:
            break
        story.made(again["boots"])
    # The boots are on record, and the builder ended before it had stored their profile.
    assert again["boots"] == []
    assert "Function: " in body(story)
    assert "cpu-clock a switch, sampled (stress-ng-switch)" in body(story)
    assert explain.plan(story.conn, settings, story.catalogue, [id_]) == NOTHING
    assert sampled_plan.complete(story.conn, settings, story.catalogue, [id_]) == []


def test_what_is_no_regression_asks_for_nothing_and_a_board_without_a_pmu_counts(
    story: Story,
) -> None:
    """Negative control."""
    story.levels = {0: 1.0, 6: 1.08}
    id_ = story.night()
    comparison = comparisons.by_id(story.conn, id_)
    assert comparison is not None
    assert {v.verdict for v in comparisons.verdicts(story.conn, id_)} == {"IMPROVEMENT"}
    assert explain.plan(story.conn, story.settings, story.catalogue, [id_]) == NOTHING
    with planted(story.conn):
        story.conn.execute("UPDATE verdict SET verdict = 'REGRESSION'")
    assert explain.plan(story.conn, story.settings, story.catalogue, [id_]).boots
    kind = evolve(story.catalogue.board_type("rpi5"), hardware=())
    blind = evolve(story.catalogue, board_types={**story.catalogue.board_types, kind.name: kind})
    # Without a PMU the scheduler's counters are left, which the kernel keeps by itself.
    many = evolve(story.settings, profile=evolve(story.settings.profile, board_hours=99))
    counting = explain.plan(story.conn, many, blind, [id_]).boots
    assert [b["observes"] for b in counting] == ["schedstats"] * 2 * sampled_plan.BOOTS
    assert sampled_plan.complete(story.conn, story.settings, blind, [id_]) == []
    runs = story.made(counting)
    assert sampled_plan.collect(story.conn, blind, comparison, runs).answers == []
    assert explain.plan(story.conn, story.settings, blind, [id_]) == NOTHING


@pytest.mark.parametrize("counts", [{"sched_goidle": 1.6, "ttwu_local": 0.5}, {}])
def test_the_page_of_an_alert_has_the_counters_of_such_boots(
    story: Story, counts: Mapping[str, float]
) -> None:
    """The second one is the control: both kernels count alike."""
    story.counts = counts
    id_ = story.night()
    story.told([id_])
    story.sampled(id_)
    observed = story.conn.execute(
        "SELECT kernel, count(*) FROM run WHERE observes = 'schedstats' GROUP BY 1"
    ).fetchall()
    assert [n for _, n in observed] == [sampled_plan.BOOTS] * 2
    [(alert,)] = story.conn.execute("SELECT id FROM alert").fetchall()
    site = visitor(application(story.dsn, story.folder, catalogue=story.catalogue))
    page = read(site, f"/alert?id={alert}")
    named = re.findall(
        r'<tr><th scope="row">(\w+)</th><td>stress-ng-switch, an operation</td>'
        r"<td>[\d.,]+</td><td>[\d.,]+</td><td>([+-][\d.]+) %</td><td>\[([+-].*?)\]</td>"
        r"<td>5 \+ 5 observing boots</td>",
        page,
    )
    assert {name for name, *_ in named} == set(counts)
    for name, change, interval in named:
        low, high = map(float, interval.split(", "))
        assert low <= float(change) <= high
        # The slower kernel did 0.92 times the operations.
        assert low < 100 * (counts[name] / 0.92 - 1) < high


def test_two_builds_are_sampled_on_boards_of_a_lab(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    for commit in (story.commits[0], story.commits[LAST]):
        story.build(commit)
    boards = [b for b in story.catalogue.boards if b.name in BOARDS]
    made: list[tuple[str, str, int]] = []

    def boot(
        kernel: Path, board: Board, *, seed: int, observes: str, knobs: Mapping[str, str], **_: Any
    ) -> dict[str, Any]:
        commit = next(c for c in story.asked if story.named(c) == kernel.name)
        made.append((kernel.name, board.name, seed))
        return {"outcome": "complete", "bundle": str(story.sample(commit, seed, observes))}

    monkeypatch.setattr(lab_boards, "pool", lambda *_: BoardPool(boards))
    monkeypatch.setattr(side_by_side, "boot", boot)
    base, new = (story.folder / "builds" / story.named(story.commits[n]) for n in (0, LAST))
    words = ["profile", str(base), str(new), "--benchmark", "stress-ng-switch"]
    found = answer(command(story, *words, "--board-type", "rpi5"))
    assert found["boots"] == [3, 3]
    assert found["kernel"]["change"] > 0
    # Base and new of a seed share a board.
    assert all(len({b for _, b, s in made if s == seed}) == 1 for seed in (1, 2, 3))
    assert len(made) == 6
    assert story.conn.execute("SELECT count(*) FROM sampled_profile").fetchone() == (0,)
    for given, said in (
        (["--board-type", "qemu-sim-2"], "has no PMU that vlag samples"),
        (["--board-type", "rpi5", "--board", "sim2-1"], "exclude each other"),
        (["--board-type", "rpi5", "--flame", "x.svg"], "perf samples no calls"),
    ):
        refused = CliRunner().invoke(main, [*words, *given], env=story.env)
        assert refused.exit_code == 2, refused.output
        assert said in " ".join(refused.output.split())
    same = CliRunner().invoke(main, ["profile", str(base), str(base), *words[3:],
                                     "--board-type", "rpi5"], env=story.env)  # fmt: skip
    assert "BASE and NEW are one kernel" in same.output
