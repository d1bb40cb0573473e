# SPDX-License-Identifier: GPL-2.0-only
"""A field report as a file: its form, its errors by line, and what its claims are worth."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from vlag import ROOT
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, UsageError
from vlag.scenario import claims, data, scenario_text
from vlag.scenario.entered import checked
from vlag.scenario.scenario_views import claims_alone

Document = dict[str, Any]
#: Views for the template: it has them as comments.
VIEWS = """
boards:
  desk: {arch: x86_64, cpus: 16}
views:
  - {view: table, title: Against the old kernel, set: desk, base: old, measures: [pipe]}
"""


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogues.load()


def template() -> str:
    return data.TEMPLATE.read_text(encoding="utf-8")


def with_views() -> str:
    return (
        template().replace("    board: desk-1 ", "    board_type: desk\n    board: desk-1 ") + VIEWS
    )


def answers(text: str, folder: Path, known: Catalogue) -> dict[str, str]:
    """Return what the figures of a file say of its claims, in the order of the file."""
    path = folder / "report.yaml"
    path.write_text(text, encoding="utf-8")
    scenario = data.read(path)
    judged = claims.judged(scenario, checked(scenario, known))
    return {claim["says"]: claim["answer"] for claim in judged}


def refusal(text: str, folder: Path, known: Catalogue) -> str:
    path = folder / "report.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        checked(data.read(path), known)
    return str(refused.value)


def test_new_writes_a_file_that_is_valid_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    written = CliRunner().invoke(main, ["scenario", "new", str(path)])
    assert written.exit_code == 0, written.output
    assert path.read_text(encoding="utf-8") == template()
    assert CliRunner().invoke(main, ["scenario", "new"]).stdout == template()
    # It has no views, so that it needs no database.
    judged = CliRunner().invoke(
        main, ["scenario", str(path)], env={"VLAG_DATABASE": "host=/nowhere"}
    )
    assert judged.exit_code == 0, judged.output
    assert re.findall(r'"(.+)": (.+)', judged.stdout) == [
        ("the pipe lost 19 %", "supported"),
        ("requests are not affected", "supported"),
        ("without DELAY_DEQUEUE it is back", "cannot be judged"),
    ]
    assert max(map(len, judged.stdout.splitlines())) <= scenario_text.WIDTH
    again = CliRunner().invoke(main, ["scenario", "new", str(path)])
    assert again.exit_code == ExitCode.USAGE
    assert "is there already" in again.stderr


#: A change of the template's text -> the claim whose answer becomes another one, and that answer.
CHANGES = [
    ("change: -19", "change: -25", "the pipe lost 19 %", "not supported"),
    ("change: -19", "change: -10", "the pipe lost 19 %", "not supported"),
    ("change: -19", "change: 19", "the pipe lost 19 %", "not supported"),
    ("change: -19", "change: worse", "the pipe lost 19 %", "supported"),
    ("change: -19", "change: better", "the pipe lost 19 %", "not supported"),
    ("[204.9, 206.1, 201.7, 203.3, 205.5]", "[204.9, 261.7, 250.5, 150, 170]",
     "the pipe lost 19 %", "not supported"),
    ("{runs: [204.9, 206.1, 201.7, 203.3, 205.5]}", "203.2",
     "the pipe lost 19 %", "cannot be judged"),
    ("{value: 41350, count: 10, spread: 0.009}", "{value: 39350, count: 10, spread: 0.009}",
     "requests are not affected", "not supported"),
    ("{value: 41350, count: 10, spread: 0.009}", "{value: 41350, count: 3, spread: 0.05}",
     "requests are not affected", "cannot be judged"),
    ("{value: 41350, count: 10, spread: 0.009}", "{value: 41350, count: 10}",
     "requests are not affected", "cannot be judged"),
    ("{value: 41350, count: 10, spread: 0.009}", "{value: 41350, spread: 0.009}",
     "requests are not affected", "cannot be judged"),
    ("pipe: 248.0 ", "pipe: {runs: [248, 249, 247.5]} ",
     "without DELAY_DEQUEUE it is back", "supported"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "claim", "answer"), CHANGES)
def test_a_changed_figure_or_claim_changes_its_answer_alone(
    tmp_path: Path, known: Catalogue, old: str, new: str, claim: str, answer: str
) -> None:
    assert template().count(old) == 1
    before = answers(template(), tmp_path, known)
    after = answers(template().replace(old, new), tmp_path, known)
    assert after == {**before, claim: answer}


def test_the_interval_is_that_of_students_t(tmp_path: Path, known: Catalogue) -> None:
    """Welch's, of 10 runs a side with spreads of 1.1 and 0.9 %: 17.3 degrees of freedom."""
    path = tmp_path / "report.yaml"
    path.write_text(template(), encoding="utf-8")
    scenario = data.read(path)
    requests = claims.judged(scenario, known)[1]
    # t of 0.975 with 17.3 degrees is 2.107; of the log ratio the error is 0.4494 %.
    assert requests["interval"] == pytest.approx([-0.00583, 0.01318], abs=2e-5)


