# SPDX-License-Identifier: GPL-2.0-only
"""Every benchmark that a virtual board can run, run for real, and its figures in the database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bench.evidence import table, write
from tests.conftest import fresh_database
from tests.night.clone import Night
from vlag.config.catalogue import load
from vlag.store.database import with_state

pytestmark = pytest.mark.long

CATALOGUE = load()
BOARDS = ("sim2-1", "sim2-2")


PLANNED = [entry.benchmark for entry in CATALOGUE.plans["catalogue"].entries]


def unpatched_612(build: dict[str, Any]) -> bool:
    return str(build["release"]).startswith("6.12.") and not build["kernel"]["patches"]


@pytest.fixture(scope="module")
def build(night: Night) -> Path:
    """The night's newest kernel without patches."""
    [found, *_] = [
        path.parent
        for path in sorted((night.state / "builds").glob("*/*/build.json"))
        if unpatched_612(json.loads(path.read_text()))
    ]
    return found


@pytest.fixture(scope="module")
def bundles(night: Night, build: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One run of each, two side by side."""
    folder = tmp_path_factory.mktemp("catalogue")
    entries = CATALOGUE.plans["catalogue"].entries
    free = list(BOARDS)

    def run(entry: Any) -> tuple[str, Path]:
        board = free.pop()
        try:
            night.vlag(
                "run", build, "--board", board, "--benchmark", entry.benchmark,
                *(f"--param={k}={v}" for k, v in entry.parameters.items()),
                "--seed", 1, "--timeout", entry.timeout_s, "--output", folder / entry.benchmark,
            )  # fmt: skip
        finally:
            free.append(board)
        return entry.benchmark, folder / entry.benchmark

    with ThreadPoolExecutor(len(BOARDS)) as lanes:
        found = dict(lanes.map(run, entries))
    return found


@pytest.fixture(scope="module")
def rows(
    night: Night, build: Path, bundles: dict[str, Path], cluster: str, template: str
) -> Iterator[psycopg.Connection[Any]]:
    """What is stored of them, in a database of their own: some are repeats of the night's runs."""
    dsn = fresh_database(cluster, template)
    night.vlag("ingest", build, *bundles.values(), env={"VLAG_DATABASE": dsn})
    with psycopg.connect(with_state(dsn, night.state.resolve())) as conn:
        yield conn


@pytest.mark.parametrize("name", PLANNED)
def test_its_figures_are_in_the_database(
    name: str, bundles: dict[str, Path], rows: psycopg.Connection[Any]
) -> None:
    document = json.loads((bundles[name] / "run.json").read_text())
    assert document["outcome"] == "complete"
    found = rows.execute(
        "SELECT s.metric, s.unit, x.values FROM sample x JOIN series s ON s.id = x.series"
        " JOIN run r ON r.id = x.run WHERE in_state(r.location) = %(location)s UNION ALL "
        "SELECT s.metric, s.unit, ARRAY[x.achieved] FROM histogram x JOIN series s"
        " ON s.id = x.series JOIN run r ON r.id = x.run WHERE in_state(r.location) = %(location)s",
        {"location": str(bundles[name])},
    ).fetchall()
    metrics = CATALOGUE.benchmark(name).metrics
    stored = {(metric, unit) for metric, unit, _ in found}
    assert stored <= {(m.name, m.unit) for m in metrics}
    assert stored >= {(m.name, m.unit) for m in metrics if not m.optional}
    assert all(values for _, _, values in found)
    assert max(max(values) for _, _, values in found) > 0


@pytest.mark.parametrize("name", PLANNED)
def test_the_environment_and_schedstat_are_on_the_run(name: str, bundles: dict[str, Path]) -> None:
    document = json.loads((bundles[name] / "run.json").read_text())
    environment = document["environment"]
    assert environment["page_size"] == "4096"
    assert environment["/proc/sys/kernel/sched_schedstats"] == "0"
    assert document["read_back"]["schedstats"] == "off"
    assert environment["/proc/sys/kernel/sched_rt_runtime_us"].isdecimal()
    assert "DELAY_DEQUEUE" in environment["/sys/kernel/debug/sched/features"]
    assert "QEMU" in environment["processors"]
    # What this board has not is on record as such, not left out.
    assert environment["throttled"].startswith("unreadable: ")
    assert document["environment_after"]["interrupts"] != environment["interrupts"]


def test_schedstat_counts_what_ran_in_the_boot_that_observes_it(
    night: Night, build: Path, bundles: dict[str, Path], tmp_path: Path
) -> None:
    night.vlag(
        "run", build, "--board", BOARDS[0], "--benchmark", "stress-ng-switch",
        "--observe", "schedstats", "--output", tmp_path / "observed",
    )  # fmt: skip
    raw = tmp_path / "observed" / "raw"

    def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
        said = night.vlag("schedstat", "diff", folder, folder, "--format", "json").stdout
        return {row["field"]: row for row in json.loads(said)["sections"][0]["rows"]}

    counted = {field: row["a_count"] for field, row in rows_of(raw).items()}
    # Each operation of the stressor is a switch to the other task and one back.
    [operations] = [line.split()[4] for line in (raw / "stress-ng.txt").read_text().splitlines()
                    if " metrc: " in line and line.split()[3] == "switch"][:1]  # fmt: skip
    assert counted["sched_count"] > int(operations)
    # Negative control: a scored boot counts none of it.
    assert rows_of(bundles["stress-ng-switch"] / "raw")["sched_count"]["why"] == "not counted"


def test_the_evidence(bundles: dict[str, Path], rows: psycopg.Connection[Any]) -> None:
    """Write down what each benchmark gave."""
    lines = []
    for name, folder in sorted(bundles.items()):
        document = json.loads((folder / "run.json").read_text())
        stored = rows.execute(
            "SELECT s.metric, s.unit, s.tool_version, x.values[1] FROM sample x"
            " JOIN series s ON s.id = x.series JOIN run r ON r.id = x.run"
            " WHERE in_state(r.location) = %(location)s UNION ALL "
            "SELECT s.metric, s.unit, s.tool_version, x.achieved FROM histogram x"
            " JOIN series s ON s.id = x.series JOIN run r ON r.id = x.run"
            " WHERE in_state(r.location) = %(location)s ORDER BY 1",
            {"location": str(folder)},
        ).fetchall()
        metric, unit, version, value = stored[0]
        begun, ended = (
            datetime.fromisoformat(document[key]) for key in ("started_at", "finished_at")
        )
        seconds = round((ended - begun).total_seconds())
        lines.append((name, version, len(stored), f"{metric}: {value:g} {unit}", seconds))
    write(
        "catalogue",
        "Every benchmark that a virtual board can run, run once",
        "pytest -m long tests/long/test_catalogue_runs.py",
        [f"kernel {document['release']}, board type {document['board']['board_type']}"],
        [
            "Each was booted on its own, and its raw output stored in PostgreSQL. Of a metric"
            " with a histogram the number of samples is shown, of others the first value.",
            "",
            *table(("benchmark", "version", "metrics", "the first of them", "seconds"), lines),
        ],
    )
