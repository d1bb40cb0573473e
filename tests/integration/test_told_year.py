# SPDX-License-Identifier: GPL-2.0-only
"""What people read of a made-up year is on record for a person to judge."""

from __future__ import annotations

import os
import re
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


def news(block: str) -> tuple[bool, bool]:
    """Return whether the subject of a night calls regressions new, and whether the door does."""
    text = " ".join(block.split())
    subject, _, door = text.partition("mail: ")[2].partition("DATE")
    found = re.search(r"[1-9]\d* regressions?(, none new)?", subject)
    return found is not None and found[1] is None, bool(
        re.search("(?<!nothing )(new|worse) since", door)
    )


def test_subject_and_door_call_the_same_nights_new() -> None:
    blocks = GOLDEN.read_text(encoding="utf-8").split("\n\n")
    told = [b for b in blocks if " regression" in b.partition("mail: ")[2].partition("DATE")[0]]
    assert {b.splitlines()[0]: news(b) for b in told if len({*news(b)}) > 1} == {}
    assert {news(b)[0] for b in told} == {True, False}
    # Negative control: what contradicts itself is seen.
    quiet = next(b for b in told if "none new" in b)
    assert news(quiet) == (False, False)
    assert news(quiet.replace(", none new", "")) == (True, False)
    assert news(quiet.replace("nothing new since", "1 figure got worse since")) == (False, True)


def test_another_year_reads_otherwise(world: World) -> None:
    """Negative control: without the loss its night and those after it read otherwise."""
    golden = GOLDEN.read_text(encoding="utf-8")
    course = [(), (), ("a loss",)]
    assert golden.startswith("\n".join(told_year.told(world, course[:2])))
    [quiet] = told_year.told(world, [()])
    assert quiet.splitlines()[1:] != golden.split("\n\n")[2].splitlines()[1:]
