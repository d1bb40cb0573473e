# SPDX-License-Identifier: GPL-2.0-only
"""The pages: what they show of a real database, and what they refuse."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import psycopg
import pytest
from flask.testing import FlaskClient

from tests.conftest import fresh_database
from tests.integration import bundles, websites
from tests.integration.alerting import BASE, SAME, Record, head
from tests.integration.webpages import links, read, table, text
from tests.integration.websites import LAB, LONG, MAY, ODD, Filled, application, fill, visitor
from vlag import ROOT
from vlag.buildbot import UI
from vlag.config.catalogue import Catalogue
from vlag.stats.severity import severity
from vlag.store import database, views
from vlag.store.database import Connection

BUTTON = re.compile(r'<button type="submit"[^>]*>([^<]*)</button>')


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def shared(cluster: str, template: str) -> Iterator[tuple[str, Connection]]:
    """One database for all tests that only read."""
    dsn = fresh_database(cluster, template)
    with database.connect(dsn) as conn:
        yield dsn, conn


@pytest.fixture(scope="module")
def filled(shared: tuple[str, Connection], catalogue: Catalogue, state: Path) -> Filled:
    return fill(shared[1], catalogue, state, LONG)


@pytest.fixture(scope="module")
def record(shared: tuple[str, Connection], filled: Filled) -> Connection:
    return shared[1]


@pytest.fixture(scope="module")
def site(shared: tuple[str, Connection], filled: Filled, state: Path) -> FlaskClient:
    return visitor(application(shared[0], state), MAY)


@pytest.fixture
def empty(dsn: str, tmp_path: Path) -> FlaskClient:
    return visitor(application(dsn, tmp_path))


def test_every_page_answers_with_its_title(
    site: FlaskClient, filled: Filled, record: Connection
) -> None:
    for url in websites.pages_of(filled, record):
        page = read(site, url, 404 if url == "/nowhere" else 200)
        if url != "/index.html":
            assert page.count("<h1>") == 1, url
            assert "<title> - vlag" not in page


def test_every_link_of_a_site_without_people_leads_somewhere(
    shared: tuple[str, Connection], filled: Filled, state: Path
) -> None:
    """From the overview on, all of it; every page but its address is reached by links.

    With people, and by a browser, one of each kind is followed in test_web_links.py.
    """
    site = visitor(application(shared[0], state, writer_dsn=None, labs={}))
    todo, seen, kinds = ["/", "/index.html"], set[str](), set[str]()
    buttons, elsewhere = set[str](), set[str]()
    while todo:
        url = todo.pop()
        if url in seen:
            continue
        seen.add(url)
        answer = site.get(url)
        assert answer.status_code in {200, 302}, f"{url}: {text(answer.text)}"
        kinds.add(urlsplit(url).path)
        if answer.mimetype == "text/html":
            found = [*links(answer.text), answer.headers.get("Location", url)]
            found = [urljoin(url, x) for x in found]
            todo += [x.split("#")[0] for x in found if x.startswith("/")]
            elsewhere |= {x for x in found if not x.startswith(("/", "#", "data:", websites.URL))}
            assert "Sign in" not in text(answer.text), url
            buttons |= set(BUTTON.findall(answer.text))
    assert kinds >= {
        "/", "/branch", "/compare", "/latency", "/run", "/raw", "/matrix", "/boards", "/alerts",
        "/alert", "/report", "/choose", "/across", "/static/style.css", "/static/tables.js",
    }  # fmt: skip
    assert buttons == {"Compare", "Show"}
    assert elsewhere == set()


def test_what_others_wrote_is_text_everywhere(
    site: FlaskClient, filled: Filled, record: Connection
) -> None:
    met = 0
    for url in websites.pages_of(filled, record):
        page = read(site, url, 404 if url == "/nowhere" else 200)
        assert "<script>alert" not in page, url
        assert "<b onclick" not in page, url
        assert "more' 49" not in text(page), url
        met += ODD in text(page)
    assert met > 3


def test_overview_has_the_worst_of_each_branch(site: FlaskClient, filled: Filled) -> None:
    page = read(site, "/")
    head, *rows = table(page, "branches by board type")
    assert head == ["Branch", "qemu-sim-2"]
    # One square: the night names the head's comparison with the baseline.
    squares = re.findall(r'<a class="q q1"[^>]*title="([^"]*)">R</a>', page)
    assert "2026" in squares[0]
    assert any(s.endswith("against the baseline: REGRESSION 12.0\xa0% worse") for s in squares)
    plain = next(r for r in rows if "fair-fixes" not in r[0])
    assert plain[0] == filled.branch
    assert plain[1].startswith("REGRESSION 12.0 % worse against the baseline"), plain[1]
    assert "REGRESSION 12.0 % worse against the parent" in plain[1]
    assert f'href="/compare?id={filled.baseline}"' in page
    assert f'href="/compare?id={filled.parent}"' in page
    assert f'href="/alert?id={filled.alert}"' in page
    said = text(page)
    assert "Ended 2026-03-05 09:00, after 8 h 0 min" in said
    assert "the board was away" in said
    assert f'href="{websites.URL}buildbot/#/builders/1/builds/2"' in page


def test_a_filter_and_pages_keep_the_overview_short(site: FlaskClient, filled: Filled) -> None:
    for url in ("/", "/branch"):
        label = "branches by board type" if url == "/" else "branches"
        word = quote("somebody-with")
        _head, *rows = table(read(site, f"{url}?filter={word}"), label)
        assert {row[0].split(" with ")[0] for row in rows} == {filled.branch}
        said = text(read(site, f"{url}?filter=nobody"))
        assert "No compared branch has “nobody” in its name" in said
        assert "There is no page 9; the last is 1." in text(read(site, f"{url}?page=9", 400))
    assert "a board with “altra”" in text(read(site, "/?board=altra"))
    assert table(read(site, "/?board=sim-2"), "branches by board type")[0][1:] == ["qemu-sim-2"]


def test_the_list_of_branches_has_state_nights_and_boards(
    site: FlaskClient, filled: Filled
) -> None:
    page = read(site, "/branch")
    head, *rows = table(page, "branches")
    assert head == ["Branch", "Newest verdict", "Nights", "Boards", "Last compared"]
    [row] = [r for r in rows if r[0] == filled.branch]
    assert row[1].startswith("REGRESSION 12.0 % worse against the")
    assert row[2].split()[-1] == "R"
    assert row[3] == "qemu-sim-2"
    assert f'href="/compare?id={filled.baseline}"' in page


def test_buildbots_own_page_gets_no_page_in_a_page(site: FlaskClient, filled: Filled) -> None:
    page = read(site, "/index.html")
    for tag in ("<html", "<body", "<script", "<style", "<main", "<link"):
        assert tag not in page
    assert f'href="/compare?id={filled.baseline}"' in page
    assert f'href="/alert?id={filled.alert}"' in page


def test_an_empty_database_says_what_to_do(empty: FlaskClient) -> None:
    for url, words in {
        "/": ("Nothing has been compared yet", "Start a night now", "No alert is open", "No night"),
        "/index.html": ("Nothing has been compared yet",),
        "/branch": ("No branch has been compared yet", "[[branches]]"),
        "/matrix": ("No branch has been compared yet",),
        "/boards": ("No board has run anything yet", "ansible/inventory/boards.yml"),
        "/alerts": ("No alert is open",),
        "/alerts?all=1": ("There are no alerts on record",),
    }.items():
        said = text(read(empty, url))
        for word in words:
            assert word in said, (url, said)


def test_a_branch_shows_each_boot_with_its_link(
    site: FlaskClient, filled: Filled, record: Connection
) -> None:
    branch = quote(filled.branch, safe="")
    series, runs = record.execute(
        "SELECT series, array_agg(run) FROM read_model.history JOIN read_model.kernel_branch USING"
        " (kernel) WHERE branch = %s AND application = 'none' AND"
        " statistic = 'median' GROUP BY series ORDER BY series LIMIT 1",
        (LONG,),
    ).fetchone() or (0, [])
    assert len(runs) == 30
    page = read(site, f"/branch?branch={branch}&series={series}&statistic=median")
    plot, rest = page.split("<figure", 1)[1].split("</svg>", 1)
    for run in runs:
        assert f"/run?id={run}&" in plot + "&" or f'/run?id={run}"' in plot
        assert f'href="/run?id={run}"' in rest
    rows = table(page, "boots by commit")
    assert rows[0] == ["Kernel", "Commit", "Verdict", "Median, 1/s", "Range", "Boots"]
    assert [r[0].split()[0] for r in rows[1:]] == ["debian/6.12.4-1-vlag", "debian/6.12.3-1-vlag",
                                                  "debian/6.12.2-1-vlag"]  # fmt: skip
    assert "Steps" not in text(page)
    # Each commit has its verdicts with their words, and its boots folded to a median.
    newest = rows[1]
    assert (
        newest[2] == "REGRESSION 12.0 % against the baseline REGRESSION 12.0 % against the parent"
    )
    assert float(newest[3]) < float(newest[4].split(" to ")[1])
    assert newest[5].startswith("10 boots")
    assert f'href="/compare?id={filled.parent}"' in rest
    # The oldest head was only compared with the baseline, and is unchanged.
    assert rows[3][2] == "UNCHANGED against the baseline"


def test_a_branchs_figures_have_sparklines_and_its_history_the_alert(
    site: FlaskClient, filled: Filled
) -> None:
    branch = quote(filled.branch, safe="")
    page = read(site, f"/branch?branch={branch}")
    tiles = page.split('<ul class="tiles">', 1)[1].split("</ul>", 1)[0]
    assert tiles.count('class="spark"') == tiles.count("<li>") > 1
    assert tiles.count('aria-current="true"') == 1
    first = text(tiles.split("</li>", 1)[0])
    assert first.startswith("stress-ng-switch"), first
    assert "REGRESSION" in first
    drawn = [read(site, link) for link in links(tiles)]
    assert all('class="plot"' in answer for answer in drawn)
    # The alert is about the first figure, and is marked in its history alone of a latency.
    assert f"/alert?id={filled.alert}" in page.split("<figure", 1)[1].split("</svg>", 1)[0]
    marked = [f"Alerts: alert {filled.alert}." in answer for answer in drawn]
    assert marked[0]
    assert not all(marked), "each figure would have the alert"
    assert "<details><summary>The newest" in page


def test_a_comparison_shows_what_is_on_record_worst_first(
    site: FlaskClient, filled: Filled, record: Connection
) -> None:
    page = read(site, f"/compare?id={filled.baseline}")
    rows = table(page, "figures")[1:]
    known = record.execute(
        "SELECT name, verdict, n_base, n_new FROM read_model.verdict WHERE comparison = %s",
        (filled.baseline,),
    ).fetchall()
    assert len(rows) == len(known) > 3
    found = {r[0].split(" duration_s")[0]: r for r in rows}
    for name, verdict, n_base, n_new in known:
        row = next(r for shown, r in found.items() if shown == name or shown.startswith(f"{name} "))
        assert row[1].split()[0] == verdict
        assert row[6].startswith(f"{n_base} + {n_new}")
    confirmed = "-12.0 % worse screen of the first boots: -12.0 %"
    assert found["stress-ng-switch bogo-ops-rate"][2] == confirmed
    assert not any("time-per-switch" in shown for shown in found)  # the rate once more
    words = [r[1].split()[0] for r in rows]
    assert words == sorted(words, key=severity)
    assert page.count('class="plot"') >= 2


def test_two_kernels_lead_to_their_comparison(site: FlaskClient, filled: Filled) -> None:
    base, new = re.findall(
        r"kernel=(\d+)&amp;file=config", read(site, f"/compare?id={filled.parent}")
    )
    answer = site.get(f"/compare?base={base}&new={new}")
    assert (answer.status_code, answer.headers["Location"]) == (
        302, f"/compare?id={filled.parent}",
    )  # fmt: skip
    assert "were never compared" in text(read(site, f"/compare?base={new}&new={base}", 404))


def test_what_failed_is_said(site: FlaskClient, filled: Filled) -> None:
    said = text(read(site, f"/compare?id={filled.failed}"))
    assert "FAILED" in said
    assert "panic, Kernel panic - not syncing" in said
    assert "There are no figures" in said or "INCONCLUSIVE" in said


def test_latencies_have_quantiles_overlay_and_heat_map(site: FlaskClient, filled: Filled) -> None:
    page = read(site, f"/latency?id={filled.baseline}")
    rows = table(page, "quantiles of cyclictest-hackbench latency")
    assert rows[0][:3] == ["Quantile", "Base, us", "New, us"]
    p50 = next(r for r in rows if r[0] == "p50")
    assert 85 <= float(p50[2]) - float(p50[1]) <= 95
    assert page.count('class="plot"') == 2
    columns = page.split('class="heat"')[1].count('aria-label="boot of ')
    assert columns == 15
    assert "no latency histograms" in text(read(site, f"/latency?id={filled.patched}"))


def test_a_matrix_says_what_was_not_run(site: FlaskClient, filled: Filled) -> None:
    page = read(site, f"/matrix?branch={quote(filled.branch, safe='')}")
    head, every, *metrics = table(page, "qemu-sim-2, patches and knobs by metric")
    # Patches are columns with their whole names.
    assert head == ["Change of", "fair-fixes solo(1) 0001-odd", "fair-fixes full"]
    # Of the patched kernel one of two planned benchmarks has run.
    assert every == ["every figure", "INCONCLUSIVE", "not run"]
    of = {name.split(" (")[0]: cells for name, *cells in metrics}
    rate = of["stress-ng-switch bogo-ops-rate 1/s, higher is better"]
    assert "UNCHANGED" in rate[0]
    assert " % to " in rate[0]
    assert rate[1] == "not run"
    assert {cells[1] for cells in of.values()} == {"not run"}


def test_a_matrix_of_chosen_comparisons(site: FlaskClient, filled: Filled) -> None:
    page = read(site, f"/matrix?comparisons={filled.patched}")
    head, *_ = table(page, "qemu-sim-2, patches and knobs by metric")
    assert "fair-fixes solo(1) 0001-odd" in head
    wrong = (("99999", "no comparison 99999"), ("1,", "'comparisons' is missing"), ("x", "number"))
    for words, said in wrong:
        answer = site.get(f"/matrix?comparisons={words}")
        assert answer.status_code in (400, 404)
        assert said in text(answer.text)


def test_a_run_says_everything_about_itself(
    site: FlaskClient, filled: Filled, record: Connection, state: Path
) -> None:
    number, location = record.execute(
        "SELECT r.id, r.location FROM read_model.run r JOIN read_model.verdict"
        " v ON r.id = v.new_runs[1]"
        " WHERE v.comparison = %s AND r.benchmark = 'stress-ng-switch'",
        (filled.baseline,),
    ).fetchone() or (0, "")
    page = read(site, f"/run?id={number}")
    said = text(page)
    assert f'href="{LAB}/scheduler/job/77"' in page
    assert f"-ro quiet +ro {ODD}" in " ".join(said.split())
    diff = page.split('id="environment"')[1].split("<details>")[0]
    assert "cmdline" in diff
    assert ">same<" not in diff
    assert f"warning during the benchmark, line 1 of the console: {ODD}" in said
    assert "vlag run --build builds/" in said
    names = [p.relative_to(location) for p in Path(location).rglob("*") if p.is_file()]
    assert len(names) > 3
    for name in names:
        assert f'href="/raw?run={number}&amp;file={quote(str(name))}"' in page
        answer = site.get(f"/raw?run={number}&file={quote(str(name))}")
        assert answer.data == (Path(location) / name).read_bytes()
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_nights_report_is_text(site: FlaskClient, filled: Filled) -> None:
    assert site.get(f"/report?night={filled.night}").text == "REPORT of the night\n"


def test_boards_with_their_boots(site: FlaskClient, record: Connection) -> None:
    head, row = table(read(site, "/boards"), "boards")
    cells = dict(zip(head, row, strict=True))
    assert cells["Board"] == "qemu-sim-2-1"
    assert cells["State"] == "good"
    assert cells["Last check"] == "never"


def test_a_board_that_was_never_checked_says_what_to_do(
    shared: tuple[str, Connection], filled: Filled, state: Path
) -> None:
    named = text(read(visitor(application(shared[0], state, check_hours=(5, 17))), "/boards"))
    assert "checks begin at 5, 17 o'clock" in named
    assert "set the hours" not in named
    unnamed = text(read(visitor(application(shared[0], state)), "/boards"))
    assert "Never checked: set the hours under [checks] in the settings" in unnamed
    for said in (named, unnamed):
        assert "“Check all boards now” in Buildbot starts one" in said
        assert "vlag board" not in said  # it judges a run; it starts none


def test_running_builds_are_on_a_page_that_has_them(site: FlaskClient) -> None:
    """Buildbot's console has a line for each change, and a night comes from none."""
    page = read(site, "/")
    assert f'Running builds: <a href="{websites.URL}{UI}">' in page
    assert "#/console" not in page


