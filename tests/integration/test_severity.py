# SPDX-License-Identifier: GPL-2.0-only
"""Worst first: one order on every road from one database to a reader."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.grafana import Reader, opened
from tests.integration.verdict_rows import BOARD, Record
from tests.integration.webpages import read, table
from tests.integration.websites import application, visitor
from tests.made import figure
from tests.unit.pages import Page
from vlag.config.catalogue import Catalogue
from vlag.report import forms, read_model
from vlag.report.data.branch_state import state as branch_state
from vlag.report.data.comparison import night, report
from vlag.report.text import ordered
from vlag.stats import severity
from vlag.store import comparisons
from vlag.store.comparisons import VerdictRow

WORST_FIRST = [
    "m05", "m13", "m03",  # proven, by size
    "m18", "m09", "m20", "m06",  # suspected, and rerun boots did not decide; a hint
    "m19", "m16", "m07",  # marginal, one by rerun boots; not comparable
    "m04", "m17", "m11", "m08", "m02", "m10",  # undecided, a marginal hint, better, a hint of it
    "m12", "m01", "m15", "m14",  # of one size: by name
]  # fmt: skip


@pytest.fixture(scope="module")
def database(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Record, Reader, str, Path]]:
    folder = tmp_path_factory.mktemp("severity")
    dsn = fresh_database(cluster, template)
    for conn, reader in opened(dsn):
        yield Record(conn, catalogue, folder), reader, dsn, folder


def metrics(text: str) -> list[str]:
    """Return metrics in the order in which they first appear."""
    return list(dict.fromkeys(re.findall(r"\bm\d\d\b", text)))


def test_figures_have_one_order_on_every_road(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, reader, dsn, folder = database
    new = bundles.kernel("6.12")
    c = record.every(new)
    assert c.id is not None
    data = report(record.conn, record.catalogue, c.id, folder)
    assert [r["metric"] for r in data["rows"]] == WORST_FIRST
    for form in ("text", "markdown"):
        assert metrics(forms.render(data, form)) == WORST_FIRST, form
    rows = Page(forms.render(data, "html")).rows
    assert metrics(" ".join(cell for row in rows for cell in row)) == WORST_FIRST
    # The page, the branch's page and its report.
    site = visitor(application(dsn, folder))
    rows = table(read(site, f"/compare?id={c.id}"), "figures")[1:]
    assert metrics(" ".join(r[0] for r in rows)) == WORST_FIRST
    branch = branch_state(record.conn, record.catalogue, "debian/linux-6.12")
    told = [m for m in WORST_FIRST if m not in ("m12", "m15", "m01", "m14")]
    assert [r["metric"] for r in branch["states"][0]["rows"]] == told
    # Grafana.
    given = {"board": BOARD, "new": str(c.new_kernel), "base": str(c.base_kernel)}
    panel = reader.panel("vlag-compare", "Effects, worst first", comparison=str(c.id), **given)
    assert metrics(" ".join(r["figure"] for r in panel)) == WORST_FIRST
    # Python's own table over the rows of the view.
    shown = read_model.verdicts(record.conn, [c.id])
    assert sorted(shown, key=severity.order) == shown
    # Negative control: the order of the alphabet, and that of the screen alone, are others.
    assert sorted(WORST_FIRST) != WORST_FIRST
    screen = comparisons.verdicts(record.conn, c.id)
    alone = sorted(screen, key=lambda v: (severity.severity(v.verdict), -severity.size(v.effect)))
    assert [v.metric for v in alone] != WORST_FIRST


def test_hints_are_not_called_unchanged(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, _, dsn, folder = database
    quiet = [figure("m1", "UNCHANGED", 0.0)]
    hints = [figure(f"h{n}", "REGRESSION", e, hint=True, direction="lower")
             for n, e in enumerate((0.5, 16.0, 2.0))]  # fmt: skip
    said = "no proof; 3 hints, worst \N{MULTIPLICATION SIGN} 17"
    site = visitor(application(dsn, folder))
    for name, rows, word in (
        ("hinted", [*quiet, *hints], "REGRESSION (hint)"),
        ("quiet", quiet, "UNCHANGED"),
    ):
        c = record.compare(bundles.kernel(name, branch=name), rows)
        [summary] = read_model.by_ids(record.conn, [c.id or 0])
        assert summary["verdict"] == word
        data = report(record.conn, record.catalogue, c.id, folder)
        branch = branch_state(record.conn, record.catalogue, f"debian/{name}")
        roads = [forms.render(d, form) for d in (data, branch) for form in ("text", "markdown")]
        roads += [read(site, f"/compare?id={c.id}"), read(site, "/").partition(f"debian/{name}")[2]]
        # Negative control: without hints no road has these words.
        assert [said in " ".join(road.split()) for road in roads[:5]] == [name == "hinted"] * 5
        assert said in roads[5] or name == "quiet"
        assert f"debian/{name}: {word}" in roads[2]


def test_what_a_side_has_not_measured_is_said_on_every_road(
    database: tuple[Record, Reader, str, Path],
) -> None:
    record, _, dsn, folder = database
    same = [figure(f"m{n}", "UNCHANGED", 0.0) for n in range(6)]
    none: dict[str, Any] = {"n_base": 0, "base_value": None}
    lost = [figure(f"n{n}", "INCONCLUSIVE", None, **none) for n in range(6)]
    site = visitor(application(dsn, folder))
    for name, rows, word, said in (
        ("half", [*same, *lost], "INCONCLUSIVE", "6 of 12 figures without a base"),
        ("some", [*same, *lost[:5]], "UNCHANGED", "5 of 11 figures without a base"),
    ):
        c = record.compare(bundles.kernel(name, branch=name), rows)
        [summary] = read_model.by_ids(record.conn, [c.id or 0])
        assert summary["verdict"] == word
        shown = read_model.verdicts(record.conn, [c.id or 0])
        assert severity.over(shown, failed=False)[0] == word
        assert {**severity.lacking(shown)}.items() <= summary.items()
        data = report(record.conn, record.catalogue, c.id, folder)
        branch = branch_state(record.conn, record.catalogue, f"debian/{name}")
        roads = [forms.render(d, form) for d in (data, branch) for form in ("text", "markdown")]
        roads += [read(site, f"/compare?id={c.id}"), read(site, "/").partition(f"debian/{name}")[2]]
        for number, road in enumerate(roads):
            assert said in " ".join(road.split()), number
        assert f"debian/{name}: {word}" in roads[2]


def test_marginal_changes_are_counted_apart(
    database: tuple[Record, Reader, str, Path], tmp_path: Path
) -> None:
    record = database[0]
    c = record.every(bundles.kernel("linux-6.11"))
    shown = {v["metric"]: v for v in read_model.verdicts(record.conn, [c.id or 0])}
    standings = {m: v["standing"] for m, v in shown.items() if v["verdict"] == "MARGINAL"}
    assert standings == {"m16": "", "m17": "hint", "m18": "suspected", "m19": ""}
    # Rerun boots that decide nothing leave the screen's verdict, and a suspicion.
    assert (shown["m20"]["verdict"], shown["m20"]["standing"]) == ("REGRESSION", "suspected")
    sql = (
        "SELECT marginal, unchanged, inconclusive FROM read_model.comparison_summary WHERE id = %s"
    )
    assert record.conn.execute(sql, (c.id,)).fetchone() == (2, 4, 2)


def test_the_functions_are_the_table(database: tuple[Record, Reader, str, Path]) -> None:
    reader = database[1]
    standings = ("suspected", "hint", "refuted", "confirmed", "told", "")
    for word, standing in itertools.product(severity.WORDS, standings):
        [(rank,)] = reader.rows("SELECT read_model.severity(%s, %s)", word, standing)
        assert rank == severity.severity(word, standing), (word, standing)
    assert reader.rows("SELECT read_model.severity('WORSE', '')") == [(None,)]
    for effect in (None, -1.0, -0.999, -0.5, -1e-7, 0.0, 0.1, 1.0, 19.0, 1e6):
        [(found,)] = reader.rows("SELECT read_model.size(%s::float8)", effect)
        assert found == severity.size(effect), effect


#: Branch -> its figures, in the order in which comparisons belong.
COMPARISONS: dict[str, list[VerdictRow]] = {
    "mixed-44": [figure("m1", "REGRESSION", -0.44), figure("m2", "IMPROVEMENT", 0.2)],
    "slower-60": [figure("m1", "REGRESSION", 0.60, direction="lower")],
    "regression-2": [figure("m1", "REGRESSION", -0.02)],
    "mixed-1": [figure("m1", "REGRESSION", -0.01), figure("m2", "IMPROVEMENT", 0.9)],
    "hinted": [figure("m1", "REGRESSION", -0.9, hint=True), figure("m2", "UNCHANGED", 0.0)],
    "edge": [figure("m1", "MARGINAL", 0.05), figure("m2", "UNCHANGED", 0.0)],
    "apart": [figure("m1", "NOT_COMPARABLE", None)],
    "open": [figure("m1", "INCONCLUSIVE", 0.2)],
    "better": [figure("m1", "IMPROVEMENT", 0.1), figure("m2", "UNCHANGED", 0.0)],
    "same": [figure("m1", "UNCHANGED", 0.0)],
}


def test_comparisons_have_one_order_on_every_road(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, template)
    for conn, reader in opened(dsn):
        record = Record(conn, catalogue, tmp_path)
        names = sorted(COMPARISONS)
        made = {
            name: record.compare(bundles.kernel(name, branch=name), COMPARISONS[name])
            for name in names
        }
        ids = [c.id for c in made.values() if c.id is not None]
        # The text of a night, and its JSON.
        data = night(conn, catalogue, ids, tmp_path)
        assert [c["new"]["branch"] for c in ordered(data["comparisons"])] == list(COMPARISONS)
        # The page.
        page = read(visitor(application(dsn, tmp_path)), "/")
        _, *lines = table(page, "branches by board type")
        assert [line[0].partition("/")[2].split()[0] for line in lines] == list(COMPARISONS)
        # Grafana.
        panel = reader.panel("vlag-overview", "Newest comparisons, worst first")
        assert [r["branch"].partition("/")[2] for r in panel] == list(COMPARISONS)
        # The view and Python's own rule agree on word, rank and size.
        for c in read_model.by_ids(conn, ids):
            rows = read_model.verdicts(conn, [c["id"]])
            assert severity.over(rows, failed=c["failures"] > 0) == (
                c["verdict"], c["severity"], c["size"],
            )  # fmt: skip
        # What is shown as the worst is the one that decides: 44 % less, not what is last.
        [mixed] = read_model.by_ids(conn, [made["mixed-44"].id or 0])
        assert mixed["worst"] == pytest.approx(0.44)
        # Negative control: without sizes a MIXED of 44 % would lie among those of 1 and 2 %.
        by_word = sorted(ordered(data["comparisons"]), key=lambda c: (c["severity"], c["id"]))
        assert [c["new"]["branch"] for c in by_word] != list(COMPARISONS)
