# SPDX-License-Identifier: GPL-2.0-only
"""The keys of run.json and build.json, and the type of each.

What a key means is said by `schemas/json/`, against which every bundle is checked before it goes
on record; a test holds these types and the schemas together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict


class FileRecord(TypedDict):
    """A file of a bundle."""

    path: str
    bytes: int
    sha256: str


class PatchRecord(TypedDict):
    """A patch that a kernel has."""

    name: str
    sha256: str


class PrebuiltRecord(TypedDict):
    """The kernel of a distribution that was unpacked."""

    name: str
    version: str
    sha256: list[str]


class KernelIdentity(TypedDict):
    """What a kernel is made of, beside its patches."""

    tree: str
    commit: str
    series: str | None
    application: str
    variant: str
    arch: str
    kconfig: str
    prebuilt: NotRequired[PrebuiltRecord]


class KernelRecord(KernelIdentity):
    """A kernel, and by what names it is known."""

    digest: str
    branch: str
    describe: str
    subject: str
    committed_at: str
    patches: NotRequired[list[PatchRecord]]


class BranchSight(TypedDict):
    """What a mirror showed of a branch and of the place of a commit in it; times are RFC 3339."""

    head: str
    history: Sequence[str]  # first parents of the head, the newest first
    head_number: int
    number: int | None  # of the commit; None: it is no first parent of the head
    rewritten_at: str | None
    looked_at: str


class NamedSight(BranchSight):
    """The same as it is kept beside the builds of a kernel."""

    branch: str


class _BuildFacts(TypedDict):
    schema: int
    kind: str
    kernel: KernelRecord
    outcome: str
    reason: str | None
    toolchain: str
    environment: Mapping[str, str]
    started_at: str
    finished_at: str
    files: list[FileRecord]
    reproduce: str


class BuildRecord(_BuildFacts):
    """build.json: one attempt to build one kernel."""

    release: str | None
    image: FileRecord | None
    config: FileRecord | None


class CompleteBuild(_BuildFacts):
    """build.json of a kernel that can be booted."""

    release: str
    image: FileRecord
    config: FileRecord


class EmulatorRecord(TypedDict):
    """What emulated a board."""

    program: str
    version: str
    sha256: str
    lockstep: NotRequired[str]


class BoardRecord(TypedDict):
    """The board of a run."""

    name: str
    board_type: str
    deterministic: bool
    cpus: int
    setup: str
    emulator: EmulatorRecord | None


class UserlandRecord(TypedDict):
    """What the board booted beside the kernel."""

    sha256: str
    packages: Mapping[str, str]


class GuestRecord(TypedDict):
    """What the guests of a board booted."""

    release: str
    kernel_sha256: str
    initramfs_sha256: str
    packages: Mapping[str, str]


class HealthRecord(TypedDict):
    """A kernel alarm on the console."""

    kind: str
    line: int
    text: str
    phase: NotRequired[str]
    detail: NotRequired[Sequence[str]]


class BundleRecord(TypedDict):
    """What run.json and build.json have in common."""

    kernel: KernelRecord
    outcome: str
    reason: str | None


class BootRecord(TypedDict):
    """The part of run.json that is known before the run."""

    schema: int
    kind: str
    run_key: str
    kernel: KernelRecord
    image_sha256: str
    config_sha256: str
    release: str
    plan: str | None
    benchmark: str
    observes: NotRequired[str | None]
    parameters: Mapping[str, str | int]
    argv: Mapping[str, Sequence[str]]
    seed: int
    knobs: Mapping[str, str]
    userland: UserlandRecord
    guest: NotRequired[GuestRecord]
    entry_sha256: str
    estimate_s: float
    timeout_s: NotRequired[int]
    synthetic: bool


class PlacedRecord(BootRecord):
    """The part that is known once a board is chosen."""

    board: BoardRecord
    reproduce: str


class BootedRecord(PlacedRecord):
    """The part that is not on the console."""

    executor: Mapping[str, str | int | None]
    started_at: str
    finished_at: str


class RunRecord(BootedRecord):
    """run.json: one boot of one kernel on one board under one plan entry."""

    read_back: NotRequired[Mapping[str, str]]
    outcome: str
    reason: str | None
    environment: Mapping[str, str]
    environment_after: NotRequired[Mapping[str, str]]
    health: Sequence[HealthRecord]
    output: str | None
    files: Sequence[FileRecord]
