"""The console protocol: what a board prints comes back whole, or is known not to."""

import base64
import gzip
import hashlib

import pytest

from vlag.errors import InfrastructureError
from vlag.lava import console
from vlag.lava.local import JobResult
from vlag.lava.outcome import judge
from vlag.model import Outcome

RAW = b"stress-ng: info: it went well\n"


def sent(data: bytes, name: str = "out.txt") -> list[str]:
    text = base64.encodebytes(gzip.compress(data, mtime=0)).decode().splitlines()
    return [
        f"@vlag:file {name} {len(data)} {hashlib.sha256(data).hexdigest()}",
        *(f"@vlag:data {line}" for line in text),
        f"@vlag:eof {name}",
    ]


def whole(status: int = 0) -> list[str]:
    return ["Linux version 6.1", "@vlag:start", f"@vlag:status {status}", *sent(RAW), "@vlag:done"]


def job(lines: list[str], error: str | None = None) -> JobResult:
    return JobResult(console=tuple(lines), error_type=None, error=error, version="1")


def test_a_whole_console_gives_file_and_status() -> None:
    heard = console.read(whole())
    assert heard.started
    assert heard.done
    assert heard.status == 0
    assert heard.files == {"out.txt": RAW}
    assert not heard.damaged
    assert judge(heard, job(whole()), 10) == (Outcome.COMPLETE, None)


@pytest.mark.parametrize(
    "broken",
    [
        [line.replace("@vlag:data H", "@vlag:data I") for line in whole()],
        [line for line in whole() if not line.startswith("@vlag:data")],
        [line.replace(hashlib.sha256(RAW).hexdigest()[:8], "0" * 8) for line in whole()],
        [line.replace(f" {len(RAW)} ", f" {len(RAW) + 1} ") for line in whole()],
    ],
)
def test_a_damaged_file_is_never_used(broken: list[str]) -> None:
    assert broken != whole()
    heard = console.read(broken)
    assert heard.files == {}
    assert len(heard.damaged) == 1
    with pytest.raises(InfrastructureError, match="checksum"):
        judge(heard, job(broken), 10)


def test_a_console_cut_in_a_file_says_so() -> None:
    heard = console.read(whole()[:-2])
    assert heard.damaged == ("the console ends in the middle of out.txt",)


def test_kernel_lines_between_data_lines_do_no_harm() -> None:
    lines = whole()
    at = next(i for i, line in enumerate(lines) if line.startswith("@vlag:data"))
    lines.insert(at + 1, "[    5.1] WARNING: CPU: 1 PID: 3 at kernel/sched/fair.c:12 foo+0x1/0x2")
    heard = console.read(lines)
    assert heard.files == {"out.txt": RAW}
    assert [(h.kind, h.line) for h in heard.health] == [("warning", at + 2)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Kernel panic - not syncing: Attempted to kill init!", "panic"),
        ("watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [x:1]", "soft_lockup"),
        ("rcu: INFO: rcu_preempt self-detected stall on CPU", "rcu_stall"),
        ("INFO: task kworker/0:1:9 blocked for more than 120 seconds.", "hung_task"),
        ("WARNING: possible circular locking dependency detected", "lockdep"),
        ("BUG: kernel NULL pointer dereference, address: 0000000000000000", "bug"),
        ("Oops: 0002 [#1] PREEMPT SMP NOPTI", "oops"),
        ("WARNING: CPU: 0 PID: 1 at init/main.c:1 foo", "warning"),
    ],
)
def test_each_kind_of_ill_health_is_seen(line: str, kind: str) -> None:
    assert [h.kind for h in console.read(["fine", line]).health] == [kind]


def test_outcomes() -> None:
    boot = ["Linux version 6.1"]
    panic = [*boot, "Kernel panic - not syncing: VFS"]
    assert judge(console.read(panic), job(panic, "Connection closed"), 10) == (
        Outcome.PANIC,
        "Kernel panic - not syncing: VFS",
    )
    outcome, reason = judge(console.read(boot), job(boot, "lava-test-monitor timed out"), 99)
    assert outcome is Outcome.HANG
    assert "within 99 s, while booting" in str(reason)
    outcome, reason = judge(console.read(boot), job(boot, "Connection closed"), 10)
    assert outcome is Outcome.PANIC
    assert "without a word" in str(reason)
    outcome, reason = judge(console.read(whole(3)), job(whole(3)), 10)
    assert (outcome, reason) == (
        Outcome.BENCHMARK_FAILED,
        "the benchmark's script ended with status 3",
    )


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["SeaBIOS"], "no kernel spoke"),
        (["qemu-system-x86_64: -icount: bad option"], "the emulator gave up: qemu-system"),
        (["Linux version 6.1", "qemu-system-x86_64: out of memory"], "gave up: .*out of memory"),
    ],
)
def test_what_is_not_the_kernels_doing_is_no_result(lines: list[str], sentence: str) -> None:
    with pytest.raises(InfrastructureError, match=sentence):
        judge(console.read(lines), job(lines, "Connection closed"), 10)


def test_a_knob_that_did_not_take_is_no_result() -> None:
    lines = [*whole()[:2], "@vlag:knob preempt failed none (full)", *whole()[2:]]
    with pytest.raises(InfrastructureError, match="knob preempt did not take"):
        judge(console.read(lines), job(lines), 10)


def test_environment_sections() -> None:
    text = "== uname\nLinux\n\n== sched/preempt\nnone (full)\nx\n"
    assert console.sections(text) == {"uname": "Linux", "sched/preempt": "none (full)\nx"}
