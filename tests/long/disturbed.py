# SPDX-License-Identifier: GPL-2.0-only
"""Work that was disturbed, held against the same work that was left alone."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

from vlag.store import runs
from vlag.store.database import Connection


def chosen(default_faults: int, default_seed: int | None = None) -> tuple[int, int]:
    """Return `VLAG_TEST_FAULTS`, and `VLAG_TEST_SEED`, which repeats the faults of a session.

    Without a default each session has a seed of its own.
    """
    another = random.SystemRandom().randrange(10**6) if default_seed is None else default_seed
    seed = os.environ.get("VLAG_TEST_SEED") or another
    return int(os.environ.get("VLAG_TEST_FAULTS") or default_faults), int(seed)


def samples(conn: Connection, key: LiteralString) -> dict[Any, list[str]]:
    """Return the samples of each run on record by a column that names it: one entry a row."""
    found: dict[Any, list[str]] = {}
    for name, id_ in conn.execute(f"SELECT {key}, id FROM run").fetchall():  # noqa: S608
        figures = runs.figures_of(conn, [id_])
        found.setdefault(name, []).append(
            repr(sorted(f"{f.series.metric} {f.figures}" for f in figures))
        )
    return found


def wrong(mine: Mapping[Any, Sequence[str]], wanted: Mapping[Any, Sequence[str]]) -> list[str]:
    """Return what disturbed work has otherwise than work left alone, a sentence each.

    Both have by its name what came of each piece of work, once for each time that it was done.
    """
    return [
        *(f"lost: {key}" for key in sorted(set(wanted) - set(mine), key=str)),
        *(f"nobody's: {key}" for key in sorted(set(mine) - set(wanted), key=str)),
        *(f"{len(of)} times: {key}" for key, of in sorted(mine.items(), key=str) if len(of) != 1),
        *(f"other samples: {key}: {of}" for key, of in sorted(mine.items(), key=str)
          if key in wanted and set(of) != set(wanted[key])),
    ]  # fmt: skip
