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


class KernelRecord(TypedDict):
    """The identity of a kernel."""

    digest: str
    tree: str
    branch: str
    commit: str
    describe: str
    subject: str
    committed_at: str
    series: str | None
    application: str
    patches: NotRequired[list[PatchRecord]]
    variant: str
    arch: str
    kconfig: str
    prebuilt: NotRequired[PrebuiltRecord]


class BuildRecord(TypedDict):
    """build.json: one attempt to build one kernel."""

    schema: int
    kind: str
    kernel: KernelRecord
    outcome: str
    reason: str | None
    release: str | None
    image: FileRecord | None
    config: FileRecord | None
    toolchain: str
    environment: Mapping[str, str]
    started_at: str
    finished_at: str
    files: Sequence[FileRecord]
    reproduce: str


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


class RunRecord(TypedDict):
    """run.json: one boot of one kernel on one board under one plan entry."""

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
    read_back: NotRequired[Mapping[str, str]]
    board: BoardRecord
    userland: UserlandRecord
    guest: NotRequired[GuestRecord]
    entry_sha256: str
    executor: Mapping[str, str | int | None]
    outcome: str
    reason: str | None
    started_at: str
    finished_at: str
    estimate_s: float
    environment: Mapping[str, str]
    environment_after: NotRequired[Mapping[str, str]]
    health: Sequence[HealthRecord]
    output: str | None
    files: Sequence[FileRecord]
    reproduce: str
    synthetic: bool
