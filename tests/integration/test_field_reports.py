# SPDX-License-Identifier: GPL-2.0-only
"""Five field reports on every surface: the figures, what recovers a loss, what is refused."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser

from dashboards.interpolation import interpolate
from dashboards.statements import of_dashboard
from tests.conftest import drop_database, fresh_database
from tests.integration.field_reports import (
    MATRICES,
    MATRIX_READERS,
    READERS,
    FieldReports,
    Matrix,
    names,
    opened_reports,
    pairs,
)
from tests.integration.grafana import BOARDS, END, START
from tests.integration.page_faults import faults
from tests.integration.reports import environment, every, plain
from tests.integration.webpages import links, read, table, text
from tests.integration.websites import application, served, visitor
from vlag.cli.main import main
from vlag.operate.farm import queue
from vlag.report import forms
from vlag.report.data import branch_state, plot_data
from vlag.report.data.comparison import report
from vlag.scenario import data
from vlag.stats.severity import severity

COMMITS = {"tip": "https://git.example.org/tip/commit/{commit}?h=sched"}

# The figures.


def wrong(of: FieldReports, surface: str, name: str) -> list[str]:
    """Return the figures of a report that a surface shows otherwise."""
    return [
        f"{pair.of} {pair.new} {measure}: {shown[measure]} instead of {figure}"
        for pair in pairs(name)
        for shown in [READERS[surface](of, pair)]
        for measure, figure in pair.figures.items()
        if not shown[measure].startswith(figure)
    ]


@pytest.mark.parametrize("name", data.names())
@pytest.mark.parametrize("surface", READERS)
def test_a_surface_has_the_figures_of_a_report(
    reports: FieldReports, surface: str, name: str
) -> None:
    assert wrong(reports, surface, name) == []


def expected_matrix(of: FieldReports, name: str, surface: str) -> Matrix:
    """Return what a matrix has to show of the figures."""
    sides = {pair.new: pair for pair in pairs(name)}
    found: Matrix = {}
    for column, side in MATRICES[name][3].items():
        pair = sides[side]
        found[column] = {names(of, pair)[m][0]: figure for m, figure in pair.figures.items()}
    # The whole series on the base was never built; Grafana has no row for what is not there.
    if surface != "dashboard":
        found["full"] = dict.fromkeys(found[column], "not run")
    return found


def matrix(of: FieldReports, name: str, surface: str) -> Matrix:
    """Return what a surface shows of the figures that the report has."""
    wanted = expected_matrix(of, name, surface)
    shown = MATRIX_READERS[surface](of, name)
    return {c: {m: shown[c][m] for m in row} for c, row in wanted.items() if c in shown}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("surface", MATRIX_READERS)
def test_a_matrix_has_each_patch_and_knob_alone(
    reports: FieldReports, surface: str, name: str
) -> None:
    assert matrix(reports, name, surface) == expected_matrix(reports, name, surface)
    shown = MATRIX_READERS[surface](reports, name)
    assert set(shown) - {"full", "full against preempt=lazy"} <= {
        *MATRICES[name][3],
        # Other bases of the same branch, which the dashboard shows too.
        *(("preempt=full against preempt=lazy", "full with preempt=lazy") if name == "S4" else ()),
    }


def test_another_figure_is_seen_on_each_surface(
    cluster: str, field_reports: str, session_folder: Path, reports: FieldReports
) -> None:
    """Negative control of the readers."""
    dsn = fresh_database(cluster, field_reports)
    [patch, *_] = pairs("S2")
    for other in opened_reports(dsn, reports.catalogue, reports.state, session_folder):
        # What was said stays, but for who ignores triggers.
        other.conn.execute("SET session_replication_role = replica")
        other.conn.execute(
            "UPDATE verdict SET effect = 0.22, verdict = 'REGRESSION'"
            " WHERE benchmark = 'ffmpeg-fifo' AND effect > 0.1"
        )
        for surface in ("report", "page", "dashboard"):
            [said] = wrong(other, surface, "S2")
            assert said.startswith("solo patch1 ffmpeg: +22.0W"), surface
            cells = matrix(other, "S2", surface)
            assert cells.pop("solo(1)")["ffmpeg-fifo total-fps"].startswith("+22.0W")
            rest = expected_matrix(reports, "S2", surface)
            assert cells == {c: rest[c] for c in cells}
    drop_database(dsn)
    assert READERS["scenario"](reports, patch)["ffmpeg"] != "+22.0W"


# The words.

LOST = ("S1", "a", "6.6.78", "6.12.81")
NOT_RECOVERED = ("S3", "earlier", "base", "patched")


def test_what_recovers_a_loss_is_said_everywhere(reports: FieldReports) -> None:
    for pair, title, words, others in (
        (LOST, ("rpi-6.12.y on rpi5", "29.3 % worse"), "DELAY_DEQUEUE accounts for 88 % ", " 31 %"),
        (NOT_RECOVERED, ("lag-v2 full on altra",), "no toggle recovers", "accounts for"),
    ):
        said = {form: plain(form, body) for form, body in every(reports.report(*pair)).items()}
        alert = reports.alert(*title)
        said["alert"] = " ".join(alert.body.split())
        said["page"] = text(read(reports.site, f"/alert?id={alert.id}"))
        for surface, found in said.items():
            assert words in found, surface
            assert others not in found, surface
            assert re.search("synthetic", found, re.I), surface
    # Where the toggle itself is the new kernel it explains nothing.
    off = reports.report("S1", "a", "6.6.78", "6.12.81-off")
    assert not any("DELAY_DEQUEUE accounts" in x for x in off["attribution"])
    # And where none was run there is nothing to say.
    other = reports.alert("rpi-6.18.y on rpi5")
    assert "no toggle was run" in text(read(reports.site, f"/alert?id={other.id}"))
    page = read(reports.site, f"/alert?id={reports.alert('lag-v2 full on altra').id}")
    cause = page.split('id="cause"')[1].split("</dl>")[0]
    figures = re.findall("<li>hackbench-pipe time groups=([0-9]+): ", cause)
    assert sorted(figures, key=int) == ["4", "8", "16"]


#: Branch -> board type -> the verdict of its newest comparison.
BRANCHES = {
    "raspberrypi/rpi-6.12.y": ("rpi5", "REGRESSION"),
    "raspberrypi/rpi-7.0.y": ("rpi5", "REGRESSION"),
    "tip/sched/core": ("altra", "MIXED"),
    "stable/linux-6.14.y": ("sut-loadgen", "REGRESSION"),
}


def test_a_branch_has_the_verdict_of_its_comparisons(reports: FieldReports) -> None:
    head, *lines = table(read(reports.site, "/"), "branches by board type")
    assert set(head[1:]) == {"altra", "rb5", "rpi5", "sut-loadgen", "vhost-host", "x86-480"}
    overview = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    for branch, (board, verdict) in BRANCHES.items():
        document = branch_state.state(reports.conn, reports.catalogue, branch)
        first = document["states"][0]
        assert (first["board_type"], first["verdict"]) == (board, verdict)
        # 0: a figure that one of the kernels does not have.
        assert {r["n_new"] for s in document["states"] for r in s["rows"]} <= {0, 5, 10}
        for form in ("text", "html"):
            assert verdict in plain(form, forms.render(document, form)), (form, branch)
        row = overview.get(f"{branch} with lag-v2") or overview[branch]
        assert row[board].startswith(verdict)
    # What was compared outside a night or a push counts where a branch has nothing else on a board.
    assert overview["mainline/master"]["vhost-host"].startswith("REGRESSION")
    assert "outside a night" in overview["mainline/master"]["vhost-host"]
    assert "outside a night" not in overview["mainline/master"]["sut-loadgen"]


def test_comparisons_by_hand_are_one_line_with_their_knobs(reports: FieldReports) -> None:
    said = text(read(reports.site, "/branch?branch=raspberrypi-local/6.12.y"))
    name = "local 6.12.y"
    assert (
        f"outside a night, the worst of 12: {name} [preempt=lazy sched_features=NO_DELAY_DEQUEUE]"
        f" against {name} [preempt=voluntary] REGRESSION 28.9 % worse"
    ) in said
    # The report does not say when the commit was made; a branch with a role has its own line.
    assert "date unknown" in said
    assert "1970" not in said
    branch = text(read(reports.site, "/branch?branch=raspberrypi/rpi-6.12.y"))
    assert "outside a night, the worst" not in branch


def test_the_overview_of_the_dashboards_has_reports_only_when_asked(reports: FieldReports) -> None:
    assert reports.alerts
    panel = reports.reader.panel
    for title in ("Newest comparisons", "Branches by boards"):
        assert panel("vlag-overview", title) == []
    rows = panel("vlag-overview", "Newest comparisons", figures=("field reports",))
    found = {r["new"]: r for r in rows if r["board_type"] == "sut-loadgen"}
    assert {"v6.12.25", "v6.13.12", "v6.14.4"} <= set(found)
    assert {(r["hints"], r["worse"]) for r in found.values()} == {(0, 6)}
    heat = panel("vlag-overview", "Branches by boards", figures=("field reports",))
    cells = [(r["metric"], r["time"]) for r in heat]
    assert 0 < len({name for name, _ in cells}) <= 20
    assert len(set(cells)) == len(cells)
    # A number and a table have this title.
    (statement,) = [
        s
        for s in of_dashboard(BOARDS["vlag-overview"])
        if s.kind == "table" and " Open alerts " in s.place
    ]
    alerts = {}
    for kind in ("boots", "field reports"):
        values = reports.reader.values("vlag-overview", figures=(kind,))
        answer = reports.reader.ask(interpolate(statement.sql, values, START, END))
        alerts[kind] = {r["title"]: r for r in answer.by_name()}
    assert alerts["boots"] == {}
    (drop,) = [r for title, r in alerts["field reports"].items() if "29.3 % worse" in title]
    assert drop["branch"] == "raspberrypi/rpi-6.12.y"
    assert drop["throughput lost"] == pytest.approx(0.293, abs=5e-4)
    assert drop["latency risen"] == pytest.approx(0.044, abs=5e-4)


def test_s1_leads_to_the_boots_worst_first(reports: FieldReports) -> None:
    number = reports.comparison(*LOST)
    rows = reports.panel("vlag-compare", "Effects, worst first", number)
    assert rows[0]["figure"].startswith("stress-ng-pipe")
    assert rows[0]["worsening"] == -rows[0]["effect"]
    assert rows[0]["at least"] < rows[0]["effect"] < rows[0]["at most"]
    severities = [severity(r["verdict"], r["standing"]) for r in rows]
    assert severities == sorted(severities)
    assert reports.panel("vlag-compare", "Overall verdict", number) == [{"verdict": "REGRESSION"}]
    boots = reports.panel("vlag-compare", "${figure}: boots", number)
    assert {b["side"] for b in boots} == {"base", "new"}
    assert {b["output"] for b in boots} == {"raw/stress-ng.txt"}
    # The first table shows the first boots, the second those that confirmed it.
    for form, body in every(reports.report(*LOST)).items():
        if form in ("text", "html"):
            assert "confirmed by a rerun of 10 + 10 boots" in plain(form, body)


def test_s2_what_perf_looked_at_differently_is_refused(reports: FieldReports) -> None:
    number = reports.comparison("S2", "solo", "baseline", "patch1")
    rows = reports.panel("vlag-compare", "Effects, worst first", number)
    (refused,) = [r for r in rows if r["figure"] == "c2c-ffmpeg cycles-per-load-high"]
    assert (refused["verdict"], refused["effect"]) == ("NOT_COMPARABLE", None)
    assert "watched" in refused["reason"]
    # One figure that is refused does not make the whole of it so.
    assert reports.panel("vlag-compare", "Overall verdict", number) == [{"verdict": "IMPROVEMENT"}]
    factors = reports.panel("vlag-compare", "Differences between the two sides", number)
    assert {f["factor"]: (f["base"], f["new"]) for f in factors} == {
        "series": (None, "root-domain-v2"),
        "application": ("none", "solo(1)"),
    }
    page = read(reports.site, f"/compare?id={number}")
    (row,) = [r for r in table(page, "figures") if r[0] == "c2c-ffmpeg cycles-per-load-high"]
    assert row[1] == "NOT_COMPARABLE"
    assert "watched" in text(page.split('id="apart"')[1].split('id="figures"')[0])


def test_s3_the_tail_is_shown(reports: FieldReports) -> None:
    number = reports.comparison("S3", "later", "base", "patched")
    assert reports.panel("vlag-compare", "Overall verdict", number) == [{"verdict": "MIXED"}]
    rows = reports.panel("vlag-latency", "Percentiles", number)
    quantiles = {r["quantile"]: (r["base"], r["new"]) for r in rows}
    assert quantiles["p50"] == pytest.approx((62, 88), rel=0.03)
    assert quantiles["p99.9"] == pytest.approx((4194, 2205), rel=0.03)
    # The curves are of the samples taken, the percentiles of all cycles due: skipped cycles add
    # to all latencies below the late ones, so that fewer than one sample in 500 reaches P99.9.
    tail = reports.panel("vlag-latency", "Share of samples", number)
    for side, value in zip(("base", "new"), quantiles["p99.9"], strict=True):
        assert tail[0][side] == pytest.approx(1)
        # The percentile lies in this bucket, which may be the last.
        at = max(i for i, r in enumerate(tail) if float(r["latency"]) <= value)
        assert tail[at][side] > 0.0009
        assert all((r[side] or 0) < 0.002 for r in tail[at + 1 :])
    overlay = reports.panel("vlag-latency", "Histograms of both sides", number)
    for side in ("base", "new"):
        assert sum(r[side] for r in overlay) == pytest.approx(1)
    days = reports.panel("vlag-latency", "Per day, branch of the new kernel", number)
    drawn = [r for r in days if r["value"] is not None]  # the others only say how wide a day is
    assert sum(r["value"] for r in drawn) == pytest.approx(len({r["time"] for r in drawn}))
    # What may be compared is not set apart.
    assert reports.report("S3", "later", "base", "patched")["differences"] == []
    assert 'id="apart"' not in read(reports.site, f"/compare?id={number}")


def test_s3_a_band_is_of_the_base_and_its_knobs_alone(reports: FieldReports) -> None:
    """The author's board: one kernel on both sides, the slice differs; P99 4192 against 73 us."""
    number = reports.comparison("S3", "rb5", "default", "slices")
    histories = plot_data.of(reports.conn, [number])[number]["histories"]
    [p99] = [h for h in histories if " p99 " in h["title"]]
    assert p99["band"] is not None
    assert p99["band"]["boots"] == len(p99["points"]) == 15
    assert max(p["value"] for p in p99["points"]) < 100
    assert p99["band"]["low"] > 4000


