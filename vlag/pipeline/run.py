# SPDX-License-Identifier: GPL-2.0-only
"""Stage two: one boot of one kernel on one board under one plan entry."""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import re
import shlex
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

from vlag import ROOT, durable, parsers
from vlag.bundle import Bundle, describe
from vlag.bundle_records import BootedRecord, HealthRecord, RunRecord
from vlag.errors import InfrastructureError, ParseError, UsageError
from vlag.kept_folders import Store
from vlag.lava import board_state, console, emulator, local, render, snapshots
from vlag.lava.job import JobResult
from vlag.lava.outcome import judge, ran_out, went_silent
from vlag.lava.snapshots import Start
from vlag.lock import hold
from vlag.model import Benchmark, Board, Outcome
from vlag.pipeline.boot import Boot, recorded

log = logging.getLogger(__name__)

#: Fetches files that a board has uploaded: name -> (bytes, SHA-256) to name -> content.
Received = Callable[[Mapping[str, tuple[int, str]]], Mapping[str, bytes]]
#: A board that had no time left hangs only if its emulator had a processor in a quarter of the time
#: or more: time-outs leave several times what a boot needs.
_STARVED = 0.75


def run(
    boot: Boot,
    board: Board,
    runs: Path,
    *,
    reuse: bool,
    reuse_failed: bool = False,
    output: Path | None,
    snapshots: Store | None = None,
    dispatcher: bool = True,
) -> Bundle[RunRecord]:
    """Boot, measure, and write the run's bundle; all but infrastructure faults are results.

    The bundle is `output`, or a new folder below `runs`.  `reuse` returns an earlier
    complete bundle with the same key on a deterministic board, with `reuse_failed` also one of a
    kernel that failed.  `snapshots` are those of deterministic boards that have booted, None: boot
    from power on; such boards boot without LAVA's `dispatcher` if it is False.  Raises UsageError
    for a user's mistake, InfrastructureError if the board, not the kernel, failed.
    """
    folder = runs / boot.key[:16]
    with contextlib.ExitStack() as held:
        if reuse and boot.board_type.deterministic:
            # Two kernels with one image request the same run at the same time.
            held.enter_context(
                hold(
                    folder / "lock",
                    lambda: log.info("the same run is under way; waiting for its end"),
                )
            )
            known = recorded(
                runs, boot.key, failed_within_s=boot.timeout_s if reuse_failed else None
            )
            if known is not None:
                name = f"{boot.benchmark.name} seed {boot.seed}"
                log.info(f"{name}: run of record used, this board repeats exactly")
                return known
        return _here(boot, board, folder, output, _Road(store=snapshots, dispatcher=dispatcher))


@frozen(kw_only=True)
class _Road:
    """How this machine boots."""

    store: Store | None  # of snapshots
    dispatcher: bool  # LAVA's


def _here(
    boot: Boot, board: Board, folder: Path, output: Path | None, road: _Road
) -> Bundle[RunRecord]:
    """Boot once on this machine; write the bundle into a new folder of `folder`, or as `output`."""
    kind = boot.board_type
    if kind.template is None or kind.job is None:
        raise UsageError(
            f"{board.name}: board type {kind.name} has no device template or job template;"
            " enter its results with `vlag ingest`"
        )
    log.info(
        f"booting {boot.release} on {board.name}: {boot.benchmark.name}, seed "
        f"{boot.seed}, about {boot.estimate_s:.0f} s"
    )
    started = datetime.datetime.now(datetime.UTC)
    # A name of its own also where `output` names the bundle: LAVA removes the files of all
    # jobs with one name when the first of them ends.
    name = f"{started:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"
    bundle = output or folder / name
    if bundle.exists():
        raise UsageError(f"{bundle}: exists; name a new folder")
    work = bundle.with_name(f"{bundle.name}.partial")
    work.mkdir(parents=True)
    ramdisk = work / "ramdisk"
    ramdisk.write_bytes(boot.ramdisk)
    snapshot = work / "snapshot"
    device = render.device(ROOT / "lava-jobs" / "devices" / kind.template, board, kind)
    job_yaml = render.job(
        ROOT / "lava-jobs" / "boot" / kind.job,
        board_type=kind,
        name=boot.title,
        run_key=boot.key,
        cmdline=boot.cmdline,
        files=render.files(kernel=boot.kernel, ramdisk=ramdisk),
        timeout_s=boot.timeout_s,
        restore=(restore := _restored(boot, road.store, ramdisk, snapshot)),
    )
    (work / "entry.cpio").write_bytes(boot.entry.archive)
    (work / "device.yaml").write_text(device)
    (work / "job.yaml").write_text(job_yaml)
    bare = kind.deterministic and not road.dispatcher

    def once() -> JobResult:
        return _bare(boot, work, ramdisk, restore) if bare else local.run(work, name, progress)

    try:
        job, repeated = _booted(once, kind.deterministic)
    finally:
        ramdisk.unlink(missing_ok=True)
        snapshots.remove(snapshot)
    record: BootedRecord = {
        **boot.record(),
        "board": boot.board(board.name),
        "executor": {
            "program": str(kind.command) if bare else "lava-run",
            "version": job.version,
            "job": name,
        },
        "started_at": started.isoformat(timespec="seconds"),
        "finished_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "reproduce": f"{reproduce(boot)} --board {board.name}",
    }
    return conclude(
        record,
        job,
        boot.benchmark,
        work,
        bundle,
        limit_s=kind.limit_s(boot.timeout_s),
        repeated=repeated,
    )


