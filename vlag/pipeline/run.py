"""Stage two: one boot of one kernel on one board under one plan entry."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from vlag import ROOT, parsers
from vlag.bundle import Bundle, describe, sha256
from vlag.errors import InfrastructureError, ParseError, RefusedError, UsageError
from vlag.lava import console, local, render, userland
from vlag.lava.outcome import judge
from vlag.lock import hold
from vlag.model import Benchmark, Board, BoardType, Outcome, digest
from vlag.pipeline.catalogue import Catalogue
from vlag.pipeline.documents import fault
from vlag.pipeline.settings import Settings

#: The first program of every boot.
INIT = ROOT / "lava-jobs" / "boot" / "init.sh"
#: What every board tells about itself, before and after a benchmark.
ENVIRONMENT = INIT.with_name("environment.sh")


def read_build(bundle: Path) -> dict[str, Any]:
    """Read a build bundle that can be booted; UsageError says why it cannot."""
    path = bundle / "build.json" if bundle.is_dir() else bundle
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise UsageError(f"{path}: no build bundle ({e}); make one with `vlag build`") from e
    wrong = fault(document, "build.schema.json")
    if wrong:
        raise RefusedError(wrong, path=path)
    if document["outcome"] != Outcome.COMPLETE.value:
        raise UsageError(f"{path}: this kernel did not build: {document['reason']}")
    image = path.parent / document["image"]["path"]
    if not image.is_file() or sha256(image) != document["image"]["sha256"]:
        raise RefusedError("the image is not the one that was built; build it again", path=image)
    return document


def estimate_s(benchmark: Benchmark, board_type: BoardType, values: Mapping[str, Any]) -> float:
    """Return the host seconds that a run is expected to take."""
    virtual = values.get("duration_s", benchmark.virtual_s)
    return board_type.boot_s + float(virtual) * board_type.seconds_per_virtual_s


@frozen(kw_only=True)
class Entry:
    """What the board is told for one boot."""

    values: Mapping[str, str | int]  # parameters of the benchmark, all of them
    words: Mapping[str, Sequence[str]]  # argv of each program
    archive: bytes  # cpio with init, script, argv, seed and knobs
    sha256: str


def boot_entry(
    benchmark: Benchmark, given: Mapping[str, str | int], seed: int, knobs: Mapping[str, str]
) -> Entry:
    """Return the entry of a boot; UsageError for a parameter or knob that cannot be."""
    values = render.parameters(benchmark, given)
    words = render.argv(benchmark, values)
    render.check_knobs(knobs)
    archive = render.entry(benchmark, words, seed=seed, knobs=knobs, scripts=[INIT, ENVIRONMENT])
    return Entry(
        values=values,
        words=words,
        archive=archive,
        sha256=hashlib.sha256(archive).hexdigest(),
    )


def command_line(board_type: BoardType, knobs: Mapping[str, str]) -> str:
    """Return the kernel's command line."""
    return " ".join([board_type.cmdline, "rdinit=/vlag/init", knobs.get("cmdline", "")]).strip()


def run_key(
    *,
    image_sha256: str,
    userland_sha256: str,
    entry_sha256: str,
    board_type: BoardType,
    knobs: Mapping[str, str],
    emulator: Mapping[str, str] | None,
) -> str:
    """Return the digest of all that a run depends on: on a deterministic board, its result."""
    return digest(
        {
            "image": image_sha256,
            "userland": userland_sha256,
            "entry": entry_sha256,
            "cmdline": command_line(board_type, knobs),
            "board_type": board_type.name,
            "options": list(board_type.options),
            "emulator": emulator,
        }
    )


def prepare_userland(
    settings: Settings, benchmark: Benchmark, say: Callable[[str], None]
) -> userland.Userland:
    """Return the boards' userland with the programs of a benchmark, built once."""
    common = userland.package_list(ROOT / "workers" / "packages" / "userland.txt")
    return userland.build(
        settings.state / "userland", [*common, *benchmark.packages], benchmark.programs, say
    )


def check_needs(benchmark: Benchmark, board_type: BoardType, config: Path) -> None:
    """Raise UsageError where the board type or the kernel lacks what a benchmark needs."""
    needs = benchmark.needs
    if needs.machines > 1:
        raise UsageError(
            f"{benchmark.name} needs {needs.machines} machines; one board cannot run it"
        )
    lacking = [h for h in needs.hardware if h not in board_type.hardware]
    if lacking:
        raise UsageError(
            f"{benchmark.name} needs {', '.join(lacking)}, which board type {board_type.name} has"
            " not"
        )
    have = config.read_text(encoding="utf-8").splitlines() if needs.kconfig else ()
    unset = [o for o in needs.kconfig if f"{o}=y" not in have]
    if unset:
        raise UsageError(
            f"{benchmark.name} needs {', '.join(unset)}, which {config} has not; add it to"
            " workers/kconfig/scheduler.config and build again"
        )


