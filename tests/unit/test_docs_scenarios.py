# SPDX-License-Identifier: GPL-2.0-only
"""docs/scenarios.md: each command of a field report stands beside the plan entry that runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from attrs import evolve, frozen

from vlag import ROOT
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue
from vlag.lava import render
from vlag.model import PlanEntry
from vlag.scenario import data

PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
#: Where a report's line begins so, it is a command: the entry has each of its numbers.
TOOLS = ("stress-ng ", "pi_stress ", "hackbench -", "cyclictest -", "echo ")


@frozen
class Row:
    """A row of a report's table."""

    scenario: str
    board_type: str
    words: str  # of the report
    entry: str


def rows(page: str) -> list[Row]:
    """Return the rows of all tables of the page's last part."""
    parts = re.split(r"(?m)^### (S\d+)\n", page)
    return [
        Row(name, board, words.strip("`"), entry.strip("`"))
        for name, part in zip(parts[1::2], parts[2::2], strict=True)
        for board, words, entry in re.findall(r"(?m)^\| ([\w-]+) \| (`.+?`+) \| (`.+?`) \|", part)
    ]


def written(entry: PlanEntry) -> str:
    """Return an entry as the page writes it."""
    words = [entry.benchmark, *(f"{k}={v}" for k, v in entry.parameters.items())]
    for key, knobs in (("knobs", entry.knobs), ("new_knobs", entry.new_knobs)):
        words += [key, *(f"{k}={v}" for k, v in knobs.items())] if knobs else []
    return " ".join(words)


def planned(known: Catalogue) -> Mapping[tuple[str, str, str], PlanEntry]:
    """Return the entries of the reports' plans by report, board type and what the page writes."""
    return {
        (name, board, written(entry)): entry
        for name in data.names()
        for entry in known.plan(data.load(name).plan).entries
        for board in entry.board_types
    }


def numbers(command: str, cpus: int) -> set[str]:
    """Return the numbers of a report's command on a board, and the features that it names."""
    for asked, count in (("$(($(nproc) / 2))", cpus // 2), ("$(nproc)", cpus)):
        command = command.replace(asked, str(count))
    return set(re.findall(r"(?<![\w.])\d+|[A-Z]+_[A-Z_]+", command))


def unlike(known: Catalogue, page: str) -> Iterator[str]:
    """Yield what the page and the plans say otherwise."""
    there = planned(known)
    told = {(row.scenario, row.board_type, row.entry) for row in rows(page)}
    yield from (f"no entry of the plan: {' '.join(key)}" for key in told - there.keys())
    yield from (f"no row of the page: {' '.join(key)}" for key in there.keys() - told)
    for row in rows(page):
        entry = there.get((row.scenario, row.board_type, row.entry))
        if entry is None or not row.words.startswith(TOOLS):
            continue
        benchmark = known.benchmark(entry.benchmark)
        argv = render.argv(benchmark, render.parameters(benchmark, entry.parameters))
        run = set(re.findall(r"\d+", " ".join(word for words in argv.values() for word in words)))
        run |= {word for value in entry.all_knobs.values() for word in value.split()}
        if lost := numbers(row.words, known.board_type(row.board_type).cpus) - run:
            yield f"{row.scenario}: {row.words}: the entry has no {', '.join(sorted(lost))}"


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogues.load()


def test_each_entry_of_a_report_s_plan_has_a_command_of_the_report(known: Catalogue) -> None:
    assert len(rows(PAGE)) > 30
    assert {row.scenario for row in rows(PAGE)} == set(data.names())
    assert list(unlike(known, PAGE)) == []


def test_each_command_is_on_a_line_of_its_report() -> None:
    reports = {
        name: (data.FOLDER / f"{name}-report.txt").read_text(encoding="utf-8")
        for name in data.names()
    }
    assert [row for row in rows(PAGE) if row.words not in reports[row.scenario]] == []


@pytest.mark.parametrize(
    ("plan", "benchmark", "changed"),
    [
        ("s1", "stress-ng-pipe", {"duration_s": 30}),
        ("s2", "stress-ng-cyclic", {"instances": 240}),
        ("s2", "pi-stress", {"groups": 480}),
        ("s3", "cyclictest-hackbench", {"duration_s": 60}),
        ("s3", "cyclictest-slice", {"slice_us": 3000}),
        ("s5", "mysql-tprocc", {"policy": "fifo"}),
    ],
)
def test_another_argument_in_a_plan_is_seen(
    known: Catalogue, plan: str, benchmark: str, changed: dict[str, int | str]
) -> None:
    found = known.plan(plan)
    entries = [
        evolve(e, parameters={**e.parameters, **changed}) if e.benchmark == benchmark else e
        for e in found.entries
    ]
    other = evolve(known, plans={**known.plans, plan: evolve(found, entries=tuple(entries))})
    assert any(text.startswith("no entry of the plan") for text in unlike(other, PAGE))


@pytest.mark.parametrize(
    ("plan", "changed"),
    [
        ("s1", {"new_knobs": {}}),
        ("s1", {"new_knobs": {"sched_features": "DELAY_DEQUEUE"}}),
        ("s3", {"knobs": {"base_slice_ns": "3000000"}}),
        ("s3", {"knobs": {}}),
    ],
)
def test_another_knob_in_a_plan_is_seen(
    known: Catalogue, plan: str, changed: dict[str, Any]
) -> None:
    found = known.plan(plan)
    entries = [
        evolve(e, **changed) if all(getattr(e, key) for key in changed) else e
        for e in found.entries
    ]
    assert entries != list(found.entries)
    other = evolve(known, plans={**known.plans, plan: evolve(found, entries=tuple(entries))})
    assert any(text.startswith("no entry of the plan") for text in unlike(other, PAGE))


def test_a_page_that_follows_a_wrong_plan_is_seen_by_the_command(known: Catalogue) -> None:
    """Both say 30 seconds; the report's command says 20."""
    found = known.plan("s1")
    entries = [evolve(e, parameters={**e.parameters, "duration_s": 30}) for e in found.entries]
    other = evolve(known, plans={**known.plans, "s1": evolve(found, entries=tuple(entries))})
    page = PAGE.replace("instances=4 duration_s=20", "instances=4 duration_s=30")
    assert list(unlike(other, page)) == [
        "S1: stress-ng --pipe 4 --timeout 20s --metrics-brief: the entry has no 20"
    ]
