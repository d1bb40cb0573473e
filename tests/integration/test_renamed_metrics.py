# SPDX-License-Identifier: GPL-2.0-only
"""A metric that gets another name keeps its history, its alerts and its links."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from bench.pictures import story
from bench.years.service import BOARD_TYPES
from bench.years.world import World
from vlag.alerts import triage
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Metric
from vlag.report import read_model
from vlag.store import renames
from vlag.store.database import Connection

BENCHMARK, OLD, NEW = "hackbench-pipe", "time", "elapsed"


def named(catalogue: Catalogue, name: str, *formerly: str, unit: str | None = None) -> Catalogue:
    """Return the catalogue with the benchmark's metric under another name."""

    def changed(m: Metric) -> Metric:
        return evolve(m, name=name, formerly=formerly, unit=unit or m.unit)

    of = catalogue.benchmarks[BENCHMARK]
    [metric] = of.metrics
    of = evolve(of, metrics=(changed(metric),))
    return evolve(catalogue, benchmarks={**catalogue.benchmarks, BENCHMARK: of})


def rename(world: World, name: str, *formerly: str) -> None:
    world.catalogue = world.farm.catalogue = named(world.catalogue, name, *formerly)
    # As an ingest does.
    renames.apply(world.conn, world.catalogue.benchmarks.values())


@pytest.fixture
def world(conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A branch on which hackbench has a loss that somebody looks at."""
    levels = {**story.LEVELS, f"{BENCHMARK} {NEW}": story.LEVELS[f"{BENCHMARK} {OLD}"]}
    monkeypatch.setattr(story, "LEVELS", levels)
    made = World(conn=conn, state=tmp_path / "state", seed=11)
    made.pushes = False
    for _ in range(3):
        made.night([])
    made._push(lost={(board_type, BENCHMARK): 0.08 for board_type in BOARD_TYPES})
    made.night(["no push"])
    assert alerts(conn)
    triage.set_state(conn, 1, "investigating", by="kim", why="mine")
    return made


def alerts(conn: Connection) -> list[tuple[int, bool, str]]:
    return conn.execute(
        "SELECT id, withdrawn_at IS NULL, triage::text FROM alert ORDER BY id"
    ).fetchall()


def stands_on(conn: Connection) -> set[tuple[str, str]]:
    """Return board type and metric of what the alert stands on."""
    rows = conn.execute(
        "SELECT v.board_type, v.metric FROM read_model.alert_verdict v WHERE v.alert = 1"
    )
    return {(str(board_type), str(metric)) for board_type, metric in rows}


def series(conn: Connection) -> list[tuple[int, str]]:
    return conn.execute(
        "SELECT id, metric FROM series WHERE benchmark = %s ORDER BY id", (BENCHMARK,)
    ).fetchall()


def points(conn: Connection, id_: int) -> int:
    found = read_model.branch_history(conn, "linux", "master", id_, "median")
    return len(found["points"])


def names(conn: Connection) -> set[str]:
    """Return the metric's names in all that is on record."""
    found: set[str] = set()
    for table in ("series", "verdict", "suspicion", "shift", "bisection"):
        rows = conn.execute(
            f"SELECT DISTINCT metric FROM {table} WHERE benchmark = %s",  # noqa: S608
            (BENCHMARK,),
        )
        found |= {row[0] for row in rows}
    return found


def test_history_alert_and_numbers_go_on(world: World) -> None:
    conn = world.conn
    before, known = series(conn), alerts(conn)
    lengths = {id_: points(conn, id_) for id_, _ in before}
    rename(world, NEW, OLD)
    world.night([])
    assert series(conn) == [(id_, NEW) for id_, _ in before]
    assert names(conn) == {NEW}
    assert alerts(conn) == known
    assert stands_on(conn) == {(board_type, NEW) for board_type in BOARD_TYPES}
    for id_, _ in before:
        assert points(conn, id_) > lengths[id_]
    # It ends as every other with the head that has lost nothing.
    world._push(lost={}, culprits={})  # all is reverted
    world.night(["no push"])
    assert not any(open_ for _, open_, _ in alerts(conn))
    assert "no longer shows it" in said(conn)


def said(conn: Connection) -> str:
    """Return why alerts were withdrawn."""
    rows = conn.execute("SELECT why FROM alert_event WHERE action = 'withdrawn' ORDER BY id")
    return "; ".join(row[0] for row in rows)


def test_without_the_former_name_it_is_another_metric(world: World) -> None:
    """Negative control."""
    conn = world.conn
    before = series(conn)
    rename(world, NEW)
    world.night([])
    assert len(series(conn)) == 2 * len(before)
    assert names(conn) == {OLD, NEW}
    # The alert goes on where the other metric is worse as well, and nowhere else.
    assert stands_on(conn) == {("rpi5", NEW)}


def test_what_was_measured_under_both_names_is_joined(world: World) -> None:
    """The name was changed first, and the catalogue was told only later."""
    conn = world.conn
    old = series(conn)
    lengths = {id_: points(conn, id_) for id_, _ in old}
    rename(world, NEW)
    world.night([])
    rename(world, NEW, OLD)
    world.night([])
    assert names(conn) == {NEW}
    assert alerts(conn)[0][:2] == (1, True)
    for id_, _ in old:
        row = conn.execute("SELECT joined_to FROM series WHERE id = %s", (id_,)).fetchone()
        assert row is not None
        assert points(conn, row[0]) > lengths[id_]
        assert points(conn, id_) == 0


def test_it_is_done_once(world: World) -> None:
    benchmarks = named(world.catalogue, NEW, OLD).benchmarks.values()
    [done] = renames.apply(world.conn, benchmarks)
    assert str(done) == f"{BENCHMARK}: {OLD} is {NEW} now, 2 series"
    assert renames.apply(world.conn, benchmarks) == []
    # And with nothing to do.
    assert renames.apply(world.conn, world.catalogue.benchmarks.values()) == []


def test_another_unit_is_another_metric(world: World) -> None:
    benchmarks = named(world.catalogue, NEW, OLD, unit="ms").benchmarks.values()
    with pytest.raises(UsageError, match=r"formerly 'time', but that is on record in s, lower"):
        renames.apply(world.conn, benchmarks)
    assert names(world.conn) == {OLD}


def test_a_run_with_both_has_two_metrics(world: World) -> None:
    conn = world.conn
    rename(world, NEW)
    world.night([])
    conn.execute(
        "INSERT INTO run_value (run, series, statistic, at, value)"
        " SELECT v.run, o.id, v.statistic, v.at, v.value FROM run_value v"
        " JOIN series n ON n.id = v.series AND n.metric = %s"
        " JOIN series o ON o.board_type = n.board_type AND o.metric = %s LIMIT 1",
        (NEW, OLD),
    )
    with pytest.raises(UsageError, match="has measured both: they are two metrics"):
        renames.apply(conn, named(world.catalogue, NEW, OLD).benchmarks.values())
    assert names(conn) == {OLD, NEW}
