# SPDX-License-Identifier: GPL-2.0-only
"""A real LAVA server: jobs go there once, come back whole, and what goes wrong is told."""

import gzip
import os
import signal
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.lava_guests import GUEST_TYPE, guest, guest_job
from tests.integration.lava_lab import WORKER, Lava, running
from tests.integration.lava_tables import Server
from tests.waiting import until
from vlag.errors import InfrastructureError, UsageError, VlagError
from vlag.lava import console, lab
from vlag.lava.job import JobResult
from vlag.lava.lab_settings import Lab
from vlag.lava.outcome import judge
from vlag.lava.rest import NoAnswerError, RejectedError
from vlag.lava.server import Client, Job
from vlag.model import Outcome

GOES_WELL = (
    "Linux version 6.12\n@vlag:start\n@vlag:run\n@vlag:status 0\n"
    "\a control characters\n@vlag:case benchmark pass\n@vlag:done\n"
)
SPEAKS = "Linux version 6.12\n@vlag:start\n"


@pytest.fixture(scope="module")
def lava(
    cluster: str, tmp_path_factory: pytest.TempPathFactory, session_folder: Path
) -> Iterator[Lava]:
    with running(cluster, tmp_path_factory.mktemp("lava"), session_folder) as made:
        made.add_type("guest", GUEST_TYPE)
        for name in ("g1", "g2"):
            made.add_device(name, "guest")
        mounts = Path("/proc/self/mounts").read_text()
        assert str(made.folder) not in mounts  # all of it is in a namespace
        yield made
    assert made.members() == []


@pytest.fixture(scope="module")
def disks(lava: Lava) -> dict[str, Path]:
    made = {
        "well": guest(GOES_WELL),
        "silent": guest(SPEAKS),
        "off": guest(SPEAKS, off=True),
    }
    for name, content in made.items():
        (lava.folder / name).write_bytes(content)
    return {name: lava.folder / name for name in made}


@pytest.fixture
def client(lava: Lava) -> Iterator[Client]:
    made = Client(lava.lab())
    yield made
    for device in made.devices():
        if not device.usable:  # one test's fault is not the next one's
            made.set_device_health(device.name, "Good", "the test is over")


@pytest.fixture
def key() -> str:
    return f"test-{uuid.uuid4().hex}"


def run(
    there: Lab,
    definition: str,
    key: str,
    folder: Path,
    heard: Callable[[str], None] = lambda _: None,
    **more: float,
) -> JobResult:
    limits = {"queue_limit_s": 60.0, "limit_s": 60.0, **more}
    return lab.run(there, definition, key, folder=folder, on_line=heard, **limits)


def wait_until(client: Client, number: int, state: str) -> Job:
    until(
        lambda: client.job(number).state == state,
        lambda: f"{client.job(number)} does not become {state}",
    )
    return client.job(number)


def test_a_job_goes_there_once_and_comes_back_whole(
    lava: Lava, disks: dict[str, Path], client: Client, key: str, tmp_path: Path
) -> None:
    heard: list[str] = []
    definition = guest_job(disks["well"], tags=["g2"])
    result = run(lava.lab(), definition, key, tmp_path, heard.append)
    assert list(result.console) == heard == GOES_WELL.splitlines()
    assert (result.device, result.error, result.version) == ("g2", None, client.server_version())
    kept = gzip.decompress((tmp_path / "lava.log.gz").read_bytes()).decode()
    assert kept.startswith('{"dt": ')
    (job,) = client.find(key)
    assert (job.state, job.health, job.board) == ("Finished", "Complete", "g2")
    results = {(r.suite, r.name): r for r in client.results(job.id)}
    assert results["vlag", "benchmark"].result == "pass"
    assert results["lava", "execute-qemu"].units == "seconds"
    # Asked for again it is found, not run again.
    assert run(lava.lab(), definition, key, tmp_path) == result
    assert len(lava.rest("GET", f"jobs/?description__contains={key}")["results"]) == 1
    assert lab.collect(lava.lab(), job.id, folder=tmp_path) == result


