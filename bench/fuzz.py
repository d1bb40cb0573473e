"""Every reader of outside input under the guided fuzzer.

`VLAG_BENCH_FUZZ_SECONDS` for each, 60 if not set.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from bench.evidence import table, write


def main() -> None:
    """Fuzz all readers, and write the page; end with status 1 where one has a fault."""
    seconds = os.environ.get("VLAG_BENCH_FUZZ_SECONDS", "60")
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--seconds", seconds],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    # sysbench: 60243 inputs in 60 s, no fault
    found = re.findall(r"^(\S+): (\d+) inputs in \d+ s, (.*)$", done.stdout, re.M)
    inputs = sum(int(number) for _, number, _ in found)
    write(
        "fuzzing",
        "Readers of outside input under a coverage-guided fuzzer",
        f"VLAG_BENCH_FUZZ_SECONDS={seconds} python -m bench fuzz",
        [
            f"readers: {len(found)}, {seconds} s each",
            f"inputs: {inputs}",
            f"faults: {sum(verdict != 'no fault' for *_, verdict in found)}",
        ],
        [
            "The corpus consists of real captures, files of the repository and `tests/data/fuzz/`.",
            "A fault is any exception except vlag's own, impossible figures",
            "(`tests/fuzz/properties.py`), a refusal of several lines",
            "(`tests/fuzz/readers.py`), or over five seconds for an input.",
            "",
            *table(["reader", "inputs", "result"], found),
        ],
    )
    sys.exit(done.returncode)
