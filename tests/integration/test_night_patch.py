# SPDX-License-Identifier: GPL-2.0-only
"""A patch that has stopped to apply is a finding of a night, with its place; the night goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from buildbot.process.results import EXCEPTION, FAILURE, SUCCESS, WARNINGS

from master.comparison_steps import comparison_steps
from master.steps import Compare
from master.triggers import Child, grade
from tests.integration import bundles
from vlag.compare.kernels import compare
from vlag.config.catalogue import Catalogue
from vlag.report import short
from vlag.report.data.comparison import night
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, PLAIN = bundles.kernel("6.1"), bundles.kernel("6.12")
PATCHED = bundles.kernel(
    "6.12", series="mine", application="full",
    patches=[{"name": "2-late.patch", "sha256": "a" * 64}],
)  # fmt: skip
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
REASON = "2-late.patch does not apply: kernel/sched/fair.c:5681"


@pytest.fixture
def printed(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Callable[..., str]:
    """Enter a night of a plain and a patched kernel; return its short report."""

    def work(**of_patched: object) -> str:
        paths = bundles.side(tmp_path, BASE, catalogue, factors=SAME)
        paths += bundles.side(tmp_path, PLAIN, catalogue, factors=SAME)
        if of_patched:
            paths.append(bundles.build(tmp_path / "bad", PATCHED, **of_patched))
        else:
            paths += bundles.side(tmp_path, PATCHED, catalogue, factors=SAME)
        bundles.store(conn, catalogue, paths)
        ids = [
            compare(
                conn=conn, catalogue=catalogue, base=KernelRef(text=BASE["digest"]),
                new=KernelRef(text=k["digest"]), board_type="qemu-sim-2",
            ).id
            for k in (PLAIN, PATCHED)
        ]  # fmt: skip
        return short.render(night(conn, catalogue, ids, tmp_path), None)

    return work


def failures(said: str) -> str:
    """Return the part of a report on what failed, in one line."""
    return " ".join(said.partition("\nFailures\n")[2].partition("\n\n")[0].split())


def test_the_patch_and_its_place_are_in_the_report_of_the_night(
    printed: Callable[..., str],
) -> None:
    said = printed(outcome="patch_failed", reason=REASON)
    assert said.startswith("FAILED: 1 of 2 comparisons\n")
    assert failures(said) == (
        f"#2 new: build: patch_failed: {REASON} vlag series check mine --branch debian/linux-6.12"
    )
    # The other kernel is compared as ever.
    assert "no change in #1" in said


def test_a_compiler_s_error_is_no_patch_that_does_not_apply(printed: Callable[..., str]) -> None:
    said = printed(outcome="build_failed", reason="kernel/sched/fair.c:1: error")
    assert failures(said) == "#2 new: build: build_failed: kernel/sched/fair.c:1: error"


def test_a_patch_that_applies_is_no_finding(printed: Callable[..., str]) -> None:
    """Negative control."""
    said = printed()
    assert not said.startswith("FAILED")
    assert failures(said) == ""


def test_the_build_is_a_warning_of_the_night_and_its_comparison_is_made() -> None:
    asked = {"key": "", "compared_with": [], "kernel_name": "x", "plan": "commit", "knobs": {},
             "board_types": ["qemu-sim-2"]}  # fmt: skip
    base = Child(request={**asked, "key": "b"}, results=SUCCESS,
                 properties={"kernel": "b", "outcome": "complete"})  # fmt: skip
    failed = Child(request={**asked, "key": "n", "compared_with": ["b"]}, results=FAILURE,
                   properties={"kernel": "n", "outcome": "patch_failed"})  # fmt: skip
    assert grade(FAILURE, [base, failed]) == WARNINGS
    (step,) = comparison_steps([base, failed])
    assert isinstance(step, Compare)
    # Negative control: a machine that failed, whose kernel nobody knows.
    lost = Child(request=failed.request, results=EXCEPTION, properties={})
    assert grade(FAILURE, [base, lost]) == FAILURE
    (step,) = comparison_steps([base, lost])
    assert not isinstance(step, Compare)
