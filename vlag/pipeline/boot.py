# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a boot: kernel, initramfs, entry, and the key of all inputs."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from vlag import ROOT
from vlag.bundle import Bundle, is_final, note_use, read, sha256
from vlag.bundle_records import (
    BoardRecord,
    BootRecord,
    CompleteBuild,
    EmulatorRecord,
    FileRecord,
    RunRecord,
)
from vlag.config import Settings, kernel_needs
from vlag.config.documents import fault
from vlag.errors import RefusedError, UsageError, blame
from vlag.kernel import kconfig, shared_objects
from vlag.kernel import modules as kernel_modules
from vlag.kernel import places as decided_at
from vlag.kernel.boot_devices import DEVICE_TREE
from vlag.lava import initramfs, marker, render
from vlag.lava.job import LOCKSTEP
from vlag.model import Benchmark, BoardType, Observation, Outcome, digest
from vlag.pipeline import guest as guests
from vlag.pipeline import programs as recipes

#: The first program of every boot.
INIT = ROOT / "lava-jobs" / "boot" / "init.sh"
#: Script that prints a board's state before and after a benchmark.
ENVIRONMENT = INIT.with_name("environment.sh")
#: Script that reports the headline metrics of a run as results in LAVA.
HEADLINE = INIT.with_name("headline.sh")
#: Brings a board that has a policy into the state it asks for.
PREPARE = INIT.with_name("prepare.sh")
#: Script that loads modules, on boards that have some.
LOAD_MODULES = INIT.with_name("load-modules.sh")
#: Script with which the two machines of a pair begin and end together.
PAIR = INIT.with_name("pair.sh")
# Time-out of a benchmark that was booted before: so many seconds, and so many times the longest.
_LEAST_S, _TIMES = 60, 3


def read_build(bundle: Path) -> CompleteBuild:
    """Read a bootable build bundle; UsageError gives the reason if it is not."""
    path = bundle / "build.json" if bundle.is_dir() else bundle
    try:
        document: CompleteBuild = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise blame(e, f"{path}: no build bundle ({e}); make one with `vlag build`") from e
    except ValueError as e:
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


#: Messages a second and CPU that real boards pass, from the times of hackbench in reports.
MESSAGES_EACH_CPU_S = 0.15e6
#: Senders of one group, and receivers of each, where the benchmark has no parameter for them.
_FDS = 20


def estimate_s(benchmark: Benchmark, board_type: BoardType, values: Mapping[str, Any]) -> float:
    """Return the expected duration of a run in host seconds.

    `values` need not have parameters that are the benchmark's own.
    """
    have = {**benchmark.parameters, **values}
    if "duration_min" in have:
        on_board = 60.0 * (int(have["rampup_min"]) + int(have["duration_min"]))
    elif not board_type.virtual and {"groups", "loops", "iterations"} <= have.keys():
        messages = int(have["groups"]) * int(have.get("fds", _FDS)) ** 2 * int(have["loops"])
        each_s = messages / (MESSAGES_EACH_CPU_S * board_type.cpus)
        on_board = each_s * (int(have["warmups"]) + int(have["iterations"]))
    else:
        on_board = benchmark.own_s(values)
    return board_type.boot_s + on_board * board_type.seconds_per_virtual_s


@frozen(kw_only=True)
class Entry:
    """The board's input for one boot."""

    values: Mapping[str, str | int]  # parameters of the benchmark, all of them
    words: Mapping[str, Sequence[str]]  # argv of each program
    archive: bytes  # cpio with init, script, argv, seed, knobs and what is observed
    sha256: str


def boot_entry(
    benchmark: Benchmark,
    given: Mapping[str, str | int],
    seed: int,
    knobs: Mapping[str, str],
    *,
    observes: Observation | None = None,
    policy: Sequence[str] = (),
    modules: Sequence[tuple[str, bytes]] = (),
    place: Mapping[str, str] | None = None,
) -> Entry:
    """Return the entry of a boot; UsageError for an invalid parameter or knob.

    `policy` are the lines of the board's policy, for boards that are prepared, before knobs change
    some; `modules` are loaded first, in this order; `place` is the machine's place in a pair.
    """
    values = render.parameters(benchmark, given)
    words = render.argv(benchmark, values)
    asked, others = render.with_knobs(policy, render.all_knobs(benchmark, values, knobs))
    archive = render.entry(
        benchmark,
        words,
        seed=seed,
        knobs=others,
        observes=observes,
        modules=modules,
        scripts=[
            *([LOAD_MODULES] if modules else []),
            INIT,
            ENVIRONMENT,
            HEADLINE,
            *([PREPARE] if policy else []),
            *([PAIR] if place is not None else []),
            *([guests.SCRIPT] if benchmark.guest is not None else []),
        ],
        policy=asked,
        place=place,
    )
    return Entry(
        values=values,
        words=words,
        archive=archive,
        sha256=hashlib.sha256(archive).hexdigest(),
    )


