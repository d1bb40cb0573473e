# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench seconds RUN…`: where the seconds of boots on this machine went, step by step.

RUN is the folder of a run.  The steps are read from LAVA's log and run.json; they add up to the
time from the request to the end of the run.  Boots that went on from a snapshot have a table of
their own.
"""

from __future__ import annotations

import datetime
import gzip
import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from vlag.lava import emulator
from vlag.lava.job import record

#: Step -> what the log has where it ends, in their order; the last one ends with the run.  Without
#: LAVA's dispatcher the log has other words.
STEPS = {
    "LAVA starts, and copies what is booted": ("start: 3.1 lava-test-monitor", emulator.BEGINS),
    "the emulator and its firmware start": ("Linux version ",),
    "the kernel boots": ("@vlag:start",),
    "the runner prepares the board": ("@vlag:run",),
    "the benchmark": ("@vlag:status ",),
    "raw output is printed": ("@vlag:done",),
    "the emulator ends": ("end: 4 finalize", emulator.ENDS),
}
LAST = "LAVA ends, the run is judged and kept"
#: With which a boot goes on from a snapshot.
_RESTORED = "-name vlag-restore-"


def steps(run: Path) -> dict[str, float]:
    """Return the seconds of each step of a run; they are all of its seconds.

    Raises LookupError for a run without LAVA's log, or one whose log lacks a step.
    """
    try:
        document = json.loads((run / "run.json").read_text(encoding="utf-8"))
        with gzip.open(run / "lava.log.gz", "rt", encoding="utf-8", errors="replace") as log:
            lines = list(log)
    except OSError as e:
        raise LookupError(f"{run}: no run that was booted on this machine ({e})") from e
    at = datetime.datetime.fromisoformat(document["started_at"]).timestamp()
    seconds = {}
    left = _dated(lines)
    for step, signs in STEPS.items():
        # Several may come in one record, as all that was printed before a snapshot.
        ended = next((time for time, text in left if any(s in text for s in signs)), None)
        if ended is None:
            raise LookupError(f"{run}: LAVA's log has no {signs[0].strip()!r}, or not in its place")
        seconds[step], at = ended - at, ended
    end = datetime.datetime.fromisoformat(document["finished_at"]).timestamp()
    return {**seconds, LAST: end - at}


def _dated(lines: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Yield the text of each record, with its time in seconds since 1970."""
    for line in lines:
        row = record(line)
        if isinstance(row.get("msg"), str) and "dt" in row:
            time = datetime.datetime.fromisoformat(row["dt"]).replace(tzinfo=datetime.UTC)
            yield time.timestamp(), row["msg"]


def _program(run: Path) -> str:
    """Return what booted a run."""
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    return str(document.get("executor", {}).get("program", "lava-run"))


def table(runs: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a table of the steps: median, least and most of the runs, and each step's share."""
    total = statistics.median(sum(each.values()) for each in runs)
    rows = [f"{'step':<40} {'median':>8} {'least':>8} {'most':>8}"]
    for step in (*STEPS, LAST):
        values = [each[step] for each in runs]
        figures = (statistics.median(values), min(values), max(values))
        rows.append(f"{step:<40} " + " ".join(f"{value:8.1f}" for value in figures))
    return [*rows, f"{'all, in seconds':<40} {total:8.1f}"]


def main(words: Sequence[str] = ()) -> None:
    """Print the tables of the named runs."""
    if not words:
        sys.exit("python -m bench seconds RUN...: name folders of runs")
    kinds: dict[str, list[dict[str, float]]] = {}
    for run in map(Path, words):
        try:
            seconds = steps(run)
        except LookupError as e:
            sys.exit(str(e))
        restored = _RESTORED in (run / "job.yaml").read_text(encoding="utf-8")
        kind = "from a snapshot" if restored else "from power on"
        kind += "" if _program(run) == "lava-run" else ", without LAVA's dispatcher"
        kinds.setdefault(kind, []).append(seconds)
    for kind, runs in sorted(kinds.items()):
        print(f"{len(runs)} boot{'' if len(runs) == 1 else 's'} {kind}")
        print("\n".join(f"  {row}" for row in table(runs)))
