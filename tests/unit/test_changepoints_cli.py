# SPDX-License-Identifier: GPL-2.0-only
"""`vlag changepoints` as a person uses it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vlag.cli.changepoints import changepoints
from vlag.errors import ExitCode


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
        status = ExitCode.USAGE if "column '" in said or "first line" in said else ExitCode.REFUSED
        assert done.exit_code == status, text
        assert said in done.output, done.output


def test_nothing_is_compared_across_a_break() -> None:
    assert rows("-", "--break", 60, stdin=PLAIN) == []
    done = call("-", "--break", 101, stdin=PLAIN)
    assert done.exit_code == ExitCode.USAGE
    assert "break 101 is outside" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "-: it holds no value"),
        ("value\n", "-: it holds no value"),
        ("1\n2\nx\n", "-:3: 'x' is not a number"),
        ("a\nb\n1\n", "-:2: 'b' is not a number"),
        ("1\n\ninf\n", "-:3: inf is not a finite number above 0"),
        ("1\n\nn/a\n2 ms\n", "-:4: a value in ms, those before it in no unit; use one unit"),
        (
            "1,231\n1,227\n",
            "-:1: '1,231' is the time 1 and the value 231 (--delimiter ,), or 1.231"
            " (--decimal comma) or 1231 (--decimal point --delimiter ';'); say which",
        ),
        (
            "7,25\n7,19\n",
            "-:1: '7,25' is the time 7 and the value 25 (--delimiter ,), or 7.25"
            " (--decimal comma); say which",
        ),
        ("a;1,231\nb;1,227\n", "-:1: '1,231' is 1231 (--decimal point) or 1.231 (--decimal comma)"),
        ("2026-01-02,1\n2026-01-05,2\n2026-01-03,3\n", "-:3: '2026-01-03' is out of the order"),
        ("01/02/2026,1\n02/01/2026,2\n", "-:1: '01/02/2026' has the day or the month first"),
        ("1\n0\n", "-:2: 0 is not a finite number above 0"),
        ("1\n-4\n", "-:2: -4 is not a finite number above 0"),
        ("1,2,3\n", "-:1: 3 columns"),
        ("n/a\n-\n", "-: it holds no value"),
        (b"\xff\xfe\x00", "-: not a text file"),
    ],
)
def test_bad_input_is_one_sentence(text: str | bytes, said: str) -> None:
    done = call("-", stdin=text)
    assert done.exit_code == ExitCode.REFUSED
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def written(number: float, decimal: str, group: str) -> str:
    whole, _, fraction = f"{number * 10:,.1f}".partition(".")
    return whole.replace(",", group) + decimal + fraction


@pytest.mark.parametrize(
    ("decimal", "group", "form", "options"),
    [
        (",", "", "{v}", ["--delimiter", ";"]),
        (",", "", "{i};{v}", []),
        (",", ".", "{i};{v}", []),
        (",", " ", "{i};{v}", []),
        (".", ",", '{i},"{v}"', []),
        (".", ",", "{i}\t{v}", []),
        (".", "'", "{i};{v}", []),
        (".", "", "{i} {v}", []),
        (".", "", "{i};{v} ms", []),
        (".", "", "{i};{v}ms", []),
        (".", "", "{i}|x|{v}", ["--value", "3", "--time", "1"]),
    ],
)
def test_numbers_as_people_write_them(
    decimal: str, group: str, form: str, options: list[str]
) -> None:
    [plain] = rows("-", stdin="".join(f"{10 * v:.1f}\n" for v in values()))
    stdin = "".join(
        form.format(i=i, v=written(v, decimal, group)) + "\n" for i, v in enumerate(values())
    )
    [other] = rows("-", *options, stdin=stdin)
    assert other["index"] == plain["index"]
    assert other["size"] == pytest.approx(plain["size"], rel=1e-6)
    assert other["before"] == pytest.approx(plain["before"], rel=1e-6)


@pytest.mark.parametrize(
    "form", ["2026-{m:02}-{d:02}", "{d:02}.{m:02}.2026", "{m:02}/{d:02}/2026", "2026/{m:02}/{d:02}",
             "2026{m:02}{d:02}", "2026-{m:02}-{d:02}T03:00:00+00:00"],
)  # fmt: skip
def test_the_newest_first_is_turned_by_its_times(form: str) -> None:
    times = [form.format(m=1 + i // 28, d=1 + i % 28) for i in range(100)]
    lines = [f"{t};{v}" for t, v in zip(times, values(), strict=True)]
    [plain] = rows("-", stdin="\n".join(lines))
    done = call("-", "--format", "json", stdin="\n".join(reversed(lines)))
    [turned] = json.loads(done.stdout)
    assert turned == plain
    assert "note: the newest value comes first" in done.stderr
    # Negative control: without its times the same file is another series.
    bare = call("-", "--format", "json", stdin="\n".join(str(v) for v in reversed(values())))
    [other] = json.loads(bare.stdout)
    assert other["direction"] == "down"
    assert "note: there are no times: the first value is taken for the oldest" in bare.stderr


def test_values_that_are_missing_are_left_out_and_counted() -> None:
    numbers = [str(v) for v in values()]
    numbers[5:5] = ["", "NaN", "n/a", "-"]
    stdin = "time,value\n" + "".join(f"{i},{v}\n" for i, v in enumerate(numbers))
    done = call("-", "--format", "json", stdin=stdin)
    [row] = json.loads(done.stdout)
    [plain] = rows("-", stdin=PLAIN)
    assert (row["index"], row["size"]) == (plain["index"], plain["size"])
    assert "note: 4 lines have no value: left out" in done.stderr


def test_an_option_decides_what_a_comma_is() -> None:
    stdin = "".join(f"1,{round(v * 1.5) + 100:03}\n" for v in values(0.4))
    read_as = {
        "--delimiter ,": rows("-", "--delimiter", ",", stdin=stdin),
        "--decimal comma": rows("-", "--decimal", "comma", stdin=stdin),
        "--decimal point": rows("-", "--decimal", "point", "--delimiter", ";", stdin=stdin),
    }
    levels = [point["before"] for [point] in read_as.values()]
    assert levels == pytest.approx([400, 1.4, 1400], rel=0.01)


def test_files_of_other_encodings(tmp_path: Path) -> None:
    [plain] = rows("-", stdin=PLAIN)
    for encoding in ("utf-8-sig", "utf-16"):
        file = tmp_path / encoding
        file.write_bytes(PLAIN.encode(encoding))
        assert rows(file) == [plain]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = call(tmp_path / "none.csv")
    assert done.exit_code == ExitCode.USAGE
    assert "none.csv: no such file" in done.stderr
