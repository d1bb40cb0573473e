# SPDX-License-Identifier: GPL-2.0-only
"""The console protocol: what a board prints comes back whole, or is known not to."""

import base64
import gzip
import hashlib
import json
import tracemalloc

import pytest

from vlag.errors import InfrastructureError
from vlag.lava import artifact_server, console, kernel_alarms
from vlag.lava.job import JobResult, Log
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
    outcome, reason = judge(console.read(boot), job(boot, "Connection closed"), 10, repeated=True)
    assert outcome is Outcome.PANIC
    assert "without a word" in str(reason)
    early = ["SeaBIOS (version 1.16)", "Booting from ROM.."]  # it panicked before its console
    outcome, reason = judge(console.read(early), job(early, "Connection closed"), 10, repeated=True)
    assert outcome is Outcome.PANIC
    assert "while booting without a word; last line: Booting from ROM" in str(reason)
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
    with pytest.raises(InfrastructureError, match=r"^preempt is not as asked for"):
        judge(console.read(lines), job(lines), 10)


def test_environment_is_read_by_section_and_by_file() -> None:
    text = (
        "== uname\nLinux\n\n== interrupts\n24: 1\nNMI: 0\n== sched\n"
        "/sys/kernel/debug/sched/preempt:none (full)\n/sys/x:a: b\n/sys/x:c\n"
        "/sys/kernel/debug/sched/features:unreadable: Operation not permitted\n"
    )
    assert console.environment(text.encode()) == {
        "uname": "Linux",
        "interrupts": "24: 1\nNMI: 0",
        "/sys/kernel/debug/sched/preempt": "none (full)",
        "/sys/x": "a: b\nc",
        "/sys/kernel/debug/sched/features": "unreadable: Operation not permitted",
    }


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("WARNING: CPU: 1 PID: 71 at kernel/sched/core.c:123 foo+0x10/0x20", "warning"),
        ("[    1.5][   T71] WARNING: CPU: 1 PID: 71 at foo+0x10/0x20", "warning"),
        ("WARNING: kernel/sched/core.c:123 at foo+0x10/0x20, CPU#1: comm/123", "warning"),
        ("kernel BUG at kernel/sched/core.c:1!", "bug"),
        ("BUG: scheduling while atomic: swapper/0/1/0x00000002", "bug"),
        ("BUG: sleeping function called from invalid context at kernel/locking/mutex.c:1", "bug"),
        ("Unable to handle kernel NULL pointer dereference at virtual address 0008", "bug"),
        ("invalid opcode: 0000 [#1] PREEMPT SMP", "oops"),
        ("general protection fault, probably for non-canonical address 0xdead: 0000 [#1]", "oops"),
        ("Internal error: Oops - BUG: 00000000f2000800 [#1] SMP", "oops"),
        ("WARNING: suspicious RCU usage", "lockdep"),
        ("WARNING: inconsistent lock state", "lockdep"),
        ("WARNING: possible recursive locking detected", "lockdep"),
        ("WARNING: possible irq lock inversion dependency detected", "lockdep"),
        ("WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected", "lockdep"),
        ("WARNING: bad unlock balance detected!", "lockdep"),
        ("WARNING: held lock freed!", "lockdep"),
        ("WARNING: init/1 still has locks held!", "lockdep"),
        ("[ BUG: Invalid wait context ]", "lockdep"),
        ("BUG: MAX_LOCKDEP_CHAINS too low!", "lockdep"),
        ("rcu: INFO: rcu_sched self-detected stall on CPU", "rcu_stall"),
        ("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "rcu_stall"),
        ("rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: {", "rcu_stall"),
        ("INFO: rcu_tasks detected stalls on tasks:", "rcu_stall"),
        ("watchdog: Watchdog detected hard LOCKUP on cpu 1", "hard_lockup"),
        ("NMI watchdog: Watchdog detected hard LOCKUP on cpu 0", "hard_lockup"),
        ("BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck", "workqueue_lockup"),
        ("INFO: task cat:9 blocked in I/O wait for more than 120 seconds.", "hung_task"),
        ("UBSAN: array-index-out-of-bounds in kernel/sched/fair.c:1:2", "sanitizer"),
        ("BUG: KASAN: slab-use-after-free in foo+0x1/0x2", "sanitizer"),
        ("BUG: KCSAN: data-race in foo / bar", "sanitizer"),
        ("sched: RT throttling activated", "rt_throttling"),
        ("sched: RT throttling activated for rt_rq 0 (cpu 3)", "rt_throttling"),
        ("tsc: Marking TSC unstable due to clocksource watchdog", "clocksource_unstable"),
        (
            "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable"
            " because the skew is too large:",
            "clocksource_unstable",
        ),
        (
            "NOHZ tick-stop error: local softirq work is pending, handler #80!!!",
            "softirq_pending",
        ),
        (
            "NOHZ tick-stop error: Non-RCU local softirq work is pending, handler #08!!!",
            "softirq_pending",
        ),
        ("[ INFO: possible circular locking dependency detected ]", "lockdep"),
        ("INFO: possible recursive locking detected", "lockdep"),
        ("[ INFO: suspicious RCU usage. ]", "lockdep"),
        ("INFO: task kworker/3:1:77 is blocked on a mutex likely owned by task a:8.", "hung_task"),
        ("stress-ng invoked oom-killer: gfp_mask=0x140dca, order=0, oom_score_adj=0", "oom_kill"),
        ("Out of memory: Killed process 711 (hackbench) total-vm:91kB, anon-rss:1kB", "oom_kill"),
        ("Memory cgroup out of memory: Killed process 7 (a) total-vm:1kB", "oom_kill"),
        ("hackbench: page allocation failure: order:8, mode:0xcc0(GFP_KERNEL)", "page_allocation"),
        ("CFI failure at __schedule+0x37b/0x6c0 (target: f+0x0/0x112; expected type: 0x1)", "cfi"),
        ("CFI failure (target: f+0x0/0x112):", "cfi"),
        ("BUG kmalloc-64 (Not tainted): Poison overwritten", "slab"),
        ("BUG task_struct (Tainted: G    B  ): Redzone overwritten", "slab"),
        ("SError Interrupt on CPU2, code 0x00000000bf000002 -- SError", "serror"),
        ("mce: [Hardware Error]: Machine check events logged", "machine_check"),
        ("{1}[Hardware Error]: Hardware error from APEI Generic Source: 1", "machine_check"),
        ("smp: csd: Detected non-responsive CSD lock (#1) on CPU#3, waiting 5 ns", "csd_lock"),
        ("sched: DL replenish lagged too much", "deadline_lag"),
        ('sched_ext: BPF scheduler "simple" disabled (runnable task stall)', "sched_ext_disabled"),
        ("hwmon hwmon1: Undervoltage detected!", "undervoltage"),
        ("Under-voltage detected! (0x00050005)", "undervoltage"),
        ("mce: CPU3: Core temperature above threshold, cpu clock throttled", "thermal_throttling"),
        (
            "CPU1: Package temperature is above threshold, cpu clock is throttled",
            "thermal_throttling",
        ),
        ("NOHZ: local_softirq_pending 08", "softirq_pending"),
        ("unchecked MSR access error: RDMSR from 0x1 at rIP: 0x2 (foo+0x3/0x4)", "msr_access"),
    ],
)
def test_the_kernels_words_of_old_and_new(line: str, kind: str) -> None:
    assert [h.kind for h in console.read(["fine", line]).health] == [kind]


