# SPDX-License-Identifier: GPL-2.0-only
"""`/metrics`: what Prometheus reads is what the database and a real master have."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import fresh_database
from tests.integration.buildbots import Start, ask_for_run, start
from tests.integration.websites import Filled, Template, application, visitor
from tests.waiting import until
from vlag import ROOT
from vlag.buildbot import PAGES
from vlag.errors import InfrastructureError
from vlag.operate.service import activity
from vlag.operate.service.activity import Activity
from vlag.store import database
from vlag.store.database import Connection
from vlag.web import metrics

__all__ = ["start"]

ACTIVE = Activity(
    waiting={"board": 3, "kernel": 0}, running={"board": 1, "kernel": 2}, infrastructure=4,
    stages={"ingest": 2.0, "compare": 5.0}, lag_s=7.0, late_s=(30.0, 60.0),
)  # fmt: skip

Values = dict[tuple[str, ...], float]


@pytest.fixture(scope="module")
def record(cluster: str, branch_template: Template) -> Iterator[tuple[str, Connection, Filled]]:
    dsn = fresh_database(cluster, branch_template.database)
    with database.connect(dsn) as conn:
        yield dsn, conn, branch_template.filled


def scrape(client: FlaskClient) -> Values:
    """Return each sample by its name and the values of its labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found: Values = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.documentation.endswith("."), family.name
        for sample in family.samples:
            assert sample.name.startswith("vlag_")
            assert sample.name.endswith("_total") == (family.type == "counter"), sample.name
            key = (sample.name, *(value for _, value in sorted(sample.labels.items())))
            assert key not in found, key
            found[key] = sample.value
    return found


def number(conn: Connection, sql: str) -> float:
    row = conn.execute(sql).fetchone()
    assert row is not None
    return float(row[0])


def test_values_are_those_of_the_database(
    record: tuple[str, Connection, Filled], tmp_path: Path
) -> None:
    dsn, conn, _ = record
    found = scrape(visitor(application(dsn, tmp_path, activity=lambda: ACTIVE)))
    for key, sql in {
        ("vlag_builds_total",): "SELECT count(*) FROM build",
        ("vlag_runs_total",): "SELECT count(*) FROM run",
        ("vlag_failures_total", "boot"):
            "SELECT count(*) FROM run WHERE outcome IN ('panic', 'hang')",
        ("vlag_failures_total", "build"):
            "SELECT count(*) FROM build WHERE outcome = 'build_failed'",
        ("vlag_failures_total", "apply"):
            "SELECT count(*) FROM build WHERE outcome = 'patch_failed'",
        ("vlag_alerts_open", "new"): "SELECT count(*) FROM alert WHERE withdrawn_at IS NULL",
        ("vlag_stage_last_duration_seconds", "boot"):
            "SELECT extract(epoch FROM finished_at - started_at) FROM run"
            " ORDER BY finished_at DESC LIMIT 1",
        ("vlag_stage_last_duration_seconds", "build"):
            "SELECT extract(epoch FROM finished_at - started_at) FROM build"
            " ORDER BY finished_at DESC LIMIT 1",
    }.items():  # fmt: skip
        assert found[key] == pytest.approx(number(conn, sql)), key
    assert found["vlag_failures_total", "boot"] == 3
    assert found["vlag_alerts_open", "new"] == 1
    boards = conn.execute("SELECT name, board_type FROM board").fetchall()
    assert {k[1:] for k in found if k[0] == "vlag_board_online"} == set(boards)
    start_s = datetime.datetime(2026, 3, 5, 1, tzinfo=datetime.UTC).timestamp()
    night = {k[0].removeprefix("vlag_last_night_"): v for k, v in found.items() if "night" in k[0]}
    assert night == {
        "start_timestamp_seconds": start_s, "end_timestamp_seconds": start_s + 8 * 3600,
        "duration_seconds": 8 * 3600, "missing": 1, "compared": 2, "success": 0,
    }  # fmt: skip


