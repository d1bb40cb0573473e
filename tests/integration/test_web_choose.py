# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels that a person names: what a name means, and the counts of what changed."""

from __future__ import annotations

import html
import random
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from attrs import evolve, frozen
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from tests.conftest import fresh_database
from tests.integration import bundles
from tests.integration.alerting import BASE, BIG, SAME, SLOW, SMALL, Record, head
from tests.integration.verdict_rows import Record as Drawn
from tests.integration.verdict_rows import drawn
from tests.integration.webpages import inside, links, read, table, text
from tests.integration.websites import LONG, ODD, application, served, visitor
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.report.compared import number
from vlag.report.data.comparison import report
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef
from vlag.web.words import change

OTHER = {"tree": "stable"}
PATCHED = {"series": "fair-fixes", "application": "solo(1)"}


@frozen(kw_only=True)
class Place:
    """Kernels of two trees, compared on two boards; the last head was only measured."""

    site: FlaskClient
    dsn: str
    folder: Path
    record: Record
    heads: list[dict[str, Any]]
    pairs: dict[str, int]  # board type -> comparison of the second head with the base


@pytest.fixture(scope="module")
def place(
    cluster: str, template: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("choose")
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=catalogue, folder=folder)
        heads = [head(1), head(2), head(3)]
        patch = {"name": "0001-odd.patch", "sha256": "5" * 64}
        patched = head(2, **PATCHED, patches=[patch])
        twins = [head(n, **OTHER, branch="twin", subject=ODD) for n in (4, 5)]
        twins[1] = {**twins[1], "tree": "debian"}
        twins[1]["digest"] = bundles.kernel("6.12.5")["digest"]
        for of, factors in ((BASE, SAME), (heads[0], SAME), (heads[1], SLOW), (heads[2], SAME)):
            record.fill(of, factors, shifts=(0, 1, 0, 1, 0))
        for of in (patched, *twins):
            record.fill(of, SAME)
        record.fill(BASE, SAME, board_type=BIG)
        record.fill(heads[1], SAME, board_type=BIG)
        record.compare(BASE, heads[0], "baseline")
        pairs = {SMALL: record.compare(BASE, heads[1], "baseline")}
        pairs[BIG] = record.compare(BASE, heads[1], "baseline", board_type=BIG)
        record.compare(heads[1], patched, None)
        site = visitor(application(dsn, folder))
        yield Place(
            site=site, dsn=dsn, folder=folder, record=record, heads=heads, pairs=pairs
        )  # fmt: skip


def url(**given: object) -> str:
    return f"/choose?{urlencode(given)}"


def candidates(page: str) -> list[str]:
    """Return the addresses of the list of candidates."""
    return links(page.split('class="bad"', 1)[1].split("</div>", 1)[0])


def title(page: str) -> str:
    return inside(page, "h1")


def test_every_name_of_a_kernel_means_it(place: Place) -> None:
    of = place.heads[1]
    [row] = place.record.conn.execute(
        "SELECT id, name FROM read_model.kernel WHERE digest = %s", (of["digest"],)
    ).fetchall()
    names = (
        "linux-6.12", "debian/linux-6.12", of["describe"], of["commit"], of["commit"][:7],
        of["digest"], of["digest"][:12], row[0], row[1], f"  {row[1]} ",
    )  # fmt: skip
    shown = {name: read(place.site, url(base=BASE["describe"], new=name)) for name in names}
    for name, page in shown.items():
        assert title(page).startswith(f"{row[1]} against "), name
        assert {f"/compare?id={id_}" for id_ in place.pairs.values()} <= {*links(page)}, name
    # With its patches it is another.
    page = read(place.site, url(base=of["commit"][:12], new="linux-6.12+fair-fixes:solo1"))
    assert "fair-fixes solo(1)" in title(page)
    # The permanent link means the same as the branch does now.
    permanent = re.search(r'<a href="([^"]*)">Permanent link', shown["linux-6.12"])
    assert permanent is not None
    assert "linux-6.12" not in permanent[1]
    assert title(read(place.site, html.unescape(permanent[1]))) == title(shown["linux-6.12"])


