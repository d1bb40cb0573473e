# SPDX-License-Identifier: GPL-2.0-only
"""Lines of progress reach who shows them, once and in order; those of others reach nobody."""

from __future__ import annotations

import io
import logging
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests import settings_files
from tests.repositories import bare
from tests.screens import Pseudo, shown
from vlag import config, progress_log
from vlag.cli.main import main
from vlag.errors import ExitCode
from vlag.kernel import mirror
from vlag.model import Board
from vlag.operate.service.parts import serve_part
from vlag.pipeline.side_by_side import side_by_side

LOG = logging.getLogger("vlag.kernel.mirror")
TIME = r"\d\d:\d\d:\d\d"


@pytest.fixture
def root() -> Iterator[io.StringIO]:
    """What a library would print that has given the root logger a handler."""
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    logging.getLogger().addHandler(handler)
    yield printed
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Return settings that watch a repository of one commit."""
    url = tmp_path / "tiny.git"
    stream = "commit refs/heads/main\ncommitter x <x@localhost> 1 +0000\ndata 1\nx\n"
    bare(url, stream)
    path = tmp_path / "vlag.toml"
    tree = f'[trees.tiny]\nurl = "{url}"'
    path.write_text(
        settings_files.settings(trees=tree, tree="tiny", branch="main", baseline="main")
    )
    return path


def test_a_verb_prints_progress_on_stderr_once_and_in_order(
    settings: Path, root: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    url = settings.with_name("tiny.git")
    for verb in ("cloning {}; a kernel tree takes some minutes", "fetching {}"):
        done = CliRunner(env={"VLAG_SETTINGS": str(settings)}).invoke(main, ["mirror"])
        assert (done.exit_code, done.stdout) == (0, "")
        assert re.fullmatch(f"{TIME} {re.escape(verb.format(url))}\n", done.stderr)
    assert root.getvalue() == ""
    # Negative control: without a verb nobody reads the lines, and a verb leaves nothing behind.
    mirror.clone(settings.with_name("mine.git"), str(url))
    assert tuple(capfd.readouterr()) == ("", "")
    logger = logging.getLogger("vlag")
    assert (logger.handlers, logger.level, logger.propagate) == ([], logging.NOTSET, True)


def test_lines_keep_their_order_and_any_character(root: io.StringIO) -> None:
    lines = ["100 % of %s", "", "two\nlines", "{braces}"]
    shown: list[str] = []
    with progress_log.shown(shown.append):
        for line in lines:
            LOG.info(line)
        LOG.debug("of no use to a person")
    assert shown == lines
    # Negative control: the handler of the root logger has a line as soon as nobody else reads it.
    logging.getLogger("vlag").setLevel(logging.INFO)
    LOG.info("seen")
    logging.getLogger("vlag").setLevel(logging.NOTSET)
    assert root.getvalue() == "seen\n"


def test_an_inner_reader_takes_the_place_of_the_outer_one() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with progress_log.shown(outer.append):
        with progress_log.shown(inner.append):
            LOG.info("a")
        with progress_log.diverted(inner.append):
            LOG.info("b")
        with progress_log.silenced():
            LOG.info("c")
        LOG.info("d")
    LOG.info("e")
    assert (outer, inner) == (["d"], ["a", "b"])


def test_a_reader_that_stops_the_work_stops_it() -> None:
    def stop(line: str) -> None:
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt, match="now"), progress_log.shown(stop):
        LOG.info("now")


def test_two_threads_with_readers_of_their_own_stay_apart() -> None:
    lines: dict[str, list[str]] = {"one": [], "two": [], "process": []}
    together = threading.Barrier(3)

    def work(name: str) -> None:
        if name == "process":  # negative control: a thread without a reader of its own
            log_twice(name)
            return
        with progress_log.diverted(lines[name].append):
            log_twice(name)

    def log_twice(name: str) -> None:
        for number in range(2):
            together.wait(timeout=60)
            LOG.info(f"{name} {number}")

    with progress_log.shown(lines["process"].append):
        threads = [threading.Thread(target=work, args=[name]) for name in lines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert lines == {name: [f"{name} 0", f"{name} 1"] for name in lines}


def test_what_boards_log_side_by_side_reaches_the_reader_of_the_caller() -> None:
    boards = [Board(name=name, board_type="qemu-sim-2") for name in ("one", "two")]
    own: list[str] = []
    process: list[str] = []

    def work(board: Board, item: int) -> int:
        LOG.info(f"boot {item}")
        return item

    with progress_log.shown(process.append), progress_log.diverted(own.append):
        assert side_by_side(boards, range(4), work) == [0, 1, 2, 3]
        # Negative control: another thread has the process's reader.
        thread = threading.Thread(target=work, args=[boards[0], 9])
        thread.start()
        thread.join()
    assert (sorted(own), process) == ([f"boot {n}" for n in range(4)], ["boot 9"])


def test_a_part_of_the_service_prints_on_its_own_stream(settings: Path) -> None:
    out = io.StringIO()
    verb: list[str] = []
    loaded = config.load(settings)
    with progress_log.shown(verb.append):
        status = serve_part(loaded, "master", host=None, until=None, wait_s=0, out=out)
        assert status == ExitCode.USAGE
        assert out.getvalue().startswith(f"{settings}: database: missing")
        assert out.getvalue().count("\n") == 1
        LOG.info("after it")  # negative control: the verb's reader is back
    assert verb == ["after it"]


def test_names_of_others_cannot_print_control_characters() -> None:
    out = io.StringIO()
    with progress_log.shown(progress_log.printer(out)):
        LOG.info("branch \x1b[2Jx\nand y")
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().endswith("x\nand y\n")


@pytest.mark.parametrize("name", ["urllib3.connectionpool", "alembic.runtime.migration", "vlagged"])
def test_a_foreign_library_stays_silent(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    with progress_log.shown(shown.append):
        logging.getLogger(name).info("Running upgrade")
        LOG.info("ours")  # negative control
    assert shown == ["ours"]
    assert tuple(capfd.readouterr()) == ("", "")


def test_a_terminal_has_a_block_below_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Pseudo(columns=40)
    with terminal.stream() as stream:
        with progress_log.shown(progress_log.printer(stream)):
            progress_log.now(["1 of 3 runs", "booting\x1b[2J and measuring " + "x" * 40])
            LOG.info("run 1 (1 of 3 runs)")
            progress_log.now(["2 of 3 runs"])
            LOG.info("run 2")
        LOG.info("nobody reads this")
    sent = terminal.close()
    lines = ["run 1 (1 of 3 runs)", "run 2"]
    assert shown(sent[: sent.rindex("\x1b[1A")], 40) == [*lines, "2 of 3 runs"]
    # At the end the lines are left, without the block.
    assert shown(sent, 40) == lines
    # While it stood it was one line each, whatever a name had in it.
    assert "booting [2J and measuring xxxxxxxxxxxxx" in sent
    assert all(len(line) < 40 for line in sent.splitlines())


@pytest.mark.parametrize("name", ["dumb", None])
def test_what_cannot_move_its_cursor_has_lines_alone(
    monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    if name is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", name)
    terminal = Pseudo()
    with terminal.stream() as stream, progress_log.shown(progress_log.printer(stream)):
        progress_log.now(["1 of 3 runs"])
        LOG.info("run 1")
    assert terminal.close() == "run 1\r\n"
    # A file is no terminal, whatever the environment says.
    monkeypatch.setenv("TERM", "xterm")
    printed = io.StringIO()
    with progress_log.shown(progress_log.printer(printed)):
        progress_log.now(["1 of 3 runs"])
        LOG.info("run 1")
    assert printed.getvalue() == "run 1\n"
