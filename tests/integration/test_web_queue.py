"""The page that says who waits for boards, as a real Buildbot master tells it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from tests.integration.test_board_queue import Start, ask, ask_for_run, start, wait_for
from tests.integration.webpages import read, table, text
from tests.integration.websites import application, visitor
from vlag import ROOT, config
from vlag.buildbot import Web
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.operate.farm import queue

__all__ = ["start"]  # a fixture


@pytest.fixture
def known(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLAG_DATABASE", dsn)


def of_port(port: int, folder: Path) -> Settings:
    text = (ROOT / "vlag.toml").read_text()
    path = folder / "settings.toml"
    path.write_text(text.replace("web = 8010", f"web = {port}"))
    return config.load(path)


def page(dsn: str, folder: Path, port: int, catalogue: Catalogue, status: int = 200) -> str:
    """Return the page of a site whose master listens on a port."""
    found = of_port(port, folder)

    def now() -> tuple[list[queue.Queue], int]:
        return queue.current(found, catalogue, datetime.datetime.now(datetime.UTC))

    return read(visitor(application(dsn, folder, queue=now)), "/queue", status)


def port_of(web: Web) -> int:
    return int(web._root.split(":")[2].split("/")[0])


@pytest.mark.usefixtures("known")
def test_who_waits_and_what_runs(
    start: Start,
    dsn: str,
    catalogue: Catalogue,
    tmp_path: Path,
) -> None:
    web = start()
    ask_for_run(web, "the first", "night")
    wait_for(lambda: any(i.jobs for i in queue.of_buildbot(web, catalogue)[0]))
    for purpose in ("push", "person"):
        ask_for_run(web, f"<b>for a {purpose}", purpose)
    ask_for_run(web, "on a board that is not there", "night", "rpi5")
    ask(web, "kernel", label="a kernel")
    found = page(dsn, tmp_path, port_of(web), catalogue)
    _, *rows = table(found, "queue of qemu-sim-2")
    assert [r[:3] for r in rows] == [
        ["the first", "runs, lab home", "night"],
        ["<b>for a person", "waits", "person"],
        ["<b>for a push", "waits", "push"],
    ]
    # Each has its time: what waits begins when what runs before it is due.
    due = [r[5] for r in rows]
    assert "-" not in due
    assert due == sorted(due)
    _, lost = table(found, "queue of rpi5")
    assert lost[0] == "on a board that is not there"
    assert lost[4:] == ["-", "-"]
    assert "No board of this type is in service" in text(found)
    assert "1 kernel waits to be built" in text(found)


@pytest.mark.usefixtures("known")
def test_an_idle_master_keeps_nobody_waiting(
    start: Start,
    dsn: str,
    catalogue: Catalogue,
    tmp_path: Path,
) -> None:
    said = text(page(dsn, tmp_path, port_of(start()), catalogue))
    assert "0 running, 0 waiting" in said
    assert "to be built" not in said


@pytest.mark.usefixtures("known")
def test_a_master_that_is_away_or_another_is_said(
    start: Start,
    dsn: str,
    catalogue: Catalogue,
    tmp_path: Path,
) -> None:
    other = page(dsn, tmp_path, port_of(start(("board",))), catalogue, 503)
    assert "no builder kernel: is this vlag's master?" in text(other)
    away = text(page(dsn, tmp_path, 1, catalogue, 503))
    assert "The queue is unknown now: Buildbot's web interface" in away
    assert "database" not in away


def test_a_site_without_a_master_says_whom_to_ask(dsn: str, tmp_path: Path) -> None:
    said = text(read(visitor(application(dsn, tmp_path)), "/queue"))
    assert "vlag boards queue" in said
