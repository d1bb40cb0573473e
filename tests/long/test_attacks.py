# SPDX-License-Identifier: GPL-2.0-only
"""Attacks on a real service, as commands: after each one it is up, and the honest are served.

The service is whole: PostgreSQL, Buildbot's master and worker, the artifact store, the stages.  Its
kernels are some bytes that print what a test wants, built in the sandbox and booted by LAVA.
"""

from __future__ import annotations

import base64
import functools
import gzip
import http.client
import json
import re
import subprocess
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from master.login import PER_NAME
from tests.integration import saved
from tests.integration.conftest import checkout
from tests.integration.guarded import FORCE, NEVER, attempt, connected, strangers
from tests.integration.masters import asked, control, signed_in
from tests.integration.pushes import pushes
from tests.integration.tiny_tree import MAKEFILE
from tests.integration.websites import MAY, MAY_NOT, ODD
from tests.long import tiny_kernel
from tests.long.attacked import Attacked, attacked, fill, folder_of_ours, half_open
from tests.waiting import until
from vlag.buildbot import PAGES
from vlag.errors import ExitCode
from vlag.lava import artifacts
from vlag.operate.backup.repository import Repository
from vlag.operate.service import restoring

pytestmark = pytest.mark.long

__all__ = ["checkout"]  # a fixture

HALF_OPEN = 1100
FLOOD_MB = 600
#: MiB of a refused body that lie in buffers between both ends when it is refused.
ON_THE_WAY_MB = 24
#: Bytes of a process that boots a board, with its userland in memory.
MOST_OF_A_RUN = 400 << 20
#: Clears a terminal, rings, sets its title, and tells a browser something.
NAME = f"\x1b[2J\x07\x1b]0;evil\x07{ODD}"
AUTHOR = "\x1b[2JE. Vil\x07 & co"  # git takes no brackets there


@pytest.fixture(scope="module")
def service(checkout: Path) -> Iterator[Attacked]:
    with folder_of_ours("vlag-attacked-") as folder, attacked(folder, checkout) as made:
        yield made