def command_line(
    board_type: BoardType,
    knobs: Mapping[str, str],
    observes: Observation | None = None,
    *,
    places: str = "",
) -> str:
    """Return the kernel's command line.

    `places` say where the kernel decides what is observed; they follow from its image.
    """
    words = [board_type.cmdline, "rdinit=/vlag/init", knobs.get("cmdline", "")]
    if observes is Observation.PROFILE:
        words.append(marker.CMDLINE)
    elif observes is Observation.DECISIONS:
        words.append(decided_at.CMDLINE + places)
    elif observes is Observation.CACHES:
        words.append(shared_objects.CMDLINE + places)
    return " ".join(filter(None, words)).strip()


def places_of(build: Path, observes: Observation | None) -> str:
    """Return where the kernel of a build's folder decides what is observed; "" if nowhere.

    Raises UsageError for a build that has not kept it, or whose kernel is unlike those known.
    """
    if observes not in {Observation.DECISIONS, Observation.CACHES}:
        return ""
    # It brings numpy, which few boots need.
    from vlag.profile import profile_bundles  # noqa: PLC0415

    of = decided_at.words if observes is Observation.DECISIONS else shared_objects.words
    return of(profile_bundles.read_symbols(build), profile_bundles.read_types(build))


def run_key(
    *,
    image_sha256: str,
    userland_sha256: str,
    entry_sha256: str,
    board_type: BoardType,
    knobs: Mapping[str, str],
    emulator: EmulatorRecord | None,
    observes: Observation | None = None,
    device_tree_sha256: str | None = None,
    guest: Mapping[str, str] | None = None,
) -> str:
    """Return the digest of all inputs of a run; on a deterministic board they fix its result.

    `guest` are the digests of what the board's guests boot.
    """
    # Only where there is one: runs without have kept their keys.
    tree = {} if device_tree_sha256 is None else {"device_tree": device_tree_sha256}
    started = {} if guest is None else {"guest": dict(guest)}
    return digest(
        {
            **tree,
            **started,
            "image": image_sha256,
            "userland": userland_sha256,
            "entry": entry_sha256,
            "cmdline": command_line(board_type, knobs, observes),
            "board_type": board_type.name,
            "options": list(board_type.options),
            "emulator": emulator,
        }
    )


def prepare_userland(
    settings: Settings, benchmark: Benchmark, arch: str, observes: Observation | None = None
) -> initramfs.Userland:
    """Return the initramfs for boards of `arch` with a benchmark's programs, built once.

    A boot that observes may need programs of its own in it.  Raises UsageError with the command
    that builds a program which no package has, where there is a recipe of it.
    """
    own = recipes.recipe_of(benchmark)
    if own is not None and benchmark.brought in recipes.absent(own, settings, arch):
        raise UsageError(
            f"{benchmark.name} needs the program {benchmark.brought}, which no Debian package has:"
            f" `vlag programs {own.name} --arch {arch}` builds it"
        )
    common = initramfs.package_list(ROOT / "workers" / "packages" / "userland.txt")
    packages, programs = (observes.packages, observes.programs) if observes else ((), ())
    made = initramfs.build(
        settings.state / "userland",
        [*common, *benchmark.packages, *packages],
        benchmark.programs | set(programs),
        arch=arch,
        brought=settings.programs / arch,
        files=benchmark.needs.files,
    )
    # What has no package has a version as well.
    own_version = recipes.versions(benchmark, settings, arch)
    return evolve(made, packages={**made.packages, **own_version})


def modules_of(
    build: Path, document: Mapping[str, Any], board_type: BoardType
) -> list[tuple[str, bytes]]:
    """Return what a board loads of a kernel's modules, in order: name and content.

    Raises UsageError for a kernel that was built without them, RefusedError for another archive
    than was built.
    """
    if not board_type.modules:
        return []
    config = (build / document["config"]["path"]).read_text(encoding="utf-8")
    asked = kernel_modules.names(board_type.modules, kconfig.options(config))
    if not asked:
        return []
    for file in document["files"]:
        if file["path"] == kernel_modules.FILE:
            archive = build / kernel_modules.FILE
            if not archive.is_file() or sha256(archive) != file["sha256"]:
                raise RefusedError(
                    "the modules are not those that were built; build them again", path=archive
                )
            return kernel_modules.ordered(archive, asked)
    raise UsageError(
        f"this kernel was built without the modules {', '.join(asked)}, which boards of type"
        f" {board_type.name} load: build it with --board-type {board_type.name}"
    )


