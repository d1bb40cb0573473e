# SPDX-License-Identifier: GPL-2.0-only
"""A regression's page: the same figure on other boards and branches, and when it was good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen
from flask.testing import FlaskClient

from tests.conftest import fresh_database
from tests.integration.alerting import BASE, BIG, FAST, SAME, SLOW, SMALL, Record, head
from tests.integration.planted import planted
from tests.integration.templates import Made
from tests.integration.webpages import read, table, text
from tests.integration.websites import ODD, application, visitor
from vlag.config.catalogue import Catalogue
from vlag.report import read_model
from vlag.report.read_model.elsewhere import Elsewhere, elsewhere
from vlag.store import database

KNOBS = {"sched_features": "NO_WA_WEIGHT"}
FIGURE = "stress-ng-switch bogo-ops-rate"
REGION = f"{FIGURE} elsewhere"


@frozen(kw_only=True)
class Place:
    site: FlaskClient
    record: Record
    good: int  # comparison of the first head with the baseline
    bad: int  # of the second, which is worse
    parent: int  # of the second with the first
    others: dict[str, int]


@pytest.fixture(scope="module")
def made(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    dsn, folder = fresh_database(cluster, template), tmp_path_factory.mktemp("elsewhere")
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=folder)
        first, second = head(1), head(2)
        next_ = head(3, branch="next", subject=ODD)
        for of, factors in ((BASE, SAME), (first, SAME), (second, SLOW), (next_, SLOW)):
            record.fill(of, factors)
        for of, factors in ((BASE, SAME), (second, FAST)):
            record.fill(of, factors, board_type=BIG)
        record.fill(second, SAME, knobs=KNOBS)
        ids = {
            "good": record.compare(BASE, first, "baseline"),
            "bad": record.compare(BASE, second, "baseline"),
            "parent": record.compare(first, second, "parent"),
            "board": record.compare(BASE, second, "baseline", board_type=BIG),
            "knobs": record.compare(BASE, second, None, knobs=KNOBS),
            "branch": record.compare(BASE, next_, "baseline"),
        }
    return Made(name=str(database.parts(dsn)["dbname"]), folder=folder, ids=ids)


@pytest.fixture
def place(cluster: str, made: Made, catalogue: Catalogue) -> Iterator[Place]:
    dsn, ids = fresh_database(cluster, made.name), made.ids
    with database.connect(dsn) as conn:
        yield Place(
            site=visitor(application(dsn, made.folder)),
            record=Record(conn=conn, catalogue=catalogue, folder=made.folder),
            good=ids["good"], bad=ids["bad"], parent=ids["parent"],
            others={name: ids[name] for name in ("board", "knobs", "branch")},
        )  # fmt: skip


def places(page: str) -> list[list[str]]:
    return table(page, REGION)[1:]


def test_other_boards_configs_and_branches_are_listed_with_their_verdicts(place: Place) -> None:
    page = read(place.site, f"/compare?id={place.bad}")
    found = places(page)
    # Its branch first: the same board against the parent, which is no other place, the other
    # board; then the others.
    assert [row[0].split(",")[0] for row in found] == [SMALL, BIG, SMALL, SMALL]
    parent, board, knobs, branch = found
    assert parent[1].startswith("REGRESSION")
    assert parent[4].split(" against ")[1].startswith("the parent")
    assert board[1].startswith("IMPROVEMENT")
    assert "sched_features=NO_WA_WEIGHT" in knobs[0]
    assert knobs[1] == "UNCHANGED"
    assert "debian/next" in branch[0]
    assert branch[1].startswith("REGRESSION")
    assert f"{FIGURE}: worse in 1 of 3 other places" in text(page)
    # Each has the numbers of its own page, and leads there.
    for row, id_ in zip(found, (place.parent, *place.others.values()), strict=True):
        assert f'href="/compare?id={id_}"' in page
        own = next(
            r for r in table(read(place.site, f"/compare?id={id_}"), "figures") if FIGURE in r[0]
        )
        assert row[1:4] == own[1:4]


def test_the_last_good_kernel_is_named(place: Place) -> None:
    page = read(place.site, f"/compare?id={place.bad}")
    assert "Last good here: debian/6.12.1-1" in text(page)
    assert "(2026-03-01 00:00)" in text(page)
    assert f'Last good here: <a href="/compare?id={place.good}"' in page
    of_parent = text(read(place.site, f"/compare?id={place.parent}"))
    assert "Last good here: debian/6.12.1-1" in of_parent
    assert "Its parent, debian/6.12.1-1" in of_parent
    # Negative control: once that one was worse too, none is left.
    with planted(place.record.conn) as conn:
        conn.execute(
            "UPDATE verdict SET verdict = 'REGRESSION', effect = -0.1 WHERE comparison = %s",
            (place.good,),
        )
    page = text(read(place.site, f"/compare?id={place.bad}"))
    assert f"No earlier kernel of this branch on {SMALL} is on record that was not worse" in page
    assert "Last good here" not in page


def test_a_later_kernel_is_not_the_last_good_one(place: Place) -> None:
    later = head(4)
    place.record.fill(later, SAME)
    place.record.compare(BASE, later, "baseline")
    page = read(place.site, f"/compare?id={place.bad}")
    assert "Last good here: debian/6.12.1-1" in text(page)
    # It is what the branch is now.
    assert [row[1] for row in places(page) if "6.12.4" in row[4]] == ["UNCHANGED"]


def test_only_a_regression_has_the_section(place: Place) -> None:
    for id_ in (place.good, place.others["board"]):
        assert "The same elsewhere" not in read(place.site, f"/compare?id={id_}")
    assert "The same elsewhere" in read(place.site, f"/compare?id={place.bad}")


def test_an_alert_has_it_too(place: Place) -> None:
    alerts = [a.id for a in place.record.derive(place.bad, place.parent)]
    assert alerts
    page = read(place.site, f"/alert?id={alerts[0]}")
    assert places(page)
    assert "Last good here: debian/6.12.1-1" in text(page)
    assert "<script>alert" not in page


def test_one_statement_serves_all_figures(place: Place) -> None:
    conn = place.record.conn
    figures = [v for v in read_model.verdicts(conn, [place.bad]) if v["verdict"] == "REGRESSION"]
    together = elsewhere(conn, figures)

    def known(found: list[Elsewhere]) -> list[Any]:
        return [(f["id"], [s["id"] for s in f["same"]], f["last_good"]) for f in found]

    assert known(together) == [known(elsewhere(conn, [f]))[0] for f in figures]
    assert elsewhere(conn, []) == []
