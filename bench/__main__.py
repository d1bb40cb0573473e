"""`python -m bench [NAME…]`: measure, and write pages of docs/evidence/."""

import os
import sys
from importlib import import_module

from bench import long
from vlag import ROOT

NAMES = (
    "verdicts", "changepoints", "histograms", "peers", "plots", "sweep", "kconfig",
    "lockstep", "night", "whole_night", "commits", "determinism", "parsers", "fuzz", "scale",
    "packages",
)  # fmt: skip
# Only when named: each reading of the held-out data uses some of it up.
HELD_OUT = "heldout"

if __name__ == "__main__":
    os.chdir(ROOT)
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
