# SPDX-License-Identifier: GPL-2.0-only
"""A regression is one thing: from the first suspicion to the fix, whichever comparison found it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.integration.nights import Nights, settings
from tests.integration.webpages import read, table, text
from tests.integration.websites import application, visitor
from vlag.config.catalogue import Catalogue
from vlag.report import read_model
from vlag.store.database import Connection

BRANCH = "debian/linux-6.12"
COURSE = "course of the regression"


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))


@pytest.fixture
def site(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path / "state"))


def suspicions(conn: Connection, comparison: int) -> list[int]:
    """Return the suspicions that a comparison has raised."""
    rows = conn.execute(
        "SELECT id FROM suspicion WHERE raised_by = %s AND worse ORDER BY id", (comparison,)
    )
    return [row[0] for row in rows]


def tell(nights: Nights, ids: list[int]) -> None:
    """Tell a night that ends now, as what it has compared was compared just before."""
    nights.tell(ids, finished=datetime.now(UTC))


def alerts_of(conn: Connection, suspicion: int) -> list[int]:
    whole = read_model.regression_of_suspicion(conn, suspicion)
    assert whole is not None
    return whole["alerts"]


def steps(site: FlaskClient, address: str) -> list[tuple[str, str]]:
    """Return what a page says of the course of a regression, step by step."""
    _head, *rows = table(read(site, address), COURSE)
    made = ("build", "first boot")  # tests/integration/test_course_work.py has these
    return [(what, where) for _when, _after, what, _words, where in rows if what not in made]


def test_one_regression_from_the_first_suspicion_to_the_fix(
    conn: Connection, nights: Nights, site: FlaskClient
) -> None:
    screen = nights.compare("2", 0.9, stage="screen", boots=2)
    parent = nights.compare("2", 0.9, stage="screen", boots=2, role="parent", tag="parent")
    tell(nights, [screen, parent])
    [by_baseline, *_], [by_parent, *_] = suspicions(conn, screen), suspicions(conn, parent)
    address = f"/regression?suspicion={by_baseline}"
    # Before it has an alert: both comparisons and the night are steps of one page.
    first = steps(site, address)
    assert first == steps(site, f"/regression?suspicion={by_parent}")
    assert [what for what, _ in first] == ["suspected", "suspected", "night"]
    assert {where for _, where in first} >= {f"comparison {screen}", f"comparison {parent}"}
    page = text(read(site, address))
    assert "no alert yet" in page
    assert "1 by mail queued" in page
    for place in (f"/compare?id={screen}", f"/branch?branch={BRANCH}&board=qemu-sim-2"):
        assert address in read(site, place), place

    nights.compare("2", 0.9, stage="confirm", boots=2, role="parent", tag="parent")
    tell(nights, [screen, parent])
    [alert] = alerts_of(conn, by_baseline)
    assert alerts_of(conn, by_parent) == [alert]
    for number in (by_baseline, by_parent):
        answer = site.get(f"/regression?suspicion={number}")
        assert (answer.status_code, answer.location) == (302, f"/alert?id={alert}#course")
    whole = [what for what, _ in steps(site, f"/alert?id={alert}")]
    assert {"suspected", "confirmed", "night", "alert opened", "alert told"} == set(whole)
    assert whole.index("suspected") == 0 < whole.index("confirmed")

    # The branch's own rerun adds to the same thing; the next head has it no longer.
    nights.compare("2", 0.9, stage="confirm", boots=2)
    tell(nights, [screen])
    assert [what for what, _ in steps(site, f"/alert?id={alert}")].count("confirmed") >= 2
    assert alerts_of(conn, by_baseline) == [alert]
    tell(nights, [nights.compare("3", 1.0, stage="screen", boots=2)])
    assert steps(site, f"/alert?id={alert}")[-1][0] == "alert withdrawn"


def test_two_causes_at_once_stay_two(conn: Connection, nights: Nights, site: FlaskClient) -> None:
    compared: dict[str, int] = {}
    for head, factor, before in (("2", 0.9, "before"), ("3", 0.75, "between")):
        for stage in ("screen", "confirm"):
            id_ = nights.compare(head, factor, stage=stage, boots=2, role="parent", tag=before)
            compared.setdefault(head, id_)
    tell(nights, [*compared.values()])
    both = {head: suspicions(conn, id_) for head, id_ in compared.items()}
    [one], [other] = ({a for s in some for a in alerts_of(conn, s)} for some in both.values())
    assert one != other
    for alert, head, elsewhere in ((one, "2", "3"), (other, "3", "2")):
        where = {place for _, place in steps(site, f"/alert?id={alert}")}
        assert f"comparison {compared[head]}" in where
        assert f"comparison {compared[elsewhere]}" not in where


def test_what_is_no_suspicion_has_no_page(site: FlaskClient) -> None:
    assert "There is no suspicion 7 on record" in text(read(site, "/regression?suspicion=7", 404))
    assert site.get("/regression").status_code == 400