def test_s4_means_alone_are_no_distribution(reports: FieldReports) -> None:
    number = reports.comparison("S4", "host", "full", "lazy")
    page = read(reports.site, f"/compare?id={number}")
    rows = {r[0]: r for r in table(page, "figures")}
    levels = [cell.removesuffix(" Mbit/s") for cell in rows["uperf-vms throughput"][4:6]]
    assert [float(level) for level in levels] == pytest.approx([50000, 13000], rel=1e-4)
    assert rows["uperf-vms tcp-retransmissions"][1] == "INCONCLUSIVE"
    assert "no latency histograms" in text(read(reports.site, f"/latency?id={number}"))
    assert reports.panel("vlag-latency", "Percentiles", number) == []
    for surface, read_matrix in MATRIX_READERS.items():
        for row in read_matrix(reports, "S4").values():
            assert not any("wakeup-latency" in metric for metric in row), surface
    # The branch's page knows them, though no base of theirs has a role.
    said = text(read(reports.site, "/branch?branch=mainline%2Fmaster&board=vhost-host"))
    assert "has no figures" not in said
    assert "uperf-vms throughput" in said


def test_s5_a_policy_is_a_figure_of_its_own(reports: FieldReports) -> None:
    number = reports.comparison("S5", "releases", "6.5.13", "6.15-rc4")
    drawn = plot_data.of(reports.conn, [number])[number]
    assert len({e["name"] for e in drawn["effects"]}) == len(drawn["effects"])
    document = reports.report("S5", "releases", "6.5.13", "6.15-rc4")
    for form, body in every(document).items():
        assert form == "json" or "policy=batch" in plain(form, body)
    page = read(reports.site, "/branch?branch=stable%2Flinux-6.14.y&board=sut-loadgen")
    rows = {re.split(" (?:outside|against) ", r[0])[0]: r for r in table(page, "figures")}
    assert rows["mysql-tprocc nopm"][2].startswith("-7.4")
    assert "range of 15 boots of v6.5.13" in text(page)


