"""`python -m bench years`: live through simulated years, and print what was true and what not."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.scale import private_cluster
from bench.years.oracles import Judge, Score, score
from bench.years.world import World
from vlag.store import database
from vlag.store.migrate import migrate

#: Nights of a year.
NIGHTS = 346
#: How often a night has somebody settle an alert, as a share.
_PEOPLE = 0.1


def live(
    dsn: str, folder: Path, seed: int, nights: int, say: Callable[[str], None] = lambda _: None
) -> Judge:
    """Live through a year in an empty database that has all tables; return its judge."""
    with database.connect(dsn) as conn:
        conn.execute("SET synchronous_commit = off")
        judge = Judge(world=World(conn=conn, state=folder, seed=seed))
        rng = np.random.Generator(np.random.PCG64([seed, 1]))
        for _ in range(nights):
            judge.look(judge.world.night())
            if rng.random() < _PEOPLE:
                judge.people(str(rng.choice(["wont_fix", "investigating", "acknowledged"])))
            if judge.world.count % 50 == 0:
                say(f"year {seed}: {judge.world.count} of {nights} nights")
        return judge


def main(words: Sequence[str]) -> None:
    """Live through some years and print their score."""
    parser = argparse.ArgumentParser(prog="python -m bench years", description=__doc__)
    parser.add_argument("--years", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--nights", type=int, default=NIGHTS, help="of each (default: 346)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (default: 1)")
    parser.add_argument("--faults", action="store_true", help="list what was wrong")
    given = parser.parse_args(words)
    judges, began = [], time.monotonic()
    for seed in range(given.seed, given.seed + given.years):
        with tempfile.TemporaryDirectory(prefix="vlag-years-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            with private_cluster(folder / "cluster") as dsn:
                migrate(dsn)
                judges.append(
                    live(dsn, folder / "state", seed, given.nights,
                         lambda text: print(text, file=sys.stderr, flush=True))
                )  # fmt: skip
    took = (time.monotonic() - began) / 3600
    print(text(score(judges), given.years * given.nights / took))
    if given.faults:
        for judge in judges:
            for f in judge.faults:
                print(f"year {judge.world.seed} night {f.night}: {f.oracle}: {f.text} {f.events}")


def text(found: Score, pace: float) -> str:
    """Return a score as text; `pace` is in nights an hour."""
    lines = [f"{name}: {rate:.3f}" for name, rate in found.rates.items()]
    lines += [
        f"({found.losses} losses, {found.said} of them said in time; {found.healed} healed;"
        f" {found.alert_nights} alerts on all nights; {found.statements} statements)",
        f"{pace:,.0f} nights an hour",
    ]
    lines += [f"wrong: {name}: {n}" for name, n in sorted(found.faults.items())]
    lines += [
        f"with {name}: {said} of {n} losses said with their commit"
        for name, (n, said) in found.by_event.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
