# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench steady`: a loss that stays as it is, and how often the service changes its mind.

A head comes every night; each has the same loss against the baseline.  Boots are made up as those
of `bench.years`, all else is the service's own.  Whatever says that the loss has ended, or that it
is new again, is wrong.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.scale import private_cluster
from bench.years.service import BENCHMARKS
from bench.years.world import World
from vlag.report.data import night_changes
from vlag.report.mail_data import FigureKind
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.migrate import migrate

BOARD_TYPE = "rpi5"  # a real board: its boots differ
NIGHTS = 60
#: Nights without a loss before.
_BEFORE = 3
_MAIL: tuple[FigureKind, ...] = ("worse_since", "worse", "fixed", "uncertain")


def live(conn: Connection, state: Path, *, seed: int, loss: float, nights: int) -> Counter[str]:
    """Live with a loss, a share of the work done; return how often each thing was said.

    Keys are actions on alerts and lists of the mail; on the first night of the loss `worse_since`
    is right, and once more for each benchmark that is found later.
    """
    world = World(conn=conn, state=state, seed=seed)
    world.pushes = False
    for _ in range(_BEFORE):
        world.night([])
    size = -math.log1p(-loss)
    world._push(lost={(BOARD_TYPE, b): size for b in BENCHMARKS})
    counts: Counter[str] = Counter()
    for number in range(nights):
        night = world.night(["no push"] if number == 0 else [])
        assert night.told is not None
        mail = night_changes.collect(conn, world.catalogue, night.told, web="http://vlag.test/")
        for branch in mail["branches"]:
            for kind in _MAIL:
                figures = [f for f in branch[kind] if f["board_type"] == BOARD_TYPE]
                counts[kind] += len(figures)
    rows = conn.execute("SELECT action, count(*) FROM alert_event WHERE by = 'vlag' GROUP BY 1")
    return counts + Counter({f"alert {action}": n for action, n in rows.fetchall()})


def main(words: Sequence[str]) -> None:
    """Live with a loss for some nights, and print how often the service changed its mind."""
    parser = argparse.ArgumentParser(prog="python -m bench steady", description=__doc__)
    parser.add_argument("--loss", type=float, default=0.021, help="a share (default: 0.021)")
    parser.add_argument("--nights", type=int, default=NIGHTS, help="how many (default: 60)")
    parser.add_argument("--seeds", type=int, default=1, help="how many worlds (default: 1)")
    given = parser.parse_args(words)
    every: Counter[str] = Counter()
    for seed in range(1, given.seeds + 1):
        with tempfile.TemporaryDirectory(prefix="vlag-steady-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            with private_cluster(folder / "cluster") as dsn:
                migrate(dsn)
                with database.connect(dsn) as conn:
                    conn.execute("SET synchronous_commit = off")
                    every += live(conn, folder / "state", seed=seed, loss=given.loss,
                                  nights=given.nights)  # fmt: skip
    for name, count in sorted(every.items()):
        print(f"{name}: {count}")
