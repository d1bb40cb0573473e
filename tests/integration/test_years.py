# SPDX-License-Identifier: GPL-2.0-only
"""The simulator of years: what it asks of the service, and that its oracles see faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from attrs import evolve

from bench.years import __main__ as years
from bench.years import shown, tally
from bench.years.boards import BAD
from bench.years.commits import STEPS
from bench.years.oracles import ORACLES, SLOW, Fault, Judge
from bench.years.shown import Began
from bench.years.world import EVENTS, LENGTHS, World
from tests.integration.planted import planted
from vlag.alerts import branch_alerts, derive, drafts, lifecycle
from vlag.errors import UsageError
from vlag.report import read_model
from vlag.report.read_model.branches import BranchState
from vlag.report.read_model.onsets import Onset
from vlag.store.database import Connection

LOSS, HEAL = ["a loss"], ["a revert"]


@pytest.fixture
def judge(conn: Connection, tmp_path: Path) -> Judge:
    """A world in which what lasts does so for two nights."""
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    made.lengths = dict.fromkeys(LENGTHS, (2, 3))
    return Judge(world=made)


def live(judge: Judge, *nights: Sequence[str]) -> list[str]:
    """Live through nights with these events; return the oracles that found a fault."""
    for events in nights:
        judge.look(judge.world.night(events))
    return sorted({f.oracle for f in judge.faults})


#: What the world does to a loss that is there; some events do it together.
MOVES = {
    "rewritten": ["a rebase", "a date in the future"],
    "reset": ["a reset", "a clock ahead"],
    "baselines": ["a new tag of the baseline", "a second baseline"],
    "another baseline": ["another baseline", "the night comes twice"],
    "updates": ["a tool's update", "a compiler's update", "a firmware's update"],
    "quiet": ["no push"],
    "missed": ["a missed night"],
    "boots": ["bad boots"],
    "slow": ["a slow loss", "a gain"],
    "parameter": ["another parameter", "a metric is renamed"],
    "renamed": ["the branch is renamed"],
}
#: What takes away the measuring of a loss for two nights.
GAPS = ("a benchmark out of the plan", "a metric out of the catalogue", "the branch is not watched")


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
def test_a_loss_is_said_stays_and_ends_whatever_moves(judge: Judge, move: list[str]) -> None:
    """Each event comes before the loss, while it is there, and as it ends."""
    found = live(judge, move, LOSS, move)
    judge.people("wont_fix")
    found = live(judge, [], HEAL, move, [])
    assert found == [], judge.faults
    said = tally.year(judge).total
    assert (said.losses, said.healed) != (0, 0)
    assert (said.losses, said.alerts, said.healed) == (said.found, said.true, said.ended)


@pytest.mark.parametrize("gap", GAPS)
def test_a_loss_that_is_not_measured_for_a_time_is_said_again(judge: Judge, gap: str) -> None:
    judge.world.line.places = [("rpi5", "stress-ng-switch")]
    live(judge, [], LOSS, [], [])
    judge.people("investigating")
    found = live(judge, [gap], [], [], [], [], HEAL, [], [])
    assert found == [], judge.faults
    said = tally.year(judge).total
    assert (said.losses, said.found, said.alerts, said.ended) == (2, 2, 1, 1)


def test_events_leave_their_mark_on_the_world(judge: Judge) -> None:
    """Negative control of the above: each event does something, and one that lasts ends."""
    world = judge.world
    happened = {name for move in MOVES.values() for name in move} | {*LOSS, *HEAL, *GAPS}
    # These cost power, so that a short life may miss a loss: the table says how often.
    happened |= {"a second mode", "a board joins", "a board leaves", "a board drifts"}
    assert happened == {*EVENTS}
    world._happen("a board joins")  # two boards, and one of them differs
    assert len({b.level for b in world.farm.real}) == 2
    levels = {b.at(100) for b in world.farm.real}
    world._happen("a board drifts")
    assert {b.at(100) for b in world.farm.real} != levels
    for name in LENGTHS:
        world._happen(name)
    assert world.lasting.keys() == LENGTHS.keys()
    assert (world.farm.bad, len(world.farm.second), world.watched) == (BAD, 1, False)
    assert world._places() == frozenset()
    assert world.night([]).places == frozenset()
    world.count = 400
    gone = world._places()
    night = world.night([])
    assert gone < night.places == {*world.line.places}
    assert (world.farm.bad, world.farm.second, world.lasting) == (0.0, {}, {})
    for _ in range(40):
        world._happen("a slow loss")
    assert set(world.head.slow.values()) == {STEPS}


def test_a_short_year_in_which_each_event_comes_is_true(judge: Judge) -> None:
    """One event a night in an order that is drawn, among losses and reverts."""
    order = np.random.Generator(np.random.PCG64(1)).permutation([*EVENTS])
    among = [[], LOSS, [], HEAL]
    found = live(judge, *([str(e), *among[i % 4]] for i, e in enumerate(order)))
    assert found == [], judge.faults
    assert {*EVENTS} <= judge.events
    said = tally.year(judge).total
    assert min(said.losses, said.alerts, said.healed) > 0
    assert said.losses == said.found


@pytest.mark.parametrize("seed", [2, 4])
def test_a_short_year_of_many_events_is_true(conn: Connection, tmp_path: Path, seed: int) -> None:
    """Its events are drawn, five times as many as in a usual year."""
    judge = years.live(conn, tmp_path / "state", seed, 15, density=5.0)
    assert judge.faults == []
    assert judge.statements > 500


# Each file of years is read again, and the sum of two is that of their counts.


def made(seed: int, *, found: int, faults: tuple[Fault, ...] = ()) -> tally.Year:
    counts = tally.Counts(losses=10, found=found, alerts=4, true=4, healed=5, ended=5)
    return tally.Year(
        seed=seed, nights=50, density=2.0, total=counts, by_event={"a rebase": counts},
        alert_nights=70, true_nights=70, seconds=36.0, faults=faults,
    )  # fmt: skip


def test_years_of_several_files_are_one_table(tmp_path: Path) -> None:
    wrong = Fault(oracle="a loss is said", night=9, text="c at here", events=["a rebase"])
    every = [made(1, found=10), made(2, found=7, faults=(wrong,))]
    paths = [tmp_path / f"{y.seed}.json" for y in every]
    for path, each in zip(paths, every, strict=True):
        tally.write(path, [each])
    assert tally.read(paths) == every
    text = tally.table(every)
    row = "17/20 0.850 (0.640 to 0.948)"  # Wilson's interval
    assert [row in line for line in text.splitlines() if line.startswith(("a rebase", "all"))] == [
        True, True,
    ]  # fmt: skip
    assert "wrong: a loss is said: 1" in text
    assert "5,000 nights an hour" in text
    [line] = tally.faults(every)
    assert line.endswith("(around: a rebase; --years 1 --seed 2 --nights 9 --density 2)")


def test_a_file_that_is_none_or_comes_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "years.json"
    path.write_text('{"format": 1, "years": [{"seed": 1}]}')
    with pytest.raises(UsageError, match=r"years\.json cannot be read as simulated years"):
        tally.read([path])
    tally.write(path, [made(1, found=10)])
    with pytest.raises(UsageError, match=r"has the year of seed 1 again"):
        tally.read([path, path])


def test_an_interval_of_few_is_wide() -> None:
    assert tally.wilson(0, 0) == (0.0, 1.0)
    assert tally.wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert tally.wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert tally.wilson(980, 1000) == pytest.approx((0.9693, 0.9870), abs=1e-4)


# Each oracle sees a planted fault.


def test_each_oracle_is_shown_a_fault() -> None:
    text = Path(__file__).read_text(encoding="utf-8").partition("# Each oracle sees")[2]
    assert [name for name in ORACLES if f'"{name}"' not in text] == []


def test_a_loss_that_nobody_says_is_a_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "settle", lambda *_words, **_more: None)
    assert "a loss is said" in live(judge, [], LOSS, [], [])


def test_an_alert_that_goes_before_its_loss_is_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.world.line.places = [("rpi5", "stress-ng-switch")]
    assert live(judge, LOSS, [], []) == [], judge.faults
    monkeypatch.setattr(drafts, "settle", lambda *_words, **_more: None)
    judge.world.conn.execute("UPDATE alert SET withdrawn_at = now()")
    assert live(judge, []) == ["it stays said"]


def test_a_loss_without_its_commit_is_a_fault(judge: Judge) -> None:
    judge.world.pushes = False  # only heads are compared, and two commits came at once
    two = [*LOSS, "a date in the future"]
    assert live(judge, [], two, [], []) == ["its commit is named"]


def test_an_alert_that_outlives_its_cause_is_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(judge, [], LOSS, [])
    monkeypatch.setattr(derive, "withdraw", lambda *_words: None)
    monkeypatch.setattr(lifecycle, "withdraw", lambda *_words: None)
    found = live(judge, HEAL, [], [], [])
    assert {"a healed one ends", "an alert is true"} <= {*found}


def test_what_a_reset_leaves_of_a_slow_loss_may_be_said(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has ended when nothing is left of it."""
    judge.world.line.places = [("qemu-sim-2", "stress-ng-switch")]
    live(judge, [], *(["a slow loss"],) * STEPS, [])
    assert {x.commit for x in judge.losses} == {SLOW}
    assert len(judge.standing()) == 1
    line = judge.world.line
    while sum(line.head.slow.values()) == STEPS:
        judge.world._rewrite(lambda: bool(line.commits.pop()))
    assert live(judge, *(["no push"],) * 4) == [], judge.faults
    for module in (derive, branch_alerts):
        monkeypatch.setattr(module, "withdraw", lambda *_words: None)
    judge.world._push(lost={}, slow={})
    assert "a healed one ends" in live(judge, *(["no push"],) * 4)


