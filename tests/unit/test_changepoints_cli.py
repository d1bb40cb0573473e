# SPDX-License-Identifier: GPL-2.0-only
"""`vlag changepoints` as a person uses it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vlag.cli.changepoints import changepoints


def values(step: float = 0.10, size: int = 100) -> list[float]:
    drawn = 200 * np.exp(np.random.default_rng(3).normal(0, 0.01, size))
    drawn[60:] *= 1 + step
    return [float(v) for v in drawn]


def call(*arguments: object, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(changepoints, [*map(str, arguments)], input=stdin)


def rows(*arguments: object, stdin: str = "") -> list[dict[str, Any]]:
    done = call(*arguments, "--format", "json", stdin=stdin)
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


PLAIN = "".join(f"{v}\n" for v in values())
QUIET = "".join(f"{v}\n" for v in values(0.0))


def test_a_step_as_json(tmp_path: Path) -> None:
    file = tmp_path / "series.csv"
    file.write_text(PLAIN)
    [row] = rows(file)
    assert abs(row["index"] - 60) <= 2
    assert row["direction"] == "up"
    assert row["size"] == pytest.approx(0.10, abs=0.01)
    assert row["low"] < row["size"] < row["high"]
    assert row["time"] is None
    [down] = rows("-", stdin="".join(f"{v}\n" for v in values(-0.10)))
    assert (down["direction"], down["size"] < 0) == ("down", True)
    file.write_text(QUIET)
    assert rows(file) == []


@pytest.mark.parametrize(
    "text",
    [
        "value\n" + PLAIN,
        "# made by hand\n\n" + PLAIN + "\n\n",
        "\ufeff" + PLAIN.replace("\n", "\r\n"),
        "time,value\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values())),
        "".join(f'"2026-01-{i}", {v}\n' for i, v in enumerate(values())),
    ],
)
def test_forms_of_a_file(text: str) -> None:
    [plain], [other] = rows("-", stdin=PLAIN), rows("-", stdin=text)
    assert {**plain, "time": other["time"]} == other


def test_a_time_is_shown() -> None:
    stdin = "".join(f"night-{i},{v}\n" for i, v in enumerate(values()))
    [row] = rows("-", stdin=stdin)
    assert row["time"] == f"night-{row['index']}"
    assert f"at {row['time']}" in call("-", stdin=stdin).stdout


def test_text_fits_a_terminal() -> None:
    lines = call("-", stdin=PLAIN).stdout.splitlines()
    assert len(lines) == 2
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].split()[:2] == ["index", "size"]
    assert lines[1].split()[1].startswith("+")
    assert call("-", stdin=QUIET).stdout == "no change points in 100 points\n"
    assert call("-", stdin="1.5\n").stdout == "no change points in 1 points\n"


def test_what_came_back_is_set_aside() -> None:
    numbers = values(0.0)
    numbers[50:60] = [1.1 * v for v in numbers[50:60]]
    stdin = "".join(f"{v}\n" for v in numbers)
    said = call("-", stdin=stdin).stdout.splitlines()
    assert said[0] == "no change points in 100 points"
    assert said[1].startswith("set aside: points 50 to 59 were at +")
    assert rows("-", stdin=stdin) == []


def test_a_drift_is_named() -> None:
    numbers = [v * 1.0008**i for i, v in enumerate(values(0.0))]
    stdin = "".join(f"{v}\n" for v in numbers)
    said = call("-", stdin=stdin).stdout.splitlines()
    assert said[0] == "no change points in 100 points"
    assert said[1].startswith("drift: +0.0")
    assert said[2].startswith("         from point 0 to 99, +")
    assert all(len(line) <= 80 for line in said)
    done = call("-", "--format", "json", "--full", stdin=stdin)
    document = json.loads(done.stdout)
    assert (document["change_points"], document["excursions"]) == ([], [])
    [drift] = document["drifts"]
    assert (drift["first"], drift["last"]) == (0, 99)
    assert drift["low"] <= 0.0008 <= drift["high"]
    assert drift["size"] == pytest.approx(0.08, abs=0.02)
    stepped = json.loads(call("-", "--format", "json", "--full", stdin=PLAIN).stdout)
    assert stepped["change_points"] == rows("-", stdin=PLAIN)
    assert stepped["drifts"] == []


def boots(step: float, size: int = 40, each: int = 5) -> str:
    """Return a series in which each build was booted some times, on boots that differ by 8 %."""
    drawn = np.random.default_rng(5).normal(0, 0.03, (size, each))
    level = 200 * np.exp(drawn)
    level[20:] *= 1 + step
    return "time,build,value\n" + "".join(
        f"2026-01-{n // 2 + 1:02},v6.6-{n},{value}\n" for n in range(size) for value in level[n]
    )


@pytest.mark.parametrize("column", ["build", "2"])
def test_boots_of_one_build_are_one_point(column: str) -> None:
    [found] = rows("-", "--build", column, stdin=boots(0.10))
    assert abs(found["index"] - 20) <= 1
    assert found["build"] == f"v6.6-{found['index']}"
    assert found["time"] == f"2026-01-{found['index'] // 2 + 1:02}"
    whole = json.loads(call("-", "--build", column, "--format", "json", "--full",
                            stdin=boots(0.10)).stdout)  # fmt: skip
    assert len(whole["points"]) == 40
    assert {p["values"] for p in whole["points"]} == {5}
    assert max(p["spread"] for p in whole["points"]) > 0.08
    assert rows("-", "--build", column, stdin=boots(0.0)) == []
    said = call("-", "--build", column, stdin=boots(0.10)).output
    assert "200 values of 40 builds" in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_build_that_comes_again_is_the_same_point() -> None:
    """Also the order of its boots makes no step: slow boots first, quick ones later."""
    text = "".join(f"b{n},{100 + 10 * late}\n" for late in (0, 1) for n in range(30))
    assert rows("-", "--build", "1", stdin=text) == []
    # Negative control: without the builds that is a step.
    assert len(rows("-", stdin=text)) == 1


def test_what_a_column_of_builds_must_have() -> None:
    for text, column, said in (
        ("build,value\na,1\n", "commit", "no column 'commit' for --build; in its first line are:"
         " build, value"),
        ("a,1\n", "3", "no column '3'"),
        ("", "1", "in its first line are: none"),
        ("a,1\n,2\n", "1", "-:2: it names no build"),
        ("t,a,1\nt\n", "2", "-:2: 1 columns; the build is in 2"),
        ("a,b,c,1\n", "1", "-:1: 3 columns"),
    ):  # fmt: skip
        done = call("-", "--build", column, stdin=text)
        assert done.exit_code == 2, text
        assert said in done.output, done.output


def test_nothing_is_compared_across_a_break() -> None:
    assert rows("-", "--break", 60, stdin=PLAIN) == []
    done = call("-", "--break", 101, stdin=PLAIN)
    assert done.exit_code == 2
    assert "break 101 is outside" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "-: it holds no value"),
        ("value\n", "-: it holds no value"),
        ("1\n2\nx\n", "-:3: 'x' is not a number"),
        ("a\nb\n1\n", "-:2: 'b' is not a number"),
        ("1\n\nnan\n", "-:3: nan is not a finite number above 0"),
        ("1\n0\n", "-:2: 0 is not a finite number above 0"),
        ("1\n-4\n", "-:2: -4 is not a finite number above 0"),
        ("1,2,3\n", "-:1: 3 columns"),
        ("1\n2,\n", "-:2: '' is not a number"),
        (b"\xff\xfe\x00", "-: not a text file"),
    ],
)
def test_bad_input_is_one_sentence(text: str | bytes, said: str) -> None:
    done = call("-", stdin=text)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = call(tmp_path / "none.csv")
    assert done.exit_code == 2
    assert "none.csv: no such file" in done.stderr
