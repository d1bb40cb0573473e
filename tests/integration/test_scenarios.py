# SPDX-License-Identifier: GPL-2.0-only
"""Field reports entered as runs: what is then on record, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.integration.field_reports import FieldReports
from vlag import ROOT
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.scenario import data, scenario_text
from vlag.scenario.bundles import enter
from vlag.scenario.scenario_verdicts import Answers
from vlag.scenario.scenario_views import views
from vlag.store.database import Connection

Document = dict[str, Any]


def shown(
    conn: Connection, catalogue: Catalogue, state: Path, name: str, source: Path = data.FOLDER
) -> tuple[Document, str]:
    """Enter a scenario; return its views as data and as text."""
    scenario = data.load(name, source)
    enter(scenario, catalogue, conn, state)
    document = dict(views(Answers(conn, catalogue, scenario)))
    return document, scenario_text.render(document)


def entered(reports: FieldReports, name: str) -> tuple[Document, str]:
    """Return the same of a scenario that is in the database."""
    document = dict(reports.views[name])
    return document, scenario_text.render(document)


def view(document: Document, kind: str, of: str | None = None) -> Document:
    found: Document = next(
        v for v in document["views"] if v["view"] == kind and of in (None, v.get("set"))
    )
    return found


def cells(table: Document) -> dict[str, dict[str, Document]]:
    return {r["side"]: {c["measure"]: c for c in r["cells"]} for r in table["rows"]}


def percent(cell: dict[str, Any]) -> str:
    return scenario_text.percent(cell["effect"])


@pytest.mark.parametrize("name", data.names())
def test_every_run_is_synthetic_and_says_so(reports: FieldReports, name: str) -> None:
    _, printed = entered(reports, name)
    assert "SYNTHETIC" in printed
    assert max(len(line) for line in printed.splitlines()) <= scenario_text.WIDTH
    row = reports.conn.execute(
        "SELECT bool_and(synthetic), bool_and(environment ? 'synthetic'), count(*) > 0,"
        " bool_and(environment ? '/proc/sys/kernel/sched_rt_runtime_us') FROM run"
        " WHERE executor->>'scenario' = %s",
        (name,),
    ).fetchone()
    assert row == (True, True, True, name == "S2")


@pytest.mark.parametrize("name", data.names())
def test_one_boot_a_figure_is_inconclusive_with_the_same_effect(
    reports: FieldReports, name: str
) -> None:
    document, _ = entered(reports, name)
    alone = next(
        v for v in document["views"] if v["view"] == "table" and v["set"].endswith("-alone")
    )
    full = cells(view(document, "table", alone["set"].removesuffix("-alone")))
    for side, found in cells(alone).items():
        for measure, cell in found.items():
            assert cell["verdict"] == "INCONCLUSIVE"
            assert cell["boots"] == {"screen": [1, 1]}
            effect = full[side][measure]["effect"]
            assert cell["effect"] == pytest.approx(effect, rel=2e-3, abs=3e-3)


def test_s1_the_toggle_and_the_other_board(reports: FieldReports) -> None:
    document, printed = entered(reports, "S1")
    table = view(document, "table", "a")
    found = cells(table)
    assert all(c["pipe"]["worse"] and c["yield"]["worse"] for c in found.values())
    assert [r["side"] for r in table["rows"]][:2] == ["6.12.81", "7.0.0"]
    assert found["6.12.81"]["pipe"]["stages"] == {"screen": "REGRESSION", "confirm": "REGRESSION"}
    toggle = view(document, "recovery", "a")["toggles"][0]
    pipe = toggle["measures"][0]
    assert toggle["verdict"] == "MIXED"
    assert pipe["recovers"]
    assert (percent(pipe["gain"]), percent(pipe["cost"])) == ("+36.5 %", "-26.8 %")
    assert round(100 * pipe["share"]) == 88
    low, high = pipe["interval"]
    assert low < 0.88 < high
    assert f"recovers 88 % [{100 * low:.0f}, {100 * high:.0f}] of it" in printed
    assert "26.8 % below" in printed
    assert "31 %" not in printed
    assert "frequency_mhz=2800" in printed
    grid = view(document, "matrix", "b")["grids"][0]["rows"]
    assert percent(grid[0]["cells"]["lazy"]) == "-27.8 %"
    assert "answer: no difference" in printed
    assert "answer: no toggle recovers it" in printed
    # Set b is the patched kernel of its reporter: the package 6.12.75+rpt-rpi-2712 shows the
    # regression, by the same thread.
    assert "local 6.12.y" in printed
    assert "6.12.75" not in printed
    assert "-6.1 %" not in printed  # no figure of stress-ng 0.21 is in the thread


def test_s1_keeps_the_unit_of_a_figure_that_another_metric_judges(reports: FieldReports) -> None:
    document, printed = entered(reports, "S1")
    cell = cells(view(document, "table", "a-earlier"))["6.12.81"]["pipe-ops"]
    assert (cell["metric"], cell["unit"], cell["verdict"]) == ("bogo-ops-rate", "1/s", "REGRESSION")
    assert cell["base"] == pytest.approx(2.34e6, rel=2e-3)
    assert cell["value"] == pytest.approx(1.16e6, rel=2e-3)
    grid = view(document, "matrix", "b")["grids"][0]["rows"]
    assert grid[0]["cells"]["lazy"]["value"] == pytest.approx(1635264, rel=2e-3)
    in_megabytes = cells(view(document, "table", "a"))["6.12.81"]["pipe"]  # negative control
    assert (in_megabytes["metric"], in_megabytes["unit"]) == ("write-rate", "MB/s")
    assert re.search(r"pipe-ops \[1/s\] +2,3(39|40),\d{3}  1,1(59|60),\d{3}  -50.4 %", printed)


def test_s1_refuses_two_versions_of_the_tool_and_two_data_sets(reports: FieldReports) -> None:
    document, printed = entered(reports, "S1")
    tool, sets = [v for v in document["views"] if v["view"] == "refusal"]
    assert tool["verdict"] == sets["verdict"] == "NOT_COMPARABLE"
    by_factor = {d["factor"]: d for d in tool["differences"]}
    version = by_factor["tool version"]
    assert (version["a"], version["b"]) == ("0.15.06+", "0.21.00")
    assert "512 bytes" in version["why"]
    assert "default mean" in by_factor
    assert "around data set" in {d["factor"] for d in sets["differences"]}
    assert "NOT_COMPARABLE" in printed


def stored(conn: Connection, name: str) -> set[str]:
    """Return the metrics that the runs of a scenario have."""
    rows = conn.execute(
        "SELECT DISTINCT s.benchmark || ' ' || s.metric FROM run r JOIN sample x ON x.run = r.id"
        " JOIN series s ON s.id = x.series WHERE r.executor->>'scenario' = %s"
        " UNION SELECT DISTINCT s.benchmark || ' ' || s.metric FROM run r JOIN histogram x"
        " ON x.run = r.id JOIN series s ON s.id = x.series WHERE r.executor->>'scenario' = %s",
        (name, name),
    )
    return {row[0] for row in rows}


def test_what_a_report_does_not_give_is_not_on_record(reports: FieldReports) -> None:
    """The tools' texts have it: stress-ng prints 14 latencies beside the rate of cyclic."""
    assert stored(reports.conn, "S2") == {
        "c2c-ffmpeg cycles-per-load-high", "c2c-ffmpeg cycles-per-load-low",
        "ffmpeg-fifo total-fps",
        "kernel-cycles-ffmpeg kernel-share", "pi-stress inversion-rate",
        "stress-ng-cyclic bogo-ops-rate",
    }  # fmt: skip
    assert stored(reports.conn, "S4") == {"uperf-vms throughput"}
    row = reports.conn.execute(
        "SELECT environment->>'not in the report' FROM run WHERE benchmark = 'stress-ng-cyclic'"
    ).fetchone()
    assert row is not None
    assert len(row[0].split(", ")) == 14


