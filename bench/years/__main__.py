# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench years`: live through simulated years, and print what was true and what not."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from bench.scale import private_cluster
from bench.years import tally
from bench.years.oracles import Judge
from bench.years.tally import Year
from bench.years.world import EVENTS, World
from vlag.errors import UsageError
from vlag.store import database
from vlag.store.database import Connection
from vlag.store.migrate import migrate

#: Nights of a year.
NIGHTS = 346
#: How often a night has somebody settle an alert, as a share.
_PEOPLE = 0.1
# A crash costs a new start, no more.
_SERVER = "-c fsync=off -c full_page_writes=off -c max_wal_size=1GB"


def live(
    conn: Connection, folder: Path, seed: int, nights: int,
    say: Callable[[str], None] = lambda _: None, density: float = 1.0,
) -> Judge:  # fmt: skip
    """Live through a year in an empty database that has all tables; return its judge.

    `density` times as many events come as in a usual year, but for nights without a push.
    """
    rates = {k: r if k == "no push" else min(1.0, r * density) for k, r in EVENTS.items()}
    judge = Judge(world=World(conn=conn, state=folder, seed=seed, rates=rates))
    rng = np.random.Generator(np.random.PCG64([seed, 1]))
    for _ in range(nights):
        judge.look(judge.world.night())
        if rng.random() < _PEOPLE:
            judge.people(str(rng.choice(["wont_fix", "investigating", "acknowledged"])))
        if judge.world.count % 50 == 0:
            say(f"year {seed}: {judge.world.count} of {nights} nights")
    return judge


def of_seed(seed: int, *, nights: int, density: float) -> Year:
    """Live through the year of a seed in a database server of its own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vlag-years-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with private_cluster(folder / "cluster", _SERVER) as dsn:
            migrate(dsn)
            with database.connect(dsn) as conn:
                conn.execute("SET synchronous_commit = off")
                judge = live(conn, folder / "state", seed, nights, _say, density)
    return tally.year(judge, density=density, seconds=time.monotonic() - began)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _years(seeds: Iterable[int], nights: int, density: float, jobs: int) -> Iterator[Year]:
    work = partial(of_seed, nights=nights, density=density)
    if jobs == 1:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, seeds)


def main(words: Sequence[str]) -> None:
    """Live through some years, or read them, and print their table."""
    parser = argparse.ArgumentParser(prog="python -m bench years", description=__doc__)
    parser.add_argument("--years", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--nights", type=int, default=NIGHTS, help="of each (default: 346)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (default: 1)")
    parser.add_argument("--density", type=float, default=1.0, metavar="TIMES",
                        help="so many times the events of a usual year (default: 1)")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="years at a time (default: 1)")
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="keep the years in a file; it grows with each")  # fmt: skip
    parser.add_argument("--read", type=Path, nargs="+", metavar="FILE",
                        help="print the years of such files, and live through none")  # fmt: skip
    parser.add_argument("--faults", action="store_true", help="list what was wrong")
    given = parser.parse_args(words)
    try:
        years = tally.read(given.read or [])
    except UsageError as e:
        raise SystemExit(str(e)) from e
    if not given.read:
        seeds = range(given.seed, given.seed + given.years)
        for each in _years(seeds, given.nights, given.density, given.jobs):
            years.append(each)
            if given.write is not None:
                tally.write(given.write, years)
    print(tally.table(years))
    if given.faults:
        print("", *tally.faults(years), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
