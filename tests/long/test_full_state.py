# SPDX-License-Identifier: GPL-2.0-only
"""A running service whose whole state folder is full for a while: its night goes on, all of it."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests import full_disk
from tests.integration.installation import PACKAGES, Installation, copy_checkout
from tests.long.attacked import folder_of_ours
from tests.waiting import until
from vlag.buildbot import PAGES, RETRY, SUCCESS, UI

pytestmark = pytest.mark.long

#: Bytes: a service starts with 8 GB free.
DISK = 10 << 30
#: How often a stage is begun in vain: at the second time a step without patience gave up.
IN_VAIN = 3
#: Of one stage that is begun twice.
OTHER = ("at", "host", "--board")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Installation]:
    """A service with its state on a disk of its own, whose stages ask the real database."""
    with folder_of_ours("vlag-full-") as folder:
        made = Installation(folder, copy_checkout(tmp_path / "checkout"), new=True)
        made.configure(PACKAGES, nights="short")
        made.behave(asks_database=["ingest", "run"], runs=4)
        with full_disk.mounted(made.state, DISK):
            reports = made.state / "reports"
            reports.mkdir()
            # So that no first night is begun.
            (reports / "2026-01-01T000000Z.txt").write_text("an earlier night\n")
            try:
                yield made
            finally:
                made.end()


def test_a_first_start_waits_for_room(service: Installation) -> None:
    """Its pages say for what, and nobody has to start it again."""

    def last() -> str:
        return service.said().splitlines()[-1]

    def page(path: str) -> str:
        try:
            return requests.get(f"http://127.0.0.1:{service.ports['web']}/{path}", timeout=60).text
        except requests.ConnectionError as e:  # they start again
            return str(e)

    filler = service.state / "other"
    with full_disk.full(service.state):
        process = service.start(once=False)
        until(lambda: "No space left on device" in service.said(), service.said)
        until(lambda: "next start in 20 s" in last(), service.said)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, DISK // 2)
    until(lambda: "GB are free under" in last(), service.said)
    lacks = re.match(r".*needs 8: make room, or change state in \S+/vlag\.toml", last())
    assert lacks is not None, last()
    assert re.match(rf"only [45]\.\d GB are free under {service.state}, a night ", lacks[0])
    again = r", \d in a row within 60 s of the start; next start in \d+ s"
    assert re.fullmatch(again, last().removeprefix(lacks[0]))
    for path in (PAGES, UI):
        until(lambda path=path: f" {lacks[0]}." in page(path), lambda path=path: page(path))  # type: ignore[misc]
    assert process.poll() is None
    filler.unlink()
    until(service.is_up, service.said)
    assert "GB are free" not in page(PAGES)
    process.send_signal(signal.SIGTERM)
    assert service.finish(process)[0] == 0


def test_one_night_does_not_wait_for_room(service: Installation) -> None:
    for path in (service.state / "reports").iterdir():
        path.unlink()
    with full_disk.full(service.state):
        process = service.spawn("-m", "vlag.cli.main", "serve", "--once=proof")
        status, said = service.finish(process)
    assert (status, said) == (75, f"vlag: {service.state}/log: No space left on device\n")
    assert service.left() == []


@pytest.mark.parametrize("verb", ["run", "ingest"])
def test_the_night_goes_on_when_there_is_room_again(service: Installation, verb: str) -> None:
    process = service.start(once=False)
    until(service.is_up, service.said)
    service.web().control("/forceschedulers/nightly-now", "force", reason="asked")
    until(lambda: bool(service.log(verb=verb)), service.said)

    def in_vain() -> bool:
        full_disk.fill(service.state)  # PostgreSQL has removed a file, say
        begun = Counter(
            str({key: value for key, value in entry.items() if key not in OTHER})
            for entry in (*service.log(verb="ingest"), *service.log(verb="run"))
        )
        return max(begun.values()) >= IN_VAIN

    # The first session after such a change needs room; a night's own writes need it as well.
    with full_disk.full(service.state):
        for path in (service.state / "postgres" / "data" / "base").rglob("pg_internal.init"):
            path.unlink()
        until(in_vain, service.said)
    until(lambda: "REPORT of" in service.said(), service.said)
    assert "given up" not in service.said()
    ended = {build["results"] for build in service.web().get("/builds", complete="true")}
    assert SUCCESS in ended
    assert ended <= {SUCCESS, RETRY}, service.said()
    process.send_signal(signal.SIGTERM)
    assert service.finish(process)[0] == 0
