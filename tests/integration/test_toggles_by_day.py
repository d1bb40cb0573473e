# SPDX-License-Identifier: GPL-2.0-only
"""Toggles that the service tries by itself on boards of a lab, a day's board hours at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from attrs import define, evolve, field

from tests.integration.planted import planted
from tests.integration.toggled_lab import BASE, LEVELS, NEW, NEXT, Lab, farm
from vlag import config
from vlag.alerts import derive as alerting
from vlag.compare.toggle_attribution import report_on
from vlag.config import Alerts, Settings
from vlag.config.catalogue import Catalogue
from vlag.search import toggle_days, toggle_plan, toggles
from vlag.search.asked import AskedBoot
from vlag.stats.attribution import Answer, ToggleReport
from vlag.store.database import Connection

HOURS = 1.5
BOOT = timedelta(minutes=5)  # what a boot of the night took, too
OTHERS = "F1 F2 F3 F4 F5 F6 F7 F8"


@define(kw_only=True)
class Days:
    """A lab whose days pass."""

    conn: Connection
    lab: Lab
    settings: Settings
    booted: list[list[AskedBoot]] = field(factory=list)  # by day
    skipped: Sequence[str] = ()

    def asked(self, ids: Sequence[int], round_: int = 1) -> Sequence[AskedBoot]:
        judge = partial(report_on, self.conn, self.lab.catalogue)
        plan = toggle_plan.plan(
            self.conn, self.settings, self.lab.catalogue, ids, judge, round_=round_
        )
        self.skipped = plan.skipped
        return plan.boots

    def day(self, *ids: int) -> list[AskedBoot]:
        """Boot what is asked for, round after round; then a day passes."""
        made: list[AskedBoot] = []
        while boots := self.asked(ids, 1 + len(made)):
            self.boot(boots, len(made))
            made += boots
        self.booted.append(made)
        with planted(self.conn):
            self.conn.execute("UPDATE run SET started_at = started_at - interval '25 hours',"
                              " finished_at = finished_at - interval '25 hours'")  # fmt: skip
        return made

    def boot(self, boots: Sequence[AskedBoot], before: int) -> None:
        """Store boots as the lab's queue makes them: each on the board that is free."""
        now, names = datetime.now(UTC), list(LEVELS)
        for n, b in enumerate(boots, before):
            of = next(k for k in (BASE, NEW, NEXT) if k["digest"] == b["kernel"])
            self.lab.store(self.lab.run(
                of, names[n % len(names)], b["seed"], b["knobs"], None,
                started_at=(now - BOOT).isoformat(), finished_at=now.isoformat(),
            ))  # fmt: skip

    def report(self, id_: int) -> ToggleReport:
        [question] = toggles.questions(self.conn, self.lab.catalogue, id_).asked
        return report_on(self.conn, self.lab.catalogue, id_, question.subject)


def lab_of(
    conn: Connection, catalogue: Catalogue, folder: Path, takes_back: str = "NO_DELAY_DEQUEUE"
) -> Days:
    lab = Lab(conn=conn, catalogue=farm(catalogue), folder=folder, takes_back=takes_back,
              more=OTHERS)  # fmt: skip
    loaded = config.load()
    hours = evolve(loaded.toggles, board_hours=HOURS)
    return Days(conn=conn, lab=lab, settings=evolve(loaded, toggles=hours))


def settings_of(boots: Sequence[AskedBoot]) -> set[str]:
    return {b["knobs"].get("sched_features", "") for b in boots}


