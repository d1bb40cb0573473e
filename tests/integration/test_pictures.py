# SPDX-License-Identifier: GPL-2.0-only
"""Every page has a picture, and the made-up year that the pictures show is consistent."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
from attrs import frozen
from PIL import Image

from bench.pictures import page_addresses, story, variants, year
from bench.pictures.__main__ import small
from tests.conftest import fresh_database
from tests.integration.websites import application, visitor
from vlag import ROOT
from vlag.report import read_model
from vlag.stats.summary import statistics
from vlag.store import database, runs
from vlag.store.views import READER

NIGHTS = 3


@frozen
class Place:
    dsn: str
    state: Path


@pytest.fixture(scope="module")
def place(cluster: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Place:
    state = tmp_path_factory.mktemp("year")
    dsn = fresh_database(cluster, template)
    variants.fill(dsn, state, NIGHTS)
    return Place(dsn, state)


def test_every_page_has_a_picture_and_a_line_in_the_docs(tmp_path: Path) -> None:
    app = application("host=127.0.0.1 port=1 user=nobody dbname=none", tmp_path)
    assert page_addresses.missing(app) == []
    text = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
    addresses = {p.address.partition("?")[0] for p in page_addresses.here(app) if p.endpoint}
    assert {a for a in addresses if f"`{a}`" not in text} == set()
    # Negative control: a page that nobody thought of.
    app.add_url_rule("/new", "pages.new", lambda: "new")
    assert page_addresses.missing(app) == ["pages.new /new"]


def test_every_page_shows_the_year(place: Place) -> None:
    app = application(place.dsn, place.state)
    client = visitor(app)
    shown = []
    with psycopg.connect(database.as_user(place.dsn, READER)) as conn:
        for picture in page_addresses.here(app):
            address = page_addresses.address(conn, picture)
            assert address is not None, picture.name
            assert client.get(address).status_code == picture.status, address
            shown.append(picture.name)
    assert {"overview", "matrix", "proof", "alert"} <= set(shown)


def test_an_empty_database_has_nothing_for_some_pictures(dsn: str, tmp_path: Path) -> None:
    app = application(dsn, tmp_path)
    client = visitor(app)
    with psycopg.connect(database.as_user(dsn, READER)) as conn:
        found = {p.name: page_addresses.address(conn, p) for p in page_addresses.here(app)}
    assert found["compare"] is found["alert"] is found["run"] is None
    status = {p.name: p.status for p in page_addresses.here(app)}
    for name, address in found.items():
        if address is not None:
            assert client.get(address).status_code == status[name]


def test_the_overview_shows_what_the_read_model_has(place: Place) -> None:
    page = visitor(application(place.dsn, place.state)).get("/").get_data(as_text=True)
    with database.connect(place.dsn) as conn:
        found = read_model.overview(conn)
        nights = conn.execute("SELECT count(*) FROM night").fetchone()
    assert nights == (NIGHTS,)
    assert found["proof"] is not None
    assert found["proof"]["total"] == 6
    assert found["proof"]["text"] in page
    named = [(c["branch_name"], c["board_type"]) for c in found["comparisons"]]
    places = {(name.partition("/")[2], board) for name, board in named if name}
    assert {branch for branch, _ in places} >= set(story.BRANCHES)
    assert {board for _, board in places} >= set(story.BOARDS)


def test_the_year_is_what_its_boots_say(place: Place) -> None:
    with database.connect(place.dsn) as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM run")]
        stored = {
            (run, series, name): value
            for run, series, name, value in conn.execute(
                "SELECT run, series, statistic, value FROM run_value"
            )
        }
        measured = {
            (f.run, f.series.id, name): value
            for f in runs.figures_of(conn, ids)
            for name, value in statistics(f.figures).items()
        }
        assert stored == pytest.approx(measured)
        [wrong] = conn.execute(
            "SELECT count(*) FROM verdict v JOIN comparison c ON c.id = v.comparison"
            " CROSS JOIN LATERAL unnest(v.new_runs) x(run) JOIN run r ON r.id = x.run"
            " WHERE r.kernel <> c.new_kernel OR r.board_type <> c.board_type"
        ).fetchall()
        assert wrong == (0,)
        # Nothing was made after the last night ended.
        for table, columns in year._MADE.items():
            for column in columns:
                [late] = conn.execute(
                    f"SELECT count(*) FROM {table}"  # noqa: S608 - constants
                    f" WHERE {column} > (SELECT max(finished_at) FROM night)"
                ).fetchall()
                assert late == (0,), f"{table}.{column}"


def test_a_picture_of_few_colours_is_kept_to_the_pixel() -> None:
    image, whole = Image.new("RGB", (5, 3)), io.BytesIO()
    image.putpixel((2, 1), (200, 100, 50))
    image.save(whole, "PNG")
    kept = Image.open(io.BytesIO(small(whole.getvalue())))
    assert kept.mode == "P"
    assert kept.convert("RGB").tobytes() == image.tobytes()
