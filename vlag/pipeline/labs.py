"""A boot on a board of a lab: submit it to the LAVA server, and judge it when it has ended.

Each boot under way has a folder named by its key: the same request again, after a restart
or a lost answer, finds the boot there or in the lab.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, frozen

from vlag import ROOT
from vlag.bundle import Bundle
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import artifacts, callback, lab, render
from vlag.lava.job import JobResult
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client, Job, Lab
from vlag.lock import hold
from vlag.model import Board, BoardType, Purpose, digest
from vlag.pipeline.boot import INIT, Boot, boot_entry, command_line, prepare, recorded
from vlag.pipeline.run import conclude, progress, reproduce

#: Script that sends raw output to the artifact store.
SEND = INIT.with_name("send.sh")

#: Machines of a pair: the measured one, and the load generator.
SUT, LOADGEN = "sut", "loadgen"

#: Files in the folder of a boot: its record before it runs; the lab's job; the reason why it
#: was no measurement; and the path of its bundle.
_ASKED, _SUBMITTED, _FAILED, _ENDED = "asked.json", "submitted.json", "failed", "bundle"


#: Seconds until the next request to a lab that did not answer.
_AGAIN_S = 10

_T = TypeVar("_T")


@frozen(kw_only=True)
class Target:
    """The target of a boot."""

    lab: Lab
    board: Board | None  # the board; None: the lab chooses one of the type
    loadgen: Board | None  # the other machine of a pair
    loadgen_type: BoardType | None

    @property
    def place(self) -> dict[str, str] | None:
        """Return the place of the measured machine of a pair."""
        if self.board is None or self.loadgen is None:
            return None
        return _place(SUT, self.board, self.loadgen)


def _place(role: str, board: Board, other: Board) -> dict[str, str]:
    def address(machine: Board) -> str:
        return str(machine.facts.get("network", {}).get("ip", ""))

    # Hardware gets its address while booting; a virtual pair's network has no DHCP.
    own = "" if "power" in board.facts else address(board)
    return {"ROLE": role, "PEER": address(other), "ADDRESS": own}


def choose(
    settings: Settings, catalogue: Catalogue, board_type: str, board: str | None, boot: str
) -> Target:
    """Return the target of a boot named `boot`; the same name gives the same lab.

    Each lab gets a share in proportion to its boards of the type.  `board` pins the boot; a
    boot on a pair is always pinned, as its machines need each other's address.  UsageError
    if there is no such board, or the settings lack its lab.
    """
    there = sorted(
        (b for b in catalogue.boards if b.board_type == board_type and b.lab is not None),
        key=lambda b: b.name,
    )
    if board is not None:
        there = [b for b in there if b.name == board]
    if not there:
        named = f"no board of type {board_type}" if board is None else f"no board {board}"
        raise UsageError(f"{named} in any lab: it needs the key lab in {settings.inventory}")
    taken = there[int(digest(boot), 16) % len(there)]
    known = settings.labs.get(str(taken.lab))
    if known is None:
        raise UsageError(
            f"{taken.name} is in lab {taken.lab!r}, which {settings.path} lacks: add"
            f" [labs.{taken.lab}] with url, token_file and artifacts"
        )
    partner = taken.facts.get("partner")
    other = None if partner is None else catalogue.board(str(partner))
    return Target(
        lab=known,
        board=taken if board is not None or partner is not None else None,
        loadgen=other,
        loadgen_type=None if other is None else catalogue.board_type(other.board_type),
    )


def ask(target: Target, board_type: BoardType, **given: Any) -> Boot:
    """Return a boot for a target, as `vlag.pipeline.boot.prepare` makes it."""
    return prepare(board_type=board_type, place=target.place, **given)


@frozen(kw_only=True)
class Submitted:
    """A boot submitted to a lab, or on record already."""

    lab: str
    jobs: tuple[int, ...]  # LAVA's ids: the measured machine's, then the load generator's
    key: str
    folder: Path
    bundle: Bundle | None  # the run on record, where there is one


def submit(
    *,
    settings: Settings,
    boot: Boot,
    target: Target,
    occasion: str,
    priority: int,
    reuse: bool,
    say: Callable[[str], None],
) -> Submitted:
    """Submit a boot to a lab unless a lab has it already; nothing runs twice.

    The same boot on the same `occasion` is the same request.  `priority` is LAVA's, 0 to
    100; `reuse` takes the run of record on a deterministic board.  Raises UsageError for a
    user's mistake, InfrastructureError if the lab cannot take the job.
    """
    folder = _folder(settings, _key(settings, boot, target, occasion))
    key, to = folder.name, target.lab
    with hold(folder.with_suffix(".lock"), lambda: say("it is being submitted; waiting")):
        known = _bundle(folder)
        if known is None and reuse and boot.board_type.deterministic:
            known = recorded(settings.runs, boot.key)
        if known is not None:
            say(f"{boot.title}: it is on record")
            return Submitted(lab=to.name, jobs=(), key=key, folder=folder, bundle=known)
        if not (folder / _SUBMITTED).exists():
            folder.mkdir(parents=True, exist_ok=True)
            definition = _definition(settings, boot, target, key, priority)
            (folder / "job.yaml").write_text(definition, encoding="utf-8")
            asked = {
                "record": boot.record() | {"board": boot.board(""), "reproduce": reproduce(boot)},
                "limit_s": boot.board_type.boot_timeout_s + boot.timeout_s,
            }
            _write(folder / _ASKED, json.dumps(asked))
            say(f"giving {boot.title} to lab {to.name}, about {boot.estimate_s:.0f} s on the board")
            numbers = _patient(lambda: _give(Client(to), definition, key), say)
            _write(folder / _SUBMITTED, json.dumps({"lab": to.name, "jobs": numbers, "key": key}))
        else:
            say(f"{boot.title}: lab {to.name} has it already")
    return _submitted(folder)


def _key(settings: Settings, boot: Boot, target: Target, occasion: str) -> str:
    """Return the idempotency key of a boot; it differs between installations on one lab."""
    what = {
        "run": boot.key,
        "kernel": boot.document["kernel"]["digest"],
        "plan": boot.plan,
        "occasion": occasion,
        # Board checks boot the same kernel and entry on each board.
        "board": None if target.board is None else target.board.name,
    }
    return f"{_installation(settings)}-{digest(what)[:16]}"


def _installation(settings: Settings) -> str:
    path = settings.lab_jobs / "installation"
    path.parent.mkdir(parents=True, exist_ok=True)
    with hold(path.with_suffix(".lock"), lambda: None):
        if not path.exists():
            _write(path, secrets.token_hex(4))
    return path.read_text(encoding="ascii")


def _folder(settings: Settings, key: str) -> Path:
    """Return the folder of a boot; attempts that the lab failed keep folders of their own."""
    attempt = 1
    while True:
        folder = settings.lab_jobs / (key if attempt == 1 else f"{key}-{attempt}")
        if not (folder / _FAILED).exists():
            return folder
        attempt += 1


def _give(client: Client, definition: str, key: str) -> list[int]:
    """Submit a job; return its ids, the measured machine's first."""
    numbers = client.submit(definition, key)
    if len(numbers) == 1:
        return numbers
    return sorted(numbers, key=lambda number: client.job(number).role != SUT)


