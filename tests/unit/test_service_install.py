# SPDX-License-Identifier: GPL-2.0-only
"""The unit of an installation on one machine: systemd takes it, and it comes and goes whole."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.integration.installation import free_ports
from vlag import ROOT, config
from vlag.cli.main import main
from vlag.errors import UsageError
from vlag.operate.service.install import OURS, Unit, install, remove, text_of


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    """Settings of an installation whose ports are free."""
    path = tmp_path / "vlag.toml"
    names = ("postgresql", "web", "worker", "grafana")
    ports = [f"{name} = {port}" for name, port in zip(names, free_ports(4), strict=True)]
    text = (ROOT / "vlag.toml").read_text()
    path.write_text(
        re.sub(r"(?ms)^\[ports\]\n.*?\n\n", "\n".join(["[ports]", *ports, "", ""]), text)
    )
    return config.load(path)


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    """A unit of a machine that does not run."""
    return Unit(user=False, root=tmp_path / "root")


def verified(argv: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """Run systemd's check of a unit; that of a user wants a folder."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(home)}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


def test_systemd_takes_the_unit(settings: config.Settings, tmp_path: Path) -> None:
    path = tmp_path / "vlag.service"
    for user in (False, True):
        path.write_text(text_of(settings, user=user))
        verify = ["systemd-analyze", "verify", "--user" if user else "--system", str(path)]
        done = verified(verify, tmp_path)
        said = [line for line in done.stderr.splitlines() if path.name in line]
        assert said == []
    # Negative control: it does look.
    path.write_text(path.read_text().replace("WatchdogSec=5min", "WatchdogSec=soon"))
    done = verified(verify, tmp_path)
    assert "Failed to parse sec value" in done.stderr


def test_it_is_installed_changed_and_removed(
    settings: config.Settings, unit: Unit, progress_lines: list[str]
) -> None:
    install(settings, unit)
    wanted = unit.root / "etc/systemd/system/multi-user.target.wants/vlag.service"
    assert wanted.is_symlink()
    assert progress_lines == [
        f"wrote {unit.path}",
        "it starts with the machine; systemd does not run here now",
    ]
    # Again nothing changes; a change by hand is not kept.
    install(settings, unit)
    assert progress_lines[2:] == progress_lines[1:2]
    unit.path.write_text(unit.path.read_text().replace("RestartSec=2", "RestartSec=1h"))
    install(settings, unit)
    assert unit.path.read_text() == text_of(settings, user=False)

    remove(unit)
    assert not unit.path.exists()
    assert not wanted.is_symlink()
    with pytest.raises(UsageError, match="is not there: nothing was installed"):
        remove(unit)


def test_what_somebody_else_wrote_is_kept(settings: config.Settings, unit: Unit) -> None:
    unit.path.parent.mkdir(parents=True)
    unit.path.write_text("[Service]\nExecStart=/bin/true\n")
    others = "was not written by `vlag service install`"
    with pytest.raises(UsageError, match=others):
        install(settings, unit)
    with pytest.raises(UsageError, match=others):
        remove(unit)
    assert OURS not in unit.path.read_text()


def test_a_path_that_no_unit_can_name_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    path = folder / "vlag.toml"
    text = (ROOT / "vlag.toml").read_text()
    path.write_text(text.replace('state = "var"', f'state = "{tmp_path}/var"'))
    with pytest.raises(UsageError, match="systemd cannot take a path with a space"):
        text_of(config.load(path), user=False)
    answer = CliRunner().invoke(main, ["service", "install", "--name", "a b", "--dry-run"])
    # A dry run writes no file, so any name will do.
    assert (answer.exit_code, answer.stdout.startswith(OURS)) == (0, True)
    answer = CliRunner().invoke(main, ["service", "remove", "--name", "../x"])
    assert (answer.exit_code, answer.stderr) == (
        2, "vlag: --name ../x: only letters, digits, _ and - make a name of a unit\n"
    )  # fmt: skip
