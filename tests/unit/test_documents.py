# SPDX-License-Identifier: GPL-2.0-only
"""Documents against their schemas: what a schema asks for is really checked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import FormatChecker

from vlag.config.documents import SCHEMAS, read_yaml
from vlag.errors import UsageError

#: Format -> what is not of it.
WRONG = {
    "date": "2026-02-30",
    "date-time": "2026-02-28 12:00",
    "ipv4": "192.0.2.256",
}


def formats(node: Any) -> Iterator[str]:
    """Every `format` of a schema."""
    if isinstance(node, dict):
        if isinstance(node.get("format"), str):
            yield node["format"]
        for inner in node.values():
            yield from formats(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from formats(inner)


def test_every_format_that_a_schema_names_is_checked() -> None:
    """jsonschema passes over a format whose library is not installed, without a word."""
    used = {f for path in SCHEMAS.glob("*.json") for f in formats(json.loads(path.read_text()))}
    assert used == set(WRONG)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_of_a_format_is_refused(name: str) -> None:
    assert not FormatChecker().conforms(WRONG[name], name)


def test_a_file_read_again_has_its_content_of_now(tmp_path: Path) -> None:
    """What is kept of the first reading belongs to its content, and to nobody who changes it."""
    path = tmp_path / "p.yaml"
    entry = "{benchmark: a, board_types: [b], seeds: 5, timeout_s: 60}"
    path.write_text(f"plan: one\nentries: [{entry}]\n")
    first = read_yaml(path, "plan.schema.json")
    first["entries"].clear()
    again = read_yaml(path, "plan.schema.json")
    assert (again["plan"], len(again["entries"])) == ("one", 1)
    path.write_text(f"plan: two\nentries: [{entry}]\n")
    assert read_yaml(path, "plan.schema.json")["plan"] == "two"
    path.write_text("plan: two\nentries: 7\n")
    with pytest.raises(UsageError, match=r"p\.yaml: entries: 7 is not of type 'array'"):
        read_yaml(path, "plan.schema.json")
