"""Time and memory of the parsers: one large histogram, and many small captures.

Each figure comes from a process of its own, `python -m bench.parsers STEP PATH`,
that prints one JSON object: a parent's memory would count as its child's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.evidence import table, write
from vlag import ROOT
from vlag.parsers import parse

THREADS = 480
ROWS = 20_000
SAMPLES = 200_000  # a thread
SEED = 20_240
NOISE = 10  # a kernel message after so many rows
RUNS = 5
CAPTURES = 10_000
DATA = ROOT / "tests" / "data" / "parsers"


def counts_drawn(*, full: bool) -> npt.NDArray[np.int64]:
    """Return counts, shape (THREADS, ROWS): most near 25 us, few in a long tail.

    Of a full histogram the tail is flat, so that every row is hit; of any other the
    last rows are mostly zero.
    """
    latency_us = np.arange(1, ROWS + 1)
    bulk = np.exp(-0.5 * (np.log(latency_us / 25) / 0.4) ** 2) / latency_us
    tail = np.exp(-latency_us / 1500) / latency_us
    share = bulk / bulk.sum() + (0.1 / ROWS if full else 0.002 * tail / tail.sum())
    random = np.random.default_rng(SEED)
    return random.multinomial(SAMPLES, share / share.sum(), size=THREADS)


def text_of(counts: npt.NDArray[np.int64], *, noisy: bool) -> bytes:
    """Return the histogram as the tool prints it, without overflows."""
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


def json_of(counts: npt.NDArray[np.int64]) -> bytes:
    """Return the same histogram as the tool's JSON file."""
    threads = {}
    for k, row in enumerate(counts):
        hit = np.flatnonzero(row)
        threads[str(k)] = {
            "histogram": {str(bound): int(row[bound]) for bound in hit},
            "cycles": int(row.sum()),
            "min": int(hit[0]),
            "max": int(hit[-1]),
            "avg": round(float(row @ np.arange(ROWS) / row.sum()), 2),
        }
    whole = {
        "file_version": 1,
        "cmdline:": f"cyclictest -q -t {THREADS} -a -l {SAMPLES} -h {ROWS} --json=cyclictest.json",
        "rt_test_version:": "2.60",
        "return_code": 0,
        "num_threads": THREADS,
        "resolution_in_ns": 0,
        "thread": threads,
    }
    return json.dumps(whole, indent=2).encode()


def _digest(bounds: Sequence[int], counts: npt.NDArray[np.int64]) -> str:
    found = hashlib.sha256(np.array(bounds, dtype=np.int64).tobytes())
    found.update(np.ascontiguousarray(counts).data)
    return found.hexdigest()


def _make(path: Path) -> dict[str, Any]:
    hit = {}
    for name, full in (("usual", False), ("full", True)):
        counts = counts_drawn(full=full)
        path.joinpath(f"{name}-clean").write_bytes(text_of(counts, noisy=False))
        path.joinpath(f"{name}-noisy").write_bytes(text_of(counts, noisy=True))
        path.joinpath(f"{name}-json").write_bytes(json_of(counts))
        hit[name] = int(counts.any(axis=0).sum())
    return hit


def _parse(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    begin = time.perf_counter()
    (latency,) = parse("cyclictest", data, path=path.name).histograms
    seconds = time.perf_counter() - begin
    # Before the digest, which is none of the parser's work.
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "peak_kib": peak_kib,
        "digest": _digest(latency.bounds, latency.counts),
    }


def _read(path: Path) -> dict[str, Any]:
    file = os.open(path, os.O_RDONLY)
    begin = time.perf_counter()
    while os.read(file, 1 << 20):
        pass
    seconds = time.perf_counter() - begin
    os.close(file)
    return {"seconds": seconds, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def _split(path: Path) -> dict[str, Any]:
    """Read the rows with a split and an int a cell, and nothing checked."""
    data = path.read_bytes()
    begin = time.perf_counter()
    bounds, rows = [], []
    for line in data.decode().splitlines():
        if re.match(r"\d{6} ", line):
            bound, *cells = map(int, line.split())
            if any(cells):
                bounds.append(bound)
                rows.append(cells)
    counts = np.array(rows, dtype=np.int64).T
    seconds = time.perf_counter() - begin
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "peak_kib": peak_kib, "digest": _digest(bounds, counts)}


def _many(path: Path) -> dict[str, Any]:
    """Parse CAPTURES captures of the tool that the folder is named after."""
    expected = {p: json.loads(p.read_text()) for p in path.glob("*.expected.json")}
    captures = [
        capture.read_bytes()
        for capture in sorted(path.iterdir())
        if not capture.name.endswith(".expected.json")
        and "refused" not in expected[capture.with_name(capture.stem + ".expected.json")]
    ]
    begin = time.perf_counter()
    for k in range(CAPTURES):
        parse(path.name, captures[k % len(captures)], path="raw")
    seconds = time.perf_counter() - begin
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "peak_kib": peak_kib, "different": len(captures)}


STEPS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "make": _make,
    "parse": _parse,
    "read": _read,
    "split": _split,
    "many": _many,
}


def step(name: str, path: Path) -> dict[str, Any]:
    """Run one step in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.parsers", name, path],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _row(what: str, size_mb: float, runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    seconds = statistics.median(run["seconds"] for run in runs)
    peak_mb = max(run["peak_kib"] for run in runs) * 1024 / 1e6
    speed = f"{size_mb / seconds:.0f} MB/s"
    return what, f"{size_mb:.1f} MB", f"{seconds:.3g} s", speed, f"{peak_mb:.0f} MB"


def main() -> None:
    """Make the files, measure, compare the counts, and write the figures."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        made = step("make", Path(folder))
        for shape in made:
            digests = set()
            for what, name, form in (
                ("text, clean", "parse", "clean"),
                ("text, noisy", "parse", "noisy"),
                ("JSON", "parse", "json"),
                ("text, clean: split and int a cell, no checks", "split", "clean"),
                ("text, clean: plain read", "read", "clean"),
            ):
                path = Path(folder, f"{shape}-{form}")
                runs = [step(name, path) for _ in range(RUNS)]
                digests |= {run["digest"] for run in runs if "digest" in run}
                rows.append(_row(f"{shape}: {what}", path.stat().st_size / 1e6, runs))
            if len(digests) != 1:
                sys.exit(f"the readers do not agree on the counts of the {shape} histogram")
    small = []
    for tool in ("stress-ng", "hackbench"):
        found = step("many", DATA / tool)
        rate = CAPTURES / found["seconds"]
        small.append((tool, found["different"], f"{found['seconds']:.2f} s", f"{rate:.0f}"))
    write(
        "parsers",
        "Time and memory of the parsers",
        "python -m bench parsers",
        [
            f"a histogram of {THREADS} threads by {ROWS} rows, {SAMPLES} samples a thread, drawn"
            f" with seed {SEED}",
            f"rows that some thread hit: usual {made['usual']}, full {made['full']}",
            f"noisy: CRLF, and a kernel message after every {NOISE}th row",
            f"median of {RUNS} processes, on one core; the largest peak memory of them, Python,"
            " numpy and the file's bytes included",
            "the parser and the plain reader gave equal counts of each file",
            "targets: 1 s clean, 2 s noisy, 400 MB",
        ],
        [
            *table(["one large histogram", "size", "time", "speed", "peak memory"], rows),
            "",
            *table([f"{CAPTURES} captures", "different ones", "time", "captures a second"], small),
        ],
    )


if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](Path(sys.argv[2]))))
