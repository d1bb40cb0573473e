# SPDX-License-Identifier: GPL-2.0-only
"""What workers/buildbot.tac makes of the lines that a command prints."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from buildbot_worker.bot import Worker
from buildbot_worker.util.lineboundaries import LineBoundaryFinder
from twisted.application import service

from vlag import ROOT

#: Of so many bytes the worker reads at once.
_CHUNK = 1 << 16


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    password = tmp_path / "password"
    password.write_text("secret\n")
    for name, value in {
        "PASSWORD_FILE": str(password),
        "NAMES": "one",
        "BASEDIR": str(tmp_path),
    }.items():
        monkeypatch.setenv(f"VLAG_WORKER_{name}", value)
    monkeypatch.setenv("VLAG_MASTER_PORT", "1")
    made = runpy.run_path(str(ROOT / "workers" / "buildbot.tac"))
    services: Any = service.IServiceCollection(made["application"])
    [found] = services
    assert isinstance(found, Worker)
    return found


def passed_on(bot: Any, text: str) -> str:
    """Return what a bot passes on of a text that it reads in pieces."""
    finder = LineBoundaryFinder(bot.max_line_length, bot.newline_re)
    pieces = [finder.append(text[n : n + _CHUNK], 0.0) for n in range(0, len(text), _CHUNK)]
    return "".join(piece[0] for piece in (*pieces, finder.flush()) if piece is not None)


def test_an_answer_of_many_boots_arrives_whole(worker: Any) -> None:
    boots = [{"label": f"seed {n} beside its toggles", "seed": n} for n in range(10_000)]
    text = f"12:00:00 progress\n{json.dumps({'boots': boots})}\n"
    assert passed_on(worker.bot, text) == text
    # Negative control: a worker as Buildbot has it.
    worker.bot.max_line_length = 4096
    assert passed_on(worker.bot, text) != text