def run(
    *,
    settings: Settings,
    catalogue: Catalogue,
    build: Path,
    board: Board,
    benchmark: Benchmark,
    given: Mapping[str, str | int],
    seed: int,
    knobs: Mapping[str, str],
    plan: str | None,
    timeout_s: int,
    reuse: bool,
    output: Path | None,
    say: Callable[[str], None],
) -> Bundle:
    """Boot, measure, and write the run's bundle; all but infrastructure faults are results.

    `reuse` returns an earlier complete bundle with the same key on a
    deterministic board.  Raises UsageError for what a person got wrong,
    InfrastructureError when the board, not the kernel, failed.
    """
    board_type = catalogue.board_type(board.board_type)
    document = read_build(build)
    build = build if build.is_dir() else build.parent
    check_needs(benchmark, board_type, build / document["config"]["path"])
    entry = boot_entry(benchmark, given, seed, knobs)
    emulator = emulator_of(board_type)
    userspace = prepare_userland(settings, benchmark, say)
    key = run_key(
        image_sha256=document["image"]["sha256"],
        userland_sha256=userspace.sha256,
        entry_sha256=entry.sha256,
        board_type=board_type,
        knobs=knobs,
        emulator=emulator,
    )
    with contextlib.ExitStack() as held:
        if reuse and board_type.deterministic:
            # Two kernels with one image ask for the same run at the same time.
            held.enter_context(
                hold(
                    settings.runs / key[:16] / "lock",
                    lambda: say("the same run is under way; waiting for its end"),
                )
            )
            known = recorded(settings.runs, key)
            if known is not None:
                say(f"{benchmark.name} seed {seed}: run of record used, this board repeats exactly")
                return known
        return _boot(
            folder=settings.runs / key[:16],
            key=key,
            build=build,
            document=document,
            board=board,
            board_type=board_type,
            emulator=emulator,
            benchmark=benchmark,
            entry=entry,
            userspace=userspace,
            seed=seed,
            knobs=knobs,
            plan=plan,
            timeout_s=timeout_s,
            output=output,
            say=say,
        )


def _boot(
    *,
    folder: Path,
    key: str,
    build: Path,
    document: Mapping[str, Any],
    board: Board,
    board_type: BoardType,
    emulator: Mapping[str, str] | None,
    benchmark: Benchmark,
    entry: Entry,
    userspace: userland.Userland,
    seed: int,
    knobs: Mapping[str, str],
    plan: str | None,
    timeout_s: int,
    output: Path | None,
    say: Callable[[str], None],
) -> Bundle:
    """Boot once and write the bundle, into a new folder of `folder` or as `output`."""
    if board_type.template is None or board_type.job is None:
        raise UsageError(
            f"{board.name}: board type {board_type.name} has no device template or job template;"
            " its results can only be taken in with `vlag ingest`"
        )
    estimate = estimate_s(benchmark, board_type, entry.values)
    say(
        f"booting {document['release']} on {board.name}: {benchmark.name}, seed {seed}, "
        f"about {estimate:.0f} s"
    )
    started = datetime.datetime.now(datetime.UTC)
    name = f"{started:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:6]}"
    bundle = output or folder / name
    if bundle.exists():
        raise UsageError(f"{bundle}: exists; name a new folder")
    work = bundle.with_name(f"{bundle.name}.partial")
    work.mkdir(parents=True)
    (work / "entry.cpio").write_bytes(entry.archive)
    ramdisk = work / "ramdisk"
    (work / "device.yaml").write_text(
        render.device(ROOT / "lava-jobs" / "devices" / board_type.template, board, board_type)
    )
    (work / "job.yaml").write_text(
        render.job(
            ROOT / "lava-jobs" / "boot" / board_type.job,
            board_type=board_type,
            name=f"{benchmark.name} seed {seed} {document['release']}",
            run_key=key,
            cmdline=command_line(board_type, knobs),
            kernel=build / document["image"]["path"],
            ramdisk=ramdisk,
            timeout_s=timeout_s,
        )
    )
    ramdisk.write_bytes(userspace.path.read_bytes() + entry.archive)
    try:
        job = local.run(work, name, _progress(say))
    finally:
        ramdisk.unlink(missing_ok=True)
    (work / "console.log").write_text("\n".join([*job.console, ""]), encoding="utf-8")
    heard = console.read(job.console)
    outcome, reason = judge(heard, job, board_type.boot_timeout_s + timeout_s)
    if outcome is Outcome.COMPLETE and benchmark.output not in heard.files:
        outcome = Outcome.BENCHMARK_FAILED
        reason = f"{benchmark.name} ended with status 0 but left no {benchmark.output}"
    elif outcome is Outcome.BENCHMARK_FAILED and benchmark.output in heard.files:
        reason = f"{reason}{_tools_word(benchmark, heard.files[benchmark.output])}"
    _write_raw(work / "raw", heard.files)
    result = {
        "schema": 1,
        "kind": "run",
        "run_key": key,
        "kernel": document["kernel"],
        "image_sha256": document["image"]["sha256"],
        "config_sha256": document["config"]["sha256"],
        "release": document["release"],
        "plan": plan,
        "benchmark": benchmark.name,
        "parameters": entry.values,
        "argv": entry.words,
        "seed": seed,
        "knobs": dict(knobs),
        "board": {
            "name": board.name,
            "board_type": board_type.name,
            "deterministic": board_type.deterministic,
            "cpus": board_type.cpus,
            "setup": digest(
                [
                    board_type.cmdline,
                    board_type.options,
                    INIT.read_text(),
                    ENVIRONMENT.read_text(),
                    benchmark.script.decode(),
                ]
            ),
            "emulator": emulator,
        },
        "userland": {"sha256": userspace.sha256, "packages": userspace.packages},
        "entry_sha256": entry.sha256,
        "executor": {"program": "lava-run", "version": job.version, "job": name},
        "outcome": outcome.value,
        "reason": reason,
        "started_at": started.isoformat(timespec="seconds"),
        "finished_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "estimate_s": estimate,
        "environment": console.environment(heard.files.get("environment.txt", b"")),
        "environment_after": console.environment(heard.files.get("environment-after.txt", b"")),
        "health": [asdict(h) for h in heard.health],
        "output": f"raw/{benchmark.output}" if outcome is Outcome.COMPLETE else None,
        "files": [
            describe(work, str(p.relative_to(work))) for p in sorted(work.rglob("*")) if p.is_file()
        ],
        "reproduce": _command(build, board, benchmark, entry.values, seed, knobs, timeout_s),
        "synthetic": False,
    }
    (work / "run.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")
    work.rename(bundle)
    return Bundle(folder=bundle, document=result, reused=False)


