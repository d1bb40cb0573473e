# SPDX-License-Identifier: GPL-2.0-only
"""YAML, TOML and JSON of others, read within bounds: what is too large or odd is one error.

PyYAML raises almost anything for an odd scalar ("!!int ''" is an IndexError), a short document
of aliases stands for more values than any machine holds, and half a surrogate pair fails only
when it is printed or stored.
"""

from __future__ import annotations

import json
import re
import tomllib
from contextlib import suppress
from typing import Any

import yaml

#: Limits of one document; the largest of ours, an inventory of 500 boards, has a tenth of each.
BYTES_MAX = 4 << 20
DEPTH_MAX = 64
VALUES_MAX = 200_000  # with each alias as what it stands for

_INDENTED = re.compile(rf"^[ \t?-]{{{DEPTH_MAX}}}", re.MULTILINE)
_ODD = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError)


class NotationError(ValueError):
    """A document that cannot be read; the message is half a sentence in one line."""

    def __init__(self, message: str, line: int | None = None):
        super().__init__(" ".join(message.split())[:300])
        self.line = line  # counted from 1, if it is known


def read_yaml(data: bytes | str, loader: type[yaml.SafeLoader] | None = None) -> Any:
    """Return the values of a YAML document; `loader` must make only plain values.

    Raises NotationError.
    """
    text = _text(data)
    try:
        document = _values(text) if loader is None else yaml.load(text, loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as e:
        line = e.problem_mark.line + 1 if e.problem_mark else 1
        raise NotationError(e.problem or "odd", line) from e
    except RecursionError as e:
        raise NotationError("nested too deeply") from e
    except (yaml.YAMLError, *_ODD) as e:
        raise NotationError(str(e) or "a value that its tag does not fit") from e
    return _bounded(document)


def _values(text: str) -> Any:
    """Return the values of a YAML document, read by libyaml in a quarter of PyYAML's time."""
    if _is_deep(text):
        raise NotationError("nested too deeply")
    with suppress(yaml.YAMLError, RecursionError, *_ODD):
        return yaml.load(text, yaml.CSafeLoader)
    # PyYAML has the better words for what is wrong; it reads a few documents more.
    return yaml.safe_load(text)


def _is_deep(text: str) -> bool:
    """Return whether a YAML document is nested too deeply; libyaml's composer ends the process.

    Its parser, which only says what begins and ends, does not recurse.
    """
    # A collection in another one begins farther to the right, or with a bracket.
    if text.count("[") + text.count("{") <= DEPTH_MAX and not _INDENTED.search(text):
        return False
    depth = 0
    with suppress(yaml.YAMLError, *_ODD):
        for event in yaml.parse(text, yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > 2 * DEPTH_MAX:
                    return True
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    return False


def read_toml(data: bytes | str) -> dict[str, Any]:
    """Return the tables of a TOML document; NotationError."""
    try:
        document = tomllib.loads(_text(data))
    except RecursionError as e:
        raise NotationError("nested too deeply") from e
    except _ODD as e:
        raise NotationError(str(e)) from e
    return dict(_bounded(document))


def read_json(data: bytes | str, *, bytes_max: int = BYTES_MAX) -> Any:
    """Return the values of a JSON document; NotationError, also for NaN and its like."""
    try:
        document = json.loads(_text(data, bytes_max), parse_constant=_no_constant)
    except json.JSONDecodeError as e:
        raise NotationError(e.msg, e.lineno) from e
    except RecursionError as e:
        raise NotationError("nested too deeply") from e
    except _ODD as e:
        raise NotationError(str(e)) from e
    return _bounded(document)


def _text(data: bytes | str, bytes_max: int = BYTES_MAX) -> str:
    if len(data) > bytes_max:
        raise NotationError(f"more than {bytes_max >> 20} MiB")
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise NotationError(str(e)) from e


def _no_constant(name: str) -> None:
    raise NotationError(f"{name} is not a number")


def _bounded(document: Any) -> Any:
    """Return the values, or raise NotationError if they are too many, too deep, or not text."""
    count = 0
    left = [(document, 0)]
    while left:
        value, depth = left.pop()
        count += 1
        if depth > DEPTH_MAX:
            raise NotationError("nested too deeply")
        if count > VALUES_MAX:
            raise NotationError(f"more than {VALUES_MAX} values")
        if isinstance(value, dict):
            left += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list | tuple | set):
            left += [(part, depth + 1) for part in value]
        elif isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise NotationError("half a surrogate pair, which is no text") from None
    return document