@pytest.fixture(autouse=True)
def unharmed(service: Attacked) -> Iterator[None]:
    before = service.before()
    yield
    service.check(before)


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command said last, which must be all that it said of its end."""
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("vlag: "), done.stderr
    return last


def upload(service: Attacked, key: str, own: str) -> int:
    """Send a file as a board does, from an address; return the status of the answer."""
    token = artifacts.open_upload(service.store, key)
    line = http.client.HTTPConnection(
        "127.0.0.1", service.ports["artifacts"], timeout=60, source_address=(own, 0)
    )
    line.request("PUT", f"/upload/{key}/{token}/output.json", b"{}")
    answer = line.getresponse()
    service.heard.append(answer.read())
    line.close()
    return answer.status


# Over the web


def test_nobody_is_stopped_killed_or_forced_by_anybody(service: Attacked) -> None:
    url = service.url
    stranger, other, mine = requests.Session(), signed_in(url, MAY_NOT), signed_in(url, MAY)
    acts = [FORCE, *NEVER, *(("builds/1", m) for m in ("stop", "rebuild")),
            ("buildrequests/1", "cancel"), ("builders/1", "stop"), ("triggers/1", "x")]  # fmt: skip
    for by in (stranger, other):
        for act in acts:
            answer = control(url, act, by)
            assert answer.status_code in (403, 404), (act, answer.text)
            assert "Traceback" not in answer.text
    for act in NEVER:
        assert control(url, act, mine).status_code == 403, act
    assert asked(url, "buildrequests") == []
    workers = asked(url, "workers")
    assert [w["name"] for w in workers if w["paused"] or not w["connected_to"]] == []
    # Control: who may starts a build, and takes it back.
    assert control(url, FORCE, mine).status_code == 200
    until(lambda: _cancelled(url, mine), lambda: str(asked(url, "buildrequests")))


def _cancelled(url: str, by: requests.Session) -> bool:
    """Cancel what is requested, and return whether nothing is left."""
    left = [r for r in asked(url, "buildrequests") if not r["complete"]]
    for one in left:
        control(url, (f"buildrequests/{one['buildrequestid']}", "cancel"), by)
    return not left


def test_another_site_reaches_nothing(service: Attacked) -> None:
    url, mine = service.url, signed_in(service.url, MAY)
    stop = f"{url}api/v2/builds/999999"
    body = {"id": 1, "jsonrpc": "2.0", "method": "stop", "params": {"reason": "r"}}
    for headers in strangers(url):
        answer = mine.post(stop, json=body, headers=headers, timeout=60)
        assert answer.status_code == 403, headers
        said = "the service has another name" if "Host" in headers else "not sent from these pages"
        assert answer.text.startswith("Nothing was changed: "), headers
        assert said in answer.text
        assert answer.text.count("\n") == 1
        assert connected(url, **headers) == 403, headers
    # Control: the same of our own pages.
    own = {"Origin": url.rstrip("/")}
    assert mine.post(stop, json=body, headers=own, timeout=60).status_code not in (403, 500)
    assert connected(url, **own) == 101


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunks"])
@pytest.mark.parametrize(
    ("port", "path", "least", "status"),
    [
        ("web", "/api/v2/forceschedulers/nightly-now", 0, b"413"),
        ("web", f"/{PAGES}tries", 4, b"413"),
        ("web", "/auth/login", 0, b"413"),
        ("callback", "/lava/boot", 0, b"413"),
        # It is read, as boards see no answer before they have sent everything, and kept nowhere.
        ("artifacts", "/upload/boot/guess/a", FLOOD_MB, b"403"),
        ("artifacts", "/nowhere", FLOOD_MB, b"403"),
    ],
)  # fmt: skip
def test_a_flood_is_refused_before_it_is_kept(
    service: Attacked, port: str, path: str, least: int, status: bytes, chunked: bool
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{service.ports[port]}\r\n".encode()
    sent, answer = service.flood(port, head, FLOOD_MB, chunked=chunked)
    assert sent <= least + ON_THE_WAY_MB
    # A reset may come before the answer: whoever sends on does not read it.
    assert answer == b"" or answer.split()[1] == status, answer
    assert list(service.store.glob("uploads/*/.*")) == []


ODD_REQUESTS = [
    b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET /\xff%ff%00?a=\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /api/v2/x HTTP/1.1\r\nHost: a\r\nOrigin: http://[\r\nContent-Length: 0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    b"PUT /upload/a/b/c HTTP/1.1\r\nContent-Encoding: \xff\r\nContent-Length: 1\r\n\r\na",
    b"POST /lava/\xff HTTP/1.1\r\nHost: a\r\nAuthorization: \xff\r\nContent-Length: 0\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 2000 + b"\r\n",
    b"\x16\x03\x01\x02\x00" + bytes(500),
    b"\x00" * 1000,
    b"\xff" * 100_000,
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
]


@pytest.mark.parametrize("number", range(len(ODD_REQUESTS)))
def test_odd_bytes_at_every_port_are_refused(service: Attacked, number: int) -> None:
    for port in service.ports:
        answer = service.say(port, ODD_REQUESTS[number])
        if answer.startswith(b"HTTP/1.1 "):
            assert answer.split()[1][:1] in b"1234", (port, answer[:200])


@pytest.mark.parametrize(
    "asked",
    [
        "compare?id=" + "9" * 5000,
        "run?id=" + "9" * 30,
        "run?id=-1",
        "run?id=%ff",
        "branch?branch=%00",
        "branch?branch=" + "a" * 10_000,
        "api/v1/runs/" + "9" * 30,
        "api/v1/comparisons?branch=%1b&board=<script>",
        "matrix?comparisons=" + ",".join(["1"] * 2000),
        "raw?run=1&kernel=1&file=run.json",
        "raw?run=1&file=../../../etc/passwd",
        "raw?run=1&file=/etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        f"?filter={'%1b' * 10}<script>",
    ],
)  # fmt: skip
def test_odd_questions_are_refused_in_a_sentence(service: Attacked, asked: str) -> None:
    answer = requests.get(f"{service.url}{PAGES}{asked}", timeout=60)
    service.heard.append(answer.content)
    assert 400 <= answer.status_code < 500, answer.status_code
    assert "<script>" not in answer.text.partition("<main")[2]
    assert "root:" not in answer.text
    # Control: the page that everybody asks for.
    assert requests.get(f"{service.url}{PAGES}", timeout=60).status_code == 200


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "9" * 5000])
def test_dates_at_the_ends_of_time_are_refused_in_a_sentence(service: Attacked, text: str) -> None:
    done = service.vlag("alerts", "mute", "1", "--until", text, "--by", MAY, "--reason", "r")
    assert done.returncode == ExitCode.USAGE, done.stderr
    assert "--until" in sentence(done)


# Slow and large clients of the artifact store


@pytest.mark.parametrize("addresses", [1, 22])
@pytest.mark.parametrize("begins", [b"PUT /upload/boot/guess/a HTTP/1.1\r\nHost: a\r\n", b""])
def test_half_open_uploads_keep_nobody_out(
    service: Attacked, addresses: int, begins: bytes
) -> None:
    sources = [f"127.0.1.{n}" for n in range(1, addresses + 1)]
    lines = half_open(service, "artifacts", begins, HALF_OPEN, sources)
    try:
        assert upload(service, f"honest-{addresses}-{len(begins)}", "127.0.2.1") == 200
    finally:
        for line in lines:
            line.close()
    until(lambda: _answers(service, "127.0.1.1"), service.made.said)
    assert upload(service, f"again-{addresses}-{len(begins)}", "127.0.1.1") == 200


def _answers(service: Attacked, own: str) -> bool:
    """Return whether the store talks to an address: it may not have seen the last one go."""
    request = b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    return service.say("artifacts", request, own=own).startswith(b"HTTP/1.1 404")


def test_half_open_requests_of_pages_keep_nobody_out(service: Attacked) -> None:
    sources = [f"127.0.1.{n}" for n in range(1, 23)]
    lines = half_open(service, "web", b"GET / HTTP/1.1\r\nHost: a\r\n", HALF_OPEN, sources)
    try:
        assert requests.get(f"{service.url}{PAGES}", timeout=60).status_code == 200
    finally:
        for line in lines:
            line.close()


@functools.cache
def bomb() -> bytes:
    """Return a GiB of zeros, packed twice."""
    packer, zeros = zlib.compressobj(wbits=31), bytes(1 << 20)
    packed = b"".join(packer.compress(zeros) for _ in range(1024))
    return gzip.compress(packed + packer.flush(), mtime=0)


def test_a_bomb_at_the_store_is_refused_and_blocks_nobody(service: Attacked) -> None:
    token = artifacts.open_upload(service.store, "bomb")
    url = f"http://127.0.0.1:{service.ports['artifacts']}/upload/bomb/{token}/"
    statuses: list[Any] = []

    def send() -> None:
        once = gzip.decompress(bomb())
        packed = {"Content-Encoding": "gzip"}
        statuses.append(requests.put(f"{url}a", data=once, headers=packed, timeout=600))

    sender = threading.Thread(target=send)
    sender.start()
    served = 0
    while sender.is_alive():
        served += upload(service, f"beside-{served}", "127.0.2.1") == 200
    sender.join()
    assert statuses[0].status_code == 413
    assert statuses[0].json() == {"error": f"more than {512 << 20} bytes"}
    assert served > 0
    assert artifacts.uploaded(service.store, "bomb") == {}
    # Control: what is packed and small.
    packed = {"Content-Encoding": "gzip"}
    answer = requests.put(f"{url}b", data=gzip.compress(b"fine"), headers=packed, timeout=60)
    assert answer.status_code == 200


# What a board says


def console(*lines: bytes) -> bytes:
    """Return what a kernel prints around lines of the console's protocol."""
    return b"\r\n".join([b"Linux version 6.12.0", b"@vlag:start", *lines, b"@vlag:done", b""])


