"""Field reports as stored runs: which of them are alerts, and what toggles say of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import evolve

from vlag.alerts import derive as alerting
from vlag.compare import toggle_attribution
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.report.layout import WIDTH
from vlag.scenario import data
from vlag.scenario.bundles import enter
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.views import views
from vlag.store.alerts import Alert
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

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


def nothing(sets: dict[str, Any]) -> None:
    assert sets


def test_s1_names_the_toggle_and_its_share(told: Told, tmp_path: Path) -> None:
    folder = only(tmp_path / "s1", "S1", ("a",), nothing)
    found = told("S1", folder)
    alert = one(found, "rpi-6.12.y on rpi5")
    assert alert.synthetic
    assert alert.throughput == pytest.approx(0.293, abs=0.001)
    assert alert.board_type == "rpi5"
    said = plain(alert)
    assert "DELAY_DEQUEUE accounts for 88 % of the loss (stress-ng-pipe" in said
    assert "31 %" not in said
    assert "259.93 -> 183.66 -29.3 %" in said
    assert "SYNTHETIC" in said
    assert max(map(len, alert.body.splitlines())) <= WIDTH
    # One a branch that is worse, none of the toggle's own comparisons.
    branches = sorted(str(a.branch) for a in found.values())
    assert branches == ["rpi-6.12.y", "rpi-6.18.y", "rpi-7.0.y"]
    others = [plain(a) for a in found.values() if a.branch != "rpi-6.12.y"]
    assert all("no toggle was run" in text for text in others)


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


def test_s1_on_another_board_the_preempt_mode_is_no_regression(told: Told, tmp_path: Path) -> None:
    assert told("S1", only(tmp_path / "s1", "S1", ("b",), nothing)) == {}


def test_s3_no_toggle_recovers_the_earlier_run(told: Told, tmp_path: Path) -> None:
    found = told("S3", only(tmp_path / "s3", "S3", ("earlier",), nothing))
    alert = one(found, "lag-v2 full")
    said = plain(alert)
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


def test_s3_side_by_side_is_not_comparable_and_no_alert(
    told: Told, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    told("S3")
    before = conn.execute("SELECT count(*) FROM alert").fetchone()
    # The same base in both sets: another slice, another background load.
    ids = conn.execute(
        "SELECT DISTINCT k.digest, r.knobs <> '{}' FROM run r JOIN kernel k ON k.id = r.kernel"
        " WHERE r.board_type = 'altra' AND k.application = 'none'"
        " AND k.describe LIKE '%%March%%' OR k.describe LIKE '%%2d4cc371baa5'"
    ).fetchall()
    assert len(ids) >= 2
    later = next(d for d, sliced in ids if sliced)
    earlier = next(d for d, sliced in ids if not sliced)
    made = compare(
        conn=conn,
        catalogue=catalogue,
        base=KernelRef(text=earlier),
        new=KernelRef(text=later, knobs={"base_slice_ns": "400000"}),
        board_type="altra",
        synthetic=True,
        role="baseline",
    )
    assert {v.verdict for v in made.verdicts} <= {"NOT_COMPARABLE", "INCONCLUSIVE"}
    assert "NOT_COMPARABLE" in {v.verdict for v in made.verdicts}
    assert {a.action for a in alerting.derive(conn, catalogue, [made.id])} == {None}
    assert conn.execute("SELECT count(*) FROM alert").fetchone() == before


def test_s4_a_knob_that_costs_is_no_regression_of_a_branch(
    told: Told, conn: Connection, catalogue: Catalogue
) -> None:
    assert told("S4") == {}
    lazy = (
        "SELECT c.id FROM comparison c JOIN verdict v ON v.comparison = c.id"
        " WHERE c.stage = 'screen' AND c.base_knobs ->> 'preempt' = 'full'"
        " AND v.metric = 'throughput' AND v.effect < -0.7 AND v.n_new > 1"
    )
    [(number,)] = conn.execute(lazy).fetchall()
    ages = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    assert alerting.refresh(conn, catalogue, ages) == []
    # The very same figures of a head against its baseline are one.
    conn.execute("UPDATE comparison SET role = 'baseline' WHERE id = %s", (number,))
    [alert] = alerting.refresh(conn, catalogue, ages)
    assert alert.throughput == pytest.approx(0.74, abs=0.001)
    assert "uperf-vms throughput" in plain(alert)


def test_s5_is_an_alert_a_release(told: Told) -> None:
    found = told("S5")
    assert len({a.branch for a in found.values()}) == 4
    assert all(title.count("mysql-tprocc") for title in found)
    # The benchmarks of S2 have no real capture behind their parsers.
    assert not [title for title in told("S2") if "x86-480" in title]


def test_s5_without_a_real_capture_is_a_hint(told: Told, catalogue: Catalogue) -> None:
    """Negative control: then its figures raise no alarm."""
    known = catalogue.benchmark("mysql-tprocc")
    unproven = evolve(known, unproven="nobody has seen its output")
    benchmarks = {**catalogue.benchmarks, known.name: unproven}
    assert told("S5", using=evolve(catalogue, benchmarks=benchmarks)) == {}


def test_an_attribution_is_of_what_is_on_record(
    told: Told, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    told("S1", only(tmp_path / "s1", "S1", ("a",), nothing))
    row = conn.execute(
        "SELECT c.id, v.benchmark, v.parameters, v.metric, v.statistic FROM comparison c"
        " JOIN verdict v ON v.comparison = c.id JOIN kernel n ON n.id = c.new_kernel"
        " WHERE c.role = 'baseline' AND c.stage = 'screen' AND n.branch = 'rpi-6.12.y'"
        " AND v.metric = 'write-rate'"
    ).fetchone()
    assert row is not None
    id_, *subject = row
    asked = (subject[0], subject[1], subject[2], subject[3])
    [found] = toggle_attribution.of(conn, catalogue, id_, [asked])
    assert [t.name for t in found.report.toggles] == ["DELAY_DEQUEUE"]
    [toggle] = found.report.toggles
    assert toggle.share is not None
    assert toggle.share.size == pytest.approx(0.88, abs=0.005)
    assert (found.report.base_boots, found.report.new_boots) == (15, 15)
    # Without the toggle's runs nothing is said of it.
    conn.execute("UPDATE run SET suspect = 'test' WHERE knobs ? 'sched_features'")
    [found] = toggle_attribution.of(conn, catalogue, id_, [asked])
    assert toggle_attribution.summary([found]) == "no toggle was run"
    assert toggle_attribution.of(conn, catalogue, id_, [("no-such", {}, "x", "median")]) == []