def test_only_a_site_with_people_has_a_sign_in(
    shared: tuple[str, Connection], filled: Filled, state: Path
) -> None:
    url = f"/alert?id={filled.alert}"
    with_people = read(visitor(application(shared[0], state)), url)
    assert with_people.count("auth/login") == 2
    nobody = read(visitor(application(shared[0], state, writer_dsn=None, triage=())), url)
    assert "auth/" not in nobody
    assert f"vlag alerts set {filled.alert} --state STATE --reason TEXT" in text(nobody)


@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("/compare", 400, "Which comparison?"),
        ("/compare?id=", 400, "Which comparison?"),
        ("/compare?id=abc", 400, "id='abc' is not a number above 0"),
        ("/compare?id=-1", 400, "id='-1'"),
        ("/compare?id=0", 400, "id='0'"),
        ("/compare?id=1e3", 400, "id='1e3'"),
        ("/compare?id=%F0%9D%9F%8F", 400, "is not a number"),  # a digit, but none of ours
        ("/compare?id=9223372036854775808", 400, "is not a number above 0"),
        ("/compare?id=9223372036854775807", 404, "There is no comparison 9223372036854775807"),
        ("/compare?id=1&what=2", 400, "There is no parameter 'what' here"),
        ("/compare?base=1", 400, "The parameter 'new' is missing"),
        ("/compare?base=1&new=99999", 404, "There is no kernel 99999 (new)"),
        ("/latency?id=99999", 404, "There is no comparison 99999"),
        ("/latency", 400, "The parameter 'id' is missing"),
        ("/run?id=99999", 404, "There is no run 99999"),
        ("/run?id=1%00", 400, "control characters"),
        ("/branch?branch=debian", 400, "is not TREE/BRANCH"),
        ("/branch?branch=debian/nothing", 404, "No boot of branch debian/nothing"),
        ("/branch?branch=debian/a%00b", 400, "control characters"),
        ("/branch?branch=debian/" + "x" * 600, 400, "too long"),
        ("/branch?branch=BRANCH&board=rpi5", 404, "was never booted on rpi5"),
        ("/branch?branch=BRANCH&series=1", 400, "belong together"),
        ("/branch?branch=BRANCH&series=99999&statistic=median", 404, "no time series 99999"),
        ("/branch?branch=BRANCH&series=1&statistic=median&board=rpi5", 400, "is of board type"),
        ("/branch?branch=BRANCH&series=1&statistic=';drop table run;--", 200, "No boot of"),
        ("/matrix?branch=debian/nothing", 404, "No boot of branch"),
        ("/alert?id=99999", 404, "There is no alert 99999"),
        ("/alerts?all=yes", 400, "write all=1"),
        ("/raw?run=1", 400, "The parameter 'file' is missing"),
        ("/raw?file=run.json", 400, "Whose file?"),
        ("/raw?run=1&kernel=1&file=x", 400, "Whose file?"),
        ("/raw?run=99999&file=run.json", 404, "There is no run 99999"),
        ("/raw?kernel=99999&file=config", 404, "There is no kernel 99999"),
        ("/report?night=99999", 404, "There is no night 99999"),
        ("/nowhere", 404, "There is no such page"),
        ("/alert/state", 405, "does not accept such a request"),
    ],
)  # fmt: skip
def test_a_wrong_address_gets_a_sentence(
    site: FlaskClient, filled: Filled, url: str, status: int, words: str
) -> None:
    url = url.replace("BRANCH", quote(filled.branch, safe=""))
    page = read(site, url, status)
    assert words in text(page)
    assert "Traceback" not in page


