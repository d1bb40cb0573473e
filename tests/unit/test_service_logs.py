# SPDX-License-Identifier: GPL-2.0-only
"""Logs of the service's programs: the last starts' are kept, and none grows without bound."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from vlag.operate.service import logs


def older(path: Path) -> dict[str, str]:
    """Return the text of each older log by the end of its name."""
    found = path.parent.glob(f"{path.name}.*")
    return {p.suffix[1:]: p.read_text() for p in found}


def test_the_logs_of_the_last_starts_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "master.log"
    for n in range(logs.KEPT + 3):
        logs.begin(path).write_text(f"start {n}")
    newest = logs.KEPT + 2
    assert path.read_text() == f"start {newest}"
    assert older(path) == {str(n): f"start {newest - n}" for n in range(1, logs.KEPT + 1)}
    # One from long ago goes.
    past = time.time() - (logs.DAYS + 1) * 86_400
    os.utime(path.with_name("master.log.2"), (past, past))
    logs.begin(path)
    assert f"start {newest - 2}" not in older(path).values()
    assert f"start {newest - 1}" in older(path).values()


def test_a_program_that_says_much_goes_on_in_a_short_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LARGEST", 1000)
    path = logs.begin(tmp_path / "master.log")
    with (
        path.open("ab") as log,
        subprocess.Popen(
            ["sh", "-c", "seq 500; read go; echo after"], stdin=subprocess.PIPE, stdout=log
        ) as program,
    ):
        while not path.read_text().endswith("\n500\n"):
            time.sleep(0.01)
        logs.bound(path)
        assert path.read_text() == ""
        program.communicate(b"\n")
    assert path.read_text() == "after\n"
    assert older(path)["1"].splitlines() == [str(n) for n in range(1, 501)]
    # Negative control: one of usual size stays as it is.
    logs.bound(path)
    assert path.read_text() == "after\n"
