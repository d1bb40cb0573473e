"""Reports on field reports as stored runs: the same figures as text, Markdown, HTML and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conftest import fresh_database
from tests.integration.reports import Report, cells, environment, every, plain, wide
from tests.typed import faults
from tests.unit.pages import Page
from vlag.cli.main import main
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.report import forms, read_model
from vlag.report.data import branch_state, matrices, plot_data
from vlag.report.data.comparison import night, report
from vlag.report.document import ComparisonData, NightData
from vlag.scenario import data
from vlag.scenario.bundles import kernel
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def dsn(cluster: str, field_reports: str) -> str:
    return fresh_database(cluster, field_reports)


@pytest.fixture(scope="module")
def record(dsn: str) -> Iterator[Connection]:
    """A database with all field reports, their stages compared."""
    with database.connect(dsn) as connection:
        yield connection


@pytest.fixture(scope="module")
def of(record: Connection, catalogue: Catalogue, folder: Path) -> Callable[..., Report]:
    """Return the report on two sides of a field report's set."""

    def find(name: str, of_set: str, base: str, new: str) -> Report:
        scenario = data.load(name)
        ids = record.execute(
            "SELECT c.id FROM comparison c JOIN kernel b ON b.id = c.base_kernel"
            " JOIN kernel n ON n.id = c.new_kernel WHERE c.stage = 'screen'"
            " AND b.digest = %s AND n.digest = %s AND c.base_knobs = %s AND c.new_knobs = %s",
            [
                *(
                    kernel(scenario.sets[of_set], scenario.sets[of_set].sides[s], catalogue)[
                        "digest"
                    ]
                    for s in (base, new)
                ),
                *(json.dumps(dict(scenario.sets[of_set].sides[s].knobs)) for s in (base, new)),
            ],
        ).fetchall()
        [[id_]] = ids
        return report(record, catalogue, id_, folder)

    return find


def figures(rows: list[Report]) -> set[tuple[str, ...]]:
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
def test_all_forms_say_the_same_figures(
    of: Callable[..., Report], record: Connection, case: str
) -> None:
    document = of(*CASES[case])
    expected = figures(document["rows"])
    assert expected
    made = every(document, record)
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


def test_every_report_has_the_types_of_its_keys(
    record: Connection, catalogue: Catalogue, folder: Path
) -> None:
    ids = [id_ for (id_,) in record.execute("SELECT id FROM comparison ORDER BY id")]
    assert len(ids) > 10
    whole = night(record, catalogue, ids, folder)
    assert list(faults(whole, NightData)) == []
    assert list(faults(report(record, catalogue, ids[0], folder), ComparisonData)) == []
    # Negative control.
    wrong = {**whole["comparisons"][0], "sumary": {}}
    assert list(faults({**whole, "comparisons": [wrong]}, NightData)) == [
        ".comparisons[0].sumary: unknown"
    ]


def test_s1_the_drop_and_what_recovers_it(of: Callable[..., Report], record: Connection) -> None:
    document = of("S1", "a", "6.6.78", "6.12.81")
    for form, text in every(document, record).items():
        said = plain(form, text)
        assert "DELAY_DEQUEUE accounts for 88 % [" in said, form
        if form == "json":
            continue
        assert "-29.34 %" in said
        assert "SYNTHETIC" in said
        assert "confirmed by a rerun of 10 + 10 boots" in said or form == "markdown"
    # Where the toggle itself is the new kernel, it explains nothing.
    off = of("S1", "a", "6.6.78", "6.12.81-off")
    assert not any("DELAY_DEQUEUE accounts" in x for x in off["attribution"])


def test_s3_no_toggle_recovers_it_and_mixed(
    of: Callable[..., Report], record: Connection, catalogue: Catalogue
) -> None:
    document = of("S3", "earlier", "base", "patched")
    for form, text in every(document, record).items():
        assert "no toggle recovers the regression" in plain(form, text), form
    tree, branch = document["new"]["tree"], document["new"]["branch"]
    state = branch_state.state(record, catalogue, f"{tree}/{branch}")
    words = {s["id"]: s["verdict"] for s in state["states"]}
    assert words[document["id"]] == "MIXED"
    for form in ("text", "markdown", "html"):
        assert "MIXED" in plain(form, every(state, record)[form])


def test_s3_two_runs_are_not_comparable_and_every_factor_is_named(
    record: Connection, catalogue: Catalogue, folder: Path
) -> None:
    scenario = data.load("S3")

    def ref(of_set: str, side: str) -> KernelRef:
        found = scenario.sets[of_set].sides[side]
        digest = kernel(scenario.sets[of_set], found, catalogue)["digest"]
        return KernelRef(text=digest, knobs=dict(found.knobs))

    made = compare(
        conn=record,
        catalogue=catalogue,
        base=ref("later", "base"),
        new=ref("earlier", "patched"),
        board_type="altra",
        plan=catalogue.plan("s3"),
        stage="screen",
        synthetic=True,
    )
    document = report(record, catalogue, made.id, folder)
    refused = [r for r in document["rows"] if r["verdict"] == "NOT_COMPARABLE"]
    assert refused
    assert all(r["effect"] is None for r in refused)
    for form, text in every(document, record).items():
        said = plain(form, text)
        assert "NOT_COMPARABLE" in said
        for factor in (
            "knob base_slice_ns: 400000 against not given",
            "around background load",
            "setup: ",
            "application: none against full",
        ):
            assert factor in said, (form, factor)
        # What may differ on purpose is told apart from what must not.
        assert re.search(r"setup: \S+ against \S+ \(must be equal\)", said)
        assert "400000 against not given (must be equal)" not in said


