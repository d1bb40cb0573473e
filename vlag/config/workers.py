# SPDX-License-Identifier: GPL-2.0-only
"""Buildbot's workers: their names on each host, and the work of each host."""

from __future__ import annotations

import os
from collections.abc import Mapping

from vlag.config import LOCAL, Host, Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.model import Board


def host_of(settings: Settings, board: Board) -> str | None:
    """Return the host that boots a board; None for a board of a lab.

    Raises UsageError where there is no such host.
    """
    if board.lab is not None:
        return None
    running = [h.name for h in settings.hosts if "run" in h.takes]
    if not running:
        raise UsageError(
            f"{settings.inventory}: {board.name} is in no lab, and no worker host takes"
            f' "run": add it to `takes` of a host in {settings.path}, or take the board out'
        )
    if board.worker is None:
        return running[0]
    if board.worker not in running:
        raise UsageError(
            f"{settings.inventory}: {board.name}.worker: no worker host {board.worker!r} that takes"
            f' "run" in {settings.path}; there are: {", ".join(running)}'
        )
    return board.worker


def slots(host: Host) -> int:
    """Return how many boots run at once on a host."""
    return host.slots or os.cpu_count() or 1


def all_slots(settings: Settings) -> int:
    """Return how many boots run at once on all hosts; where labs do it, a machine's CPUs."""
    return sum(slots(h) for h in settings.hosts if "run" in h.takes) or slots(Host())


def names(settings: Settings, known: Catalogue, host: Host) -> list[str]:
    """Return the names of a host's workers: one for each build of a kind that may run at once.

    Buildbot gives a worker at most one build of each builder at a time.  More
    runs than boards or slots would only wait; the minimum is two: a head and its
    baseline wait side by side.  One more is reserved for the kernels of pushes.
    """
    if not {"build", "run"} & set(host.takes):
        return []
    here = sum(host_of(settings, board) == host.name for board in known.boards)
    return [f"{host.name}-{i}" for i in range(1, max(2, min(here, slots(host))) + 2)]


def lab_names(settings: Settings, known: Catalogue, host: Host) -> list[str]:
    """Return the names under which a host follows the jobs of labs, which costs it nothing.

    Two per board: a lab gets the next job of a board before the current one has ended.
    Raises UsageError if no host takes such jobs.
    """
    boards = [b for b in known.boards if b.lab is not None]
    if boards and not any("lab" in h.takes for h in settings.hosts):
        raise UsageError(
            f"{settings.inventory}: {boards[0].name} is in lab {boards[0].lab}, and no worker host"
            f' takes "lab": add it to `takes` of a host in {settings.path}'
        )
    if "lab" not in host.takes:
        return []
    prefix = "lab" if host.name == LOCAL else f"{host.name}-lab"
    return [f"{prefix}-{i}" for i in range(1, 2 * len(boards) + 1)]


def all_names(settings: Settings, known: Catalogue, host: Host) -> list[str]:
    """Return all names of a host's workers."""
    return [*names(settings, known, host), *lab_names(settings, known, host)]


def host_names(settings: Settings, known: Catalogue) -> Mapping[str, str]:
    """Return the name of each worker of this master with its host's name, in order."""
    return {name: h.name for h in settings.own_hosts for name in all_names(settings, known, h)}
