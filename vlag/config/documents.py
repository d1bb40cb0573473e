# SPDX-License-Identifier: GPL-2.0-only
"""YAML and JSON documents checked against the schemas in `schemas/json/`."""

from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from vlag import ROOT, notation, printable
from vlag.config import snapshot
from vlag.errors import UsageError, blame

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMAS = ROOT / "schemas" / "json"
#: Characters of a value with its fault.
_LONGEST = 300


@functools.cache
def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file of ours, such as a schema."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def _quick(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return what answers a hundred times as fast as jsonschema, whose words are for people."""
    registry = jsonschema_rs.Registry([(p.name, read_json(p)) for p in SCHEMAS.glob("*.json")])
    return jsonschema_rs.Draft202012Validator(
        read_json(SCHEMAS / schema), registry=registry, validate_formats=True
    )


def accepts(document: Any, schema: str) -> bool:
    """Return whether a schema takes a document for sure; nearly all documents match theirs."""
    try:
        return _quick(schema).is_valid(document)
    except (ValueError, OverflowError):  # of a value that JSON has not
        return False


@functools.cache
def _validator(schema: str) -> Draft202012Validator:
    # A tenth of a second, which only who has a fault to tell of waits for.
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415
    from referencing import Registry, Resource  # noqa: PLC0415

    documents = {p.name: read_json(p) for p in SCHEMAS.glob("*.json")}
    registry: Registry[Any] = Registry().with_resources(
        (name, Resource.from_contents(document)) for name, document in documents.items()
    )
    return Draft202012Validator(
        documents[schema], registry=registry, format_checker=FormatChecker()
    )


def faults(document: Any, schema: str, *, part: bool = False) -> tuple[str, ...]:
    """Return all faults of a document, each as 'KEY: what', those of top-level keys first.

    `schema` is a file name in `schemas/json/`.  Of a document of several files a part may lack
    what the whole must have.
    """
    if accepts(document, schema):
        return ()
    return tuple(
        f"{_short('.'.join(map(str, e.absolute_path))) or 'the document'}: {_short(e.message)}"
        for e in _errors(document, schema, part=part)
    )


def misplaced(document: Any, schema: str) -> tuple[tuple[str | int, ...], str] | None:
    """Return where the first fault of a document is, as keys, and what; None if it has none.

    A key that the schema does not know is itself the place.
    """
    if accepts(document, schema):
        return None
    errors = _errors(document, schema, part=False)
    return next(((_place(e), _short(e.message)) for e in errors), None)


def _place(error: ValidationError) -> tuple[str | int, ...]:
    """Return the keys of an error; a name that its owner must not have is one of them."""
    keys = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        owner: Any = error.instance
        schema: Any = error.schema
        return (*keys, *[key for key in owner if key not in schema.get("properties", {})][:1])
    if "propertyNames" in error.absolute_schema_path:
        return (*keys, str(error.instance))
    return keys


def _errors(document: Any, schema: str, *, part: bool) -> list[ValidationError]:
    """Return all errors of a document, those of top-level keys first."""
    return sorted(
        (
            e
            for e in _validator(schema).iter_errors(document)
            if not (part and e.validator == "required" and not e.absolute_path)
        ),
        key=lambda e: (len(e.absolute_path), str(e.absolute_path)),
    )


def _short(sentence: str) -> str:
    """Return a sentence of jsonschema, which begins with the whole value, in one line."""
    sentence = printable.line(sentence)
    return (
        sentence
        if len(sentence) <= _LONGEST
        else f"{sentence[: _LONGEST // 3]}…{sentence[-_LONGEST // 2 :]}"
    )


def fault(document: Any, schema: str, *, part: bool = False) -> str | None:
    """Return the first fault of a document or a part of it, or None if it matches the schema."""
    return next(iter(faults(document, schema, part=part)), None)


def contents(
    path: Path, kind: str, read: Callable[[bytes], Any], *, error: type[UsageError] = UsageError
) -> Any:
    """Return what `read` (of `vlag.notation`) makes of a file, else an `error` with the line."""
    try:
        data = snapshot.read(path)
    except OSError as e:
        raise blame(e, f"{path}: cannot be read ({e.strerror})") from e
    return parsed(path, kind, read, data, error=error)


def parsed(
    path: Path, kind: str, read: Callable[[bytes], Any], data: bytes, *,
    error: type[UsageError] = UsageError,
) -> Any:  # fmt: skip
    """Return what `read` makes of a file's content; else an `error` with file and line."""
    try:
        return read(data)
    except notation.NotationError as e:
        where = path if e.line is None else f"{path}:{e.line}"
        raise error(f"{where}: not valid {kind}: {e}") from e


def read_yaml(path: Path, schema: str) -> dict[str, Any]:
    """Read a YAML file that a person wrote and check it.

    Raises UsageError with file and line or key.
    """
    document = contents(path, "YAML", lambda data: _checked(path, data, schema))
    return dict(pickle.loads(document))  # noqa: S301 - of this process


@functools.lru_cache(maxsize=512)
def _checked(path: Path, data: bytes, schema: str) -> bytes:
    """Return the checked values of a YAML file with that content, pickled.

    A process reads the same files again and again, and PyYAML takes its time.
    """
    document = notation.read_yaml(data)
    wrong = fault(document, schema)
    if wrong:
        raise UsageError(f"{path}: {wrong}")
    return pickle.dumps(document)


def read_named(path: Path, key: str, name: str) -> dict[str, Any]:
    """Read a YAML file whose `key` repeats the name of its file or folder.

    Its schema is that of the key.  Raises UsageError as `read_yaml`, and for another name.
    """
    document = read_yaml(path, f"{key.replace('_', '-')}.schema.json")
    if document[key] != name:
        raise UsageError(f"{path}: {key}: is {document[key]!r}, but the file says {name!r}")
    return document
