"""Old names of commands and options answer as the new ones do."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.fuzz.properties import CAPTURES
from tests.integration.alerting import BASE, SAME, SLOW, Record, head
from vlag import ROOT
from vlag.cli import renamed
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

RAW = CAPTURES / "hackbench"
NIGHT = "--started 2026-03-01T01:30:00Z"
TRIAGE = "--why because --as alice"
TRIAGED = "--reason because --by alice"
BOOT = "nowhere --board-type qemu-sim-2 --benchmark hackbench-pipe-process"

#: Old and new command line, the status of both, and a word of their answer.
CASES = [
    (f"ack 1 --state fixed {TRIAGE}", f"alerts set 1 --state fixed {TRIAGED}", 0, "1 is fixed"),
    ("ack 1 --state fixed --why=x --as=alice",
     "alerts set 1 --state fixed --reason=x --by=alice", 0, "1 is fixed"),
    (f"ack 7 --state fixed {TRIAGE}", f"alerts set 7 --state fixed {TRIAGED}", 2, "no alert 7"),
    ("ack 1 --state fixed", "alerts set 1 --state fixed", 2, "Missing option '--reason'"),
    (f"mute 1 --until 2999-01-01 {TRIAGE}", f"alerts mute 1 --until 2999-01-01 {TRIAGED}", 2,
     "more than a year"),
    (f"unmute 1 {TRIAGE}", f"alerts unmute 1 {TRIAGED}", 2, "is not muted"),
    ("alerts 1", "alerts show 1", 0, "Alert 1: "),
    ("alerts --format json 1", "alerts show --format json 1", 0, '"alert"'),
    ("alerts 7", "alerts show 7", 2, "no alert 7"),
    (f"tell --night-key n1 {NIGHT}", f"notify night --key n1 {NIGHT}", 0, "night 1 was reported"),
    ("send", "notify send", 0, "nothing due"),
    ("send --once", "notify send", 0, "nothing due"),
    ("send --forever now", "notify send --loop now", 2, "unexpected extra argument (now)"),
    ("messages", "notify list", 0, "no messages"),
    ("messages --format json", "notify list --format json", 0, '"messages"'),
    ("messages --again 9", "notify resend 9", 2, "message 9 is not sent again"),
    ("messages --again=9 --format json", "notify resend 9 --format json", 2, "message 9"),
    ("migrate", "db migrate", 0, ""),
    ("partition", "db partition", 0, ""),
    ("userland nothing", "initramfs nothing", 2, "nothing"),
    ("recorded nowhere --plan nothing --board-type qemu-sim-2",
     "reusable-runs nowhere --plan nothing --board-type qemu-sim-2", 2, "nothing"),
    (f"submit {BOOT} --lane night --occasion x",
     f"submit {BOOT} --purpose night --request-id x", 2, "lab"),
    (f"compare --board qemu-sim-2 {RAW}/2.4-pipe.txt -- {RAW}/2.6-socket.txt",
     f"compare --board-type qemu-sim-2 {RAW}/2.4-pipe.txt -- {RAW}/2.6-socket.txt", 0, "hackbench"),
]  # fmt: skip


@pytest.fixture
def alert(
    dsn: str,
    conn: Connection,
    catalogue: Catalogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Give the commands a database with alert 1 and night 1."""
    shutil.copy(ROOT / "vlag.toml", tmp_path)
    monkeypatch.setenv("VLAG_SETTINGS", str(tmp_path / "vlag.toml"))
    monkeypatch.setenv("VLAG_DATABASE", dsn)
    record = Record(conn=conn, catalogue=catalogue, folder=tmp_path)
    record.fill(BASE, SAME)
    record.fill(head(1), SLOW)
    assert record.told(record.compare(BASE, head(1), "baseline")) == [(1, "opened")]
    assert call(f"notify night --key n1 {NIGHT}").exit_code == 0
    assert call("db partition").exit_code == 0


def call(line: str) -> Result:
    return CliRunner().invoke(main, line.split())


def _timeless(said: str) -> str:
    """Return what was printed without its times of day: a second may lie between two calls."""
    return re.sub(r"(?m)^\d\d:\d\d:\d\d", "", said)


@pytest.mark.usefixtures("alert")
def test_an_old_name_answers_as_the_new_one() -> None:
    for old, new, status, word in CASES:
        expected, answer = call(new), call(old)
        assert expected.exit_code == status, (new, expected.output)
        assert word in expected.output, (new, expected.output)
        assert answer.exit_code == status, old
        assert _timeless(answer.stdout) == _timeless(expected.stdout), old
        hint, _, rest = answer.stderr.partition("\n")
        assert _timeless(rest) == _timeless(expected.stderr), old
        assert hint.startswith(f"vlag: `vlag {old.split()[0]}"), hint
        assert hint.endswith("the old name goes away in the next release"), hint
        assert "goes away" not in expected.stderr, new


def test_every_old_name_is_tried() -> None:
    lines = [(old.split(), renamed.current(old.split())) for old, *_ in CASES]
    hints = "\n".join(hint or "" for _, (_, hint) in lines)
    missing = [old for old in renamed.COMMANDS if f"`vlag {old}" not in hints]
    assert missing == []
    for command, options in renamed.OPTIONS.items():
        for option in options:
            tried = [
                words for words, (now, _) in lines
                if " ".join(now).startswith(command)
                and any(word.partition("=")[0] == option for word in words)
            ]  # fmt: skip
            assert tried, f"{command}: {option}"