def bundle(conn: Connection) -> Path:
    """Return where the bundle of the first run lies."""
    row = conn.execute("SELECT location FROM read_model.run WHERE id = 1").fetchone()
    assert row is not None
    return Path(row[0])


@pytest.mark.parametrize(
    "name",
    [
        "../run.json", "..%2f..%2fsecret", "/etc/passwd", "raw/../run.json", "raw/../../secret",
        "./run.json", "unlisted.txt", "link.txt", "raw", "", ".", "raw%5c..%5crun.json",
        "%2e%2e/secret",
    ],
)  # fmt: skip
def test_no_name_leads_out_of_a_bundle(
    site: FlaskClient, record: Connection, filled: Filled, state: Path, name: str
) -> None:
    location = bundle(record)
    (state / "secret").write_text("SECRET")
    (location.parent / "secret").write_text("SECRET")
    (location / "unlisted.txt").write_text("SECRET")
    if not (location / "link.txt").exists():
        (location / "link.txt").symlink_to("/etc/passwd")
    answer = site.get(f"/raw?run=1&file={name}")
    assert answer.status_code in {400, 404}
    assert "SECRET" not in answer.text
    assert "root:" not in answer.text


def test_a_listed_file_that_is_a_link_out_is_refused(
    dsn: str, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    fill(conn, catalogue, tmp_path)
    site = visitor(application(dsn, tmp_path))
    location = bundle(conn)
    assert site.get("/raw?run=1&file=console.log").status_code == 200
    (location / "console.log").unlink()
    (location / "console.log").symlink_to("/etc/passwd")
    assert "no longer on the disk" in text(read(site, "/raw?run=1&file=console.log", 404))
    # The whole bundle elsewhere: a path of the database leads nowhere but below the state.
    elsewhere = visitor(application(dsn, tmp_path / "reports"))
    assert "no longer in the state folder" in text(read(elsewhere, "/raw?run=1&file=run.json", 404))
    assert "no longer in the state folder" in text(read(elsewhere, "/run?id=1"))


def test_a_run_whose_files_vlag_gc_removed_says_so(
    dsn: str, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    fill(conn, catalogue, tmp_path)
    site = visitor(application(dsn, tmp_path))
    shutil.rmtree(bundle(conn))
    for url, status in (("/run?id=1", 200), ("/raw?run=1&file=run.json", 404)):
        assert "vlag gc" not in text(read(site, url, status))
    conn.execute(
        "INSERT INTO removal (run, at, bytes, why) VALUES (1, '2026-04-01T12:00Z', 9, 'it is old')"
    )
    for url, status in (("/run?id=1", 200), ("/raw?run=1&file=run.json", 404)):
        assert re.search(
            r"removed by vlag gc on .*2026.*: it is old\.", text(read(site, url, status))
        )


def test_every_answer_is_hardened(site: FlaskClient, filled: Filled, record: Connection) -> None:
    for url in [*websites.pages_of(filled, record), "/raw?run=1&file=run.json", "/static/style.css",
                "/static/none", "/run?id=x"]:  # fmt: skip
        headers = site.get(url).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        # Else one person's page would be shown to the next.
        assert url.startswith("/static/s") or headers["Cache-Control"] == "no-store"


def test_what_does_not_change_is_kept_and_text_is_compressed(
    site: FlaskClient, filled: Filled, shared: tuple[str, Connection], state: Path
) -> None:
    stranger = visitor(application(shared[0], state))
    page = stranger.get("/", headers={"Accept-Encoding": "gzip"})
    plain = stranger.get("/")
    assert page.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert gzip.decompress(page.data) == plain.data
    assert int(page.headers["Content-Length"]) == len(page.data) < len(plain.data)
    # A page with a secret in it would say something about it by its size.
    signed_in = site.get(f"/alert?id={filled.alert}", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in signed_in.headers
    [style] = [x for x in links(plain.text) if "style.css" in x]
    assert re.search(r"\?v=[0-9a-f]{12}$", style)
    kept = stranger.get(style, headers={"Accept-Encoding": "gzip"})
    assert "immutable" in kept.headers["Cache-Control"]
    assert gzip.decompress(kept.data) == stranger.get(style).data
    again = stranger.get(style, headers={"If-None-Match": kept.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    # Without its digest it may be another file tomorrow.
    assert stranger.get("/static/style.css").headers["Cache-Control"] == "no-cache"


def test_the_first_request_loads_what_plots_need(dsn: str, tmp_path: Path) -> None:
    asked = """
import sys, threading
from pathlib import Path
from tests.integration.websites import application
client = application(sys.argv[1], Path(sys.argv[2])).test_client()
before = "matplotlib" in sys.modules
client.get("/queue")
for thread in threading.enumerate():
    if thread.name == "plots":
        thread.join()
print(before, "matplotlib.backends.backend_svg" in sys.modules)
"""
    argv = [sys.executable, "-c", asked, dsn, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_the_pages_can_only_read(shared: tuple[str, Connection], filled: Filled) -> None:
    with psycopg.connect(database.as_user(shared[0], views.READER), autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM read_model.run").fetchone() != (0,)
        for statement in (
            "SELECT * FROM public.run",
            "DELETE FROM public.alert",
            "SET default_transaction_read_only = off; DELETE FROM public.alert",
        ):
            with pytest.raises(psycopg.Error):
                conn.execute(statement)


def test_a_database_that_is_away_is_said_without_its_password(tmp_path: Path) -> None:
    dsn = "host=127.0.0.1 port=1 dbname=vlag user=vlag password=hush"
    site = visitor(application(dsn, tmp_path, reader_dsn=dsn))
    said = text(read(site, "/", 503))
    assert "The database does not answer now: cannot use database vlag at 127.0.0.1:1" in said
    assert "hush" not in said
    assert "GB are free" not in said
    # What a start waits for is said beside it.
    lacks = "only 3.0 GB are free under /state"
    site = visitor(application(dsn, tmp_path, reader_dsn=dsn, lacks=lambda: lacks))
    assert f"The master does not answer; {lacks}." in text(read(site, "/", 503))


@pytest.fixture(scope="module")
def reported(
    cluster: str, field_reports: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[FlaskClient, Connection]]:
    """The pages over the field reports."""
    dsn, folder = fresh_database(cluster, field_reports), tmp_path_factory.mktemp("reports")
    with database.connect(dsn) as conn:
        yield visitor(application(dsn, folder)), conn


def test_a_report_is_shown_as_what_it_is(reported: tuple[FlaskClient, Connection]) -> None:
    client, conn = reported
    said = text(read(client, "/"))
    assert "raspberrypi/rpi-6.12.y" in said
    assert "synthetic" in said
    number, new = conn.execute(
        "SELECT id, new FROM read_model.comparison_summary WHERE new_knobs LIKE '%%preempt=full'"
        " AND new LIKE '6.12.81%%' AND verdict = 'REGRESSION' AND base LIKE '6.6.78%%'"
        " AND new_knobs LIKE '%%2400%%' ORDER BY id LIMIT 1"
    ).fetchone() or (0, "")
    page = read(client, f"/compare?id={number}")
    assert "synthetic" in text(page)
    pipe = next(r for r in table(page, "figures") if r[0].startswith("stress-ng-pipe write-rate"))
    assert pipe[2] == "-29.3 % worse screen of the first boots: -29.3 %"
    assert str(new) in text(page)


def test_what_cannot_be_compared_lists_why(
    dsn: str, conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    record.fill(BASE, SAME)
    other = {"sha256": bundles.sha("another userland"), "packages": bundles.PACKAGES}
    record.fill(head(1), SAME, userland=other)
    made = record.compare(BASE, head(1), "baseline")
    client = visitor(application(dsn, tmp_path))
    _, *found = table(read(client, f"/compare?id={made}"), "figures")
    assert {r[1] for r in found} == {"NOT_COMPARABLE"}
    assert {r[2] for r in found} == {"-"}
    assert all("userland" in r[-1] for r in found), found
    assert "NOT_COMPARABLE" in text(read(client, "/"))