def sent(data: bytes, head: bytes) -> tuple[bytes, ...]:
    """Return the lines that bring a file whose head is `head`."""
    text = base64.encodebytes(data).splitlines()
    return (b"@vlag:file " + head, *(b"@vlag:data " + line for line in text), b"@vlag:eof a")


NOISE: dict[str, tuple[Callable[[], bytes], str]] = {
    "bytes": (
        lambda: console(b"@vlag:status 0", *sent(b"x", b"a 1 \xff\xfe 1"),
                        b"@vlag:data \xc3\x28\xff", b"\xff" * 2000),
        r"console line \d+: ",
    ),
    "digits": (
        lambda: console(b"@vlag:status " + b"9" * 5000, b"@vlag:file a " + b"9" * 5000 + b" x 1",
                        b"@vlag:uploaded b " + b"9" * 5000 + b" x",
                        b"@vlag:metric a b " + b"9" * 5000),
        r"announced with 9{40} bytes, more than a console may bring",
    ),
    "size": (
        lambda: console(b"@vlag:status 0", *sent(gzip.compress(b"x"), b"a 99999999999 x 1")),
        r"announced with 99999999999 bytes, more than a console may bring",
    ),
    "bomb": (
        lambda: console(b"@vlag:status 0", *sent(bomb(), b"a 9 x 2")),
        r"a does not have the checksum it was sent with",
    ),
}  # fmt: skip


