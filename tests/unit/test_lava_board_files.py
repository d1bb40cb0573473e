# SPDX-License-Identifier: GPL-2.0-only
"""Raw output on its way from a board: printed, or sent to the artifact store."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http_stand_in import Answer, served
from tests.unit.boards import BOOT, SHELLS, plant
from tests.unit.stores import MOST_BYTES, Store, running
from vlag.errors import InfrastructureError
from vlag.lava import artifacts, console
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge
from vlag.model import Outcome

pytestmark = pytest.mark.slow

SENDERS = [p for p in ("curl", "wget", "busybox") if shutil.which(p)]
assert SENDERS, "neither curl nor wget is installed"
#: Programs that send.sh and init.sh call, besides the one that sends.
TOOLS = ("sh", "sha256sum", "wc", "gzip", "base64", "timeout", "rm", "sed", "cat", "awk")
SLEEPLESS = "#!/bin/sh\necho slept >> $VLAG_ROOT/slept\n"
#: What a benchmark may leave: nothing, text, every byte, more than a pipe holds.
RAW = {
    "empty.txt": b"",
    "text.txt": b"# Histogram\n000000 000001\n",
    "bytes.data": bytes(range(256)) * 3,
    "zeros.hist": b"000000\t" * 500_000,
    "noise.data": random.Random(1).randbytes(200_000),
}
INIT = (BOOT / "init.sh").read_text()
DATA = Path(__file__).parents[1] / "data"
HACKBENCH, CYCLICTEST = "parsers/hackbench/2.10-pipe.txt", "raw/cyclictest-2.4.json"


@pytest.fixture(params=SHELLS, ids=lambda argv: str(argv[0]))
def shell(request: pytest.FixtureRequest) -> list[str]:
    found: list[str] = request.param
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with running(tmp_path_factory.mktemp("store")) as it:
        yield it


@pytest.fixture(params=SENDERS)
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A board with raw output in /out and one program that can send it."""
    plant(tmp_path, {})
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None, name
        (tools / name).symlink_to(found)
    sender = shutil.which(request.param)
    assert sender is not None
    (tools / ("wget" if request.param == "busybox" else request.param)).symlink_to(sender)
    (tools / "sleep").write_text(SLEEPLESS)
    (tools / "sleep").chmod(0o755)
    for name, data in RAW.items():
        (tmp_path / "out" / name).write_bytes(data)
    (tmp_path / "vlag" / "headline").symlink_to(BOOT / "headline.sh")
    return tmp_path


