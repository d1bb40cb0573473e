# SPDX-License-Identifier: GPL-2.0-only
"""The course of a regression begins with its build, and has its search and its toggles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bench import journey
from tests.integration.hardware_story import KIND, Story, farm
from tests.integration.planted import planted
from tests.integration.webpages import read, table
from tests.integration.websites import application, visitor
from vlag.alerts import derive
from vlag.config.catalogue import Catalogue
from vlag.report.read_model import regression_of_alert
from vlag.report.read_model.course_steps import Step
from vlag.store.database import Connection

#: When the head was built; a minute later each of the boots of plans began.
BUILT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


@pytest.fixture
def story(conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path) -> Story:
    made = Story(
        conn=conn, dsn=dsn, catalogue=farm(catalogue), folder=tmp_path, levels={0: 1.0, 6: 0.92}
    )
    made.prepare()
    return made


def at_their_time(conn: Connection) -> None:
    """Put builds and boots where they were made; what was said follows it by the minute."""
    with planted(conn):
        conn.execute("UPDATE build SET started_at = %s, finished_at = %s", (
            BUILT, BUILT + timedelta(seconds=40)
        ))  # fmt: skip
        for minutes, condition in ((1, "seed <= 5"), (3, "seed > 5")):  # those of the rerun
            conn.execute(
                "UPDATE run SET started_at = %s, finished_at = %s"  # noqa: S608 - constants
                f" WHERE plan IS NOT NULL AND {condition}",
                (BUILT + timedelta(minutes=minutes), BUILT + timedelta(minutes=minutes + 1)),
            )
        for table_, column, minutes in (
            ("comparison", "created_at", 3), ("suspicion", "created_at", 3), ("decision", "at", 4),
            ("alert", "opened_at", 5), ("alert_event", "at", 5), ("bisection", "created_at", 30),
        ):  # fmt: skip
            conn.execute(
                f"UPDATE {table_} SET {column} = %s",  # noqa: S608 - constants
                (BUILT + timedelta(minutes=minutes),),
            )


def searched_at(story: Story) -> None:
    """Put the search and the toggles after the alert: from minute 10 on, and from 20 on."""
    with planted(story.conn):
        for minutes, condition in ((10, "knobs = '{}'"), (20, "knobs <> '{}'")):
            story.conn.execute(
                "UPDATE run SET started_at = %s, finished_at = %s"  # noqa: S608 - constants
                f" WHERE plan IS NULL AND {condition}",
                (BUILT + timedelta(minutes=minutes), BUILT + timedelta(minutes=minutes + 2)),
            )


def course(story: Story, alert: int) -> list[Step]:
    return regression_of_alert(story.conn, alert)["course"]


def test_from_the_build_to_the_commit_in_the_order_of_their_times(story: Story) -> None:
    id_ = story.night()
    [first] = derive.of_installation(story.conn, story.catalogue, story.settings, [id_])
    # Negative control: what nobody has searched has neither search nor toggles.
    before = {s["what"] for s in course(story, first.id)}
    assert before >= {"suspected", "confirmed", "alert opened"}
    assert not before & {"search", "toggles", "commit"}
    story.search(id_)
    story.toggled(id_)
    derive.of_installation(story.conn, story.catalogue, story.settings, [id_])
    at_their_time(story.conn)
    searched_at(story)

    told = course(story, first.id)
    named = [s["what"] for s in told]
    order = ["build", "first boot", "suspected", "confirmed", "alert opened", "search", "toggles",
             "commit"]  # fmt: skip
    assert list(dict.fromkeys(n for n in named if n in order)) == order
    words = {s["what"]: s["words"] for s in told}
    assert f" on {KIND}, " in words["confirmed"]
    assert words["build"].endswith(": built in 40 s")
    assert words["first boot"].endswith(f": the first of 5 boots on 3 boards of type {KIND}")
    assert words["search"].startswith("stress-ng-switch: the first of ")
    assert words["search"].endswith(f" in between on 3 boards of type {KIND}")
    assert words["toggles"].startswith(f"stress-ng-switch: 1 setting tried on {KIND} in ")
    assert words["toggles"].endswith(" boots within 2 min")

    rows = list(journey.rows(story.conn, first.id))
    since_s = {row[2]: row[1] for row in rows}
    assert (since_s["first boot"], since_s["suspected"]) == ("60", "120")
    assert [row[2] for row in rows[1:]] == named


def test_its_page_has_the_time_since_the_build(story: Story, dsn: str, tmp_path: Path) -> None:
    id_ = story.night()
    [alert] = derive.of_installation(story.conn, story.catalogue, story.settings, [id_])
    at_their_time(story.conn)
    site = visitor(application(dsn, tmp_path / "state"))
    _head, *rows = table(read(site, f"/alert?id={alert.id}"), "course of the regression")
    after = {what: after for _when, after, what, *_ in rows}
    assert (after["build"], after["first boot"], after["alert opened"]) == ("0 s", "1 min", "5 min")


def test_an_alert_that_is_not_there_is_a_sentence(conn: Connection) -> None:
    with pytest.raises(LookupError, match="alert 7 stands on no comparison"):
        list(journey.rows(conn, 7))
