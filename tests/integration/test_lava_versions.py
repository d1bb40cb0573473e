# SPDX-License-Identifier: GPL-2.0-only
"""`vlag lava validate` with the newest LAVA that Debian has.

That of this machine is asked in tests/unit/test_farm_validate.py.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.integration import newer_lava
from tests.unit.lava_faults import FAULTS, change
from vlag import ROOT
from vlag.errors import UsageError
from vlag.operate.farm import lava_config
from vlag.operate.farm import validate as validation
from vlag.operate.farm.validate import validate

#: Plans of boards that boot by each boot loader, and in pairs.
PLANS = ("s1", "s5", "smoke")


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return newer_lava.unpacked(tmp_path_factory.mktemp("lava"))


@pytest.fixture
def newest(newer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_PYTHON", str(newer_lava.python(newer)))
    monkeypatch.setattr(lava_config, "LAVA_TYPES", newer_lava.device_types(newer))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "lava-jobs", tmp_path / "lava-jobs")
    shutil.copytree(ROOT / "ansible" / "inventory", tmp_path / "ansible" / "inventory")
    for plan in (tmp_path / "lava-jobs" / "plans").glob("*.yaml"):
        if plan.stem not in PLANS:
            plan.unlink()
    return tmp_path


def test_the_newer_lava_is_another_one(newer: Path) -> None:
    """Control: the two differ in what is called."""
    here = Path("/usr/lib/python3/dist-packages/lava_dispatcher/device.py").read_text()
    there = (newer / "usr/lib/python3/dist-packages/lava_dispatcher/device.py").read_text()
    assert "class PipelineDevice" in here
    assert "class PipelineDevice" not in there


def test_what_is_shipped_is_taken(files: Path, newest: None) -> None:
    report = validate(root=files)
    assert report.findings == ()
    assert report.questions > report.devices


#: Sets of faults that do not hide each other: by the devices' schema, the jobs', the actions.
SETS = (
    (
        "a key of a device that LAVA's schema does not take",
        "a static address as LAVA writes it",
    ),
    ("a key that LAVA's schema of jobs does not know",),
    ("a pair that has a key which belongs to one machine",),
    ("a boot method that the device has not",),
)


@pytest.mark.parametrize("faults", SETS, ids=lambda faults: faults[0])
def test_a_fault_is_named(files: Path, newest: None, faults: Sequence[str]) -> None:
    for fault in faults:
        name, old, new, _ = FAULTS[fault]
        change(files / name, old, new)
    findings = validate(root=files).findings
    for fault in faults:
        assert [line for line in findings if FAULTS[fault][3] in line], findings
    assert all("Traceback" not in line and "\n" not in line for line in findings)


def test_code_that_works_in_another_way_is_said(
    files: Path, newer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    shutil.copytree(newer, root, symlinks=True)
    (root / "usr/lib/python3/dist-packages/lava_dispatcher/device.py").write_text("")
    monkeypatch.setattr(validation, "_PYTHON", str(newer_lava.python(root)))
    with pytest.raises(UsageError) as refused:
        validate(root=files)
    assert "vlag knows the code of LAVA 2023.01 to 2026.10" in str(refused.value)
    assert "make setup" not in str(refused.value)
