# SPDX-License-Identifier: GPL-2.0-only
"""When an alert expects what is not known yet: by earlier answers, and by what comes before it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from tests.integration import bundles, nights
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SMALL, Record, head
from tests.integration.planted import planted
from tests.integration.searched import earlier_searches, search
from tests.repositories import WorkTree
from vlag.alerts import derive as alerting
from vlag.alerts.surroundings import Surroundings
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.printable import minute
from vlag.store.alerts import Alert
from vlag.store.database import Connection

ALL = Surroundings(searches=True, toggles=True, profiles=True)


@pytest.fixture
def record(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Record:
    return Record(conn=conn, catalogue=catalogue, folder=tmp_path)


def derived(record: Record, id_: int, around: Surroundings = ALL) -> Alert:
    """Return the alert of a comparison."""
    alerts = alerting.derive(record.conn, record.catalogue, [id_], around=around)
    [its] = [a for a in alerts if f"vlag reproduce --comparison {id_} " in a.body]
    return its


def running(alert: Alert) -> str:
    """Return the first paragraph of an alert in one line."""
    return " ".join(alert.body.partition("\n\n")[0].split())


def branch(record: Record) -> int:
    record.fill(BASE, SAME)
    record.fill(head(2), SLOW)
    return record.compare(BASE, head(2), "baseline")


def by(record: Record, comparison: int, hours: float) -> str:
    """Return the time so long after a comparison, as people read it."""
    (at,) = record.conn.execute(
        "SELECT created_at FROM comparison WHERE id = %s", (comparison,)
    ).fetchall()[0]
    return minute(at + timedelta(hours=hours))


def test_it_says_when_a_commit_is_expected(record: Record) -> None:
    """By the newest ten alone: the seven hours were before them."""
    earlier_searches(record, (7, 2, 5, 3, 2, 2, 2, 2, 2, 2, 4))
    id_ = branch(record)
    alert = derived(record, id_)
    (at,) = (
        record.conn.execute("SELECT created_at FROM comparison WHERE id = %s", (id_,)).fetchone()
        or ()
    )
    assert (
        f"Not known yet: its commit (expected by {minute(at + timedelta(hours=5))}: the last 10"
        " took up to 5 h 0 min), what takes it back and the function; the service looks for that"
        " after the night. Nothing on record tells when to expect what takes it back and the"
        " function."
    ) in running(alert)
    # A later search changes nothing of what was said.
    search(record, id_, bad="9" * 40)
    record.conn.execute("DELETE FROM bisection_comparison WHERE comparison = %s", (id_,))
    assert derived(record, id_).body == alert.body


@pytest.mark.parametrize(
    ("hours", "board_type"), [((), SMALL), ((2, 2), SMALL), ((2, 2, 2, 2), BIG)]
)
def test_where_too_few_have_come_no_time_is_said(
    record: Record, hours: Sequence[float], board_type: str
) -> None:
    """Negative control: none, two, and those of another board type."""
    earlier_searches(record, hours, board_type)
    said = running(derived(record, branch(record)))
    assert "Not known yet: its commit, what takes it back" in said
    assert "expected by" not in said
    assert "Nothing on record tells when to expect that." in said


@define(kw_only=True)
class Queue:
    """Losses of several branches, whose commits the service can search one after the other."""

    record: Record
    tree: WorkTree
    settings: Settings

    def loss(self, name: str, hours: float, commits: int = 3, **where: Any) -> int:
        """Put a branch with a loss on record that was compared so many hours ago."""
        self.tree.git("checkout", "-q", "-B", name, "main")
        base = bundles.kernel(f"6.1.{name}", commit=self.tree.commit(f"base of {name}"))
        commit = [self.tree.commit(f"{name} {n}") for n in range(commits)][-1]
        mine = head(2, branch=name, commit=commit, describe=f"debian/{name}")
        for of, factors in ((base, SAME), (mine, SLOW)):
            self.record.fill(of, factors, **where)
        id_ = self.record.compare(base, mine, "baseline", **where)
        with planted(self.record.conn) as conn:
            conn.execute(
                "UPDATE comparison SET created_at = now() - %s WHERE id = %s",
                (timedelta(hours=hours), id_),
            )
        return id_

    def says(self, comparison: int) -> str:
        """Return what the alert of a comparison says first."""
        around = Surroundings.of(self.settings)
        return running(derived(self.record, comparison, around=around))


@pytest.fixture
def queue(record: Record, tmp_path: Path) -> Queue:
    settings = nights.settings(tmp_path, "[bisect]\nbuilds = 4\n")
    mirror = settings.mirror("debian")
    mirror.parent.mkdir(parents=True)
    tree = WorkTree(tmp_path / "tree")
    tree.commit("the first")
    mirror.symlink_to(tree.folder / ".git")
    earlier_searches(record, (2, 5, 2))
    return Queue(record=record, tree=tree, settings=settings)


def test_what_waits_before_a_search_makes_it_later(queue: Queue) -> None:
    id_ = queue.loss("mine", 1)
    assert (
        f"its commit (expected by {by(queue.record, id_, 5)}: the last 3 took up to 5 h 0 min)"
    ) in queue.says(id_)
    running_, waiting = queue.loss("first", 3), queue.loss("second", 2)
    late = queue.loss("third", 0.5)
    assert (
        f"its commit (expected by {by(queue.record, id_, 15)}: the last 3 took up to 5 h 0 min,"
        " and 2 searches that wait or run before it 10 h 0 min)"
    ) in queue.says(id_)
    assert f"(expected by {by(queue.record, late, 20)}: " in queue.says(late)
    # What had been answered by then is not before it, and what is answered later was.
    for comparison, hours in ((running_, 1.5), (waiting, 0.7)):
        bad = f"{comparison:040x}"
        search(queue.record, comparison, bad=bad)
        queue.record.conn.execute(
            "UPDATE bisection SET created_at = now() - %s WHERE bad = %s",
            (timedelta(hours=hours), bad),
        )
    assert (
        f"its commit (expected by {by(queue.record, id_, 10)}: the last 4 took up to 5 h 0 min,"
        " and 1 search that waits or runs before it 5 h 0 min)"
    ) in queue.says(id_)


def test_what_nobody_searches_is_not_before_it(queue: Queue) -> None:
    """Negative control: a commit and its parent, too many commits, one that was given up."""
    queue.loss("one-commit", 3, commits=1)
    queue.loss("long", 3, commits=5)  # which need five kernels
    given_up = queue.loss("given-up", 3)
    queue.loss("forgotten", 100)
    queue.record.conn.execute(
        "INSERT INTO search_progress (comparison, tree, benchmark, parameters, likeliest, credible,"
        " several, ended, updated_at) VALUES (%s, 'debian', 'stress-ng-switch', '{}', '[]', 3, 0.5,"
        " true, now() - interval '2 hours')",
        (given_up,),
    )
    id_ = queue.loss("mine", 1)
    assert (
        f"its commit (expected by {by(queue.record, id_, 5)}: the last 3 took up to 5 h 0 min)"
    ) in queue.says(id_)


def test_boards_of_which_nothing_is_known_leave_the_time_open(queue: Queue) -> None:
    queue.loss("other", 3, board_type=BIG)
    said = queue.says(queue.loss("mine", 1))
    assert "expected by" not in said
    assert "Nothing on record tells when to expect that" in said
