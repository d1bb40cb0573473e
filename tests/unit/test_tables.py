# SPDX-License-Identifier: GPL-2.0-only
"""What holds for each table, read from the file of all tables (a test holds it to migrations)."""

from __future__ import annotations

import re

from vlag import ROOT

#: `vlag db partition` wants these bare; a row of theirs comes after one of `run`.
BARE = {"sample", "histogram"}


def unguarded(text: str) -> set[str]:
    """Return the tables into which code of an older version may write."""
    tables = set(re.findall(r"^CREATE TABLE (\w+)", text, re.M))
    guard = r"^CREATE TRIGGER newer BEFORE INSERT OR DELETE OR UPDATE ON (\w+)"
    assert tables
    return tables - set(re.findall(guard, text, re.M))


def test_older_code_writes_no_row_into_any_table() -> None:
    text = (ROOT / "schemas" / "tables.sql").read_text(encoding="utf-8")
    assert unguarded(text) == BARE
    # Negative control: a table whose migration forgot it.
    assert unguarded(f"{text}\nCREATE TABLE forgotten (\n") == {*BARE, "forgotten"}
