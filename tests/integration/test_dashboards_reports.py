"""Field reports as rows of the dashboards' panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dashboards.interpolation import Value, interpolate
from dashboards.statements import of_dashboard
from tests.conftest import fresh_database
from tests.integration.grafana import BOARDS, END, START, Filled, opened
from vlag.alerts import derive as alerting
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.stats.severity import severity
from vlag.store.kernels import KernelRef


@pytest.fixture(scope="module")
def of(cluster: str, field_reports: str) -> Iterator[Filled]:
    """The database of all field reports."""
    for conn, reader in opened(fresh_database(cluster, field_reports)):
        yield Filled(conn=conn, reader=reader, comparisons=[])


def compared(of: Filled, board: str, base: str, new: str, knobs: str = "") -> dict[str, Value]:
    """Return the values of Compare's variables for the comparison with most boots."""
    rows = of.reader.rows(
        "SELECT c.new_kernel::text, c.base_kernel::text, c.id::text FROM read_model.comparison c"
        " JOIN read_model.verdict v ON v.comparison = c.id"
        " WHERE c.board_type = %s AND c.base = %s AND c.new = %s AND c.new_knobs LIKE %s"
        " GROUP BY 1, 2, 3, c.id ORDER BY count(*) DESC, max(v.n_new) DESC, c.id LIMIT 1",
        board,
        base,
        new,
        f"%{knobs}",
    )
    new_kernel, base_kernel, number = rows[0]
    return {"board": board, "new": new_kernel, "base": base_kernel, "comparison": number}


def test_s1_compare_shows_the_drop_worst_first(of: Filled) -> None:
    given = compared(of, "rpi5", "6.6.78-v8-16k+", "6.12.81-v8-16k+", "preempt=full")
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
    worst = rows[0]
    assert worst["figure"].startswith("stress-ng-pipe")
    assert (worst["verdict"], worst["standing"]) == ("REGRESSION", "confirmed")
    assert worst["effect"] == pytest.approx(-0.293, abs=5e-4)
    assert worst["worsening"] == -worst["effect"]
    assert worst["at least"] < worst["effect"] < worst["at most"]
    by = {r["figure"]: r for r in rows}
    late = by["stress-ng-yield time-per-yield"]
    assert late["effect"] == late["worsening"] == pytest.approx(0.044, abs=5e-4)
    severities = [severity(r["verdict"], r["standing"]) for r in rows]
    assert severities == sorted(severities)
    (word,) = of.reader.panel("vlag-compare", "Overall verdict", **given)
    assert word == {"verdict": "REGRESSION"}
    # Every boot of both sides leads to its run and its raw output.
    boots = of.reader.panel("vlag-compare", "${figure}: boots", **given)
    assert {b["side"] for b in boots} == {"base", "new"}
    assert {b["output"] for b in boots} == {"raw/stress-ng.txt"}


def test_s1_its_alert_is_on_the_overview_when_reports_are(of: Filled, catalogue: Catalogue) -> None:
    made = of.reader.rows(
        "SELECT id FROM read_model.comparison WHERE role IS NOT NULL AND board_type = 'rpi5'"
    )
    alerting.derive(of.conn, catalogue, [row[0] for row in made])
    # A number and a table have this title.
    (statement,) = [
        s
        for s in of_dashboard(BOARDS["vlag-overview"])
        if s.kind == "table" and " Open alerts " in s.place
    ]

    def alerts(of_what: str) -> list[dict[str, Any]]:
        values = of.reader.values("vlag-overview", figures=(of_what,))
        return of.reader.ask(interpolate(statement.sql, values, START, END)).by_name()

    assert alerts("boots") == []
    rows = alerts("field reports")
    assert {r["branch"] for r in rows} >= {
        "raspberrypi/rpi-6.12.y",
        "raspberrypi/rpi-6.18.y",
        "raspberrypi/rpi-7.0.y",
    }
    (drop,) = [r for r in rows if "29.3 % worse" in r["title"]]
    assert drop["branch"] == "raspberrypi/rpi-6.12.y"
    assert drop["throughput lost"] == pytest.approx(0.293, abs=5e-4)
    assert drop["latency risen"] == pytest.approx(0.044, abs=5e-4)


