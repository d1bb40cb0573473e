# SPDX-License-Identifier: GPL-2.0-only
"""A service's processes read one version of the settings, whatever people edit meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vlag import ROOT, config
from vlag.config import catalogue, snapshot
from vlag.errors import UsageError
from vlag.operate.service.reload import Reload, Reloaded, variables


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and boards, of which nothing was read yet."""
    monkeypatch.setattr(snapshot, "_read", {})
    text = (ROOT / "vlag.toml").read_text() + '\n[inventory]\nboards = "boards.yml"\n'
    (tmp_path / "vlag.toml").write_text(text)
    shutil.copy(ROOT / "ansible" / "inventory" / "boards.yml", tmp_path)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_steps_have_the_version_of_the_start(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = config.load(place / "vlag.toml")
    boards = catalogue.of(settings).boards
    folder = Path(variables(settings)[snapshot.FOLDER])
    assert snapshot.changed(folder) == []

    edit(place / "vlag.toml", "web = 8010", "web = 8011")
    edit(place / "boards.yml", "sim2-1:", "other-1:")
    assert snapshot.changed(folder) == [place / "boards.yml", place / "vlag.toml"]
    # Negative control: who does not belong to the service sees what is there.
    now = config.load(place / "vlag.toml")
    assert now.web_port == 8011
    assert catalogue.of(now).boards != boards

    monkeypatch.setenv(snapshot.FOLDER, str(folder))
    then = config.load(place / "vlag.toml")
    assert then == settings
    assert catalogue.of(then).boards == boards
    # As an editor leaves it for a moment.
    (place / "vlag.toml").write_text("[ports")
    (place / "boards.yml").unlink()
    assert catalogue.of(config.load(place / "vlag.toml")).boards == boards
    monkeypatch.delenv(snapshot.FOLDER)
    with pytest.raises(UsageError, match="not valid TOML"):
        config.load(place / "vlag.toml")


def test_equal_files_are_one_version_and_few_stay(place: Path) -> None:
    settings = config.load(place / "vlag.toml")
    first = variables(settings)
    assert variables(config.load(place / "vlag.toml")) == first
    for port in range(9000, 9000 + snapshot._KEPT + 2):
        edit(place / "vlag.toml", f"web = {settings.web_port}", f"web = {port}")
        settings = config.load(place / "vlag.toml")
        last = Path(variables(settings)[snapshot.FOLDER])
    there = list(last.parent.iterdir())
    assert len(there) == snapshot._KEPT
    assert last in there
    assert Path(first[snapshot.FOLDER]) not in there


def test_a_reload_takes_up_all_or_nothing(place: Path, progress_lines: list[str]) -> None:
    reload = Reload(config.load(place / "vlag.toml"))
    reload.look()  # nobody has asked
    edit(place / "vlag.toml", 'plan = "nightly"', 'plan = "nightlly"')
    reload.ask()
    reload.look()
    [sentence] = progress_lines
    assert sentence.startswith("not taken up: ")
    assert "nightlly" in sentence
    assert sentence.endswith("; the service goes on with the settings of its start")
    reload.look()  # said once
    assert len(progress_lines) == 1
    edit(place / "vlag.toml", 'plan = "nightlly"', 'plan = "nightly"')
    reload.ask()
    with pytest.raises(Reloaded):
        reload.look()
