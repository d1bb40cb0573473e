# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with a document of JSON, held against the types of its keys."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)  # fmt: skip


def faults(value: object, kind: Any, path: str = "") -> Iterator[str]:
    """Yield each place where a value is not of a type: a path, and what is there.

    `kind` is a TypedDict, a mapping, sequence, union or literal of such, or a plain type.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        yield from _keys(value, kind, path)
    elif origin in (Union, types.UnionType):
        each = [list(faults(value, one, path)) for one in arguments]
        yield from min(each, key=len)
    elif origin is not None and isinstance(value, Mapping) and issubclass(origin, Mapping):
        for name, one in value.items():
            yield from faults(one, arguments[1], f"{path}.{name}")
    elif isinstance(value, list | tuple) and origin in (list, Sequence):
        for number, one in enumerate(value):
            yield from faults(one, arguments[0], f"{path}[{number}]")
    elif not _is(value, kind, origin, arguments):
        yield f"{path}: {value!r}"


def _keys(value: object, kind: Any, path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path}: {value!r}"
        return
    hints = get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        optional = get_origin(hint) is NotRequired
        one = get_args(hint)[0] if optional else hint
        if name in value:
            yield from faults(value[name], one, f"{path}.{name}")
        elif not optional:
            yield f"{path}.{name}: missing"
    yield from (f"{path}.{name}: unknown" for name in sorted(value.keys() - hints.keys()))


def _is(value: object, kind: Any, origin: Any, arguments: Sequence[object]) -> bool:
    if origin is Literal:
        return value in arguments
    if origin is not None:
        return False
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    return kind is Any or isinstance(value, kind)