def _submitted(folder: Path) -> Submitted:
    document = json.loads((folder / _SUBMITTED).read_text(encoding="utf-8"))
    return Submitted(
        lab=document["lab"],
        jobs=tuple(document["jobs"]),
        key=document["key"],
        folder=folder,
        bundle=None,
    )


def _bundle(folder: Path) -> Bundle | None:
    try:
        path = Path((folder / _ENDED).read_text(encoding="utf-8"))
        document = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return Bundle(folder=path, document=document, reused=True)


def _definition(settings: Settings, boot: Boot, target: Target, key: str, priority: int) -> str:
    kind, to = boot.board_type, target.lab
    if kind.job is None:
        raise UsageError(
            f"board type {kind.name} has no job template (lava-jobs/devices/{kind.name}.yaml: job)"
        )
    store = settings.artifacts
    extra = b""
    if "network" in kind.hardware and not kind.virtual:
        token = artifacts.open_upload(store, key)
        extra = render.upload(f"{to.artifacts}/upload/{key}/{token}", SEND)
    cmdline = command_line(kind, boot.knobs)
    kernel = _publish(store, to, boot.kernel)
    ramdisk = _ramdisk(store, to, settings.lab_jobs / key, boot.ramdisk + extra)
    secret = settings.state / "secrets" / "callback"
    call = None
    if to.callback is not None and secret.exists():
        token = callback.token(secret.read_text(encoding="ascii").strip(), key)
        call = (callback.url(to.callback, key), token)
    roles = []
    board, other, its = target.board, target.loadgen, target.loadgen_type
    if board is not None and other is not None and its is not None:
        entry = boot_entry(
            boot.benchmark, boot.entry.values, boot.seed, {}, place=_place(LOADGEN, other, board)
        )
        archive = evolve(boot, entry=entry).ramdisk + extra
        roles = [
            render.Role(
                name=SUT,
                device_type=kind.lava_type,
                cmdline=cmdline,
                files=render.Files(kernel=kernel, ramdisk=ramdisk),
                tags=(board.name,),
            ),
            render.Role(
                name=LOADGEN,
                device_type=its.lava_type,
                cmdline=command_line(its, {}),
                files=render.Files(
                    kernel=_fixed_kernel(settings, to, other),
                    ramdisk=_ramdisk(store, to, settings.lab_jobs / key, archive),
                ),
                tags=(other.name,),
            ),
        ]
    return render.job(
        ROOT / "lava-jobs" / "boot" / kind.job,
        board_type=kind,
        name=f"vlag {key}: {boot.title}",
        run_key=boot.key,
        cmdline=cmdline,
        kernel=kernel,
        ramdisk=ramdisk,
        timeout_s=boot.timeout_s,
        key=key,
        priority=priority,
        tags=() if target.board is None else (target.board.name,),
        callback=call,
        roles=roles,
    )


