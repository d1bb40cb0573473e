"""A quick answer whether a schema takes a document, where that is sure.

Nearly all documents match their schema, and jsonschema takes milliseconds for each, a fifth of a
second for the catalogue and half as long to be imported.  Here a schema is compiled to functions,
which answer fifty times as fast and say nothing of what is wrong: who needs that, or an answer
where these are not sure, asks jsonschema.
"""

from __future__ import annotations

import datetime
import functools
import json
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vlag import ROOT

SCHEMAS = ROOT / "schemas" / "json"

#: Whether a value matches; raises `UnsureError`.
Check = Callable[[Any], bool]


class UnsureError(Exception):
    """Only jsonschema knows: a keyword or a value that is not decided here."""


def accepts(document: Any, schema: str) -> bool | None:
    """Return whether a schema, a file of `schemas/json/`, takes a document; None: not sure."""
    try:
        return check(schema)(document)
    except UnsureError:
        return None


@functools.cache
def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file of ours, such as a schema."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def check(reference: str) -> Check:
    """Return the check of a schema by its file's name, with `#/` and a path for a part of it."""
    file, _, path = reference.partition("#")
    schema = read_json(SCHEMAS / file)
    for key in path.split("/")[1:]:
        schema = schema[key]
    return compiled(schema, file)


def compiled(schema: Any, file: str) -> Check:
    """Return the check of a schema that stands in a file."""
    if isinstance(schema, bool):
        return lambda _: schema
    made = [_KEYWORDS.get(key, _unsure)(schema, file) for key in schema if key not in _SILENT]
    if len(made) == 1:
        return made[0]
    return lambda value: all(each(value) for each in made)


def _unsure(_schema: Any, _file: str) -> Check:
    def refuse(_: Any) -> bool:
        raise UnsureError

    return refuse


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Check] = {
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: _number(v) and (isinstance(v, int) or v.is_integer()),
    "null": lambda v: v is None,
    "number": _number,
    "object": lambda v: isinstance(v, dict),
    "string": lambda v: isinstance(v, str),
}


def _type(schema: Any, _file: str) -> Check:
    named = schema["type"]
    if isinstance(named, str):
        return _TYPES[named]
    made = [_TYPES[name] for name in named]
    return lambda value: any(each(value) for each in made)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list | dict) or isinstance(other, list | dict):
        raise UnsureError
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _among(values: list[Any]) -> Check:
    return lambda value: any(_same(value, each) for each in values)


def _of(kind: Check, holds: Callable[[Any], bool]) -> Check:
    """Return a check of values of a kind; all others match."""
    return lambda value: not kind(value) or holds(value)


def _bound(kind: str, key: str, compare: Callable[[Any, Any], bool], size: bool) -> Any:
    def make(schema: Any, _file: str) -> Check:
        bound = schema[key]
        # `not`: whatever is no number, such as NaN, lies beyond no bound.
        if size:
            return _of(_TYPES[kind], lambda value: not compare(len(value), bound))
        return _of(_TYPES[kind], lambda value: not compare(value, bound))

    return make


def _pattern(schema: Any, _file: str) -> Check:
    search = re.compile(schema["pattern"]).search
    return _of(_TYPES["string"], lambda value: search(value) is not None)


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)


def _format(schema: Any, _file: str) -> Check:
    usual = {"date": _DATE, "date-time": _TIME}.get(schema["format"])

    def holds(value: str) -> bool:
        if usual is None or usual.fullmatch(value) is None:
            raise UnsureError
        try:
            datetime.datetime.fromisoformat(value)
        except ValueError as e:
            raise UnsureError from e
        return True

    return _of(_TYPES["string"], holds)


def _ref(schema: Any, file: str) -> Check:
    named, _, path = schema["$ref"].partition("#")
    reference = f"{named or file}#{path}"

    def follow(value: Any) -> bool:
        return check(reference)(value)  # not made before it is needed: a schema may hold itself

    return follow


def _all_of(schema: Any, file: str) -> Check:
    made = [compiled(each, file) for each in schema["allOf"]]
    return lambda value: all(each(value) for each in made)