@pytest.mark.parametrize(
    "line",
    [
        "warning: `x' uses 32-bit capabilities (legacy support in use)",
        "Warning: unable to open an initial console.",
        "WARNING: stat /dev/cpu_dma_latency failed: No such file or directory",
        "traps: prog[12] general protection fault ip:4000 sp:7ffe error:0 in libc.so",
        "DEBUG: nothing here",
        "Kernel command line: console=ttyS0 panic=-1 oops=panic",
        "rcu: Hierarchical RCU implementation.",
        "rcu: INFO: Stall ended before state dump start",
        "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
        "workqueue: round-robin CPU selection forced, expect performance impact",
        "Modules linked in: foo",
        "Call Trace:",
        "clocksource: Switched to clocksource tsc-early",
        "sched_clock: Marking stable (1,2)->(3,4)",
        "tsc: Unable to calibrate against PIT",
        'sched_ext: BPF scheduler "simple" disabled (unregistered from user space)',
        'sched_ext: BPF scheduler "simple" enabled',
        "[    0.0] Command line: console=ttyS0 foo=BUG: bar",
        "root@board:~# echo 'BUG: soft lockup' | grep 'Kernel panic - not syncing'",
        "$ dmesg | grep 'Out of memory: Killed process 1 '",
        "hwmon hwmon1: Voltage normalised",
        "mce: CPU0: Thermal monitoring enabled (TM1)",
    ],
)
def test_lines_that_only_sound_like_it_do_not_count(line: str) -> None:
    assert console.read(["fine", line]).health == ()


