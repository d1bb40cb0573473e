# SPDX-License-Identifier: GPL-2.0-only
"""What people read of a made-up year is on record for a person to judge."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.years.world import World
from tests.integration import told_year
from vlag import ROOT
from vlag.store.database import Connection

#: A person reads it before it is committed; `VLAG_GOLDEN=write` writes it.
GOLDEN = ROOT / "tests" / "data" / "told-year.txt"


@pytest.fixture
def world(conn: Connection, tmp_path: Path) -> World:
    return World(conn=conn, state=tmp_path / "state", seed=11)


def test_the_year_has_each_kind_of_event() -> None:
    assert told_year.missing() == set()


def test_each_night_of_the_year_reads_as_on_record(world: World) -> None:
    found = "\n".join(told_year.told(world))
    if os.environ.get("VLAG_GOLDEN") == "write":
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8"), "VLAG_GOLDEN=write, and read what changed"


def test_another_year_reads_otherwise(world: World) -> None:
    """Negative control: without the loss its night and those after it read otherwise."""
    golden = GOLDEN.read_text(encoding="utf-8")
    course = [(), (), ("a loss",)]
    assert golden.startswith("\n".join(told_year.told(world, course[:2])))
    [quiet] = told_year.told(world, [()])
    assert quiet.splitlines()[1:] != golden.split("\n\n")[2].splitlines()[1:]