def test_s2_ranges_and_absence(reports: FieldReports) -> None:
    document, printed = entered(reports, "S2")
    shares = cells(view(document, "table", "solo"))
    values = [shares[f"patch{i}"]["kernel-cycles"]["value"] for i in (1, 2, 3, 4)]
    assert values == pytest.approx([11.0, 17.7, 18.6, 18.7], rel=2e-3)
    for name in ("full: not run", "prefix(2): not run", "without(4): not run", "solo(4)"):
        assert name in printed
    rows = {r["side"]: r["cells"] for r in view(document, "ranges")["rows"]}
    assert rows["baseline"]["line3"] == pytest.approx({"low": 10000, "high": 59000}, rel=1e-3)
    assert rows["patch2"]["line3"] == rows["patch1"]["cpupri-last"] == "eliminated"
    assert rows["patch3"]["line1"] == "eliminated"
    assert rows["patch3"]["line3"] == "not reported"
    for cell in ("2.8K–44K", "0.5K–8K", "2.1K–2.7K", "0.5K–2.2K", "2.2K–8.7K"):  # noqa: RUF001
        assert cell in printed


def test_s3_mixed_with_time_and_throughput(reports: FieldReports) -> None:
    document, printed = entered(reports, "S3")
    row = view(document, "table", "later")["rows"][0]
    assert row["verdict"] == "MIXED"
    assert {c["measure"] for c in row["cells"] if c["worse"]} == {"latency p50"}
    assert "time -38.8 %, which is throughput +63 %" in printed
    assert view(document, "table", "earlier")["rows"][0]["verdict"] == "MIXED"
    assert view(document, "recovery", "earlier")["answer"] == "no toggle recovers it"
    factors = {d["factor"]: d for d in view(document, "refusal")["differences"]}
    assert factors["commit"]["b"] == "2d4cc371baa5"
    assert factors["knob base_slice_ns"]["b"] == "400000"


