"""The quick answer about a document is jsonschema's, wherever it is sure."""

from __future__ import annotations

import copy
import functools
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from vlag import ROOT
from vlag.config import acceptance, documents
from vlag.config.acceptance import SCHEMAS, accepts

#: What a value becomes: odd ones of each type, and near ones of what schemas ask for.
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 1.0, 0.5, -0.5, 1e9, float("nan"), "", "a", "a b", "é",
    "0" * 40, "a" * 64, "2026-02-30", "2026-02-28", "2026-02-28T01:02:03Z", "2026-02-28T25:02:03Z",
    "2026-02-28T01:02:03+01:00", "192.0.2.1", "192.0.2.256", [], [1, True], [1, 1], ["a", "a"],
    [{}, {}], {}, {"a": 1}, {"": None},
)  # fmt: skip
BUNDLES = ROOT / "tests" / "data"


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
        for path in sorted(BUNDLES.rglob(f"{name}.json")):
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


def answers(count: int) -> Counter[tuple[bool | None, bool]]:
    """Return how often which two answers were given, the quick one and jsonschema's."""
    rng = random.Random(1)
    given = shipped()
    found: Counter[tuple[bool | None, bool]] = Counter()
    for _ in range(count):
        schema, document = rng.choice(given)
        document = changed(document, rng)
        found[accepts(document, schema), documents._validator(schema).is_valid(document)] += 1
    return found


def test_what_is_shipped_is_accepted_at_once() -> None:
    given = shipped()
    assert {schema.partition(".")[0] for schema, _ in given} >= {"benchmark", "board-type", "plan"}
    assert [document for schema, document in given if accepts(document, schema) is not True] == []


def test_changed_documents_get_the_same_answer() -> None:
    found = answers(800)
    assert found[True, False] == found[False, True] == 0, found
    # Both answers are frequent, and seldom none.
    assert min(found[True, True], found[False, False]) > 50, found
    assert found[None, True] + found[None, False] < 50, found


@pytest.mark.parametrize("keyword", ["pattern", "additionalProperties", "required", "type"])
def test_a_keyword_that_is_passed_over_is_found_out(
    monkeypatch: pytest.MonkeyPatch, keyword: str
) -> None:
    """Negative control: the changes reach each of these."""
    taken = {**acceptance._KEYWORDS, keyword: lambda _schema, _file: lambda _value: True}
    monkeypatch.setattr(acceptance, "_KEYWORDS", taken)
    acceptance.check.cache_clear()
    try:
        assert answers(300)[True, False] > 0
    finally:
        acceptance.check.cache_clear()


SCHEMA_CASES: tuple[tuple[Any, Any], ...] = (
    ({"type": "integer"}, 1.0),
    ({"type": "integer"}, True),
    ({"type": ["number", "null"]}, None),
    ({"enum": [1, "a"]}, True),
    ({"enum": [True]}, 1),
    ({"const": 0}, False),
    ({"const": 0}, 0.0),
    ({"minimum": 0}, "a"),
    ({"minimum": 0}, float("nan")),
    ({"exclusiveMinimum": 0}, 0),
    ({"exclusiveMaximum": 1}, 1),
    ({"maximum": 1}, True),
    ({"minLength": 1, "maxLength": 2}, "abc"),
    ({"minItems": 1}, []),
    ({"maxItems": 1}, [1, 2]),
    ({"minProperties": 1}, {}),
    ({"maxProperties": 0}, {"a": 1}),
    ({"pattern": "^a$"}, "a\n"),
    ({"uniqueItems": True}, ["a", "a"]),
    ({"uniqueItems": True}, [[1], [2]]),
    ({"items": {"type": "string"}}, ["a", 1]),
    ({"properties": {"a": False}}, {"b": 1}),
    ({"properties": {"a": False}}, {"a": 1}),
    ({"additionalProperties": {"type": "null"}, "properties": {"a": {}}}, {"a": 1, "b": 2}),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}),
    ({"required": ["a"]}, {"b": 1}),
    ({"required": ["a"]}, []),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 1}),
    ({"not": {"type": "null"}}, None),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 1),
    ({"anyOf": [{"type": "string"}, {"minimum": 2}]}, 1),
    ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, 3),
    ({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}, ""),
    ({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}, 0),
    ({"if": {"type": "string"}, "then": {"minLength": 1}}, 0),
    ({"format": "date"}, "2026-02-28"),
    ({"format": "date-time"}, "2026-02-28T01:02:03Z"),
)


@pytest.mark.parametrize(("schema", "value"), SCHEMA_CASES)
def test_each_keyword_means_the_same(schema: Any, value: Any) -> None:
    asked = type(documents._validator("run.schema.json"))(schema)
    assert acceptance.compiled(schema, "run.schema.json")(value) is asked.is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"format": "date"}, "2026-02-30"),
        ({"format": "ipv4"}, "192.0.2.1"),
        ({"const": [1]}, [True]),
        ({"uniqueItems": True}, [1, True]),
        ({"contains": {"type": "null"}}, [1]),
    ],
)
def test_what_is_not_decided_is_left_to_jsonschema(schema: Any, value: Any) -> None:
    with pytest.raises(acceptance.UnsureError):
        acceptance.compiled(schema, "run.schema.json")(value)


def test_all_schemas_but_one_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The webhook's has a keyword that depends on others."""
    unknown = set()

    def noted(_schema: Any, file: str) -> acceptance.Check:
        unknown.add(file)
        return lambda _: False

    monkeypatch.setattr(acceptance, "_unsure", noted)
    for path in SCHEMAS.glob("*.json"):
        schema = acceptance.read_json(path)
        for part in (schema, *schema.get("$defs", {}).values()):
            acceptance.compiled(part, path.name)
    assert unknown == {"webhook.schema.json"}
