# SPDX-License-Identifier: GPL-2.0-only
"""What is measured of a watched branch, with and without a series."""

from pathlib import Path

import pytest

from vlag.config import Branch
from vlag.errors import UsageError
from vlag.kernel import series
from vlag.kernel.series import PATCHES
from vlag.pipeline.candidates import Candidate, candidates

DIFF = "--- a/text\n+++ b/text\n@@ -1 +1 @@\n-one\n+two\n"
HEADERS = {
    "01-all.patch": "Subject: for all\n\n",
    "02-new.patch": "Subject: for new ones\n\nVlag-Applies-To: linux-6.1[0-9] next\n\n",
    "pick-path.patch": "Subject: x\n\nVlag-Knobs: sched_features=X,Y preempt=full\n\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "odd").mkdir()
    for name, header in HEADERS.items():
        (tmp_path / "odd" / name).write_text(header + DIFF)
    (tmp_path / "odd" / "series").write_text("".join(f"{n}\n" for n in HEADERS))
    return tmp_path


def branch(*applications: str, series: str | None = "odd") -> Branch:
    return Branch(
        tree="debian", branch="linux-6.*", baseline="v6.1", board_types=("qemu-sim-2",),
        plan="nightly", commit_plan="commit", series=series, applications=applications,
    )  # fmt: skip


def labels(root: Path, name: str, *applications: str) -> list[tuple[str, str]]:
    return [(c.application, c.label) for c in candidates(branch(*applications), name, root)]


def test_without_a_series_it_is_the_branch(root: Path) -> None:
    assert candidates(branch(series=None), "linux-6.12", root) == [
        Candidate(series=None, application="none", label="linux-6.12")
    ]


def test_each_patch_that_applies_alone(root: Path) -> None:
    new = [("solo(1)", "linux-6.12 + all"), ("solo(2)", "linux-6.12 + new")]
    knobs = " (sched_features=X,Y preempt=full)"
    last = ("solo(3)", "linux-6.12 + pick-path")
    assert labels(root, "linux-6.12", "each") == [*new, last, (last[0], last[1] + knobs)]
    assert [a for a, _ in labels(root, "linux-6.6", "each")] == ["solo(1)", "solo(3)", "solo(3)"]
    found = candidates(branch("each"), "linux-6.12", root)
    assert [dict(c.knobs) for c in found] == [
        {}, {}, {}, {"sched_features": "X,Y", "preempt": "full"},
    ]  # fmt: skip
    assert {c.series for c in found} == {"odd"}


def test_more_than_one_application_each_once(root: Path) -> None:
    assert labels(root, "linux-6.6", "none", "full", "prefix(2)", "without(3)", "solo(3)") == [
        ("none", "linux-6.6"),
        ("full", "linux-6.6 + odd"),
        ("prefix(2)", "linux-6.6 + odd prefix(2)"),
        ("without(3)", "linux-6.6 + odd without(3)"),
        ("solo(3)", "linux-6.6 + pick-path"),
        ("solo(3)", "linux-6.6 + pick-path (sched_features=X,Y preempt=full)"),
    ]
    assert len(labels(root, "linux-6.6", "each", "solo(1)", "each")) == 3
    # Who asks for a patch by its number gets it, wherever it says that it applies.
    assert labels(root, "linux-6.6", "solo(2)") == [("solo(2)", "linux-6.6 + new")]
    assert candidates(branch("none"), "linux-6.6", root)[0].series is None


def test_no_patch_applies(root: Path) -> None:
    (root / "odd" / "series").write_text("02-new.patch\n")
    assert labels(root, "linux-6.6", "each") == []


@pytest.mark.parametrize(
    ("series", "application", "sentence"),
    [
        ("odd", "solo(4)", r"odd: solo\(4\): the series has 3 patches"),
        ("none", "full", "no series 'none'"),
    ],
)
def test_a_mistake_is_said(root: Path, series: str, application: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        candidates(branch(application, series=series), "linux-6.6", root)


def test_the_shipped_series_applies_somewhere() -> None:
    """Every patch on record is read, says what it predicts, and is measured of 6.12."""
    found = candidates(branch("each", series="known-regressions"), "linux-6.12")
    patches = series.read(PATCHES, "known-regressions")
    assert {c.application for c in found} == {f"solo({i + 1})" for i in range(len(patches))}
    assert all(p.trailers.predicts is not None for p in patches)
