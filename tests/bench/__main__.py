"""`python -m tests.bench [NAME…]`: measure, and write pages of docs/evidence/."""

import os
import sys
from importlib import import_module

from vlag import ROOT

NAMES = (
    "verdicts", "changepoints", "histograms", "peers", "plots", "sweep", "kconfig",
    "lockstep", "night", "whole_night", "commits", "determinism", "parsers", "fuzz", "scale",
)  # fmt: skip

if __name__ == "__main__":
    os.chdir(ROOT)
    asked = sys.argv[1:] or NAMES
    for name in asked:
        if name not in NAMES:
            sys.exit(f"no benchmark {name!r}; there are: {', '.join(NAMES)}")
    for name in asked:
        import_module(f"tests.bench.{name}").main()
