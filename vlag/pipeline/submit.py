# SPDX-License-Identifier: GPL-2.0-only
"""A boot submitted to a LAVA server: the lab and board that take it, and its job."""

from __future__ import annotations

import json
import logging
import secrets
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from vlag import ROOT
from vlag.bundle_records import PlacedRecord
from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.lava import artifacts, callback, render
from vlag.lava.lab import CancelledError
from vlag.lava.lab_settings import Lab
from vlag.lava.server import Client
from vlag.lock import hold
from vlag.model import Board, BoardType, digest
from vlag.pipeline.boot import INIT, Boot, BootRequest, boot_entry, command_line, prepare, recorded
from vlag.pipeline.lab_boot import (
    ASKED,
    CANCELLED,
    FAILED,
    LOADGEN,
    SUBMITTED,
    SUT,
    Submitted,
    bundle_of,
    patient,
    submitted_of,
    write,
)
from vlag.pipeline.run import reproduce

log = logging.getLogger(__name__)

#: Script that sends raw output to the artifact store.
SEND = INIT.with_name("send.sh")


@frozen(kw_only=True)
class Target:
    """The target of a boot."""

    lab: Lab
    board: Board | None  # the board; None: the lab chooses one of the type
    placed: bool = False  # another board of the type would do: this one has both kernels
    loadgen: Board | None  # the other machine of a pair
    loadgen_type: BoardType | None
    guest_kernel: str | None = None  # that all boards of the type name

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


def in_labs(catalogue: Catalogue, board_type: str) -> list[Board]:
    """Return the boards of a type that labs have, by name."""
    boards = [b for b in catalogue.boards if b.board_type == board_type and b.lab is not None]
    return sorted(boards, key=lambda b: b.name)


def lab_of(settings: Settings, board: Board) -> Lab:
    """Return the lab of a board; UsageError if the settings lack it."""
    known = settings.labs.get(str(board.lab))
    if known is None:
        raise UsageError(
            f"{board.name} is in lab {board.lab!r}, which {settings.path} lacks: add"
            f" [labs.{board.lab}] with url, token_file and artifacts"
        )
    return known


def choose(
    settings: Settings,
    catalogue: Catalogue,
    board_type: str,
    board: str | None,
    boot: str,
    *,
    placed: bool = False,
) -> Target:
    """Return the target of a boot named `boot`; the same name gives the same lab.

    Each lab gets a share in proportion to its boards of the type.  `board` pins the boot; with
    `placed` it may go to another one once that is out.  A boot on a pair is always pinned, as its
    machines need each other's address.  UsageError if there is no such board, or the settings
    lack its lab.
    """  # fmt: skip
    there = in_labs(catalogue, board_type)
    if board is not None:
        there = [b for b in there if b.name == board]
    if not there:
        named = f"no board of type {board_type}" if board is None else f"no board {board}"
        raise UsageError(f"{named} in any lab: it needs the key lab in {settings.inventory}")
    taken = there[int(digest(boot), 16) % len(there)]
    partner = taken.facts.get("partner")
    other = None if partner is None else catalogue.board(str(partner))
    return Target(
        lab=lab_of(settings, taken),
        board=taken if board is not None or partner is not None else None,
        loadgen=other,
        loadgen_type=None if other is None else catalogue.board_type(other.board_type),
        guest_kernel=taken.facts.get("guest_kernel"),
        placed=placed,
    )


def prepare_for(
    target: Target, settings: Settings, request: BootRequest, board_type: BoardType
) -> Boot:
    """Return a boot for a target, as `vlag.pipeline.boot.prepare` makes it."""
    return prepare(
        settings,
        request,
        board_type,
        place=target.place,
        guest_kernel=target.guest_kernel,
    )


def submit(
    *, settings: Settings, boot: Boot, target: Target, occasion: str, priority: int, reuse: bool
) -> Submitted:
    """Submit a boot to a lab unless a lab has it already; nothing runs twice.

    The same boot on the same `occasion` is the same request.  `priority` is LAVA's, 0 to
    100; `reuse` takes the run of record on a deterministic board.  Raises UsageError for a
    user's mistake, InfrastructureError if the lab cannot take the job, CancelledError once
    if a person has cancelled it there.
    """
    folder = _folder(settings, _key(settings, boot, target, occasion))
    key, to = folder.name, target.lab
    with hold(folder.with_suffix(".lock"), lambda: log.info("it is being submitted; waiting")):
        known = bundle_of(folder, settings.state)
        if known is None and reuse and boot.board_type.deterministic:
            known = recorded(settings.runs, boot.key)
        if known is not None:
            log.info(f"{boot.title}: it is on record")
            return Submitted(lab=to.name, jobs=(), key=key, folder=folder, bundle=known)
        if (folder / CANCELLED).exists():
            # Once, for whoever repeats a step by itself; who asks after that is a person.
            why = (folder / CANCELLED).read_text(encoding="utf-8")
            (folder / CANCELLED).replace(folder / FAILED)
            raise CancelledError(why, retry=False)
        if not (folder / SUBMITTED).exists():
            folder.mkdir(parents=True, exist_ok=True)
            token = _token(folder)
            definition = _definition(settings, boot, target, key, token, priority)
            (folder / "job.yaml").write_text(definition, encoding="utf-8")
            record: PlacedRecord = {
                **boot.record(),
                "board": boot.board(""),
                "reproduce": reproduce(boot),
            }
            asked = {
                "token": token,
                "record": record,
                "limit_s": boot.board_type.limit_s(boot.timeout_s),
                "placed": target.board.name if target.board and target.placed else None,
            }
            write(folder / ASKED, json.dumps(asked))
            log.info(
                f"giving {boot.title} to lab {to.name}, about {boot.estimate_s:.0f} s on the board"
            )
            numbers = patient(lambda: _give(Client(to), definition, key))
            write(folder / SUBMITTED, json.dumps({"lab": to.name, "jobs": numbers, "key": key}))
        else:
            log.info(f"{boot.title}: lab {to.name} has it already")
    return submitted_of(folder)


