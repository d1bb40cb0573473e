# SPDX-License-Identifier: GPL-2.0-only
"""Boots that have counters of /proc/schedstat beside a comparison's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from vlag.report.read_model.rows import rows
from vlag.store.database import Connection

# Numbers of kernels before and after one that is asked for: its history.
_NEAR = 200


class CountingRow(TypedDict):
    """A boot whose bundle has counters."""

    id: int
    kernel: int
    seed: int
    deterministic: bool | None
    knobs: str
    image_sha256: str | None
    config_sha256: str | None
    observes: str | None
    tool_version: str | None
    emulator_version: str | None
    location: str
    output: str | None
    build_location: str | None


def counting(
    conn: Connection, scored: Sequence[int], *, kernels: Sequence[int], benchmark: str,
    parameters: str, board_type: str,
) -> list[CountingRow]:  # fmt: skip
    """Return runs, and the boots of kernels like them that observe schedstats, newest first.

    `kernels` are the two that are compared; the boots are theirs and of the kernels that came
    on record around them.
    """
    return rows(
        conn,
        CountingRow,
        "SELECT r.id, r.kernel, r.seed, r.deterministic, r.knobs, r.image_sha256,"
        " r.config_sha256, r.observes, r.tool_version, r.emulator_version, r.location, r.output,"
        " k.build_location"
        " FROM read_model.run r JOIN read_model.kernel k ON k.id = r.kernel"
        " WHERE r.id = ANY(%(scored)s) OR (r.kernel IN (SELECT n.id FROM read_model.kernel n"
        "     WHERE n.id = ANY(%(kernels)s) OR n.id BETWEEN %(last)s - %(near)s AND"
        "       %(last)s + %(near)s)"
        "   AND r.board_type = %(board_type)s AND r.benchmark = %(benchmark)s"
        "   AND r.parameters = %(parameters)s AND r.observes = 'schedstats'"
        "   AND r.outcome = 'complete' AND r.left_out IS NULL AND NOT r.synthetic)"
        " ORDER BY r.finished_at DESC, r.id DESC",
        {
            "scored": list(scored), "kernels": list(kernels), "last": max(kernels), "near": _NEAR,
            "board_type": board_type, "benchmark": benchmark, "parameters": parameters,
        },
    )  # fmt: skip
