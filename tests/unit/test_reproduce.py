# SPDX-License-Identifier: GPL-2.0-only
"""What the folder that repeats boots has, without booting anything."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any, cast

import pytest
from attrs import evolve

from vlag.bundle_records import RunRecord
from vlag.cli.main import main
from vlag.cli.reproduce import shown_by
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava.initramfs import Userland
from vlag.model import Direction, Metric, Observation
from vlag.pipeline.reproduce import POLICY, Recorded, pack, write
from vlag.report.document import OriginRun

EMULATOR = {"program": "qemu-system-x86_64", "version": "10.0.2", "sha256": "e" * 64}


def document(**changes: Any) -> RunRecord:
    kernel = {
        "commit": "c" * 40, "describe": "v6.12.1", "subject": "Linux 6.12.1",
        "digest": "d" * 64, "patches": [],
    }  # fmt: skip
    record = {
        "kernel": kernel, "release": "6.12.1", "seed": 3, "image_sha256": "a" * 64,
        "benchmark": "stress-ng-switch",
        "argv": {"main": ["stress-ng", "--switch", "2"]}, "knobs": {}, "observes": None,
        "outcome": "complete", "reason": None, "output": "raw/stress-ng.txt",
        "estimate_s": 15.0, "board": {"emulator": EMULATOR}, **changes,
    }  # fmt: skip
    return cast("RunRecord", record)


@pytest.fixture
def lockstep(tmp_path: Path) -> Path:
    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("lockstep.c", "lockstep.so"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def run(tmp_path: Path, catalogue: Catalogue) -> Recorded:
    folder = tmp_path / "run"
    (folder / "raw").mkdir(parents=True)
    (folder / "raw/stress-ng.txt").write_text("it was fast\n")
    (folder / "run.json").write_text(json.dumps(document()))
    console = "Linux version\njunk @vlag:start\n@vlag:metric bogo-ops-rate pass 12.5 1/s\nbye\n"
    (folder / "console.log").write_text(console)
    for name in ("image", "userland"):
        (tmp_path / name).write_text(name)
    return Recorded(
        folder=folder, document=document(), name="stress-ng-switch-seed3",
        board_type=catalogue.board_types["qemu-sim-2"], image=tmp_path / "image",
        userland=Userland(path=tmp_path / "userland", sha256="u", packages={}), entry=b"entry",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("observes", "argument"),
    [("profile", "version=2"), ("decisions", "at=3:1f:2a"), ("caches", "at=1:1f:2a")],
)
def test_a_boot_that_its_emulator_observed_takes_the_plugin_along(
    run: Recorded,
    lockstep: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    observes: str,
    argument: str,
) -> None:
    monkeypatch.setattr(
        "vlag.pipeline.reproduce.places_of",
        lambda _, observes: "" if observes is Observation.PROFILE else ":1f:2a",
    )
    included = {"cpu.h", "guest.h", "lines.h", "packed.h", "plugin.h"}
    files = {f"{observes}.c", f"{observes}.so"} | included
    for name in files:
        (lockstep / name).write_text(name)
    seen = evolve(run, document=document(observes=observes))
    write([seen], tmp_path / "observed", lockstep)
    options = next((tmp_path / "observed/boots").glob("*/options")).read_text().splitlines()
    assert options[-2:] == ["-plugin", f"./{observes}.so,{argument}"]
    assert files <= {path.name for path in (tmp_path / "observed").iterdir()}
    # Negative control: a scored boot has none of it.
    write([run], tmp_path / "scored", lockstep)
    assert not files & {path.name for path in (tmp_path / "scored").iterdir()}
    assert "-plugin" not in next((tmp_path / "scored/boots").glob("*/options")).read_text()


def test_the_folder_is_whole(run: Recorded, lockstep: Path, tmp_path: Path) -> None:
    target = tmp_path / "folder"
    other = evolve(run, document=document(seed=4))
    write([run, other], target, lockstep)
    check = subprocess.run(
        ["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=target, check=False
    )
    assert check.returncode == 0
    files = {str(p.relative_to(target)) for p in target.rglob("*") if p.is_file()}
    assert {"reproduce", "README", "emulator", "lockstep.so", "lockstep.c"} <= files
    # One image and one userland for both boots, whose names differ.
    assert sum(name.startswith("images/") for name in files) == 1
    boot = target / "boots" / "stress-ng-switch-seed3"
    assert (target / "boots" / "stress-ng-switch-seed3-2").is_dir()
    assert (target / (boot / "image").read_text().strip()).read_text() == "image"
    lines = "@vlag:start\n@vlag:metric bogo-ops-rate pass 12.5 1/s\n"
    assert (boot / "expected").read_text() == lines
    assert "-icount\nshift=1,sleep=off\n" in (boot / "options").read_text()
    assert "rdinit=/vlag/init" in (boot / "cmdline").read_text()
    readme = (target / "README").read_text()
    assert "bogo-ops-rate: 12.5 1/s" in readme
    assert "    it was fast" in readme
    with pytest.raises(UsageError, match="exists; name a new folder"):
        write([run], target, lockstep)


def test_hardware_has_its_policy_in_words_and_no_script(
    run: Recorded, catalogue: Catalogue, lockstep: Path, tmp_path: Path
) -> None:
    board = catalogue.board_types["rpi5"]
    board = evolve(board, policy=(*board.policy, "turbo off optional"))
    told = document(board={"emulator": None}, knobs={"frequency_khz": "1500000"})
    on_board = evolve(run, board_type=board, document=told)
    write([on_board], tmp_path / "folder", lockstep)
    readme = (tmp_path / "folder" / "README").read_text()
    assert "This board is hardware" in readme
    lines = readme.splitlines()
    assert "  - frequency governor performance" in lines
    assert "  knob: frequency_khz=1500000" in lines
    assert any(x.startswith("  - turbo") and x.endswith(" (where the board has it)") for x in lines)
    assert len([x for x in readme.splitlines() if x.startswith("  - ")]) == len(board.policy)
    assert "{}" not in readme
    assert not (tmp_path / "folder" / "reproduce").exists()
    assert not (tmp_path / "folder" / "lockstep.so").exists()


def test_every_setting_of_a_policy_has_words(catalogue: Catalogue) -> None:
    used = {line.split()[0] for b in catalogue.board_types.values() for line in b.policy}
    assert used <= POLICY.keys()


def test_runs_that_do_not_belong_together_are_refused(
    run: Recorded, catalogue: Catalogue, lockstep: Path, tmp_path: Path
) -> None:
    board = evolve(run, board_type=catalogue.board_types["qemu-sim-4"])
    with pytest.raises(UsageError, match="several board types: qemu-sim-2, qemu-sim-4"):
        write([run, board], tmp_path / "a", lockstep)
    newer = evolve(run, document=document(board={"emulator": {**EMULATOR, "version": "11"}}))
    with pytest.raises(UsageError, match="different emulators"):
        write([run, newer], tmp_path / "b", lockstep)
    (lockstep / "lockstep.so").unlink()
    with pytest.raises(UsageError, match=r"lockstep\.so is missing"):
        write([run], tmp_path / "c", lockstep)
    assert not {"a", "b", "c"} & {p.name for p in tmp_path.iterdir()}


def test_an_archive_names_no_user_of_this_machine(
    run: Recorded, lockstep: Path, tmp_path: Path
) -> None:
    write([run], tmp_path / "folder", lockstep)
    packed = pack(tmp_path / "folder")
    with tarfile.open(packed) as archive:
        members = archive.getmembers()
    assert {m.uid for m in members} == {0}
    assert members[0].name == "folder"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name runs, or give --comparison or --alert"),
        (["/nowhere"], "/nowhere: no run; name the folder of a run, or its number on record"),
        (["/nowhere", "--alert", "3"], "name runs, or give --comparison or --alert"),
        (["/nowhere", "--benchmark", "x"], "--benchmark is for --comparison and --alert"),
    ],
)
def test_wrong_requests_get_a_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["reproduce", *words])
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def behind(side: str, values: list[float], first: int = 6) -> list[OriginRun]:
    return [
        OriginRun(
            side=side, id=100 * (side == "new") + seed, seed=seed, board="sim2-1", marked=False,
            raw="", job=None, config=None, reproduce="", screen=False, values={"median": value},
        )
        for seed, value in enumerate(values, first)
    ]  # fmt: skip


def test_a_boot_that_shows_the_new_mode_is_taken_with_the_base_s_of_its_seed() -> None:
    rate = Metric(
        name="rate", unit="1/s", direction=Direction.HIGHER, relevance=0.01, resolution=0.01
    )
    steady = [1000.0, 1001.0, 999.0, 1000.5, 999.5]

    def taken(new: list[float], metric: Metric | None = rate, first: int = 6) -> list[int]:
        runs = [*behind("base", steady, first), *behind("new", new)]
        return [run["id"] for run in shown_by(runs, "median", metric)]

    assert taken([1000.0, 1001.0, 620.0, 999.0, 621.0]) == [8, 108]
    # The base has not booted that seed: any of its boots will do.
    assert taken([1000.0, 1001.0, 620.0, 999.0, 621.0], first=20) == [20, 108]
    # Negative controls: no mode, a change of all, and a metric that the catalogue has no more.
    assert taken([1000.0, 1001.0, 999.0, 999.0, 1000.0]) == [6, 106]
    assert taken([620.0, 621.0, 622.0, 620.0, 621.0]) == [6, 106]
    assert taken([1000.0, 1001.0, 620.0, 999.0, 621.0], None) == [6, 106]