def test_s1_the_toggle_is_a_row_of_the_matrix(of: Filled) -> None:
    given = compared(of, "rpi5", "6.6.78-v8-16k+", "6.12.81-v8-16k+", "NO_DELAY_DEQUEUE")
    cells = of.reader.panel("vlag-matrix", "Changes to", board="rpi5", base=given["base"])
    pipe = {c["side"]: c["cell"] for c in cells if c["metric"].startswith("stress-ng-pipe write")}
    knobs = "with frequency_mhz=2400 preempt=full"
    assert pipe[f"6.12.81-v8-16k+ {knobs}"] == "-29.3 % REGRESSION"
    (toggle,) = [cell for side, cell in pipe.items() if "NO_DELAY_DEQUEUE" in side]
    assert toggle.startswith("-3.5 % ")
    assert pipe[f"6.18.21-v8-16k+ {knobs}"].startswith("-15.6 % ")


def test_s2_the_matrix_has_each_patch_alone(of: Filled) -> None:
    cells = of.reader.panel("vlag-matrix", "Changes to", board="x86-480")
    by: dict[str, dict[str, str]] = {}
    for cell in cells:
        # A cell of a matrix is one cell.
        assert cell["metric"] not in by.setdefault(cell["side"], {})
        by[cell["side"]][cell["metric"]] = cell["cell"]
    assert set(by) == {f"root-domain-v2 solo({i})" for i in (1, 2, 3, 4)}
    frames = {
        side: next(v for k, v in row.items() if k.startswith("ffmpeg-fifo total-fps"))
        for side, row in sorted(by.items())
    }
    assert [cell.split(" %")[0] for cell in frames.values()] == ["+11.0", "+5.0", "+4.0", "+3.8"]
    assert frames["root-domain-v2 solo(1)"] == "+11.0 % IMPROVEMENT"
    rows = of.reader.panel("vlag-matrix", "Comparisons in the matrix", board="x86-480")
    assert {r["side"] for r in rows} == set(by)


def test_s2_compare_refuses_what_perf_looked_at_differently(
    of: Filled,
) -> None:
    base = "mainline in July 2025"
    given = compared(of, "x86-480", base, f"{base} + root-domain-v2 solo(1)")
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
    by = {r["figure"]: r for r in rows}
    told = {
        "ffmpeg-fifo total-fps": ("IMPROVEMENT", "confirmed", 0.110),
        "kernel-cycles kernel-share": ("IMPROVEMENT (hint)", "hint", -0.45),
        "stress-ng-cyclic bogo-ops-rate": ("IMPROVEMENT", "confirmed", 0.314),
        "pi-stress inversion-rate": ("IMPROVEMENT", "confirmed", 0.765),
    }
    for figure, (verdict, standing, effect) in told.items():
        assert (by[figure]["verdict"], by[figure]["standing"]) == (verdict, standing)
        assert by[figure]["effect"] == pytest.approx(effect, abs=5e-4)
        assert by[figure]["worsening"] < 0
    refused = by["c2c cycles-per-load-high"]
    assert (refused["verdict"], refused["effect"]) == ("NOT_COMPARABLE", None)
    assert "watched" in refused["reason"]
    # One figure that is refused does not make the whole of it so.
    (word,) = of.reader.panel("vlag-compare", "Overall verdict", **given)
    assert word == {"verdict": "IMPROVEMENT"}
    factors = of.reader.panel("vlag-compare", "Differences between the two sides", **given)
    assert {f["factor"]: (f["base"], f["new"]) for f in factors} == {
        "series": (None, "root-domain-v2"),
        "application": ("none", "solo(1)"),
    }