#: All that differs between the two runs of S3; the set-up is the background load's.
SAID = {"commit", "configuration", "knob base_slice_ns", "setup", "around background load"}
#: What makes the later run's fact that of the earlier one -> the factors that are gone then.
SAME = {
    "commit": {"commit"},
    "config": {"configuration"},
    "slice": {"knob base_slice_ns"},
    "load": {"setup", "around background load"},
    "prose": set(),
}


def one_refusal(folder: Path, *same: str) -> Path:
    """Write S3 with its refusal alone, some facts of the later run as of the earlier one."""
    raw = yaml.safe_load((data.FOLDER / "S3.yaml").read_text(encoding="utf-8"))
    sets = raw["sets"] = {name: raw["sets"][name] for name in ("earlier", "later")}
    for of in sets.values():
        of["sides"] = {"base": of["sides"]["base"]}
        of["sides"]["base"]["figures"] = {"8-threads": of["sides"]["base"]["figures"]["8-threads"]}
    earlier, later = sets["earlier"], sets["later"]
    if "commit" in same:
        later["sides"]["base"]["kernel"] = earlier["sides"]["base"]["kernel"]
    if "config" in same:
        later["config"] = earlier["config"]
    if "slice" in same:
        del later["knobs"]
    if "load" in same:
        later["environment"] = earlier["environment"]
    if "prose" in same:
        later["about"] = earlier["about"]
    raw["views"] = [v for v in raw["views"] if v["view"] == "refusal"]
    del raw["claims"]  # of sets that are not here
    return written(folder, raw)


@pytest.mark.parametrize("fact", [*SAME, "all"])
def test_s3_each_fact_refuses_and_no_prose_does(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, fact: str
) -> None:
    facts = SAME if fact == "all" else [fact]
    document, _ = shown(conn, catalogue, tmp_path, "S3", one_refusal(tmp_path / "s", *facts))
    refusal = view(document, "refusal")
    gone = set().union(*(SAME[f] for f in facts))
    assert {d["factor"] for d in refusal["differences"]} == SAID - gone
    assert refusal["verdict"] == ("comparable" if fact == "all" else "NOT_COMPARABLE")