# The silent one is waited for to its end; a busy host takes seconds until the guest has spoken.
@pytest.mark.parametrize(("disk", "limit_s"), [("off", 30), ("silent", 20)])
def test_a_board_that_dies(
    lava: Lava, disks: dict[str, Path], key: str, tmp_path: Path, disk: str, limit_s: int
) -> None:
    result = run(lava.lab(), guest_job(disks[disk], limit_s=limit_s), key, tmp_path)
    assert list(result.console) == SPEAKS.splitlines()
    heard = console.read(result.console)
    if disk == "silent":
        assert judge(heard, result, limit_s)[0] is Outcome.HANG
        return
    # The kernel's doing or its host's: a second boot at the same place tells.
    assert judge(heard, result, limit_s, repeated=True)[0] is Outcome.PANIC
    with pytest.raises(InfrastructureError, match="without a word of its kernel"):
        judge(heard, result, limit_s)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"nonsense": 1}, RejectedError, r"extra keys not allowed @ data\['nonsense'\]"),
        ({"timeouts": {}}, RejectedError, r"required key .* @ data\['timeouts'\]\['job'\]"),
        ({"device_type": "rpi5"}, UsageError, "no board of type rpi5; .* boards of: guest"),
        ({"tags": ["g3"]}, UsageError, "no board of type guest has the tags g3; boards: g1, g2"),
    ],
)
def test_a_job_that_cannot_be_is_refused(
    client: Client,
    disks: dict[str, Path],
    key: str,
    more: dict[str, Any],
    error: type[VlagError],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        client.submit(guest_job(disks["well"], **more), key)
    assert client.find(key) == []


def test_lavas_own_schema_is_asked(client: Client, disks: dict[str, Path]) -> None:
    assert client.validate(guest_job(disks["well"])) is None
    assert client.validate(guest_job(disks["well"], timeouts={})) == "required key not provided"


def test_tokens_and_rights(lava: Lava, client: Client, disks: dict[str, Path], key: str) -> None:
    refused = lava.lab(token="f" * 64)
    with pytest.raises(UsageError, match=f"refuses the token in {refused.token_file}"):
        Client(refused).devices()
    stranger = Client(lava.lab(token=lava.add_user("stranger")))
    with pytest.raises(UsageError, match=r"may not do this \(POST devices/g1/set_health"):
        stranger.set_device_health("g1", "Bad", "for fun")
    (number,) = client.submit(guest_job(disks["silent"]), key)
    with pytest.raises(UsageError, match=rf"may not do this \(GET jobs/{number}/cancel"):
        stranger.cancel(number, key)
    assert client.device("g1").health != "Bad"
    client.cancel(number, key)
    assert wait_until(client, number, "Finished").health == "Canceled"


def test_the_registered_user_may_do_what_vlag_does_and_no_more(
    lava: Lava, client: Client, disks: dict[str, Path], key: str
) -> None:
    token = "5" * 64
    asked = {"boards": [], "workers": {}, "users": [{"name": "vlag", "token": token}]}
    registered = Server(lava.dsn)
    registered.register(asked)
    vlag = Client(lava.lab(token=token))
    (number,) = vlag.submit(guest_job(disks["silent"]), key)
    assert vlag.validate(guest_job(disks["well"])) is None
    assert number in {job.id for job in vlag.queue()}
    vlag.cancel(number, key)
    assert wait_until(vlag, number, "Finished").health == "Canceled"
    assert {w.name: w.online for w in vlag.workers()}[WORKER]
    vlag.set_device_health("g1", "Maintenance", "new fan")
    assert vlag.device("g1").health == "Maintenance"
    vlag.set_device_health("g1", "Good", "it turns")

    for verb, path in (
        ("PATCH", f"workers/{WORKER}/"),
        ("DELETE", "devices/g2/"),
        ("POST", "devicetypes/"),
    ):
        assert lava.ask(verb, path, {"health": "Maintenance"}, token=token).status_code == 403
    rows = lava.ask("GET", "workers/", token=token).json()["results"]
    assert rows
    assert not any("token" in row for row in rows)

    # Negative control: it needs each of its rights, and gets back what it has lost.
    rights = registered.rows(
        "SELECT p.id, codename FROM auth_permission p JOIN auth_user_user_permissions"
        " ON permission_id = p.id"
    )
    assert len(rights) == 2
    for right, name in rights:
        registered.execute("DELETE FROM auth_user_user_permissions WHERE permission_id = %s", right)
        with pytest.raises(UsageError, match=r"may not do this \(POST devices/g1/set_health"):
            vlag.set_device_health("g1", "Bad", f"without {name}")
        assert registered.register(asked) == ["user vlag: may add_device, change_device"]
    # As does a user that an older release made a superuser of.
    registered.execute("UPDATE auth_user SET is_superuser = true WHERE username = 'vlag'")
    assert registered.register(asked) == ["user vlag: no admin"]
    assert registered.register(asked) == []


def test_boards_go_into_maintenance_and_come_back(
    client: Client, disks: dict[str, Path], key: str
) -> None:
    for name in ("g1", "g2"):
        client.set_device_health(name, "Maintenance", "new fan")
    assert {d.name: d.health for d in client.devices()} == dict.fromkeys(
        ("g1", "g2"), "Maintenance"
    )
    words = r"gives no jobs at present .*: g1 \(Maintenance\), g2 \(Maintenance\)"
    with pytest.raises(InfrastructureError, match=words):
        client.submit(guest_job(disks["well"]), key)
    client.set_device_health("g1", "Retired", "smoke")
    assert client.device("g1").health == "Retired"
    with pytest.raises(UsageError, match=r"in service .* g1 \(Retired\)"):
        client.submit(guest_job(disks["well"], tags=["g1"]), key)
    for name in ("g1", "g2"):
        client.set_device_health(name, "Good", "it turns")
    assert len(client.devices()) == 2
    assert all(d.usable for d in client.devices())


def test_a_job_that_gets_no_board_says_why(
    lava: Lava, client: Client, disks: dict[str, Path], key: str, tmp_path: Path
) -> None:
    (first,) = client.submit(guest_job(disks["silent"], tags=["g1"]), f"{key}-1")
    wait_until(client, first, "Running")
    words = rf"had no board after 1 s .*: place 1 of 1 .*; g1 is busy with job {first} \(vlag"
    with pytest.raises(InfrastructureError, match=words):
        run(
            lava.lab(),
            guest_job(disks["well"], tags=["g1"]),
            f"{key}-2",
            tmp_path,
            queue_limit_s=1,
        )
    assert client.find(f"{key}-2") == []
    assert [j.id for j in client.queue()] == [first]
    with pytest.raises(InfrastructureError, match="has not ended yet; it is Running"):
        lab.collect(lava.lab(), first, folder=tmp_path)
    client.cancel(first, f"{key}-1")
    wait_until(client, first, "Finished")
    with pytest.raises(InfrastructureError, match="was cancelled by somebody on g1") as caught:
        lab.collect(lava.lab(), first, folder=tmp_path)
    assert not caught.value.retry


def test_whoever_is_stopped_leaves_no_job_behind(
    lava: Lava, client: Client, disks: dict[str, Path], key: str, tmp_path: Path
) -> None:
    def stop(_: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    known = {j.id for j in client.queue()}
    with pytest.raises(SystemExit):
        run(lava.lab(), guest_job(disks["silent"]), key, tmp_path, stop)
    until(lambda: {j.id for j in client.queue()} == known, lambda: f"{client.queue()} still run")


def test_the_parts_of_a_multinode_job(client: Client, disks: dict[str, Path], key: str) -> None:
    job = yaml.safe_load(guest_job(disks["well"]))
    del job["device_type"], job["context"]
    for action in job["actions"]:
        next(iter(action.values()))["role"] = ["sut", "load"]
    role = {"device_type": "guest", "count": 1, "context": {"arch": "x86_64"}}
    roles = {"sut": {**role, "tags": ["g1"]}, "load": role}
    job["protocols"] = {"lava-multinode": {"roles": roles, "timeout": {"seconds": 30}}}
    # Without a third board LAVA would keep it waiting: the second part is never scheduled.
    client.set_device_health("g2", "Looping", "one board is out, but not for long")
    numbers = client.submit(yaml.safe_dump(job), key)
    assert client.submit(yaml.safe_dump(job), key) == numbers
    parts = [client.job(number) for number in numbers]
    assert {p.role for p in parts} == {"sut", "load"}
    assert len({p.group for p in parts}) == 1
    client.cancel(numbers[0], key)
    assert {wait_until(client, n, "Finished").health for n in numbers} == {"Canceled"}


class Line:
    """A line to the lab that loses the answers to what `loses` recognises."""

    def __init__(self, port: int):
        self.port, self.lost = port, 0
        self.loses: Callable[[bytes], bool] = lambda _: False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                here, _ = self._socket.accept()
            except OSError:
                return
            with here, socket.create_connection(("127.0.0.1", self.port)) as there:
                self._request(here, there)

    def _request(self, here: socket.socket, there: socket.socket) -> None:
        """Pass one request on; LAVA closes the line after it, as asked."""
        asked = b""
        while b"\r\n\r\n" not in asked:
            some = here.recv(65536)
            if not some:
                return
            asked += some
        head, _, body = asked.partition(b"\r\n\r\n")
        length = next(
            (int(h.split(b":")[1]) for h in head.splitlines() if h.startswith(b"Content-Length")),
            0,
        )
        while len(body) < length and (some := here.recv(65536)):
            body += some
        there.sendall(head.replace(b"keep-alive", b"close") + b"\r\n\r\n" + body)
        answer = b""
        while some := there.recv(65536):
            answer += some
        if self.loses(head):
            self.lost += 1
        else:
            here.sendall(answer)


@pytest.fixture
def line(lava: Lava) -> Iterator[Line]:
    made = Line(int(lava.url.rsplit(":", 1)[1]))
    yield made
    made.end()


def test_a_lost_answer_is_no_second_job(
    lava: Lava, disks: dict[str, Path], key: str, tmp_path: Path, line: Line
) -> None:
    line.loses = lambda head: head.startswith(b"POST /api/v0.2/jobs/ ")
    assert run(lava.lab(url=line.url), guest_job(disks["well"]), key, tmp_path).error is None
    assert line.lost == 1
    assert len(lava.rest("GET", f"jobs/?description__contains={key}")["results"]) == 1


def test_a_connection_that_is_lost_is_waited_out(
    lava: Lava, disks: dict[str, Path], key: str, tmp_path: Path, line: Line
) -> None:
    posted = threading.Event()

    def loses(head: bytes) -> bool:
        if head.startswith(b"POST"):
            posted.set()
            return False
        # Six answers after the job was taken: three tries each of two questions.
        return posted.is_set() and line.lost < 6

    line.loses = loses
    result = run(lava.lab(url=line.url), guest_job(disks["well"]), key, tmp_path)
    assert list(result.console) == GOES_WELL.splitlines()
    assert line.lost == 6


def test_a_job_outlives_the_server(
    lava: Lava, client: Client, disks: dict[str, Path], key: str, tmp_path: Path
) -> None:
    definition = guest_job(disks["well"])
    (number,) = client.submit(definition, key)
    wait_until(client, number, "Running")
    lava.kill("server")
    with pytest.raises(NoAnswerError, match="Connection refused"):
        client.submit(definition, key)
    lava.start("server")
    assert run(lava.lab(), definition, key, tmp_path).error is None
    assert [j.id for j in client.find(key)] == [number]


def test_a_scheduler_that_comes_back_takes_the_job(
    lava: Lava, client: Client, disks: dict[str, Path], key: str, tmp_path: Path
) -> None:
    lava.kill("scheduler")
    (number,) = client.submit(guest_job(disks["well"]), key)
    assert client.job(number).state == "Submitted"
    lava.start("scheduler")
    assert run(lava.lab(), guest_job(disks["well"]), key, tmp_path).error is None


def test_a_dispatcher_that_dies_with_its_job(
    lava: Lava, client: Client, disks: dict[str, Path], key: str, tmp_path: Path
) -> None:
    (number,) = client.submit(guest_job(disks["silent"], tags=["g1"]), key)
    wait_until(client, number, "Running")
    until(lambda: len(client.log(number)) > 0, lambda: lava.log("worker")[-500:])
    lava.kill("worker", jobs=True)
    lava.start("worker")
    wait_until(client, number, "Finished")
    with pytest.raises(InfrastructureError, match=f"job {number} of lab home failed") as caught:
        lab.collect(lava.lab(), number, folder=tmp_path)
    assert caught.value.retry
    there = {w.name: w for w in client.workers()}
    assert there[WORKER].online
