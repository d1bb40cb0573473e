# SPDX-License-Identifier: GPL-2.0-only
"""Changes of the scheduler by design: the file, and the comparisons that show them."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from vlag.config import catalogue
from vlag.config.known_changes import KnownChange, read, release
from vlag.errors import UsageError
from vlag.model import Benchmark
from vlag.report import context
from vlag.report.layout import WIDTH

EEVDF = KnownChange(between=("6.5", "6.6"), text="EEVDF replaces CFS")
CHANGE = '[[changes]]\nbetween = ["6.5", "6.6"]\ntext = "EEVDF replaces CFS"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6.6.45", (6, 6)),
        ("6.12.117-rc1", (6, 12)),
        ("6.6.0-rc1-vlag", (6, 6)),
        ("v6.13-rc1", (6, 13)),
        ("6.1.0-21-amd64", (6, 1)),
        ("7.0", (7, 0)),
        ("6.6+", (6, 6)),
        ("next-20261123", None),
        ("6", None),
        ("6.x", None),
        ("", None),
        (None, None),
    ],
)
def test_a_release_is_its_first_two_numbers(
    text: str | None, expected: tuple[int, int] | None
) -> None:
    assert release(text) == expected


@pytest.mark.parametrize(
    ("base", "new", "side"),
    [
        ("6.1.192", "6.12.117", "new"),
        ("6.5.13", "6.6.0-rc1", "new"),
        ("6.12.117", "6.1.192", "base"),
        ("6.6.1", "6.12.117", None),  # both have it
        ("6.1.1", "6.5.0", None),  # none has it
        ("6.1.192", "next-20261123", None),
        (None, "6.12.1", None),
        ("6.9.1", "6.10.1", None),
    ],
)
def test_a_change_is_between_the_two_kernels_or_not(
    base: str | None, new: str | None, side: str | None
) -> None:
    assert EEVDF.side_with(base, new) == side


def test_releases_are_numbers_and_no_text() -> None:
    later = KnownChange(between=("6.9", "6.10"), text="x y")
    assert later.side_with("6.9.1", "6.10.1") == "new"
    assert later.side_with("6.1.1", "6.9.1") is None  # negative control: "6.9" sorts after "6.10"


def test_a_change_may_be_of_few_figures() -> None:
    figures = {("stress-ng-yield", "bogo-ops-rate")}
    assert EEVDF.concerns(figures)
    assert evolve(EEVDF, benchmarks=("stress-ng-yield",)).concerns(figures)
    assert not evolve(EEVDF, benchmarks=("hackbench-pipe",)).concerns(figures)
    assert evolve(EEVDF, metrics=("bogo-ops-rate",)).concerns(figures)
    assert not evolve(EEVDF, metrics=("latency",)).concerns(figures)
    assert not EEVDF.concerns(())


def test_the_shipped_changes_fit_a_line_of_a_mail() -> None:
    found = catalogue.load().known_changes
    assert [c.between[1] for c in found if not c.benchmarks][:2] == ["6.6", "6.6"]
    data = {
        "known_changes": [
            {"between": list(c.between), "text": c.text, "commit": c.commit, "side": "new"}
            for c in found
        ]
    }
    said = context.known_changes(data)
    assert len(said) == len(found)
    assert [s for s in said if len(f"  {s}") > WIDTH] == []
    # Each names its commit: nobody has to believe it.
    assert all(c.commit and c.commit in s for c, s in zip(found, said, strict=True))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[changes]\n", r"known-changes\.toml: not valid TOML"),
        ("", r"known-changes\.toml: the document: 'changes' is a required"),
        (CHANGE.replace("text", "words"), r"changes\.0: "),
        (CHANGE.replace('"6.6"]', '"6.6.1"]'), r"changes\.0\.between\.1: '6\.6\.1'"),
        (
            CHANGE.replace('"6.5", "6.6"', '"6.6", "6.5"'),
            r"changes\.0\.between: 6\.6 does not come",
        ),
        (CHANGE.replace('"6.5", "6.6"', '"6.10", "6.9"'), r"6\.10 does not come before 6\.9"),
        (CHANGE + 'commit = "147f"\n', r"changes\.0\.commit: '147f'"),
        (CHANGE + 'benchmarks = ["yield"]\n', r"changes\.0\.benchmarks: no benchmark 'yield'"),
        (CHANGE + 'metrics = ["speed"]\n', r"changes\.0\.metrics: no metric 'speed'"),
    ],
)
def test_a_mistake_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "known-changes.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence) as caught:
        read(path, catalogue.load().benchmarks)
    assert "\n" not in str(caught.value).strip()
    assert str(path) in str(caught.value)
    path.write_text(CHANGE)  # negative control
    assert read(path, {}) == (EEVDF,)


def test_without_the_file_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path / "known-changes.toml", {}) == ()


def renamed(*formerly: str) -> dict[str, Benchmark]:
    """Return the benchmarks, the rate of one of which was renamed."""
    found = dict(catalogue.load().benchmarks)
    of = found["stress-ng-switch"]
    metrics = tuple(
        evolve(m, name="switch-rate", formerly=formerly) if m.name == "bogo-ops-rate" else m
        for m in of.metrics
    )
    return {**found, of.name: evolve(of, metrics=metrics)}


def test_a_metric_may_be_named_as_it_was_before(tmp_path: Path) -> None:
    path = tmp_path / "known-changes.toml"
    more = 'benchmarks = ["stress-ng-switch"]\nmetrics = ["bogo-ops-rate"]\n'
    path.write_text(CHANGE + more, encoding="utf-8")
    [change] = read(path, renamed("bogo-ops-rate"))
    assert change.concerns([("stress-ng-switch", "switch-rate")])
    assert list(change.notes) == [
        f"{path}: changes.0.metrics: 'bogo-ops-rate' of stress-ng-switch is named 'switch-rate'"
        " now; it still counts"
    ]
    # Negative controls: a name that is the present one needs no note; one of nothing is refused.
    path.write_text(CHANGE + more.replace("bogo-ops-rate", "switch-rate"), encoding="utf-8")
    [change] = read(path, renamed("bogo-ops-rate"))
    assert change.notes == ()
    path.write_text(CHANGE + 'metrics = ["rate-of-old"]\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no metric 'rate-of-old'"):
        read(path, renamed("bogo-ops-rate"))
