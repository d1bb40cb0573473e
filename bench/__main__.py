"""`python -m bench [NAME…]`: measure, and write pages of docs/evidence/.

`python -m bench stale [--mark]` lists the pages that are out of date, `renew [--list]` measures
them anew; `chaos --faults N --seed S` injects so many faults; `sandbox --builds N --boots N`
measures so many pairs; `golden` boots the deterministic boards and holds them against their golden
digits.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from bench import chaos, golden, long, stale
from vlag import ROOT

NAMES = (
    "verdicts", "changepoints", "histograms", "modes", "peers", "plots", "sweep",
    "path_sweep", "kconfig", "lockstep", "night", "whole_night", "first_minutes", "releases",
    "commits", "determinism", "parsers", "fuzz", "scale", "pages_speed", "packages", "runner",
    "relevance", "chaos", "observing", "sandbox",
)  # fmt: skip
# Only when named: each reading of the held-out data uses some of it up.
HELD_OUT = "heldout"


def _sandbox(words: Sequence[str]) -> None:
    """Import it only now: it reads the whole catalogue."""
    import_module("bench.sandbox").main(words)


if __name__ == "__main__":
    os.chdir(ROOT)
    asides = {
        "chaos": chaos.main, "sandbox": _sandbox, "stale": stale.main, "renew": stale.renew,
        "golden": golden.main,
    }  # fmt: skip
    if sys.argv[1:] and sys.argv[1] in asides:
        asides[sys.argv[1]](sys.argv[2:])
        sys.exit()
    asked = sys.argv[1:] or NAMES
    known = (*NAMES, HELD_OUT, *long.NAMES)
    for name in asked:
        if name not in known:
            sys.exit(f"no benchmark {name!r}; there are: {', '.join(known)}")
    for name in asked:
        if name in long.NAMES:
            long.main(name)
        else:
            import_module(f"bench.{name}").main()
