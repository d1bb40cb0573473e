# SPDX-License-Identifier: GPL-2.0-only
"""The held-out part of the real noise: apart, and read on record only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from bench import changepoints, heldout, holdout
from vlag import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of the form of the real ones."""
    random = np.random.default_rng(1)
    series = np.repeat(np.arange(20), 2)
    noise = np.exp(random.normal(0, 0.01, (40, 120)))
    np.savez(tmp_path / "nightly-noise.npz", y=noise, cv=np.full(40, 0.01), series=series)
    runs = np.exp(random.normal(0, 0.01, (12, 10)))
    np.savez(tmp_path / "same-build-runs.npz", p50=runs, samples=np.repeat(runs[..., None], 5, 2))
    monkeypatch.setenv(holdout.DATA, str(tmp_path))
    return tmp_path


def test_each_series_is_in_one_part(folder: Path) -> None:
    open_, kept = (holdout.nightly(folder, held_out=held) for held in (False, True))
    assert len(open_["y"]) + len(kept["y"]) == 40
    assert set(open_["series"]) & set(kept["series"]) == set()
    assert 0 < len(set(kept["series"])) < len(set(open_["series"]))
    builds = [holdout.same_build(folder, held_out=held)["p50"] for held in (False, True)]
    assert sum(map(len, builds)) == 12
    assert not {row.tobytes() for row in builds[0]} & {row.tobytes() for row in builds[1]}


def test_the_split_depends_on_the_key_alone(folder: Path) -> None:
    before = holdout.same_build(folder, held_out=True)["p50"]
    with np.load(folder / "same-build-runs.npz") as file:
        runs, samples = file["p50"][::-1], file["samples"][::-1]
    np.savez(folder / "same-build-runs.npz", p50=runs, samples=samples)
    assert np.array_equal(holdout.same_build(folder, held_out=True)["p50"], before[::-1])


def test_a_bench_reads_the_development_part(folder: Path) -> None:
    given, said = changepoints.noise()
    assert np.array_equal(given.windows, holdout.nightly(folder)["y"])
    assert "development part" in said


def test_only_one_bench_asks_for_the_held_out_part() -> None:
    asks = set()
    for path in [*ROOT.glob("bench/*.py"), *ROOT.glob("vlag/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "held_out":
                asks.add(path.name)
            # And nothing opens the files behind the back of the split.
            if isinstance(node, ast.Constant) and node.value in {
                "nightly-noise.npz",
                "same-build-runs.npz",
            }:
                assert path.name == "holdout.py", path
    assert asks == {"heldout.py"}


def test_each_reading_is_recorded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "docs" / "evidence" / "heldout.md"
    page.parent.mkdir(parents=True)
    monkeypatch.setattr(heldout, "PAGE", page)
    monkeypatch.setattr(heldout, "ROOT", tmp_path)
    with np.load(folder / "nightly-noise.npz") as file:
        few = {key: values[-24:] for key, values in file.items()}
    np.savez(folder / "nightly-noise.npz", **few)
    heldout.main()
    first = page.read_text(encoding="utf-8")
    heldout.main()
    second = page.read_text(encoding="utf-8")
    assert second.startswith(first)
    assert (
        len(
            re.findall(r"^## 20\d\d-\d\d-\d\d \d\d:\d\d UTC, (?:none; )?[0-9a-f]{12}", second, re.M)
        )
        == 2
    )
    assert second.count("- series: ") == 2
    assert re.search(r"steps found.* 10% 1\.000 \[1\.000, 1\.000\]", second)
    monkeypatch.delenv(holdout.DATA)
    with pytest.raises(SystemExit, match="VLAG_NOISE_DATA is not set"):
        heldout.main()
    assert page.read_text(encoding="utf-8") == second


def test_the_windows_of_a_series_are_no_independent_ones() -> None:
    random = np.random.default_rng(1)
    found = (random.random(200) < 0.9).astype(np.int64)
    ones = np.ones_like(found)
    low, high = heldout.interval(found, ones, np.arange(200))
    wide = 1.96 * float(np.std(found)) / np.sqrt(200)
    assert (found.mean() - low, high - found.mean()) == pytest.approx((wide, wide), rel=0.15)
    # Four windows each of 50 series that are found or not as one: as much as 50 windows tell.
    low, high = heldout.interval(np.repeat(found[:50], 4), ones, np.repeat(np.arange(50), 4))
    assert high - low > 1.6 * 2 * wide


def test_f1_is_that_of_precision_and_recall() -> None:
    random = np.random.default_rng(2)
    shape = 30, changepoints.REPEATS
    hits = {size: random.random(shape) < 0.8 for size in changepoints.SIZES}
    claims = {size: hit + random.integers(0, 2, shape) for size, hit in hits.items()}
    score = changepoints.Score(alarms=0.0, hits=hits, claims=claims)
    assert heldout.f1(score, np.arange(30)).startswith(f"{score.f1:.3f} [")
