# SPDX-License-Identifier: GPL-2.0-only
"""The one reading of the held-out part of the real noise; see `bench.holdout`.

Each reading appends to the page, so that everybody sees how often the part was looked at.
"""

from __future__ import annotations

import datetime
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from bench import changepoints, holdout, peers
from bench.evidence import revision
from vlag import ROOT

PAGE = ROOT / "docs" / "evidence" / "heldout.md"
# Of the bootstrap.
DRAWS = 10_000
HEAD = """\
# Readings of the held-out data

`python -m bench heldout` reads the part of the real noise that a hash keeps aside
(`bench/holdout.py`): a third of the series and of the benchmarks. No tuning, no test and
no other page reads it. Each reading appends here. A change that was made because of a
reading makes the next one less independent.

Until 2026-11-22 there was no such part: older constants were chosen with all series
in view.

Until 2026-11-27 00:11 a reading put two steps of each size into each window, since then ten:
with two, the shares moved by 0.01 with the places drawn.
"""


def series() -> list[str]:
    """Return the figures of change points on held-out series."""
    folder = holdout.folder()
    assert folder is not None
    part = holdout.nightly(folder, held_out=True)
    given = changepoints.of_part(part)
    ours = changepoints.score(changepoints.ours, given)
    one_step = changepoints.score(changepoints.oracle, given)
    return [
        f"- series: {len(given.windows)} windows of {len(np.unique(part['series']))} series, "
        f"{changepoints.REPEATS} steps of each size in each; figures with 95 % intervals",
        f"- F1 {f1(ours, part['series'])}; told that there is one step: "
        f"{f1(one_step, part['series'])}",
        f"- precision {ours.precision:.3f}, recall {ours.recall:.3f}; false alarms "
        f"{ours.alarms:.2f} on 1000 points",
        f"- steps found: {by_size(ours, part['series'])}",
        f"- told that there is one step: {by_size(one_step, part['series'])}",
    ]


def f1(score: changepoints.Score, series: npt.NDArray[Any]) -> str:
    """Return F1 over all sizes; `series` has each window's."""
    hits, claims = (
        np.sum([counts[size].sum(axis=1) for size in changepoints.SIZES], axis=0)
        for counts in (score.hits, score.claims)
    )
    steps = np.full(len(hits), len(changepoints.SIZES) * changepoints.REPEATS)
    return ratio(2 * hits, steps + claims, series)


def by_size(score: changepoints.Score, series: npt.NDArray[Any]) -> str:
    """Return the share found of the steps of each size; `series` has each window's."""
    return ", ".join(
        f"{size:.0%} {ratio(hit.sum(axis=1), np.full(len(hit), hit.shape[1]), series)}"
        for size, hit in score.hits.items()
    )


def ratio(
    above: npt.NDArray[np.int64], below: npt.NDArray[np.int64], series: npt.NDArray[Any]
) -> str:
    """Return the quotient of two sums over windows, with its interval."""
    low, high = interval(above, below, series)
    return f"{above.sum() / below.sum():.3f} [{low:.3f}, {high:.3f}]"


def interval(
    above: npt.NDArray[np.int64], below: npt.NDArray[np.int64], series: npt.NDArray[Any]
) -> tuple[float, float]:
    """Return the 95 % interval of the quotient of two sums over windows, from series drawn again.

    The windows of a series are drawn together: what is hard in one is hard in the other.
    """
    _, which = np.unique(series, return_inverse=True)
    drawn = stats.bootstrap(
        [np.bincount(which, sums) for sums in (above, below)],
        lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
        paired=True, method="percentile", n_resamples=DRAWS, rng=np.random.default_rng(8),
    ).confidence_interval  # fmt: skip
    return float(drawn.low), float(drawn.high)


def pairs() -> list[str]:
    """Return the false alarms of comparisons between runs of one held-out build."""
    folder = holdout.folder()
    assert folder is not None
    values = np.asarray(holdout.same_build(folder, held_out=True)["p50"], dtype=float)
    reported, again = peers.ours_two_stage(*peers.same_build_pairs(values))
    return [
        f"- same-build pairs: {len(values)} benchmarks, {len(again)} splits of 5 and 5 runs; "
        f"{1000 * again.mean():.1f} of 1000 run again, {int(reported.sum())} told"
        " after confirmation"
    ]


def main() -> None:
    """Read the held-out part, and append the figures."""
    if holdout.folder() is None:
        sys.exit(f"heldout: {holdout.DATA} is not set; name the folder with the real noise in it")
    record = [
        f"## {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC, {revision()}",
        "",
        *series(),
        *pairs(),
        "",
    ]
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else HEAD
    PAGE.write_text(before + "\n" + "\n".join(record), encoding="utf-8")
    print(f"appended to {PAGE.relative_to(ROOT)}")