def test_a_branch_means_its_newest_compared_kernel(place: Place, dsn: str, tmp_path: Path) -> None:
    newest, compared = place.heads[2], place.heads[1]
    page = read(place.site, url(base=BASE["describe"], new="linux-6.12"))
    assert compared["describe"] in title(page)
    assert newest["describe"] not in title(page)
    # Where none was compared it is the newest.
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=place.record.catalogue, folder=tmp_path)
        for of in place.heads:
            record.fill(of, SAME)
        record.fill(BASE, SAME)
    site = visitor(application(dsn, tmp_path))
    assert newest["describe"] in title(read(site, url(base="linux-6.1", new="linux-6.12")))


def test_an_unknown_name_gets_one_sentence_and_what_is_near(place: Place) -> None:
    page = read(place.site, url(base="linux-6.1", new="linux-6.13", board=SMALL), 404)
    assert "New: No kernel on record has the name 'linux-6.13'; similar names are:" in text(page)
    found = candidates(page)
    assert any("linux-6.12" in x for x in found)
    for link in found:
        assert f"board={SMALL}" in link
        assert "aria-invalid" not in read(place.site, link)
    page = read(place.site, url(base="wholly-elsewhere", new="linux-6.12"), 404)
    assert "Base: No kernel on record has the name 'wholly-elsewhere'; `vlag kernels`" in text(page)
    assert 'value="linux-6.12"' in page


def test_a_name_of_two_kernels_lists_both(place: Place) -> None:
    page = read(place.site, url(base="linux-6.1", new="twin"), 300)
    assert "New: 'twin' may mean 2 kernels:" in text(page)
    assert ODD in text(page)
    found = [title(read(place.site, link)) for link in candidates(page)]
    assert len(set(found)) == 2
    # With its tree it is one.
    for tree in ("debian", "stable"):
        assert title(read(place.site, url(base="linux-6.1", new=f"{tree}/twin"))) in found


def test_two_measured_kernels_get_the_command_that_compares_them(place: Place) -> None:
    # The head stays the newest that was compared.
    given = {"base": place.heads[2]["describe"], "new": place.heads[0]["describe"]}
    page = read(place.site, url(**given))
    assert "Both kernels were measured, but no comparison is on record" in text(page)
    [line] = inside(page, "pre").strip().splitlines()
    program, verb, base, new, option, board, *_ = shlex.split(line, comments=True)
    assert (program, verb, option) == ("vlag", "compare", "--board-type")
    # The other direction of a compared pair is no comparison of this one.
    turned = read(place.site, url(base="debian/linux-6.12", new="linux-6.1"))
    assert "exchange base and new" in text(turned)
    # No board has both.
    nowhere = read(place.site, url(**given, board=BIG))
    assert f"Neither kernel has a complete run on {BIG}" in text(nowhere)
    one = read(place.site, url(base=BASE["describe"], new=given["new"], board=BIG))
    assert f"on different board types: {BIG} has the base." in text(one)
    # The command makes what was missing.
    made = compare(
        conn=place.record.conn, catalogue=place.record.catalogue, base=KernelRef(text=base),
        new=KernelRef(text=new), board_type=board,
    )  # fmt: skip
    assert f'href="/compare?id={made.id}"' in read(place.site, url(**given))


def test_boards_are_one_table_or_chosen(place: Place) -> None:
    given = {"base": BASE["describe"], "new": place.heads[1]["describe"], "show": "all"}
    page = read(place.site, url(**given))
    _, *both = table(page, "Primary figures")
    assert any(SMALL in row[0] for row in both)
    assert any(BIG in row[0] for row in both)
    _, *small = table(read(place.site, url(**given, board=SMALL)), "Primary figures")
    _, *big = table(read(place.site, url(**given, board=BIG)), "Primary figures")
    assert len(both) == len(small) + len(big)
    assert small[0][1].startswith("REGRESSION")
    assert not any(row[1].startswith("REGRESSION") for row in big)


