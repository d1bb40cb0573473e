# SPDX-License-Identifier: GPL-2.0-only
"""What boards printed of programs that no Debian package has enters the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.properties import CAPTURES
from tests.integration import bundles
from vlag.config.catalogue import Catalogue
from vlag.errors import RefusedError
from vlag.pipeline.ingest import ingest
from vlag.store.database import Connection

KERNEL = bundles.kernel("6.12")
DIGEST = "0123456789abcdef" * 4
#: Benchmark -> a capture of one of its boots, its headline and that figure.
BOOTS = {
    "will-it-scale-context-switch": ("will-it-scale/2024-board.txt", "throughput", 123324.0),
    "unixbench-context": ("unixbench/6.0.0-context1-board.txt", "context1-rate", 79159 / 2.003066),
    "netperf-tcp-rr": ("netperf/2.7.1-board.txt", "throughput", 18634.23),
    "kernbench": ("kernbench/6.1-board.txt", "elapsed-time", 10.90),
    "perf-bench-numa-mem": ("perf-bench/6.1-numa-board.txt", "memory-speed", 0.65),
}


def userland(catalogue: Catalogue, benchmark: str, version: str | None) -> dict[str, object]:
    """Return what a boot with programs of a recipe has; `version` None: by somebody's hand."""
    entry = catalogue.benchmarks[benchmark]
    packages = dict(bundles.PACKAGES)
    if entry.brought is not None:
        packages[f"programs/{entry.brought}"] = f"sha256 {DIGEST}"
    tool = entry.packages[0] if entry.packages else entry.tool
    return {
        "sha256": DIGEST,
        "packages": packages if version is None else {**packages, tool: version},
    }


@pytest.mark.parametrize("benchmark", BOOTS)
def test_a_boot_of_it_is_on_record(
    conn: Connection, catalogue: Catalogue, tmp_path: Path, benchmark: str
) -> None:
    name, metric, value = BOOTS[benchmark]
    raw = (CAPTURES / name).read_bytes()
    ingest(bundles.build(tmp_path / "build", KERNEL), conn=conn, catalogue=catalogue)
    of = userland(catalogue, benchmark, "75f66e45697e")
    path = bundles.run(
        tmp_path / "run", KERNEL, catalogue, benchmark=benchmark, raw=raw, userland=of
    )
    assert ingest(path, conn=conn, catalogue=catalogue).new
    [(values, version)] = conn.execute(
        "SELECT m.values, s.tool_version FROM sample m JOIN series s ON s.id = m.series"
        " WHERE s.benchmark = %s AND s.metric = %s",
        (benchmark, metric),
    ).fetchall()
    assert values[0] == pytest.approx(value)
    assert version == "75f66e45697e"
    # Negative control: one that lost its end is refused.
    cut = bundles.run(
        tmp_path / "cut", KERNEL, catalogue, benchmark=benchmark, raw=raw[: len(raw) // 2], seed=2,
        userland=of,
    )  # fmt: skip
    with pytest.raises(RefusedError):
        ingest(cut, conn=conn, catalogue=catalogue)


def test_a_program_of_ones_own_is_known_by_its_digest(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> None:
    raw = (CAPTURES / "schbench" / "git-text.txt").read_bytes()
    ingest(bundles.build(tmp_path / "build", KERNEL), conn=conn, catalogue=catalogue)
    path = bundles.run(
        tmp_path / "run", KERNEL, catalogue, benchmark="schbench", raw=raw,
        userland=userland(catalogue, "schbench", None),
    )  # fmt: skip
    assert ingest(path, conn=conn, catalogue=catalogue).new
    versions = conn.execute("SELECT DISTINCT tool_version FROM series").fetchall()
    assert versions == [(f"sha256:{DIGEST[:12]}",)]