def test_a_commit_that_is_blamed_and_lost_nothing_is_a_fault(judge: Judge) -> None:
    line = judge.world.line
    live(judge, [], [])
    line.lose()
    other = dict.fromkeys(line.head.culprits, line.commits[0].id)
    line.commits[-1] = evolve(line.head, culprits=other)  # it was another one, as the truth has it
    assert "the right commit is blamed" in live(judge, ["no push"])


def test_two_heads_without_the_loss_between_them_are_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.world.pushes = False  # no commit is blamed, so that heads are named
    live(judge, [], [], ["no push"], ["a date in the future"])
    assert live(judge, LOSS, []) == [], judge.faults
    assert {b.blamed for a in judge.standing() for b in a.began} != set()
    good, bad = (c.id[:12] for c in judge.world.line.commits[:2])
    monkeypatch.setattr(Onset, "words", f"between {good} and {bad}")
    assert live(judge, []) == ["the right commit is blamed"]
    assert {f.text.split()[0] for f in judge.faults} == {"alert", "mail"}


def test_what_texts_say_of_a_beginning_is_read() -> None:
    a, b = "0123456789ab", "ba9876543210"
    since = f"It became worse since {b} (one commit\nafter {a})."
    assert shown.began(since) == {Began(bad=b)} == shown.began(f"linux/master: commit {b}: x")
    between = Began(good=a, bad=b)
    assert shown.began(f"between {a} and {b} (3 commits)") == {between}
    assert shown.began(f"x 8.1 % worse in {a}..{b}") == {between}
    assert shown.began(f"since {b} (the branch was rewritten after {a})") == {between}
    assert shown.began(f"x 3.1 % worse slowly since {a}") == {Began(good=a)}
    assert shown.began(f"base: v6.1.100 (linux {a}); x 8 % worse since v6.1.100") == frozenset()


