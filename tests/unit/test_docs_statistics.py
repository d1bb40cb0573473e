# SPDX-License-Identifier: GPL-2.0-only
"""docs/statistics.md quotes constants: they are those of the code."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from typing import Any

import pytest
from attrs import evolve

from vlag import ROOT
from vlag.stats import compare, sentences, stages
from vlag.stats.sentences import Change

PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
# | `compare.SCREEN` | 0.09 | level at which rerun boots are asked for |
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


def test_the_sentences_are_those_of_the_code() -> None:
    five: dict[str, Any] = {"relevance": 0.05, "margin": 0.05, "better": False}
    large = Change(effect=0.123, low=0.122, high=0.124, **five)
    small = Change(effect=0.004, low=-0.002, high=0.01, **five)
    edge = Change(effect=0.0483, low=0.0449, high=0.0516, **five)
    wider = evolve(edge, effect=0.071, low=0.052, high=0.087)
    narrow = evolve(edge, low=0.021, high=0.087)
    wide = Change(effect=0.02, low=-0.015, high=0.056, **five)
    weak = Change(effect=0.04, low=0.003, high=0.078, **five)
    down = evolve(large, effect=-0.123, low=-0.124, high=-0.122, better=True)
    open_: dict[str, Any] = {"level": compare.SIGNIFICANCE, "boots": 22, "most": 100}
    need: dict[str, Any] = {"need": stages.LEVEL, "matters": False}
    said = [
        sentences.flag(large, 1e-9),
        sentences.flag(down, 1e-9),
        sentences.unchanged(small, 0.001),
        sentences.marginal(edge, 1e-9, None),
        sentences.undecided(wide, 0.2, **open_),
        sentences.undecided(weak, 0.03, **open_),
        sentences.confirmed(large, 1e-9, boots=10),
        sentences.confirmed(wider, 0.03, boots=40) + sentences.passed(narrow),
        sentences.refuted(small, boots=10, suspicion=0.1),
        sentences.left(wide, 0.2, boots=10, later=20, **need),
        sentences.left(edge, 1e-9, boots=30, later=None, **need),
    ]
    assert re.findall(r"^\| \w+ \| `([^`]+)` \|$", PAGE, re.MULTILINE) == said
    # The page of one verdict has the same words.
    plain = " ".join((ROOT / "docs" / "verdict.md").read_text(encoding="utf-8").split())
    assert sentences.marginal(edge, 1e-9, None) in plain
