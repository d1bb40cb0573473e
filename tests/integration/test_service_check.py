# SPDX-License-Identifier: GPL-2.0-only
"""What the service says before it starts anything."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from vlag import ROOT, config
from vlag.operate import service
from vlag.operate.service import postgres, prerequisites


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> config.Settings:
    (tmp_path / "vlag.toml").write_text((ROOT / "vlag.toml").read_text())
    made = config.load(tmp_path / "vlag.toml")
    made.state.mkdir()
    # A machine on which all is well, whatever this one is.
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=50e9))
    monkeypatch.setattr(postgres, "find_programs", lambda: Path("/"))
    monkeypatch.setattr(postgres, "check_port", lambda _port, _key, _path, _address: None)
    return made


def test_nothing_to_say_where_all_is_well(mine: config.Settings) -> None:
    assert service.check(mine) == []


@pytest.mark.parametrize(("program", "package"), sorted(service.PROGRAMS.items()))
def test_a_missing_program_is_named_with_its_package(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch, program: str, package: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == program else name)
    [said] = service.check(mine)
    assert said == (
        f"the program {program} is missing: install the Debian package {package} "
        "(`make setup` does it)"
    )


def test_root_or_its_name_is_needed(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert service.check(mine) == [], "root in name will do"
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n"
    )
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    [said] = service.check(mine)
    assert said.startswith("lava-run needs root")
    assert "No permissions to create new namespace" in said


def test_a_disk_without_room_is_said_with_the_figure_and_is_no_fault_of_a_person(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prerequisites.disk(mine) is None
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=7.9e9))
    assert service.check(mine) == []
    words = prerequisites.disk(mine)
    assert words is not None
    assert words.startswith(f"only 7.9 GB are free under {mine.state}, a night needs 8")


def test_all_problems_are_said_at_once(
    mine: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert len(service.check(mine)) == 1 + len(service.PROGRAMS)