# S3's two runs side by side.

#: Factor -> the two sides' words, and whether it may differ.
FACTORS: Mapping[str, tuple[str, str, bool]] = {
    "kernel": ("tip f9f6110edc00", "tip 2d4cc371baa5", True),
    "application": ("full", "none", True),
    "knobs base_slice_ns": ("not given", "400000", True),
    "background load": ("hackbench -g 20 beside", "hackbench: 32 groups", False),
}


def test_two_runs_side_by_side_are_refused_with_every_factor(reports: FieldReports) -> None:
    """From the verb to the pages, as a person does it."""
    env = environment(reports.dsn, reports.state)
    base = reports.kernel("S3", "earlier", "patched")
    new = reports.kernel("S3", "later", "base")
    words = ["compare", base.text, new.text, "--board-type", "altra", "--plan", "s3"]
    words += [f"--new-knob={k}={v}" for k, v in new.knobs.items()]
    done = CliRunner().invoke(main, [*words, "--synthetic", "--format", "text+json"], env=env)
    assert done.exit_code == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    number = json.loads(last)["comparison"]
    whole = ["report", "--full", "--comparison", str(number)]
    said = {"verb": " ".join(lines), "report": CliRunner().invoke(main, whole, env=env).stdout}
    document = report(reports.conn, reports.catalogue, number, reports.state)
    assert all(r["effect"] is None for r in document["rows"] if r["verdict"] == "NOT_COMPARABLE")
    said |= {form: plain(form, body) for form, body in every(document).items()}
    for surface, body in said.items():
        found = " ".join(body.split())
        assert "NOT_COMPARABLE" in found, surface
        for factor, (one, other, may) in FACTORS.items():
            name = factor.replace("knobs", "knob")
            pattern = rf"{name}: {re.escape(one)}.*? against {re.escape(other)}"
            assert re.search(pattern, found), (surface, factor)
            assert re.search(f"{pattern} \\(must be equal", found) is None or not may
        assert re.search(r"setup: \S+ against \S+ \(must be equal", found), surface
    page = read(reports.site, f"/compare?id={number}")
    assert "NOT_COMPARABLE" in text(page.split("</h1>")[1])[:40]
    shown = {r[0]: r[1:] for r in table(page, "differences between the two sides")[1:]}
    panel = {
        r["factor"]: r
        for r in reports.panel("vlag-compare", "Differences between the two sides", number)
    }
    for factor, (one, other, may) in FACTORS.items():
        row, may_be = shown[factor], "yes" if may else "no, it must be equal"
        assert row[0].startswith(one)
        assert row[1].startswith(other)
        assert row[2] == may_be
        assert panel[factor.split(" base_slice")[0]]["may it differ"] == may_be
    assert "400000" in panel["knobs"]["new"]
    refused = [r for r in table(page, "figures") if r[1] == "NOT_COMPARABLE"]
    assert {r[2] for r in refused} == {"-"}
    assert all("setup" in r[-1] for r in refused)
    rows = reports.panel("vlag-compare", "Effects, worst first", number)
    reasons = [r["reason"] for r in rows if r["verdict"] == "NOT_COMPARABLE"]
    assert len(reasons) == len(refused) >= 3
    assert all("differ in more than the kernel: setup" in reason for reason in reasons)
    # The two kernels lead there too.
    [(one_kernel, other_kernel)] = reports.reader.rows(
        "SELECT base_kernel, new_kernel FROM read_model.comparison WHERE id = %s", number
    )
    answer = reports.site.get(f"/compare?base={one_kernel}&new={other_kernel}")
    assert answer.headers["Location"] == f"/compare?id={number}"
    # Without the option runs of a report are none.
    real = CliRunner().invoke(main, [*words, "--format", "json"], env=env)
    assert json.loads(real.stdout)["summary"]["NOT_COMPARABLE"] == 0


