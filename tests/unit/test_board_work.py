# SPDX-License-Identifier: GPL-2.0-only
"""A board of hardware that gets too little of a branch's plans is told of, with what to write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from vlag import ROOT, config
from vlag.cli.main import main
from vlag.config import catalogue as catalogues
from vlag.errors import UsageError
from vlag.pipeline import forecast
from vlag.pipeline.board_work import BoardWork, board_work, text

BRANCH = """
[[branches]]
tree = "debian"
branch = "linux-6.12"
baseline = "debian/6.1.*"
board_types = {types}
plan = "{plan}"
commit_plan = "{commit_plan}"
"""


def settings(folder: Path, *branches: tuple[str, str, str]) -> Path:
    shipped = (ROOT / "vlag.toml").read_text()
    head, tail = shipped.split("[[branches]]", 1)[0], "[nightly]" + shipped.split("[nightly]")[1]
    path = folder / "vlag.toml"
    own = (BRANCH.format(types=t, plan=p, commit_plan=c) for t, p, c in branches)
    path.write_text("".join((head, *own, tail)))
    return path


def works(path: Path) -> list[BoardWork]:
    known = config.load(path)
    return board_work(known, catalogues.of(known))


@pytest.mark.parametrize("kind", ["rpi5", "rb5", "altra", "x86-480"])
def test_a_board_of_hardware_beside_virtual_boards_is_refused(tmp_path: Path, kind: str) -> None:
    path = settings(tmp_path, (f'["deterministic", "{kind}"]', "nightly", "commit"))
    with pytest.raises(
        UsageError, match="nightly and commit are for virtual boards, and have"
    ) as e:
        works(path)
    assert str(e.value).startswith(f"{path}: branches.0.board_types: ")
    assert str(e.value).endswith(
        f"; take {kind} out, and add a [[branches]] for it with board_types ="
        f' ["{kind}"], plan = "farm-nightly" and commit_plan = "farm-commit"'
    )
    # Negative control: as it says.
    other = settings(
        tmp_path,
        ('["deterministic"]', "nightly", "commit"),
        (f'["{kind}"]', "farm-nightly", "farm-commit"),
    )
    found = {w.board_type: w for w in works(other)}
    assert found[kind].night
    assert found[kind].push
    assert [w.warning for w in found.values() if w.warning] == []


def test_a_board_of_hardware_without_pushes_is_warned_of(tmp_path: Path) -> None:
    """Pushes may run on some board types only, and `rt` is for both kinds of boards."""
    path = settings(tmp_path, ('["qemu-sim-2", "rpi5"]', "rt", "commit"))
    found = {w.board_type: w for w in works(path)}
    pi = found["rpi5"]
    assert pi.push == 0
    assert [w.board_type for w in found.values() if w.warning] == ["rpi5"]
    assert pi.warning == (
        f"debian/linux-6.12 on rpi5: only {pi.night} benchmarks a night and 0 a push; take it out"
        ' of board_types, and add a [[branches]] with board_types = ["rpi5"],'
        ' plan = "farm-nightly" and commit_plan = "farm-commit", which have'
        f" {pi.farm_night} and {pi.farm_push}"
    )


def test_the_shipped_settings_have_no_warning() -> None:
    found = works(ROOT / "vlag.toml")
    assert [w.warning for w in found if w.warning] == []
    lines = text(found).splitlines()
    assert lines[0] == "benchmarks a night + a push:"
    assert lines[1].startswith("  debian/linux-6.12: qemu-sim-2 ")
    assert " + " in lines[1]
    # Patches are in no push.
    assert lines[2] == "  debian/linux-6.12 + known-regressions: " + ", ".join(
        f"{w.board_type} {w.night}" for w in found if w.series is not None
    )


def test_the_forecast_prints_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = settings(tmp_path, ('["qemu-sim-2", "rpi5"]', "rt", "commit"))
    monkeypatch.setenv("VLAG_SETTINGS", str(path))
    monkeypatch.setenv("VLAG_DATABASE", "host=127.0.0.1 port=1 user=nobody dbname=none")
    done = CliRunner().invoke(main, ["forecast"])
    assert done.exit_code == 0, done.stderr
    assert "\n  debian/linux-6.12: qemu-sim-2 5 + 2, rpi5 6 + 0\n" in done.stdout
    assert "\nwarning: debian/linux-6.12 on rpi5: only 6 benchmarks a night and 0" in done.stdout
    answer = json.loads(CliRunner().invoke(main, ["forecast", "--format", "json"]).stdout)
    assert [w["warning"] is None for w in answer["board_work"]] == [True, False]
    # The service reads the forecast alone.
    assert forecast.Forecast.of_document(answer).runs_to_do == answer["runs_to_do"]
