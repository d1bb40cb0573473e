# SPDX-License-Identifier: GPL-2.0-only
"""One number for a figure on every road: that of the rerun boots, the screen's beneath it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from psycopg.types.json import Jsonb

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.alerting import BASE, SAME, SLOW, SLOWER, head
from tests.integration.alerting import Record as Real
from tests.integration.grafana import Reader, opened
from tests.integration.planted import planted
from tests.integration.reports import plain
from tests.integration.templates import Made
from tests.integration.verdict_rows import BOARD, Record, drawn
from tests.integration.webpages import read, table
from tests.integration.webpages import text as words
from tests.integration.websites import PLAN, application, visitor
from vlag.config.catalogue import Catalogue
from vlag.report import forms, read_model
from vlag.report.compared import number
from vlag.report.data.branch_state import state
from vlag.report.data.comparison import report
from vlag.store import comparisons, database
from vlag.store.database import Connection
from vlag.web.words import change, tint

SCREEN = "screen of the first boots"


@frozen(kw_only=True)
class Screened:
    """A screen of -12 %; rerun boots of the same two kernels show -20 %."""

    record: Real
    reader: Reader
    dsn: str
    folder: Path
    id: int

    def confirm(self) -> int:
        return self.record.compare(BASE, head(1), "baseline", plan=PLAN, stage="confirm")

    def data(self) -> Mapping[str, Any]:
        return report(self.record.conn, self.record.catalogue, self.id, self.folder)

    def roads(self) -> dict[str, str]:
        """Return what each road says of the rate, without markup."""
        data = self.data()
        found = {form: plain(form, forms.render(data, form)) for form in forms.FORMS[:-1]}
        branch = state(self.record.conn, self.record.catalogue, "debian/linux-6.12")
        for form in forms.FORMS[:-1]:
            found[f"branch as {form}"] = plain(form, forms.render(branch, form))
        site = visitor(application(self.dsn, self.folder))
        found["page"] = words(read(site, f"/compare?id={self.id}"))
        found["page of the branch"] = words(read(site, "/branch?branch=debian/linux-6.12"))
        return found


@pytest.fixture(scope="module")
def made(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    dsn, folder = fresh_database(cluster, template), tmp_path_factory.mktemp("screened")
    with database.connect(dsn) as conn:
        record = Real(conn=conn, catalogue=catalogue, folder=folder)
        record.fill(BASE, SAME * 2, shifts=(0, 1, 0, 1, 0) * 2)
        late = (*(40, 41, 40, 41, 40), *(80, 81, 80, 81, 80))
        record.fill(head(1), SLOW + SLOWER, shifts=late)
        id_ = record.compare(BASE, head(1), "baseline", plan=PLAN, stage="screen")
    return Made(name=str(database.parts(dsn)["dbname"]), folder=folder, ids={"screen": id_})


@pytest.fixture
def screened(cluster: str, made: Made, catalogue: Catalogue) -> Iterator[Screened]:
    dsn = fresh_database(cluster, made.name)
    for conn, reader in opened(dsn):
        record = Real(conn=conn, catalogue=catalogue, folder=made.folder)
        id_ = made.ids["screen"]
        yield Screened(record=record, reader=reader, dsn=dsn, folder=made.folder, id=id_)


def test_every_road_has_the_number_of_the_rerun_boots(screened: Screened) -> None:
    for road, said in screened.roads().items():
        assert re.search(r"-12\.00? %", said), road
        assert SCREEN not in said.lower(), road
    confirm = screened.confirm()
    for road, whole in screened.roads().items():
        # What the page lists as said before is of then.
        said = re.sub(r"What was said, and when.*this is said now", "", whole, flags=re.DOTALL)
        # What is not beneath it is not the screen's.
        beneath = re.compile(rf"{SCREEN}: (REGRESSION, )?-12\.00? %", re.IGNORECASE)
        assert beneath.search(said), road
        assert re.search(r"-20\.00? %", said), road
        assert "-12.0" not in re.sub(r"\[[^]]*\]", "", beneath.sub("", said)), road
    data = screened.data()
    assert data["decided_by"] == [confirm]
    assert f"a rerun decided (comparison {confirm})" in forms.render(data, "text")


def test_alert_mail_and_panel_have_it_too(screened: Screened) -> None:
    record = screened.record
    given = {"comparison": str(screened.id), "board": BOARD}
    panel = "vlag-compare", "Effects, worst first"
    [rate, *_] = screened.reader.panel(*panel, **given)
    assert rate["effect"] == pytest.approx(-0.12, abs=0.001)
    assert rate["screen of first boots"] is None
    [(alert, _)] = record.told(screened.confirm())
    body = " ".join(record.alert(alert)["body"].split())
    assert "-20.0 %" in body
    assert f"confirmed by a rerun ({SCREEN}: -12.0 %)" in body
    [rate, *_] = screened.reader.panel(*panel, **given)
    assert rate["effect"] == pytest.approx(-0.20, abs=0.001)
    assert rate["screen of first boots"] == pytest.approx(-0.12, abs=0.001)


def test_a_distribution_is_that_of_the_rerun_boots(screened: Screened) -> None:
    site = visitor(application(screened.dsn, screened.folder))

    def shown() -> tuple[str, dict[str, Any], dict[str, float]]:
        page = words(read(site, f"/latency?id={screened.id}"))
        [shift] = screened.data()["distributions"]
        return page, shift, {q["name"]: q["effect"] for q in shift["quantiles"]}

    page, first, before = shown()
    assert first["screen"] is None
    assert SCREEN not in page.lower()
    confirm = screened.confirm()
    page, fresh, after = shown()
    rows = {r["statistic"]: r for r in screened.data()["rows"] if r["metric"] == "latency"}
    assert {r["decided_by"] for r in rows.values()} == {confirm}
    for name, row in rows.items():
        assert row["effect"] > row["screen"]["effect"] + 0.1
        # A row and the quantile of its name say the same.
        if name in after:
            assert after[name] == pytest.approx(row["effect"], rel=0.05), name
    assert all(after[name] > before[name] + 0.1 for name in after)
    assert (fresh["screen"], fresh["headline"] == first["headline"]) == (first["headline"], False)
    assert f"{fresh['headline']}. Screen of the first boots: {first['headline']}." in page
    assert f"{SCREEN}: {first['headline']}" in " ".join(
        forms.render(screened.data(), "text").split()
    )


def test_a_quantile_has_its_own_p_and_colour(screened: Screened) -> None:
    quantiles = [
        {"name": name, "base": 10.0, "new": 10.0 * (1 + effect), "effect": effect, "low": None,
         "high": None, "p": p, "moved": p < 0.1}
        for name, effect, p in (("p50", 0.04, 0.7), ("p99", 0.5, 0.01), ("max", -0.5, 0.02))
    ]  # fmt: skip
    conn = screened.record.conn
    with planted(conn):
        conn.execute("UPDATE shift SET p = 0.01, quantiles = %s", (Jsonb(quantiles),))
        for q in quantiles:
            # A quantile that is a figure has the figure's change.
            conn.execute(
                "UPDATE verdict SET base_value = 10, new_value = 10 * (1 + %(e)s), effect = %(e)s,"
                " ci_low = NULL, ci_high = NULL WHERE statistic = %(name)s",
                {"e": q["effect"], "name": q["name"]},
            )
    row = conn.execute(
        "SELECT id FROM verdict WHERE comparison = %s AND statistic = 'p50'", (screened.id,)
    ).fetchone()
    assert row is not None
    given = {"comparison": str(screened.id), "board": BOARD, "figure": str(row[0])}
    panel = screened.reader.panel("vlag-latency", "Shift function", **given)
    assert [(r["quantile"], r["p"], r["says"]) for r in panel] == [
        ("p50", 0.7, "not told apart"), ("p99", 0.01, "slower"), ("max", 0.02, "faster"),
    ]  # fmt: skip
    assert {r["p of the distribution"] for r in panel} == {0.01}
    page = read(visitor(application(screened.dsn, screened.folder)), f"/latency?id={screened.id}")
    _, *lines = table(page, "quantiles of cyclictest-hackbench latency")
    assert [(r[0], r[-2], r[-1]) for r in lines] == [
        ("p50", "0.7", "no"), ("p99", "0.01", "slower"), ("max", "0.02", "faster"),
    ]  # fmt: skip
    # What did not move has no colour.
    marked = re.findall(r'<td style="background: ([^"]+)">(slower|faster|no)</td>', page)
    assert marked == [(tint("REGRESSION"), "slower"), (tint("IMPROVEMENT"), "faster")]


def test_both_stages_lead_back_to_their_files(screened: Screened) -> None:
    def runs() -> list[tuple[str, int, bool]]:
        [origin] = [o for o in screened.data()["origins"] if o["metric"] == "bogo-ops-rate"]
        return [(r["side"], r["seed"], r["screen"]) for r in origin["runs"]]

    first = [(side, n, False) for side in ("base", "new") for n in range(1, 6)]
    assert runs() == first
    screened.confirm()
    fresh = [(side, n, False) for side in ("base", "new") for n in range(6, 11)]
    assert runs() == [*fresh, *((side, n, True) for side, n, _ in first)]
    assert "[screen]" in forms.render(screened.data(), "text")


# Twenty comparisons, drawn by chance.


def test_a_page_and_the_report_say_the_same_of_twenty_comparisons(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    record, chance = Record(conn, catalogue, tmp_path), random.Random(20)
    site = visitor(application(dsn, tmp_path))
    decided = 0
    for n in range(20):
        id_ = drawn(record, bundles.kernel(f"6.{n}", branch="drawn"), chance)
        data: Mapping[str, Any] = report(conn, catalogue, id_, tmp_path)
        _, *lines = table(read(site, f"/compare?id={id_}"), "figures")
        of_screen = {v.metric: v for v in comparisons.verdicts(conn, id_)}
        for line, row in zip(lines, data["rows"], strict=True):
            name, verdict, effect, interval, base, new, boots, *_ = line
            assert row["metric"] in name
            assert verdict.split()[0] == row["verdict"]
            plain_effect, _, beneath = effect.partition(f" {SCREEN}: ")
            assert plain_effect.split(" %")[0] == change(row["effect"]).split("\xa0")[0]
            assert interval.startswith(
                f"{change(row['ci_low'])} to {change(row['ci_high'])}".replace("\xa0", " ")
            )
            assert (base.split()[0], new.split()[0]) == (number(row["base"]), number(row["new"]))
            assert boots.startswith(f"{row['n_base']} + {row['n_new']}")
            first = of_screen[row["metric"]]
            if row["decided_by"] is None:
                assert (row["effect"], row["screen"], beneath) == (first.effect, None, "")
            else:
                decided += 1
                assert row["effect"] != first.effect == row["screen"]["effect"]
                assert beneath == change(first.effect).replace("\xa0", " ")
        # The counts of the head are those of the page.
        [summary] = read_model.by_ids(conn, [id_])
        for word in ("unchanged", "inconclusive", "not_comparable"):
            assert summary[word] == data["summary"][word.upper()]
    # Of the 120 figures rerun boots decided some, and left others.
    assert 20 < decided < 100