def test_figures_are_filtered_by_benchmark_and_by_proof(place: Place) -> None:
    given = {"base": BASE["describe"], "new": place.heads[1]["describe"], "board": SMALL}
    one = {**given, "benchmark": "stress-ng-switch"}

    def names(**more: str) -> set[str]:
        page = read(place.site, url(**{**given, **more}))
        return {
            row[0].split()[0]
            for part in ("Primary", "Secondary")
            if f'aria-label="{part} figures"' in page
            for row in table(page, f"{part} figures")[1:]
        }

    assert names(show="all") == {"stress-ng-switch", "cyclictest-hackbench"}
    assert names(show="all", benchmark="stress-ng-switch") == {"stress-ng-switch"}
    assert names(show="proven") == {"stress-ng-switch"}
    counts = table(read(place.site, url(**one)), "triage")
    [number_of] = [row[1] for row in counts if row[0] == "Primary, all"]
    assert number_of.startswith("1 of ")
    for key, value, said in (
        ("show", "none", "show='none' is not one of: changes, proven, all."),
        ("benchmark", "hackbench", "have no figure of benchmark 'hackbench'; there are: cyclic"),
        ("board", "nix", f"Nothing was measured on board type 'nix'; there are: {SMALL}, {BIG}."),
        ("odd", "1", "There is no parameter 'odd' here"),
    ):
        assert said in text(read(place.site, url(**{**given, key: value}), 400))


def test_knobs_are_apart(place: Place, dsn: str, tmp_path: Path) -> None:
    knobs = {"sched_features": "SLOW_SWITCH"}
    said = "sched_features=SLOW_SWITCH"
    with database.connect(dsn) as conn:
        record = Record(conn=conn, catalogue=place.record.catalogue, folder=tmp_path)
        record.fill(BASE, SAME)
        record.fill(BASE, SLOW, knobs=knobs)
        record.compare(BASE, BASE, None, knobs=knobs)
    site = visitor(application(dsn, tmp_path))
    page = read(site, url(base="linux-6.1", new="linux-6.1"))
    assert said in text(page)
    assert "REGRESSION" in table(page, "Primary figures")[1][1]
    assert read(site, url(base="linux-6.1", new="linux-6.1", knobs=said)).count(said) > 1
    other = text(read(site, url(base="linux-6.1", new="linux-6.1", knobs="a=b")))
    assert "No comparison on record has the knobs a=b. With other knobs: " + said in other
    same = read(place.site, url(base="linux-6.1", new="linux-6.1"))
    assert "Both names mean the same kernel" in text(same)


def test_odd_names_are_text(place: Place) -> None:
    odd = (
        ODD,
        LONG,
        "%",
        "' OR 1=1 --",
        "\\",
        "+",
        "a+b:solo(x)",
        "0",
        "9" * 18,
        "9" * 60,
        "f" * 64,
    )
    for name in odd:
        for given in ({"base": name, "new": "linux-6.12"}, {"base": "linux-6.1", "new": name}):
            page = read(place.site, url(**given), 404)
            assert "<script>alert" not in page
            assert "<b onclick" not in page
            assert f"has the name {name!r}" in html.unescape(page)
    for field in ("base", "new", "board", "plan", "knobs", "benchmark", "show"):
        for name in ("a\nb", "a\0b", "x" * 501):
            assert "too long or holds control" in read(place.site, url(**{field: name}), 400)
    given = {"base": "linux-6.1", "new": "debian/linux-6.12", "plan": ODD, "knobs": ODD}
    assert "<script>alert" not in read(place.site, url(**given))


def test_the_empty_page_asks(place: Place, dsn: str, tmp_path: Path) -> None:
    assert "Name two kernels" in text(read(place.site, "/choose"))
    assert "name a base too" in text(read(place.site, url(new="linux-6.12", base="")))
    assert "name a new kernel too" in text(read(place.site, url(base="linux-6.12")))
    empty = visitor(application(dsn, tmp_path))
    assert "Name two kernels" in text(read(empty, "/choose"))
    read(empty, url(base="a", new="b"), 404)
    # The navigation leads here.
    assert 'href="/choose"' in read(place.site, "/")


