# SPDX-License-Identifier: GPL-2.0-only
"""Suspicions from the screen to rerun boots, a night's family of tests, and a series' history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from attrs import evolve

from tests.integration import bundles
from vlag.compare import false_discoveries
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.model import Plan, PlanEntry
from vlag.pipeline.ingest import ingest_all
from vlag.report import text
from vlag.report.data.comparison import night
from vlag.report.layout import WIDTH
from vlag.store import comparisons, suspicions
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.store.suspicions import Suspicion

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOW = tuple(0.93 * f for f in SAME)
FAST = tuple(1.07 * f for f in SAME)
#: Somewhat slower with so much scatter that five boots a side leave it open.
VAGUE = (0.90, 0.99, 0.93, 1.02, 0.95)
WILD = (0.95, 1.05, 0.98, 1.03, 1.0)

PLAN = Plan(
    name="commit",
    entries=(
        PlanEntry(
            benchmark="stress-ng-switch", parameters={}, board_types=("qemu-sim-2",),
            seeds=5, rounds=(5, 10), timeout_s=60,
        ),
    ),
)  # fmt: skip


@pytest.fixture
def fill(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[..., None]:
    def work(of: dict[str, Any], factors: tuple[float, ...], **changes: Any) -> None:
        paths = bundles.side(tmp_path, of, catalogue, factors=factors, **changes)
        for result in ingest_all(paths, conn=conn, catalogue=catalogue):
            if isinstance(result, Exception):
                raise result

    return work


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Callable[..., StoredComparison]:
    def work(
        stage: str | None = "screen", round_: int | None = None, plan: Plan = PLAN
    ) -> StoredComparison:
        given: dict[str, Any] = {"stage": stage, "round_": round_, "plan": stage and plan}
        base, new = KernelRef(text="linux-6.1"), KernelRef(text="linux-6.12")
        return compare(
            conn=conn, catalogue=catalogue, base=base, new=new, board_type="qemu-sim-2", **given
        )

    return work


def on_record(conn: Connection, of: StoredComparison) -> dict[str, Suspicion]:
    comparison = comparisons.by_id(conn, of.id)
    assert comparison is not None
    return {s.metric: s for s in suspicions.of(conn, comparison)}


def stands(conn: Connection, of: StoredComparison) -> set[tuple[str, int]]:
    return {(s.stand, s.boots) for s in on_record(conn, of).values()}


def test_a_suspicion_is_open_until_rerun_boots_confirm_it(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME * 3)
    fill(NEW, SLOW * 3)
    screen = answer()
    assert stands(conn, screen) == {("open", 0)}
    assert (screen.suspects, screen.proof) == (["stress-ng-switch"],) * 2
    assert {s.worse for s in on_record(conn, screen).values()} == {True}
    fresh = answer("confirm")
    assert fresh.regressed == ["stress-ng-switch"]
    assert (fresh.unsettled, fresh.open) == ((), [])
    known = on_record(conn, fresh)
    assert {(s.stand, s.boots, s.raised_by, s.decided_by) for s in known.values()} == {
        ("confirmed", 5, screen.id, fresh.id)
    }
    assert all((s.p or 1) < 1e-4 for s in known.values())
    assert {v.stand for v in fresh.verdicts} == {"confirmed"}
    # The screen's own row stays what it was.
    assert answer().id == screen.id
    assert stands(conn, screen) == {("confirmed", 5)}


@pytest.mark.parametrize("fresh", [SAME, FAST])
def test_what_rerun_boots_do_not_show_again_is_refuted(
    conn: Connection,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    fresh: tuple[float, ...],
) -> None:
    """Also where they show the opposite."""
    fill(BASE, SAME * 2)
    fill(NEW, SLOW + fresh)
    answer()
    confirm = answer("confirm")
    assert stands(conn, confirm) == {("refuted", 5)}
    assert (confirm.regressed, confirm.unsettled) == ([], ())


def test_what_stays_open_is_settled_by_twice_as_many(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME + WILD + WILD)
    fill(NEW, SLOW + VAGUE + VAGUE)
    answer()
    first = answer("confirm", 1)
    assert stands(conn, first) == {("open", 5)}
    assert (first.regressed, first.unsettled, first.open) == (
        [], ("stress-ng-switch",), ["stress-ng-switch"],
    )  # fmt: skip
    last = answer("confirm", 2)
    assert {v.n_new for v in last.verdicts} == {10}
    assert stands(conn, last) == {("undecided", 10)}  # the bound of the plan
    assert (last.unsettled, last.open) == (("stress-ng-switch",), [])
    # The first round once more: fewer boots do not undo what more have said.
    assert answer("confirm", 1).id == first.id
    assert stands(conn, last) == {("undecided", 10)}


def test_an_improvement_is_a_suspicion_until_rerun_boots_confirm_it(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, FAST * 2)
    screen = answer()
    assert (screen.suspects, screen.proof, screen.better) == ([], [], ["stress-ng-switch"])
    assert standings(conn, screen) == {("IMPROVEMENT", "suspected")}
    fresh = answer("confirm")
    assert (fresh.improved, fresh.unsettled) == (["stress-ng-switch"], ())
    assert stands(conn, screen) == {("confirmed", 5)}
    assert standings(conn, screen) == {("IMPROVEMENT", "confirmed")}


def test_an_improvement_that_rerun_boots_do_not_show_is_none(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, FAST + SAME)
    screen = answer()
    fresh = answer("confirm")
    assert (fresh.improved, stands(conn, screen)) == ([], {("refuted", 5)})
    assert {standing for _verdict, standing in standings(conn, screen)} == {"refuted"}


def test_an_open_improvement_gets_another_round(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME + VAGUE + VAGUE)
    fill(NEW, FAST + WILD + WILD)
    answer()
    assert answer("confirm", 1).open == ["stress-ng-switch"]
    assert answer("confirm", 2).unsettled == ("stress-ng-switch",)


def standings(conn: Connection, of: StoredComparison) -> set[tuple[str, str]]:
    """Return verdict and standing of each figure as the pages and alerts show them."""
    return set(
        conn.execute(
            "SELECT verdict, standing FROM read_model.verdict WHERE comparison = %s", (of.id,)
        ).fetchall()
    )


def test_what_was_not_suspected_is_not_confirmed(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, SAME + SLOW)
    assert answer().suspects == []
    confirm = answer("confirm")
    assert on_record(conn, confirm) == {}
    assert confirm.unsettled == ()


def test_a_night_tells_what_stands_among_all_its_tests(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, SLOW * 2)
    screen, fresh = answer(), answer("confirm")
    ids = [screen.id, fresh.id]
    judged = false_discoveries.judge(conn, ids)
    assert judged.tests == len(screen.verdicts)  # rerun boots are no tests of their own
    assert set(judged.reported) == {v.id for v in screen.verdicts}
    assert all(judged.reported.values())
    said = text.render(night(conn, catalogue, ids, tmp_path))
    assert len(judged.reported) == 1
    assert "Changes: 1 among 1 test; 1 passes at a false discovery rate of 5 %" in said
    assert "confirmed by a rerun of 5 + 5 boots" in said
    assert max(map(len, said.splitlines()[:40])) <= WIDTH
    # One night is judged once; what is known of it now is another judgement.
    rows = conn.execute("SELECT count(*), sum(tests) FROM multiple_testing").fetchone()
    assert rows == (1, judged.tests)


def test_a_night_does_not_tell_what_was_refuted(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, SLOW + SAME)
    ids = [answer().id]
    before = false_discoveries.judge(conn, ids)
    assert before.reported  # negative control: before the rerun boots
    assert false_discoveries.judge(conn, ids).family == before.family
    assert false_discoveries.judge(conn, ids, record=False).family is None
    answer("confirm")
    after = false_discoveries.judge(conn, ids)
    assert after.reported == {}
    assert after.family not in (None, before.family)


def test_a_night_is_judged_with_the_statements_of_one_comparison(
    conn: Connection,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(BASE, SAME * 2)
    fill(NEW, SLOW * 2)
    ids = [answer().id, answer(None).id]
    statements: list[Any] = []
    execute = psycopg.Cursor.execute

    def counted(self: psycopg.Cursor[Any], query: Any, *given: Any, **more: Any) -> Any:
        statements.append(query)
        return execute(self, query, *given, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted)
    one = false_discoveries.judge(conn, ids[:1])
    asked = len(statements)
    assert asked > 0
    both = false_discoveries.judge(conn, ids)
    assert both.tests == 2 * one.tests
    assert len(statements) == 2 * asked


def test_earlier_kernels_tell_the_spread(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    """Three boots of a series that hardly scatters: alone they cannot rule out chance."""
    few = {"finished_at": "2026-03-02T10:00:00Z"}
    # The tool's own step is far below; the scatter of these three is chance.
    fill(BASE, (0.985, 1.0, 1.015), **few)
    fill(NEW, (0.955, 0.97, 0.985), **few)
    alone = answer(None)
    rate = {v.metric: v for v in alone.verdicts}["bogo-ops-rate"]
    assert rate.verdict == "INCONCLUSIVE"
    for number in range(5):
        fill(bundles.kernel(f"6.{number + 2}"), SAME, finished_at="2026-03-01T10:00:00Z")
    known = answer(None)
    assert known.id != alone.id
    again = {v.metric: v for v in known.verdicts}["bogo-ops-rate"]
    assert (again.p or 1) < (rate.p or 0) / 10
    # What ended after the new kernel's first run was not known then.
    fill(bundles.kernel("6.20"), WILD, finished_at="2026-03-03T10:00:00Z")
    assert answer(None).id == known.id


#: Of five boots two lose 38 %.
SOMETIMES = (1.0, 0.62, 0.999, 0.622, 0.9995)


def test_a_new_mode_is_suspected_and_a_rerun_that_misses_it_refutes_nothing(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    later = {"finished_at": "2026-03-02T10:00:00Z"}
    for number in range(4):
        fill(bundles.kernel(f"6.{number + 2}"), SAME, finished_at="2026-03-01T10:00:00Z")
    fill(BASE, SAME * 3, **later)
    fill(NEW, SOMETIMES + SAME * 2, **later)
    screen = answer()
    assert screen.suspects == ["stress-ng-switch"]
    row = next(v for v in screen.verdicts if v.metric == "bogo-ops-rate")
    first = answer("confirm", 1)
    assert {s.stand for s in on_record(conn, first).values()} == {"open"}
    assert first.open == ["stress-ng-switch"]
    last = answer("confirm", 2)
    assert {s.stand for s in on_record(conn, last).values()} == {"undecided"}
    reason = next(v for v in last.verdicts if v.metric == "bogo-ops-rate").reason
    assert reason.startswith(
        "none of 10 boots lose 37.9 %, as 2 of 5 did: it may still be of up to"
    )
    shown = conn.execute(
        "SELECT verdict FROM read_model.verdict WHERE id = %s", (row.id,)
    ).fetchone()
    assert shown != ("UNCHANGED",)


#: The same plan with further rounds for a mode.
PATIENT = evolve(PLAN, entries=tuple(evolve(e, mode_rounds=(20, 40)) for e in PLAN.entries))


def test_only_a_new_mode_gets_the_further_rounds(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    later = {"finished_at": "2026-03-02T10:00:00Z"}
    # Earlier kernels with other seeds each: equal seeds are no pairs here.
    for number, scatter in enumerate((SAME, SAME[1:] + SAME[:1], SAME[::-1], SAME[2:] + SAME[:2])):
        fill(bundles.kernel(f"6.{number + 2}"), scatter, finished_at="2026-03-01T10:00:00Z")
    fill(BASE, SAME * 9, **later)
    fill(NEW, SOMETIMES + SAME * 2 + SOMETIMES * 6, **later)
    assert answer("screen", plan=PATIENT).suspects == ["stress-ng-switch"]
    for number in (1, 2):
        known = answer("confirm", number, PATIENT)
        assert known.open == ["stress-ng-switch"]
    third = answer("confirm", 3, PATIENT)
    [row] = [v for v in third.verdicts if v.metric == "bogo-ops-rate"]
    assert len(row.new_runs) == row.n_new == 20
    assert row.reason.startswith("4 of 20 boots lose 37.9 %; of the base's 20, none")
    last = answer("confirm", 4, PATIENT)
    assert last.regressed == ["stress-ng-switch"]
    assert {s.stand for s in on_record(conn, last).values()} == {"confirmed"}
    # Negative control: without these rounds it is undecided after the second.
    assert answer("confirm", 2).open == []


def test_what_the_levels_leave_open_gets_no_further_round(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, SAME + WILD * 4)
    fill(NEW, SLOW + VAGUE * 4)
    assert answer("screen", plan=PATIENT).suspects == ["stress-ng-switch"]
    assert answer("confirm", 1, PATIENT).open == ["stress-ng-switch"]
    last = answer("confirm", 2, PATIENT)
    assert stands(conn, last) == {("undecided", 10)}
    assert (last.unsettled, last.open) == (("stress-ng-switch",), [])
    # Boots of such a round, asked for by another figure, do not count for it.
    row = next(v for v in answer("confirm", 3, PATIENT).verdicts if v.metric == "bogo-ops-rate")
    assert len(row.new_runs) == row.n_new == 10


def test_one_boot_beyond_all_history_is_a_suspicion_of_a_mode(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    later = {"finished_at": "2026-03-02T10:00:00Z"}
    for number in range(4):
        fill(bundles.kernel(f"6.{number + 2}"), SAME, finished_at="2026-03-01T10:00:00Z")
    fill(BASE, SAME, **later)
    fill(NEW, (1.0, 0.999, 0.97, 1.001, 1.0), **later)
    row = next(v for v in answer().verdicts if v.metric == "bogo-ops-rate")
    assert row.suspect
    assert "1 of 5 boots loses 3 %; of the base's 5, none (seed 3)" in row.reason


def test_a_bad_boot_that_history_knows_is_no_new_mode(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    """Negative control: earlier kernels had such boots, too."""
    later = {"finished_at": "2026-03-02T10:00:00Z"}
    for number in range(4):
        kernel = bundles.kernel(f"6.{number + 2}")
        fill(kernel, (*SAME[:4], 0.6), finished_at="2026-03-01T10:00:00Z")
    fill(BASE, SAME, **later)
    fill(NEW, (*SAME[:4], 0.62), **later)
    assert not any("new mode" in v.reason for v in answer().verdicts)
