# SPDX-License-Identifier: GPL-2.0-only
"""Each figure of a scenario is on a line of its report, kept beside it, or says why it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
import yaml

from vlag.scenario import data

#: The catalogue's unit over the report's: Mb/s over Gb/s, us over ms.
UNITS = {("S4", "throughput"): 1000, ("S4", "kworker"): 1000}
#: What cyclictest's options ask for, where the report gives no number of samples.
CYCLES = 333_000_000 // 2777
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d+)*(?:\.\d+)?(?:[KM]\b)?")
_SUFFIX = {"K": 1e3, "M": 1e6}


def report(name: str) -> list[str]:
    return (data.FOLDER / f"{name}-report.txt").read_text(encoding="utf-8").splitlines()


def raw(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((data.FOLDER / f"{name}.yaml").read_text())
    return found


def numbers(text: str) -> set[float]:
    """Return the numbers of a line; "0,581" is a decimal number, "2,060,126" a whole one."""
    found = set()
    # A hyphen between two numbers is no sign.
    for word in _NUMBER.findall(re.sub(r"(?<=[\dKM])-(?=\d)", " ", text)):
        digits = word.rstrip("KM")
        whole = re.fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})+", digits)
        found.add(float(digits.replace(",", "" if whole else ".")) * _SUFFIX.get(word[-1], 1))
    return found


def leaves(figure: Any) -> Iterator[Any]:
    """Yield the numbers and words of a figure as its report has them."""
    if isinstance(figure, Mapping):
        for key, value in figure.items():
            if key == "spread":
                yield round(100 * value, 9)
            elif key != "spreads":  # no figure: the file derives them
                yield from leaves(value)
    elif isinstance(figure, list):
        for value in figure:
            yield from leaves(value)
    else:
        yield figure


def untraced(name: str, scenario: Mapping[str, Any]) -> list[str]:
    """Return the figures that no line of the report has, and that no set calls arbitrary."""
    lines = report(name)
    told = {round(n, places) for line in lines for n in numbers(line) for places in (0, 6)}
    missing = []
    for of, found in scenario["sets"].items():
        about = found["about"]
        free = numbers(about) if "arbitrary" in about else set()
        free |= {CYCLES} if "as many as its options ask for" in about else set()
        for side, its in found.get("sides", {}).items():
            for measure, figure in its["figures"].items():
                unit = UNITS.get((name, measure), 1)
                for leaf in leaves(figure):
                    if isinstance(leaf, str):
                        known = any(leaf in line for line in lines)
                    else:
                        known = round(leaf / unit, 6) in told or leaf in free
                    if not known:
                        missing.append(f"{of} {side} {measure}: {leaf}")
    return missing


@pytest.mark.parametrize("name", data.names())
def test_every_figure_is_on_a_line_of_its_report(name: str) -> None:
    assert untraced(name, raw(name)) == []


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("S1", ("a", "6.12.81", "pipe"), 183.67),
        ("S1", ("b", "lazy", "pipe-ops"), 1635265),
        ("S2", ("solo", "patch4", "pi-stress"), {"percent": 109.4}),
        ("S2", ("solo", "patch4", "c2c"), {"line1": "gone"}),
        ("S3", ("rb5-hackbench", "base", "t-pipe-8"), {"value": 0.725, "spread": 0.024}),
        ("S4", ("host", "lazy", "kworker"), {"mean": 722}),
        ("S5", ("releases", "6.12.25", "score"), {"change": 5.1}),
    ],
)
def test_a_figure_that_the_report_does_not_have_is_found(
    name: str, place: tuple[str, str, str], value: Any
) -> None:
    of, side, measure = place
    other = deepcopy(raw(name))
    other["sets"][of]["sides"][side]["figures"][measure] = value
    (found,) = untraced(name, other)
    assert found.startswith(f"{of} {side} {measure}: ")


@pytest.mark.parametrize("name", data.names())
def test_commits_and_releases_are_the_reports(name: str) -> None:
    text = "\n".join(report(name))
    for kernel in raw(name)["kernels"].values():
        for word in (kernel.get("commit"), kernel["describe"]):
            if word is not None and re.search(r"\d", word) and "in " not in word:
                assert word.removeprefix("v").removeprefix("tip/sched/core ") in text, word