def _tools_word(benchmark: Benchmark, data: bytes) -> str:
    """Return what the raw output says of why a benchmark failed, if it does."""
    try:
        parsers.parse(benchmark.tool, data, path=benchmark.output)
    except ParseError as e:
        return f"; {e}"
    return ""


def _write_raw(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*", name):
            raise InfrastructureError(f"{folder}: the board sent a file with the odd name {name!r}")
        (folder / name).write_bytes(data)


def _progress(say: Callable[[str], None]) -> Callable[[str], None]:
    def on_line(line: str) -> None:
        if "@vlag:start" in line:
            say("booted, measuring")
        elif "@vlag:status" in line:
            say("measured, reading the raw output")

    return on_line


def recorded(runs: Path, key: str) -> Bundle | None:
    """Return a complete run of this key."""
    for path in sorted((runs / key[:16]).glob("*/run.json")):
        if path.parent.suffix == ".partial":  # killed before its last step
            continue
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["run_key"] == key and document["outcome"] == Outcome.COMPLETE.value:
            return Bundle(folder=path.parent, document=document, reused=True)
    return None


def emulator_of(board_type: BoardType) -> dict[str, str] | None:
    """Return program, version and digest of the board type's emulator.

    Raises UsageError if it is missing or too old.
    """
    if board_type.emulator is None:
        return None
    program = shutil.which(board_type.emulator)
    if program is None:
        raise UsageError(f"{board_type.emulator} is missing: `make setup` installs it")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"version (\d+(?:\.\d+)*)(?: \((.*)\))?", said)
    if match is None:
        raise UsageError(
            f"{program} --version says {said.splitlines()[:1]}, which names no version"
        )
    version = tuple(map(int, match[1].split(".")))
    minimum = board_type.emulator_minimum or ()
    if version < minimum:
        raise UsageError(
            f"{program} is version {match[1]}; board type {board_type.name} needs "
            f"{'.'.join(map(str, minimum))} or newer: `make setup` installs it from backports"
        )
    return {
        "program": board_type.emulator,
        "version": match[2] or match[1],
        "sha256": sha256(Path(program)),
    }


def _command(
    build: Path,
    board: Board,
    benchmark: Benchmark,
    values: Mapping[str, str | int],
    seed: int,
    knobs: Mapping[str, str],
    timeout_s: int,
) -> str:
    changed = {k: v for k, v in values.items() if benchmark.parameters[k] != v}
    return shlex.join(
        ["vlag", "run", str(build), "--board", board.name, "--benchmark", benchmark.name,
         *(f"--param={k}={v}" for k, v in changed.items()),
         *(f"--knob={k}={v}" for k, v in knobs.items()),
         "--seed", str(seed), "--timeout", str(timeout_s)]
    )  # fmt: skip
