# SPDX-License-Identifier: GPL-2.0-only
"""One rule for every door: 3 for what a file holds, 2 for a file that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vlag.cli.main import main
from vlag.errors import ExitCode

#: Verb that takes a file -> words before the file, and words behind it.
DOORS: dict[str, tuple[list[str], list[str]]] = {
    "changepoints": (["changepoints"], []),
    "compare": (["compare"], ["--", "{other}"]),
    "parse": (["parse"], []),
    "parse --tool": (["parse", "--tool", "sysbench"], []),
    "scenario": (["scenario"], []),
    "schedstat diff": (["schedstat", "diff"], ["{other}"]),
    "series import": (["series", "import"], []),
}
GARBAGE = {
    "words": b"neither figures nor mails: nothing of a tool\nand no more\n",
    "binary": bytes(range(256)),
    "empty": b"",
    "newline": b"\n",
}


def brought(door: str, file: Path, other: Path) -> Result:
    before, behind = DOORS[door]
    words = [word.replace("{other}", str(other)) for word in behind]
    return CliRunner().invoke(main, [*before, str(file), *words])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("what", GARBAGE)
def test_what_a_file_holds_is_refused_with_one_status(door: str, what: str, tmp_path: Path) -> None:
    one, other = tmp_path / "garbage", tmp_path / "more"
    one.write_bytes(GARBAGE[what])
    other.write_bytes(GARBAGE[what] + b"\n")
    done = brought(door, one, other)
    assert done.exit_code == ExitCode.REFUSED, done.output
    assert str(one) in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("door", DOORS)
def test_a_file_that_is_not_there_is_a_mistake_in_the_command(door: str, tmp_path: Path) -> None:
    """Negative control."""
    done = brought(door, tmp_path / "none", tmp_path / "nor-this")
    assert done.exit_code == ExitCode.USAGE, done.output
    assert "none" in done.stderr


def test_an_option_that_does_not_fit_a_good_file_is_a_mistake(tmp_path: Path) -> None:
    """Negative control."""
    file = tmp_path / "numbers"
    file.write_text("1\n2\n3\n")
    good = CliRunner().invoke(main, ["changepoints", str(file)])
    assert good.exit_code == ExitCode.OK, good.output
    wrong = CliRunner().invoke(main, ["changepoints", str(file), "--build", "9"])
    assert wrong.exit_code == ExitCode.USAGE
