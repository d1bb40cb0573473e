# SPDX-License-Identifier: GPL-2.0-only
"""`vlag inventory check`: each fault is one sentence, and the mended inventory passes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests import settings_files
from tests.unit.inventories import FAULTS, farm, gone, run, text
from vlag.cli.inventory import inventory
from vlag.config.former_keys import FormerKeyWarning

__all__ = ["farm"]  # fixtures


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_sentence_and_the_mended_inventory_passes(name: str, farm: Path) -> None:
    edit, sentence = FAULTS[name]
    before = farm.read_text()
    edit(farm)
    bad = run("check", farm)
    assert bad.exit_code == 2
    said = [line for line in bad.output.splitlines() if sentence in line]
    assert len(said) == 1, bad.output
    farm.write_text(before)
    shutil.rmtree(farm.parent / "secrets")
    run("secrets", farm)
    assert run("check", farm).exit_code == 0


def test_the_example_is_a_whole_farm(farm: Path) -> None:
    done = run("check", farm)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("database 1, master 1, workers 2, artifacts 1, grafana 1, ")
    assert done.output.endswith("boards 15, secrets 11: all is well\n")


def test_a_fact_under_its_former_name_is_read_with_a_warning(farm: Path) -> None:
    text("slots: 4", "lanes: 4")(farm)
    with pytest.warns(FormerKeyWarning, match=r"farm\.yml: build-2\.lanes is now 'slots'"):
        assert run("check", farm).exit_code == 0
    text("lanes: 4", "lanes: four")(farm)
    with pytest.warns(FormerKeyWarning):
        assert "build-2.slots: 'four' is not of type" in run("check", farm).output
    text("lanes: four", "lanes: 4\n          slots: 4")(farm)
    assert "build-2.lanes: no fact of a host" in run("check", farm).output


def test_all_faults_are_said_at_once(farm: Path) -> None:
    text("board_type: altra", "board_type: altera")(farm)
    text("mac: 00:25:90:00:00:03", "mac: d8:3a:dd:00:00:01")(farm)
    gone("worker")(farm)
    said = run("check", farm).output.splitlines()
    assert said[-1].endswith("3 faults")
    assert len(said) == 4


def test_facts_stand_in_files_beside_the_inventory_too(farm: Path) -> None:
    (farm.parent / "host_vars").mkdir()
    facts = farm.parent / "host_vars" / "altra-1.yml"
    facts.write_text("mac: d8:3a:dd:00:00:01\n")
    said = run("check", farm).output
    assert f"{facts.resolve()}: rpi5-1.mac" not in said
    assert f"{facts}: altra-1.mac: d8:3a:dd:00:00:01 is the MAC address of rpi5-1 too" in said
    facts.write_text("mac: d8:3a:dd:00:00:09\n")
    assert run("check", farm).exit_code == 0


def test_a_list_of_boards_alone_is_an_inventory() -> None:
    done = run("check")
    assert done.exit_code == 0, done.output
    assert done.output == "boards 11, secrets 0: all is well\n"


def test_secrets_are_made_once_and_for_nobody_else(farm: Path) -> None:
    folder = farm.parent / "secrets"
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(set(before.values())) == len(before)
    assert {"lab-home", "lava-key-home", "lava-worker-dispatcher-1", "database"} <= set(before)
    # LAVA's table has no room for more.
    assert len(before["lava-worker-dispatcher-1"].strip()) == 32
    gone("worker")(farm)
    assert run("secrets", farm).output.splitlines()[-1] == "1 made"
    after = {path.name: path.read_text() for path in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"worker"}


def test_a_secret_is_made_anew_where_it_is_asked_for(farm: Path) -> None:
    folder = farm.parent / "secrets"
    (folder / "lab-elsewhere").write_text("given by somebody else's lab\n")

    def renewed(*names: str) -> set[str]:
        before = {path.name: path.read_text() for path in folder.iterdir()}
        options = [f"--renew={name}" for name in names]
        done = CliRunner().invoke(inventory, ["secrets", f"--inventory={farm}", *options])
        after = {path.name: path.read_text() for path in folder.iterdir()}
        found = {name for name in after if after[name] != before[name]}
        assert done.output.splitlines()[-1:] == [f"{len(found)} made"] or done.exit_code == 2
        assert {path.stat().st_mode & 0o077 for path in map(folder.__truediv__, found)} <= {0}
        return found

    assert renewed("worker", "lava-worker-dispatcher-1") == {"worker", "lava-worker-dispatcher-1"}
    # LAVA's table has no room for more.
    assert len((folder / "lava-worker-dispatcher-1").read_text().strip()) == 32
    assert renewed("worker", "wroker") == set()
    ours = {path.name for path in folder.iterdir()} - {"lab-elsewhere"}
    assert renewed("all") == ours


def test_an_unknown_secret_is_not_made_anew(farm: Path) -> None:
    done = CliRunner().invoke(inventory, ["secrets", f"--inventory={farm}", "--renew=wroker"])
    assert done.exit_code == 2
    assert "there is no secret wroker of these hosts to renew; there are: database, " in done.output


def test_a_dispatcher_is_told_what_its_boards_need(farm: Path) -> None:
    boards = {b["name"]: b for b in json.loads(run("boards", farm).output)}
    assert boards["rpi5-1"]["boots"] == "network"
    assert boards["rb5-1"]["boots"] == "fastboot"
    sim = boards["lab-sim2-1"]
    assert (sim["boots"], sim["emulator"]) == ("emulator", "qemu-system-x86_64")
    assert sim["emulator_minimum"][0] > 7  # Debian 12 has 7.2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("all: [", "farm.yml:"),
        ("", "farm.yml: no YAML inventory; it begins with `all:`"),
        ("all:\n  host: {}\n", "farm.yml: all.host: a group has hosts, children and vars"),
        (
            "all:\n  hosts: {a: {x: 1, x: 2}}\n",
            "farm.yml:2: not valid YAML: the key 'x' is given twice",
        ),
        (
            "a:\n  children:\n    b:\n      children:\n        c:\n          children:\n"
            "            b:\n  hosts: {h: {}}\n",
            "farm.yml: children: the groups form a cycle",
        ),
    ],
)
def test_what_is_no_inventory_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "farm.yml"
    path.write_text(content)
    done = run("check", path)
    assert done.exit_code == 2
    assert sentence in done.output
    assert len(done.output.splitlines()) == 1


def named(farm: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Use settings that name an inventory; return them, and their text without that."""
    settings, whole = folder / "vlag.toml", settings_files.settings()
    settings.write_text(f'{whole}[inventory]\nboards = "{farm}"\n')
    monkeypatch.setenv("VLAG_SETTINGS", str(settings))
    return settings, whole


def test_the_settings_name_the_inventory(
    farm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, whole = named(farm, tmp_path, monkeypatch)
    listed = CliRunner().invoke(inventory, ["boards"])
    assert {board["name"] for board in json.loads(listed.stdout)} >= {"altra-1", "rb5-1"}
    # Negative control: without it, the boards of the checkout.
    settings.write_text(whole)
    listed = CliRunner().invoke(inventory, ["boards"])
    assert "altra-1" not in {board["name"] for board in json.loads(listed.stdout)}


def test_the_check_is_of_the_inventory_that_the_settings_name(
    farm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, whole = named(farm, tmp_path, monkeypatch)
    farm.write_text(farm.read_text().replace("board_type: rb5", "board_type: rb6"))
    done = CliRunner().invoke(inventory, ["check"])
    assert done.exit_code == 2
    assert "rb5-1" in done.output
    # Negative control: the checkout's own list, which is well.
    settings.write_text(whole)
    done = CliRunner().invoke(inventory, ["check"])
    assert done.exit_code == 0, done.output
    assert "rb5-1" not in done.output
