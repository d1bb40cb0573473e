# SPDX-License-Identifier: GPL-2.0-only
"""What people read of nine made-up nights is on record for a person to judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration import told_nights
from tests.integration.nights import Nights, settings
from vlag import ROOT
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

#: A person reads it before it is committed.
GOLDEN = ROOT / "tests" / "data" / "told-nights.txt"


@pytest.fixture
def nights(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Nights:
    return Nights(conn=conn, catalogue=catalogue, folder=tmp_path, settings=settings(tmp_path))


def test_each_night_reads_as_on_record(nights: Nights) -> None:
    found = "\n".join(told_nights.told(nights))
    if not GOLDEN.exists():
        GOLDEN.write_text(found, encoding="utf-8")
        pytest.fail(f"{GOLDEN} was not there and is written: read it")
    assert found == GOLDEN.read_text(encoding="utf-8"), (
        f"remove {GOLDEN}, run this again, and read what changed"
    )


def test_another_course_reads_otherwise(nights: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_nights, "COURSE", told_nights.COURSE[:2])
    first = "\n".join(told_nights.told(nights))
    assert GOLDEN.read_text(encoding="utf-8").startswith(first)
    # Negative control: the same first night, and then one that costs less.
    monkeypatch.setattr(told_nights, "COURSE", (("a commit costs 4 %", "9", 0.96),))
    [other] = told_nights.told(nights)
    assert "4.0" in other
    assert other not in GOLDEN.read_text(encoding="utf-8")