def _restored(boot: Boot, store: Store | None, ramdisk: Path, into: Path) -> str | None:
    """Return the words with which the emulator goes on from a snapshot; None: from power on.

    What is observed from outside the guest knows it from its first instruction, so such a boot is
    none that goes on.
    """
    kind = boot.board_type
    if store is None or not kind.deterministic or boot.observes is not None:
        return None
    return snapshots.restore(store, _start(boot, ramdisk), into, kind.host_limit_s(0))


def _start(boot: Boot, ramdisk: Path) -> Start:
    """Return how the board's emulator starts from power on."""
    kind = boot.board_type
    return Start(
        command=(str(kind.command), *(w for option in kind.options for w in option.split())),
        kernel=boot.kernel,
        cmdline=boot.cmdline,
        ramdisk=ramdisk,
        seed=boot.seed,
        identity={"image": boot.document["image"]["sha256"], "emulator": boot.emulator},
    )


def _bare(boot: Boot, work: Path, ramdisk: Path, restore: str | None) -> JobResult:
    """Boot once without LAVA's dispatcher, with the words that its job gives the emulator."""
    kind = boot.board_type
    limit = ("-name", f"vlag-limit-{kind.limit_s(boot.timeout_s)}")
    argv = _start(boot, ramdisk).argv(*limit, *(restore or "").split())
    version = "unknown" if boot.emulator is None else str(boot.emulator["version"])
    return emulator.run(work, argv, kind.host_limit_s(boot.timeout_s), version, progress)


def _booted(boot_once: Callable[[], JobResult], deterministic: bool) -> tuple[JobResult, bool]:
    """Boot; a deterministic board that goes down without a word is booted once more.

    A kernel that did it does the same again, to the last character.  An emulator that was killed,
    as by a host without memory, does not: its first boot counts nothing.  Returns the last boot,
    and whether it ended as the first one did.  Raises InfrastructureError if both ended so, at
    different places, or the last one had no time left that this host hardly gave a processor.
    """
    job = boot_once()
    if deterministic and _went_silent(job):
        log.info(
            "the board went down without a word; booted again, to know whether the kernel did it"
        )
        first, job = job, boot_once()
        if _went_silent(job):
            if printed(job) == printed(first):
                return job, True
            raise InfrastructureError(
                "the board went down without a word, and before that at another place: its host"
                " kills the emulator; has it memory left?"
            )
    _refuse_starved(job)
    return job, False


def _refuse_starved(job: JobResult) -> None:
    """Raise InfrastructureError if time was over for an emulator that had hardly a processor."""
    if job.waited is not None and job.waited > _STARVED and ran_out(console.read(job.console), job):
        raise InfrastructureError(
            f"the board had no time left, as this host gave its emulator a processor in"
            f" {1 - job.waited:.0%} of the time: what else runs here?"
        )


def _went_silent(job: JobResult) -> bool:
    return went_silent(console.read(job.console), job)


def printed(job: JobResult) -> str:
    """Return what a board has printed; LAVA may cut lines at other places."""
    return "".join(job.console)


