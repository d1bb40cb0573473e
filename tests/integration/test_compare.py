# SPDX-License-Identifier: GPL-2.0-only
"""Which runs are compared, and what the answer says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration import bundles
from tests.integration.answers import stored, words
from vlag.compare import branch_histories
from vlag.compare.kernels import StoredComparison, compare
from vlag.compare.scope import scope
from vlag.compare.sides import side
from vlag.config.catalogue import Catalogue
from vlag.errors import UsageError
from vlag.pipeline.ingest import ingest_all
from vlag.report import text
from vlag.report.data.comparison import report
from vlag.store import comparisons, runs, shifts
from vlag.store.database import Connection
from vlag.store.kernels import KernelRef, resolve

BASE, NEW = bundles.kernel("6.1"), bundles.kernel("6.12")
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
LATER = (10, 10, 11, 10, 10)


@pytest.fixture
def answer(conn: Connection, catalogue: Catalogue) -> Callable[..., StoredComparison]:
    def work(base: str = "linux-6.1", new: str = "linux-6.12", **options: Any) -> StoredComparison:
        return compare(
            conn=conn,
            catalogue=catalogue,
            board_type="qemu-sim-2",
            base=KernelRef(text=base, knobs=options.pop("base_knobs", {})),
            new=KernelRef(text=new, knobs=options.pop("new_knobs", {})),
            **options,
        )

    return work


def test_slower_kernel_is_a_regression_in_each_direction(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME, shifts=(0, 0, 1, 0, 0))
    fill(NEW, factors=SLOWER, shifts=LATER)
    c = answer()
    assert words(c) == {
        "latency p50": "REGRESSION",
        "latency p90": "REGRESSION",
        "latency p99": "REGRESSION",
        "latency max": "REGRESSION",
        "bogo-ops-rate median": "REGRESSION",
    }
    rate = next(v for v in c.verdicts if v.metric == "bogo-ops-rate")
    assert rate.base_value == pytest.approx(443124.79, rel=1e-3)
    assert rate.effect == pytest.approx(-0.1, rel=1e-3)
    assert (rate.n_base, rate.n_new, rate.hint) == (5, 5, False)
    latency = c.verdicts[0]
    assert latency.hint
    assert (latency.base_achieved, latency.base_expected) == (5000, 5000)
    assert c.regressions == 1
    row = stored(conn, c)
    assert sorted(row.factors) == ["kernel"]
    assert list(comparisons.verdicts(conn, c.id)) == list(c.verdicts)


def test_same_numbers_are_unchanged(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    assert set(words(answer()).values()) == {"UNCHANGED"}


def test_equal_inputs_are_stored_once(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SLOWER)
    first, again = answer(), answer()
    assert (first.id, first.new, again.id, again.new) == (first.id, True, first.id, False)
    assert again.verdicts == first.verdicts
    fill(NEW, factors=(*SLOWER, 0.9))  # the five again, and one more
    assert answer().id != first.id


def test_too_few_seeds_are_inconclusive(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME[:1])
    fill(NEW, factors=SLOWER[:1])
    c = answer()
    assert set(words(c).values()) == {"INCONCLUSIVE"}


def test_repeat_of_a_deterministic_run_is_no_second_observation(
    conn: Connection,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SLOWER)
    fill(NEW, factors=SLOWER, finished_at="2026-03-02T10:05:00Z")
    c = answer()
    assert {v.n_new for v in c.verdicts} == {5}
    assert stored(conn, c).notes == []


def test_repeat_that_disagrees_is_told(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SAME)
    fill(NEW, factors=SLOWER, finished_at="2026-03-02T10:05:00Z")
    c = answer()
    assert {v.n_new for v in c.verdicts} == {5}
    assert "should be equal to the last digit" in stored(conn, c).notes[0]


def test_repeat_that_measured_more_counts(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    """As where the catalogue had no such metric when the first runs were read."""
    fill(BASE, factors=SAME)
    fill(NEW, factors=SLOWER)
    conn.execute(
        "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE kernel = %s)",
        (resolve(conn, KernelRef(text="linux-6.12", knobs={})).id,),
    )
    assert set(words(answer()).values()) == {"INCONCLUSIVE"}
    fill(NEW, factors=SLOWER, finished_at="2026-03-02T10:05:00Z")
    c = answer()
    assert {v.n_new for v in c.verdicts} == {5}
    assert "REGRESSION" in words(c).values()
    assert stored(conn, c).notes == []


def test_documents_are_not_read_where_their_conditions_are_kept(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(BASE, factors=SAME)
    board = catalogue.board_type("qemu-sim-2")
    all_of_it = scope(
        catalogue=catalogue, board=board, plan=None, stage=None, benchmarks=None, round_=None
    )

    def groups() -> list[tuple[Any, list[int]]]:
        kernel = resolve(conn, KernelRef(text="linux-6.1", knobs={}))
        of = side(conn, name="base", kernel=kernel, knobs={}, board=board, synthetic=False,
                  scope=all_of_it)  # fmt: skip
        some = of.complete[0]
        [metric, *_] = [m for run, m in of.figures if run == some.id]
        found = of.measured(some.benchmark, some.parameters, metric)
        return [(g.conditions, [r.id for r in g.runs]) for g in found]

    def read(_of: object) -> None:
        raise AssertionError("a document is read")

    read_once = groups()
    monkeypatch.setattr(runs.Written, "_of", property(read))
    with pytest.raises(AssertionError, match="is read"):
        groups()
    monkeypatch.undo()
    branch_histories.keep_conditions(conn, [id_ for _of, ids in read_once for id_ in ids])
    monkeypatch.setattr(runs.Written, "_of", property(read))
    assert groups() == read_once


def test_suspect_run_is_left_out_and_told(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SLOWER)
    c = answer()
    runs.mark_suspect(conn, c.verdicts[0].new_runs[0], "somebody tripped over the cable")
    c = answer()
    assert {v.n_new for v in c.verdicts} == {4}
    assert "cable" in stored(conn, c).notes[0]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (
            {
                "userland": {
                    "sha256": bundles.sha("userland"),
                    "packages": {**bundles.PACKAGES, "stress-ng": "0.19.02-1"},
                }
            },
            "tool version 0.15.06+ against 0.17.02+",
        ),
        (
            {
                "board": {
                    **bundles.BOARD,
                    "emulator": {**bundles.EMULATOR, "version": "8.2.1", "sha256": "f" * 64},
                }
            },
            "emulator qemu-system-x86_64 10.0.2",
        ),
        ({"board": {**bundles.BOARD, "setup": "e" * 64}}, "setup "),
    ],
)
def test_what_differs_beside_the_kernel_is_not_comparable(
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    changes: dict[str, Any],
    named: str,
) -> None:
    fill(BASE, factors=SAME)
    fill(NEW, factors=SLOWER, **changes)
    c = answer()
    assert set(words(c).values()) == {"NOT_COMPARABLE"}
    assert all(named in v.reason for v in c.verdicts)
    assert all(v.effect is None and v.base_value is not None for v in c.verdicts)
    # The base run again with the same tool makes it comparable; the old runs are told.
    fill(BASE, factors=SAME, run_key="0" * 64, **changes)
    again = answer()
    assert set(words(again).values()) != {"NOT_COMPARABLE"}


def test_knobs_are_a_factor(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    knobs = {"sched_features": "NO_DELAY_DEQUEUE"}
    fill(NEW, factors=SAME)
    fill(NEW, factors=SLOWER, knobs=knobs)
    c = answer("linux-6.12", "linux-6.12", new_knobs=knobs)
    assert stored(conn, c).factors == {"knobs": {"base": {}, "new": knobs}}
    assert set(words(c).values()) == {"REGRESSION"}
    with pytest.raises(UsageError, match="same kernel"):
        answer("linux-6.12", "linux-6.12")


def test_variant_application_and_seeds_are_factors(
    conn: Connection, fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    other = bundles.kernel("6.1", variant="rt", series="eevdf", application="solo(2)")
    fill(BASE, factors=SAME)
    fill(other, factors=SLOWER[:3])
    c = answer(BASE["digest"][:12], other["digest"][:12])
    factors = stored(conn, c).factors
    assert sorted(factors) == ["application", "seeds", "series", "variant"]
    assert factors["seeds"]["new"] == {"stress-ng-switch": [1, 2, 3]}


def test_failures_are_listed_and_never_raised(
    conn: Connection,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    catalogue: Catalogue,
    tmp_path: Path,
) -> None:
    broken = bundles.kernel("6.13")
    fill(BASE, factors=SAME)
    paths = [
        bundles.build(tmp_path / "bad", broken, outcome="build_failed", reason="fair.c: error")
    ]
    list(ingest_all(paths, conn=conn, catalogue=catalogue))
    c = answer(new="linux-6.13")
    assert set(words(c).values()) == {"INCONCLUSIVE"}
    assert c.verdicts[0].reason == "the new has no complete run (failed: build_failed)"
    assert len(stored(conn, c).failed_builds) == 1

    fill(NEW)
    path = bundles.run(tmp_path / "p", NEW, catalogue, outcome="panic", reason="Oops: 0000")
    list(ingest_all([path], conn=conn, catalogue=catalogue))
    c = answer()
    assert c.verdicts[0].reason == "the new has no complete run (failed: panic)"
    assert len(stored(conn, c).failed_runs) == 1


def test_nothing_on_either_side_is_inconclusive(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    fill(BASE)
    fill(NEW)
    c = answer()
    assert c.verdicts
    assert set(words(c).values()) == {"INCONCLUSIVE"}
    assert c.verdicts[0].reason == "the base has no complete run; the new has no complete run"


def test_how_a_kernel_is_named(conn: Connection, fill: Callable[..., None]) -> None:
    other = bundles.kernel("6.1", variant="rt")
    fill(BASE)
    for name in (BASE["digest"], BASE["digest"][:9], BASE["commit"][:7], "debian/6.1.170-1"):
        assert resolve(conn, KernelRef(text=name)).digest == BASE["digest"]
    fill(other)
    with pytest.raises(UsageError, match=r"may mean .*default.*rt|may mean .*rt.*default"):
        resolve(conn, KernelRef(text="linux-6.1"))
    assert resolve(conn, KernelRef(text="linux-6.1", variant="rt")).digest == other["digest"]
    with pytest.raises(UsageError, match=r"no kernel 'linux-7\.0'.*there are: .*linux-6\.1"):
        resolve(conn, KernelRef(text="linux-7.0"))


def test_where_a_distribution_moved_is_said(
    conn: Connection,
    catalogue: Catalogue,
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    tmp_path: Path,
) -> None:
    fill(BASE, shifts=(0, 0, 1, 0, 0))
    fill(NEW, shifts=LATER)
    [moved] = shifts.of(conn, answer().id)
    assert (moved.benchmark, moved.metric) == ("cyclictest-hackbench", "latency")
    assert moved.suspect
    assert moved.worse
    assert not moved.better
    assert {"p50", "p99", "max"} <= {q["name"] for q in moved.quantiles if q["moved"]}
    said = text.render(report(conn, catalogue, answer().id, tmp_path))
    assert "Shifts of distributions" in said
    assert moved.headline in " ".join(said.split())
    # Negative control: the same distribution.
    fill(bundles.kernel("6.13"), shifts=(0, 1, 0, 0, 0))
    [same] = shifts.of(conn, answer(new="linux-6.13").id)
    assert not same.suspect
    assert same.headline.startswith("no quantile moved")


LATER_RUNS = {"finished_at": "2026-04-01T10:05:00Z"}


def verdicts_after(
    earlier: Sequence[Sequence[float]],
    fill: Callable[..., None],
    answer: Callable[..., StoredComparison],
    boots: int = 5,
) -> tuple[set[str], str, set[bool]]:
    """Compare a slower kernel after the runs of earlier kernels; they run at other times."""
    for i, factors in enumerate(earlier):
        fill(bundles.kernel(f"6.{i + 2}"), factors=factors)
    fill(BASE, factors=SAME[:boots], **LATER_RUNS)
    fill(NEW, factors=SLOWER[:boots], **LATER_RUNS)
    found = [v for v in answer().verdicts if v.metric == "bogo-ops-rate"]
    return {v.verdict for v in found}, found[0].reason, {v.suspect for v in found}


def test_a_history_of_two_modes_guards_the_first_round(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    two = [(1.0, 0.9, 1.001, 0.999, 0.901), (0.899, 1.002, 1.0, 0.9, 0.998)]
    words_, reason, suspects = verdicts_after(two, fill, answer)
    assert words_ == {"INCONCLUSIVE"}
    assert "too few for a metric of two modes" in reason
    assert suspects == {True}


def test_a_step_between_earlier_kernels_is_no_second_mode(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    step = [SAME, SLOWER]
    assert verdicts_after(step, fill, answer)[0] == {"REGRESSION"}


def test_three_boots_flag_a_change_only_where_the_history_has_one_mode(
    fill: Callable[..., None], answer: Callable[..., StoredComparison]
) -> None:
    words_, reason, suspects = verdicts_after([], fill, answer, boots=3)
    assert (words_, suspects) == ({"INCONCLUSIVE"}, {True})
    assert "a metric that may have two modes" in reason
    # The same boots, compared again with a history.
    assert verdicts_after([SAME] * 4, fill, answer, boots=3)[0] == {"REGRESSION"}
