# SPDX-License-Identifier: GPL-2.0-only
"""docs/farm.md says how much each plan runs on a board type: as the plans do."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlag import ROOT
from vlag.config import catalogue as catalogues
from vlag.config.catalogue import Catalogue

PAGE = (ROOT / "docs" / "farm.md").read_text(encoding="utf-8")


def table(page: str) -> dict[str, dict[str, int]]:
    """Return the entries of each plan on each board type, as the page has them."""
    lines = re.findall(r"^\|.*qemu-sim-2.*\n(?:\|.*\n)+", page, re.M)[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines]
    types = rows[0][1:]
    return {
        name.strip("`"): dict(zip(types, map(int, counts), strict=True))
        for name, *counts in rows[2:]
    }


def counted(known: Catalogue, said: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return the same of the plans themselves."""
    return {
        name: {t: sum(t in e.board_types for e in known.plan(name).entries) for t in of}
        for name, of in said.items()
    }


def test_the_page_has_the_entries_of_each_plan() -> None:
    known = catalogues.load()
    said = table(PAGE)
    assert said["farm-nightly"]["rpi5"] > 0
    assert said == counted(known, said)
    # Negative control.
    other = table(PAGE.replace("| `commit` | 2 |", "| `commit` | 3 |"))
    assert other != counted(known, other)