def test_s3_mixed_is_one_word_and_the_tail_is_shown(of: Filled) -> None:
    given = compared(of, "altra", "tip/sched/core 2d4cc371baa5", "tip/sched/core 059258b0d424")
    (word,) = of.reader.panel("vlag-compare", "Overall verdict", **given)
    assert word == {"verdict": "MIXED"}
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
    assert rows[0]["figure"] == "cyclictest-hackbench latency p50"
    assert rows[0]["effect"] == pytest.approx(0.419, abs=5e-4)
    quantiles = {
        r["quantile"]: (r["base"], r["new"])
        for r in of.reader.panel("vlag-latency", "Percentiles", **given)
    }
    ends = quantiles["p99.9"]
    assert quantiles["p50"] == (pytest.approx(62, rel=0.03), pytest.approx(88, rel=0.03))
    assert ends == (pytest.approx(4194, rel=0.03), pytest.approx(2205, rel=0.03))
    # The curves are of the samples taken, the percentiles of all cycles due: skipped cycles add
    # to all latencies below the late ones, so that fewer than one sample in 500 reaches P99.9.
    tail = of.reader.panel("vlag-latency", "Share of samples", **given)
    for side, value in zip(("base", "new"), quantiles["p99.9"], strict=True):
        assert tail[0][side] == pytest.approx(1)
        # The percentile lies in this bucket, which may be the last.
        bounds: list[Any] = [float(r["latency"]) for r in tail]
        at = max(i for i, bound in enumerate(bounds) if bound <= value)
        assert tail[at][side] > 0.0009
        beyond = [r[side] or 0 for r in tail[at + 1 :]]
        assert all(share < 0.002 for share in beyond)
    overlay = of.reader.panel("vlag-latency", "Histograms of both sides", **given)
    for side in ("base", "new"):
        assert sum(r[side] for r in overlay) == pytest.approx(1)
    days = of.reader.panel("vlag-latency", "${figure}: branch of the new", **given)
    assert sum(r["value"] for r in days) == pytest.approx(len({r["time"] for r in days}))


def test_s3_two_runs_side_by_side_are_not_comparable(of: Filled, catalogue: Catalogue) -> None:
    later = compared(of, "altra", "tip/sched/core 2d4cc371baa5", "tip/sched/core 059258b0d424")
    earlier = of.reader.rows(
        "SELECT k.digest FROM read_model.kernel k WHERE k.id IN (SELECT c.new_kernel"
        " FROM read_model.comparison c WHERE c.base = 'tip/sched/core in March 2026')"
    )
    (new,) = of.reader.rows(
        "SELECT digest FROM read_model.kernel WHERE id::text = %s", later["new"]
    )
    compare(
        conn=of.conn,
        catalogue=catalogue,
        base=KernelRef(text=earlier[0][0]),
        new=KernelRef(text=new[0], knobs={"base_slice_ns": "400000"}),
        board_type="altra",
        synthetic=True,
    )
    (number, base) = of.reader.rows(
        "SELECT c.id::text, c.base_kernel::text FROM read_model.comparison c"
        " ORDER BY c.id DESC LIMIT 1"
    )[0]
    given = {**later, "base": base, "comparison": number}
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
    refused = [r for r in rows if r["verdict"] == "NOT_COMPARABLE"]
    assert refused
    for row in refused:
        assert "differ in more than the kernel: setup" in row["reason"]
        assert row["effect"] is None
    (head,) = of.reader.panel("vlag-compare", "${base} and ${new}", **given)
    assert (head["base knobs"], head["new knobs"]) == ("", "base_slice_ns=400000")
    assert "base_slice_ns" in head["differs"]
    assert "kernel" in head["differs"]
    factors = {
        f["factor"]: f
        for f in of.reader.panel("vlag-compare", "Differences between the two sides", **given)
    }
    assert "in March 2026" in factors["kernel"]["base"]
    assert "059258b0d424" in factors["kernel"]["new"]
    assert "400000" in factors["knobs"]["new"]
    load = factors["background load"]
    assert load["base"].startswith("hackbench -g 20 beside cyclictest")
    assert load["base"] != load["new"]
    must = {name for name, f in factors.items() if f["may it differ"].startswith("no")}
    assert must == {"background load"}
    # Of the two that may be compared the surroundings are the same.
    may = of.reader.panel("vlag-compare", "Differences between the two sides", **later)
    assert {f["may it differ"] for f in may} == {"yes"}
    assert "kernel" in {f["factor"] for f in may}