def test_values_are_those_of_the_master(
    record: tuple[str, Connection, Filled], tmp_path: Path
) -> None:
    found = scrape(visitor(application(record[0], tmp_path, activity=lambda: ACTIVE)))
    expected: Values = {
        ("vlag_master_up",): 1,
        ("vlag_requests_waiting", "board"): 3,
        ("vlag_requests_waiting", "kernel"): 0,
        ("vlag_builds_running", "kernel"): 2,
        ("vlag_failures_total", "infrastructure"): 4,
        ("vlag_stage_last_duration_seconds", "ingest"): 2,
        ("vlag_stage_last_duration_seconds", "compare"): 5,
        ("vlag_ingest_lag_seconds",): 7,
        ("vlag_ingest_waiting",): 2,
        ("vlag_ingest_waiting_seconds",): 60,
    }
    assert {key: found[key] for key in expected} == expected


def test_without_a_master_the_database_s_part_is_there(
    record: tuple[str, Connection, Filled], tmp_path: Path
) -> None:
    def silent() -> Activity:
        raise InfrastructureError("Buildbot's web interface: no answer")

    for ask in (silent, None):
        found = scrape(visitor(application(record[0], tmp_path, activity=ask)))
        assert found["vlag_master_up",] == 0
        assert found["vlag_runs_total",] > 0
        # Not 0, which would be taken for a counter that began anew.
        assert ("vlag_failures_total", "infrastructure") not in found
        assert not {k for k in found if k[0].startswith(("vlag_requests", "vlag_ingest"))}


def test_a_change_shows_and_a_scraper_does_not_load_the_database(
    dsn: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def ask() -> Activity:
        asked.append(1)
        return ACTIVE

    client = visitor(application(dsn, tmp_path, activity=ask))
    empty = scrape(client)
    assert empty["vlag_runs_total",] == 0
    assert not {k for k in empty if "night" in k[0] or k[0] == "vlag_board_online"}
    conn.execute(
        "INSERT INTO board_type (name, arch, deterministic, cpus, limits)"
        " VALUES ('rpi5', 'arm64', false, 4, 'none');"
        " INSERT INTO board (name, board_type) VALUES ('rpi5-1', 'rpi5'), ('rpi5-2', 'rpi5');"
        " INSERT INTO board_state (board, state, since, reason, by)"
        " VALUES ('rpi5-2', 'maintenance', now(), 'it smokes', 'ada')"
    )
    assert scrape(client) == empty
    assert len(asked) == 1
    monkeypatch.setattr(metrics, "CACHED_S", 0.0)
    fresh = scrape(client)
    assert fresh["vlag_board_online", "rpi5-1", "rpi5"] == 1
    assert fresh["vlag_board_online", "rpi5-2", "rpi5"] == 0


def test_without_a_database_a_scrape_fails(tmp_path: Path) -> None:
    client = visitor(application("host=127.0.0.1 port=1 dbname=vlag", tmp_path))
    answer = client.get("/metrics")
    assert answer.status_code == 503
    assert "The database does not answer now" in answer.text


def test_the_queue_of_a_real_master(start: Start) -> None:
    web = start()
    for seed in range(3):
        ask_for_run(web, f"seed {seed}", "night")
    until(lambda: activity.current(web).running["board"])
    found = activity.current(web)
    # Its one worker takes one build, which never ends.
    assert found.running == {"board": 1, "kernel": 0}
    assert found.waiting == {"board": 2, "kernel": 0}
    assert (found.infrastructure, found.stages, found.lag_s, found.late_s) == (0, {}, None, ())
    [build] = web.get("/builds", complete="false")
    web.control(f"/builds/{build['buildid']}", "stop", reason="a test")
    until(lambda: activity.current(web).waiting["board"] == 1)
    # A person stopped it: no failure of the infrastructure.
    assert activity.current(web).infrastructure == 0


def test_the_documentation_has_each_metric_and_an_example_that_works(
    record: tuple[str, Connection, Filled], tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    client = visitor(application(record[0], tmp_path, activity=lambda: ACTIVE))
    for name, *_ in scrape(client):
        short = name.removeprefix("vlag_last_night")
        assert f"`{name}`" in text or f"`{short}`" in text, name
    document = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    [job] = document["scrape_configs"]
    assert job["metrics_path"] == f"/{PAGES}metrics"
    shipped = tomllib.loads((ROOT / "vlag.toml").read_text(encoding="utf-8"))
    assert job["static_configs"] == [{"targets": [f"127.0.0.1:{shipped['ports']['web']}"]}]