def test_counts_and_figures_are_those_of_the_report(
    conn: Connection, dsn: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    """Of twenty pairs drawn by chance."""
    record, chance = Drawn(conn, catalogue, tmp_path), random.Random(12)
    first = {("stress-ng-switch", f"m{n:02}") for n in (0, 2, 4)}
    benchmark = catalogue.benchmark("stress-ng-switch")
    [shown] = [m for m in benchmark.metrics if m.headline]
    metrics = tuple(evolve(shown, name=name) for _, name in sorted(first))
    declared = {**catalogue.benchmarks, benchmark.name: evolve(benchmark, metrics=metrics)}
    site = visitor(application(dsn, tmp_path, catalogue=evolve(catalogue, benchmarks=declared)))
    base = bundles.kernel("6.1")["digest"]
    met = 0
    for n in range(20):
        new = bundles.kernel(f"6.{n + 20}", branch="drawn")
        data = report(conn, catalogue, drawn(record, new, chance), tmp_path)
        page = read(site, url(base=base, new=new["digest"], show="all"))
        counts = {row[0]: row[1:] for row in table(page, "triage")[1:]}
        for name, primary in (("Primary", True), ("Secondary", False)):
            rows = [r for r in data["rows"] if ((r["benchmark"], r["metric"]) in first) == primary]
            _, *lines = table(page, f"{name} figures")
            for line, row in zip(lines, rows, strict=True):
                assert row["metric"] in line[0]
                assert line[1].split()[0] == row["verdict"]
                assert line[2].split(" %")[0] == change(row["effect"]).split("\xa0")[0]
                ends = f"{change(row['ci_low'])} to {change(row['ci_high'])}"
                assert line[3] == ends.replace("\xa0", " ")
                assert [x.split()[0] for x in line[4:6]] == [
                    number(row["base"]),
                    number(row["new"]),
                ]
                assert line[6] == f"{row['n_base']} + {row['n_new']}"
            every: list[float] = []
            for way, word in (("worse", "REGRESSION"), ("better", "IMPROVEMENT")):
                of = [r for r in rows if r["verdict"] == word]
                proven = [
                    r for r in of
                    if not r["hint"] and (r["suspicion"] or {"stand": "confirmed"})["stand"]
                    == "confirmed"
                ]  # fmt: skip
                # The metrics count higher as better.
                sizes = sorted((-(r["effect"] or 0) for r in proven), key=abs)
                every += sizes
                met += len(sizes)
                assert counts[f"{name}, {way}"] == [
                    str(len(proven)), *ends_of(sizes), str(len(of) - len(proven))
                ]  # fmt: skip
            said = counts[f"{name}, all"]
            assert said[:3] == [f"{len(every)} of {len(rows)}", *ends_of(sorted(every))]
    assert met > 10


def ends_of(sizes: list[float]) -> list[str]:
    """Return the cells for mean and range."""
    if not sizes:
        return ["-", "-"]
    ends = list(dict.fromkeys((sizes[0], sizes[-1])))
    cells = change(mean(sizes)), " to ".join(map(change, ends))
    return [cell.replace("\xa0", " ") for cell in cells]


def test_the_form_needs_only_keys(place: Place, browser: Browser) -> None:
    with (
        served(application(place.dsn, place.folder)) as address,
        browser.new_context(java_script_enabled=False) as context,
    ):
        page = context.new_page()
        page.goto(f"{address}/")
        keys = page.keyboard

        def to(name: str) -> None:
            for _ in range(60):
                keys.press("Tab")
                if (
                    page.evaluate("document.activeElement.textContent || document.activeElement.id")
                    == name
                ):
                    return
            pytest.fail(f"no key leads to {name}")

        to("Compare")
        keys.press("Enter")
        page.wait_for_url("**/choose")
        for field, words in (("base", "linux-6.1"), ("new", "debian/linux-6.12")):
            to(field)
            keys.type(words)
        keys.press("Escape")
        keys.press("Enter")
        page.wait_for_url("**base=linux-6.1**")
        assert " against " in page.inner_text("h1")
        assert "REGRESSION" in page.get_by_role("region", name="Primary figures").inner_text()
        # The address is the answer, for anybody.
        other = context.new_page()
        other.goto(page.url)
        assert other.inner_text("h1") == page.inner_text("h1")
        other.goto(f"{address}/choose?base=linux-6.1&new={quote('debian/linux-6.1')}")
        assert other.inner_text("h1") != page.inner_text("h1")
