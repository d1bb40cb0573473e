"""The first minutes: from a clean clone to the first verdict and the first report.

`VLAG_BENCH_FIRST_MINUTES` names a folder that is kept, or that holds such a start already.  How
long the rest of the night takes, to its self-proof, is measured by `bench.whole_night`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from bench.evidence import table, write
from tests.night.clone import TIMES, Night, memory_gb, shared_night

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


@frozen(kw_only=True)
class Minutes:
    """The moments of one first start, with its machine."""

    cpus: int
    memory_gb: float
    packages: int  # Debian packages that the set-up installed
    at_s: tuple[float, ...]  # seconds from the clone's start, one for each of `LINES`


def moments(times: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    """Return the seconds at which each of `LINES` was printed first, after the one before.

    Raises LookupError with the name of the first that is missing.
    """
    found: list[float] = []
    left = iter(times)
    for name, pattern in LINES.items():
        at_s = next((at for at, line in left if re.match(pattern, line)), None)
        if at_s is None:
            raise LookupError(f"no line of {name!r} (after the one before it)")
        found.append(at_s)
    return tuple(found)


def of_night(night: Night) -> Minutes:
    """Return the moments of a start that was run to its first report."""
    times = night.times()
    if not times:
        raise LookupError(f"{night.clone / TIMES}: the night has no times")
    installed = night.clone / ".venv" / "debian-packages"
    return Minutes(
        cpus=night.cpus or os.cpu_count() or 1,
        memory_gb=night.memory_gb or memory_gb(),
        packages=len(installed.read_text().split()) if installed.exists() else 0,
        at_s=moments(times),
    )


def rows(found: Minutes) -> list[tuple[str, str, str]]:
    """Return the table: what, minutes and seconds from the clone, and since the row before."""
    before = (0.0, *found.at_s)
    return [
        (name, _clock(at), _clock(at - earlier))
        for name, at, earlier in zip(LINES, found.at_s, before, strict=False)
    ]


def _clock(seconds: float) -> str:
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02d}"


def _megabytes(folder: Path) -> int:
    """Return the size of the files below a folder."""
    sizes = (p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    return round(sum(sizes) / 1e6)


def main() -> None:
    """Make the start if there is none, and write its figures."""
    with shared_night("VLAG_BENCH_FIRST_MINUTES", branches=None, once="1") as night:
        found = of_night(night)
        state = _megabytes(night.state)
        write(
            "first-minutes",
            "The first minutes: from a clean clone to the first report",
            "python -m bench first_minutes",
            [
                f"the clone's commit: {night.commit[:12]}",
                f"its machine: {found.cpus} CPUs, {found.memory_gb:.1f} GB of memory",
                f"`git clone`, of this machine's own repository: {night.clone_s:.0f} s"
                if night.clone_s
                else "`git clone`, of this machine's own repository: not measured",
                f"set-up: {_clock(found.at_s[0] - night.clone_s)} minutes;"
                f" {found.packages} Debian packages installed, the others were there;"
                f" {_megabytes(night.clone / '.venv')} MB in .venv",
                f"then var/ has {state} MB",
            ],
            [
                "`make run ONCE=1` in a clean clone with the shipped settings, nothing of vlag's"
                " cached. `FAST=1` does the same and stops earlier, `ONCE=proof` goes on.",
                "",
                *table(("until", "from the clone, min:s", "since the row before"), rows(found)),
            ],
        )


if __name__ == "__main__":
    main()
