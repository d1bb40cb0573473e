# SPDX-License-Identifier: GPL-2.0-only
"""`vlag lava validate`: what is shipped passes LAVA's own code; each fault gets its sentence."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.unit.lava_faults import FAULTS, INVENTORY, change
from vlag import ROOT
from vlag.cli.lava import lava
from vlag.config.catalogue import load
from vlag.errors import UsageError
from vlag.lava import render
from vlag.model import Board
from vlag.operate.farm import lava_config
from vlag.operate.farm import validate as validation
from vlag.operate.farm.validate import validate

pytestmark = pytest.mark.slow

CATALOGUE = load()
EXAMPLE = ROOT / "ansible" / "inventory" / "farm-example.yml"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Copy what is validated, with the few plans that a fault needs to be seen."""
    shutil.copytree(ROOT / "lava-jobs", tmp_path / "lava-jobs")
    shutil.copytree(ROOT / "ansible" / "inventory", tmp_path / "ansible" / "inventory")
    for plan in (tmp_path / "lava-jobs" / "plans").glob("*.yaml"):
        if plan.stem not in ("s1", "s5", "smoke"):
            plan.unlink()
    return tmp_path


def test_every_plan_on_every_board_type_is_taken_by_lava() -> None:
    done = CliRunner().invoke(lava, ["validate", "--format", "json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["findings"] == []
    assert {(d["plan"], d["board_type"]) for d in report["durations"]} == {
        (plan.name, t)
        for plan in CATALOGUE.plans.values()
        for e in plan.entries
        for t in e.board_types
    }
    # Boards here are asked about as lava-run sees them and as a lab's server does.
    entries = sum(len(e.board_types) for p in CATALOGUE.plans.values() for e in p.entries)
    assert report["jobs"] >= entries + report["devices"]
    assert report["questions"] >= len(report["durations"]) / 2
    weekly = {d["board_type"]: d for d in report["durations"] if d["plan"] == "weekly"}
    assert set(weekly) == {"rpi5", "rb5", "altra", "x86-480", "vhost-host", "sut-loadgen"}
    # A week's plan must not eat a night of a board: it has eight hours.
    assert max(d["minutes"] for d in weekly.values()) < 8 * 60 * 2


def test_the_night_takes_the_time_that_its_runs_take() -> None:
    [night] = [
        d for d in validation.durations(CATALOGUE) if (d.plan, d.board_type) == ("s1", "rpi5")
    ]
    kind = CATALOGUE.board_type("rpi5")
    assert night.runs == 30  # three entries with five boots, and the same with other knobs
    assert night.minutes == pytest.approx(30 * (kind.boot_s + 20 * kind.seconds_per_virtual_s) / 60)


#: What can be wrong at once: none of a set hides another.  All else is tried by itself.
SETS = (
    (
        "a variable that no template reads",
        "a key that a boot loader's template does not know",
        "a command that is no text of YAML",
        "a device type with an error of syntax",
        "a device type that extends none",
        "a pair that has a key which belongs to one machine",
        "a run that takes longer than it may",
        "a parameter that is no number",
    ),
    (
        "a lab's board of a type that has no job",
        "a key of a device that LAVA's schema does not take",
        "a static address as LAVA writes it",
    ),
)
ALONE = tuple((fault,) for fault in FAULTS if fault not in {f for s in SETS for f in s})


@pytest.mark.parametrize("faults", [*SETS, *ALONE], ids=lambda faults: faults[0])
def test_a_fault_is_said_with_file_and_key(files: Path, faults: Sequence[str]) -> None:
    for fault in faults:
        name, old, new, _ = FAULTS[fault]
        change(files / name, old, new)
    found = validate(root=files).findings
    for fault in faults:
        assert [f for f in found if FAULTS[fault][3] in f], (fault, found)
    assert all("Traceback" not in f and "\n" not in f for f in found)


LISTS = {
    "no power command": (
        "            reset: powerman --cycle rpi5-1\n",
        "",
        "farm-example.yml: rpi5-1.power: 'reset' is a required property",
    ),
    "no console": (
        "          console: telnet console-1 7001\n",
        "",
        "farm-example.yml: rpi5-1.console: missing; a board of a lab needs the command",
    ),
    "a misspelt key": (
        "mac: d8:3a:dd:00:00:01",
        "macc: d8:3a:dd:00:00:01",
        "farm-example.yml: rpi5-1: Additional properties are not allowed ('macc' was unexpected)",
    ),
    "a MAC address that is none": (
        "mac: d8:3a:dd:00:00:01",
        "mac: d8:3a:dd:00:00",
        "farm-example.yml: rpi5-1.mac: 'd8:3a:dd:00:00' does not match",
    ),
    "an unknown board type": (
        "board_type: altra",
        "board_type: altera",
        "farm-example.yml: altra-1.board_type: no board type 'altera'",
    ),
    "a pair without its other machine": (
        "          partner: pair-1-loadgen\n",
        "",
        "farm-example.yml: pair-1-sut.partner: missing; name a board of type loadgen",
    ),
    "a pair with a machine of another type": (
        "partner: pair-1-loadgen",
        "partner: vhost-1",
        "pair-1-sut.partner: 'vhost-1' is no board of type loadgen in the same lab",
    ),
    "a pair whose measured machine has no address": (
        "          network:\n            ip: 192.0.2.15\n",
        "",
        "pair-1-sut.network.ip: missing; pair-1-loadgen has to find it by its address",
    ),
    "no list": ("    boards:", "    board:", "needs all.children.boards.hosts.NAME.board_type"),
}


@pytest.mark.parametrize("fault", LISTS)
def test_a_board_that_cannot_be_is_said_with_file_and_key(files: Path, fault: str) -> None:
    old, new, sentence = LISTS[fault]
    change(files / INVENTORY, old, new)
    with pytest.raises(UsageError) as refused:
        load(files, inventory=files / INVENTORY)
    assert sentence in str(refused.value)


def test_hardware_that_no_lab_has_is_said(files: Path) -> None:
    change(files / INVENTORY, "board_type: altra\n          lab: home", "board_type: altra")
    found = validate(root=files, inventory=files / INVENTORY).findings
    assert any(
        "altra-1.lab: missing; lava-run cannot boot a board of type altra" in f for f in found
    )


def test_the_command_prints_a_line_a_fault_and_ends_with_2(tmp_path: Path) -> None:
    inventory = tmp_path / "boards.yml"
    shutil.copy(EXAMPLE, inventory)
    change(inventory, "boot_interface: net1", "boot_interfce: net1")
    done = CliRunner().invoke(lava, ["validate", "--inventory", str(inventory)])
    assert done.exit_code == 2
    first, last = done.stdout.splitlines()
    assert first.startswith(f"{inventory}: vhost-1.variables.boot_interfce: ")
    assert last.endswith(": 1 fault")


def test_a_machine_without_lava_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(validation, "_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
    with pytest.raises(UsageError, match=r"LAVA's own code does not run under .*lava-server"):
        validate()
    monkeypatch.setattr(lava_config, "LAVA_TYPES", tmp_path / "none")
    with pytest.raises(UsageError, match=r"none: missing; LAVA's own device types come with"):
        validate()


@pytest.mark.parametrize("method", ["qemu", "u-boot"])
def test_the_answer_is_that_of_lava_run(tmp_path: Path, method: str) -> None:
    """One job, asked here and through LAVA's program: the same answer, good and bad."""
    kind = CATALOGUE.board_type("qemu-sim-2")
    for name in ("kernel", "ramdisk"):
        (tmp_path / name).write_bytes(b"\0")
    device = render.device(
        ROOT / "lava-jobs" / "devices" / str(kind.template),
        Board(name="b", board_type=kind.name),
        kind,
    )
    job = yaml.safe_load(
        render.job(
            ROOT / "lava-jobs" / "boot" / str(kind.job),
            board_type=kind, name="n", run_key="k", cmdline="c",
            files=render.files(kernel=tmp_path / "kernel", ramdisk=tmp_path / "ramdisk"),
            timeout_s=60,
        )
    )  # fmt: skip
    job["actions"][1]["boot"]["method"] = method
    question = {"job": yaml.safe_dump(job), "devices": {"": device}, "server": False}
    [answer] = validation._ask([json.dumps(question)])
    (tmp_path / "device.yaml").write_text(device)
    (tmp_path / "job.yaml").write_text(question["job"])  # type: ignore[arg-type]
    done = subprocess.run(
        ["lava-run", "--validate", "--job-id", "1", "--output-dir", tmp_path / "out",
         "--device", tmp_path / "device.yaml", tmp_path / "job.yaml"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (answer is None) == (done.returncode == 0) == (method == "qemu")
    if answer is not None:
        last = json.loads(
            done.stdout.splitlines()[-1] if done.stdout else done.stderr.splitlines()[-1]
        )
        assert last["msg"]["error_msg"] == answer[3]
