# SPDX-License-Identifier: GPL-2.0-only
"""A histogram of 480 threads is read within a second and 400 MB, to the last count."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from vlag import ROOT

pytestmark = pytest.mark.long

THREADS, ROWS, SAMPLES = 480, 20_000, 200_000
SEED = 20_240
NOISE = 10  # a kernel message after so many rows
MEMORY_MB = 400  # Python, numpy and the file's bytes included
#: In a process of its own, whose peak the kernel counts from its start on (VmHWM).
READER = r"""
import json, re, sys, time
from pathlib import Path
import numpy as np
from vlag.parsers import parse
data = Path(sys.argv[1]).read_bytes()
began = time.process_time()
(latency,) = parse("cyclictest", data, path="raw").histograms
seconds = time.process_time() - began
peak_kib = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]
np.savez(sys.argv[2], bounds=latency.bounds, counts=latency.counts)
print(json.dumps({"seconds": seconds, "peak_mb": int(peak_kib) * 1024 / 1e6}))
"""

Counts = npt.NDArray[np.int64]


@pytest.fixture(scope="module")
def counts() -> Counts:
    """Counts of each thread and row: most near 25 us, few in a long tail."""
    latency_us = np.arange(1, ROWS + 1)
    bulk = np.exp(-0.5 * (np.log(latency_us / 25) / 0.4) ** 2) / latency_us
    tail = np.exp(-latency_us / 1500) / latency_us
    share = bulk / bulk.sum() + 0.002 * tail / tail.sum()
    random = np.random.default_rng(SEED)
    return random.multinomial(SAMPLES, share / share.sum(), size=THREADS)


def text_of(counts: Counts, *, noisy: bool) -> bytes:
    """Return the histogram as the tool prints it; `noisy`: over a console."""
    end = "\r\n" if noisy else "\n"
    rows = ["# /dev/cpu_dma_latency set to 0us", "# Histogram"]
    for bound, row in enumerate(counts.T.tolist()):
        rows.append(f"{bound:06d} " + "\t".join([f"{count:06d}" for count in row]))
        if noisy and bound % NOISE == 0:
            rows.append(f"[{bound:5d}.000123] hrtimer: interrupt took {bound + 31415} ns")
    bounds = np.arange(ROWS)
    lists = {
        "# Total:": [f"{total:09d}" for total in counts.sum(axis=1)],
        "# Min Latencies:": [f"{np.flatnonzero(row)[0]:05d}" for row in counts],
        "# Avg Latencies:": [f"{mean:05d}" for mean in counts @ bounds // counts.sum(axis=1)],
        "# Max Latencies:": [f"{np.flatnonzero(row)[-1]:05d}" for row in counts],
        "# Histogram Overflows:": ["00000"] * THREADS,
    }
    rows += [" ".join([begin, *numbers]) for begin, numbers in lists.items()]
    rows.append("# Histogram Overflow at cycle number:")
    rows += [f"# Thread {k}:" for k in range(THREADS)]
    return (end.join(rows) + end + end).encode()


@pytest.mark.parametrize(("noisy", "seconds"), [(False, 1.0), (True, 2.0)])
def test_it_is_read_quickly_and_exactly(
    counts: Counts, tmp_path: Path, noisy: bool, seconds: float
) -> None:
    raw, read = tmp_path / "raw.txt", tmp_path / "read.npz"
    raw.write_bytes(text_of(counts, noisy=noisy))
    took: dict[str, Any] = json.loads(
        subprocess.run(
            [sys.executable, "-c", READER, raw, read], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
    )
    assert took["seconds"] < seconds, took
    assert took["peak_mb"] < MEMORY_MB, took
    hit = np.flatnonzero(counts.any(axis=0))
    with np.load(read) as found:
        assert np.array_equal(found["bounds"], hit)
        assert np.array_equal(found["counts"], counts[:, hit])
