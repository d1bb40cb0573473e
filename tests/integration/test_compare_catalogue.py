# SPDX-License-Identifier: GPL-2.0-only
"""What the catalogue says of a benchmark decides what may be compared, and what it proves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.integration import bundles
from tests.integration.answers import words
from vlag.compare.kernels import StoredComparison, compare
from vlag.config.catalogue import Catalogue
from vlag.model import RELEVANT_SHARE, Direction, Metric, Versions
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
SWITCH = "stress-ng-switch"
OLD = Versions(first="0.15.06", last="0.15.10", why="a write is 512 bytes")
MIDDLE = Versions(first="0.16.00", last="0.17.01", why="a write is 4096 bytes")


def changed(catalogue: Catalogue, metric: dict[str, Any], **benchmark: Any) -> Catalogue:
    """Return the catalogue with one benchmark, and all of its metrics, declared otherwise."""
    entry = catalogue.benchmark(SWITCH)
    metrics = tuple(evolve(m, **metric) for m in entry.metrics)
    entry = evolve(entry, metrics=metrics, **benchmark)
    return evolve(catalogue, benchmarks={**catalogue.benchmarks, SWITCH: entry})


@pytest.fixture
def answer(conn: Connection, tmp_path: Path) -> Callable[..., StoredComparison]:
    """Enter a side with each version of stress-ng, the new one slower, and compare."""

    def work(catalogue: Catalogue, base: str = "0.15.06", new: str = "0.15.06") -> StoredComparison:
        for of, factors, version in ((BASE, SAME, base), (NEW, SLOWER, new)):
            packages = {**bundles.PACKAGES, "stress-ng": f"{version}-1"}
            userland = {"sha256": bundles.sha("userland"), "packages": packages}
            paths = bundles.side(tmp_path, of, catalogue, factors=factors, userland=userland)
            bundles.store(conn, catalogue, paths)
        return compare(
            conn=conn,
            catalogue=catalogue,
            board_type="qemu-sim-2",
            base=KernelRef(text="linux-6.1", knobs={}),
            new=KernelRef(text="linux-6.12", knobs={}),
            benchmarks={SWITCH},
        )

    return work


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        ("0.15.06", "0.15.08", "REGRESSION"),
        ("0.15.06", "0.16.04", "NOT_COMPARABLE"),
        # Beyond what the catalogue knows each version is a series of its own.
        ("0.16.04", "0.23.01", "NOT_COMPARABLE"),
        ("0.23.01", "0.23.02", "NOT_COMPARABLE"),
        ("0.23.01", "0.23.01", "REGRESSION"),
    ],
)
def test_versions_are_compared_within_one_range_only(
    catalogue: Catalogue,
    answer: Callable[..., StoredComparison],
    base: str,
    new: str,
    verdict: str,
) -> None:
    c = answer(changed(catalogue, {"versions": (OLD, MIDDLE)}), base, new)
    assert set(words(c).values()) == {verdict}


def test_a_refusal_says_what_sets_the_versions_apart(
    catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    c = answer(changed(catalogue, {"versions": (OLD, MIDDLE)}), "0.15.07", "0.16.00")
    for v in c.verdicts:
        assert "tool version 0.15.06+ against 0.16.00+" in v.reason
        assert "0.15.06+: a write is 512 bytes; 0.16.00+: a write is 4096 bytes" in v.reason
        assert v.effect is None


def test_the_very_version_is_on_record(
    conn: Connection, catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    answer(changed(catalogue, {"versions": (OLD,)}), "0.15.06", "0.15.08")
    found = conn.execute("SELECT DISTINCT tool_version FROM run ORDER BY 1").fetchall()
    assert found == [("0.15.06",), ("0.15.08",)]
    assert conn.execute("SELECT DISTINCT tool_version FROM series").fetchall() == [("0.15.06+",)]


def test_what_no_capture_proves_is_a_hint(
    catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    c = answer(changed(catalogue, {}, unproven="nobody has seen its output"))
    assert set(words(c).values()) == {"REGRESSION"}
    assert (c.regressions, c.hints) == (0, len(c.verdicts))


def test_what_is_only_shown_has_no_verdict(
    catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    rate = "bogo-ops-rate"
    entry = catalogue.benchmark(SWITCH)
    metrics = tuple(evolve(m, compared=m.name == rate) for m in entry.metrics)
    known = {**catalogue.benchmarks, SWITCH: evolve(entry, metrics=metrics)}
    c = answer(evolve(catalogue, benchmarks=known))
    assert len(entry.metrics) > 1
    assert {v.metric for v in c.verdicts} == {rate}


def test_a_deterministic_board_has_a_relevance_of_its_own(
    catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    c = answer(changed(catalogue, {"relevance": 0.01, "relevance_deterministic": 0.5}))
    assert set(words(c).values()) == {"UNCHANGED"}


def test_the_share_of_a_new_mode_that_matters_is_an_input_where_it_is_declared(
    catalogue: Catalogue, answer: Callable[..., StoredComparison]
) -> None:
    first = answer(catalogue).id
    assert answer(changed(catalogue, {"relevant_share": 0.1})).id != first
    # Negative control: the usual share, written down, asks the same.
    assert answer(changed(catalogue, {"relevant_share": RELEVANT_SHARE})).id == first


def test_versions_are_ordered_by_their_numbers() -> None:
    metric = evolve(_metric(), versions=(Versions(first="0.9", last="0.15.2", why="w"),))
    held = {v: metric.series_version(v) for v in ("0.8.9", "0.9", "0.10", "0.15.2", "0.15.10")}
    assert held == {
        "0.8.9": "0.8.9", "0.9": "0.9+", "0.10": "0.9+", "0.15.2": "0.9+", "0.15.10": "0.15.10",
    }  # fmt: skip


def _metric() -> Metric:
    return Metric(name="m", unit="s", direction=Direction.LOWER, relevance=0.05, resolution=0.01)