def booted(
    service: Attacked, name: str, text: bytes, peak: Path
) -> subprocess.CompletedProcess[str]:
    """Build and boot a kernel that says `text`."""
    tree = service.tree
    tree.git("checkout", "--quiet", "-B", name, tree.first)
    fill(tree.work, text)
    tree.git("add", "--all")
    tree.commit(f"a kernel of {name}")
    tree.git("push", "--quiet", str(tree.url), f"HEAD:unwatched-{name}")
    tree.git("checkout", "--quiet", service.branch)
    words = ("--ref", f"unwatched-{name}", "--board-type", "qemu-sim-2", "--format", "json")
    built = service.vlag("build", "--tree", "debian", *words)
    assert built.returncode == 0, built.stderr
    bundle = json.loads(built.stdout.splitlines()[-1])["bundle"]
    words = ("--board", "sim2-1", "--benchmark", "stress-ng-switch", "--format", "json")
    return service.vlag("run", bundle, *words, peak=peak)


@pytest.mark.parametrize("name", NOISE)
def test_noise_on_a_console_is_a_fault_of_the_board_in_a_sentence(
    service: Attacked, tmp_path: Path, name: str
) -> None:
    text, said = NOISE[name]
    done = booted(service, name, text(), tmp_path / "peak")
    assert done.returncode == ExitCode.INFRASTRUCTURE, done.stderr  # which the master tries again
    assert re.search(said, sentence(done)), done.stderr
    assert int((tmp_path / "peak").read_text()) << 10 < MOST_OF_A_RUN
    assert list((service.made.state / "runs").rglob("run.json")) == []


def test_a_kernel_that_panics_is_a_result(service: Attacked, tmp_path: Path) -> None:
    """Control of the above: what is no noise."""
    done = booted(service, "panic", tiny_kernel.PANICS, tmp_path / "peak")
    assert done.returncode == ExitCode.KERNEL_FAILED, done.stderr
    assert '"outcome": "panic"' in done.stdout


# What somebody pushes, and mails