def splat(place: str = "kernel/sched/fair.c:12") -> list[str]:
    return [
        "------------[ cut here ]------------",
        f"WARNING: CPU: 1 PID: 3 at {place} foo+0x1/0x2",
        "Modules linked in:",
        "Call Trace:",
        " bar+0x1/0x2",
        "---[ end trace 0000000000000000 ]---",
    ]


def test_one_splat_is_one_line_with_its_call_trace() -> None:
    heard = console.read([*splat(), "systemd: hello", *splat("init/main.c:9")])
    assert [(h.line, len(h.detail)) for h in heard.health] == [(2, 4), (9, 4)]
    assert heard.health[0].detail[2:] == ("bar+0x1/0x2", "---[ end trace 0000000000000000 ]---")


def test_an_alarm_of_one_line_takes_no_other_along() -> None:
    lines = ["sched: RT throttling activated", "systemd: hello", *splat()]
    throttled, warning = console.read(lines).health
    assert (throttled.kind, throttled.detail) == ("rt_throttling", ())
    assert warning.detail


def test_what_the_kernel_says_in_several_lines_is_one_alarm() -> None:
    heard = console.read(
        [
            "INFO: task cat:9 blocked for more than 120 seconds.",
            "INFO: task cat:9 is blocked on a mutex likely owned by task dog:8.",
            "INFO: task cow:7 blocked for more than 120 seconds.",
            "stress-ng invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0",
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=stress-ng,pid=7,uid=0",
            "Out of memory: Killed process 7 (stress-ng) total-vm:1kB",
        ]
    )
    assert [(h.kind, len(h.detail)) for h in heard.health] == [
        ("hung_task", 1), ("hung_task", 0), ("oom_kill", 2)
    ]  # fmt: skip


def test_a_splat_without_an_end_stops_at_its_limit_a_marker_or_the_next() -> None:
    stall = "rcu: INFO: rcu_sched self-detected stall on CPU"
    heard = console.read([stall, *(f"line {n}" for n in range(40))])
    assert [len(h.detail) for h in heard.health] == [30]
    heard = console.read([stall, "a", "@vlag:start", "b"])
    assert [h.detail for h in heard.health] == [("a",)]
    heard = console.read([stall, "a", *splat()])
    assert [(h.kind, len(h.detail)) for h in heard.health] == [("rcu_stall", 1), ("warning", 4)]
    assert heard.health[0].detail == ("a",)


def test_fault_and_its_number_are_one_event_and_the_panic_another() -> None:
    heard = console.read(
        [
            "BUG: kernel NULL pointer dereference, address: 0000000000000008",
            "#PF: supervisor read access in kernel mode",
            "Oops: Oops: 0000 [#1] PREEMPT SMP",
            "RIP: 0010:foo+0x1/0x2",
            "---[ end trace 0000000000000000 ]---",
            "Kernel panic - not syncing: Fatal exception",
            "---[ end Kernel panic - not syncing: Fatal exception ]---",
        ]
    )
    assert [(h.kind, h.line) for h in heard.health] == [("bug", 1), ("panic", 6)]
    assert heard.health[0].detail[1] == "Oops: Oops: 0000 [#1] PREEMPT SMP"
    two = console.read(["BUG: scheduling while atomic: a/1/0x2"] * 2)
    assert len(two.health) == 2


