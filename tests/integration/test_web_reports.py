"""Field reports as pages: what a person reads of S1 to S5, and how two runs are refused."""

from __future__ import annotations

import datetime
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from tests.conftest import fresh_database
from tests.integration.reports import environment
from tests.integration.test_web import read, table, text
from tests.integration.test_web_browser import faults
from tests.integration.websites import application, served, visitor
from vlag.alerts import derive as alerting
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.operate.farm import queue
from vlag.scenario import data
from vlag.scenario.bundles import enter, kernel
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

COMMITS = {"tip": "https://git.example.org/tip/commit/{commit}?h=sched"}


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def dsn(cluster: str, field_reports: str) -> str:
    return fresh_database(cluster, field_reports)


@pytest.fixture(scope="module")
def record(dsn: str, catalogue: Catalogue) -> Iterator[Connection]:
    """A database with all field reports and the alerts that they are."""
    with database.connect(dsn) as conn:
        rows = conn.execute("SELECT id FROM comparison WHERE role IS NOT NULL ORDER BY id")
        alerting.derive(conn, catalogue, [row[0] for row in rows])
        yield conn


@pytest.fixture(scope="module")
def site(dsn: str, record: Connection, state: Path) -> FlaskClient:
    return visitor(application(dsn, state, commits=COMMITS))


def number(conn: Connection, board: str, base: str, new: str, knobs: str = "%") -> int:
    """Return the comparison of two kernels with the most boots."""
    row = conn.execute(
        "SELECT c.id FROM read_model.comparison c JOIN read_model.verdict v ON v.comparison = c.id"
        " WHERE c.board_type = %s AND c.base = %s AND c.new = %s AND c.new_knobs LIKE %s"
        " GROUP BY c.id ORDER BY max(v.n_new) DESC, c.id LIMIT 1",
        (board, base, new, knobs),
    ).fetchone()
    assert row is not None
    return int(row[0])


def figures(page: str) -> dict[str, list[str]]:
    """Return the rows of a comparison's table of figures by metric and parameters."""
    return {r[0]: r for r in table(page, "figures")[1:]}


def one(found: dict[str, list[str]], *words: str) -> list[str]:
    fitting = [r for name, r in found.items() if all(w in name for w in words)]
    assert len(fitting) == 1, list(found)
    return fitting[0]


def columns(page: str, board_type: str) -> dict[str, dict[str, str]]:
    """Return the cells of a matrix by patches or knobs, and by metric."""
    head, *lines = table(page, f"{board_type}, patches and knobs by metric")
    return {
        re.sub(r"( [0-9]{4}-.*| [^ ]*patch.*)$", "", name): {line[0]: line[i] for line in lines}
        for i, name in enumerate(head)
        if i
    }


def test_overview_has_a_line_and_a_board_of_every_report(site: FlaskClient) -> None:
    head, *lines = table(read(site, "/"), "branches by board type")
    assert set(head[1:]) == {"altra", "rb5", "rpi5", "sut-loadgen", "vhost-host", "x86-480"}
    cells = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    assert cells["raspberrypi/rpi-6.12.y"]["rpi5"].startswith("REGRESSION")
    assert cells["tip/sched/core with lag-v2"]["altra"].startswith("MIXED")
    assert cells["stable/linux-6.14.y"]["sut-loadgen"].startswith("REGRESSION 9.6 % worse")
    # What was compared outside a night or a push counts where a branch has nothing else on a board.
    assert cells["mainline/master"]["vhost-host"].startswith("REGRESSION")
    assert "outside a night" in cells["mainline/master"]["vhost-host"]
    assert "outside a night" not in cells["mainline/master"]["sut-loadgen"]


def test_s1_comparisons_by_hand_are_one_line_with_their_knobs(site: FlaskClient) -> None:
    said = text(read(site, "/branch?branch=raspberrypi-local/6.12.y"))
    name = "local 6.12.y"
    assert (
        f"outside a night, the worst of 12: {name} [preempt=lazy sched_features=NO_DELAY_DEQUEUE]"
        f" against {name} [preempt=voluntary] REGRESSION 28.9 % worse"
    ) in said
    # The report does not say when the commit was made; a branch with a role has its own line.
    assert "date unknown" in said
    assert "1970" not in said
    branch = text(read(site, "/branch?branch=raspberrypi/rpi-6.12.y"))
    assert "outside a night, the worst" not in branch


