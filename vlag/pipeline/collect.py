# SPDX-License-Identifier: GPL-2.0-only
"""A boot that a lab has run: judged, and written as the run's bundle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlag.bundle import Bundle, read
from vlag.bundle_records import BoardRecord, BootedRecord, EmulatorRecord, PlacedRecord, RunRecord
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.lava import artifacts, console, lab, render
from vlag.lava.job import JobResult
from vlag.lava.lab_settings import Lab
from vlag.lava.outcome import went_silent
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client, Job, VanishedError
from vlag.lock import hold
from vlag.model import Purpose
from vlag.pipeline.boot import Boot
from vlag.pipeline.lab_boot import (
    ASKED,
    CANCELLED,
    LOADGEN,
    SILENT,
    Submitted,
    bundle_of,
    fail,
    note_bundle,
    patient,
    submitted_of,
    write,
)
from vlag.pipeline.run import conclude, printed, progress
from vlag.pipeline.submit import Target, submit


def run(
    settings: Settings,
    catalogue: Catalogue,
    boot: Boot,
    target: Target,
    occasion: str,
    *,
    purpose: Purpose,
    reuse: bool,
) -> Bundle[RunRecord]:
    """Submit a boot by hand, follow it to its end, and collect it.

    The same boot on the same occasion is the same job, also after this process was killed.  After
    a fault of the lab, or a job that was cancelled, it is a new one.
    """
    submitted = submit(
        settings=settings,
        boot=boot,
        target=target,
        occasion=occasion,
        priority=purpose.lava_priority,
        reuse=reuse,
    )
    if submitted.bundle is not None:
        return submitted.bundle
    if len(submitted.jobs) > 1:
        raise UsageError(
            f"a pair is two jobs: once {submitted.jobs[0]} and {submitted.jobs[1]} have ended,"
            f" `vlag collect {submitted.folder}`"
        )
    to = target.lab
    limit_s = boot.board_type.host_limit_s(boot.timeout_s) + render.DEPLOY_TIMEOUT_S
    _follow(to, submitted, limit_s)
    return collect(settings=settings, catalogue=catalogue, folder=submitted.folder)


def _follow(to: Lab, submitted: Submitted, limit_s: float) -> None:
    """Wait for the end of a job; note one that is no measurement."""
    try:
        lab.run(
            to,
            (submitted.folder / "job.yaml").read_text(encoding="utf-8"),
            submitted.key,
            folder=submitted.folder,
            on_line=progress,
            queue_limit_s=to.queue_limit_s,
            limit_s=limit_s,
        )
    except (NoAnswerError, lab.LostError):
        raise
    except InfrastructureError as e:
        fail(submitted.folder, e)
        raise
    except (KeyboardInterrupt, SystemExit):
        fail(submitted.folder, InfrastructureError("vlag was stopped, and the job is cancelled"))
        raise


def collect(*, settings: Settings, catalogue: Catalogue, folder: Path) -> Bundle[RunRecord]:
    """Judge a boot that a lab has run, and write the run's bundle; idempotent.

    Raises InfrastructureError if the lab does not answer or its board failed; in the latter
    case the next `submit` is a new attempt.
    """
    with hold(folder.with_suffix(".lock"), lambda: None):
        known = bundle_of(folder, settings.state)
        if known is not None:
            return known
        try:
            asked = json.loads((folder / ASKED).read_text(encoding="utf-8"))
            submitted = submitted_of(folder)
        except FileNotFoundError as e:
            raise UsageError(f"{folder}: no boot was submitted there; `vlag submit` does it") from e
        to = settings.labs.get(submitted.lab)
        if to is None:
            raise UsageError(
                f"{folder}: lab {submitted.lab!r} has it, which {settings.path} lacks in [labs]"
            )
        bundle = patient(lambda: _collect(settings, catalogue, folder, asked, submitted, to))
        note_bundle(folder, bundle.folder, settings.state)
        artifacts.close(settings.artifacts, submitted.key)
        return bundle


def _collect(
    settings: Settings,
    catalogue: Catalogue,
    folder: Path,
    asked: Mapping[str, Any],
    submitted: Submitted,
    to: Lab,
) -> Bundle[RunRecord]:
    number = submitted.jobs[0]
    record: PlacedRecord = asked["record"]
    key, token = submitted.key, asked.get("token")  # none: an older version submitted it
    # A lab that is installed anew gives its numbers again.
    own = f"{to.name}-{number}" if token is None else f"{to.name}-{number}-{token[:8]}"
    target = settings.runs / record["run_key"][:16] / own
    known = read(RunRecord, target / "run.json")
    if known is not None:  # killed before it could be noted
        return Bundle(folder=target, document=known, reused=True)
    work = target.with_name(f"{target.name}.partial")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(folder / "job.yaml", work)
    client = Client(to)
    try:
        jobs = [client.job(n, key, token) for n in submitted.jobs]
    except VanishedError as e:
        fail(folder, e)
        raise
    job = jobs[0]
    if asked.get("placed") and (gone := lab.board_gone(client, job)) is not None:
        moved = InfrastructureError(f"{gone}; the boot goes to another board of its type")
        fail(folder, moved)
        raise moved
    running = [j.id for j in jobs if j.state != "Finished"]
    if running:
        raise InfrastructureError(f"job {running[0]} of lab {to.name} has not ended yet")
    results = _results(to, submitted, token, work, folder)
    try:
        for machine in results[1:]:
            _check_equipped(machine)
        return conclude(
            _of_job(record, to, job, number, results[0]),
            results[0],
            catalogue.benchmark(record["benchmark"]),
            work,
            target,
            limit_s=asked["limit_s"],
            repeated=bool(record["board"]["deterministic"]) and _repeats(folder, results[0]),
            received=lambda uploaded: artifacts.received(
                settings.artifacts, submitted.key, uploaded
            ),
            loadgen=results[1] if len(results) > 1 else None,
        )
    except InfrastructureError as e:
        fail(folder, e)
        raise


def _of_job(
    record: PlacedRecord, to: Lab, job: Job, number: int, result: JobResult
) -> BootedRecord:
    """Add to a part of run.json what a lab's job says."""
    board = record["board"]
    return {
        **record,
        "board": {**board, "name": str(job.board), "emulator": _emulator(board, to, result)},
        "executor": {
            "program": "lava-server",
            "lab": to.name,
            "url": to.url,
            "version": result.version,
            "job": number,
        },
        "started_at": _time(job, "started_at"),
        "finished_at": _time(job, "ended_at"),
        "reproduce": f"{record['reproduce']} --board {job.board}",
    }