def test_phase_tells_when() -> None:
    alarm = "WARNING: CPU: 1 PID: 3 at kernel/sched/fair.c:12 foo+0x1/0x2"
    marks = ["@vlag:start", "@vlag:run", "@vlag:status 0", "@vlag:done"]
    marked = [x for m in marks for x in (alarm, m)]
    phases = [h.phase for h in console.read([*marked, alarm]).health]
    assert phases == ["boot", "setup", "benchmark", "after", "after"]
    # A board that does not say when the benchmark began.
    old = [h.phase for h in console.read([x for x in marked if x != "@vlag:run"]).health]
    assert old == ["boot", "benchmark", "benchmark", "after"]


def tainted(before: str | None, after: str, *alarms: str) -> list[str]:
    path = "/proc/sys/kernel/tainted"
    environment = "== uname\nLinux\n" + (f"{path}:{before}\n" if before else "")
    return [
        "@vlag:start",
        "@vlag:run",
        *alarms,
        "@vlag:status 0",
        *sent(environment.encode(), "environment.txt"),
        *sent(f"{path}:{after}\n".encode(), "environment-after.txt"),
        "@vlag:done",
    ]


def test_a_new_taint_without_an_alarm_is_ill_health() -> None:
    (line,) = console.read(tainted("0", "512")).health
    assert (line.kind, line.line, line.phase) == ("taint", 0, "benchmark")
    assert line.text == "kernel tainted: 512 (W)"
    # What was there before is not new; what an alarm says is not said twice.
    assert console.read(tainted("512", "512")).health == ()
    (line,) = console.read(tainted("4096", "4624")).health
    assert line.text == "kernel tainted: 528 (MW)"
    alarm = splat()
    assert [h.kind for h in console.read(tainted("0", "512", *alarm)).health] == ["warning"]
    kinds = [(h.kind, h.text) for h in console.read(tainted("0", "4608", *alarm)).health]
    assert kinds[1:] == [("taint", "kernel tainted: 4096 (O)")]
    # Not known before: nothing can be said to be new.
    assert console.read(tainted(None, "512")).health == ()
    assert console.read(tainted("0", "nonsense")).health == ()


def test_an_alarm_of_the_boot_explains_no_later_taint() -> None:
    lines = [*splat(), *tainted("0", "512")]
    assert [h.kind for h in console.read(lines).health] == ["warning", "taint"]


def test_taint_letters_are_the_kernels() -> None:
    assert kernel_alarms.taint_letters(1) == "P"
    assert kernel_alarms.taint_letters(1 << 14 | 1 << 7) == "DL"
    assert kernel_alarms.taint_letters(1 << 18) == "N"
    assert kernel_alarms.taint_letters(1 << 40 | 1) == "P bit 40"


def test_bytes_that_cannot_be_stored_are_left_out_of_health_lines() -> None:
    (line,) = console.read(["BUG: bad\0 \udc80thing", "x\x1b[0m\0"]).health
    assert line.text == "BUG: bad   thing"
    assert line.detail == ("x [0m",)


def test_new_boards_pack_twice() -> None:
    packed = gzip.compress(gzip.compress(RAW, mtime=0), mtime=0)
    lines = sent(RAW)
    twice = [
        f"{lines[0]} 2",
        f"@vlag:data {base64.b64encode(packed).decode()}",
        "@vlag:eof out.txt",
    ]
    assert console.read(twice).files == {"out.txt": RAW}
    # Neither is taken for the other.
    for other in ([twice[0][:-2], *twice[1:]], [f"{lines[0]} 2", *lines[1:]]):
        heard = console.read(other)
        assert (heard.files, len(heard.damaged)) == ({}, 1)


@pytest.mark.parametrize("times", [1, 2])
def test_a_stream_that_unpacks_to_more_than_announced_is_damaged(times: int) -> None:
    data = bytes(200_000)
    for _ in range(times):
        data = gzip.compress(data, mtime=0)
    for said, whole in ((200_000, True), (199_999, False), (200_001, False), (1, False)):
        lines = [
            f"@vlag:file a {said} {hashlib.sha256(bytes(200_000)).hexdigest()} {times}",
            f"@vlag:data {base64.b64encode(data).decode()}",
            "@vlag:eof a",
        ]
        assert bool(console.read(lines).files) is whole


