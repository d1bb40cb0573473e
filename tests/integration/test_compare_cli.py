# SPDX-License-Identifier: GPL-2.0-only
"""`vlag compare` and `vlag report` as a script calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from tests.integration import bundles
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
SIDES = ("linux-6.1", "linux-6.12", "--board-type", "qemu-sim-2")


def test_text_and_json_with_the_json_on_the_last_line(
    fill: Callable[..., None], vlag: Callable[..., Result]
) -> None:
    fill(BASE, factors=SAME, shifts=(0,) * 5)
    fill(NEW, factors=SLOWER, shifts=(10,) * 5)
    both = vlag("compare", *SIDES, "--exit-code", "--format", "text+json")
    assert both.exit_code == ExitCode.REGRESSION, both.output
    *table, last = both.stdout.splitlines()
    answer = json.loads(last)
    counts = {
        "regressions", "hints", "regressed", "improved", "suspects", "proof", "better", "open",
        "unsettled", "settled",
    }  # fmt: skip
    assert set(answer) == {
        "comparison", "said", "new", "boots", "summary", "prediction", *counts
    }  # fmt: skip
    assert answer["boots"] == [5, 5]
    then = vlag("report", "--comparison", str(answer["comparison"]), "--said", str(answer["said"]))
    assert then.exit_code == ExitCode.OK, then.output
    assert answer["prediction"] is None
    assert answer["new"]
    assert (answer["regressions"], answer["hints"]) == (1, 4)
    assert answer["summary"]["REGRESSION"] == 5
    assert answer["regressed"] == ["cyclictest-hackbench", "stress-ng-switch"]
    assert answer["suspects"] == answer["regressed"]
    assert (answer["proof"], answer["open"]) == (["stress-ng-switch"], [])  # the other is a hint
    assert table[0].startswith("Comparison ")
    assert any("bogo-ops-rate" in line for line in table)
    only = vlag("compare", *SIDES, "--format", "json")
    assert only.exit_code == ExitCode.OK  # not asked for
    assert json.loads(only.stdout) == {**answer, "new": False}
    assert vlag("compare", *SIDES).stdout.startswith("Comparison ")


def test_a_mere_hint_has_the_exit_code_of_a_regression(
    fill: Callable[..., None], vlag: Callable[..., Result]
) -> None:
    fill(BASE, factors=SAME, shifts=(0,) * 5)
    fill(NEW, factors=SAME, shifts=(10,) * 5)
    done = vlag("compare", *SIDES, "--exit-code", "--format", "json")
    answer = json.loads(done.stdout)
    assert (answer["regressions"], answer["hints"]) == (0, 4)
    assert done.exit_code == ExitCode.REGRESSION
    fine = ("--benchmark", "stress-ng-switch", "--exit-code", "--format", "json")
    done = vlag("compare", *SIDES, *fine)
    assert done.exit_code == ExitCode.OK, done.output
    assert json.loads(done.stdout)["suspects"] == []


def test_plan_and_its_mistakes(
    fill: Callable[..., None], vlag: Callable[..., Result], catalogue: Catalogue
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    done = vlag("compare", *SIDES, "--plan", "nightly", "--benchmark", "stress-ng-switch")
    assert done.exit_code == ExitCode.OK, done.output
    entry = next(
        e
        for e in catalogue.plan("nightly").entries
        if e.benchmark == "stress-ng-switch" and "qemu-sim-2" in e.board_types
    )
    assert f"nightly (screen: boots 1 to {entry.seeds})" in done.stdout
    for wrong, sentence in (
        (("--plan", "yearly"), "no plan 'yearly'; there are:"),
        (("--benchmark", "x"), "no benchmark 'x'; there are:"),
        (("--stage", "confirm"), "name the plan"),
    ):
        failed = vlag("compare", *SIDES, *wrong)
        assert failed.exit_code == ExitCode.USAGE
        assert sentence in failed.stderr
        assert len(failed.stderr.splitlines()) == 1


def test_notes_stand_at_the_head(
    fill: Callable[..., None], vlag: Callable[..., Result], tmp_path: Path
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    id_ = str(json.loads(vlag("compare", *SIDES, "--format", "json").stdout)["comparison"])
    said = vlag("report", "--comparison", id_, "--note", "first", "--note", "second").stdout
    title, _, below = said.partition("=\n")
    assert title.startswith("UNCHANGED: ")
    assert below.startswith("first\nsecond\n")
    path = tmp_path / "night.txt"
    twice = ("--comparison", id_, "--comparison", id_)
    done = vlag("report", *twice, "--note", "as expected", "--output", str(path))
    assert done.exit_code == ExitCode.OK, done.output
    head = "UNCHANGED: 2 of 2 comparisons"
    short = f"{head}\n{'=' * len(head)}\nas expected\nChanges: none among 1 test.\n"
    assert path.read_text().startswith(short)
    assert "Every figure" in path.read_text()
    assert "[1/s]" not in path.read_text()
    # The whole begins with the same.
    for flag, sources in (("--full", False), ("--origins", True)):
        whole = vlag("report", *twice, "--note", "as expected", flag).stdout
        assert whole.startswith(path.read_text())
        assert "bogo-ops-rate median [1/s]" in whole
        assert ("Sources of the numbers" in whole) == sources
    for words in (["--matrix", id_], ["--format", "json"], ["--predictions"]):
        refused = vlag("report", "--full", *words)
        assert refused.exit_code == ExitCode.USAGE
        assert "--full and --origins are for comparisons and nights as text" in refused.stderr
    data = json.loads(vlag("report", *twice, "--note", "n", "--format", "json").stdout)
    assert data["head_notes"] == ["n"]