def test_s1_the_alert_names_the_toggle_and_s3_that_none_recovers_it(
    site: FlaskClient, record: Connection
) -> None:
    ids = {
        title: number
        for number, title in record.execute("SELECT id, title FROM read_model.alert").fetchall()
    }

    def said(*words: str) -> str:
        [found] = [n for title, n in ids.items() if all(w in title for w in words)]
        return text(read(site, f"/alert?id={found}"))

    toggle = said("rpi-6.12.y on rpi5", "29.3 % worse")
    assert "DELAY_DEQUEUE accounts for 88 % of the loss" in toggle
    assert "31 %" not in toggle
    assert "no toggle recovers it" not in toggle.split("stress-ng-yield")[0]
    none = said("lag-v2 full on altra")
    [page] = [
        read(site, f"/alert?id={n}") for title, n in ids.items() if "lag-v2 full on altra" in title
    ]
    cause = page.split('id="cause"')[1].split("</dl>")[0]
    figures = re.findall("<li>hackbench-pipe time groups=([0-9]+): ", cause)
    assert sorted(figures, key=int) == ["4", "8", "16"]
    assert "Toggles: no toggle recovers it" in none
    assert "accounts for" not in none
    assert "no toggle was run" in said("rpi-6.18.y on rpi5")


def test_s2_patches_alone_as_a_matrix(site: FlaskClient, record: Connection) -> None:
    page = read(site, "/matrix?branch=mainline%2Fmaster&board=x86-480")
    of = columns(page, "x86-480")
    told = {
        "ffmpeg-fifo total-fps": ["+11.0", "+5.0", "+4.0", "+3.8"],
        "kernel-cycles kernel-share": ["-45.0", "-11.5", "-7.0", "-6.5"],
        "stress-ng-cyclic bogo-ops-rate": ["+31.4", "+18.6", "+50.4", "+5.9"],
        "pi-stress inversion-rate": ["+76.5", "+4.7", "+5.1", "+9.3"],
    }
    for metric, changes in told.items():
        found = [
            next(cell for name, cell in of[f"root-domain-v2 solo({i})"].items() if metric in name)
            for i in (1, 2, 3, 4)
        ]
        assert [cell.split(" ")[0] for cell in found] == changes
    # The whole series was never built.
    assert set(of["root-domain-v2 full"].values()) == {"not run"}
    assert "root-domain-v2 solo(5)" not in of
    # What perf c2c looked at differs from side to side: that is refused, and said.
    solo = number(record, "x86-480", "mainline in July 2025",
                  "mainline in July 2025 + root-domain-v2 solo(1)")  # fmt: skip
    page = read(site, f"/compare?id={solo}")
    rows = figures(page)
    assert one(rows, "c2c cycles-per-load-high")[1] == "NOT_COMPARABLE"
    assert one(rows, "ffmpeg-fifo total-fps")[1:3] == [
        "IMPROVEMENT confirmed", "+11.0 % better screen of the first boots: +11.0 %",
    ]  # fmt: skip
    apart = text(page.split('id="apart"')[1].split('id="figures"')[0])
    assert "watched" in apart


