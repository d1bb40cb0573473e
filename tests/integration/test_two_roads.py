# SPDX-License-Identifier: GPL-2.0-only
"""The same runs, on record and as files on disk, get the same answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.integration.bundles import latencies
from vlag.compare import files, kernels
from vlag.compare.verdict_keys import row
from vlag.config.catalogue import Catalogue
from vlag.pipeline.ingest import ingest_all
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
Answers = Mapping[tuple[str, str, str], Mapping[str, Any]]
Work = tuple[str, Sequence[bytes | None], dict[str, Any]]  # benchmark, outputs, keys of run.json


def few(samples: int) -> bytes:
    """Output of a run with so many samples a thread, too few for the high quantiles."""
    return latencies({"20": samples - 1, "30": 1})


def switch(factors: Sequence[float], **changes: Any) -> Work:
    return "stress-ng-switch", [bundles.stress_ng(f) for f in factors], changes


def cyclictest(outputs: Sequence[bytes], **changes: Any) -> Work:
    return "cyclictest-hackbench", outputs, changes


LATE = [bundles.cyclictest(s) for s in (0, 1, 0, 1, 0)]
LATER = [bundles.cyclictest(s) for s in (60, 61, 60, 61, 60)]
PANIC = {"outcome": "panic", "reason": "it fell over"}
TWO_MODES = [f * (1.3 if i % 3 == 0 else 1.0) for i in range(4) for f in SAME]

CASES: Mapping[str, tuple[Work, Work, str]] = {
    "complete": (switch(SAME), switch(SLOWER), "REGRESSION"),
    "a distribution": (cyclictest(LATE), cyclictest(LATER), "REGRESSION"),
    "equal": (switch(SAME), switch(SAME[::-1]), "UNCHANGED"),
    "too few boots": (switch(SAME[:2]), switch(SLOWER[:2]), "INCONCLUSIVE"),
    "two modes": (switch(TWO_MODES), switch([0.7 * f for f in TWO_MODES]), "REGRESSION"),
    "missing statistic": (cyclictest(LATE), cyclictest([*LATER[:4], few(10)]), "INCONCLUSIVE"),
    "another set-up": (
        switch(SAME),
        switch(SLOWER, board={**bundles.BOARD, "setup": bundles.sha("other")}),
        "NOT_COMPARABLE",
    ),
    "another tool": (
        switch(SAME),
        switch(SLOWER, userland={"sha256": bundles.sha("userland"),
                                 "packages": {**bundles.PACKAGES, "stress-ng": "0.19.02-1"}}),
        "NOT_COMPARABLE",
    ),
    "a value of 0": (cyclictest([latencies({"0": 20000})] * 5), cyclictest(LATE),
                     "REGRESSION"),
    "only values of 0": (cyclictest([latencies({"0": 20000})] * 3),
                         cyclictest([latencies({"0": 20001})] * 3), "UNCHANGED"),
    "alarms": (
        switch(SAME),
        switch(SLOWER, health=[{"kind": "warning", "line": 7, "text": "WARNING: x",
                                "phase": "benchmark"}]),
        "REGRESSION",
    ),
    "failed": (switch(SAME), ("stress-ng-switch", [None] * 3, PANIC), "INCONCLUSIVE"),
}  # fmt: skip


@pytest.fixture
def both(
    conn: Connection, catalogue: Catalogue, tmp_path: Path
) -> Callable[[Work, Work], tuple[Answers, Answers]]:
    """Return the answers to two sides on record, and to the same bundles as files."""

    def work(base: Work, new: Work) -> tuple[Answers, Answers]:
        found: dict[str, list[Path]] = {}
        for name, of, (benchmark, outputs, changes) in (("base", BASE, base), ("new", NEW, new)):
            built = bundles.build(tmp_path / name / "build", of)
            found[name] = [
                bundles.run(tmp_path / name / str(seed), of, catalogue, benchmark=benchmark,
                            raw=raw, seed=seed, **changes)
                for seed, raw in enumerate(outputs, 1)
            ]  # fmt: skip
            bundles.store(conn, catalogue, [built, *found[name]])
        stored = kernels.compare(
            conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
            base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
        )  # fmt: skip
        on_disk = files.compare(found["base"], found["new"], catalogue=catalogue)
        on_record = [
            {**row(v.columns(), v.parameters), "p_zero": v.p_zero,
             "boots_needed": v.boots_needed, "suspect": v.suspect}
            for v in stored.verdicts
        ]  # fmt: skip
        return answers(on_record), answers(on_disk["rows"])

    return work


def answers(rows: Sequence[Mapping[str, Any]]) -> Answers:
    return {
        (r["benchmark"], r["metric"], r["statistic"]): {
            k: v for k, v in r.items() if k != "instance"
        }
        for r in rows
    }


@pytest.mark.parametrize("case", CASES)
def test_two_roads_give_one_answer(
    case: str, both: Callable[[Work, Work], tuple[Answers, Answers]]
) -> None:
    base, new, word = CASES[case]
    on_record, on_disk = both(base, new)
    assert on_record == on_disk
    assert word in {a["verdict"] for a in on_record.values()}
    for a in on_record.values():
        if a["effect"] is not None and a["base"]:
            assert a["new"] / a["base"] - 1 == pytest.approx(a["effect"], abs=1e-9)


def test_one_boot_more_on_one_road_is_another_answer(
    both: Callable[[Work, Work], tuple[Answers, Answers]], conn: Connection, catalogue: Catalogue,
    tmp_path: Path,
) -> None:  # fmt: skip
    on_record, on_disk = both(switch(SAME), switch(SLOWER))
    assert on_record == on_disk
    more = bundles.run(tmp_path / "new" / "6", NEW, catalogue, benchmark="stress-ng-switch",
                       raw=bundles.stress_ng(0.7), seed=6)  # fmt: skip
    [result] = ingest_all([more], conn=conn, catalogue=catalogue)
    assert not isinstance(result, Exception)
    again = kernels.compare(
        conn=conn, catalogue=catalogue, board_type="qemu-sim-2",
        base=KernelRef(text="linux-6.1"), new=KernelRef(text="linux-6.12"),
    )  # fmt: skip
    assert {v.effect for v in again.verdicts}.isdisjoint(a["effect"] for a in on_disk.values())
