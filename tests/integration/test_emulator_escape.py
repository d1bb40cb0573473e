# SPDX-License-Identifier: GPL-2.0-only
"""A guest that has taken over its emulator: the emulator starts no program, and changes no user."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import until

BARE, BOARDS = "qemu-system-x86_64", "lockstep-qemu-system-x86_64"
_MACHINE = (
    "-machine",
    "none",
    "-nodefaults",
    "-no-user-config",
    "-display",
    "none",
    "-qmp",
    "stdio",
)


@pytest.fixture
def emulator(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """An emulator whose monitor obeys us, as it obeys code that runs in it."""
    with subprocess.Popen(
        [request.param, *_MACHINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "QMP" in process.stdout.readline()
        yield process
        process.kill()


def ask(process: subprocess.Popen[str], command: str, **words: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"execute": command, "arguments": words}) + "\n")
    process.stdin.flush()
    return process.stdout.readline()


def starts_a_program(process: subprocess.Popen[str], path: Path) -> str:
    """Let the emulator start `touch`; return its answer."""
    ask(process, "qmp_capabilities")
    return ask(process, "migrate", uri=f"exec:cat >/dev/null; touch {path}")


@pytest.mark.parametrize("emulator", [BOARDS], indirect=True)
def test_the_emulator_of_a_board_starts_no_program(
    emulator: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert "Operation not permitted" in starts_a_program(emulator, tmp_path / "made")
    assert not (tmp_path / "made").exists()
    status = Path(f"/proc/{emulator.pid}/status").read_text()
    assert "\nSeccomp:\t2\n" in status
    assert "\nNoNewPrivs:\t1\n" in status


@pytest.mark.parametrize("emulator", [BARE], indirect=True)
def test_an_emulator_without_its_filter_does(
    emulator: subprocess.Popen[str], tmp_path: Path
) -> None:
    """Control."""
    assert "return" in starts_a_program(emulator, tmp_path / "made")
    until((tmp_path / "made").exists, str)