def _any_of(schema: Any, file: str) -> Check:
    made = [compiled(each, file) for each in schema["anyOf"]]
    return lambda value: any(each(value) for each in made)


def _one_of(schema: Any, file: str) -> Check:
    made = [compiled(each, file) for each in schema["oneOf"]]
    return lambda value: sum(each(value) for each in made) == 1


def _not(schema: Any, file: str) -> Check:
    inner = compiled(schema["not"], file)
    return lambda value: not inner(value)


def _if(schema: Any, file: str) -> Check:
    asked = compiled(schema["if"], file)
    then, other = (compiled(schema.get(key, True), file) for key in ("then", "else"))
    return lambda value: then(value) if asked(value) else other(value)


def _items(schema: Any, file: str) -> Check:
    inner = compiled(schema["items"], file)
    return _of(_TYPES["array"], lambda value: all(map(inner, value)))


def _unique(schema: Any, file: str) -> Check:
    if schema["uniqueItems"] is not True:
        return _unsure(schema, file)

    def holds(value: list[Any]) -> bool:
        if all(isinstance(each, str) for each in value):
            return len(set(value)) == len(value)
        # What is unequal here is so there; 1 and True are equal here alone.
        if any(one == other for i, one in enumerate(value) for other in value[:i]):
            raise UnsureError
        return True

    return _of(_TYPES["array"], holds)


def _properties(schema: Any, file: str) -> Check:
    made = {key: compiled(inner, file) for key, inner in schema["properties"].items()}

    def holds(value: dict[str, Any]) -> bool:
        return all(made[key](inner) for key, inner in value.items() if key in made)

    return _of(_TYPES["object"], holds)


def _more_properties(schema: Any, file: str) -> Check:
    named = schema.get("properties", {})
    inner = compiled(schema["additionalProperties"], file)

    def holds(value: dict[str, Any]) -> bool:
        return all(inner(each) for key, each in value.items() if key not in named)

    return _of(_TYPES["object"], holds)


def _names(schema: Any, file: str) -> Check:
    inner = compiled(schema["propertyNames"], file)
    return _of(_TYPES["object"], lambda value: all(map(inner, value)))


def _required(schema: Any, _file: str) -> Check:
    keys = frozenset(schema["required"])
    return _of(_TYPES["object"], lambda value: value.keys() >= keys)


def _dependent(schema: Any, _file: str) -> Check:
    needs = {key: frozenset(keys) for key, keys in schema["dependentRequired"].items()}

    def holds(value: dict[str, Any]) -> bool:
        return all(value.keys() >= keys for key, keys in needs.items() if key in value)

    return _of(_TYPES["object"], holds)


#: Keywords that check nothing by themselves.
_SILENT = frozenset(
    ("$schema", "$id", "$defs", "title", "description", "default", "then", "else")
)  # fmt: skip
_KEYWORDS: Mapping[str, Callable[[Any, str], Check]] = {
    "$ref": _ref,
    "additionalProperties": _more_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "const": lambda schema, _: _among([schema["const"]]),
    "dependentRequired": _dependent,
    "enum": lambda schema, _: _among(schema["enum"]),
    "exclusiveMaximum": _bound("number", "exclusiveMaximum", operator.ge, False),
    "exclusiveMinimum": _bound("number", "exclusiveMinimum", operator.le, False),
    "format": _format,
    "if": _if,
    "items": _items,
    "maxItems": _bound("array", "maxItems", operator.gt, True),
    "maxLength": _bound("string", "maxLength", operator.gt, True),
    "maxProperties": _bound("object", "maxProperties", operator.gt, True),
    "maximum": _bound("number", "maximum", operator.gt, False),
    "minItems": _bound("array", "minItems", operator.lt, True),
    "minLength": _bound("string", "minLength", operator.lt, True),
    "minProperties": _bound("object", "minProperties", operator.lt, True),
    "minimum": _bound("number", "minimum", operator.lt, False),
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "properties": _properties,
    "propertyNames": _names,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique,
}