def test_an_alert_about_what_is_not_measured_is_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.world.lengths = dict.fromkeys(LENGTHS, (9, 10))
    live(judge, [], LOSS, [])
    monkeypatch.setattr(derive, "withdraw", lambda *_words: None)
    monkeypatch.setattr(lifecycle, "withdraw", lambda *_words: None)
    assert live(judge, ["the branch is not watched"], [], [], []) == ["what is not measured ends"]


def test_lost_triage_is_a_fault(judge: Judge) -> None:
    live(judge, [], LOSS, [])
    judge.people("wont_fix")
    judge.world.conn.execute("UPDATE alert SET triage = 'new'")
    assert "triage is kept" in live(judge, [])


@pytest.mark.parametrize(
    ("events", "rewrite"),
    [
        ([], "UPDATE verdict SET effect = effect + 0.01 WHERE effect IS NOT NULL"),
        (LOSS, "UPDATE decision SET stand = 'refuted' WHERE stand = 'confirmed'"),
    ],
)
def test_a_statement_that_changes_is_a_fault(
    judge: Judge, events: Sequence[str], rewrite: str
) -> None:
    live(judge, [], events)
    with pytest.raises(psycopg.IntegrityError, match="what was said stays"):
        judge.world.conn.execute(rewrite)
    with planted(judge.world.conn):
        judge.world.conn.execute(rewrite)
    assert "a statement stays" in live(judge, [])


def test_pages_that_disagree_are_a_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    live(judge, [], LOSS)
    real: Callable[..., BranchState] = read_model.branch

    def without(*words: Any) -> BranchState:
        return {**real(*words), "comparisons": []}

    monkeypatch.setattr(read_model, "branch", without)
    assert "surfaces agree" in live(judge, [])
