# SPDX-License-Identifier: GPL-2.0-only
"""A new board's first boot: what the lab knows of it, one job, and how far the board came."""

from __future__ import annotations

import gzip
import logging
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from vlag.config import Settings, kernel_needs
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, RefusedError, UsageError, VlagError
from vlag.kernel import kconfig
from vlag.kernel.boot_devices import DEVICE_TREE
from vlag.lava import lab as labs
from vlag.lava import render
from vlag.lava.boot_progress import FAILED, NOT_REACHED, OK, Step, read
from vlag.lava.lab_settings import Lab
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client
from vlag.model import Board, BoardType, Outcome, Purpose
from vlag.operate.farm.lava_config import HEALTH_BENCHMARK
from vlag.pipeline import boot as boots
from vlag.pipeline.collect import collect
from vlag.pipeline.run import progress
from vlag.pipeline.submit import Target, choose, prepare_for, submit

log = logging.getLogger(__name__)

#: Seconds that the benchmark, a short one, may take.
TIMEOUT_S = 120

#: Job templates whose boot loader LAVA types to, and the one whose words are known.
_TYPED, _UBOOT = ("uboot.", "grub.", "ipxe."), "uboot."


@frozen(kw_only=True)
class Report:
    """How far a board came."""

    board: str
    lab: str
    job: int | None  # None: no job was made
    steps: tuple[Step, ...]
    bundle: Path | None  # the board's first run

    @property
    def wrong(self) -> Step | None:
        """Return the step that failed."""
        return next((s for s in self.steps if s.state == FAILED), None)

    @property
    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {
            "board": self.board,
            "lab": self.lab,
            "job": self.job,
            "passed": self.wrong is None,
            "steps": [asdict(s) for s in self.steps],
            "bundle": None if self.bundle is None else str(self.bundle),
        }


def check(settings: Settings, catalogue: Catalogue, name: str, *, build: Path | None) -> Report:
    """Boot a board of a lab once, and return how far it came.

    `build`: the kernel's bundle; None: the newest that has what the board needs.  Raises
    UsageError for a board that is not in the inventory or in no lab, and where no kernel fits.
    """
    board = catalogue.board(name)
    kind = catalogue.board_type(board.board_type)
    if board.lab is None:
        raise UsageError(
            f"{name} is in no lab: this host boots it by itself, so it has no power switch, serial"
            f" line or network to check; `vlag run BUILD --board {name}` boots it"
        )
    occasion = f"first boot {uuid.uuid4().hex}"
    target = choose(settings, catalogue, board.board_type, name, occasion)
    if target.loadgen is not None:
        raise UsageError(
            f"{name} is one of a pair: check a pair with `vlag submit` of a benchmark for both"
        )
    lab = target.lab
    known = _in_lab(Client(lab), board, kind, lab)
    if known.state == FAILED:
        return _early(board, lab, [known])
    kernel = newest(settings, catalogue, kind) if build is None else build
    log.info(f"kernel: {kernel}")
    return _boot(settings, catalogue, board, kind, kernel, occasion, target, known)


def newest(settings: Settings, catalogue: Catalogue, kind: BoardType) -> Path:
    """Return the newest build bundle that has what a board type needs; UsageError for none."""
    needs = kernel_needs.of_board_type(kind, catalogue)
    bundles: list[tuple[str, Path]] = []
    for path in settings.builds.glob("*/*/build.json"):
        try:
            document = boots.read_build(path.parent)
        except (UsageError, RefusedError):
            continue  # a failed build
        config = path.parent / document["config"]["path"]
        files = {f["path"] for f in document["files"]}
        if document["kernel"]["arch"] != kind.arch or (kind.dtb and DEVICE_TREE not in files):
            continue
        if not kconfig.unmet(needs, kconfig.options(config.read_text(encoding="utf-8"))):
            bundles.append((document["finished_at"], path.parent))
    if not bundles:
        raise UsageError(
            f"{settings.builds}: no kernel has what boards of type {kind.name} need; build one:"
            f" vlag build --tree TREE --ref REF --board-type {kind.name}"
        )
    return max(bundles)[1]


def _step(name: str, wrong: str | None, right: str) -> Step:
    return Step(name=name, state=OK if wrong is None else FAILED, sentence=wrong or right)


def _in_lab(client: Client, board: Board, kind: BoardType, lab: Lab) -> Step:
    """Does the lab have the board and its dispatcher?"""
    try:
        wrong = _lab_fault(client, board, kind)
    except NoAnswerError as e:
        wrong = f"{e}: check `url` of [labs.{lab.name}] in vlag.toml, and that LAVA runs"
    except VlagError as e:
        wrong = str(e)
    return _step("lab", wrong, f"lab {lab.name} has the board and its dispatcher is online")