def test_s4_preempt_by_patch_with_a_cell_that_was_not_run(
    site: FlaskClient, record: Connection
) -> None:
    page = read(site, "/matrix?branch=mainline%2Fmaster&board=vhost-host")
    tables = page.split("<h2>")[1:]
    [full] = [
        t
        for t in tables
        if t.startswith("vhost-host, against the host&#39;s kernel [preempt=full]")
        and "confirmed" in t
    ]
    found = columns(full, "vhost-host")
    names = list(found["preempt=lazy"])
    rate = next(name for name in names if name.startswith("uperf-vms throughput"))
    assert found["preempt=lazy"][rate].startswith("-74.0")
    # Of the wake-ups the report gives means alone: there is no distribution to compare.
    assert not any("wakeup-latency" in name for name in names)
    assert found["vhost-unbound-wq full preempt=lazy"][rate].endswith("UNCHANGED")
    assert set(found["vhost-unbound-wq full"].values()) == {"not run"}
    assert len(found) == 3
    lazy = number(record, "vhost-host", "the host's kernel", "the host's kernel", "preempt=lazy")
    rows = figures(read(site, f"/compare?id={lazy}"))
    levels = [cell.removesuffix(" Mbit/s") for cell in one(rows, "uperf-vms throughput")[4:6]]
    assert [float(level) for level in levels] == pytest.approx([50000, 13000], rel=1e-4)
    assert one(rows, "tcp-retransmissions")[1] == "INCONCLUSIVE"
    assert "no latency histograms" in text(read(site, f"/latency?id={lazy}"))
    # The branch's page knows them, though no base of theirs has a role.
    said = text(read(site, "/branch?branch=mainline%2Fmaster&board=vhost-host"))
    assert "has no figures" not in said
    assert "uperf-vms throughput" in said


def test_s5_releases_and_policies(site: FlaskClient, record: Connection) -> None:
    told = {
        "v6.12.25": ("-5.1", "-8.1", "+7.8", "+8.7"),
        "v6.13.12": ("-6.1", "-7.8", "+8.6", "+8.3"),
        "v6.14.4": ("-7.4", "-7.9", "+9.6", "+8.3"),
        "v6.15-rc4": ("-7.4", "-10.6", "+10.2", "+11.8"),
    }
    for release, changes in told.items():
        page = read(site, f"/compare?id={number(record, 'sut-loadgen', 'v6.5.13', release)}")
        rows = figures(page)
        found = [
            rows[f"mysql-tprocc {metric}{policy}"]
            for metric in ("nopm", "latency-mean")
            for policy in ("", " policy=batch")  # "other" is the default: not shown
        ]
        assert tuple(r[2].split(" ")[0] for r in found) == changes
        assert all("% worse" in r[2] for r in found)
        assert {r[1] for r in found} == {"REGRESSION confirmed"}
        assert "synthetic" in text(page)
    page = read(site, "/branch?branch=stable%2Flinux-6.14.y&board=sut-loadgen")
    assert "v6.14.4" in text(page)
    assert figures(page)["mysql-tprocc nopm"][2].startswith("-7.4")
    assert "range of 15 boots of v6.5.13" in text(page)


# S3's two runs side by side.


def digest(catalogue: Catalogue, of_set: str, side: str) -> tuple[str, dict[str, str]]:
    scenario = data.load("S3")
    found = scenario.sets[of_set].sides[side]
    made = kernel(scenario.sets[of_set], found, catalogue)["digest"]
    return made, dict(found.knobs)


FACTORS = {
    "kernel": ("tip f9f6110edc00", "tip 2d4cc371baa5", "yes"),
    "knobs base_slice_ns": ("not given", "400000", "yes"),
    "background load": ("hackbench -g 20 beside", "", "no, it must be equal"),
}


