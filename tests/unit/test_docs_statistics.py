"""docs/statistics.md quotes constants: they are those of the code."""

from __future__ import annotations

import ast
import re
from importlib import import_module

import pytest

from vlag import ROOT

PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
# | `compare.SCREEN` | 0.09 | level at which fresh boots are asked for |
QUOTED = re.findall(r"^\| `(\w+)\.([A-Z_]+)` \| ([^|]+) \|", PAGE, re.MULTILINE)


def wrong(module: str, name: str, value: str) -> bool:
    found = getattr(import_module(f"vlag.stats.{module}"), name)
    return bool(found != ast.literal_eval(value.strip()))


@pytest.mark.parametrize(("module", "name", "value"), QUOTED)
def test_a_constant_is_that_of_the_code(module: str, name: str, value: str) -> None:
    assert not wrong(module, name, value)


def test_another_value_would_be_seen() -> None:
    assert len(QUOTED) > 20
    assert wrong("compare", "SCREEN", "0.05")


def test_every_page_that_is_linked_is_there() -> None:
    pages = re.findall(r"\]\((evidence/[\w-]+\.md)\)", PAGE)
    assert len(pages) >= 6
    assert [p for p in pages if not (ROOT / "docs" / p).is_file()] == []
