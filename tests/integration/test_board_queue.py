# SPDX-License-Identifier: GPL-2.0-only
"""The queue as a real Buildbot master tells it."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests import http_stand_in
from tests.http_stand_in import Answer, Request
from tests.integration.buildbots import Start, ask, ask_for_run, start
from tests.waiting import until
from vlag.buildbot import Web
from vlag.cli.boards import boards as commands
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, InfrastructureError, UsageError
from vlag.model import Purpose
from vlag.operate.farm import queue

__all__ = ["start"]  # fixtures


def test_running_and_waiting_runs_in_their_order(start: Start, catalogue: Catalogue) -> None:
    web = start()
    ask_for_run(web, "first", "night")
    until(lambda: any(i.jobs for i in queue.of_buildbot(web, catalogue)[0]))
    for purpose in ("push", "night", "confirm", "person", ""):
        ask_for_run(web, f"a {purpose}", purpose)
    ask(web, "kernel", label="a kernel")
    items, kernels = queue.of_buildbot(web, catalogue)
    assert kernels == 1
    assert {i.what: i.purpose for i in items} == {
        "first": Purpose.NIGHT,
        "a push": Purpose.PUSH,
        "a night": Purpose.NIGHT,
        "a confirm": Purpose.CONFIRM,
        "a person": Purpose.PERSON,
        "a ": Purpose.PERSON,  # by hand, on the web page
    }
    [running] = [i for i in items if i.started_at is not None]
    assert (running.what, running.lab, running.jobs) == ("first", "home", ("7",))
    assert {i.estimate_s for i in items} == {12 + 3 * 4}
    now = datetime.datetime.now(datetime.UTC)
    pair = [b for b in catalogue.boards if b.board_type == "qemu-sim-2"]
    [found] = queue.plan(items, pair, pair, {}, now=now)
    assert [d.item.what for d in found.waiting][2:] == ["a confirm", "a night", "a push"]
    assert found.free_at is not None
    assert found.free_at > now


def settings_of(web: Web, folder: Path) -> Path:
    """Write the settings of a master that runs."""
    port = int(web._root.split(":")[2].split("/")[0])
    settings = folder / "vlag.toml"
    settings.write_text(
        'state = "var"\nbranches = [{tree = "debian", branch = "a", baseline = "b",'
        ' board_types = ["qemu-sim-2"], plan = "nightly"}]\n'
        f"ports = {{postgresql = 1, web = {port}, worker = 2}}\n"
        'trees.debian.packages."linux-6.1" = "linux-source-6.1"\n'
        "nightly = {hour = 1, minute = 30}\nbuild = {jobs = 0, poll_interval_s = 30}\n"
    )
    return settings


def test_the_command_shows_it(
    start: Start, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = start()
    ask_for_run(web, "a night's run", "night")
    ask_for_run(web, "for a board that is not there", "night", "rpi5")
    monkeypatch.setenv("VLAG_SETTINGS", str(settings_of(web, tmp_path)))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    found = CliRunner().invoke(commands, ["queue"])
    assert found.exit_code == ExitCode.OK, found.output
    assert "a night's run" in found.output
    assert "rpi5: 0 boards, " in found.output
    assert max(map(len, found.output.splitlines())) <= queue.WIDTH
    document = json.loads(CliRunner().invoke(commands, ["queue", "--format", "json"]).output)
    [rpi5] = [t for t in document["board_types"] if t["board_type"] == "rpi5"]
    assert len(rpi5["running"] + rpi5["waiting"]) == 1


#: Asks as `vlag boards queue` does, in a process without a test's handlers of logs.
_COMMAND = "from vlag.cli.boards import boards; boards(['queue'])"
#: The same in a program that shows what all libraries log; and where this one may say all.
_SHOWN = "import logging; logging.basicConfig();"
_LOUD = (
    _SHOWN + "import vlag.lava.rest;"
    "logging.getLogger('urllib3.connectionpool').setLevel(logging.WARNING);"
)


@pytest.mark.parametrize(
    ("before", "silent"), [("", True), (_SHOWN, True), (_LOUD, False)], ids=["", "shown", "loud"]
)
def test_a_request_that_was_repeated_says_nothing(
    start: Start, dsn: str, tmp_path: Path, before: str, silent: bool
) -> None:
    """A lab that restarts just then cuts the line.  Negative control: a library that may speak."""
    none = json.dumps({"count": 0, "next": None, "previous": None, "results": []}).encode()
    answers = iter([None])

    def answer(_: Request) -> Answer | None:
        return next(answers, Answer(headers={"Content-Type": "application/json"}, body=none))

    settings = settings_of(start(), tmp_path)
    (tmp_path / "token").write_text("t0k3n\n")
    (tmp_path / "token").chmod(0o600)
    with http_stand_in.served(answer) as lab:
        with settings.open("a") as more:
            more.write(
                f'[labs.home]\nurl = "{lab.url}"\ntoken_file = "token"\n'
                'artifacts = "http://127.0.0.1:8020"\n'
            )
        done = subprocess.run(
            [sys.executable, "-c", before + _COMMAND], capture_output=True, text=True, check=False,
            env={**os.environ, "VLAG_SETTINGS": str(settings), "VLAG_DATABASE": dsn},
        )  # fmt: skip
        assert done.returncode == ExitCode.OK, done.stderr
        assert len(lab.requests) == 2
    assert ("Retrying (Retry(total=1" in done.stderr) is not silent
    assert (done.stderr == "") is silent


def test_another_master_is_not_taken_for_ours(start: Start, catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match="Buildbot has no builder kernel: is this vlag's master"):
        queue.of_buildbot(start(("board",)), catalogue)


def test_no_master_is_one_sentence(catalogue: Catalogue) -> None:
    with pytest.raises(InfrastructureError, match="Buildbot's web interface: GET /builders"):
        queue.of_buildbot(Web(1), catalogue)
