# SPDX-License-Identifier: GPL-2.0-only
"""The emulator of a deterministic board on a busy machine, with lockstep and without.

The guest is a ROM of a few hundred bytes that does in a second what makes a kernel's figures
differ now and then: it sleeps until a timer wakes it, over and over.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.emulated_guest import argv, boot, load, rom
from vlag import ROOT
from vlag.bundle_records import EmulatorRecord
from vlag.config import catalogue
from vlag.errors import UsageError
from vlag.model import BoardType
from vlag.pipeline.boot import emulator_of

BOARD_TYPE = catalogue.load().board_types["qemu-sim-2"]
PLAIN, TURNS = str(BOARD_TYPE.emulator), str(BOARD_TYPE.command)
#: Boots without lockstep until one must have differed.  docs/evidence/records.md has shares.
MOST = 120


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rom(tmp_path_factory.mktemp("guest"))


def test_a_busy_machine_changes_nothing(image: Path) -> None:
    with load(), ThreadPoolExecutor(2) as pool:
        said = set(pool.map(lambda _: boot(TURNS, BOARD_TYPE, image), range(6)))
        assert len(said) == 1
        # Negative control: the emulator alone, on the same machine.
        others = pool.map(lambda _: boot(PLAIN, BOARD_TYPE, image), range(MOST))
        assert any(other not in said for other in others), "this load proves nothing"
        pool.shutdown(cancel_futures=True)


def test_a_slow_reader_of_the_console_changes_nothing(image: Path) -> None:
    quick = boot(TURNS, BOARD_TYPE, image)
    assert boot(TURNS, BOARD_TYPE, image, slowly=True) == quick
    # Negative control: the letters cost the guest time, which its last digest tells.
    assert boot(PLAIN, BOARD_TYPE, image, slowly=True) != quick


def test_a_guest_that_never_sleeps_can_be_ended(tmp_path: Path) -> None:
    """LAVA ends a board that hangs; it must not have to wait until the guest sleeps."""
    with subprocess.Popen(
        argv(TURNS, BOARD_TYPE, rom(tmp_path, "busy")),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stderr is not None
        assert child.stderr.readline() == "lockstep 1\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(1)  # its main loop stands still by now
        child.send_signal(signal.SIGTERM)
        assert child.wait(20) == 0


def test_it_is_a_part_of_the_boards_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = emulator_of(BOARD_TYPE)
    assert known is not None
    assert known["lockstep"] == "1"
    plain = catalogue.load().board_types["qemu"]
    assert "lockstep" not in (emulator_of(plain) or {})
    # Another version is another identity; a wrapper that preloads nothing is refused.
    assert installed(tmp_path, monkeypatch, "#define VERSION 1", "#define VERSION 2") != known
    (tmp_path / "bin" / TURNS).write_text(f'#!/bin/sh\nexec {PLAIN} "$@"\n')
    with pytest.raises(UsageError, match="names no version of lockstep: `make setup` installs"):
        emulator_of(BOARD_TYPE)
    (tmp_path / "lib/vlag/lockstep.so").unlink()
    (tmp_path / "bin" / TURNS).unlink()
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(str(shutil.which(PLAIN))).parent}")
    with pytest.raises(UsageError, match=f"{TURNS} is missing: `make setup` installs it"):
        emulator_of(BOARD_TYPE)


def installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> EmulatorRecord | None:
    """Return the identity with a changed lockstep installed in `folder`."""
    shutil.copytree(ROOT / "lava-jobs/lockstep", folder / "lockstep")
    source = folder / "lockstep/lockstep.c"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    subprocess.run([folder / "lockstep/install", folder, PLAIN], check=True)
    monkeypatch.setenv("PATH", f"{folder}/bin", prepend=":")
    return emulator_of(BOARD_TYPE)


def test_a_library_that_is_gone_is_no_plain_emulator(tmp_path: Path) -> None:
    """What cannot be preloaded is passed over by the loader with a warning."""
    subprocess.run([ROOT / "lava-jobs/lockstep/install", tmp_path, PLAIN], check=True)
    (tmp_path / "lib/vlag/lockstep.so").unlink()
    done = subprocess.run(
        [tmp_path / "bin" / TURNS, "--version"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 127
    assert "lockstep.so is missing" in done.stderr


def test_all_deterministic_board_types_have_it() -> None:
    kinds: list[BoardType] = list(catalogue.load().board_types.values())
    assert {k.name for k in kinds if k.command != k.emulator} == {
        k.name for k in kinds if k.deterministic
    }