def near(*figures: float) -> Any:
    """Geometric means of draws are the report's figures, as far as the tool's step allows."""
    return pytest.approx(list(figures), rel=0.02)


def test_s3_slice_and_patch(reports: FieldReports) -> None:
    document, _ = entered(reports, "S3")
    steps = view(document, "steps")
    values = {r["measure"]: r["values"] for r in steps["rows"]}
    assert values["cyclictest p99"] == near(4192, 73, 72)
    assert values["cyclictest p99.9"] == near(8528, 2707, 1300)
    assert values["cyclictest max"] == near(17735, 14273, 13525)
    assert "cyclictest p99" in steps["changed"]["slice"]
    # The p99 is the slice's work.  The patch's maximum is 5 % lower, of boots that far apart.
    assert steps["changed"]["patch"] == ["cyclictest p99.9"]
    assert [round(s["mean"]) for s in steps["samples"]] == [364, 64, 61]
    assert [s["achieved"] for s in steps["samples"]] == [115632, 119733, 119806]
    assert {s["expected"] for s in steps["samples"]} == {119913}
    own = view(document, "table", "rb5-hackbench")["rows"][0]["cells"]
    assert {c["verdict"] for c in own} <= {"UNCHANGED", "INCONCLUSIVE", "MARGINAL"}
    widest = next(c for c in own if c["measure"] == "t-pipe-8")
    assert widest["spread"][1] == pytest.approx(0.086, abs=0.006)


def test_s4_matrix_with_a_cell_that_was_not_run(reports: FieldReports) -> None:
    document, printed = entered(reports, "S4")
    throughput, kworker = view(document, "matrix")["grids"]
    full, lazy = (r["cells"] for r in throughput["rows"])
    assert full["unbound"] is None
    assert [full["per-CPU"]["value"], lazy["per-CPU"]["value"]] == near(50000, 13000)
    assert (lazy["per-CPU"]["verdict"], lazy["unbound"]["verdict"]) == ("REGRESSION", "UNCHANGED")
    assert [r["cells"]["per-CPU"]["value"] for r in kworker["rows"]] == near(2, 721)
    assert [kworker["rows"][1]["cells"]["unbound"]["value"]] == near(5)
    # A mean is no distribution: there is nothing to judge.
    assert kworker["rows"][1]["cells"]["per-CPU"]["verdict"] == "INCONCLUSIVE"
    assert "the report gives a mean alone" in " ".join(printed.split())
    assert "not run" in printed


def test_s5_policy_is_a_dimension_and_counters_go_by_name(reports: FieldReports) -> None:
    document, printed = entered(reports, "S5")
    refusal = view(document, "refusal")
    assert "parameter policy" in {d["factor"] for d in refusal["differences"]}
    assert view(document, "schedstat")["diff"]["sections"]
    assert "not in v15" in printed
    assert "4294967287" not in printed
    assert "30424" not in printed


