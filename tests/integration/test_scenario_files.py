# SPDX-License-Identifier: GPL-2.0-only
"""Field reports as files: ours by path are those by name, and others leave nothing behind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vlag import ROOT
from vlag.cli.main import main
from vlag.scenario import data
from vlag.store.database import Connection

#: What a file of one's own must not add to.
_TABLES = ("kernel", "run", "series", "sample", "comparison", "verdict", "alert")
_VIEWS = """
boards:
  desk: {arch: x86_64, cpus: 16}
views:
  - {view: table, title: Against the old kernel, set: desk, base: old, measures: [pipe]}
  - view: recovery
    title: The toggle
    set: desk
    baseline: old
    "on": new
    "off": [new-toggled]
    measures: [pipe]
"""
_RUNS = "[204.9, 206.1, 201.7, 203.3, 205.5]"


@pytest.fixture
def folder(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    shutil.copy(ROOT / "vlag.toml", tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    return tmp_path


def call(*words: str) -> Result:
    done = CliRunner().invoke(main, ["scenario", *words])
    assert done.exit_code == 0, done.output
    return done


def rows(conn: Connection) -> dict[str, int]:
    return {
        table: conn.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]  # noqa: S608
        for table in _TABLES
    }


def own(folder: Path, new: str = f"{{runs: {_RUNS}}}") -> str:
    """Write the template with a board type and views; return its path."""
    text = data.TEMPLATE.read_text(encoding="utf-8") + _VIEWS
    text = text.replace("    board: desk-1 ", "    board_type: desk\n    board: desk-1 ")
    text = text.replace(f"{{runs: {_RUNS}}}", new)
    text = text.replace("pipe: 248.0 ", "pipe: {runs: [248, 249, 247, 250, 248.5]} ")
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def cell(path: str) -> Any:
    """Return the row of the new kernel in the table of a file."""
    document = json.loads(call(path, "--format", "json").stdout)
    table = next(view for view in document["views"] if view["view"] == "table")
    return next(row["cells"][0] for row in table["rows"] if row["side"] == "new")


def test_one_of_ours_by_path_is_the_one_by_name(folder: Path, conn: Connection) -> None:
    name = "S4"
    by_name = call(name).stdout
    before = rows(conn)
    assert before["run"] > 0
    assert call(str(data.FOLDER / f"{name}.yaml")).stdout == by_name
    # A copy has the same figures, and adds nothing to them.
    shutil.copy(data.FOLDER / f"{name}.yaml", folder)
    assert call(str(folder / f"{name}.yaml")).stdout == by_name
    assert rows(conn) == before


def test_a_file_of_one_s_own_is_judged_and_leaves_nothing(folder: Path, conn: Connection) -> None:
    before = rows(conn)
    path = own(folder)
    shown = cell(path)
    assert shown["boots"] == {"screen": [5, 5]}
    assert shown["base"] == pytest.approx(251.2, rel=2e-3)
    assert shown["effect"] == pytest.approx(-0.188, abs=0.004)
    assert (shown["verdict"], shown["worse"]) == ("REGRESSION", True)
    text = call(path).stdout
    assert '"the pipe lost 19 %": supported' in text
    assert "recovers" in text
    assert rows(conn) == before
    assert not list((folder / "var").glob("**/run.json"))


def test_another_figure_has_another_verdict(folder: Path) -> None:
    same = cell(own(folder, "{runs: [251.0, 249.9, 253.0, 250.3, 252.2]}"))
    assert same["verdict"] == "UNCHANGED"
    # One figure, of how many runs nobody knows, decides nothing.
    single = cell(own(folder, "203.2"))
    assert single["boots"] == {"screen": [5, 1]}
    assert single["verdict"] == "INCONCLUSIVE"
