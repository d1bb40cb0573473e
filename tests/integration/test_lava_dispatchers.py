# SPDX-License-Identifier: GPL-2.0-only
"""A LAVA server with two dispatchers: each runs the jobs of its own boards, and may go away."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lava_guests import GUEST_TYPE, guest, guest_job
from tests.integration.lava_lab import Lava, running
from tests.waiting import until
from vlag.lava import lab
from vlag.lava.server import Client

# Starting a server takes half a minute: CI has an hour for all.
pytestmark = pytest.mark.long

SAYS = "Linux version 6.12\n@vlag:start\n@vlag:run\n@vlag:status 0\n@vlag:done\n"
#: Process of a worker -> its dispatcher and the board behind it.
THERE = {"worker": ("dispatcher1", "g1"), "second": ("dispatcher2", "g2")}


@pytest.fixture(scope="module")
def lava(
    cluster: str, tmp_path_factory: pytest.TempPathFactory, session_folder: Path
) -> Iterator[Lava]:
    with running(cluster, tmp_path_factory.mktemp("lava"), session_folder) as made:
        made.add_type("guest", GUEST_TYPE)
        made.add_dispatcher("second", "dispatcher2")
        made.start("second")
        for name, board in THERE.values():
            made.add_device(board, "guest", dispatcher=name)
        yield made
    assert made.members() == []


@pytest.fixture
def client(lava: Lava) -> Client:
    return Client(lava.lab())


def disk(lava: Lava, text: str) -> Path:
    path = lava.folder / f"disk-{uuid.uuid4().hex}"
    path.write_bytes(guest(text))
    return path


def submit(client: Client, there: Path, board: str) -> int:
    (number,) = client.submit(guest_job(there, tags=[board]), f"test-{uuid.uuid4().hex}")
    return number


def ran(lava: Lava, process: str, number: int) -> bool:
    """Tell whether a worker has had a job in its hands."""
    return f"[{number}] server => START" in lava.log(process)


def becomes(client: Client, number: int, state: str) -> None:
    until(
        lambda: client.job(number).state == state,
        lambda: f"{client.job(number)} does not become {state}",
    )


def test_both_work_at_once_each_on_its_own_board(lava: Lava, client: Client) -> None:
    silent = disk(lava, "Linux version 6.12\n@vlag:start\n")
    jobs = {process: submit(client, silent, board) for process, (_, board) in THERE.items()}
    for number in jobs.values():
        becomes(client, number, "Running")
    assert {client.job(n).state for n in jobs.values()} == {"Running"}
    for process, number in jobs.items():
        assert [other for other in THERE if ran(lava, other, number)] == [process]
        lava.rest("GET", f"jobs/{number}/cancel/")
        becomes(client, number, "Finished")


def test_one_that_is_away_keeps_its_own_boards_waiting_only(
    lava: Lava, client: Client, tmp_path: Path
) -> None:
    well = disk(lava, SAYS)
    lava.kill("second")
    lava.rest("PATCH", "workers/dispatcher2/", {"health": "Maintenance"})
    waits, goes = (submit(client, well, board) for board in ("g2", "g1"))
    becomes(client, goes, "Finished")
    assert client.job(goes).health == "Complete"
    assert client.job(waits).state == "Submitted"
    lava.rest("PATCH", "workers/dispatcher2/", {"health": "Active"})
    lava.start("second")
    becomes(client, waits, "Finished")
    assert lab.collect(lava.lab(), waits, folder=tmp_path).device == "g2"
    assert ran(lava, "second", waits)
    assert not ran(lava, "worker", waits)