@pytest.mark.parametrize("times", [1, 2])
def test_a_stream_that_unpacks_to_gigabytes_takes_no_memory(times: int) -> None:
    data = bytes(64 << 20)
    for _ in range(times):
        data = gzip.compress(data, mtime=0)
    text = base64.b64encode(data).decode()
    tracemalloc.start()
    heard = console.read([f"@vlag:file a 9 x {times}", f"@vlag:data {text}", "@vlag:eof a"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(heard.damaged) == 1
    assert peak < 8 << 20


def test_what_is_no_longer_whole_is_named() -> None:
    first, second = sent(RAW, "a"), sent(RAW, "b")
    assert console.read([*first[:-1], *second]).damaged == (
        "console line 3: a was cut off before it",
    )
    assert console.read([*first[1:], *second]).damaged == (
        "console line 1: data of a file that was not announced",
    )
    assert console.read([*first, *second]).damaged == ()


def test_what_came_another_way_is_joined() -> None:
    digest = hashlib.sha256(RAW).hexdigest()
    lines = whole()
    lines[-1:] = [f"@vlag:uploaded big.hist {len(RAW)} {digest}", "@vlag:done"]
    heard = console.read(lines)
    assert heard.uploaded == {"big.hist": (len(RAW), digest)}
    with pytest.raises(InfrastructureError, match=r"uploaded big\.hist, but nothing was taken"):
        judge(heard, job(lines), 10)
    joined = console.join(heard, {"big.hist": RAW})
    assert joined.files == {"out.txt": RAW, "big.hist": RAW}
    assert judge(joined, job(lines), 10) == (Outcome.COMPLETE, None)


@pytest.mark.parametrize(("after", "kinds"), [(b"0", []), (b"1", ["taint"])])
def test_a_taint_in_uploaded_files_is_seen(after: bytes, kinds: list[str]) -> None:
    tainted = b"== state\n/proc/sys/kernel/tainted:"
    heard = console.read([*whole()[:2], "@vlag:run", *whole()[2:]])
    files = {"environment.txt": tainted + b"0\n", "environment-after.txt": tainted + after + b"\n"}
    joined = console.join(heard, files)
    assert [h.kind for h in joined.health] == kinds
    assert console.join(joined, {}).health == joined.health


def test_a_board_that_was_hot_or_throttled_is_no_sample() -> None:
    throttled = [
        *whole()[:-1],
        "@vlag:throttled under-voltage",
        "@vlag:throttled policy0 runs at 1",
    ]
    throttled.append("@vlag:done")
    heard = console.read(throttled)
    assert heard.throttled == ("under-voltage", "policy0 runs at 1")
    with pytest.raises(
        InfrastructureError, match="measured: under-voltage; policy0 runs at 1"
    ) as e:
        judge(heard, job(throttled), 10)
    assert e.value.retry
    hot = ["Linux version 6.1", "@vlag:start", "@vlag:hot waited 9 s: zone0=99000", "@vlag:done"]
    assert console.read(hot).hot == "waited 9 s: zone0=99000"
    with pytest.raises(InfrastructureError, match="before the benchmark: waited 9 s") as e:
        judge(console.read(hot), job(hot), 10)
    assert e.value.retry
    # A panic is the kernel's all the same, and a cool board is one.
    panic = [*throttled, "Kernel panic - not syncing: VFS"]
    assert judge(console.read(panic), job(panic), 10)[0] is Outcome.PANIC
    heard = console.read([*whole()[:-1], "@vlag:cool waited 0 s: zone0=40000", "@vlag:done"])
    assert (heard.hot, heard.throttled) == (None, ())
    assert judge(heard, job(whole()), 10) == (Outcome.COMPLETE, None)


def test_metrics_are_numbers() -> None:
    heard = console.read(
        ["@vlag:metric a pass 1.5 us", "@vlag:metric b pass lots us", "@vlag:metric c pass 1"]
    )
    assert heard.metrics == {"a": (1.5, "us")}


DIGITS = "9" * 5000


@pytest.mark.parametrize(
    "noise",
    [
        ["@vlag:file a 9 x", "@vlag:data \xe9AAA", "@vlag:eof a"],
        [f"@vlag:file a {DIGITS} x", "@vlag:data AAAA", "@vlag:eof a"],
        ["@vlag:file a 4100000000 x 2", "@vlag:data AAAA", "@vlag:eof a"],
        ["@vlag:file \u0663 \u0663 x", "@vlag:eof a"],
        ["@vlag:file ../a 9 x", "@vlag:data AAAA", "@vlag:eof ../a"],
        [f"@vlag:uploaded a {DIGITS} x"],
        ["@vlag:uploaded a 9000000000 x"],
        ["@vlag:uploaded ../../a 9 x"],
        ["@vlag:metric " + "x" * (1 << 20)],
    ],
)
def test_noise_on_the_line_is_a_fault_of_the_board_and_tried_again(noise: list[str]) -> None:
    lines = [*whole()[:-1], *noise, "@vlag:done"]
    heard = console.read(lines)
    assert len(heard.damaged) == 1
    assert heard.files == {"out.txt": RAW}
    assert not heard.uploaded
    with pytest.raises(InfrastructureError) as failed:
        judge(heard, job(lines), 10)
    assert failed.value.retry
    assert len(str(failed.value)) < 300


@pytest.mark.parametrize(
    "record", ['{"lvl": "target", "msg": ' + "[" * 100_000, '{"msg": ' + DIGITS + "}"]
)
def test_a_record_that_no_reader_takes_is_no_record(record: str) -> None:
    log = Log(lambda _line: None)
    log.add(record)
    assert log.console == []


def test_the_bound_of_a_file_is_the_stores() -> None:
    assert console.MOST_FILE_BYTES == artifact_server.MOST_BYTES


def test_a_status_of_5000_digits_is_no_status() -> None:
    lines = ["Linux version 6.1", "@vlag:start", f"@vlag:status {DIGITS}", *sent(RAW)]
    assert console.read(lines).status is None


def test_a_run_has_a_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "MOST_RUN_BYTES", 2 * len(RAW))
    heard = console.read([*sent(RAW, "a"), *sent(RAW, "b"), *sent(RAW, "c")])
    assert sorted(heard.files) == ["a", "b"]
    assert len(heard.damaged) == 1


def test_4_kb_that_are_packed_twice_stay_small() -> None:
    data = gzip.compress(gzip.compress(bytes(40 << 20), mtime=0), mtime=0)
    text = base64.b64encode(data).decode()
    tracemalloc.start()
    heard = console.read(["@vlag:file a 4100000000 x 2", f"@vlag:data {text}", "@vlag:eof a"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(heard.damaged) == 1
    assert peak < 8 << 20


@pytest.mark.parametrize(
    "pieces",
    [
        ["\r", "lockstep 00c0ffee00c0ffee limit 1200\r"],
        ["lockstep 00c0f", "fee00c0ffee limit 1200"],
        ["of two\r\n", "lockstep 00c0ffee00c0ffee limit 1200"],
    ],
)
def test_the_limit_on_the_boards_own_clock(pieces: list[str]) -> None:
    def result(first: str, *more: str) -> JobResult:
        log = Log(lambda _line: None)
        for text in (first, "Linux version 6.1", *more):
            log.add(json.dumps({"lvl": "target", "msg": text}))
        return log.result("lava-run", failed=False, version="1")

    ended = result("lockstep 1 00c0ffee00c0ffee", *pieces)
    assert (ended.lockstep, ended.instructions) == ("1", 1200)
    assert ended.console == ("Linux version 6.1", *(p.rstrip() for p in pieces if "of" in p))
    # Negative controls: who does not know the token ends nothing.
    for first in ("lockstep 1 0badc0de0badc0de", "lockstep 1"):
        other = result(first, *pieces)
        assert (other.lockstep, other.instructions) == ("1", None)
        assert other.console == ("Linux version 6.1", *pieces)