def _publish(store: Path, to: Lab, path: Path) -> str:
    return f"{to.artifacts}{artifacts.publish(store, path)}"


def _ramdisk(store: Path, to: Lab, folder: Path, data: bytes) -> str:
    path = folder / "ramdisk"
    path.write_bytes(data)
    try:
        return _publish(store, to, path)
    finally:
        path.unlink()


def _fixed_kernel(settings: Settings, to: Lab, board: Board) -> str:
    kernel = str(board.facts.get("kernel", ""))
    if not kernel:
        raise UsageError(
            f"{settings.inventory}: {board.name}.kernel: missing; a load generator boots"
            " a fixed kernel, a URL or a file"
        )
    if not kernel.startswith("/"):
        return kernel
    path = Path(kernel)
    if not path.is_file():
        raise UsageError(f"{settings.inventory}: {board.name}.kernel: no file {kernel}")
    return _publish(settings.artifacts, to, path)


def run(
    settings: Settings,
    catalogue: Catalogue,
    boot: Boot,
    target: Target,
    occasion: str,
    *,
    reuse: bool,
    say: Callable[[str], None],
) -> Bundle:
    """Submit a boot by hand, follow it to its end, and collect it."""
    submitted = submit(
        settings=settings,
        boot=boot,
        target=target,
        occasion=occasion,
        priority=Purpose.PERSON.lava_priority,
        reuse=reuse,
        say=say,
    )
    if submitted.bundle is not None:
        return submitted.bundle
    if len(submitted.jobs) > 1:
        raise UsageError(
            f"a pair is two jobs: once {submitted.jobs[0]} and {submitted.jobs[1]} have ended,"
            f" `vlag collect {submitted.folder}`"
        )
    to = target.lab
    limit_s = boot.board_type.boot_timeout_s + boot.timeout_s + render.DEPLOY_TIMEOUT_S
    lab.run(
        to,
        (submitted.folder / "job.yaml").read_text(encoding="utf-8"),
        submitted.key,
        folder=submitted.folder,
        on_line=progress(say),
        queue_limit_s=to.queue_limit_s,
        limit_s=limit_s,
    )
    return collect(settings=settings, catalogue=catalogue, folder=submitted.folder, say=say)


def collect(
    *, settings: Settings, catalogue: Catalogue, folder: Path, say: Callable[[str], None]
) -> Bundle:
    """Judge a boot that a lab has run, and write the run's bundle; idempotent.

    Raises InfrastructureError if the lab does not answer or its board failed; in the latter
    case the next `submit` is a new attempt.
    """
    with hold(folder.with_suffix(".lock"), lambda: None):
        known = _bundle(folder)
        if known is not None:
            return known
        try:
            asked = json.loads((folder / _ASKED).read_text(encoding="utf-8"))
            submitted = _submitted(folder)
        except FileNotFoundError as e:
            raise UsageError(f"{folder}: no boot was submitted there; `vlag submit` does it") from e
        to = settings.labs.get(submitted.lab)
        if to is None:
            raise UsageError(
                f"{folder}: lab {submitted.lab!r} has it, which {settings.path} lacks in [labs]"
            )
        bundle = _patient(lambda: _collect(settings, catalogue, folder, asked, submitted, to), say)
        _write(folder / _ENDED, str(bundle.folder))
        artifacts.close(settings.artifacts, submitted.key)
        return bundle


