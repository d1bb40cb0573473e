# SPDX-License-Identifier: GPL-2.0-only
"""Field reports as stored runs: which of them are alerts, and what toggles say of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import evolve

from tests.integration.field_reports import FieldReports
from vlag.alerts import derive as alerting
from vlag.compare import toggle_attribution
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.report.layout import WIDTH
from vlag.scenario import data
from vlag.scenario.bundles import enter
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.scenario_views import views
from vlag.store.alerts import Alert
from vlag.store.database import Connection

Told = Callable[..., dict[str, Alert]]


@pytest.fixture
def told(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Told:
    """Enter a scenario and return the alerts of its comparisons with baselines by title."""

    def work(
        name: str, folder: Path = data.FOLDER, using: Catalogue = catalogue
    ) -> dict[str, Alert]:
        scenario = data.load(name, folder)
        enter(scenario, using, conn, tmp_path)
        views(Answers(conn, using, scenario))
        rows = conn.execute("SELECT id FROM comparison WHERE role IS NOT NULL ORDER BY id")
        found = alerting.derive(conn, using, [row[0] for row in rows])
        return {alert.title: alert for alert in found}

    return work


def only(folder: Path, name: str, sets: tuple[str, ...], change: Callable[..., None]) -> Path:
    """Write a scenario with some of its sets and their views, changed."""
    raw = yaml.safe_load((data.FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    raw["sets"] = {key: raw["sets"][key] for key in sets}
    raw["views"] = [v for v in raw["views"] if v.get("set") in sets]
    raw.pop("claims", None)  # of what is left out
    change(raw["sets"])
    folder.mkdir()
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    return folder


def one(found: dict[str, Alert], *words: str) -> Alert:
    fitting = [a for title, a in found.items() if all(w in title + a.body for w in words)]
    assert len(fitting) == 1, list(found)
    return fitting[0]


def plain(alert: Alert) -> str:
    return " ".join(alert.body.split())


def test_s1_names_the_toggle_and_its_share(reports: FieldReports) -> None:
    alert = reports.alert("rpi-6.12.y on rpi5", "29.3 % worse")
    assert alert.synthetic
    assert alert.throughput == pytest.approx(0.293, abs=0.001)
    said = plain(alert)
    assert "DELAY_DEQUEUE accounts for 88 % of the loss (stress-ng-pipe" in said
    assert "259.93 -> 183.66 -29.3 %" in said
    assert "SYNTHETIC" in said
    assert max(map(len, alert.body.splitlines())) <= WIDTH
    # Branches that are worse, no comparison of the toggle's, and no preempt mode of set b's board.
    of_board = [a for a in reports.alerts.values() if a.board_type == "rpi5"]
    assert {a.branch for a in of_board} == {"rpi-6.12.y", "rpi-6.18.y", "rpi-7.0.y"}
    others = [a for a in of_board if a.branch != "rpi-6.12.y"]
    assert all("no toggle was run" in plain(a) for a in others)


def test_s1_with_other_figures_says_otherwise(told: Told, tmp_path: Path) -> None:
    """The toggle brings nothing back; then there is no loss at all."""

    def no_recovery(sets: dict[str, Any]) -> None:
        sets["a"]["sides"]["6.12.81-off"]["figures"]["pipe"] = 184.5

    def no_loss(sets: dict[str, Any]) -> None:
        for side in ("6.12.81", "6.12.81-off"):
            sets["a"]["sides"][side]["figures"] |= {"pipe": 259.5, "yield": 2073}

    found = told("S1", only(tmp_path / "s1", "S1", ("a",), no_recovery))
    said = plain(one(found, "rpi-6.12.y on rpi5"))
    assert "no toggle recovers it" in said
    assert "88 %" not in said
    again = told("S1", only(tmp_path / "other", "S1", ("a",), no_loss))
    assert [a.action for a in again.values() if a.branch == "rpi-6.12.y"] == ["withdrawn"]


def test_s3_no_toggle_recovers_the_earlier_run(reports: FieldReports) -> None:
    said = plain(reports.alert("lag-v2 full"))
    assert "Toggles: no toggle recovers it" in said
    assert "DELAY_DEQUEUE does not recover it" in said or "DELAY_DEQUEUE adds to it" in said
    assert "+27.3 %" in said
    # What got better is no part of it.
    assert "118.08" not in said


def test_s3_with_a_toggle_that_recovers_it_says_so(told: Told, tmp_path: Path) -> None:
    def recovers(sets: dict[str, Any]) -> None:
        off = sets["earlier"]["sides"]["patched-off"]["figures"]
        off |= {"4-threads": 13.8, "8-threads": 24.4, "16-threads": 48.0}

    said = plain(one(told("S3", only(tmp_path / "s3", "S3", ("earlier",), recovers)), "lag-v2"))
    assert "DELAY_DEQUEUE accounts for" in said
    assert "no toggle" not in said


def test_s3_side_by_side_is_not_comparable_and_no_alert(reports: FieldReports) -> None:
    """The same base in both sets: another slice, another background load."""
    assert reports.alerts
    count = "SELECT count(*) FROM alert"
    before = reports.conn.execute(count).fetchone()
    made = compare(
        conn=reports.conn,
        catalogue=reports.catalogue,
        base=reports.kernel("S3", "earlier", "base"),
        new=reports.kernel("S3", "later", "base"),
        board_type="altra",
        synthetic=True,
        role="baseline",
    )
    words = {v.verdict for v in made.verdicts}
    assert "NOT_COMPARABLE" in words
    assert words <= {"NOT_COMPARABLE", "INCONCLUSIVE"}
    derived = alerting.derive(reports.conn, reports.catalogue, [made.id])
    assert {a.action for a in derived} == {None}
    assert reports.conn.execute(count).fetchone() == before


def test_s4_a_knob_that_costs_is_no_regression_of_a_branch(reports: FieldReports) -> None:
    assert not [a for a in reports.alerts.values() if a.board_type == "vhost-host"]
    conn, catalogue = reports.conn, reports.catalogue
    number = reports.comparison("S4", "host", "full", "lazy")
    ages = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    with conn.transaction(force_rollback=True):
        assert not [a for a in alerting.refresh(conn, catalogue, ages) if a.action]
        # The very same figures of a head against its baseline are one.
        conn.execute("UPDATE comparison SET role = 'baseline' WHERE id = %s", (number,))
        [alert] = [a for a in alerting.refresh(conn, catalogue, ages) if a.action]
        assert alert.throughput == pytest.approx(0.74, abs=0.001)
        assert "uperf-vms throughput" in plain(alert)


def test_s5_is_an_alert_a_release(reports: FieldReports) -> None:
    found = [a for a in reports.alerts.values() if a.board_type == "sut-loadgen"]
    assert len({a.branch for a in found}) == 4
    assert all(a.title.count("mysql-tprocc") for a in found)
    # The benchmarks of S2 have no real capture behind their parsers.
    assert not [a for a in reports.alerts.values() if a.board_type == "x86-480"]


def test_s5_without_a_real_capture_is_a_hint(told: Told, catalogue: Catalogue) -> None:
    """Negative control: then its figures raise no alarm."""
    known = catalogue.benchmark("mysql-tprocc")
    unproven = evolve(known, unproven="nobody has seen its output")
    benchmarks = {**catalogue.benchmarks, known.name: unproven}
    assert told("S5", using=evolve(catalogue, benchmarks=benchmarks)) == {}


def test_an_attribution_is_of_what_is_on_record(reports: FieldReports) -> None:
    conn, catalogue = reports.conn, reports.catalogue
    number = reports.comparison("S1", "a", "6.6.78", "6.12.81")
    row = conn.execute(
        "SELECT benchmark, parameters, metric, statistic FROM verdict"
        " WHERE comparison = %s AND metric = 'write-rate'",
        (number,),
    ).fetchone()
    assert row is not None
    [found] = toggle_attribution.of(conn, catalogue, number, [row])
    [toggle] = found.report.toggles
    assert toggle.name == "DELAY_DEQUEUE"
    assert toggle.share is not None
    assert toggle.share.size == pytest.approx(0.88, abs=0.005)
    assert (found.report.base_boots, found.report.new_boots) == (15, 15)
    # Without the toggle's runs nothing is said of it.
    with conn.transaction(force_rollback=True):
        conn.execute("UPDATE run SET suspect = 'test' WHERE knobs ? 'sched_features'")
        [found] = toggle_attribution.of(conn, catalogue, number, [row])
        assert toggle_attribution.summary([found]) == "no toggle was run"
    assert toggle_attribution.of(conn, catalogue, number, [("no-such", {}, "x", "median")]) == []
