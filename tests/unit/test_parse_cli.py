# SPDX-License-Identifier: GPL-2.0-only
"""`vlag parse` as a person uses it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vlag.cli.main import main

CAPTURES = Path(__file__).parents[1] / "data" / "parsers"


def parse(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["parse", *map(str, arguments)])


def rows(*arguments: object) -> list[dict[str, Any]]:
    done = parse(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_value_an_object() -> None:
    rate, time = rows(CAPTURES / "stress-ng" / "0.15.06-switch-pipe.txt")
    assert time == {
        "benchmark": "stress-ng switch", "metric": "time-per-switch", "unit": "ns",
        "direction": "lower", "value": 2255.82, "instance": "", "tool": "stress-ng",
        "tool_version": None, "defaults": {"mean": "geometric", "method": "pipe"},
        "settings": {"instances": "1", "duration": "2 s"},
    }  # fmt: skip
    assert (rate["metric"], rate["direction"]) == ("bogo-ops-rate", "higher")


def test_a_histogram_an_instance() -> None:
    found = rows(CAPTURES / "cyclictest" / "2.4-hist.json")
    raw = json.loads((CAPTURES / "cyclictest" / "2.4-hist.json").read_text())["thread"]
    assert [row["instance"] for row in found] == ["0", "1"]
    for row in found:
        thread = raw[row["instance"]]
        assert row["histogram"] == thread["histogram"]
        assert row["overflow"] == thread["cycles"] - sum(thread["histogram"].values())
        assert row["tool_version"] == "2.40"


def test_what_is_absent_is_no_number() -> None:
    found = rows(CAPTURES / "perf-stat" / "6.1-unsupported-j.txt")
    [cycles] = [row for row in found if row["metric"] == "cycles"]
    assert (cycles["value"], cycles["absent"]) == (None, True)
    said = parse(CAPTURES / "perf-stat" / "6.1-unsupported-j.txt").stdout.splitlines()
    assert "perf stat cycles: absent" in said


def test_text_names_unit_and_direction() -> None:
    done = parse(CAPTURES / "hackbench" / "2.4-pipe.txt")
    [line] = done.stdout.splitlines()
    assert line.startswith("hackbench time: ")
    assert line.endswith(" s (lower is better)")


def test_a_lone_number_needs_the_tool_s_name() -> None:
    file = CAPTURES / "perf-bench" / "6.1-pipe-simple.txt"
    done = parse(file)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "looks like no tool's; name the tool with --tool (cyclictest, " in done.stderr
    assert [row["metric"] for row in rows(file, "--tool", "perf-bench")] == ["time"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nowhere.txt"], 2, "vlag: nowhere.txt: no such file\n"),
        ([CAPTURES / "hackbench" / "2.4-pipe.txt", "--tool", "lmbench"], 2, "there is no such"),
        ([CAPTURES / "stress-ng" / "0.15.06-unimpl.txt"], 3, "0.15.06-unimpl.txt:4: stress-ng"),
    ],
)
def test_an_error_is_one_sentence(arguments: list[object], status: int, said: str) -> None:
    done = parse(*arguments)
    assert done.exit_code == status
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
