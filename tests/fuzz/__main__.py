# SPDX-License-Identifier: GPL-2.0-only
"""Fuzz the readers of outside input, guided by what their code was seen to do.

    python -m tests.fuzz                       every reader, a minute each
    python -m tests.fuzz --seconds 5 sysbench  one, for five seconds

Each reader runs in a process of its own, one a CPU at a time, with real captures and files as its
corpus.  What it accepts must be sound, what it refuses must be refused by an error of vlag's own
(a parser's: ParseError), and nothing may take longer than `TIMEOUT_S`.  Prints one line a reader;
the exit status is 1 if one has a fault, whose input is kept in the folder that --keep names.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.properties import OTHERS, captures
from tests.fuzz.readers import READERS, corpus
from vlag.parsers import PARSERS

TIMEOUT_S = 5
_LARGEST = 65536  # bytes of an input: more than nearly all captures have


def main() -> int:
    """Fuzz the readers that were asked for, one after the other."""
    known = [*sorted(PARSERS), *OTHERS, *READERS]
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("tools", nargs="*", choices=[[], *known], default=[], metavar="TOOL")
    options.add_argument("--seconds", type=int, default=60, help="for each reader")
    options.add_argument("--keep", type=Path, default=Path("var/fuzz"), help="for faulty inputs")
    asked = options.parse_args()
    asked.keep.mkdir(parents=True, exist_ok=True)
    tools = asked.tools or known
    faults = 0
    with ThreadPoolExecutor(os.cpu_count()) as lanes:
        done = lanes.map(lambda tool: _fuzz(tool, asked.seconds, asked.keep.absolute()), tools)
        for tool, (runs, fault) in zip(tools, done, strict=True):
            print(f"{tool}: {runs} inputs in {asked.seconds} s, {fault or 'no fault'}", flush=True)
            faults += fault is not None
    return 1 if faults else 0


def _fuzz(tool: str, seconds: int, keep: Path) -> tuple[int, str | None]:
    """Return how many inputs were tried, and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="vlag-fuzz-") as scratch:
        seeds = Path(scratch)
        for number, seed in enumerate(corpus(tool) if tool in READERS else captures(tool)):
            (seeds / f"{number}-{seed.name}").write_bytes(seed.read_bytes())
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.target", tool, str(seeds),
             f"-max_total_time={seconds}", f"-timeout={TIMEOUT_S}", f"-max_len={_LARGEST}",
             f"-artifact_prefix={keep}/{tool}-", "-print_final_stats=1"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False,
        )  # fmt: skip
    counted = re.search(r"number_of_executed_units: (\d+)", done.stdout)
    if counted is None or done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        said = [line for line in lines if re.match(r"\w*(Error|Exception|ERROR)\b", line.strip())]
        return int(counted[1]) if counted else 0, (said or lines or ["no word of why"])[-1]
    return int(counted[1]), None


if __name__ == "__main__":
    sys.exit(main())
