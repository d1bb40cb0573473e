# SPDX-License-Identifier: GPL-2.0-only
"""Reports on field reports as stored runs: the same figures as text, Markdown, HTML and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.integration.field_reports import FieldReports
from tests.integration.reports import Report, cells, environment, every, plain, wide
from tests.typed import faults
from tests.unit.pages import Page
from vlag.cli.main import main
from vlag.errors import ExitCode
from vlag.report import forms, read_model
from vlag.report.data import branch_state, matrices
from vlag.report.data.comparison import night
from vlag.report.document import ComparisonData, NightData


def figures(rows: Sequence[Report]) -> set[tuple[str, ...]]:
    """Return metric, change, interval and numbers of boots as every form prints them."""

    def percent(x: float | None) -> str:
        return "-" if x is None else f"{100 * x:+.2f}" if abs(x) < 10 else f"{100 * x:+.0f}"

    return {
        (
            f"{r['benchmark']} {r['metric']}",
            "-" if r["effect"] is None else f"{percent(r['effect'])} %",
            "-" if r["ci_low"] is None else f"[{percent(r['ci_low'])}, {percent(r['ci_high'])}]",
            f"{r['n_base']} + {r['n_new']}",
            r["verdict"],
        )
        for r in rows
    }


def of_html(text: str) -> set[tuple[str, ...]]:
    """Read the figures back from the tables of the HTML form."""
    rows = [r for r in Page(text).rows if len(r) == 8 and r[0] != "metric [unit]"]
    return {
        (" ".join(r[0].split()[:2]), r[4], r[6], r[7], r[1].removesuffix(" (hint)")) for r in rows
    }


def of_markdown(text: str) -> set[tuple[str, ...]]:
    """Read the figures back from the tables of the Markdown form."""
    rows = [
        [c.strip().replace("\\", "").strip("*") for c in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith(("| metric", "| ---"))
    ]
    return {
        (" ".join(r[0].split()[:2]), r[3], r[4], r[5], r[6].removesuffix(" (hint)")) for r in rows
    }


def of_text(text: str) -> set[tuple[str, ...]]:
    """Read the figures back from the tables of the text form."""
    found: set[tuple[str, ...]] = set()
    name: tuple[str, str] | None = None
    for line in text.splitlines():
        head = re.match(r"(\S+ \S+)(?: \S+)? \[.*\] +([A-Z_]+)(?: \(hint\))?$", line)
        if head:
            name = (head.group(1), head.group(2))
            continue
        numbers = re.match(
            r" +\S+ +\S+ +([+-][\d.]+ %|-)(?: worse| better)? +(\[.*\]|-) +(\d+ \+ \d+)$", line
        )
        if numbers and name:
            found.add((name[0], numbers.group(1), numbers.group(2), numbers.group(3), name[1]))
            name = None
    return found


CASES = {
    "S1": ("S1", "a", "6.6.78", "6.12.81"),
    "S2": ("S2", "solo", "baseline", "patch1"),
    "S3": ("S3", "later", "base", "patched"),
    "S3 author": ("S3", "rb5", "default", "slices"),
    "S4": ("S4", "host", "full", "lazy"),
    "S5": ("S5", "releases", "6.5.13", "6.15-rc4"),
}


@pytest.mark.parametrize("case", CASES)
def test_all_forms_say_the_same_figures(reports: FieldReports, case: str) -> None:
    document = reports.report(*CASES[case])
    expected = figures(document["rows"])
    assert expected
    made = every(document, reports.conn)
    assert json.loads(made["json"]) == json.loads(json.dumps(document))
    assert of_html(made["html"]) == expected
    assert of_markdown(made["markdown"]) == expected
    # A name that is too long for its line has lines of its own in the text.
    short = of_text(made["text"])
    assert short <= expected
    assert len(short) > len(expected) / 2
    assert wide(made["text"]) == []
    page = Page(made["html"])
    assert page.loads() == []
    assert len(page.of("svg")) >= 1
    # The reading back can fail: one figure altered is seen.
    [first, *_] = document["rows"]
    altered = {**document, "rows": [{**first, "effect": 0.4321}, *document["rows"][1:]]}
    assert of_html(every(altered)["html"]) != expected
    assert of_markdown(every(altered)["markdown"]) != expected


def test_every_report_has_the_types_of_its_keys(reports: FieldReports) -> None:
    ids = [id_ for (id_,) in reports.conn.execute("SELECT id FROM comparison ORDER BY id")]
    assert len(ids) > 10
    whole = night(reports.conn, reports.catalogue, ids, reports.state)
    assert list(faults(whole, NightData)) == []
    assert list(faults(reports.report(*CASES["S1"]), ComparisonData)) == []
    # Negative control.
    wrong = {**whole["comparisons"][0], "sumary": {}}
    assert list(faults({**whole, "comparisons": [wrong]}, NightData)) == [
        ".comparisons[0].sumary: unknown"
    ]


def test_a_matrix_is_the_same_in_all_forms(reports: FieldReports) -> None:
    document = matrices.matrix(reports.conn, reports.catalogue, ["mainline/master"])
    made = every(document)
    assert wide(made["text"]) == []
    for form in ("text", "markdown", "html"):
        said = plain(form, made[form])
        for words in ("+50.40 % B", "not run: full", "root-domain-v2"):
            assert words in said or words.replace("not run: ", "not run ") in said, (form, words)
    rows = [r for r in Page(made["html"]).rows if r[0].startswith("uperf-vms throughput")]
    assert ["not run", "-74.00 % W", "+0.00 % ="] in [r[1:] for r in rows]
    # Asked for by their numbers: the same cells.
    numbers = [
        str(c["comparison"])
        for m in document["matrices"]
        if m["base_knobs"] == "preempt=full"
        for c in m["columns"]
        if c["comparison"]
    ][:2]
    again = matrices.matrix(reports.conn, reports.catalogue, numbers)
    place = ("vhost-host", "preempt=full")
    assert cells(again, *place) == cells(document, *place)


def test_a_branch_says_what_its_comparisons_say(reports: FieldReports) -> None:
    record = reports.conn
    document = branch_state.state(record, reports.catalogue, "raspberrypi/rpi-6.12.y")
    by_id = {c["id"]: c for c in read_model.by_ids(record, [s["id"] for s in document["states"]])}
    assert {s["verdict"] for s in document["states"]} == {c["verdict"] for c in by_id.values()}
    made = every(document, record)
    assert wide(made["text"]) == []
    rows = [r for s in document["states"] for r in s["rows"]]
    assert of_html(made["html"]) == figures(rows) == of_markdown(made["markdown"])
    assert json.loads(made["json"])["states"][0]["id"] == document["states"][0]["id"]
    assert "stress-ng 0.15.06+" in made["text"]
    assert "vlag scenario S1" in made["text"]
    links = [a["href"] for a in Page(made["html"]).of("a") if "run?id=" in a["href"]]
    assert links
    assert all(x.startswith("http://127.0.0.1:8010/x/run?id=") for x in links)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--branch", "raspberrypi/none"], "no comparison is of the branch 'raspberrypi/none'"),
        (["--branch", "x'; DROP TABLE run; --"], "there are: "),
        (["--matrix", "stable/linux-6.12.y"], "nothing was compared that differs"),
        (["--matrix", "999999"], "there is no comparison 999999"),
        (["--matrix", "1", "--matrix", "tip/sched/core"], "one branch TREE/BRANCH, or of numbers"),
        (["--night", "last"], "there is no night on record"),
        (["--night", "yesterday"], "--night is last or the number of a night"),
        (["--night", "last", "--branch", "tip/sched/core"], "give one of --comparison"),
        (["--comparison", "999999"], "there is no comparison 999999"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(
    reports: FieldReports, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    env = environment(reports.dsn, tmp_path)
    answer = CliRunner().invoke(main, ["report", *arguments], env=env)
    assert answer.exit_code == ExitCode.USAGE
    assert sentence in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_the_verb_writes_each_form(reports: FieldReports, tmp_path: Path) -> None:
    env = environment(reports.dsn, tmp_path)
    starts = {"text": "tip/sched/core: ", "markdown": "### tip/sched/core", "json": "{",
              "html": "<!DOCTYPE html>"}  # fmt: skip
    for form, start in starts.items():
        path = tmp_path / f"report.{form}"
        words = ["report", "--branch", "tip/sched/core", "--format", form, "--output", str(path)]
        answer = CliRunner().invoke(main, words, env=env)
        assert answer.exit_code == 0, answer.stderr
        assert path.read_text().startswith(start)
        assert answer.stdout.strip() == str(path)
    page = Page((tmp_path / "report.html").read_text())
    assert page.of("svg")
    document = branch_state.state(reports.conn, reports.catalogue, "tip/sched/core")
    assert json.loads((tmp_path / "report.json").read_text()) == json.loads(
        forms.render(document, "json")
    )
