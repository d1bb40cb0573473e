# SPDX-License-Identifier: GPL-2.0-only
"""The quick answer about a document is jsonschema's, which says what is wrong."""

from __future__ import annotations

import copy
import datetime
import functools
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import yaml

from vlag import ROOT
from vlag.config import documents
from vlag.config.documents import SCHEMAS, accepts, read_json

#: What a value becomes: odd ones of each type, and near ones of what schemas ask for.
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 1.0, 0.5, -0.5, 1e9, 10**30, float("nan"), "", "a", "a b", "é",
    "0" * 40, "a" * 64, "a\n", "2026-02-30", "2026-02-28", "2026-02-28T01:02:03Z",
    "2026-02-28T25:02:03Z", "2026-02-28T01:02:03+01:00", "192.0.2.1", "192.0.2.256", [],
    [1, True], [1, 1], ["a", "a"], [{}, {}], {}, {"a": 1}, {"": None},
    datetime.date(2026, 2, 28),
)  # fmt: skip


@functools.cache
def shipped() -> tuple[tuple[str, Any], ...]:
    """Return documents that match, each with its schema."""
    return tuple(_shipped())


def _shipped() -> Iterator[tuple[str, Any]]:
    jobs = ROOT / "lava-jobs"
    for schema, paths in (
        ("benchmark", jobs.glob("benchmarks/*/benchmark.yaml")),
        ("board-type", jobs.glob("devices/*.yaml")),
        ("plan", jobs.glob("plans/*.yaml")),
    ):
        for path in sorted(paths):
            yield f"{schema}.schema.json", yaml.safe_load(path.read_text())
    for name in ("build", "run"):
        for path in sorted((ROOT / "tests" / "data").rglob(f"{name}.json")):
            yield f"{name}.schema.json", json.loads(path.read_text())


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


def changed(document: Any, rng: random.Random) -> Any:
    """Return the document with one to three values replaced, doubled, added or left out."""
    made = [copy.deepcopy(document)]
    for _ in range(rng.randint(1, 3)):
        *path, last = (0, *rng.choice(list(places(made[0]))))
        holder: Any = made
        for key in path:
            holder = holder[key]
        value = holder[last]
        how = rng.randrange(4)
        if how == 0 and holder is not made:
            del holder[last]
        elif how == 1 and isinstance(value, dict):
            value[rng.choice(("", "more", "name", "timeout_s"))] = copy.deepcopy(rng.choice(ODD))
        elif how == 2 and isinstance(value, list):
            value.append(copy.deepcopy(rng.choice([*value, *ODD])))
        else:
            holder[last] = copy.deepcopy(rng.choice(ODD))
    return made[0]


def answers(count: int) -> Counter[tuple[bool, bool]]:
    """Return how often which two answers were given, the quick one and jsonschema's."""
    rng = random.Random(1)
    found: Counter[tuple[bool, bool]] = Counter()
    for _ in range(count):
        schema, document = rng.choice(shipped())
        document = changed(document, rng)
        found[accepts(document, schema), documents._validator(schema).is_valid(document)] += 1
    return found


def test_what_is_shipped_is_accepted_at_once() -> None:
    given = shipped()
    assert {schema.partition(".")[0] for schema, _ in given} >= {"benchmark", "board-type", "plan"}
    assert [document for schema, document in given if not accepts(document, schema)] == []


def test_nothing_is_taken_that_jsonschema_refuses() -> None:
    found = answers(800)
    assert found[True, False] == 0, found
    # Both answers are frequent; jsonschema is seldom asked in vain.
    assert min(found[True, True], found[False, False]) > 50, found
    assert found[False, True] < 10, found


@pytest.mark.parametrize("keyword", ["pattern", "additionalProperties", "required", "type"])
def test_a_keyword_that_is_passed_over_is_found_out(
    monkeypatch: pytest.MonkeyPatch, keyword: str
) -> None:
    """Negative control: the changes reach each of these."""

    def without(value: Any) -> Any:
        if isinstance(value, list):
            return [without(v) for v in value]
        if not isinstance(value, dict):
            return value
        is_property = isinstance(value.get(keyword), dict) and keyword != "additionalProperties"
        return {k: without(v) for k, v in value.items() if k != keyword or is_property}

    registry = jsonschema_rs.Registry([(p.name, without(read_json(p))) for p in SCHEMAS.iterdir()])

    def lax(schema: str) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator(
            without(read_json(SCHEMAS / schema)), registry=registry, validate_formats=True
        )

    monkeypatch.setattr(documents, "_quick", functools.cache(lax))
    assert answers(300)[True, False] > 0