def test_s3_side_by_side_lists_every_factor(
    site: FlaskClient, record: Connection, dsn: str, catalogue: Catalogue, state: Path
) -> None:
    """From the verb to the page, as a person does it."""
    env = environment(dsn, state)
    (base, _), (new, knobs) = (
        digest(catalogue, "earlier", "base"),
        digest(catalogue, "later", "base"),
    )
    words = ["compare", base, new, "--board-type", "altra", "--plan", "s3"]
    words += [f"--new-knob={k}={v}" for k, v in knobs.items()]
    told = CliRunner().invoke(main, [*words, "--synthetic", "--format", "text+json"], env=env)
    assert told.exit_code == 0, told.stderr
    *lines, last = told.stdout.splitlines()
    made = json.loads(last)["comparison"]
    whole = ["report", "--full", "--comparison", str(made)]
    report = CliRunner().invoke(main, whole, env=env).stdout
    for said in (" ".join(" ".join(lines).split()), " ".join(report.split())):
        assert "NOT_COMPARABLE" in said
        assert "SYNTHETIC" in said
        for words_of in (
            "kernel: tip f9f6110edc00",
            "against tip 2d4cc371baa5",
            "knob base_slice_ns: not given against 400000",
            "around background load: hackbench -g 20 beside cyclictest",
            "(must be equal)",
        ):
            assert words_of in said, words_of
    page = read(site, f"/compare?id={made}")
    assert 'class="verdict"' in page
    assert "NOT_COMPARABLE" in text(page.split("</h1>")[1])[:40]
    rows = {r[0]: r[1:] for r in table(page, "differences between the two sides")[1:]}
    for factor, (one_side, other, may) in FACTORS.items():
        assert rows[factor][0].startswith(one_side), rows
        assert rows[factor][1].startswith(other)
        assert rows[factor][2] == may
    refused = [r for r in figures(page).values() if r[1] == "NOT_COMPARABLE"]
    assert len(refused) >= 3
    assert {r[2] for r in refused} == {"-"}
    assert all("setup" in r[-1] for r in refused)
    # The two kernels lead there too.
    pair = record.execute(
        "SELECT base_kernel, new_kernel FROM read_model.comparison WHERE id = %s", (made,)
    ).fetchone() or (0, 0)
    answer = site.get(f"/compare?base={pair[0]}&new={pair[1]}")
    assert answer.headers["Location"] == f"/compare?id={made}"
    # Without the option runs of a report are none.
    real = CliRunner().invoke(main, [*words, "--format", "json"], env=env)
    assert json.loads(real.stdout)["summary"]["NOT_COMPARABLE"] == 0


def test_s3_what_may_be_compared_is_not_set_apart(site: FlaskClient, record: Connection) -> None:
    made = number(record, "altra", "tip/sched/core 2d4cc371baa5", "tip/sched/core 059258b0d424")
    assert 'id="apart"' not in read(site, f"/compare?id={made}")


Change = Callable[[dict[str, Any]], None]


def same_load(sets: dict[str, Any]) -> None:
    # Something else still keeps them apart: commit and slice alone may be compared.
    sets["earlier"]["environment"] = {**sets["later"]["environment"], "data set": "the earlier"}


def other_slice(sets: dict[str, Any]) -> None:
    for side in sets["later"]["sides"].values():
        side["knobs"] = {"base_slice_ns": "700000"}


@pytest.mark.parametrize(
    ("change", "gone", "there"),
    [(same_load, "background load", "400000"), (other_slice, "400000", "700000")],
    ids=["same load", "other slice"],
)
def test_s3_the_factors_are_those_of_the_runs(
    cluster: str,
    template: str,
    catalogue: Catalogue,
    tmp_path: Path,
    change: Change,
    gone: str,
    there: str,
) -> None:
    """What the runs say is shown, and nothing else: other runs, other factors."""
    raw = yaml.safe_load((data.FOLDER / "S3.yaml").read_text(encoding="utf-8"))
    raw["sets"] = {name: raw["sets"][name] for name in ("earlier", "later")}
    raw["views"] = [v for v in raw["views"] if v.get("set") == "earlier" and v["view"] == "table"]
    change(raw["sets"])
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "S3.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    scenario = data.load("S3", folder)
    own = fresh_database(cluster, template)
    with database.connect(own) as conn:
        enter(scenario, catalogue, conn, tmp_path)
        earlier, later = (scenario.sets[name] for name in ("earlier", "later"))
        refs = [
            KernelRef(
                text=kernel(of, of.sides["base"], catalogue)["digest"],
                knobs=dict(of.sides["base"].knobs),
            )
            for of in (earlier, later)
        ]
        made = compare(
            conn=conn, catalogue=catalogue, base=refs[0], new=refs[1], board_type="altra",
            plan=catalogue.plan("s3"), synthetic=True,
        )  # fmt: skip
        page = read(visitor(application(own, tmp_path)), f"/compare?id={made.id}")
    cells = [cell for row in table(page, "differences between the two sides")[1:] for cell in row]
    assert gone not in cells
    assert there in cells


