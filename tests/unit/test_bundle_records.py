# SPDX-License-Identifier: GPL-2.0-only
"""The types of run.json and build.json have the keys that their schemas have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NotRequired, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from vlag import ROOT
from vlag.bundle_records import BuildRecord, RunRecord

SCHEMAS = ROOT / "schemas" / "json"


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def resolved(of: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an object that is named, or that is one of an object and null."""
    for one in of.get("oneOf", ()):
        if one != {"type": "null"}:
            return resolved(one)
    file, _, place = of.get("$ref", "").partition("#")
    # What refers to its own file is in that of a kernel.
    found: Any = schema(file or "kernel.schema.json") if place or file else of
    for key in filter(None, place.split("/")):
        found = found[key]
    return found  # type: ignore[no-any-return]


def apart(kind: Any, of: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the keys that only a type or only a schema has, or only one of them requires."""
    hints = get_type_hints(kind, include_extras=True)
    own = {name: get_origin(hint) is not NotRequired for name, hint in hints.items()}
    required = {name: name in of["required"] for name in of["properties"]}
    names = sorted({name for name, _ in own.items() ^ required.items()})
    yield from (f"{path}.{name}" for name in names)
    for name, hint in hints.items():
        for inner in _records(hint):
            below = resolved(of["properties"].get(name, {}))
            below = resolved(below.get("items", below))
            if "properties" in below:
                yield from apart(inner, below, f"{path}.{name}")


def _records(hint: Any) -> Iterator[Any]:
    if is_typeddict(hint):
        yield hint
    for one in get_args(hint):
        yield from _records(one)


@pytest.mark.parametrize(
    ("kind", "name"), [(RunRecord, "run.schema.json"), (BuildRecord, "build.schema.json")]
)
def test_a_record_has_the_keys_of_its_schema(kind: Any, name: str) -> None:
    of = schema(name)
    assert list(apart(kind, of)) == []
    # Negative control: a key more below, one that is required now, and one that is gone.
    of["properties"]["board" if kind is RunRecord else "toolchain"] = {
        "required": ["name"], "properties": {"name": {}, "cpu": {}},
    }  # fmt: skip
    of["required"].remove("reproduce")
    del of["properties"]["files"]
    found = list(apart(kind, of))
    assert {".files", ".reproduce"} <= set(found)
    assert (".board.cpu" in found) == (kind is RunRecord)


class Misspelt(TypedDict):
    """Negative control."""

    name: str
    biard_type: str


def test_a_misspelt_key_is_named() -> None:
    """Negative control."""
    board = schema("run.schema.json")["properties"]["board"]
    assert ".biard_type" in list(apart(Misspelt, board))
    assert ".board_type" in list(apart(Misspelt, board))