#: What each change of the template with views is refused for: key -> part of the sentence.
FAULTS: list[tuple[str, str, str, str]] = [
    ("scenario: my-report", "scenario: my report", "scenario", "does not match"),
    ('date: "2026-11-30"', 'date: "30.11.2026"', "date", "is not a 'date'"),
    ("title: A workload", "titel: A workload", "titel", "unexpected"),
    ("measures:\n  pipe:", "measures:\n  a pipe:", "measures.a pipe", "does not match"),
    ("benchmark: stress-ng-pipe", "benchmark: stress-ng-tube", "measures.pipe.benchmark",
     "no benchmark"),
    ("benchmark: stress-ng-pipe", "benchmark: schbench", "measures.pipe.benchmark",
     "no runs can be made"),
    ("{instances: 4,", "{instants: 4,", "measures.pipe.parameters.instants", "has no parameter"),
    ("{instances: 4,", "{instances: four,", "measures.pipe.parameters.instances", "whole number"),
    ("metric: write-rate", "metric: rate", "measures.pipe.metric", "no metric"),
    ("better: higher", "better: more", "measures.requests.better", "is not one of"),
    ("unit: requests/s", "unti: requests/s", "measures.requests.unti", "unexpected"),
    ("packages: {stress-ng:", "packages: {strss-ng:", "sets.desk.packages.strss-ng", "no package"),
    ("board_type: desk\n", "board_type: dsk\n", "sets.desk.board_type", "no board type 'dsk'"),
    ("board_type: desk\n", "board_type: 7\n", "sets.desk.board_type", "is not of type 'string'"),
    ("kernel: old", "kernel: odl", "sets.desk.sides.old.kernel", "no kernel 'odl' in old, new"),
    ("pipe: 248.0 ", "pip: 248.0 ", "sets.desk.sides.new-toggled.figures.pip", "no measure"),
    ("pipe: 248.0 ", "pipe: -248.0 ", "sets.desk.sides.new-toggled.figures.pipe",
     "less than or equal"),
    ("pipe: 248.0 ", "pipe: {valu: 248.0} ", "sets.desk.sides.new-toggled.figures.pipe.valu",
     "is no key of a figure"),
    ("pipe: 248.0 ", "pipe: {value: 248.0, runs: [1, 2]} ",
     "sets.desk.sides.new-toggled.figures.pipe", "one of value, percent, change, runs"),
    ("pipe: 248.0 ", "pipe: {percent: 99} ", "sets.desk.sides.new-toggled.figures.pipe",
     "percent of what?"),
    ("count: 10, spread: 0.009", "count: 0, spread: 0.009",
     "sets.desk.sides.new.figures.requests.count", "less than the minimum"),
    ("count: 10, spread: 0.009", "count: 10, spread: 9",
     "sets.desk.sides.new.figures.requests.spread", "greater than the maximum"),
    ("change: -19", "change: 20 % slower", "claims.0.change", "is not one of"),
    ("    side: new-toggled", "    side: new-togled", "claims.2.side", "no side 'new-togled'"),
    ("measure: requests", "measure: request", "claims.1.measure", "no figure of 'request'"),
    ("measure: requests", "measure: requests p99", "claims.1.measure", "leave out 'p99'"),
    ("says: the pipe lost 19 %\n    set: desk", "says: the pipe lost 19 %\n    set: table",
     "claims.0.set", "no set 'table'"),
    ("arch: x86_64, cpus: 16}\nviews", "arch: vax, cpus: 16}\nviews", "boards.desk.arch",
     "known are arm64, x86_64"),
    ("boards:\n  desk:", "boards:\n  rpi5:", "boards.rpi5", "choose another"),
    ("{view: table", "{view: tabel", "views.0.view", "is not one of"),
    ("base: old, measures", "base: odl, measures", "views.0.base", "no side 'odl'"),
    ("measures: [pipe]}", "measures: [pipes]}", "views.0.measures.0", "no measure 'pipes'"),
    ("measures: [pipe]}", "measures: [requests]}", "views.0.measures.0", "is of no benchmark"),
    ("measures: [pipe]}", "measures: [pipe], worst: true}", "views.0.worst", "unexpected"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "sentence"), FAULTS)
