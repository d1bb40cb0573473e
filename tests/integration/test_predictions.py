"""A known regression is good news where its header predicts it, and its absence is bad."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.integration import bundles
from vlag.cli.main import main
from vlag.config.catalogue import Catalogue
from vlag.errors import ExitCode
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.pipeline.ingest import ingest_all
from vlag.store.database import Connection

SERIES = "known-regressions"
SAME = (1.0, 1.001, 0.999, 1.0005, 0.9995)
SLOWER = tuple(0.9 * f for f in SAME)
BETTER = tuple(1.1 * f for f in SAME)
PLAIN = bundles.kernel("6.12")

Compare = Callable[..., tuple[Result, dict[str, Any]]]


def patched(title: str, **changes: Any) -> dict[str, Any]:
    """Return 6.12 with the one patch of that title."""
    patches = series.read(PATCHES, SERIES)
    number = next(i for i, p in enumerate(patches, 1) if p.title == title)
    applied = [{"name": patches[number - 1].name, "sha256": patches[number - 1].sha256}]
    given = {"series": SERIES, "application": f"solo({number})", "patches": applied}
    return bundles.kernel("6.12", **{**given, **changes})


@pytest.fixture
def compare(
    conn: Connection,
    catalogue: Catalogue,
    dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Compare:
    """Store 6.12 and another kernel of its, compare them, return the answer."""
    monkeypatch.setenv("VLAG_DATABASE", dsn)

    def work(new: dict[str, Any], factors: tuple[float, ...], **knobs: str) -> Any:
        paths = bundles.side(tmp_path / "base", PLAIN, catalogue, factors=SAME)
        paths += bundles.side(tmp_path / "new", new, catalogue, factors=factors, knobs=knobs)
        for result in ingest_all(paths, conn=conn, catalogue=catalogue):
            assert not isinstance(result, Exception), result
        words = ["compare", PLAIN["digest"], new["digest"], "--exit-code", "--format", "text+json"]
        words += [f"--new-knob={k}={v}" for k, v in knobs.items()]
        done = CliRunner().invoke(main, words)
        return done, json.loads(done.stdout.splitlines()[-1])["prediction"]

    return work


def test_what_is_predicted_and_found_is_fine(compare: Compare) -> None:
    done, prediction = compare(patched("pick-path"), SLOWER)
    assert prediction["good"]
    assert prediction["found"] == [
        "stress-ng-switch bogo-ops-rate",
        "stress-ng-switch time-per-switch",
    ]
    assert done.exit_code == ExitCode.OK
    assert "as predicted: stress-ng-switch flagged" in done.stdout
    # A patch is called by its name too, not by its place in the series alone.
    assert "known-regressions solo(2) 02-pick-path" in " ".join(done.stdout.split())


def test_what_is_predicted_and_not_found_is_not(compare: Compare) -> None:
    done, prediction = compare(patched("pick-path"), SAME)
    assert prediction["missed"] == ["stress-ng-switch"]
    assert done.exit_code == ExitCode.REGRESSION
    assert "NOT as predicted: stress-ng-switch not flagged" in done.stdout


@pytest.mark.parametrize(
    ("title", "factors"),
    [("pick-path", BETTER), ("comment-only", SLOWER), ("wakeup-preemption", SLOWER)],
)
def test_what_is_flagged_otherwise_is_not(
    compare: Compare, title: str, factors: tuple[float, ...]
) -> None:
    done, prediction = compare(patched(title), factors)
    assert prediction["unexpected"]
    assert done.exit_code == ExitCode.REGRESSION


def test_without_its_knob_a_hidden_feature_does_nothing(compare: Compare) -> None:
    assert compare(patched("hidden-feature"), SAME)[1]["good"]


def test_with_its_knob_it_must_be_found(compare: Compare) -> None:
    feature = {"sched_features": "SLOW_SWITCH"}
    assert compare(patched("hidden-feature"), SLOWER, **feature)[1]["good"]


def test_with_its_knob_its_absence_is_told(compare: Compare) -> None:
    feature = {"sched_features": "SLOW_SWITCH"}
    assert not compare(patched("hidden-feature"), SAME, **feature)[1]["good"]


def test_a_patch_that_was_changed_since_predicts_nothing(compare: Compare) -> None:
    """Its header of then is not known: what is flagged is a regression as any other."""
    old = {"name": "02-pick-path.patch", "sha256": "0" * 64}
    done, prediction = compare(patched("pick-path", patches=[old]), SLOWER)
    assert prediction is None
    assert done.exit_code == ExitCode.REGRESSION