#: Acts that a makefile does while make reads it; each says how it ended.
ACTS = r"""
for file in {state}/secrets/* {state}/postgres/*/* {state}/log/* /etc/shadow {people}; do
	cat $file >&2 && echo read $file
done
cat /proc/[0-9]*/environ | tr '\0' '\n'
for place in {home} {state} {state}/runs {state}/secrets /usr /etc .; do
	echo x > $place/left && echo left in $place
done
for port in {ports}; do
	perl -MIO::Socket::INET -e '
		IO::Socket::INET->new("127.0.0.1:$ARGV[0]") and print "socket: open\n"' $port
done
id -u
echo acts: over
"""


def evil(service: Attacked, home: Path) -> dict[str, str]:
    """Return files of a tree that does what it should not when make reads its makefile."""
    text = ACTS.format(
        state=service.made.state, people=service.made.folder / "people", home=home,
        ports=" ".join(map(str, service.ports.values())),
    )  # fmt: skip
    return {"acts": text, "Makefile": "$(info $(shell sh ./acts 2>&1 | tr '\\n' '~'))\n" + MAKEFILE}


def nothing_was_reached(service: Attacked, home: Path, log_of_build: str) -> None:
    said = log_of_build.replace("~", "\n").splitlines()
    assert "acts: over" in said, log_of_build
    assert not {"socket: open", "0"} & set(said), said
    assert not any(line.startswith(("left in ", "read ")) for line in said), said
    service.heard.append(log_of_build.encode())
    assert "VLAG_SERVICE_STATE" not in log_of_build
    assert list(home.iterdir()) == []
    for place in (service.made.state, service.made.state / "runs", Path("/usr"), Path("/etc")):
        assert not (place / "left").exists()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that anybody may write to."""
    made = tmp_path / "home"
    made.mkdir()
    made.chmod(0o777)
    for above in (tmp_path, *tmp_path.parents):
        above.chmod(above.stat().st_mode | 0o011)
    return made


def logs_of_builds(service: Attacked) -> set[Path]:
    return set((service.made.state / "builds").rglob("build.log"))


def test_a_makefile_that_is_pushed_reaches_nothing(service: Attacked, home: Path) -> None:
    """It is built and booted by the service itself, with names that are an attack as well."""
    tree, before = service.tree, len(pushes(service.made))
    there = logs_of_builds(service)
    for name, text in evil(service, home).items():
        (tree.work / name).write_text(text)
    tree.git("add", "--all")
    tree.git("commit", "--quiet", "-m", f"sched: {NAME}", f"--author={AUTHOR} <evil@example.org>")
    tree.git("push", "--quiet", str(tree.url), "HEAD:linux-6.12")
    service.wait(lambda: len(pushes(service.made)) > before)
    new = [path.read_text() for path in logs_of_builds(service) - there]
    nothing_was_reached(service, home, next(text for text in new if "acts: over" in text))
    # Control: it is a kernel as any other, which panics.
    push = pushes(service.made)[-1]
    assert push["properties"]["revision"][0] == tree.git("rev-parse", "HEAD")
    runs = [p.read_text() for p in (service.made.state / "runs").rglob("run.json")]
    assert any('"outcome": "panic"' in text for text in runs)


def test_names_only_print(service: Attacked) -> None:
    """Those of the commit above, on pages and in the terminal."""
    pages = ("", "alerts", "alerts.atom", "queue", "boards", "live", "strip", "tries", "proof",
             "branch?branch=debian/linux-6.12", "run?id=1", "metrics", "choose")  # fmt: skip
    said = [requests.get(f"{service.url}{PAGES}{p}", timeout=60).text for p in pages]
    for words in (("status",), ("status", "--format", "json"), ("report", "--night", "last")):
        done = service.vlag(*words)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\x07" not in done.stdout + done.stderr
    for page, text in zip(pages, said, strict=True):
        # Without the page's text in the message, which takes minutes to compare.
        assert not {mark for mark in ("<script>alert(1)", "\x1b", "\x07") if mark in text}, page
    assert "\x1b" not in service.made.said()


@pytest.mark.parametrize("command", ["build", "try"])
def test_a_makefile_by_a_command_reaches_nothing(
    service: Attacked, home: Path, tmp_path: Path, command: str
) -> None:
    tree, there = service.tree, logs_of_builds(service)
    tree.git("checkout", "--quiet", "-B", "mailed", tree.first)
    fill(tree.work)
    tree.git("add", "--all")
    base = tree.commit("a base")
    tree.git("push", "--quiet", "--force", str(tree.url), "HEAD:unwatched-base")
    for name, text in evil(service, home).items():
        (tree.work / name).write_text(text)
    tree.git("add", "--all")
    tree.commit(f"an evil kernel, by {command}")
    tree.git("push", "--quiet", "--force", str(tree.url), "HEAD:unwatched-evil")
    mbox = tmp_path / "evil.mbox"
    mbox.write_text(tree.git("format-patch", "--stdout", base) + "\n")
    tree.git("checkout", "--quiet", "--force", service.branch)
    if command == "build":
        done = service.vlag("build", "--tree", "debian", "--ref", "unwatched-evil",
                            "--board-type", "qemu-sim-2")  # fmt: skip
        assert done.returncode == 0, done.stderr
    else:
        done = service.vlag("try", mbox, "--base", "unwatched-base", "--benchmark",
                            "stress-ng-switch", "--boots", "5", "--tree", "debian")  # fmt: skip
        assert done.returncode == ExitCode.KERNEL_FAILED, done.stderr
        assert "panic" in done.stdout + done.stderr
    new = [path.read_text() for path in logs_of_builds(service) - there]
    nothing_was_reached(service, home, next(text for text in new if "acts: over" in text))


# Who can write to a backup


def test_a_backup_with_links_writes_nothing_outside(service: Attacked, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "boot").mkdir(parents=True)
    (outside / "boot" / "bundle").write_text(f"{service.made.state}/runs/x")
    good, evil_one = tmp_path / "good", tmp_path / "evil"
    assert service.vlag("backup", good).returncode == 0
    of = Repository.at(str(good), None)
    forged = tmp_path / "forged"
    forged.mkdir()
    of.extract(str(of.snapshot(None)["short_id"]), forged)
    (forged / "lab").symlink_to(outside)
    (forged / "alerts").symlink_to(outside)
    (forged / "artifacts" / "files").mkdir(parents=True, exist_ok=True)
    (forged / "artifacts" / "files" / "up").symlink_to("../../..")
    made = Repository.at(str(evil_one), None)
    made.make()
    made.save(forged, [])
    new = saved.settings(tmp_path / "new")
    done = saved.vlag(new, "restore", str(evil_one))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is a link that leads out of the backup") == 3, done.stderr
    assert (outside / "boot" / "bundle").read_text() == f"{service.made.state}/runs/x"
    # A userland is a Debian of its own, with Debian's links.
    links = [p.relative_to(new.state) for p in new.state.rglob("*") if p.is_symlink()]
    assert [p for p in links if p.parts[0] != "userland"] == []
    # Control: the honest one is restored, with what the service has.
    other = saved.settings(tmp_path / "other")
    done = saved.vlag(other, "restore", str(good))
    assert done.returncode == 0, done.stderr
    assert restoring.broken_off(other.state) is None
    assert (other.state / "reports" / "2026-01-01T000000Z.txt").is_file()


# Last: a name is locked out after it


def test_passwords_are_tried_a_few_times_only(service: Attacked) -> None:
    answers = [attempt(service.url, MAY_NOT, f"guess {n}") for n in range(PER_NAME + 1)]
    assert [a.status_code for a in answers] == [401] * PER_NAME + [429]
    assert answers[-1].text.startswith("Too many attempts to log in; try again in ")
    assert attempt(service.url, "nobody", "guess").status_code == 401
    assert signed_in(service.url, MAY) is not None