def _device_tree(document: CompleteBuild, board_type: BoardType) -> FileRecord | None:
    if board_type.dtb is None:
        return None
    for file in document["files"]:
        if file["path"] == DEVICE_TREE:
            return file
    raise UsageError(
        f"this kernel was built without {board_type.dtb}, with which boards of type"
        f" {board_type.name} boot: build it with --board-type {board_type.name}"
    )


def recorded(
    runs: Path, key: str, *, failed_within_s: int | None = None
) -> Bundle[RunRecord] | None:
    """Return a complete run of this key.

    Where there is none, `failed_within_s` is for one that failed; a kernel that hung must have had
    so many seconds for its benchmark.
    """
    failed: Bundle[RunRecord] | None = None
    for path in sorted((runs / key[:16]).glob("*/run.json")):
        document = read(RunRecord, path) if is_final(path.parent) else None
        if document is None or document["run_key"] != key:
            continue
        bundle = Bundle(folder=path.parent, document=document, reused=True)
        if document["outcome"] == Outcome.COMPLETE.value:
            note_use(path.parent)
            return bundle
        if failed_within_s is not None and _fails_within(document, failed_within_s):
            failed = bundle
    if failed is not None:
        note_use(failed.folder)
    return failed


def _fails_within(document: RunRecord, timeout_s: int) -> bool:
    """Return whether a run that failed does so again where it gets so many seconds."""
    if document["outcome"] != Outcome.HANG.value:
        return True
    return document.get("timeout_s", 0) >= timeout_s


def shorter_timeout_s(timeout_s: int, longest_s: float | None) -> int:
    """Return the seconds for a benchmark whose longest boot took `longest_s` from power to end.

    They are never more than `timeout_s`; None: it has not been booted yet.
    """
    if longest_s is None:
        return timeout_s
    return min(timeout_s, math.ceil(_LEAST_S + _TIMES * longest_s))


def emulator_of(board_type: BoardType) -> EmulatorRecord | None:
    """Return program, version and digest of the board type's emulator.

    On a deterministic board `lockstep` is the version of what is preloaded into it.  Raises
    UsageError if one of them is missing or too old.
    """
    if board_type.emulator is None:
        return None
    paths = []
    for name in (board_type.emulator, str(board_type.command)):
        path = shutil.which(name)
        if path is None:
            raise UsageError(f"{name} is missing: `make setup` installs it")
        paths.append(path)
    program, command = paths
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    output = done.stdout
    match = re.search(r"version (\d+(?:\.\d+)*)(?: \((.*)\))?", output)
    if match is None:
        raise UsageError(
            f"{program} --version says {output.splitlines()[:1]}, which names no version"
        )
    version = tuple(map(int, match[1].split(".")))
    minimum = board_type.emulator_minimum or ()
    if version < minimum:
        raise UsageError(
            f"{program} is version {match[1]}; board type {board_type.name} needs "
            f"{'.'.join(map(str, minimum))} or newer: `make setup` installs it from backports"
        )
    identity: EmulatorRecord = {
        "program": board_type.emulator,
        "version": match[2] or match[1],
        "sha256": sha256(Path(program)),
    }
    if board_type.deterministic:
        lockstep = LOCKSTEP.search(done.stderr)
        if lockstep is None:
            raise UsageError(
                f"{command} --version names no version of lockstep: `make setup` installs it"
            )
        identity["lockstep"] = lockstep[1]
    return identity


