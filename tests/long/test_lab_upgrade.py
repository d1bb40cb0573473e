# SPDX-License-Identifier: GPL-2.0-only
"""A lab that is upgraded while vlag uses it: Debian 12's LAVA, then that of Debian 13's backports.

Server, scheduler and publisher of the newer one run in a root of Debian 13 that is unpacked and
never installed, on the tables of the older one; its worker runs on this machine.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from tests import http_stand_in
from tests.debian_suites import Suite
from tests.http_stand_in import Answer
from tests.integration import newer_lava
from tests.integration.lava_guests import GUEST_TYPE, guest, guest_job
from tests.integration.lava_lab import Lava, running
from tests.waiting import until
from vlag.errors import InfrastructureError
from vlag.lava import lab
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client

pytestmark = pytest.mark.long

SAYS = "Linux version 6.12\n@vlag:start\n@vlag:run\n@vlag:status 0\n@vlag:done\n"
SILENT = "Linux version 6.12\n@vlag:start\n"


@pytest.fixture(scope="module")
def debian13(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a root with the newer LAVA and all that it needs."""
    folder = tmp_path_factory.mktemp("debian13")
    suite = Suite(newer_lava.SUITE, folder, base="trixie")
    return suite.whole(("lava-server", "lava-common", "lava-server-doc", "lava-dispatcher"))


@pytest.fixture
def lava(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lava]:
    with running(cluster, tmp_path_factory.mktemp("lava")) as made:
        made.add_type("guest", GUEST_TYPE)
        made.add_device("g1", "guest")
        yield made
    assert made.members() == []


def submitted(lava: Lava, text: str) -> tuple[int, str]:
    """Submit a job whose board prints a text; return its number and key."""
    disk = lava.folder / f"disk-{uuid.uuid4().hex}"
    disk.write_bytes(guest(text))
    key = f"test-{uuid.uuid4().hex}"
    (number,) = Client(lava.lab()).submit(guest_job(disk), key)
    return number, key


def becomes(lava: Lava, number: int, state: str) -> None:
    client = Client(lava.lab())
    until(lambda: client.job(number).state == state, lambda: str(client.job(number)))


def test_what_was_submitted_before_is_collected_after(
    lava: Lava, debian13: Path, tmp_path: Path
) -> None:
    there = evolve(lava.lab(), answered=tmp_path / "answered")
    client = Client(there)
    older = client.server_version()
    assert older.startswith("2023.01")
    ended, ended_key = submitted(lava, SAYS)
    becomes(lava, ended, "Finished")

    # As the page says: the scheduler is stopped, and what comes now waits.
    lava.stop("scheduler")
    waits, waits_key = submitted(lava, SAYS)
    assert client.job(waits).state == "Submitted"
    for name in ("worker", "publisher", "server"):
        lava.stop(name)
    with pytest.raises(NoAnswerError, match="Connection refused"):
        client.queue()
    # The web server before it answers for it meanwhile.
    port = int(lava.url.rsplit(":", 1)[1])
    page = Answer(status=404, headers={"Content-Type": "text/html"}, body=b"<!DOCTYPE html>")
    with (
        http_stand_in.served(lambda _: page, port=port),
        pytest.raises(NoAnswerError, match="is it being upgraded or installed anew"),
    ):
        client.queue()

    lava.upgrade(debian13)
    newer = Client(there).server_version()
    assert newer.split("+")[0] != older.split("+")[0]
    assert newer >= "2026"

    # A result of before the upgrade, a job that waited, and a new one.
    assert lab.collect(there, ended, folder=tmp_path).error is None
    assert [job.id for job in client.find(ended_key)] == [ended]
    becomes(lava, waits, "Finished")
    result = lab.collect(there, waits, folder=tmp_path)
    assert (result.device, result.error) == ("g1", None)
    assert list(result.console) == SAYS.splitlines()
    assert [job.id for job in client.find(waits_key)] == [waits]
    after, after_key = submitted(lava, SILENT)
    becomes(lava, after, "Running")
    client.set_device_health("g1", "Maintenance", "new fan")
    assert client.device("g1").health == "Maintenance"
    client.cancel(after, after_key)
    becomes(lava, after, "Finished")
    with pytest.raises(InfrastructureError, match="was cancelled"):
        lab.collect(there, after, folder=tmp_path)
    client.set_device_health("g1", "Good", "it turns")
