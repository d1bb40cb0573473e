# SPDX-License-Identifier: GPL-2.0-only
"""One alert for one cause: opened, kept, withdrawn and reopened as the record says."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.alerting import (
    BASE,
    BIG,
    FAST,
    SAME,
    SLOW,
    SLOWER,
    SMALL,
    Record,
    head,
)
from vlag.alerts import derive as alerting
from vlag.alerts import triage
from vlag.config import Alerts
from vlag.config.catalogue import Catalogue
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.model import Plan, PlanEntry
from vlag.report.layout import WIDTH
from vlag.store import changes, runs
from vlag.store.changes import Change
from vlag.store.database import Connection, connect

PLAN = Plan(
    name="nightly",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=(SMALL,),
            seeds=5, rounds=(5, 10), timeout_s=60,
        ),
    ),
)  # fmt: skip


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def test_one_commit_is_one_alert_whatever_it_hits(record: Record) -> None:
    parent, commit = head(1), head(2)
    for board_type in (SMALL, BIG):
        record.fill(parent, SAME, nested=SAME, shifts=(0, 1, 0, 1, 0), board_type=board_type)
        record.fill(commit, SLOW, nested=SLOW, shifts=(90, 91, 90, 91, 90), board_type=board_type)
    first = record.compare(parent, commit, "parent")
    assert record.told(first) == [(1, "opened")]
    second = record.compare(parent, commit, "parent", board_type=BIG)
    assert record.told(first, second) == [(1, None)]
    shown = record.alert(1)
    assert (shown["kind"], shown["role"]) == ("regression", "parent")
    assert shown["commit"] == commit["commit"]
    assert shown["board_type"] is None
    assert shown["throughput"] == pytest.approx(0.12, abs=0.002)
    told = record.conn.execute(
        "SELECT board_type, name, metric FROM read_model.alert_verdict WHERE alert = 1"
    ).fetchall()
    assert {row[0] for row in told} == {SMALL, BIG}
    assert len({row[1] for row in told}) > 1
    # A latency across CPUs is a hint on a board whose CPUs take turns.
    assert "latency" not in {row[2] for row in told}
    assert record.actions(1) == ["opened"]


def test_a_body_says_all_that_a_reply_needs(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    [alert] = record.derive(record.compare(BASE, head(1), "baseline"))
    assert len(alert.title) <= 100
    assert alert.title.startswith("debian/linux-6.12 on qemu-sim-2: stress-ng-switch")
    lines = alert.body.splitlines()
    assert max(map(len, lines)) <= WIDTH
    text = " ".join(" ".join(lines).replace("\\", " ").split())
    for part in (
        "stress-ng-switch bogo-ops-rate [1/s]",
        "-12.0 % [-12.",
        "n 5 + 5",
        "Comparison 1 on qemu-sim-2",
        head(1)["commit"][:12],
        BASE["commit"][:12],
        f"vlag run --build builds/{head(1)['digest'][:12]} stress-ng-switch --seed 1",
        "no toggle was run",
    ):
        assert part in text
    # Worst first.
    rows = record.conn.execute("SELECT name, effect FROM read_model.alert_verdict").fetchall()
    by_place = sorted(rows, key=lambda row: alert.body.index(f"  {row[0]} ["))
    sizes = [abs(math.log1p(row[1])) for row in by_place]
    assert sizes == pytest.approx(sorted(sizes, reverse=True))


@pytest.mark.parametrize("factors", [SAME, FAST])
def test_what_is_not_worse_is_no_alert(record: Record, factors: tuple[float, ...]) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), factors)
    assert record.told(record.compare(BASE, head(1), "baseline")) == []


def test_a_marginal_change_opens_no_alert_and_ends_none_unless_better(record: Record) -> None:
    record = with_relevance(record, 0.01)  # a small one leaves no room for MARGINAL
    wide = tuple(1 + 0.01 * (i - 2) for i in range(5))
    record.fill(BASE, wide)
    assert seen(record, 1, tuple(0.965 * f for f in wide)) == []
    assert marginal(record, 1) == {"bogo-ops-rate"}
    assert seen(record, 2, tuple(0.94 * f for f in wide)) == [(1, "opened")]
    assert seen(record, 3, tuple(0.965 * f for f in wide)) == [(1, None)]
    assert seen(record, 4, tuple(1.036 * f for f in wide)) == [(1, "withdrawn")]
    assert marginal(record, 4) == {"bogo-ops-rate"}


def with_relevance(record: Record, relevance: float) -> Record:
    """Return the record with another relevance of each metric on its boards."""
    known = {
        name: evolve(
            b, metrics=tuple(evolve(m, relevance_deterministic=relevance) for m in b.metrics)
        )
        for name, b in record.catalogue.benchmarks.items()
    }
    return evolve(record, catalogue=evolve(record.catalogue, benchmarks=known))


def marginal(record: Record, comparison: int) -> set[str]:
    rows = record.conn.execute(
        "SELECT metric FROM read_model.verdict WHERE comparison = %s AND verdict = 'MARGINAL'",
        (comparison,),
    )
    return {row[0] for row in rows}


def test_thresholds_follow_what_a_board_resolves(record: Record) -> None:
    """A board that counts instructions proves less than other boards: 0.3 % matters there."""
    usual = Alerts()
    record.fill(BASE, SAME)
    record.fill(head(1), tuple(0.9863 * f for f in SAME))
    lost = record.compare(BASE, head(1), "parent")
    # Negative controls: the shares alone, and a threshold of more times what matters.
    for limits in (Alerts(deterministic=100.0), Alerts(deterministic=6.0)):
        assert record.told(lost, thresholds=limits) == []
    assert record.told(lost, thresholds=usual) == [(1, "opened")]
    assert record.alert(1)["throughput"] == pytest.approx(0.0137, abs=5e-4)
    # What is larger than a share is told everywhere.
    board = record.catalogue.board_type("qemu-sim-2")
    assert usual.limit(latency=False, relevance=None, board=board) == 0.02
    assert usual.limit(latency=False, relevance=0.5, board=board) == 0.02
    assert usual.limit(latency=True, relevance=0.003, board=board) == pytest.approx(0.006)
    # A factor for its class or its type replaces the usual one; that of another class does not.
    for name, limit in (("deterministic", 0.003), ("qemu-sim-2", 0.003), ("hardware", 0.006)):
        own = Alerts(relevances={name: 1.0})
        assert own.limit(latency=True, relevance=0.003, board=board) == pytest.approx(limit), name
    higher = Alerts(throughput=0.05, relevances={"deterministic": 100.0})
    assert record.told(lost, thresholds=higher) == [(1, "withdrawn")]


def test_boards_of_hardware_have_the_shares_unless_their_class_has_a_factor(
    catalogue: Catalogue,
) -> None:
    board = next(b for b in catalogue.board_types.values() if "hardware" in b.classes)
    for factors, limit in (({}, 0.02), ({"hardware": 3.0}, 0.009), ({"hardware": 30.0}, 0.02)):
        own = Alerts(relevances=factors).limit(latency=False, relevance=0.003, board=board)
        assert own == pytest.approx(limit), factors


def test_below_the_threshold_there_is_no_alert_and_a_standing_one_stays(record: Record) -> None:
    usual = Alerts(throughput=0.05, latency=0.1, deterministic=100.0)
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    record.fill(head(2), tuple(0.97 * f for f in SAME))
    small = record.compare(BASE, head(2), "baseline")
    assert record.told(small, thresholds=usual) == []
    large = record.compare(BASE, head(1), "baseline")
    limits = Alerts(throughput=0.2, latency=0.2, deterministic=100.0)
    # The head of the second of March is newer, whatever is compared last.
    assert record.told(large, thresholds=usual) == []
    record.fill(head(3), SLOW)
    third = record.compare(BASE, head(3), "baseline")
    assert record.told(third, thresholds=limits) == []
    assert record.told(third, thresholds=usual) == [(1, "opened")]
    record.fill(head(4), tuple(0.97 * f for f in SAME))
    assert record.told(record.compare(BASE, head(4), "baseline"), thresholds=usual) == [(1, None)]
    record.fill(head(5), tuple(0.98 * f for f in SAME))
    assert record.told(record.compare(BASE, head(5), "baseline"), thresholds=usual) == [
        (1, "withdrawn")
    ]


def seen(record: Record, number: int, factors: tuple[float, ...]) -> list[tuple[int, str | None]]:
    """Let a night see another head, and return what became of the alerts."""
    record.fill(head(number), factors)
    return record.told(record.compare(BASE, head(number), "baseline"))


def test_an_alert_lives_as_long_as_its_cause(record: Record) -> None:
    record.fill(BASE, SAME)
    assert seen(record, 1, SLOW) == [(1, "opened")]
    body = record.alert(1)["body"]
    assert seen(record, 2, SLOWER) == [(1, None)]
    shown = record.alert(1)
    assert shown["commit"] == head(2)["commit"]
    assert shown["throughput"] == pytest.approx(0.2, abs=0.002)
    assert shown["body"] != body
    assert seen(record, 3, SAME) == [(1, "withdrawn")]
    assert record.standing() == []
    assert seen(record, 4, SLOW) == [(1, "reopened")]
    assert record.actions(1) == ["opened", "withdrawn", "reopened"]


def test_what_decides_nothing_removes_nothing(record: Record) -> None:
    record.fill(BASE, SAME)
    assert seen(record, 1, SLOW) == [(1, "opened")]
    assert seen(record, 2, (1.0,)) == [(1, None)]
    verdicts = record.conn.execute(
        "SELECT DISTINCT verdict FROM read_model.verdict WHERE comparison = 2"
    ).fetchall()
    assert verdicts == [("INCONCLUSIVE",)]
    # But of the very kernels that it stands on it does: those boots do not count any more.
    assert seen(record, 3, SLOW) == [(1, None)]
    ids = record.conn.execute(
        "SELECT r.id FROM run r JOIN kernel k ON k.id = r.kernel WHERE k.branch = 'linux-6.12'"
    ).fetchall()
    for (id_,) in ids:
        runs.mark_suspect(record.conn, id_, "the fan had stopped")
    again = [record.compare(BASE, head(n), "baseline") for n in (1, 2, 3)]
    assert record.told(*again) == [(1, "withdrawn")]


def test_another_branch_or_toggle_is_another_alert_but_no_other_board(record: Record) -> None:
    other = head(1, branch="linux-next", kconfig=bundles.sha("next"))
    newer = bundles.kernel("6.6")
    asked = []
    for kernel in (BASE, newer):
        record.fill(kernel, SAME)
        record.fill(kernel, SAME, board_type=BIG)
    knobs = {"sched_features": "NO_DELAY_DEQUEUE"}
    record.fill(head(1), SLOW)
    record.fill(head(1), SLOW, board_type=BIG)
    record.fill(head(1), SLOW, knobs=knobs)
    record.fill(other, SLOW)
    asked = [
        record.compare(BASE, head(1), "baseline"),
        record.compare(BASE, head(1), "baseline", board_type=BIG),
        record.compare(BASE, head(1), "baseline", knobs=knobs),
        record.compare(BASE, other, "baseline"),
        record.compare(newer, head(1), "baseline"),
    ]
    assert [action for _, action in record.told(*asked)] == ["opened"] * 3
    assert [action for _, action in record.told(*asked)] == [None] * 3
    # Its figures are those against both baselines.
    [both] = [
        b for a in range(1, 4) if f"Comparison {asked[-1]} " in (b := record.alert(a)["body"])
    ]
    assert f"Comparison {asked[0]} " in both
    names = ["debian/6.1.170-1-vlag", "debian/6.6.170-1-vlag"]
    assert f"is worse than its baselines {names[0]} and {names[1]}." in " ".join(both.split())
    for name in names:
        assert f"against {name}" in " ".join(both.split())


def test_rerun_boots_decide(record: Record) -> None:
    record.fill(BASE, SAME * 2)
    record.fill(head(1), SLOW * 2)
    record.fill(head(2), SLOW + SAME)
    screens = [record.compare(BASE, head(n), "baseline", plan=PLAN, stage="screen") for n in (1, 2)]
    # Suspected is not told: the plan has rerun boots.
    assert record.told(screens[0]) == []
    fresh = record.compare(BASE, head(1), "baseline", plan=PLAN, stage="confirm")
    assert record.told(fresh) == [(1, "opened")]
    assert "confirmed" in record.alert(1)["body"]
    assert record.told(screens[1]) == [(1, None)]
    refuted = record.compare(BASE, head(2), "baseline", plan=PLAN, stage="confirm")
    assert record.told(refuted) == [(1, "withdrawn")]


def test_a_plan_without_rerun_boots_tells_by_its_screen(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW, plan="smoke")
    entry = PlanEntry(
        benchmark="stress-ng-switch", parameters={}, board_types=(SMALL,), seeds=5, timeout_s=60
    )
    smoke = Plan(name="smoke", entries=(entry,))
    made = record.compare(BASE, head(1), "baseline", plan=smoke, stage="screen")
    assert record.told(made) == [(1, "opened")]


def test_a_commit_with_an_alert_explains_its_branch(record: Record) -> None:
    parent, commit = head(1), head(2)
    for kernel, factors in ((BASE, SAME), (parent, SAME), (commit, SLOW)):
        record.fill(kernel, factors)
    night = record.compare(BASE, commit, "baseline")
    assert record.told(night) == [(1, "opened")]
    push = record.compare(parent, commit, "parent")
    # What was an alert of the branch is the commit's now; one of them stands.
    assert sorted(record.told(push)) == [(1, "withdrawn"), (2, "opened")]
    assert record.standing() == [2]
    assert record.told(night) == [(2, None)]
    assert f"comparison {night}" in " ".join(record.alert(2)["body"].split())
    # The next night sees much more than this commit can account for.
    record.fill(head(3), tuple(0.6 * f for f in SAME))
    later = record.compare(BASE, head(3), "baseline")
    assert sorted(record.told(later)) == [(1, "reopened"), (2, None)]


def test_a_commit_is_not_blamed_for_what_was_lost_before_it(record: Record) -> None:
    parent, commit = head(1), head(2)
    record.fill(BASE, SAME)
    record.fill(parent, tuple(0.96 * f for f in SAME))
    record.fill(commit, SLOW)
    night = record.compare(BASE, commit, "baseline")
    record.derive(night)
    # Alone, the loss since the baseline is the branch's.
    assert record.alert(1)["throughput"] == pytest.approx(0.12, abs=0.001)
    record.derive(record.compare(parent, commit, "parent"))
    assert record.standing() == [2]
    mine = record.alert(2)
    assert (mine["role"], mine["commit"]) == ("parent", commit["commit"])
    assert mine["throughput"] == pytest.approx(1 - 0.88 / 0.96, abs=0.001)
    # The baseline's figures stay with the alert, and its text names their comparison.
    of = "SELECT DISTINCT v.comparison FROM read_model.alert_verdict v WHERE v.alert = 2"
    assert (night,) in record.conn.execute(of).fetchall()
    assert f"comparison {night}" in " ".join(mine["body"].split())


def test_a_commit_is_healed_when_the_heads_no_longer_show_it(record: Record) -> None:
    parent, commit = head(1), head(2)
    for kernel, factors in ((BASE, SAME), (parent, SAME), (commit, SLOW)):
        record.fill(kernel, factors)
    push = record.compare(parent, commit, "parent")
    night = record.compare(BASE, commit, "baseline")
    assert record.told(push, night) == [(1, "opened")]
    assert seen(record, 3, SLOW) == [(1, None)]
    assert seen(record, 4, SAME) == [(1, "withdrawn")]
    # The commit itself is no better now: that is no news.
    assert record.told(push, night) == []
    assert seen(record, 5, SAME) == []
    # A head that shows it again is.
    assert seen(record, 6, SLOW) == [(1, "reopened")]
    assert record.standing() == [1]


def test_a_commit_that_no_head_showed_stands_until_people_say_so(record: Record) -> None:
    """The baseline is so slow that what the commit lost does not show against it."""
    parent, commit = head(1), head(2)
    for kernel, factors in ((BASE, SLOW), (parent, SAME), (commit, SLOW)):
        record.fill(kernel, factors)
    push = record.compare(parent, commit, "parent")
    night = record.compare(BASE, commit, "baseline")
    assert record.told(push, night) == [(1, "opened")]
    assert record.told(night) == [(1, None)]
    triage.set_state(record.conn, 1, "fixed", by="alice", why="reverted")
    assert record.told(push, night) == [(1, None)]
    assert not record.alert(1)["open"]


@pytest.mark.parametrize("parent_seen", [True, False])
def test_a_commit_that_no_baseline_showed_ends_with_a_head_that_has_it_back(
    record: Record, *, parent_seen: bool
) -> None:
    parent, commit = head(1), head(2)
    for kernel, factors in ((BASE, SLOW), (parent, SAME), (commit, SLOW)):
        record.fill(kernel, factors)
    if parent_seen:
        record.derive(record.compare(BASE, parent, "baseline"))
    push = record.compare(parent, commit, "parent")
    night = record.compare(BASE, commit, "baseline")
    assert record.told(push, night) == [(1, "opened")]
    # Negative control: a head that is still as slow.
    assert seen(record, 3, SLOW) == [(1, None)]
    # And one that has a third of it back.
    assert seen(record, 4, tuple(0.92 * f for f in SAME)) == [(1, None)]
    assert seen(record, 5, SAME) == [(1, "withdrawn")]
    assert "no longer shows it" in record.events(1)[-1].why
    assert head(5)["commit"][:12] in record.events(1)[-1].why
    assert record.told(push, night) == []
    assert seen(record, 6, SAME) == []
    assert record.standing() == []


def test_a_commit_explains_nothing_that_it_did_not_make_worse(record: Record) -> None:
    parent, commit = head(1), head(2)
    for kernel in (BASE, parent, commit):
        record.fill(kernel, SAME)
    record.fill(head(3), SLOW)
    push = record.compare(parent, commit, "parent")
    night = record.compare(BASE, head(3), "baseline")
    assert record.told(push, night) == [(1, "opened")]
    assert record.alert(1)["role"] == "baseline"


def step(record: Record, comparison: int, number: int, effect: float) -> int:
    """Put a change point of all metrics of the switches on record."""
    found = record.conn.execute(
        "SELECT v.series_new, v.effect, c.new_kernel, c.base_kernel FROM read_model.verdict v"
        " JOIN comparison c ON c.id = v.comparison WHERE v.comparison = %s",
        (comparison,),
    ).fetchall()
    row = record.conn.execute(
        "SELECT id FROM kernel WHERE commit = %s", (head(number)["commit"],)
    ).fetchone()
    assert row is not None
    for series_, size, _new, base in found:
        sign = 1 if size > 0 else -1
        change = Change(
            series=series_, statistic="median", tree="debian", branch="linux-6.12",
            before_kernel=base, kernel=row[0], effect=sign * effect, ci_low=sign * effect,
            ci_high=sign * effect, cause="kernel",
        )  # fmt: skip
        changes.put(record.conn, change)
    return int(row[0])


def test_a_change_point_parts_causes_and_makes_no_second_alert(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    record.fill(head(2), SLOW)
    first = record.compare(BASE, head(1), "baseline")
    assert record.told(first) == [(1, "opened")]
    assert "history" not in record.alert(1)["body"]
    step(record, first, 1, 0.12)
    second = record.compare(BASE, head(2), "baseline")
    assert record.told(second) == [(1, None)]
    said = " ".join(record.alert(1)["body"].split())
    assert f"Its history steps by -12.0 % at commit {head(1)['commit'][:12]}" in said
    assert record.conn.execute("SELECT change_point IS NOT NULL FROM alert").fetchone() == (True,)
    # Without it the regression is still there, and the alert with it.
    record.conn.execute("UPDATE change_point SET withdrawn_at = now()")
    assert record.told(second) == [(1, None)]
    assert record.conn.execute("SELECT change_point FROM alert").fetchone() == (None,)


def test_a_small_step_does_not_explain_a_large_loss(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOWER)
    first = record.compare(BASE, head(1), "baseline")
    step(record, first, 1, 0.03)
    record.told(first)
    assert record.conn.execute("SELECT change_point FROM alert").fetchone() == (None,)


def test_what_a_header_predicts_is_no_alert(record: Record) -> None:
    patches = series.read(PATCHES, "known-regressions")
    number = next(i for i, p in enumerate(patches, 1) if p.title == "pick-path")
    applied = [{"name": patches[number - 1].name, "sha256": patches[number - 1].sha256}]
    plain = head(1)
    given: dict[str, Any] = {
        "series": "known-regressions", "application": f"solo({number})", "patches": applied,
    }  # fmt: skip
    known = head(1, **given)
    record.fill(plain, SAME)
    record.fill(known, SLOW)
    made = record.compare(plain, known, "baseline")
    assert record.told(made) == []
    # A patch of the same size of which nobody has said so is one.
    other = [{"name": "0001-other.patch", "sha256": "0" * 64}]
    unknown = head(1, **{**given, "patches": other})
    record.fill(unknown, SLOW)
    again = record.compare(plain, unknown, "baseline")
    assert record.told(again) == [(1, "opened")]


def test_what_a_person_compared_opens_no_alert_unless_asked(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    made = record.compare(BASE, head(1), None)
    now = record.conn.execute("SELECT now() - interval '1 day'").fetchone()
    assert now is not None
    assert alerting.refresh(record.conn, record.catalogue, now[0]) == []
    record.compare(BASE, head(1), "baseline")
    opened = alerting.refresh(record.conn, record.catalogue, now[0])
    assert [a.action for a in opened] == ["opened"]
    assert made == 1


def test_two_at_once_open_one(record: Record, dsn: str) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    made = record.compare(BASE, head(1), "baseline")
    together = threading.Barrier(4)
    done: list[Any] = []

    def work() -> None:
        with connect(dsn) as conn:
            mine = Record(conn=conn, catalogue=record.catalogue, folder=record.folder)
            together.wait()
            try:
                done.append(mine.told(made))
            except Exception as e:  # noqa: BLE001 - the assertion shows it
                done.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, done)) == sorted(map(str, [[(1, "opened")], *[[(1, None)]] * 3]))
    assert record.actions(1) == ["opened"]


def test_it_is_part_of_the_callers_transaction(record: Record) -> None:
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    made = record.compare(BASE, head(1), "baseline")
    with record.conn.transaction(force_rollback=True):
        assert record.told(made) == [(1, "opened")]
        assert record.standing() == [1]
    assert record.standing() == []


Say = Callable[[int, str], None]


@pytest.fixture
def say(record: Record) -> Say:
    def work(alert: int, state: str) -> None:
        triage.set_state(record.conn, alert, state, by="alice", why="I looked")

    return work


@pytest.mark.parametrize("state", ["invalid", "wont_fix"])
def test_what_people_closed_stays_closed(record: Record, say: Say, state: str) -> None:
    record.fill(BASE, SAME)
    seen(record, 1, SLOW)
    say(1, state)
    assert seen(record, 2, SLOW) == [(1, None)]
    assert seen(record, 3, SAME) == [(1, "withdrawn")]
    assert seen(record, 4, SLOW) == [(1, None)]
    assert record.alert(1)["triage"] == state
    assert not record.alert(1)["open"]


@pytest.mark.parametrize("state", ["fixed", "invalid", "wont_fix"])
def test_what_is_much_more_than_what_was_closed_is_new(
    record: Record, say: Say, state: str
) -> None:
    record.fill(BASE, SAME)
    seen(record, 1, SLOW)
    said = record.alert(1)["title"]
    say(1, state)
    assert seen(record, 2, SLOWER) == [(1, None)]
    assert record.alert(1)["title"] == said
    assert seen(record, 3, tuple(0.6 * f for f in SAME)) == [(1, "reopened")]
    assert (record.alert(1)["triage"], record.alert(1)["open"]) == ("new", True)
    assert "40.0 % worse" in record.alert(1)["title"]


def test_what_was_fixed_is_new_when_it_comes_back(record: Record, say: Say) -> None:
    record.fill(BASE, SAME)
    seen(record, 1, SLOW)
    say(1, "fixed")
    # Committed before anybody said so: the fix may not be in it.
    assert seen(record, 2, SLOW) == [(1, None)]
    assert not record.alert(1)["open"]
    assert seen(record, 3, SAME) == [(1, "withdrawn")]
    assert seen(record, 4, SLOW) == [(1, "reopened")]
    assert (record.alert(1)["triage"], record.alert(1)["open"]) == ("new", True)


def test_what_outlives_its_fix_is_new(record: Record, say: Say) -> None:
    record.fill(BASE, SAME)
    seen(record, 1, SLOW)
    say(1, "fixed")
    late = head(2, committed_at="2126-03-02T00:00:00Z")
    record.fill(late, SLOW)
    assert record.told(record.compare(BASE, late, "baseline")) == [(1, "reopened")]
    assert record.alert(1)["triage"] == "new"
    assert record.told(record.compare(BASE, late, "baseline")) == [(1, None)]