def _results(
    to: Lab, submitted: Submitted, token: str | None, work: Path, folder: Path
) -> list[JobResult]:
    """Fetch the logs of the machines, the measured one's first."""
    results = []
    for role, number in zip(("", LOADGEN), submitted.jobs, strict=False):
        part = work / role
        part.mkdir(exist_ok=True)
        try:
            results.append(lab.collect(to, number, folder=part, key=submitted.key, token=token))
        except NoAnswerError:
            raise
        except lab.CancelledError as e:
            write(folder / CANCELLED, str(e))
            raise
        except InfrastructureError as e:
            fail(folder, e)
            raise
    return results


def _repeats(folder: Path, job: JobResult) -> bool:
    """Return whether an earlier attempt of this boot went down without a word where this one did.

    Notes where this one did.  One alone says nothing of a kernel: a dispatcher's host may have
    ended the emulator.
    """
    if not went_silent(console.read(job.console), job):
        return False
    first = folder.with_name("-".join(folder.name.split("-")[:2]))
    attempts = [first, *folder.parent.glob(f"{first.name}-*")]
    before = [a / SILENT for a in attempts if a != folder and (a / SILENT).is_file()]
    write(folder / SILENT, printed(job))
    return any(path.read_text(encoding="utf-8") == printed(job) for path in before)


def _check_equipped(loadgen: JobResult) -> None:
    """Raise InfrastructureError if the load generator lacks what its benchmark needs.

    The measured machine has then waited for it in vain, which is no result of its kernel.
    """
    for name, why in console.read(loadgen.console).knobs_failed.items():
        raise InfrastructureError(f"{name} of the load generator: {why}", retry=False)


def _emulator(board: BoardRecord, to: Lab, result: JobResult) -> EmulatorRecord | None:
    """Return the identity of a lab's emulated board, as far as its log has it."""
    known = board["emulator"]
    if known is None:
        return None
    version, wanted = result.emulator, known.get("lockstep")
    if version is not None and known["version"].endswith(version) and result.lockstep == wanted:
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
