# SPDX-License-Identifier: GPL-2.0-only
"""Where a boot of a push, a night or a rerun goes in labs: both kernels meet on each board."""

from __future__ import annotations

from vlag.config import Settings
from vlag.config.catalogue import Catalogue
from vlag.pipeline import lab_boards
from vlag.pipeline.boot import Boot, BootRequest
from vlag.pipeline.submit import Target, choose, failed_on, prepare_for


def boot(
    settings: Settings,
    catalogue: Catalogue,
    board_type: str,
    board: str | None,
    request: BootRequest,
    occasion: str,
) -> tuple[Target, Boot]:
    """Return the target of a boot, and the boot prepared for it.

    `board` pins it; else its seed says the board.  An attempt after one that was no measurement
    goes to another board.  Raises UsageError as `choose` and `prepare_for` do.
    """
    what = {"benchmark": request.benchmark.name, "parameters": dict(request.parameters)}
    name = f"{occasion} {what} {request.seed}"
    kind = catalogue.board_type(board_type)

    def at(name_of_board: str | None) -> tuple[Target, Boot]:
        target = choose(
            settings, catalogue, board_type, name_of_board, name,
            placed=board is None and name_of_board is not None,
        )  # fmt: skip
        return target, prepare_for(target, settings, request, kind)

    if board is not None:
        return at(board)
    place = lab_boards.board_of(settings, catalogue, board_type, request.seed, of=what)
    target, made = at(place)
    if place is None or place not in (failed := failed_on(settings, made, target, occasion)):
        return target, made
    return at(
        lab_boards.board_of(settings, catalogue, board_type, request.seed, of=what, failed=failed)
    )
