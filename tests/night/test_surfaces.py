# SPDX-License-Identifier: GPL-2.0-only
"""What is shown of a booted night and its pushes: one figure is one number on every surface."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import evolve

from tests.integration.figures_shown import Surface, disagreements
from tests.integration.grafana import opened
from tests.integration.reports import environment
from tests.integration.surfaces import (
    WalkedNight,
    all_of,
    in_process,
    named_if_spoiled,
    surfaces,
)
from tests.integration.websites import application, visitor
from tests.night.digests import CATALOGUE
from tests.night.road import SLOW, TYPES, Road
from vlag import config

pytestmark = pytest.mark.night

#: Where each figure of a comparison is shown, by the beginnings of their names.
EVERYWHERE = (
    "/compare", "/choose", "/across", "report as text", "report as markdown", "report as html",
    "report as json", "API", "panel of effects", "panel of the matrix", "vlag report", "KCIDB",
)  # fmt: skip


@pytest.fixture(scope="module")
def night(road: Road, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WalkedNight]:
    settings = config.load(road.farm.service.toml)
    dsn = settings.dsn()
    shipped = CATALOGUE.board_type("qemu-sim-2")
    own = {name: evolve(shipped, name=name, cpus=1) for name in TYPES}
    catalogue = evolve(CATALOGUE, board_types={**CATALOGUE.board_types, **own})
    # The clone has no kcidb-io, which is nobody's dependence; the tests have.
    export = in_process(environment(dsn, tmp_path_factory.mktemp("settings")))

    def vlag(*words: str) -> str:
        return export(*words) if words[0] == "export" else road.clone.vlag(*words).stdout

    for conn, reader in opened(dsn):
        yield WalkedNight(
            conn=conn, catalogue=catalogue, reader=reader, state=settings.state,
            site=visitor(application(dsn, settings.state, catalogue=catalogue)),
            branch="debian/linux-6.12", board_type="road", vlag=vlag,
        )  # fmt: skip


@pytest.fixture(scope="module")
def walked(night: WalkedNight) -> list[Surface]:
    return surfaces(night)


def test_one_figure_of_real_boots_is_one_number_on_every_surface(walked: list[Surface]) -> None:
    assert disagreements(all_of(walked)) == []


def test_the_walk_reads_what_the_night_and_the_pushes_have_measured(
    walked: list[Surface], night: WalkedNight, road: Road
) -> None:
    shown = all_of(walked)
    # A commit with its parent's image is not booted: there is no interval, and less is told of it.
    measured = night.conn.execute(
        "SELECT comparison, name FROM read_model.verdict"
        " WHERE comparison = ANY(%s) AND ci_low IS NOT NULL",
        (list(night.comparisons.values()),),
    ).fetchall()
    for id_, name in measured:
        seen = {s.surface for s in shown if (s.comparison, s.name) == (id_, name)}
        assert [w for w in EVERYWHERE if not any(s.startswith(w) for s in seen)] == [], (id_, name)
    # The night's own, and the one by which the slower commit was found.
    compared = {id_ for id_, _name in measured}
    assert set(night.of_last_night.values()) <= compared
    slower = road.against_parent(SLOW)["id"]
    assert slower in compared
    alerts = {s.surface for s in shown if s.comparison == slower and "alert" in s.surface}
    assert any(s.startswith("/alert ") for s in alerts), alerts


def test_another_figure_on_one_surface_is_named(walked: list[Surface]) -> None:
    """Negative control: one number of a rendered text is another one."""
    telling = {s.surface for s in all_of(walked) if s.number is not None and s.number[0]}
    spoiled = [w for w in walked if w.name in telling and w.name.startswith(EVERYWHERE)]
    assert len(spoiled) > len(EVERYWHERE)
    for surface in spoiled:
        assert named_if_spoiled(surface, walked), surface.name
