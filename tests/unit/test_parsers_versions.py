# SPDX-License-Identifier: GPL-2.0-only
"""A version that was not tried is said once and read where its layout is known."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.unit.captures import CAPTURES, expected, figures, parsed, read, replaced
from tests.unit.compared_files import answer
from vlag.errors import ParseError
from vlag.parsers import PARSERS, parse, versions

#: A capture, its version in its own words and another one, and a change of layout with it.
NEWER = [
    ("cyclictest/2.10-hist.json", '": "2.10"', '": "2.90"', ('"histogram"', '"buckets"')),
    ("hammerdb/4.12-mariadb-10.11.txt", "CLI v4.12", "CLI v4.99", ("NOPM from", "NOPM of")),
    ("iperf3/3.22-4-streams.json", "iperf 3.22", "iperf 3.99", ('"sum_sent"', '"sum_out"')),
    ("oslat/2.10-json.json", '": "2.10"', '": "2.90"', ('"histogram"', '"buckets"')),
    ("pi_stress/2.10-json.json", '": "2.10"', '": "2.90"', ('"inversion"', '"inversions"')),
    ("rt-tests-pairs/2.10-pmqtest-json.json", '": "2.10"', '": "2.90"', ('"max"', '"most"')),
    ("signaltest/2.10-json.json", '": "2.10"', '": "2.90"', ('"max"', '"most"')),
    (
        "stress-ng/0.22.01-pipe-2inst-yaml.yaml", "version: '0.22.01'", "version: '0.99.01'",
        ("bogo-ops-per-second-real-time", "bogo-ops-per-second"),
    ),
    ("unixbench/6.0.0-report.txt", "(Version 6.0.0)", "(Version 6.9.0)", (" samples)", " times)")),
    ("sysbench/1.0.20-cpu-sid.txt", "sysbench 1.0.20", "sysbench 1.0.99", ("avg:", "mean:")),
    ("tbench/4.00.txt", "version 4.00", "version 4.90", ("max_latency", "latency")),
]  # fmt: skip
IDS = [name for name, *_ in NEWER]


def tried() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for capture in CAPTURES:
        if version := expected(capture).get("tool_version"):
            found[capture.parent.name].add(version)
    return dict(found)


def test_the_versions_are_those_of_the_captures() -> None:
    assert {tool: set(known) for tool, known in versions.TRIED.items()} == tried()
    assert {name.partition("/")[0] for name in IDS} == set(versions.TRIED) <= set(PARSERS)


@pytest.mark.parametrize(("name", "old", "new", "layout"), NEWER, ids=IDS)
def test_a_newer_version_of_a_known_layout_is_read_and_said(
    name: str, old: str, new: str, layout: tuple[str, str]
) -> None:
    tool, data = read(name)
    newer = replaced(data, old, new)
    output = parse(tool, newer, path="raw")
    before = parsed(name)
    assert (output.samples, str(output.histograms)) == (before.samples, str(before.histograms))
    assert output.tool_version != before.tool_version
    [said] = output.notes
    assert said.startswith(f"{tool} {output.tool_version} was not tried with this parser (")
    # Negative controls: a tried version has no note, and another layout is refused.
    assert before.notes == ()
    with pytest.raises(ParseError):
        parse(tool, replaced(newer, *layout, count=-1), path="raw")


def test_a_comparison_says_it_once_for_all_files(tmp_path: Path) -> None:
    name, old, new, _ = NEWER[-2]
    data = replaced(read(name)[1], old, new)
    files = [tmp_path / f"{side}-{n}.txt" for side in ("base", "new") for n in range(3)]
    for file in files:
        file.write_bytes(data)
    found = answer(files[:3], files[3:], equal_files=True)
    [said] = [note for note in found["notes"] if "was not tried" in note]
    assert "and 5 more: sysbench 1.0.99 was not tried with this parser (1.0.20 were)" in said
    assert all(row["verdict"] != "NOT_COMPARABLE" for row in found["rows"])


def test_an_output_without_a_version_has_no_note() -> None:
    assert versions.note("hackbench", None) is None
    assert versions.note("hackbench", "2.4") is not None
    assert figures(parsed("hackbench/2.4-pipe.txt")) == parsed("hackbench/2.4-pipe.txt")