def _key(settings: Settings, boot: Boot, target: Target, occasion: str) -> str:
    """Return the idempotency key of a boot; it differs between installations on one lab."""
    what = {
        "run": boot.key,
        "kernel": boot.kernel_digest,
        "plan": boot.plan,
        "occasion": occasion,
        # Board checks boot the same kernel and entry on each board.
        "board": None if target.board is None or target.placed else target.board.name,
    }
    return f"{_installation(settings)}-{digest(what)[:16]}"


def _installation(settings: Settings) -> str:
    path = settings.lab_jobs / "installation"
    path.parent.mkdir(parents=True, exist_ok=True)
    with hold(path.with_suffix(".lock"), lambda: None):
        if not path.exists():
            write(path, secrets.token_hex(4))
    return path.read_text(encoding="ascii")


def _folder(settings: Settings, key: str) -> Path:
    """Return the folder of a boot; attempts that the lab failed keep folders of their own."""
    attempt = 1
    while True:
        folder = settings.lab_jobs / (key if attempt == 1 else f"{key}-{attempt}")
        if not (folder / FAILED).exists():
            return folder
        attempt += 1


def failed_on(settings: Settings, boot: Boot, target: Target, occasion: str) -> set[str]:
    """Return the boards on which a boot's earlier attempts were no measurement."""
    key = _key(settings, boot, target, occasion)
    there = [settings.lab_jobs / key, *settings.lab_jobs.glob(f"{key}-*")]
    asked = [_asked(folder) for folder in there if (folder / FAILED).exists()]
    return {str(board) for a in asked if (board := a.get("placed")) is not None}


def _asked(folder: Path) -> dict[str, Any]:
    """Return what was written down before a job was submitted; empty: none was to be."""
    try:
        document: dict[str, Any] = json.loads((folder / ASKED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return document


def _token(folder: Path) -> str:
    """Return what marks this very job, in its definition and its log; the same after a kill."""
    return str(_asked(folder).get("token") or secrets.token_hex(16))


def _give(client: Client, definition: str, key: str) -> list[int]:
    """Submit a job; return its ids, the measured machine's first."""
    numbers = client.submit(definition, key)
    if len(numbers) == 1:
        return numbers
    return sorted(numbers, key=lambda number: client.job(number).role != SUT)


def _definition(
    settings: Settings, boot: Boot, target: Target, key: str, token: str, priority: int
) -> str:
    kind, to = boot.board_type, target.lab
    if kind.job is None:
        raise UsageError(
            f"board type {kind.name} has no job template (lava-jobs/devices/{kind.name}.yaml: job)"
        )
    store = settings.artifacts
    extra = b""
    if "network" in kind.hardware and not kind.virtual:
        opened = artifacts.open_upload(store, key)
        extra = render.upload(f"{to.artifacts}/upload/{key}/{opened}", SEND)
    cmdline = boot.cmdline
    kernel = _publish(store, to, boot.kernel)
    tree = None if boot.device_tree is None else _publish(store, to, boot.device_tree)
    # The dispatcher writes into the log which address it fetches; the store ignores what follows
    # the question mark.  Nothing of it reaches the board, which repeats exactly.
    mark = f"?job={token}"
    ramdisk = _ramdisk(store, to, settings.lab_jobs / key, boot.ramdisk + extra) + mark
    files = render.Files(kernel=kernel, ramdisk=ramdisk, dtb=tree)
    roles: list[render.Role] = []
    board, other, its = target.board, target.loadgen, target.loadgen_type
    if board is not None and other is not None and its is not None:
        entry = boot_entry(
            boot.benchmark, boot.entry.values, boot.seed, {}, place=_place(LOADGEN, other, board)
        )
        archive = evolve(boot, entry=entry).ramdisk + extra
        its_files = render.Files(
            kernel=_fixed_kernel(settings, to, other),
            ramdisk=_ramdisk(store, to, settings.lab_jobs / key, archive) + mark,
        )
        roles = [_role(SUT, board, kind, cmdline, files),
                 _role(LOADGEN, other, its, command_line(its, {}), its_files)]  # fmt: skip
    return render.job(
        ROOT / "lava-jobs" / "boot" / kind.job,
        board_type=kind,
        name=f"vlag {key}: {boot.title}",
        run_key=boot.key,
        cmdline=cmdline,
        files=files,
        timeout_s=boot.timeout_s,
        request=render.Request(
            key=key,
            token=token,
            priority=priority,
            tags=() if target.board is None else (target.board.name,),
            callback=_callback(settings, to, key),
        ),
        roles=roles,
    )


def _role(
    name: str, board: Board, kind: BoardType, cmdline: str, files: render.Files
) -> render.Role:
    """Return one machine of a pair."""
    return render.Role(
        name=name, device_type=kind.lava_type, cmdline=cmdline, files=files, tags=(board.name,)
    )


def _callback(settings: Settings, to: Lab, key: str) -> tuple[str, str] | None:
    """Return the URL that a lab requests at the end of a job, and the token that it sends."""
    secret = settings.state / "secrets" / "callback"
    if to.callback is None or not secret.exists():
        return None
    token = callback.token(secret.read_text(encoding="ascii").strip(), key)
    return callback.url(to.callback, key), token


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