def test_a_reports_own_toggle_comes_first_and_goes_on_each_day_until_it_is_the_answer(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    days = lab_of(conn, catalogue, tmp_path)
    id_ = days.lab.night()
    most = HOURS / (BOOT / timedelta(hours=1)) + 1
    for _ in range(20):
        if not days.day(id_):
            break
    *tried, nothing = days.booted
    assert nothing == []
    assert days.skipped == []
    assert len(tried) > 2
    assert max(map(len, tried)) <= most
    assert [len(day) for day in tried[:-1]] == [pytest.approx(most, abs=2)] * (len(tried) - 1)
    # Both kernels without a toggle, and the one that a field report has switched; no other.
    every = [b for day in tried for b in day]
    assert settings_of(every) == {"", "NO_DELAY_DEQUEUE"}
    assert {b["kernel"] for b in every} == {BASE["digest"], NEW["digest"]}
    # Of each seed all that is compared is of one day, but where the hours end.
    for day in tried:
        seeds = [b["seed"] for b in day]
        assert len(set(seeds)) < len(seeds)
    found = days.report(id_)
    assert found.answer is Answer.ACCOUNTED
    assert found.sentence.startswith("DELAY_DEQUEUE accounts for")


def test_where_nothing_takes_it_back_all_are_tried_and_none_is_blamed(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control."""
    days = lab_of(conn, catalogue, tmp_path, "nothing")
    id_ = days.lab.night()
    for _ in range(30):
        if not days.day(id_):
            break
    assert days.booted[-1] == []
    every = [b for day in days.booted for b in day]
    wanted = {f"NO_{name}" for name in ("DELAY_DEQUEUE", "WA_IDLE", *OTHERS.split())}
    assert settings_of(every) == {"", *wanted}
    # In groups: what the base lacks before what it has.
    last = [n for n, b in enumerate(every) if settings_of([b]) == {"NO_WA_IDLE"}]
    assert min(last) > min(n for n, b in enumerate(every) if settings_of([b]) == {"NO_F1"})
    found = days.report(id_)
    assert found.answer is not Answer.ACCOUNTED
    assert {t.role.value for t in found.toggles if t.role} <= {"not the cause",
                                                             "too few boots to say"}  # fmt: skip


def test_hours_that_are_used_up_are_said(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    days = lab_of(conn, catalogue, tmp_path)
    id_ = days.lab.night()
    while boots := days.asked([id_]):
        days.boot(boots, 0)
    [said] = days.skipped
    assert said == (
        f"comparison {id_}: stress-ng-switch: the settings allow toggles 1.5 board hours of rpi5"
        " in 24 hours, and these are used; they go on after a later night"
    )
    # Boots of a plan do not count.
    with planted(conn):
        conn.execute("UPDATE run SET plan = 'nightly'")
    days.asked([id_])
    assert days.skipped == []


def test_the_next_head_of_the_branch_goes_on_with_what_was_begun(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    days = lab_of(conn, catalogue, tmp_path)
    id_ = days.lab.night()
    days.day(id_)
    later = days.lab.night(NEXT)
    for _ in range(20):
        if not days.day(later):
            break
    every = [b for day in days.booted for b in day]
    assert NEXT["digest"] not in {b["kernel"] for b in every}
    assert days.report(id_).answer is Answer.ACCOUNTED
    # The alert of the newest head has the answer, and says whose it is; the next night goes on
    # with what open alerts stand on.
    there = days.lab.catalogue
    [alert] = alerting.derive(conn, there, [later], Alerts(throughput=0.02))
    text = " ".join(alert.body.split())
    assert "DELAY_DEQUEUE accounts for" in text
    assert f"of {NEW['commit'][:12]}: DELAY_DEQUEUE accounts for" in text
    assert toggle_plan.standing(conn, there) == [later]


def test_another_loss_of_the_branch_is_a_question_of_its_own(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Negative control: the earlier head had lost far less."""
    days = lab_of(conn, catalogue, tmp_path)
    days.lab.loss = 0.985
    days.day(days.lab.night())
    days.lab.loss = 0.9
    later = days.lab.night(NEXT)
    [question] = toggles.questions(conn, days.lab.catalogue, later).asked
    assert toggle_days.begun(conn, days.lab.catalogue, question) is question
    assert NEXT["digest"] in {b["kernel"] for b in days.asked([later])}
