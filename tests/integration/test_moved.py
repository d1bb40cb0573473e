# SPDX-License-Identifier: GPL-2.0-only
"""A state folder that is moved: what the tables name is found in its new place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask.testing import FlaskClient

from tests.integration import bundles, saved, websites
from vlag import config, progress_log
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.operate.backup import save
from vlag.operate.backup.repository import Repository
from vlag.pipeline import lab_boot
from vlag.pipeline.ingest import ingest_all
from vlag.store import builds, database, lane_results, run_values, runs


def move(made: Settings, folder: Path) -> Settings:
    """Move a stopped installation to another folder, settings and all."""
    made.path.parent.rename(folder)
    return config.load(folder / made.path.name)


def as_an_older_vlag(made: Settings) -> None:
    """Name bundles and builds in rows with the whole path, as tables had it before."""
    with psycopg.connect(made.dsn(), autocommit=True) as conn:
        conn.execute("UPDATE build SET location = in_state(location)")
        conn.execute("UPDATE run SET location = in_state(location)")
        conn.execute(
            "UPDATE run SET document = jsonb_set(document, '{reproduce}',"
            " to_jsonb('vlag run ' || in_state('builds/x') || ' --seed 1'))"
        )


def lane_of(conn: database.Connection, made: Settings) -> None:
    """Enter a lane's build as an older vlag did."""
    one: dict[str, Any] = {
        "lane": "allmod", "outcome": "builds", "reason": None, "is_new": False, "warnings": 0,
        "unjudged": None, "toolchain": "gcc", "record": str(made.lane_builds / "1"), "findings": [],
    }  # fmt: skip
    lane_results.put(conn, tree="debian", commit="0" * 40, subject="s", parent=None, lanes=[one])
    assert lane_records(conn) == [(one["record"],)]
    conn.execute("UPDATE lane_build SET record = in_state(record)")


def lane_records(conn: psycopg.Connection[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return conn.execute("SELECT record FROM read_model.lane").fetchall()


def reach_all(made: Settings, folder: Path) -> None:
    """Check that pages show each bundle's files, and that nothing names a path of before."""
    visitor = websites.application(made.dsn(), made.state).test_client()
    with database.connect(made.dsn()) as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM run ORDER BY id").fetchall()]
        assert len(ids) == 10
        for run in runs.by_id(conn, ids).values():
            assert Path(run.location).is_relative_to(made.state)
            assert (Path(run.location) / "run.json").is_file()
        kernels = [row[0] for row in conn.execute("SELECT id FROM kernel").fetchall()]
        for built in builds.of_kernels(conn, kernels):
            assert (Path(built.location) / "build.json").is_file()
        kept = conn.execute(
            "SELECT location || coalesce(document ->> 'reproduce', '') FROM run"
            " UNION ALL SELECT location FROM build"
        ).fetchall()
        assert not [text for (text,) in kept if str(folder) in text or str(made.state) in text]
    for number in ids:
        shows(visitor, number)


def shows(visitor: FlaskClient, run: int) -> None:
    page = visitor.get(f"/run?id={run}").get_data(as_text=True)
    assert "no longer in the state folder" not in page
    answer = visitor.get(f"/raw?run={run}&file=run.json")
    assert answer.status_code == 200
    assert json.loads(answer.data)["synthetic"] is False


def test_pages_and_backups_of_a_folder_that_was_moved(catalogue: Catalogue, tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "old")
    with saved.running(made):
        saved.fill(made, catalogue)
        reach_all(made, tmp_path / "old")
    now = move(made, tmp_path / "new")
    with saved.held(now), saved.running(now):
        run_values.migrate(now.dsn())
        reach_all(now, tmp_path / "old")
        backups = Repository.at(str(tmp_path / "backups"), None)
        said: list[str] = []
        with progress_log.diverted(said.append):
            save.backup(now, backups, {})  # raises for a bundle that is lost
        assert not [line for line in said if "not below" in line]
        with database.connect(now.dsn()) as conn:  # the same bundles again are the same rows
            again = list(ingest_all([now.builds, now.runs], conn=conn, catalogue=catalogue))
        assert not [one for one in again if getattr(one, "new", True)]


@pytest.mark.parametrize("when", ["upgraded, then moved", "moved, then upgraded"])
def test_rows_of_an_older_vlag(catalogue: Catalogue, tmp_path: Path, when: str) -> None:
    made = saved.settings(tmp_path / "old")
    with saved.running(made):
        saved.fill(made, catalogue)
        # One that lies elsewhere stays so.
        other = tmp_path / "elsewhere" / "runs" / "1" / "one"
        bundles.run(other, bundles.kernel("6.12"), catalogue, seed=4711)
        with database.connect(made.dsn()) as conn:
            list(ingest_all([other], conn=conn, catalogue=catalogue))
        as_an_older_vlag(made)
        with database.connect(made.dsn()) as conn:
            lane_of(conn, made)
        if when.startswith("upgraded"):
            run_values.migrate(made.dsn())
    now = move(made, tmp_path / "new")
    with saved.running(now):
        said: list[str] = []
        with progress_log.diverted(said.append):
            run_values.migrate(now.dsn())
        moved = [line for line in said if "relative to" in line]
        assert bool(moved) == when.startswith("moved")
        with psycopg.connect(now.dsn()) as conn:
            found = conn.execute("SELECT location FROM run WHERE id = 11").fetchone()
            assert found == (str(other),)
            assert lane_records(conn) == [(str(now.lane_builds / "1"),)]
            commands = conn.execute("SELECT DISTINCT reproduce FROM read_model.run").fetchall()
        assert ("vlag run builds/x --seed 1",) in commands


def test_a_bundle_is_named_from_the_state_folder(tmp_path: Path) -> None:
    made = saved.settings(tmp_path / "here")
    there = made.builds / "0123" / "one"
    there.mkdir(parents=True)
    for name in (there, Path("builds/0123/one"), Path("/a/former/state/builds/0123/one")):
        assert made.bundle(name) == there
    assert made.bundle(Path("/a/former/state/other/0123/one")) == Path(
        "/a/former/state/other/0123/one"
    )
    boot = made.lab_jobs / "0123"
    boot.mkdir(parents=True)
    (there / "run.json").write_text('{"files": []}')
    lab_boot.note_bundle(boot, there, made.state)
    now = move(made, tmp_path / "there")
    assert (now.lab_jobs / "0123" / lab_boot.ENDED).read_text() == "builds/0123/one"


def test_the_page_of_a_nights_build_follows_the_address(tmp_path: Path) -> None:
    site = websites.application("dbname=x", tmp_path).extensions["vlag-site"]
    page = "#/builders/1/builds/2"
    for former in (f"http://old:8010/buildbot/{page}", f"https://old.example.org/ci/{page}"):
        assert site.build_url(former) == f"{websites.URL}buildbot/{page}"
    other = "https://elsewhere.example.org/job/7#L3"
    assert site.build_url(other) == other
