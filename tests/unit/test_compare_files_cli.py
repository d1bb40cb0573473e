# SPDX-License-Identifier: GPL-2.0-only
"""`vlag compare` with files, as a person uses it: no database, no settings file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.fuzz.properties import CAPTURES as DATA
from tests.integration import bundles
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.errors import ExitCode

CATALOGUE = catalogues.load()
RAW = (DATA / "hackbench" / "2.4-pipe.txt").read_text()


@pytest.fixture
def vlag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Stand in a folder with five files a side; there are no settings and no database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalogues, "load", lambda: CATALOGUE)  # reading it takes its time
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "no-settings.toml"))
    monkeypatch.setenv("VLAG_DATABASE", "host=/nowhere")
    for name, middle in (("base", 5.0), ("new", 5.5)):
        for i, off in enumerate((0, 0.02, -0.02, 0.01, -0.01), 1):
            text = RAW.replace("0.142", f"{middle + off:.3f}")
            (tmp_path / f"{name}-{i}.txt").write_text(text)
    return tmp_path


BASE = [f"base-{i}.txt" for i in range(1, 6)]
NEW = [f"new-{i}.txt" for i in range(1, 6)]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compare", *arguments])


def sentence(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == ExitCode.USAGE, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.usefixtures("vlag")
def test_options_stand_anywhere_and_the_exit_code_tells() -> None:
    both = [*BASE, "--", *NEW]
    for arguments in (
        ["--exit-code", "--format", "json", *both],
        [*both, "--exit-code", "--format", "json"],
        [*BASE, "--format", "json", "--", *NEW, "--exit-code"],
    ):
        done = run(*arguments)
        assert done.exit_code == ExitCode.REGRESSION, done.output
        assert json.loads(done.stdout)["summary"]["verdict"] == "REGRESSION"
    assert run(*both).exit_code == ExitCode.OK
    assert run("--exit-code", *NEW, "--", *BASE).exit_code == ExitCode.OK


@pytest.mark.usefixtures("vlag")
def test_the_json_has_what_programs_need() -> None:
    data = json.loads(run("--format", "json", *BASE, "--", *NEW).stdout)
    assert data["kind"] == "files"
    for side, files in (("base", BASE), ("new", NEW)):
        told = {"files": files, "failed": [], "tool": "hackbench", "version": None, "n": 5}
        assert data[side] == told
    assert data["summary"]["counts"]["REGRESSION"] == 1
    assert data["summary"]["sentence"].startswith("1 of 1 metric worse (most: time by ")
    [row] = data["rows"]
    assert set(row) == {
        "benchmark", "metric", "statistic", "unit", "direction", "base", "new", "effect",
        "ci_low", "ci_high", "n_base", "n_new", "p", "p_zero", "verdict", "reason",
        "boots_needed", "hint", "suspect", "parameters", "worse", "boots", "marked", "samples",
        "mode", "conditional",
    }  # fmt: skip
    assert row["p"] < 0.01


@pytest.mark.usefixtures("vlag")
def test_two_paths_are_one_file_a_side() -> None:
    done = run("base-1.txt", "new-1.txt", "--format", "json")
    assert json.loads(done.stdout)["summary"]["verdict"] == "INCONCLUSIVE"
    parted = run("base-1.txt", "--", "new-1.txt", "--format", "json")
    assert parted.stdout == done.stdout


@pytest.mark.usefixtures("vlag")
def test_all_formats() -> None:
    both = [*BASE, "--", *NEW]
    text = run(*both).stdout
    assert text.startswith("REGRESSION: 1 of 1 metric worse")
    assert max(map(len, text.splitlines())) <= 78
    assert "n: boots of base + new" in " ".join(text.split())
    *lines, last = run("--format", "text+json", *both).stdout.splitlines()
    assert lines == text.rstrip("\n").splitlines()
    assert json.loads(last)["kind"] == "files"
    table = [x for x in run("--format", "markdown", *both).stdout.splitlines() if x[:1] == "|"]
    assert len(table) == 3
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {8}
    assert "| **REGRESSION** |" in table[2]


@pytest.mark.usefixtures("vlag")
def test_what_is_no_pair_of_sides() -> None:
    write = "write BASE... -- NEW..."
    for arguments, said in (
        (
            [*BASE, *NEW],
            f"give one BASE and one NEW, not 10 operands; for several files per side {write}",
        ),
        ([*BASE, "--"], f"NEW is empty; {write}"),
        (["--", *NEW], f"BASE is empty; {write}"),
        ([*BASE, "--", "new-1.txt", "--", "new-2.txt"], "give -- only once"),
        (["base-1.txt", "v6.12"], "base-1.txt exists on disk but v6.12 is not a file; give"),
        ([*BASE, "--", *NEW, "new-6.txt"], "new-6.txt is not a file"),
        (["a", "b", "--", "c"], "a: no such file"),
        ([*BASE, "--", *NEW, "--plan", "nightly"], "--plan is for kernels on record"),
        ([*BASE, "--", *NEW, "--baseline", "a/b"], "--baseline is for kernels on record"),
        ([*BASE, "--", *NEW, "--tool", "lmbench"], "--tool lmbench: there is no such parser"),
        ([*BASE, "--", *NEW, "--board-type", "moon"], "no board type 'moon'; there are:"),
        (["v6.6", "v6.12", "--tool", "hackbench"], "--tool is for raw files"),
    ):
        assert said in sentence(*arguments), arguments


def test_folders_are_no_files_unless_they_are_bundles(vlag: Path) -> None:
    (vlag / "master").mkdir()
    assert "base-1.txt exists on disk but master is a folder with" in sentence(
        "base-1.txt", "master"
    )
    # A branch of that name: the database is asked, and so the settings.
    assert "no-settings.toml: cannot read the settings" in sentence("master", "v6.12")
    (vlag / "other").mkdir()
    assert "master: no run.json at or below this folder" in sentence("master", "other")
    for name in ("6.1", "6.12"):
        bundles.run(vlag / name, bundles.kernel(name), CATALOGUE)
    data = json.loads(run("6.1", "6.12/run.json", "--format", "json").stdout)
    assert data["new"]["files"] == ["6.12/run.json"]
    assert data["summary"]["verdict"] == "INCONCLUSIVE"
    text = run("6.1", "6.12").stdout
    assert "debian/6.12.170-1-vlag" in text
    assert "it shows path length" in " ".join(text.split())  # the board's limits


def test_a_damaged_file_and_a_lone_number(vlag: Path) -> None:
    (vlag / "new-3.txt").write_text(RAW.partition("Time:")[0])
    done = run(*BASE, "--", *NEW)
    assert (done.exit_code, done.stdout) == (ExitCode.REFUSED, "")
    assert done.stderr.startswith("vlag: new-3.txt")
    for name, value in (("a", "0.054"), ("b", "0.060")):
        (vlag / name).write_text(value + "\n")
    done = run("a", "b")
    assert done.exit_code == ExitCode.REFUSED
    assert "name the tool with --tool" in done.stderr
    lone = (DATA / "perf-bench" / "6.1-pipe-simple.txt").read_bytes()
    for name in "ab":
        (vlag / name).write_bytes(lone)
    assert "b: has the very content of a, and a copy is no boot" in sentence(
        "a", "b", "--tool", "perf-bench"
    )
    done = run("a", "b", "--tool", "perf-bench", "--equal-files")
    assert done.exit_code == ExitCode.OK
    assert "were taken for boots of their own (--equal-files)" in " ".join(done.stdout.split())
    assert "--equal-files is for files" in sentence("v6.6", "v6.12", "--equal-files")