def run(shell: list[str], board: Path, script: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which(shell[0])
    assert program is not None
    return subprocess.run(
        [program, *shell[1:], "-c", script],
        env={
            "PATH": str(board / "bin"), "VLAG_ROOT": str(board), "OUT": str(board / "out"),
            "SEND": str(BOOT / "send.sh"),
        },
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def part_of_init(first: str, last: str) -> str:
    """Return the lines of init.sh from one to another, and its paths on the tree."""
    found = re.search(rf"^{re.escape(first)}.*?^{re.escape(last)}$", INIT, re.S | re.M)
    assert found, f"init.sh has no {first} … {last}"
    return re.sub(r"(?<=\s)/vlag/", '"$VLAG_ROOT"/vlag/', found[0])


EMIT = part_of_init("emit() {", "}")
#: What init.sh does when the benchmark has ended.
PRINT = (
    EMIT
    + "\nrc=0\n"
    + part_of_init('for file in "$OUT"/*', 'echo "@vlag:case benchmark $result $rc status"')
)


def printed(shell: list[str], board: Path) -> list[str]:
    done = run(shell, board, PRINT)
    assert done.returncode == 0
    assert done.stderr == ""
    return ["Linux version 6.6", "@vlag:start", "@vlag:status 0", *done.stdout.splitlines(),
            "@vlag:done"]  # fmt: skip


def with_store(shell: list[str], board: Path, address: str) -> None:
    (board / "vlag/upload").write_text(f"{address}\n")
    (board / "vlag/send").write_text(
        f"#!/bin/sh\nexec {' '.join([str(shutil.which(shell[0])), *shell[1:]])}"
        f' {BOOT}/send.sh "$@"\n'
    )
    (board / "vlag/send").chmod(0o755)


def job(lines: list[str]) -> JobResult:
    return JobResult(console=tuple(lines), error_type=None, error=None, version="1")


def test_what_is_printed_comes_back_whole(shell: list[str], board: Path) -> None:
    lines = printed(shell, board)
    heard = console.read(lines)
    assert heard.files == RAW
    assert heard.damaged == ()
    assert heard.uploaded == {}
    assert judge(heard, job(lines), 10) == (Outcome.COMPLETE, None)
    # LAVA looks for a pattern in the last 4000 characters.
    assert max(map(len, lines)) <= 1011
    # Zeros cost nothing: 3.5 MB of them are one line.
    zeros = lines.index(next(line for line in lines if line.startswith("@vlag:file zeros.hist")))
    assert lines[zeros + 2] == "@vlag:eof zeros.hist"


@pytest.mark.parametrize("name", [n for n in RAW if RAW[n]])
def test_a_line_that_is_lost_or_changed_is_noticed(
    shell: list[str], board: Path, name: str
) -> None:
    lines = printed(shell, board)
    first = next(i for i, line in enumerate(lines) if line.startswith(f"@vlag:file {name} "))
    for broken in [
        [*lines[:first], *lines[first + 1 :]],  # its beginning
        [*lines[: first + 1], *lines[first + 2 :]],  # some of its data
        [*lines[: first + 1], lines[first + 1].swapcase(), *lines[first + 2 :]],
        [line for line in lines if line != f"@vlag:eof {name}"],
    ]:
        heard = console.read(broken)
        assert name not in heard.files
        assert heard.damaged
        with pytest.raises(InfrastructureError, match="console"):
            judge(heard, job(broken), 10)


def test_what_is_uploaded_comes_back_whole(
    shell: list[str], board: Path, store: Store, request: pytest.FixtureRequest
) -> None:
    key = re.sub(r"[^a-z]", "-", request.node.name)
    token = artifacts.open_upload(store.folder, key)
    with_store(shell, board, f"{store.url}/upload/{key}/{token}")
    lines = printed(shell, board)
    heard = console.read(lines)
    # The store of these tests takes a megabyte; what is too large for it is printed.
    assert len(RAW["zeros.hist"]) > MOST_BYTES
    assert heard.files == {"zeros.hist": RAW["zeros.hist"]}
    assert heard.uploaded == {
        name: (len(data), hashlib.sha256(data).hexdigest())
        for name, data in RAW.items()
        if name != "zeros.hist"
    }
    assert not any(token in line for line in lines)
    assert not (board / "tmp/vlag-packed").exists()
    # Nobody may call a run complete before the files are fetched.
    with pytest.raises(InfrastructureError, match="nothing was taken from the artifact store"):
        judge(heard, job(lines), 10)
    heard = console.join(heard, artifacts.received(store.folder, key, heard.uploaded))
    assert heard.files == RAW
    assert judge(heard, job(lines), 10) == (Outcome.COMPLETE, None)


def test_a_store_that_refuses_loses_nothing(shell: list[str], board: Path, store: Store) -> None:
    artifacts.open_upload(store.folder, "refused")
    with_store(shell, board, f"{store.url}/upload/refused/wrong-token")
    heard = console.read(printed(shell, board))
    assert (heard.files, heard.uploaded) == (RAW, {})
    assert artifacts.uploaded(store.folder, "refused") == {}
    # Three times each.
    assert (board / "slept").read_text().count("slept") == 3 * len(RAW)


def test_no_store_at_all_loses_nothing(shell: list[str], board: Path) -> None:
    with_store(shell, board, "http://127.0.0.1:9/upload/k/t")
    heard = console.read(printed(shell, board))
    assert (heard.files, heard.uploaded) == (RAW, {})


def test_a_store_that_hangs_is_asked_once(shell: list[str], board: Path) -> None:
    with_store(shell, board, "http://127.0.0.1:9/upload/k/t")
    (board / "bin/timeout").unlink()
    for status, asked in ((124, 1), (143, 1), (1, 3 * len(RAW))):
        with_store(shell, board, "http://127.0.0.1:9/upload/k/t")
        (board / "bin/timeout").write_text(
            f"#!/bin/sh\necho asked >> $VLAG_ROOT/asked{status}\nexit {status}\n"
        )
        (board / "bin/timeout").chmod(0o755)
        assert console.read(printed(shell, board)).files == RAW
        assert (board / f"asked{status}").read_text().count("asked") == asked


def test_a_store_that_answers_another_digest_is_not_believed(shell: list[str], board: Path) -> None:
    digest = hashlib.sha256(b"another").hexdigest()
    lie = Answer(body=b'{"bytes": 1, "sha256": "%s"}' % digest.encode())
    with served(lambda _: lie) as liar:
        with_store(shell, board, f"{liar.url}/upload/k/t")
        heard = console.read(printed(shell, board))
        (board / "out/zeros.hist").write_bytes(b"another")
        believed = console.read(printed(shell, board))
    assert (heard.files, heard.uploaded) == (RAW, {})
    assert list(believed.uploaded) == ["zeros.hist"]


def test_a_headline_is_printed_for_lava(shell: list[str], board: Path) -> None:
    assert "@vlag:metric" not in "".join(printed(shell, board))
    headline = b"switch 66052.25 ops/s\nlatency-p99 1.2e1 us\n"
    (board / "out/headline.txt").write_bytes(headline)
    lines = printed(shell, board)
    heard = console.read(lines)
    assert heard.metrics == {"switch": (66052.25, "ops/s"), "latency-p99": (12.0, "us")}
    assert heard.files["headline.txt"] == headline
    assert lines[-2] == "@vlag:case benchmark pass 0 status"


@pytest.mark.parametrize(
    ("sample", "name", "headlines"),
    [
        (
            "raw/stress-ng-switch-0.15.06.txt",
            "stress-ng.txt",
            {"bogo-ops-rate": (443124.79, "1/s")},
        ),
        (HACKBENCH, "hackbench.txt", {"time": (0.134, "s")}),
        (CYCLICTEST, "cyclictest.json", {"latency-max": (67.0, "us")}),
        (CYCLICTEST, "unknown.json", {}),
        (HACKBENCH, "stress-ng.txt", {}),
    ],
)
def test_the_headline_of_a_tool_is_found(
    board: Path, shell: list[str], sample: str, name: str, headlines: dict[str, tuple[float, str]]
) -> None:
    shutil.copy(DATA / sample, board / "out" / name)
    assert console.read(printed(shell, board)).metrics == headlines


def test_the_headline_of_several_runs_is_their_median(board: Path, shell: list[str]) -> None:
    times = ("1.5", "0.9", "12.25", "1.4", "1.6")
    (board / "out/hackbench.txt").write_text("".join(f"Time: {time}\n" for time in times))
    assert console.read(printed(shell, board)).metrics == {"time": (1.5, "s")}


def test_the_load_beside_a_latency_is_no_headline(board: Path, shell: list[str]) -> None:
    for sample, name in (
        (HACKBENCH, "hackbench.txt"),
        (CYCLICTEST, "cyclictest.json"),
    ):
        shutil.copy(DATA / sample, board / "out" / name)
    assert list(console.read(printed(shell, board)).metrics) == ["latency-max"]


@pytest.mark.parametrize(
    ("policy", "status", "says"),
    [
        (False, 1, ["measuring"]),
        (True, 0, ["prepare set", "measuring"]),
        (True, 1, ["prepare set", "@vlag:done", "reboot -f"]),
    ],
)
def test_a_board_that_is_not_as_asked_measures_nothing(
    shell: list[str], board: Path, policy: bool, status: int, says: list[str]
) -> None:
    if policy:
        (board / "vlag/policy").write_text("governor performance\n")
    (board / "bin/reboot").write_text('#!/bin/sh\necho "reboot $*"\n')
    (board / "vlag/prepare").write_text(f'#!/bin/sh\necho "prepare $*"\nexit {status}\n')
    for program in ("bin/reboot", "vlag/prepare"):
        (board / program).chmod(0o755)
    before = part_of_init("if [ -f /vlag/policy ] && ", "fi").replace("reboot -f", "exec reboot -f")
    assert INIT.index("if [ -f /vlag/policy ] && ") < INIT.index("/vlag/environment before")
    assert run(shell, board, f"{before}\necho measuring").stdout.splitlines() == says
    after = run(shell, board, part_of_init("if [ -f /vlag/policy ]; then", "fi"))
    assert after.stdout.splitlines() == (["prepare check", "prepare restore"] if policy else [])