# Links to commits, and what a browser makes of the pages.


def git_links(page: str) -> set[str]:
    return {link for link in links(page) if link.startswith("https://git")}


def test_a_commit_leads_to_its_trees_pages(reports: FieldReports) -> None:
    site = visitor(application(reports.dsn, reports.state, commits=COMMITS))
    number = reports.comparison("S3", "later", "base", "patched")
    alert = reports.alert("tip/sched/core on altra")
    [(run,)] = reports.reader.rows(
        "SELECT new_runs[1] FROM read_model.verdict WHERE comparison = %s LIMIT 1", number
    )
    pages = [
        f"/compare?id={number}",
        f"/run?id={run}",
        f"/alert?id={alert.id}",
        "/branch?branch=tip%2Fsched%2Fcore&board=altra",
    ]
    commits = {
        COMMITS["tip"].replace("{commit}", c)
        for (all_digits,) in reports.conn.execute(
            "SELECT DISTINCT commit FROM kernel WHERE tree = 'tip'"
        )
        for c in (all_digits, all_digits[:12])  # in a sentence
    }
    for url in pages:
        there = git_links(read(site, url))
        assert there, url
        assert there <= commits
        # A site that was told of no tree has none.
        assert "git.example.org" not in read(reports.site, url)
    # Both sides have one, and a tree without pages has none.
    assert len(git_links(read(site, pages[0]))) >= 2
    assert "git.example.org" not in read(site, f"/compare?id={reports.comparison(*LOST)}")