def conclude(
    record: BootedRecord,
    job: JobResult,
    benchmark: Benchmark,
    work: Path,
    bundle: Path,
    *,
    limit_s: int,
    repeated: bool = False,
    received: Received | None = None,
    loadgen: JobResult | None = None,
) -> Bundle[RunRecord]:
    """Judge a job's output and make folder `work` the bundle; write run.json last.

    `record` is the part of run.json that is not on the console, `limit_s` the seconds
    that the board had; `repeated`: two boots ended alike; `received` fetches the files
    that the board says it has uploaded; `loadgen` is the load generator's part of a job of two
    machines, whose files join those of the measured one.  Raises InfrastructureError when a
    board failed.
    """
    heard = _heard(job, work / "console.log", received)
    outcome, reason = judge(
        heard,
        job,
        limit_s,
        deterministic=record["board"]["deterministic"],
        repeated=repeated,
    )
    environment = console.environment(heard.files.get("environment.txt", b""))
    if outcome is Outcome.COMPLETE:
        odd = board_state.fault(environment, record["board"]["cpus"])
        if odd is not None:
            raise InfrastructureError(odd)
    files = dict(heard.files)
    if loadgen is not None:
        other = _heard(loadgen, work / "console-loadgen.log", received)
        if outcome is Outcome.COMPLETE:
            outcome, reason = _judge_loadgen(other, loadgen, limit_s)
        names = {n: n if n == benchmark.output else f"loadgen-{n}" for n in other.files}
        files |= {names[n]: data for n, data in other.files.items()}
    outcome, reason = _with_output(benchmark, files, outcome, reason)
    _write_raw(work / "raw", files)
    result: RunRecord = {
        **record,
        "outcome": outcome.value,
        "reason": reason,
        "environment": environment,
        "environment_after": console.environment(heard.files.get("environment-after.txt", b"")),
        "read_back": heard.knobs,
        "health": _health(heard),
        "output": f"raw/{benchmark.output}" if outcome is Outcome.COMPLETE else None,
        "files": [
            describe(work, str(p.relative_to(work))) for p in sorted(work.rglob("*")) if p.is_file()
        ],
    }
    (work / "run.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")
    durable.place(work, bundle)
    return Bundle(folder=bundle, document=result, reused=False)


def _heard(job: JobResult, path: Path, received: Received | None) -> console.Console:
    """Store and read a machine's console, and add its uploaded files."""
    path.write_text("\n".join([*job.console, ""]), encoding="utf-8", errors="replace")
    heard = console.read(job.console)
    if received is None or not heard.uploaded:
        return heard
    return console.join(heard, received(heard.uploaded))


def _health(heard: console.Console) -> list[HealthRecord]:
    return [
        {"kind": h.kind, "line": h.line, "text": h.text, "phase": h.phase, "detail": h.detail}
        for h in heard.health
    ]


def _judge_loadgen(
    heard: console.Console, job: JobResult, limit_s: int
) -> tuple[Outcome, str | None]:
    """Judge the load generator: a failure of its kernel is not a result."""
    outcome, reason = judge(heard, job, limit_s)
    if outcome in (Outcome.PANIC, Outcome.HANG):
        raise InfrastructureError(f"the load generator failed ({outcome.value}): {reason}")
    return outcome, None if reason is None else f"on the load generator: {reason}"


def _with_output(
    benchmark: Benchmark, files: Mapping[str, bytes], outcome: Outcome, reason: str | None
) -> tuple[Outcome, str | None]:
    """Return the outcome and its reason once the benchmark's own output is looked for."""
    if outcome is Outcome.COMPLETE and benchmark.output not in files:
        reason = f"{benchmark.name} ended with status 0 but left no {benchmark.output}"
        return Outcome.BENCHMARK_FAILED, reason
    if outcome is Outcome.BENCHMARK_FAILED and benchmark.output in files:
        return outcome, f"{reason}{_tools_word(benchmark, files[benchmark.output])}"
    return outcome, reason


def _tools_word(benchmark: Benchmark, data: bytes) -> str:
    """Return the reason for a benchmark's failure in its raw output, if there is one."""
    try:
        parsers.parse(benchmark.tool, data, path=benchmark.output, told=False)
    except ParseError as e:
        return f"; {e}"
    return ""


def _write_raw(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*", name):
            raise InfrastructureError(f"{folder}: the board sent a file with the odd name {name!r}")
        (folder / name).write_bytes(data)


def progress(line: str) -> None:
    """Take a line of a console, and log how far the board is."""
    if "@vlag:start" in line:
        log.info("booted, measuring")
    elif "@vlag:status" in line:
        log.info("measured, reading the raw output")


def reproduce(boot: Boot) -> str:
    """Return the command that repeats a boot, without `--board`."""
    default = boot.benchmark.parameters
    changed = {k: v for k, v in boot.entry.values.items() if default[k] != v}
    return shlex.join(
        ["vlag", "run", str(boot.build.resolve()), "--benchmark", boot.benchmark.name,
         *(f"--param={k}={v}" for k, v in changed.items()),
         *(f"--knob={k}={v}" for k, v in boot.knobs.items()),
         *([] if boot.observes is None else [f"--observe={boot.observes}"]),
         "--seed", str(boot.seed), "--timeout", str(boot.timeout_s)]
    )  # fmt: skip
