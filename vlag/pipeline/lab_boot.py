# SPDX-License-Identifier: GPL-2.0-only
"""The folder of one boot in a lab: what was submitted, and what became of it.

Each boot under way has a folder named by its key: the same request again, after a restart
or a lost answer, finds the boot there or in the lab.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from attrs import frozen

from vlag import durable
from vlag.bundle import Bundle, read
from vlag.bundle_records import RunRecord
from vlag.errors import InfrastructureError
from vlag.lava import lab
from vlag.lava.rest import NoAnswerError

log = logging.getLogger(__name__)

#: Machines of a pair: the measured one, and the load generator.
SUT, LOADGEN = "sut", "loadgen"

#: Files in the folder of a boot: its record before it runs; the lab's job; the reason why it
#: was no measurement; that a person has cancelled it; what it printed before it went down without
#: a word; and the path of its bundle, as `note_bundle` writes it.
ASKED, SUBMITTED, FAILED, ENDED = "asked.json", "submitted.json", "failed", "bundle"
CANCELLED, SILENT = "cancelled", "silent"

#: Seconds until the next request to a lab that did not answer.
_AGAIN_S = 10

_T = TypeVar("_T")


@frozen(kw_only=True)
class Submitted:
    """A boot submitted to a lab, or on record already."""

    lab: str
    jobs: tuple[int, ...]  # LAVA's ids: the measured machine's, then the load generator's
    key: str
    folder: Path
    bundle: Bundle[RunRecord] | None  # the run on record, where there is one


def submitted_of(folder: Path) -> Submitted:
    """Return the jobs of a boot; FileNotFoundError where none was submitted."""
    document = json.loads((folder / SUBMITTED).read_text(encoding="utf-8"))
    return Submitted(
        lab=document["lab"],
        jobs=tuple(document["jobs"]),
        key=document["key"],
        folder=folder,
        bundle=None,
    )


def note_bundle(folder: Path, bundle: Path, state: Path) -> None:
    """Note the run that was collected, relative to the state folder, which may be moved."""
    inside = bundle.is_relative_to(state)
    write(folder / ENDED, str(bundle.relative_to(state) if inside else bundle))


def bundle_of(folder: Path, state: Path) -> Bundle[RunRecord] | None:
    """Return the run that was collected, or None."""
    try:
        path = state / (folder / ENDED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    document = read(RunRecord, path / "run.json")
    if document is None:
        return None
    return Bundle(folder=path, document=document, reused=True)


def fail(folder: Path, error: InfrastructureError) -> None:
    """Note that this boot was no measurement; the next `submit` makes a new one."""
    write(folder / FAILED, f"{error}\n")


def patient(ask: Callable[[], _T]) -> _T:
    """Return a lab's answer; wait for a lab that is unreachable for a while."""
    began = time.monotonic()
    while True:
        try:
            return ask()
        except NoAnswerError as e:
            if time.monotonic() - began > lab.PATIENCE_S:
                raise
            log.info(f"{e}; asking again in {_AGAIN_S} s")
            time.sleep(_AGAIN_S)


def write(path: Path, text: str) -> None:
    """Write a file atomically: readers find all of it or nothing."""
    with durable.replacing(path, ".new") as draft:
        draft.write_text(text, encoding="utf-8")
