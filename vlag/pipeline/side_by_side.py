# SPDX-License-Identifier: GPL-2.0-only
"""Boots side by side on this host's boards, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypedDict, TypeVar

from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode, InfrastructureError, UsageError
from vlag.model import Board

#: How a process ends that a signal has ended, as a shell says it: those of a keyboard and `kill`.
_STOPPED = (128 + signal.SIGINT, 128 + signal.SIGTERM, -signal.SIGINT, -signal.SIGTERM)

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Stopped(KeyboardInterrupt):
    """Somebody has stopped a boot, and with it whatever follows."""


def boards_at_once(catalogue: Catalogue, board_type: str) -> list[Board]:
    """Return the boards of this host that boot side by side; UsageError if there is none."""
    return catalogue.boards_here(board_type)[: os.cpu_count() or 1]


def idle(boards: Sequence[Board], boots: int) -> bool:
    """Return whether so many boots on these boards leave a core of this host idle."""
    return min(len(boards), boots) < (os.cpu_count() or 1)


def side_by_side(
    boards: Sequence[Board], items: Sequence[_Item], work: Callable[[Board, _Item], _Result]
) -> list[_Result]:
    """Return what `work` makes of each item on a board that is free, in the items' order."""
    free: SimpleQueue[Board] = SimpleQueue()
    for board in boards:
        free.put(board)

    def one(item: _Item) -> _Result:
        board = free.get()
        try:
            return work(board, item)
        finally:
            free.put(board)

    # What a board's thread logs, the reader of the caller's lines reads.
    contexts = [copy_context() for _ in items]
    with ThreadPoolExecutor(len(boards)) as pool:
        return list(pool.map(lambda context, item: context.run(one, item), contexts, items))


class RunAnswer(TypedDict):
    """What `vlag run` says of its bundle, as JSON."""

    outcome: str
    bundle: str  # folder
    board: str
    run_key: str
    reason: str | None
    reused: bool  # it was on record
    output: str | None  # path
    console: str  # path


def boot(
    kernel: Path,
    board: Board,
    *,
    benchmark: str,
    seed: int,
    parameters: Mapping[str, Any],
    knobs: Mapping[str, str],
    timeout_s: int,
    plan: str | None = None,
    observes: str | None = None,
    request: str | None = None,
    reuse_failed: bool = False,
) -> RunAnswer:
    """Run one boot, or take that of record, and return what `vlag run` answers.

    With `reuse_failed` that of record may be of a kernel that failed.  On a board of a lab the same
    `request` is the same boot.  The process ends with this one.  A kernel that fails is an answer;
    raises UsageError or InfrastructureError with the sentence of the process, and Stopped if
    somebody has stopped it.
    """
    words = [
        sys.executable, "-m", "vlag.cli.main", "run", str(kernel), "--board", board.name,
        "--benchmark", benchmark, "--seed", str(seed), "--reuse",
        "--timeout", str(timeout_s), "--format", "json",
        *(() if plan is None else ("--plan", plan)),
        *(() if observes is None else ("--observe", observes)),
        *(("--reuse-failed",) if reuse_failed else ()),
        *(() if request is None else ("--request-id", request)),
        *(f"--param={k}={v}" for k, v in parameters.items()),
        *(f"--knob={k}={v}" for k, v in knobs.items()),
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode in _STOPPED:
        raise Stopped
    if done.returncode not in (ExitCode.OK, ExitCode.KERNEL_FAILED):
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        error = UsageError if done.returncode == ExitCode.USAGE else InfrastructureError
        raise error(message.removeprefix("vlag: "))
    answer: RunAnswer = json.loads(done.stdout.splitlines()[-1])
    return answer