def test_each_fault_is_named_by_file_line_and_key(
    tmp_path: Path, known: Catalogue, old: str, new: str, key: str, sentence: str
) -> None:
    text = with_views()
    assert text.count(old) == 1, old
    changed = text.replace(old, new)
    said = refusal(changed, tmp_path, known)
    match = re.fullmatch(r"(.+):(\d+): ([^:]+): (.+)", said)
    assert match is not None, said
    assert match[1] == str(tmp_path / "report.yaml")
    assert match[3] == key
    assert sentence in match[4]
    # The line has the key, or begins the value of a list.
    last = re.sub(r"^\d+$", "", key.rpartition(".")[2])
    assert (last or new.rsplit("[", maxsplit=1)[-1].rstrip("]}")) in changed.splitlines()[
        int(match[2]) - 1
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("  old: {describe: v6.11}\n", "  old: {describe: v6.11}\n  old: {describe: v6}\n", 12,
         "the key 'old' is given twice"),
        ("  old: {describe: v6.11}", "  6.11: {describe: v6.11}", 11,
         "the key '6.11' is no text in YAML: write it in quotes"),
        ("  old: {describe: v6.11}", "  off: {describe: v6.11}", 11, "the key 'off' is no text"),
        ("  old: {describe: v6.11}", "  old: {describe: v6.11", 12, "not valid YAML"),
    ],
)  # fmt: skip
def test_what_yaml_reads_otherwise_is_refused_by_line(
    tmp_path: Path, known: Catalogue, old: str, new: str, line: int, sentence: str
) -> None:
    said = refusal(template().replace(old, new), tmp_path, known)
    assert said.startswith(f"{tmp_path / 'report.yaml'}:{line}: "), said
    assert sentence in said