def _patient(ask: Callable[[], _T], say: Callable[[str], None]) -> _T:
    """Return a lab's answer; wait for a lab that is unreachable for a while."""
    began = time.monotonic()
    while True:
        try:
            return ask()
        except NoAnswerError as e:
            if time.monotonic() - began > lab.PATIENCE_S:
                raise
            say(f"{e}; asking again in {_AGAIN_S} s")
            time.sleep(_AGAIN_S)


def _collect(
    settings: Settings,
    catalogue: Catalogue,
    folder: Path,
    asked: Mapping[str, Any],
    submitted: Submitted,
    to: Lab,
) -> Bundle:
    number = submitted.jobs[0]
    record = asked["record"]
    target = settings.runs / record["run_key"][:16] / f"{to.name}-{number}"
    if target.exists():  # killed before it could be noted
        return Bundle(
            folder=target, document=json.loads((target / "run.json").read_text()), reused=True
        )
    work = target.with_name(f"{target.name}.partial")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(folder / "job.yaml", work)
    client = Client(to)
    job = client.job(number)
    running = [n for n in submitted.jobs if client.job(n).state != "Finished"]
    if running:
        raise InfrastructureError(f"job {running[0]} of lab {to.name} has not ended yet")
    results = _results(to, submitted.jobs, work, folder)
    try:
        return conclude(
            record
            | {
                "board": record["board"]
                | {
                    "name": str(job.board),
                    "emulator": _emulator(record["board"], to, results[0]),
                },
                "executor": {
                    "program": "lava-server",
                    "lab": to.name,
                    "url": to.url,
                    "version": results[0].version,
                    "job": number,
                },
                "started_at": _time(job, "started_at"),
                "finished_at": _time(job, "ended_at"),
                "reproduce": f"{record['reproduce']} --board {job.board}",
            },
            results[0],
            catalogue.benchmark(record["benchmark"]),
            work,
            target,
            limit_s=asked["limit_s"],
            received=lambda said: artifacts.received(settings.artifacts, submitted.key, said),
            loadgen=results[1] if len(results) > 1 else None,
        )
    except InfrastructureError as e:
        _fail(folder, e)
        raise


def _results(to: Lab, numbers: Sequence[int], work: Path, folder: Path) -> list[JobResult]:
    """Fetch the logs of the machines, the measured one's first."""
    found = []
    for role, number in zip(("", LOADGEN), numbers, strict=False):
        part = work / role
        part.mkdir(exist_ok=True)
        try:
            found.append(lab.collect(to, number, folder=part))
        except NoAnswerError:
            raise
        except InfrastructureError as e:
            _fail(folder, e)
            raise
    return found


def _fail(folder: Path, error: InfrastructureError) -> None:
    """Note that this boot was no measurement; the next `submit` makes a new one."""
    _write(folder / _FAILED, f"{error}\n")


def _emulator(board: Mapping[str, Any], to: Lab, result: JobResult) -> Mapping[str, Any] | None:
    """Return the identity of a lab's emulated board, as far as its log has it."""
    known: Mapping[str, Any] | None = board["emulator"]
    if known is None:
        return None
    version, wanted = result.emulator, known.get("lockstep")
    if (
        version is not None
        and str(known["version"]).endswith(version)
        and result.lockstep == wanted
    ):
        return known
    if board["deterministic"]:
        raise InfrastructureError(
            f"lab {to.name} runs board type {board['board_type']} with {known['program']}"
            f" {version or 'of no known version'} and lockstep {result.lockstep or 'missing'},"
            f" this machine has {known['version']} and lockstep {wanted}: a board that repeats"
            " exactly is the same emulator everywhere; install one version on both",
            retry=False,
        )
    return {"program": known["program"], "version": version or "unknown", "sha256": "0" * 64}


def _time(job: Job, name: str) -> str:
    moment = getattr(job, name) or job.submitted_at
    return str(moment.isoformat(timespec="seconds"))


def _write(path: Path, text: str) -> None:
    """Write a file atomically: readers find all of it or nothing."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