@frozen(kw_only=True)
class Boot:
    """One boot with all its inputs except the board."""

    build: Path  # folder of the build bundle
    document: CompleteBuild
    board_type: BoardType
    benchmark: Benchmark
    entry: Entry
    userland: initramfs.Userland
    emulator: EmulatorRecord | None
    seed: int
    knobs: Mapping[str, str]
    observes: Observation | None = None  # None: a scored boot
    guest: guests.Guest | None = None  # what the guests of the benchmark boot
    plan: str | None
    timeout_s: int  # from the start marker to the end marker, as `PlanEntry` has it
    key: str  # run key

    @property
    def title(self) -> str:
        """Return the boot's name for people."""
        observing = "" if self.observes is None else f" observing {self.observes}"
        return f"{self.benchmark.name} seed {self.seed}{observing} {self.release}"

    @property
    def release(self) -> str:
        """Return what `uname -r` says of its kernel."""
        return self.document["release"]

    @property
    def kernel_digest(self) -> str:
        """Return the digest of its kernel."""
        return self.document["kernel"]["digest"]

    @property
    def estimate_s(self) -> float:
        """Return its expected duration in host seconds."""
        return estimate_s(self.benchmark, self.board_type, self.entry.values)

    @property
    def kernel(self) -> Path:
        """Return the image."""
        return self.build / str(self.document["image"]["path"])

    @property
    def device_tree(self) -> Path | None:
        """Return the file that the board type's boards boot with; None: they need none."""
        file = _device_tree(self.document, self.board_type)
        return None if file is None else self.build / str(file["path"])

    @property
    def ramdisk(self) -> bytes:
        """Return the complete initramfs: the common archive, the guest's files, the entry."""
        guest = b"" if self.guest is None else self.guest.archive
        return self.userland.path.read_bytes() + guest + self.entry.archive

    @property
    def cmdline(self) -> str:
        """Return the kernel's command line."""
        places = places_of(self.build, self.observes)
        return command_line(self.board_type, self.knobs, self.observes, places=places)

    def record(self) -> BootRecord:
        """Return the part of run.json that is known before the run."""
        record: BootRecord = {
            "schema": 1,
            "kind": "run",
            "run_key": self.key,
            "kernel": self.document["kernel"],
            "image_sha256": self.document["image"]["sha256"],
            "config_sha256": self.document["config"]["sha256"],
            "release": self.release,
            "plan": self.plan,
            "benchmark": self.benchmark.name,
            "parameters": self.entry.values,
            "argv": self.entry.words,
            "seed": self.seed,
            "knobs": dict(self.knobs),
            "observes": self.observes,
            "userland": {"sha256": self.userland.sha256, "packages": self.userland.packages},
            "entry_sha256": self.entry.sha256,
            "estimate_s": self.estimate_s,
            "timeout_s": self.timeout_s,
            "synthetic": False,
        }
        if self.guest is not None:
            record["guest"] = self.guest.record()
        return record

    def board(self, name: str) -> BoardRecord:
        """Return the part of run.json about the board that ran it."""
        kind = self.board_type
        return {
            "name": name,
            "board_type": kind.name,
            "deterministic": kind.deterministic,
            "cpus": kind.cpus,
            "setup": digest(
                [
                    kind.cmdline,
                    kind.options,
                    INIT.read_text(),
                    ENVIRONMENT.read_text(),
                    self.benchmark.script.decode(),
                    *([kind.policy, PREPARE.read_text()] if kind.policy else []),
                    *([LOAD_MODULES.read_text()] if kind.modules else []),
                    *([PAIR.read_text()] if kind.partner else []),
                    *([self.guest.identity, guests.SCRIPT.read_text()] if self.guest else []),
                ]
            ),
            "emulator": self.emulator,
        }


@frozen(kw_only=True)
class BootRequest:
    """What a boot runs, on whatever board type."""

    build: Path  # folder or build.json of the build bundle
    benchmark: Benchmark
    parameters: Mapping[str, str | int]  # those that differ from the benchmark's own
    seed: int
    knobs: Mapping[str, str]
    observes: Observation | None = None  # None: a scored boot
    plan: str | None
    timeout_s: int  # from the start marker to the end marker, as `PlanEntry` has it


def prepare(
    settings: Settings,
    request: BootRequest,
    board_type: BoardType,
    *,
    place: Mapping[str, str] | None = None,
    guest_kernel: str | None = None,
) -> Boot:
    """Check a request and prepare its boot; UsageError for an invalid request.

    `place` has the addresses of a boot on a pair of boards; `guest_kernel` is that of the
    inventory, for boards of the type.
    """
    benchmark, observes = request.benchmark, request.observes
    document = read_build(request.build)
    build = request.build if request.build.is_dir() else request.build.parent
    kernel_needs.check_boot(benchmark, board_type, build / document["config"]["path"], observes)
    entry = boot_entry(
        benchmark, request.parameters, request.seed, request.knobs, observes=observes,
        policy=board_type.policy, modules=modules_of(build, document, board_type), place=place,
    )  # fmt: skip
    emulator = emulator_of(board_type)
    guest = guests.prepare(settings, benchmark, guest_kernel, board_type.arch)
    userspace = prepare_userland(settings, benchmark, board_type.arch, board_type.brings(observes))
    tree = _device_tree(document, board_type)
    key = run_key(
        device_tree_sha256=None if tree is None else tree["sha256"],
        image_sha256=document["image"]["sha256"],
        userland_sha256=userspace.sha256,
        entry_sha256=entry.sha256,
        board_type=board_type,
        knobs=request.knobs,
        emulator=emulator,
        observes=observes,
        guest=None if guest is None else guest.identity,
    )
    return Boot(
        build=build,
        document=document,
        board_type=board_type,
        benchmark=benchmark,
        entry=entry,
        userland=userspace,
        emulator=emulator,
        seed=request.seed,
        knobs=request.knobs,
        observes=observes,
        guest=guest,
        plan=request.plan,
        timeout_s=request.timeout_s,
        key=key,
    )