# Links to commits.


def test_a_commit_leads_to_its_trees_pages(
    site: FlaskClient, record: Connection, dsn: str, state: Path
) -> None:
    made = number(record, "altra", "tip/sched/core 2d4cc371baa5", "tip/sched/core 059258b0d424")
    commits = record.execute(
        "SELECT base_commit, new_commit FROM read_model.comparison WHERE id = %s", (made,)
    ).fetchone() or ("", "")
    run = record.execute(
        "SELECT new_runs[1] FROM read_model.verdict WHERE comparison = %s LIMIT 1", (made,)
    ).fetchone() or (0,)
    alert = record.execute(
        "SELECT id FROM read_model.alert WHERE title LIKE 'tip/sched/core on altra%%'"
    ).fetchone() or (0,)
    pages = [
        f"/compare?id={made}",
        f"/run?id={run[0]}",
        f"/alert?id={alert[0]}",
        "/branch?branch=tip%2Fsched%2Fcore&board=altra",
    ]
    for url in pages:
        links = re.findall(r'href="(https://git[^"]*)"', read(site, url))
        assert links, url
        assert {html.unescape(x) for x in links} <= {
            COMMITS["tip"].replace("{commit}", c)
            for (c,) in record.execute("SELECT DISTINCT commit FROM kernel WHERE tree = 'tip'")
        }
    assert all(COMMITS["tip"].format(commit=c) in html.unescape(read(site, pages[0]))
               for c in commits)  # fmt: skip
    # A tree without pages has none, and neither has a site that was told of no tree.
    other = number(record, "rpi5", "6.6.78-v8-16k+", "6.12.81-v8-16k+", "%preempt=full")
    assert "git.example.org" not in read(site, f"/compare?id={other}")
    for url in pages:
        assert "git.example.org" not in read(visitor(application(dsn, state)), url)


def test_the_reports_pages_in_a_browser(
    browser: Browser, record: Connection, dsn: str, catalogue: Catalogue, state: Path
) -> None:
    """The widest tables, the longest names, and a queue."""
    earlier, later = (digest(catalogue, of_set, "base") for of_set in ("earlier", "later"))
    refused = compare(
        conn=record, catalogue=catalogue,
        base=KernelRef(text=earlier[0]), new=KernelRef(text=later[0], knobs=later[1]),
        board_type="altra", plan=catalogue.plan("s3"), synthetic=True,
    )  # fmt: skip
    lazy = number(record, "vhost-host", "the host's kernel", "the host's kernel", "preempt=lazy")
    (alert,) = record.execute("SELECT max(id) FROM read_model.alert").fetchone() or (0,)
    app = application(dsn, state, commits=COMMITS, queue=lambda: (waiting(catalogue), 2))
    urls = (
        "/",
        f"/compare?id={refused.id}",
        f"/compare?id={lazy}",
        f"/latency?id={lazy}",
        f"/alert?id={alert}",
        "/matrix?branch=mainline%2Fmaster&board=x86-480",
        "/branch?branch=mainline%2Fmaster&board=vhost-host",
        "/queue",
    )
    with served(app) as address:
        assert faults(browser, address, urls) == {}


def waiting(catalogue: Catalogue) -> list[queue.Queue]:
    """Return queues with a run that goes on, one that waits, and one that nobody serves."""
    now = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
    items = [
        queue.Item(
            what=f"a run of {'a-branch-with-a-long-name-' * 6}", board_type=board_type,
            priority=20, submitted_at=now, started_at=started, estimate_s=60,
        )
        for board_type, started in (("qemu-sim-2", now), ("qemu-sim-2", None), ("rpi5", None))
    ]  # fmt: skip
    there = [b for b in catalogue.boards if b.board_type == "qemu-sim-2"]
    return queue.plan(items, there, there, {}, now=now)