def waiting(reports: FieldReports) -> list[queue.Queue]:
    """Return queues with a run that goes on, one that waits, and one that nobody serves."""
    now = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
    items = [
        queue.Item(
            what=f"a run of {'a-branch-with-a-long-name-' * 6}", board_type=board_type,
            priority=20, submitted_at=now, started_at=started, estimate_s=60,
        )
        for board_type, started in (("qemu-sim-2", now), ("qemu-sim-2", None), ("rpi5", None))
    ]  # fmt: skip
    there = [b for b in reports.catalogue.boards if b.board_type == "qemu-sim-2"]
    return queue.plan(items, there, there, {}, now=now)


def test_the_reports_pages_in_a_browser(browser: Browser, reports: FieldReports) -> None:
    """The widest tables, the longest names, and a queue."""
    lazy = reports.comparison("S4", "host", "full", "lazy")
    [(refused,)] = reports.reader.rows(
        "SELECT max(comparison) FROM read_model.verdict WHERE verdict = 'NOT_COMPARABLE'"
    )
    app = application(
        reports.dsn, reports.state, commits=COMMITS, queue=lambda: (waiting(reports), 2)
    )
    urls = (
        "/",
        f"/compare?id={refused}",
        f"/compare?id={lazy}",
        f"/latency?id={lazy}",
        f"/alert?id={reports.alert('lag-v2 full on altra').id}",
        "/matrix?branch=mainline%2Fmaster&board=x86-480",
        "/branch?branch=mainline%2Fmaster&board=vhost-host",
        "/queue",
    )
    with served(app) as address:
        assert faults(browser, address, urls) == {}
