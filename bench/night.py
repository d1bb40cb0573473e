# SPDX-License-Identifier: GPL-2.0-only
"""`python -m bench night PART`: first nights from a clean clone, their time and their reports.

`minutes` waits for the first report of the shipped settings, `light` for a small night, `whole` for
the whole night of the shipped settings.  `FOLDERS` has the variable of each part that names a
folder which is kept, or which holds such a night already.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.evidence import table, write
from tests.night.clone import TIMES, Night, memory_gb, shared_night

FOLDERS = {
    "minutes": "VLAG_BENCH_FIRST_MINUTES",
    "light": "VLAG_TEST_NIGHT",
    "whole": "VLAG_BENCH_WHOLE_NIGHT",
}
#: What is waited for, and the line that `make run` prints then, in their order.
LINES = {
    "set-up done": r"setup: ready\b",
    "the service is up": r"the service is up: ",
    "first verdict, of prebuilt kernels": r"\[\d+:\d+\] compared prebuilt ",
    "report of the first look (`FAST=1` ends)": r"in full, the report is ",
    "the sources are imported, the night begins": r"\[\d+:\d+\] the night: ",
    "first verdict on a watched branch": r"\[\d+:\d+\] compared (?!prebuilt )",
    "first report (`ONCE=1` ends)": r"in full, the first report is ",
}


def moments(times: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    """Return the seconds at which each of `LINES` was printed first, after the one before.

    Raises LookupError with the name of the first that is missing.
    """
    begun: list[float] = []
    left = iter(times)
    for name, pattern in LINES.items():
        at_s = next((at for at, line in left if re.match(pattern, line)), None)
        if at_s is None:
            raise LookupError(f"no line of {name!r} (after the one before it)")
        begun.append(at_s)
    return tuple(begun)


def of_night(night: Night) -> tuple[float, ...]:
    """Return the moments of a start that was run to its first report."""
    times = night.times()
    if not times:
        raise LookupError(f"{night.clone / TIMES}: the night has no times")
    return moments(times)


def rows(at_s: Sequence[float]) -> list[tuple[str, str, str]]:
    """Return the table: what, minutes and seconds from the clone, and since the row before."""
    return [
        (name, _clock(at), _clock(at - earlier))
        for name, at, earlier in zip(LINES, at_s, (0.0, *at_s), strict=False)
    ]


def _clock(seconds: float) -> str:
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02d}"


def _megabytes(folder: Path) -> int:
    """Return the size of the files below a folder."""
    sizes = (p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    return round(sum(sizes) / 1e6)


def minutes(night: Night) -> None:
    """Write when a first verdict and the first report were there."""
    at_s, state = of_night(night), _megabytes(night.state)
    packages = night.clone / ".venv" / "debian-packages"
    installed = len(packages.read_text().split()) if packages.exists() else 0
    write(
        "first-minutes",
        "The first minutes: from a clean clone to the first report",
        "python -m bench night minutes",
        [
            f"the clone's commit: {night.commit[:12]}",
            f"its machine: {night.cpus or os.cpu_count()} CPUs,"
            f" {night.memory_gb or memory_gb():.1f} GB of memory",
            f"`git clone`, of this machine's own repository: {night.clone_s:.0f} s",
            f"set-up: {_clock(at_s[0] - night.clone_s)} minutes;"
            f" {installed} Debian packages installed, the others were there;"
            f" {_megabytes(night.clone / '.venv')} MB in .venv",
            f"then var/ has {state} MB",
        ],
        [
            "`make run ONCE=1` in a clean clone with the shipped settings, nothing of vlag's"
            " cached. `FAST=1` does the same and stops earlier, `ONCE=proof` goes on.",
            "",
            *table(("until", "from the clone, min:s", "since the row before"), rows(at_s)),
        ],
    )


def light(night: Night) -> None:
    """Write the report of a small night."""
    # A kept night may have had commits pushed on top of its kernels since, and boots of tests.
    runs = [
        r
        for r in night.runs()
        if r["kernel"]["subject"].startswith("linux-source") and r["plan"] is not None
    ]
    emulators = [r["board"]["emulator"] for r in runs]
    report = min(night.report_files()).read_text().split("\nSources of the numbers")[0]
    write(
        "first-light",
        "First light: 6.12 against 6.1 from a clean clone",
        "python -m bench night light",
        [
            f"the night's commit: {night.commit[:12]}",
            f"from the clean clone to the report: {night.seconds / 60:.1f} minutes",
            f"runs: {len(runs)}, all {', '.join({r['outcome'] for r in runs})}",
            *sorted({f"image of {r['release']}: {r['image_sha256'][:16]}" for r in runs}),
            *sorted({f"initramfs: {r['userland']['sha256'][:16]}" for r in runs}),
            *sorted({f"QEMU {e['version']}: {e['sha256'][:16]}" for e in emulators}),
        ],
        [
            "The report without the list of runs at its end:",
            *_quoted(night, report),
        ],
    )


def whole(night: Night) -> None:
    """Write how long the whole night took, and how its report and proof begin."""
    written = (min(night.report_files()), min(night.proof_files()))
    beginnings = "\n\n".join(path.read_text().split("\n\n\n")[0] for path in written)
    expected = re.search(r"the night: (expected until .*)", night.output)
    write(
        "whole-night",
        "The whole first night: 6.1, 6.12, every known regression, three boards",
        "python -m bench night whole",
        [
            f"the night's commit: {night.commit[:12]}",
            f"from the clean clone to the end of the night: {night.seconds / 60:.1f} minutes",
            f"estimate at the start: {expected[1] if expected else 'no estimate'}",
            f"runs: {len(night.runs())}",
        ],
        ["How report and proof begin:", *_quoted(night, beginnings)],
    )


def _quoted(night: Night, report: str) -> list[str]:
    """Return a report as a block; its commands name folders of the clone."""
    return ["", "```", report.rstrip().replace(f"{night.clone}/", ""), "```"]


PARTS: Mapping[str, Callable[[Night], None]] = {"minutes": minutes, "light": light, "whole": whole}


def main(words: Sequence[str]) -> None:
    """Run the night of a part if there is none, and write its figures."""
    options = argparse.ArgumentParser(prog="python -m bench night", description=__doc__)
    options.add_argument("part", choices=PARTS)
    part = options.parse_args(words).part
    settings = {} if part == "light" else {"branches": None}
    once = "1" if part == "minutes" else "proof"
    with shared_night(FOLDERS[part], **settings, once=once) as night:
        PARTS[part](night)
