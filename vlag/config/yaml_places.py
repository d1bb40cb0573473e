# SPDX-License-Identifier: GPL-2.0-only
"""The line of each key of a YAML document that a person wrote, for errors."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from vlag import notation

_TEXT = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"


class Places:
    """The lines of a document's keys."""

    def __init__(self, text: str) -> None:
        """`text` is a document that `vlag.notation` has read."""
        self._root = yaml.compose(text, Loader=yaml.CSafeLoader)

    def line(self, keys: Sequence[str | int]) -> int:
        """Return the line of a key, counted from 1; of one that is missing, that of its owner."""
        node, line = self._root, 1
        for key in keys:
            part = _part(node, key)
            if part is None:
                break
            node, line = part
        return line


def _part(node: yaml.Node | None, key: str | int) -> tuple[yaml.Node, int] | None:
    """Return the value of a key with the line where the key is."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        value = node.value[key]
        return value, value.start_mark.line + 1
    return None


def read(data: bytes) -> tuple[object, Places]:
    """Return the values of a document and their places.

    Raises NotationError with the line as `vlag.notation`, and for a key that is given twice or
    that YAML does not read as text: `on`, `6.12`.
    """
    document = notation.read_yaml(data)
    places = Places(data.decode())
    _check_keys(places._root)
    return document, places


def _check_keys(root: yaml.Node | None) -> None:
    left = [root]
    while left:
        node = left.pop()
        if isinstance(node, yaml.SequenceNode):
            left += node.value
        if not isinstance(node, yaml.MappingNode):
            continue
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.tag not in (_TEXT, _MERGE):
                raise notation.NotationError(
                    f"the key {str(key.value)!r} is no text in YAML: write it in quotes", line
                )
            if key.value in seen:
                raise notation.NotationError(
                    f"the key {key.value!r} is given twice: the first would be lost", line
                )
            seen.add(key.value)
            left.append(value)
