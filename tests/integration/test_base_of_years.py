# SPDX-License-Identifier: GPL-2.0-only
"""A base that boards have booted for years: a comparison reads what is near the new kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.several_boards import BASE, NEW, Lab
from vlag.compare import sides
from vlag.config.catalogue import Catalogue
from vlag.store.database import Connection

#: More nights than a comparison reads.
NIGHTS = sides.DAYS + 6


@pytest.fixture
def lab(conn: Connection, catalogue: Catalogue, tmp_path: Path) -> Lab:
    return Lab(conn, catalogue, tmp_path)


def years(lab: Lab) -> str:
    """Boot the base on each night, and the new kernel on the last one; return the first of both."""
    for night in range(NIGHTS):
        lab.boot(BASE, "11", night)
    lab.boot(BASE, "11111", NIGHTS)
    lab.boot(NEW, "11111", NIGHTS, level=0.95)
    row = lab.conn.execute(
        "SELECT finished_at::date FROM run GROUP BY 1 ORDER BY 1 DESC OFFSET %s LIMIT 1",
        (sides.DAYS - 1,),
    ).fetchone()
    assert row is not None
    return str(row[0])


def test_what_is_not_needed_is_not_read(lab: Lab) -> None:
    first = years(lab)
    damaged = lab.conn.execute(
        "UPDATE run SET document = '{}' WHERE finished_at < %s::date RETURNING id", (first,)
    ).fetchall()
    assert len(damaged) > 10
    row = lab.rate()
    assert row.verdict == "REGRESSION"
    assert row.effect == pytest.approx(-0.05, abs=0.01)
    # Its earlier nights count as they did: they are among what is read.
    assert "earlier" in row.reason
    # Negative control: a boot that is needed cannot be read.
    lab.conn.execute(
        "UPDATE run SET document = '{}', bundle_digest = repeat('0', 64)"
        " WHERE id = (SELECT min(id) FROM run WHERE finished_at >= %s::date)", (first,)
    )  # fmt: skip
    with pytest.raises(KeyError):
        lab.compared()


def test_what_is_not_read_changes_nothing(lab: Lab) -> None:
    first = years(lab)
    before = lab.compared()
    old = "UPDATE run SET suspect = 'it is old' WHERE finished_at::date {} %s::date"
    lab.conn.execute(old.format("<"), (first,))
    assert lab.compared().id == before.id
    # Negative control: what is read does.
    lab.conn.execute(old.format("<="), (first,))
    assert lab.compared().id != before.id
