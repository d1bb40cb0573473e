# SPDX-License-Identifier: GPL-2.0-only
"""Boards of labs: each seed has one board for all kernels, in plans and in searches."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

from attrs import define, field

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.errors import InfrastructureError, UsageError
from vlag.lava.rest import NoAnswerError
from vlag.lava.server import Client
from vlag.model import Board, digest
from vlag.pipeline.submit import in_labs, lab_of

log = logging.getLogger(__name__)

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@define
class BoardPool:
    """Boards of one type in labs.

    What is compared runs with equal seeds, and so on one board, one after the other: the board's
    level is in each of it.  The same seed has the same board after a restart, too.
    """

    boards: Sequence[Board]  # of the inventory, by name
    _out: set[str] = field(factory=set)  # names of those that take no boots
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    @property
    def in_use(self) -> list[Board]:
        """Return the boards that take boots."""
        return [b for b in self.boards if b.name not in self._out]

    def of_seed(self, seed: int) -> Board | None:
        """Return the board of a seed: where its own is out, the next one; None: all are out."""
        first = seed % len(self.boards)
        turned = [*self.boards[first:], *self.boards[:first]]
        return next((b for b in turned if b.name not in self._out), None)

    def run(
        self, by_seed: Mapping[int, Sequence[_Item]], work: Callable[[Board, _Item], _Result]
    ) -> list[_Result]:
        """Return what `work` makes of the items of each seed, in their order.

        Boards work side by side.  One on which the infrastructure fails gets no more, and the next
        one has its seeds.  Raises InfrastructureError once all have failed.  Whatever else `work`
        raises ends the run.
        """
        chains: dict[str, list[int]] = {}
        for seed in by_seed:
            board = self.of_seed(seed)
            chains.setdefault("" if board is None else board.name, []).append(seed)
        ended = threading.Event()
        results: dict[int, list[_Result]] = {}

        def chain(seeds: Sequence[int]) -> None:
            try:
                for seed in seeds:
                    results[seed] = [self._boot(seed, item, work, ended) for item in by_seed[seed]]
            except BaseException:
                ended.set()
                raise

        with ThreadPoolExecutor(len(chains) or 1) as threads:
            begun = [threads.submit(copy_context().run, chain, c) for c in chains.values()]
            try:
                wait(begun)
            finally:
                ended.set()
        errors = [error for future in begun if (error := future.exception()) is not None]
        for error in sorted(errors, key=lambda e: isinstance(e, _EndedError)):
            raise error
        return [result for seed in by_seed for result in results[seed]]

    def _boot(
        self,
        seed: int,
        item: _Item,
        work: Callable[[Board, _Item], _Result],
        ended: threading.Event,
    ) -> _Result:
        while True:
            board = self.of_seed(seed)
            if board is None:
                raise InfrastructureError(
                    f"none of {', '.join(b.name for b in self.boards)} takes boots any more; the"
                    " lines above say why"
                )
            if ended.is_set():
                raise _EndedError
            try:
                return work(board, item)
            except InfrastructureError as e:
                log.info(f"{board.name} gets no more boots of this search: {e}")
                with self._lock:
                    self._out.add(board.name)


class _EndedError(Exception):
    """Another board's thread has failed, and its error is the one to be told."""


def pool(settings: Settings, catalogue: Catalogue, board_type: str) -> BoardPool:
    """Return the boards of a type that a lab gives jobs to; UsageError if there is none."""
    there = in_labs(catalogue, board_type)
    if not there:
        raise UsageError(
            f"there is no board of type {board_type}, neither of this host nor of a lab; boards"
            f" are in {settings.inventory}"
        )
    out = _out(settings, there)
    if len(out) == len(there):
        raise UsageError(
            f"no lab gives jobs to {', '.join(sorted(out))}; `vlag boards status` says why"
        )
    for name in sorted(out):
        log.info(f"{name} takes no boots: its lab gives it no jobs")
    return BoardPool(there, out)


def _out(settings: Settings, boards: Sequence[Board]) -> set[str]:
    """Return the names of the boards to which their labs give no jobs."""
    labs = {str(b.lab): lab_of(settings, b) for b in boards}
    usable = {d.name for lab in labs.values() for d in Client(lab).devices() if d.usable}
    return {b.name for b in boards} - usable


def board_of(
    settings: Settings,
    catalogue: Catalogue,
    board_type: str,
    seed: int,
    *,
    of: object,
    failed: Collection[str] = (),
) -> str | None:
    """Return the board of a plan's boot, by its seed; None: any of the type will do.

    What is compared has equal seeds and parameters and so runs on one board, as far as that takes
    jobs; a seed whose board does not, or is one of the `failed`, has the next one.  `of` is what
    is booted, without the kernel: another thing begins at another board, as five seeds on four
    boards would load the same one twice each time.  A board that repeats its figures, and one that
    is alone, need no such place.
    """
    there = in_labs(catalogue, board_type)
    pairs = any("partner" in b.facts for b in there)  # `choose` gives a seed of theirs its place
    if len(there) < 2 or pairs or catalogue.board_type(board_type).deterministic:
        return None
    try:
        out = _out(settings, there)
    except NoAnswerError:  # whoever submits the boot waits for the lab
        out = set()
    first = seed + int(digest(of), 16)
    for pool in (BoardPool(there, {*out, *failed}), BoardPool(there, out)):
        if (board := pool.of_seed(first)) is not None:
            return board.name
    return None