def test_s4_preempt_by_patch(of: Filled) -> None:
    (base, *_) = of.reader.rows(
        "SELECT c.base_kernel::text FROM read_model.comparison c JOIN read_model.verdict v"
        " ON v.comparison = c.id WHERE c.board_type = 'vhost-host'"
        " AND c.base_knobs = 'preempt=full' AND v.n_new > 1"
    )
    cells = of.reader.panel("vlag-matrix", "Changes to", board="vhost-host", base=base[0])
    name = "uperf-vms throughput"
    rate = {c["side"]: c["cell"] for c in cells if c["metric"].startswith(name)}
    assert rate["preempt=lazy against preempt=full"] == "-74.0 % REGRESSION"
    unbound = rate["vhost-unbound-wq full preempt=lazy against preempt=full"]
    assert unbound.endswith(" UNCHANGED")
    # With full preemption the unbound workqueue was not run: there is no such cell.
    assert rate["vhost-unbound-wq full with preempt=lazy"].endswith(" IMPROVEMENT")
    assert "vhost-unbound-wq full with preempt=full" not in rate


def test_s4_throughput_without_a_distribution_of_wake_ups(of: Filled) -> None:
    host = "the host's kernel"
    given = compared(of, "vhost-host", host, host, "preempt=lazy")
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
    by = {r["figure"]: r for r in rows}
    rate = by["uperf-vms throughput"]
    assert (rate["base"], rate["new"]) == pytest.approx((50000, 13000), rel=1e-4)
    assert rate["verdict"] == "REGRESSION"
    assert rate["worsening"] == pytest.approx(0.74, abs=1e-3)
    assert by["uperf-vms tcp-retransmissions"]["verdict"] == "INCONCLUSIVE"
    # Of the wake-ups the report gives means alone: there is no distribution to show.
    assert of.reader.panel("vlag-latency", "Percentiles", **given) == []
    # With the unbound workqueue the throughput is back.
    unbound = compared(of, "vhost-host", host, f"{host} + vhost-unbound-wq full", "preempt=lazy")
    knobs = of.reader.rows(
        "SELECT base_knobs FROM read_model.comparison WHERE id::text = %s", unbound["comparison"]
    )
    rows = of.reader.panel("vlag-compare", "Effects, worst first", **unbound)
    by = {r["figure"]: r for r in rows}
    assert by["uperf-vms throughput"]["new"] == pytest.approx(50000, rel=1e-4)
    assert by["uperf-vms throughput"]["base"] == pytest.approx(
        {"preempt=full": 50000, "preempt=lazy": 13000}[knobs[0][0]], rel=1e-4
    )


def test_s5_policies_are_figures_of_their_own(of: Filled) -> None:
    told = {"v6.12.25": (-0.051, -0.081), "v6.13.12": (-0.061, -0.078),
            "v6.14.4": (-0.074, -0.079), "v6.15-rc4": (-0.074, -0.106)}  # fmt: skip
    for release, effects in told.items():
        given = compared(of, "sut-loadgen", "v6.5.13", release)
        rows = of.reader.panel("vlag-compare", "Effects, worst first", **given)
        scores = {r["parameters"]: r for r in rows if r["figure"] == "mysql-tprocc nopm"}
        assert len(scores) == 2
        for policy, effect in zip(("other", "batch"), effects, strict=True):
            (score,) = [r for p, r in scores.items() if f"policy={policy}" in p]
            assert score["effect"] == pytest.approx(effect, abs=6e-4)
            assert (score["verdict"], score["standing"]) == ("REGRESSION", "confirmed")
        (word,) = of.reader.panel("vlag-compare", "Overall verdict", **given)
        assert word == {"verdict": "REGRESSION"}


def test_s5_the_overview_shows_reports_only_when_asked(of: Filled) -> None:
    title = "Newest comparisons"
    assert of.reader.panel("vlag-overview", title) == []
    rows = of.reader.panel("vlag-overview", title, figures=("field reports",))
    found = {r["new"]: r for r in rows if r["board_type"] == "sut-loadgen"}
    assert {"v6.12.25", "v6.13.12", "v6.14.4"} <= set(found)
    assert {(r["hints"], r["worse"]) for r in found.values()} == {(0, 6)}
    title = "Branches by boards"
    assert of.reader.panel("vlag-overview", title) == []
    heat = of.reader.panel("vlag-overview", title, figures=("field reports",))
    cells = [(r["metric"], r["time"]) for r in heat]
    assert 0 < len({name for name, _ in cells}) <= 20
    assert len(set(cells)) == len(cells)