def test_what_may_be_compared_names_no_differences(of: Callable[..., Report]) -> None:
    assert of("S3", "later", "base", "patched")["differences"] == []


def test_a_band_is_of_the_base_and_its_knobs_alone(
    of: Callable[..., Report], record: Connection
) -> None:
    """The author's board: one kernel on both sides, the slice differs; P99 4192 against 73 us."""
    document = of("S3", "rb5", "default", "slices")
    [p99] = [
        h
        for h in plot_data.of(record, [document["id"]])[document["id"]]["histories"]
        if " p99 " in h["title"]
    ]
    assert p99["band"]["boots"] == len(p99["points"]) == 15
    assert max(p["value"] for p in p99["points"]) < 100
    assert p99["band"]["low"] > 4000


def test_s2_the_matrix_of_patches(record: Connection, catalogue: Catalogue) -> None:
    document = matrices.matrix(record, catalogue, ["mainline/master"])
    found = cells(document, "x86-480", "")
    assert found["ffmpeg-fifo total-fps"] == {
        "solo(1)": "+11.00 % B",
        "solo(2)": "+5.00 % B",
        "solo(3)": "+4.00 % B",
        "solo(4)": "+3.80 % M",
        "full": "not run",
    }
    assert found["stress-ng-cyclic bogo-ops-rate"]["solo(3)"] == "+50.40 % B"
    # Less of the kernel's share is better; its parser is unproven, so it is a hint.
    assert found["kernel-cycles kernel-share"]["solo(1)"] == "-45.00 % b"
    made = every(document)
    assert wide(made["text"]) == []
    for form in ("text", "markdown", "html"):
        said = plain(form, made[form])
        for words in ("+50.40 % B", "not run: full", "root-domain-v2"):
            assert words in said or words.replace("not run: ", "not run ") in said, (form, words)


def test_s4_a_cell_that_was_not_run_says_so(record: Connection, catalogue: Catalogue) -> None:
    document = matrices.matrix(record, catalogue, ["mainline/master"])
    found = cells(document, "vhost-host", "preempt=full")
    assert found["uperf-vms throughput"] == {
        "full": "not run",
        "preempt=lazy": "-74.00 % W",
        "full preempt=lazy": "+0.00 % =",
    }
    rows = [
        r for r in Page(every(document)["html"]).rows if r[0].startswith("uperf-vms throughput")
    ]
    assert ["not run", "-74.00 % W", "+0.00 % ="] in [r[1:] for r in rows]
    # Asked for by their numbers: the same cells.
    numbers = [
        str(c["comparison"])
        for m in document["matrices"]
        if m["base_knobs"] == "preempt=full"
        for c in m["columns"]
        if c["comparison"]
    ][:2]
    again = matrices.matrix(record, catalogue, numbers)
    assert cells(again, "vhost-host", "preempt=full") == found


def test_s5_every_release_and_policy(of: Callable[..., Report], record: Connection) -> None:
    told = {"6.12.25": -5.1, "6.13.12": -6.1, "6.14.4": -7.4, "6.15-rc4": -7.4}
    for release, change in told.items():
        document = of("S5", "releases", "6.5.13", release)
        [score] = [
            r
            for r in document["rows"]
            if r["metric"] == "nopm" and r["parameters"]["policy"] == "other"
        ]
        assert round(100 * score["effect"], 1) == pytest.approx(change, abs=0.06)
        for form, text in every(document).items():
            if form != "json":
                assert f"{100 * score['effect']:+.2f} %" in plain(form, text)
                assert "policy=batch" in plain(form, text)
    document = of("S5", "releases", "6.5.13", "6.15-rc4")
    drawn = plot_data.of(record, [document["id"]])[document["id"]]
    assert len({e["name"] for e in drawn["effects"]}) == len(drawn["effects"])


def test_a_branch_says_what_its_comparisons_say(record: Connection, catalogue: Catalogue) -> None:
    document = branch_state.state(record, catalogue, "raspberrypi/rpi-6.12.y")
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
@pytest.mark.usefixtures("record")
def test_what_is_not_there_is_said_in_a_sentence(
    dsn: str, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    answer = CliRunner().invoke(
        main,
        ["report", *arguments],
        env=environment(dsn, tmp_path),
    )
    assert answer.exit_code == ExitCode.USAGE
    assert sentence in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_the_verb_writes_each_form(
    record: Connection, dsn: str, tmp_path: Path, catalogue: Catalogue
) -> None:
    env = environment(dsn, tmp_path)
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
    document = branch_state.state(record, catalogue, "tip/sched/core")
    assert json.loads((tmp_path / "report.json").read_text()) == json.loads(
        forms.render(document, "json")
    )
