# SPDX-License-Identifier: GPL-2.0-only
"""A tool's JSON file, read so that errors can name the line of a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from attrs import frozen

from vlag.errors import ParseError
from vlag.parsers.lines import decode


class _DuplicateKeyError(ValueError):
    """A duplicate key in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _DuplicateKeyError(key)
        result[key] = value
    return result


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


@frozen
class JsonFile:
    """The file's text, to name the line of a value in an error."""

    path: str
    text: str

    def error(self, message: str, *keys: str) -> ParseError:
        """Return the error for the value under `keys`, from the outermost on."""
        at = 0
        for key in keys:
            place = self.text.find(f'"{key}"', at)
            if place < 0:
                break  # the innermost existing key is the nearest place
            at = place
        return ParseError(message, path=self.path, line=self.text.count("\n", 0, at) + 1)

    def integer(self, within: Mapping[str, Any], key: str, *above: str) -> int:
        """Return the integer of 0 or more under `key`; raise for anything else."""
        value = within.get(key)
        # JSON's true would pass as 1.
        if type(value) is not int or value < 0:
            raise self.error(f"'{key}' must be a whole number of 0 or more", *above, key)
        return value

    def number(self, within: Mapping[str, Any], key: str, *above: str) -> float:
        """Return the number of 0 or more under `key`; raise for anything else."""
        value = within.get(key)
        try:
            number = float(value) if type(value) in (int, float) else -1.0  # type: ignore[arg-type]
        except OverflowError:  # a whole number of some hundred digits
            number = -1.0
        if not 0 <= number < float("inf"):
            raise self.error(f"'{key}' must be a number of 0 or more", *above, key)
        return number


def load(data: bytes, *, path: str, remedy: str) -> tuple[JsonFile, dict[str, Any]]:
    """Return the file and the object in it.

    Raises ParseError, which ends with `remedy`, for invalid or truncated JSON, and for a
    duplicate key, for NaN and for anything but an object.
    """
    text = decode(data, path)
    try:
        whole = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ParseError(
            f"the output is cut off or no JSON ({error.msg}); {remedy}",
            path=path,
            line=error.lineno,
        ) from None
    except _DuplicateKeyError as error:
        raise ParseError(f"the key '{error}' appears twice in one object", path=path) from None
    except (ValueError, RecursionError) as error:
        raise ParseError(f"the JSON holds what cannot be read: {error}", path=path) from None
    if not isinstance(whole, dict):
        raise ParseError("the JSON is not an object", path=path, line=1)
    return JsonFile(path, text), whole
