# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of two kernels whose profiles are those of real boots (tests/data/profile)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.integration import bundles
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.kernel import symbols
from vlag.report.data import comparison as data
from vlag.search import profiling as stage
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

DATA = Path(__file__).parents[1] / "data" / "profile"
PERF = DATA / "perf"
#: The board of runs that perf has sampled.
SAMPLED_BOARD = {
    "name": "rpi5-1",
    "board_type": "rpi5",
    "deterministic": False,
    "cpus": 4,
    "setup": bundles.sha("setup"),
    "emulator": None,
}
BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
WORSE = tuple(0.9 * f for f in SAME)


@frozen(kw_only=True)
class Compared:
    """A stored comparison, and the folders of its kernels' profiled runs."""

    id: int
    base: Sequence[Path]
    new: Sequence[Path]


def build(root: Path, of: dict[str, Any], name: str) -> Path:
    """Write a build that knows its functions: those of `name` in `DATA`."""
    folder = bundles.build(root / "builds" / of["digest"][:12], of)
    entry = bundles.add(folder, symbols.FILE, (DATA / name / symbols.FILE).read_bytes())
    files = json.loads((folder / "build.json").read_text())["files"]
    return bundles.edit(folder, files=[*files, entry])


def runs(root: Path, of: dict[str, Any], catalogue: Catalogue, name: str) -> list[Path]:
    """Write the profiled runs of a kernel, seeds 1 to 3."""
    found = []
    for seed in (1, 2, 3):
        folder = root / "runs" / of["digest"][:12] / f"profile-{seed}"
        bundles.run(
            folder, of, catalogue, raw=(DATA / name / f"stress-ng-{seed}.txt").read_bytes(),
            seed=seed, observes="profile", plan=None,
        )  # fmt: skip
        packed = (DATA / name / f"profile-{seed}.txt.gz").read_bytes()
        entry = bundles.add(folder, "raw/profile.txt", gzip.decompress(packed))
        files = json.loads((folder / "run.json").read_text())["files"]
        found.append(bundles.edit(folder, files=[*files, entry]))
    return found


def sampled(
    root: Path,
    of: dict[str, Any],
    catalogue: Catalogue,
    kind: str,
    renamed: tuple[str, str] = ("", ""),
) -> list[Path]:
    """Write the sampled runs of a kernel, whose reports are three real ones.

    `kind` is "base", "new" or "again", which is three more of the base; a function of the reports
    may be renamed.
    """
    found = []
    first = 4 if kind == "again" else 1
    name = "base" if kind == "again" else kind
    for seed in range(first, first + 3):
        raw = (PERF / f"{name}{seed}-stress-ng.txt").read_bytes()
        report = gzip.decompress((PERF / f"{name}{seed}-report.txt.gz").read_bytes())
        if renamed[0]:
            report = report.replace(renamed[0].encode(), renamed[1].encode())
        folder = bundles.run(
            root / "runs" / f"{of['digest'][:12]}-{kind}" / str(seed), of, catalogue, raw=raw,
            seed=seed, board=SAMPLED_BOARD, observes="perf", plan=None,
        )  # fmt: skip
        entry = bundles.add(folder, "raw/perf-report.txt", report)
        files = json.loads((folder / "run.json").read_text())["files"]
        found.append(bundles.edit(folder, files=[*files, entry]))
    return found


def compared(
    conn: Connection,
    catalogue: Catalogue,
    root: Path,
    *,
    base: str = "plain",
    new: str = "longer",
    factors: Sequence[float] = WORSE,
    base_factors: Sequence[float] = SAME,
) -> Compared:
    """Store two kernels, their scored boots and a comparison, which is a REGRESSION by default."""
    paths = []
    for of, name, measured in ((BASE, base, base_factors), (NEW, new, factors)):
        paths += bundles.side(root, of, catalogue, factors=measured)
        build(root, of, name)
    bundles.store(conn, catalogue, paths)
    made = compare(
        conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
        base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"), role="baseline",
    )  # fmt: skip
    return Compared(
        id=made.id,
        base=runs(root, BASE, catalogue, base),
        new=runs(root, NEW, catalogue, new),
    )


def store(conn: Connection, catalogue: Catalogue, of: Compared) -> stage.Answer:
    """Store the profile of the one benchmark of a comparison that changed."""
    [question] = stage.questions(conn, catalogue, of.id).asked
    return stage.store(question, conn=conn, catalogue=catalogue, base=of.base, new=of.new)


def told(
    conn: Connection, catalogue: Catalogue, root: Path, new: str
) -> tuple[Compared, Mapping[str, Any]]:
    of = compared(conn, catalogue, root, new=new)
    store(conn, catalogue, of)
    return of, data.report(conn, catalogue, of.id, root)


def part_of(report: str) -> list[str]:
    """Return the lines of the part "Why" of a short report, with the empty one above."""
    lines = report.splitlines()
    [first] = [n for n, line in enumerate(lines) if line.startswith("Why")] or [len(lines)]
    found = []
    for line in lines[first:]:
        if not line:
            break
        found.append(line)
    return ["", *found] if found else []
