# SPDX-License-Identifier: GPL-2.0-only
"""Several kernels side by side: the values and changes are those of the comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from attrs import frozen
from click.testing import CliRunner, Result
from flask.testing import FlaskClient

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.alerting import BASE, BIG, FAST, SAME, SLOW, SMALL, Record, head
from tests.integration.reports import environment
from tests.integration.webpages import links, read, table, text
from tests.integration.websites import LONG, ODD, PLAN, application, visitor
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.report.compared import number
from vlag.report.data.comparison import report
from vlag.store import database
from vlag.web.words import change

RATE = "stress-ng-switch bogo-ops-rate 1/s"


@frozen(kw_only=True)
class Place:
    site: FlaskClient
    record: Record
    folder: Path
    pairs: list[int]
    dsn: str


@pytest.fixture(scope="module")
def place(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("across")
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=folder)
        heads = [head(n, branch=f"b{n}", subject=ODD) for n in (1, 2, 3)]
        for of, factors in zip((BASE, *heads), (SAME, SLOW, FAST, SAME), strict=True):
            record.fill(of, factors)
        record.fill(BASE, SAME, board_type=BIG)
        record.fill(heads[0], SAME, board_type=BIG)
        # The third was measured and not compared.
        pairs = [record.compare(BASE, of, "baseline") for of in heads[:2]]
        record.compare(BASE, heads[0], "baseline", board_type=BIG)
        site = visitor(application(dsn, folder))
        yield Place(site=site, record=record, folder=folder, pairs=pairs, dsn=dsn)


def url(*kernels: str, **more: str) -> str:
    return f"/across?{urlencode({'kernels': ','.join(kernels), **more})}"


def shown(page: str) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table(page, "kernels side by side")[1:]}


def test_columns_have_the_numbers_of_the_reports(place: Place) -> None:
    page = read(place.site, url("linux-6.1", "b1", "b2"))
    base, *cells = shown(page)[RATE]
    for cell, id_, word in zip(cells, place.pairs, ("REGRESSION", "IMPROVEMENT"), strict=True):
        data = report(place.record.conn, place.record.catalogue, id_, place.folder)
        row = next(r for r in data["rows"] if r["metric"] == "bogo-ops-rate")
        assert row["verdict"] == word
        value, effect, *_ = cell.split()
        assert (base, value) == (number(row["base"]), number(row["new"]))
        assert effect == change(row["effect"]).split("\xa0")[0]
        ends = f"{change(row['ci_low'])} to {change(row['ci_high'])}".replace("\xa0", " ")
        assert cell.endswith(ends)
        assert f'href="/compare?id={id_}"' in page
        # What is printed multiplies out.
        printed = float(base) * (1 + float(effect) / 100)
        assert float(value) == pytest.approx(printed, rel=0.001)
    # Another baseline gives another table.
    assert shown(read(place.site, url("b1", "linux-6.1")))[RATE][1].endswith("not compared")


def test_what_was_only_measured_has_its_value_and_no_change(place: Place) -> None:
    page = read(place.site, url("linux-6.1", "b1", "b3"))
    base, compared, measured = shown(page)[RATE]
    assert "%" in compared
    assert measured == f"{base} not compared"
    # Nothing was compared at all.
    page = read(place.site, url("b3", "b2"))
    assert shown(page)[RATE][1].endswith("not compared")
    assert "%" not in str(shown(page).values())


def test_a_board_has_its_own_table(place: Place) -> None:
    small = read(place.site, url("linux-6.1", "b1", "b2"))
    assert f"3 kernels on {SMALL}" in text(small)
    big = read(place.site, url("linux-6.1", "b1", "b2", board=BIG))
    assert shown(big)[RATE][2] == "-"
    assert shown(big)[RATE][1].split()[1] != shown(small)[RATE][1].split()[1]
    assert f"board={BIG}" in small
    none = read(place.site, url("b2", "b3", board=BIG))
    assert f"No two of these kernels were measured with the same benchmark on {BIG}" in text(none)
    said = text(read(place.site, url("b2", "b3", board="nix"), 400))
    assert f"Nothing was measured on board type 'nix'; there are: {SMALL}, {BIG}." in said


def command(place: Place, *words: str) -> Result:
    env = environment(place.dsn, place.folder)
    return CliRunner().invoke(main, ["report", "--across", *words], env=env)


def test_the_terminal_has_the_values_of_the_page_in_80_columns(place: Place) -> None:
    answer = command(place, "linux-6.1", "b1", "b2", "b3", "--board", SMALL)
    assert answer.exit_code == 0, answer.stderr
    lines = answer.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    at = next(i for i, x in enumerate(lines) if x == "stress-ng-switch bogo-ops-rate [1/s]")
    values, changes = lines[at + 1].split(), lines[at + 2].split()
    cells = shown(read(place.site, url("linux-6.1", "b1", "b2", "b3", board=SMALL)))[RATE]
    assert values == [cell.split()[0] for cell in cells]
    # The last was only measured.
    assert [changes[2], changes[5]] == ["W", "B"]
    assert len(changes) == 6
    assert f"on {BIG}" not in answer.stdout
    assert f"on {BIG}" in command(place, "linux-6.1", "b1", "b2").stdout


def test_a_change_from_other_boots_of_the_baseline_names_their_level(
    cluster: str, template: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    dsn = fresh_database(cluster, template)
    worse, same = (head(n, branch=f"b{n}") for n in (1, 2))
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
        # The later boots, those of a rerun, are 2 % below the first ones.
        later = tuple(0.98 * f for f in SAME)
        for of, factor in ((BASE, 1.0), (worse, 0.88), (same, 1.0)):
            record.fill(of, [factor * f for f in SAME + later])
        for of, stages in ((same, ["screen"]), (worse, ["screen", "confirm"])):
            for stage in stages:
                record.compare(BASE, of, "baseline", plan=PLAN, stage=stage)
    env = environment(dsn, tmp_path)
    printed = CliRunner().invoke(main, ["report", "--across", "linux-6.1", "b2", "b1"], env=env)
    lines = printed.stdout.splitlines()
    at = lines.index("stress-ng-switch bogo-ops-rate [1/s]")
    base, _, value = map(float, lines[at + 1].split())
    effect = float(lines[at + 2].split()[-3])
    word, own = lines[at + 3].split()
    assert word == "from"
    assert 100 * (value / float(own) - 1) == pytest.approx(effect, abs=0.006)
    assert 100 * (value / base - 1) != pytest.approx(effect, abs=1)  # negative control
    site = visitor(application(dsn, tmp_path))
    _, first, second = shown(read(site, url("linux-6.1", "b2", "b1")))[RATE]
    assert f"from {own}" in second
    assert "from" not in first


def test_more_kernels_than_fit_make_tables_that_begin_with_the_baseline(place: Place) -> None:
    names = ("linux-6.1", "b1", "b2", "b3", "b1", "b2")
    answer = command(place, *names, "--board", SMALL)
    assert answer.exit_code == 0, answer.stderr
    heads = [x for x in answer.stdout.splitlines() if x.startswith("metric ")]
    assert [len(x.split()) for x in heads] == [5, 4]
    assert heads[0].split()[1] == heads[1].split()[1]
    assert max(map(len, answer.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["b2"], "name 2 to 8 kernels, not 1"),
        (["linux-6.1", "b4"], "No kernel on record has the name 'b4'; similar names are: "),
        (["linux-6.1", "b2", "--board", "nix"], "nothing was measured on board type 'nix'"),
        (["linux-6.1", "b2", "--full"], "--across is a text of its own"),
    ],
)
def test_the_terminal_refuses_with_one_sentence(
    place: Place, words: list[str], sentence: str
) -> None:
    answer = command(place, *words)
    assert answer.exit_code == ExitCode.USAGE
    assert sentence in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    without = CliRunner().invoke(main, ["report", "b2"])
    assert "'b2' is for --across" in without.stderr


def test_wrong_names_are_refused_with_one_sentence(place: Place) -> None:
    assert "Name two to eight" in text(read(place.site, "/across"))
    assert "Name two to eight" in text(read(place.site, url("", " ")))
    for names in (["b1"], ["b1"] * 9):
        said = text(read(place.site, url(*names), 400))
        assert f"name 2 to 8 kernels, not {len(names)}; the first is the baseline" in said
    page = read(place.site, url("linux-6.1", "b4", "b2"), 404)
    assert "No kernel on record has the name 'b4'; similar names are:" in text(page)
    fault = page.split('class="bad"', 1)[1].split("</div>", 1)[0]
    found = links(fault)
    assert found
    for link in found:
        assert 'class="bad"' not in read(place.site, link)
    for name in (ODD, LONG, "%", "' OR 1=1 --", "9" * 18):
        page = read(place.site, url("linux-6.1", name), 404)
        assert "<script>alert" not in page
        assert "<b onclick" not in page
    twins = bundles.kernel("6.77", tree="stable", branch="b1")
    place.record.fill(twins, SAME)
    page = read(place.site, url("linux-6.1", "b1"), 300)
    assert "'b1' may mean 2 kernels:" in text(page)
    assert "<script>alert" not in page
