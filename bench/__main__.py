# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench NAME…`: measure; figures are printed, and kept below var/evidence/.

`evidence` makes the pages of docs/evidence/ on a release's tag; `figures` holds the golden figures
of tests/data/ against the code, and `golden` boots the deterministic boards and compares their
golden digits.
"""

import os
import sys
from importlib import import_module

from vlag import ROOT

NAMES = (
    "boards", "changepoints", "commits", "heldout", "histograms", "noisy_searches", "pages_speed",
    "path_sweep",
    "peers", "rehearsal", "relevance", "scale", "sweep",
)  # fmt: skip
#: They take words of their own.
COMMANDS = {
    "evidence": "pages", "figures": "figures", "golden": "golden", "growth": "growth",
    "journey": "journey", "night": "night", "push": "push", "seconds": "seconds",
    "slow": "years.slow", "steady": "years.steady", "verdicts": "verdicts",
    "years": "years.__main__",
}  # fmt: skip


def main(words: list[str]) -> None:
    """Run what is named; without a name, list what there is."""
    known = ", ".join(sorted({*NAMES, *COMMANDS}))
    if not words:
        print(f"{(__doc__ or '').strip()}\n\nNAME is one of: {known}")
        return
    if words[0] in COMMANDS:
        import_module(f"bench.{COMMANDS[words[0]]}").main(words[1:])
        return
    for name in words:
        if name not in NAMES:
            sys.exit(f"python -m bench: no benchmark {name!r}; there are: {known}")
    for name in words:
        import_module(f"bench.{name}").main()


if __name__ == "__main__":
    os.chdir(ROOT)
    main(sys.argv[1:])