def test_entered_twice_is_entered_once(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    first = shown(conn, catalogue, tmp_path, "S4")
    count = "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM comparison)"
    before = conn.execute(count).fetchone()
    assert shown(conn, catalogue, tmp_path, "S4") == first
    assert conn.execute(count).fetchone() == before
    # Lost bundles are written again, and are the same runs.
    shutil.rmtree(tmp_path / "S4")
    assert shown(conn, catalogue, tmp_path, "S4") == first
    assert conn.execute(count).fetchone() == before


#: A set of each scenario, its base, another side, a figure, and another value of it.
CHANGED: dict[str, tuple[str, str, str, str, Any]] = {
    "S1": ("a", "6.6.78", "7.0.0", "pipe", 259.5),
    "S2": ("solo", "baseline", "patch4", "pi-stress", {"percent": 100.2}),
    "S3": ("later", "base", "patched", "4-threads", 26.8),
    "S4": ("host", "full", "lazy", "throughput", 49900),
    "S5": ("releases", "6.5.13", "6.14.4", "batch-score", {"change": -0.2}),
}


def cut(name: str) -> Document:
    """Return a scenario with two sides of one set, and of the figures those of one benchmark."""
    of, base, side, measure, _ = CHANGED[name]
    raw: Document = yaml.safe_load((data.FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    like = {k: raw["measures"][measure].get(k) for k in ("benchmark", "parameters")}
    kept = {
        key: {k: m.get(k) for k in like} == like for key, m in raw["measures"].items()
    }  # of one text of the tool
    sides = {key: raw["sets"][of]["sides"][key] for key in (base, side)}
    for one in sides.values():
        one["figures"] = {k: v for k, v in one["figures"].items() if kept[k]}
    raw["sets"] = {of: {**raw["sets"][of], "sides": sides}}
    raw["views"] = [
        {"view": "table", "title": "cut", "set": of, "base": base, "measures": [measure]}
    ]
    raw.pop("claims", None)  # of what is left out
    return raw


def written(folder: Path, raw: Document) -> Path:
    folder.mkdir()
    (folder / f"{raw['scenario']}.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_figure_changes_its_verdict(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, name: str
) -> None:
    of, _, side, measure, value = CHANGED[name]
    raw = cut(name)
    reported = raw["sets"][of]["sides"][side]["figures"][measure]

    def answer(folder: str) -> Any:
        document, _ = shown(conn, catalogue, tmp_path, name, written(tmp_path / folder, raw))
        return cells(view(document, "table"))[side][measure]["verdict"]

    first = answer("report")
    assert first in ("REGRESSION", "IMPROVEMENT")
    raw["sets"][of]["sides"][side]["figures"][measure] = value
    assert answer("changed") == "UNCHANGED"
    # And with the figure of the report again, what was said before.
    raw["sets"][of]["sides"][side]["figures"][measure] = reported
    assert answer("again") == first


@pytest.mark.parametrize("name", data.names())
def test_one_boot_stands_on_no_page_of_a_branch(reports: FieldReports, name: str) -> None:
    kernels_of = {
        alone: reports.conn.execute(
            "SELECT count(DISTINCT r.kernel), count(DISTINCT b.kernel), count(DISTINCT c.id)"
            " FROM run r LEFT JOIN read_model.kernel_branch b ON b.kernel = r.kernel"
            " LEFT JOIN comparison c ON r.kernel IN (c.base_kernel, c.new_kernel)"
            " WHERE r.executor->>'scenario' = %s AND (r.executor->>'set' LIKE '%%-alone') = %s",
            (name, alone),
        ).fetchone()
        for alone in (True, False)
    }
    ran, of_branches, comparisons = kernels_of[True] or (0, 0, 0)
    assert ran
    assert (of_branches, comparisons) == (0, 0)
    # Negative control: what has as many boots as a plan asks for is there.
    assert all(kernels_of[False] or (0,))


def test_a_view_of_what_is_not_there_is_refused(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    raw = cut("S1")
    raw["views"][0]["base"] = "6.6.87"
    with pytest.raises(UsageError, match=r"the side '6\.6\.87'; there are: 6\.6\.78"):
        shown(conn, catalogue, tmp_path, "S1", written(tmp_path / "a", raw))


def test_the_command_prints_text_and_json(
    dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "vlag.toml", tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    printed = CliRunner().invoke(main, ["scenario", "S4"])
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.startswith("S4: ")
    answer = CliRunner().invoke(main, ["scenario", "S4", "--format", "json"])
    document = json.loads(answer.stdout)
    assert document["synthetic"] is True
    assert scenario_text.render(document) == printed.stdout
    unknown = CliRunner().invoke(main, ["scenario", "S0"])
    assert unknown.exit_code == ExitCode.USAGE
    assert "there are: S1" in unknown.stderr