@pytest.mark.parametrize("name", data.names())
def test_each_key_of_ours_under_a_wrong_name_is_an_error_by_line(tmp_path: Path, name: str) -> None:
    """Each kind of key of the five, one after the other."""
    raw = yaml.safe_load((data.FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    kinds = {
        kind(keys, key): (keys, key)
        for keys, owner in owners(raw)
        if not free(keys)
        for key in owner
    }
    assert len(kinds) > 25
    wrong: list[str] = []
    for keys, key in kinds.values():
        other = deepcopy(raw)
        part = at(other, keys)
        part[f"{key}x"] = part.pop(key)
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.dump(other, Dumper=yaml.CSafeDumper), encoding="utf-8")
        try:
            data.read(path)
        except UsageError as e:
            if not re.match(rf"{re.escape(str(path))}:\d+: \S", str(e)):
                wrong.append(str(e))
        else:
            wrong.append(f"{keys} {key}: no error")
    assert wrong == []


def kind(keys: tuple[Any, ...], key: str) -> tuple[Any, ...]:
    """Return a place with a star for each number and each name that people choose."""
    above = ("", *keys)
    return (
        *(
            "*" if isinstance(k, int) or a in CHOSEN else k
            for a, k in zip(above, keys, strict=False)
        ),
        key,
    )


#: Owners of names that people choose, or of what a name leads to only in the catalogue.
CHOSEN = {
    "kernels", "measures", "sets", "sides", "figures", "parameters", "environment", "packages",
    "knobs", "names", "rows", "fixed", "spreads",
}  # fmt: skip


def owners(part: Any, keys: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Document]]:
    """Return each mapping of a document with its place."""
    if isinstance(part, list):
        return [o for number, value in enumerate(part) for o in owners(value, (*keys, number))]
    if not isinstance(part, dict):
        return []
    below = [o for key, value in part.items() for o in owners(value, (*keys, key))]
    return [(keys, part), *below]


def free(keys: tuple[Any, ...]) -> bool:
    return bool(keys) and (
        keys[-1] in CHOSEN or any(key in ("figures", "rows") for key in keys[:-1])
    )


def at(part: Any, keys: tuple[Any, ...]) -> Any:
    for key in keys:
        part = part[key]
    return part


@pytest.mark.parametrize("name", data.names())
def test_each_claim_of_ours_is_on_a_line_of_its_report(name: str, known: Catalogue) -> None:
    lines = (data.FOLDER / f"{name}-report.txt").read_text(encoding="utf-8").splitlines()
    scenario = data.load(name)
    assert [c.words for c in scenario.claims if not any(c.words in line for line in lines)] == []
    # None of the reports says of how many runs its figures are.
    judged = claims_alone(scenario, checked(scenario, known))["claims"]
    assert {claim["answer"] for claim in judged} <= {"cannot be judged"}


def test_a_name_that_is_neither_ours_nor_a_file() -> None:
    done = CliRunner().invoke(main, ["scenario", "S0"])
    assert done.exit_code == ExitCode.USAGE
    assert "no scenario 'S0'; there are: S1, S2, S3, S4, S5, or name a file" in done.stderr
    more = CliRunner().invoke(main, ["scenario", "S1", "S2"])
    assert more.exit_code == ExitCode.USAGE
    assert "only `vlag scenario new` takes a file" in more.stderr


#: The mail and the file of docs/scenarios.md.
def page_block(begins: str) -> str:
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"```\w*\n(.*?)```", page, re.S)
    return next(block for block in blocks if block.startswith(begins))


def test_the_mail_of_the_page_becomes_its_file_and_its_answers(tmp_path: Path) -> None:
    mail, file = page_block("From: "), page_block("# Robin's mail")
    for number in re.findall(r"(?:runs: \[([^\]]+)\]|value: ([\d.]+))", file):
        for value in "".join(number).split(", "):
            assert value in mail, value
    path = tmp_path / "robin.yaml"
    path.write_text(file, encoding="utf-8")
    done = CliRunner().invoke(main, ["scenario", str(path)])
    assert done.exit_code == 0, done.output
    assert done.stdout == page_block("robin: ")
    # Negative control: of single figures nothing is supported.
    path.write_text(re.sub(r"\{runs: \[([\d.]+)[^}]*\}", r"\1", file), encoding="utf-8")
    single = CliRunner().invoke(main, ["scenario", str(path)]).stdout
    assert ": supported" in done.stdout
    assert ": supported" not in single