def _lab_fault(client: Client, board: Board, kind: BoardType) -> str | None:
    devices = {d.name: d for d in client.devices()}
    known = devices.get(board.name)
    register = "`vlag lava render` writes its files, and Ansible or lava-server registers it"
    if known is None:
        return f"lab {board.lab} has no board {board.name}: {register}"
    if known.board_type != kind.lava_type:
        return (
            f"lab {board.lab} has {board.name} as a {known.board_type}, the inventory as a"
            f" {kind.lava_type}: register it again"
        )
    if board.name not in known.tags:
        return f"{board.name} lacks the LAVA tag {board.name} in lab {board.lab}: {register}"
    if not known.usable:
        return (
            f"{board.name} is in health {known.health} in lab {board.lab}, so it gets no job:"
            f" `vlag boards good {board.name}` once it is repaired"
        )
    worker = next((w for w in client.workers() if w.name == known.worker), None)
    if worker is None or not worker.online or worker.health != "Active":
        return (
            f"the dispatcher of {board.name}, {known.worker or 'none'}, is offline or in"
            f" maintenance: start lava-worker on it"
        )
    return None


def _boot(
    settings: Settings,
    catalogue: Catalogue,
    board: Board,
    kind: BoardType,
    kernel: Path,
    occasion: str,
    target: Target,
    known: Step,
) -> Report:
    request = boots.BootRequest(
        build=kernel.absolute(), knobs={}, parameters={}, seed=1, plan=None, timeout_s=TIMEOUT_S,
        benchmark=catalogue.benchmark(HEALTH_BENCHMARK),
    )  # fmt: skip
    made = prepare_for(target, settings, request, kind)
    submitted = submit(
        settings=settings, boot=made, target=target, occasion=occasion,
        priority=Purpose.PERSON.lava_priority, reuse=False,
    )  # fmt: skip
    lost = ""
    try:
        labs.run(
            target.lab,
            (submitted.folder / "job.yaml").read_text(encoding="utf-8"),
            submitted.key,
            folder=submitted.folder,
            on_line=progress,
            queue_limit_s=target.lab.queue_limit_s,
            limit_s=kind.boot_timeout_s + kind.host_limit_s(TIMEOUT_S) + render.DEPLOY_TIMEOUT_S,
        )
    except InfrastructureError as e:
        lost = str(e)  # its log tells more
    lines = _log(submitted.folder)
    if not lines:
        unread = _step("job", lost or "the job has no log", "")
        return _early(board, target.lab, [known, unread])
    job = str(kind.job)
    steps = [known, *read(
        lines, board=board.name, network="network" in kind.hardware and not kind.virtual,
        typed=job.startswith(_TYPED), uboot=job.startswith(_UBOOT), policy=kind.policy,
    )]  # fmt: skip
    bundle: Path | None = None
    wrong: str | None
    if all(s.state == OK for s in steps):
        try:
            ran = collect(settings=settings, catalogue=catalogue, folder=submitted.folder)
            done = ran.outcome is Outcome.COMPLETE
            bundle = ran.folder
            wrong = None if done else f"{ran.outcome.value}: {ran.reason}"
        except VlagError as e:
            wrong = str(e)
        steps.append(_step("run", wrong, f"the board's first run: {bundle}"))
    return Report(
        board=board.name,
        lab=target.lab.name,
        job=submitted.jobs[0],
        steps=tuple(steps),
        bundle=bundle,
    )


def _log(folder: Path) -> list[str]:
    path = folder / "lava.log.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as log:
        return log.read().splitlines()


def _early(board: Board, lab: Lab, steps: Sequence[Step]) -> Report:
    return Report(board=board.name, lab=lab.name, job=None, steps=tuple(steps), bundle=None)


def text(report: Report) -> Iterator[str]:
    """Yield the report's lines, a step each."""
    width = max(len(s.name) for s in report.steps)
    for step in report.steps:
        if step.state != NOT_REACHED:
            word = "ok" if step.state == OK else "FAILED"
            yield f"{word:<6} {step.name:<{width}}  {step.sentence}"
    skipped = [s.name for s in report.steps if s.state == NOT_REACHED]
    if skipped:
        yield f"not reached: {', '.join(skipped)}"
    wrong = report.wrong
    yield f"{report.board} is ready" if wrong is None else f"{report.board}: {wrong.sentence}"
